"""Time that stands still while anybody has something to do, chance that hangs on the instant alone, a store without a wire.

So nothing differs between two tables but what they themselves make differ: one command more on one of them takes no time,
and draws no random number that would be another's.
"""

import asyncio
import contextlib
import hashlib
import heapq
import random
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

from core.dice.proof import Origin
from core.dice.source import KeyedDice
from core.ids import Ids
from core.state import Table
from server import invitations, room
from server.store.lanes import Command, Part, Script
from server.store.moving import Moving
from server.store.redis import SCHEMA, TABLES, RedisStore
from tests.simulation.store import Store
from tests.simulation.store_server import BORN_S

FIRST_S = 1000.0005
"""Between two milliseconds, so that nothing falls on the edge of one."""


class StillLoop(asyncio.BaseEventLoop):
    """An event loop that goes to an instant and stands there; everything that is due on the way happens at its time."""

    def __init__(self, now_s: float = FIRST_S) -> None:
        super().__init__()
        self._now = self._goal = now_s
        self._drawn: dict[str, tuple[float, int]] = {}

    def time(self) -> float:
        return self._now

    @property
    def ms(self) -> int:
        return int(self._now * 1000)

    def go(self, seconds: float = 0.0) -> None:
        """So much later everybody has done what there was to do."""
        self._goal = self._now + seconds
        self.run_forever()

    def _write_to_self(self) -> None:
        """What the collector of rubbish asks for is found when the loop goes next; nobody need be woken."""

    def run(self, coroutine: Any) -> Any:
        """Its result; it must need no time."""
        task = self.create_task(coroutine)
        self.go()
        return task.result()

    def draw(self, what: str) -> str:
        """A name for each random thing of a kind and an instant."""
        name = self.next(what)
        self._drawn[what] = self._now, int(name.rpartition("/")[2])
        return name

    def next(self, what: str) -> str:
        """The name that will be drawn next."""
        at, count = self._drawn.get(what, (0.0, 0))
        return f"{what}/{self.ms}/{count + 1 if at == self._now else 0}"

    def _run_once(self) -> None:
        ready, alarms = self._ready, self._scheduled  # type: ignore[attr-defined]
        if not ready:
            while alarms and alarms[0]._cancelled:
                heapq.heappop(alarms)
            if not alarms or alarms[0]._when > self._goal:
                self._now = self._goal
                self.stop()
                return
            self._now = max(self._now, alarms[0]._when)
            while alarms and alarms[0]._when <= self._now:
                handle = heapq.heappop(alarms)
                if not handle._cancelled:
                    ready.append(handle)
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass  # it is thrown away when its time comes

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        """There is one thread."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as problem:
            future.set_exception(problem)
        return future


def _current() -> StillLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, StillLoop)
    return loop


class InstantIds(Ids):
    """A real id is a keyed hash of its command's own, and tells nothing. Here of the instant, so that the same thing has the
    same name at both tables, whoever sent the command for it."""

    def new(self) -> str:
        self._command, self._k = _current().draw("id"), 0
        return super().new()


class NextIds(Ids):
    """For whoever has to know before it is decided what the first new thing will be called."""

    def new(self) -> str:
        self._command, self._k = _current().next("id"), 0
        return super().new()


class OpenDice(KeyedDice):
    """Hidden rolls always show the same: that one table has made more of them before must not change what they bring."""

    def faces(self, origin: Origin) -> Iterator[int]:
        shown = Origin(origin.seed, "st", 0) if origin.secret else origin
        return super().faces(shown)


def remembered(seen: Callable[[Table, str], Any]) -> Callable[[Table, str], Any]:
    """What an audience sees of a table is worked out once: as after one change, as before the next, and as
    whoever comes is told it. More than half the time."""
    known: dict[tuple[int, str], tuple[Table, Any]] = {}

    def of(table: Table, audience: str) -> Any:
        if len(known) > 64:
            for key in list(known)[:32]:
                del known[key]
        found = known.get((id(table), audience))
        if found is None or found[0] is not table:
            found = known[id(table), audience] = table, seen(table, audience)
        return found[1]

    return of


@contextlib.contextmanager
def still() -> Iterator[None]:
    """Time, and all chance in the server, are those of the loop that runs."""

    def of_the_loop(clock: Callable[[], float]) -> Callable[[], float]:
        return lambda: _current().time() if asyncio._get_running_loop() else clock()

    def token_bytes(nbytes: int | None = None) -> bytes:
        return hashlib.shake_128(_current().draw("token").encode()).digest(32 if nbytes is None else nbytes)

    def randint(least: int, most: int) -> int:
        return least + _current().ms * 7919 % (most - least + 1)

    with (
        patch.object(room, "view", remembered(vars(room)["view"])),  # as a planted leak left it
        patch.object(time, "monotonic", of_the_loop(time.monotonic)),
        patch.object(time, "perf_counter", of_the_loop(time.perf_counter)),  # thinking takes no time
        patch.object(time, "thread_time", of_the_loop(time.thread_time)),
        patch.object(secrets, "token_bytes", token_bytes),
        patch.object(secrets, "token_hex", lambda nbytes=32: token_bytes(nbytes).hex()),
        patch.object(random, "randint", randint),
        patch.object(room, "Ids", InstantIds),
        patch.object(invitations, "Ids", NextIds),
    ):
        yield


# ------------------------------------------------------------------------------------------------------------ the store
class Shelf:
    """What lanes.Lanes and batches.Batches do, with no wire between: the store answers in the shapes that redis-py gives."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._texts: dict[str, str] = {}

    def _one(self, command: Sequence[Part]) -> Any:
        answer = self._store.call(*(part if isinstance(part, bytes) else str(part).encode() for part in command))
        if command[0] == "XRANGE":
            return [(id, dict(zip(fields[::2], fields[1::2], strict=True))) for id, fields in answer]
        if command[0] == "TIME":
            return tuple(int(part) for part in answer)
        return answer

    async def ask(self, *command: Part) -> Any:
        return self._one(command)

    async def ask_all(self, commands: Sequence[Command], *, atomic: bool = False) -> list[Any]:
        return [self._one(command) for command in commands]

    async def run(self, script: Script, keys: Sequence[str], args: Sequence[Part]) -> Any:
        word, name = "EVALSHA", script.sha
        if name.encode() not in self._store.scripts:
            word, name = "EVAL", script.text
        return self._one((word, name, len(keys), *keys, *args))

    async def everywhere(self, *command: Part) -> int:
        return 1

    async def close(self) -> None:
        pass


class NoNews:
    """There is no other node."""

    async def __aenter__(self) -> "NoNews":
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def subscribe(self, table: str) -> None:
        pass

    unsubscribe = subscribe

    async def __aiter__(self) -> AsyncIterator[tuple[str, str | None]]:
        await asyncio.Event().wait()
        yield "", None


class ShelfStore(RedisStore):
    """The server's own store, on a shelf."""

    def __init__(self, store: Store) -> None:
        self.warnings = []
        self.offset_ms = BORN_S * 1000
        self._copied = False
        self._commit_script, self._create_script = Script("commit.lua"), Script("create.lua")
        self._batches = self._commits = self._reads = shelf = Shelf(store)  # type: ignore[assignment]
        self.moving = Moving(shelf, shelf, SCHEMA, TABLES)  # type: ignore[arg-type]
        self._under_way = set()

    def listen(self) -> Any:
        return NoNews()
