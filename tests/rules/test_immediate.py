"""Immediate actions: who may take them, what they cost, what they interrupt (IMM-01 to IMM-07)."""

import pytest

from core import commands as cmd
from core import events as ev
from core.clock import due_command
from core.decide import Decided, decide
from core.ids import Ids, WindowId
from core.refusals import Refused
from core.state import Ability, Applied
from core.world import World
from tests.helpers.brawl import MISSES, area, attacks, brawl, now_acts
from tests.helpers.play import START, Game, attack, make_act, step_aside

rule = pytest.mark.rule


def step(game, unit, **act):
    game.react(unit, "step aside", leaves=True, **act)


def swift_at_next_action(game, unit):
    """What it has of swift actions as its next action begins."""
    if game.active == unit:
        game.end(unit)
    now_acts(game, unit)
    return game.left(unit)["swift"]


# -------------------------------------------------------------------------------------------------------------- IMM-01
@pytest.mark.case("IMM-01.1")
@rule("IMM-01")
def test_without_an_ability_it_is_refused():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    command = cmd.React(b, make_act("move", "immediate"), game.window.id)
    assert game.refused(command, "p2") == "ability_required"
    assert game.table.play.budgets[b].immediates == 1


@rule("IMM-01")
def test_an_ability_that_is_not_for_immediate_use_is_refused():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    command = cmd.React(b, make_act("attack", "immediate", ability="sword", targets=[a]), game.window.id)
    assert game.refused(command, "p2") == "ability_required"


@pytest.mark.case("IMM-01.1")
@rule("IMM-01")
def test_dropping_prone_needs_no_ability_and_costs_as_any_immediate_action():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.react(b, kind="drop_prone")
    assert "prone" in game.conditions(b)
    assert game.stack == ["melee_attack"], "it has no window of its own"
    assert game.table.play.budgets[b].immediates == 0
    game.pass_all()
    assert swift_at_next_action(game, b) == 0


@rule("IMM-01")
def test_what_dropping_prone_interrupted_is_asked_again():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.react(b, kind="drop_prone")
    assert (game.window.gen, game.window.passed) == (2, ())


@pytest.mark.case("IMM-01.2")
@rule("IMM-01")
@pytest.mark.parametrize("word", ["dead", "out", "stunned"])
def test_a_unit_that_cannot_act_is_refused(word):
    game, a, b, c = brawl()
    attacks(game, a, c)
    game.do(cmd.AddCondition(b, word))
    command = cmd.React(b, make_act("move", "immediate", ability="step aside"), game.window.id)
    assert game.refused(command, "p2") == "cannot_act"
    assert game.table.play.budgets[b].immediates == 1


@rule("IMM-01")
def test_a_unit_that_cannot_act_takes_no_anytime_action_either():
    game, _, b, _ = brawl()
    game.do(cmd.AddCondition(b, "stunned"))
    assert game.refused(cmd.Declare(b, make_act("duck", "anytime", ability="duck")), "p2") == "cannot_act"


@rule("IMM-01")
def test_a_secret_condition_is_not_named_in_the_refusal():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.AddCondition(b, "stunned", secret=True))
    refused = game.decide(cmd.React(b, make_act("drop_prone", "immediate")), "p2")
    assert isinstance(refused, Refused)
    assert (refused.code, refused.params) == ("not_possible", {"unit": b})
    assert "stunned" in refused.st


# -------------------------------------------------------------------------------------------------------------- IMM-02
@pytest.mark.case("IMM-02.1")
@rule("IMM-02")
def test_one_taken_in_anothers_action_costs_the_swift_of_the_next_action_and_of_no_later_one():
    game, a, b, _ = brawl()
    now_acts(game, b)
    game.end(b)  # b has acted: its round now runs to its next action
    now_acts(game, a)
    attacks(game, a, b)
    step(game, b)
    game.pass_all()
    game.pass_all()
    game.end(a)
    assert game.active == b
    assert game.left(b) == {"swift": 0, "move": 1, "standard": 1}
    assert swift_at_next_action(game, b) == 1


@pytest.mark.case("IMM-02.2")
@rule("IMM-02")
def test_a_second_in_the_same_round_is_refused():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    step(game, b)
    command = cmd.React(b, make_act("move", "immediate", ability="step aside"), game.window.id)
    assert game.refused(command, "p2") == "no_immediate_left"


@pytest.mark.case("IMM-02.2")
@rule("IMM-02")
def test_an_ability_that_gives_two_allows_a_second_and_the_swift_loss_is_not_doubled():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    b = game.unit("b", "p2", initiative=10, abilities=[step_aside(immediates=2)], bonus={"swift": 0})
    game.start()
    attacks(game, a, b)
    step(game, b)
    step(game, b)
    assert game.table.play.budgets[b].immediates == 0
    for _ in range(3):
        game.pass_all()
    game.end(a)
    assert game.left(b) == {"swift": 0, "move": 1, "standard": 1}
    assert swift_at_next_action(game, b) == 1


@pytest.mark.case("IMM-02.3")
@rule("IMM-02")
def test_both_of_two_swift_actions_are_lost():
    game, a, b, _ = brawl()
    game.do(cmd.SetValue(b, "bonus.swift", 1, None))
    attacks(game, a, b)
    step(game, b)
    game.pass_all()
    game.pass_all()
    game.end(a)
    assert game.left(b)["swift"] == 0
    assert swift_at_next_action(game, b) == 2


@pytest.mark.case("IMM-02.4")
@rule("IMM-02")
def test_a_unit_with_no_swift_action_to_lose_may_take_one_all_the_same():
    game, a, b, _ = brawl()
    game.do(cmd.SetValue(b, "bonus.swift", -1, None))
    attacks(game, a, b)
    step(game, b)
    assert game.stack == ["melee_attack", "move"]
    game.pass_all()
    game.pass_all()
    assert swift_at_next_action(game, b) == 0


@pytest.mark.case("IMM-02.5")
@rule("IMM-02")
def test_one_taken_in_ones_own_action_leaves_its_swift_and_takes_the_next_ones():
    game, a, *_ = brawl()
    step(game, a)
    game.pass_all()
    assert game.left(a) == {"swift": 1, "move": 1, "standard": 1}
    assert swift_at_next_action(game, a) == 0
    assert swift_at_next_action(game, a) == 1


@pytest.mark.case("IMM-02.6")
@rule("IMM-02")
def test_one_between_two_actions_with_nothing_pending_is_accepted():
    game, _, b, _ = brawl()
    made = game.react(b, "step aside", position="door")
    assert made.made
    game.pass_all()
    assert game.table.play.units[b].position == "door"
    assert game.table.play.budgets[b].immediates == 0


@pytest.mark.case("IMM-02.7")
@rule("IMM-02")
def test_an_ability_that_says_so_loses_no_swift_action():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    b = game.unit("b", "p2", initiative=10, abilities=[step_aside(keeps_swift=True)])
    game.start()
    attacks(game, a, b)
    step(game, b)
    game.pass_all()
    game.pass_all()
    game.end(a)
    assert game.left(b)["swift"] == 1


@pytest.mark.case("IMM-02.8")
@rule("IMM-02")
def test_one_before_the_first_action_of_the_fight_leaves_that_action_without_swift():
    game, a, b, _ = brawl()
    assert game.table.play.budgets[b].round == 0
    attacks(game, a, b)
    step(game, b)
    game.pass_all()
    game.pass_all()
    game.end(a)
    assert game.left(b) == {"swift": 0, "move": 1, "standard": 1}
    assert game.table.play.budgets[b].immediates == 1, "its own round has begun"


@rule("IMM-02")
def test_a_move_may_still_be_converted_into_a_swift_act_in_the_round_that_lost_it():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    step(game, b)
    game.pass_all()
    game.pass_all()
    game.end(a)
    game.declare(b, "use", "swift", pay="move")
    assert game.left(b) == {"swift": 0, "move": 0, "standard": 1}


@rule("IMM-02")
def test_outside_a_fight_it_costs_and_owes_nothing():
    game = Game(dice=MISSES)
    game.unit("a", "p1")
    b = game.unit("b", "p2", abilities=[step_aside()])
    for _ in range(3):
        game.react(b, "step aside")
        game.pass_all()
    assert game.table.play.budgets == {}


# -------------------------------------------------------------------------------------------------------------- IMM-03
@pytest.mark.case("IMM-03.1")
@rule("IMM-03")
def test_with_one_swift_each_two_swift_actions_give_two_immediate_actions_and_then_none_is_left():
    game = Game(dice=MISSES, immediate_cost="one_swift")
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    b = game.unit("b", "p2", initiative=10, abilities=[step_aside()], bonus={"swift": 1})
    game.start()
    attacks(game, a, b)
    step(game, b)
    step(game, b)
    command = cmd.React(b, make_act("move", "immediate", ability="step aside"))
    assert game.refused(command, "p2") == "no_immediate_left"
    for _ in range(3):
        game.pass_all()
    game.end(a)
    assert game.left(b)["swift"] == 0


@rule("IMM-03")
def test_with_one_swift_each_one_immediate_action_leaves_the_other_swift():
    game = Game(dice=MISSES, immediate_cost="one_swift")
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    b = game.unit("b", "p2", initiative=10, abilities=[step_aside()], bonus={"swift": 1})
    game.start()
    attacks(game, a, b)
    step(game, b)
    game.pass_all()
    game.pass_all()
    game.end(a)
    assert game.left(b)["swift"] == 1


@pytest.mark.case("IMM-03.2")
@rule("IMM-03")
def test_with_one_swift_each_and_one_swift_action_a_second_is_refused():
    game, a, b, _ = brawl(immediate_cost="one_swift")
    attacks(game, a, b)
    step(game, b)
    command = cmd.React(b, make_act("move", "immediate", ability="step aside"))
    assert game.refused(command, "p2") == "no_immediate_left"


@pytest.mark.case("IMM-03.2")
@rule("IMM-03")
def test_with_one_swift_each_an_extra_immediate_action_costs_no_swift():
    game = Game(dice=MISSES, immediate_cost="one_swift")
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    b = game.unit("b", "p2", initiative=10, abilities=[step_aside(immediates=2)])
    game.start()
    attacks(game, a, b)
    step(game, b)
    step(game, b)
    assert game.table.play.budgets[b].debts == ("one_swift",)
    for _ in range(3):
        game.pass_all()
    game.end(a)
    assert game.left(b) == {"swift": 0, "move": 1, "standard": 1}


# -------------------------------------------------------------------------------------------------------------- IMM-04
@pytest.mark.case("IMM-04.1")
@rule("IMM-04")
def test_an_attack_goes_on_though_its_target_has_stepped_away():
    game, a, b, _ = brawl(dice=[8, 8, 1, 1, 1])
    attacks(game, a, b)
    step(game, b, position="far away", distance=10)
    game.pass_all()
    game.pass_all()
    assert game.table.play.units[b].position == "far away"
    assert game.hp(b) == 8
    assert game.happened(ev.ActionCarriedOut)[0].actor == a


@pytest.mark.case("IMM-04.2")
@rule("IMM-04")
@pytest.mark.parametrize("answer", ["kill", "stun"])
def test_an_attack_fails_when_its_target_kills_or_stuns_the_attacker_and_its_action_stays_spent(answer):
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.react(b, answer)
    assert game.top.act.targets == (a,), "an answer is aimed at whom it answers"
    game.pass_all()
    assert [(e.actor, e.why) for e in game.happened(ev.ActionFailed)] == [(a, "interrupted")]
    assert game.hp(b) == 10
    assert game.table.play.stack == ()
    assert "standard" in game.table.play.budgets[a].spent


@pytest.mark.case("IMM-04.5")
@rule("IMM-04")
@pytest.mark.parametrize("gone", [cmd.LeaveFight, cmd.TakeOff, cmd.RemoveUnit])
def test_an_attack_whose_only_target_is_taken_out_of_the_fight_fails_and_stays_spent(gone):
    game, a, b, _ = brawl(dice=[8, 8, 8, 8, 8])
    attacks(game, a, b)
    game.react(b, "step aside")
    game.do(gone(b))
    while game.table.play.stack:
        game.pass_all()
    ended = {e.actor: e.why for e in game.events if isinstance(e, ev.ActionFailed)}
    assert ended[a] == "no_target"
    assert game.table.play.stack == ()
    assert "standard" in game.table.play.budgets[a].spent


@pytest.mark.case("IMM-04.3")
@rule("IMM-04")
def test_the_interrupted_player_can_neither_withdraw_nor_change_his_action():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    pending = game.top.id
    assert game.refused(cmd.Withdraw(pending), "p1") == "must_continue", "interrupted or not"
    step(game, b)
    assert game.refused(cmd.Withdraw(pending), "p1") == "must_continue"
    change = cmd.Declare(a, make_act("attack", "standard", ability="sword", targets=[b]))
    assert game.refused(change, "p1") == "window_open"
    game.pass_all()
    assert game.refused(cmd.Withdraw(pending), "p1") == "must_continue"


@rule("IMM-04")
def test_nobody_withdraws_anothers_action():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    assert game.refused(cmd.Withdraw(game.top.id), "p2") == "not_yours"


@pytest.mark.case("IMM-04.4")
@rule("IMM-04")
def test_interrupts_interrupt_each_other_three_deep_and_the_newest_happens_first():
    game, a, b, c, d = brawl("a b c d")
    attacks(game, a, b)
    order = []
    for unit in (b, c, d):
        game.react(unit, "step aside", position=f"place of {unit}")
    assert len(game.stack) == 4
    for _ in range(4):
        game.pass_all()
        order += [e.actor for e in game.happened(ev.ActionCarriedOut)]
    assert order == [d, c, b, a]


@rule("IMM-04")
def test_an_attack_fails_when_an_interrupt_takes_its_only_target_out_of_the_fight():
    game, a, b, c = brawl()
    attacks(game, a, b)
    game.react(c, "kill", targets=[b])
    game.pass_all()
    assert [(e.actor, e.why) for e in game.happened(ev.ActionFailed)] == [(a, "no_target")]
    assert "standard" in game.table.play.budgets[a].spent


@rule("IMM-04")
def test_of_several_targets_those_gone_are_struck_and_the_attack_goes_on():
    game, a, b, c = brawl(dice=[8, 1, 1, 1, 1])
    game.declare(a, "attack", ability="sword", targets=[b, c])
    game.do(cmd.SetValue(c, "hp", 0, 10))
    game.pass_all()
    assert (game.hp(b), game.hp(c)) == (9, 0)
    assert game.happened(ev.ActionCarriedOut)


# -------------------------------------------------------------------------------------------------------------- IMM-05
def defended(game, target):
    """The defence taken from the pool of the latest attack on the target."""
    rolls = [e for e in game.events if isinstance(e, ev.Rolled) and e.target == target]
    return -dict(rolls[-1].parts).get("defense", 0)


@pytest.mark.case("IMM-05.1")
@rule("IMM-05")
def test_leaving_the_area_doubles_base_and_dodge_for_that_attack_and_not_for_the_next():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", initiative=20, abilities=[attack(dice=30)])
    b = game.unit("b", "p2", initiative=10, base=3, dodge=4, abilities=[step_aside()])
    game.start()
    attacks(game, a, b)
    step(game, b)
    game.pass_all()
    game.pass_all()
    assert defended(game, b) == 14
    game.do(cmd.Grant(a, ("standard",)))
    attacks(game, a, b)
    game.pass_all()
    assert defended(game, b) == 7


@pytest.mark.case("IMM-05.1")
@rule("IMM-05")
def test_parry_is_not_doubled():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", initiative=20, abilities=[attack(dice=30)])
    b = game.unit("b", "p2", initiative=10, base=3, dodge=4, parry=2, abilities=[step_aside()])
    game.start()
    attacks(game, a, b)
    step(game, b)
    game.pass_all()
    game.pass_all()
    assert defended(game, b) == 14 + 2


@rule("IMM-05")
def test_stepping_within_the_area_doubles_nothing():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", initiative=20, abilities=[attack(dice=30)])
    b = game.unit("b", "p2", initiative=10, base=3, dodge=4, abilities=[step_aside()])
    game.start()
    attacks(game, a, b)
    game.react(b, "step aside")
    game.pass_all()
    game.pass_all()
    assert defended(game, b) == 7


@rule("IMM-05")
def test_from_the_successes_it_is_doubled_just_the_same():
    game = Game(dice=[8] * 16 + [1] * 4, defense_from="successes")
    a = game.unit("a", "p1", initiative=20, abilities=[attack(dice=20)])
    b = game.unit("b", "p2", initiative=10, base=3, dodge=4, abilities=[step_aside()])
    game.start()
    attacks(game, a, b)
    step(game, b)
    game.pass_all()
    game.pass_all()
    assert game.hp(b) == 10 - (16 - 14)


def blast(ability, *, dice, **house):
    """b leaves the area of a's blast; what is left of b's 10 hp."""
    game = Game(dice=dice, **house)
    a = game.unit("a", "p1", initiative=20, abilities=[ability])
    b = game.unit("b", "p2", initiative=10, base=3, dodge=4, abilities=[step_aside()])
    game.start()
    game.declare(a, "attack", ability=ability.name, targets=[b])
    step(game, b)
    game.pass_all()
    game.pass_all()
    return game, b


EIGHT_HIT = [8] * 8
THREE_NEGATE = [8] * 3


@pytest.mark.case("IMM-05.2")
@rule("IMM-05")
def test_against_an_area_attack_three_successes_of_the_reflex_roll_count_six():
    game, b = blast(area(dice=8), dice=EIGHT_HIT + THREE_NEGATE)
    assert game.hp(b) == 10 - (8 - 6)


@pytest.mark.case("IMM-05.3")
@rule("IMM-05")
def test_an_area_attack_that_cannot_be_dodged_is_not_doubled():
    game, b = blast(area(dice=8, dodgeable=False), dice=EIGHT_HIT + THREE_NEGATE)
    assert game.hp(b) == 10 - (8 - 3)


def fog(dice):
    return area(dice=dice, track="", applies=(Applied("blind"),))


@pytest.mark.case("IMM-05.4")
@rule("IMM-05")
def test_an_area_attack_with_an_effect_and_no_damage_is_doubled():
    game, b = blast(fog(5), dice=[8] * 5 + THREE_NEGATE)
    assert "blind" not in game.conditions(b), "5 - 6 successes"


@pytest.mark.case("IMM-05.4")
@rule("IMM-05")
def test_with_damage_only_an_effect_without_damage_is_not_doubled():
    game, b = blast(fog(5), dice=[8] * 5 + THREE_NEGATE, area_doubling="damage_only")
    assert "blind" in game.conditions(b), "5 - 3 successes"


# -------------------------------------------------------------------------------------------------------------- IMM-06
@pytest.mark.case("IMM-06.1")
@rule("IMM-06")
def test_of_two_interrupts_the_one_accepted_last_happens_first_and_the_attack_last():
    game, a, b, c, _ = brawl("a b c d")
    window = attacks(game, a, b)
    game.do(cmd.React(b, make_act("move", "immediate", ability="step aside"), window), "p2")
    game.do(cmd.React(c, make_act("move", "immediate", ability="step aside"), window), "p3")
    parents = [game.table.play.pendings[p].parent for p in game.table.play.stack]
    assert parents[1] == parents[2] == game.table.play.stack[0], "both answer the attack"
    order = []
    for _ in range(3):
        game.pass_all()
        order += [e.actor for e in game.happened(ev.ActionCarriedOut)]
    assert order == [c, b, a]


@pytest.mark.case("IMM-06.2")
@rule("IMM-06")
def test_two_in_the_same_instant_from_two_servers_get_one_order_and_nobodys_is_lost():
    """Both decided on the same table; the store takes one, the other is decided again on the result."""
    game, a, b, c = brawl()
    window = attacks(game, a, b)
    mine = cmd.React(b, make_act("move", "immediate", ability="step aside"), window)
    other = cmd.React(c, make_act("move", "immediate", ability="step aside"), window)
    before = game.table
    on_node_1 = game.decide(mine, "p2")
    on_node_2 = game.decide(other, "p3")
    assert isinstance(on_node_1, Decided)
    assert isinstance(on_node_2, Decided)
    assert game.table is before
    game.do(mine, "p2")
    game.do(other, "p3")
    assert [game.table.play.pendings[p].actor for p in game.table.play.stack] == [a, b, c]


@rule("IMM-06")
def test_of_a_pass_and_an_interrupt_in_the_same_instant_the_pass_is_for_a_question_that_has_changed():
    game, a, b, c = brawl()
    window = attacks(game, a, b)
    step(game, b)
    assert game.refused(cmd.Pass(window, 1), "p3") == "window_changed"


# -------------------------------------------------------------------------------------------------------------- IMM-07
@pytest.mark.case("IMM-07.1")
@rule("IMM-07")
def test_a_window_of_8_s_ends_as_soon_as_both_able_players_have_passed_after_1_s():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    assert game.window.clock is not None
    assert game.window.clock.deadline == game.now + 8000
    game.wait(1000)
    game.do(cmd.Pass(window, 1), "p2")
    assert game.stack == ["melee_attack"]
    game.do(cmd.Pass(window, 1), "p3")
    assert game.stack == []
    assert game.now == START + 1000
    assert game.happened(ev.ActionCarriedOut)


@pytest.mark.case("IMM-07.2")
@rule("IMM-07")
def test_for_a_player_who_is_gone_it_ends_at_its_one_deadline():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.here -= {"p2"}
    game.do(cmd.Pass(window, 1), "p3")
    game.wait(7999)
    assert game.stack == ["melee_attack"]
    game.wait(1)
    assert game.stack == []
    assert game.happened(ev.WindowClosed)[0].reason == "deadline"


@pytest.mark.case("IMM-07.3")
@rule("IMM-07")
def test_an_interrupt_after_the_window_has_closed_is_refused_and_costs_nothing():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.pass_all()
    before = game.table
    for id in (window, WindowId("no such window")):
        assert game.refused(cmd.React(b, make_act("drop_prone", "immediate"), id), "p2") == "window_closed"
    assert game.table == before
    assert game.table.play.budgets[b].immediates == 1


@rule("IMM-07")
def test_with_nobody_able_to_react_it_is_carried_out_at_once():
    game = Game(dice=[8, 1, 1, 1, 1], players=["p1"])
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    b = game.unit("b", "p1", abilities=[step_aside()])
    game.start()
    game.declare(a, "attack", ability="sword", targets=[b])
    assert game.stack == []
    assert game.hp(b) == 9


@pytest.mark.case("IMM-07.4")
@rule("IMM-07")
@pytest.mark.parametrize(("order", "target", "passes"), [
    ("pass", "b", True), ("pass", "c", True), ("unless_target", "c", True), ("unless_target", "b", False),
])  # fmt: skip
def test_standing_orders_are_applied_without_a_prompt(order, target, passes):
    """b's seat (p2) has the order; everybody else passes by hand."""
    game, a, b, c = brawl()
    game.do(cmd.SetStandingOrder("*", order), "p2")
    window = attacks(game, a, {"b": b, "c": c}[target])
    assert game.seen("p2")[f"w/{window}/me"]["order_passes"] is passes
    game.do(cmd.Pass(window, 1), "p3")
    game.wait(750)
    assert (game.stack == []) is passes


@rule("IMM-07")
def test_the_st_can_stop_the_windows_clock():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.Hold())
    game.wait(60_000)
    assert game.stack == ["melee_attack"]
    game.do(cmd.Release())
    game.wait(8000)
    assert game.stack == []


@rule("IMM-07")
def test_the_st_can_close_it():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.CloseWindow(window))
    assert game.stack == []
    assert game.happened(ev.WindowClosed)[0].reason == "st"


@rule("IMM-07")
def test_deciding_for_itself_the_clock_goes_first():
    """A command decided while the window is due is sent back inside the server, whatever a timer does."""
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    at = game.now + 8000
    outcome = decide(game.table, cmd.React(b, make_act("drop_prone", "immediate"), window), game.by("p2"),
                     World(at, game.dice, Ids(b"k", "c"), game.here, game.version + 1))  # fmt: skip
    assert isinstance(outcome, Refused)
    assert outcome.code == "clock_due"
    assert due_command(game.table, at, game.here) == cmd.CloseDue(window, 1)


@rule("IMM-07")
def test_an_ability_for_other_acts_leaves_its_holder_out_of_this_window():
    """Who holds no fitting answer and is no target is passed for; so nobody taps pass for what is not his business."""
    game = Game(dice=MISSES, players=["p1", "p2", "p3"])
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    b = game.unit("b", "p2", initiative=10, abilities=[])
    game.unit("c", "p3", initiative=5, abilities=[Ability("counterspell", "cast", ("immediate",), answers=("cast",))])
    game.start()
    window = attacks(game, a, b)
    game.do(cmd.Pass(window, 1), "p2")
    game.wait(750)
    assert game.stack == []
