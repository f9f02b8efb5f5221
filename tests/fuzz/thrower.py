"""Throws frames at a running server, in a process of its own: python -m tests.fuzz.thrower, links as JSON on its input.

Says "ready" when all are seated. Each line of input, "frames a_second" (0: as fast as it goes), is answered by what came of
so many frames, as JSON. Some are no WebSocket frames at all, and some come before HELLO.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from random import Random
from typing import Any

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.frames import Frame as Piece
from websockets.frames import Opcode
from websockets.typing import Subprotocol

from protocol import version
from protocol.codec import CODECS, Codec
from protocol.codes import comes_back
from protocol.invitation import Invitation
from server.cli import run_loop
from tests.fuzz import judge
from tests.fuzz.frames import Frame, Frames
from tests.fuzz.grammar import Grammar, Known
from tests.fuzz.outcome import Outcome

PATIENCE_S = 60.0
KNOWN_EVERY = 20
SIZE = 4 * version.FRAME_BYTES
RAW = (
    b"\x83\x80\x00\x00\x00\x00", b"\xc2\x80\x00\x00\x00\x00", b"\x82\x05hello", b"\x80\x80\x00\x00\x00\x00",
    b"\x02\x80\x00\x00\x00\x00\x82\x80\x00\x00\x00\x00", b"\x89\xfe\x00\x7e\x00\x00\x00\x00" + bytes(126),
    b"\x88\x81\x00\x00\x00\x00\x03", b"\x88\x82\x00\x00\x00\x00\x03\xe7", b"\x88\x82\x00\x00\x00\x00\xff\xff",
    b"\x81\x82\x00\x00\x00\x00\xff\xfe", b"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00",
    b"\x82\xff\x00\x00\x00\x7f\xff\xff\xff\xff\x00\x00\x00\x00", b"\x8b\x80\x00\x00\x00\x00\x8f\x80\x00\x00\x00\x00",
    b"\x09\x80\x00\x00\x00\x00", b"GET / HTTP/1.1\r\n\r\n", b"\x00" * 64, b"\xff" * 64,
)  # fmt: skip
"""What is no frame of WebSocket: reserved bits and kinds, no mask, pieces of nothing, pings that are too long, lies."""


def _piece(opcode: Opcode, data: bytes = b"", *, fin: bool) -> bytes:
    return Piece(opcode, data, fin=fin).serialize(mask=True)


FLOODS = (
    _piece(Opcode.BINARY, fin=False) + _piece(Opcode.CONT, fin=False) * 40_000,
    _piece(Opcode.TEXT, b"[", fin=False) + _piece(Opcode.CONT, b" ", fin=False) * 30_000,
    _piece(Opcode.BINARY, fin=True) * 40_000,
    _piece(Opcode.TEXT, b"{}", fin=True) * 30_000,
)
"""A quarter of a megabyte of next to nothing: a message in pieces without an end, and messages of nothing."""


class Sitting:
    """One connection of a seat, opened again when it was closed."""

    def __init__(self, link: str, codec: Codec, random: Random, name: str) -> None:
        self.invitation = Invitation.read(link)
        self.codec, self.r, self.name = codec, random, name
        self.here = (
            f"127.0.1.{random.randrange(1, 250)}",
            0,
        )  # as a stranger: what he may is not counted for who plays
        self.grammar = Grammar(random)
        self.frames = Frames(random, self.grammar, codec.subprotocol, bad=0.3)
        self.frames.kinds = [kind for kind in self.frames.kinds if kind not in judge.SEATS]  # all stay
        self.view: dict[str, Any] = {}
        self.n = self.pings = self.thrown = 0
        self.socket: ClientConnection | None = None
        self.gone = False
        self.greetings: set[asyncio.Task[None]] = set()

    async def open(self) -> ClientConnection:
        """Whoever is asked to come later comes later."""
        pause = 0.05
        while True:
            try:
                self.socket = await self._opened()
                hello = {
                    "t": "hello",
                    "versions": [1],
                    "token": self.invitation.token,
                    "client": f"{self.name}{self.r.random()}",
                }
                await self.socket.send(self.codec.encode_plain(hello))
                self.frames.seq = 0
                first = self.codec.read(await self._heard(), 1 << 30, 100)
                if first["t"] == "error":
                    await self.socket.recv()
                return self.socket
            except (ConnectionClosed, InvalidHandshake, TimeoutError) as problem:
                if (
                    isinstance(problem, ConnectionClosed)
                    and comes_back(problem.rcvd.code if problem.rcvd else None) == "never"
                ):
                    self.gone = True
                    raise
                await asyncio.sleep(pause)
                pause = min(5.0, 2 * pause)

    async def _opened(self) -> ClientConnection:
        return await connect(self.invitation.url, subprotocols=[Subprotocol(self.codec.subprotocol)], compression=None,
                             proxy=None, max_size=None, ping_interval=None, open_timeout=PATIENCE_S,
                             local_addr=self.here)  # fmt: skip

    async def _let_in(self) -> ClientConnection:
        """As soon as it is let in: nothing is sent before. Raises InvalidHandshake: in no documented way."""
        while True:
            try:
                return await self._opened()
            except InvalidStatus as refused:
                if refused.response.status_code not in judge.LATER:
                    raise
                await asyncio.sleep(0.5)

    async def _heard(self) -> Any:
        assert self.socket
        async with asyncio.timeout(PATIENCE_S):
            return await self.socket.recv()

    async def throw(self, outcome: Outcome) -> None:
        """One frame, and what comes of it."""
        draw = self.r.random()
        if draw < 0.02:  # beside: the answer to a wrong token may take seconds
            greeting = asyncio.create_task(self.greet(outcome))
            self.greetings.add(greeting)
            greeting.add_done_callback(self.greetings.discard)
        elif draw < 0.03:
            await self.no_frame(outcome)
        else:
            await self.talk(outcome)

    async def talk(self, outcome: Outcome) -> None:
        try:
            socket = self.socket or await self.open()
        except ConnectionClosed:  # this seat is nobody's any more
            return
        if self.thrown % KNOWN_EVERY == 0:
            self.grammar.known = Known.of(self.view, self.n)
        self.thrown += 1
        large = self.r.random() < 0.001
        frame = Frame(bytes(SIZE + 1), "raw larger than anything") if large else self.frames.next()
        if not sendable(frame):
            return
        self.pings += 1
        outcome.frames += 1
        said: list[Any] = []
        try:
            await socket.send(frame.data)
            await socket.send(self.codec.encode_plain({"t": "ping", "id": 2**40 + self.pings}))
            while not self.is_pong(last := await self._heard()) and not self.is_ping_refused(last, said):
                said.append(last)
        except ConnectionClosed:
            self.socket = None
            away = socket.close_code in judge.AWAY
            wrong = "" if away else judge.closed_well(socket.close_code or 1006, first=False)
            outcome.closed += not wrong
        except TimeoutError:
            self.socket, wrong = None, "no answer came"
        else:
            answers, wrong = judge.judged(frame, self.codec, said)
            outcome.answered += not wrong
            outcome.kinds.setdefault("rate", [0, 0, 0])[2] += any(one.get("code") == "rate" for one in answers)
            for one in said:
                self.fold(self.codec.read(one, 1 << 30, 100))
        if wrong:
            outcome.faults.append((wrong, frame.label, frame.hex[:20000], self.name))

    def is_pong(self, frame: Any) -> bool:
        mark: Any = msgpack.packb(2**40 + self.pings) if isinstance(frame, bytes) else str(2**40 + self.pings)
        return len(frame) < 100 and mark in frame

    def is_ping_refused(self, frame: Any, before: list[Any]) -> bool:
        """Where the ping itself is one too many; an ERROR says so behind the answer to the frame."""
        codec, most = self.codec, 1 << 30
        answers = [told for one in before if not isinstance(told := codec.read(one, most, 100), list)]
        last = codec.read(frame, most, 100) if len(frame) < 300 else []
        rate = not isinstance(last, list) and (last["t"], last.get("code")) == ("error", "rate")
        return rate and any(one["t"] not in ("check", "presence") for one in answers)

    async def greet(self, outcome: Outcome) -> None:
        """A first frame, on a connection of its own."""
        good = self.grammar.hello(self.r.choice((self.invitation.token, "a.b.c")))
        frame = self.frames.frame(self.grammar.mutated(good, large=False), "mutated greeting")
        outcome.frames += 1
        try:
            async with asyncio.timeout(PATIENCE_S), await self._let_in() as socket:
                await socket.send(frame.data)
                told = self.codec.read(await socket.recv(), 1 << 30, 100)
                if told["t"] == "welcome":
                    outcome.answered += 1
                    return
                await socket.wait_closed()
            wrong = judge.closed_well(socket.close_code or 1006, first=True)
        except ConnectionClosed as problem:
            wrong = judge.closed_well(problem.code or 1006, first=True)
        except InvalidHandshake as problem:
            wrong = f"it was not let in, and not as documented: {problem!r}"
        except TimeoutError:
            wrong = "no answer came"
        outcome.closed += not wrong
        if wrong:
            outcome.faults.append((wrong, frame.label, frame.hex, self.name))

    async def no_frame(self, outcome: Outcome) -> None:
        """What is no frame, or far too many, after a good handshake: the line is closed, soon, and it is said why."""
        what = self.r.choice((*RAW, *FLOODS))
        hangs_up = what in FLOODS and self.r.random() < 0.5
        outcome.frames += 1
        try:
            async with asyncio.timeout(PATIENCE_S):
                code = judge.close_code(await self.raw(what, hangs_up=hangs_up))
            # Who has hung up, with more unread than can be looked at at once, may hear nothing any more.
            wrong = "" if hangs_up and code == judge.NOTHING else judge.closed_well(code, first=True)
        except (OSError, ValueError) as problem:
            wrong = "what is no frame was left standing" if isinstance(problem, TimeoutError) else repr(problem)
        outcome.closed += not wrong
        if wrong:
            outcome.faults.append((wrong, "no frame", what.hex()[:2000], self.name))

    async def raw(self, what: bytes, *, hangs_up: bool) -> bytes:
        """All that comes after a good handshake and this, until the line ends. Raises ValueError: no good handshake."""
        parts = self.invitation.url.removeprefix("ws://")
        host, _, path = parts.partition("/")
        name, _, port = host.partition(":")
        while True:
            reader, writer = await asyncio.open_connection(name, int(port), local_addr=self.here)
            try:
                writer.write(
                    f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    f"Sec-WebSocket-Protocol: {self.codec.subprotocol}\r\n\r\n".encode()
                )
                status = int((await reader.readuntil(b"\r\n\r\n")).split(b" ")[1])
                if status == 101:
                    return await self.said(what, reader, writer, hangs_up=hangs_up)
                if status not in judge.LATER:
                    raise ValueError(f"HTTP {status} for a good handshake")
            except asyncio.IncompleteReadError as cut:
                raise ValueError(f"a handshake was answered by {cut.partial!r}") from None
            finally:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()
            await asyncio.sleep(0.5)

    async def said(
        self, what: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, hangs_up: bool
    ) -> bytes:
        said = b""
        with suppress(ConnectionError):  # what came before it breaks counts
            writer.write(what)
            if hangs_up:
                writer.write_eof()
            while some := await reader.read(1 << 16):
                said += some
        return said

    def fold(self, told: Any) -> None:
        if isinstance(told, list):
            self.n = told[1]
            for path, *value in told[2]:
                self.view.pop(path, None)
                self.view.update({path: value[0]} if value else {})
        elif told["t"] == "snapshot":
            self.n, self.view = told["n"], dict(told["view"])


def sendable(frame: Frame) -> bool:
    """Half a character cannot be sent as text at all: our own side would close the line."""
    try:
        if isinstance(frame.data, str):
            frame.data.encode()
    except UnicodeEncodeError:
        return False
    return True


async def throw(sittings: list[Sitting], frames: int, per_s: float) -> Outcome:
    """So many frames by all together, each at its time."""
    outcome = Outcome(0)
    began = time.perf_counter()
    left = iter(range(frames))

    async def one(sitting: Sitting) -> None:
        for number in left:
            if per_s and (early := began + number / per_s - time.perf_counter()) > 0:
                await asyncio.sleep(early)
            await sitting.throw(outcome)
            if sitting.gone:
                return
            if len(outcome.faults) > 5:
                return

    await asyncio.gather(*(one(sitting) for sitting in sittings))
    await asyncio.gather(*(greeting for sitting in sittings for greeting in sitting.greetings))
    outcome.seconds = time.perf_counter() - began
    return outcome


async def lines() -> AsyncIterator[str]:
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield line.decode()


async def main() -> int:
    given = lines()
    seed, links = json.loads(await anext(given))
    os.nice(5)  # where there are not cores enough, the server goes first, and who plays
    sittings = [
        Sitting(link, list(CODECS.values())[k % 2], Random(f"{seed} {k}"), f"thrower {k}")
        for k, link in enumerate(links)
    ]
    for sitting in sittings:
        await sitting.open()
    print("ready", flush=True)
    async for line in given:
        frames, per_s = line.split()
        print(json.dumps(asdict(await throw(sittings, int(frames), float(per_s)))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(run_loop(main()))
