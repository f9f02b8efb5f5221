"""`overseer table export|import|archive|transcript|restored`: a table into a file, back, out of the way, as a story to read,
and after the store was put back from a copy.

Beside a running server too, and without one.
"""

import argparse
import datetime
import json
import sys
import time
from pathlib import Path

from core.commands import NoteKeeping
from core.ids import ALL, ST
from core.letters import in_json, in_one_line
from core.state import Keeping
from protocol import texts
from protocol.lines import unpack
from server import archiving, audit, auth, export, losses, moving, seating, table_file, transcript
from server.asked import own
from server.cli.called import on_the_same_store, with_words
from server.cli.words import word
from server.config import Settings
from server.keeping import ExportProblem, Part, Progress, past_of, silent
from server.node import address, open_node
from server.rooms import Rooms
from server.table_file import FileProblem, Reader

FILE = 'the file; "-" is a pipe, and a name that ends in .gz is compressed'


def add_to(below: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    taken = word(
        below,
        "export",
        export_table,
        "write a whole table to a file, for keeping or for another server (table import). It holds every secret of the "
        "table, but no invitation and no seed of its dice that is not opened yet. With --for: the log of one audience",
    )
    taken.add_argument("table", help="the table's name or id")
    taken.add_argument("file", nargs="?", metavar="FILE", help=FILE + "; without one it is printed")
    taken.add_argument("--output", "--out", dest="output", metavar="FILE", help="the same")
    taken.add_argument(
        "--for",
        dest="audience",
        metavar="WHO",
        help="only the log, as it was told to: all (what everybody was told), st (with every secret), or a player's seat",
    )

    changed = word(
        below,
        "audit",
        audit_table,
        "who has changed what about the table's seats, invitations, roles and house rules, and has exported or archived it",
    )
    changed.add_argument("table", help="the table's name or id")
    changed.add_argument("--lang", choices=("en", "zh"), default="en", help="the language it is told in")

    given = word(
        below,
        "import",
        import_table,
        "make a table of a file that `table export` or `table archive` has written, all of it or nothing. Every seat gets "
        "a new invitation, printed once; the dice get new seeds",
    )
    given.add_argument("file", metavar="FILE", help=FILE)
    given.add_argument("--name", metavar="NAME", help="what it is called here, if not as it was")

    away = word(
        below,
        "archive",
        archive_table,
        "take an ended table out of the store into a file (table import brings it back), or, with --keep-scenes, only "
        "its old scenes: they can be read (table transcript) and no longer be brought back by a rewind",
    )
    away.add_argument("table", help="the table's name or id")
    away.add_argument(
        "file", nargs="?", metavar="FILE", help="where to; else a new file in archive/ of the data directory"
    )
    away.add_argument(
        "--keep-scenes",
        type=_at_least_one,
        metavar="NUMBER",
        help="leave the table, and of its log the last so many scenes, the present one among them",
    )

    back = word(
        below,
        "restored",
        renew_tables,
        "say that an older copy of the store's files was put back: every seat gets a new start and the Storyteller an "
        "alarm, and the dice get new seeds, so that nothing that was rolled since the copy falls again. Invitations stay",
    )
    back.add_argument("table", nargs="?", help="the table's name or id")
    back.add_argument("--all", action="store_true", help="every table of the store: what is needed after a restore")

    story = word(
        below,
        "transcript",
        tell_story,
        "print a table's evenings as a story in Markdown, as one seat may read it: scenes, turns, who did what, with the "
        "rolls in short. Old scenes that were archived are read too. An evening ends where nothing happens for six hours",
    )
    story.add_argument("table", help="the table's name or id")
    story.add_argument("file", nargs="?", metavar="FILE", help="where to write it; without one it is printed")
    story.add_argument("--output", "--out", dest="output", metavar="FILE", help="the same")
    story.add_argument(
        "--as",
        dest="audience",
        default=ALL,
        metavar="SEAT",
        help="who is to read it: all (what everybody was told, the default), st (every secret), or a player's seat",
    )
    story.add_argument("--lang", choices=("en", "zh"), default="en", help="the language it is told in")
    story.add_argument("--evening", type=_evening, metavar="N", help="only the Nth evening, or the last")
    story.add_argument("--from", dest="first", type=_day, metavar="DAY", help="evenings from this day on: 2026-11-30")
    story.add_argument("--to", dest="last", type=_day, metavar="DAY", help="evenings up to this day")


def _day(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("a day such as 2026-11-30") from None


def _evening(text: str) -> int:
    return 0 if text == "last" else _at_least_one(text)


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("a whole number from 1")
    return int(text)


async def export_table(settings: Settings, given: argparse.Namespace) -> int:
    file = _one_file(given)
    async with open_node(settings, beside=True) as rooms:
        id = await seating.find_table(rooms, given.table)
        if given.audience is not None:
            code = await _export_log(rooms, settings, id, given.audience, file)
            await _note(rooms, id, "log_exported", given.audience)
            return code
        with table_file.writing(file) as out:
            written = await moving.export(rooms.store, id, out, progress("written"))
        await _note(rooms, id, "exported")
    if file != "-":
        print(f"{in_one_line(written.name)} is in {file}: {_changes(written.changes)}, with every secret of the table.")
        print(f"To make a table of it, here or on another server: {with_words('table', 'import', file)}")
    return 0


async def _export_log(rooms: Rooms, settings: Settings, id: str, who: str, file: str) -> int:
    async with rooms.using(id) as room:
        table, version = room.table, room.version
    audience = seating.find_audience(table, who)
    past = await past_of(rooms.store, id, folder(settings))
    lines = 0
    with table_file.writing(file) as out:
        out.write(_line(export.header(id, table, audience)))
        async for line in export.told(past, audience, version, progress("told")):
            out.write(_line(line))
            lines += 1
    if past.missing:
        _say(f"The log begins later than the table: {_files(past.missing)} could not be found.")
    if file != "-":
        verify = with_words("verify", file)
        print(f"{lines} lines of {in_one_line(table.name)} are in {file}. Check its dice with: {verify}")
    return 0


def _line(line: export.Line) -> bytes:
    return in_json(json.dumps(line, ensure_ascii=False)).encode() + b"\n"


async def audit_table(settings: Settings, given: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        id = await seating.find_table(rooms, given.table)
        async with rooms.using(id) as room:
            reading = audit.Audit(room.table.created, {seat.id: seat.name for seat in room.table.seats.values()})
        past = await past_of(rooms.store, id, folder(settings))
        async for entry in past.entries():
            for packed in reading.lines(entry):
                line = unpack(packed)
                at = time.strftime("%Y-%m-%d %H:%M", time.gmtime(reading.created / 1000 + line.at_s))
                who = texts.seat(line.by, given.lang, reading.names)
                print(in_one_line(f"{at} UTC  {who}: {texts.say(line, given.lang, reading.names)}"))
    return 0


async def _note(rooms: Rooms, id: str, what: Keeping, text: str = "") -> None:
    """The table's own log, and so its Storytellers, know of it."""
    async with rooms.using(id) as room:
        await room.submit(own(NoteKeeping(what, text), f"operator/{auth.new_id()}", await rooms.store.now()))


async def import_table(settings: Settings, given: argparse.Namespace) -> int:
    try:
        with table_file.reading(given.file) as file:
            reader = Reader(file)
            async with open_node(settings, beside=True) as rooms:
                brought = await moving.bring(rooms, reader, given.name, progress("read"))
    except FileProblem as problem:
        raise FileProblem(f"{given.file} cannot be imported: {problem}") from problem
    print(f"Table {brought.id} is here: {in_one_line(brought.name)}, with {_changes(brought.changes)}.")
    if brought.differs:
        _say("Its log, followed by this version of Overseer, leads to a table that differs; it is here as it stood.")
    if brought.parts:
        _say(f"Its older scenes are in {_files(brought.parts)}: bring them to {folder(settings)}, to read them here.")
    print("The invitations, shown this once. Those of before open nothing here:")
    for seat, token in brought.tokens:
        print(f"  {in_one_line(seat.name)} ({seat.role}): {auth.invitation(address(settings), token)}")
    return 0


async def archive_table(settings: Settings, given: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        id = await seating.find_table(rooms, given.table)
        if given.keep_scenes is not None:
            return await _archive_scenes(rooms, settings, id, given)
        if await rooms.store.here(id, await rooms.store.now()):
            raise ExportProblem(
                "somebody sits at this table; archive it when all have left (or only its --keep-scenes)"
            )
        path = await _place(rooms, settings, id, given.file, "table")
        written = await archiving.archive(rooms.store, id, path, progress("done"))
    print(f"{in_one_line(written.name)} is in {path} ({_changes(written.changes)}) and no longer in the store.")
    print(f"To bring it back: {on_the_same_store(settings, 'table', 'import', str(path))}")
    return 0


async def _archive_scenes(rooms: Rooms, settings: Settings, id: str, given: argparse.Namespace) -> int:
    version = await archiving.scenes_before(rooms.store, id, given.keep_scenes)
    if version is None:
        print("There are no older scenes in the log of this table; nothing was archived.")
        return 0
    path = await _place(rooms, settings, id, given.file, f"to-{version}")
    done = await archiving.archive_scenes(rooms.store, id, version, path, progress("done"))
    await _note(rooms, id, "archived", str(version))
    print(f"{_changes(done.changes)} of older scenes are in {path}; {_changes(done.kept)} are kept at the table.")
    print("Nothing can be set back to before them any more; to read them: table transcript.")
    return 0


async def renew_tables(settings: Settings, given: argparse.Namespace) -> int:
    if bool(given.table) == given.all:
        raise ExportProblem("name one table, or say --all for every table of the store")
    async with open_node(settings, beside=True) as rooms:
        names = dict(await rooms.store.tables())
        for id in list(names) if given.all else [await seating.find_table(rooms, given.table)]:
            async with rooms.using(id) as room, room.lock:
                await losses.restored(room)
            print(
                f"{in_one_line(names[id])} ({id}): a new start for every seat, new dice, and an alarm for the Storyteller."
            )
    if not names:
        print("There is no table in this store.")
    return 0


async def tell_story(settings: Settings, given: argparse.Namespace) -> int:
    file = _one_file(given)
    if given.evening is not None and (given.first or given.last):
        raise ExportProblem("say which evenings by --evening or by --from and --to, not by both")
    async with open_node(settings, beside=True) as rooms:
        id = await seating.find_table(rooms, given.table)
        async with rooms.using(id) as room:
            table, version = room.table, room.version
        audience = seating.find_audience(table, given.audience)
        past = await past_of(rooms.store, id, folder(settings))
        known: dict[str, str] = {
            seat.id: seat.name
            for seat in (*past.begun.table.seats.values(), *table.seats.values())
            if seat.role == "player" or audience == ST
        }
        told = export.told(past, audience, version, progress("read"))
        wanted = transcript.Wanted(given.evening, given.first, given.last)
        story = await transcript.collect(told, table.created, wanted, known)
    if past.missing:
        _say(f"It begins later than the table: {_files(past.missing)} could not be found.")
    if given.evening and given.evening > len(story.begun):
        there_are = "is 1 evening" if len(story.begun) == 1 else f"are {len(story.begun)} evenings"
        raise ExportProblem(f"there {there_are} so far, no {given.evening}.")
    with table_file.writing(file) as out:
        for line in transcript.written(story, table.name, audience, given.lang):
            out.write(line.encode() + b"\n")
    return 0


def _one_file(given: argparse.Namespace) -> str:
    if given.file and given.output:
        raise ExportProblem("two files are named; name one")
    return str(given.file or given.output or "-")


async def _place(rooms: Rooms, settings: Settings, id: str, file: str | None, what: str) -> Path:
    """Where an archive goes. Not over another file: that may be the only place of something."""
    if file is None:
        try:
            folder(settings).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise FileProblem(f"{folder(settings)} cannot be made: {problem.strerror}") from problem
        name = dict(await rooms.store.tables())[id]
        return archiving.file_name(folder(settings), name, id, what, await rooms.store.now())
    return _new_file(file)


def _new_file(file: str) -> Path:
    path = Path(file).absolute()
    if file == "-" or path.exists():
        raise FileProblem(f"an archive goes into a new file of its own, and {file} is none")
    return path


def folder(settings: Settings) -> Path:
    """Where archives go, and where they are looked for."""
    return settings.data_dir / "archive"


def progress(what: str) -> Progress:
    """Told on a terminal, in one line."""
    if not sys.stderr.isatty():
        return silent

    def show(done: int, of: int) -> None:
        end = "\n" if done >= of else ""
        print(f"\r{done:,} of {of:,} changes {what}", end=end, file=sys.stderr, flush=True)

    return show


def _changes(n: int) -> str:
    return "1 change" if n == 1 else f"{n:,} changes"


def _files(parts: tuple[Part, ...]) -> str:
    return ", ".join(Path(part.file).name for part in parts)


def _say(sentence: str) -> None:
    """Beside what is printed, which may go into a file."""
    print(sentence, file=sys.stderr)
