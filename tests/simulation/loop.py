"""An event loop whose time is told, not measured: when nobody has anything to do, it is at once as late as the next alarm.

What runs on it runs on a host: a process of its own, as far as anybody can tell. Within one host everything happens in the
order that asyncio promises; which host goes on next is chance. A host can be frozen, or killed: then its code runs no more.
"""

import asyncio
import contextvars
import heapq
import random
from collections import deque
from collections.abc import Callable
from typing import Any

STEP_S = 20e-6
"""What one turn of a host takes. Nothing takes no time, or who waits for time to pass would wait for ever."""


class Host:
    """One process. Whatever is begun in its context, and all that comes of that, is its."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.context = contextvars.copy_context()
        self.context.run(HOST.set, self)
        self.ready: deque[asyncio.Handle] = deque()
        self.frozen = False  # a killed one stays so

    def __repr__(self) -> str:
        return self.name


HOST: contextvars.ContextVar[Host] = contextvars.ContextVar("HOST")


class Standstill(Exception):
    """Somebody is waited for, and nothing will ever happen again."""


class SimulatedLoop(asyncio.BaseEventLoop):
    """`chance` decides which host goes on. Sockets come from the network that is put in (network.py)."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.network: Any = None
        self._chance = chance
        self._now = 1000.0
        self._alarms: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._count = 0
        self._awake: dict[Host, None] = {}  # those that have something to do
        self.world = Host("world")

    def time(self) -> float:
        return self._now

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:  # type: ignore[override]
        handle = asyncio.Handle(callback, args, self, context)
        self._put(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]  # there is one thread

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._count += 1
        heapq.heappush(self._alarms, (when, self._count, handle))
        return handle

    def on(self, host: Host, callback: Callable[..., Any], *args: Any) -> None:
        """The host does this when it comes to it."""
        self.call_soon(callback, *args, context=host.context)

    def thaw(self, host: Host) -> None:
        host.frozen = False
        if host.ready:
            self._awake[host] = None

    def step(self, host: Host, handle: asyncio.Handle) -> None:
        """The next thing that this host does."""
        handle._run()

    def _put(self, handle: asyncio.Handle) -> None:
        host = handle._context.get(HOST, self.world)  # type: ignore[attr-defined]
        host.ready.append(handle)
        if not host.frozen:
            self._awake[host] = None

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass  # it is thrown away when its time comes

    def _run_once(self) -> None:
        alarms, awake = self._alarms, self._awake
        if not awake:
            while alarms and alarms[0][2].cancelled():
                heapq.heappop(alarms)
            if not alarms:
                raise Standstill
            self._now = max(self._now, alarms[0][0])
        while alarms and alarms[0][0] <= self._now:
            handle = heapq.heappop(alarms)[2]
            if not handle.cancelled():
                self._put(handle)
        for host in [host for host in awake if host.frozen]:
            del awake[host]
        if not awake:
            return
        host = next(iter(awake)) if len(awake) == 1 else self._chance.choice(list(awake))
        ready = host.ready
        for _ in range(len(ready)):
            next_one = ready.popleft()
            if not next_one.cancelled():
                self.step(host, next_one)
            if host.frozen:
                break
        if not ready or host.frozen:
            awake.pop(host, None)
        self._now += STEP_S

    # ------------------------------------------------------------------------------------------------------- sockets
    async def create_connection(self, protocol_factory: Any, host: Any = None, port: Any = None, **_: Any) -> Any:
        return await self.network.connect(protocol_factory, port)

    async def create_server(self, protocol_factory: Any, host: Any = None, port: Any = None, **_: Any) -> Any:
        return self.network.listen(protocol_factory, port)
