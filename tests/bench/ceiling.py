"""What the bare script can do: commits of many tables, written as bytes to one connection, with no server in between."""

import asyncio
import time
from urllib.parse import unquote, urlsplit

import hiredis

from server.store.lanes import Script
from server.store.redis import RedisStore, call_of
from server.store.values import Commit, Decision
from tests.server.store.saying import a_table

CELL, ENTRY, PATCH, REPLY = b"c" * 120, b"e" * 180, b"p" * 90, b"r" * 40
"""About what a line of speech takes."""


async def bare_script(url: str, name: str, tables: int, seconds: float) -> float:
    """Commits a second, each table with one under way all the time: all are sent at once, then all answers are read."""
    store = await RedisStore.connect(url)
    heads = {f"{name}.{k}": await a_table(store, f"{name}.{k}") for k in range(tables)}
    await store.close()
    parts = urlsplit(url)
    reader, writer = await asyncio.open_unix_connection(unquote(parts.path))
    answers = hiredis.Reader()

    async def read(count: int) -> list[object]:
        found: list[object] = []
        while len(found) < count:
            answers.feed(await reader.read(1 << 20))
            while (one := answers.gets()) is not False:
                found.append(one)
        return found

    script = Script("commit.lua")
    writer.write(_packed("AUTH", parts.password or ""))
    writer.write(_packed("SCRIPT", "LOAD", script.text))
    await read(2)
    patches = {"st": PATCH, "all": PATCH, "ann": PATCH}
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for table, head in heads.items():
            decision = Decision("st", "bench", done + 1, b"d" * 16, REPLY)
            commit = Commit(table, head, f"c{done}", {"books": CELL}, [], ENTRY, patches, decision=decision)
            keys, args = call_of([commit])
            writer.write(_packed("EVALSHA", script.sha, len(keys), *keys, *args))
        said = await read(tables)
        for table, one in zip(heads, said, strict=True):
            assert isinstance(one, list), one
            heads[table] = one[0][2].decode()
        done += tables
    lasted = time.perf_counter() - began
    writer.close()
    return done / lasted


def _packed(*words: str | bytes | int) -> bytes:
    packed: bytes = hiredis.pack_command(words)  # type: ignore[arg-type]  # its stub names a tuple of one
    return packed
