"""The two editions of the rules text where they differ (TBL-05). An edition is the values of some house rules.

The current one is the rule, and the default of each; choosing the earlier one sets them all, in one change. Each can
still be set by hand.
"""

from collections.abc import Mapping
from typing import Any

from core.state import House

EARLIER: Mapping[str, Any] = {
    "immediate_cost": "one_swift",
    "area_doubling": "damage_only",
    "interrupted_by_readied": "may_continue",
    "concentration_over_scenes": "goes_on",
    "extended_first_roll": "after_interval",
}
EDITIONS: Mapping[str, Mapping[str, Any]] = {
    "current": {key: getattr(House(), key) for key in EARLIER},
    "earlier": EARLIER,
}


def house_of(given: Mapping[str, Any]) -> House:
    """A new table's house rules: those of its edition, then what was given by name."""
    return House(**{**EDITIONS[given.get("edition", "current")], **given})
