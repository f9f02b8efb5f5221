"""A client that writes down all it sends and gets, and shares no code with the server: sockets, msgpack, nothing else.

It does what the protocol asks of a client: resumes where it was, sends again what is unanswered in the order of seq, and
leaves a server that is silent. And what nobody should have to do: it asks again for what it was answered already, puts
something else under a number that is used, comes back with an epoch that never was, and sometimes does not read: for a
moment, until much has happened, or while it asks for more and more.
"""

import asyncio
import random
import socket as sockets
from collections.abc import Callable
from typing import Any

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException
from websockets.typing import Subprotocol

from tests.faults.history import History

IN_FLIGHT = 8
PING_S = 0.6
SILENT_S = 1.5
REWOUND = 43
NARROW = 4096
"""Bytes that the system takes in for a lazy client, so that what it does not read waits at the server."""
FAR = 120
"""Changes at the table that fill a server's queue for one who does not read, and all that lies between."""
DOZE_S = 9.0
GREED = 12
"""Questions whose answers fill that queue, where what was said is long."""


class Player:
    """One client of a seat. `address` gives the port to try next; `rude`: how often it does what nobody should.

    `lazy`: how often it stops reading; `happened`: how much has happened at the table, as others there know.
    """

    def __init__(
        self,
        history: History,
        token: str,
        audience: str,
        client: str,
        address: Callable[[], int],
        chance: random.Random,
        *,
        rude: float = 0.0,
        lazy: float = 0.0,
        happened: Callable[[], int] = int,
        resume: tuple[str, int] = ("", 0),
        final: bool = False,
    ) -> None:
        self.history = history
        self.token = token
        self.seat = token.split(".")[1]
        self.audience = audience
        self.client = client
        self.state: dict[str, Any] = {}
        self.epoch, self.n = resume
        self.final = final
        self.goal = -1
        self.rewound = 0
        self.reconnects = 0
        self.snapshots: list[str] = []
        self.closed: list[int] = []  # by the server, with these codes
        self.gone = ""  # why the server does not want it any more
        self._address = address
        self._chance = chance
        self.rude = rude
        self.lazy = lazy
        self._narrows = lazy > 0
        self._happened = happened
        self._seq = 0
        self._spoke = 0.0
        self._forgets = False
        self._waiting: dict[int, tuple[dict[str, Any], asyncio.Future[dict[str, Any]]]] = {}
        self._answered: list[dict[str, Any]] = []
        self._slots = asyncio.Semaphore(IN_FLIGHT)
        self._socket: ClientConnection | None = None
        self._number = 0
        self._up = asyncio.Event()
        self._changed = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    # -------------------------------------------------------------------------------------------------------------- acts
    async def command(self, kind: str, *, seen: int | None = None, **fields: Any) -> dict[str, Any]:
        """The answer, however often it has to be asked for. A refusal that may pass is asked anew under a new number."""
        async with self._slots:
            while True:
                answer = await self._once(kind, self.n if seen is None else seen, fields)
                if not answer.get("retry"):
                    return answer
                await asyncio.sleep(0.02)

    async def _once(self, kind: str, seen: int, fields: dict[str, Any]) -> dict[str, Any]:
        self._seq += 1
        message = {"t": "command", "seq": self._seq, "seen": seen, "kind": kind, **fields}
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[self._seq] = message, answer
        if self._up.is_set() and self._socket:
            socket, line = self._socket, self._number
            await self._send(socket, line, message)
            if self._chance.random() < self.rude:
                await self._be_rude(socket, line)
        try:
            return await answer
        finally:
            self._waiting.pop(message["seq"], None)

    async def _be_rude(self, socket: ClientConnection, line: int) -> None:
        """Asks again for what was answered; the same number may hold something else this time."""
        recent = [one for one in self._answered if one["seq"] > self._seq - 12]
        if not recent:
            return
        again = dict(self._chance.choice(recent))
        if self._chance.random() < 0.3:
            again = {"t": "command", "seq": again["seq"], "seen": again["seen"], "kind": "say"}
            again["text"] = f"<other than {self.seat}.{self.client}.{again['seq']}>"
        await self._send(socket, line, again)

    async def reached(self, epoch: str, n: int) -> None:
        """Until it has been told everything up to n, or another epoch."""
        while not self.gone and self.epoch == epoch and self.n < n:
            self._changed.clear()
            await self._changed.wait()

    async def current(self) -> None:
        """Until it has been told all there was when it was welcomed."""
        while not self.gone and (self.goal < 0 or not self.epoch or self.n < self.goal):
            self._changed.clear()
            await self._changed.wait()

    async def sees(self, path: str, value: Any) -> None:
        """Until that is what it has been told of."""
        while not self.gone and (path not in self.state or self.state[path] != value):
            self._changed.clear()
            await self._changed.wait()

    def drop(self, *, forget: bool = False) -> None:
        """The line breaks. `forget`: and it comes back knowing nothing."""
        self._forgets = forget
        if self._socket:
            self._socket.transport.abort()

    # -------------------------------------------------------------------------------------------------------- the line
    async def _run(self) -> None:
        while not self.gone:
            try:
                async with asyncio.timeout(2):
                    port = self._address()
                    socket = await connect(
                        f"ws://127.0.0.1:{port}/ws",
                        sock=await self._narrow(port) if self._narrows else None,
                        subprotocols=[Subprotocol("overseer.v1.msgpack")],
                        compression=None,
                        proxy=None,
                        max_size=None,
                        ping_interval=None,
                        open_timeout=None,
                        close_timeout=0.2,
                    )
            except (OSError, TimeoutError, EOFError, InvalidHandshake, WebSocketException):
                await asyncio.sleep(self._chance.uniform(0.01, 0.08))
                continue
            try:
                await self._converse(socket)
            except (OSError, TimeoutError, WebSocketException):
                pass
            finally:
                self._up.clear()
                self._socket = None
                line, self._number = self._number, 0
                self.history.shut(line)
                socket.transport.abort()
            if socket.close_code is not None:
                self.closed.append(socket.close_code)
            if socket.close_code is not None and 4000 <= socket.close_code <= 4099:
                self.gone = f"{socket.close_code} {socket.close_reason}"
                self.history.gone(line, self.gone)
                self._changed.set()
                for _, answer in self._waiting.values():
                    if not answer.done():
                        answer.set_exception(ConnectionAbortedError(self.gone))
                        answer.exception()
            self.reconnects += 1
            await asyncio.sleep(self._chance.uniform(0, 0.03))

    async def _narrow(self, port: int) -> sockets.socket:
        narrow = sockets.socket()
        try:
            narrow.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, NARROW)
            narrow.setblocking(False)
            await asyncio.get_running_loop().sock_connect(narrow, ("127.0.0.1", port))
        except BaseException:
            narrow.close()
            raise
        return narrow

    async def _doze(self, socket: ClientConnection, line: int) -> None:
        """Reads nothing for a while."""
        how = self._chance.random()
        if how < 0.4 or self._waiting:  # nothing more happens at a table where all wait for one's own command
            await asyncio.sleep(self._chance.uniform(0.2, 1.2))
            return
        if how < 0.6:
            for _ in range(GREED):
                await self._send(socket, line, {"t": "ask", "id": 1, "what": "log", "limit": 200})
            await asyncio.sleep(1)
            return
        loop = asyncio.get_running_loop()
        enough, latest = self._happened() + FAR, loop.time() + DOZE_S
        while self.lazy and socket.close_code is None and self._happened() < enough and loop.time() < latest:
            await self._send(socket, line, {"t": "ping", "id": 1})  # it is there, it just does not listen
            await asyncio.sleep(PING_S)

    async def _converse(self, socket: ClientConnection) -> None:
        if self._forgets:
            self.epoch, self.n, self.state, self._forgets = "", 0, {}, False
        resume = (self.epoch, self.n) if self.epoch else None
        if resume and self._chance.random() < 3 * self.rude:
            resume = (f"no{self._chance.randrange(10**6)}", self.n)
        line = self._number = self.history.open(self.audience, self.seat, self.client, resume, final=self.final)
        hello: dict[str, Any] = {"t": "hello", "versions": [1], "token": self.token, "client": self.client}
        if resume:
            hello["resume"] = {"epoch": resume[0], "n": resume[1]}
        loop = asyncio.get_running_loop()
        heard = loop.time()
        self._socket = socket
        await self._send(socket, line, hello)
        while True:
            if self._up.is_set() and self._chance.random() < self.lazy:
                await self._doze(socket, line)
            if self._up.is_set() and loop.time() - self._spoke > PING_S:
                await self._send(socket, line, {"t": "ping", "id": 1})
            try:
                async with asyncio.timeout(PING_S):
                    frame = await socket.recv(decode=False)
            except TimeoutError:
                if loop.time() - heard > SILENT_S:
                    return  # another server may know more
                continue
            heard = loop.time()
            self.history.got(line, frame)
            message = msgpack.unpackb(frame)
            self._take(message)
            self._changed.set()
            if isinstance(message, dict) and message["t"] == "welcome":
                self.goal = message["n"]
                last = 0
                while later := [seq for seq in self._waiting if seq > last]:  # may grow while they go out
                    last = min(later)
                    await self._send(socket, line, self._waiting[last][0])
                self._up.set()

    def _take(self, message: Any) -> None:
        if isinstance(message, list):
            self.n = message[1]
            for path, *value in message[2]:
                if value:
                    self.state[path] = value[0]
                else:
                    self.state.pop(path, None)
            if any(line[0] == REWOUND for line in message[3]):
                self.rewound = self.n
        elif message["t"] == "snapshot":
            self.epoch, self.n, self.state = message["epoch"], message["n"], message["view"]
            self.snapshots.append(message["reason"])
        elif message["t"] in ("ack", "refused"):
            waiting = self._waiting.get(message["seq"])
            if waiting and not waiting[1].done() and message.get("code") != "seq_reused":
                waiting[1].set_result(message)
                if not message.get("retry"):
                    self._answered = [*self._answered[-20:], waiting[0]]

    async def _send(self, socket: ClientConnection, line: int, message: dict[str, Any]) -> None:
        frame = msgpack.packb(message)
        if line == self._number:
            self.history.sent(line, frame)
            self._spoke = asyncio.get_running_loop().time()
            try:
                async with asyncio.timeout(SILENT_S):
                    await socket.send(frame)
            except (OSError, TimeoutError, WebSocketException):
                socket.transport.abort()
