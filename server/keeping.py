"""Where a table's history lies: the log in the store, and before it, once old scenes were archived, files.

A log that was shortened keeps beside it the table as it stood where it begins, and which files have what was before.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.state import Table
from server import cells, table_file
from server.store.redis import RedisStore
from server.store.values import Entry
from server.table_file import FileProblem

AT_ONCE = 256
"""Entries read from the store in one go."""


Progress = Callable[[int, int], None]
"""Called now and then with how many changes are done, and of how many."""


def silent(done: int, of: int) -> None:
    """Nobody watches."""


class ExportProblem(Exception):
    """It cannot be done. The text is one plain sentence."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file with the changes after one version up to another, of one table. `table`: its id when it was written."""

    file: str  # its whole path, where it was written
    table: str
    after: int
    version: int

    def plain(self) -> list[Any]:
        return [self.file, self.table, self.after, self.version]

    def found(self, folder: Path) -> Path | None:
        """Where it lies now: as it was written, or in the folder of the archives."""
        for path in (Path(self.file), folder / Path(self.file).name):
            if path.is_file():
                return path
        return None


@dataclass(frozen=True, slots=True)
class Begun:
    """Where a log begins: the table as it stood at a version, and the files with what was before.

    `public`: where the spectators' stream stood when a seat's own stream began, for seats older than this.
    """

    version: int = 0
    cells: Mapping[str, bytes] = field(default_factory=dict)
    public: Mapping[str, int] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()

    @property
    def table(self) -> Table:
        return cells.table_of(self.cells) if self.cells else Table()

    def packed(self) -> bytes:
        parts = [part.plain() for part in self.parts]
        return cells.packed(
            {"version": self.version, "cells": dict(self.cells), "public": dict(self.public), "parts": parts}
        )


async def where_it_begins(store: RedisStore, id: str) -> Begun:
    kept = await store.moving.base(id)
    if kept is None:
        return Begun()
    found: dict[str, Any] = cells.unpacked(kept)
    return Begun(found["version"], found["cells"], found["public"], tuple(Part(*part) for part in found["parts"]))


@dataclass(frozen=True, slots=True)
class Past:
    """All of a table's history that can be found: what is in `files`, then what the store has after `kept`.

    `missing`: what was archived and is not found; the history begins after it.
    """

    store: RedisStore
    id: str
    begun: Begun
    files: tuple[Path, ...] = ()
    missing: tuple[Part, ...] = ()

    async def entries(self) -> AsyncIterator[Entry]:
        """By version, without a gap. Raises ExportProblem, FileProblem."""
        version = self.begun.version
        for path in self.files:
            for entry in entries_of(path):
                version = _next(version, entry)
                yield entry
        async for entry in stored(self.store, self.id, version):
            yield entry


async def stored(store: RedisStore, id: str, after: int, upto: int | None = None) -> AsyncIterator[Entry]:
    """The store's log by version, without a gap: up to a version, or to its end. Raises ExportProblem."""
    version = after
    while upto is None or version < upto:
        last = version + AT_ONCE if upto is None else min(upto, version + AT_ONCE)
        entries = await store.entries(id, version, last)
        if not entries:
            if upto is not None:
                raise _missing(version + 1)
            return
        for entry in entries:
            version = _next(version, entry)
            yield entry


def _next(version: int, entry: Entry) -> int:
    if entry.version != version + 1:
        raise _missing(version + 1)
    return entry.version


def _missing(version: int) -> ExportProblem:
    return ExportProblem(f"change {version} is missing from the log; if it is being archived now, try again")


def entries_of(path: Path) -> Iterator[Entry]:
    with table_file.reading(str(path)) as file:
        for item in table_file.Reader(file).items():
            if isinstance(item, Entry):
                yield item


async def past_of(store: RedisStore, id: str, folder: Path) -> Past:
    """The history of a table; `folder`: where archives are looked for that are not where they were written."""
    begun = await where_it_begins(store, id)
    found: list[Path] = []
    first = begun
    for part in reversed(begun.parts):
        path = part.found(folder)
        if path is None or (begins := beginning_of(path, part)) is None:
            break
        found.insert(0, path)
        first = begins
    missing = begun.parts[: len(begun.parts) - len(found)]
    return Past(store, id, first, tuple(found), missing)


def beginning_of(path: Path, part: Part) -> Begun | None:
    """Where a file begins; None if it is another one than was written then."""
    try:
        with table_file.reading(str(path)) as file:
            reader = table_file.Reader(file)
            header = reader.header
            if (header["table"], header["after"], header["version"]) != (part.table, part.after, part.version):
                return None
            first: dict[str, bytes] = {}
            for item in reader.items():
                if not (isinstance(item, table_file.Cell) and item.first):
                    break
                first[item.name] = item.value
            return Begun(part.after, first)
    except (FileProblem, KeyError):
        return None
