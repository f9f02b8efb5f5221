"""A few connections to Redis, and the one rule of sending: again and again, the same thing, until there is an answer.

Whatever is sent here may be sent twice without harm: a read, a set to a value, a script that knows its own earlier try.
"""

import asyncio
import hashlib
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.exceptions import (
    AskError,
    ClusterDownError,
    DataError,
    MasterDownError,
    MovedError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)

from .problems import StoreAway, StoreProblem
from .servers import Clients, Servers

DEADLINE_S = 3.0  # then the caller hears StoreAway
REPLICA_MS = 1000  # so long a replica is waited for at a time; less than a connection waits for an answer
ANYWHERE = "ov:tables"  # what has no key goes where this has its place: the time must be of one clock

# Refused before anything ran, and it may pass.
_PASSING = (
    AskError, ClusterDownError, MasterDownError, MovedError, OutOfMemoryError, ReadOnlyError, TryAgainError,
)  # fmt: skip
_PASSING_WORDS = ("MISCONF", "BUSY", "NOREPLICAS")

Part = str | bytes | int
Command = Sequence[Part]

T = TypeVar("T")


class Script:
    """A Lua script of this package, called by its hash."""

    def __init__(self, file_name: str) -> None:
        self.text = files(__package__).joinpath(file_name).read_text(encoding="utf-8")
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()


def is_final(answer: object) -> bool:
    """Whether the store has refused, so that to ask again would be no use."""
    if not isinstance(answer, ResponseError) or isinstance(answer, _PASSING):
        return False
    return not str(answer).startswith(_PASSING_WORDS)


def refused(answer: object) -> StoreProblem:
    return StoreProblem(f"the store refused a command: {answer}")


def away(why: str) -> StoreAway:
    return StoreAway(f"the store does not answer ({why}); try again in a moment")


class NotCopied(Exception):
    """No replica has it yet, so it does not count yet."""


def barrier(key: str | bytes) -> tuple[Command, Command]:
    """Sent behind others on one connection; the last answer is how many replicas have all of it, on their disks too.

    What was only read there counts as well: WAIT looks no further back than to the connection's own last write.
    """
    text = key.decode() if isinstance(key, bytes) else key
    mark = text[: text.index("}") + 1] + ":kept" if "}" in text else f"ov:{{{text}}}:kept"  # on the same server
    return ("SET", mark, 1, "EX", 60), ("WAIT", 1, REPLICA_MS)


class Lanes:
    """`width` connections to each server of the store; a caller in excess waits for its turn, in order.

    `copied`: an answer is one only when a replica has everything that it rests on.
    """

    def __init__(self, servers: Servers, width: int, *, copied: bool = False) -> None:
        self._servers = servers
        self._copied = copied
        self._clients = Clients(servers, width)
        self._turns: dict[Redis, asyncio.Semaphore] = defaultdict(  # in front of the pool, which would raise, not wait
            lambda: asyncio.Semaphore(width)
        )

    async def _send(self, ask: Callable[[Redis], Awaitable[T]], key: str | bytes) -> T:
        """The answer to `ask`, sent again after every lost connection. StoreAway after 3 s, StoreProblem if refused."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + DEADLINE_S
        pause, why = 0.01, "no answer"
        while True:
            redis = self._clients.of(key)
            try:
                async with asyncio.timeout_at(deadline), self._turns[redis]:
                    return await ask(redis)
            except DataError:  # our own mistake: nothing was sent
                raise
            except Exception as lost:  # redis-py raises others too (seen: AttributeError): outcome unknown
                if is_final(lost):
                    raise refused(lost) from lost
                why = str(lost) or why
                await self._clients.failed(redis)
            if loop.time() + pause >= deadline:
                raise away(why)
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, 0.5)

    async def _piped(self, redis: Redis, commands: Sequence[Command], key: str | bytes) -> list[Any]:
        """The answers of one connection, in one round trip. Raises the first that is an error, or NotCopied."""
        async with redis.pipeline(transaction=False) as pipe:
            for command in (*commands, *(barrier(key) if self._copied else ())):
                pipe.execute_command(*command)
            answers: list[Any] = await pipe.execute(raise_on_error=False)  # it would put words before the error's own
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        if self._copied and answers[-1] < 1:
            raise NotCopied("no replica keeps up")
        return answers[: len(commands)]

    async def ask(self, *command: Part) -> Any:
        """The answer to one command, in the shape redis-py gives it."""
        key = _key_of(command)

        async def call(redis: Redis) -> Any:
            if self._copied:
                return (await self._piped(redis, [command], key))[0]
            return await redis.execute_command(*command)  # type: ignore[no-untyped-call]

        return await self._send(call, key)

    async def ask_all(self, commands: Sequence[Command], *, atomic: bool = False) -> list[Any]:
        """The answers to several commands; of one server in one round trip.

        atomic: they are of one table, and nothing of others comes between them.
        """
        if atomic:
            key = _key_of(commands[0])
            within = [("MULTI",), *commands, ("EXEC",)]
            *_, done = await self._send(lambda redis: self._piped(redis, within, key), key)
            for answer in done:
                if isinstance(answer, Exception):
                    raise refused(answer) from answer
            return list(done)
        by_place: dict[object, list[int]] = defaultdict(list)
        for k, command in enumerate(commands):
            by_place[self._servers.place_of(_key_of(command))].append(k)
        answers = [None] * len(commands)

        async def call(of_one: list[int]) -> None:
            several = [commands[k] for k in of_one]
            key = _key_of(several[0])
            found = await self._send(lambda redis: self._piped(redis, several, key), key)
            for k, answer in zip(of_one, found, strict=True):
                answers[k] = answer

        await asyncio.gather(*map(call, by_place.values()))
        return answers

    async def run(self, script: Script, keys: Sequence[str], args: Sequence[Part]) -> object:
        """Runs a script by its hash, with its text where the server does not know it yet (new, restarted, flushed)."""
        rest = (len(keys), *keys, *args)

        async def call(redis: Redis) -> object:
            try:
                return (await self._piped(redis, [("EVALSHA", script.sha, *rest)], keys[0]))[0]
            except NoScriptError:
                return (await self._piped(redis, [("EVAL", script.text, *rest)], keys[0]))[0]

        return await self._send(call, keys[0])

    async def everywhere(self, *command: Part) -> int:
        """The same to each server that has tables, once; how many of them took it."""
        redises = [self._clients.at(place) for place in self._servers.primaries()]
        asked = [redis.execute_command(*command) for redis in redises]  # type: ignore[no-untyped-call]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        return sum(not isinstance(answer, BaseException) for answer in answers)

    async def close(self) -> None:
        await self._clients.close()


def _key_of(command: Command) -> str | bytes:
    """The key that says which server it is for. A channel lies with the key whose name it bears."""
    found = command[1] if len(command) > 1 and command[0] != "INFO" else ANYWHERE
    return found if isinstance(found, (str, bytes)) else ANYWHERE
