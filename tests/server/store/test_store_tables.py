"""Tables, seats, presence, time, and news of them."""

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.store import listener as listener_module
from server.store.redis import RedisStore
from server.store.values import Place
from tests.helpers.lossy_proxy import LossyProxy
from tests.server.store.saying import TABLE, a_table, commit


async def test_a_new_table_is_whole_at_version_one(store: RedisStore):
    head = await a_table(store, cells={"u:1": b"\x00\xff"})

    loaded = await store.load(TABLE)
    assert loaded
    assert head.startswith("1:")
    assert (loaded.version, loaded.name, loaded.cells) == (1, "Cellar", {"u:1": b"\x00\xff"})
    assert loaded.audiences["st"] == Place("E-st", 0, 0)
    assert await store.keys(TABLE) == {"dice": b"\x00seed"}


async def test_a_table_is_made_once(store: RedisStore):
    head = await a_table(store)

    assert not await store.create(TABLE, name="Other", cells={"u:1": b"x"}, epochs={}, keys={}, entry=b"again")

    loaded = await store.load(TABLE)
    assert loaded
    assert (loaded.head, loaded.name, loaded.cells) == (head, "Cellar", {})


async def test_a_table_whose_answer_is_lost_was_made_by_this_call(valkey: str, tmp_path: Path):
    async with LossyProxy(valkey, tmp_path) as proxy:
        through = await RedisStore.connect(proxy.url)
        proxy.lose_answers_to(b"EVAL", 1)
        await a_table(through)
        await through.close()
    assert proxy.lost == 1


async def test_tables_are_listed_by_id_with_their_names(store: RedisStore):
    assert await store.tables() == []
    await a_table(store, "t2")
    await a_table(store, "t1")

    assert await store.tables() == [("t1", "Cellar"), ("t2", "Cellar")]


async def test_seats_are_kept_and_dropped(store: RedisStore):
    await store.put_seat(TABLE, "ann", b"\x81secret")
    await store.put_seat(TABLE, "bob", b"b")
    assert await store.seat(TABLE, "ann") == b"\x81secret"
    assert await store.seats(TABLE) == {"ann": b"\x81secret", "bob": b"b"}

    await store.drop_seat(TABLE, "ann")

    assert await store.seat(TABLE, "ann") is None


async def test_a_seat_is_here_while_one_of_its_marks_lasts(store: RedisStore):
    await store.mark_here(TABLE, "ann", "node1", "c1", 1_000)
    await store.mark_here(TABLE, "ann", "node2", "c2", 2_000)
    await store.mark_here(TABLE, "bob", "node1", "c3", 1_000)

    assert await store.here(TABLE, 999) == {"ann", "bob"}
    assert await store.here(TABLE, 1_000) == {"ann"}
    await store.unmark_here(TABLE, "ann", "node2", "c2")
    assert await store.here(TABLE, 1_000) == set()


async def test_where_all_tables_stand_and_who_is_there_is_one_question(store: RedisStore):
    heads = {table: await a_table(store, table) for table in ("t1", "t2")}
    await store.mark_here("t2", "ann", "node1", "c1", store.clock() + 60_000)
    await store.mark_here("t2", "bob", "node1", "c2", store.clock() - 1)

    assert await store.look(["t1", "gone", "t2"]) == {
        "t1": (heads["t1"], set()),
        "gone": ("", set()),
        "t2": (heads["t2"], {"ann"}),
    }
    assert await store.look([]) == {}


async def test_the_clock_is_the_stores(store: RedisStore, valkey: str):
    now = await store.now()
    async with Redis.from_url(valkey) as redis:
        seconds, micros = await redis.time()
    assert 0 <= seconds * 1000 + micros // 1000 - now < 2_000
    assert 0 <= store.clock() - now < 2_000


async def test_a_subscription_says_verify_and_then_each_new_version(store: RedisStore):
    head = await a_table(store)
    async with store.listen() as listener:
        await listener.subscribe(TABLE)
        news = aiter(listener)
        assert await anext(news) == (TABLE, None)

        await store.commit(commit(head, "c1"))
        assert await anext(news) == (TABLE, "2")


async def test_who_comes_who_goes_and_a_changed_seat_are_told_but_not_a_renewed_mark(store: RedisStore):
    async with store.listen() as listener:
        await listener.subscribe(TABLE)
        news = aiter(listener)
        assert await anext(news) == (TABLE, None)
        later = store.clock() + 60_000

        await store.mark_here(TABLE, "ann", "n", "c", later)
        assert await anext(news) == (TABLE, "here")
        await store.mark_here(TABLE, "ann", "n", "c", later + 1)
        head = await a_table(store)
        await store.commit(commit(head, "c1"))
        assert await anext(news) == (TABLE, "2")
        await store.unmark_here(TABLE, "ann", "n", "c")
        assert await anext(news) == (TABLE, "here")
        await store.drop_seat(TABLE, "ann")
        assert await anext(news) == (TABLE, "here")


async def test_after_its_connection_was_killed_every_table_must_be_verified(store: RedisStore, valkey: str):
    head = await a_table(store)
    async with store.listen() as listener, Redis.from_url(valkey) as redis:
        await listener.subscribe(TABLE)
        await listener.subscribe("t2")
        news = aiter(listener)
        assert {await anext(news), await anext(news)} == {(TABLE, None), ("t2", None)}
        for _ in range(5):
            assert await redis.client_kill_filter(_type="pubsub") == 1
            assert {await anext(news), await anext(news)} == {(TABLE, None), ("t2", None)}

        await store.commit(commit(head, "c1"))
        assert await anext(news) == (TABLE, "2")


async def test_a_connection_that_is_up_and_hears_nothing_is_found_out_and_replaced(
    store: RedisStore, valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(listener_module, "QUIET_S", 0.1)
    monkeypatch.setattr(listener_module, "DEAF_S", 0.2)
    head = await a_table(store)
    async with LossyProxy(valkey, tmp_path) as proxy:
        there = await RedisStore.connect(proxy.url)
        async with there.listen() as listener:
            await listener.subscribe(TABLE)
            news = aiter(listener)
            assert await anext(news) == (TABLE, None)
            proxy.be_deaf()
            await store.commit(commit(head, "c1"))
            heard = asyncio.ensure_future(anext(news))
            proxy.subscribed.clear()
            await proxy.subscribed.wait()  # another connection; it is as deaf
            assert not heard.done()
            proxy.be_deaf(False)
            assert await heard == (TABLE, None)
            await store.commit(commit("2:c1", "c2"))
            assert await anext(news) == (TABLE, "3")
        await there.close()


async def test_a_table_no_longer_wanted_is_not_heard_of(store: RedisStore):
    head = await a_table(store)
    async with store.listen() as listener:
        news = aiter(listener)
        await listener.subscribe(TABLE)
        assert await anext(news) == (TABLE, None)
        await listener.unsubscribe(TABLE)
        await store.commit(commit(head, "c1"))
        await listener.subscribe("t2")
        assert await anext(news) == ("t2", None)
