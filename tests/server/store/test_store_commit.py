"""What holds for every commit, on the real server: all or nothing, once, and only on the head it was decided on."""

import asyncio
import gc
from dataclasses import replace
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.store import redis as redis_module
from server.store.problems import StoreAway, StoreProblem
from server.store.redis import RedisStore
from server.store.values import Commit, Committed, Decision, Entry, Gone, Place, Repeated, Reused, Stale, TooOld
from tests.helpers.lossy_proxy import LossyProxy
from tests.server.store.saying import TABLE, a_table, commit, decided, refusal


async def is_decided(store: RedisStore, decision: Decision | None = None) -> bool:
    """Whether a command has an answer already. Asked with a head that never stands, so nothing is kept by asking."""
    return not isinstance(await store.commit(refusal("0:none", decision)), Stale)


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
    assert not await is_decided(store)


async def test_a_commit_on_the_same_version_of_another_history_is_stale(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1"))

    assert await store.commit(commit("2:other", "c2")) == Stale(2, "2:c1")


async def test_the_same_command_again_gets_the_answer_it_got(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1", decision=decided(reply=b"first|\x00")))

    again = await store.commit(commit("2:c1", "c2", decision=decided(reply=b"second")))

    assert again == Repeated(b"first|\x00")
    assert len(await store.entries(TABLE, 0)) == 2


async def test_a_sequence_number_used_for_another_command_is_reused(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1", decision=decided()))

    assert await store.commit(commit("2:c1", "c2", decision=decided(digest=b"other"))) == Reused()
    assert await store.commit(refusal("1:any", decided(digest=b"other"))) == Reused()


async def test_only_the_last_sixteen_answers_are_kept(store: RedisStore):
    head = await a_table(store)
    for seq in range(1, 18):
        await store.commit(commit(head, f"c{seq}", decision=decided(seq)))
        head = f"{seq + 1}:c{seq}"

    assert await store.commit(commit(head, "x", decision=decided(1))) == TooOld()
    assert isinstance(await store.commit(commit(head, "x", decision=decided(2))), Repeated)
    assert not await is_decided(store, decided(18))
    assert not await is_decided(store, decided(1, client="phone"))


async def test_a_refusal_is_kept_and_answered_again(store: RedisStore):
    head = await a_table(store)

    assert await store.commit(refusal(head, decided(reply=b"no"))) == Committed(1, head)
    assert await store.commit(refusal(head, decided(reply=b"changed my mind"))) == Repeated(b"no")
    assert await store.commit(commit(head, "c1", decision=decided())) == Repeated(b"no")
    assert len(await store.entries(TABLE, 0)) == 1


async def test_a_refusal_decided_on_an_older_head_is_not_kept(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1"))

    assert await store.commit(refusal(head)) == Stale(2, "2:c1")
    assert not await is_decided(store)


async def test_without_a_table_everything_is_gone(store: RedisStore):
    assert await store.commit(commit("1:x", "c1")) == Gone()
    assert await store.commit(refusal("1:x")) == Gone()
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


async def test_a_rewind_marks_every_audience_that_is_sent_something_of_it_where_it_stands(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1", patches={"st": b"p", "ann": b"p"}))
    await store.commit(commit("2:c1", "c2", patches={"st": b"p"}, rewound=True))
    await store.commit(commit("3:c2", "c3", patches={"st": b"p", "all": b"p"}))

    loaded = await store.load(TABLE)
    assert loaded
    assert {name: (place.n, place.rewound) for name, place in loaded.audiences.items()} == {
        "st": (3, 2),
        "ann": (1, 0),
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

        assert await through.commit(refusal(head, decided(reply=b"no"))) == Repeated(b"no")

        await through.close()


async def given_up(through: RedisStore, proxy: LossyProxy, head: str) -> asyncio.Event:
    """A commit is held on its way, and its caller cancelled meanwhile. The event lets it go on."""
    go_on = proxy.hold_and_lose_request(b"EVAL")
    caller = asyncio.create_task(through.commit(commit(head, "c1")))
    await proxy.waiting.wait()
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
    assert caller.cancelled()
    return go_on


async def test_a_commit_goes_on_when_its_caller_is_cancelled(store: RedisStore, valkey: str, tmp_path: Path):
    head = await a_table(store)
    async with LossyProxy(valkey, tmp_path) as proxy:
        through = await RedisStore.connect(proxy.url)
        (await given_up(through, proxy, head)).set()

        await through.close()

    assert [entry.head for entry in await store.entries(TABLE, 1)] == ["2:c1"]


async def test_nobody_is_told_of_a_commit_that_failed_after_its_caller_was_cancelled(
    store: RedisStore, valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("server.store.lanes.DEADLINE_S", 0.2)
    told: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: told.append(what))
    head = await a_table(store)
    async with LossyProxy(valkey, tmp_path) as proxy:
        through = await RedisStore.connect(proxy.url)
        go_on = await given_up(through, proxy, head)
        proxy.cut_off()
        go_on.set()
        await asyncio.wait(set(through._under_way))
        gc.collect()

        await through.close()

    assert told == []


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


# ---------------------------------------------------------------------------------------------- several in one call
async def test_several_commands_in_one_call_are_a_version_each(store: RedisStore):
    head = await a_table(store)
    first = commit(head, "c1", cells={"u:1": b"1"}, patches={"st": b"p1"}, decision=decided(1))
    refused = refusal("2:c1", decided(2, reply=b"no"))
    second = commit("2:c1", "c2", cells={"u:1": b"2"}, patches={"st": b"p2", "ann": b"q1"}, decision=decided(3))

    outcomes = await store.commit_all([first, refused, second])

    assert outcomes == [Committed(2, "2:c1"), Committed(2, "2:c1"), Committed(3, "3:c2")]
    assert [entry.head for entry in await store.entries(TABLE, 1)] == ["2:c1", "3:c2"]
    assert await store.diffs(TABLE, "st", 0) == [(1, b"p1"), (2, b"p2")]
    assert await store.diffs(TABLE, "ann", 0) == [(1, b"q1")]
    assert await store.commit(refusal("0:none", decided(2))) == Repeated(b"no")
    assert await store.commit_all([first, refused, second]) == [
        Committed(2, "2:c1"),
        Repeated(b"no"),
        Committed(3, "3:c2"),
    ]


async def test_what_was_decided_on_one_that_is_not_kept_is_stale(store: RedisStore):
    head = await a_table(store)
    await store.commit(commit(head, "c1", decision=decided(1, reply=b"first")))

    outcomes = await store.commit_all(
        [
            commit("2:c1", "c2"),
            commit("3:c2", "c1", decision=decided(1)),
            commit("4:c1", "c3", cells={"u:1": b"on what never was"}),
            refusal("4:c1", decided(2)),
        ]
    )

    assert outcomes == [Committed(3, "3:c2"), Repeated(b"first"), Stale(3, "3:c2"), Stale(3, "3:c2")]
    assert not await is_decided(store, decided(2))
    loaded = await store.load(TABLE)
    assert loaded
    assert loaded.cells == {}


async def test_the_same_command_twice_in_one_call_is_done_once(store: RedisStore):
    head = await a_table(store)
    once = commit(head, "c1", patches={"st": b"p"}, decision=decided(reply=b"done"))
    again = commit("2:c1", "c1", patches={"st": b"p"}, decision=decided(reply=b"done again"))

    assert await store.commit_all([once, again]) == [Committed(2, "2:c1"), Repeated(b"done")]
    assert await store.diffs(TABLE, "st", 0) == [(1, b"p")]


async def test_a_call_whose_parts_do_not_add_up_is_refused_whole(store: RedisStore, monkeypatch: pytest.MonkeyPatch):
    head = await a_table(store)
    real = redis_module._add

    def short(one: Commit, keys: list[str], args: list[str | bytes | int]) -> None:
        real(one, keys, args)
        if one.command == "c2":
            args.pop()

    monkeypatch.setattr(redis_module, "_add", short)
    with pytest.raises(StoreProblem, match="wrong number of arguments"):
        await store.commit_all([commit(head, "c1"), commit("2:c1", "c2", cells={"u:1": b"x"})])
    assert len(await store.entries(TABLE, 0)) == 1


async def test_a_call_of_several_whose_answer_is_lost_is_applied_once(store: RedisStore, valkey: str, tmp_path: Path):
    head = await a_table(store)
    several = [
        commit(head, "c1", patches={"st": b"p1"}, decision=decided(1)),
        commit("2:c1", "c2", patches={"st": b"p2"}, decision=decided(2)),
    ]
    async with LossyProxy(valkey, tmp_path) as proxy:
        through = await RedisStore.connect(proxy.url)
        proxy.lose_answers_to(b"EVAL", 2)
        assert await through.commit_all(several) == [Committed(2, "2:c1"), Committed(3, "3:c2")]
        await through.close()
    assert proxy.lost == 2
    assert await store.diffs(TABLE, "st", 0) == [(1, b"p1"), (2, b"p2")]


# ------------------------------------------------------------------------------------------- many tables on one wire
async def test_commits_of_many_tables_that_wait_go_together(store: RedisStore, valkey: str):
    heads = {f"t{k}": await a_table(store, f"t{k}") for k in range(60)}
    async with Redis.from_url(valkey) as redis:
        before = (await redis.info("stats"))["total_commands_processed"]
        read_before = (await redis.info("stats"))["total_reads_processed"]
        outcomes = await asyncio.gather(
            *(store.commit(replace(commit(head, "c1"), table=table)) for table, head in heads.items())
        )
        stats = await redis.info("stats")
    assert outcomes == [Committed(2, "2:c1")] * 60
    assert stats["total_commands_processed"] - before >= 60
    assert stats["total_reads_processed"] - read_before < 20  # of the 60 commits a few; each of these two INFOs one


async def test_one_refused_call_of_a_batch_takes_no_other_with_it(store: RedisStore):
    heads = {f"t{k}": await a_table(store, f"t{k}") for k in range(20)}
    several = [replace(commit(head, "c1"), table=table) for table, head in heads.items()]
    several[7] = replace(several[7], patches={"stranger": b"p"})

    outcomes = await asyncio.gather(*(store.commit(one) for one in several), return_exceptions=True)

    assert isinstance(outcomes.pop(7), StoreProblem)
    assert outcomes == [Committed(2, "2:c1")] * 19


async def test_a_batch_that_is_cut_off_midway_is_resolved_for_every_table(
    store: RedisStore, valkey: str, tmp_path: Path
):
    heads = {f"t{k}": await a_table(store, f"t{k}") for k in range(40)}
    async with LossyProxy(valkey, tmp_path) as proxy:
        through = await RedisStore.connect(proxy.url)
        proxy.lose_answers_to(b"EVAL", 3)
        outcomes = await asyncio.gather(
            *(
                through.commit(replace(commit(head, "c1", patches={"st": b"p"}), table=table))
                for table, head in heads.items()
            )
        )
        await through.close()
    assert proxy.lost == 3
    assert outcomes == [Committed(2, "2:c1")] * 40
    for table in heads:
        assert await store.diffs(table, "st", 0) == [(1, b"p")]


async def test_scripts_forgotten_under_way_are_told_again(store: RedisStore, valkey: str):
    heads = {f"t{k}": await a_table(store, f"t{k}") for k in range(5)}
    await store.commit(replace(commit(heads["t0"], "c0"), table="t0"))
    heads["t0"] = "2:c0"
    async with Redis.from_url(valkey) as redis:
        await redis.script_flush()
    outcomes = await asyncio.gather(
        *(store.commit(replace(commit(head, "c1"), table=table)) for table, head in heads.items())
    )
    assert [type(one) for one in outcomes] == [Committed] * 5


async def test_what_was_decided_on_an_act_that_another_node_kept_otherwise_is_stale(store: RedisStore):
    """Both nodes do the clock's act under one id, at their own moments: the heads are equal, what came of it is not."""
    head = await a_table(store)
    assert await store.commit(commit(head, "clock", entry=b"theirs")) == Committed(2, "2:clock")
    ours = [commit(head, "clock", entry=b"ours"), commit("2:clock", "c1", decision=decided())]
    assert await store.commit_all(ours) == [Stale(2, "2:clock"), Stale(2, "2:clock")]
    assert await store.commit(commit("2:clock", "c1", decision=decided())) == Committed(3, "3:c1")


async def test_what_was_decided_on_a_command_that_another_node_kept_is_stale(store: RedisStore):
    head = await a_table(store)
    assert await store.commit(commit(head, "c1", entry=b"theirs", decision=decided())) == Committed(2, "2:c1")
    ours = [commit(head, "c1", entry=b"ours", decision=decided()), commit("2:c1", "c2")]
    first, second = await store.commit_all(ours)
    assert isinstance(first, Repeated)
    assert second == Stale(2, "2:c1")
