"""Many people acting at once on two nodes: nobody is refused because the others were faster every time."""

import asyncio
from collections import Counter

import pytest

from server import turns
from server.turns import Turns
from tests.server.evening import Evening


@pytest.mark.parametrize(
    ("least_s", "tries_long"), [(2.0, 0), (0.0, 40)], ids=["a time", "so many times as long as a try takes"]
)
async def test_nobody_is_told_that_others_were_faster(
    evening: Evening, monkeypatch: pytest.MonkeyPatch, least_s: float, tries_long: int
):
    """Others are waited for much longer than usual: a machine that stands still for a moment is no silence."""
    monkeypatch.setattr(turns, "WAIT_S", least_s)
    monkeypatch.setattr(turns, "TRIES_LONG", tries_long)

    async def talk(who: str, node: int, client: str) -> list[str]:
        replies = [
            await evening.say(who, "say", node=node, client=client, seq=seq, text=f"{client} {seq}")
            for seq in range(1, 13)
        ]
        return [str(one.get("code", one["t"])) for one in replies]

    everybody = [
        talk(who, node, f"{who}{node}{k}") for who in ("ST", "Ann", "Bob") for node in (0, 1) for k in range(3)
    ]
    outcomes = Counter(code for codes in await asyncio.gather(*everybody) for code in codes)
    assert outcomes == {"ack": 216}
    await evening.meet()
    first, second = evening.seats["Ann"].ears
    assert first.patches == second.patches
    assert len(first.patches) == 216


async def test_who_is_alone_waits_for_nobody():
    one = Turns()
    with one.queued():
        for version in range(1, 100):
            assert not await one.give_way(version)
            one.won()


async def test_who_has_won_waits_for_the_others_news():
    one = Turns()
    one.lost()
    one.won()
    giving_way = asyncio.create_task(one.give_way(7))
    await asyncio.sleep(0)
    assert not giving_way.done()
    one.hear(7)  # our own
    await asyncio.sleep(0)
    assert not giving_way.done()
    one.hear(8)
    assert await giving_way


async def test_a_look_in_vain_is_not_repeated(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(turns, "WAIT_S", 0.001)
    one = Turns()
    one.lost()
    one.won()
    assert not await one.give_way(7)
    one.won()
    monkeypatch.setattr(turns, "WAIT_S", 60)
    assert not await one.give_way(8)


async def test_the_slower_we_are_the_longer_others_are_waited_for():
    one = Turns()
    assert one.wait_s == turns.WAIT_S
    one.took(0.5)
    assert one.wait_s == 2.0


async def test_who_has_just_lost_goes_at_once():
    one = Turns()
    one.lost()
    assert not await one.give_way(7)
