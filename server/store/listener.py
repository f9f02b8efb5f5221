"""News of tables from the other nodes, over a connection of its own. A message is a hint to look; the log is the truth.

Redis drops messages without a word when a connection breaks. So each (re)subscription says "verify" for its table. And a
connection may stay up and hear nothing: to a primary that was cut off, say, or to a server of a cluster that the others no
longer reach. So in the quiet we send ourselves a word the way that commits go, through each server that has tables.
"""

import asyncio
import contextlib
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from .servers import Servers

QUIET_S = 2.0  # so often we send ourselves a word
DEAF_S = 2.0  # when it has not come after so long, another connection is made


def channel_of(table: str) -> str:
    return f"ov:{{{table}}}:ch"


class Listener:
    """Use as `async with`; then iterate: (table, message), and (table, None) for "verify what you know of it".

    The message is the table's new version, or "here" when presence or seats changed.
    """

    def __init__(self, servers: Servers, everywhere: Callable[..., Awaitable[int]]) -> None:
        """`everywhere`: sends a command to each server that has tables; how many took it."""
        self._servers = servers
        self._everywhere = everywhere
        self._own = f"ov:listening:{secrets.token_hex(8)}"
        self._wanted: set[str] = set()
        self._pubsub: PubSub | None = None  # None while the connection is down
        self._news: asyncio.Queue[tuple[str, str | None]] = asyncio.Queue()
        self._listening: asyncio.Task[None] | None = None
        self._over = False

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
        self._over = True  # redis-py may turn a cancellation into an error of its own, and we go on after errors
        if self._listening:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    async def __aiter__(self) -> AsyncIterator[tuple[str, str | None]]:
        while True:
            yield await self._news.get()

    async def _listen(self) -> None:
        pause = 0.01
        while not self._over:
            redis = self._servers.connect(self._servers.any_place(), connections=2, timeout_s=None)
            try:
                await self._listen_on(redis)
            except Exception:  # whatever it was, the cure is the same: a new connection, and everything verified
                self._servers.look_again()
                pause = 0.01 if self._pubsub else min(pause * 2, 0.5)
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            finally:
                self._pubsub = None
                with contextlib.suppress(RedisError, OSError):
                    await redis.aclose()

    async def _listen_on(self, redis: Redis) -> None:
        """Raises when the connection hears nothing any more."""
        pubsub = redis.pubsub()
        try:
            told = set(self._wanted)
            async with asyncio.timeout(DEAF_S):
                await pubsub.subscribe(self._own, *map(channel_of, told))
                self._pubsub = pubsub
                for table in self._wanted - told:  # asked for while we were connecting
                    await pubsub.subscribe(channel_of(table))
            async with asyncio.TaskGroup() as both:
                words = _Words()
                both.create_task(self._hear(pubsub, words))
                both.create_task(self._probe(words))
        finally:
            with contextlib.suppress(RedisError, OSError):
                await pubsub.aclose()  # type: ignore[no-untyped-call]

    async def _hear(self, pubsub: PubSub, words: "_Words") -> None:
        while True:
            message = await pubsub.get_message(ignore_subscribe_messages=False, timeout=1.0)
            if message is None:
                continue
            channel, kind = _text(message["channel"]), message["type"]
            if channel == self._own:
                if kind == "message":
                    words.heard(_text(message["data"]))
            elif (table := _table_of(channel)) in self._wanted:
                if kind == "subscribe":
                    self._news.put_nowait((table, None))
                elif kind == "message":
                    self._news.put_nowait((table, _text(message["data"])))

    async def _probe(self, words: "_Words") -> None:
        while True:
            await asyncio.sleep(QUIET_S)
            word = words.next()
            sent = await self._everywhere("PUBLISH", self._own, word)
            await words.come(sent)


class _Words:
    """What we have sent ourselves, and how often it has come: through each server once."""

    def __init__(self) -> None:
        self._word = ""
        self._count = 0
        self._came = asyncio.Event()

    def next(self) -> str:
        self._word, self._count = secrets.token_hex(4), 0
        return self._word

    def heard(self, word: str) -> None:
        if word == self._word:
            self._count += 1
            self._came.set()

    async def come(self, times: int) -> None:
        """Waits until it has come so often; ConnectionError if it does not."""
        try:
            async with asyncio.timeout(DEAF_S):
                while self._count < times:
                    self._came.clear()
                    await self._came.wait()
        except TimeoutError:
            raise ConnectionError("the store's news do not reach us") from None


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _table_of(channel: str) -> str:
    return channel.removeprefix("ov:{").removesuffix("}:ch")
