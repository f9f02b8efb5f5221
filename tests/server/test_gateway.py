"""The server over real sockets: who gets in, what is said to those who do not, how it stops."""

import asyncio
import gc
import json
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from core.commands import RemoveSeat
from core.ids import SeatId
from protocol import version
from protocol.client import Refused, Table, connect
from server import auth, seating, web_page
from server.app import App
from server.asked import own
from server.config import Settings
from server.gateway import PortProblem
from server.seating import Seated
from server.web_page import Pages
from tests.end_to_end.earlier import dump, restore
from tests.protocol.scripted import scripted
from tests.server.evening import newer_state


def settings(valkey: str, tmp_path: Path, **others: object) -> Settings:
    return Settings(**{"redis_url": valkey, "port": 0, "data_dir": tmp_path, "heartbeat_s": 1, **others})  # type: ignore[arg-type]


@pytest.fixture
async def app(valkey: str, tmp_path: Path) -> AsyncIterator[App]:
    async with App(settings(valkey, tmp_path)) as started:
        yield started


@pytest.fixture
async def st(app: App) -> Seated:
    return await seating.make_table(app.rooms, "Thursday", practice_seed=7)


@pytest.fixture
async def ann(app: App, st: Seated) -> Seated:
    return await seating.add_seat(app.rooms, st.table, "Ann", "player")


def sit(app: App, seated: Seated, **options: object) -> connect:
    return connect(auth.invitation(app.address, seated.token), **options)  # type: ignore[arg-type]


def raw(app: App, subprotocol: str = version.MSGPACK, **options: object) -> open_socket:
    url = f"ws://127.0.0.1:{app.port}{version.PATH}"
    return open_socket(url, subprotocols=[Subprotocol(subprotocol)], compression=None, **options)  # type: ignore[arg-type]


def hello(seated: Seated, **others: object) -> dict[str, object]:
    return {"t": "hello", "versions": [1], "token": seated.token, "client": "c1", **others}


async def heard(socket: ClientConnection) -> dict[str, Any]:
    """The next message of a raw msgpack connection."""
    frame = await socket.recv()
    assert isinstance(frame, bytes)
    message: dict[str, Any] = msgpack.unpackb(frame)
    return message


async def closed_with(socket: ClientConnection) -> int:
    """The code the server ends this connection with."""
    async with asyncio.timeout(60):
        await socket.wait_closed()
    return socket.close_code or 0


async def get(app: App, path: str, method: str = "GET") -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", app.port)
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer.decode()


async def test_two_people_at_a_table(app: App, st: Seated, ann: Seated):
    async with sit(app, st) as storyteller, sit(app, ann, subprotocol=version.JSON) as player:
        made = await storyteller.command("add_unit", unit={"name": "Aki", "tracks": {"hp": 10}, "on_stage": True},
                                         owner=player.seat)  # fmt: skip
        await player.until(lambda table: "Aki" in str(table.units["Aki"].name))
        assert player.units["Aki"].hp == 10
        await player.command("say", text="I am Aki", unit=made.made[0])
        with pytest.raises(Refused) as refused:
            await player.command("narrate", text="It rains")
        assert refused.value.code == "forbidden"
        entries = await storyteller.log()
        assert any(one.kind == "said" for one in entries)
        assert player.seat in storyteller.here


async def test_welcome_comes_first_then_the_snapshot(app: App, ann: Seated):
    async with raw(app) as socket:
        await socket.send(msgpack.packb(hello(ann)))
        welcome, snapshot = await heard(socket), await heard(socket)
        assert (welcome["t"], welcome["role"], welcome["seat"]) == ("welcome", "player", ann.seat)
        assert (snapshot["t"], snapshot["reason"], snapshot["n"]) == ("snapshot", "first", welcome["n"])


async def test_json_says_the_same(app: App, ann: Seated):
    async with raw(app, version.JSON) as socket:
        await socket.send(json.dumps(hello(ann)))
        assert json.loads(await socket.recv())["t"] == "welcome"
        assert json.loads(await socket.recv())["t"] == "snapshot"


async def test_a_connection_that_goes_leaves_next_to_nothing_for_the_collector(app: App, ann: Seated):
    """Looking through all there is keeps everybody waiting."""
    gone: asyncio.Queue[object] = asyncio.Queue()
    gc.disable()
    try:
        async with raw(app) as socket:
            await socket.send(msgpack.packb(hello(ann)))
            await heard(socket)
            (session,) = app._gateway._sessions  # type: ignore[union-attr]
            there = [weakref.ref(one, gone.put_nowait) for one in (session._socket, session._connection)]
            del session
            socket.transport.abort()
        async with asyncio.timeout(10):
            assert [await gone.get() in there for _ in there] == [True, True]
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("first", "code"),
    [
        ({"t": "ping", "id": 1}, 4003),
        ({"t": "hello", "versions": [1], "token": "a.b.c", "client": "c"}, 4001),
        ({"t": "hello", "versions": [9], "token": "a.b.c", "client": "c"}, 4002),
        ({"t": "hello"}, 4000),
        ({"t": "what"}, 4000),
        (17, 4000),
    ],
)
async def test_who_does_not_begin_well_is_told_and_closed(app: App, first: object, code: int):
    async with raw(app) as socket:
        await socket.send(msgpack.packb(first))
        error = await heard(socket)
        assert error["t"] == "error"
        assert error["text"]
        assert await closed_with(socket) == code


async def test_a_secret_that_is_nearly_right(app: App, ann: Seated):
    async with raw(app) as socket:
        await socket.send(msgpack.packb(hello(Seated(ann.table, ann.seat, ann.token[:-1] + "!"))))
        assert await closed_with(socket) == 4001


async def test_no_hello(app: App, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(version, "HELLO_WITHIN_S", 0.05)
    async with raw(app) as socket:
        assert await closed_with(socket) == 4003


async def test_whatever_is_sent_is_answered(app: App, ann: Seated):
    async with raw(app) as socket:
        await socket.send(msgpack.packb(hello(ann)))
        for frame, expected in [
            ({"t": "ping", "id": 7}, ("pong", "id", 7)),
            ({"t": "nonsense"}, ("error", "code", "bad_message")),
            ({"t": "command", "seq": 3, "kind": "fly", "seen": 0}, ("refused", "code", "bad_message")),
            ({"t": "ask", "id": 4, "what": "why"}, ("answer", "code", "bad_message")),
            (hello(ann), ("error", "code", "bad_message")),
            ({"t": "say", "text": "x" * 70_000}, ("error", "code", "too_long")),
        ]:
            await socket.send(msgpack.packb(frame))
            while (answer := await heard(socket))["t"] in ("welcome", "snapshot", "presence"):
                pass
            t, key, value = expected
            assert (answer["t"], answer[key]) == (t, value)


async def test_a_number_under_which_nothing_could_be_understood_is_free_for_what_can(app: App, ann: Seated):
    async with raw(app) as socket:
        await socket.send(msgpack.packb(hello(ann)))
        bad = {"t": "command", "seq": 1, "seen": 0, "kind": "fly"}
        good = {"t": "command", "seq": 1, "seen": 0, "kind": "say", "text": "hello"}
        answers = []
        for frame in (bad, bad, good, good, {**good, "text": "another"}):
            await socket.send(msgpack.packb(frame))
            while "seq" not in (answer := await heard(socket)):
                pass
            answers.append((answer["t"], answer.get("code")))
        assert answers == [("refused", "bad_message")] * 2 + [("ack", None)] * 2 + [("refused", "seq_reused")]


async def test_silence_ends_a_connection_and_shows_the_seat_away(app: App, st: Seated, ann: Seated):
    async with sit(app, st) as storyteller, raw(app) as phone:
        await phone.send(msgpack.packb(hello(ann)))
        await storyteller.until(lambda table: ann.seat in table.here)
        assert await closed_with(phone) == 4103
        await storyteller.until(lambda table: ann.seat not in table.here)


async def test_a_seat_given_up_is_closed(app: App, st: Seated, ann: Seated):
    async with raw(app) as socket:
        await socket.send(msgpack.packb(hello(ann)))
        await socket.recv()
        async with app.rooms.using(st.table) as room:
            await room.submit(own(RemoveSeat(SeatId(ann.seat)), "test/1", room.store.clock()))
        assert await closed_with(socket) == 4004
    async with raw(app) as socket:
        await socket.send(msgpack.packb(hello(ann)))
        assert await closed_with(socket) == 4004


async def test_an_orderly_stop_loses_nothing(valkey: str, tmp_path: Path):
    """Commands under way at the stop are done once; the clients find the next server at the same place."""
    async with App(settings(valkey, tmp_path)) as first:
        st = await seating.make_table(first.rooms, "Thursday")
        port = first.port
        storyteller: Table = await sit(first, st).__aenter__()
        said = [asyncio.create_task(storyteller.command("narrate", text=f"line {k}")) for k in range(8)]
        await asyncio.wait(said, return_when=asyncio.FIRST_COMPLETED)
    async with App(settings(valkey, tmp_path, port=port)):
        await asyncio.gather(*said)
        lines = [one for one in await storyteller.log(limit=200) if one.kind == "narrated"]
        assert sorted(one.line["text"] for one in lines) == sorted({one.line["text"] for one in lines})
        assert len(lines) == 8
        await storyteller.close()


async def test_two_servers_on_one_store_serve_one_table(app: App, st: Seated, ann: Seated, valkey: str, tmp_path: Path):
    async with App(settings(valkey, tmp_path)) as other, sit(app, st) as storyteller, sit(other, ann) as player:
        await storyteller.command("narrate", text="on both")
        await player.until(lambda table: table.n >= 1)
        await player.command("say", text="heard")
        await storyteller.until(lambda table: table.n == 2)
        assert player.seat in storyteller.here


# ------------------------------------------------------------------------------------------------------- plain HTTP
async def test_plain_http(app: App):
    assert (await get(app, "/healthz")).startswith("HTTP/1.1 200")
    assert (await get(app, "/readyz")).endswith("ready\n")
    assert (await get(app, "/ws")).startswith("HTTP/1.1 426")
    assert (await get(app, "/elsewhere")).startswith("HTTP/1.1 404")
    assert (await get(app, "/healthz", "POST")).startswith("HTTP/1.1 405")
    assert (await get(app, "/healthz", "HEAD")).endswith("\r\n\r\n")


@pytest.mark.parametrize("below", ["", "/overseer"])
async def test_the_pages_are_there_wherever_a_proxy_puts_the_server(
    below: str, valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/index.html").write_text("the page")
    monkeypatch.setattr(web_page, "Pages", lambda: Pages(tmp_path / "dist"))
    async with App(settings(valkey, tmp_path, public_url=f"https://host.example{below}")) as app:
        assert app.has_pages
        for path in ("/", f"{below}/"):
            assert (await get(app, path)).endswith("the page"), path
        if below:  # what the page names is named beside it
            assert f"\r\nLocation: {below}/\r\n" in await get(app, below)
        assert (await get(app, "/overseerx")).startswith("HTTP/1.1 404")


async def test_a_page_from_elsewhere_may_not_connect(app: App, ann: Seated):
    with pytest.raises(InvalidStatus):
        await raw(app, origin=Origin("https://evil.example"))
    own = Origin(f"http://127.0.0.1:{app.port}")
    async with raw(app, origin=own) as socket:
        await socket.send(msgpack.packb(hello(ann)))
        assert (await heard(socket))["t"] == "welcome"


ELSEWHERE = ["https://evil.example", "https://vtt.example.evil.example", "http://vtt.example", "null", ""]


async def lets_in(app: App, origin: str) -> bool:
    try:
        async with raw(app, origin=Origin(origin)):
            return True
    except InvalidStatus as refused:
        return refused.response.status_code != 403


@pytest.mark.parametrize(("allowed", "may"), [("https://vtt.example", False), ("*", True)])
async def test_pages_of_other_origins_connect_where_they_are_named(
    valkey: str, tmp_path: Path, allowed: str, may: bool
):
    async with App(settings(valkey, tmp_path, allowed_origins=allowed, public_url="https://own.example/table")) as app:
        for origin in ("https://vtt.example", "HTTPS://VTT.example", "https://own.example"):
            assert await lets_in(app, origin), origin
        for origin in ELSEWHERE:
            assert await lets_in(app, origin) is may, origin


async def test_a_client_of_no_known_subprotocol(app: App):
    with pytest.raises(InvalidStatus):
        await raw(app, "chess.v3")


async def test_a_port_in_use(app: App, valkey: str, tmp_path: Path):
    with pytest.raises(PortProblem, match=r"cannot listen on 127.0.0.1 port .* give --port another number"):
        async with App(settings(valkey, tmp_path, port=app.port)):
            pass


async def test_clients_of_a_table_that_a_newer_server_keeps_are_sent_there(app: App, st: Seated, valkey: str):
    """At once, whoever sits there and whoever comes; the newer server is one that follows a script."""
    async with scripted() as newer, raw(app) as socket:
        await socket.send(msgpack.packb(hello(st)))
        while (await heard(socket))["t"] != "presence":
            pass
        newer_state(valkey, st.table, schema="2")
        assert (await heard(socket))["t"] == "goaway"
        assert await closed_with(socket) == 4201
        async with raw(app) as late:
            await late.send(msgpack.packb(hello(st)))
            assert (await heard(late))["t"] == "goaway"
            assert await closed_with(late) == 4201
        seating_there = asyncio.create_task(newer._seat())
        async with sit(app, st, also=[f"http://127.0.0.1:{newer.port}"], backoff_s=(60, 60)) as table:
            assert table.state["t/name"] == "Night train"
        await seating_there


async def test_a_client_that_has_gone_wrong_is_put_right_when_it_comes_back(
    app: App, st: Seated, ann: Seated, caplog: pytest.LogCaptureFixture
):
    async with sit(app, st) as storyteller, sit(app, ann) as player:
        await storyteller.command(
            "add_unit", unit={"name": "Aki", "tracks": {"hp": 10}, "on_stage": True}, owner=player.seat
        )
        await player.until(lambda table: table.units["Aki"].hp == 10)
        updates = player.updates()
        (path,) = [path for path in player.state if path.endswith("/hp")]
        player._session.state[path] = 3  # what no message has told it
        player.drop()
        update = await anext(updates)
        assert (update.reason, player.units["Aki"].hp) == ("drift", 10)
    assert "a client's view has drifted from the table" in caplog.messages


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            "ALARM: the store has lost 2 changes of what it had confirmed, positions 4 to 5 of the log until now",
        ),
        ("zh", "警报：存储丢失了已确认的内容（2项变动），即此前日志的第4至5条；其中包括"),
    ],
)
async def test_the_storyteller_hears_that_the_store_was_set_back(
    app: App, st: Seated, ann: Seated, valkey: str, language: str, said: str
):
    """The line is there for whoever sits there and for who asks later; the players go on from what there is."""
    async with sit(app, st, language=language) as storyteller, sit(app, ann) as player:
        await player.say("kept")
        await storyteller.narrate("kept too")
        before = dump(valkey)
        gone = [(await player.say(text)).n for text in ("lost", "lost too")]
        epoch, alarms = player.epoch, storyteller.lines("history_lost")
        restore(valkey, before)
        alarm = await anext(alarms)
        assert (alarm["count"], alarm["acts"]) == (2, ["Ann 2", "Ann 3"])
        assert said in alarm.text()
        await player.until(lambda table: table.epoch != epoch)
        assert (await player.say("on we go")).n < gone[0]
        assert "history_lost" in [line.kind for line in await storyteller.log()]
        assert "history_lost" not in [line.kind for line in await player.log()]
