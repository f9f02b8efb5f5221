"""Conversations of clients of an earlier version, kept as bytes, and the table they had them at as it lay in the store.

A version that changes what goes over the wire or lies in the store keeps the last recording of the one before it:

    .venv/bin/python -m tests.end_to_end.earlier tests/end_to_end/conversations/1.1.bin

Recorded once by that version's own code, a file is never made again: it stands for clients that are not updated.
"""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack
from redis import Redis
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from protocol import version
from protocol.codec import MSGPACK, command_body
from protocol.from_client import ASKS, Ping
from protocol.session import Session
from server import seating
from server.presence import Presence
from server.rooms import Rooms
from server.store.embedded import Embedded
from server.store.redis import RedisStore
from tests.end_to_end.conftest import STEP, SWORD
from tests.helpers.servers import serving

HERE = Path(__file__).parent / "conversations"
ENDS = ("ack", "refused", "answer", "pong", "presence", "error")
"""What a message of a client is answered with, last of all that it causes; a HELLO with a PRESENCE."""


@dataclass
class Step:
    """One frame of a client, and all it was sent from the last reply up to the reply to this. `anew`: on a new socket."""

    who: str
    anew: bool
    said: bytes
    heard: list[bytes]


@dataclass
class Recording:
    """`keys`: [name, kind, content] of every key of the store before the first step."""

    keys: list[list[Any]]
    steps: list[Step]

    @classmethod
    def read(cls, path: Path) -> "Recording":
        keys, steps = msgpack.unpackb(path.read_bytes(), strict_map_key=False)
        return cls(keys, [Step(*one) for one in steps])

    def write(self, path: Path) -> None:
        steps = [[one.who, one.anew, one.said, one.heard] for one in self.steps]
        path.write_bytes(msgpack.packb([self.keys, steps]))


def dump(url: str) -> list[list[Any]]:
    """All that lies in a store."""
    found: list[list[Any]] = []
    with Redis.from_url(url) as store:
        for key in sorted(store.scan_iter()):
            kind = store.type(key).decode()
            if kind == "hash":
                found.append([key, kind, store.hgetall(key)])
            elif kind == "stream":
                found.append([key, kind, [[id, fields] for id, fields in store.xrange(key)]])
            elif kind == "set":
                found.append([key, kind, sorted(store.smembers(key))])
    return found


def restore(url: str, keys: list[list[Any]]) -> None:
    """An empty store, and all that `dump` found put into it."""
    with Redis.from_url(url) as store:
        store.flushall()
        for key, kind, content in keys:
            if kind == "hash":
                store.hset(key, mapping=content)
            elif kind == "stream":
                for id, fields in content:
                    store.xadd(key, fields, id=id)
            elif kind == "set":
                store.sadd(key, *content)


class Voice:
    """One client, frame by frame."""

    def __init__(self, address: str) -> None:
        self._url = address.replace("http", "ws", 1) + version.PATH
        self._socket: ClientConnection | None = None

    async def anew(self) -> None:
        await self.close()
        self._socket = await connect(self._url, subprotocols=[Subprotocol(version.MSGPACK)], compression=None)

    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()

    async def say(self, frame: bytes) -> list[bytes]:
        """Says it; all that is heard up to the reply, without PRESENCE, which comes when it comes."""
        assert self._socket is not None
        await self._socket.send(frame)
        hello = msgpack.unpackb(frame)["t"] == "hello"
        heard: list[bytes] = []
        async with asyncio.timeout(60):
            while True:
                raw = await self._socket.recv()
                assert isinstance(raw, bytes)
                kind = kind_of(raw)
                if kind != "presence":
                    heard.append(raw)
                if kind == "presence" if hello else kind in ENDS and kind != "presence":
                    return heard


def kind_of(frame: bytes) -> str:
    message = msgpack.unpackb(frame)
    return "diff" if isinstance(message, list) else message["t"]


# ------------------------------------------------------------------------------------------------------------ to record
class Recorder:
    """Clients that note what they say and hear."""

    def __init__(self, address: str, tokens: dict[str, str]) -> None:
        self.steps: list[Step] = []
        self.voices = {who: Voice(address) for who in tokens}
        self.sessions = {who: Session(token, f"client of {who}") for who, token in tokens.items()}

    async def step(self, who: str, said: bytes, anew: bool = False) -> None:
        if anew:
            await self.voices[who].anew()
        heard = await self.voices[who].say(said)
        self.steps.append(Step(who, anew, said, heard))
        for frame in heard:
            message = MSGPACK.decode_from_server(frame)
            if message is not None:
                self.sessions[who].receive(message)

    async def hello(self, who: str) -> None:
        await self.step(who, _bytes(self.sessions[who].hello()), anew=True)

    async def do(self, who: str, kind: str, **fields: Any) -> list[str]:
        """A command; the ids of what it made."""
        await self.step(who, _bytes(self.sessions[who].command(command_body(kind, fields))))
        made: list[str] = msgpack.unpackb(self.steps[-1].heard[-1]).get("made", [])
        return made

    async def ask(self, who: str, what: str, **fields: Any) -> None:
        await self.step(who, _bytes(self.sessions[who].ask(ASKS[what], fields)))


def _bytes(message: Any) -> bytes:
    frame = MSGPACK.encode(message)
    assert isinstance(frame, bytes)
    return frame


async def converse(one: Recorder, ann: str) -> None:
    """What was recorded: a fight begins, an attack is answered, questions, mistakes, a resend, a resume, a rewind."""
    await one.hello("ST")
    unit = {"side": "heroes", "tracks": {"hp": {"value": 12, "max": 12}}, "abilities": [SWORD, STEP], "on_stage": True}
    (mira,) = await one.do("ST", "add_unit", unit={**unit, "name": "Mira", "initiative": 30}, owner=ann)
    (ghoul,) = await one.do("ST", "add_unit", unit={**unit, "name": "Ghoul", "initiative": 10, "side": "foes"})
    for key in ("reaction_window_ms", "reaction_floor_ms"):  # so that nothing happens by the clock
        await one.do("ST", "set_house", key=key, value=60_000)
    await one.hello("Ann")
    await one.do("ST", "start_fight")
    await one.do("Ann", "say", text="我来了 — here I am")
    await one.do("Ann", "roll", unit=mira, pool={"fixed": 6})
    await one.do("Ann", "set_standing_order", act="*", order="ask")
    await one.do(
        "Ann", "declare", unit=mira, act={"kind": "attack", "slot": "standard", "ability": "sword", "targets": [ghoul]}
    )
    await one.ask("ST", "options")
    (window,) = [path for path in one.sessions["ST"].state if path.startswith("w/") and path.count("/") == 1]
    await one.do("ST", "pass", window=window[2:], gen=one.sessions["ST"].state[window]["gen"])
    await one.ask("Ann", "options")
    await one.ask("Ann", "log")
    await one.ask("Ann", "calc", text="10 with x2, x4, +50")
    await one.step("Ann", _bytes(Ping(id=7)))
    await one.do("Ann", "narrate", text="I am the Storyteller now")
    await one.step("Ann", msgpack.packb({"t": "command", "seq": 40, "seen": 1, "kind": "fly"}))
    await one.step("Ann", msgpack.packb({"t": "something new"}))
    saying = next(step.said for step in one.steps if step.who == "Ann" and b"here I am" in step.said)
    await one.step("Ann", saying)
    ann_then = one.sessions["Ann"].saved
    before = one.sessions["ST"].n
    await one.do("ST", "adjust", unit=mira, path="hp", by=-3)
    await one.do("ST", "narrate", text="It bites.")
    one.sessions["Ann"] = Session(one.sessions["Ann"]._token, "client of Ann", saved=ann_then, first_seq=50)
    await one.hello("Ann")
    await one.ask("ST", "rewind_preview", to=before)
    await one.do("ST", "rewind", to=before, head=one.sessions["ST"].n, reason="a slip")
    await one.do("Ann", "say", text="that did not hurt")
    await one.do("Ann", "end_action", unit=mira, round=1)


@asynccontextmanager
async def empty_store() -> AsyncIterator[str]:
    with tempfile.TemporaryDirectory(prefix="overseer-test-") as directory:
        database = Embedded(Path(directory) / "data")
        try:
            yield await database.start()
        finally:
            await database.stop()


async def record(path: Path) -> None:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(empty_store())
        store = await RedisStore.connect(url)
        async with Rooms(store, Presence(store, 1.0), 1.0) as rooms:
            made = await seating.make_table(rooms, "Thursday", practice_seed=7)
            ann = await seating.add_seat(rooms, made.table, "Ann", "player")
        await store.close()
        keys = dump(url)
        server = await stack.enter_async_context(serving(redis_url=url))
        recorder = Recorder(server.address, {"ST": made.token, "Ann": ann.token})
        await converse(recorder, ann.seat)
        for voice in recorder.voices.values():
            await voice.close()
    Recording(keys, recorder.steps).write(path)
    print(f"{path}: {len(recorder.steps)} steps")
    for step in recorder.steps:
        print(step.who, step.said[:60], [kind_of(frame) for frame in step.heard])


if __name__ == "__main__":
    asyncio.run(record(Path(sys.argv[1])))
