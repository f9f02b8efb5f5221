"""How long a client's frames are under way, as this server measures it: nothing that the client says is asked.

By WebSocket pings, which every browser and library answers by itself. Who holds back his pongs looks slow; core/fair.py says
why that gains him nothing.
"""

import asyncio
import statistics
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

KEPT = 5
"""Round trips that are remembered. Their median counts: one that got stuck tells nothing of the next frame."""
MOST_MS = 1000
"""Nobody is slower than this, as far as fair time goes."""


class Delay:
    """Of one connection; 0 until it has been measured."""

    def __init__(self, socket: ServerConnection, every_s: float) -> None:
        self._socket = socket
        self._every_s = every_s
        self._trips_s: deque[float] = deque(maxlen=KEPT)

    @property
    def way_ms(self) -> int:
        """Half a round trip: the way here."""
        return min(MOST_MS, round(statistics.median(self._trips_s) * 500)) if self._trips_s else 0

    @asynccontextmanager
    async def measured(self) -> AsyncIterator[None]:
        """It is measured while this lasts, one ping at a time."""
        measuring = asyncio.create_task(self._measure(), name="delay")
        try:
            yield
        finally:
            measuring.cancel()
            await asyncio.wait([measuring])

    async def _measure(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                pong = await self._socket.ping()
                self._trips_s.append(await pong)
                await asyncio.sleep(self._every_s)
