"""Whole tables into files and back: nothing is lost, no secret of a server leaves it, and it is all or nothing."""

import asyncio
import gzip
import hashlib
import io
import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from core.dice.source import KeyedDice
from core.ids import ST
from protocol.from_client import AskAudit, AskLog
from server import archiving, asks, auth, cells, cli, moving, seating, table_file
from server.asks import _public_before
from server.cli.verify import examine
from server.keeping import ExportProblem, past_of, where_it_begins
from server.presence import Presence
from server.proofs import Findings
from server.rooms import Rooms
from server.store.redis import RedisStore
from server.table_file import FileProblem, Reader, plain, raw
from tests.server.evening import Evening, Sitting
from tests.server.test_export import done, fight_and_talk, made, rolls

NOWHERE = Path("/nowhere")


@pytest.fixture
async def elsewhere(valkey_server: str) -> AsyncIterator[Rooms]:
    """A node on another store: the second database of the same server, empty."""
    url = f"{valkey_server}?db=1"
    async with AsyncExitStack() as stack:
        async with Redis.from_url(url) as redis:
            await redis.flushdb()
        store = await RedisStore.connect(url)
        stack.push_async_callback(store.close)
        yield await stack.enter_async_context(Rooms(store, Presence(store, 1.0), 1.0))


async def exported(evening: Evening) -> bytes:
    file = io.BytesIO()
    await moving.export(evening.rooms[0].store, evening.table, file)
    return file.getvalue()


async def brought(rooms: Rooms, content: bytes, name: str | None = None) -> moving.Imported:
    return await moving.bring(rooms, Reader(io.BytesIO(content)), name)


def verified(content: bytes) -> Findings:
    return examine(io.BytesIO(content))[1]


def lines_of(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def closed(lines: list[dict[str, Any]]) -> bytes:
    """A file of these lines but the last, with a last line that fits."""
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines[:-1]).encode()
    end = {"end": len(lines) - 1, "sha256": hashlib.sha256(text).hexdigest()}
    return text + json.dumps(end).encode() + b"\n"


# ---------------------------------------------------------------------------------------------------- there and back
async def test_a_table_on_another_server_is_the_table_it_was(evening: Evening, elsewhere: Rooms):
    await fight_and_talk(evening)
    before = evening.rooms[0]
    there = await brought(elsewhere, await exported(evening))

    async with elsewhere.using(there.id) as room:
        assert room.version == before.version + 1
        assert room.table.play == before.table.play
        assert (room.table.seats, room.table.owners) == (before.table.seats, before.table.owners)
        assert {name: one.epoch for name, one in room.audiences.items()}.keys() == before.audiences.keys()
        assert not {one.epoch for one in room.audiences.values()} & {one.epoch for one in before.audiences.values()}
        assert len({one.epoch for one in room.audiences.values()}) == len(room.audiences)
        for name in before.audiences:
            old = await before.store.diffs(before.id, name, 0)
            new = await room.store.diffs(room.id, name, 0)
            assert new[:-1] == old, "byte for byte, and the change that brought it"
            assert room.audiences[name].n == before.audiences[name].n + 1
    assert not there.differs
    assert there.name == "Thursday"


async def test_it_is_played_on_there_and_goes_back_over_the_move(evening: Evening, elsewhere: Rooms):
    mira = await made(evening, "Mira", "Ann", initiative=12)
    start = evening.place("ST")[1]
    await done(evening, "ST", "start_fight")
    there = await brought(elsewhere, await exported(evening))
    async with elsewhere.using(there.id) as room:
        there_is = Evening(there.id, (elsewhere,), [room], {}, {})
        for seat, token in there.tokens:
            key = await auth.check(elsewhere.store, token)
            assert key is not None
            there_is.seats["ST" if seat.role == "st" else seat.name] = Sitting(key)
        assert set(there_is.seats) == {"ST", "Ann", "Bob"}
        await done(there_is, "Ann", "roll", unit=mira, pool={"fixed": 3})
        await done(there_is, "ST", "rewind", to=start, head=there_is.place("ST")[1])
        assert room.table.play.fight is None


async def test_old_tokens_open_nothing_and_new_ones_open_the_same_seats(evening: Evening, elsewhere: Rooms):
    there = await brought(elsewhere, await exported(evening))
    for token in evening.tokens.values():
        assert await auth.check(elsewhere.store, token) is None
        table, seat, secret = token.split(".")
        assert await auth.check(elsewhere.store, f"{there.id}.{seat}.{secret}") is None
    keys = [await auth.check(elsewhere.store, token) for _, token in there.tokens]
    assert {(key.seat, key.role, key.name) for key in keys if key} == {
        (one.key.seat, one.key.role, one.key.name) for one in evening.seats.values()
    }


async def test_no_token_no_hash_and_no_unopened_seed_is_in_an_export(evening: Evening):
    await fight_and_talk(evening)
    store = evening.rooms[0].store
    content = await exported(evening)
    keys = await store.keys(evening.table)
    now = evening.rooms[0].table.seeds.number
    opened = KeyedDice(keys["dice"]).seeds(now - 1)
    assert opened.secret.encode() in content, "what was opened is in it"
    sealed = [bytes.fromhex(seed) for number in (now, now + 1) for seed in KeyedDice(keys["dice"]).seeds(number)]
    hashes = [cells.unpacked(kept)["hash"].encode() for kept in (await store.seats(evening.table)).values()]
    secrets = [token.split(".")[2].encode() for token in evening.tokens.values()]
    for secret in (*keys.values(), *sealed):
        assert secret not in content
        assert secret.hex().encode() not in content
    for secret in (*hashes, *secrets):
        assert secret not in content


# ------------------------------------------------------------------------------------------------------------- the dice
@pytest.mark.rule("DICE-07")
async def test_the_past_of_an_imported_table_is_still_verified(evening: Evening, elsewhere: Rooms):
    mira = await fight_and_talk(evening)
    content = await exported(evening)
    at_home = verified(content)
    assert (at_home.wrong, at_home.confirmed, at_home.waiting.total()) == ([], 22, 5)

    there = await brought(elsewhere, content)
    async with elsewhere.using(there.id) as room:
        sealed = room.table.seeds
        before = evening.rooms[0].table.seeds
        key = (await room.store.keys(room.id))["dice"]
        assert key != (await evening.rooms[0].store.keys(evening.table))["dice"]
        assert sealed.number == before.number + 1
        assert (sealed.open, sealed.secret) == KeyedDice(key).commitments(sealed.number)
        st = next(token for seat, token in there.tokens if seat.role == "st")
        seat = await auth.check(elsewhere.store, st)
        assert seat is not None
        there_is = Evening(there.id, (elsewhere,), [room], {"ST": Sitting(seat)}, {})
        await done(there_is, "ST", "roll", unit=mira, pool={"fixed": 6})
        await done(there_is, "ST", "start_fight")
        after = verified(await exported(there_is))
    assert (after.wrong, after.confirmed, after.left.total(), after.waiting.total()) == ([], 23, 5, 0)


@pytest.mark.rule("DICE-07")
async def test_a_face_altered_in_a_whole_table_is_found(evening: Evening):
    await fight_and_talk(evening)
    lines = lines_of(await exported(evening))
    roll = next(
        event for line in lines if "change" in line for event in line["entry"]["events"] if event[0] == "Rolled"
    )
    roll[1]["faces"][0] = roll[1]["faces"][0] % 10 + 1
    found = verified(closed(lines))
    assert len(found.wrong) == 1
    assert "its faces are" in found.wrong[0]


# ------------------------------------------------------------------------------------------------------------- refusals
async def test_a_file_that_was_cut_anywhere_is_refused_and_leaves_nothing(
    evening: Evening, elsewhere: Rooms, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(moving, "AT_ONCE", 2)  # so that much of it is in the store before the cut is seen
    await fight_and_talk(evening)
    content = await exported(evening)
    ends = [k for k, letter in enumerate(content) if letter == 10]
    for cut in (ends[0] + 1, ends[3] + 1, ends[10] + 7, ends[-2] + 1, ends[-1]):
        number = content[:cut].count(b"\n") + 1
        with pytest.raises(FileProblem, match=f"line {number}: the file ends here"):
            await brought(elsewhere, content[:cut])
        async with Redis.from_url(elsewhere.store._servers.address.url) as redis:
            assert await redis.dbsize() == 0
    packed = gzip.compress(content)
    with (
        pytest.raises(FileProblem, match="the file ends here"),
        gzip.open(io.BytesIO(packed[: len(packed) // 2])) as file,
    ):
        await moving.bring(elsewhere, Reader(file), None)  # type: ignore[arg-type]


async def test_a_file_that_was_edited_is_refused(evening: Evening, elsewhere: Rooms):
    await evening.say("ST", "narrate", text="the door is open")
    content = await exported(evening)
    tries = [
        (content.replace(b"door is open", b"door is shut"), "its checksum does not fit"),
        (content + b"{}\n", "something follows the last line"),
        (content.replace(b'"format":1', b'"format":2', 1), "in format 2, and this version of Overseer reads format 1"),
        (content.replace(b'"overseer":"table"', b'"overseer":"log"', 1), "the log of one audience"),
        (b"hello\n", "it is no table that"),
        (b"", "it is no table that"),
        (content.replace(b'{"change":3', b'["change":3', 1), "line 4 is no line of an exported table"),
        (content.replace(b'{"change":3', b'{"change":-3', 1), "line 4 is no line of an exported table"),
    ]
    for changed, sentence in tries:
        assert changed != content
        with pytest.raises(FileProblem, match=sentence):
            await brought(elsewhere, changed)
    lines = lines_of(content)
    without = [line for line in lines if line.get("change") != 3]
    with pytest.raises(FileProblem, match="line 4: change 3 is missing"):
        await brought(elsewhere, closed(without))
    short = [line for line in lines if line.get("change", 0) < 4]
    with pytest.raises(FileProblem, match="its log does not end with change 5|its log does not end"):
        await brought(elsewhere, closed(short))
    assert await elsewhere.store.tables() == []


async def test_where_the_log_leads_elsewhere_the_table_comes_as_it_stood_and_that_is_said(
    evening: Evening, elsewhere: Rooms
):
    """Rules that were mended between two versions of Overseer must not make a backup worthless."""
    mira = await made(evening, "Mira", "Ann")
    lines = lines_of(await exported(evening))
    unit = next(line for line in lines if line.get("cell") == f"u:{mira}")
    unit["value"]["name"] = "Myra"
    there = await brought(elsewhere, closed(lines))
    assert there.differs
    async with elsewhere.using(there.id) as room:
        assert [one.name for one in room.table.play.units.values()] == ["Myra"]


async def test_a_name_in_use_is_refused_and_another_one_taken(evening: Evening):
    content = await exported(evening)
    rooms = evening.nodes[0]
    with pytest.raises(seating.SeatingProblem, match="a table named Thursday here already.*--name"):
        await brought(rooms, content)
    there = await brought(rooms, content, "Friday")
    assert there.id != evening.table
    assert sorted(name for _, name in await rooms.store.tables()) == ["Friday", "Thursday"]
    async with rooms.using(there.id) as room:
        assert room.table.name == "Friday"
    with pytest.raises(seating.SeatingProblem, match="1 to 80 letters"):
        await brought(rooms, content, "x" * 81)


async def test_an_import_that_dies_midway_is_no_table_and_runs_out(
    evening: Evening, elsewhere: Rooms, monkeypatch: pytest.MonkeyPatch
):
    content = await exported(evening)

    async def dies(*_: object) -> None:
        raise ConnectionAbortedError

    monkeypatch.setattr(elsewhere.store.moving, "settle", dies)
    monkeypatch.setattr(elsewhere.store.moving, "give_up", dies)  # the process is gone: nobody tidies up
    with pytest.raises(ConnectionAbortedError):
        await brought(elsewhere, content)
    assert await elsewhere.store.tables() == []
    async with Redis.from_url(elsewhere.store._servers.address.url) as redis:
        left = await redis.keys("*")
        assert left
        assert all(0 < seconds <= 3600 for seconds in [await redis.ttl(key) for key in left])
        monkeypatch.undo()
        there = await brought(elsewhere, content)
        assert await elsewhere.store.load(there.id)
        kept = await redis.keys(f"ov:{{{there.id}}}:*")
        assert {await redis.ttl(key) for key in kept} == {-1}, "and what is whole does not run out"


async def test_parts_that_ran_out_make_no_table(evening: Evening, elsewhere: Rooms, monkeypatch: pytest.MonkeyPatch):
    content = await exported(evening)
    real = elsewhere.store.moving.settle

    async def late(table: str, brought: Any) -> None:
        async with Redis.from_url(elsewhere.store._servers.address.url) as redis:
            await redis.delete(f"ov:{{{table}}}:log")
        await real(table, brought)

    monkeypatch.setattr(elsewhere.store.moving, "settle", late)
    with pytest.raises(Exception, match="import the file again"):
        await brought(elsewhere, content)
    assert await elsewhere.store.tables() == []


def test_bytes_come_back_as_they_were():
    values: list[Any] = [
        {"a": [1, None, True, "盐"], "former": {"u:1": cells.packed({"name": "x"}), "u:2": None, "z": b"\xc1\x00"}},
        {1: "a number for a key"},
        {"msgpack": "a word of ours"},
        {"base64": {}},
        [2**63, -(2**31)],
    ]
    for data in [*map(cells.packed, values), b"", b"\xc1", b"\x91"]:
        assert raw(json.loads(table_file._text(plain(data)), object_hook=table_file._made)) == data


# ------------------------------------------------------------------------------------------------------------- archives
async def test_an_ended_table_is_in_its_file_and_out_of_the_store_and_comes_back(evening: Evening, tmp_path: Path):
    await fight_and_talk(evening)
    store, before = evening.rooms[0].store, evening.rooms[0].table
    path = tmp_path / "thursday.jsonl.gz"
    await archiving.archive(store, evening.table, path)
    assert await store.tables() == []
    async with Redis.from_url(store._servers.address.url) as redis:
        left = [key for key in await redis.keys(f"ov:{{{evening.table}}}:*") if b":cmd:" not in key]
        assert left == []
    assert path.stat().st_mode & 0o777 == 0o600
    [away] = await archiving.away(store)
    assert (away.id, away.name, away.file) == (evening.table, "Thursday", str(path))

    with table_file.reading(str(path)) as file:
        there = await moving.bring(evening.nodes[0], Reader(file))
    assert await archiving.away(store) == []
    async with evening.nodes[0].using(there.id) as room:
        assert room.table.play == before.play


async def test_who_still_sits_at_an_archived_table_is_told(evening: Evening, tmp_path: Path):
    await archiving.archive(evening.rooms[0].store, evening.table, tmp_path / "x.gz")
    for ear in evening.seats["Ann"].ears:
        async with asyncio.timeout(60):
            while ear.closed is None:
                ear.something.clear()
                await ear.something.wait()
        assert ear.closed == 4004


async def test_a_table_that_moves_on_meanwhile_stays(evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real = archiving.check_file

    async def slowly(*arguments: Any) -> Any:
        await evening.say("ST", "narrate", text="one more thing")
        return await real(*arguments)

    monkeypatch.setattr(archiving, "check_file", slowly)
    with pytest.raises(ExportProblem, match="played on"):
        await archiving.archive(evening.rooms[0].store, evening.table, tmp_path / "x.gz")
    assert os.listdir(tmp_path) == []
    assert len(await evening.rooms[0].store.tables()) == 1
    assert await archiving.away(evening.rooms[0].store) == []
    reply = await evening.say("ST", "narrate", text="and on it goes")
    assert reply["t"] == "ack"


async def shortened(evening: Evening, folder: Path, keep: int) -> int:
    store = evening.rooms[0].store
    version = await archiving.scenes_before(store, evening.table, keep)
    assert version is not None
    await archiving.archive_scenes(store, evening.table, version, folder / f"to-{version}.jsonl.gz")
    return version


async def test_old_scenes_go_into_a_file_and_the_table_goes_on(evening: Evening, tmp_path: Path):
    mira = await fight_and_talk(evening)
    await evening.meet()
    room, store = evening.rooms[0], evening.rooms[0].store
    whole = [entry async for entry in (await past_of(store, evening.table, tmp_path)).entries()]
    before = verified(await exported(evening))
    version = await shortened(evening, tmp_path, 1)
    kept = await store.entries(evening.table, 0)
    assert (kept[0].version, kept[-1].version) == (version, room.version)

    past = await past_of(store, evening.table, tmp_path)
    assert past.missing == ()
    assert [entry async for entry in past.entries()] == whole, "it is all still there to be read"
    part = verified(gzip.decompress((tmp_path / f"to-{version}.jsonl.gz").read_bytes()))
    rest = verified(await exported(evening))
    assert part.wrong == rest.wrong == []
    assert part.confirmed + rest.confirmed == before.confirmed
    assert rest.waiting.total() == before.waiting.total()

    await rolls(evening, mira, node=1)
    assert evening.rooms[1].table == evening.rooms[0].table


async def test_scenes_are_archived_again_and_again_and_the_table_is_moved_with_them(
    evening: Evening, elsewhere: Rooms, tmp_path: Path
):
    await fight_and_talk(evening)
    await shortened(evening, tmp_path, 2)
    await shortened(evening, tmp_path, 1)
    store = evening.rooms[0].store
    assert await archiving.scenes_before(store, evening.table, 1) is None
    begun = await where_it_begins(store, evening.table)
    assert [part.after for part in begun.parts] == [0, begun.parts[0].version]
    whole = [entry async for entry in (await past_of(store, evening.table, tmp_path)).entries()]
    assert [entry.version for entry in whole] == list(range(1, evening.rooms[0].version + 1))

    there = await brought(elsewhere, await exported(evening))
    past = await past_of(elsewhere.store, there.id, NOWHERE)
    assert [entry async for entry in past.entries()][:-1] == whole
    (tmp_path / Path(begun.parts[1].file).name).rename(tmp_path / "gone")
    without = await past_of(elsewhere.store, there.id, NOWHERE)
    assert without.missing == begun.parts
    assert [entry.version async for entry in without.entries()][0] == begun.version + 1


async def test_a_rewind_reaches_back_to_what_is_kept_and_no_further(evening: Evening, tmp_path: Path):
    await made(evening, "Mira", "Ann", initiative=12)
    early = evening.place("ST")[1]
    await done(evening, "ST", "start_fight")
    begins = evening.place("ST")[1]
    await done(evening, "ST", "narrate", text="…")
    await done(evening, "ST", "add_unit", unit={"name": "Ghoul", "on_stage": True})
    await shortened(evening, tmp_path, 1)
    refused = await evening.say("ST", "rewind", to=early, head=evening.place("ST")[1])
    assert (refused["t"], refused["code"]) == ("refused", "history_short")
    await done(evening, "ST", "rewind", to=begins, head=evening.place("ST")[1])
    assert evening.rooms[0].table.play.fight is not None


async def test_a_node_that_slept_while_scenes_were_archived_follows_without_an_alarm(
    evening: Evening, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    await made(evening, "Mira", "Ann", initiative=12)
    await evening.meet()
    slow = evening.rooms[1]
    epochs = {name: one.epoch for name, one in slow.audiences.items()}
    async with slow.lock:
        await done(evening, "ST", "start_fight")
        await done(evening, "ST", "narrate", text="…")
        await shortened(evening, tmp_path, 1)
    await evening.meet()
    assert slow.table == evening.rooms[0].table
    assert {name: one.epoch for name, one in slow.audiences.items()} == epochs
    assert "has lost" not in caplog.text


async def test_what_a_part_holds_is_not_imported_as_a_table(evening: Evening, elsewhere: Rooms, tmp_path: Path):
    await fight_and_talk(evening)
    version = await shortened(evening, tmp_path, 1)
    with (
        table_file.reading(str(tmp_path / f"to-{version}.jsonl.gz")) as file,
        pytest.raises(FileProblem, match="old scenes"),
    ):
        await moving.bring(elsewhere, Reader(file))


async def test_a_seat_of_archived_scenes_still_finds_where_its_own_log_begins(evening: Evening, tmp_path: Path):
    await evening.say("ST", "narrate", text="before Cleo")
    await seating.add_seat(evening.nodes[0], evening.table, "Cleo", "player")
    await evening.meet()
    cleo = seating.find_audience(evening.rooms[0].table, "cleo")
    public = await _public_before(evening.rooms[0], cleo)
    assert public > 0
    await made(evening, "Mira", "Ann", initiative=12)
    await done(evening, "ST", "start_fight")
    await done(evening, "ST", "narrate", text="…")
    await shortened(evening, tmp_path, 1)
    assert await _public_before(evening.rooms[0], cleo) == public
    assert await _public_before(evening.rooms[0], ST) == 0


async def test_the_log_says_from_where_on_it_can_be_asked_for(evening: Evening, monkeypatch: pytest.MonkeyPatch):
    async def page(before: int | None) -> dict[str, Any]:
        room, key = evening.rooms[0], evening.seats["Ann"].key
        return await asks.answer(room, key, AskLog(id=1, before=before, limit=3))

    assert "kept_from" not in await page(None)
    monkeypatch.setattr("server.store.redis.STREAM_LENGTH", 5)
    for text in "abcdefgh":
        await done(evening, "ST", "narrate", text=text)
    n = evening.place("Ann")[1]
    newest, oldest, beyond = await page(None), await page(n - 2), await page(n - 4)
    assert newest["kept_from"] == oldest["kept_from"] == beyond["kept_from"] == n - 4
    assert [entry[0] for entry in oldest["entries"]] == [n - 4, n - 3]
    assert beyond["entries"] == []


async def test_the_audit_log_says_from_where_on_it_is_kept(evening: Evening, tmp_path: Path):
    async def page(limit: int = 50) -> dict[str, Any]:
        return await asks.answer(evening.rooms[0], evening.seats["ST"].key, AskAudit(id=1, limit=limit))

    await fight_and_talk(evening)
    assert "kept_from" not in await page()
    version = await shortened(evening, tmp_path, 1)
    await done(evening, "ST", "set_house", key="lag_ms", value=300)
    audited = await page()
    assert audited["kept_from"] == version
    assert audited["before"] <= version, "there is no more"
    assert [n for n, _ in audited["entries"]] == [evening.rooms[0].version]
    assert (await page(1))["before"] > version


# ------------------------------------------------------------------------------------------------------ the command line
@pytest.fixture
def overseer(valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("OVERSEER_REDIS_URL", valkey)
    monkeypatch.setenv("OVERSEER_DATA_DIR", str(tmp_path / "data"))

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(arguments)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_export_and_import_by_command(overseer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    overseer("table", "new", "Thursday")
    overseer("invite", "Thursday", "--seat", "Ann", "--role", "player")
    file = str(tmp_path / "t.jsonl.gz")
    code, printed, _ = overseer("table", "export", "thursday", file)
    assert code == 0
    assert f"table import {file}" in printed
    assert Path(file).stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["t.jsonl.gz"]
    assert overseer("verify", file)[0] == 0

    code, _, complaint = overseer("table", "import", file)
    assert (code, complaint.count("\n")) == (2, 1)
    assert "--name" in complaint
    code, printed, _ = overseer("table", "import", file, "--name", "Friday")
    assert code == 0
    assert "Ann (player): http" in printed
    assert "Storyteller (st): http" in printed
    assert "Friday" in overseer("table", "list")[1]

    code, content, _ = overseer("table", "export", "Friday", "--output", "-")
    assert (code, json.loads(content.splitlines()[0])["name"]) == (0, "Friday")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content.encode()))))
    assert overseer("table", "import", "-", "--name", "Saturday")[0] == 0
    code, _, complaint = overseer("table", "import", str(tmp_path))
    assert (code, complaint.count("\n")) == (2, 1)
    code, _, complaint = overseer("table", "export", "Friday", str(tmp_path / "no" / "where"))
    assert (code, complaint.count("\n")) == (2, 1)


def test_archives_by_command(overseer, tmp_path: Path):
    overseer("table", "new", "Thursday night")
    code, printed, _ = overseer("table", "archive", "Thursday night", "--keep-scenes", "1")
    assert (code, "nothing was archived" in printed) == (0, True)
    code, printed, _ = overseer("table", "archive", "Thursday night")
    assert code == 0
    [file] = (tmp_path / "data" / "archive").iterdir()
    assert file.name.startswith("Thursday-night-")
    listed = overseer("table", "list")[1]
    assert f"Thursday night  (archived in {file}; to bring it back: table import)" in listed
    code, printed, _ = overseer("table", "import", str(file))
    assert code == 0
    listed = overseer("table", "list")[1]
    assert "archived" not in listed
    assert "Thursday night" in listed
    code, _, complaint = overseer("table", "archive", "Thursday night", str(file))
    assert code == 2
    assert "a new file of its own" in complaint


# -------------------------------------------------------------------------------------------------- a log with a hole
async def evening_with_a_hole(evening: Evening) -> tuple[RedisStore, int]:
    """The last change before the last scene is gone from the store. Where that scene begins."""
    store = evening.rooms[0].store
    await fight_and_talk(evening)
    version = await archiving.scenes_before(store, evening.table, 1)
    assert version
    async with Redis.from_url(store._servers.address.url) as redis:
        assert await redis.xdel(f"ov:{{{evening.table}}}:log", f"{version - 1}-0") == 1
    return store, version


async def test_a_log_with_a_hole_is_not_exported_as_if_it_were_whole(evening: Evening):
    _, version = await evening_with_a_hole(evening)
    with pytest.raises(ExportProblem, match=f"change {version - 1} is missing from the log"):
        await exported(evening)


async def test_old_scenes_with_a_hole_stay_where_they_are(evening: Evening, tmp_path: Path):
    store, version = await evening_with_a_hole(evening)
    with pytest.raises(ExportProblem, match=f"change {version - 1} is missing from the log"):
        await archiving.archive_scenes(store, evening.table, version, tmp_path / "old.gz")
    assert os.listdir(tmp_path) == []
    assert await archiving.scenes_before(store, evening.table, 1) == version
