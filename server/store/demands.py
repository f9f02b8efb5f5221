"""What Overseer demands of a Redis or Valkey before it trusts it with a table, checked once when it connects.

Every answer but yes is one plain sentence and what to do.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import (
    BusyLoadingError,
    InvalidResponse,
    NoPermissionError,
    RedisError,
    ResponseError,
    TimeoutError,
)

from .address import read
from .problems import StoreAway, StoreProblem
from .servers import Servers

LOADING_S = 30.0  # how long a server may read its log before we give up
REPLICA_S = 2.0  # how long a replica may take to tell its settings


@dataclass(frozen=True, slots=True)
class Demand:
    """A setting and the value it must have. `strict`: with another one, something that was confirmed may be lost."""

    name: str
    value: str
    harm: str
    strict: bool = True

    @property
    def wanted(self) -> str:
        return self.value

    def met_by(self, found: str) -> bool:
        return found == self.value


class Room(Demand):
    """Room for the messages to a listener that is slow for a moment: class, hard limit, soft limit, seconds."""

    @property
    def wanted(self) -> str:
        return f"{self.value}, or more"

    def met_by(self, found: str) -> bool:
        """`found` names all classes in a row; 0 is without limit."""
        words = found.split()
        hard = dict(zip(words[::4], words[1::4], strict=False)).get("pubsub", "")
        return hard.isdigit() and (int(hard) == 0 or int(hard) >= 32 << 20)


DEMANDS = (
    Demand("appendonly", "yes", "it would forget everything when it stops"),
    Demand("appendfsync", "always", "it would forget the last second of play when the power fails"),
    Demand(
        "no-appendfsync-on-rewrite",
        "no",
        "it would forget what was played while it tidied its log, when the power fails then",
    ),
    Demand("maxmemory-policy", "noeviction", "it would throw tables away when its memory is full"),
    Demand("aof-load-truncated", "yes", "it would not start by itself after a power cut", strict=False),
    Demand("timeout", "0", "it hangs up on servers at which nobody plays just now", strict=False),
    Room(
        "client-output-buffer-limit",
        "pubsub 64mb 16mb 60",
        "a server that is slow for a moment loses its connection and has to look for what it missed",
        strict=False,
    ),
)
STRICT = tuple(one for one in DEMANDS if one.strict)


NOT_COPIED = (
    "another server takes over by itself when the first one fails, and then the last moments of play may be lost"
)


def place_of(url: str) -> str:
    """Where a store is, for people: never with the password."""
    return read(url).shown


async def check(url: str, *, accept_weaker: bool, wait_for_replica: bool = False) -> tuple[Servers, list[str], bool]:
    """The servers of a store, warnings for the operator, and whether a replica is to be waited for.

    StoreProblem if what is at `url` cannot be used. The caller closes the servers.
    """
    try:
        servers = Servers(url)
        servers.connect(None, connections=1)  # to nobody yet; redis-py reads the address
    except ValueError:  # the text of the error may quote the password
        raise StoreProblem(
            "the address of the store is not understood: write redis://host:6379/0, rediss://..., unix:///path, "
            "redis+sentinel://host:26379,host:26379/NAME or redis+cluster://host:6379,host:6379, "
            "or give none to use the bundled database"
        ) from None
    copied = wait_for_replica or (servers.address.fails_over and not accept_weaker)
    try:
        await servers.look()
        warnings = []
        for place in servers.primaries():
            where = f"{place[0]}:{place[1]}" if place else servers.address.shown
            warnings += await _check_one(servers, servers.connect(place, connections=1), where, accept_weaker, copied)
    except StoreAway as nobody:
        await servers.close()
        raise StoreProblem(str(nobody)) from nobody
    except BaseException:
        await servers.close()
        raise
    if servers.address.fails_over and not copied:
        warnings.append(f"the store is {servers.address.shown}: {NOT_COPIED}")
    return servers, list(dict.fromkeys(warnings)), copied


async def _check_one(servers: Servers, redis: Redis, place: str, accept_weaker: bool, copied: bool) -> list[str]:
    try:
        server = await _greet(redis, place)
        _check_kind(server, place, servers.address.kind == "cluster")
        warnings = await _check_settings(redis, place, accept_weaker)
        if copied:
            await _check_replicas(servers, server, place, accept_weaker)
        return warnings
    except (RedisError, OSError) as broken:
        raise StoreProblem(f"the store at {place} broke off while it was checked ({broken}); try again") from broken
    finally:
        await redis.aclose()


async def _check_replicas(servers: Servers, server: dict[str, Any], place: str, accept_weaker: bool) -> None:
    """Each of them keeps what it confirms too: then to be on a replica is to be on two disks. One out of reach is left."""
    count = int(server.get("connected_slaves", 0))
    if count == 0:
        raise StoreProblem(
            f"the store at {place} has no replica, and nothing counts before one has it; start a replica, or do without "
            "(--no-wait-for-replica; with Sentinel or a cluster --accept-weaker-durability)"
        )
    for k in range(count):
        one = server.get(f"slave{k}")
        if not isinstance(one, dict) or servers.address.url.startswith("unix:"):
            continue
        where = f"{one['ip']}:{one['port']}"
        redis = servers.connect_to(str(one["ip"]), int(one["port"]))
        try:
            async with asyncio.timeout(REPLICA_S):
                await _check_settings(redis, f"{where} (a replica)", accept_weaker)
        except (RedisError, OSError):
            continue
        finally:
            await redis.aclose()


async def _greet(redis: Redis, place: str) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + LOADING_S
    while True:
        try:
            return dict(await redis.info())
        except BusyLoadingError:
            if loop.time() > deadline:
                raise StoreProblem(f"the store at {place} is still loading its data; wait and start again") from None
            await asyncio.sleep(0.05)
        except (RedisError, OSError) as failed:
            raise StoreProblem(_why_no_greeting(failed, place)) from failed


def _why_no_greeting(failed: Exception, place: str) -> str:
    elsewhere = "give another address for the store, or none to use the bundled database"
    said = str(failed).lower()
    if "no sentinel" in said:
        return f"none of the Sentinels answers, or they do not know the name: {place}; correct the address"
    if isinstance(failed, NoPermissionError):
        return f"the user given for the store at {place} may not use INFO; allow it"
    if "authenticat" in said or "password" in said:  # redis-py wraps it in a ConnectionError; only the words are left
        return f"the store at {place} does not accept the password; correct it in the address"
    if "certificate" in said:
        return (
            f"the certificate of the store at {place} is not trusted; name the file of who signed it at the end of the "
            "address: ?ssl_ca_certs=FILE"
        )
    if isinstance(failed, TimeoutError):
        return f"nothing answers at {place}; check that a Redis is there, or {elsewhere}"
    if isinstance(failed, (InvalidResponse, ResponseError)) or "protocol" in said or "connection closed" in said:
        return f"what answers at {place} is not a Redis or Valkey; {elsewhere}"
    return f"no Redis can be reached at {place}; start it, or {elsewhere}"


def _check_kind(server: dict[str, Any], place: str, cluster: bool) -> None:
    version = str(server.get("valkey_version") or server.get("redis_version") or "0")
    major = version.split(".")[0]
    if not major.isdigit() or int(major) < 7:
        raise StoreProblem(f"the store at {place} is version {version}; Overseer needs Redis 7.0 or later, or Valkey")
    mode = server.get("redis_mode", "standalone")
    if mode == "sentinel":
        raise StoreProblem(f"what is at {place} is a Sentinel; write redis+sentinel://{place}/NAME, or all of them")
    if mode == "cluster" and not cluster:
        raise StoreProblem(f"the store at {place} belongs to a cluster; write redis+cluster://{place}")
    if server.get("role") != "master":
        raise StoreProblem(f"the store at {place} is a replica, which cannot write; give the address of its primary")


async def _check_settings(redis: Redis, place: str, accept_weaker: bool) -> list[str]:
    found = await settings(redis)
    if found is None:
        return [f"the store at {place} does not tell its settings: whether it keeps what it confirms is not known"]
    weak = [
        f"the store at {place} has {one.name} {found.get(one.name)}, and {one.harm}"
        for one in STRICT
        if not one.met_by(found.get(one.name, ""))
    ]
    if weak and not accept_weaker:
        wanted = ", ".join(f"{one.name} {one.value}" for one in STRICT)
        raise StoreProblem(
            f"{weak[0]}; set {wanted} there (overseer doctor shows how), or say explicitly that you accept less"
        )
    return weak


async def settings(redis: Redis) -> dict[str, str] | None:
    """Each setting we have a demand on; None where the store does not tell: managed services often forbid it."""
    try:
        found = dict(await redis.config_get(*(one.name for one in DEMANDS)))
    except ResponseError:
        return None
    return {_text(name): _text(value) for name, value in found.items()}


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
