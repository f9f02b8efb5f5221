"""The Storyteller inside windows, and going back (interrupts.md 9; TBL-02)."""

import pytest

from core import commands as cmd
from core import events as ev
from core.clock import next_instant
from core.decide import decide
from core.diff import patch
from core.ids import Ids, PendingId, RequestId, SeatId, WindowId
from core.refusals import Refused
from core.state import Strike
from core.world import World
from tests.helpers.brawl import attacks, brawl, code, now_acts, readies
from tests.helpers.play import Game, attack, make_act, step_aside

rule = pytest.mark.rule
STEP = make_act("move", "immediate", ability="step aside", leaves=True)


def nested(**house):
    """(game, a, b, c, window of a's attack): b's step lies on it."""
    game, a, b, c = brawl(**house)
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    return game, a, b, c, window


def past(game, version):
    """The play at an earlier version, which the server looks up in its log."""
    return game.changes[version - 1].after.play


def back(game, version, reason=""):
    return cmd.Rewind(version, game.version, reason, past(game, version))


# ----------------------------------------------------------------------------------------------------- pause and resume
def test_held_answers_are_taken_and_nothing_is_carried_out_until_the_release():
    game, a, b, _ = brawl()
    game.do(cmd.AddCondition(b, "marked"))
    window = attacks(game, a, b)
    game.do(cmd.Hold())
    game.do(cmd.Pass(window, 1), "p2")
    game.do(cmd.Pass(window, 1), "p3")
    game.do(cmd.Defend(window, b, 0), "p2")
    game.wait(60_000)
    assert game.stack == ["melee_attack"]
    game.do(cmd.React(b, STEP, window), "p2")
    assert game.stack == ["melee_attack", "move"]
    game.wait(60_000)
    assert game.stack == ["melee_attack", "move"]


def test_released_the_clock_runs_on_with_what_was_left():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.wait(3000)
    game.do(cmd.Hold())
    assert game.seen("p2")[f"w/{window}"]["left"] == 5000
    game.wait(60_000)
    game.do(cmd.Release())
    assert game.seen("p2")[f"w/{window}"]["deadline"] == game.now + 5000
    game.wait(4999)
    assert game.stack == ["melee_attack"]
    game.wait(1)
    assert game.stack == []


def test_all_passed_while_held_it_closes_with_the_release_if_its_floor_had_gone_by():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.wait(1000)
    game.do(cmd.Hold())
    game.do(cmd.Pass(window, 1), "p2")
    game.do(cmd.Pass(window, 1), "p3")
    game.do(cmd.Release())
    assert game.happened(ev.ActionCarriedOut)


def test_while_held_no_player_ends_his_action_and_nothing_is_done_at_once():
    game, a, b, _ = brawl()
    game.do(cmd.Hold())
    assert game.refused(cmd.EndAction(a, 1), "p1") == "held"
    assert game.refused(cmd.Declare(b, make_act("duck", "anytime", ability="duck")), "p2") == "held"
    game.do(cmd.Say("what now?"), "p2")


def test_held_or_released_twice_is_no_change():
    game, *_ = brawl()
    assert game.refused(cmd.Release()) == "no_change"
    game.do(cmd.Hold())
    assert game.refused(cmd.Hold()) == "no_change"


def test_hold_next_stops_the_table_once_the_action_under_way_has_ended():
    game, a, b, _ = brawl()
    game.do(cmd.Hold(next=True))
    attacks(game, a, b)
    game.pass_all()
    assert not game.table.play.held
    game.end(a)
    assert game.table.play.held
    assert game.active is None
    game.do(cmd.Release())
    assert game.active == b


def test_a_fight_that_starts_into_a_hold_begins_with_the_release():
    game, a, *_ = brawl()
    game.do(cmd.EndFight())
    game.do(cmd.Hold(next=True))
    game.start()
    assert (game.active, game.table.play.held) == (None, True)
    game.do(cmd.Release())
    assert game.active == a


def test_a_fight_that_the_st_begins_himself_goes_on_by_itself_only_then():
    game, a, b, _ = brawl()
    game.do(cmd.EndFight())
    game.do(cmd.StartFight(begin=False))
    game.do(cmd.Hold())
    game.do(cmd.Release())
    assert game.active is None
    game.do(cmd.BeginAction(b))
    game.end(b)
    assert game.active == a


def test_the_end_of_the_fight_lifts_the_hold_whatever_it_was_for():
    game, *_ = brawl()
    game.do(cmd.Hold())
    game.do(cmd.EndFight())
    assert not game.table.play.held


def test_released_in_a_hidden_units_own_action_the_table_goes_on_and_its_action_is_over():
    game, a, b, _ = brawl()
    foe = game.unit("foe", hidden=True, initiative=19)
    game.do(cmd.JoinFight(foe, 1))
    game.end(a)
    assert (game.active, game.table.play.held) == (foe, True)
    game.do(cmd.Release())
    assert (game.active, game.table.play.held) == (b, False)


def test_what_was_put_on_the_stack_while_a_hidden_unit_acted_goes_on_before_the_next_action():
    game, a, b, _ = brawl()
    foe = game.unit("foe", hidden=True, initiative=19)
    game.do(cmd.JoinFight(foe, 1))
    game.end(a)
    game.react(b, "step aside")
    game.do(cmd.Declare(foe, make_act("use", "standard")))
    assert game.stack == ["move"], "what it does unnoticed covers nothing"
    game.end(foe)
    assert (game.stack, game.active, game.table.play.held) == (["move"], None, False)
    game.pass_all()
    assert game.active == b


def test_the_last_st_to_leave_lifts_the_hold():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.Hold())
    game.of_the_server(cmd.RemoveSeat(SeatId("x1")))
    assert not game.table.play.held
    game.wait(8000)
    assert game.stack == []


@pytest.mark.parametrize("ends", [cmd.RevokeInvitation(SeatId("x1")), cmd.RenewInvitation(SeatId("x1"), 60)])
def test_a_hold_ends_with_the_last_invitation_by_which_an_st_could_come_in(ends):
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.Hold())
    game.of_the_server(ends)
    until = game.table.seats[SeatId("x1")].until
    assert next_instant(game.table, game.now, game.here) == (until or game.now + 8000)
    game.wait(60_000)
    assert not game.table.play.held
    game.wait(8000)
    assert game.stack == []


def test_a_hold_is_not_over_before_the_last_st_can_come_in_no_more():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.AddSeat("second", "st", lasts_s=60))
    game.do(cmd.Hold())
    assert next_instant(game.table, game.now, game.here) is None
    assert game.refused(cmd.ReleaseDue()) == "not_due"
    game.of_the_server(cmd.RevokeInvitation(SeatId("x1")))
    game.wait(59_999)
    assert game.table.play.held
    game.wait(1)
    assert not game.table.play.held
    assert game.refused(cmd.ReleaseDue()) == "not_due"


def test_a_hold_for_the_next_action_ends_with_the_last_st():
    game, a, _, _ = brawl()
    game.do(cmd.Hold(next=True))
    game.of_the_server(cmd.RevokeInvitation(SeatId("x1")))
    game.end(a)
    assert not game.table.play.held


def test_one_of_two_sts_leaving_lifts_nothing():
    game, a, b, _ = brawl()
    game.do(cmd.AddSeat("second", "st", seat=SeatId("x2")))
    game.do(cmd.Hold())
    game.of_the_server(cmd.RemoveSeat(SeatId("x1")))
    assert game.table.play.held


def test_a_hidden_unit_revealed_in_its_own_action_lets_the_stopped_clock_run_on():
    """Somebody has reacted while the table was held for it."""
    game, a, b, _ = brawl()
    foe = game.unit("foe", hidden=True, initiative=19)
    game.do(cmd.JoinFight(foe, 1))
    game.end(a)
    assert game.active == foe
    game.react(b, "step aside")
    game.do(cmd.Reveal(foe))
    assert game.window.clock is not None
    assert game.window.clock.running
    game.wait(8000)
    assert game.stack == []


def test_the_owner_of_a_hidden_unit_ends_its_action_though_the_table_is_held_for_it():
    game, a, b, _ = brawl()
    game.do(cmd.Hide(b))
    game.end(a)
    assert (game.active, game.table.play.held) == (b, True)
    game.do(cmd.Declare(b, make_act("duck", "anytime", ability="duck")), "p2")
    game.end(b)
    assert not game.table.play.held


def test_without_an_st_no_table_is_held_for_a_hidden_unit():
    game, a, b, _ = brawl()
    game.do(cmd.Hide(b))
    game.of_the_server(cmd.RemoveSeat(SeatId("x1")))
    game.end(a)
    assert (game.active, game.table.play.held) == (b, False)


# -------------------------------------------------------------------------------------------------------- clock and close
def test_the_st_gives_more_time_and_takes_time_below_the_floor():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    opened = game.now
    game.do(cmd.SetClock(window, 4000))
    assert game.seen("p2")[f"w/{window}"]["deadline"] == opened + 12_000
    game.do(cmd.SetClock(window, -11_900))
    game.wait(100)
    assert game.stack == []


def test_shortened_to_nothing_it_closes_in_the_same_command():
    game, a, b, _ = brawl()
    game.do(cmd.SetClock(attacks(game, a, b), -60_000))
    assert game.stack == []


def test_held_more_time_is_added_to_what_is_left():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.Hold())
    game.do(cmd.SetClock(window, 1000))
    assert game.seen("p2")[f"w/{window}"]["left"] == 9000


def test_the_st_closes_a_window_held_or_not_with_the_re_check():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.Hold())
    game.do(cmd.CloseWindow(window))
    assert game.happened(ev.ActionCarriedOut)
    assert game.table.play.held


def test_the_covered_are_not_on_top():
    game, _, _, _, window = nested()
    beneath = game.table.play.stack[0]
    assert game.refused(cmd.CloseWindow(window)) == "not_on_top"
    assert game.refused(cmd.SetClock(window, 1000)) == "not_on_top"
    assert game.refused(cmd.Resolve(beneath)) == "not_on_top"


def test_gone_or_unknown_ones_are_refused():
    game, *_ = brawl()
    assert game.refused(cmd.CloseWindow(WindowId("none"))) == "window_closed"
    assert game.refused(cmd.SetClock(WindowId("none"), 5)) == "window_closed"
    assert game.refused(cmd.Cancel(PendingId("none"))) == "unknown"
    assert game.refused(cmd.Resolve(PendingId("none"))) == "unknown"
    assert game.refused(cmd.EditPending(PendingId("none"), fails=True)) == "unknown"


@rule("TBL-02")
def test_the_st_resolves_the_top_at_once():
    game, _, b, _, _ = nested()
    game.do(cmd.Resolve(game.top.id))
    assert [e.actor for e in game.happened(ev.ActionCarriedOut)] == [b]
    assert game.window.gen == 2


# ------------------------------------------------------------------------------------------------------- cancel and edit
@rule("TBL-02")
def test_cancelled_at_any_depth_it_goes_and_those_above_stay():
    game, a, b, _, _ = nested()
    window = game.window
    game.do(cmd.Cancel(game.table.play.stack[0]))
    assert game.stack == ["move"]
    assert game.window == window, "no clock moves"
    assert game.left(a)["standard"] == 1


@rule("TBL-02")
def test_the_top_cancelled_the_one_beneath_is_asked_again():
    game, _, b, _, window = nested()
    game.do(cmd.Cancel(game.top.id))
    assert (game.window.id, game.window.gen) == (window, 2)
    assert game.table.play.budgets[b].immediates == 1


def test_an_edit_that_all_can_see_asks_again():
    game, a, b, c = brawl()
    attacks(game, a, b)
    game.do(cmd.Pass(game.window.id, 1), "p3")
    game.do(cmd.EditPending(game.top.id, targets=(c,)))
    assert (game.window.gen, game.window.passed) == (2, ())
    game.do(cmd.EditPending(game.top.id, fled=(c,)))
    assert game.window.gen == 3


def test_an_edit_of_what_is_sealed_moves_no_clock():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    window = game.window
    game.do(cmd.EditPending(game.top.id, guards={b: 2}))
    assert game.window == window
    assert game.refused(cmd.EditPending(game.top.id, guards={b: 2})) == "no_change"


@rule("TBL-04")
@pytest.mark.parametrize("edit", ["targets", "fled"])
def test_an_edit_with_units_that_are_hidden_moves_no_clock_and_tells_nobody(edit: str):
    game, a, b, _ = brawl()
    ghost = game.unit("Ghost", hidden=True)
    attacks(game, a, b)
    window, since = game.window, len(game.changes)
    for units in ((b, ghost), (b,)) if edit == "targets" else ((ghost,), ()):
        top = game.top.id
        game.do(cmd.EditPending(top, targets=units) if edit == "targets" else cmd.EditPending(top, fled=units))
        assert game.window == window
    assert [game.received(seat, since) for seat in ("p1", "p2", "all")] == [[], [], []]
    assert len(game.received("st", since)) == 2


def test_an_edit_of_the_weapons_of_its_attacks_asks_again():
    """With what somebody is attacked all see, how the extra successes are shared nobody (interrupts.md 1)."""
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.EditPending(game.top.id, split=(Strike(b, "kill"),)))
    assert game.window.gen == 2
    game.do(cmd.EditPending(game.top.id, split=(Strike(b, "kill", 1),)))
    assert game.window.gen == 2


def test_an_edit_of_a_covered_one_moves_no_clock():
    game, _, _, c, window = nested()
    top = game.window
    game.do(cmd.EditPending(game.table.play.stack[0], targets=(c,)))
    assert game.window == top
    assert game.table.play.windows[window].gen == 1


def test_the_st_says_it_fails():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.EditPending(game.top.id, fails=True))
    assert [e.why for e in game.happened(ev.ActionFailed)] == ["st"]


@rule("TBL-02")
def test_closed_by_force_it_is_carried_out_without_the_re_check():
    game, a, b, _ = brawl()
    game.declare(a, "move", "move", position="there")
    game.do(cmd.AddCondition(a, "bound"))
    game.do(cmd.CloseWindow(game.window.id, force=True))
    assert game.table.play.units[a].position == "there"


def told(game, audience="st", kind=""):
    """The lines of the last change for an audience, without kind and time."""
    change = game.changes[-1]
    seen = patch(change, audience)
    return [line[2:] for line in (seen.lines if seen else ()) if line[0] == kind]


def test_an_edit_says_what_was_changed_and_only_the_st_edits():
    game, a, b, c = brawl()
    attacks(game, a, b)
    top = game.top.id
    game.do(cmd.EditPending(top, targets=(c,), guards={c: 1}))
    assert told(game, kind="edited") == [["x1", top, [a, "a"], [[c, "c"]], None, {"c": 1}]]
    assert told(game, "p1", "edited") == []


def test_a_readied_action_that_is_met_is_no_edit_of_the_sts():
    game, a, b, c = brawl()
    readies(game, a, auto=True)
    now_acts(game, c)
    attacks(game, c, a)
    assert any(isinstance(event, ev.PendingEdited) for event in game.last)
    assert told(game, kind="edited") == []


def test_more_and_less_time_and_another_order_are_told():
    game, a, b, _, _ = nested()
    game.do(cmd.SetClock(game.window.id, -2000))
    assert told(game, kind="clock_set") == [["x1", -2, game.top.id]]
    assert told(game, "p1", "clock_set") == [["st", -2, game.top.id]]
    asked = game.window.asked[0]
    game.do(cmd.MoreTime(game.window.id), asked)
    assert told(game, kind="clock_set") == [[asked, 5, game.top.id]]
    others = [seat for seat in ("p1", "p2", "p3") if seat != asked]
    assert not any(told(game, seat, "clock_set") for seat in others), "nobody is told whose it was"
    stack = game.table.play.stack
    game.do(cmd.Restack(stack[::-1], stack))
    assert told(game, kind="restacked") == [["x1", [[b, "b"], [a, "a"]]]]


def test_edited_so_that_its_targets_are_gone_it_fails_at_its_close():
    game, a, b, c = brawl()
    attacks(game, a, b)
    game.do(cmd.SetValue(c, "hp", 0, 10))
    game.do(cmd.EditPending(game.top.id, targets=(c,)))
    game.pass_all()
    assert [e.why for e in game.happened(ev.ActionFailed)] == ["no_target"]


# ------------------------------------------------------------------------------------------------------ insert, restack
@rule("TBL-02")
def test_the_st_acts_with_any_unit_on_top_free_of_cost():
    game, a, b, c = brawl()
    window = attacks(game, a, b)
    before = game.table.play.budgets[c]
    game.do(cmd.Insert(c, make_act("use", "immediate", ability="stun", targets=[a])))
    assert game.table.play.windows[window].clock is None
    assert game.table.play.budgets[c] == before
    game.pass_all()
    assert [(e.actor, e.why) for e in game.happened(ev.ActionFailed)] == [(a, "interrupted")]


def test_an_inserted_act_fails_like_any_other_when_its_actor_is_struck_down():
    game, a, b, c = brawl()
    attacks(game, a, b)
    game.do(cmd.Insert(c, make_act("use", "immediate", ability="stun", targets=[a])))
    game.do(cmd.SetValue(c, "hp", 0, 10))
    assert game.stack == ["melee_attack"]


def test_the_st_answers_for_a_seat_and_it_is_on_record_as_his():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    by = cmd.By(SeatId("p2"), "player", SeatId("x1"))
    ids = Ids(b"test", "for p2")
    outcome = decide(game.table, cmd.Pass(window, 1), by, World(game.now, game.dice, ids, game.here, game.version + 1))
    assert not isinstance(outcome, Refused)
    assert outcome.table.play.windows[window].passed == ("p2",)


@rule("TBL-02")
def test_restacked_whoever_comes_on_top_is_asked_again():
    game, a, b, c, window = nested()
    old = game.table.play.stack
    upper = game.window
    game.do(cmd.Restack((old[1], old[0]), old))
    assert (game.window.id, game.window.gen) == (window, 2)
    assert game.table.play.windows[upper.id].clock is None


def test_a_restack_of_a_stack_that_has_changed_is_refused():
    game, a, b, c, _ = nested()
    old = game.table.play.stack
    game.do(cmd.React(c, STEP), "p3")
    assert game.refused(cmd.Restack((old[1], old[0]), old)) == "changed"
    now = game.table.play.stack
    assert game.refused(cmd.Restack(now[:2], now)) == "bad_value"
    assert game.refused(cmd.Restack(now, now)) == "bad_value"


def test_any_value_the_st_sets_settles_as_always():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.SetValue(a, "hp", 0, 10))
    assert game.happened(ev.ActionFailed)[0].why == "interrupted"
    assert game.stack == []
    assert game.active == b, "and who is out has had his action"


def test_an_action_declared_before_its_unit_was_hidden_goes_on_without_saying_whose_it_is():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.Hide(a))
    assert game.seen("p2")[f"k/{game.top.id}"]["actor"] is None
    game.do(cmd.React(b, STEP, window), "p2")
    assert a not in repr(game.seen("p2"))
    game.pass_all()
    game.pass_all()
    assert game.stack == []


# --------------------------------------------------------------------------------------------------------------- rewind
def rewound_into_a_window():
    """Back to where b's step lay on a's attack and c had passed; the windows of then."""
    game = brawl()[0]
    a, b, c = list(game.table.play.units)
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    game.do(cmd.Pass(game.window.id, 1), "p3")
    there = game.version
    old = dict(game.table.play.windows)
    game.pass_all()
    game.do(back(game, there, "b changed his mind"))
    return game, a, b, c, old


@rule("TBL-02")
def test_rewound_both_windows_are_back_under_new_ids_unanswered_and_held():
    game, a, b, c, old = rewound_into_a_window()
    assert game.stack == ["melee_attack", "move"]
    assert game.table.play.held
    windows = game.table.play.windows
    assert not windows.keys() & old.keys()
    assert {(w.gen, w.passed) for w in windows.values()} == {(1, ())}
    assert game.window.clock is not None
    assert not game.window.clock.running


@rule("TBL-02")
def test_after_a_rewind_answers_under_way_and_old_timers_find_nothing():
    game, a, b, c, old = rewound_into_a_window()
    for id in old:
        assert game.refused(cmd.Pass(id, 1), "p3") == "window_closed"
        assert game.refused(cmd.React(c, STEP, id), "p3") == "window_closed"
        world = World(game.now + 99_000, game.dice, Ids(b"k", "c"), game.here, game.version + 1)
        assert code(decide(game.table, cmd.CloseDue(id, 1), game.by("st"), world)) == "not_due"


@rule("TBL-02")
def test_after_a_rewind_budgets_and_debts_are_as_they_were_and_time_goes_forward():
    game, a, b, c, _ = rewound_into_a_window()
    assert game.table.play.budgets[b].immediates == 0
    assert game.table.play.budgets[b].debts == ("all_swift",)
    assert game.left(a)["standard"] == 0
    assert game.table.seen == game.now
    game.do(cmd.Release())
    game.pass_all()
    assert game.top.fled == (b,)


@rule("TBL-02")
def test_rewound_before_the_act_it_is_undone_and_its_cost_is_back():
    game = brawl(dice=[8] * 40)[0]
    a, b, _ = list(game.table.play.units)
    there = game.version
    attacks(game, a, b)
    game.pass_all()
    assert game.hp(b) == 5
    rolls = dict(game.table.rolls)
    game.do(back(game, there))
    assert (game.hp(b), game.left(a)["standard"]) == (10, 1)
    assert game.table.rolls == rolls, "no face is rolled a second time"
    assert not game.table.play.held, "nothing waits"


def test_a_rewind_goes_into_a_hold_that_was():
    game = brawl()[0]
    game.do(cmd.Hold())
    there = game.version
    game.do(cmd.Release())
    game.do(back(game, there))
    assert game.table.play.held


def test_a_rewind_is_refused_if_more_has_happened_than_the_st_saw():
    game = brawl()[0]
    a, b, _ = list(game.table.play.units)
    there = game.version
    command = back(game, there - 1)
    game.do(cmd.Say("wait"), "p1")
    assert game.refused(command) == "changed"
    assert game.refused(cmd.Rewind(game.version, game.version, "", game.table.play)) == "nothing_to_rewind"
    assert game.refused(cmd.Rewind(there, game.version, "", None)) == "history_short"


def test_standing_orders_stay_as_they_are_now_and_seats_that_left_stay_away():
    game = brawl()[0]
    a, b, c = list(game.table.play.units)
    attacks(game, a, b)
    there = game.version
    game.do(cmd.SetStandingOrder("*", "pass"), "p2")
    game.do(cmd.RemoveSeat(SeatId("p3")))
    game.wait(750)
    game.do(back(game, there))
    assert game.table.orders[SeatId("p2")].kinds == {"*": "pass"}
    assert game.window.asked == ("p2", "st")
    assert game.owner(c) == "st"


def test_a_removed_unit_that_comes_back_by_a_rewind_still_has_its_owner():
    game = brawl()[0]
    _, b, _ = list(game.table.play.units)
    there = game.version
    game.do(cmd.RemoveUnit(b))
    game.do(back(game, there))
    assert game.owner(b) == "p2"


def test_a_readied_action_used_is_armed_again_after_a_rewind_to_before():
    game, b, a, _ = brawl()
    readied = readies(game, b, auto=True)
    there = game.version
    attacks(game, a, b)
    game.pass_all()
    game.pass_all()
    assert game.table.play.readied[readied].state == "used"
    game.do(back(game, there))
    assert game.table.play.readied[readied].state == "armed"
    assert game.table.play.budgets[b].debts == ()


@rule("TBL-02")
def test_nobody_who_plays_may_rewind():
    game = brawl()[0]
    assert game.refused(back(game, game.version - 1), "p1") == "forbidden"


# ------------------------------------------------------------------------------------------------- take-back by request
def asks_back(game, seat="p1"):
    return RequestId(game.do(cmd.AskTakeBack("slip of the finger"), seat).made[0])


@rule("TBL-02")
def test_a_yes_to_a_take_back_goes_to_before_the_seats_last_act():
    game = brawl()[0]
    a, b, _ = list(game.table.play.units)
    attacks(game, a, b)
    request = asks_back(game)
    to = game.table.requests[request].to
    assert to is not None
    game.do(cmd.AnswerRequest(request, True, "once", game.version, past(game, to)))
    assert game.stack == []
    assert game.left(a)["standard"] == 1
    assert game.table.requests == {}
    assert game.refused(cmd.AskTakeBack(), "p1") == "nothing_to_undo", "it is undone already"


@rule("TBL-02")
def test_a_no_changes_nothing_but_the_request():
    game = brawl()[0]
    a, b, _ = list(game.table.play.units)
    attacks(game, a, b)
    request = asks_back(game)
    game.do(cmd.AnswerRequest(request, False))
    assert game.stack == ["melee_attack"]
    assert game.table.requests == {}
    assert game.refused(cmd.AnswerRequest(request, True)) == "unknown"


@rule("TBL-02")
def test_a_yes_names_the_version_that_the_st_saw():
    game = brawl()[0]
    a, b, _ = list(game.table.play.units)
    attacks(game, a, b)
    request = asks_back(game)
    seen, to = game.version, game.table.requests[request].to
    assert to is not None
    game.do(cmd.Say("hm"), "p2")
    assert game.refused(cmd.AnswerRequest(request, True, "", seen, past(game, to))) == "changed"
    assert request in game.table.requests, "it still stands"


def test_who_has_done_nothing_has_nothing_to_take_back():
    game, *_ = brawl()
    assert game.refused(cmd.AskTakeBack(), "p2") == "nothing_to_undo"
    assert game.refused(cmd.AskTakeBack(), "st") == "forbidden"


def test_what_the_st_has_undone_himself_is_no_open_request_any_more():
    """Or a late yes would bring the undone future back."""
    game = brawl()[0]
    a, b, _ = list(game.table.play.units)
    there = game.version
    game.do(cmd.Say("now"), "p1")
    attacks(game, a, b)
    asks_back(game)
    game.do(back(game, there))
    assert game.table.requests == {}


@rule("TBL-02")
def test_leave_for_a_refused_act_is_given_once_and_on_record():
    game, a, b, _ = brawl()
    now_acts(game, a)
    game.do(cmd.Spend(a, ("standard",)))
    act = cmd.Declare(a, make_act("attack", "standard", ability="sword", targets=[b]))
    assert game.refused(act, "p1") == "no_action_left"
    made = game.do(cmd.AskLeave(act, {"kind": "declare"}, "please"), "p1").made
    game.do(cmd.AnswerRequest(RequestId(made[0]), True, command=act))
    assert game.stack == ["melee_attack"]
    assert [(e.code, e.leave, e.seat) for e in game.happened(ev.Flagged)] == [("no_action_left", True, "p1")]
    game.pass_all()
    assert game.refused(act, "p1") == "no_action_left"


def test_leave_is_asked_for_what_rules_refuse_only():
    game, a, b, _ = brawl()
    fine = cmd.Declare(a, make_act("attack", "standard", ability="sword", targets=[b]))
    assert game.refused(cmd.AskLeave(fine, {}), "p1") == "bad_value"
    assert game.refused(cmd.AskLeave(cmd.EndAction(b, 0), {}), "p1") == "not_yours"
    attacks(game, a, b)
    assert game.refused(cmd.AskLeave(fine, {}), "p1") == "window_open"


def test_an_answer_needs_an_attacker_still_there():
    game = Game(dice=[1] * 50)
    a = game.unit("a", "p1", initiative=20, abilities=[attack()])
    b = game.unit("b", "p2", abilities=[step_aside()])
    game.start()
    window = attacks(game, a, b)
    game.do(cmd.TakeOff(a))
    assert game.stack == []
    assert game.refused(cmd.React(b, STEP, window), "p2") == "window_closed"


@rule("TBL-02")
def test_a_free_act_that_the_st_puts_on_something_can_be_answered_and_one_by_itself_is_done_at_once():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    game.do(cmd.Insert(b, make_act("nod", "free")))
    assert game.stack == ["melee_attack", "nod"]
    game = brawl()[0]
    game.do(cmd.Insert(list(game.table.play.units)[1], make_act("nod", "free")))
    assert game.stack == []
