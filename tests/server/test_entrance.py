"""Those who come at one instant are taken one in each round of the loop."""

import asyncio

from server.entrance import InTurn


async def rounds(acts: int) -> list[str]:
    """What a loop does that takes so many acts in turn, with something of somebody else's in each of its rounds."""
    loop, done, in_turn = asyncio.get_running_loop(), [], InTurn()
    for k in range(acts):
        in_turn(lambda k=k: done.append(f"act {k}"))  # type: ignore[misc]
    for k in range(acts):
        loop.call_soon(done.append, f"round {k}")
        await asyncio.sleep(0)
    return done


async def test_everybody_else_comes_in_between():
    assert await rounds(3) == ["act 0", "round 0", "act 1", "round 1", "act 2", "round 2"]


async def test_one_that_fails_keeps_nobody_waiting():
    loop, done, in_turn = asyncio.get_running_loop(), asyncio.Event(), InTurn()
    failed: list[object] = []
    loop.set_exception_handler(lambda _, facts: failed.append(facts["exception"]))

    def fails() -> None:
        raise ZeroDivisionError

    in_turn(fails)
    in_turn(done.set)
    await asyncio.wait_for(done.wait(), 5)
    assert [type(one) for one in failed] == [ZeroDivisionError]
