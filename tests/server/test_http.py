"""What the port says to programs that are no clients: to odd paths, headers and methods, and to who says nothing."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from server import gateway
from server.app import App
from server.config import Settings

UPGRADE = (
    "Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: overseer.v1.json\r\n"
)


@pytest.fixture
async def app(valkey: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[App]:
    """Nothing that a stranger sends is an error of the server's: not even the library has one to log."""
    async with App(Settings(redis_url=valkey, port=0, data_dir=tmp_path, connections_unknown=3)) as started:
        yield started
    assert [one.getMessage() for one in caplog.records if one.levelname == "ERROR"] == []


async def told(app: App, request: bytes, tls: ssl.SSLContext | None = None) -> bytes:
    """All that comes for a request, until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", app.port, ssl=tls)
    try:
        writer.write(request)
        async with asyncio.timeout(60):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


def status(answer: bytes) -> int:
    """0: closed without a word."""
    return int(answer.split(b" ")[1]) if answer else 0


def get(path: str, headers: str = "Host: x\r\n", method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\n{headers}\r\n".encode("latin-1")


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (get("/../../etc/passwd"), 404),
        (get("/%2e%2e/%2e%2e/etc/passwd"), 404),
        (get("/..%5c..%5cetc"), 404),
        (get("/%00"), 404),
        (get("//evil.example/"), 404),
        (get("http://evil.example/"), 404),
        (get("/<script>alert(1)</script>"), 404),
        (get("/" + "a" * 9000), 414),
        (get("/", "X: " + "a" * 9000 + "\r\n"), 431),
        (get("/", "".join(f"X-{k}: y\r\n" for k in range(300))), 431),
        (get("/", "Host: x\r\nHost: y\r\n"), 400),
        (get("/", "Host: x\r\nAccept-Encoding: gzip\r\nAccept-Encoding: br\r\n"), 200),
        (get("/ws", UPGRADE + "Upgrade: websocket\r\n"), 400),
        (get("/ws", UPGRADE + "Origin: http://x\r\nOrigin: http://evil.example\r\n"), 400),
        (get("/ws", UPGRADE + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"), 400),
        (get("/ws", UPGRADE.replace("13", "99")), 400),
        (get("/ws", UPGRADE.replace("overseer.v1.json", "chat")), 400),
        (get("/ws", UPGRADE + "Origin: http://[evil\r\n"), 403),
        (get("/ws", UPGRADE + "Origin: http://evil.example\r\n"), 403),
        (get("/ws"), 426),
        (get("/ws", UPGRADE, "POST"), 405),
        (get("/", method="POST"), 405),
        (get("/", method="DELETE"), 405),
        (get("*", method="OPTIONS"), 405),
        (get("evil.example:80", method="CONNECT"), 405),
    ],
    ids=lambda one: one[:40] if isinstance(one, bytes) else str(one),
)
async def test_odd_requests_are_answered(app: App, request_: bytes, code: int):
    answer = await told(app, request_)
    assert status(answer) == code
    assert b"<script>" not in answer
    assert b"root:" not in answer


@pytest.mark.parametrize(
    "request_",
    [
        b"HELLO\r\n\r\n",
        b"GET /\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\nHost: x\n\n",
        get("/", "Host : x\r\n"),
        get("/", "Host: x\r\nX: a\r\n b\r\n"),
        get("/", "Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", "POST")
        + b"0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n",
        get("/", "Host: x\r\nContent-Length: 35\r\n") + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
        get("/", "Host: x\r\nTransfer-Encoding: chunked\r\n") + b"0\r\n\r\n",
    ],
    ids=lambda one: one[:60],
)
async def test_what_is_no_request_of_this_port_is_closed_without_a_word(app: App, request_: bytes):
    """With a body a request could hide another one from whoever stands before the server; none is ever read."""
    assert await told(app, request_) == b""
    assert status(await told(app, get("/healthz"))) == 200


async def test_head_is_a_page_without_its_body(app: App):
    answer = await told(app, get("/healthz", method="HEAD"))
    assert status(answer) == 200
    assert answer.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n", b"\x16\x03\x01\x02\x00\x01"])
async def test_who_does_not_come_to_the_end_of_his_request_is_gone_soon(
    valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: bytes
):
    monkeypatch.setattr(gateway, "OPEN_S", 0.1)
    async with App(Settings(redis_url=valkey, port=0, data_dir=tmp_path)) as app:
        assert await told(app, begun) == b""


async def test_a_letter_now_and_then_buys_no_time(valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gateway, "OPEN_S", 0.1)
    async with App(Settings(redis_url=valkey, port=0, data_dir=tmp_path)) as app:
        reader, writer = await asyncio.open_connection("127.0.0.1", app.port)
        writer.write(b"GET / HTTP/1.1\r\n")

        async def dribble() -> None:
            while True:
                writer.write(b"X: y\r\n")
                await asyncio.sleep(0.01)

        dribbling = asyncio.create_task(dribble())
        with suppress(ConnectionResetError):
            async with asyncio.timeout(60):
                assert await reader.read() == b""
        dribbling.cancel()
        writer.close()


@pytest.mark.parametrize(("proxies", "codes"), [("", {200, 429}), ("127.0.0.1", {200})])
async def test_through_a_proxy_that_is_named_come_many(proxies: str, codes: set[int], valkey: str, tmp_path: Path):
    given = {"redis_url": valkey, "port": 0, "data_dir": tmp_path, "rate_joins": 1, "trusted_proxies": proxies}
    async with App(Settings(**given)) as app:  # type: ignore[arg-type]
        assert {status(await told(app, get("/healthz"))) for _ in range(50)} == codes


@pytest.mark.parametrize("from_one", [True, False])
async def test_of_too_many_that_say_nothing_the_oldest_goes(
    from_one: bool, valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Four may be there without a request (`connections_unknown`), one from each address."""
    monkeypatch.setattr(gateway, "OPEN_S", 600.0)  # it does not go because its time is over
    async with App(Settings(redis_url=valkey, port=0, data_dir=tmp_path, connections_unknown=4)) as app:
        await the_oldest_goes(app, from_one=from_one)


async def the_oldest_goes(app: App, *, from_one: bool, tls: ssl.SSLContext | None = None) -> None:
    """And whoever comes then is served all the same. `from_one`: two from one address are too many already."""
    here = ["127.0.2.1"] * 2 if from_one else [f"127.0.2.{k}" for k in range(1, 5)]
    others = await asyncio.open_connection("127.0.0.1", app.port, local_addr=("127.0.2.9", 0)) if from_one else None
    silent = [await asyncio.open_connection("127.0.0.1", app.port, local_addr=(one, 0)) for one in here]
    assert status(await told(app, get("/healthz"), tls)) == 200
    reader, _ = silent[0]
    async with asyncio.timeout(60):
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
    assert status(await told(app, get("/healthz"), tls)) == 200
    left = [*silent[1:], others] if others else silent[1:]
    assert not any(reader.at_eof() or reader.exception() for reader, _ in left)
    for _, writer in [*silent, *left]:
        writer.close()
