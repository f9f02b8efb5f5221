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
from core.state import Ability, Pool, Strike
from core.world import World
from protocol import texts
from tests.helpers.examples import EXAMPLES
from tests.helpers.play import THE_ST, Game, attack, make_act, step_aside
from tests.walk.machine import step
from tests.walk.tables import PLAYERS
from tests.walk.walk import Walk


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
    (sword,) = offered(game, "p1", kind="declare", ability="sword")
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
    assert {tuple(one["targets"]) for one in offered(game, "p1", ability="sword")} == {(zombie,)}
    assert lurker not in str(offered(game, "p1"))


def test_a_seat_without_units_can_only_ask_the_st():
    game, *_ = brawl()
    assert {one["kind"] for one in offered(game, "p2")} == {"ask_take_back", "ask_leave"}


def test_at_a_table_that_warns_what_bends_a_rule_is_offered_with_the_rule():
    game, mira, _ = brawl(enforce="warn", reaction_window_ms=0)
    game.declare(mira, "use", "standard")
    (again,) = offered(game, "p1", kind="declare", act="use", slot="standard")
    assert again["flags"] == ["no_action_left"]


@pytest.mark.parametrize("number", range(10))
def test_what_is_offered_is_accepted_and_what_is_denied_is_refused_for_the_same_reason(number: int):
    walk = Walk(number)
    outcomes: Counter[str] = Counter()
    for k in range(160):
        step(walk, k)
        if k % 8:
            continue
        walk.send(cmd.Say("now"), THE_ST)  # what the clock has to do is done
        for seat in (*PLAYERS, "st"):
            by = THE_ST if seat == "st" else By(SeatId(seat), "player")
            world = World(walk.now, KeyedDice(b"one"), Ids(b"one", "one"), walk.here, walk.version + 1)
            for option in options(walk.table, by, world):
                other = replace(world, dice=KeyedDice(b"other"), ids=Ids(b"other", "other"))
                outcome = decide(walk.table, option.command, by, other)
                code = outcome.code if isinstance(outcome, Refused) else None
                offer = option.refused.code if option.refused else None
                assert code == offer or (code == "not_possible" and by.role != "st"), option
                outcomes[code or "done"] += 1
    assert outcomes["done"] > 50
    assert len(outcomes) > 5


# ---------------------------------------------------------------------------------------------------- everything there is
EVERYTHING = {
    cmd.Declare: "declare", cmd.Ready: "ready", cmd.EndAction: "end_action", cmd.LeaveFight: "leave_fight",
    cmd.Sustain: "sustain", cmd.DropConcentration: "drop_concentration", cmd.React: "react", cmd.Fire: "fire",
    cmd.Pass: "pass", cmd.Defend: "defend", cmd.SplitGain: "split_gain", cmd.MoreTime: "more_time",
    cmd.Withdraw: "withdraw", cmd.SetReadiedAuto: "set_readied_auto", cmd.AskTakeBack: "ask_take_back",
    cmd.AskLeave: "ask_leave", cmd.WithdrawAsk: "withdraw_ask", cmd.StartTask: "start_task", cmd.RollTask: "roll_task",
    cmd.DropTask: "drop_task", cmd.JoinFight: "join_fight", cmd.Announce: "announce",
}  # fmt: skip
"""What a seat does with its units, and what it may ask for; the rest is talk, wishes for later, and the ST's hand."""


@pytest.mark.parametrize("kind", EVERYTHING, ids=EVERYTHING.values())
def test_whatever_a_unit_can_do_is_offered_where_it_can_be_done(kind):
    game, command, who = EXAMPLES[kind](4)
    assert [one for one in offered(game, who, kind=EVERYTHING[kind]) if "code" not in one], command


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_whatever_is_offered_has_a_name_in_each_language(language: str):
    asked_for = {"change_scene", "start_fight"}
    assert set(texts.LANGUAGES[language].words["commands"]) == {*EVERYTHING.values(), "roll", *asked_for}


def test_whoever_is_asked_for_a_roll_is_offered_it():
    game, mira, _ = brawl()
    (ask,) = game.do(cmd.AskRoll((mira,), Pool(fixed=2))).made
    assert offered(game, "p1", kind="roll") == [{"kind": "roll", "unit": mira, "ask": ask}]
    assert offered(game, "st", kind="withdraw_ask") == [{"kind": "withdraw_ask", "ask": ask}]
    assert offered(game, "p1", kind="withdraw_ask") == []


def test_every_ability_is_offered_to_be_readied_and_with_each_that_fits_attached():
    game = Game()
    edge, rush = Ability("edge", slots=(), attaches=("attack",)), Ability("rush", slots=(), attaches=("move",))
    dash = Ability("dash", "move", ("move",))
    mira = game.unit("Mira", "p1", initiative=20, abilities=[attack(), dash, edge, rush])
    game.unit("Zombie", initiative=10)
    game.start()
    free = [one for one in offered(game, "p1", unit=mira) if "code" not in one]
    attached = {(one["ability"], *one["attached"]) for one in free if "attached" in one}
    assert attached == {("sword", "edge"), ("dash", "rush")}
    assert {one.get("ability", "") for one in free if one["kind"] == "ready"} == {"sword", "dash", ""}


def test_a_technique_is_offered_with_what_fits_attached_to_each_of_its_steps():
    game = Game()
    edge = Ability("edge", slots=(), attaches=("attack",))
    combo = Ability("combo", steps=("sword", "step aside", "sword"))
    mira = game.unit("Mira", "p1", initiative=20, abilities=[attack(), step_aside(), edge, combo])
    game.unit("Zombie", initiative=10)
    game.start()
    found = [one for one in offered(game, "p1", unit=mira, ability="combo", kind="declare") if "code" not in one]
    assert [one.get("steps") for one in found] == [None, [{"attached": ["edge"]}], [{}, {}, {"attached": ["edge"]}]]


def test_each_of_several_attacks_can_be_defended_against():
    game = Game()
    mira = game.unit("Mira", "p1", initiative=5, extras={"defense": 3})
    zombie = game.unit("Zombie", initiative=10, abilities=[attack("claw", attacks=2)])
    game.start()
    game.declare(zombie, ability="claw", targets=[mira], split=(Strike(mira, extra=0), Strike(mira, extra=0)))
    assert [(one["attack"], one["n"]) for one in offered(game, "p1", kind="defend")] == [(1, 1), (2, 1)]
    game.do(cmd.Defend(game.window.id, mira, 2, attack=2), "p1")
    assert [(one["attack"], one["n"], one.get("code")) for one in offered(game, "p1", kind="defend")] == [
        (1, 1, None),
        (2, 3, None),
    ]


def test_what_a_rule_refuses_says_that_leave_can_be_asked_for():
    game, mira, _ = brawl(reaction_window_ms=0)
    game.declare(mira, "use", "standard")
    (again,) = offered(game, "p1", kind="declare", act="use", slot="standard")
    assert (again["code"], again["leave"]) == ("no_action_left", True)
    (take_back,) = offered(game, "p1", kind="ask_take_back")
    assert "leave" not in take_back


def test_to_pass_is_offered_with_the_question_that_it_answers():
    game, mira, zombie = brawl()
    game.end(mira)
    game.declare(zombie, "melee_attack", ability="claw", targets=[mira])
    assert offered(game, "p1", kind="pass") == [{"kind": "pass", "window": game.window.id, "gen": game.window.gen}]
