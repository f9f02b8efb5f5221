"""Reaction windows: which, how long, who is asked, what closes them, what is refused (interrupts.md 2 to 8)."""

from dataclasses import replace

import pytest

from core import commands as cmd
from core import events as ev
from core.clock import next_instant
from core.decide import Decided, decide
from core.ids import Ids, PendingId, SeatId, WindowId
from core.state import Ability, Trigger
from core.world import World
from tests.helpers.brawl import MISSES, attacks, brawl, code, now_acts, readies
from tests.helpers.play import Game, attack, make_act, step_aside

rule = pytest.mark.rule
STEP = make_act("move", "immediate", ability="step aside", leaves=True)


def carried_out(game):
    return [e.actor for e in game.happened(ev.ActionCarriedOut)]


def passes(game, *seats):
    for seat in seats:
        game.do(cmd.Pass(game.window.id, game.window.gen), seat)


def clock_fires(game, window, gen, at):
    """What the clock's own command comes to, decided at `at`."""
    ids = Ids(b"test", f"clock:{window}:{gen}:{at}")
    world = World(at, game.dice, ids, game.here, game.version + 1)
    return decide(game.table, cmd.CloseDue(window, gen), game.by("st"), world)


# ------------------------------------------------------------------------------------------------- pending: its states
def test_declared_it_waits_and_its_cost_is_spent():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    kinds = [type(e).__name__ for e in game.last]
    assert kinds.index("CostSpent") < kinds.index("ActionDeclared") < kinds.index("WindowOpened")
    assert game.top.state == "waiting"
    assert game.left(a)["standard"] == 0


def test_another_on_top_covers_it_and_its_window_has_no_clock():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    assert game.table.play.windows[window].clock is None
    assert game.seen("p3")[f"w/{window}"] == {
        "pending": game.table.play.stack[0], "gen": 1, "kind": "before", "covered": True,
    }  # fmt: skip


def test_uncovered_it_is_asked_again_by_all_with_a_whole_clock():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    passes(game, "p3")
    game.wait(500)
    game.do(cmd.React(b, STEP, window), "p2")
    game.pass_all()
    again = game.window
    assert (again.id, again.gen, again.passed) == (window, 2, ())
    assert set(again.asked) == {"p2", "p3"}, "who has just reacted is asked too"
    assert again.clock is not None
    assert again.clock.deadline == game.now + 8000


def test_no_clock_of_a_covered_window_runs():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    game.do(cmd.SetStandingOrder("*", "ask"), "p3")
    game.wait(7999)
    assert game.stack == ["melee_attack", "move"]
    game.wait(1)
    assert game.stack == ["melee_attack"]
    game.wait(7999)
    assert game.stack == ["melee_attack"], "it was given a whole clock"
    game.wait(1)
    assert game.stack == []


def test_a_covered_action_fails_as_soon_as_its_actor_cannot_act_and_those_above_stay():
    game, a, b, c = brawl()
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    game.do(cmd.React(c, STEP, window), "p3")
    game.do(cmd.AddCondition(b, "stunned"))
    assert [(e.actor, e.why) for e in game.happened(ev.ActionFailed)] == [(b, "interrupted")]
    assert [game.table.play.pendings[p].actor for p in game.table.play.stack] == [a, c]
    assert game.window.gen == 1, "the top goes on with its own clock"


def test_a_re_check_that_fails_when_uncovered_ends_it_without_asking():
    game, a, b, c = brawl()
    window = attacks(game, a, b)
    game.do(cmd.React(c, make_act("use", "immediate", ability="kill", targets=[b]), window), "p3")
    game.pass_all()
    assert game.stack == []
    assert not game.happened(ev.WindowAsked)


def test_a_fault_in_a_rule_fails_the_action_refunds_it_and_tells_the_st_alone(monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("a rule")

    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.Pass(window, 1), "p2")
    monkeypatch.setattr("core.attacks.strike", broken)
    game.pass_all()
    assert [e.why for e in game.happened(ev.ActionFailed)] == ["fault"]
    assert "ZeroDivisionError" in game.happened(ev.Faulted)[0].error
    assert game.left(a)["standard"] == 1
    assert game.stack == []


def test_a_fault_keeps_nothing_of_the_attempt(monkeypatch):
    from core import attacks as rules

    real = rules.strike

    def broken_at_c(d, pending, unit, ability, target, *rest):
        if target.name == "c":
            raise ZeroDivisionError
        return real(d, pending, unit, ability, target, *rest)

    monkeypatch.setattr(rules, "strike", broken_at_c)
    game, a, b, c = brawl(dice=[8] * 5)
    game.declare(a, "attack", ability="sword", targets=[b, c])
    game.pass_all()
    assert (game.hp(b), game.hp(c)) == (10, 10)
    assert not game.happened(ev.Rolled)


def test_a_fault_in_an_act_done_at_once_does_not_stop_the_table(monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("core.carry_out.use", broken)
    game, a, *_ = brawl()
    game.do(cmd.Declare(a, make_act("duck", "anytime", ability="duck")), "p1")
    assert game.happened(ev.Faulted)


def test_dice_that_cannot_be_thrown_are_refused_at_declare_and_never_stop_a_window():
    """A clock's command that is refused would be tried for ever."""
    game = Game(dice=MISSES)
    bad = attack("odd", pool={"again": 7})
    a = game.unit("a", "p1", initiative=20, abilities=[bad])
    b = game.unit("b", "p2")
    game.start()
    declare = cmd.Declare(a, make_act("attack", "standard", ability="odd", targets=[b]))
    assert game.refused(declare, "p1") == "bad_again"
    game.do(cmd.Insert(a, make_act("attack", "standard", ability="odd", targets=[b])))
    game.wait(8000)
    assert game.stack == []


def test_an_actor_removed_between_roll_and_effect_makes_it_fail():
    game, a, b, _ = brawl(relaxed_defense="on")
    attacks(game, a, b)
    game.pass_all()
    assert game.top.state == "rolled"
    game.do(cmd.RemoveUnit(a))
    assert game.stack == []
    assert [e.why for e in game.happened(ev.ActionFailed)] == ["interrupted"]


def test_an_actor_killed_between_roll_and_effect_still_lands_its_blow():
    game, a, b, _ = brawl(dice=[8, 1, 1, 1, 1], relaxed_defense="on")
    attacks(game, a, b)
    game.pass_all()
    game.do(cmd.SetValue(a, "hp", 0, 10))
    game.pass_all()
    assert game.hp(b) == 9


# ------------------------------------------------------------------------------------------------- window: its answers
def test_a_second_pass_is_refused():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.Pass(window, 1), "p2")
    assert game.refused(cmd.Pass(window, 1), "p2") == "already_answered"


def test_a_seat_that_is_not_asked_cannot_pass():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    assert game.refused(cmd.Pass(window, 1), "p1") == "not_asked"
    assert game.refused(cmd.MoreTime(window), "p1") == "not_asked"
    assert game.refused(cmd.Pass(window, 1), "st") == "not_asked"


def test_a_pass_of_an_old_gen_does_not_count():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    game.pass_all()
    before = game.table
    assert game.refused(cmd.Pass(window, 1), "p3") == "window_changed"
    assert game.table == before


def test_a_pass_on_a_covered_window_does_not_count():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    assert game.refused(cmd.Pass(window, 1), "p3") == "window_changed"


def test_who_passed_may_still_react_while_it_is_open():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.Pass(window, 1), "p2")
    game.do(cmd.React(b, STEP, window), "p2")
    assert game.stack == ["melee_attack", "move"]


def test_the_declaring_seat_is_not_asked_but_may_react():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    assert "p1" not in game.window.asked
    game.do(cmd.React(a, STEP, window), "p1")
    assert game.stack == ["melee_attack", "move"]


def test_a_react_to_a_covered_window_of_any_gen_goes_on_the_very_top():
    game, a, b, c, d = brawl("a b c d")
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    game.do(cmd.React(c, STEP, window), "p3")
    game.do(cmd.React(d, STEP, window), "p4")
    assert [game.table.play.pendings[p].actor for p in game.table.play.stack] == [a, b, c, d]
    assert game.top.parent == game.table.play.stack[0]


def test_beyond_the_depth_of_the_stack_it_is_refused():
    game, a, b, c = brawl(stack_depth=2)
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    assert game.refused(cmd.React(c, STEP, window), "p3") == "stack_full"


def test_closed_unknown_and_hidden_are_one_refusal():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.pass_all()
    for id in (window, WindowId("never")):
        for command in (cmd.Pass(id, 1), cmd.React(b, STEP, id), cmd.Defend(id, b, 0), cmd.MoreTime(id)):
            assert game.refused(command, "p2") == "window_closed"


def test_nothing_is_declared_ended_or_begun_while_something_waits():
    game, a, b, _ = brawl()
    game.do(cmd.Grant(b, ("standard",)))
    attacks(game, a, b)
    assert game.refused(cmd.Declare(a, make_act("use", "move")), "p1") == "window_open"
    assert game.refused(cmd.Declare(b, make_act("use", "standard")), "p2") == "window_open"
    assert game.refused(cmd.EndAction(a, 1), "p1") == "window_open"
    assert game.refused(cmd.EndAction(a, 1), "st") == "window_open"
    assert game.refused(cmd.BeginAction(b), "st") == "window_open"
    assert game.refused(cmd.EndFight(), "st") == "window_open"


def test_no_fight_starts_while_something_waits():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", abilities=[attack()])
    b = game.unit("b", "p2", abilities=[step_aside()])
    game.declare(a, "attack", ability="sword", targets=[b])
    assert game.refused(cmd.StartFight()) == "window_open"


def test_an_attack_on_somebody_dead_is_refused_and_not_charged():
    game, a, b, _ = brawl()
    game.do(cmd.SetValue(b, "hp", 0, 10))
    declare = cmd.Declare(a, make_act("attack", "standard", ability="sword", targets=[b]))
    assert game.refused(declare, "p1") == "no_target"
    assert game.left(a)["standard"] == 1


def test_an_attack_at_nobody_is_refused():
    game, a, *_ = brawl()
    assert game.refused(cmd.Declare(a, make_act("attack", "standard", ability="sword")), "p1") == "no_target"


def test_a_target_named_twice_is_struck_once():
    game, a, b, _ = brawl(dice=[8, 1, 1, 1, 1])
    game.declare(a, "attack", ability="sword", targets=[b, b])
    game.pass_all()
    assert game.hp(b) == 9


def test_a_refused_command_changes_nothing():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    before = game.table
    for command, by in [
        (cmd.Pass(window, 7), "p2"), (cmd.Withdraw(game.top.id), "p1"), (cmd.Defend(window, b, 5), "p2"),
        (cmd.React(b, make_act("fly", "immediate")), "p2"), (cmd.Resolve(PendingId("none")), "st"),
    ]:  # fmt: skip
        game.refused(command, by)
    assert game.table is before


# --------------------------------------------------------------------------------------------------- the clock's command
def test_the_clock_before_its_time_is_refused():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    assert code(clock_fires(game, window, 1, game.now + 7999)) == "not_due"
    assert isinstance(clock_fires(game, window, 1, game.now + 8000), Decided)


def test_the_same_clock_twice_has_one_effect():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.wait(8000)
    assert game.stack == []
    assert code(clock_fires(game, window, 1, game.now)) == "not_due"


def test_the_clock_of_an_old_gen_or_a_covered_window_is_not_due():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    assert code(clock_fires(game, window, 1, game.now + 8000)) == "not_due"
    game.pass_all()
    assert code(clock_fires(game, window, 1, game.now + 8000)) == "not_due"
    assert isinstance(clock_fires(game, window, 2, game.now + 8000), Decided)


def test_the_table_keeps_the_largest_time_it_has_seen():
    """A node whose clock is behind cannot answer in the past."""
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.wait(8000)
    early = World(game.now - 5000, game.dice, Ids(b"k", "x"), game.here, game.version + 1)
    assert code(decide(game.table, cmd.React(b, STEP, window), game.by("p2"), early)) == "window_closed"


def test_overdue_by_an_outage_it_gets_a_whole_clock_again_but_once():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.wait(8000 + 2001)
    assert game.stack == ["melee_attack"]
    assert game.window.restarted
    assert game.window.clock is not None
    assert game.window.clock.deadline == game.now + 8000
    game.wait(8000 + 2001)
    assert game.stack == []


def test_overdue_by_no_more_than_an_outage_it_closes():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.wait(8000 + 2000)
    assert game.stack == []


def test_with_an_outage_of_0_a_timer_in_time_closes_it():
    game, a, b, _ = brawl(outage_ms=0)
    attacks(game, a, b)
    game.wait(8000)
    assert game.stack == []


def test_settled_before_the_outage_it_closes_however_late():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    passes(game, "p2", "p3")
    game.wait(60_000)
    assert game.stack == []


def test_each_gen_may_be_given_its_clock_again():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.wait(10_001)
    game.do(cmd.React(b, STEP, window), "p2")
    game.pass_all()
    assert not game.window.restarted
    game.wait(10_001)
    assert game.stack == ["melee_attack"]


def test_the_next_instant_is_the_deadline_or_the_floor_once_all_have_settled():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    assert next_instant(game.table, game.now, game.here) == game.now + 8000
    passes(game, "p2", "p3")
    assert next_instant(game.table, game.now, game.here) == game.now + 750
    game.do(cmd.Hold())
    assert next_instant(game.table, game.now, game.here) is None


# ------------------------------------------------------------------------------------------------------ floor, deadline
def test_all_settled_before_the_floor_it_closes_at_the_floor():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    passes(game, "p2", "p3")
    game.wait(749)
    assert game.stack == ["melee_attack"]
    game.wait(1)
    assert carried_out(game) == [a]
    assert game.happened(ev.WindowClosed)[0].reason == "settled"


def test_later_it_closes_inside_the_last_pass():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    passes(game, "p2")
    game.wait(2000)
    passes(game, "p3")
    assert carried_out(game) == [a]


def test_at_the_deadline_it_closes_whoever_has_not_answered():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    passes(game, "p2")
    game.wait(8000)
    assert game.happened(ev.WindowClosed)[0].reason == "deadline"


def test_an_answer_one_ms_before_the_deadline_counts_and_one_at_it_is_late():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.now += 7999
    game.do(cmd.React(b, STEP, window), "p2")
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.now += 8000
    assert game.refused(cmd.React(b, STEP, window), "p2") == "window_closed"
    assert game.table.play.budgets[b].immediates == 1


def test_in_a_window_shorter_than_the_floor_the_deadline_counts():
    game, a, b, _ = brawl(reaction_window_ms=500)
    attacks(game, a, b)
    game.wait(500)
    assert game.stack == []


# ------------------------------------------------------------------------------------------------------------ length 0
def test_with_windows_of_length_0_everything_happens_at_once():
    game, a, b, _ = brawl(dice=[8, 1, 1, 1, 1], reaction_window_ms=0)
    game.declare(a, "attack", ability="sword", targets=[b])
    assert game.stack == []
    assert game.hp(b) == 9


@pytest.mark.parametrize(("kind", "slot", "waits"), [
    ("drop", "free", False), ("drop_prone", "move", False), ("speak", "free", False), ("cast", "free", True),
    ("move", "move", True), ("use", "swift", True), ("open", "standard", True),
])  # fmt: skip
def test_only_some_kinds_of_act_have_no_window(kind, slot, waits):
    game, a, *_ = brawl()
    game.declare(a, kind, slot)
    assert (game.stack == [kind]) is waits


def test_a_free_attack_has_a_window():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", initiative=20, abilities=[attack("snap", slots=("free",))])
    b = game.unit("b", "p2", abilities=[step_aside()])
    game.start()
    game.declare(a, "attack", "free", ability="snap", targets=[b])
    assert game.stack == ["melee_attack"]


def test_interrupts_have_windows_too_moves_included():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    assert game.window.asked == ("p1", "p3")


def test_paused_an_act_of_length_0_stays_until_the_resume():
    game, a, *_ = brawl()
    game.do(cmd.Hold())
    game.declare(a, "drop", "free")
    assert game.stack == ["drop"]
    game.do(cmd.Release())
    assert game.stack == []


def test_anytime_acts_change_no_clock_gen_or_answer():
    game, a, b, c = brawl()
    attacks(game, a, b)
    passes(game, "p3")
    window = game.window
    game.do(cmd.Declare(c, make_act("duck", "anytime", ability="duck")), "p3")
    game.do(cmd.Say("look out"), "p3")
    assert game.window == window


def test_what_an_anytime_act_causes_settles_as_always():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    zap = Ability("zap", "use", ("anytime",), needs_target=True, damage=99)
    b = game.unit("b", "p2", abilities=[zap])
    game.start()
    attacks(game, a, b)
    game.do(cmd.Declare(b, make_act("use", "anytime", ability="zap", targets=[a])), "p2")
    assert game.happened(ev.ActionFailed)[0].why == "interrupted"
    assert game.stack == []


# ----------------------------------------------------------------------------------------------------------- who is asked
def test_every_seat_with_a_publicly_able_unit_is_asked_but_the_declaring_one():
    game, a, b, _, d, e = brawl("a b c d e")
    game.do(cmd.AddCondition(d, "stunned"))
    game.do(cmd.AddCondition(e, "stunned", secret=True))
    attacks(game, a, b)
    assert game.window.asked == ("p2", "p3", "p5"), "a secret stun settles nobody early"


def test_what_a_seat_secretly_holds_does_not_matter():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    b = game.unit("b", "p2", abilities=[])
    game.start()
    attacks(game, a, b)
    assert game.window.asked == ("p2",), "whoever is alive can drop prone"


def test_the_st_is_asked_if_he_runs_an_able_public_unit_or_always_by_house_rule():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    assert "st" not in game.window.asked
    game.pass_all()
    wolf = game.unit("wolf")
    game.do(cmd.JoinFight(wolf))
    game.do(cmd.Grant(a, ("standard", "standard")))
    attacks(game, a, b)
    assert "st" in game.window.asked
    game.do(cmd.Hide(wolf))
    game.pass_all()
    attacks(game, a, b)
    assert "st" not in game.window.asked
    game, a, b, _ = brawl(st_asked="always")
    attacks(game, a, b)
    assert "st" in game.window.asked


def test_a_seat_whose_last_unit_is_struck_down_is_settled():
    game, a, b, c = brawl()
    attacks(game, a, b)
    passes(game, "p2")
    game.do(cmd.SetValue(c, "hp", 0, 10))
    game.wait(750)
    assert carried_out(game) == [a]


def test_a_seat_that_leaves_is_settled_and_the_st_runs_its_units():
    game, a, b, c = brawl()
    attacks(game, a, b)
    passes(game, "p2")
    game.do(cmd.RemoveSeat(SeatId("p3")))
    game.wait(750)
    assert carried_out(game) == [a]
    assert game.owner(c) == "st"


def test_a_revoked_seat_is_settled_until_it_is_renewed():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    passes(game, "p2")
    game.wait(1000)
    game.do(cmd.RevokeInvitation(SeatId("p3")))
    assert carried_out(game) == [a]
    now_acts(game, b)
    attacks(game, b, a)
    passes(game, "p1")
    game.do(cmd.RenewInvitation(SeatId("p3")))
    game.wait(750)
    assert game.stack == ["melee_attack"]
    game.do(cmd.RevokeInvitation(SeatId("p3")))
    assert carried_out(game) == [b]


def test_the_st_answers_for_a_revoked_seat():
    game, a, b, c = brawl()
    game.do(cmd.RevokeInvitation(SeatId("p3")))
    window = attacks(game, a, b)
    game.do(cmd.React(c, STEP, window))
    assert game.stack == ["melee_attack", "move"]


def test_whose_invitation_has_run_out_is_waited_for_as_if_his_line_were_lost():
    game, a, b, _ = brawl()
    game.do(cmd.RenewInvitation(SeatId("p3"), 1))
    attacks(game, a, b)
    passes(game, "p2")
    game.wait(5000)
    assert game.stack == ["melee_attack"]


def test_a_unit_that_comes_in_is_asked_from_the_next_gen_and_may_react_now():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    wolf = game.unit("wolf", abilities=[step_aside()])
    game.do(cmd.JoinFight(wolf))
    assert "st" not in game.window.asked
    game.do(cmd.React(wolf, STEP, window))
    game.pass_all()
    assert "st" in game.window.asked


def test_leaving_in_the_middle_of_an_open_decision_does_not_stop_the_table():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.React(b, STEP, game.window.id), "p2")
    game.do(cmd.RemoveUnit(b))
    assert game.stack == []
    assert {e.why for e in game.happened(ev.ActionFailed)} == {"interrupted", "no_target"}


# ------------------------------------------------------------------------------------------------------- standing orders
def order_window(order, *, target="c", kind="*", abilities=None, ready=False):
    """p2's unit b has the order; a attacks; p3 passes. Whether the window closes at the floor without p2."""
    game = Game(dice=MISSES, players=["p1", "p2", "p3"])
    b = game.unit("b", "p2", initiative=30, abilities=abilities or [])
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    c = game.unit("c", "p3", initiative=10)
    game.start()
    if ready:
        readies(game, b, trigger=Trigger("attack"))
    else:
        game.end(b)
    if order:
        game.do(cmd.SetStandingOrder(kind, order), "p2")
    attacks(game, a, {"b": b, "c": c}[target])
    passes(game, "p3")
    game.wait(750)
    return game.stack == []


@rule("IMM-07")
@pytest.mark.parametrize("order", [None, "concerns_me"])
class TestWhenItConcernsMe:
    """The default: asked as target, with a readied action that matched, or with an ability that fits; else it passes."""

    def test_it_passes_what_is_none_of_its_business(self, order):
        assert order_window(order)

    def test_it_asks_as_target(self, order):
        assert not order_window(order, target="b")

    def test_it_asks_with_an_ability_that_fits(self, order):
        assert not order_window(order, abilities=[step_aside()])

    def test_it_passes_with_an_ability_for_other_acts(self, order):
        assert order_window(order, abilities=[step_aside(answers=("cast",))])

    def test_it_asks_with_an_ability_for_any_act(self, order):
        assert not order_window(order, abilities=[step_aside(answers=("*",))])

    def test_it_asks_when_a_readied_action_has_matched(self, order):
        assert not order_window(order, ready=True)


@rule("IMM-07")
def test_ask_always_asks_about_everything():
    assert not order_window("ask")


@rule("IMM-07")
@pytest.mark.parametrize("target", ["b", "c"])
def test_pass_always_passes(target):
    assert order_window("pass", target=target, abilities=[step_aside()])


@rule("IMM-07")
def test_pass_unless_target_asks_its_target_only():
    assert order_window("unless_target", abilities=[step_aside()])
    assert not order_window("unless_target", target="b")


@rule("IMM-07")
def test_an_order_for_one_kind_of_act_goes_before_the_general_one():
    assert not order_window("ask", kind="melee_attack")
    assert order_window("ask", kind="cast")


@rule("IMM-07")
def test_a_standing_order_takes_part_at_once_also_in_an_open_window():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    passes(game, "p3")
    game.wait(2000)
    assert game.stack == ["melee_attack"]
    game.do(cmd.SetStandingOrder("melee_attack", "pass"), "p2")
    assert carried_out(game) == [a]


@rule("IMM-07")
def test_who_has_an_order_to_pass_may_still_react():
    game, a, b, _ = brawl()
    game.do(cmd.SetStandingOrder("*", "pass"), "p2")
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    assert game.stack == ["melee_attack", "move"]


def test_the_same_order_twice_is_no_change():
    game, *_ = brawl()
    game.do(cmd.SetStandingOrder("*", "pass"), "p2")
    assert game.refused(cmd.SetStandingOrder("*", "pass"), "p2") == "no_change"


# --------------------------------------------------------------------------------------------------- absent, time, modes
def test_a_seat_that_is_away_is_waited_for_or_passes_by_house_rule():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    passes(game, "p3")
    game.here -= {"p2"}
    game.wait(5000)
    assert game.stack == ["melee_attack"]
    game.do(cmd.SetHouse("absent", "pass"))
    assert carried_out(game) == [a]


def test_a_seat_that_comes_back_is_waited_for_again():
    game, a, b, _ = brawl(absent="pass")
    game.here -= {"p2"}
    attacks(game, a, b)
    game.here |= {"p2"}
    passes(game, "p3")
    game.wait(5000)
    assert game.stack == ["melee_attack"]


def test_more_time_moves_the_deadline_for_all_until_the_bank_is_empty():
    game, a, b, _ = brawl(time_bank_ms=7000)
    window = attacks(game, a, b)
    deadline = game.now + 8000
    game.do(cmd.MoreTime(window), "p2")
    assert game.seen("p3")[f"w/{window}"]["deadline"] == deadline + 5000
    game.do(cmd.MoreTime(window), "p2")
    assert game.seen("p3")[f"w/{window}"]["deadline"] == deadline + 7000, "what is left of the bank"
    assert game.seen("p2")["m/bank"] == 0
    assert game.refused(cmd.MoreTime(window), "p2") == "no_time_left"
    assert game.seen("p3")["m/bank"] == 7000, "each seat has its own"


def test_the_bank_is_full_again_in_the_next_scene():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.MoreTime(window), "p2")
    game.pass_all()
    assert game.seen("p2")["m/bank"] == 15_000
    game.do(cmd.EndFight())
    assert game.seen("p2")["m/bank"] == 20_000


def test_no_more_time_while_paused_or_covered():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.Hold())
    assert game.refused(cmd.MoreTime(window), "p2") == "paused"
    game.do(cmd.Release())
    game.do(cmd.React(b, STEP, window), "p2")
    assert game.refused(cmd.MoreTime(window), "p3") == "window_changed"


def test_at_a_fixed_length_passes_change_nothing_and_more_time_is_refused():
    game, a, b, _ = brawl(window_mode="fixed")
    window = attacks(game, a, b)
    passes(game, "p2", "p3")
    assert game.refused(cmd.MoreTime(window), "p2") == "fixed_length"
    game.wait(7999)
    assert game.stack == ["melee_attack"]
    game.wait(1)
    assert carried_out(game) == [a]


def test_in_mode_bluff_a_random_dwell_is_added_to_the_floor():
    game, a, b, _ = brawl(window_mode="bluff")
    world = World(game.now, game.dice, Ids(b"k", "c"), game.here, game.version + 1, dwell_ms=2000)
    declare = cmd.Declare(a, make_act("attack", "standard", ability="sword", targets=[b]))
    outcome = decide(game.table, declare, game.by("p1"), world)
    assert isinstance(outcome, Decided)
    game.table = outcome.table
    passes(game, "p2", "p3")
    game.wait(2749)
    assert game.stack == ["melee_attack"]
    game.wait(1)
    assert carried_out(game) == [a]


# ------------------------------------------------------------------------------------------------------------- nesting
def test_the_passes_of_a_gen_are_void_when_it_is_covered_and_promises_stay():
    game, a, b, c = brawl()
    game.do(cmd.SetValue(b, "extras.defense", 3, None))
    window = attacks(game, a, b)
    game.do(cmd.Grant(b, ("swift",)))
    game.table = with_guard(game.table, b, 3)
    game.do(cmd.Defend(window, b, 2), "p2")
    passes(game, "p2")
    game.do(cmd.React(c, STEP, window), "p3")
    game.pass_all()
    assert game.window.passed == ()
    assert game.top.guards == {b: 2}


def with_guard(table, unit, n):
    budgets = {**table.play.budgets, unit: replace(table.play.budgets[unit], guard=n)}
    return replace(table, play=replace(table.play, budgets=budgets))


def test_a_unit_may_answer_several_pendings():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", initiative=20, abilities=[attack(), step_aside()])
    b = game.unit("b", "p2", abilities=[step_aside(immediates=3)])
    game.start()
    window = attacks(game, a, b)
    game.do(cmd.React(a, STEP, window), "p1")
    game.do(cmd.React(b, STEP, game.window.id), "p2")
    game.do(cmd.React(b, STEP, window), "p2")
    assert len(game.stack) == 4


def test_nothing_lies_on_a_rolled_action():
    game, a, b, _ = brawl(relaxed_defense="on")
    attacks(game, a, b)
    game.pass_all()
    assert game.top.state == "rolled"
    window = game.window.id
    assert game.refused(cmd.React(b, STEP, window), "p2") == "too_late"
    assert game.refused(cmd.React(b, STEP), "p2") == "too_late"
    assert game.refused(cmd.Insert(b, make_act("use", "swift")), "st") == "too_late"


# -------------------------------------------------------------------------------------------------------------- defence
def guarded(*, dice, promised=None, defense=6, extra=0, default=0, **house):
    """a attacks b, who has defence extra successes and promises some of them."""
    game = Game(dice=dice, **house)
    a = game.unit("a", "p1", initiative=20, abilities=[attack(dice=3)], extras={"attack": extra})
    b = game.unit("b", "p2", initiative=10, extras={"defense": defense}, hp=20)
    game.start()
    if default:
        game.do(cmd.SetDefaultGuard(default), "p2")
    window = attacks(game, a, b)
    if promised is not None:
        game.do(cmd.Defend(window, b, promised), "p2")
    return game, a, b, window


@rule("XS-07")
def test_of_six_five_are_declared_one_is_rolled_it_misses_and_one_is_left_until_the_next_action():
    game, a, b, _ = guarded(dice=[8, 1, 1], promised=5)
    game.pass_all()
    assert game.hp(b) == 20
    assert game.table.play.budgets[b].guard == 1
    game.end(a)
    assert game.table.play.budgets[b].guard == 6


@rule("XS-07")
def test_declared_after_the_roll_it_is_too_late():
    game, _, b, window = guarded(dice=[8, 1, 1])
    game.pass_all()
    assert game.refused(cmd.Defend(window, b, 1), "p2") == "window_closed", "the window went with the roll"
    assert game.hp(b) == 19
    assert game.table.play.budgets[b].guard == 6


@rule("XS-07")
def test_not_declared_in_time_none_count():
    game, _, b, _ = guarded(dice=[8, 1, 1])
    game.pass_all()
    assert game.hp(b) == 19


@rule("XS-08")
@pytest.mark.parametrize(("promised", "damage"), [(3, 0), (2, 6)])
def test_three_rolled_and_three_declared_miss_whatever_the_extra_and_two_leave_one_and_five(promised, damage):
    game, _, b, _ = guarded(dice=[8, 8, 8], promised=promised, extra=5)
    game.pass_all()
    assert game.hp(b) == 20 - damage


def test_the_default_defence_counts_where_nothing_was_said_and_a_word_goes_before_it():
    game, _, b, _ = guarded(dice=[8, 8, 8], default=2)
    game.pass_all()
    assert game.hp(b) == 19
    assert game.table.play.budgets[b].guard == 4
    game, _, b, _ = guarded(dice=[8, 8, 8], default=2, promised=0)
    game.pass_all()
    assert game.hp(b) == 17
    assert game.table.play.budgets[b].guard == 6


def test_it_can_be_changed_until_the_window_closes_and_is_no_pass():
    game, _, b, window = guarded(dice=[8, 8, 8], promised=5)
    game.do(cmd.Defend(window, b, 1), "p2")
    assert game.top.guards == {b: 1}
    assert game.window.passed == ()
    assert game.refused(cmd.Defend(window, b, 1), "p2") == "no_change"
    game.pass_all()
    assert game.hp(b) == 18


def test_more_than_is_left_is_refused():
    game, _, b, window = guarded(dice=[1, 1, 1])
    assert game.refused(cmd.Defend(window, b, 7), "p2") == "not_enough"


def test_promises_over_all_open_attacks_stay_within_what_is_left():
    game = Game(dice=MISSES, players=["p1", "p2", "p3"])
    snap = attack("snap", slots=("immediate",))
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    b = game.unit("b", "p2", extras={"defense": 6})
    c = game.unit("c", "p3", abilities=[snap])
    game.start()
    window = attacks(game, a, b)
    game.do(cmd.Defend(window, b, 4), "p2")
    game.do(cmd.React(c, make_act("attack", "immediate", ability="snap", targets=[b]), window), "p3")
    assert game.refused(cmd.Defend(game.window.id, b, 3), "p2") == "not_enough"
    game.do(cmd.Defend(game.window.id, b, 2), "p2")
    game.do(cmd.Defend(window, b, 3), "p2")  # covered: answers of this kind still count
    game.pass_all()
    game.pass_all()
    assert game.table.play.budgets[b].guard == 1


def test_a_promise_is_released_if_it_never_rolls():
    game, _, b, _ = guarded(dice=[1, 1, 1], promised=5)
    game.do(cmd.Cancel(game.top.id))
    assert game.table.play.budgets[b].guard == 6


def test_who_is_no_target_and_who_does_not_own_it_cannot_defend():
    game, a, b, c = brawl()
    window = attacks(game, a, b)
    assert game.refused(cmd.Defend(window, c, 0), "p3") == "not_target"
    assert game.refused(cmd.Defend(window, b, 0), "p3") == "not_yours"


def test_a_promise_is_its_owners_and_the_sts_until_the_roll_and_public_with_it():
    game, _, b, _ = guarded(dice=[8, 8, 8], promised=2)
    path = f"k/{game.top.id}/guards"
    assert game.seen("p2")[path] == game.seen("st")[path] == {b: 2}
    assert path not in game.seen("p1")
    game.pass_all()
    assert game.happened(ev.GuardSpent)[0].n == 2


@rule("XS-07", "XS-10")
def test_relaxed_it_is_not_yet_time_before_the_roll_and_the_targets_are_asked_after_it():
    game, a, b, window = guarded(dice=[8, 8, 8], relaxed_defense="on")
    assert game.refused(cmd.Defend(window, b, 1), "p2") == "not_yet"
    game.pass_all()
    assert (game.top.state, game.window.kind, game.window.asked) == ("rolled", "defence", ("p2",))
    assert game.window.clock is not None
    assert game.window.clock.floor == game.now + 750


@rule("XS-10")
def test_relaxed_the_attacker_rolls_three_is_seen_to_and_three_of_six_assigned_make_it_miss():
    game, _, b, _ = guarded(dice=[8, 8, 8], relaxed_defense="on")
    game.pass_all()
    assert [e.rolled for e in game.happened(ev.Rolled)] == [3], "before anybody assigns anything"
    game.do(cmd.Defend(game.window.id, b, 3), "p2")
    game.pass_all()
    assert game.hp(b) == 20
    assert game.table.play.budgets[b].guard == 3
    assert len([e for e in game.events if isinstance(e, ev.Rolled)]) == 1, "the dice are thrown once"


@rule("XS-10")
def test_relaxed_with_fewer_assigned_the_rest_hits():
    game, _, b, _ = guarded(dice=[8, 8, 8], relaxed_defense="on")
    game.pass_all()
    game.do(cmd.Defend(game.window.id, b, 1), "p2")
    game.pass_all()
    assert game.hp(b) == 18


def test_relaxed_a_fault_in_the_roll_fails_the_attack_and_refunds_it(monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("core.attacks.roll_against", broken)
    game, a, *_ = guarded(dice=[], relaxed_defense="on")
    game.pass_all()
    assert game.stack == []
    assert game.left(a)["standard"] == 1


def test_fled_counts_for_that_pending_only_and_for_targets_in_it():
    game, a, b, c = brawl()
    window = attacks(game, a, b)
    game.do(cmd.React(c, STEP, window), "p3")
    game.pass_all()
    assert game.top.fled == (), "c is no target"
    game.do(cmd.React(b, STEP, window), "p2")
    game.pass_all()
    assert game.top.fled == (b,)


# ------------------------------------------------------------------------------------------------------------- re-check
def test_bound_the_actor_of_a_move_cannot_go_on():
    game, a, *_ = brawl()
    game.declare(a, "move", "move")
    game.do(cmd.AddCondition(a, "bound"))
    game.pass_all()
    assert [e.why for e in game.happened(ev.ActionFailed)] == ["barred"]


def test_bound_the_actor_of_an_attack_goes_on():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.AddCondition(a, "bound"))
    game.pass_all()
    assert carried_out(game) == [a]


def test_bound_at_declare_it_is_refused_and_not_charged():
    game, a, *_ = brawl()
    game.do(cmd.AddCondition(a, "bound"))
    assert game.refused(cmd.Declare(a, make_act("move", "move")), "p1") == "barred"
    assert game.left(a)["move"] == 1


def test_with_the_ability_gone_it_fails():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    units = {**game.table.play.units, a: replace(game.table.play.units[a], abilities={})}
    game.table = replace(game.table, play=replace(game.table.play, units=units))
    game.pass_all()
    assert [e.why for e in game.happened(ev.ActionFailed)] == ["no_means"]


@pytest.mark.parametrize("does", [
    lambda a, b: cmd.Adjust(a, "hp", -3), lambda a, b: cmd.SetValue(a, "position", "there", ""),
    lambda a, b: cmd.AddCondition(a, "prone"), lambda a, b: cmd.SetValue(b, "position", "far", ""),
    lambda a, b: cmd.AddCondition(b, "prone"), lambda a, b: cmd.Hide(b),
])  # fmt: skip
def test_hurt_moved_prone_or_out_of_sight_does_not_stop_it(does):
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(does(a, b))
    game.pass_all()
    assert carried_out(game) == [a]


def test_a_counter_needs_a_waiting_action_to_counter():
    game = Game(dice=MISSES, players=["p1", "p2", "p3"])
    counterspell = Ability("counterspell", "cast", ("immediate",), counters=True, answers=("*",))
    a = game.unit("a", "p1", initiative=20)
    b = game.unit("b", "p2", abilities=[counterspell])
    c = game.unit("c", "p3", abilities=[counterspell])
    game.start()
    game.declare(a, "cast")
    spell = game.top.id
    act = make_act("cast", "immediate", ability="counterspell", counters=spell)
    game.do(cmd.React(b, act), "p2")
    game.do(cmd.React(c, act), "p3")
    game.pass_all()
    assert [(e.actor, e.why) for e in game.happened(ev.ActionFailed)] == [(a, "interrupted"), (b, "no_target")]
    assert game.stack == []
    assert game.refused(cmd.React(a, act), "p1") in ("ability_required", "no_target")


def test_what_it_was_paid_with_is_not_asked_for_again():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.Spend(a, ("move", "swift")))
    game.pass_all()
    assert carried_out(game) == [a]


# ---------------------------------------------------------------------------------------------- what the ST lets through
@rule("TBL-02")
def test_with_warn_what_the_recheck_would_stop_is_done_all_the_same():
    game, a, b, _ = brawl(dice=[8, 1, 1, 1, 1], enforce="warn")
    game.do(cmd.AddCondition(a, "stunned"))
    game.do(cmd.Grant(a, ("standard",)))
    attacks(game, a, b)
    assert [e.code for e in game.happened(ev.Flagged)] == ["cannot_act"]
    game.pass_all()
    assert game.hp(b) == 9


@rule("IMM-04")
def test_what_was_declared_with_leave_to_spend_still_fails_when_its_actor_is_struck_down():
    """Leave is for what was refused, not for everything that comes after."""
    game, a, b, _ = brawl(enforce="warn")
    game.do(cmd.Spend(a, ("standard",)))
    attacks(game, a, b)
    game.react(b, "kill", targets=[a])
    game.pass_all()
    assert game.happened(ev.ActionFailed)[0].why == "interrupted"


def test_a_removed_actors_inserted_act_fails():
    game, a, b, _ = brawl()
    game.do(cmd.AddCondition(a, "stunned"))
    game.do(cmd.Insert(a, make_act("attack", "standard", ability="sword", targets=[b])))
    game.do(cmd.RemoveUnit(a))
    assert game.stack == []


# ------------------------------------------------------------------------------------------------------------ the money
@pytest.mark.parametrize("how", ["carried out", "failed", "cancelled without refund"])
def test_what_was_spent_stays_spent(how):
    game, a, b, _ = brawl()
    attacks(game, a, b)
    if how == "failed":
        game.do(cmd.EditPending(game.top.id, fails=True))
    elif how == "cancelled without refund":
        game.do(cmd.Cancel(game.top.id, refund=False))
    else:
        game.pass_all()
    assert game.left(a)["standard"] == 0


def test_a_refund_gives_back_the_slot_that_was_paid_with():
    game, a, *_ = brawl()
    game.declare(a, "move", "move", pay="standard")
    game.do(cmd.Cancel(game.top.id))
    assert game.left(a) == {"swift": 1, "move": 1, "standard": 1}
    assert game.table.play.budgets[a].spent == ()


def test_a_refund_gives_back_the_immediate_action_and_its_debt():
    game, a, b, _ = brawl()
    before = game.table.play.budgets[b]
    attacks(game, a, b)
    game.react(b, "step aside")
    assert game.table.play.budgets[b].debts == ("all_swift",)
    game.do(cmd.Cancel(game.top.id))
    assert game.table.play.budgets[b] == before


def test_a_refund_of_one_of_two_leaves_the_others_debt():
    game = Game(dice=MISSES)
    game.unit("a", "p1", initiative=20)
    b = game.unit("b", "p2", abilities=[step_aside(immediates=2)])
    game.start()
    game.react(b, "step aside")
    game.react(b, "step aside")
    game.do(cmd.Cancel(game.top.id))
    assert game.table.play.budgets[b].debts == ("all_swift",)
    assert game.table.play.budgets[b].immediates == 1


def test_a_refund_gives_back_the_kind_of_a_free_act():
    game, a, *_ = brawl()
    game.declare(a, "cast", "free")
    game.do(cmd.Cancel(game.top.id))
    assert game.table.play.budgets[a].free_kinds == ()
    game.declare(a, "cast", "free")


def test_a_readied_action_refunded_is_armed_again_and_does_not_fire_again_at_once():
    game, b, a, _ = brawl()
    readied = readies(game, b, auto=True)
    attacks(game, a, b)
    assert game.stack == ["melee_attack", "move"]
    game.do(cmd.Cancel(game.top.id, reason="he did not see it coming"))
    assert game.stack == ["melee_attack"]
    assert game.table.play.readied[readied].state == "armed"
    assert game.table.play.budgets[b].debts == ()
    game.pass_all()
    game.do(cmd.Grant(a, ("standard",)))
    attacks(game, a, b)
    assert game.stack == ["melee_attack", "move"], "the next attack triggers it"


def test_a_readied_action_whose_rule_is_broken_does_not_fire_for_ever(monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    game, b, a, _ = brawl(reaction_window_ms=0)
    readies(game, b, auto=True)
    monkeypatch.setattr("core.carry_out.use", broken)
    game.declare(a, "attack", ability="sword", targets=[b])
    assert game.stack == []
    assert len(game.happened(ev.Faulted)) == 1
