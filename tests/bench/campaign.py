"""A campaign of many evenings, and what its archives save: `python -m tests.bench.campaign [EVENINGS] [COMMANDS]`.

Every command goes through the room and a durable store of its own. Prints the store's memory, the size of its file and the
time until a restarted server has the table, before and after old scenes are archived; then the table's way through a file.
"""

import asyncio
import os
import resource
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from core.ids import ALL
from server import archiving, export, moving, table_file, transcript
from server.config import Settings
from server.keeping import past_of
from server.node import open_node
from server.table_file import Reader
from tests.server.evening import Evening, begin

PLAYERS = ("Ann", "Bob", "Cleo", "Dee", "Eve")
KEEP = 3


async def main(evenings: int, commands: int) -> None:
    with tempfile.TemporaryDirectory(prefix="overseer-campaign-") as folder:
        settings = Settings(data_dir=Path(folder) / "data", port=0)
        began = time.perf_counter()
        async with open_node(settings) as rooms, AsyncExitStack() as stack:
            table = await begin((rooms,), stack, PLAYERS)
            for sitting in table.seats.values():
                sitting.ears.clear()
            for connection in list(table.rooms[0].listeners):
                table.rooms[0].listeners.pop(connection)
            for one in table.rooms[0].audiences.values():
                one.connections.clear()
            units = await prepare(table)
            for _ in range(evenings):
                await play(table, units, commands)
            id, version = table.table, table.rooms[0].version
        say(f"{evenings} evenings of {commands} commands: {version:,} changes, played", began)
        await measure(settings, id, "before")

        async with open_node(settings) as rooms:
            path = Path(folder) / "scenes.jsonl.gz"
            began = time.perf_counter()
            begins = await archiving.scenes_before(rooms.store, id, KEEP)
            assert begins is not None
            done = await archiving.archive_scenes(rooms.store, id, begins, path)
            say(f"all but the last {KEEP} scenes archived ({done.changes:,} changes, {size(path)})", began)
        await measure(settings, id, "after")

        async with open_node(settings) as rooms:
            began = time.perf_counter()
            past = await past_of(rooms.store, id, Path(folder))
            wanted = transcript.Wanted(1)
            story = await transcript.collect(export.told(past, ALL), 0, wanted, {})
            say(f"a transcript of it all ({len(story.moments):,} lines, through the archive)", began)
            whole = Path(folder) / "whole.jsonl.gz"
            began = time.perf_counter()
            with table_file.writing(str(whole)) as file:
                await moving.export(rooms.store, id, file)
            say(f"what is kept, exported ({size(whole)})", began)
            began = time.perf_counter()
            with table_file.reading(str(whole)) as file:
                await moving.bring(rooms, Reader(file), "Friday")
            say("and imported", began)
        say_peak()


async def prepare(table: Evening) -> list[str]:
    units = []
    for name in (*PLAYERS, "Ghoul", "Cultist", "Zombie"):
        owner = table.seats[name].key.seat if name in PLAYERS else None
        tracks = {"hp": {"value": 10, "max": 10}}
        unit = {"name": name, "on_stage": True, "initiative": 10, "tracks": tracks}
        reply = await table.say("ST", "add_unit", unit=unit, owner=owner)
        assert reply["t"] == "ack", reply
        units.append(reply["made"][0])
    return units


async def play(table: Evening, units: list[str], commands: int) -> None:
    """One evening: four fights with what is said and rolled in them."""
    for k in range(commands):
        seat, unit = PLAYERS[k % 5], units[k % 5]
        quarter = max(4, commands // 4)
        match k % quarter:
            case 0:
                await act(table, "ST", "start_fight", counts=True)
            case last if last == quarter - 1:
                await act(table, "ST", "end_fight")
            case other if other % 4 == 1:
                await act(table, seat, "roll", unit=unit, pool={"fixed": 6})
            case other if other % 4 == 2:
                await act(table, "ST", "adjust", unit=units[5 + k % 3], path="tracks.hp.value", by=(-1) ** k)
            case other if other % 4 == 3:
                await act(table, seat, "say", text=f"I look behind door number {k}")
            case _:
                await act(table, "ST", "narrate", text=f"The corridor bends for the {k}th time, and something moves.")


async def act(table: Evening, who: str, kind: str, **fields: Any) -> None:
    reply = await table.say(who, kind, **fields)
    assert reply["t"] == "ack", (kind, reply)


async def measure(settings: Settings, id: str, when: str) -> None:
    """A server is started on the data; until it has the table."""
    began = time.perf_counter()
    async with open_node(settings) as rooms:
        async with rooms.using(id):
            took = time.perf_counter() - began
        async with Redis.from_url(rooms.store._servers.address.url) as redis:
            memory = (await redis.info("memory"))["used_memory"]
            log = await redis.memory_usage(f"ov:{{{id}}}:log", samples=0) or 0
    files = sum(one.stat().st_size for one in settings.data_dir.rglob("appendonly*/*"))
    print(f"{when}: store memory {memory / 1e6:.1f} MB (log {log / 1e6:.1f} MB), its file {files / 1e6:.1f} MB, "
          f"start until the table is there {took:.2f} s", flush=True)  # fmt: skip


def size(path: Path) -> str:
    return f"{os.stat(path).st_size / 1e6:.1f} MB"


def say(what: str, began: float) -> None:
    print(f"{what}: {time.perf_counter() - began:.1f} s", flush=True)


def say_peak() -> None:
    print(f"the most memory this process had: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    given = [int(text) for text in sys.argv[1:]]
    asyncio.run(main(*(given + [100, 400][len(given) :])))
