"""What all connections share on their way in: who may knock, how many may stand there, and what is spoken."""

import asyncio
import ssl
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from server.address_of import Network, trusts
from server.door import SHARE, Door, household


class Standing:
    """Lines that are open and not in: of too many the one that takes longest goes. Others need an instant.

    One address has a part of the places (door.py, SHARE); whose that is ("" for nobody's), says whoever adds it.
    """

    def __init__(self, most: int) -> None:
        """`most`: 0 is no limit."""
        self._most = most
        self._whose: dict[asyncio.Transport, str] = {}
        self._of: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._whose)

    def add(self, line: asyncio.Transport, whose: str) -> None:
        self._whose[line] = whose
        self._of[whose] += 1
        if not self._most:
            return
        if whose and self._of[whose] > -(-self._most // SHARE):
            self._end(next(one for one, address in self._whose.items() if address == whose))
        elif len(self._whose) > self._most:
            self._end(next(iter(self._whose)))

    def remove(self, line: asyncio.Transport) -> None:
        if (whose := self._whose.pop(line, None)) is not None:
            self._of[whose] -= 1
            if not self._of[whose]:
                del self._of[whose]

    def _end(self, line: asyncio.Transport) -> None:
        self.remove(line)
        line.abort()


class InTurn:
    """One act in each round of the loop, so that what everybody else waits for comes in between: a hundred who come at one
    instant would hold them up for 30 ms.
    """

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def __call__(self, act: Callable[[], None]) -> None:
        self._waiting.append(act)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        try:
            self._waiting[0]()
        finally:
            self._waiting.popleft()
            if self._waiting:
                asyncio.get_running_loop().call_soon(self._next)


@dataclass(frozen=True)
class Entrance:
    """`arriving`: whose request has not come whole, from the first moment on; `leaving`: who was not heard, and is told so.
    `tls`: None: a proxy speaks it, or nobody; `within_s`: how long it may take to come about.
    """

    door: Door
    arriving: Standing
    leaving: Standing
    tls: ssl.SSLContext | None
    within_s: float
    proxies: Sequence[Network]
    in_turn: InTurn = field(default_factory=InTurn)

    def whose(self, peer: str) -> str:
        """For whom a line counts before anything was read; "": many come through this one."""
        return "" if trusts(self.proxies, peer) else household(peer)
