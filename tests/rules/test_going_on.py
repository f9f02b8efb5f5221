"""The fight goes on by itself: the clock on one's own action, and turns in which nobody can act (TIME-03)."""

import pytest

from core import commands as cmd
from tests.helpers.play import Game

rule = pytest.mark.rule


def two(**house):
    game = Game(dice=[9] * 50, **house)
    mira = game.unit("Mira", "p1", initiative=20)
    rolf = game.unit("Rolf", "p2", initiative=10)
    game.start()
    return game, mira, rolf


# --------------------------------------------------------------------------------------------- the clock on one's action
@rule("TBL-02", "IMM-07")
def test_who_acts_again_after_a_rewind_has_his_whole_time():
    game, mira, rolf = two(action_clock_ms=30_000)
    to = game.version
    game.do(cmd.Narrate("a long silence"))
    game.wait(30_000)
    assert game.active == rolf
    game.wait(10_000)
    game.rewind(to)
    game.wait(29_999)
    assert game.active == mira
    game.wait(1)
    assert game.active == rolf


@rule("TBL-02")
def test_after_a_rewind_into_something_that_waits_the_clock_stands_still_with_his_whole_time():
    game, mira, _ = two(action_clock_ms=30_000)
    game.wait(20_000)
    game.declare(mira)
    to = game.version
    game.do(cmd.Narrate("hm"))
    game.rewind(to)
    assert (game.fight.deadline, game.fight.left) == (None, 30_000)


@rule("IMM-07")
def test_nobody_loses_his_action_while_the_servers_are_away():
    game, mira, rolf = two(action_clock_ms=30_000)
    game.wait(3_600_000)
    assert game.active == mira
    game.wait(30_000)
    assert game.active == rolf


@rule("IMM-07")
def test_the_time_comes_again_once_an_action_and_not_for_a_little_lateness():
    game, _, rolf = two(action_clock_ms=30_000)
    game.wait(32_000)
    assert game.active == rolf
    game.wait(3_600_000)
    game.wait(3_600_000)
    assert game.active != rolf


# ----------------------------------------------------------------------------------------------------- nobody can act
@rule("TIME-03", "TIME-04")
def test_while_all_are_stunned_for_some_rounds_the_turns_go_by():
    game, mira, rolf = two()
    game.do(cmd.AddCondition(rolf, "stunned", rounds=2, by=mira))
    game.do(cmd.AddCondition(mira, "stunned", rounds=2, by=rolf))
    assert game.active is not None
    assert game.conditions(game.acting) == set()
    assert game.fight.turn == 3
    assert game.table.play.clock_s == 12


@rule("TIME-03")
def test_while_all_are_stunned_by_the_clock_the_turns_go_by():
    game, mira, rolf = two()
    game.do(cmd.AddCondition(rolf, "dead"))
    game.do(cmd.AddCondition(mira, "stunned", minutes=1))
    assert game.active == mira
    assert game.table.play.clock_s == 60


@rule("TIME-03")
@pytest.mark.parametrize("rounds", [None, 1000])
def test_where_nobody_comes_round_soon_the_fight_waits_for_the_st(rounds):
    game, mira, rolf = two()
    game.do(cmd.AddCondition(rolf, "stunned", rounds=rounds, by=mira))
    game.do(cmd.AddCondition(mira, "stunned", rounds=rounds, by=rolf))
    assert game.active is None
    assert game.fight.turn == 1


@rule("TIME-03")
def test_no_turn_goes_by_for_the_dead():
    game, mira, rolf = two()
    game.do(cmd.AddCondition(rolf, "dead"))
    game.do(cmd.AddCondition(mira, "stunned", rounds=2, by=rolf))
    game.do(cmd.AddCondition(mira, "dead"))
    turn = game.fight.turn
    game.wait(100_000)
    assert (game.active, game.fight.turn) == (None, turn)


# ---------------------------------------------------------------------------------------------- rewound to, and no window
@rule("TBL-02", "IMM-07")
def test_an_act_that_asked_nobody_asks_nobody_after_a_rewind_either():
    game, mira, _ = two()
    game.do(cmd.Hold())
    game.declare(mira, "open", "free")
    assert game.window.asked == ()
    to = game.version
    game.do(cmd.Narrate("x"))
    game.rewind(to)
    assert game.window.asked == ()
    game.do(cmd.Release())
    assert game.stack == []


@rule("IMM-07")
def test_the_clock_ends_an_action_no_sooner_than_its_time_is_up():
    game, mira, rolf = two(action_clock_ms=30_000)
    game.now += 29_999
    for unit in (mira, rolf):
        assert game.refused(cmd.EndDueAction(unit, 1)) == "not_due"
    game.now += 1
    game.of_the_server(cmd.EndDueAction(mira, 1))
    assert game.active == rolf
