"""A table's log as a file: every line that an audience has been told since the table was made, one JSON object a line.

    {"overseer": "log", "format": 1, "table": ID, "name": ..., "for": AUDIENCE, "practice": ..., "seats": {ID: NAME}}
    {"n": 17, "at_s": 312, "by": SEAT, "kind": "rolled", "fields": {"unit": [ID, NAME], "faces": [8, 3], ...}}

Kinds and fields are those of protocol/lines.py. Nothing is in it that this audience was not told; the dice in it can be
checked by anybody (`overseer verify`, proofs.py).
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from core.commands import By
from core.diff import patch
from core.evolve import fold
from core.ids import ALL, SeatId
from core.state import Table
from core.view import audiences, view
from protocol import lines
from server import asks, history
from server.store.redis import RedisStore

FORMAT = 1
AT_ONCE = 256
CLOCK = By(SeatId(""), "st")

Line = dict[str, Any]


class ExportProblem(Exception):
    """It cannot be done. The text is one plain sentence."""


def header(id: str, table: Table, audience: str) -> Line:
    seats = {seat.id: seat.name for seat in table.seats.values() if seat.role == "player"}
    return {
        "overseer": "log",
        "format": FORMAT,
        "table": id,
        "name": table.name,
        "for": audience,
        "practice": table.practice,
        "seats": seats,
    }


async def told(store: RedisStore, id: str, audience: str) -> AsyncIterator[Line]:
    """The lines, from the first. A seat that came later has been told what all could know before. Raises ExportProblem."""
    table, version = Table(), 0
    n: dict[int, int] = {}  # where the audience stood after each version
    while entries := await store.entries(id, version, version + AT_ONCE):
        for entry in entries:
            if entry.version != version + 1:
                raise ExportProblem("the log of this table does not go back to its beginning")
            version = entry.version
            try:
                record = history.read(entry.entry)
                after = fold(table, record.events, record.at)
            except Exception as fault:
                raise ExportProblem(f"change {version} was written by another version of Overseer ({fault})") from fault
            n[version] = record.n.get(audience, 0)
            for line in _lines(table, after, record, audience, n):
                yield line
            table = after


def _lines(before: Table, after: Table, record: history.Record, audience: str, n: Mapping[int, int]) -> list[Line]:
    listener = audience if audience in audiences(after) else ALL
    seen = patch(before, after, record.events, listener, record.by or CLOCK, record.at)
    found: list[Line] = []
    for kind, at_s, by, *args in seen.lines if seen else ():
        if kind == "rewound":
            args[0] = n.get(args[0], 0)
        packed = lines.pack(kind, at_s, by, args)
        bare = kind == "value_set" and not args
        for one in (
            asks.values(packed, seen.ops, view(before, listener), view(after, listener)) if seen and bare else [packed]
        ):
            found.append(_named(one, n[max(n)]))
    return found


def _named(packed: list[Any], n: int) -> Line:
    index, at_s, by, *args = packed
    kind = lines.NAMES[index]
    fields = {name: value for name, value in zip(lines.KINDS[kind], args, strict=False) if value is not None}
    return {"n": n, "at_s": at_s, "by": by, "kind": kind, "fields": fields}
