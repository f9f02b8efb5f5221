"""Deadlines stand in the table and nowhere else; here is only the alarm clock that looks at the next one.

Any node that holds a table may fire what is due; a second one finds it done. A refused firing is no decision.
"""

import asyncio
import logging
from dataclasses import astuple
from typing import TYPE_CHECKING

from core.clock import due_command, next_instant
from core.ids import SeatId
from core.state import Table
from server.asked import Asked, own
from server.store.problems import StoreError

if TYPE_CHECKING:
    from server.room import Room

log = logging.getLogger("overseer.timers")

AGAIN_S = 0.25
"""After something was not due yet, or the store was away."""


def due(table: Table, now: int, here: frozenset[SeatId]) -> Asked | None:
    """What the clock has to do now, if anything. Its id is the same on every node."""
    command = due_command(table, now, here)
    if command is None:
        return None
    of = "/".join(str(value) for value in astuple(command))  # type: ignore[call-overload]
    return own(command, f"clock/{of}/{next_instant(table, now, here)}", now, by_clock=True)


class Timer:
    """One room's alarm clock: set again after every change of the table."""

    def __init__(self, room: "Room") -> None:
        self._room = room
        self._alarm: asyncio.TimerHandle | None = None
        self._firing: asyncio.Task[None] | None = None
        self._stopped = False

    def set(self) -> None:
        """Rings when the table's next instant has come."""
        instant = next_instant(self._room.table, self._room.clock(), self._room.here)
        self._ring_in(None if instant is None else max(0.0, (instant - self._room.clock()) / 1000))

    def stop(self) -> None:
        self._stopped = True
        self._ring_in(None)

    async def stopped(self) -> None:
        """What had rung before `stop` has been done to its end."""
        if self._firing:
            await self._firing

    def _ring_in(self, seconds: float | None) -> None:
        if self._alarm:
            self._alarm.cancel()
        self._alarm = None
        if seconds is not None and not self._stopped:
            self._alarm = asyncio.get_running_loop().call_later(seconds, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        if self._firing is None or self._firing.done():
            self._firing = asyncio.create_task(self._fire(), name="timer")

    async def _fire(self) -> None:
        version = self._room.version
        try:
            await self._room.tick()
        except StoreError as problem:
            log.warning("the clock waits for the store: %s", problem, extra={"table": self._room.id})
        except Exception:  # a clock that rings no more would be worse than one that rings in vain
            log.exception("the clock could not act", extra={"table": self._room.id})
        instant = next_instant(self._room.table, self._room.clock(), self._room.here)
        if instant is None or self._stopped:
            return
        # Rang, and still nothing was due: somebody unsettled is waited for, or our clock is a little ahead.
        wait_s = max(0.0, (instant - self._room.clock()) / 1000)
        self._ring_in(max(AGAIN_S, wait_s) if self._room.version == version and wait_s == 0.0 else wait_s)
