"""Who is here, over all nodes: one mark in the store for each connection, which runs out unless it is renewed.

So the seats of a node that died fall away by themselves. Only player seats are told to others.
"""

import logging
import secrets
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from core.ids import ST, SeatId
from core.state import Table
from server.audience import Frame
from server.store.problems import StoreError
from server.store.redis import RedisStore

if TYPE_CHECKING:
    from server.room import Room

log = logging.getLogger("overseer.presence")

LASTS = 3
"""Heartbeats until a mark that nobody renews runs out."""


class Presence:
    """This node's marks. `renew` must be called every heartbeat, `refresh` when others may have come or gone."""

    def __init__(self, store: RedisStore, heartbeat_s: float) -> None:
        self._store = store
        self._lasts_ms = int(LASTS * heartbeat_s * 1000)
        self._node = secrets.token_hex(4)
        self._marks: set[tuple[str, str, str]] = set()  # (table, seat, connection)

    @asynccontextmanager
    async def here(self, room: "Room", seat: str) -> AsyncIterator[None]:
        """The seat is shown as here while this lasts."""
        mark = (room.id, seat, secrets.token_hex(4))
        self._marks.add(mark)
        try:
            await self._mark(mark)
            await self.refresh(room)
            yield
        finally:
            self._marks.discard(mark)
            with suppress(StoreError):  # it runs out by itself
                table, seat, connection = mark
                await self._store.unmark_here(table, seat, self._node, connection)
                await self.refresh(room)

    def connections(self, table: str, seat: str) -> int:
        """How many there are to this node from a seat."""
        return sum(mark[:2] == (table, seat) for mark in self._marks)

    async def renew(self) -> None:
        """All marks of this node hold for another while."""
        for mark in list(self._marks):
            await self._mark(mark)
            if mark not in self._marks:  # its connection ended meanwhile
                await self._store.unmark_here(mark[0], mark[1], self._node, mark[2])

    async def refresh(self, room: "Room") -> None:
        """Learns who is here; tells all who listen when it has changed, and lets the clock look whom it waits for."""
        here = present(room.table, await self._store.here(room.id, self._store.clock()))
        if here != room.here:
            before = told(room)
            room.here = here
            if (
                told(room) != before
            ):  # else the mere coming of a frame would tell that an ST or a spectator came or went
                room.tell(told(room))
            await room.tick()
            room.timer.set()

    async def _mark(self, mark: tuple[str, str, str]) -> None:
        table, seat, connection = mark
        await self._store.mark_here(table, seat, self._node, connection, self._store.clock() + self._lasts_ms)


def present(table: Table, marked: Collection[str]) -> frozenset[SeatId]:
    """Of the seats that are marked as here those the table has, and ST when one of the STs is."""
    here = {SeatId(seat) for seat in marked if seat in table.seats}
    if any(table.seats[seat].role == "st" for seat in here):
        here.add(ST)
    return frozenset(here)


def told(room: "Room") -> dict[str, object]:
    """PRESENCE: the player seats that are here, those of STs and spectators never."""
    seats = room.table.seats
    return {
        "t": "presence",
        "here": sorted(seat for seat in room.here if seat in seats and seats[seat].role == "player"),
    }


def frame(room: "Room") -> Frame:
    return Frame.of(told(room))
