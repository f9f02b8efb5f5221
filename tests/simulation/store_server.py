"""The store as its clients meet it: a process at a port that speaks Redis's protocol, and what can befall such a process.

What has come in when its turn comes is done together, brought to the disk, and only then answered: so no answer is given
that a killed process takes back. A killed one may have brought to the disk what it never answered.
"""

import asyncio
import random
from collections import deque
from typing import Any

import hiredis

from server.store.demands import DEMANDS
from tests.simulation.loop import Host, SimulatedLoop
from tests.simulation.network import Network, Wire
from tests.simulation.store import Refused, Status, Store

PORT = 6379
BORN_S = 1_900_000_000.0
INFO = b"# Server\r\nredis_version:7.2.4\r\nvalkey_version:9.1.2\r\nredis_mode:standalone\r\nrole:master\r\n"


class Push(list[Any]):
    """What is said without having been asked."""


class StoreServer:
    """`start` and `kill` it as often as you like; what it has kept, it has kept."""

    def __init__(self, loop: SimulatedLoop, network: Network, chance: random.Random) -> None:
        self.loop, self.network, self.chance = loop, network, chance
        self.host = Host("store")
        self.store = Store(self._time, self._tell)
        self.ahead_s = 0.0  # of the time that passes for everybody
        self.disk_s = (0.0002, 0.001)  # what bringing something to the disk takes
        self.loading = False
        self.news = 0.0  # the share of messages to listeners that come twice, late, or not at all
        self._at_once: deque[tuple[Conversation, list[bytes]]] = deque()
        self._busy = False
        self._listening: dict[bytes, dict[Conversation, None]] = {}
        self._said: list[tuple[Conversation, Any]] = []

    def start(self) -> None:
        self.host = Host("store")
        self._busy, self._listening = False, {}
        self.store.scripts.clear()
        self.host.context.run(self.network.listen, lambda: Conversation(self), PORT)

    def kill(self) -> None:
        """What was about to be brought to the disk may lie there, up to some command."""
        waiting, self._at_once = self._at_once, deque()
        for conversation, command in list(waiting)[: self.chance.randint(0, len(waiting))]:
            self._done(conversation, command)
        self._said.clear()
        self.network.kill(self.host)

    def ask(self, conversation: "Conversation", command: list[bytes]) -> None:
        self._at_once.append((conversation, command))
        if not self._busy:
            self._busy = True
            self.loop.call_later(self.chance.uniform(*self.disk_s), self._turn, context=self.host.context)

    def _turn(self) -> None:
        self._busy = False
        waiting, self._at_once = self._at_once, deque()
        for conversation, command in waiting:
            self._done(conversation, command)
        said, self._said = self._said, []
        for conversation, answer in said:
            conversation.say(answer)

    def _done(self, conversation: "Conversation", command: list[bytes]) -> None:
        if not conversation.wire.is_closing():
            for answer in conversation.take(command):
                self._said.append((conversation, answer))

    def _time(self) -> float:
        return BORN_S + self.loop.time() + self.ahead_s

    # ----------------------------------------------------------------------------------------------------- listeners
    def listen(self, conversation: "Conversation", channel: bytes) -> None:
        self._listening.setdefault(channel, {})[conversation] = None

    def unlisten(self, conversation: "Conversation", channel: bytes) -> None:
        self._listening.get(channel, {}).pop(conversation, None)

    def listeners(self) -> "list[Conversation]":
        return list({one: None for several in self._listening.values() for one in several})

    def _tell(self, channel: bytes, message: bytes) -> int:
        listening = list(self._listening.get(channel, ()))
        for conversation in listening:
            news = Push([b"message", channel, message])
            fate = self.chance.random()
            if fate >= self.news:
                self._said.append((conversation, news))
            elif fate < self.news * 0.4:
                self._said += [(conversation, news)] * 2
            elif fate < self.news * 0.8:
                self.loop.call_later(self.chance.uniform(0, 1.5), conversation.say, news, context=self.host.context)
        return len(listening)


class Conversation(asyncio.Protocol):
    """One client of the store."""

    def __init__(self, server: StoreServer) -> None:
        self.server = server
        self.channels: dict[bytes, None] = {}
        self._reader = hiredis.Reader()
        self._several: list[list[bytes]] | None = None  # since MULTI

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, Wire)
        self.wire = transport

    def connection_lost(self, exc: Exception | None) -> None:
        for channel in self.channels:
            self.server.unlisten(self, channel)

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        while isinstance(command := self._reader.gets(), list):
            self.server.ask(self, command)

    def say(self, answer: Any) -> None:
        out = bytearray()
        encode(answer, out)
        self.wire.write(out)

    def take(self, command: list[bytes]) -> list[Any]:
        """Does it. What is answered: one thing, or several where channels are concerned."""
        name = command[0].upper()
        if self.server.loading and name != b"HELLO":
            return [Refused("LOADING Valkey is loading the dataset in memory")]
        if name == b"MULTI":
            self._several = []
            return [Status(b"OK")]
        if name == b"EXEC":
            several, self._several = self._several or [], None
            return [[self._one(one) for one in several]]
        if self._several is not None:
            self._several.append(command)
            return [Status(b"QUEUED")]
        if name in (b"SUBSCRIBE", b"UNSUBSCRIBE"):
            return [self._channel(name, channel) for channel in command[1:]]
        return [self._one(command)]

    def _channel(self, name: bytes, channel: bytes) -> Push:
        if name == b"SUBSCRIBE":
            self.channels[channel] = None
            self.server.listen(self, channel)
        else:
            self.channels.pop(channel, None)
            self.server.unlisten(self, channel)
        return Push([name.lower(), channel, len(self.channels)])

    def _one(self, command: list[bytes]) -> Any:
        match command[0].upper(), *command[1:]:
            case b"HELLO", *_:
                return {b"server": b"valkey", b"version": b"9.1.2", b"proto": 3, b"id": 1, b"mode": b"standalone",
                        b"role": b"master", b"modules": []}  # fmt: skip
            case b"INFO", *_:
                return INFO
            case b"CONFIG", _, *names:
                return {
                    one.name.encode(): _setting(one.name, one.value) for one in DEMANDS if one.name.encode() in names
                }
            case b"CLIENT", b"SETINFO", *_:
                return Status(b"OK")
        try:
            return self.server.store.call(*command)
        except Refused as refused:
            return refused


def _setting(name: str, value: str) -> bytes:
    return (f"normal 0 0 0 {value}" if name == "client-output-buffer-limit" else value).encode()


def encode(answer: Any, out: bytearray) -> None:
    """RESP3."""
    if answer is None:
        out += b"_\r\n"
    elif isinstance(answer, Status):
        out += b"+" + answer + b"\r\n"
    elif isinstance(answer, bytes):
        out += b"$%d\r\n%b\r\n" % (len(answer), answer)
    elif isinstance(answer, int):
        out += b":%d\r\n" % answer
    elif isinstance(answer, float):
        out += b",%.17g\r\n" % answer
    elif isinstance(answer, Refused):
        out += b"-" + str(answer).encode() + b"\r\n"
    elif isinstance(answer, dict):
        out += b"%%%d\r\n" % len(answer)
        for key, value in answer.items():
            encode(key, out)
            encode(value, out)
    elif isinstance(answer, frozenset):
        out += b"~%d\r\n" % len(answer)
        for one in sorted(answer):
            encode(one, out)
    else:
        out += (b">" if isinstance(answer, Push) else b"*") + b"%d\r\n" % len(answer)
        for one in answer:
            encode(one, out)
