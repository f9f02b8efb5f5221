"""A table's files over the wire, for its STs: the story (transcript.py), or one audience's log with its dice (export.py).

They are asked for page by page: each is a bounded piece of work, and a frame no longer than what a client may send. What is
under way lies with the connection that asks for it, one file at a time, and goes with it. It tells what the store has: of
older scenes that were archived only the operator's commands know.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from core.ids import ST
from core.letters import in_json
from core.refusals import Refused
from core.state import Table
from core.view import audiences
from protocol.from_client import AskExport
from server.auth import SeatKey
from server.export import Line, Telling, header
from server.keeping import Begun, ExportProblem, stored, where_it_begins
from server.room import Room
from server.transcript import Collecting, Wanted, written

PAGE = 12 * 1024
"""Letters after which a page ends; with the line that goes over it, less than a frame in any script."""
CHANGES = 256
"""A page ends after so many, also where they have told nothing."""
AT_ONCE = 8
"""Changes that are told before others come in between."""


@dataclass(frozen=True, slots=True)
class Page:
    """The next piece of the text, made of the first `done` changes."""

    text: str
    done: int


class Exporting:
    """What one connection is being given."""

    def __init__(self) -> None:
        self._pages: AsyncIterator[Page] | None = None
        self._number = 0
        self._of = 0
        self._archived = False

    async def page(self, room: Room, key: SeatKey, question: AskExport) -> dict[str, Any]:
        """The answer to EXPORT. Raises Refused, StoreError."""
        if key.role != "st":
            raise Refused("forbidden")
        if question.page == 0:
            await self._begin(room, question)
        if self._pages is None or question.page != self._number:
            raise Refused("unknown", id=question.whose)
        try:
            page = await anext(self._pages, None)
        except ExportProblem:  # its old scenes are archived at this moment
            self._pages = None
            raise Refused("history_short") from None
        if page is None:
            self._pages = None
            return {"text": "", "done": self._of, "of": self._of, "archived": self._archived}
        self._number += 1
        return {"text": page.text, "done": page.done, "of": self._of, "next": self._number}

    async def _begin(self, room: Room, question: AskExport) -> None:
        table, version = room.table, room.version
        if question.whose not in audiences(table):
            raise Refused("unknown", id=question.whose)
        begun = await where_it_begins(room.store, room.id)
        changes = _told(room, question.whose, begun, version)
        pages = _story if question.form == "story" else _log
        self._pages = pages(room.id, table, begun, question, changes)
        self._number, self._of, self._archived = 0, version - begun.version, bool(begun.parts)


Changes = AsyncIterator[tuple[int, list[Line]]]
"""How many changes that makes, and what this one tells."""


async def _told(room: Room, audience: str, begun: Begun, version: int) -> Changes:
    telling = Telling(audience, begun.table, begun.version)
    async for entry in stored(room.store, room.id, begun.version, version):
        done = entry.version - begun.version
        yield done, telling.lines(entry)
        if done % AT_ONCE == 0:
            await asyncio.sleep(0)


async def _log(id: str, table: Table, begun: Begun, question: AskExport, changes: Changes) -> AsyncIterator[Page]:
    text = _json(header(id, table, question.whose))
    async for done, lines in changes:
        for line in lines:
            text += _json(line)
            if len(text) >= PAGE:
                yield Page(text, done)
                text = ""
        if done % CHANGES == 0:
            yield Page(text, done)
            text = ""
    yield Page(text, done)


async def _story(id: str, table: Table, begun: Begun, question: AskExport, changes: Changes) -> AsyncIterator[Page]:
    seats = (*begun.table.seats.values(), *table.seats.values())
    names = {str(seat.id): seat.name for seat in seats if seat.role == "player" or question.whose == ST}
    collecting = Collecting(table.created, Wanted(question.evening), names)
    async for done, lines in changes:
        for line in lines:
            collecting.take(line)
        if done % CHANGES == 0:
            yield Page("", done)
    text = ""
    for paragraph in written(collecting.story, table.name, question.whose, question.language):
        text += paragraph + "\n"
        if len(text) >= PAGE:
            yield Page(text, done)
            text = ""
    yield Page(text, done)


def _json(line: Line) -> str:
    return in_json(json.dumps(line, ensure_ascii=False)) + "\n"
