"""Who may sit where: asked when somebody comes, with each of his commands, and of all who are there after each change.

The table says which invitations open a seat and until when. So whoever was sent away on one server is sent away on all, as
soon as they hear of the change, and nobody asks the store for it.
"""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from core.ids import ALL, SeatId
from core.state import Seat, Table
from protocol.codes import Close
from server.auth import SeatKey

if TYPE_CHECKING:
    from server.connection import Connection
    from server.room import Room

Why = tuple[Close, str]
LONGEST_S = 3600.0
"""After so long it is looked again in any case: clocks are set, and an event loop counts no months."""
GONE = Close.SEAT_GONE, "this seat has been given up; ask the Storyteller for another one"
REVOKED = Close.REVOKED, "this invitation was taken back, or there is a newer one; ask the Storyteller"
EXPIRED = Close.EXPIRED, "the time of this invitation is over; ask the Storyteller for a new one"
ANOTHER_ROLE = Close.ROLE_CHANGED, "your role at the table has changed; come back"
NOT_AN_ST = Close.NOT_AN_ST, "only a Storyteller may look through another seat's eyes"


class Shut(Exception):
    """He may not come in. `why`: the close code, and a text for him."""

    def __init__(self, why: Why) -> None:
        super().__init__(why[1])
        self.why = why


def admit(table: Table, shown: SeatKey, now: int, see_as: str | None = None) -> SeatKey:
    """The seat as it is now, for whoever has shown a token; for an ST who wants so, another's eyes. Raises Shut."""
    seat = table.seats.get(SeatId(shown.seat))
    if seat is None:
        raise Shut(GONE)
    lent = seat.loan is not None and shown.key == seat.loan.key
    key = replace(shown, role=seat.role, name=seat.name, lent=lent)
    if why := why_not(table, key, now):
        raise Shut(why)
    return key if see_as is None else _with_eyes_of(table, key, see_as)


def _with_eyes_of(table: Table, st: SeatKey, wanted: str) -> SeatKey:
    if st.role != "st":
        raise Shut(NOT_AN_ST)
    if wanted == ALL:
        return replace(st, seat=ALL, role="spectator", name="", st=st.seat)
    players = [seat for seat in table.seats.values() if seat.role == "player"]
    found = [seat for seat in players if seat.id == wanted] or [seat for seat in players if seat.name == wanted]
    if len(found) != 1:
        raise Shut((Close.SEAT_GONE, "there is no player's seat of this name"))
    return replace(st, seat=found[0].id, role="player", name=found[0].name, st=st.seat)


def keys_of(table: Table) -> set[str]:
    """The invitations that open a seat, or will until their time is over."""
    own = {seat.key or seat.id for seat in table.seats.values() if seat.key is not None}
    return own | {seat.loan.key for seat in table.seats.values() if seat.loan is not None}


def why_not(table: Table, key: SeatKey, now: int) -> Why | None:
    """Why whoever came in with this may not stay; None: he may."""
    seat = table.seats.get(SeatId(key.st or key.seat))
    if seat is None:
        return GONE
    opens = key.key == seat.key or (seat.loan is not None and key.key == seat.loan.key)
    if not opens:
        return REVOKED
    until = _until(seat, key)
    if until is not None and until <= now:
        return EXPIRED
    if seat.role != ("st" if key.st else key.role):
        return ANOTHER_ROLE
    return _not_to_be_seen(table, key) if key.st else None


def _not_to_be_seen(table: Table, key: SeatKey) -> Why | None:
    seen = table.seats.get(SeatId(key.seat))
    return None if key.seat == ALL or (seen is not None and seen.role == "player") else GONE


def _until(seat: Seat, key: SeatKey) -> int | None:
    """When the invitation runs out: that of a loan no later than the seat's own."""
    ends = [seat.until]
    if seat.loan is not None and key.key == seat.loan.key:
        ends.append(seat.loan.until)
    return min((end for end in ends if end is not None), default=None)


class Admission:
    """One room's: `look` sends away who may not stay, and looks again when the next invitation runs out."""

    def __init__(self, room: "Room") -> None:
        self._room = room
        self._alarm: asyncio.TimerHandle | None = None
        self._promised: dict[Connection, str] = {}

    def look(self) -> None:
        room, now = self._room, self._room.clock()
        for connection, key in list(room.listeners.items()):
            key = room.listeners[connection] = self._with_the_new_one(connection, key)
            if why := why_not(room.table, key, now):
                room.leave(connection)  # not another patch, however many come before the line is closed
                connection.close_soon(*why)
        self._look_again_at(self._ends(room.listeners.values(), now))

    @contextmanager
    def promised(self, connection: "Connection", id: str) -> Iterator[None]:
        """Whoever renews his own invitation is told the new one, so he stays."""
        self._promised[connection] = id
        try:
            yield
        finally:
            del self._promised[connection]

    def stop(self) -> None:
        if self._alarm:
            self._alarm.cancel()
        self._alarm = None

    def _with_the_new_one(self, connection: "Connection", key: SeatKey) -> SeatKey:
        promised = self._promised.get(connection)
        seat = self._room.table.seats.get(SeatId(key.seat))
        return replace(key, key=promised) if promised and seat and seat.key == promised else key

    def _ends(self, keys: Iterable[SeatKey], now: int) -> int | None:
        """When the next invitation of somebody here runs out."""
        seats = self._room.table.seats
        held = [(seats.get(SeatId(key.st or key.seat)), key) for key in keys]
        ends = [_until(seat, key) for seat, key in held if seat is not None]
        return min((end for end in ends if end is not None and end > now), default=None)

    def _look_again_at(self, instant: int | None) -> None:
        self.stop()
        if instant is not None:
            wait_s = min((instant - self._room.clock()) / 1000, LONGEST_S)
            self._alarm = asyncio.get_running_loop().call_later(max(0.001, wait_s), self.look)
