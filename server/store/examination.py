"""What `overseer doctor` finds out about a store: each demand, what was found, and how to mend it. Changes no setting.

Its only write is one key of its own, again and again, to see how long the disk takes; it is deleted afterwards.
"""

import asyncio
import os
import secrets
import shlex
import shutil
import stat
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from redis.asyncio import Redis
from redis.exceptions import RedisError

from . import demands
from .address import Place
from .problems import StoreProblem
from .servers import Servers

Grade = Literal["ok", "note", "bad"]
"""ok: as wanted. note: play goes on, but somebody should know. bad: something may be lost, or play stops."""

WRITES = 30
SLOW_MS = 20.0
FULL, NEARLY_FULL = 0.9, 0.7  # of the memory the store may use
CLOCK_MS = 1000.0
ROOM, LITTLE_ROOM = 256 << 20, 1 << 30  # bytes free on the disk


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `why` and `mend` are told where it is not ok. where: of which server of several."""

    what: str
    found: str
    grade: Grade = "ok"
    wanted: str = ""
    why: str = ""
    mend: str = ""
    where: str = ""


async def examine(url: str) -> list[Finding]:
    """All there is to say of the store at this address. Raises StoreProblem if it is none that could be used."""
    servers, _, _ = await demands.check(url, accept_weaker=True)
    places = servers.primaries()
    found: list[Finding] = []
    try:
        for place in places:
            redis = servers.connect(place, connections=1)
            where = f"{place[0]}:{place[1]}" if place else ""
            try:
                found += [replace(one, where=one.where or where) for one in await _examine_one(servers, redis, place)]
            finally:
                await redis.aclose()
    except (RedisError, OSError) as broken:
        shown = servers.address.shown
        raise StoreProblem(f"the store at {shown} broke off while it was examined ({broken}); try again") from broken
    finally:
        await servers.close()
    return found


async def _examine_one(servers: Servers, redis: Redis, place: Place | None) -> list[Finding]:
    info = dict(await redis.info("everything"))
    return [
        _version(info),
        *await _settings(redis, _cli(servers, info), has_file=info.get("config_file") != ""),
        *_health(info),
        *([_replicas(info)] if servers.address.fails_over else []),
        _memory(info),
        await _fsync(redis, servers, place),
        await _clock(redis),
        *(await _settings_of_replicas(servers, info) if servers.address.fails_over else []),
    ]


def look_at(data_dir: Path) -> list[Finding]:
    """What can be said of a data directory from outside; nothing in it is changed, and nothing is made."""
    found: list[Finding] = []
    there = data_dir
    while not there.exists():
        there = there.parent
    if there != data_dir:
        found.append(Finding("data directory", f"{data_dir} is not there yet; it is made at the first start"))
    elif mode := stat.S_IMODE(data_dir.stat().st_mode) & 0o077:
        why = "others on this machine may read the tables and their secrets"
        found.append(
            Finding(
                "data directory", f"{data_dir}, open to others ({mode:03o})", "bad", "for its owner alone", why,
                f"chmod 700 {data_dir}",
            )
        )  # fmt: skip
    else:
        saved = sum(file.stat().st_size for file in (data_dir / "appendonlydir").glob("*"))
        found.append(Finding("data directory", f"{data_dir}, {_size(saved)} of tables"))
    if not os.access(there, os.W_OK | os.X_OK):
        mend = "give another one (--data-dir), or the right to write there"
        found.append(Finding("right to write", f"none in {there}", "bad", "yes", "no table could be kept", mend))
    free = shutil.disk_usage(there).free
    grade: Grade = "bad" if free < ROOM else "note" if free < LITTLE_ROOM else "ok"
    why = "with a full disk the store stops, and play with it; nothing confirmed is lost"
    found.append(Finding("room on the disk", _size(free), grade, f"{_size(LITTLE_ROOM)} or more", why, "make room"))
    return found


def _version(info: Mapping[str, Any]) -> Finding:
    name, version = "Valkey", info.get("valkey_version")
    if version is None:
        name, version = "Redis", info.get("redis_version", "unknown")
    return Finding("version", f"{name} {version}", wanted="Redis 7.0 or later, or Valkey")


async def _settings(redis: Redis, cli: str, *, has_file: bool) -> list[Finding]:
    """`has_file`: it was started with a configuration file, into which CONFIG REWRITE writes; without one that fails."""
    found = await demands.settings(redis)
    if found is None:
        why = "whether it keeps what it confirms is not known; ask whoever runs it"
        return [Finding("settings", "not told", "note", "to be told (CONFIG GET)", why, "")]
    return [
        Finding(
            one.name,
            found.get(one.name, "unknown"),
            "ok" if one.met_by(found.get(one.name, "")) else "bad" if one.strict else "note",
            one.wanted,
            one.harm,
            _mend(one, cli, has_file),
        )
        for one in demands.DEMANDS
    ]


async def _settings_of_replicas(servers: Servers, info: Mapping[str, Any]) -> list[Finding]:
    """What is not as it must be on those that may be the primary tomorrow."""
    found: list[Finding] = []
    for one in (info.get(f"slave{k}") for k in range(int(info.get("connected_slaves", 0)))):
        if not isinstance(one, dict):
            continue
        where = f"{one['ip']}:{one['port']} (a replica)"
        redis = servers.connect_to(str(one["ip"]), int(one["port"]))
        try:
            async with asyncio.timeout(demands.REPLICA_S):
                told = dict(await redis.info("server"))
                settings = await _settings(redis, _cli(servers, told), has_file=told.get("config_file") != "")
        except (RedisError, OSError) as broken:
            why = f"it does not answer from here ({broken}), and it may be the primary tomorrow"
            settings = [Finding("settings", "not known", "note", "to be told", why, "see that this machine reaches it")]
        finally:
            await redis.aclose()
        found += [replace(setting, where=where) for setting in settings if setting.grade != "ok"]
    return found


def _mend(one: demands.Demand, cli: str, has_file: bool) -> str:
    value = shlex.quote(one.value)
    now = f"{cli} CONFIG SET {one.name} {value}"
    if has_file:
        return f"{now} && {cli} CONFIG REWRITE"
    return f"{now}\nand, as it has no configuration file to keep it in, start it with --{one.name} {value} from now on"


def _health(info: Mapping[str, Any]) -> Iterator[Finding]:
    for name, why in (
        ("aof_last_write_status", "its last write to the disk failed: the disk is full or broken"),
        ("aof_last_bgrewrite_status", "it could not tidy its log, which grows until the disk is full"),
    ):
        status = str(info.get(name, "unknown"))
        grade: Grade = "ok" if status == "ok" else "bad" if status == "err" else "note"
        yield Finding(name, status, grade, "ok", why, "look at its disk (df -h) and its log, then restart it")
    delayed = int(info.get("aof_delayed_fsync", 0))
    why = "so often the disk was too slow for it since its start"
    yield Finding("delayed fsyncs", str(delayed), "note" if delayed else "ok", "0", why, "give it a faster disk")


def _memory(info: Mapping[str, Any]) -> Finding:
    used = int(info.get("used_memory", 0))
    most = int(info.get("maxmemory", 0)) or int(info.get("total_system_memory", 0))
    if not most:
        return Finding("memory", _size(used))
    grade: Grade = "bad" if used > FULL * most else "note" if used > NEARLY_FULL * most else "ok"
    return Finding(
        "memory",
        f"{_size(used)} of {_size(most)} ({100 * used // most} %)",
        grade,
        f"under {NEARLY_FULL:.0%}",
        "when it is full nothing more can be kept, and play stops",
        "give it more memory (maxmemory), or export tables that are over and remove them",
    )


async def _fsync(redis: Redis, servers: Servers, place: Place | None) -> Finding:
    """How long a commit waits for the disk: small writes one after the other, less the way there."""
    key = f"ov:doctor:{secrets.token_hex(8)}"
    while servers.place_of(key) != place:  # one that lies on this very server
        key = f"ov:doctor:{secrets.token_hex(8)}"
    try:
        way = await _median_ms(redis.ping)
        whole = await _median_ms(lambda: redis.set(key, "x", ex=60))
        await redis.delete(key)
    except RedisError as refused:
        why = f"the store did not take a write ({refused})"
        return Finding("time to the disk", "not measured", "bad", f"under {SLOW_MS:g} ms", why, "see above")
    return Finding(
        "time to the disk",
        f"{max(0.0, whole - way):.2f} ms, and {way:.2f} ms the way there and back (medians of {WRITES})",
        "note" if whole > SLOW_MS else "ok",
        f"under {SLOW_MS:g} ms",
        "everybody waits so long for everything they do",
        "give it a faster disk, or a place nearer to this machine",
    )


async def _median_ms(act: Callable[[], Awaitable[object]]) -> float:
    taken = []
    for _ in range(WRITES):
        began = time.perf_counter()
        await act()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


async def _clock(redis: Redis) -> Finding:
    before = time.time()
    seconds, micros = await redis.time()
    ahead_ms = (seconds + micros / 1e6 - (before + time.time()) / 2) * 1000
    return Finding(
        "its clock against ours",
        f"{ahead_ms:+.0f} ms",
        "note" if abs(ahead_ms) > CLOCK_MS else "ok",
        f"within {CLOCK_MS / 1000:g} s",
        "play goes by its clock and is not disturbed, but times in the logs of the two differ",
        "let both machines set their clocks from the network (timedatectl set-ntp true)",
    )


def _replicas(info: Mapping[str, Any]) -> Finding:
    count = int(info.get("connected_slaves", 0))
    why = "nothing counts before a replica has it, and another one must be there to take over"
    return Finding("replicas", str(count), "ok" if count else "bad", "1 or more", why, "start one (REPLICAOF)")


def _cli(servers: Servers, info: Mapping[str, Any]) -> str:
    """How to speak to a server on a command line. Without the password: redis-cli asks for it in REDISCLI_AUTH."""
    parts = urlsplit(servers.address.url)
    if parts.scheme == "unix":
        return f"redis-cli -s {unquote(parts.path)}"
    tls = " --tls" if parts.scheme == "rediss" else ""
    if servers.address.fails_over:
        return f"redis-cli{tls} -p {info.get('tcp_port', 6379)}"
    return f"redis-cli{tls} -h {parts.hostname or 'localhost'} -p {parts.port or 6379}"


def _size(count: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GB"
