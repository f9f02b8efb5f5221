"""Learning what other nodes have done: the log and the streams since our version. The only way there is.

A wake-up, a gap, a stale commit, a joining client all end here. Hold the room's lock.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from core.evolve import fold
from core.state import Table
from server import cells, dice_keys, history, losses
from server.audience import Audience
from server.history import Record
from server.store.values import Entry, Loaded

if TYPE_CHECKING:
    from server.room import Room

log = logging.getLogger("overseer.catching_up")


async def catch_up(room: "Room") -> None:
    """Brings the room to the table's head; everybody here is sent the very bytes the deciding node made.

    LookupError if the table is no longer there: it was archived.
    """
    await _catch_up(room)
    await dice_keys.follow(room)


async def _catch_up(room: "Room") -> None:
    entries = await room.store.entries(room.id, room.version - 1)
    if entries and entries[0].version > room.version:  # old scenes were archived while this node slept
        await reload(room, "too_old")
    elif not entries or entries[0].head != room.head:
        await losses.found(room)
    elif news := entries[1:]:
        try:
            records = [history.read(entry.entry) for entry in news]
            table = room.table
            for record in records:
                table = fold(table, record.events, record.at)
        except Exception:  # a newer node may write what this one cannot read; the state is then the truth
            log.exception(
                "an entry of the log could not be followed; the table is loaded anew", extra={"table": room.id}
            )
            await reload(room, "too_old")
            return
        await _follow(room, news[-1], records, table)


async def _follow(room: "Room", last: Entry, records: Sequence[Record], table: Table) -> None:
    n = records[-1].n
    epochs, rewound = _marks(records, n, {name: one.n for name, one in room.audiences.items()})
    behind = {
        name: (room.audiences[name].n, at)
        for name, at in n.items()
        if name not in epochs and name in room.audiences and at != room.audiences[name].n
    }
    patches = await _patches(room, behind)
    cut = [name for name, (after, to) in behind.items() if len(patches[name]) != to - after]
    for name in cut:  # more than the stream keeps: snapshots, made after this
        del patches[name]
    room.turns.lost()
    room.stand(table, last.version, last.head, epochs=epochs, n=n, patches=patches, rewound=rewound)
    for name in cut:
        room.audiences[name].n = n[name]
        room.audiences[name].resend("too_old")


def _marks(
    records: Sequence[Record], n: Mapping[str, int], before: Mapping[str, int]
) -> tuple[dict[str, str], dict[str, int]]:
    """The newest epoch of each audience that got one and is still there, and its n at the last rewind in that epoch.

    A rewind that an audience was sent nothing of was none to it. `before`: where each stood.
    """
    epochs: dict[str, str] = {}
    rewound: dict[str, int] = {}
    for record in records:
        for name, epoch in record.epochs.items():
            epochs[name] = epoch
            rewound.pop(name, None)
        if record.rewound:
            rewound |= {name: at for name, at in record.n.items() if at != before.get(name, 0)}
        before = record.n
    return {name: epoch for name, epoch in epochs.items() if name in n}, {k: at for k, at in rewound.items() if k in n}


async def _patches(room: "Room", behind: Mapping[str, tuple[int, int]]) -> dict[str, list[bytes]]:
    found = await asyncio.gather(*(room.store.diffs(room.id, name, *span) for name, span in behind.items()))
    return {name: [patch for _, patch in several] for name, several in zip(behind, found, strict=True)}


async def reload(room: "Room", reason: str) -> None:
    """The table as it is stored, for a room that cannot follow the log. All who listen get a snapshot."""
    loaded = await room.store.load(room.id)
    if loaded is None:
        raise LookupError(f"the table {room.id} is gone from the store")
    take(room, loaded, cells.table_of(loaded.cells, room.id), reason)


def take(room: "Room", loaded: Loaded, table: Table, reason: str) -> None:
    """The room stands where the store does, whatever it thought before. All who listen get a snapshot, and this reason."""
    places = loaded.audiences
    n = {name: place.n for name, place in places.items()}
    room.stand(table, loaded.version, loaded.head, epochs={}, n=n, patches={}, rewound={})
    for name in [name for name in room.audiences if name not in places]:
        del room.audiences[name]
    for name, place in places.items():
        audience = room.audiences.setdefault(name, Audience(name, place))
        why = reason if audience.epoch == place.epoch else "epoch"
        audience.epoch, audience.n, audience.rewound = place.epoch, place.n, place.rewound
        audience.resend(why)
