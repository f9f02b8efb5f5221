"""What takes long to answer: one question at a time on this server, and a little of it at a time; who asked pays for it.

A seat has one question in the line, however many connections it has: nobody waits for more than one of each seat's.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Hashable, Iterable
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

SLICE_S = 0.001
"""Worked on in one go; then everybody else has as long. All that one unit can do takes five of these, a hundred units' some
hundreds."""


class Thinking:
    """On this server: whose question is worked on."""

    def __init__(self, slice_s: float = SLICE_S) -> None:
        self.slice_s = slice_s
        self._turn = asyncio.Lock()
        self._seats: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, whose: Hashable) -> AsyncIterator[None]:
        seat = self._seats.setdefault(whose, asyncio.Lock())
        async with seat, self._turn:
            yield


class Thought:
    """What one question takes. `took_s`: of the processor, in seconds, once it is answered."""

    def __init__(self, thinking: Thinking, whose: Hashable) -> None:
        self._thinking = thinking
        self._whose = whose
        self.took_s = 0.0

    async def through(self, steps: Iterable[T]) -> list[T]:
        """All of it, a slice at a time. What it is worked out from must not change meanwhile."""
        found: list[T] = []
        async with self._thinking.turn(self._whose):
            began = time.perf_counter()
            for step in steps:
                found.append(step)
                if (took_s := time.perf_counter() - began) >= self._thinking.slice_s:
                    await asyncio.sleep(took_s)
                    began = time.perf_counter()
        return found

    async def aside(self, work: Callable[[], T]) -> T:
        """What cannot be cut into slices: in a thread."""

        def timed() -> tuple[T, float]:
            began = time.thread_time()
            found = work()
            return found, time.thread_time() - began

        async with self._thinking.turn(self._whose):
            found, took_s = await asyncio.to_thread(timed)
        self.took_s += took_s
        return found

    async def counted(self, work: Coroutine[Any, Any, T]) -> T:
        """The work's result; only what it works itself is counted, not how long it waits."""
        return await _Counted(self, work)


class _Counted(Generic[T]):
    """Hands on what the work waits for, and looks at the clock in between."""

    def __init__(self, thought: Thought, work: Coroutine[Any, Any, T]) -> None:
        self._thought = thought
        self._work = work

    def __await__(self) -> Generator[Any, Any, T]:
        go_on, given = self._work.send, None
        while True:
            began = time.thread_time()
            try:
                awaited = go_on(given)
            except StopIteration as done:
                result: T = done.value
                return result
            finally:
                self._thought.took_s += time.thread_time() - began
            try:
                yield awaited
                go_on, given = self._work.send, None
            except BaseException as problem:
                go_on, given = self._work.throw, problem
