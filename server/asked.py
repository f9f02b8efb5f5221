"""One command on its way to a decision: who asks, when it was read, and how it becomes a command of the rules.

No wire message and no rule is known here; `translate.py` makes these from what clients send.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from core.commands import By, Command
from core.ids import OPERATOR, ST, SeatId
from server.position import Position


@dataclass(frozen=True, slots=True)
class Author:
    """The client a decision belongs to. Sent again with the same content it gets the same answer."""

    seat: str
    client: str
    seq: int
    digest: bytes
    audience: str
    is_st: bool = False


@dataclass(frozen=True, slots=True)
class Meant:
    """A command of the rules. `past`: for a rewind, each audience's n at the version that is gone back to."""

    command: Command
    by: By
    by_clock: bool = False
    past: Mapping[str, int] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        return str(getattr(self.command, "reason", ""))


@dataclass(frozen=True, slots=True)
class Asked:
    """`meaning` is asked again after each conflict, on the table as it is then; it may raise core's Refused."""

    id: str  # unique; ids of new things are made from it
    now: int  # ms on the store's clock, when it was read
    meaning: Callable[[Position], Awaitable[Meant]]
    author: Author | None = None  # None: the server's own; nobody will ask for its answer again
    way_ms: int = 0  # how long the sender's frames are under way, as measured
    alone: bool = False  # it looks into the log, so all that it is decided on must be kept already
    kept: Callable[[int], None] = lambda _: None  # told how many bytes its author is sent of what it has changed


def own(command: Command, id: str, now: int, *, by_clock: bool = False, st: SeatId = OPERATOR) -> Asked:
    """A command that comes from the server's clock, from whoever runs the server, or of what this ST was given."""
    by = By(ST, "st", None if by_clock else st)

    async def meaning(_: Position) -> Meant:
        return Meant(command, by, by_clock)

    return Asked(id, now, meaning)
