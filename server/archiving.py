"""Archives: ended tables, and old scenes of those that go on, in files of their own and no longer in the store.

Nothing leaves the store before its file has been read again and found whole.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.cells import cells as cells_of
from core.events import SceneChanged
from core.ids import ALL, ST
from server import cells, table_file
from server.export import Unfolding
from server.keeping import AT_ONCE, Begun, ExportProblem, Part, Progress, silent, stored, where_it_begins
from server.moving import Content, Exported, Take, export, heading, load, read
from server.store.redis import RedisStore
from server.store.values import Entry
from server.table_file import Cell, Reader, Writer


@dataclass(frozen=True, slots=True)
class Away:
    """A table that is in a file and no longer in the store."""

    id: str
    name: str
    file: str
    at: int  # ms


async def check_file(path: str, progress: Progress = silent) -> Content:
    """Reads a file as an import would, and changes nothing. Raises FileProblem, ExportProblem."""
    with table_file.reading(path) as file:
        return await read(Reader(file), Take(), progress)


async def archive(store: RedisStore, id: str, path: Path, progress: Progress = silent) -> Exported:
    """A table into a file, and once that was read again and found whole, out of the store."""
    with table_file.writing(str(path)) as file:
        written = await export(store, id, file, progress)
    await check_file(str(path), progress)
    away = cells.packed({"name": written.name, "file": str(path), "at": await store.now()})
    if not await store.moving.remove(id, written.head, written.audiences, away):
        _discard(path)
        raise ExportProblem("somebody has played on at this table meanwhile: it stays; archive it when all have left")
    await store.moving.tidy_up()
    return written


async def away(store: RedisStore) -> list[Away]:
    """The tables that were archived from this store and have not come back, by name."""
    found = []
    for id, kept in (await store.moving.away()).items():
        told = cells.unpacked(kept)
        found.append(Away(id, told["name"], told["file"], told["at"]))
    return sorted(found, key=lambda one: (one.name, one.id))


@dataclass(frozen=True, slots=True)
class Shortened:
    """`changes` are in the file now; `kept` are still in the store."""

    changes: int
    kept: int


async def scenes_before(store: RedisStore, id: str, keep: int) -> int | None:
    """The version at which the last `keep` scenes begin; None: there is nothing before them in the log."""
    loaded = await load(store, id)
    up_to, left = loaded.version, keep
    begun = (await where_it_begins(store, id)).version
    while up_to > begun:
        after = max(begun, up_to - AT_ONCE)
        for entry in reversed(await store.entries(id, after, up_to)):
            if _changes_scene(entry):
                left -= 1
                if left == 0:
                    return entry.version if entry.version > begun else None
        up_to = after
    return None


def _changes_scene(entry: Entry) -> bool:
    """Without reading more of the entry than must be."""
    events: Sequence[Any] = cells.unpacked(entry.entry)["events"]
    return any(kind == SceneChanged.__name__ and values.get("counts", True) for kind, values in events)


async def archive_scenes(
    store: RedisStore, id: str, version: int, path: Path, progress: Progress = silent
) -> Shortened:
    """The changes up to `version` into a file, and once that was found whole, out of the store."""
    loaded, begun = await load(store, id), await where_it_begins(store, id)
    public = dict(begun.public)
    unfolding = Unfolding(begun.table, begun.version)
    with table_file.writing(str(path)) as file:
        writer = Writer(file, heading(id, cells.table_of(loaded.cells), begun, version, part=True))
        for name, value in begun.cells.items():
            writer.add(Cell(name, value, first=True))
        async for entry in stored(store, id, begun.version, version):
            _, record = unfolding.follow(entry)
            for audience in record.n:
                public.setdefault(audience, record.n.get(ALL, 0) if audience not in (ST, ALL) else 0)
            writer.add(entry)
            if entry.version % AT_ONCE == 0 or entry.version == version:
                progress(entry.version - begun.version, version - begun.version)
        then = {name: cells.encode(entity) for name, entity in cells_of(unfolding.table).items()}
        for name, value in then.items():
            writer.add(Cell(name, value))
        writer.close()
    await check_file(str(path), progress)
    part = Part(str(path), id, begun.version, version)
    begins = Begun(version, then, public, (*begun.parts, part))
    if not await store.moving.shorten(id, begun.version, version, begins.packed()):
        _discard(path)
        raise ExportProblem("old scenes of this table are being archived by somebody else; look again")
    await store.moving.tidy_up()
    return Shortened(version - begun.version, loaded.version - version)


def _discard(path: Path) -> None:
    """Of a file that says what the store still has."""
    path.unlink()


def file_name(folder: Path, name: str, id: str, what: str, now: int) -> Path:
    """Where an archive goes by itself: a new file, named so that people find it."""
    plain = "".join(letter if letter.isalnum() else "-" for letter in name).strip("-") or "table"
    day = datetime.datetime.fromtimestamp(now / 1000).strftime("%Y-%m-%d")
    found = folder / f"{plain}-{day}-{what}-{id}.jsonl.gz"
    number = 1
    while found.exists():
        number += 1
        found = folder / f"{plain}-{day}-{what}-{id}-{number}.jsonl.gz"
    return found
