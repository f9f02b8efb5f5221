"""Questions that change nothing: older lines of the log, what a rewind would undo, what a calculation comes to,
why an effect ends when it does.

Nothing here looks at the table but through what the asker's audience may see, or was sent.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from core.calc import calc
from core.explain import explain
from core.ids import ALL, ST
from core.refusals import Refused
from core.view import view
from protocol import lines
from protocol.from_client import AskCalc, AskExplain, AskLog, AskRewindPreview, Question
from server import history
from server.audience import Audience
from server.auth import SeatKey
from server.cells import unpacked
from server.room import Room
from server.store.problems import StoreError

log = logging.getLogger("overseer.asks")

Answer = dict[str, Any]
Entries = list[list[Any]]

MOST_LINES_OF_PREVIEW = 2000


async def answer(room: Room, key: SeatKey, question: Question) -> Answer:
    """The ANSWER, as plain values. Raises StoreAway."""
    try:
        found = await ANSWERS[type(question)](room, key, question)
    except StoreError:
        raise
    except Exception as fault:  # a mistake of ours; without an answer it would be asked again and again
        if not isinstance(fault, Refused):
            log.exception("a question failed", extra={"table": room.id})
        refused = fault if isinstance(fault, Refused) else Refused("not_possible")
        found = {"code": refused.code, "params": dict(refused.params)}
    return {"t": "answer", "id": question.id, **found}


async def _log(room: Room, key: SeatKey, question: AskLog) -> Answer:
    """A page of the asker's own stream; before its first entry, in one page with position 0, what was public before.

    `undone`: the stretches of the page that rewinds have gone back over.
    """
    audience = room.audiences[key.audience]
    end = audience.n if question.before is None else min(audience.n, question.before - 1)
    if end >= 1:
        diffs = await room.store.diffs(room.id, audience.name, max(0, end - question.limit), end)
        more = bool(diffs) and (diffs[0][0] > 1 or await _public_before(room, audience.name) > 0)
        undone = await _undone(room, audience, diffs[0][0], diffs[-1][0]) if diffs else []
        return {"entries": _entries(room, audience.name, diffs), "more": more, "undone": undone}
    public = await room.store.diffs(room.id, ALL, 0, await _public_before(room, audience.name))
    return {"entries": _entries(room, audience.name, [(0, patch) for _, patch in public]), "more": False}


async def _undone(room: Room, audience: Audience, first: int, last: int) -> list[list[int]]:
    """[first, last] of each stretch of these positions that a later rewind went back over. Undone lines stay, marked."""
    if audience.rewound < first:
        return []
    stretches = []
    for n, patch in await room.store.diffs(room.id, audience.name, first - 1, audience.rewound):
        for line in _read(patch)[1]:
            if line[0] == lines.INDEX["rewound"]:
                stretches.append([max(first, line[3] + 1), min(last, n - 1)])
    return [[begin, end] for begin, end in stretches if begin <= end]


async def _public_before(room: Room, name: str) -> int:
    """Where the spectators' stream stood when this seat's began; 0 for those who were there from the first day."""
    if name in (ST, ALL):
        return 0
    low, high = 1, room.version  # the first version whose entry knows this audience lies in here
    while low < high:
        middle = (low + high) // 2
        entries = await room.store.entries(room.id, middle - 1, middle)
        if not entries or name in history.places(entries[0]):
            high = middle
        else:
            low = middle + 1
    first = await room.store.entries(room.id, low - 1, low)
    return history.places(first[0]).get(ALL, 0) if first else 0


async def _preview(room: Room, key: SeatKey, question: AskRewindPreview) -> Answer:
    """What a rewind to position `to` would undo, and the `to` and `head` to name in the command."""
    if key.role != "st":
        raise Refused("forbidden")
    head = room.audiences[ST].n
    to = min(question.to, head)
    diffs = await room.store.diffs(room.id, ST, max(to, head - MOST_LINES_OF_PREVIEW), head)
    if diffs and diffs[0][0] != to + 1:
        raise Refused("history_short")
    return {"entries": _entries(room, ST, diffs), "to": to, "head": head}


def _entries(room: Room, audience: str, diffs: Sequence[tuple[int, bytes]]) -> Entries:
    """[[n, lines], ...]; a line that leaves its values to the patch gets them from there."""
    seen = view(room.table, audience)
    entries = []
    for n, patch in diffs:
        ops, log = _read(patch)
        told: list[Any] = []
        for line in log:
            told += values(line, ops, seen) if line[0] == lines.INDEX["value_set"] and len(line) == 3 else [line]
        entries.append([n, told])
    return entries


def _read(patch: bytes) -> tuple[list[Any], list[Any]]:
    """(ops, lines) of a patch of our own."""
    _, _, ops, log = unpacked(patch)
    return ops, log


def values(line: Sequence[Any], ops: Sequence[Sequence[Any]], seen: Mapping[str, Any]) -> list[Any]:
    """One line for each value of a unit that was set. What it was before is not known here."""
    told = []
    for path, *value in ops:
        kind, _, rest = path.partition("/")
        unit, _, field = rest.partition("/")
        if kind == "u" and field:
            named = [unit, str(seen.get(f"u/{unit}/name", ""))]
            told.append(lines.pack("value_set", line[1], line[2], [named, field, value[0] if value else None]))
    return told or [list(line)]


async def _calc(room: Room, key: SeatKey, question: AskCalc) -> Answer:
    found = calc(view(room.table, key.audience), question.text, question.unit, own=question.own)
    return {"value": found.value, "unit": found.unit, "steps": list(found.steps), "names": dict(found.names)}


async def _explain(room: Room, key: SeatKey, question: AskExplain) -> Answer:
    why, facts = explain(room.table, key.audience, question.effect)
    return {"why": why, "facts": facts}


ANSWERS: dict[type[Question], Callable[[Room, SeatKey, Any], Awaitable[Answer]]] = {
    AskLog: _log,
    AskRewindPreview: _preview,
    AskCalc: _calc,
    AskExplain: _explain,
}
