"""Conditions that lie on each other, what only a secret explains, refunds, and what must not outlast its moment."""

import pytest

from core import commands as cmd
from core import events as ev
from core.state import Ability, House, Table, Trigger
from core.windows import lengths
from tests.helpers.play import Game, attack, make_act

rule = pytest.mark.rule


def three(**house):
    game = Game(dice=[9] * 50, **house)
    wolf = game.unit("Wolf", initiative=20, abilities=[attack(dice=3), Ability("spell", "cast", ("standard",))])
    mira = game.unit("Mira", "p1", initiative=10, abilities=[attack(dice=3)], extras={"defense": 3})
    game.unit("Rolf", "p2", initiative=5)
    game.start()
    return game, wolf, mira


def told(game: Game, seat: str, since: int) -> list[list[object]]:
    return [line for patch in game.received(seat, since) for line in patch.lines]


# ----------------------------------------------------------------------------------------------------------- conditions
@rule("TIME-04")
@pytest.mark.parametrize("timed_first", [True, False])
def test_what_was_to_last_stays_when_the_same_for_a_round_has_ended(timed_first):
    game, wolf, mira = three()
    forever, timed = cmd.AddCondition(mira, "bound"), cmd.AddCondition(mira, "bound", rounds=1, by=wolf)
    for command in (timed, forever) if timed_first else (forever, timed):
        game.do(command)
    assert game.refused(forever) == "no_change"
    game.whole_turn()
    assert game.conditions(mira) == {"bound"}
    game.do(cmd.RemoveCondition(mira, "bound"))
    assert game.conditions(mira) == set()
    assert not game.table.play.effects


@rule("TBL-04")
def test_who_drops_prone_is_seen_to_though_he_was_prone_in_secret():
    game, wolf, _ = three()
    game.do(cmd.AddCondition(wolf, "prone", secret=True))
    since = len(game.changes)
    game.react(wolf, kind="drop_prone")
    game.wait(9000)
    assert "condition_gained" in [line[0] for line in told(game, "p1", since)]
    assert game.seen("p1")[f"u/{wolf}/conditions"] == ["prone"]


@rule("TBL-04")
@pytest.mark.parametrize("secret", ["dead", "out"])
def test_who_falls_is_seen_to_though_he_was_dead_in_secret(secret):
    game, wolf, _ = three()
    game.do(cmd.AddCondition(wolf, secret, secret=True))
    game.do(cmd.SetValue(wolf, "hp", 0, 10))
    assert game.seen("p1")[f"u/{wolf}/conditions"] == ["out"]


@rule("TBL-04", "TIME-04")
def test_a_public_condition_ends_for_all_to_see_though_a_secret_one_goes_on():
    game, wolf, mira = three()
    game.do(cmd.AddCondition(mira, "bound", secret=True))
    game.do(cmd.AddCondition(mira, "bound", rounds=1, by=wolf))
    assert game.seen("p1")[f"u/{mira}/conditions"] == ["bound"]
    game.whole_turn()
    assert game.seen("p1")[f"u/{mira}/conditions"] == []
    assert game.seen("st")[f"u/{mira}/secret"] == ["bound"]


# ------------------------------------------------------------------------------------------- what only a secret explains
@rule("TBL-04", "IMM-04")
def test_who_is_dead_in_secret_cannot_be_attacked_and_nobody_is_told_why():
    game, wolf, mira = three()
    game.end(wolf)
    game.do(cmd.AddCondition(wolf, "dead", secret=True))
    act = make_act("melee_attack", "standard", ability="sword", targets=[wolf])
    assert game.refused(cmd.Declare(mira, act), "p1") == "not_possible"


@rule("TBL-04", "IMM-04")
def test_what_fails_for_a_secret_condition_is_not_said_to_be_barred():
    game, wolf, _ = three()
    game.declare(wolf, "cast", ability="spell")
    game.do(cmd.AddCondition(wolf, "silenced", secret=True))
    since = len(game.changes)
    game.wait(9000)
    assert [e.why for c in game.changes[since:] for e in c.events if isinstance(e, ev.ActionFailed)] == ["barred"]
    assert "barred" not in repr(told(game, "p1", since))
    assert "barred" in repr(told(game, "st", since))


@rule("TBL-04", "IMM-07")
def test_what_a_hidden_unit_could_answer_keeps_no_window_open():
    game, wolf, mira = three()
    zap = Ability("zap", "use", ("immediate",))
    sneak = game.unit("Sneak", hidden=True, initiative=30, abilities=[zap])
    game.do(cmd.JoinFight(sneak))
    game.do(cmd.BeginAction(sneak))
    game.do(cmd.Ready(sneak, make_act("use", "free"), Trigger("attack")))
    game.end(sneak)
    if game.active != mira:
        game.do(cmd.BeginAction(mira))
    rolf = next(u.id for u in game.table.play.units.values() if u.name == "Rolf")
    game.declare(mira, "melee_attack", ability="sword", targets=[rolf])
    assert game.top.due
    game.do(cmd.Pass(game.window.id, game.window.gen), "p2")
    game.wait(750)
    assert game.stack == []


# ------------------------------------------------------------------------------------------------ nothing outlasts itself
@rule("TBL-02")
def test_a_refund_of_what_was_let_through_gives_back_no_more_than_was_paid():
    game, wolf, _ = three(enforce="warn")
    game.declare(wolf)
    game.pass_all()
    game.declare(wolf)
    game.do(cmd.Cancel(game.top.id))
    assert game.left(wolf)["standard"] == 0


@rule("TBL-02", "IMM-02")
def test_nor_does_the_refund_of_an_immediate_action_that_was_let_through():
    game, wolf, mira = three(enforce="warn")
    for _ in range(2):
        game.react(wolf, "spell", kind="cast")
        if game.table.play.budgets[wolf].debts.count("all_swift") == 1:
            game.pass_all()
    game.do(cmd.Cancel(game.top.id))
    assert game.table.play.budgets[wolf].immediates == 0


@rule("TBL-02")
def test_a_hold_for_the_next_action_ends_with_the_fight():
    game, _, _ = three()
    game.do(cmd.Hold(next=True))
    game.do(cmd.EndFight())
    game.start()
    assert not game.table.play.held
    assert game.active is not None


@rule("TBL-02", "XS-10")
def test_a_rolled_attack_whose_actor_is_removed_is_over_at_once():
    game, wolf, mira = three(relaxed_defense="on")
    game.declare(wolf, "melee_attack", ability="sword", targets=[mira])
    game.pass_all()
    assert game.top.state == "rolled"
    game.do(cmd.RemoveUnit(wolf))
    assert game.stack == []
    assert [e.why for e in game.happened(ev.ActionFailed)] == ["interrupted"]


@rule("TIME-04", "TBL-02")
def test_who_comes_round_is_out_no_longer_whatever_else_held_it():
    game, wolf, _ = three()
    game.do(cmd.SetValue(wolf, "hp", 0, 10))
    game.do(cmd.AddCondition(wolf, "out", minutes=60))
    game.do(cmd.Adjust(wolf, "hp", 5))
    assert "out" not in game.table.play.units[wolf].conditions
    assert [effect for effect in game.table.play.effects.values() if effect.on == wolf] == []


# ---------------------------------------------------------------------------------------------------- what events say
@rule("TIME-04")
def test_what_ends_with_its_unit_is_said_to_end_by_the_sts_hand():
    game, wolf, mira = three()
    game.do(cmd.AddCondition(mira, "cursed", secret=True, minutes=1, by=wolf))
    game.do(cmd.RemoveUnit(mira))
    (ended,) = game.happened(ev.EffectEnded)
    assert (ended.name, ended.on, ended.secret, ended.why) == ("cursed", mira, True, "st")


@rule("TIME-04")
def test_nobody_gives_a_reason_where_somebody_comes_round():
    game, wolf, _ = three()
    game.do(cmd.SetValue(wolf, "hp", 0, 10))
    game.do(cmd.Adjust(wolf, "hp", 5))
    (lost,) = game.happened(ev.ConditionLost)
    assert (lost.condition, lost.reason) == ("out", "")


@rule("TBL-02", "IMM-04")
def test_what_the_st_carries_out_is_done_though_its_target_is_gone():
    game, wolf, mira = three()
    game.declare(wolf, ability="sword", targets=[mira])
    game.do(cmd.AddCondition(mira, "dead"))
    game.do(cmd.Resolve(game.top.id))
    assert not game.happened(ev.ActionFailed)
    assert len(game.happened(ev.ActionCarriedOut)) == 1


def test_where_windows_have_a_fixed_length_the_floor_is_the_deadline():
    assert lengths(Table(house=House(window_mode="fixed", reaction_window_ms=5000)), 0) == (5000, 5000)
    assert lengths(Table(house=House(reaction_window_ms=5000, reaction_floor_ms=750)), 0) == (750, 5000)


def test_a_loss_is_told_with_where_it_begins_and_ends():
    game, *_ = three()
    game.of_the_server(cmd.ReportLoss(None, 3, 5, ("p1/c/4",)))
    (lost,) = game.happened(ev.HistoryLost)
    assert (lost.seat, lost.first, lost.last, lost.commands) == (None, 3, 5, ("p1/c/4",))
