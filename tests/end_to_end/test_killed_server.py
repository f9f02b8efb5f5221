"""The server is killed with SIGKILL in an open window and started again: nothing acknowledged is missing."""

import asyncio
import re

import pytest

from protocol.client import Table
from tests.end_to_end.conftest import Heard, House
from tests.helpers.servers import overseer, start, stop

LONG, SHORT = 120_000, 3_000
"""ms. A window that outlasts a restart, and one that the server is not started again for before it is over."""


@pytest.mark.rule("IMM-07", "DICE-07")
@pytest.mark.parametrize("length", [LONG, SHORT], ids=["back in time", "back too late: the lost time is given again"])
async def test_everyone_resumes_without_a_snapshot_and_the_window_ends(evening: House, length: int) -> None:
    st = await evening.prepare(reaction_window_ms=length, reaction_floor_ms=100, outage_ms=50)
    ann, bob = await evening.sit("Ann"), await evening.sit("Bob")
    await bob.command("set_standing_order", act="*", order="ask")
    said = [await ann.say(f"before {k}") for k in range(5)]
    heard = [Heard(table) for table in (st, ann, bob)]
    await ann.declare(ann.units["Mira"], "attack", ability="sword", targets=[ann.units["Goro"]])
    await bob.until(lambda t: t.state["t/stack"])
    (window,) = [path for path in bob.state if path.startswith("w/") and not path.endswith("/me")]
    asked = bob.state[window]

    evening.server.kill()
    await evening.server.ended()
    unanswered = asyncio.create_task(bob.say("said while nobody listened"))
    if length == SHORT:
        await asyncio.sleep((asked["deadline"] - bob.clock()) / 1000)
    again = await start("--data-dir", str(evening.data_dir), "--port", str(evening.server.port))
    try:
        if length == SHORT:
            await bob.until(lambda t: t.state.get(window, asked)["deadline"] > asked["deadline"])
            assert bob.state[window]["gen"] == asked["gen"]
        else:
            await bob.until(lambda t: t.connection_state == "online")
            assert bob.state[window] == asked
            await st.command("set_clock", window=window.split("/")[1], by_ms=-LONG)
        await bob.until(lambda t: not t.state["t/stack"])
        await unanswered
        texts = [told["text"] for told in await ann.log(limit=200) if told.kind == "said"]
        assert texts == [*(f"before {k}" for k in range(5)), "said while nobody listened"]
        assert len({ack.n for ack in said}) == 5
        await asyncio.gather(*(table.until(lambda t: not t.state["t/stack"]) for table in (st, ann)))
        assert [one.snapshots for one in heard] == [0, 0, 0]  # each of them went on where it was
        assert ann.units["Mira"].spent == ["standard"]
        await the_dice_hold(evening, st)
    finally:
        await asyncio.gather(st.close(), ann.close(), bob.close())
        await stop(again)


async def the_dice_hold(evening: House, st: Table) -> None:
    """What was rolled before, in and after the death of the server is of seeds sealed before it (DICE-07)."""
    await st.command("end_fight")
    file = str(evening.data_dir.parent / "log.jsonl")
    await overseer("table", "export", "Thursday", "--for", "st", "--out", file, "--data-dir", str(evening.data_dir))
    assert re.match(r"[1-9]\d* rolls? confirmed, of 2 seeds\.\n$", await overseer("verify", file))
