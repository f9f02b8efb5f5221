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
from .lanes import Script, away, client, is_final, refused

WIDTH = 2  # connections: one batch is on its way while the store is busy with the other
MOST_CALLS, MOST_BYTES = 128, 1 << 20  # of a batch

Args = Sequence[str | bytes | int]


class _Call:
    """One call of a script, and who waits for its answer."""

    def __init__(self, script: Script, keys: Sequence[str], args: Args) -> None:
        self.script = script
        self.rest = (len(keys), *keys, *args)
        self.size = sum(len(part) for part in args if isinstance(part, bytes))
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.why = "no answer"  # it has none yet


class Batches:
    """`run` from anywhere, at any time. Calls of one table must not overlap: each waits for the answer to the last."""

    def __init__(self, url: str) -> None:
        self._client = client(url, connections=WIDTH)
        self._waiting: deque[_Call] = deque()
        self._senders: set[asyncio.Task[None]] = set()
        self._taught: set[str] = set()  # scripts that the server knows by their hash

    async def run(self, script: Script, keys: Sequence[str], args: Args) -> Any:
        """What the script answers. StoreAway after 3 s without an answer, StoreProblem if the store refuses."""
        call = _Call(script, keys, args)
        self._waiting.append(call)
        if len(self._senders) < WIDTH:
            sender = asyncio.create_task(self._send_all(), name="commits")
            self._senders.add(sender)
            sender.add_done_callback(self._senders.discard)
        try:
            async with asyncio.timeout(lanes.DEADLINE_S):
                return await call.answer
        except TimeoutError:
            raise away(call.why) from None

    async def close(self) -> None:
        """Whoever waits for an answer must have got it, or given up."""
        await asyncio.gather(*self._senders, return_exceptions=True)
        await self._client.aclose()

    async def _send_all(self) -> None:
        pause = 0.01
        while batch := self._next_batch():
            answers = await self._sent(batch)
            again = [call for call, answer in zip(batch, answers, strict=True) if not _settled(call, answer)]
            self._waiting.extendleft(reversed(again))
            if all(isinstance(answer, NoScriptError) for answer in answers if isinstance(answer, Exception)):
                pause = 0.01
                continue
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, 0.5)

    def _next_batch(self) -> list[_Call]:
        batch: list[_Call] = []
        size = 0
        while self._waiting and len(batch) < MOST_CALLS and size < MOST_BYTES:
            call = self._waiting.popleft()
            if not call.answer.done():  # else nobody waits for it any more
                batch.append(call)
                size += call.size
        return batch

    async def _sent(self, batch: Sequence[_Call]) -> list[Any]:
        """An answer or an error for each. The same error for all where the connection was lost: outcome unknown."""
        try:
            async with asyncio.timeout(lanes.DEADLINE_S):
                return await self._piped(batch, self._client)
        except Exception as lost:  # redis-py raises others too (seen: AttributeError)
            return [lost] * len(batch)

    async def _piped(self, batch: Sequence[_Call], redis: Redis) -> list[Any]:
        async with redis.pipeline(transaction=False) as pipe:
            for call in batch:
                sha = call.script.sha
                word, name = ("EVALSHA", sha) if sha in self._taught else ("EVAL", call.script.text)
                self._taught.add(sha)
                pipe.execute_command(word, name, *call.rest)
            answers: list[Any] = await pipe.execute(raise_on_error=False)
        self._taught -= {
            call.script.sha for call, said in zip(batch, answers, strict=True) if isinstance(said, NoScriptError)
        }
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
