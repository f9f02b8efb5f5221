"""Windows end by themselves, on whichever node is awake; a deadline needs nobody's click and happens once."""

import asyncio
import statistics
from typing import Any

import pytest

from protocol.lines import NAMES
from server.presence import Presence
from server.rooms import Rooms
from tests.bench.several import lateness_ms
from tests.server.evening import Evening

ATTACK = {"kind": "attack", "slot": "standard", "ability": "Sword"}
SWORD = {"name": "Sword", "act": "attack", "needs_target": True, "pool": {"fixed": 5}}


async def a_fight(evening: Evening, window_ms: int) -> tuple[str, str]:
    """Ann's Aki acts, Bob's Oni may react; windows last this long."""
    units = []
    await evening.say("ST", "set_house", key="reaction_floor_ms", value=0)
    await evening.say("ST", "set_house", key="reaction_window_ms", value=window_ms)
    for name, owner, initiative in (("Aki", "Ann", 9), ("Oni", "Bob", 5)):
        unit = {"name": name, "side": name, "tracks": {"hp": 30}, "initiative": initiative, "abilities": [SWORD]}
        unit["on_stage"] = True
        made = await evening.say("ST", "add_unit", unit=unit, owner=evening.seats[owner].key.seat)
        units.append(made["made"][0])
    assert (await evening.say("Bob", "set_standing_order", act="*", order="ask"))["t"] == "ack"
    reply = await evening.say("ST", "start_fight")
    assert reply["t"] == "ack", reply
    return units[0], units[1]


async def attack(evening: Evening, unit: str, target: str) -> dict[str, Any]:
    reply = await evening.say("Ann", "declare", unit=unit, act={**ATTACK, "targets": [target]})
    assert reply["t"] == "ack", reply
    return reply


def lines(evening: Evening, who: str, node: int) -> list[str]:
    return [NAMES[line[0]] for one in evening.seats[who].ears[node].told if isinstance(one, list) for line in one[3]]


async def until(evening: Evening, kind: str, node: int) -> None:
    ear = evening.seats["Ann"].ears[node]
    async with asyncio.timeout(60):
        while kind not in lines(evening, "Ann", node):
            ear.something.clear()
            await ear.something.wait()


async def test_a_window_ends_at_its_deadline_once(evening: Evening):
    aki, oni = await a_fight(evening, 1000)
    await attack(evening, aki, oni)
    assert evening.rooms[0].table.play.stack
    await until(evening, "carried_out", 1)
    await evening.meet()
    assert not evening.rooms[1].table.play.stack
    for node in (0, 1):
        assert lines(evening, "Ann", node).count("carried_out") == 1
    assert evening.seats["Ann"].ears[0].patches == evening.seats["Ann"].ears[1].patches


async def test_the_clock_goes_before_a_late_answer(evening: Evening, monkeypatch: pytest.MonkeyPatch):
    """Whatever the timers do: who answers after the deadline is late, and it costs him nothing."""
    aki, oni = await a_fight(evening, 60_000)
    for room in evening.rooms:
        room.timer.stop()
    await attack(evening, aki, oni)
    (window,) = evening.rooms[0].table.play.windows.values()
    assert window.clock is not None
    late = window.clock.deadline + window.clock.grace
    monkeypatch.setattr(evening.rooms[0].store, "clock", lambda: late)
    reply = await evening.say("Bob", "pass", window=window.id, gen=window.gen)
    assert reply["code"] == "window_closed"
    assert "carried_out" in lines(evening, "Bob", 0)


async def test_a_table_that_slept_is_settled_when_it_wakes(evening: Evening, nodes: tuple[Rooms, Rooms]):
    aki, oni = await a_fight(evening, 150)
    for room in evening.rooms:
        room.timer.stop()  # as if both nodes had gone to sleep
    await attack(evening, aki, oni)
    async with Rooms(nodes[0].store, Presence(nodes[0].store, 1.0), 1.0) as third, third.using(evening.table) as room:
        async with asyncio.timeout(60):
            while room.table.play.stack:
                await evening.meet()
    await evening.meet()
    assert lines(evening, "Ann", 0).count("carried_out") == 1


async def test_time_goes_on_and_never_back_where_the_stores_clock_is_set_back(evening: Evening):
    """A window that was opened before closes when it would have; nobody waits an hour for the clock to come back."""
    aki, oni = await a_fight(evening, window_ms=300)
    await attack(evening, aki, oni)
    for node in evening.nodes:
        node.store.offset_ms -= 3_600_000
    async with asyncio.timeout(60):
        while "window_closed" not in lines(evening, "ST", 1):
            ear = evening.seats["ST"].ears[1]
            ear.something.clear()
            await ear.something.wait()
    assert (await evening.say("ST", "narrate", text="an hour ago"))["t"] == "ack"
    told = [line for one in evening.seats["ST"].ears[0].told if isinstance(one, list) for line in one[3]]
    seconds = [line[1] for line in told]
    assert NAMES[told[-1][0]] == "narrated"
    assert seconds == sorted(seconds)


async def test_deadlines_on_two_nodes_happen_once_and_near_their_time(evening: Evening):
    late = await lateness_ms(evening, windows=15, window_ms=80)
    assert statistics.median(late) < 500  # how near is for `make bench`; by the look at all tables it would be later
    assert min(late) >= 0  # nobody's time is cut short
    await evening.meet()
    for node in (0, 1):
        assert lines(evening, "Ann", node).count("carried_out") == 15


async def test_an_answer_read_in_time_by_a_slow_node_counts(evening: Evening, monkeypatch: pytest.MonkeyPatch):
    """Until the grace is over, which is the same for all windows: so much time his node has to bring his answer in."""
    aki, oni = await a_fight(evening, 60_000)
    for room in evening.rooms:
        room.timer.stop()
    await attack(evening, aki, oni)
    await evening.meet()
    (window,) = evening.rooms[0].table.play.windows.values()
    assert window.clock is not None
    now = window.clock.deadline - 1
    for room in evening.rooms:
        monkeypatch.setattr(room.store, "clock", lambda: now)
    slow, goes_on, waits = evening.rooms[1].store, asyncio.Event(), asyncio.Event()
    commit_all = slow.commit_all

    async def late(several: Any) -> Any:
        waits.set()
        await goes_on.wait()
        return await commit_all(several)

    monkeypatch.setattr(slow, "commit_all", late)
    answering = asyncio.create_task(evening.say("Bob", "pass", node=1, window=window.id, gen=window.gen))
    await waits.wait()
    now = window.clock.deadline + window.clock.grace - 1
    await evening.rooms[0].tick()  # the other node, on time, has nothing to do yet
    goes_on.set()
    assert (await answering)["t"] == "ack"
    await evening.meet()
    (closed,) = [
        line
        for one in evening.seats["ST"].ears[0].told
        if isinstance(one, list)
        for line in one[3]
        if NAMES[line[0]] == "window_closed"
    ]
    assert "settled" in closed
