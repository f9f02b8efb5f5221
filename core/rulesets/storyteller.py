"""The Storyteller rules (STY-01 to STY-07): only what differs from the common rule."""

from core.rulesets.ruleset import Ruleset


class Storyteller(Ruleset):
    """Simple, free and reflexive actions; what answers an act comes after it."""
