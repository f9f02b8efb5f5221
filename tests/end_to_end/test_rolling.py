"""Servers are stopped and started in turn while everybody plays, as an upgrade does it: nobody's command fails."""

import asyncio
import time
from collections import Counter
from contextlib import AsyncExitStack

import pytest

from core.events import Narrated, Said
from protocol.client import Table, connect
from server import history, seating
from server.auth import SeatKey
from server.presence import Presence
from server.rooms import Rooms
from server.store.redis import RedisStore
from tests.end_to_end.conftest import Heard
from tests.helpers.balancer import Balancer
from tests.helpers.servers import Server, serving, start, stop

SEATS = ("ST", "Ann", "Ann", "Bob", "Bob", "Watcher")


class Talker:
    """One client that says one thing after the other; `longest_s` is the longest it waited for an answer."""

    def __init__(self, table: Table, name: str) -> None:
        self.table = table
        self.name = name
        self.said: list[str] = []
        self.longest_s = 0.0
        self.enough = False

    async def talk(self) -> None:
        while not self.enough:
            text = f"{self.name}: {len(self.said)}"
            began = time.monotonic()
            say = self.table.narrate if self.table.role == "st" else self.table.say
            await say(text)  # raises where it is refused or unanswered: then the test fails
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            self.said.append(text)


async def new_evening(rooms: Rooms) -> dict[str, str]:
    """A table and its tokens, by the names of its seats."""
    made = await seating.make_table(rooms, "Thursday")
    tokens = {"ST": made.token}
    for name, role in (("Ann", "player"), ("Bob", "player"), ("Watcher", "spectator")):
        tokens[name] = (await seating.add_seat(rooms, made.table, name, role)).token  # type: ignore[arg-type]
    return tokens


@pytest.mark.parametrize(("front", "stops"), [("several addresses", 5), ("one address", 3)])
async def test_stopping_servers_in_turn_fails_no_command(valkey: str, front: str, stops: int) -> None:
    async with AsyncExitStack() as stack:
        store = await RedisStore.connect(valkey)
        stack.push_async_callback(store.close)
        rooms = await stack.enter_async_context(Rooms(store, Presence(store, 1.0), 1.0))
        tokens = await new_evening(rooms)
        servers = [await stack.enter_async_context(serving(redis_url=valkey)) for _ in range(2)]
        first, *others = [server.address for server in servers]
        if front == "one address":
            balancer = await stack.enter_async_context(Balancer([server.port for server in servers]))
            first, others = balancer.address, []
        tables = [
            await stack.enter_async_context(connect(f"{first}/#{tokens[name]}", also=others, timeout=20))
            for name in SEATS
        ]
        talkers = [
            Talker(table, f"{name} {k}") for k, (name, table) in enumerate(zip(SEATS[:-1], tables, strict=False))
        ]
        heard = [Heard(table) for table in tables]
        talking = [asyncio.create_task(talker.talk()) for talker in talkers]
        moved = 0
        for turn in range(stops):
            until = [len(talker.said) + 5 for talker in talkers]  # something is going on each time
            await asyncio.gather(*(_reached(talker, so_many) for talker, so_many in zip(talkers, until, strict=True)))
            moved += await _restart(servers, turn % 2, valkey, stack)
        for talker in talkers:
            talker.enough = True
        await asyncio.gather(*talking)

        assert moved == stops  # each of them ended by itself, with exit code 0
        table_id = tokens["ST"].split(".")[0]
        entries = await store.entries(table_id, 0)
        events = [event for entry in entries for event in history.read(entry.entry).events]
        said = Counter(event.text for event in events if isinstance(event, Said | Narrated))
        assert said == Counter(text for talker in talkers for text in talker.said)
        loaded = await store.load(table_id)
        assert loaded is not None
        for table in tables:
            at = loaded.audiences[SeatKey(table_id, table.seat, table.role, "").audience]
            await table.until(lambda it, at=at: (it.epoch, it.n) == (at.epoch, at.n))  # type: ignore[misc]
        assert [one.snapshots for one in heard] == [0] * len(tables)  # each went on where it was
        by_seat: dict[str, list[Table]] = {}
        for name, table in zip(SEATS, tables, strict=True):
            by_seat.setdefault(name, []).append(table)
        for same in by_seat.values():
            assert all(dict(table.state) == dict(same[0].state) for table in same)
        print(f"{front}: {said.total()} commands, longest wait {max(talker.longest_s for talker in talkers):.2f} s")


async def _reached(talker: Talker, so_many: int) -> None:
    await talker.table.until(lambda _: len(talker.said) >= so_many)


async def _restart(servers: list[Server], which: int, url: str, stack: AsyncExitStack) -> bool:
    """Stops one server as an operator does, and starts its next version at its address. Whether it ended well."""
    old = servers[which]
    old.process.terminate()
    code = await old.ended()
    new = await start("--port", str(old.port), redis_url=url)
    stack.push_async_callback(stop, new)
    servers[which] = new
    return code == 0
