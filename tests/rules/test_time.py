"""Turns and rounds: what ends a turn, and by whose actions an effect runs out (TIME-03, TIME-04)."""

import pytest

from core import commands as cmd
from core import events as ev
from core.ids import UnitId
from core.state import Ability, Applied
from tests.helpers.play import Game


def spell(name: str = "ward", slot: str = "standard", **lasts) -> Ability:
    """Something cast that puts the condition of its name on its target."""
    return Ability(name, "cast", (slot,), applies=(Applied(name, **lasts),))  # type: ignore[arg-type]


def three(**house) -> tuple[Game, UnitId, UnitId, UnitId]:
    """A (20), B (10), C (5), with nobody asked to react: what is declared is carried out at once."""
    game = Game(reaction_window_ms=0, **house)
    abilities = [spell("ward", rounds=1), spell("curse", "immediate", rounds=2), spell("bless", minutes=1)]
    a = game.unit("A", "p1", initiative=20, abilities=[*abilities, spell("long", rounds=3)])
    b = game.unit("B", "p2", initiative=10, abilities=abilities)
    c = game.unit("C", initiative=5, abilities=abilities)
    game.start()
    return game, a, b, c


# ------------------------------------------------------------------------------------------------------------- TIME-03
@pytest.mark.case("TIME-03.1")
@pytest.mark.rule("TIME-03")
def test_ten_turns_are_a_minute_and_an_effect_of_a_minute_ends_as_the_eleventh_begins():
    game, a, *_ = three()
    game.declare(a, ability="bless", targets=[a])
    for turn in range(2, 11):
        game.whole_turn()
        assert (game.fight.turn, game.table.play.clock_s) == (turn, 6 * (turn - 1))
        assert "bless" in game.conditions(a)
    while game.fight.turn == 10:
        assert "bless" in game.conditions(a)
        game.end(game.acting)
    assert (game.fight.turn, game.active, game.table.play.clock_s) == (11, a, 60)
    assert "bless" not in game.conditions(a)


@pytest.mark.case("TIME-09.1")
@pytest.mark.rule("TIME-03")
def test_the_clock_moves_at_the_end_of_a_turn_and_never_in_between():
    game, a, b, c = three()
    clocks = []
    for unit in (a, b, c):
        clocks.append(game.table.play.clock_s)
        game.end(unit)
    assert (clocks, game.table.play.clock_s) == ([0, 0, 0], 6)


@pytest.mark.case("TIME-03.2")
@pytest.mark.rule("TIME-03")
def test_a_turn_that_units_join_and_leave_ends_once_when_every_place_still_to_come_has_acted():
    game, a, b, c = three()
    game.end(a)
    late = game.unit("late", initiative=7)
    early = game.unit("early", initiative=15)
    game.do(cmd.JoinFight(late))
    game.do(cmd.JoinFight(early))
    assert game.fight.order == (a, early, b, late, c)
    game.do(cmd.LeaveFight(b), "p2")
    acted = [game.acting]
    while game.fight.turn == 1:
        game.end(game.acting)
        acted.append(game.acting)
    assert acted == [late, c, a]
    assert game.table.play.clock_s == 6
    game.end(a)
    assert game.active == early, "who joined at a place already passed counts from the next turn"


@pytest.mark.case("TIME-03.3")
@pytest.mark.rule("TIME-03")
def test_a_second_action_within_a_turn_makes_no_second_turn():
    game, a, b, c = three()
    game.end(a)
    game.end(b)
    game.do(cmd.BeginAction(a))
    assert (game.active, game.left(a)["standard"]) == (a, 1)
    while game.fight.turn == 1:
        game.end(game.acting)
    assert (game.fight.turn, game.table.play.clock_s, game.active) == (2, 6, a)
    assert game.table.play.budgets[a].round == 3


@pytest.mark.rule("TIME-03")
def test_a_unit_that_passes_or_cannot_act_has_had_its_action():
    game, a, b, c = three()
    game.do(cmd.AddCondition(b, "stunned"))
    game.end(a)
    assert game.active == c
    game.end(c)
    assert (game.active, game.fight.turn, game.table.play.clock_s) == (a, 2, 6)


@pytest.mark.rule("TIME-03")
def test_with_nobody_able_to_act_turns_do_not_race_on():
    game, *units = three()
    for unit in units:
        game.do(cmd.AddCondition(unit, "stunned"))
    assert game.active is None
    assert game.table.play.clock_s <= 6
    game.do(cmd.RemoveCondition(units[1], "stunned"))
    assert game.active == units[1]


# ------------------------------------------------------------------------------------------------------------- TIME-04
@pytest.mark.case("TIME-04.1")
@pytest.mark.rule("TIME-04")
def test_an_effect_of_one_round_ends_as_its_casters_next_action_begins_and_not_its_bearers():
    game, a, b, c = three()
    game.declare(a, ability="ward", targets=[b])
    game.end(a)
    assert (game.active, game.conditions(b)) == (b, {"ward"})
    game.end(b)
    assert game.conditions(b) == {"ward"}
    game.end(c)
    assert (game.active, game.conditions(b)) == (a, set())


@pytest.mark.case("TIME-04.2")
@pytest.mark.rule("TIME-04")
def test_two_rounds_begun_by_an_immediate_action_end_as_its_users_second_action_from_then_begins():
    game, a, b, c = three()
    game.react(b, "curse", targets=[a])
    game.end(a)
    assert (game.active, game.conditions(a)) == (b, {"curse"})
    game.next_action_of(a)
    assert game.conditions(a) == {"curse"}
    game.end(a)
    assert (game.active, game.conditions(a)) == (b, set())


@pytest.mark.case("TIME-04.3")
@pytest.mark.rule("TIME-04")
def test_an_effect_counts_from_when_it_takes_hold_and_not_from_the_declaration():
    game = Game()
    a = game.unit("A", "p1", initiative=20, abilities=[spell("ward", rounds=1)])
    b = game.unit("B", "p2", initiative=10, abilities=[spell("curse", "immediate", rounds=1)])
    game.start()
    game.declare(a, ability="ward", targets=[b])
    game.react(b, "curse", targets=[a])
    assert not game.table.play.effects
    game.pass_all()
    assert [e.condition for e in game.table.play.effects.values()] == ["curse"]
    game.pass_all()
    ward = next(e for e in game.table.play.effects.values() if e.condition == "ward")
    assert (ward.unit, ward.nth) == (a, game.table.play.budgets[a].round + 1)


@pytest.mark.case("TIME-04.4")
@pytest.mark.rule("TIME-04")
@pytest.mark.parametrize("how", ["dies", "leaves", "off stage", "gone"])
def test_the_place_of_a_caster_that_is_gone_counts_until_its_effects_have_run_out(how: str):
    game, a, b, c = three()
    game.declare(a, ability="long", targets=[b])
    gone = {
        "dies": cmd.Adjust(a, "hp", -10),
        "leaves": cmd.LeaveFight(a),
        "off stage": cmd.TakeOff(a),
        "gone": cmd.RemoveUnit(a),
    }
    game.do(gone[how])
    held = []
    while game.fight.turn < 5:
        if game.active == b:
            held.append("long" in game.conditions(b))
        game.end(game.acting)
    assert held == [True, True, True, False]
    assert (a in game.fight.order) == (how == "dies"), "a place without a unit goes once it counts nothing any more"


@pytest.mark.case("TIME-04.5")
@pytest.mark.rule("TIME-04")
def test_a_unit_acts_without_the_effect_that_ends_as_its_action_begins():
    game, a, b, c = three()
    game.do(cmd.AddCondition(b, "stunned", rounds=1, by=b))
    game.end(a)
    assert game.active == b, "its own stun of one round ended before its action was given"
    kinds = [type(e) for e in game.last]
    ended, began = kinds.index(ev.EffectEnded), len(kinds) - 1 - kinds[::-1].index(ev.ActionBegan)
    assert ended < began
    assert game.left(b) == {"swift": 1, "move": 1, "standard": 1}


@pytest.mark.case("TIME-04.6")
@pytest.mark.rule("TIME-04")
def test_three_rounds_begun_outside_a_fight_are_18_seconds():
    game = Game()
    a = game.unit("A", "p1", abilities=[spell("long", rounds=3)])
    game.declare(a, ability="long", targets=[a])
    game.do(cmd.PassTime(17))
    assert game.conditions(a) == {"long"}
    game.do(cmd.PassTime(1))
    assert game.conditions(a) == set()


@pytest.mark.case("TIME-04.6")
@pytest.mark.rule("TIME-04")
def test_a_fight_that_ends_leaves_each_round_not_yet_over_six_seconds():
    game, a, b, c = three()
    game.declare(a, ability="long", targets=[b])
    game.next_action_of(a)
    game.do(cmd.EndFight())
    game.do(cmd.PassTime(11))
    assert game.conditions(b) == {"long"}
    game.do(cmd.PassTime(1))
    assert game.conditions(b) == set()


@pytest.mark.rule("TIME-04")
def test_two_effects_of_one_condition_end_each_in_its_time_and_the_condition_with_the_last():
    game, a, b, c = three()
    game.do(cmd.AddCondition(c, "slow", rounds=1, by=a))
    game.do(cmd.AddCondition(c, "slow", rounds=2, by=b))
    game.next_action_of(a)
    assert (len(game.table.play.effects), game.conditions(c)) == (1, {"slow"})
    game.next_action_of(b)
    assert (len(game.table.play.effects), game.conditions(c)) == (0, set())
