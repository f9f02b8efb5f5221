"""Two server processes on one store: players of one table on both see each other live, and nobody's act is lost."""

import asyncio

import pytest

from protocol.client import Refused
from tests.end_to_end.conftest import Heard, House


@pytest.mark.case("IMM-06.2")
async def test_equal_seats_on_two_servers_get_equal_bytes_and_every_command_is_answered_once(evening: House) -> None:
    st = await evening.prepare(reaction_window_ms=600_000, reaction_floor_ms=600_000)
    other = await evening.second_server()
    ann, ann_elsewhere = await evening.sit("Ann"), await evening.sit("Ann", at=other)
    bob, bob_elsewhere = await evening.sit("Bob"), await evening.sit("Bob", at=other)
    await asyncio.gather(*(t.until(lambda t: t.n == ann.n) for t in (ann, ann_elsewhere)))

    here, there, one, two = (Heard(table) for table in (ann, ann_elsewhere, bob, bob_elsewhere))
    await ann.declare(ann.units["Mira"], "attack", ability="sword", targets=[ann.units["Ghoul"]])
    for table in (bob, bob_elsewhere, st, ann_elsewhere):
        await table.until(lambda t: t.state["t/stack"])
    window = bob.state[f"k/{bob.state['t/stack'][0]}"]["window"]
    said = [
        ann.say("from here"),
        ann_elsewhere.say("from there"),
        bob.react(bob.units["Goro"], "move", ability="step aside", window=window),
        bob_elsewhere.say("me too"),
        st.react(st.units["Ghoul"], "move", ability="step aside", leaves=True, window=window),
        *[table.say(f"{k}") for k in range(10) for table in (ann, ann_elsewhere, bob, bob_elsewhere)],
    ]
    answers = await asyncio.gather(*said)
    assert len(answers) == 45  # each came back exactly once, none was refused
    await st.until(lambda t: len(t.state["t/stack"]) == 3)  # both interrupts lie on the attack, in one order for all
    await _meet(ann, ann_elsewhere)
    await _meet(bob, bob_elsewhere)
    assert here.diffs == there.diffs
    assert one.diffs == two.diffs
    assert len(here.diffs) > 40
    orders = {tuple(t.state["t/stack"]) for t in (ann, ann_elsewhere, bob, bob_elsewhere)}
    assert orders == {tuple(st.state["t/stack"])}
    assert dict(ann.state) == dict(ann_elsewhere.state)


async def _meet(one, other) -> None:
    """Both have heard all that either has."""
    n = max(one.n, other.n)
    await asyncio.gather(one.until(lambda t: t.n >= n), other.until(lambda t: t.n >= n))


async def test_two_sts_setting_one_value_at_once_lose_neither_silently(evening: House) -> None:
    st = await evening.prepare()
    other = await evening.sit("ST", at=await evening.second_server())
    outcomes = await asyncio.gather(
        st.set_value(st.units["Ghoul"], "hp", 5, reason="a"),
        other.set_value(other.units["Ghoul"], "hp", 7, reason="b"),
        return_exceptions=True,
    )
    refused = [one for one in outcomes if isinstance(one, Refused)]
    assert [one.code for one in refused] == ["changed"]


async def test_a_deadline_fires_on_whatever_server_is_left(evening: House) -> None:
    st = await evening.prepare(reaction_window_ms=4000, reaction_floor_ms=100)
    other = await evening.second_server()
    bob = await evening.sit("Bob", at=other)
    await bob.command("set_standing_order", act="*", order="ask")
    ann = await evening.sit("Ann", at=other)
    await ann.declare(ann.units["Mira"], "attack", ability="sword", targets=[ann.units["Goro"]])
    await st.close()
    assert bob.state["t/stack"]
    await bob.until(lambda t: not t.state["t/stack"])
    assert "standard" in ann.units["Mira"].spent
