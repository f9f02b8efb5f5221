"""What takes long to answer: a little of one question at a time on this server, in turn; who asked pays for it.

A seat has one question in the line, however many connections it has: nobody's waits for more than one of each seat's.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Generator, Hashable, Iterable
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

SLICE_S = 0.001
"""Worked on in one go. All that one unit can do takes five of these, a hundred units' some hundreds."""
REST = 5
"""So many times as long nobody works on anything. With 1, commands elsewhere took 1.4 times as long beside a flood of
questions; with 5, 1.1 times, and a busy process that does not even connect is felt as much on the same machine."""


class Thinking:
    """On this server: whose question is worked on. `turn` is for one slice: no short question waits for a long one."""

    def __init__(self, slice_s: float = SLICE_S) -> None:
        self.slice_s = slice_s
        self.turn = asyncio.Lock()
        self._seats: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    def of(self, whose: Hashable) -> asyncio.Lock:
        """Held by the one question of a seat's that is in the line."""
        return self._seats.setdefault(whose, asyncio.Lock())


class Thought:
    """What one question takes. `took_s`: of the processor, in seconds, once it is answered."""

    def __init__(self, thinking: Thinking, whose: Hashable) -> None:
        self._thinking = thinking
        self._seat = thinking.of(whose)
        self.took_s = 0.0

    async def through(self, steps: Iterable[T]) -> list[T]:
        """All of it, a slice at a time. What it is worked out from must not change meanwhile."""
        found: list[T] = []
        left = iter(steps)
        async with self._seat:
            while True:
                async with self._thinking.turn:
                    began = time.perf_counter()
                    for step in left:
                        found.append(step)
                        if (took_s := time.perf_counter() - began) >= self._thinking.slice_s:
                            await asyncio.sleep(REST * took_s)
                            break
                    else:
                        return found

    async def aside(self, work: Callable[[], T]) -> T:
        """What cannot be cut into slices: in a thread."""

        def timed() -> tuple[T, float]:
            began = time.thread_time()
            found = work()
            return found, time.thread_time() - began

        async with self._seat, self._thinking.turn:
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
