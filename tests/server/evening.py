"""A table as the tests of the server's rooms use it: seats that speak on a node of their choice and hear on all."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import msgpack
import redis as redis_py

from protocol import version
from protocol.codec import command_body
from protocol.from_client import Command, Resume
from server import auth, cells, joining, seating, translate
from server.audience import Frame
from server.auth import SeatKey
from server.catching_up import catch_up
from server.room import Room
from server.rooms import Rooms


class Ear:
    """Stands for a connection: keeps what it is sent. A resume is what it has kept."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.minor = version.MINOR
        self.something = asyncio.Event()
        self.snapshot: Any = None
        self.closed: int | None = None

    def send(self, frame: Frame) -> None:
        self.heard.append(frame.packed)
        self.something.set()

    def send_patch(self, frame: Frame) -> None:
        self.send(frame)

    def send_missed(self, patches: list[bytes]) -> None:
        self.heard += patches

    def send_snapshot(self, reason: str) -> None:
        self.send(self.snapshot(reason))

    def close_soon(self, code: int, reason: str, *, flush_s: float = 0.0) -> None:
        self.closed = code
        self.something.set()

    @property
    def told(self) -> list[Any]:
        return [msgpack.unpackb(frame) for frame in self.heard]

    @property
    def patches(self) -> list[bytes]:
        return [frame for frame in self.heard if isinstance(msgpack.unpackb(frame), list)]

    @property
    def snapshots(self) -> list[dict[str, Any]]:
        return [one for one in self.told if isinstance(one, dict) and one["t"] == "snapshot"]

    @property
    def state(self) -> dict[str, Any]:
        """What a client that heard all this knows."""
        state: dict[str, Any] = {}
        for one in self.told:
            if isinstance(one, dict) and one["t"] == "snapshot":
                state = dict(one["view"])
            elif isinstance(one, list):
                for path, *value in one[2]:
                    if value:
                        state[path] = value[0]
                    else:
                        del state[path]
        return state


@dataclass
class Sitting:
    """One seat: its key, its ear on each node, the number of its last command."""

    key: SeatKey
    ears: list[Ear] = field(default_factory=list)
    seq: int = 0


@dataclass
class Evening:
    """`rooms[k]` is the same table on node k."""

    table: str
    nodes: tuple[Rooms, ...]
    rooms: list[Room]
    seats: dict[str, Sitting]
    tokens: dict[str, str]

    async def say(self, who: str, kind: str, *, node: int = 0, seq: int | None = None, seen: int | None = None,
                  as_seat: str | None = None, client: str = "c", **fields: Any) -> dict[str, Any]:  # fmt: skip
        """A seat's command on a node; the reply."""
        sitting, room = self.seats[who], self.rooms[node]
        sitting.seq = seq or sitting.seq + 1
        seen = room.audiences[sitting.key.audience].n if seen is None else seen
        message = Command(seq=sitting.seq, seen=seen, as_seat=as_seat, body=command_body(kind, fields))
        now = room.store.clock()
        return await room.submit(translate.asked(room.store, sitting.key, client, message, now))

    async def meet(self) -> None:
        """Both nodes know all that has happened."""
        for room in self.rooms:
            async with room.lock:
                await catch_up(room)

    async def listen(self, who: str, *, node: int, resume: tuple[str, int] | None = None) -> Ear:
        ear = Ear()
        again = Resume(epoch=resume[0], n=resume[1]) if resume else None
        await joining.join(self.rooms[node], ear, self.seats[who].key, again, 15)  # type: ignore[arg-type]
        self.seats[who].ears.append(ear)
        return ear

    def place(self, who: str, node: int = 0) -> tuple[str, int]:
        audience = self.rooms[node].audiences[self.seats[who].key.audience]
        return audience.epoch, audience.n


async def begin(
    nodes: tuple[Rooms, ...],
    stack: AsyncExitStack,
    players: tuple[str, ...] = ("Ann", "Bob"),
    *,
    practice_seed: int | None = 7,
) -> Evening:
    made = await seating.make_table(nodes[0], "Thursday", practice_seed=practice_seed)
    rooms = [await stack.enter_async_context(node.using(made.table)) for node in nodes]
    tokens = {"ST": made.token}
    for name in players:
        tokens[name] = (await seating.add_seat(nodes[0], made.table, name, "player")).token
    seats = {}
    for name, token in tokens.items():
        key = await auth.check(nodes[0].store, token)
        assert key is not None
        seats[name] = Sitting(key)
    found = Evening(made.table, nodes, rooms, seats, tokens)
    await found.meet()
    for name in seats:
        for node in range(len(nodes)):
            await found.listen(name, node=node)
    return found


def newer_state(url: str, table: str, *, schema: str | None = None, event: Any = None) -> None:
    """One more version of a table, as a newer server makes it: of another schema, or with an event of its own."""
    with redis_py.Redis.from_url(url) as store:
        key = f"ov:{{{table}}}"
        ((last, fields),) = store.xrevrange(f"{key}:log", count=1)
        told = cells.unpacked(fields[b"e"])
        told["events"] = [event] if event else []
        at = int(last.split(b"-")[0]) + 1
        store.xadd(f"{key}:log", {"e": cells.packed(told), "h": f"{at}:newer"}, id=f"{at}-0")
        store.hset(
            f"{key}:meta", mapping={"version": at, "head": f"{at}:newer", **({"schema": schema} if schema else {})}
        )
        store.publish(f"{key}:ch", str(at))
