"""Infinite Horror (无限恐怖): the common rule in everything."""

from core.rulesets.ruleset import Ruleset


class InfiniteHorror(Ruleset):
    """The game the engine was made for: every hook as it comes."""
