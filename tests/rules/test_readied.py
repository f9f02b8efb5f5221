"""Readied actions: held back for a trigger, done just before it, borrowed from the next round (RDY-01 to RDY-04)."""

import pytest

from core import commands as cmd
from core import events as ev
from core.ids import ReadiedId
from core.state import Act, Applied, Trigger
from tests.helpers.brawl import MISSES, attacks, brawl, kill, now_acts, readies
from tests.helpers.play import Game, attack, make_act, step_aside

rule = pytest.mark.rule

ATTACKED = Trigger("attack", target="self")


def a_round_later(game, unit):
    """The unit's next action has just begun."""
    if game.active == unit:
        game.end(unit)
    now_acts(game, unit)


def ready(unit, act, trigger=ATTACKED, **rest):
    return cmd.Ready(unit, act, trigger, **rest)


# -------------------------------------------------------------------------------------------------------------- RDY-01
@pytest.mark.case("RDY-01.1")
@rule("RDY-01")
def test_declaring_it_costs_a_standard_action():
    game, a, *_ = brawl()
    game.do(ready(a, Act("move", "move")), "p1")
    assert game.left(a) == {"swift": 1, "move": 1, "standard": 0}
    assert game.refused(ready(a, Act("move", "move")), "p1") == "no_action_left"


@pytest.mark.case("RDY-01.1")
@rule("RDY-01")
def test_without_a_condition_or_an_act_it_is_refused():
    game, a, *_ = brawl()
    assert game.refused(cmd.Ready(a, Act("move", "move"), None, "  "), "p1") == "nothing_readied"
    assert game.refused(cmd.Ready(a, Act("", "move"), ATTACKED), "p1") == "nothing_readied"
    assert game.left(a)["standard"] == 1


@pytest.mark.case("RDY-01.1")
@rule("RDY-01")
def test_not_used_by_ones_next_action_it_is_gone_and_nothing_is_owed():
    game, a, *_ = brawl()
    readied = readies(game, a)
    a_round_later(game, a)
    assert readied not in game.table.play.readied
    assert game.left(a) == {"swift": 1, "move": 1, "standard": 1}
    assert [e.readied for e in game.events if isinstance(e, ev.ReadiedExpired)] == [readied]
    game.end(a)
    assert game.refused(cmd.Fire(ReadiedId(readied)), "p1") == "readied_gone"


@pytest.mark.case("RDY-01.2")
@rule("RDY-01")
def test_used_during_ones_own_action_it_is_refused():
    game, a, *_ = brawl()
    made = game.do(cmd.Ready(a, Act("move", "move"), words="when I feel like it"), "p1").made[0]
    assert game.refused(cmd.Fire(ReadiedId(made)), "p1") == "own_action"


@pytest.mark.case("RDY-01.3")
@rule("RDY-01")
@pytest.mark.parametrize("slot", ["full_round", "full_turn", "immediate", "anytime"])
def test_no_full_immediate_or_anytime_act_can_be_readied(slot):
    game, a, *_ = brawl()
    assert game.refused(ready(a, Act("use", slot)), "p1") == "cannot_ready"
    assert game.left(a)["standard"] == 1


@rule("RDY-01")
@pytest.mark.parametrize("slot", ["standard", "move", "swift", "free"])
def test_a_standard_move_swift_or_free_act_can_be_readied(slot):
    game, a, *_ = brawl()
    game.do(ready(a, Act("use", slot)), "p1")
    assert [r.act.slot for r in game.table.play.readied.values()] == [slot]


@rule("RDY-01")
def test_it_is_readied_on_ones_own_action_only():
    game, _, b, _ = brawl()
    assert game.refused(ready(b, Act("move", "move")), "p2") == "not_your_action"


@rule("RDY-01")
def test_nothing_is_readied_while_something_waits():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    assert game.refused(ready(a, Act("move", "move")), "p1") == "window_open"


# -------------------------------------------------------------------------------------------------------------- RDY-02
@pytest.mark.case("RDY-02.1")
@rule("RDY-02")
def test_a_step_back_when_attacked_is_done_first_then_the_attack_against_doubled_dodge_defense():
    game = Game(dice=MISSES)
    b = game.unit("b", "p2", initiative=20, base=3, dodge=4)
    a = game.unit("a", "p1", initiative=10, abilities=[attack(dice=30)])
    game.start()
    readied = readies(game, b, position="back", leaves=True)
    window = attacks(game, a, b)
    game.do(cmd.Fire(ReadiedId(readied), window), "p2")
    game.pass_all()
    assert game.table.play.units[b].position == "back"
    assert game.stack == ["melee_attack"]
    game.pass_all()
    rolled = game.happened(ev.Rolled)[0]
    assert dict(rolled.parts)["defense"] == -14


@pytest.mark.case("RDY-02.2")
@rule("RDY-02")
def test_a_readied_shot_that_kills_whoever_opens_the_door_makes_the_opening_fail():
    game = Game(dice=[8] * 10)
    b = game.unit("b", "p2", initiative=20, abilities=[attack("bow", dice=10, act="ranged_attack")])
    a = game.unit("a", "p1", initiative=10)
    game.start()
    readies(game, b, "attack", "standard", ability="bow", trigger=Trigger("open"), auto=True)
    game.declare(a, "open", "move")
    assert game.stack == ["open", "ranged_attack"]
    assert game.top.act.targets == (a,)
    game.pass_all()
    assert game.hp(a) == 0
    assert [(e.kind, e.why) for e in game.happened(ev.ActionFailed)] == [("open", "interrupted")]


def step_back(**house):
    """b has readied a step, a attacks, b's step has been done; the attack waits again."""
    game, b, a, c = brawl(**house)
    readied = readies(game, b, leaves=True)
    window = attacks(game, a, b)
    game.do(cmd.Fire(ReadiedId(readied), window), "p1")
    game.pass_all()
    return game, b, a, c


@pytest.mark.case("RDY-02.3")
@rule("RDY-02")
def test_it_takes_no_swift_action_of_the_next_round_and_leaves_the_immediate_action():
    game, b, _, _ = step_back()
    game.react(b, "step aside")
    assert game.table.play.budgets[b].immediates == 0
    assert "all_swift" in game.table.play.budgets[b].debts, "by the immediate action"
    game, b, _, _ = step_back()
    game.pass_all()
    a_round_later(game, b)
    assert game.left(b) == {"swift": 1, "move": 0, "standard": 1}


@rule("RDY-02")
def test_in_full_it_costs_what_an_immediate_action_costs():
    game, b, _, _ = step_back(readied_is_immediate="in_full")
    assert game.table.play.budgets[b].immediates == 0
    game.pass_all()
    a_round_later(game, b)
    assert game.left(b) == {"swift": 0, "move": 0, "standard": 1}


@rule("RDY-02")
def test_in_full_without_an_immediate_action_left_it_is_refused():
    game, b, a, _ = brawl(readied_is_immediate="in_full")
    readied = readies(game, b)
    game.react(b, "step aside")
    game.pass_all()
    attacks(game, a, b)
    assert game.refused(cmd.Fire(ReadiedId(readied), game.window.id), "p1") == "no_immediate_left"


@rule("RDY-02")
def test_in_full_without_one_left_it_does_not_fire_by_itself_and_nobody_else_is_refused_for_it():
    game, b, a, _ = brawl(readied_is_immediate="in_full")
    readies(game, b, auto=True)
    game.react(b, "step aside")
    game.pass_all()
    attacks(game, a, b)
    assert game.stack == ["melee_attack"]


@rule("RDY-02")
def test_if_it_is_no_immediate_action_there_is_no_doubling():
    game, b, _, _ = step_back(readied_is_immediate="no")
    assert game.top.fled == ()
    game, b, _, _ = step_back()
    assert game.top.fled == (b,)


@pytest.mark.case("RDY-02.4")
@rule("RDY-02")
def test_with_may_continue_the_interrupted_player_may_withdraw_and_his_action_stays_spent():
    game, _, a, _ = step_back(interrupted_by_readied="may_continue")
    game.do(cmd.Withdraw(game.top.id), "p2")
    assert game.stack == []
    assert game.left(a)["standard"] == 0
    assert game.happened(ev.ActionWithdrawn)[0].refunded is False


@rule("RDY-02")
def test_with_may_continue_he_must_still_go_on_after_an_immediate_action():
    game, a, b, _ = brawl(interrupted_by_readied="may_continue")
    attacks(game, a, b)
    game.react(b, "step aside")
    game.pass_all()
    assert game.refused(cmd.Withdraw(game.top.id), "p1") == "must_continue"


@rule("RDY-02")
def test_with_may_continue_he_withdraws_only_when_nothing_lies_on_it():
    game, b, a, c = brawl(interrupted_by_readied="may_continue")
    readied = readies(game, b)
    window = attacks(game, a, b)
    pending = game.top.id
    game.do(cmd.Fire(ReadiedId(readied), window), "p1")
    assert game.refused(cmd.Withdraw(pending), "p2") == "not_on_top"


@rule("RDY-02")
def test_the_interrupted_player_must_go_on():
    game, *_ = step_back()
    assert game.refused(cmd.Withdraw(game.top.id), "p2") == "must_continue"


# -------------------------------------------------------------------------------------------------------------- RDY-03
@pytest.mark.case("RDY-03.1")
@rule("RDY-03")
def test_a_readied_move_used_is_missing_in_the_next_round_and_a_standard_can_still_be_a_move():
    game, b, _, _ = step_back()
    game.pass_all()
    a_round_later(game, b)
    assert game.left(b) == {"swift": 1, "move": 0, "standard": 1}
    game.declare(b, "move", "move", pay="standard")
    assert game.left(b) == {"swift": 1, "move": 0, "standard": 0}


@rule("RDY-03")
def test_it_is_missing_in_one_round_only():
    game, b, _, _ = step_back()
    game.pass_all()
    a_round_later(game, b)
    a_round_later(game, b)
    assert game.left(b) == {"swift": 1, "move": 1, "standard": 1}


@pytest.mark.case("RDY-03.2")
@rule("RDY-03")
def test_a_readied_swift_and_an_immediate_action_leave_swift_0_and_not_less():
    game, b, a, _ = brawl()
    readied = readies(game, b, "use", "swift")
    window = attacks(game, a, b)
    game.do(cmd.Fire(ReadiedId(readied), window), "p1")
    game.pass_all()
    game.react(b, "step aside")
    game.pass_all()
    game.pass_all()
    a_round_later(game, b)
    assert game.left(b) == {"swift": 0, "move": 1, "standard": 1}


@pytest.mark.case("RDY-03.3")
@rule("RDY-03")
def test_a_readied_free_act_uses_up_its_kind_in_the_next_round():
    game, b, a, _ = brawl()
    readied = readies(game, b, "drop", "free")
    window = attacks(game, a, b)
    game.do(cmd.Fire(ReadiedId(readied), window), "p1")
    game.pass_all()
    game.pass_all()
    a_round_later(game, b)
    refused = cmd.Declare(b, make_act("drop", "free"))
    assert game.refused(refused, "p1") == "same_kind_of_act"
    assert game.left(b) == {"swift": 1, "move": 1, "standard": 1}
    a_round_later(game, b)
    game.do(refused, "p1")


@pytest.mark.case("RDY-03.4")
@rule("RDY-03")
def test_with_on_declare_the_kind_is_skipped_though_it_was_never_triggered():
    game, b, *_ = brawl(readied_debt="on_declare")
    readies(game, b)
    a_round_later(game, b)
    assert game.left(b) == {"swift": 1, "move": 0, "standard": 1}


@rule("RDY-03")
def test_with_on_declare_using_it_owes_nothing_more():
    game, b, *_ = step_back(readied_debt="on_declare")
    assert game.table.play.budgets[b].debts == ("move",)


@rule("RDY-03")
def test_used_and_failed_it_is_owed():
    game, b, a, c = brawl()
    readied = readies(game, b)
    window = attacks(game, a, b)
    game.do(cmd.Fire(ReadiedId(readied), window), "p1")
    game.react(c, "stun", targets=[b])
    game.pass_all()
    assert game.happened(ev.ActionFailed)[0].actor == b
    assert game.table.play.budgets[b].debts == ("move",)


@rule("RDY-03")
def test_refused_by_the_st_it_is_not_owed_and_armed_again():
    """He refuses what was declared in words by cancelling it."""
    game, b, a, _ = brawl()
    readied = ReadiedId(readies(game, b, words="when it gets too hot"))
    game.do(cmd.Fire(readied), "p1")
    game.do(cmd.Cancel(game.top.id, reason="not hot enough"))
    assert game.table.play.budgets[b].debts == ()
    assert game.table.play.readied[readied].state == "armed"
    game.do(cmd.Fire(readied), "p1")


# -------------------------------------------------------------------------------------------------------------- RDY-04
@pytest.mark.case("RDY-04.1")
@rule("RDY-04")
def test_a_trigger_on_being_attacked_prompts_the_owner_when_he_is_attacked_and_not_when_a_friend_is():
    game, b, a, c = brawl()
    readied = readies(game, b)
    window = attacks(game, a, c)
    assert game.top.due == ()
    assert game.refused(cmd.Fire(ReadiedId(readied), window), "p1") == "not_triggered"
    game.pass_all()
    game.do(cmd.Grant(a, ("standard",)))
    attacks(game, a, b)
    assert game.top.due == (readied,)
    assert game.seen("p1")[f"k/{game.top.id}/due"] == [readied]


@pytest.mark.case("RDY-04.2")
@rule("RDY-04")
def test_the_condition_and_the_act_are_secret_from_other_players_until_used():
    game, b, a, _ = brawl()
    readied = readies(game, b, text="behind the door", words="when the lamp goes out")
    assert game.seen("p1")[f"r/{readied}"]["words"] == "when the lamp goes out"
    assert game.seen("st")[f"r/{readied}"]["act"]["text"] == "behind the door"
    for audience in ("p2", "p3", "all"):
        seen = game.seen(audience)
        assert f"r/{readied}" not in seen
        assert "lamp" not in repr(seen)
        assert "behind the door" not in repr(seen)
        assert seen[f"u/{b}/readied"] is True, "that something was readied is public"
    game.do(cmd.Fire(ReadiedId(readied)), "p1")
    assert "behind the door" in repr(game.seen("p2"))
    assert "lamp" not in repr(game.seen("p2"))


@pytest.mark.case("RDY-04.3")
@rule("RDY-04")
def test_two_that_match_are_offered_at_once_and_the_one_used_last_is_carried_out_first():
    game, b, c, a = brawl()
    first = ReadiedId(readies(game, b, trigger=Trigger("attack")))
    second = ReadiedId(readies(game, c, trigger=Trigger("attack")))
    window = attacks(game, a, b)
    assert game.top.due == (first, second)
    assert game.seen("p1")[f"k/{game.top.id}/due"] == [first]
    assert game.seen("p2")[f"k/{game.top.id}/due"] == [second]
    game.do(cmd.Fire(first, window), "p1")
    game.do(cmd.Fire(second, window), "p2")
    order = []
    for _ in range(3):
        game.pass_all()
        order += [e.actor for e in game.happened(ev.ActionCarriedOut)]
    assert order == [c, b, a]


@pytest.mark.case("RDY-04.4")
@rule("RDY-04")
def test_two_that_fire_by_themselves_do_so_in_the_order_they_were_readied_each_done_before_the_next():
    game, b, c, a = brawl()
    readies(game, b, trigger=Trigger("attack"), auto=True)
    readies(game, c, trigger=Trigger("attack"), auto=True)
    attacks(game, a, b)
    stacks = []
    for _ in range(3):
        stacks.append([game.table.play.pendings[p].actor for p in game.table.play.stack])
        game.pass_all()
    assert stacks == [[a, b], [a, c], [a]]


@rule("RDY-04")
@pytest.mark.parametrize(("trigger", "matches"), [
    (Trigger("attack"), True), (Trigger("melee_attack"), True), (Trigger("ranged_attack"), False),
    (Trigger("move"), False), (Trigger(), True), (Trigger(actor="a"), True), (Trigger(actor="c"), False),
    (Trigger(target="self"), True), (Trigger(target="c"), False), (Trigger(side="enemy"), True),
    (Trigger(side="ally"), False), (Trigger(side="a"), True), (Trigger(side="c"), False),
    (Trigger(ability="sword"), True), (Trigger(ability="bow"), False),
    (Trigger("attack", actor="a", target="self", side="enemy", ability="sword"), True),
    (Trigger("attack", actor="a", target="c"), False),
])  # fmt: skip
def test_every_part_of_a_trigger_that_is_given_must_fit(trigger, matches):
    """b is attacked by a with the sword; names in the trigger stand for units."""
    game, b, a, c = brawl("b a c")
    ids = {"a": a, "c": c}
    named = Trigger(trigger.act, ids.get(trigger.actor, trigger.actor), ids.get(trigger.target, trigger.target),
                    trigger.side, trigger.ability)  # fmt: skip
    readied = readies(game, b, trigger=named)
    attacks(game, a, b)
    assert game.top.due == ((readied,) if matches else ())


@rule("RDY-04")
def test_words_are_triggered_by_the_owner_at_an_open_window_or_between_actions():
    game, b, a, _ = brawl()
    readied = ReadiedId(readies(game, b, words="when I see fit"))
    window = attacks(game, a, b)
    assert game.top.due == ()
    game.do(cmd.Fire(readied, window), "p1")
    assert game.stack == ["melee_attack", "move"]
    game, b, *_ = brawl()
    readied = ReadiedId(readies(game, b, words="when I see fit"))
    game.do(cmd.Fire(readied), "p1")
    assert game.stack == ["move"]


@rule("RDY-04")
def test_one_whose_owner_cannot_act_does_not_fire_and_stays_armed():
    game, b, a, c = brawl()
    readied = ReadiedId(readies(game, b, trigger=Trigger("attack"), auto=True))
    game.do(cmd.AddCondition(b, "stunned"))
    attacks(game, a, c)
    assert game.stack == ["melee_attack"]
    assert game.table.play.readied[readied].state == "armed"
    assert game.refused(cmd.Fire(readied, game.window.id), "p1") == "cannot_act"
    game.do(cmd.RemoveCondition(b, "stunned"))
    assert game.stack == ["melee_attack", "move"], "now it can"


@rule("RDY-04")
def test_one_that_a_condition_bars_does_not_fire_by_itself_and_costs_nothing():
    game, b, a, c = brawl()
    readied = ReadiedId(readies(game, b, trigger=Trigger("attack"), auto=True))
    game.do(cmd.AddCondition(b, "bound"))
    attacks(game, a, c)
    assert game.stack == ["melee_attack"]
    assert game.table.play.readied[readied].state == "armed"
    assert game.table.play.budgets[b].debts == ()


@rule("RDY-04")
def test_one_whose_named_target_is_dead_asks_its_owner_and_shoots_at_nobody_else():
    game, b, a, c = brawl()
    readied = readies(game, b, "attack", "standard", ability="bow", targets=(c,), trigger=Trigger("attack"), auto=True)
    game.do(cmd.SetValue(c, "hp", 0, 10))
    window = attacks(game, a, b)
    assert game.stack == ["melee_attack"]
    assert game.seen("p1")[f"k/{game.top.id}/due"] == [readied], "the owner is asked"
    assert game.refused(cmd.Fire(ReadiedId(readied), window), "p1") == "no_target"
    game.do(cmd.Fire(ReadiedId(readied), window, targets=(a,)), "p1")
    assert game.top.act.targets == (a,)


@rule("RDY-04")
def test_one_with_no_room_on_the_stack_asks_its_owner():
    game, b, a, c = brawl(stack_depth=1)
    readied = ReadiedId(readies(game, b, auto=True))
    window = attacks(game, a, b)
    assert game.stack == ["melee_attack"]
    assert game.refused(cmd.Fire(readied, window), "p1") == "stack_full"


@rule("RDY-04")
def test_it_is_used_once():
    game, b, a, _ = brawl()
    readied = ReadiedId(readies(game, b))
    window = attacks(game, a, b)
    game.do(cmd.Fire(readied, window), "p1")
    assert game.refused(cmd.Fire(readied, window), "p1") == "readied_gone"
    game.pass_all()
    assert game.refused(cmd.Fire(readied, window), "p1") == "readied_gone"


@rule("RDY-04")
def test_anothers_readied_action_is_as_gone_as_one_that_never_was():
    game, b, a, _ = brawl()
    readied = ReadiedId(readies(game, b))
    attacks(game, a, b)
    assert game.refused(cmd.Fire(readied), "p3") == "readied_gone"
    assert game.refused(cmd.Fire(ReadiedId("never")), "p3") == "readied_gone"
    assert game.refused(cmd.SetReadiedAuto(readied, True), "p3") == "readied_gone"


@rule("RDY-04")
def test_it_does_not_answer_its_owners_own_act():
    game, b, *_ = brawl()
    now_acts(game, b)
    game.do(cmd.Ready(b, Act("move", "move"), Trigger("shout"), auto=True), "p1")
    game.declare(b, "shout", "swift")
    assert game.top.due == ()


@rule("RDY-04")
def test_told_to_fire_by_itself_in_an_open_window_it_does_so_at_once():
    game, b, a, _ = brawl()
    readied = ReadiedId(readies(game, b))
    attacks(game, a, b)
    game.do(cmd.SetReadiedAuto(readied, True), "p1")
    assert game.stack == ["melee_attack", "move"]
    assert game.refused(cmd.SetReadiedAuto(readied, True), "p1") == "readied_gone"


@rule("RDY-04")
def test_asked_it_may_still_be_used_in_a_later_gen_of_the_same_window():
    game, b, a, c = brawl()
    readied = ReadiedId(readies(game, b))
    window = attacks(game, a, b)
    game.react(c, "step aside")
    game.pass_all()
    assert game.window.gen == 2
    game.do(cmd.Fire(readied, window), "p1")


@rule("RDY-04")
def test_an_act_with_a_needed_target_is_aimed_at_whoever_triggered_it():
    game = Game(dice=MISSES)
    b = game.unit("b", "p2", initiative=20, abilities=[kill()])
    a = game.unit("a", "p1", initiative=10, abilities=[attack()])
    game.start()
    readies(game, b, "use", "standard", ability="kill", auto=True)
    attacks(game, a, b)
    game.pass_all()
    assert game.hp(a) == 0


@rule("RDY-04")
def test_by_itself_nothing_goes_at_an_attacker_its_owner_does_not_see():
    """A hidden attacker whom the ST lets be noticed: the owner is asked, and his trigger learns nothing of him."""
    game, b, _, _ = brawl()
    foe = game.unit("foe", side="shadow", abilities=[attack()], hidden=True)
    game.do(cmd.JoinFight(foe))
    shot = ReadiedId(readies(game, b, "attack", "standard", ability="bow", auto=True))
    game.do(cmd.Grant(foe, ("standard", "standard")))
    game.do(cmd.Declare(foe, make_act("attack", "standard", ability="sword", targets=[b]), noticed=True))
    assert game.stack == ["melee_attack"]
    assert game.top.due == (shot,)
    refused = game.decide(cmd.Fire(shot, game.window.id), "p1")
    assert foe not in repr(refused)
    game.pass_all()
    for told in (Trigger(actor=foe), Trigger(side="shadow"), Trigger(ability="sword")):
        a_round_later(game, b)
        readies(game, b, trigger=told)
        game.do(cmd.Grant(foe, ("standard",)))
        game.do(cmd.Declare(foe, make_act("attack", "standard", ability="sword", targets=[b]), noticed=True))
        assert game.top.due == (), told
        game.pass_all()


@rule("RDY-02")
def test_a_readied_stun_makes_the_triggering_act_fail():
    game = Game(dice=MISSES)
    stun = attack("net", dice=3, act="ranged_attack", track="", applies=(Applied("stunned"),))
    b = game.unit("b", "p2", initiative=20, abilities=[stun])
    a = game.unit("a", "p1", initiative=10, abilities=[attack(), step_aside()])
    game.dice.left[:] = [8, 1, 1]
    game.start()
    readies(game, b, "attack", "standard", ability="net", auto=True)
    attacks(game, a, b)
    game.pass_all()
    assert [(e.actor, e.why) for e in game.happened(ev.ActionFailed)] == [(a, "interrupted")]


@rule("RDY-02")
def test_what_was_readied_is_shown_as_the_answer_to_what_set_it_off():
    game, b, a, _ = brawl()
    readied = readies(game, b, leaves=True)
    window = attacks(game, a, b)
    blow = game.top.id
    game.do(cmd.Fire(ReadiedId(readied), window), "p1")
    assert (game.top.act.kind, game.top.parent) == ("move", blow)
    assert game.seen("all")[f"k/{game.top.id}"]["parent"] == blow
