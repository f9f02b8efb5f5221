"""A server that says what a test tells it to say: real sockets, real frames, no rules."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from protocol import version
from protocol.client import Table, connect
from protocol.codec import CODECS, encode_diff

TOKEN = "table.seat.verysecret"
QUICK = (0.001, 0.01)
"""Pauses between attempts that a test can wait for."""
SNAPSHOT = {
    "t/name": "Night train",
    "t/created": 1_000_000_000,
    "t/active": "u1",
    "t/order": ["u1", "u2"],
    "t/stack": [],
    "s/p1": {"name": "Mia", "role": "player"},
    "u/u1/name": "Aki",
    "u/u1/owner": "p1",
    "u/u1/hp": 10,
    "u/u1/hp_max": 10,
    "u/u1/round": 1,
    "u/u2/name": "Ghoul",
    "u/u2/hp": "unhurt",
    "h/lag_ms": 250,
}


class Peer:
    """One connection, seen from the server."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection
        self.codec = CODECS[connection.subprotocol or ""]
        self.done = asyncio.Event()

    async def hear(self) -> Any:
        """The client's next message, as plain values."""
        async with asyncio.timeout(60):
            return self.codec.read(await self.connection.recv(), version.FRAME_BYTES, version.DEPTH)

    async def tell(self, message: Any) -> None:
        await self.connection.send(self.codec.encode_plain(message))

    async def diff(self, n: int, ops: list[Any], log: list[Any] | None = None) -> None:
        await self.connection.send(self.codec.transcode(encode_diff(n, ops, log or [])))

    async def welcome(self, n: int = 0, *, epoch: str = "e1", heartbeat_s: int = 20, **more: Any) -> Any:
        """Hears HELLO, says WELCOME. Returns the HELLO."""
        hello = await self.hear()
        assert hello["t"] == "hello"
        greeting = {
            "t": "welcome", "version": 1, "table": "T", "name": "Night train", "epoch": epoch, "n": n, "seat": "p1",
            "seat_name": "Mia", "role": "player", "limits": version.limits(), "heartbeat_s": heartbeat_s, "now": 5_000,
        }  # fmt: skip
        await self.tell({**greeting, **more})
        return hello

    async def snapshot(self, n: int = 0, *, epoch: str = "e1", reason: str = "first", view: Any = None) -> None:
        await self.tell({"t": "snapshot", "epoch": epoch, "n": n, "reason": reason, "view": view or SNAPSHOT})

    async def close(self, code: int, reason: str = "") -> None:
        await self.connection.close(code, reason)


class ScriptedServer:
    """Hands every new connection to the test, in order."""

    def __init__(self) -> None:
        self._arrived: asyncio.Queue[Peer] = asyncio.Queue()
        self._peers: list[Peer] = []
        self.port = 0

    async def accept(self) -> Peer:
        async with asyncio.timeout(60):
            return await self._arrived.get()

    async def _arrive(self, connection: ServerConnection) -> None:
        peer = Peer(connection)
        self._peers.append(peer)
        self._arrived.put_nowait(peer)
        try:
            await connection.wait_closed()
        except ConnectionClosed:
            pass

    @property
    def invitation(self) -> str:
        return f"http://127.0.0.1:{self.port}/#{TOKEN}"

    @property
    def waiting(self) -> int:
        """Connections nobody has accepted yet."""
        return self._arrived.qsize()

    @asynccontextmanager
    async def seated(self, **options: Any) -> AsyncIterator[tuple[Table, Peer]]:
        """A client at the table, with SNAPSHOT as its state at n 0."""
        greeting = asyncio.create_task(self._seat())
        async with connect(self.invitation, **{"backoff_s": QUICK, "timeout": 60, **options}) as table:
            yield table, await greeting

    async def _seat(self) -> Peer:
        peer = await self.accept()
        await peer.welcome()
        await peer.snapshot()
        return peer


@asynccontextmanager
async def scripted() -> AsyncIterator[ScriptedServer]:
    server = ScriptedServer()
    async with serve(
        server._arrive,
        "127.0.0.1",
        0,
        subprotocols=[Subprotocol(one) for one in version.SUBPROTOCOLS],
        compression=None,
        ping_interval=None,
    ) as listening:
        server.port = next(iter(listening.sockets)).getsockname()[1]
        yield server
