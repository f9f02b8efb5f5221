"""Defence extra successes: declared before the roll, what takes successes away, what is lost at Base 0 (XS-07 to XS-10)."""

from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.ids import UnitId
from core.state import Ability, Applied, Step, Strike
from tests.helpers.play import Game, attack, make_act

rule = pytest.mark.rule
case = pytest.mark.case


def attacked(
    *,
    rolled: int,
    dice: int = 3,
    extra: int = 0,
    defense: int = 6,
    ability: Ability | None = None,
    house: dict[str, Any] | None = None,
    **facts: Any,
) -> tuple[Game, UnitId, UnitId]:
    """a attacks b, whose window is open; of a's dice so many will succeed."""
    game = Game(dice=[8] * rolled + [1] * 40, **(house or {}))
    weapon = ability or attack("sword", dice=dice, applies=(Applied("bleeding"),))
    a = game.unit("a", "p1", initiative=20, abilities=[weapon], extras={"attack": extra})
    extras = {"defense": defense, **facts.pop("extras", {})}
    b = game.unit("b", "p2", initiative=10, hp=40, extras=extras, **facts)
    game.start()
    game.declare(a, ability=weapon.name, targets=[b])
    return game, a, b


def defend(game: Game, unit: UnitId, n: int, attack: int = 1) -> None:
    game.do(cmd.Defend(game.window.id, unit, n, attack), "p2")


def outcome(game: Game, unit: UnitId) -> tuple[int, bool]:
    """How much it has lost, and whether what a hit brings has come over it."""
    return 40 - game.hp(unit), "bleeding" in game.conditions(unit)


# --------------------------------------------------------------------------------------------------------------- XS-07
@rule("XS-07")
@case("XS-07.1")
def test_has_six_declares_five_one_is_rolled_it_misses_and_one_is_left_until_the_next_action():
    game, a, b = attacked(rolled=1)
    defend(game, b, 5)
    game.pass_all()
    assert outcome(game, b) == (0, False)
    assert game.table.play.budgets[b].guard == 1
    game.next_action_of(b)
    assert game.table.play.budgets[b].guard == 6
    assert game.table.play.budgets[a].guard == 0


# --------------------------------------------------------------------------------------------------------------- XS-08
@rule("XS-08")
@case("XS-08.1")
def test_rolled_three_declared_three_it_misses_whatever_the_attackers_extra():
    game, _, b = attacked(rolled=3, extra=5)
    defend(game, b, 3)
    game.pass_all()
    assert outcome(game, b) == (0, False), "neither extra successes nor what a hit brings"


@rule("XS-08")
@case("XS-08.1")
def test_rolled_three_declared_two_one_and_five_hit():
    game, _, b = attacked(rolled=3, extra=5)
    defend(game, b, 2)
    game.pass_all()
    assert outcome(game, b) == (6, True)


@rule("XS-08")
@case("XS-08.2")
def test_rolled_three_declared_two_and_an_ability_takes_one_away_it_misses():
    game, _, b = attacked(rolled=3, extra=5, takes_away=1)
    defend(game, b, 2)
    game.pass_all()
    assert outcome(game, b) == (0, False)


@rule("XS-08")
@case("XS-08.2")
def test_absorbing_three_in_its_place_is_a_hit_and_then_absorbed():
    game, _, b = attacked(rolled=3, extra=5, absorbs=3)
    defend(game, b, 2)
    game.pass_all()
    assert outcome(game, b) == (1 + 5 - 3, True)
    assert [e.amount for e in game.happened(ev.DamageDealt)] == [3]


@rule("XS-08")
def test_a_hit_that_is_absorbed_whole_is_still_a_hit():
    game, _, b = attacked(rolled=3, absorbs=9)
    game.pass_all()
    assert outcome(game, b) == (0, True)


def test_the_storyteller_sets_what_a_unit_takes_away_and_absorbs_and_others_do_not_see_it():
    game, _, b = attacked(rolled=3)
    game.do(cmd.SetValue(b, "takes_away", 2, 0))
    game.do(cmd.Adjust(b, "absorbs", 1))
    assert (game.seen("p2")[f"u/{b}/takes_away"], game.seen("st")[f"u/{b}/absorbs"]) == (2, 1)
    assert not {f"u/{b}/takes_away", f"u/{b}/absorbs"} & game.seen("p1").keys()


# --------------------------------------------------------------------------------------------------------------- XS-09
LEGEND = {"legendary_dexterity": 2}


@rule("XS-09")
@case("XS-09.1")
def test_high_speed_three_against_base_two_leaves_one_of_three():
    fast = attack("lunge", dice=3, high_speed=3)
    game, _, b = attacked(rolled=3, ability=fast, base=2, defense=1, extras=LEGEND)
    assert game.seen("p2")[f"u/{b}/guard"] == 3
    defend(game, b, 3)
    game.pass_all()
    assert outcome(game, b)[0] == 2, "of three promised one counts, and one is spent"
    budget = game.table.play.budgets[b]
    assert (budget.guard, budget.legendary) == (2, 2), "the legendary ones are there again against a slower attack"


@rule("XS-09")
def test_with_base_defense_left_all_three_are_there_the_legendary_ones_go_first():
    slow = attack("lunge", dice=5, high_speed=1)
    game, _, b = attacked(rolled=4, ability=slow, base=2, defense=1, extras=LEGEND)
    defend(game, b, 2)
    game.pass_all()
    assert outcome(game, b)[0] == 2
    budget = game.table.play.budgets[b]
    assert (budget.guard, budget.legendary) == (1, 0)


@rule("XS-09")
def test_legendary_perception_too():
    game, _, b = attacked(rolled=3, defense=0, extras={"legendary_perception": 2})
    assert game.refused(cmd.Defend(game.window.id, b, 1), "p2") == "not_enough"


@rule("XS-09")
def test_high_speed_takes_from_each_of_the_three_and_none_goes_below_zero():
    fast = attack("lunge", dice=9, high_speed=3)
    game, _, _ = attacked(rolled=9, ability=fast, base=2, dodge=4, parry=5, defense=0)
    game.pass_all()
    assert [e.size for e in game.happened(ev.Rolled)] == [9 - 0 - 1 - 2]


@rule("XS-09")
def test_base_defense_that_drops_after_the_promise_takes_the_legendary_ones_out_of_it():
    game, _, b = attacked(rolled=3, dice=5, base=2, defense=1, extras=LEGEND)
    defend(game, b, 3)
    game.do(cmd.SetValue(b, "base", 0, 2))
    game.pass_all()
    assert outcome(game, b)[0] == 2
    budget = game.table.play.budgets[b]
    assert (budget.guard, budget.legendary) == (2, 2)


@rule("XS-09")
def test_the_default_defence_knows_it_too():
    game, _, b = attacked(rolled=3, defense=1, extras=LEGEND)
    game.do(cmd.SetDefaultGuard(3), "p2")
    game.pass_all()
    assert outcome(game, b)[0] == 2


@rule("XS-09")
def test_what_a_rule_lets_through_counts_in_full():
    game, _, b = attacked(rolled=3, defense=1, extras=LEGEND, house={"enforce": "warn"})
    defend(game, b, 3)
    game.pass_all()
    assert outcome(game, b)[0] == 0
    budget = game.table.play.budgets[b]
    assert (budget.guard, budget.legendary) == (0, 0), "it has taken what there is"
    game, _, b = attacked(rolled=3, defense=1, extras=LEGEND)
    game.do(cmd.EditPending(game.top.id, guards={b: 3}))
    game.pass_all()
    assert outcome(game, b)[0] == 0


@rule("XS-09")
def test_a_promise_put_right_counts_as_any_other():
    game, _, b = attacked(rolled=3, defense=1, extras=LEGEND, house={"enforce": "warn"})
    defend(game, b, 3)
    defend(game, b, 1)
    assert game.top.beyond == ()


@rule("XS-09")
def test_what_a_charge_costs_counts_until_the_next_action():
    game = Game(dice=[8] * 40, players=["p1", "p2", "p3"], reaction_window_ms=0)
    charge = attack("charge", dice=1, lowers_base=2)
    b = game.unit("b", "p2", initiative=20, base=2, hp=40, extras={"defense": 1, **LEGEND}, abilities=[charge])
    a = game.unit("a", "p1", initiative=10, hp=40, abilities=[attack("sword", dice=5)])
    game.start()
    game.declare(b, ability="charge", targets=[a])
    assert game.seen("p2")[f"u/{b}/base_less"] == 2
    assert f"u/{b}/base_less" not in game.seen("p1")
    game.do(cmd.SetDefaultGuard(3), "p2")
    game.next_action_of(a)
    game.declare(a, ability="sword", targets=[b])
    assert [e.size for e in game.happened(ev.Rolled)] == [5]
    assert outcome(game, b)[0] == 4, "one of three is left"
    game.next_action_of(b)
    game.next_action_of(a)
    game.declare(a, ability="sword", targets=[b])
    assert [e.size for e in game.happened(ev.Rolled)] == [3], "its Base Defense is back"
    assert outcome(game, b)[0] == 4 + 0


@rule("XS-09")
def test_what_was_paid_with_defence_comes_back_with_a_refund():
    game = Game()
    charge = attack("charge", dice=1, lowers_base=2, all_out=True)
    b = game.unit("b", "p2", initiative=20, base=2, abilities=[charge])
    a = game.unit("a", "p1", initiative=10)
    game.start()
    game.declare(b, ability="charge", targets=[a])
    budget = game.table.play.budgets[b]
    assert (budget.base_less, budget.all_out) == (2, True)
    game.do(cmd.Cancel(game.top.id))
    budget = game.table.play.budgets[b]
    assert (budget.base_less, budget.all_out) == (0, False)


@rule("XS-09")
def test_what_a_bystander_did_not_pay_does_not_come_back_to_him_in_the_fight_he_joins():
    game = Game(dice=[8] * 40, enforce="warn")
    a = game.unit("a", "p1", initiative=10)
    game.start(a)
    b = game.unit("b", "p2", initiative=20, base=2, abilities=[attack("charge", dice=1, lowers_base=2)])
    game.declare(b, ability="charge", targets=[a])
    game.do(cmd.JoinFight(b))
    game.do(cmd.Cancel(game.top.id))
    assert game.table.play.budgets[b].base_less == 0


@rule("XS-09")
def test_an_all_out_attack_gives_up_base_dodge_and_parry_and_the_legendary_ones():
    game = Game(dice=[8] * 40, reaction_window_ms=0)
    wild = attack("wild swing", dice=1, all_out=True)
    b = game.unit(
        "b", "p2", initiative=20, base=2, dodge=3, parry=4, hp=40, extras={"defense": 1, **LEGEND}, abilities=[wild]
    )
    a = game.unit("a", "p1", initiative=10, hp=40, abilities=[attack("sword", dice=5)])
    game.start()
    game.do(cmd.SetDefaultGuard(3), "p2")
    game.declare(b, ability="wild swing", targets=[a])
    game.next_action_of(a)
    game.declare(a, ability="sword", targets=[b])
    assert [e.size for e in game.happened(ev.Rolled)] == [5]
    assert outcome(game, b)[0] == 4


@rule("XS-09")
def test_promises_against_fast_and_slow_attacks_count_for_what_each_can_take():
    game = Game(dice=[8] * 40)
    weapons = [attack("both", dice=9, attacks=2), attack("fast", dice=9, high_speed=2), attack("slow", dice=9)]
    a = game.unit("a", "p1", initiative=20, abilities=weapons)
    b = game.unit("b", "p2", initiative=10, base=2, hp=40, extras={"defense": 1, **LEGEND})
    game.start()
    split = Strike(b, "fast", 0), Strike(b, "slow", 0), Strike(b, "fast", 0)
    game.do(cmd.AddUnit(game.table.play.units[a]))
    assert game.refused(cmd.Declare(a, make_act("use", "standard", ability="both", split=split)), "p1") == (
        "too_many_attacks"
    )
    game.do(cmd.Insert(a, make_act("use", "standard", ability="both", split=split)))
    defend(game, b, 2, attack=1)
    defend(game, b, 1, attack=2)
    assert game.refused(cmd.Defend(game.window.id, b, 1, attack=3), "p2") == "not_enough"
    game.pass_all()
    assert [e.n for e in game.happened(ev.GuardSpent)] == [1, 1], "no legendary one against the fast attack"
    budget = game.table.play.budgets[b]
    assert (budget.guard, budget.legendary) == (1, 1)


@rule("XS-09")
def test_how_fast_an_attack_is_is_not_to_be_found_out_by_promising():
    answers = []
    for speed in (0, 3):
        lunge = attack("lunge", dice=3, high_speed=speed)
        game, _, b = attacked(rolled=3, ability=lunge, base=2, defense=1, extras=LEGEND)
        outcomes = [game.decide(cmd.Defend(game.window.id, b, n), "p2") for n in range(5)]
        answers.append([getattr(one, "code", "accepted") for one in outcomes])
    assert answers[0] == answers[1]


@rule("XS-09")
def test_a_technique_costs_what_its_steps_cost_and_what_is_attached():
    game = Game()
    steps = [attack("rush", dice=1, lowers_base=1), attack("cut", dice=1, lowers_base=1)]
    wild = Ability("wild", "use", (), attaches=("attack",), all_out=True)
    charge = Ability("charge", "melee_attack", ("full_round",), steps=("rush", "cut"))
    b = game.unit("b", "p2", initiative=20, base=3, abilities=[*steps, wild, charge])
    a = game.unit("a", "p1", initiative=10)
    game.start()
    said = (Step(), Step(attached=("wild",)))
    game.declare(b, slot="full_round", ability="charge", targets=[a], steps=said)
    budget = game.table.play.budgets[b]
    assert (budget.base_less, budget.all_out) == (2, True)


# --------------------------------------------------------------------------------------------------------------- XS-10
@rule("XS-10")
@case("XS-10.1")
def test_relaxed_the_attacker_rolls_three_the_defender_of_six_assigns_three_it_misses_and_three_are_left():
    game, _, b = attacked(rolled=3, extra=5, house={"relaxed_defense": "on"})
    game.pass_all()
    assert [e.rolled for e in game.happened(ev.Rolled)] == [3]
    assert game.window.kind == "defence"
    defend(game, b, 3)
    game.pass_all()
    assert outcome(game, b) == (0, False)
    assert game.table.play.budgets[b].guard == 3
    game.next_action_of(b)
    assert game.table.play.budgets[b].guard == 6


@rule("XS-10")
def test_relaxed_legendary_ones_are_lost_all_the_same():
    game, _, b = attacked(rolled=3, defense=1, extras=LEGEND, house={"relaxed_defense": "on"})
    game.pass_all()
    assert game.refused(cmd.Defend(game.window.id, b, 2), "p2") == "not_enough"


@rule("XS-10")
def test_relaxed_each_of_several_attacks_is_seen_before_anything_is_assigned():
    game = Game(dice=[8, 1, 8], relaxed_defense="on")
    a = game.unit("a", "p1", initiative=20, abilities=[attack("flurry", dice=1, attacks=3)])
    b = game.unit("b", "p2", initiative=10, hp=40, extras={"defense": 2})
    game.start()
    game.declare(a, ability="flurry", targets=[b])
    game.pass_all()
    assert [e.rolled for e in game.happened(ev.Rolled)] == [1, 0, 1]
    defend(game, b, 1, attack=3)
    game.pass_all()
    assert outcome(game, b)[0] == 1
    assert game.table.play.budgets[b].guard == 1
