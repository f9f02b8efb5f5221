"""A few connections to Redis, and the one rule of sending: again and again, the same thing, until there is an answer.

Whatever is sent here may be sent twice without harm: a read, a set to a value, a script that knows its own earlier try.
"""

import asyncio
import hashlib
import random
from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    ClusterDownError,
    DataError,
    MasterDownError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)

from .problems import StoreAway, StoreProblem

DEADLINE_S = 3.0  # then the caller hears StoreAway

# Refused before anything ran, and it may pass.
_PASSING = (ClusterDownError, MasterDownError, OutOfMemoryError, ReadOnlyError, TryAgainError)

T = TypeVar("T")


class Script:
    """A Lua script of this package, called by its hash."""

    def __init__(self, file_name: str) -> None:
        self.text = files(__package__).joinpath(file_name).read_text(encoding="utf-8")
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()


def client(url: str, *, connections: int, timeout_s: float | None = 1.5) -> Redis:
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
        **over_tcp,
    )


def is_final(answer: object) -> bool:
    """Whether the store has refused, so that to ask again would be no use."""
    if not isinstance(answer, ResponseError) or isinstance(answer, _PASSING):
        return False
    return not str(answer).startswith(("MISCONF", "BUSY"))


def refused(answer: object) -> StoreProblem:
    return StoreProblem(f"the store refused a command: {answer}")


def away(why: str) -> StoreAway:
    return StoreAway(f"the store does not answer ({why}); try again in a moment")


class Lanes:
    """`width` connections; a caller in excess waits for its turn, in order."""

    def __init__(self, url: str, width: int) -> None:
        self._client = client(url, connections=width)
        self._turn = asyncio.Semaphore(width)  # in front of the pool, which would raise instead of wait

    async def _send(self, ask: Callable[[Redis], Awaitable[T]]) -> T:
        """The answer to `ask`, sent again after every lost connection. StoreAway after 3 s, StoreProblem if refused."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + DEADLINE_S
        pause, why = 0.01, "no answer"
        while True:
            try:
                async with asyncio.timeout_at(deadline), self._turn:
                    return await ask(self._client)
            except DataError:  # our own mistake: nothing was sent
                raise
            except Exception as lost:  # redis-py raises others too (seen: AttributeError): outcome unknown
                if is_final(lost):
                    raise refused(lost) from lost
                why = str(lost) or why
            if loop.time() + pause >= deadline:
                raise away(why)
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, 0.5)

    async def ask(self, *command: str | bytes | int) -> Any:
        """The answer to one command, in the shape redis-py gives it."""
        return await self._send(lambda redis: redis.execute_command(*command))  # type: ignore[no-untyped-call]

    async def ask_all(self, commands: Sequence[Sequence[str | bytes | int]], *, atomic: bool = False) -> list[Any]:
        """The answers to several commands in one round trip; atomic: nothing of others comes between them."""

        async def call(redis: Redis) -> list[Any]:
            async with redis.pipeline(transaction=atomic) as pipe:
                for command in commands:
                    pipe.execute_command(*command)
                return await pipe.execute()

        return await self._send(call) if commands else []

    async def run(self, script: Script, keys: Sequence[str], args: Sequence[str | bytes | int]) -> object:
        """Runs a script by its hash, with its text where the server does not know it yet (new, restarted, flushed)."""

        async def call(redis: Redis) -> object:
            rest = (len(keys), *keys, *args)
            try:
                return await redis.execute_command("EVALSHA", script.sha, *rest)  # type: ignore[no-untyped-call]
            except NoScriptError:
                return await redis.execute_command("EVAL", script.text, *rest)  # type: ignore[no-untyped-call]

        return await self._send(call)

    async def close(self) -> None:
        await self._client.aclose()
