"""Long questions: others come in between, each seat has one in the line, and only the work itself is counted."""

import asyncio
import time
from collections.abc import Iterator

import pytest

from server.thinking import Thinking, Thought


def works(seconds: float) -> None:
    began = time.thread_time()
    while time.thread_time() - began < seconds:
        pass


async def test_others_come_in_between():
    turns = 0

    async def another() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(another())
    assert await Thought(Thinking(0), "ann").through(range(100)) == list(range(100))
    beside.cancel()
    assert turns >= 100


async def test_each_seat_has_one_question_in_the_line_and_all_in_it_go_on_in_turn():
    thinking, told = Thinking(0), list[str]()

    def steps(name: str) -> Iterator[str]:
        for _ in range(2):
            told.append(name)
            yield name

    asked = ["ann 1", "ann 2", "ann 3", "bob 1"]
    await asyncio.gather(*(Thought(thinking, name.split()[0]).through(steps(name)) for name in asked))
    assert told == ["ann 1", "bob 1"] * 2 + ["ann 2"] * 2 + ["ann 3"] * 2


async def test_nothing_is_worked_on_while_it_is_another_ones_turn():
    thinking, told = Thinking(0), list[str]()
    async with thinking.turn:
        sliced = asyncio.create_task(Thought(thinking, "ann").through(map(told.append, "x")))
        aside = asyncio.create_task(Thought(thinking, "bob").aside(lambda: told.append("y")))
        for _ in range(5):
            await asyncio.to_thread(time.sleep, 0)
        assert not told
    await asyncio.gather(sliced, aside)
    assert told == ["x", "y"]


async def test_who_goes_away_leaves_the_line():
    thinking = Thinking(0)
    async with thinking.turn:
        waiting = [asyncio.create_task(Thought(thinking, name).through([1])) for name in ("ann", "bob")]
        await asyncio.sleep(0)
        for one in waiting:
            one.cancel()
        await asyncio.wait(waiting)
    assert await Thought(thinking, "ann").through([2]) == [2]


async def test_what_it_works_is_counted_and_what_it_waits_for_is_not():
    thought = Thought(Thinking(0), "ann")

    async def asked() -> str:
        works(0.02)
        await asyncio.to_thread(time.sleep, 0.05)
        await asyncio.gather(asyncio.sleep(0), meanwhile())
        await thought.aside(lambda: works(0.01))
        return "done"

    async def meanwhile() -> None:
        works(0.05)  # another's

    assert await thought.counted(asked()) == "done"
    assert 0.03 <= thought.took_s < 0.05


async def test_what_goes_wrong_while_it_is_counted_reaches_who_waits_for_it():
    heard = []

    async def asked() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            heard.append("cancelled")
            raise LookupError("nothing there") from None

    task = asyncio.create_task(Thought(Thinking(0), "ann").counted(asked()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(LookupError, match="nothing there"):
        await task
    assert heard == ["cancelled"]
