"""The way of commits into the store: those that wait go together, in one round trip and into one write to the disk.

Nobody waits for a batch to fill: a call that finds a connection free goes at once, and while the store brings that to its
disk the next batch gathers. Sent again and again, as in lanes.py, until each call has its answer or its time is up.

redis-py's pipeline takes 85 us of CPU per commit where 200 tables write (a call of its own for each: 190), of about 700 that
a command takes in the whole server. A connection that we pipelined ourselves would save some 60 of these: not worth it yet.
"""

import asyncio
import random
from collections import deque
from collections.abc import Sequence
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import DataError, NoScriptError

from . import lanes
from .lanes import NotCopied, Script, away, barrier, is_final, refused
from .servers import Clients, Servers

WIDTH = 2  # connections to a server: one batch is on its way while the store is busy with the other
MOST_CALLS, MOST_BYTES = 128, 1 << 20  # of a batch

Args = Sequence[str | bytes | int]


class _Call:
    """One call of a script, and who waits for its answer."""

    def __init__(self, script: Script, keys: Sequence[str], args: Args) -> None:
        self.script = script
        self.key = keys[0]
        self.rest = (len(keys), *keys, *args)
        self.size = sum(len(part) for part in args if isinstance(part, bytes))
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.why = "no answer"  # it has none yet


class _Line:
    """The calls that wait for one server, and who sends them."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.waiting: deque[_Call] = deque()
        self.senders: set[asyncio.Task[None]] = set()
        self.taught: set[str] = set()  # scripts that the server knows by their hash

    def next_batch(self) -> list[_Call]:
        batch: list[_Call] = []
        size = 0
        while self.waiting and len(batch) < MOST_CALLS and size < MOST_BYTES:
            call = self.waiting.popleft()
            if not call.answer.done():  # else nobody waits for it any more
                batch.append(call)
                size += call.size
        return batch


class Batches:
    """`run` from anywhere, at any time. Calls of one table must not overlap: each waits for the answer to the last.

    `copied`: answers come only when a replica has all that they rest on; it is waited for once per batch.
    """

    def __init__(self, servers: Servers, *, copied: bool = False) -> None:
        self._servers = servers
        self._copied = copied
        self._clients = Clients(servers, WIDTH)
        self._lines: dict[Redis, _Line] = {}

    async def run(self, script: Script, keys: Sequence[str], args: Args) -> Any:
        """What the script answers. StoreAway after 3 s without an answer, StoreProblem if the store refuses."""
        call = _Call(script, keys, args)
        self._queue([call])
        try:
            async with asyncio.timeout(lanes.DEADLINE_S):
                return await call.answer
        except TimeoutError:
            raise away(call.why) from None

    async def close(self) -> None:
        """Whoever waits for an answer must have got it, or given up."""
        while senders := [sender for line in self._lines.values() for sender in line.senders]:
            await asyncio.gather(*senders, return_exceptions=True)
        await self._clients.close()

    def _queue(self, calls: Sequence[_Call], *, again: bool = False) -> None:
        """Each to the server that has its table now; again: in front of those that came later."""
        for call in reversed(calls) if again else calls:
            redis = self._clients.of(call.key)
            line = self._lines.setdefault(redis, _Line(redis))
            (line.waiting.appendleft if again else line.waiting.append)(call)
            if len(line.senders) < WIDTH:
                line.senders.add(asyncio.create_task(self._send_all(line), name="commits"))

    async def _send_all(self, line: _Line) -> None:
        try:
            await self._send_waiting(line)
        finally:  # at once, not in a callback: who comes in between would count on this one
            line.senders.remove(asyncio.current_task())  # type: ignore[arg-type]

    async def _send_waiting(self, line: _Line) -> None:
        pause = 0.01
        while batch := line.next_batch():
            answers = await self._sent(batch, line)
            again = [call for call, answer in zip(batch, answers, strict=True) if not _settled(call, answer)]
            if all(isinstance(answer, NoScriptError) for answer in answers if isinstance(answer, Exception)):
                pause = 0.01
            else:
                await self._clients.failed(line.redis)
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))
                pause = min(pause * 2, 0.5)
            self._queue(again, again=True)

    async def _sent(self, batch: Sequence[_Call], line: _Line) -> list[Any]:
        """An answer or an error for each. The same error for all where the connection was lost: outcome unknown."""
        try:
            async with asyncio.timeout(lanes.DEADLINE_S):
                return await self._piped(batch, line)
        except Exception as lost:  # redis-py raises others too (seen: AttributeError)
            return [lost] * len(batch)

    async def _piped(self, batch: Sequence[_Call], line: _Line) -> list[Any]:
        async with line.redis.pipeline(transaction=False) as pipe:
            for call in batch:
                sha = call.script.sha
                word, name = ("EVALSHA", sha) if sha in line.taught else ("EVAL", call.script.text)
                line.taught.add(sha)
                pipe.execute_command(word, name, *call.rest)
            for command in barrier(batch[0].key) if self._copied else ():
                pipe.execute_command(*command)
            answers: list[Any] = await pipe.execute(raise_on_error=False)
        answers, copies = answers[: len(batch)], answers[len(batch) :]
        line.taught -= {
            call.script.sha for call, said in zip(batch, answers, strict=True) if isinstance(said, NoScriptError)
        }
        if copies and (isinstance(copies[-1], Exception) or copies[-1] < 1):
            return [said if isinstance(said, Exception) else NotCopied("no replica keeps up") for said in answers]
        return answers


def _settled(call: _Call, answer: Any) -> bool:
    """Hands the answer to who waits for it; False if it is none, so that the call must be sent again."""
    if call.answer.done():  # nobody waits any more
        return True
    if not isinstance(answer, Exception):
        call.answer.set_result(answer)
    elif isinstance(answer, DataError):  # our own mistake: nothing was sent
        call.answer.set_exception(answer)
    elif is_final(answer) and not isinstance(answer, NoScriptError):
        call.answer.set_exception(refused(answer))
    else:
        call.why = str(answer) or call.why
        return False
    return True
