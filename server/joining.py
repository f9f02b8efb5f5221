"""A connection joins a room: it is sent what it missed, byte for byte, or a snapshot and why. Nothing in between.

Under the room's lock, so that no patch can slip in between what was missed and what comes.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from protocol import version
from protocol.from_client import Resume
from server import catching_up, losses
from server.audience import Audience, Frame
from server.auth import SeatKey
from server.connection import Connection
from server.room import Room

log = logging.getLogger("overseer.joining")


class Crowded(Exception):
    """The seat, or the table, has as many connections as it may have."""


async def join(
    room: Room,
    connection: Connection,
    key: SeatKey,
    resume: Resume | None,
    heartbeat_s: int,
    *,
    limits: Mapping[str, int] | None = None,
    believed: Callable[[], bool] = lambda: True,
) -> None:
    """WELCOME, then the missed patches or a SNAPSHOT; from then on the connection hears what its audience hears.

    `limits` of this server are told besides the protocol's; `believed` is asked before all others begin anew for its sake.
    Raises Crowded.
    """
    async with room.lock:
        if _crowded(room, key, limits or {}):
            raise Crowded
        reason, missed = await _since(room, key, resume, believed)
        audience = room.audiences[key.audience]
        connection.snapshot = lambda why: room.snapshot(audience, _known(why, connection.minor))
        connection.send(Frame.of(_welcome(room, audience, key, heartbeat_s, limits or {})))
        if reason:
            connection.send(room.snapshot(audience, reason))
        connection.send_missed(missed)
        if not reason and connection.minor >= 1:  # whatever it was told before, by whichever server, adds up to this
            connection.send(Frame.of({"t": "check", "n": audience.n, "crc": room.crc(audience.name)}))
        audience.connections[connection] = None
        room.listeners[connection] = key
        room.admission.look()


def _crowded(room: Room, key: SeatKey, limits: Mapping[str, int]) -> bool:
    """Whether there are as many connections on this node as there may be (0: no end). Those of spectators, who share one
    invitation, leave half of the table's places to the others.
    """
    of_table = limits.get("connections_table", 0)
    of_seat = -(-of_table // 2) if key.role == "spectator" else limits.get("connections_seat", 0)
    its_own = sum((one.st or one.seat) == (key.st or key.seat) for one in room.listeners.values())
    return 0 < of_table <= len(room.listeners) or 0 < of_seat <= its_own


async def _since(
    room: Room, key: SeatKey, resume: Resume | None, believed: Callable[[], bool] = lambda: True
) -> tuple[str, list[bytes]]:
    """(why a snapshot is needed or "", the missed patches)."""
    name = key.audience
    if resume is None:
        return "first", []
    if not _within(room.audiences[name], resume):
        await catching_up.catch_up(room)  # this node may only be late
    audience = room.audiences[name]
    if resume.epoch != audience.epoch:
        return "epoch", []
    if resume.n > audience.n:
        # The store itself has less than this client was sent. Were it let in at its n, it would later take a new patch
        # for one it already has. So it gets a snapshot; and as others may be ahead too who have not come back yet, all begin
        # anew. Anybody can say that he is ahead, though: a seat that says it again and again harms but itself.
        facts = {"table": room.id, "audience": name, "seat": key.seat, "n": resume.n, "store_n": audience.n}
        if not believed():
            log.warning("a seat says too often that it is ahead of the store", extra=facts)
            return "ahead", []
        log.error("a client is ahead of the store: it was sent what the store has lost", extra=facts)
        first = audience.n + 1
        if await losses.begin_anew(room, {name: resume.epoch}):
            await losses.tell(room, key.seat, first, resume.n)
        return "ahead", []
    found = await room.store.diffs(room.id, name, resume.n, audience.n)
    if len(found) != audience.n - resume.n:
        return "too_old", []
    return "", [patch for _, patch in found]


def _within(audience: Audience, resume: Resume) -> bool:
    return resume.epoch == audience.epoch and resume.n <= audience.n


def _known(reason: str, minor: int) -> str:
    """A reason that a client of this minor version knows."""
    return "ahead" if reason == "drift" and minor < 1 else reason


def _welcome(
    room: Room, audience: Audience, key: SeatKey, heartbeat_s: int, limits: Mapping[str, int]
) -> dict[str, Any]:
    return {
        "t": "welcome",
        "version": version.VERSION,
        "table": room.id,
        "name": room.table.name,
        "epoch": audience.epoch,
        "n": audience.n,
        "seat": key.seat,
        "seat_name": key.name,
        "role": key.role,
        "limits": {**version.limits(), **limits},
        "heartbeat_s": heartbeat_s,
        "now": room.clock(),
        "minor": version.MINOR,
        "read_only": key.st is not None,
        "durable": key.role != "st" or not room.store.warnings,
    }
