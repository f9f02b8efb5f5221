"""Clients that ask too much, over real sockets: they are told, what they asked is not lost, and the others play on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgpack
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode

from server import connection, gateway, limits, peer, seating, turned_away
from server.app import App
from server.door import Door, Full
from server.limits import Rate
from server.seating import Seated
from server.session import Session
from tests.server.test_gateway import closed_with, heard, hello, raw, settings, sit


class Clock:
    """The time by which is counted. It stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(Session, "_now", lambda _: clock.now)
    monkeypatch.setattr(limits.Allowance, "rest_s", lambda *_, **__: 0.0)  # nobody's turn comes while it stands still
    return clock


@pytest.fixture(autouse=True)
def short_farewells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does not listen any more does not hear the farewell either."""
    monkeypatch.setattr(gateway, "CLOSE_S", 0.1)
    monkeypatch.setattr(connection, "FAREWELL_S", 0.2)


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as found:
        yield found


class Evening:
    """A server with limits of a test's own, and a table with an ST and Ann on it."""

    def __init__(self, app: App, st: Seated, ann: Seated) -> None:
        self.app, self.st, self.ann = app, st, ann


async def evening(stack: AsyncExitStack, valkey: str, tmp_path: Path, **given: object) -> Evening:
    app = await stack.enter_async_context(App(settings(valkey, tmp_path, **given)))
    st = await seating.make_table(app.rooms, "Thursday", practice_seed=7)
    return Evening(app, st, await seating.add_seat(app.rooms, st.table, "Ann", "player"))


def say(seq: int, text: str = "x") -> bytes:
    packed: bytes = msgpack.packb({"t": "command", "seq": seq, "seen": 0, "kind": "say", "text": text})
    return packed


async def joined(socket: ClientConnection, seated: Seated, **more: object) -> dict[str, Any]:
    await socket.send(msgpack.packb(hello(seated, **more)))
    return await heard(socket)


async def answered(socket: ClientConnection, *kinds: str) -> dict[str, Any]:
    """The next message of one of these kinds."""
    while True:
        message = await heard(socket)
        if "t" in message and message["t"] in kinds:  # a DIFF is a list
            return message


async def closed_in_the_end(socket: ClientConnection) -> int:
    """The close code, after all that is still to be heard."""
    with contextlib.suppress(ConnectionClosed):
        async with asyncio.timeout(60):
            while True:
                await socket.recv()
    return socket.close_code or 0


async def plays_on(storyteller: Any) -> None:
    before = storyteller.n
    ack = await storyteller.command("narrate", text="On we go.")
    assert ack.n > before


# ---------------------------------------------------------------------------------------------------- refused and again
async def test_what_is_refused_for_its_rate_is_not_kept_and_comes_again_under_its_number(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, clock: Clock
):
    at = await evening(stack, valkey, tmp_path, rate_connection=1)
    async with raw(at.app) as socket:
        await joined(socket, at.ann)
        for seq in range(1, 31):
            await socket.send(say(seq))
            assert (await answered(socket, "ack", "refused"))["t"] == "ack"
        async with at.app.rooms.using(at.st.table) as room:
            version = room.version
            await socket.send(say(31, "heard once"))
            await socket.send(say(32))
            first, second = [await answered(socket, "refused") for _ in range(2)]
            assert (first["seq"], first["code"], first["retry"]) == (31, "rate", True)
            assert 1000 <= first["params"]["retry_ms"] < second["params"]["retry_ms"]
            await socket.send(msgpack.packb({"t": "ask", "id": 9, "what": "calc", "text": "1+1"}))
            question = await answered(socket, "answer")
            assert (question["id"], question["code"], "retry_ms" in question["params"]) == (9, "rate", True)
            await socket.send(msgpack.packb({"t": "ping", "id": 1}))
            error = await answered(socket, "error", "pong")
            assert (error["code"], "retry_ms" in error["params"]) == ("rate", True)
            assert room.version == version
            clock.now += 2
            await socket.send(say(32))
            assert (await answered(socket, "refused"))["code"] == "rate", "31 goes first"
            await socket.send(say(31, "heard once"))
            assert (await answered(socket, "ack"))["seq"] == 31
            await socket.send(say(32))
            assert (await answered(socket, "ack"))["seq"] == 32
            assert room.version == version + 2


async def test_a_question_that_took_long_is_paid_by_its_seat(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(limits, "THOUGHT_S", 1e-9)
    at = await evening(stack, valkey, tmp_path, rate_seat=1000)
    async with raw(at.app) as ann, raw(at.app) as again, raw(at.app) as st:
        for socket, seated in ((ann, at.ann), (again, at.ann), (st, at.st)):
            await joined(socket, seated)
        await ann.send(msgpack.packb({"t": "ask", "id": 1, "what": "options"}))
        assert (await answered(ann, "answer"))["options"]
        for socket, code in ((ann, "rate"), (again, "rate"), (st, None)):
            await socket.send(say(1))
            assert (await answered(socket, "ack", "refused")).get("code") == code


async def test_who_has_filled_the_log_is_refused_until_there_is_room_again(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, clock: Clock
):
    at = await evening(stack, valkey, tmp_path, rate_log=20)
    async with raw(at.app) as ann, raw(at.app) as st:
        await joined(ann, at.ann)
        await joined(st, at.st)
        for seq in range(1, 4):
            await ann.send(say(seq, "\U0001f409" * 2000))
            assert (await answered(ann, "ack", "refused"))["t"] == "ack"
        await ann.send(say(4))
        refused = await answered(ann, "ack", "refused")
        assert refused["code"] == "rate"
        await st.send(say(1))
        assert (await answered(st, "ack", "refused"))["t"] == "ack"
        clock.now += refused["params"]["retry_ms"] / 1000
        await ann.send(say(4))
        assert (await answered(ann, "ack", "refused"))["t"] == "ack"


async def test_the_sdk_waits_as_it_is_told_and_loses_nothing(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(limits, "FULL_S", 0.1)
    at = await evening(stack, valkey, tmp_path, rate_connection=200, rate_table=10_000)
    player = await stack.enter_async_context(sit(at.app, at.ann))
    refusals = 0

    def count(frame: Any) -> None:
        nonlocal refusals
        refusals += b"rate" in frame and b"retry_ms" in frame

    player.frames = count
    said = [player.command("say", text=f"<{k:02}>") for k in range(60)]
    asked = [player.ask("calc", text=f"{k} + 1") for k in range(20)]
    acks, answers = await asyncio.gather(asyncio.gather(*said), asyncio.gather(*asked))
    assert [(one.model_extra or {})["value"] for one in answers] == [k + 1 for k in range(20)]
    assert [one.n for one in acks] == sorted(one.n for one in acks), "in their order"
    assert [one.line["text"] for one in await player.log(limit=100) if one.kind == "said"] == [
        f"<{k:02}>" for k in range(60)
    ]
    assert refusals, "or nothing was tried here"


async def test_who_goes_on_and_on_is_closed_and_told_to_come_later(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, clock: Clock
):
    at = await evening(stack, valkey, tmp_path, rate_connection=1, rate_seat=1)
    storyteller = await stack.enter_async_context(sit(at.app, at.st))
    async with raw(at.app) as socket:
        await joined(socket, at.ann)

        async def flood() -> None:
            for seq in range(1, 1000):
                await socket.send(say(seq))

        flooding = asyncio.create_task(flood())
        assert await closed_in_the_end(socket) == 4104
        flooding.cancel()
        await asyncio.gather(flooding, return_exceptions=True)
    await plays_on(storyteller)
    said = sum(line.kind == "said" for line in await storyteller.log(limit=200))
    assert said == 30


async def test_bad_frames_and_pings_without_end_are_too_much_as_well(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, clock: Clock
):
    at = await evening(stack, valkey, tmp_path, rate_connection=1)
    for frame in (b"\xc1", msgpack.packb({"t": "ping", "id": 1}), msgpack.packb({"t": "drift", "n": 0, "crc": 1})):
        async with raw(at.app) as socket:
            await joined(socket, at.ann)
            socket.transport.write(Frame(Opcode.BINARY, frame).serialize(mask=True) * 1000)
            assert await closed_in_the_end(socket) == 4104
        clock.now += 100


async def test_pings_of_the_websocket_itself_are_not_answered_without_end(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(peer, "CONTROL", Rate(1, 5))
    at = await evening(stack, valkey, tmp_path)
    storyteller = await stack.enter_async_context(sit(at.app, at.st))
    async with raw(at.app) as socket:
        await joined(socket, at.ann)
        for _ in range(5):
            await (await socket.ping())
        socket.transport.write(Frame(Opcode.PING, b"").serialize(mask=True) * 1000)
        assert await closed_in_the_end(socket) in (4104, 1006)
    await plays_on(storyteller)


async def test_many_small_frames_at_once_are_all_answered_in_their_order(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(peer, "AT_ONCE", 100)
    at = await evening(stack, valkey, tmp_path)
    async with raw(at.app) as socket:
        await joined(socket, at.ann)
        pings = [msgpack.packb({"t": "ping", "id": k}) for k in range(500)]
        socket.transport.write(b"".join(Frame(Opcode.BINARY, one).serialize(mask=True) for one in pings))
        assert [(await answered(socket, "pong"))["id"] for _ in pings] == list(range(500))


async def test_what_is_left_unread_when_a_line_ends_is_looked_at_a_little_at_a_time_as_well(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
):
    at = await evening(stack, valkey, tmp_path)
    looked_at: list[int] = []
    take = ServerConnection.data_received

    def looks(self: ServerConnection, data: bytes) -> None:
        looked_at.append(len(data))
        take(self, data)

    monkeypatch.setattr(peer, "AT_ONCE", 100)
    monkeypatch.setattr(ServerConnection, "data_received", looks)
    async with raw(at.app) as socket:
        await joined(socket, at.ann)
        pings = [msgpack.packb({"t": "ping", "id": k}) for k in range(500)]
        socket.transport.write(b"".join(Frame(Opcode.BINARY, one).serialize(mask=True) for one in pings))
        socket.transport.write_eof()
        most = range(450)  # who hung up is not waited for: the last answers may come too late for the line
        assert [(await answered(socket, "pong"))["id"] for _ in most] == list(most)
        assert await closed_in_the_end(socket) == 1006
    assert max(looked_at) <= 100


async def test_a_message_comes_in_few_pieces(valkey: str, tmp_path: Path, stack: AsyncExitStack):
    """Browsers cut long messages in pieces of many KiB; nobody cuts one in thousands."""
    at = await evening(stack, valkey, tmp_path)
    whole = msgpack.packb(hello(at.ann))
    async with raw(at.app) as socket:
        await socket.send(whole[k : k + 8] for k in range(0, len(whole), 8))
        assert (await heard(socket))["t"] == "welcome"
        first = Frame(Opcode.BINARY, b"", fin=False).serialize(mask=True)
        socket.transport.write(first + Frame(Opcode.CONT, b"", fin=False).serialize(mask=True) * peer.PIECES)
        assert await closed_in_the_end(socket) == 1009


async def test_who_has_shown_no_token_says_little(valkey: str, tmp_path: Path, stack: AsyncExitStack):
    at = await evening(stack, valkey, tmp_path)
    long = b"x" * (peer.HELLO_BYTES + 1)
    async with raw(at.app) as socket:
        await socket.send(long)
        assert await closed_with(socket) == 1009
    async with raw(at.app) as socket:
        await joined(socket, at.ann)
        await socket.send(long)
        assert (await answered(socket, "error"))["code"] == "bad_message"


# ------------------------------------------------------------------------------------------------------ too many of them
async def test_a_seat_and_a_table_have_so_many_connections(valkey: str, tmp_path: Path, stack: AsyncExitStack):
    at = await evening(stack, valkey, tmp_path, connections_seat=2, connections_table=4)
    anyone = await seating.add_seat(at.app.rooms, at.st.table, "Anyone", "spectator")

    async def comes(seated: Seated) -> ClientConnection | int:
        socket = await stack.enter_async_context(raw(at.app))
        first = await joined(socket, seated)
        return socket if first["t"] == "welcome" else await closed_with(socket)

    hers = [await comes(at.ann) for _ in range(3)]
    assert hers[2] == 4105
    watching = [await comes(anyone) for _ in range(3)]
    assert watching[2] == 4105, "spectators leave half of the places to the others"
    assert await comes(at.st) == 4105, "now the table is full"
    assert isinstance(hers[0], ClientConnection)
    await hers[0].close()
    while isinstance(await comes(at.st), int):  # until the server has seen her go
        pass


async def test_who_comes_too_many_is_answered_before_any_handshake(valkey: str, tmp_path: Path, stack: AsyncExitStack):
    at = await evening(stack, valkey, tmp_path, connections_address=3)
    sockets = [await stack.enter_async_context(raw(at.app)) for _ in range(3)]
    for socket in sockets:
        await joined(socket, at.ann)
    with pytest.raises(InvalidStatus) as refused:
        await raw(at.app)
    assert refused.value.response.status_code == 429
    assert refused.value.response.headers["Retry-After"] == "5"
    await sockets[0].close()
    while True:  # until the server has seen it go
        try:
            await stack.enter_async_context(raw(at.app))
            break
        except InvalidStatus:
            pass


async def test_who_knocks_too_often_can_read_that_he_does_and_nobody_else_is_kept_out(
    valkey: str, tmp_path: Path, stack: AsyncExitStack
):
    at = await evening(stack, valkey, tmp_path, rate_joins=1, connections_unknown=0)

    async def comes(address: str) -> int:
        try:
            async with raw(at.app, local_addr=(address, 0)):
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code

    codes = await asyncio.gather(*(comes("127.0.4.1") for _ in range(80)))
    assert codes.count(429) >= 40, "and none of them failed in another way"
    assert await comes("127.0.4.2") == 101


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\n", b"x" * 500_000])
async def test_who_is_turned_away_does_not_stay(
    said: bytes, valkey: str, tmp_path: Path, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(turned_away, "WITHIN_S", 600.0 if len(said) > turned_away.MOST else 0.1)
    at = await evening(stack, valkey, tmp_path, rate_joins=1)
    full = Full(HTTPStatus.SERVICE_UNAVAILABLE, "too many", 7)
    monkeypatch.setattr(Door, "knock", lambda *_: full)
    reader, writer = await asyncio.open_connection("127.0.0.1", at.app.port)
    with contextlib.suppress(OSError):
        writer.write(said)
        answer = await reader.read()
        assert answer == (turned_away.answer(full) if said else b"")
        while True:  # until it breaks
            writer.write(b"x")
            await writer.drain()
            await reader.read()
            await asyncio.sleep(0)
    writer.close()


async def test_those_who_show_no_token_are_few_and_make_room_again(valkey: str, tmp_path: Path, stack: AsyncExitStack):
    at = await evening(stack, valkey, tmp_path, connections_unknown=8)
    silent = [await stack.enter_async_context(raw(at.app)) for _ in range(2)]
    with pytest.raises(InvalidStatus) as refused:
        await raw(at.app)
    assert refused.value.response.status_code == 429
    await joined(silent[0], at.ann)
    await raw(at.app)


async def test_a_storm_of_connections_is_let_in_a_few_at_a_time(valkey: str, tmp_path: Path, stack: AsyncExitStack):
    at = await evening(stack, valkey, tmp_path, rate_joins=1, connections_seat=0)
    storyteller = await stack.enter_async_context(sit(at.app, at.st))

    async def comes() -> int:
        try:
            async with raw(at.app) as socket:
                return 101 if (await joined(socket, at.ann))["t"] == "welcome" else 0
        except InvalidStatus as refused:
            return refused.response.status_code

    codes = [code for _ in range(10) for code in await asyncio.gather(*(comes() for _ in range(8)))]
    assert set(codes) == {101, 429}
    assert codes.count(101) in range(15, 40)
    await plays_on(storyteller)


async def test_who_comes_and_goes_all_the_time_is_told_to_wait(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, clock: Clock
):
    at = await evening(stack, valkey, tmp_path, rate_seat=1)
    for _ in range(12):
        async with raw(at.app) as socket:
            assert (await joined(socket, at.ann))["t"] == "welcome"
    async with raw(at.app) as socket:
        assert (await joined(socket, at.ann))["code"] == "rate"
        assert await closed_with(socket) == 4104


async def test_wrong_tokens_are_answered_slowly_after_a_few(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(limits, "WRONG_TOKENS", Rate(10, 3))
    at = await evening(stack, valkey, tmp_path)
    wrong = Seated(at.ann.table, at.ann.seat, at.ann.token[:-1] + "!")
    loop = asyncio.get_running_loop()
    took = []
    for _ in range(4):
        began = loop.time()
        async with raw(at.app) as socket:
            await joined(socket, wrong)
            assert await closed_with(socket) == 4001
        took.append(loop.time() - began)
    assert took[3] >= 0.05
    async with raw(at.app) as socket:
        assert (await joined(socket, at.ann))["t"] == "welcome", "the right one is not"


# ------------------------------------------------------------------------------------------------- ahead of the store
async def test_a_seat_that_claims_to_be_ahead_again_and_again_harms_but_itself(
    valkey: str, tmp_path: Path, stack: AsyncExitStack
):
    at = await evening(stack, valkey, tmp_path)
    storyteller = await stack.enter_async_context(sit(at.app, at.st))
    epochs, n = [], 1000
    for _ in range(5):
        async with raw(at.app) as socket:
            welcome = await joined(socket, at.ann)
        async with raw(at.app) as socket:
            n += 1
            await joined(socket, at.ann, resume={"epoch": welcome["epoch"], "n": n})
            snapshot = await answered(socket, "snapshot")
            assert snapshot["reason"] == "ahead"
            epochs.append(snapshot["epoch"])
    assert len(set(epochs)) == 2, "believed twice"
    alarms = [line for line in await storyteller.log(limit=200) if line.kind == "seen_lost"]
    assert len(alarms) == 2


# --------------------------------------------------------------------------------------------------------- never reading
async def test_who_never_reads_is_closed_and_nobody_waits_for_him(
    valkey: str, tmp_path: Path, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(connection, "STUCK_S", 0.2)
    at = await evening(stack, valkey, tmp_path, heartbeat_s=5)
    storyteller = await stack.enter_async_context(sit(at.app, at.st))
    model = await storyteller.command("add_unit", unit={"name": "Zombie", "notes": "x" * 2000})
    for _ in range(2):
        await storyteller.command("bring_on", units=list(model.made), copies=100)
    async with raw(at.app, max_queue=1, max_size=None) as socket:
        await joined(socket, at.st)
        socket.transport.pause_reading()
        async with asyncio.timeout(60), at.app.rooms.using(at.st.table) as room:
            assert len(room.listeners) == 2
            for _ in range(20):  # each is answered with 400 KB: more than the sockets hold
                await socket.send(msgpack.packb({"t": "drift", "n": 0, "crc": 1}))
            while len(room.listeners) == 2:
                await plays_on(storyteller)
        async with asyncio.timeout(60):
            await plays_on(storyteller)
            door = at.app._gateway._door  # type: ignore[union-attr]
            while door._all.total() > 1:  # its socket is gone as well
                await plays_on(storyteller)
        socket.transport.abort()
