"""A table's log as a file: every line that an audience has been told since the table was made, one JSON object a line.

    {"overseer": "log", "format": 1, "table": ID, "name": ..., "for": AUDIENCE, "practice": ..., "seats": {ID: NAME}}
    {"n": 17, "at_s": 312, "by": SEAT, "kind": "rolled", "fields": {"unit": [ID, NAME], "faces": [8, 3], ...}}

Kinds and fields are those of protocol/lines.py. Nothing is in it that this audience was not told; the dice in it can be
checked by anybody (`overseer verify`, proofs.py).
"""

from collections.abc import AsyncIterator
from typing import Any

from core.change import Change
from core.commands import By
from core.diff import told as lines_told
from core.evolve import fold
from core.ids import ALL, ST, SeatId
from core.state import Table
from core.view import audiences
from protocol import lines
from server import history
from server.keeping import AT_ONCE, ExportProblem, Past, Progress, silent
from server.store.values import Entry

FORMAT = 1
CLOCK = By(SeatId(""), "st")

Line = dict[str, Any]
Stood = dict[int, tuple[int, int]]
"""Where the STs and an audience stood after each version, in ascending order."""


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


class Unfolding:
    """A table followed through its log, change by change, from where that begins. Raises ExportProblem."""

    def __init__(self, table: Table, version: int) -> None:
        self.table = table
        self.version = version

    def follow(self, entry: Entry) -> tuple[Table, history.Record]:
        """The table before, and what happened; `table` is then the one after it."""
        if entry.version != self.version + 1:
            raise ExportProblem(
                f"change {self.version + 1} is missing from the log: {entry.version} comes in its place"
            )
        before = self.table
        try:
            record = history.read(entry.entry)
            self.table = fold(before, record.events, record.at)
        except Exception as fault:
            raise ExportProblem(
                f"change {entry.version} was written by another version of Overseer ({fault})"
            ) from fault
        self.version = entry.version
        return before, record


class Telling:
    """What one audience was told, change by change. A seat that came later has been told what all could know before."""

    def __init__(self, audience: str, table: Table | None = None, version: int = 0) -> None:
        self._audience = audience
        self._unfolding = Unfolding(table or Table(), version)
        self._stood: Stood = {}

    @property
    def table(self) -> Table:
        return self._unfolding.table

    @property
    def version(self) -> int:
        return self._unfolding.version

    def lines(self, entry: Entry) -> list[Line]:
        before, record = self._unfolding.follow(entry)
        found = _lines(before, self.table, record, self._audience, self._stood)
        self._stood[entry.version] = record.n.get(ST, 0), record.n.get(self._audience, 0)
        return found


async def told(past: Past, audience: str, of: int = 0, progress: Progress = silent) -> AsyncIterator[Line]:
    """The lines, from the first that is kept. `of`: the version up to which there are some now. Raises ExportProblem."""
    first = past.begun.version
    telling = Telling(audience, past.begun.table, first)
    async for entry in past.entries():
        for line in telling.lines(entry):
            yield line
        if entry.version % AT_ONCE == 0 or entry.version == of:
            progress(entry.version - first, max(of, entry.version) - first)


def _lines(before: Table, after: Table, record: history.Record, audience: str, stood: Stood) -> list[Line]:
    """`stood`: before this."""
    now = record.n.get(audience, 0)
    listener = audience if audience in audiences(after) else ALL
    change = Change(before, after, record.events, record.by or CLOCK, record.at)
    teller, seen = lines_told(change, listener)
    found: list[Line] = []
    for kind, at_s, by, *args in seen:
        if kind == "rewound":
            last = next(reversed(stood), 0)
            args[0] = history.place_of(stood[at] for at in range(args[0], last + 1)) if args[0] in stood else 0
            if args[0] == stood.get(last, (0, 0))[1] and not teller.ops:  # as steps.py has it
                continue
        packed = lines.pack(kind, at_s, by, args)
        bare = kind == "value_set" and not args
        for one in lines.each_value(packed, teller.ops, *teller.views) if bare else [packed]:
            found.append(_named(one, now))
    return found


def _named(packed: list[Any], n: int) -> Line:
    index, at_s, by, *args = packed
    kind = lines.NAMES[index]
    fields = {name: value for name, value in zip(lines.KINDS[kind], args, strict=False) if value is not None}
    return {"n": n, "at_s": at_s, "by": by, "kind": kind, "fields": fields}
