"""Questions that change nothing: older lines of the log, what a rewind would undo, what a calculation comes to,
why an effect ends when it does.

Nothing here looks at the table but through what the asker's audience may see, or was sent.
"""

import importlib
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from core.calc import calc
from core.commands import By
from core.explain import explain
from core.ids import ALL, ST, RequestId, SeatId, UnitId
from core.options import options, told
from core.refusals import Refused
from core.view import view
from protocol import lines
from protocol.from_client import (
    AskAudit,
    AskCalc,
    AskExplain,
    AskExport,
    AskLibrary,
    AskLog,
    AskOptions,
    AskReadUnits,
    AskRewindPreview,
    Question,
)
from server import audit, history, past
from server.audience import Audience
from server.auth import SeatKey
from server.cells import unpacked
from server.exporting import Exporting
from server.keeping import where_it_begins
from server.room import Room
from server.store.problems import StoreError
from server.thinking import Thinking, Thought

log = logging.getLogger("overseer.asks")

Answer = dict[str, Any]
Entry = list[Any]

MOST_LINES_OF_PREVIEW = 2000
MOST_OPTIONS = 3000
"""In one answer: with as many targets as a table has units it fits into a frame. A hundred units have so many."""
LOOKED_BACK = 200
"""Changes before a page that are read for what a value was before it."""
SET_UP = re.compile(r"(h|s|n|q|a|o)/|m/(orders|guard)$|t/(name|created|practice|me|role)$|u/[^/]+/owner$")
"""Paths that no rewind brings back."""


async def answer(
    room: Room,
    key: SeatKey,
    question: Question,
    exporting: Exporting | None = None,
    thought: Thought | None = None,
) -> Answer:
    """The ANSWER, as plain values. `exporting`: what the asking connection is being given; `thought`: what it takes.

    Raises StoreAway.
    """
    thought = thought or Thought(Thinking(), key.seat)
    try:
        if isinstance(question, AskExport):
            found = await (exporting or Exporting()).page(room, key, question)
        else:
            found = await ANSWERS[type(question)](room, key, question, thought)
    except StoreError:
        raise
    except Exception as fault:  # a mistake of ours; without an answer it would be asked again and again
        if not isinstance(fault, Refused):
            log.exception("a question failed", extra={"table": room.id})
        refused = fault if isinstance(fault, Refused) else Refused("not_possible")
        found = {"code": refused.code, "params": dict(refused.params)}
    return {"t": "answer", "id": question.id, **found}


async def _log(room: Room, key: SeatKey, question: AskLog, thought: Thought) -> Answer:
    """A page of the asker's own stream; before its first entry, in one page with position 0, what was public before.

    `undone`: the stretches of the page that rewinds have gone back over.
    """
    audience = room.audiences[key.audience]
    end = audience.n if question.before is None else min(audience.n, question.before - 1)
    if end >= 1:
        first = max(0, end - question.limit)
        diffs = await room.store.diffs(room.id, audience.name, max(0, first - LOOKED_BACK), end)
        earlier, page = [one for one in diffs if one[0] <= first], [one for one in diffs if one[0] > first]
        more = bool(page) and (page[0][0] > 1 or await _public_before(room, audience.name) > 0)
        undone = await _undone(room, audience, page) if page else []
        kept = await _kept_from(room, audience.name)
        entries = await _entries(thought, room, audience.name, page, earlier)
        return {"entries": entries, "more": more, "undone": undone, **kept}
    public = await room.store.diffs(room.id, ALL, 0, await _public_before(room, audience.name))
    kept = {"kept_from": 0} if public and public[0][0] > 1 else {}
    entries = await _entries(thought, room, audience.name, [(0, patch) for _, patch in public])
    return {"entries": entries, "more": False, **kept}


async def _kept_from(room: Room, audience: str) -> Answer:
    """The oldest position that can be asked for, where that is not the first: what is older is in transcripts."""
    first = await room.store.moving.first_n(room.id, audience)
    return {"kept_from": first} if first is not None and first > 1 else {}


async def _undone(room: Room, audience: Audience, page: Sequence[tuple[int, bytes]]) -> list[list[int]]:
    """[first, last] of each stretch of the page that a later rewind has undone. Its lines stay, marked."""
    first = page[0][0]
    if audience.rewound < first:
        return []
    later = await room.store.diffs(room.id, audience.name, first - 1, audience.rewound)
    covered = _gone_back_over([(n, _read(patch)[1]) for n, patch in later])
    stretches: list[list[int]] = []
    for n, patch in page:
        if n not in covered or not _of_play(_read(patch)[0]):
            continue
        if stretches and stretches[-1][1] == n - 1:
            stretches[-1][1] = n
        else:
            stretches.append([n, n])
    return stretches


def _gone_back_over(told: Sequence[tuple[int, Sequence[Sequence[Any]]]]) -> set[int]:
    """The positions that rewinds among these lines have undone. A rewind that was itself undone has undone nothing."""
    covered: set[int] = set()
    for n, log in reversed(told):
        if n not in covered:
            for line in log:
                if line[0] == lines.INDEX["rewound"]:
                    covered |= set(range(line[3] + 1, n))
    return covered


def _of_play(ops: Sequence[Sequence[Any]]) -> bool:
    """Whether a patch changes anything that a rewind brings back."""
    return any(not SET_UP.match(op[0]) for op in ops)


async def _public_before(room: Room, name: str) -> int:
    """Where the spectators' stream stood when this seat's began; 0 for those who were there from the first day."""
    if name in (ST, ALL):
        return 0
    begun = await where_it_begins(room.store, room.id)
    if name in begun.public:  # its stream began in scenes that are archived
        return begun.public[name]
    low, high = max(1, begun.version), room.version  # the first version whose entry knows this audience lies in here
    while low < high:
        middle = (low + high) // 2
        entries = await room.store.entries(room.id, middle - 1, middle)
        if not entries or name in history.places(entries[0]):
            high = middle
        else:
            low = middle + 1
    first = await room.store.entries(room.id, low - 1, low)
    return history.places(first[0]).get(ALL, 0) if first else 0


async def _preview(room: Room, key: SeatKey, question: AskRewindPreview, thought: Thought) -> Answer:
    """What a rewind would undo, and the `to` and `head` to name in the command.

    Left out is what it does not undo: words, requests, house rules, and what an earlier rewind has undone already.
    """
    if key.role != "st":
        raise Refused("forbidden")
    head = room.audiences[ST].n
    to = min(await _aim(room, question), head)
    diffs = await room.store.diffs(room.id, ST, max(to, head - MOST_LINES_OF_PREVIEW), head)
    if diffs and diffs[0][0] != to + 1:
        raise Refused("history_short")
    told = dict(await thought.through((n, _read(patch)) for n, patch in diffs))
    covered = _gone_back_over([(n, log) for n, (_, log) in told.items()])
    going = [(n, patch) for n, patch in diffs if n not in covered and _undoes(*told[n], to)]
    before = await room.store.diffs(room.id, ST, max(0, to - LOOKED_BACK), to)
    entries = await _entries(thought, room, ST, going, [*before, *(one for one in diffs if one[0] in covered)])
    return {
        "entries": [[n, [line for line in log if _is_undone(line, to)]] for n, log in entries],
        "to": to,
        "head": head,
    }


async def _aim(room: Room, question: AskRewindPreview) -> int:
    """The position a rewind would go back to: the one named, or the one before the act of a take-back."""
    if question.request is None:
        if question.to is None:
            raise Refused("bad_value", field="to")
        return question.to
    request = room.table.requests.get(RequestId(question.request))
    if request is None or request.to is None:
        raise Refused("unknown", id=question.request)
    return (await past.at_version(room.store, room.position, request.to)).n.get(ST, 0)


def _undoes(ops: Sequence[Sequence[Any]], log: Sequence[Sequence[Any]], to: int) -> bool:
    """A rewind to a place behind this one's brings back nothing that is not so already: it is no change to undo."""
    back = [line[3] for line in log if line[0] == lines.INDEX["rewound"]]
    return _of_play(ops) and all(place < to for place in back)


def _is_undone(line: Sequence[Any], to: int) -> bool:
    kind = lines.NAMES[line[0]]
    return kind not in lines.LASTING or (kind == "rewound" and line[3] < to)


async def _entries(
    thought: Thought,
    room: Room,
    audience: str,
    diffs: Sequence[tuple[int, bytes]],
    earlier: Sequence[tuple[int, bytes]] = (),
) -> list[Entry]:
    """[[n, lines], ...]; a line that leaves its values to the patch gets them from there, what was before from `earlier`."""
    wanted = {n for n, _ in diffs}
    entries = await thought.through(_each_entry(room, audience, [*earlier, *diffs]))
    return [entry for entry in entries if entry[0] in wanted]


def _each_entry(room: Room, audience: str, diffs: Sequence[tuple[int, bytes]]) -> Iterator[Entry]:
    names = view(room.table, audience)
    known: dict[str, Any] = {}
    for n, patch in sorted(diffs, key=lambda one: one[0]):
        ops, log = _read(patch)
        told: list[Any] = []
        for line in log:
            bare = line[0] == lines.INDEX["value_set"] and len(line) == 3
            told += lines.each_value(line, ops, known, names) if bare else [line]
        for path, *value in ops:
            known[path] = value[0] if value else None
        yield [n, told]


def _read(patch: bytes) -> tuple[list[Any], list[Any]]:
    """(ops, lines) of a patch of our own."""
    _, _, ops, log = unpacked(patch)
    return ops, log


async def _audit(room: Room, key: SeatKey, question: AskAudit, _: Thought) -> Answer:
    if key.role != "st":
        raise Refused("forbidden")
    reading = audit.Audit(room.table.created, {seat.id: seat.name for seat in room.table.seats.values()})
    found, before = await audit.page(room.store, room.id, reading, question.before or room.version + 1, question.limit)
    begun = (await where_it_begins(room.store, room.id)).version
    kept = {"kept_from": begun} if begun else {}
    return {"entries": [[version, told] for version, told in found], "names": reading.names, "before": before, **kept}


async def _calc(room: Room, key: SeatKey, question: AskCalc, _: Thought) -> Answer:
    found = calc(view(room.table, key.audience), question.text, question.unit, own=question.own)
    return {"value": found.value, "unit": found.unit, "steps": list(found.steps), "names": dict(found.names)}


async def _explain(room: Room, key: SeatKey, question: AskExplain, _: Thought) -> Answer:
    why, facts = explain(room.table, key.audience, question.effect)
    return {"why": why, "facts": facts}


async def _options(room: Room, key: SeatKey, question: AskOptions, thought: Thought) -> Answer:
    """What is due happens first: what can be done is asked of the table as it is."""
    await room.tick()
    by = By(ST, "st", st=SeatId(key.seat)) if key.role == "st" else By(SeatId(key.seat), key.role)
    unit = UnitId(question.unit) if question.unit is not None else None
    world = room.world(room.position, room.clock(), f"options/{key.seat}")
    found = await thought.through(map(told, islice(options(room.table, by, world, unit), MOST_OPTIONS + 1)))
    return {"options": found[:MOST_OPTIONS], **({"more": True} if len(found) > MOST_OPTIONS else {})}


async def _library(room: Room, key: SeatKey, question: AskLibrary, thought: Thought) -> Answer:
    if question.name is None:
        return await _prepared(room, key, thought, "library_files")
    return await _prepared(room, key, thought, "from_library", question.name)


async def _read_units(room: Room, key: SeatKey, question: AskReadUnits, thought: Thought) -> Answer:
    return await _prepared(room, key, thought, "from_text", question.text, question.file)


async def _prepared(room: Room, key: SeatKey, thought: Thought, reader: str, *said: str) -> Answer:
    """Only an ST prepares. The readers are the terminal's, which is a client of this server: loaded when asked for, in the
    thread, for the first time takes long.
    """
    if key.role != "st":
        raise Refused("forbidden")
    seen = view(room.table, ST)

    def read() -> Answer:
        found: Answer = getattr(importlib.import_module("server.prepared"), reader)(seen, key.seat, *said)
        return found

    return await thought.aside(read)


ANSWERS: dict[type[Question], Callable[[Room, SeatKey, Any, Thought], Awaitable[Answer]]] = {
    AskAudit: _audit,
    AskLog: _log,
    AskRewindPreview: _preview,
    AskCalc: _calc,
    AskExplain: _explain,
    AskOptions: _options,
    AskLibrary: _library,
    AskReadUnits: _read_units,
}
