"""The games that can be played. Everything of the engine that differs between them is a hook of `Ruleset`.

How to write another: README.md beside this file.
"""

from core.rulesets.infinite_horror import InfiniteHorror
from core.rulesets.ruleset import Ruleset
from core.rulesets.storyteller import Storyteller

__all__ = ["RULESETS", "Ruleset"]

RULESETS: dict[str, Ruleset] = {"infinite_horror": InfiniteHorror(), "storyteller": Storyteller()}
