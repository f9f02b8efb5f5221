"""Whole tables into the store and out of it: what export, import and archives need. Bytes only.

A table that is brought here is not there before `settle`: until then its parts are unseen, and run out by themselves.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .lanes import Lanes, Script
from .listener import channel_of
from .problems import StoreError, StoreProblem
from .values import Entry, Place

RUNS_OUT_S = 3600
"""How long the parts of a table that is not whole yet are kept after the last of them came."""
TIDY_S = 10.0
LOOK_S = 0.05
"""How long it is waited for the store to write its file anew, and how often it is looked at."""
AWAY = "ov:away"
"""Tables that were taken out of the store, by id."""


@dataclass(frozen=True, slots=True)
class Brought:
    """All of a table but its log and its streams."""

    version: int
    head: str
    name: str
    created: int  # ms
    cells: Mapping[str, bytes]
    audiences: Mapping[str, Place]
    keys: Mapping[str, bytes]
    seats: Mapping[str, bytes]
    begins: int  # the version its log begins at; 0: whole
    base: bytes  # what is kept of the history before it; b"" where it is whole


class Moving:
    """A part of RedisStore (`store.moving`). Raises StoreAway and StoreProblem as it does."""

    def __init__(self, commits: Lanes, reads: Lanes, schema: str, tables: str) -> None:
        self._commits = commits
        self._reads = reads
        self._schema = schema
        self._tables = tables
        self._bring = Script("bring.lua")
        self._settle = Script("settle.lua")
        self._shorten = Script("shorten.lua")
        self._remove = Script("remove.lua")

    # Where a log begins

    async def base(self, table: str) -> bytes | None:
        """What is kept of the history before the log; None: the log is whole."""
        found: bytes | None = await self._reads.ask("GET", _key(table, "base"))
        return found

    async def shorten(self, table: str, was: int, version: int, base: bytes) -> bool:
        """The log begins at `version` from now on. False: somebody else has shortened it."""
        keys = [_key(table, part) for part in ("meta", "log", "base")]
        return await self._commits.run(self._shorten, keys, [was, version, base]) == 1

    async def first_n(self, table: str, audience: str) -> int | None:
        """The oldest patch that is kept of an audience."""
        found = await self._reads.ask("XRANGE", _key(table, f"a:{audience}"), "-", "+", "COUNT", 1)
        return int(found[0][0].split(b"-")[0]) if found else None

    # Bringing a table

    async def bring_log(self, table: str, entries: Sequence[Entry]) -> None:
        args = [part for entry in entries for part in (entry.version, "e", entry.entry, "h", entry.head)]
        await self._commits.run(self._bring, [_key(table, "log")], [RUNS_OUT_S, 2, *args])

    async def bring_patches(self, table: str, audience: str, patches: Sequence[tuple[int, bytes]]) -> None:
        args = [part for n, patch in patches for part in (n, "b", patch)]
        await self._commits.run(self._bring, [_key(table, f"a:{audience}")], [RUNS_OUT_S, 1, *args])

    async def settle(self, table: str, brought: Brought) -> None:
        """Now it is there, whole. StoreProblem if it took so long that parts of it have run out."""
        keys = [_key(table, part) for part in ("meta", "st", "log", "key", "auth", "base")]
        keys += [_key(table, f"a:{name}") for name in brought.audiences]
        pairs = (brought.cells, brought.keys, brought.seats)
        args: list[str | bytes | int] = [
            *(brought.head, brought.version, brought.name, self._schema, brought.created, brought.base),
            *map(len, pairs),
            len(brought.audiences),
            brought.begins,
            *(part for several in pairs for pair in several.items() for part in pair),
            *(part for name, at in brought.audiences.items() for part in (name, at.epoch, at.n, at.rewound)),
        ]
        await self._commits.ask("SADD", self._tables, table)  # in another slot; first, as for a new table
        if await self._commits.run(self._settle, keys, args) != 1:
            raise StoreProblem("the import took so long that its first part has run out; import the file again")

    async def give_up(self, table: str, audiences: Sequence[str]) -> None:
        """What was brought of a table that will not be whole. What cannot be told to the store runs out by itself."""
        with contextlib.suppress(StoreError):
            await self._commits.ask("DEL", _key(table, "log"), *(_key(table, f"a:{name}") for name in audiences))
            await self._commits.ask("SREM", self._tables, table)

    # Taking a table away

    async def remove(self, table: str, head: str, audiences: Sequence[str], away: bytes) -> bool:
        """Out of the store with it, if nothing has happened since that head; `away` is kept of it."""
        parts = ("meta", "st", "log", "key", "auth", "base", "here", "kept", *(f"a:{name}" for name in audiences))
        await self._commits.ask("HSET", AWAY, table, away)  # first: it is never nowhere
        if await self._commits.run(self._remove, [_key(table, part) for part in parts], [head, channel_of(table)]) != 1:
            await self.came_back(table)
            return False
        await self._commits.ask("SREM", self._tables, table)
        return True

    async def away(self) -> dict[str, bytes]:
        """What is kept of the tables that were taken away."""
        found = await self._reads.ask("HGETALL", AWAY)
        return {id.decode(): value for id, value in found.items()}

    async def came_back(self, table: str) -> None:
        await self._commits.ask("HDEL", AWAY, table)

    async def tidy_up(self) -> None:
        """Lets the store write its file anew without what is gone, and waits a while: it may be about to be stopped.

        It does so by itself too, only later; a store of somebody else's may not allow it.
        """
        with contextlib.suppress(StoreError):
            await self._commits.ask("BGREWRITEAOF")
            for _ in range(int(TIDY_S / LOOK_S)):
                await asyncio.sleep(LOOK_S)
                told = await self._reads.ask("INFO", "persistence")
                if not told.get("aof_rewrite_in_progress") and not told.get("aof_rewrite_scheduled"):
                    return


def _key(table: str, name: str) -> str:
    return f"ov:{{{table}}}:{name}"
