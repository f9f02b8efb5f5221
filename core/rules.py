"""Which game a table plays: the hooks of its ruleset (rulesets/README.md)."""

from typing import TYPE_CHECKING

from core.state import House

if TYPE_CHECKING:
    from core.rulesets import Ruleset


def rules_of(house: House) -> "Ruleset":
    """The table's ruleset. Found late: rulesets are made of the engine's modules, and those ask here."""
    from core.rulesets import RULESETS

    return RULESETS[house.ruleset]
