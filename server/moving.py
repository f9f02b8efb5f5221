"""Whole tables between the store and files: export and import. Archives are in archiving.py.

A table that is imported is a new one: an id, tokens, epochs and dice of its own. What it has been through comes along.
"""

import secrets
from dataclasses import dataclass, field, replace
from typing import IO, Any

from core.bounds import NAME, is_name
from core.cells import cells as cells_of
from core.commands import By, Command
from core.decide import Decided
from core.dice.source import KeyedDice
from core.evolve import fold
from core.ids import ST
from core.seeds import brought
from core.state import Seat, Table
from server import asked, auth, cells, steps, table_file
from server.export import Unfolding
from server.keeping import AT_ONCE, Begun, ExportProblem, Part, Progress, silent, stored, where_it_begins
from server.position import Position
from server.rooms import Rooms
from server.seating import SeatingProblem
from server.store.moving import Brought
from server.store.redis import RedisStore
from server.store.values import Commit, Entry, Loaded, Place
from server.table_file import Cell, FileProblem, Patch, Reader, Writer


# -------------------------------------------------------------------------------------------------------------- export
@dataclass(frozen=True, slots=True)
class Exported:
    name: str
    changes: int
    head: str
    audiences: tuple[str, ...]


async def export(store: RedisStore, id: str, file: IO[bytes], progress: Progress = silent) -> Exported:
    """Writes a table as it stands now, while it may go on. Raises ExportProblem, StoreError."""
    loaded = await load(store, id)
    begun = await where_it_begins(store, id)
    table = cells.table_of(loaded.cells)
    writer = Writer(file, heading(id, table, begun, loaded.version, part=False))
    for name, value in begun.cells.items():
        writer.add(Cell(name, value, first=True))
    async for entry in stored(store, id, begun.version, loaded.version):
        writer.add(entry)
        if entry.version % AT_ONCE == 0 or entry.version == loaded.version:
            progress(entry.version - begun.version, loaded.version - begun.version)
    for audience, place in loaded.audiences.items():
        writer.add(table_file.Place(audience, place.n, place.rewound))
        for n, patch in await store.diffs(id, audience, 0, place.n):
            writer.add(Patch(audience, n, patch))
    for name, value in loaded.cells.items():
        writer.add(Cell(name, value))
    writer.close()
    return Exported(loaded.name, loaded.version - begun.version, loaded.head, tuple(loaded.audiences))


async def load(store: RedisStore, id: str) -> Loaded:
    """A table as it is stored. Raises ExportProblem if it is there no more."""
    loaded = await store.load(id)
    if loaded is None:
        raise ExportProblem(f"there is no table {id} any more")
    return loaded


def heading(id: str, table: Table, begun: Begun, version: int, *, part: bool) -> dict[str, Any]:
    """The first line of a file with the changes of a table up to a version. `part`: it has only old scenes."""
    return {
        "table": id,
        "name": table.name,
        "created": table.created,
        "practice": table.practice,
        "after": begun.version,
        "version": version,
        "part": part,
        "public": dict(begun.public),
        "archives": [one.plain() for one in begun.parts],
    }


# -------------------------------------------------------------------------------------------------------------- import
@dataclass(slots=True)
class Content:
    """What a file says, once it has been read to its end."""

    header: table_file.Header
    table: Table = field(default_factory=Table)
    cells: dict[str, bytes] = field(default_factory=dict)
    places: dict[str, table_file.Place] = field(default_factory=dict)
    head: str = ""
    first: dict[str, bytes] = field(default_factory=dict)
    differs: bool = False
    """The log leads to another table than the file says there is: rules were mended between two versions of Overseer."""


async def read(reader: Reader, take: "Take", progress: Progress = silent) -> Content:
    """Reads a file to its end and follows its log. Raises FileProblem and ExportProblem, which name the line."""
    header = reader.header
    found = Content(header)
    unfolding: Unfolding | None = None
    for item in reader.items():
        match item:
            case Cell(name, value, True):
                found.first[name] = value
            case Cell(name, value):
                found.cells[name] = value
            case Entry():
                unfolding = unfolding or Unfolding(_table(found.first, reader), header["after"])
                try:
                    unfolding.follow(item)
                except ExportProblem as problem:
                    raise FileProblem(f"line {reader.number}: {problem}") from None
                found.head = item.head
                if item.version % AT_ONCE == 0:
                    progress(item.version - header["after"], header["version"] - header["after"])
            case table_file.Place():
                found.places[item.audience] = item
        await take.take(item)
    await take.rest()
    if unfolding is None or unfolding.version != header["version"]:
        raise FileProblem(f"its log does not end with change {header['version']}, as its first line says")
    found.table = _table(found.cells, reader) if found.cells else unfolding.table
    found.differs = found.table != unfolding.table
    return found


def _table(found: dict[str, bytes], reader: Reader) -> Table:
    try:
        return cells.table_of(found) if found else Table()
    except Exception as fault:
        raise FileProblem(
            f"line {reader.number}: the table was written by another version of Overseer ({fault})"
        ) from fault


class Take:
    """What is done with the lines of a file while it is read; nothing, to check it."""

    async def take(self, item: table_file.Item) -> None:
        pass

    async def rest(self) -> None:
        pass


class Bringing(Take):
    """Puts log and streams into the store, in pieces, under an id at which there is no table yet."""

    def __init__(self, store: RedisStore, id: str) -> None:
        self._store = store
        self._id = id
        self._entries: list[Entry] = []
        self._patches: list[tuple[int, bytes]] = []
        self._audience = ""
        self.audiences: set[str] = set()

    async def take(self, item: table_file.Item) -> None:
        match item:
            case Entry():
                self._entries.append(item)
                if len(self._entries) >= AT_ONCE:
                    await self.rest()
            case Patch(audience, n, patch):
                if audience != self._audience or len(self._patches) >= AT_ONCE:
                    await self.rest()
                self._audience = audience
                self.audiences.add(audience)
                self._patches.append((n, patch))

    async def rest(self) -> None:
        if self._entries:
            await self._store.moving.bring_log(self._id, self._entries)
        if self._patches:
            await self._store.moving.bring_patches(self._id, self._audience, self._patches)
        self._entries, self._patches = [], []


@dataclass(frozen=True, slots=True)
class Imported:
    """A table that is here now. `tokens`: of every seat, shown once."""

    id: str
    name: str
    changes: int
    tokens: tuple[tuple[Seat, str], ...]
    differs: bool
    parts: tuple[Part, ...]


async def bring(rooms: Rooms, reader: Reader, name: str | None = None, progress: Progress = silent) -> Imported:
    """Makes the table of a file a table here; all of it or nothing. Raises FileProblem, SeatingProblem, StoreError."""
    header, store = reader.header, rooms.store
    if header["part"]:
        raise FileProblem(
            "it holds old scenes of a table, to be read there; the table itself is in another file, or still in its store"
        )
    name = name or header["name"]
    await _check_name(store, name)
    id = auth.new_id()
    bringing = Bringing(store, id)
    try:
        content = await read(reader, bringing, progress)
        tokens = await _settle(store, id, name, content, bringing)
    except BaseException:
        await store.moving.give_up(id, sorted(bringing.audiences))
        raise
    if header["table"] in await store.moving.away():
        await store.moving.came_back(header["table"])
    changes = header["version"] - header["after"]
    return Imported(id, name, changes, tokens, content.differs, _parts(header))


async def _check_name(store: RedisStore, name: str) -> None:
    if not is_name(name):
        raise SeatingProblem(f"a name has 1 to {NAME} letters that can be printed")
    if any(name.casefold() == one.casefold() for _, one in await store.tables()):
        raise SeatingProblem(f'there is a table named {name} here already; bring this one under another: --name "..."')


async def _settle(
    store: RedisStore, id: str, name: str, content: Content, bringing: Bringing
) -> tuple[tuple[Seat, str], ...]:
    """The last step, at which the table is there: the change that brings it is part of it."""
    header, table = content.header, content.table
    places = {one.audience: Place(auth.new_id(), one.n, one.rewound) for one in content.places.values()}
    here = Position(id, table, header["version"], content.head, places)
    now = await store.now()
    dice = secrets.token_bytes(32)
    events = brought(table, name, here.version + 1, KeyedDice(dice))
    arriving = asked.own(Command(), f"import/{id}", now)
    step = steps.make(
        here, arriving, asked.Meant(Command(), By(ST, "st")), Decided(fold(table, events, now), events, ())
    )
    assert isinstance(step.kept, Commit)
    commit = step.kept
    entry = Entry(here.version + 1, f"{here.version + 1}:{commit.command}", commit.entry)
    await bringing.take(entry)
    await bringing.rest()
    for audience, patch in commit.patches.items():
        bringing.audiences.add(audience)
        await store.moving.bring_patches(id, audience, [(step.n[audience], patch)])
    tokens = {seat.id: auth.new_token(id, seat.id) for seat in table.seats.values()}
    begun = Begun(header["after"], content.first, header.get("public", {}), _parts(header))
    await store.moving.settle(
        id,
        Brought(
            version=entry.version,
            head=entry.head,
            name=name,
            created=table.created,
            cells={cell: cells.encode(entity) for cell, entity in cells_of(step.after.table).items()},
            audiences={one: replace(place, n=step.n.get(one, place.n)) for one, place in places.items()},
            keys={"dice": dice, "ids": secrets.token_bytes(32)},
            seats={seat.id: auth.record(tokens[seat.id], seat.role, seat.name) for seat in table.seats.values()},
            begins=begun.version,
            base=begun.packed() if begun.version else b"",
        ),
    )
    return tuple((seat, tokens[seat.id]) for seat in table.seats.values())


def _parts(header: table_file.Header) -> tuple[Part, ...]:
    return tuple(Part(*part) for part in header.get("archives", ()))
