"""What comes into a decision from outside: time, dice, ids, who is here. So deciding twice gives the same."""

from dataclasses import dataclass

from core.dice.source import Dice
from core.ids import Ids, SeatId


@dataclass(frozen=True, slots=True)
class World:
    """`now`: ms on the store's clock. `version`: the one this command would make. `dwell_ms`: drawn for `bluff` windows.

    `way_ms`: how long the sender's frames are under way, as the server has measured it.
    """

    now: int
    dice: Dice
    ids: Ids
    here: frozenset[SeatId]
    version: int
    dwell_ms: int = 0
    way_ms: int = 0
