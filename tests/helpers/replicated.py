"""Real Valkeys that stand in for one another on loopback: a primary with a replica under three Sentinels, or a cluster.

Each is a process of the bundled server; all die with the test run, and are ended by their process ids.
"""

import asyncio
import contextlib
import random
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from server.store.embedded import _die_with_parent, find_server_binary

KEEPS = "appendonly yes\nappendfsync always\nsave ''\nrepl-diskless-sync-delay 0\nrepl-ping-replica-period 1\n"
NAME = "tables"
DOWN_MS = 1000  # so long without an answer, and a primary counts as gone
NODE_TIMEOUT_MS = 1000


class Valkey:
    """One process, on a port of its own."""

    def __init__(self, directory: Path, port: int, config: str, *words: str) -> None:
        self.directory, self.port, self._words = directory, port, words
        directory.mkdir(parents=True)
        self.file = directory / "valkey.conf"
        self.file.write_text(f"port {port}\nbind 127.0.0.1\ndir {directory}\nlogfile server.log\n{config}")
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [str(find_server_binary()), str(self.file), *self._words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=_die_with_parent(),
        )

    @classmethod
    def keeping(cls, directory: Path, *, of: "Valkey | None" = None) -> "Valkey":
        """One that keeps what it confirms; a replica of another."""
        (port,) = free_ports(1)
        return cls(directory / f"valkey-{port}", port, KEEPS + (f"replicaof 127.0.0.1 {of.port}\n" if of else ""))

    async def linked(self) -> None:
        """It has all that its primary has."""
        await until(lambda: _linked(self))

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    async def ask(self, *words: str | int) -> Any:
        redis = Redis(port=self.port, protocol=2, decode_responses=True, socket_timeout=20)
        try:
            return await redis.execute_command(*words)
        finally:
            await redis.aclose()

    async def info(self) -> dict[str, str]:
        said = await self.ask("INFO", "replication")
        return said if isinstance(said, dict) else dict(line.split(":", 1) for line in said.splitlines() if ":" in line)


class Replicated:
    """`url` for Overseer; the servers by port."""

    def __init__(self, url: str, servers: list[Valkey], sentinels: list[Valkey]) -> None:
        self.url, self.servers, self.sentinels = url, servers, sentinels

    async def primaries(self) -> list[Valkey]:
        return [one for one in self.servers if one.process.poll() is None and (await one.info())["role"] == "master"]

    async def replicas(self) -> list[Valkey]:
        return [one for one in self.servers if one.process.poll() is None and (await one.info())["role"] == "slave"]

    async def primary_of(self, table: str) -> Valkey:
        """Of a cluster: who has the table."""
        slot = await self.servers[0].ask("CLUSTER", "KEYSLOT", f"ov:{{{table}}}:meta")
        for first, last, (_, port, *_), *_ in await self.servers[0].ask("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(one for one in self.servers if one.port == port)
        raise AssertionError("nobody has it")

    async def replica_of(self, primary: Valkey) -> Valkey:
        for one in self.servers:
            if one is not primary and (await one.info()).get("master_port") == str(primary.port):
                return one
        raise AssertionError("it has no replica")


async def until(holds: Callable[[], Awaitable[object]], seconds: float = 90) -> None:
    """Asks other processes until it is so: they tell nobody."""
    async with asyncio.timeout(seconds):
        while True:
            with contextlib.suppress(Exception):
                if await holds():
                    return
            await asyncio.sleep(0.02)


def free_ports(count: int) -> list[int]:
    """Below those that a system gives to who does not ask (from 32,768 on), and so is its bus, which has 10,000 more."""
    found: list[int] = []
    for port in range(random.randrange(11_000, 22_000), 22_700):
        if len(found) == count:
            break
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for one in (port, port + 10_000):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", one))
            found.append(port)
    return found


@contextlib.asynccontextmanager
async def under_sentinels(directory: Path, replicas: int = 2) -> AsyncIterator[Replicated]:
    """One primary, its replicas, and three Sentinels."""
    first, *ports = free_ports(4 + replicas)
    others, watching = ports[:replicas], ports[replicas:]
    started: list[Valkey] = []
    try:
        started.append(Valkey(directory / f"valkey-{first}", first, KEEPS))
        for port in others:
            started.append(Valkey(directory / f"valkey-{port}", port, KEEPS + f"replicaof 127.0.0.1 {first}\n"))
        for one in started[1:]:
            await one.linked()
        config = (
            f"sentinel monitor {NAME} 127.0.0.1 {first} 2\nsentinel down-after-milliseconds {NAME} {DOWN_MS}\n"
            f"sentinel failover-timeout {NAME} 3000\n"
        )
        for port in watching:
            started.append(Valkey(directory / f"sentinel-{port}", port, config, "--sentinel"))
        servers, sentinels = started[: 1 + replicas], started[1 + replicas :]

        async def all_know_all() -> bool:
            told = [await one.ask("SENTINEL", "MASTER", NAME) for one in sentinels]
            several = [dict(zip(one[::2], one[1::2], strict=True)) if isinstance(one, list) else one for one in told]
            return all(one["num-other-sentinels"] == "2" and one["num-slaves"] == str(replicas) for one in several)

        await until(all_know_all)
        where = ",".join(one.place for one in sentinels)
        yield Replicated(f"redis+sentinel://{where}/{NAME}", servers, sentinels)
    finally:
        for one in started:
            one.thaw()
            one.kill()


@contextlib.asynccontextmanager
async def clustered(directory: Path, primaries: int = 3, spare: int = 1) -> AsyncIterator[Replicated]:
    """As many primaries with a replica each, and so many more of the first one."""
    started: list[Valkey] = []
    config = KEEPS + (
        f"cluster-enabled yes\ncluster-node-timeout {NODE_TIMEOUT_MS}\ncluster-config-file nodes.conf\n"
        "cluster-require-full-coverage no\ncluster-replica-validity-factor 0\n"
    )
    try:
        for port in free_ports(2 * primaries + spare):
            started.append(Valkey(directory / f"node-{port}", port, config))
        heads, others = started[:primaries], started[primaries:]
        await until(lambda: asyncio.gather(*(one.ask("PING") for one in started)))
        for k, one in enumerate(heads):
            first, last = 16384 * k // primaries, 16384 * (k + 1) // primaries - 1
            await one.ask("CLUSTER", "ADDSLOTSRANGE", first, last)
            await one.ask("CLUSTER", "SET-CONFIG-EPOCH", k + 1)
        for one in started[1:]:
            await one.ask("CLUSTER", "MEET", "127.0.0.1", heads[0].port)

        async def all_met() -> bool:
            known = [await one.ask("CLUSTER", "NODES") for one in started]
            return all(len(one if isinstance(one, dict) else one.splitlines()) == len(started) for one in known)

        await until(all_met)
        for head, other in zip([*heads, *heads[:1] * spare], others, strict=True):
            await other.ask("CLUSTER", "REPLICATE", await head.ask("CLUSTER", "MYID"))

        async def whole() -> bool:
            said = [await one.ask("CLUSTER", "INFO") for one in started]
            return all("cluster_state:ok" in one for one in said) and all([await _linked(one) for one in others])

        await until(whole)
        yield Replicated("redis+cluster://" + ",".join(one.place for one in started[:2]), started, [])
    finally:
        for one in started:
            one.thaw()
            one.kill()


async def _linked(replica: Valkey) -> bool:
    info = await replica.info()
    return info["role"] == "slave" and info["master_link_status"] == "up"
