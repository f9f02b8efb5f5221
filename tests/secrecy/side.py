"""One table with everybody at it: the server's own sessions, rooms and audiences, and sockets that keep what goes out."""

import asyncio
import contextlib
import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgpack
from websockets.exceptions import ConnectionClosedOK

from core.cells import cells as cells_of
from core.commands import By, Command
from core.decide import Decided, decide
from core.dice.source import KeyedDice
from core.events import Event, SeatAdded, SeedCommitted, TableMade
from core.evolve import fold
from core.ids import ST, Ids, SeatId
from core.state import House, Seat, Seeds, Table
from core.view import audiences
from core.world import World
from protocol import version
from protocol.codec import JSON, MSGPACK, Codec
from server import auth, cells, history
from server.config import load_settings
from server.limits import Limits
from server.presence import Presence
from server.room import Room
from server.rooms import Rooms
from server.session import Session
from server.store.redis import RedisStore
from server.thinking import Thinking
from tests.secrecy.still import OpenDice, ShelfStore, StillLoop
from tests.simulation.store import Store
from tests.simulation.store_server import BORN_S

TABLE = "tbl00001"
SEATS = {
    **{id: Seat(SeatId(id), name, "st") for id, name in (("x1", "Sid"), ("x2", "Sue"))},
    **{id: Seat(SeatId(id), name, "player") for id, name in (("p1", "Ann"), ("p2", "Bob"))},
    "w1": Seat(SeatId("w1"), "Wil", "spectator"),
}
HEARTBEAT_S = 600.0
SETTINGS = load_settings({"redis_url": "redis://nowhere/0", "rate_seat": 0})
"""Without a limit for seats nobody is in a rush, which would be read later (limits.py): here no time goes by."""


@dataclass(frozen=True)
class Got:
    """A frame as it was handed to the socket, and when (ms)."""

    at: int
    frame: bytes | str

    @property
    def is_patch(self) -> bool:
        """In MessagePack: a list. All else is a map."""
        return isinstance(self.frame, bytes) and self.frame[0] & 0xF0 == 0x90

    @property
    def raw(self) -> bytes:
        return self.frame.encode() if isinstance(self.frame, str) else self.frame

    @property
    def plain(self) -> Any:
        return JSON.read(self.frame, 1 << 30, 99) if isinstance(self.frame, str) else msgpack.unpackb(self.frame)


class Socket:
    """The part of websockets.ServerConnection that a session uses."""

    def __init__(self, loop: StillLoop, got: list[Got], trip_s: float) -> None:
        self.loop, self._trip_s = loop, trip_s
        self._inbox: asyncio.Queue[bytes | str | None] = asyncio.Queue()
        self._got = got
        self.transport = self
        self.address = self.counted = "192.0.2.1"

    def shown(self) -> None:
        """Its token was good."""

    async def ping(self) -> asyncio.Future[float]:
        pong = self.loop.create_future()
        pong.set_result(self._trip_s)
        return pong

    def say(self, frame: bytes | str | None) -> None:
        """None: the client hangs up."""
        self._inbox.put_nowait(frame)

    async def recv(self) -> bytes | str:
        frame = await self._inbox.get()
        if frame is None:
            raise ConnectionClosedOK(None, None)
        return frame

    async def send(self, frame: bytes | str) -> None:
        self._got.append(Got(self.loop.ms, frame))

    async def close(self, code: int, reason: str) -> None:
        self._got.append(Got(self.loop.ms, f"closed {int(code)} {reason}"))

    def abort(self) -> None:
        pass


@dataclass
class Client:
    """One device of a seat. `got`: all it was ever sent, over every connection it had.

    `token`: another than the seat's own; `see_as`: through whose eyes it looks; `trip_s`: to the server and back.
    """

    side: "Side"
    seat: str
    name: str
    codec: Codec
    token: str = ""
    see_as: str | None = None
    trip_s: float = 0.0
    got: list[Got] = field(default_factory=list)
    socket: Socket | None = None
    seq: int = 0
    asked: int = 0
    looked: int = 0

    def connect(self, resume: Mapping[str, Any] | None = None) -> None:
        socket = self.socket = Socket(self.side.loop, self.got, self.trip_s)
        self.side.loop.create_task(self._converse(socket))
        self.say(self.hello(resume))

    def hello(self, resume: Mapping[str, Any] | None) -> dict[str, Any]:
        token = self.token or self.side.tokens[self.seat]
        more = ({"resume": dict(resume)} if resume else {}) | ({"see_as": self.see_as} if self.see_as else {})
        return {
            "t": "hello",
            "versions": [version.VERSION],
            "minor": version.MINOR,
            "token": token,
            "client": self.name,
        } | more

    async def _converse(self, socket: Socket) -> None:
        await Session(self.side.rooms, socket, self.codec, HEARTBEAT_S, self.side.limits).run()  # type: ignore[arg-type]

    def hang_up(self) -> None:
        if self.socket:
            self.socket.say(None)
            self.socket = None

    def say(self, message: Any) -> None:
        assert self.socket
        self.socket.say(self.codec.encode_plain(message))

    def command(self, body: Mapping[str, Any], as_seat: str | None = None) -> None:
        self.seq += 1
        envelope = {"t": "command", "seq": self.seq, "seen": self.n} | ({"as": as_seat} if as_seat else {})
        self.say({**envelope, **body})

    def ask(self, question: Mapping[str, Any]) -> None:
        self.asked += 1
        self.say({"t": "ask", "id": self.asked, **question})

    @property
    def n(self) -> int:
        return self.side.room.audiences[self.audience].n

    @property
    def audience(self) -> str:
        return {"st": "st", "spectator": "all"}.get(SEATS[self.seat].role, self.seat)

    @property
    def where(self) -> dict[str, Any]:
        """What a resume would name."""
        place = self.side.room.audiences[self.audience]
        return {"epoch": place.epoch, "n": place.n}

    def news(self) -> list[Got]:
        """What came since this was last asked."""
        new = self.got[self.looked :]
        self.looked = len(self.got)
        return new


class Side:
    """A table as it stood in a template, waking up on a server of its own."""

    def __init__(self, name: str, kept: "Kept") -> None:
        self.name = name
        self.loop = StillLoop(kept.at_s)
        self.keys = Store(lambda: BORN_S + self.loop.time())
        self.keys.keys = copy_of(kept.keys)
        self.store = ShelfStore(self.keys)
        self.tokens = kept.tokens
        self.clients: dict[str, Client] = {}
        self.limits = Limits(SETTINGS)
        self.loop.run(self._open())

    async def _open(self) -> None:
        self._stack = contextlib.AsyncExitStack()
        self.rooms = await self._stack.enter_async_context(
            Rooms(self.store, Presence(self.store, HEARTBEAT_S), HEARTBEAT_S)
        )
        self.rooms.thinking = Thinking(math.inf)  # what takes long is no other than what takes no time
        self.room: Room = await self._stack.enter_async_context(self.rooms.using(TABLE))
        self.room.dice = OpenDice(b"k" * 32)

    @property
    def table(self) -> Table:
        return self.room.table

    def clock(self) -> int:
        """The room's time (ms)."""

        async def ask() -> int:
            return self.room.clock()

        now: int = self.loop.run(ask())
        return now

    def client(self, seat: str, device: str = "main", codec: Codec = MSGPACK, **more: Any) -> Client:
        """The device, connected; by its name. `more`: as of Client."""
        name = f"{seat}/{device}"
        if name not in self.clients:
            self.clients[name] = Client(self, seat, device, codec, **more)
            self.clients[name].connect()
            self.loop.go()
        return self.clients[name]

    def end(self) -> None:
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.go()
        self.loop.close()


# -------------------------------------------------------------------------------------------------- where a table begins
@dataclass(frozen=True)
class Kept:
    """A table that is set up, as the store has it."""

    keys: Mapping[bytes, Any]
    tokens: Mapping[str, str]
    at_s: float


def copy_of(keys: Mapping[bytes, Any]) -> dict[bytes, Any]:
    """Of a store's keys; what lies in them is never changed in place, but for their own lists."""
    found: dict[bytes, Any] = {}
    for key, value in keys.items():
        one = copy.copy(value)
        if hasattr(value, "entries"):
            one.ids, one.entries = list(value.ids), list(value.entries)
        found[key] = one
    return found


def new_table(house: House) -> Kept:
    """With its seats, and nobody on it yet."""
    loop = StillLoop()
    store = Store(lambda: BORN_S + loop.time())
    tokens = loop.run(create(ShelfStore(store), TABLE, house, b"k" * 32))
    kept = Kept(store.keys, tokens, loop.time() + 1)
    loop.close()
    return kept


async def create(
    store: RedisStore, table_id: str, house: House, key: bytes, first: Sequence[Command] = ()
) -> dict[str, str]:
    """A table with known seats and a known key, as seating.py makes one; the seats' tokens. `first`: what an ST has done."""
    now = await store.now()
    seats = [SeatAdded(seat) for seat in SEATS.values()]
    sealed = SeedCommitted(Seeds(1, 1, *KeyedDice(key).commitments(1)))
    events: tuple[Event, ...] = (TableMade("Thursday", now, False, house), *seats, sealed)
    table = fold(Table(), events, now)
    for k, command in enumerate(first):
        done = decide(table, command, By(ST, "st"), World(now, KeyedDice(key), Ids(key, f"first{k}"), frozenset(), 1))
        assert isinstance(done, Decided)
        events, table = (*events, *done.events), fold(table, done.events, now)
    epochs = {audience: f"epoch-{audience}" for audience in audiences(table)}
    tokens = {id: auth.new_token(table_id, id) for id in SEATS}
    for id, seat in SEATS.items():
        await store.put_seat(table_id, id, auth.record(tokens[id], seat.role, seat.name))
    await store.create(
        table_id,
        name="Thursday",
        cells={cell: cells.encode(entity) for cell, entity in cells_of(table).items()},
        epochs=epochs,
        keys={"dice": key, "ids": key},
        entry=history.write(history.Record(By(ST, "st"), now, "", events, {}, dict.fromkeys(epochs, 0), epochs)),
    )
    return tokens
