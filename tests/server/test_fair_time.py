"""When an answer was given is the server's to say: when it read it, less what it has measured the line to take."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgpack
import pytest
from pydantic import BaseModel
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.asyncio.server import ServerConnection, serve

from protocol import from_client
from protocol.client import Table
from server import seating
from server.app import App
from server.delay import KEPT, MOST_MS, Delay
from server.room import Room
from server.seating import Seated
from tests.server.test_gateway import heard, hello, raw, settings, sit


# --------------------------------------------------------------------------------------------------- measured on the line
@asynccontextmanager
async def measuring() -> AsyncIterator[tuple[Delay, ClientConnection]]:
    """A connection over a real socket, measured by its server again and again; and the client's end of it."""
    met: asyncio.Future[Delay] = asyncio.get_running_loop().create_future()

    async def converse(socket: ServerConnection) -> None:
        delay = Delay(socket, every_s=0)
        async with delay.measured():
            met.set_result(delay)
            await socket.wait_closed()

    async with serve(converse, "127.0.0.1", 0, ping_interval=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with open_socket(f"ws://127.0.0.1:{port}", ping_interval=None) as client:
            yield await met, client


async def trips(delay: Delay, n: int) -> None:
    async with asyncio.timeout(30):
        while len(delay._trips_s) < n:  # noqa: ASYNC110 - it tells nobody when it has measured
            await asyncio.sleep(0)


async def test_the_way_is_half_a_round_trip_that_the_server_measures():
    async with measuring() as (delay, client):
        await trips(delay, KEPT)
        quick = delay.way_ms
        delay._trips_s.clear()
        client.transport.pause_reading()  # it hears nothing, so it says nothing
        asyncio.get_running_loop().call_later(0.4, client.transport.resume_reading)
        await trips(delay, 1)
        assert delay.way_ms >= quick + 100


async def test_one_trip_that_got_stuck_does_not_count_and_nobody_is_slower_than_the_most():
    async with measuring() as (delay, _):
        pass
    assert Delay(delay._socket, 1).way_ms == 0, "not measured yet: nothing is given back"
    delay._trips_s.extend([0.1, 0.1, 9.0, 0.1, 0.1])
    assert delay.way_ms == 50
    delay._trips_s.extend([60.0] * KEPT)
    assert delay.way_ms == MOST_MS


# ------------------------------------------------------------------------------------------------ what a client says of it
def models() -> Iterator[type[BaseModel]]:
    kinds = [one for one in vars(from_client).values() if isinstance(one, type) and issubclass(one, from_client.Wire)]
    yield from kinds


def test_no_message_of_a_client_has_a_place_for_his_time():
    """Whoever adds a field that tells a time says here why it is none of the sender's clock."""
    telling = {"now", "at", "time", "when", "sent", "ms", "clock", "rtt", "way", "delay", "lag", "deadline"}
    found = {f"{m.__name__}.{f}" for m in models() for f in m.model_fields if telling & set(f.split("_"))}
    assert found == {
        "SetClock.by_ms",  # the ST's: so much more than there is
        "SetWorld.time_s",  # what time it is in the story
    }


@pytest.fixture
async def at_the_end(valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    """(room, window, Bob's seat, raw socket): Bob is asked, and the clock stands still 100 ms after the deadline."""
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(App(settings(valkey, tmp_path)))
        st = await seating.make_table(app.rooms, "Thursday", practice_seed=7)
        bob = await seating.add_seat(app.rooms, st.table, "Bob", "player")
        storyteller: Table = await stack.enter_async_context(sit(app, st))
        await prepared(storyteller, bob)
        room = await stack.enter_async_context(app.rooms.using(st.table))
        (window,) = room.table.play.windows.values()
        assert window.clock
        monkeypatch.setattr(room.store, "clock", lambda: window.clock.deadline + 100)
        monkeypatch.setattr(Room, "clock", lambda self: self.store.clock())
        socket = await stack.enter_async_context(raw(app))
        await socket.send(msgpack.packb(hello(bob)))
        while (await heard(socket))["t"] != "snapshot":
            pass
        yield room, window, socket


async def prepared(storyteller: Table, bob: Seated) -> None:
    sword = {"name": "Sword", "act": "attack", "needs_target": True, "pool": {"fixed": 5}}
    units = []
    for name, owner in (("Ghoul", None), ("Oni", bob.seat)):
        unit = {"name": name, "side": name, "tracks": {"hp": 30}, "on_stage": True, "abilities": [sword]}
        made = await storyteller.command("add_unit", unit=unit, owner=owner)
        units.append(made.made[0])
    await storyteller.command("set_house", key="reaction_window_ms", value=3_000_000)
    act = {"kind": "attack", "slot": "standard", "ability": "Sword", "targets": [units[1]]}
    await storyteller.command("declare", unit=units[0], act=act)


async def answered(socket: ClientConnection, seq: int, window: Any, **others: Any) -> dict[str, Any]:
    said = {"t": "command", "seq": seq, "seen": 0, "kind": "pass", "window": window.id, "gen": window.gen, **others}
    await socket.send(msgpack.packb(said))
    while True:
        message: Any = await heard(socket)
        if isinstance(message, dict) and message.get("seq") == seq:  # a DIFF is a list
            return message


async def test_what_a_client_says_of_his_time_is_not_heard(at_the_end: Any):
    room, window, socket = at_the_end
    early = window.clock.deadline - 5000
    await socket.send(msgpack.packb({"t": "ping", "id": early, "now": early, "at": early}))
    await socket.pong(b"long ago")
    names = ("now", "at", "time", "when", "sent_at", "clock", "ms", "rtt", "way_ms", "delay_ms", "lag_ms", "deadline")
    for seq, said in enumerate([{}, *({name: early} for name in names), {"way_ms": 250, "rtt": 500}], start=1):
        reply = await answered(socket, seq, window, **said)
        assert reply["code"] == "window_closed", said
    assert room.table.play.stack


async def test_what_the_server_has_measured_of_his_line_is(at_the_end: Any, monkeypatch: pytest.MonkeyPatch):
    room, window, socket = at_the_end
    assert (await answered(socket, 1, window))["code"] == "window_closed"
    monkeypatch.setattr(Delay, "way_ms", 101)
    assert (await answered(socket, 2, window))["t"] == "ack"
    assert room.table.play.given
