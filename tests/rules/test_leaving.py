"""Leaving the fight is no answer to what is under way, and whoever is gone does nothing any more (IMM-04)."""

import pytest

from core import commands as cmd
from tests.helpers.play import Game, attack

rule = pytest.mark.rule


def attacked():
    game = Game(dice=[9] * 50)
    mira = game.unit("Mira", "p1", initiative=5, extras={"defense": 3}, abilities=[attack(dice=3)])
    wolf = game.unit("Wolf", initiative=10, abilities=[attack(dice=4)])
    game.unit("Rolf", "p2", initiative=3)
    game.start()
    game.declare(wolf, "melee_attack", ability="sword", targets=[mira])
    return game, mira, wolf


@rule("IMM-04")
def test_a_player_does_not_leave_from_under_a_blow():
    game, mira, _ = attacked()
    assert game.refused(cmd.LeaveFight(mira), "p1") == "window_open"
    game.pass_all()
    assert game.hp(mira) == 6


@rule("IMM-04", "TBL-02")
def test_the_st_takes_it_out_and_the_attack_finds_nobody():
    game, mira, _ = attacked()
    game.do(cmd.LeaveFight(mira))
    game.pass_all()
    assert game.hp(mira) == 10


@rule("IMM-04", "TBL-02")
def test_whose_unit_the_st_takes_out_of_the_fight_does_not_strike_any_more():
    game, mira, wolf = attacked()
    game.do(cmd.LeaveFight(wolf))
    assert game.stack == []
    assert game.hp(mira) == 10


@rule("IMM-04")
def test_between_two_acts_anybody_can_leave():
    game, mira, _ = attacked()
    game.pass_all()
    game.do(cmd.LeaveFight(mira), "p1")
    assert mira not in game.fight.order


@rule("IMM-04", "TBL-02")
def test_what_the_st_let_through_from_outside_the_order_is_carried_out():
    game, mira, wolf = attacked()
    game.do(cmd.LeaveFight(mira))
    game.do(cmd.SetHouse("enforce", "warn"))
    game.pass_all()
    game.declare(mira, "melee_attack", ability="sword", targets=[wolf])
    game.pass_all()
    assert game.hp(wolf) < 10


@rule("TBL-02")
def test_only_what_was_let_through_is_pardoned_not_what_comes_after():
    game = Game(dice=[9] * 50, enforce="warn")
    mira = game.unit("Mira", "p1", initiative=20)
    rolf = game.unit("Rolf", "p2")
    game.start()
    game.declare(mira, "melee_attack", ability="no such sword", targets=[rolf])
    game.do(cmd.AddCondition(mira, "dead"))
    assert game.stack == []
    assert game.hp(rolf) == 10


@rule("TBL-02")
def test_a_pardoned_stun_does_not_pardon_death():
    game = Game(dice=[9] * 50, enforce="warn")
    mira = game.unit("Mira", "p1", initiative=20)
    game.unit("Rolf", "p2")
    game.start()
    game.do(cmd.AddCondition(mira, "stunned"))
    game.declare(mira, "use")
    assert game.stack == ["use"]
    game.do(cmd.AddCondition(mira, "bleeding"))
    assert game.stack == ["use"]
    game.do(cmd.AddCondition(mira, "dead"))
    assert game.stack == []
