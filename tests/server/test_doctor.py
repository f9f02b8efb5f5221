"""`overseer doctor` on real stores: what is wrong is named, and what it says to type mends it. Nothing else is changed."""

import asyncio
import re
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import redis as redis_py
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from protocol.client import connect
from server import auth, cli, seating
from server.app import App
from server.cli.doctor import report
from server.cli.terminal.sayings import said
from server.config import Settings
from server.store import demands, examination
from server.store.embedded import Embedded
from server.store.examination import Finding, examine, look_at
from tests.helpers.replicated import Valkey, clustered, under_sentinels, until


@asynccontextmanager
async def having(url: str, **settings: str) -> AsyncIterator[Redis]:
    """A store with these settings (underscores for hyphens) while this lasts."""
    async with Redis.from_url(url) as redis:
        named = {name.replace("_", "-"): value for name, value in settings.items()}
        before = {str(name): str(value) for name, value in (await redis.config_get(*named)).items()}
        try:
            for name, value in named.items():
                await redis.config_set(name, value)
            yield redis
        finally:
            for name, value in before.items():
                await redis.config_set(name, value)


def of(found: list[Finding], what: str) -> Finding:
    (one,) = [one for one in found if one.what == what]
    return one


async def test_a_store_as_it_must_be(valkey: str):
    found = await examine(valkey)
    assert [one for one in found if one.grade == "bad"] == []
    assert {one.name for one in demands.DEMANDS} <= {one.what for one in found}
    assert of(found, "version").found.startswith("Valkey 9.")
    assert re.match(r"[\d.]+ ms, and [\d.]+ ms the way", of(found, "time to the disk").found)
    assert re.match(r"[+-]\d+ ms", of(found, "its clock against ours").found)
    async with Redis.from_url(valkey) as redis:
        assert await redis.keys("*") == []


@pytest.mark.parametrize(
    ("setting", "weaker", "grade"),
    [
        ("appendonly", "no", "bad"),
        ("appendfsync", "everysec", "bad"),
        ("no-appendfsync-on-rewrite", "yes", "bad"),
        ("maxmemory-policy", "allkeys-lru", "bad"),
        ("aof-load-truncated", "no", "note"),
        ("timeout", "300", "note"),
        ("client-output-buffer-limit", "pubsub 1mb 1mb 60", "note"),
    ],
)
async def test_a_setting_that_is_wrong_and_the_command_that_mends_it(
    valkey: str, setting: str, weaker: str, grade: str
):
    async with having(valkey, **{setting: weaker}) as redis:
        one = of(await examine(valkey), setting)
        assert one.grade == grade
        assert one.why
        assert weaker.split()[0] in one.found
        now, later = one.mend.splitlines()
        typed = shlex.split(now)
        assert typed[:3] == ["redis-cli", "-s", demands.place_of(valkey)]
        with pytest.raises(ResponseError, match="without a config file"):
            await redis.config_rewrite()
        assert f"start it with --{setting} " in later
        _, _, name, *value = typed[3:]
        await redis.config_set(name, " ".join(value))
        assert of(await examine(valkey), setting).grade == "ok"


async def test_a_store_that_is_nearly_full(valkey: str):
    async with Redis.from_url(valkey) as redis:
        used = (await redis.info("memory"))["used_memory"]
    async with having(valkey, maxmemory=str(int(used * 1.25))):
        assert of(await examine(valkey), "memory").grade == "note"
    async with having(valkey, maxmemory=str(int(used * 1.05))):
        assert of(await examine(valkey), "memory").grade == "bad"


def test_what_the_store_says_of_its_disk():
    status, rewrite, delayed = examination._health({"aof_last_write_status": "err", "aof_delayed_fsync": 7})
    assert (status.grade, rewrite.grade, delayed.grade, delayed.found) == ("bad", "note", "note", "7")


async def test_a_slow_disk_is_measured(valkey: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(examination, "SLOW_MS", 0.0)
    assert of(await examine(valkey), "time to the disk").grade == "note"


async def test_a_store_that_hides_its_settings(valkey: str):
    async with Redis.from_url(valkey) as redis:
        await redis.execute_command("ACL", "SETUSER", "shy", "on", ">shy", "~*", "&*", "+@all", "-config")
        password = valkey.removeprefix("unix://:").split("@")[0]
        found = await examine(valkey.replace("unix://:", "unix://shy:").replace(password, "shy"))
        await redis.execute_command("ACL", "DELUSER", "shy")
    assert of(found, "settings").grade == "note"


# ------------------------------------------------------------------------------------------------ the data directory
def test_a_data_directory_is_looked_at_and_left_as_it_is(tmp_path: Path):
    data = tmp_path / "data"
    assert [one.grade for one in look_at(data)] == ["ok", "ok"]
    assert not data.exists()
    data.mkdir(mode=0o755)
    data.chmod(0o755)
    one = of(look_at(data), "data directory")
    assert (one.grade, one.mend) == ("bad", f"chmod 700 {data}")


def test_without_a_server_a_database_is_tried_on_the_same_disk_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv("OVERSEER_REDIS_URL", raising=False)
    data = tmp_path / "data"
    code = cli.main(["doctor", "--data-dir", str(data)])
    said = capsys.readouterr().out
    assert code == 0
    assert "No server runs on" in said
    assert "appendfsync" in said
    assert "to be mended" not in said
    assert list(tmp_path.iterdir()) == []


async def test_beside_a_server_its_own_database_is_examined(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data = tmp_path / "data"
    database = Embedded(data)
    url = await database.start()
    try:
        async with having(url, appendfsync="everysec"):
            code = await asyncio.to_thread(cli.main, ["doctor", "--data-dir", str(data)])
    finally:
        await database.stop()
    said = capsys.readouterr().out
    assert code == 2
    assert "The database of the server that runs on" in said
    assert "1 thing has to be mended." in said
    assert "secret" not in said
    assert database.directory.password not in said


# -------------------------------------------------------------------------------------------------------- by option
async def test_a_weaker_store_is_a_problem_unless_it_is_accepted(valkey: str, capsys: pytest.CaptureFixture[str]):
    async with having(valkey, appendfsync="everysec"):
        words = ["doctor", "--redis", valkey]
        assert await asyncio.to_thread(cli.main, words) == 2
        assert "bad   appendfsync" in capsys.readouterr().out
        assert await asyncio.to_thread(cli.main, [*words, "--accept-weaker-durability"]) == 0
    said = capsys.readouterr().out
    assert "accepted by --accept-weaker-durability; the ST is told" in said
    assert valkey.removeprefix("unix://:").split("@")[0] not in said


async def test_nothing_there_is_one_sentence(capsys: pytest.CaptureFixture[str]):
    assert await asyncio.to_thread(cli.main, ["doctor", "--redis", "redis://127.0.0.1:1/0"]) == 2
    assert capsys.readouterr().err.startswith("overseer: no Redis can be reached at 127.0.0.1:1")


async def test_the_storyteller_is_told_of_a_weaker_store_and_the_players_are_not(valkey: str, tmp_path: Path):
    async with having(valkey, appendfsync="everysec"):
        settings = Settings(redis_url=valkey, port=0, data_dir=tmp_path, accept_weaker_durability=True)
        async with App(settings) as app:
            st = await seating.make_table(app.rooms, "Thursday")
            ann = await seating.add_seat(app.rooms, st.table, "Ann", "player")
            async with (
                connect(auth.invitation(app.address, st.token)) as storyteller,
                connect(auth.invitation(app.address, ann.token)) as player,
            ):
                assert not storyteller.durable
                assert player.durable
    async with App(Settings(redis_url=valkey, port=0, data_dir=tmp_path)) as app:
        async with connect(auth.invitation(app.address, st.token)) as storyteller:
            assert storyteller.durable


def test_what_he_is_told_is_there_in_both_languages():
    assert "may lose the last moments" in said("en", "not_durable")
    assert "可能丢失" in said("zh", "not_durable")


async def test_each_primary_of_a_cluster_is_looked_at(tmp_path: Path):
    async with clustered(tmp_path) as cluster:
        second = cluster.servers[1]
        await second.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        found = await examine(cluster.url)
        assert {one.where for one in found} == {one.place for one in cluster.servers[:3]}
        assert [one.found for one in found if one.what == "replicas"] == ["2", "1", "1"]
        bad, *more = [one for one in found if one.grade == "bad"]
        assert more == []
        assert (bad.where, bad.what) == (second.place, "maxmemory-policy")
        assert bad.mend.startswith(f"redis-cli -p {second.port} CONFIG SET")
        told = list(report(found))
        assert [line for line in told if line.endswith(":")] == [f" {one.place}:" for one in cluster.servers[:3]]


async def test_behind_sentinels_the_primary_is_looked_at_and_whether_another_could_take_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    async with under_sentinels(tmp_path, replicas=1) as several:
        found = await examine(several.url)
        assert of(found, "replicas") == Finding(
            "replicas", "1", "ok", "1 or more", of(found, "replicas").why, of(found, "replicas").mend
        )
        assert await asyncio.to_thread(cli.main, ["doctor", "--redis", several.url, "--accept-weaker-durability"]) == 0
        assert "serve without --accept-weaker-durability" in capsys.readouterr().out
        replica = several.servers[1]
        await replica.ask("CONFIG", "SET", "appendfsync", "everysec")  # a server would not start on it
        (bad,) = [one for one in await examine(several.url) if one.grade == "bad"]
        assert (bad.where, bad.what) == (f"{replica.place} (a replica)", "appendfsync")
        now, later = bad.mend.split(" && ")
        assert now == f"redis-cli -p {replica.port} CONFIG SET appendfsync always"
        assert later == f"redis-cli -p {replica.port} CONFIG REWRITE"
        assert await replica.ask("CONFIG", "REWRITE")  # it has a file
        replica.kill()
        await until(lambda: _alone(several.servers[0]))
        assert of(await examine(several.url), "replicas").grade == "bad"


async def _alone(primary: Valkey) -> bool:
    return str((await primary.info())["connected_slaves"]) == "0"


def test_where_the_store_wants_a_password_it_says_where_redis_cli_takes_it_from(
    valkey: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    with redis_py.Redis.from_url(valkey) as store:
        store.config_set("appendfsync", "everysec")
        try:
            monkeypatch.setenv("OVERSEER_REDIS_URL", valkey)
            assert cli.main(["doctor"]) == 2
            assert "REDISCLI_AUTH" in capsys.readouterr().out
        finally:
            store.config_set("appendfsync", "always")
        assert cli.main(["doctor"]) == 0
        assert "REDISCLI_AUTH" not in capsys.readouterr().out
