"""A client that does nothing but send and receive, so that a measurement measures the server."""

import asyncio
import time
from typing import Any

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from protocol.invitation import Invitation


class Raw:
    """One connection. `diffs`: how many it has had; `last`: when the newest came (perf_counter seconds)."""

    def __init__(self, socket: ClientConnection, welcome: dict[str, Any]) -> None:
        self.socket = socket
        self.seq = 0
        self.seat: str = welcome["seat"]
        self.n: int = welcome["n"]
        self.last = 0.0
        self.sizes: list[int] = []
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._waits: list[tuple[int, asyncio.Future[None]]] = []
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def sit(cls, link: str) -> "Raw":
        invitation = Invitation.read(link)
        socket = await connect(
            invitation.url,
            subprotocols=[Subprotocol("overseer.v1.msgpack")],
            compression=None,
            proxy=None,
            max_size=None,
        )
        hello = {"t": "hello", "versions": [1], "token": invitation.token, "client": f"bench{time.perf_counter_ns()}"}
        await socket.send(msgpack.packb(hello))
        welcome = msgpack.unpackb(await socket.recv(decode=False))
        return cls(socket, welcome)

    async def command(self, kind: str, **fields: Any) -> dict[str, Any]:
        self.seq += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[self.seq] = answer
        message = {"t": "command", "seq": self.seq, "kind": kind, "seen": self.n, **fields}
        await self.socket.send(msgpack.packb(message))
        found: dict[str, Any] = await answer
        return found

    async def reached(self, n: int) -> None:
        """Until the n-th diff has come."""
        if self.n < n:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waits.append((n, future))
            await future

    async def close(self) -> None:
        self._reader.cancel()
        await self.socket.close()

    async def _read(self) -> None:
        while True:
            frame = await self.socket.recv(decode=False)
            message = msgpack.unpackb(frame)
            if isinstance(message, list):
                self.n = message[1]
                self.last = time.perf_counter()
                self.sizes.append(len(frame))
                for wait in [w for w in self._waits if w[0] <= self.n]:
                    self._waits.remove(wait)
                    wait[1].set_result(None)
            elif message["t"] in ("ack", "refused"):
                self._answers.pop(message["seq"]).set_result(message)
