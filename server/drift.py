"""A view that has gone wrong without a sign, in a client's memory or in this node's, is found and put right.

Every so often both sides sum up the view (protocol/checks.py). A client whose sum differs says so; a node compares what it
remembers of a table with what lies in the store, then and every now and then.
"""

import logging
import time
from typing import TYPE_CHECKING

from core.cells import cells as cells_of
from core.state import Table
from protocol.from_client import Drift
from server import catching_up, cells
from server.auth import SeatKey
from server.connection import Connection
from server.store.values import Loaded

if TYPE_CHECKING:
    from server.room import Room

log = logging.getLogger("overseer.drift")

EVERY = 64
AT_MOST_S = 10.0
"""Versions after which a node compares its memory of a table with the store, and how often at most: it reads all of it."""
AGAIN_S = 1.0
"""A table of which nothing has changed is not read again for a client so soon after it was compared."""
TRIES = 4


async def heal(room: "Room", connection: Connection, key: SeatKey, told: Drift) -> None:
    """A client's view is not the server's: it is sent all anew, after the node has made sure of its own."""
    async with room.lock:
        facts = {"table": room.id, "audience": key.audience, "n": told.n, "crc": told.crc}
        log.error("a client's view has drifted from the table", extra=facts)
        if room.version != room.proven or time.monotonic() - room.proven_at_s >= AGAIN_S:
            await verify(room)
        connection.send_snapshot("drift")


async def now_and_then(room: "Room") -> None:
    """Verifies a room of which much has changed since it was last done. Hold its lock."""
    if room.version - room.proven >= EVERY and time.monotonic() - room.proven_at_s >= AT_MOST_S:
        await verify(room)


async def verify(room: "Room") -> bool:
    """Whether this node remembers the table as it is stored; if not, it does so now, and all who listen are sent it anew.

    Hold the room's lock. Where others act all the time, that is left for the next time.
    """
    for _ in range(TRIES):
        await catching_up.catch_up(room)
        loaded = await room.store.load(room.id)
        if loaded is None or loaded.head != room.head:
            continue
        room.proven, room.proven_at_s = room.version, time.monotonic()
        stored = cells.table_of(loaded.cells, room.id)
        if stored == room.table and _places_agree(room, loaded):
            return True
        facts = {"table": room.id, "version": room.version, "cells": _differing(room.table, stored)}
        log.error("this server's memory of a table had drifted from the store; it is loaded anew", extra=facts)
        catching_up.take(room, loaded, stored, "drift")
        return False
    return True


def _places_agree(room: "Room", loaded: Loaded) -> bool:
    return dict(room.position.places) == loaded.audiences


def _differing(one: Table, other: Table) -> list[str]:
    """The names of the cells that differ: their content may be secret."""
    ours, theirs = cells_of(one), cells_of(other)
    return sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
