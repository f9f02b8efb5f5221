"""Several waiting commands of one table, kept in one call: each is decided, answered and done as if it had come alone."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgpack
import pytest

from protocol.lines import unpack
from server import line
from server.presence import Presence
from server.rooms import Rooms
from server.store import lanes
from server.store.problems import StoreAway
from server.store.redis import RedisStore
from server.store.values import Commit, Outcome, Refusal
from tests.helpers.lossy_proxy import LossyProxy
from tests.server.evening import Evening, begin


class Calls:
    """The calls of the store that keep something: how many commands went in each.

    `before` runs once before the next, `after` once when the store has kept it and nobody here knows yet.
    """

    def __init__(self, store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        self.before: Any = None
        self.after: Any = None
        real = store.commit_all

        async def commit_all(several: Sequence[Commit | Refusal]) -> list[Outcome]:
            self.sizes.append(len(several))
            if self.before:
                first, self.before = self.before, None
                await first()
            outcomes = await real(several)
            if self.after:
                then, self.after = self.after, None
                await then()
            return outcomes

        monkeypatch.setattr(store, "commit_all", commit_all)


@pytest.fixture
def calls(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(evening.rooms[0].store, monkeypatch)


async def all_at_once(evening: Evening, count: int, **fields: Any) -> list[dict[str, Any]]:
    """Ann's, Bob's and the ST's clients say something, all while the table is held up."""
    room = evening.rooms[0]
    async with room.lock:
        saying = [
            asyncio.create_task(
                evening.say(("Ann", "Bob", "ST")[k % 3], "say", client=f"c{k}", seq=1, text=f"line {k}", **fields)
            )
            for k in range(count)
        ]
        await asyncio.sleep(0)  # all of them stand in the line now
    return await asyncio.gather(*saying)


def texts(evening: Evening, node: int = 1) -> list[str]:
    """What Bob has heard said."""
    told = evening.seats["Bob"].ears[node].told
    lines = [unpack(packed) for one in told if isinstance(one, list) for packed in one[3]]
    return [one["text"] for one in lines if one.kind == "said"]


async def test_those_who_wait_are_kept_in_one_call_each_with_a_version_of_his_own(evening: Evening, calls: Calls):
    version = evening.rooms[0].version
    replies = await all_at_once(evening, 9)
    assert calls.sizes == [9]
    assert [one["t"] for one in replies] == ["ack"] * 9
    assert evening.rooms[0].version == version + 9
    await evening.meet()
    assert texts(evening, 0) == texts(evening, 1) == [f"line {k}" for k in range(9)]
    for who in ("ST", "Ann", "Bob"):
        first, second = evening.seats[who].ears
        assert first.patches == second.patches
        numbers = [msgpack.unpackb(patch)[1] for patch in first.patches]
        assert numbers == list(range(numbers[0], numbers[0] + 9))


async def test_a_group_is_never_larger_than_its_limit(evening: Evening, calls: Calls):
    replies = await all_at_once(evening, 2 * line.MOST + 3)
    assert calls.sizes == [line.MOST, line.MOST, 3]
    assert [one["t"] for one in replies] == ["ack"] * (2 * line.MOST + 3)
    await evening.meet()
    assert texts(evening) == [f"line {k}" for k in range(2 * line.MOST + 3)]


async def test_if_the_first_of_a_group_is_stale_all_are_decided_on_what_there_is_now(evening: Evening, calls: Calls):
    async def other_node() -> None:
        await evening.say("Ann", "say", node=1, client="elsewhere", seq=1, text="I was faster")

    calls.before = other_node
    replies = await all_at_once(evening, 5)
    assert calls.sizes == [5, 5]
    assert [one["t"] for one in replies] == ["ack"] * 5
    await evening.meet()
    assert texts(evening) == ["I was faster", *(f"line {k}" for k in range(5))]


async def test_each_is_decided_on_what_those_before_it_make(evening: Evening, calls: Calls):
    """The same value set by three at once, each from what it was: the first does it, the others are told it has changed."""
    unit = str((await evening.say("ST", "add_unit", unit={"name": "Ogre", "tracks": {"hp": 10}}))["made"][0])
    calls.sizes.clear()
    async with evening.rooms[0].lock:
        setting = [
            asyncio.create_task(
                evening.say("ST", "set_value", client=f"c{k}", seq=1, unit=unit, path="hp", value=k, was=10)
            )
            for k in range(3)
        ]
        saying = asyncio.create_task(evening.say("Ann", "say", client="after", seq=1, text="after all that"))
        await asyncio.sleep(0)
    replies = await asyncio.gather(*setting)
    assert calls.sizes == [4]
    assert [one.get("code", one["t"]) for one in replies] == ["ack", "changed", "changed"]
    assert (await saying)["t"] == "ack"
    again = [
        await evening.say("ST", "set_value", node=1, client=f"c{k}", seq=1, unit=unit, path="hp", value=k, was=10)
        for k in range(3)
    ]
    assert again == replies
    assert evening.rooms[1].table.play.units[unit].tracks["hp"].value == 0  # type: ignore[index]


async def test_the_same_command_twice_among_those_who_wait_is_done_once(evening: Evening, calls: Calls):
    async with evening.rooms[0].lock:
        both = [
            asyncio.create_task(evening.say("Ann", "say", client=client, seq=7, text="once"))
            for client in ("a", "b", "a")
        ]
        await asyncio.sleep(0)
    first, other, again = await asyncio.gather(*both)
    assert calls.sizes == [2, 1]
    assert again == first
    assert other != first
    await evening.meet()
    assert texts(evening) == ["once", "once"]


async def test_one_decided_elsewhere_meanwhile_gets_its_answer_and_the_others_are_decided_anew(
    evening: Evening, calls: Calls
):
    """In the middle of the group: the same command had been asked on the other node, too."""
    elsewhere: list[dict[str, Any]] = []

    async def other_node() -> None:
        elsewhere.append(await evening.say("Bob", "say", node=1, client="c1", seq=1, text="line 1", seen=0))

    calls.before = other_node
    replies = await all_at_once(evening, 4, seen=0)
    assert replies[1] == elsewhere[0]
    await evening.meet()
    assert sorted(texts(evening)) == [f"line {k}" for k in range(4)]
    first, second = evening.seats["Ann"].ears
    assert first.patches == second.patches


async def test_a_rewind_sees_all_that_came_before_it(evening: Evening, calls: Calls):
    unit = str((await evening.say("ST", "add_unit", unit={"name": "Ogre", "tracks": {"hp": 10}}))["made"][0])
    n = evening.place("ST")[1]
    await evening.say("ST", "adjust", unit=unit, path="hp", by=-3)
    calls.sizes.clear()
    async with evening.rooms[0].lock:
        tasks = [
            asyncio.create_task(one)
            for one in (
                evening.say("Ann", "say", client="x", seq=1, text="that hurt"),
                evening.say("ST", "rewind", client="y", seq=1, to=n, head=n + 2),
                evening.say("ST", "adjust", client="z", seq=1, unit=unit, path="hp", by=-1, seen=n + 1),
            )
        ]
        await asyncio.sleep(0)
    replies = await asyncio.gather(*tasks)
    assert [one.get("code", one["t"]) for one in replies] == ["ack", "ack", "stale"]
    assert calls.sizes == [1, 2]
    assert evening.rooms[0].table.play.units[unit].tracks["hp"].value == 10  # type: ignore[index]


async def test_who_leaves_takes_nobody_with_him(evening: Evening, calls: Calls):
    """The command at whose turn a group is being kept is cancelled: the others are answered, all is done once."""
    room = evening.rooms[0]
    started = asyncio.Event()
    go_on = asyncio.Event()

    async def hold() -> None:
        started.set()
        await go_on.wait()

    calls.after = hold
    async with room.lock:
        saying = [
            asyncio.create_task(evening.say("Ann", "say", client=f"c{k}", seq=1, text=f"line {k}")) for k in range(4)
        ]
        await asyncio.sleep(0)
    await started.wait()
    saying[0].cancel()
    go_on.set()
    replies = await asyncio.gather(*saying, return_exceptions=True)
    assert isinstance(replies[0], asyncio.CancelledError)
    assert all(isinstance(one, dict) and one["t"] == "ack" for one in replies[1:])
    await evening.meet()
    assert sorted(texts(evening)) == [f"line {k}" for k in range(4)]


async def on_a_bad_wire(proxy: LossyProxy, stack: AsyncExitStack) -> Evening:
    store = await RedisStore.connect(proxy.url)
    stack.push_async_callback(store.close)
    node = await stack.enter_async_context(Rooms(store, Presence(store, 60.0), 60.0))
    return await begin((node,), stack)


async def test_a_group_whose_answer_is_lost_is_kept_once_and_every_one_is_answered(valkey: str, tmp_path: Path):
    async with LossyProxy(valkey, tmp_path) as proxy, AsyncExitStack() as stack:
        evening = await on_a_bad_wire(proxy, stack)
        await evening.say("Ann", "say", client="first", seq=1, text="before")
        proxy.lose_answers_to(b"EVALSHA", 2)
        replies = await all_at_once(evening, 6)
        assert proxy.lost == 2
        assert [one["t"] for one in replies] == ["ack"] * 6
        assert texts(evening, 0) == ["before", *(f"line {k}" for k in range(6))]


async def test_a_group_for_which_the_store_is_away_can_be_asked_again_whole(
    valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It was kept, but nobody could be told. Asked again each gets the answer it had got, and nothing is done twice."""
    async with LossyProxy(valkey, tmp_path) as proxy, AsyncExitStack() as stack:
        evening = await on_a_bad_wire(proxy, stack)
        await evening.say("Ann", "say", client="first", seq=1, text="before")
        monkeypatch.setattr(lanes, "DEADLINE_S", 0.2)
        proxy.lose_answers_to(b"EVALSHA", 1000)
        calls = Calls(evening.rooms[0].store, monkeypatch)
        async with evening.rooms[0].lock:
            saying = [
                asyncio.create_task(evening.say("Ann", "say", client=f"c{k}", seq=1, text=f"line {k}", seen=1))
                for k in range(5)
            ]
            await asyncio.sleep(0)
        away = await asyncio.gather(*saying, return_exceptions=True)
        assert [type(one) for one in away] == [StoreAway] * 5
        assert calls.sizes == [5]  # nobody waits for the time of the others, one after the other
        proxy.lose_answers_to(b"", 0)
        monkeypatch.setattr(lanes, "DEADLINE_S", 3.0)
        replies = [await evening.say("Ann", "say", client=f"c{k}", seq=1, text=f"line {k}", seen=1) for k in range(5)]
        assert [one["t"] for one in replies] == ["ack"] * 5
        n = replies[0]["n"]
        assert [one["n"] for one in replies] == list(range(n, n + 5))
        assert texts(evening, 0) == ["before", *(f"line {k}" for k in range(5))]
