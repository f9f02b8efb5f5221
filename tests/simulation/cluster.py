"""Servers on one store, each a whole one, on hosts of the simulation: started, stopped, killed, frozen, cut off."""

import asyncio
import logging
import random

from server.app import App
from server.config import Settings, load_settings
from server.gateway import PortProblem
from server.store.problems import StoreError
from tests.simulation.loop import Host, SimulatedLoop
from tests.simulation.network import Network
from tests.simulation.store_server import PORT, StoreServer

log = logging.getLogger("overseer.simulation")

STORE_URL = f"redis://store:{PORT}/0"
FIRST_PORT = 7701


class Node:
    """One server, from its start to its end."""

    def __init__(self, cluster: "Cluster", number: int) -> None:
        self.number = number
        self.host = Host(f"node{number}")
        self._cluster = cluster
        self._stop = asyncio.Event()
        self.up = asyncio.Event()
        self.task = cluster.loop.create_task(self._run(), context=self.host.context)

    async def _run(self) -> None:
        settings = self._cluster.settings.model_copy(update={"port": FIRST_PORT + self.number})
        while not self._stop.is_set():
            try:
                async with App(settings):
                    self.up.set()
                    await self._stop.wait()
                return
            except (StoreError, PortProblem):
                pass  # the store is away, or the one before still has the port; who runs servers starts them again
            except Exception:
                log.exception("a server of the simulation did not start, or did not stop")
            await asyncio.sleep(0.1)

    def stop(self) -> None:
        """In good order."""
        self._cluster.loop.on(self.host, self._stop.set)


class Cluster:
    def __init__(self, loop: SimulatedLoop, chance: random.Random, nodes: int, *, heartbeat_s: float = 15) -> None:
        self.loop = loop
        self.network = Network(loop, chance)
        self.store = StoreServer(loop, self.network, chance)
        self.settings: Settings = load_settings({"redis_url": STORE_URL, "heartbeat_s": heartbeat_s})
        self.store.start()
        self.nodes: list[Node | None] = [None] * nodes
        self.dead: dict[Host, None] = {}

    @property
    def ports(self) -> list[int]:
        return [FIRST_PORT + number for number in range(len(self.nodes))]

    def start(self, number: int) -> None:
        if self.nodes[number] is None:
            self.nodes[number] = Node(self, number)

    def kill(self, number: int) -> None:
        if node := self.nodes[number]:
            self.network.kill(node.host)
            self.dead[node.host] = None
            self.nodes[number] = None

    async def stop(self, number: int) -> None:
        """In good order; killed if it does not come to its end."""
        node, self.nodes[number] = self.nodes[number], None
        if node is None:
            return
        node.stop()
        await asyncio.wait([node.task], timeout=8)
        self.network.kill(node.host)
        self.dead[node.host] = None

    def kill_store(self) -> None:
        self.store.kill()
        self.dead[self.store.host] = None

    @property
    def running(self) -> list[Node]:
        return [node for node in self.nodes if node]

    async def end(self) -> None:
        """Everything that ever ran comes to its end, cut off from everything, so that nothing is left lying about."""
        self.network.shut = True
        for node in self.running:
            self.network.kill(node.host)
        self.network.kill(self.store.host)
        mine = asyncio.current_task()
        for host in [*self.dead, self.store.host, *(node.host for node in self.running)]:
            self.loop.thaw(host)
        for _ in range(100):
            left = [task for task in asyncio.all_tasks() if task is not mine]
            if not left:
                return
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=5)
        raise AssertionError(f"this comes to no end: {left}")
