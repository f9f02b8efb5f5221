"""Valkeys that stand in for one another, as real processes: who takes over, and what is still there then."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from server.store import lanes
from server.store.problems import StoreAway, StoreProblem
from server.store.redis import RedisStore
from server.store.values import Commit, Committed, Stale
from tests.helpers.replicated import Replicated, Valkey, clustered, under_sentinels, until
from tests.server.store.saying import a_table, commit

PATIENCE = 60
Kind = Callable[[Path], AbstractAsyncContextManager[Replicated]]


class Writer:
    """Commits to one table, one thing after the other, each until it is kept. `acked`: what it was told is kept."""

    def __init__(self, store: RedisStore, table: str, head: str) -> None:
        self.store, self.table, self.head = store, table, head
        self.acked: list[str] = [head]

    async def write(self, count: int) -> None:
        for _ in range(count):
            one = commit(self.head, f"c{len(self.acked)}", table=self.table)
            self.head = (await self._kept(one)).head
            self.acked.append(self.head)

    async def _kept(self, one: Commit) -> Committed:
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    outcome = await self.store.commit(one)
                except StoreAway:
                    continue
                assert isinstance(outcome, Committed), outcome
                return outcome


async def heads(store: RedisStore, table: str) -> list[str]:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return [entry.head for entry in await store.entries(table, 0)]
            except StoreAway:
                continue


async def writer(store: RedisStore, table: str) -> Writer:
    return Writer(store, table, await a_table(store, table))


async def table_on(several: Replicated, primary: Valkey) -> str:
    """The id of a table that this one has."""
    if several.sentinels:
        return "t1"
    for k in range(1000):
        if await several.primary_of(f"t{k}") is primary:
            return f"t{k}"
    raise AssertionError


@pytest.mark.parametrize(
    ("kind", "how"), [(under_sentinels, "killed"), (under_sentinels, "frozen"), (clustered, "killed")]
)
async def test_another_takes_over_and_has_all_that_was_confirmed(tmp_path: Path, kind: Kind, how: str):
    async with kind(tmp_path) as several:
        await take_over(several, how)


async def take_over(several: Replicated, how: str) -> None:
    first = several.servers[0]
    table = await table_on(several, first)
    store = await RedisStore.connect(several.url)
    assert store.warnings == []
    async with store.listen() as listener:
        news = aiter(listener)
        await listener.subscribe(table)
        assert await anext(news) == (table, None)
        one = await writer(store, table)
        await one.write(20)
        if how == "killed":
            first.kill()
        else:
            first.freeze()
        await one.write(20)
        assert await heads(store, table) == one.acked
        assert (table, "Cellar") in await store.tables()
        async with asyncio.timeout(PATIENCE):  # however deaf it was meanwhile, it looks and hears again
            while await anext(news) not in ((table, None), (table, "41")):  # (it may hear from another of them)
                pass
            await one.write(1)
            while await anext(news) != (table, "42"):
                pass
    first.thaw()
    await one.write(1)  # the old one is no primary any more
    assert await heads(store, table) == one.acked
    await store.close()


async def test_tables_of_a_cluster_lie_on_all_servers_and_news_come_from_each(tmp_path: Path):
    async with clustered(tmp_path) as cluster:
        store = await RedisStore.connect(cluster.url)
        async with store.listen() as listener:
            news = aiter(listener)
            writers = [await writer(store, await table_on(cluster, one)) for one in cluster.servers[:3]]
            for one in writers:
                await listener.subscribe(one.table)
            assert {await anext(news) for _ in writers} == {(one.table, None) for one in writers}
            await asyncio.gather(*(one.write(30) for one in writers))
            last = {one.table: 1 for one in writers}
            while set(last.values()) != {31}:
                table, version = await anext(news)
                assert version == str(last[table] + 1)
                last[table] += 1
        assert await store.tables() == sorted((one.table, "Cellar") for one in writers)

        # One goes with all that could take over from it: the others go on, and wait for nobody.
        gone, *others = cluster.servers
        for heir in [other for other in others if (await other.info()).get("master_port") == str(gone.port)]:
            heir.kill()
        gone.kill()
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(one.write(20) for one in writers[1:]))
        await store.close()


# ------------------------------------------------------------------------------------------------ what a failover loses
async def test_a_failover_takes_back_nothing_where_a_replica_is_waited_for_and_else_it_does(tmp_path: Path):
    """The replicas sleep, more is written, the primary dies: both ways at once, so that one shows what the other is for."""
    async with under_sentinels(tmp_path) as several:
        strong, other = [await RedisStore.connect(several.url) for _ in range(2)]
        weak = await RedisStore.connect(several.url, accept_weaker=True)
        assert strong.warnings == []
        assert "the last moments of play may be lost" in weak.warnings[0]
        async with other.listen() as listener:
            news = aiter(listener)
            await listener.subscribe("strong")
            assert await anext(news) == ("strong", None)
            kept, lost = await writer(strong, "strong"), await writer(weak, "weak")
            await asyncio.gather(kept.write(5), lost.write(5))
            replicas = await several.replicas()
            for replica in replicas:
                replica.freeze()
            await several.servers[0].ask("CLIENT", "KILL", "TYPE", "replica")  # else it would lie in their sockets
            writing = asyncio.create_task(kept.write(5))
            await lost.write(5)
            await asyncio.wait([writing], timeout=1.5)
            writing.cancel()
            assert (len(kept.acked), len(lost.acked)) == (6, 11)
            several.servers[0].kill()
            for replica in replicas:
                replica.thaw()
            await until(several.primaries)

            assert await heads(other, "strong") == kept.acked
            assert await heads(weak, "weak") == lost.acked[:-5]
            assert isinstance(await weak.commit(commit(lost.head, "more", table="weak")), Stale)
            heard = []
            while (said := await anext(news)) != ("strong", None):
                heard.append(said)
            assert heard == [("strong", str(version)) for version in range(2, 7)]
        for store in (strong, other, weak):
            await store.close()


async def test_nothing_counts_before_a_replica_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Neither answered, nor told to others, nor read by them, nor found in what they load."""
    monkeypatch.setattr(lanes, "DEADLINE_S", 0.5)
    monkeypatch.setattr(lanes, "REPLICA_MS", 200)
    first = Valkey.keeping(tmp_path)
    replica = Valkey.keeping(tmp_path, of=first)
    try:
        await replica.linked()
        url = f"redis://{first.place}/0"
        store, other = [await RedisStore.connect(url, wait_for_replica=True) for _ in range(2)]
        one = await writer(store, "t1")
        await one.write(1)
        replica.freeze()
        more = commit(one.head, "more", table="t1", cells={"u:1": b"new"})
        with pytest.raises(StoreAway, match="no replica keeps up"):
            await store.commit(more)
        plain = await RedisStore.connect(url)
        assert await heads(plain, "t1") == [*one.acked, "3:more"]  # it is there, but
        with pytest.raises(StoreAway):
            await other.entries("t1", 1)
        with pytest.raises(StoreAway):
            await other.load("t1")
        with pytest.raises(StoreAway):
            await other.commit(commit("2:x", "stale", table="t1"))
        assert await other.entries("t1", 0, up_to=2)  # what has been seen can be read
        replica.thaw()
        assert await store.commit(more) == Committed(3, "3:more")
        assert await heads(other, "t1") == [*one.acked, "3:more"]
        for each in (plain, store, other):
            await each.close()
    finally:
        for process in (replica, first):
            process.thaw()
            process.kill()


async def test_a_replica_that_is_waited_for_must_be_there_and_keep_what_it_confirms(tmp_path: Path):
    first = Valkey.keeping(tmp_path)
    replica = None
    try:
        await until(lambda: first.ask("PING"))
        url = f"redis://{first.place}/0"
        with pytest.raises(StoreProblem, match="has no replica"):
            await RedisStore.connect(url, wait_for_replica=True)
        replica = Valkey.keeping(tmp_path, of=first)
        await replica.linked()
        await replica.ask("CONFIG", "SET", "appendfsync", "everysec")
        with pytest.raises(StoreProblem, match=rf"{replica.place} \(a replica\) has appendfsync everysec"):
            await RedisStore.connect(url, wait_for_replica=True)
    finally:
        for process in filter(None, (replica, first)):
            process.kill()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (
            "redis+sentinel://127.0.0.1:1,127.0.0.1:2/tables",
            "none of the Sentinels answers, or they do not know the name",
        ),
        ("redis+cluster://127.0.0.1:1", "no server of the cluster 127.0.0.1:1 answers"),
    ],
)
async def test_nobody_there(url: str, sentence: str):
    with pytest.raises(StoreProblem, match=sentence):
        await RedisStore.connect(url)
