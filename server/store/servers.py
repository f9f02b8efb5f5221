"""Which server of a store has a table just now: always the same, or the one that Sentinels name, or one of a cluster.

Everything of one table lies on one server. Who is found out to have failed is looked for again; until then, whoever sends
something sends it again (lanes.py, batches.py).
"""

import asyncio
import contextlib
import random
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.crc import key_slot
from redis.driver_info import DriverInfo
from redis.exceptions import ConnectionError, RedisError

from .address import Address, Place, read
from .problems import StoreAway
from .sentinels import Member, MemberTls, Primary, PrimaryTls, Sentinels, answers, text

AGAIN_S = 0.2  # between two looks
SLOTS = 16384
DRIVER = DriverInfo()  # made once: redis-py would look its own version up in its files anew for each connection


def client(url: str, *, connections: int, timeout_s: float | None = 1.5, **more: Any) -> Redis:
    """A redis-py client that never retries on its own: its default resends writes, and a frozen server hangs it."""
    over_tcp = {} if url.startswith("unix:") else {"socket_keepalive": True}
    return Redis.from_url(
        url,
        max_connections=connections,
        socket_timeout=timeout_s,
        socket_connect_timeout=1.0,
        health_check_interval=0,
        retry=Retry(NoBackoff(), 0),
        legacy_responses=False,
        decode_responses=False,
        driver_info=DRIVER,
        **over_tcp,
        **more,
    )


class Servers:
    """The servers of one store. `look` before the first use; whoever meets a failure says `look_again`."""

    def __init__(self, url: str) -> None:
        """ValueError, which may quote the password, if that is no address of a store."""
        self.address: Address = read(url)
        self._known: list[Place] = list(self.address.places)
        self._slots: list[Place | None] = [None] * SLOTS if self.address.kind == "cluster" else []
        self._looking: asyncio.Task[None] | None = None
        self._looked_at = float("-inf")
        self._sentinels = Sentinels(self.address) if self.address.kind == "sentinel" else None

    async def look(self) -> None:
        """Learns how a cluster is laid out. StoreAway if none of its servers tells."""
        if self.address.kind == "cluster" and not await self._learn():
            raise StoreAway(f"no server of {self.address.shown} answers; try again in a moment")

    def look_again(self) -> None:
        """Something has failed. Returns at once; what is learnt holds from then on."""
        if self.address.kind == "cluster" and self._looking is None:
            self._looking = asyncio.create_task(self._look_soon(), name="look at the cluster")

    async def close(self) -> None:
        if self._looking:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    def place_of(self, key: str | bytes) -> Place | None:
        """The server of a cluster that has a key; None where there is only one, or it is not known just now."""
        if not self._slots:
            return None
        return self._slots[key_slot(key if isinstance(key, bytes) else key.encode())] or random.choice(self._known)

    def primaries(self) -> list[Place | None]:
        """Every server that has tables; [None] where there is only one."""
        found: list[Place | None] = list(dict.fromkeys(place for place in self._slots if place))
        return found or [None]

    def any_place(self) -> Place | None:
        """Some server: in a cluster each hears what is published on any other."""
        return random.choice(self._known) if self._slots else None

    def connect(self, place: Place | None, *, connections: int, timeout_s: float | None = 1.5) -> Redis:
        """A client of one server of them; with None of the only one, whichever Sentinels name when it connects."""
        if self.address.kind == "single":
            return client(self.address.url, connections=connections, timeout_s=timeout_s)
        url = self.address.at(place or ("primary", 0))
        plain, tls = (Primary, PrimaryTls) if self._sentinels else (Member, MemberTls)
        more: dict[str, Any] = {"sentinels": self._sentinels} if self._sentinels else {}
        more["connection_class"] = tls if url.startswith("rediss:") else plain
        url = url.replace("rediss:", "redis:", 1)  # else redis-py chooses the class
        return client(url, connections=connections, timeout_s=timeout_s, **more)

    def connect_to(self, host: str, port: int) -> Redis:
        """A client of one server that is named, with the same user, password and database."""
        if self.address.kind != "single":
            return client(self.address.at((host, port)), connections=1)
        parts = urlsplit(self.address.url)
        login, at, _ = parts.netloc.rpartition("@")
        named = f"[{host}]" if ":" in host else host
        return client(urlunsplit(parts._replace(netloc=f"{login}{at}{named}:{port}")), connections=1)

    # ------------------------------------------------------------------------------------------------------ a cluster
    async def _look_soon(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            await asyncio.sleep(max(0.0, self._looked_at + AGAIN_S - loop.time()))
            await self._learn()
        finally:
            self._looking = None

    async def _learn(self) -> bool:
        """Asks every server that is known; the newest layout counts, for who was cut off tells an old one."""
        told = await answers([self._layout(place) for place in dict.fromkeys((*self._known, *self.address.places))])
        self._looked_at = asyncio.get_running_loop().time()
        if not told:
            return False
        _, ranges, known = max(told, key=lambda one: one[0])
        for first, last, place in ranges:
            self._slots[first : last + 1] = [place] * (last + 1 - first)
        self._known = known
        return True

    async def _layout(self, asked: Place) -> tuple[tuple[bool, int], list[tuple[int, int, Place]], list[Place]]:
        """How one server sees it: (whether it is whole, its epoch), slots, all servers."""
        redis = self.connect(asked, connections=1)
        try:
            said = text(await redis.execute_command("CLUSTER", "INFO"))  # type: ignore[no-untyped-call]
            ranges = await redis.execute_command("CLUSTER", "SLOTS")  # type: ignore[no-untyped-call]
        finally:
            await redis.aclose()
        info = dict(line.split(":", 1) for line in said.splitlines() if ":" in line)
        slots, known = [], []
        for first, last, *places in ranges:
            several = [(text(one[0]) or asked[0], int(one[1])) for one in places]  # no host: the one we asked at
            slots.append((int(first), int(last), several[0]))
            known += several
        if not slots:
            raise ConnectionError("it has no part of the cluster")
        rank = info.get("cluster_state") == "ok", int(info.get("cluster_current_epoch", 0))
        return rank, slots, list(dict.fromkeys(known))


class Clients:
    """redis-py clients of a store's servers, each made when it is first needed."""

    def __init__(self, servers: Servers, connections: int, timeout_s: float | None = 1.5) -> None:
        self.servers = servers
        self._connections = connections
        self._timeout_s = timeout_s
        self._made: dict[Place | None, Redis] = {}

    def of(self, key: str | bytes) -> Redis:
        return self.at(self.servers.place_of(key))

    def at(self, place: Place | None) -> Redis:
        if place not in self._made:
            self._made[place] = self.servers.connect(place, connections=self._connections, timeout_s=self._timeout_s)
        return self._made[place]

    async def failed(self, redis: Redis) -> None:
        """What was asked of this one has failed: it may be the primary no more. Sentinels are asked anew, idle lines too."""
        self.servers.look_again()
        if self.servers.address.kind == "sentinel":
            with contextlib.suppress(RedisError, OSError):
                await redis.connection_pool.disconnect(inuse_connections=False)

    async def close(self) -> None:
        for redis in self._made.values():
            await redis.aclose()
