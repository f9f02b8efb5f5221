"""The store is behind what was seen kept: a backup was restored, or a copy that lagged took over. Nobody resumes across it.

All audiences concerned get new epochs, once, whichever node is the first to see it; the STs are told what was withdrawn.
Where all get them the dice get a new key too: what was rolled and is gone must not fall again.
"""

import logging
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from core.cells import changed as changed_cells
from core.commands import ReportLoss
from core.dice.source import Dice
from core.evolve import fold
from core.ids import ST, SeatId
from core.seeds import renewed
from server import auth, catching_up, cells, dice_keys, history
from server.asked import own
from server.history import Record
from server.store.values import Commit, Committed, Entry, Gone, Loaded, Place

if TYPE_CHECKING:
    from server.room import Room

log = logging.getLogger("overseer.losses")

LOOKED_BACK = 500
"""Versions before the head in which a loss that another node has dealt with is looked for, at least."""


async def found(room: "Room") -> None:
    """This node has seen more than the store has: it drops what it remembers, and goes on from what there is.

    Each node tells what of its own memory is gone and no other has named. Hold the room's lock.
    """
    facts: dict[str, object] = {"table": room.id, "version": room.version, "head": room.head}
    known = {name: audience.epoch for name, audience in room.audiences.items()}
    head, seen, remembered = room.head, room.trail.copy(), room.trail.copy()
    loaded = await room.store.load(room.id)
    if loaded is None:
        raise LookupError(f"the table {room.id} is gone from the store")
    entries = await room.store.entries(
        room.id, max(0, min(seen.first, loaded.version - LOOKED_BACK) - 1), loaded.version
    )
    gone = seen.withdrawn({entry.version: entry.head for entry in entries})
    begun = _begun_anew(entries, known)
    start = loaded if begun is None else _back_to(room.id, loaded, begun, entries)
    catching_up.take(room, start, cells.table_of(start.cells, room.id), "ahead")
    room.trail = seen
    room.trail.note(room.version, room.head, room.audiences[ST].n)
    named = {command for entry in entries for command in history.losses(entry)[1]}
    gone = [one for one in gone if one.command not in named]
    facts |= {"now_at": loaded.version, "withdrawn": " ".join(one.command for one in gone)}
    log.error("the store has lost what it had confirmed; every seat gets a new start", extra=facts)
    if begun is None:
        try:
            await begin_all_anew(room)
        except BaseException:  # not said yet, so it must be found again: by the head that the store does not know
            room.head, room.trail = head, remembered
            raise
    else:  # those who listen here hear of it as all others did
        await catching_up.catch_up(room)
    if gone:
        positions = [one.n for one in gone]
        await tell(room, None, min(positions), max(positions), [one.command for one in gone])


def _begun_anew(entries: Sequence[Entry], known: Mapping[str, str]) -> Entry | None:
    """Where another node has given all audiences new epochs because of this loss. None: nobody has."""
    for entry in reversed(entries):
        epochs, _ = history.losses(entry)
        if epochs and epochs.keys() >= history.places(entry).keys():
            return entry if all(known.get(name) != epoch for name, epoch in epochs.items()) else None
    return None


def _back_to(id: str, loaded: Loaded, begun: Entry, entries: Sequence[Entry]) -> Loaded:
    """The table as it stood where its audiences began anew."""
    later = [entry for entry in entries if entry.version > begun.version]
    places = {name: Place(epoch, 0, 0) for name, epoch in history.losses(begun)[0].items()}
    then = history.undone(cells.table_of(loaded.cells, id), later)
    return Loaded(begun.version, begun.head, loaded.name, then, places)


async def tell(room: "Room", seat: str | None, first: int, last: int, commands: Sequence[str] = ()) -> None:
    """The STs are told; the fields are those of the event HistoryLost. Hold the room's lock."""
    room.untold.append(ReportLoss(None if seat is None else SeatId(seat), first, last, tuple(commands)))
    await tell_untold(room)


async def tell_untold(room: "Room") -> None:
    """What the store could not be told when it was found is told as soon as it can be. Hold the room's lock."""
    while room.untold:
        loss = room.untold.pop()
        try:
            await room.act(own(loss, f"loss/{secrets.token_hex(8)}", room.clock(), by_clock=True))
        except BaseException:
            room.untold.append(loss)
            raise


async def restored(room: "Room") -> None:
    """Whoever runs the server says that an older copy of the store was put back. Hold the room's lock."""
    await catching_up.catch_up(room)
    if await begin_all_anew(room):
        await tell(room, None, 0, 0)


async def begin_all_anew(room: "Room") -> bool:
    """New epochs for all, and new dice; those of a practice table can be foretold anyway and stay."""
    worn = {name: audience.epoch for name, audience in room.audiences.items()}
    if room.table.practice:
        return await begin_anew(room, worn)
    key = dice_keys.Another(room)
    await key.put()
    done = await begin_anew(room, worn, key.dice)
    await key.settle(sealed=done)
    return done


async def begin_anew(room: "Room", worn: Mapping[str, str], dice: Dice | None = None) -> bool:
    """New epochs for the audiences that still have these, as a version of their own. Whether there were any.

    `dice`: what is rolled from then on.

    Of several nodes that want it at once the first has done it: the others find other epochs.
    """
    while names := [name for name, one in room.audiences.items() if one.epoch == worn.get(name)]:
        epochs = {name: auth.new_id() for name in names}
        n = {name: 0 if name in epochs else audience.n for name, audience in room.audiences.items()}
        events = renewed(room.table, room.version + 1, room.dice, dice) if dice else ()
        at = max(room.clock(), room.table.seen)
        table = fold(room.table, events, at)
        changed = {name: cells.encode(entity) for name, entity in changed_cells(room.table, table)[0].items()}
        record = Record(None, at, history.LOST, events, history.former_of(room.table, changed), n, epochs)
        id = f"anew/{secrets.token_hex(8)}"
        commit = Commit(room.id, room.head, id, changed, [], history.write(record), {}, epochs=epochs)
        outcome = await room.store.commit(commit)
        if isinstance(outcome, Committed):
            room.dice = dice or room.dice
            room.stand(table, outcome.version, outcome.head, epochs=epochs, n=n, patches={}, rewound={})
            return True
        if isinstance(outcome, Gone):
            raise LookupError(f"the table {room.id} is gone from the store")
        await catching_up.reload(room, "ahead")
    return False
