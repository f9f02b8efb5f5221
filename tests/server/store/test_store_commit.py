"""What holds for every commit, on the real server: all or nothing, once, and only on the head it was decided on."""

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.store.problems import StoreAway, StoreProblem
from server.store.redis import RedisStore
from server.store.values import Committed, Entry, Gone, Place, Repeated, Reused, Stale, TooOld
from tests.helpers.lossy_proxy import LossyProxy
from tests.server.store.saying import TABLE, a_table, commit, decided, refusal


async def test_a_commit_is_in_the_state_the_log_the_streams_and_the_head(store: RedisStore):
    head = await a_table(store, cells={"u:1": b"old", "u:2": b"old"})
    change = commit(head, "c1", cells={"u:1": b"new"}, gone=["u:2"], patches={"st": b"p-st", "ann": b"p-ann"})

    assert await store.commit(change) == Committed(2, "2:c1")

    loaded = await store.load(TABLE)
    assert loaded
    assert (loaded.version, loaded.head, loaded.name, loaded.cells) == (2, "2:c1", "Cellar", {"u:1": b"new"})
    assert loaded.audiences == {
        "st": Place("E-st", 1, 0),
        "ann": Place("E-ann", 1, 0),
        "all": Place("E-all", 0, 0),
    }
    assert await store.entries(TABLE, 0) == [Entry(1, head, b"created"), Entry(2, "2:c1", b"entry")]
    assert await store.diffs(TABLE, "st", 0) == [(1, b"p-st")]
    assert await store.diffs(TABLE, "ann", 0) == [(1, b"p-ann")]
    assert await store.diffs(TABLE, "all", 0) == []


async def test_entries_and_diffs_are_read_after_a_point_and_up_to_a_point(store: RedisStore):
    head = await a_table(store)
    for n in range(1, 6):
        await store.commit(commit(head, f"c{n}", patches={"st": b"p%d" % n}))
        head = f"{n + 1}:c{n}"

    assert [entry.version for entry in await store.entries(TABLE, 2, up_to=4)] == [3, 4]
    assert await store.diffs(TABLE, "st", 3) == [(4, b"p4"), (5, b"p5")]
    assert await store.diffs(TABLE, "st", 3, up_to_n=4) == [(4, b"p4")]


async def test_a_commit_decided_on_an_older_head_changes_nothing(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1"))

    answer = await store.commit(commit(head, "c2", cells={"u:1": b"x"}, patches={"st": b"p"}, decision=decided()))

    assert answer == Stale(2, "2:c1")
    loaded = await store.load(TABLE)
    assert loaded
    assert (loaded.version, loaded.cells, loaded.audiences["st"].n) == (2, {}, 0)
    assert await store.decided(TABLE, "ann", "web", 1, b"|d\x00") is None


async def test_a_commit_on_the_same_version_of_another_history_is_stale(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1"))

    assert await store.commit(commit("2:other", "c2")) == Stale(2, "2:c1")


async def test_the_same_command_again_gets_the_answer_it_got(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1", decision=decided(reply=b"first|\x00")))

    again = await store.commit(commit("2:c1", "c2", decision=decided(reply=b"second")))

    assert again == Repeated(b"first|\x00")
    assert await store.decided(TABLE, "ann", "web", 1, b"|d\x00") == Repeated(b"first|\x00")
    assert len(await store.entries(TABLE, 0)) == 2


async def test_a_sequence_number_used_for_another_command_is_reused(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1", decision=decided()))

    assert await store.commit(commit("2:c1", "c2", decision=decided(digest=b"other"))) == Reused()
    assert await store.decided(TABLE, "ann", "web", 1, b"other") == Reused()


async def test_only_the_last_sixteen_answers_are_kept(store: RedisStore):
    head = await a_table(store)
    for seq in range(1, 18):
        await store.commit(commit(head, f"c{seq}", decision=decided(seq)))
        head = f"{seq + 1}:c{seq}"

    assert await store.commit(commit(head, "x", decision=decided(1))) == TooOld()
    assert await store.decided(TABLE, "ann", "web", 1, b"|d\x00") == TooOld()
    assert isinstance(await store.decided(TABLE, "ann", "web", 2, b"|d\x00"), Repeated)
    assert await store.decided(TABLE, "ann", "web", 18, b"|d\x00") is None
    assert await store.decided(TABLE, "ann", "phone", 1, b"|d\x00") is None


async def test_a_refusal_is_kept_and_answered_again(store: RedisStore):
    head = await a_table(store)

    assert await store.refuse(refusal(head, decided(reply=b"no"))) == Committed(1, head)
    assert await store.refuse(refusal(head, decided(reply=b"changed my mind"))) == Repeated(b"no")
    assert await store.commit(commit(head, "c1", decision=decided())) == Repeated(b"no")
    assert len(await store.entries(TABLE, 0)) == 1


async def test_a_refusal_decided_on_an_older_head_is_not_kept(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1"))

    assert await store.refuse(refusal(head)) == Stale(2, "2:c1")
    assert await store.decided(TABLE, "ann", "web", 1, b"|d\x00") is None


async def test_without_a_table_everything_is_gone(store: RedisStore):
    assert await store.commit(commit("1:x", "c1")) == Gone()
    assert await store.refuse(refusal("1:x")) == Gone()
    assert await store.load(TABLE) is None
    assert await store.entries(TABLE, 0) == []


async def test_a_new_epoch_starts_its_audience_afresh(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1", patches={"st": b"p", "ann": b"p"}, rewound=True))

    await store.commit(commit("2:c1", "c2", patches={"st": b"p2"}, epochs={"ann": "E2", "bob": "E-bob"}))

    loaded = await store.load(TABLE)
    assert loaded
    assert loaded.audiences["ann"] == Place("E2", 0, 0)
    assert loaded.audiences["bob"] == Place("E-bob", 0, 0)
    assert loaded.audiences["st"] == Place("E-st", 2, 1)
    assert await store.diffs(TABLE, "ann", 0) == []


async def test_a_rewind_marks_every_audience_where_it_stands(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1", patches={"st": b"p", "ann": b"p"}))
    await store.commit(commit("2:c1", "c2", patches={"st": b"p"}, rewound=True))
    await store.commit(commit("3:c2", "c3", patches={"st": b"p", "all": b"p"}))

    loaded = await store.load(TABLE)
    assert loaded
    assert {name: (place.n, place.rewound) for name, place in loaded.audiences.items()} == {
        "st": (3, 2),
        "ann": (1, 1),
        "all": (1, 0),
    }


async def test_a_patch_for_an_unknown_audience_is_refused_before_anything_is_written(store: RedisStore):
    head = await a_table(store)

    with pytest.raises(StoreProblem, match="without an epoch: stranger"):
        await store.commit(commit(head, "c1", cells={"u:1": b"x"}, patches={"st": b"p", "stranger": b"p"}))

    loaded = await store.load(TABLE)
    assert loaded
    assert (loaded.head, loaded.cells, loaded.audiences["st"].n) == (head, {}, 0)
    assert await store.commit(commit(head, "c1")) == Committed(2, "2:c1")


async def test_a_commit_of_thousands_of_cells_is_one_commit(store: RedisStore):
    head = await a_table(store, cells={f"gone:{i}": b"x" for i in range(9000)})
    cells = {f"u:{i}": b"y" for i in range(9000)}

    await store.commit(commit(head, "c1", cells=cells, gone=[f"gone:{i}" for i in range(9000)]))

    loaded = await store.load(TABLE)
    assert loaded
    assert loaded.cells == cells


async def test_a_server_that_does_not_know_the_scripts_gets_their_text(store: RedisStore, valkey: str):
    head = await a_table(store)
    async with Redis.from_url(valkey) as redis:
        await redis.script_flush()

    assert await store.commit(commit(head, "c1")) == Committed(2, "2:c1")


async def test_a_commit_whose_answer_is_lost_is_applied_once(store: RedisStore, valkey: str, tmp_path: Path):
    head = await a_table(store)
    async with LossyProxy(valkey, tmp_path) as proxy:
        through = await RedisStore.connect(proxy.url)
        proxy.lose_answers_to(b"EVAL", 3)

        answer = await through.commit(commit(head, "c1", patches={"st": b"p"}, decision=decided()))

        await through.close()
    assert proxy.lost == 3
    assert answer == Committed(2, "2:c1")
    loaded = await store.load(TABLE)
    assert loaded
    assert (loaded.version, loaded.audiences["st"].n) == (2, 1)
    assert await store.diffs(TABLE, "st", 0) == [(1, b"p")]


async def test_a_commit_whose_answer_is_lost_is_known_even_when_others_came_after_it(store: RedisStore):
    head = await a_table(store)
    first = commit(head, "c1", decision=decided())
    await store.commit(first)
    await store.commit(commit("2:c1", "c2"))

    assert await store.commit(first) == Committed(2, "2:c1")


async def test_a_lost_answer_does_not_pass_for_another_command_with_the_same_id(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1", entry=b"decided by node one"))

    assert await store.commit(commit(head, "c1", entry=b"decided by node two")) == Stale(2, "2:c1")


async def test_a_refusal_whose_answer_is_lost_is_kept_once(store: RedisStore, valkey: str, tmp_path: Path):
    head = await a_table(store)
    async with LossyProxy(valkey, tmp_path) as proxy:
        through = await RedisStore.connect(proxy.url)
        proxy.lose_answers_to(b"EVAL", 1)

        assert await through.refuse(refusal(head, decided(reply=b"no"))) == Repeated(b"no")

        await through.close()


async def test_a_commit_goes_on_when_its_caller_is_cancelled(store: RedisStore, valkey: str, tmp_path: Path):
    head = await a_table(store)
    async with LossyProxy(valkey, tmp_path) as proxy:
        through = await RedisStore.connect(proxy.url)
        go_on = proxy.hold_and_lose_request(b"EVAL")
        caller = asyncio.create_task(through.commit(commit(head, "c1")))
        await proxy.waiting.wait()
        caller.cancel()
        await asyncio.gather(caller, return_exceptions=True)
        assert caller.cancelled()
        go_on.set()

        await through.close()

    assert [entry.head for entry in await store.entries(TABLE, 1)] == ["2:c1"]


async def test_a_store_that_does_not_answer_is_away_and_the_commit_can_be_asked_again(
    store: RedisStore, valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("server.store.lanes.DEADLINE_S", 0.2)
    head = await a_table(store)
    async with LossyProxy(valkey, tmp_path) as proxy:
        through = await RedisStore.connect(proxy.url)
        proxy.lose_answers_to(b"EVAL", 1000)
        with pytest.raises(StoreAway, match="does not answer"):
            await through.commit(commit(head, "c1"))
        proxy.lose_answers_to(b"EVAL", 0)

        assert await through.commit(commit(head, "c1")) == Committed(2, "2:c1")

        await through.close()


async def test_of_two_nodes_that_decide_on_one_head_one_wins_and_none_is_lost(store: RedisStore, valkey: str):
    head = await a_table(store)
    other = await RedisStore.connect(valkey)

    async def play(node: RedisStore, name: str) -> None:
        at = head
        for number in range(20):
            while isinstance(answer := await node.commit(commit(at, f"{name}{number}", patches={"st": b"p"})), Stale):
                at = answer.head
            assert isinstance(answer, Committed)
            at = answer.head

    await asyncio.gather(play(store, "a"), play(other, "b"))

    await other.close()
    entries = await store.entries(TABLE, 0)
    assert [entry.version for entry in entries] == list(range(1, 42))
    assert [n for n, _ in await store.diffs(TABLE, "st", 0)] == list(range(1, 41))
