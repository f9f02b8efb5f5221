"""Every table's state in one Redis or Valkey: decided commands in, entries and patches out. Bytes only.

Keys, all of one table in one slot: ov:{T}:meta, :st, :log, :a:<audience>, :cmd:<seat>:<client>, :auth, :key, :here,
:base (where a shortened log begins).
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from . import demands
from .batches import Batches
from .lanes import Command, Lanes, Script
from .listener import Listener, channel_of
from .moving import Moving
from .problems import NewerState, StoreError, StoreProblem
from .servers import Servers
from .values import (
    Commit,
    Committed,
    Entry,
    Gone,
    Loaded,
    Outcome,
    Place,
    Refusal,
    Repeated,
    Reused,
    Stale,
    TooOld,
)

SCHEMA = "1"
STREAM_LENGTH = 2000  # patches kept per audience; who is further behind gets a snapshot
TABLES = "ov:tables"

T = TypeVar("T")


def _key(table: str, name: str) -> str:
    return f"ov:{{{table}}}:{name}"


class RedisStore:
    """The store. Any method may raise StoreAway (no answer within 3 s) or StoreProblem (it refuses; needs a person)."""

    def __init__(self, servers: Servers, warnings: list[str], *, copied: bool) -> None:
        """Not for callers: use `connect`, which checks first."""
        self.warnings = warnings  # plain sentences: in what way this store is weaker than it should be
        self.offset_ms = 0.0
        self._servers = servers
        self._copied = copied
        self._commit_script = Script("commit.lua")
        self._create_script = Script("create.lua")
        self._batches = Batches(servers, copied=copied)
        self._commits = Lanes(servers, width=8, copied=copied)
        self._reads = Lanes(servers, width=16)
        self.moving = Moving(self._commits, self._reads, SCHEMA, TABLES)
        self._under_way: set[asyncio.Task[Any]] = set()

    @classmethod
    async def connect(cls, url: str, *, accept_weaker: bool = False, wait_for_replica: bool = False) -> "RedisStore":
        """The store at this address (address.py). StoreProblem unless it keeps what it confirms.

        wait_for_replica: nothing counts before a replica has it on its disk too. Where another server may take over by
        itself this is always so, unless less is accepted.
        """
        servers, warnings, copied = await demands.check(
            url, accept_weaker=accept_weaker, wait_for_replica=wait_for_replica
        )
        store = cls(servers, warnings, copied=copied)
        await store.now()
        return store

    async def close(self) -> None:
        """Waits for the commits under way, then closes every connection."""
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._batches.close()
        await self._commits.close()
        await self._reads.close()
        await self._servers.close()

    # Time

    async def now(self) -> int:
        """The store's time; also sets `clock` right."""
        before = _monotonic_ms()
        seconds, micros = await self._reads.ask("TIME")
        after = _monotonic_ms()
        now_ms = seconds * 1000 + micros / 1000
        self.offset_ms = now_ms - (before + after) / 2
        return int(now_ms)

    def clock(self) -> int:
        """The store's time as last learnt by `now`, without asking."""
        return int(_monotonic_ms() + self.offset_ms)

    # Tables

    async def create(
        self,
        table: str,
        *,
        name: str,
        cells: Mapping[str, bytes],
        epochs: Mapping[str, str],
        keys: Mapping[str, bytes],
        entry: bytes,
    ) -> bool:
        """A new table at version 1, with `entry` first in its log. False if there is one of that id."""
        head = f"1:{secrets.token_hex(8)}"
        counts = [len(cells), len(keys), len(epochs)]
        args = [head, name, SCHEMA, entry, *counts, *_flat(cells), *_flat(keys), *_flat(epochs)]
        key_names = [_key(table, part) for part in ("meta", "st", "log", "key")]

        async def make() -> bool:
            # In another slot, so not in the script. First, so that no table is ever missing from the list.
            await self._commits.ask("SADD", TABLES, table)
            return await self._commits.run(self._create_script, key_names, args) == 1

        return await self._to_the_end(make())

    async def tables(self) -> list[tuple[str, str]]:
        """(id, name) of every table, by id."""
        ids = sorted(_text(one) for one in await self._reads.ask("SMEMBERS", TABLES))
        names = await self._reads.ask_all([("HGET", _key(table, "meta"), "name") for table in ids])
        return [(table, _text(name)) for table, name in zip(ids, names, strict=True) if name is not None]

    async def load(self, table: str) -> Loaded | None:
        """The whole table as of one version; None if there is no such table."""
        both = [("HGETALL", _key(table, "meta")), ("HGETALL", _key(table, "st"))]
        found, cells = await self._commits.ask_all(both, atomic=True)
        if not found:
            return None
        meta = {_text(name): _text(value) for name, value in found.items()}
        _check_schema(table, meta["schema"])
        audiences = {
            name[2:]: Place(epoch, int(meta["n:" + name[2:]]), int(meta["r:" + name[2:]]))
            for name, epoch in meta.items()
            if name.startswith("e:")
        }
        return Loaded(
            int(meta["version"]),
            meta["head"],
            meta["name"],
            {_text(cell): value for cell, value in cells.items()},
            audiences,
        )

    async def keys(self, table: str) -> dict[str, bytes]:
        """The table's secrets: the keys of its dice and of its ids."""
        found = await self._reads.ask("HGETALL", _key(table, "key"))
        return {_text(name): value for name, value in found.items()}

    async def put_key(self, table: str, name: str, value: bytes) -> None:
        await self._to_the_end(self._commits.ask("HSET", _key(table, "key"), name, value))

    async def settle_key(self, table: str, name: str, instead: Mapping[str, bytes]) -> None:
        """One of the table's secrets goes, and at the same moment others take their values."""
        key = _key(table, "key")
        changes = [("HDEL", key, name), *(("HSET", key, other, value) for other, value in instead.items())]
        await self._to_the_end(self._commits.ask_all(changes, atomic=True))

    # Commits

    async def commit(self, one: Commit | Refusal) -> Outcome:
        """Keeps one decided command if its head still stands. Goes on to the end even if the caller is cancelled."""
        (outcome,) = await self.commit_all([one])
        return outcome

    async def commit_all(self, several: Sequence[Commit | Refusal]) -> list[Outcome]:
        """Keeps decided commands of one table in their order, in one call; one outcome for each.

        Each may be decided on what those before it make of the table: then it is Stale unless they were kept.
        """
        return await self._to_the_end(self._commit(several))

    async def _commit(self, several: Sequence[Commit | Refusal]) -> list[Outcome]:
        call = call_of(several, tell=not self._copied)
        *each, heard = await self._batches.run(self._commit_script, *call)
        outcomes = [_outcome(answer, heard) for answer in each]
        if self._copied:  # only now: nobody may be told of what could still be lost
            made = zip(several, outcomes, strict=True)
            news = [out.version for one, out in made if isinstance(one, Commit) and isinstance(out, Committed)]
            with contextlib.suppress(StoreError):  # it is kept; the other nodes find it when they look for themselves
                if news:
                    await self._reads.ask("PUBLISH", channel_of(several[0].table), max(news))
        return outcomes

    # What happened since

    async def entries(self, table: str, after_version: int, up_to: int | None = None) -> list[Entry]:
        """The log after a version, ascending, to the end or up to a version. Raises NewerState.

        What is asked for up to the end may be new here; up to a version it has been seen before. Whoever changes how a
        table is kept makes a version of it: so a node of before finds out here, before it can commit.
        """
        asks = [_range_of(_key(table, "log"), after_version, up_to), ("HGET", _key(table, "meta"), "schema")]
        raw, schema = await self._reads.ask_all(asks)
        if schema is not None:
            _check_schema(table, _text(schema))
        found = [_numbered(one) for one in raw]
        if self._copied and up_to is None and found and found[-1][0] > after_version + 1:
            found = await self._range(self._commits, _key(table, "log"), after_version, up_to)
        return [Entry(version, _text(fields[b"h"]), fields[b"e"]) for version, fields in found]

    async def diffs(
        self, table: str, audience: str, after_n: int, up_to_n: int | None = None
    ) -> list[tuple[int, bytes]]:
        """(n, the bytes sent) of an audience after an n. Not starting at after_n + 1: too far back, send a snapshot."""
        found = await self._range(self._reads, _key(table, f"a:{audience}"), after_n, up_to_n)
        return [(n, fields[b"b"]) for n, fields in found]

    async def _range(
        self, lanes: Lanes, key: str, after: int, up_to: int | None
    ) -> list[tuple[int, dict[bytes, bytes]]]:
        return [_numbered(one) for one in await lanes.ask(*_range_of(key, after, up_to))]

    def listen(self) -> Listener:
        """News of tables that any node changed."""
        return Listener(self._servers, self._reads.everywhere)

    # Seats

    async def seat(self, table: str, seat: str) -> bytes | None:
        found: bytes | None = await self._reads.ask("HGET", _key(table, "auth"), seat)
        return found

    async def seats(self, table: str) -> dict[str, bytes]:
        found = await self._reads.ask("HGETALL", _key(table, "auth"))
        return {_text(seat): value for seat, value in found.items()}

    async def put_seat(self, table: str, seat: str, value: bytes) -> None:
        """The key of a seat, new or in place of another. Who is connected with the old one stays connected."""
        await self._change_and_tell(self._commits, table, "HSET", _key(table, "auth"), seat, value)

    async def put_new_seat(self, table: str, key: str, value: bytes) -> None:
        """The hash of an invitation, unless there is one under this key."""
        await self._to_the_end(self._commits.ask("HSETNX", _key(table, "auth"), key, value))

    async def drop_seat(self, table: str, seat: str) -> None:
        await self._change_and_tell(self._commits, table, "HDEL", _key(table, "auth"), seat)

    # Who is here: marks that must be renewed, so that a dead node's seats fall away. No replica is waited for

    async def mark_here(self, table: str, seat: str, node: str, connection: str, until_ms: int) -> None:
        """One connection of a seat is here until then. Tells the other nodes when it is new."""
        mark = f"{seat}:{node}:{connection}"
        known = await self._reads.ask("ZSCORE", _key(table, "here"), mark)
        if known is None or known < self.clock():
            await self._change_and_tell(self._reads, table, "ZADD", _key(table, "here"), until_ms, mark)
        else:
            await self._to_the_end(self._reads.ask("ZADD", _key(table, "here"), until_ms, mark))

    async def unmark_here(self, table: str, seat: str, node: str, connection: str) -> None:
        await self._change_and_tell(self._reads, table, "ZREM", _key(table, "here"), f"{seat}:{node}:{connection}")

    async def here(self, table: str, now: int) -> set[str]:
        """The seats with at least one mark that has not run out; forgets those that have."""
        _, marks = await self._reads.ask_all(_here(table, now))
        return _seats(marks)

    async def look(self, tables: Sequence[str]) -> dict[str, tuple[str, set[str]]]:
        """Of each table its head ("" if it is gone) and the seats that are here, in one round trip to each server."""
        now = self.clock()
        asks: list[Command] = []
        for table in tables:
            asks += [("HGET", _key(table, "meta"), "head"), *_here(table, now)]
        found = await self._reads.ask_all(asks)
        heads, marks = found[::3], found[2::3]
        return {
            table: (_text(head or b""), _seats(marked))
            for table, head, marked in zip(tables, heads, marks, strict=True)
        }

    async def _change_and_tell(self, lanes: Lanes, table: str, *change: str | bytes | int) -> None:
        await self._to_the_end(lanes.ask_all([change, ("PUBLISH", channel_of(table), "here")], atomic=True))

    async def _to_the_end(self, sending: Coroutine[Any, Any, T]) -> T:
        """A cancelled caller must not leave behind a write of which nobody knows the end."""
        task = asyncio.create_task(sending)
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # whoever still waits has it; who was cancelled wants to know nothing of it


def _check_schema(table: str, schema: str) -> None:
    if schema != SCHEMA:
        raise NewerState(table, f"schema {schema}; known is {SCHEMA}")


def _range_of(key: str, after: int, up_to: int | None) -> tuple[str, str, str, str]:
    return "XRANGE", key, f"{after + 1}-0", "+" if up_to is None else f"{up_to}-0"


def _here(table: str, now: int) -> list[Command]:
    key = _key(table, "here")
    return [("ZREMRANGEBYSCORE", key, "-inf", now), ("ZRANGE", key, 0, -1)]


def _seats(marks: Iterable[bytes]) -> set[str]:
    return {_text(mark).rsplit(":", 2)[0] for mark in marks}


def _numbered(entry: tuple[bytes, dict[bytes, bytes]]) -> tuple[int, dict[bytes, bytes]]:
    return int(entry[0].split(b"-")[0]), entry[1]


def call_of(several: Sequence[Commit | Refusal], *, tell: bool = True) -> tuple[list[str], list[str | bytes | int]]:
    """KEYS and ARGV of commit.lua for decided commands of one table. tell: it publishes what is new."""
    table = several[0].table
    keys = [_key(table, part) for part in ("meta", "st", "log")]
    args: list[str | bytes | int] = [channel_of(table) if tell else "", STREAM_LENGTH, len(several)]
    for one in several:
        _add(one, keys, args)
    return keys, args


def _add(one: Commit | Refusal, keys: list[str], args: list[str | bytes | int]) -> None:
    """Puts what the script needs of one decided command behind what it needs of those before."""
    author, seq, digest, reply = "-", "", "", b""
    if decision := one.decision:
        author, seq = f"{decision.seat}:{decision.client}", str(decision.seq)
        digest, reply = decision.digest.hex(), decision.reply
    keys.append(_key(one.table, f"cmd:{author}"))
    if isinstance(one, Refusal):
        args += ["refuse", one.head, "", "", seq, digest, reply, "", 0, 0, 0, 0]
        return
    keys += [_key(one.table, f"a:{audience}") for audience in (*one.patches, *one.epochs)]
    args += ["commit", one.head, one.command, one.entry, seq, digest, reply, "1" if one.rewound else ""]
    args += [len(one.cells), len(one.gone), len(one.patches), len(one.epochs)]
    args += [*_flat(one.cells), *one.gone, *_flat(one.patches), *_flat(one.epochs)]


def _outcome(answer: object, heard: int) -> Outcome:
    match answer:
        case [b"ok", int(version), bytes(head)]:
            return Committed(version, head.decode(), heard or None)
        case [b"repeated", bytes(reply)]:
            return Repeated(reply)
        case [b"stale", int(version), bytes(head)]:
            return Stale(version, head.decode())
        case [b"reused"]:
            return Reused()
        case [b"old"]:
            return TooOld()
        case [b"gone"]:
            return Gone()
        case [b"wrong", bytes(text)]:
            raise StoreProblem(f"the store refused a command: {text.decode()}")
    raise StoreProblem(f"the store gave an answer that Overseer does not understand: {answer!r}")


def _flat(pairs: Mapping[str, str] | Mapping[str, bytes]) -> list[str | bytes | int]:
    return [part for pair in pairs.items() for part in pair]


def _text(value: bytes) -> str:
    return value.decode()


def _monotonic_ms() -> float:
    return time.monotonic() * 1000
