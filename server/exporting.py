"""A table's files over the wire, for its STs: the story (transcript.py), or one audience's log with its dice (export.py).

They are asked for page by page: each is a bounded piece of work, and a frame no longer than what a client may send. What is
under way lies with the connection that asks for it, one file at a time, and goes with it. That it was asked for is audited
(audit.py). It tells what the store has: of older scenes that were archived only the operator's commands know.
"""

import abc
import asyncio
import json
from collections.abc import Iterator
from typing import Any

from core.commands import NoteKeeping
from core.ids import ST, SeatId
from core.letters import in_json
from core.refusals import Refused
from core.state import Keeping, Table
from core.view import audiences
from protocol.from_client import AskExport
from server.asked import own
from server.auth import SeatKey, new_id
from server.export import Line, Telling, header
from server.keeping import Begun, ExportProblem, where_it_begins
from server.room import Room
from server.transcript import Collecting, Wanted, written

PAGE = 12 * 1024
"""Letters after which a page ends; with the line that goes over it, less than a frame in any script."""
CHANGES = 256
"""A page is made of no more than so many."""
AT_ONCE = 8
"""Changes that are told before others come in between."""


class Exporting:
    """What one connection is being given."""

    def __init__(self) -> None:
        self._file: _File | None = None
        self._next = 0

    async def page(self, room: Room, key: SeatKey, question: AskExport) -> dict[str, Any]:
        """The answer to EXPORT. Raises Refused, StoreError."""
        if key.role != "st":
            raise Refused("forbidden")
        if question.page == 0:
            self._file, self._next = await _begin(room, question), 0
            await _note(room, SeatId(key.seat), question)
        file = self._file
        wanted = self._next if file is not None else 0
        if file is None or question.page != wanted:
            raise Refused("bad_value", path="page", value=question.page, accepted=wanted)
        try:
            text = await file.page()
        except ExportProblem:  # its old scenes are archived at this moment
            self._file = None
            raise Refused("history_short") from None
        told = {"text": text, "done": file.done, "of": file.of}
        if not text and file.done == file.of:
            self._file = None
            return {**told, "archived": file.archived}
        self._next += 1
        return {**told, "next": self._next}


async def _begin(room: Room, question: AskExport) -> "_File":
    table, version = room.table, room.version
    if question.whose not in audiences(table):
        raise Refused("unknown", id=question.whose)
    begun = await where_it_begins(room.store, room.id)
    return (_Story if question.form == "story" else _Log)(room, question, table, version, begun)


async def _note(room: Room, st: SeatId, question: AskExport) -> None:
    """Before he is given any of it; it is not in the file itself."""
    seat = room.table.seats.get(SeatId(question.whose))
    what: Keeping = "story_exported" if question.form == "story" else "log_exported"
    noted = NoteKeeping(what, seat.name if seat else question.whose)
    reply = await room.submit(own(noted, f"export/{new_id()}", room.clock(), st=st))
    if reply["t"] != "ack":
        raise Refused(reply["code"])


class _File(abc.ABC):
    """A file under way. `done` of so many changes are gone through; `archived`: there were some before those."""

    def __init__(self, room: Room, question: AskExport, table: Table, version: int, begun: Begun) -> None:
        self._store = room.store
        self._id = room.id
        self._first = begun.version
        self._telling = Telling(question.whose, begun.table, begun.version)
        self._ready: Iterator[str] = iter(())
        self.of = version - begun.version
        self.archived = bool(begun.parts)

    @property
    def done(self) -> int:
        return self._telling.version - self._first

    async def page(self) -> str:
        """The next piece; "" also where nothing comes of the next changes. Raises ExportProblem, StoreError."""
        text = self._taken()
        if not text and self.done < self.of:
            await self._tell()
            text = self._taken()
        return text

    def _taken(self) -> str:
        text = ""
        for piece in self._ready:
            text += piece
            if len(text) >= PAGE:
                break
        return text

    async def _tell(self) -> None:
        after = self._telling.version
        entries = await self._store.entries(self._id, after, min(after + CHANGES, self._first + self.of))
        if not entries:
            raise ExportProblem(f"change {after + 1} is missing from the log")
        lines: list[Line] = []
        for k, entry in enumerate(entries, start=1):
            lines += self._telling.lines(entry)
            if k % AT_ONCE == 0:
                await asyncio.sleep(0)
        self._ready = self._written(lines)

    @abc.abstractmethod
    def _written(self, lines: list[Line]) -> Iterator[str]:
        """What can be given out now that these lines are told as well."""


class _Log(_File):
    def __init__(self, room: Room, question: AskExport, table: Table, version: int, begun: Begun) -> None:
        super().__init__(room, question, table, version, begun)
        self._ready = iter([_json(header(room.id, table, question.whose))])

    def _written(self, lines: list[Line]) -> Iterator[str]:
        return map(_json, lines)


class _Story(_File):
    """Whole, once all is told: what a rewind has undone is known only then."""

    def __init__(self, room: Room, question: AskExport, table: Table, version: int, begun: Begun) -> None:
        super().__init__(room, question, table, version, begun)
        seats = (*begun.table.seats.values(), *table.seats.values())
        names = {str(seat.id): seat.name for seat in seats if seat.role == "player" or question.whose == ST}
        self._collecting = Collecting(table.created, Wanted(question.evening), names)
        self._title = table.name, question.whose, question.language

    def _written(self, lines: list[Line]) -> Iterator[str]:
        for line in lines:
            self._collecting.take(line)
        if self.done < self.of:
            return iter(())
        return (f"{paragraph}\n" for paragraph in written(self._collecting.story, *self._title))


def _json(line: Line) -> str:
    return in_json(json.dumps(line, ensure_ascii=False)) + "\n"
