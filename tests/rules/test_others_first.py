"""Nobody keeps all others waiting with act after act: so many windows in a turn, then the others come first."""

from typing import Any

import pytest

from core import commands as cmd
from core.commands import By
from core.decide import decide
from core.ids import Ids, SeatId, UnitId
from core.refusals import Refused
from core.state import Ability, Trigger
from core.world import World
from protocol import texts
from tests.helpers.play import Game, make_act

pytestmark = pytest.mark.rule("IMM-01")


def declare(unit: UnitId, kind: str = "use", slot: str = "standard", **act: object) -> cmd.Declare:
    return cmd.Declare(unit, make_act(kind, slot, **act))  # type: ignore[arg-type]


def begun(**house: Any) -> tuple[Game, UnitId, UnitId]:
    game = Game(windows_per_turn=3, **house)
    mira = game.unit("Mira", "p1", initiative=10, abilities=[Ability("hop", "use", ("immediate",), immediates=9)])
    rolf = game.unit("Rolf", "p2", initiative=5)
    return game, mira, rolf


def acts_until_refused(game: Game, unit: UnitId, most: int = 20) -> int:
    """How many acts go, one after another, each with its window."""
    for k in range(most):
        outcome = game.decide(declare(unit), game.owner(unit))
        if isinstance(outcome, Refused):
            assert outcome.code == "others_first"
            return k
        game.declare(unit)
        assert game.table.play.stack
        game.wait(9000)
    return most


def test_outside_a_fight_where_nothing_is_spent_one_has_so_many_windows_in_some_minutes():
    game, mira, rolf = begun()
    assert acts_until_refused(game, mira) == 3
    code, params = game.refusal(declare(mira), "p1")
    assert texts.refusal(code, params) == (
        "You have kept the others waiting 3 times within a few minutes; let them act, or ask the Storyteller"
    )
    game.declare(rolf)
    game.wait(9000)
    game.do(declare(mira), "st")  # who may, with anybody's unit
    game.wait(9000)
    game.wait(300_000)
    game.declare(mira)


def test_what_keeps_nobody_waiting_is_not_counted():
    game, mira, _ = begun()
    acts_until_refused(game, mira)
    for _ in range(5):
        game.declare(mira, "speak", "free")
    game.do(cmd.Say("still here", mira), "p1")


def test_an_answer_to_ones_own_act_counts_as_well():
    """Which would lie one on another, and each has all asked again."""
    game, mira, _ = begun()
    game.declare(mira)
    for _ in range(2):
        game.react(mira, "hop")
    assert (
        game.refused(cmd.React(mira, make_act("use", "immediate", ability="hop"), game.window.id), "p1")
        == "others_first"
    )
    for _ in range(9):
        game.wait(9000)
    assert not game.table.play.stack


def test_in_a_fight_it_is_so_many_in_a_turn_and_the_next_turn_begins_anew():
    game, mira, rolf = begun(enforce="warn")  # under which nobody is refused for having no action left
    game.start()
    assert game.acting == mira
    assert acts_until_refused(game, mira) == 3
    assert game.refusal(declare(mira), "p1")[1]["fight"] is True
    game.end(mira)
    assert acts_until_refused(game, rolf) == 3, "everybody has his own"
    game.end(rolf)
    assert game.acting == mira
    game.declare(mira)


def test_who_has_several_units_in_the_fight_has_more():
    game = Game(windows_per_turn=4, enforce="warn")
    mira, *_ = (game.unit(name, "p1", initiative=10) for name in ("Mira", "Wolf", "Owl"))
    game.unit("Rolf", "p2", initiative=1)
    game.start()
    assert acts_until_refused(game, mira) == 6


def test_readied_actions_have_an_end_too():
    game, mira, rolf = begun(enforce="warn")
    game.start()
    for _ in range(5):
        game.do(cmd.Ready(mira, make_act("use", "standard"), words="whatever Rolf does"), "p1")
    game.end(mira)
    readied = list(game.table.play.readied)
    for one in readied[:3]:
        game.do(cmd.Fire(one), "p1")
        game.wait(9000)
    assert game.refused(cmd.Fire(readied[3]), "p1") == "others_first"


def test_what_would_fire_by_itself_beyond_that_waits_for_its_owner():
    game, mira, rolf = begun(enforce="warn")
    game.start()
    game.do(cmd.Ready(mira, make_act("use", "standard"), Trigger(act="use"), auto=True), "p1")
    acts_until_refused(game, mira)
    game.end(mira)
    game.declare(rolf)
    assert game.stack == ["use"], "nothing lies on it"
    (readied,) = game.table.play.readied.values()
    assert readied.state == "armed"


def test_nothing_ends_where_the_house_says_so():
    game, mira, _ = begun()
    game.do(cmd.SetHouse("windows_per_turn", 0))
    assert acts_until_refused(game, mira, 8) == 8


def test_the_st_acting_for_a_seat_and_his_leave_go_beyond():
    game, mira, _ = begun()
    acts_until_refused(game, mira)
    for_her = By(SeatId("p1"), "player", st=SeatId("x1"))
    ids = Ids(b"test", "for her")
    outcome = decide(game.table, declare(mira), for_her, World(game.now, game.dice, ids, game.here, game.version + 1))
    assert not isinstance(outcome, Refused)


def test_in_the_storyteller_game_answers_to_answers_have_an_end():
    def answers(name: str) -> Ability:
        return Ability(name, "use", ("reflexive",), answers=("*",))

    game = Game(windows_per_turn=5, ruleset="storyteller", players=("p1", "p2"))
    mira = game.unit("Mira", "p1", initiative=10, abilities=[answers(f"echo {k}") for k in range(6)])
    game.unit("Rolf", "p2", initiative=5)
    game.start()
    for seat in ("p1", "p2", "st"):
        game.do(cmd.SetStandingOrder("*", "ask"), seat)
    game.declare(mira, "use", "simple")
    windows, refusals = 1, set()
    for _ in range(60):
        if not game.table.play.stack:
            break
        for k in range(6):
            act = make_act("use", "reflexive", ability=f"echo {k}")
            outcome = game.decide(cmd.React(mira, act, game.window.id), "p1")
            if isinstance(outcome, Refused):
                refusals.add(outcome.code)
                continue
            game.do(cmd.React(mira, act, game.window.id), "p1")
            windows += 1
        game.wait(9000)
    assert windows == 5
    assert "others_first" in refusals
    assert not game.table.play.stack


def test_a_rewind_brings_back_how_often_it_was_then():
    game, mira, _ = begun()
    game.declare(mira)
    game.wait(9000)
    at = game.version
    acts_until_refused(game, mira)
    game.rewind(at)
    assert acts_until_refused(game, mira) == 2
