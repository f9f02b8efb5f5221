"""What befalls a cluster in one seed. Each seed has some troubles of its own and not the others: so each gets its chance."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from server import connection
from tests.simulation.cluster import Cluster
from tests.simulation.loop import Host

Trouble = Callable[["Troubles", Cluster], Awaitable[None]]
TROUBLES: dict[str, Trouble] = {}


def trouble(act: Trouble) -> Trouble:
    TROUBLES[act.__name__] = act
    return act


@dataclass
class Troubles:
    """Drawn from a seed: how many servers, how fast the network, which troubles and how often."""

    chance: random.Random
    nodes: int
    heartbeat_s: float
    commands: list[int]
    names: list[str]
    gap_s: float
    most: int  # of them all in all, and at once
    at_once: int
    network: dict[str, float | int]
    news: float
    evening: dict[str, Any]
    most_frames: int  # that wait in a server for one who reads slowly
    told: Counter[str] = field(default_factory=Counter)
    clients: list[Host] = field(default_factory=list)

    @classmethod
    def of(cls, chance: random.Random) -> "Troubles":
        quick = chance.random() < 0.6  # commands come one upon the other, or with time to think between them
        narrow = chance.random() < 0.25  # who is cut off for a moment soon leaves no room for more
        fast_s, slow_s = chance.choice([(0.0001, 0.0005), (0.0002, 0.003), (0.005, 0.04)])
        return cls(
            chance=random.Random(chance.random()),
            nodes=chance.choice([1, 2, 2, 3]),
            heartbeat_s=chance.choice([1.0, 3.0, 15.0]),
            commands=chance.choice([[8], [12], [4, 8], [8, 8, 8], [16, 24]]),
            names=[name for name in TROUBLES if chance.random() < 0.3],
            gap_s=chance.choice([0.02, 0.1, 0.4]) if quick else chance.choice([0.2, 0.8]),
            most=chance.choice([2, 4, 8, 16]),
            at_once=chance.choice([1, 1, 2, 3]),
            network={"fast_s": fast_s, "slow_s": slow_s, "rarely": chance.choice([0.0, 0.0, 0.02]), "late_s": 0.4}
            | ({"window": 400} if narrow else {}),
            news=chance.choice([0.0, 0.0, 0.3]),
            evening={
                "rude": chance.choice([0.0, 0.1, 0.3]),
                "lazy": chance.choice([0.0, 0.0, 0.03]),
                "padding": chance.choice([0, 0, 0, 1500]),
                "drops": chance.choice([0.0, 0.05]),
                "clock_ms": chance.choice([0, 400, 1500]),
                "pause_s": 0.004 if quick else 0.4,
            },
            most_frames=3 if narrow else connection.MOST_FRAMES,
        )

    @classmethod
    def weak(cls, chance: random.Random) -> "Troubles":
        """Of a store that forgets what it has confirmed, now and then; the servers live through it."""
        one = cls.of(chance)
        one.names = [name for name in one.names if "node" not in name] + ["failed_over"]
        one.most, one.at_once = min(one.most, 4), 1
        return one

    def begin(self, cluster: Cluster) -> None:
        for name, value in self.network.items():
            setattr(cluster.network, name, value)

    async def go_on(self, cluster: Cluster, clients: list[Host]) -> None:
        """One trouble after the other, or some at once."""
        cluster.store.news = self.news
        if not self.names:
            return
        free = asyncio.Semaphore(self.at_once)
        self.clients = clients

        async def befall(name: str) -> None:
            async with free:
                self.told[name] += 1
                await (failed_over if name == "failed_over" else TROUBLES[name])(self, cluster)

        async with asyncio.TaskGroup() as group:
            for _ in range(self.most):
                async with free:  # there is room for one more
                    await asyncio.sleep(self.chance.uniform(0, 2 * self.gap_s))
                group.create_task(befall(self.chance.choice(self.names)))
                await asyncio.sleep(0)

    async def calm_down(self, cluster: Cluster) -> None:
        """Everything runs and carries again."""
        network, store = cluster.network, cluster.store
        store.news, store.store.full, store.loading = 0.0, False, False
        if store.host in cluster.dead:
            store.start()
        cluster.loop.thaw(store.host)
        network.heal_all()
        network.rarely = 0.0
        for wire in network.wires:
            wire.budget = None
        for number, node in enumerate(cluster.nodes):
            if node:
                cluster.loop.thaw(node.host)
            cluster.start(number)

    def seconds(self, *least_most: float) -> Awaitable[None]:
        return asyncio.sleep(self.chance.uniform(*least_most))


# ------------------------------------------------------------------------------------------------------ the connections
@trouble
async def cuts(self: Troubles, cluster: Cluster) -> None:
    """A connection breaks after some bytes more, in one of its directions."""
    if wires := list(cluster.network.wires):
        self.chance.choice(wires).budget = self.chance.randint(0, 3000)


@trouble
async def cuts_to_store(self: Troubles, cluster: Cluster) -> None:
    """The same, between servers and store: questions and answers."""
    if wires := [wire for wire in cluster.network.wires if cluster.store.host in (wire.host, wire.other.host)]:
        for wire in self.chance.sample(wires, min(3, len(wires))):
            wire.budget = self.chance.choice([0, self.chance.randint(0, 3000)])


async def _apart(self: Troubles, cluster: Cluster, one: Host, other: Host, most: float) -> None:
    cluster.network.part(one, other)
    try:
        await self.seconds(0.05, most)
    finally:
        cluster.network.heal(one, other)


@trouble
async def node_cut_off_from_store(self: Troubles, cluster: Cluster) -> None:
    if running := cluster.running:
        await _apart(self, cluster, self.chance.choice(running).host, cluster.store.host, 4.0)


@trouble
async def client_cut_off(self: Troubles, cluster: Cluster) -> None:
    if (running := cluster.running) and self.clients:
        await _apart(self, cluster, self.chance.choice(self.clients), self.chance.choice(running).host, 3.0)


# ------------------------------------------------------------------------------------------------------------ the servers
@trouble
async def node_frozen(self: Troubles, cluster: Cluster) -> None:
    if running := cluster.running:
        node = self.chance.choice(running)
        node.host.frozen = True
        try:
            await self.seconds(0.05, 3.0)
        finally:
            if node.host not in cluster.dead:
                cluster.loop.thaw(node.host)


@trouble
async def node_killed(self: Troubles, cluster: Cluster) -> None:
    number = self.chance.randrange(self.nodes)
    cluster.kill(number)
    await self.seconds(0, 0.5)
    cluster.start(number)


@trouble
async def all_nodes_killed(self: Troubles, cluster: Cluster) -> None:
    for number in range(self.nodes):
        cluster.kill(number)
    await self.seconds(0, 0.3)
    for number in range(self.nodes):
        cluster.start(number)


@trouble
async def node_stopped(self: Troubles, cluster: Cluster) -> None:
    """In good order: its clients are sent to the others."""
    number = self.chance.randrange(self.nodes)
    await cluster.stop(number)
    await self.seconds(0, 0.3)
    cluster.start(number)


# -------------------------------------------------------------------------------------------------------------- the store
@trouble
async def store_killed(self: Troubles, cluster: Cluster) -> None:
    if cluster.store.host in cluster.dead:
        return
    cluster.kill_store()
    try:
        await self.seconds(0, 1.0)
    finally:
        cluster.store.start()
    cluster.store.loading = True
    with contextlib.suppress(asyncio.CancelledError):
        await self.seconds(0, 0.2)
    cluster.store.loading = False


async def failed_over(self: Troubles, cluster: Cluster) -> None:
    """The store ends, and a replica takes its place that had not got the last of it."""
    kept = cluster.store.store.copy()
    await self.seconds(0.0, 0.1)
    cluster.kill_store()
    cluster.store.store.put_back(kept)
    try:
        await self.seconds(0.0, 1.0)
    finally:
        cluster.store.start()


@trouble
async def store_frozen(self: Troubles, cluster: Cluster) -> None:
    host = cluster.store.host
    if host in cluster.dead:
        return
    host.frozen = True
    try:
        await self.seconds(0.1, 4.0)
    finally:
        if host not in cluster.dead:
            cluster.loop.thaw(host)


@trouble
async def store_slow(self: Troubles, cluster: Cluster) -> None:
    """Its disk is."""
    before, cluster.store.disk_s = cluster.store.disk_s, (0.05, 0.3)
    try:
        await self.seconds(0.1, 1.0)
    finally:
        cluster.store.disk_s = before


@trouble
async def store_full(self: Troubles, cluster: Cluster) -> None:
    """Its memory is: it refuses whatever would need more of it."""
    cluster.store.store.full = True
    try:
        await self.seconds(0.05, 3.5)
    finally:
        cluster.store.store.full = False


@trouble
async def clock_steps(self: Troubles, cluster: Cluster) -> None:
    """The store's clock is set; servers that start afterwards learn it at once, the others by and by."""
    cluster.store.ahead_s = self.chance.choice([-1, 1]) * self.chance.choice([0.0, 0.7, 5, 90, 4000])


@trouble
async def listeners_cut_off(self: Troubles, cluster: Cluster) -> None:
    """Every connection on which news comes is broken off."""
    for conversation in cluster.store.listeners():
        conversation.wire.abort()
