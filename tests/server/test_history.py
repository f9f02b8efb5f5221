"""Going back: from inside an open window, on another node, for a player who asks for it; and what the log says of it."""

from typing import Any

import pytest

from protocol.from_client import AskLog, AskRewindPreview
from protocol.lines import NAMES
from server import asks, history
from tests.server.evening import Evening

SWORD = {"name": "Sword", "act": "attack", "needs_target": True, "pool": {"fixed": 5}}


async def a_fight(evening: Evening) -> tuple[str, str]:
    """Ann's Aki acts; Bob's Oni is asked, and has a minute."""
    units = []
    await evening.say("ST", "set_house", key="reaction_window_ms", value=60_000)
    for name, owner, initiative in (("Aki", "Ann", 9), ("Oni", "Bob", 5)):
        unit = {"name": name, "side": name, "tracks": {"hp": 30}, "initiative": initiative, "abilities": [SWORD]}
        seat = evening.seats[owner].key.seat
        units.append((await evening.say("ST", "add_unit", unit={**unit, "on_stage": True}, owner=seat))["made"][0])
    await evening.say("Bob", "set_standing_order", act="*", order="ask")
    await evening.say("ST", "start_fight")
    return units[0], units[1]


async def attack(evening: Evening, unit: str, target: str) -> dict[str, Any]:
    act = {"kind": "attack", "slot": "standard", "ability": "Sword", "targets": [target]}
    return await evening.say("Ann", "declare", unit=unit, act=act)


async def rewind(evening: Evening, to: int, node: int = 0) -> dict[str, Any]:
    return await evening.say("ST", "rewind", node=node, to=to, head=evening.place("ST", node)[1], reason="a slip")


async def test_from_inside_a_window_and_back_into_it(evening: Evening):
    aki, oni = await a_fight(evening)
    calm = evening.place("ST")[1]
    assert (await attack(evening, aki, oni))["t"] == "ack"
    waiting = evening.place("ST")[1]
    (before,) = evening.rooms[0].table.play.windows
    await evening.meet()
    assert (await rewind(evening, calm, node=1))["t"] == "ack"
    assert not evening.rooms[1].table.play.stack
    await evening.meet()
    assert (await rewind(evening, waiting))["t"] == "ack"  # into the window again
    (after,) = evening.rooms[0].table.play.windows
    assert after != before
    assert evening.rooms[0].table.play.stack
    late = await evening.say("Bob", "pass", window=before, gen=1)
    assert late["code"] == "window_closed"
    await evening.meet()
    for who in evening.seats:
        first, second = evening.seats[who].ears
        assert first.patches == second.patches
        assert first.state == (await evening.listen(who, node=1)).state


async def test_administration_is_never_rewound(evening: Evening):
    await a_fight(evening)
    place = evening.place("ST")[1]
    await evening.say("ST", "set_house", key="stack_depth", value=3)
    await evening.say("ST", "set_notes", text="the butler did it")
    assert (await rewind(evening, place))["t"] == "ack"
    assert evening.rooms[0].table.house.stack_depth == 3
    assert evening.rooms[0].table.notes == "the butler did it"


async def test_two_hundred_versions_back(evening: Evening):
    aki, _ = await a_fight(evening)
    start = evening.place("ST")[1]
    for _ in range(300):
        await evening.say("ST", "adjust", unit=aki, path="hp", by=-1)
    await evening.meet()
    assert (await rewind(evening, start + 10, node=1))["t"] == "ack"
    assert evening.rooms[1].table.play.units[aki].tracks["hp"].value == 20  # type: ignore[index]


async def test_a_player_takes_back_his_last_act(evening: Evening):
    aki, oni = await a_fight(evening)
    await attack(evening, aki, oni)
    request = (await evening.say("Ann", "ask_take_back", text="wrong one"))["made"][0]
    head = evening.place("ST")[1]
    assert (await evening.say("ST", "answer_request", request=request, yes=True, head=head - 1))["code"] == "changed"
    reply = await evening.say("ST", "answer_request", request=request, yes=True, head=head)
    assert reply["t"] == "ack", reply
    assert not evening.rooms[0].table.play.stack
    assert not evening.rooms[0].table.requests


async def test_leave_for_a_refused_act(evening: Evening):
    aki, oni = await a_fight(evening)
    act = {"kind": "attack", "slot": "standard", "ability": "Sword", "targets": [aki]}
    refused = await evening.say("Bob", "declare", unit=oni, act=act)
    assert refused["code"] == "not_your_action"
    asked = await evening.say("Bob", "ask_leave", command={"kind": "declare", "unit": oni, "act": act})
    await evening.meet()
    reply = await evening.say("ST", "answer_request", node=1, request=asked["made"][0], yes=True)
    assert reply["t"] == "ack", reply
    assert evening.rooms[1].table.play.stack


async def test_the_log_marks_what_was_undone(evening: Evening):
    aki, oni = await a_fight(evening)
    to = evening.place("ST")[1]
    for _ in range(3):
        await evening.say("ST", "adjust", unit=aki, path="hp", by=-1)
    await rewind(evening, to)
    await evening.say("ST", "adjust", unit=oni, path="hp", by=-1)
    page = await asks.answer(evening.rooms[0], evening.seats["ST"].key, AskLog(id=1))
    assert page["undone"] == [[to + 1, to + 3]]
    ann = await asks.answer(evening.rooms[0], evening.seats["Ann"].key, AskLog(id=1))
    assert ann["undone"], "each in his own count"
    value_lines = [line for n, told in page["entries"] for line in told if line[0] == 0 and n == to + 1]
    assert value_lines[0][3:6] == [(aki, "Aki"), "hp", 29]


async def test_a_rewind_that_was_undone_has_undone_nothing(evening: Evening):
    aki, _ = await a_fight(evening)
    to = evening.place("ST")[1]
    for _ in range(3):
        await evening.say("ST", "adjust", unit=aki, path="hp", by=-1)
    await rewind(evening, to)
    await rewind(evening, to + 3)
    page = await asks.answer(evening.rooms[0], evening.seats["ST"].key, AskLog(id=1))
    assert page["undone"] == [[to + 4, to + 4]]


async def test_what_a_rewind_does_not_undo_is_not_marked(evening: Evening):
    aki, _ = await a_fight(evening)
    to = evening.place("ST")[1]
    await evening.say("ST", "adjust", unit=aki, path="hp", by=-1)
    await evening.say("Ann", "say", text="ouch")
    await evening.say("ST", "set_house", key="stack_depth", value=4)
    await evening.say("ST", "adjust", unit=aki, path="hp", by=-1)
    await rewind(evening, to)
    page = await asks.answer(evening.rooms[0], evening.seats["ST"].key, AskLog(id=1))
    assert page["undone"] == [[to + 1, to + 1], [to + 4, to + 4]]


async def preview(evening: Evening, **aim: Any) -> dict[str, Any]:
    return await asks.answer(evening.rooms[0], evening.seats["ST"].key, AskRewindPreview(id=1, **aim))


async def test_a_preview_shows_what_would_be_undone_and_nothing_else(evening: Evening):
    aki, oni = await a_fight(evening)
    to = evening.place("ST")[1]
    await evening.say("ST", "adjust", unit=aki, path="hp", by=-1)
    await evening.say("Ann", "say", text="ouch")
    await evening.say("ST", "narrate", text="it rains")
    await evening.say("ST", "set_house", key="stack_depth", value=4)
    await evening.say("Ann", "whisper", text="psst")
    await attack(evening, aki, oni)
    await evening.say("Ann", "ask_take_back")
    found = await preview(evening, to=to)
    kinds = {n: [NAMES[line[0]] for line in told] for n, told in found["entries"]}
    assert kinds == {to + 1: ["value_set"], to + 6: ["declared"]}
    assert found["entries"][0][1][0][5:7] == [29, 30], "and what it was before"
    assert (found["to"], found["head"]) == (to, evening.place("ST")[1])


async def test_a_preview_leaves_out_what_an_earlier_rewind_has_undone(evening: Evening):
    aki, _ = await a_fight(evening)
    to = evening.place("ST")[1]
    for _ in range(4):
        await evening.say("ST", "adjust", unit=aki, path="hp", by=-1)
    await rewind(evening, to + 2)
    assert [n for n, _ in (await preview(evening, to=to))["entries"]] == [to + 1, to + 2]
    assert [n for n, _ in (await preview(evening, to=to + 2))["entries"]] == []
    back = await preview(evening, to=to + 3)  # a rewind to there brings to + 3 back: the earlier rewind is undone
    assert [n for n, _ in back["entries"]] == [to + 5]


async def test_the_preview_of_a_take_back_begins_with_the_act(evening: Evening):
    aki, oni = await a_fight(evening)
    await attack(evening, aki, oni)
    act = evening.place("ST")[1]
    for _ in range(3):
        await evening.say("ST", "adjust", unit=oni, path="hp", by=-1)
    request = (await evening.say("Ann", "ask_take_back"))["made"][0]
    found = await preview(evening, request=request)
    assert found["to"] == act - 1
    assert [n for n, _ in found["entries"]] == [act, act + 1, act + 2, act + 3]
    await evening.say("Bob", "say", text="and I?")
    head = found["head"]
    assert (await evening.say("ST", "answer_request", request=request, yes=True, head=head))["code"] == "changed"
    head = (await preview(evening, request=request))["head"]
    assert (await evening.say("ST", "answer_request", request=request, yes=True, head=head))["t"] == "ack"
    assert (await preview(evening, request=request))["code"] == "unknown"
    assert (await preview(evening))["code"] == "bad_value"


async def test_the_log_says_what_a_value_was(evening: Evening):
    aki, _ = await a_fight(evening)
    for _ in range(2):
        await evening.say("ST", "adjust", unit=aki, path="hp", by=-1)
    page = await asks.answer(evening.rooms[0], evening.seats["ST"].key, AskLog(id=1, limit=2))
    assert [line[3:7] for _, told in page["entries"] for line in told] == [
        [(aki, "Aki"), "hp", 29, 30],
        [(aki, "Aki"), "hp", 28, 29],
    ]


async def test_only_an_st_may_look_what_a_rewind_would_undo(evening: Evening):
    answer = await asks.answer(evening.rooms[0], evening.seats["Ann"].key, AskRewindPreview(id=1, to=0))
    assert answer["code"] == "forbidden"


@pytest.mark.rule("TBL-04")
@pytest.mark.parametrize(
    ("stood", "place"),
    [
        ([(5, 2), (6, 3)], 2),
        ([(5, 2), (5, 3), (6, 4)], 3),
        ([(5, 2), (6, 2), (6, 3), (7, 4)], 3),
        ([(5, 2), (6, 2), (7, 2)], 2),
        ([(5, 2), (5, 3), (5, 4)], 4),
        ([(5, 5), (6, 6)], 5),
        ([], 0),
    ],
)
def test_where_an_audience_stood_does_not_hang_on_what_only_the_sts_saw(stood: list[tuple[int, int]], place: int):
    """A wish of its own moves its own n alone; the STs' alone is moved by what it may not know of."""
    assert history.place_of(stood) == place
