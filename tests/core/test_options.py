"""What can I do now: what is offered is accepted, what is denied is refused for the same reason, and nothing is told."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from core import commands as cmd
from core.commands import By
from core.decide import decide
from core.dice.source import KeyedDice
from core.ids import Ids, SeatId
from core.options import options, told
from core.refusals import Refused
from core.state import House
from core.world import World
from tests.core.test_invariants import HOUSES, Walk
from tests.helpers.play import THE_ST, Game, attack, make_act, step_aside


def world_of(game: Game) -> World:
    return World(game.now, KeyedDice(b"options"), Ids(b"o", "o"), game.here, game.version + 1)


def offered(game: Game, who: str, **wanted: Any) -> list[dict[str, Any]]:
    found = [told(option) for option in options(game.table, game.by(who), world_of(game))]
    return [one for one in found if wanted.items() <= one.items()]


def brawl(**house: Any) -> tuple[Game, Any, Any]:
    game = Game(**house)
    mira = game.unit("Mira", "p1", initiative=20, abilities=[attack(), step_aside()])
    zombie = game.unit("Zombie", initiative=10, abilities=[attack("claw"), step_aside()])
    game.start()
    return game, mira, zombie


def test_an_ability_is_offered_with_its_cost_and_whom_it_can_be_aimed_at():
    game, mira, zombie = brawl()
    (sword,) = offered(game, "p1", ability="sword")
    assert sword == {
        "kind": "declare", "unit": mira, "act": "melee_attack", "slot": "standard", "ability": "sword",
        "costs": ["standard"], "targets": [zombie],
    }  # fmt: skip


def test_what_was_spent_is_offered_with_an_action_that_converts_into_it():
    game, mira, zombie = brawl(reaction_window_ms=0)
    game.declare(mira, "move", "move", distance=3)
    (move,) = offered(game, "p1", act="move", slot="move")
    assert (move["pay"], move["costs"]) == ("standard", ["standard"])
    game.declare(mira, "use", "standard")
    (move,) = offered(game, "p1", act="move", slot="move")
    assert move["code"] == "no_action_left"


def test_in_a_window_the_answers_are_offered_to_who_may_give_them():
    game, mira, zombie = brawl()
    game.declare(mira, "melee_attack", ability="sword", targets=[zombie])
    assert offered(game, "p1", kind="pass")[0]["code"] == "not_asked"
    assert offered(game, "p1", kind="declare", ability="sword")[0]["code"] == "window_open"
    assert "code" not in offered(game, "st", kind="pass")[0]
    (step,) = offered(game, "st", ability="step aside")
    assert (step["kind"], step["costs"], step["window"]) == ("react", ["immediate"], game.window.id)


def test_what_only_a_secret_forbids_is_offered_as_if_there_were_none():
    game, mira, zombie = brawl()
    before = offered(game, "p1")
    game.do(cmd.AddCondition(zombie, "dead", secret=True))
    game.do(cmd.AddCondition(mira, "bound", secret=True))
    assert offered(game, "p1") == before
    assert game.refused(cmd.Declare(mira, make_act("move", "move", distance=3)), "p1") == "not_possible"


def test_nobody_hidden_is_among_those_it_can_be_aimed_at():
    game, _, zombie = brawl()
    lurker = game.unit("Lurker", hidden=True)
    assert offered(game, "p1", ability="sword")[0]["targets"] == [zombie]
    assert lurker not in str(offered(game, "p1"))


def test_a_spectator_and_a_seat_without_units_are_offered_nothing():
    game, *_ = brawl()
    assert offered(game, "p2") == []


def test_at_a_table_that_warns_what_bends_a_rule_is_offered_with_the_rule():
    game, mira, _ = brawl(enforce="warn", reaction_window_ms=0)
    game.declare(mira, "use", "standard")
    (again,) = offered(game, "p1", kind="declare", act="use", slot="standard")
    assert again["flags"] == ["no_action_left"]


@pytest.mark.parametrize("house", HOUSES.values(), ids=HOUSES.keys())
def test_what_is_offered_is_accepted_and_what_is_denied_is_refused_for_the_same_reason(house: House):
    walk = Walk(7, house)
    outcomes: Counter[str] = Counter()
    for k in range(160):
        walk.go()
        if k % 8:
            continue
        walk.send(cmd.Say("now"), THE_ST)  # what the clock has to do is done
        for seat in ("p1", "p2", "p3", "st"):
            by = THE_ST if seat == "st" else By(SeatId(seat), "player")
            for option in options(walk.table, by, walk.world()):
                other = replace(walk.world(), dice=KeyedDice(b"other"), ids=Ids(b"other", "other"))
                outcome = decide(walk.table, option.command, by, other)
                code = outcome.code if isinstance(outcome, Refused) else None
                offer = option.refused.code if option.refused else None
                assert code == offer or (code == "not_possible" and by.role != "st"), option
                outcomes[code or "done"] += 1
    assert outcomes["done"] > 50
    assert len(outcomes) > 5
