"""Who comes back gets what he missed, byte for byte, or a snapshot and why; what goes wrong unseen is found and healed."""

import asyncio
from dataclasses import replace
from typing import Any

import msgpack
import pytest
import redis as redis_py

from core.ids import UnitId
from protocol import checks, lines
from protocol.from_client import Drift, Resume
from server import cells, drift, joining
from server.catching_up import catch_up
from server.losses import begin_anew
from server.rooms import Rooms
from server.store.problems import NewerState, StoreAway
from tests.end_to_end.earlier import dump, restore
from tests.server.evening import Ear, Evening, newer_state
from tests.server.test_rooms import add_unit


async def talk(evening: Evening, times: int, who: str = "Bob") -> None:
    """So many changes that everybody sees, sixteen in one call."""
    for start in range(0, times, 16):
        several = range(start, min(times, start + 16))
        await asyncio.gather(*(evening.say(who, "say", seq=1, client=f"c{k}", text=f"{k}") for k in several))


def told_of(ear: Ear, kind: str) -> list[dict[str, Any]]:
    """The lines of one kind that were heard."""
    packed = [line for one in ear.told if isinstance(one, list) for line in one[3]]
    return [lines.unpack(one).fields for one in packed if one[0] == lines.INDEX[kind]]  # type: ignore[misc]


def checks_of(ear: Ear) -> list[dict[str, Any]]:
    return [one for one in ear.told if isinstance(one, dict) and one["t"] == "check"]


# ----------------------------------------------------------------------------------------------------------- what is kept
async def test_the_last_two_thousand_changes_are_there_however_old(evening: Evening):
    await talk(evening, 2001)
    await evening.meet()  # else the other node may send the last change a moment after it has let a connection in
    epoch, n = evening.place("Ann")
    all_of_them = evening.seats["Ann"].ears[0].patches
    back = await evening.listen("Ann", node=1, resume=(epoch, n - 2000))
    assert back.patches == all_of_them[-2000:]
    assert back.snapshots == []
    further = await evening.listen("Ann", node=1, resume=(epoch, n - 2001))
    assert (further.patches, further.snapshots[0]["reason"]) == ([], "too_old")


async def test_a_node_that_has_not_heard_of_a_new_epoch_looks_before_it_answers(evening: Evening):
    """Else who has the new one would be thrown back to the old."""
    first, second = evening.rooms
    async with second.lock:  # it hears nothing meanwhile
        async with first.lock:
            await begin_anew(first, {evening.seats["Ann"].key.audience: evening.place("Ann")[0]})
        await evening.say("Bob", "say", text="in the new epoch")
        place = evening.place("Ann")
        again = Resume(epoch=place[0], n=place[1] - 1)
        reason, missed = await joining._since(second, evening.seats["Ann"].key, again)
        assert (reason, missed) == ("", evening.seats["Ann"].ears[0].patches[-1:])


# --------------------------------------------------------------------------------------------------- what a resume leaves
async def test_a_resume_that_fails_leaves_nothing_behind(evening: Evening, monkeypatch: pytest.MonkeyPatch):
    await talk(evening, 3)
    room = evening.rooms[0]
    before = dict(room.listeners), room.version, {n: set(a.connections) for n, a in room.audiences.items()}

    async def away(*_: object) -> None:
        raise StoreAway("gone")

    with monkeypatch.context() as patched:
        patched.setattr(room.store, "diffs", away)
        with pytest.raises(StoreAway):
            await evening.listen("Ann", node=0, resume=(evening.place("Ann")[0], 0))
    for resume in (("of another life", 3), (evening.place("Ann")[0], 0)):
        ear = await evening.listen("Ann", node=0, resume=resume)
        room.leave(ear)  # type: ignore[arg-type]
    assert (dict(room.listeners), room.version, {n: set(a.connections) for n, a in room.audiences.items()}) == before


async def test_the_late_close_of_an_old_socket_changes_nothing(evening: Evening, nodes: tuple[Rooms, Rooms]):
    room, seat = evening.rooms[0], evening.seats["Ann"].key.seat
    old = evening.seats["Ann"].ears[0]
    was_here = nodes[0].presence.here(room, seat)
    await was_here.__aenter__()
    new = await evening.listen("Ann", node=0, resume=evening.place("Ann"))
    async with nodes[0].presence.here(room, seat):
        room.leave(old)  # type: ignore[arg-type]
        await was_here.__aexit__(None, None, None)
        assert seat in room.here
        await evening.say("Bob", "say", text="still there?")
        assert len(new.patches) == 1
        assert old.patches == []


# --------------------------------------------------------------------------------------------------------------- a loss
async def test_a_client_ahead_of_the_store_alarms_the_storyteller_once(
    evening: Evening, caplog: pytest.LogCaptureFixture
):
    """Though it knocks at two nodes at the same moment."""
    epoch, n = evening.place("Ann")
    both = await asyncio.gather(*(evening.listen("Ann", node=k, resume=(epoch, n + 5)) for k in (0, 1)))
    await evening.meet()
    assert {ear.snapshots[0]["epoch"] for ear in both} == {evening.place("Ann")[0]} != {epoch}
    assert {ear.snapshots[0]["reason"] for ear in both} <= {"ahead", "epoch"}
    seat = evening.seats["Ann"].key.seat
    alarms = told_of(evening.seats["ST"].ears[0], "seen_lost")
    assert alarms == [{"seat": seat, "first": n + 1, "last": n + 5}]
    assert told_of(evening.seats["Bob"].ears[0], "seen_lost") == []
    assert any("ahead of the store" in message for message in caplog.messages)


@pytest.fixture
def loss(evening: Evening, valkey: str):
    """Puts the store back to where it was when this was asked for, as a backup would."""
    kept = dump(valkey)
    return lambda: restore(valkey, kept)


async def test_a_store_that_was_set_back_begins_anew_once_and_says_what_is_gone(
    evening: Evening, loss: Any, caplog: pytest.LogCaptureFixture
):
    await evening.say("ST", "narrate", text="lost", client="gone")
    await evening.say("Ann", "say", text="lost too", client="gone")
    await evening.meet()
    positions = [evening.place("ST")[1] - 1, evening.place("ST")[1]]
    before = {who: evening.place(who)[0] for who in evening.seats}
    loss()
    await evening.meet()
    log = await evening.rooms[0].store.entries(evening.table, 0)
    assert sum(msgpack.unpackb(one.entry, strict_map_key=False)["reason"] == "continuity was lost" for one in log) == 1
    for who, sitting in evening.seats.items():
        assert evening.place(who, 0) == evening.place(who, 1)
        assert evening.place(who)[0] != before[who]
        assert {ear.snapshots[-1]["reason"] for ear in sitting.ears} <= {"ahead", "epoch"}
        assert sitting.ears[0].state == sitting.ears[1].state
    told = [alarm for ear in evening.seats["ST"].ears for alarm in told_of(ear, "history_lost")]
    acts = ["Storyteller 1", "Ann 1"]
    assert told == [{"count": 2, "first": positions[0], "last": positions[1], "acts": acts}] * 2
    assert told_of(evening.seats["Ann"].ears[0], "history_lost") == []
    assert any("lost what it had confirmed" in message for message in caplog.messages)
    assert (await evening.say("Ann", "say", text="on we go", node=1, client="gone"))["t"] == "ack"


async def test_a_loss_of_which_the_store_could_not_be_told_is_found_again(
    evening: Evening, loss: Any, monkeypatch: pytest.MonkeyPatch
):
    """It fails again, between the look at what is left of it and the new epochs."""
    await evening.say("Ann", "say", text="lost", client="gone")
    await evening.meet()
    before = {who: evening.place(who)[0] for who in evening.seats}
    loss()

    async def away(_: object) -> None:
        raise StoreAway("the store does not answer")

    for room in evening.rooms:
        with monkeypatch.context() as patched:
            patched.setattr(room.store, "commit", away)
            async with room.lock:
                with pytest.raises(StoreAway):
                    await catch_up(room)
    await evening.meet()
    assert all(evening.place(who)[0] != before[who] for who in evening.seats)
    acts = [alarm["acts"] for alarm in told_of(evening.seats["ST"].ears[0], "history_lost")]
    assert acts == [["Ann 1"]]


async def test_an_alarm_of_which_the_store_could_not_be_told_is_raised_when_it_can(
    evening: Evening, loss: Any, monkeypatch: pytest.MonkeyPatch
):
    """Everybody has a new start already; then the store fails again."""
    await evening.say("Ann", "say", text="lost", client="gone")
    await evening.meet()
    room = evening.rooms[0]
    async with evening.rooms[1].lock:
        loss()

        async def away(_: object) -> None:
            raise StoreAway("the store does not answer")

        with monkeypatch.context() as patched:
            patched.setattr(room, "act", away)
            async with room.lock:
                with pytest.raises(StoreAway):
                    await catch_up(room)
        assert told_of(evening.seats["ST"].ears[0], "history_lost") == []
        ear = evening.seats["ST"].ears[0]
        async with asyncio.timeout(60):  # by itself, when it next looks for news
            while not told_of(ear, "history_lost"):
                ear.something.clear()
                await ear.something.wait()
    assert [alarm["acts"] for alarm in told_of(ear, "history_lost")] == [["Ann 1"]]


async def test_each_node_names_what_only_it_knows_of(evening: Evening, loss: Any):
    await evening.say("Bob", "say", text="both have seen this")
    await evening.meet()
    async with evening.rooms[1].lock:  # this node hears nothing of what follows
        await evening.say("Bob", "say", text="one has seen this")
        loss()
        async with evening.rooms[0].lock:
            await catch_up(evening.rooms[0])
        await catch_up(evening.rooms[1])
    await evening.meet()
    acts = [alarm["acts"] for alarm in told_of(evening.seats["ST"].ears[0], "history_lost")]
    assert acts == [["Bob 1", "Bob 2"]]


async def test_the_node_that_knows_more_adds_it(evening: Evening, loss: Any):
    await evening.say("Bob", "say", text="both have seen this")
    await evening.meet()
    async with evening.rooms[1].lock:
        await evening.say("Bob", "say", text="one has seen this")
        loss()
        async with evening.rooms[0].lock:
            await catch_up(evening.rooms[1])
            await catch_up(evening.rooms[0])
    await evening.meet()
    acts = [alarm["acts"] for alarm in told_of(evening.seats["ST"].ears[1], "history_lost")]
    assert acts == [["Bob 1"], ["Bob 2"]]


# ---------------------------------------------------------------------------------------------------------------- drift
async def test_every_64_changes_the_view_is_summed_up(evening: Evening):
    await talk(evening, 140)
    await evening.meet()
    for who, sitting in evening.seats.items():
        first = sitting.ears[0]
        n = evening.place(who)[1]
        assert [one["n"] // 64 for one in checks_of(first)] == list(range(1, n // 64 + 1))
        fresh = await evening.listen(who, node=1, resume=evening.place(who))
        assert checks_of(fresh) == [{"t": "check", "n": n, "crc": checks.crc(first.state)}]


async def test_an_older_client_is_not_asked(evening: Evening, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Ear, "minor", 0, raising=False)
    for ear in evening.seats["Ann"].ears:
        ear.minor = 0
    await talk(evening, 70)
    assert checks_of(evening.seats["Ann"].ears[0]) == []


async def test_a_client_that_has_gone_wrong_is_sent_all_anew(evening: Evening, caplog: pytest.LogCaptureFixture):
    ear, key = evening.seats["Ann"].ears[0], evening.seats["Ann"].key
    n = evening.place("Ann")[1]
    await drift.heal(evening.rooms[0], ear, key, Drift(n=n, crc=5))  # type: ignore[arg-type]
    assert ear.snapshots[-1]["reason"] == "drift"
    assert all(one["reason"] != "drift" for one in evening.seats["Bob"].ears[0].snapshots)
    assert [record.getMessage() for record in caplog.records] == ["a client's view has drifted from the table"]


async def test_a_node_that_has_gone_wrong_finds_it_and_tells_everybody(
    evening: Evening, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    unit = await add_unit(evening, "Ogre", owner="Ann")
    await evening.meet()
    room = evening.rooms[1]
    ogre = room.table.play.units[UnitId(unit)]
    wrong = replace(ogre, tracks={"hp": replace(ogre.tracks["hp"], value=99)})
    room.table = replace(room.table, play=replace(room.table.play, units={**room.table.play.units, ogre.id: wrong}))
    monkeypatch.setattr("server.drift.EVERY", 1)
    monkeypatch.setattr("server.drift.AT_MOST_S", 0.0)
    await evening.say("Bob", "say", text="something happens")
    async with asyncio.timeout(60):
        while room.table.play.units[ogre.id] == wrong:
            ear = evening.seats["Ann"].ears[1]
            ear.something.clear()
            await ear.something.wait()
    assert room.table == evening.rooms[0].table
    for sitting in evening.seats.values():
        assert sitting.ears[1].snapshots[-1]["reason"] == "drift"
        assert sitting.ears[1].state == sitting.ears[0].state
    (found,) = [record for record in caplog.records if "memory of a table had drifted" in record.getMessage()]
    assert found.cells == [f"u:{unit}"]  # type: ignore[attr-defined]


async def test_a_node_remembers_what_is_stored(evening: Evening):
    """After a new epoch too, which changes nothing but the time."""
    await add_unit(evening, "Ogre", owner="Ann")
    async with evening.rooms[0].lock:
        await begin_anew(evening.rooms[0], {evening.seats["Ann"].key.audience: evening.place("Ann")[0]})
    await evening.meet()
    for room in evening.rooms:
        async with room.lock:
            assert await drift.verify(room)


# ---------------------------------------------------------------------------------------------------- a newer server's state
async def test_a_table_with_something_unknown_in_it_is_left_alone(evening: Evening, valkey: str):
    unit = await add_unit(evening, "Ogre")
    with redis_py.Redis.from_url(valkey) as store:
        state = f"ov:{{{evening.table}}}:st"
        told = cells.unpacked(store.hget(state, f"u:{unit}"))
        store.hset(state, f"u:{unit}", msgpack.packb({**told, "of_tomorrow": 1}))
        before = store.hgetall(state)
    loaded = await evening.rooms[0].store.load(evening.table)
    assert loaded is not None
    with pytest.raises(NewerState, match=rf"u:{unit}: of_tomorrow"):
        cells.table_of(loaded.cells, evening.table)
    with redis_py.Redis.from_url(valkey) as store:
        assert store.hgetall(state) == before


async def test_an_older_node_steps_aside_for_newer_state(
    evening: Evening, valkey: str, caplog: pytest.LogCaptureFixture
):
    newer_state(valkey, evening.table, schema="2", event=["WeatherChanged", {"rain": True}])
    async with asyncio.timeout(60):
        for sitting in evening.seats.values():
            for ear in sitting.ears:
                while ear.closed is None:
                    ear.something.clear()
                    await ear.something.wait()
                assert ear.closed == 4201
                assert ear.told[-1]["t"] == "goaway"
    assert any("steps aside" in message and "schema 2" in message for message in caplog.messages)
    with pytest.raises(NewerState):
        await evening.say("Ann", "say", text="too late")
    with redis_py.Redis.from_url(valkey) as raw:
        assert raw.hget(f"ov:{{{evening.table}}}:meta", "head") == f"{evening.rooms[0].version + 1}:newer".encode()


@pytest.mark.parametrize("event", [["WeatherChanged", {"rain": True}], ["Narrated", {"text": "x", "loud": True}]])
async def test_an_event_that_is_not_known_is_no_harm_where_the_state_is(
    evening: Evening, valkey: str, event: Any, caplog: pytest.LogCaptureFixture
):
    newer_state(valkey, evening.table, event=event)
    assert (await evening.say("Ann", "say", text="on we go"))["t"] == "ack"
    await evening.meet()
    assert evening.rooms[0].table == evening.rooms[1].table
    assert any("the table is loaded anew" in message for message in caplog.messages)
