"""Taking turns with other nodes that commit to the same table at the same moment. Fairness only: the head keeps the order.

A node that wins again and again would let the others lose eight times in a row, for its next try begins before theirs. So
who has just won lets the others go first: until their commit is heard of, or until it is clear that none comes.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

CONTENDED_S = 0.25
"""For so long after another node's commit it is taken to have more."""
WAIT_S = 0.03
"""A try on another node takes about 3 to 10 ms; where our own take longer, so do theirs."""
TRIES_LONG = 4
"""For so long, counted in our own last try, another node's is waited for."""
STREAK, MOST_STREAK = 4, 16
"""Without a sign of another node: so many commits in a row while people wait, then one look. Twice as many after a look in
vain: of 480 commands by 24 people on two nodes 26 were refused `busy` without all this."""


class Turns:
    """One room's manners. `told`: the newest version heard of."""

    def __init__(self) -> None:
        self.told = 0
        self._news = asyncio.Event()
        self._queued = 0
        self._won = 0  # in a row
        self._patience = STREAK
        self._lost_at = float("-inf")  # when another node's commit was last seen, by time.monotonic
        self._took_s = 0.0  # our own last try

    @contextmanager
    def queued(self) -> Iterator[None]:
        """One command is on its way."""
        self._queued += 1
        try:
            yield
        finally:
            self._queued -= 1

    def hear(self, version: int) -> None:
        """There is this version, whoever made it."""
        self.told = max(self.told, version)
        self._news.set()

    def took(self, seconds: float) -> None:
        """So long was a try of ours, from deciding to having taken what was kept, or caught up."""
        self._took_s = seconds

    @property
    def wait_s(self) -> float:
        return max(WAIT_S, TRIES_LONG * self._took_s)

    def won(self, *, alone: bool = False) -> None:
        """The newest version is ours. `alone`: no other node has heard of it, so none holds this table."""
        self._won = self._won + 1 if (self._queued > 1 and not alone) or self._contended else 0

    def lost(self) -> None:
        """The newest version is another node's."""
        self._won, self._patience, self._lost_at = 0, STREAK, time.monotonic()

    async def give_way(self, version: int) -> bool:
        """Waits if it is others' turn. Whether they took it: then there is something to catch up with."""
        if not (self._won and self._contended) and self._won < self._patience:
            return False
        self._won = 0
        try:
            async with asyncio.timeout(self.wait_s):
                while self.told <= version:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            self._patience = min(MOST_STREAK, 2 * self._patience)
            self._lost_at = float("-inf")
            return False
        return True

    @property
    def _contended(self) -> bool:
        return time.monotonic() - self._lost_at < max(CONTENDED_S, 2 * self.wait_s)
