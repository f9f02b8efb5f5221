"""News of tables from the other nodes, over a connection of its own. A message is a hint to look; the log is the truth.

Redis drops messages without a word when a connection breaks. So each (re)subscription says "verify" for its table.
"""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator

from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from .lanes import client

QUIET_S = 5.0  # after this long without a word a ping is sent; after twice as long the connection counts as dead
_ALWAYS = "ov:listening"  # redis-py cannot wait on a connection with no subscription


def channel_of(table: str) -> str:
    return f"ov:{{{table}}}:ch"


class Listener:
    """Use as `async with`; then iterate: (table, message), and (table, None) for "verify what you know of it".

    The message is the table's new version, or "here" when presence or seats changed.
    """

    def __init__(self, url: str) -> None:
        self._client = client(url, connections=2, timeout_s=None)
        self._wanted: set[str] = set()
        self._pubsub: PubSub | None = None  # None while the connection is down
        self._news: asyncio.Queue[tuple[str, str | None]] = asyncio.Queue()
        self._listening: asyncio.Task[None] | None = None

    async def subscribe(self, table: str) -> None:
        """Asks for news of a table. Its "verify" comes when the server has confirmed."""
        self._wanted.add(table)
        if self._pubsub:
            with contextlib.suppress(RedisError, OSError):  # the listening task sees it too, and subscribes anew
                await self._pubsub.subscribe(channel_of(table))

    async def unsubscribe(self, table: str) -> None:
        self._wanted.discard(table)
        if self._pubsub:
            with contextlib.suppress(RedisError, OSError):
                await self._pubsub.unsubscribe(channel_of(table))

    async def __aenter__(self) -> "Listener":
        self._listening = asyncio.create_task(self._listen(), name="store listener")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._listening:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        await self._client.aclose()

    async def __aiter__(self) -> AsyncIterator[tuple[str, str | None]]:
        while True:
            yield await self._news.get()

    async def _listen(self) -> None:
        pause = 0.01
        while True:
            pubsub = self._client.pubsub()
            try:
                told = set(self._wanted)
                await pubsub.subscribe(_ALWAYS, *map(channel_of, told))
                self._pubsub = pubsub
                for table in self._wanted - told:  # asked for while we were connecting
                    await pubsub.subscribe(channel_of(table))
                pause = 0.01
                await self._hear(pubsub)
            except Exception:  # whatever it was, the cure is the same: a new connection, and everything verified
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))
                pause = min(pause * 2, 0.5)
            finally:
                self._pubsub = None
                with contextlib.suppress(RedisError, OSError):
                    await pubsub.aclose()  # type: ignore[no-untyped-call]

    async def _hear(self, pubsub: PubSub) -> None:
        loop = asyncio.get_running_loop()
        heard = loop.time()
        pinged = False
        while True:
            message = await pubsub.get_message(ignore_subscribe_messages=False, timeout=1.0)
            if message is None:
                quiet_s = loop.time() - heard
                if quiet_s > 2 * QUIET_S:
                    raise ConnectionError("the store has fallen silent")
                if quiet_s > QUIET_S and not pinged:
                    await pubsub.ping()
                    pinged = True
                continue
            heard, pinged = loop.time(), False
            table = _table_of(message["channel"])
            if table not in self._wanted:
                continue
            if message["type"] == "subscribe":
                self._news.put_nowait((table, None))
            elif message["type"] == "message":
                self._news.put_nowait((table, bytes(message["data"]).decode()))


def _table_of(channel: object) -> str:
    text = channel.decode() if isinstance(channel, bytes) else str(channel)
    return text.removeprefix("ov:{").removesuffix("}:ch")
