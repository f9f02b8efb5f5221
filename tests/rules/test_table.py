"""The Storyteller overrides anything, on record (TBL-02); nobody learns what his character has not noticed (TBL-04)."""

from dataclasses import fields, replace
from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.commands import Command
from core.ids import EffectId, PendingId, RequestId, SeatId, TaskId, UnitId
from core.refusals import RULES, Refused
from core.roles import ROLES, STORYTELLER
from core.state import Ability, Act, House, Pool, Strike, Trigger, Unit
from tests.helpers.play import Game, attack, step_aside

THE_ONE_EFFECT = EffectId("the one that lasts")


class Fight(Game):
    """Mira (p1) acts; Rolf (p2) and a zombie are there, each with a sword and a step aside."""

    def __init__(self, **house: Any) -> None:
        super().__init__(**house)
        abilities = [attack(dice=3), step_aside(), attack("riposte", 3, slots=["immediate"])]
        abilities.append(Ability("focus", "use", ("swift", "move"), concentration="none"))
        abilities += [Ability("edge", attaches=("attack",)), Ability("rush", attaches=("move",))]
        abilities.append(attack("punch", dice=3, slots=["simple"]))
        flurry = attack("flurry", dice=3, attacks=2)
        self.mira = self.unit("Mira", "p1", initiative=20, abilities=[*abilities, flurry], attributes={"DEX": 3})
        self.rolf = self.unit("Rolf", "p2", initiative=15, abilities=abilities)
        self.zombie = self.unit("Zombie", initiative=10, abilities=abilities)
        self.start()

    def attacked(self) -> PendingId:
        """Mira's sword comes down on the zombie; its window is open."""
        self.declare(self.mira, ability="sword", targets=[self.zombie])
        return self.top.id

    def told(self, audience: str) -> list[str]:
        """The kinds of the last change's lines, and whether anything was sent at all."""
        patches = self.received(audience, len(self.changes) - 1)
        return [line[0] for patch in patches for line in patch.lines]


# -------------------------------------------------------------------------------------------------------- TBL-02: values
@pytest.mark.rule("TBL-02")
def test_setting_a_value_says_what_it_was_and_why():
    game = Fight()
    game.do(cmd.SetValue(game.zombie, "hp", 3, 10, "the wall fell on it"))
    assert game.hp(game.zombie) == 3
    [line] = game.received("st")[-1].lines
    assert line[3:] == [[game.zombie, "Zombie"], "tracks.hp.value", 3, 10, "the wall fell on it"]
    [line] = game.received("p1")[-1].lines
    assert line[3:] == [[game.zombie, "Zombie"], "tracks.hp.value", "badly_hurt", "unhurt", "the wall fell on it"]


@pytest.mark.rule("TBL-02")
def test_a_value_that_has_changed_meanwhile_is_not_overwritten_unseen():
    game = Fight()
    game.do(cmd.SetValue(game.zombie, "hp", 7, 10))
    outcome = game.decide(cmd.SetValue(game.zombie, "hp", 8, 10))
    assert isinstance(outcome, Refused)
    assert (outcome.code, outcome.params["value"]) == ("changed", 7)
    assert game.refused(cmd.SetValue(game.zombie, "hp", 7, 7)) == "no_change"


@pytest.mark.rule("TBL-02")
def test_two_adjustments_at_once_both_count():
    game = Fight()
    game.do(cmd.Adjust(game.zombie, "hp", -2))
    game.do(cmd.Adjust(game.zombie, "hp", -3))
    assert game.hp(game.zombie) == 5
    assert game.refused(cmd.Adjust(game.zombie, "hp", 0)) == "bad_value"
    assert game.refused(cmd.Adjust(game.zombie, "name", 1)) == "bad_value"


@pytest.mark.rule("TBL-02")
@pytest.mark.parametrize(
    ("path", "value", "was"),
    [
        ("tracks.hp.max", 20, 10),
        ("tracks.hp.max", None, 10),
        ("base", 3, 0),
        ("speed", 0, 10),
        ("initiative", None, 10),
        ("attributes.DEX", 4, None),
        ("skills.Stealth", 2, None),
        ("extras.defense", 2, None),
        ("bonus.swift", 1, None),
        ("position", "on the roof", ""),
        ("side", "pc", "foe"),
        ("name", "Ghoul", "Zombie"),
        ("notes", "secretly afraid", ""),
    ],
)
def test_any_value_of_a_unit_can_be_set(path: str, value: Any, was: Any):
    game = Fight()
    before = game.table.play.units[game.zombie]
    game.do(cmd.SetValue(game.zombie, path, value, was))
    assert game.happened(ev.ValueSet) == [ev.ValueSet(game.zombie, path, value, was)]
    if was is not None:
        game.do(cmd.SetValue(game.zombie, path, was, value))
        assert game.table.play.units[game.zombie] == before


@pytest.mark.rule("TBL-02")
@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("hp", "many"),
        ("hp", None),
        ("hp", True),
        ("hp", 1.5),
        ("hp", 10_000_000),
        ("name", ""),
        ("name", 3),
        ("hidden", True),
        ("conditions", {}),
        ("tracks.hp", 3),
        ("attributes", {}),
        ("attributes.", 3),
        ("mana", 3),
        ("", 3),
    ],
)
def test_what_is_no_value_or_not_of_its_kind_is_refused(path: str, value: Any):
    assert (game := Fight()).refused(cmd.SetValue(game.zombie, path, value, None)) == "bad_value"


@pytest.mark.rule("TBL-02")
def test_at_no_hit_points_a_unit_is_out_and_above_it_no_longer():
    game = Fight()
    game.do(cmd.SetValue(game.zombie, "hp", 0, 10))
    assert game.conditions(game.zombie) == {"out"}
    game.do(cmd.Adjust(game.zombie, "hp", 1))
    assert game.conditions(game.zombie) == set()


@pytest.mark.rule("TBL-02")
def test_the_storyteller_may_say_that_a_unit_at_zero_is_not_out():
    game = Fight()
    game.do(cmd.SetValue(game.rolf, "hp", 0, 10))
    game.do(cmd.RemoveCondition(game.rolf, "out"))
    game.end(game.mira)
    assert game.active == game.rolf


@pytest.mark.rule("TBL-02")
def test_conditions_and_effects_come_and_go_as_the_storyteller_says():
    game = Fight()
    game.do(cmd.AddCondition(game.zombie, "burning", rounds=3, by=game.mira, reason="oil"))
    [effect] = game.table.play.effects
    game.do(cmd.EndEffect(effect))
    assert (game.conditions(game.zombie), dict(game.table.play.effects)) == (set(), {})
    assert game.refused(cmd.EndEffect(effect)) == "unknown"
    game.do(cmd.AddCondition(game.zombie, "burning", rounds=3))
    game.do(cmd.RemoveCondition(game.zombie, "burning"))
    assert not game.table.play.effects, "its effect ends with it"
    assert game.refused(cmd.RemoveCondition(game.zombie, "burning")) == "no_change"


# ------------------------------------------------------------------------------------------------------- TBL-02: actions
@pytest.mark.rule("TBL-02")
def test_the_storyteller_grants_and_takes_actions():
    game = Fight()
    game.do(cmd.Grant(game.mira, ("swift", "swift", "immediate")))
    assert game.left(game.mira)["swift"] == 3
    assert game.table.play.budgets[game.mira].immediates == 2
    game.do(cmd.Spend(game.mira, ("swift", "standard", "immediate")))
    assert game.left(game.mira) == {"swift": 2, "move": 1, "standard": 0}
    assert game.refused(cmd.Spend(game.mira, ("standard",))) == "no_action_left"
    assert game.refused(cmd.Grant(game.mira, ("free",))) == "bad_value"
    assert game.refused(cmd.Grant(game.mira, ())) == "bad_value"
    assert game.refused(cmd.Grant(game.unit("Cook"), ("swift",))) == "not_in_fight"


@pytest.mark.rule("TBL-02")
def test_a_unit_is_put_into_the_order_where_the_storyteller_says():
    game = Fight()
    ogre = game.unit("Ogre", initiative=1)
    game.do(cmd.JoinFight(ogre, index=1))
    assert list(game.fight.order) == [game.mira, ogre, game.rolf, game.zombie]
    game.end(game.mira)
    assert game.active == ogre
    assert game.refused(cmd.JoinFight(ogre)) == "no_change"


@pytest.mark.rule("TBL-02")
def test_the_order_becomes_what_the_storyteller_says_if_it_is_still_as_he_saw_it():
    game = Fight()
    was = game.fight.order
    order = (game.zombie, game.mira, game.rolf)
    game.do(cmd.Reorder(order, was))
    assert (game.fight.order, game.active) == (order, game.mira)
    assert game.refused(cmd.Reorder(was, was)) == "changed"
    assert game.refused(cmd.Reorder((game.mira, game.rolf), order)) == "bad_value"
    game.end(game.mira)
    assert game.active == game.zombie, "it has not acted in this turn yet"


@pytest.mark.rule("TBL-02")
def test_the_storyteller_says_who_acts_now():
    game = Fight()
    game.do(cmd.BeginAction(game.zombie))
    assert (game.active, game.fight.done) == (game.zombie, (game.mira,))
    assert game.refused(cmd.BeginAction(game.zombie)) == "no_change"
    game.do(cmd.AddCondition(game.rolf, "stunned"))
    assert game.refused(cmd.BeginAction(game.rolf)) == "cannot_act"
    assert game.active == game.zombie


# -------------------------------------------------------------------------------------------------- TBL-02: windows, stack
@pytest.mark.rule("TBL-02")
@pytest.mark.parametrize("refund", [True, False])
def test_a_cancelled_action_is_withdrawn_and_its_cost_comes_back_or_not(refund: bool):
    game = Fight()
    game.do(cmd.Cancel(game.attacked(), refund=refund, reason="not that one"))
    assert (game.stack, game.hp(game.zombie), game.active) == ([], 10, game.mira)
    assert game.left(game.mira)["standard"] == int(refund)
    assert "withdrawn" in game.told("p2")


@pytest.mark.rule("TBL-02")
def test_cancelling_beneath_leaves_what_lies_above_and_refunds_the_immediate_with_its_debt():
    game = Fight()
    below = game.attacked()
    game.react(game.rolf, "step aside")
    middle = game.top.id
    game.react(game.zombie, "step aside")
    game.do(cmd.Cancel(middle))
    assert game.table.play.stack == (below, game.top.id)
    budget = game.table.play.budgets[game.rolf]
    assert (budget.immediates, budget.debts, budget.spent) == (1, (), ())


@pytest.mark.rule("TBL-02")
def test_a_pending_action_is_resolved_at_once():
    game = Fight(dice=[8, 8, 1])
    below = game.attacked()
    game.react(game.rolf, "step aside")
    assert game.refused(cmd.Resolve(below)) == "not_on_top"
    game.do(cmd.Resolve(game.top.id))
    game.do(cmd.Resolve(below))
    assert (game.stack, game.hp(game.zombie)) == ([], 8)


@pytest.mark.rule("TBL-02")
def test_a_window_is_lengthened_shortened_and_closed():
    game = Fight(dice=[1, 1, 1])
    game.attacked()
    window = game.window
    game.do(cmd.SetClock(window.id, 5000))
    assert game.window.clock == replace(window.clock, deadline=game.now + 13_000)  # type: ignore[type-var]
    game.do(cmd.SetClock(window.id, -12_900))
    assert game.window.clock == replace(window.clock, floor=game.now + 100, deadline=game.now + 100)  # type: ignore[type-var]
    game.do(cmd.CloseWindow(window.id))
    assert game.stack == []
    assert game.refused(cmd.CloseWindow(window.id)) == "window_closed"


@pytest.mark.rule("TBL-02")
def test_the_storyteller_lets_any_unit_act_on_top_free_of_cost_and_rules():
    game = Fight(dice=[8, 8, 8])
    game.attacked()
    game.do(cmd.AddCondition(game.rolf, "stunned"))
    game.do(cmd.Insert(game.rolf, Act("move", "standard", ability="sword", targets=(game.zombie,))))
    assert game.stack == ["melee_attack", "melee_attack"]
    game.do(cmd.Resolve(game.top.id))
    assert (game.hp(game.zombie), game.table.play.budgets[game.rolf].spent) == (7, ())
    off = game.unit("Ghost", on_stage=False)
    assert game.refused(cmd.Insert(off, Act("use", "free"))) == "off_stage"


@pytest.mark.rule("TBL-02")
def test_a_pending_actions_targets_become_others_and_all_are_asked_again():
    game = Fight(dice=[8, 8, 8])
    pending = game.attacked()
    game.do(cmd.Pass(game.window.id, game.window.gen), "p2")
    game.do(cmd.EditPending(pending, targets=(game.rolf,)))
    assert (game.window.gen, game.window.passed) == (2, ())
    game.pass_all()
    assert (game.hp(game.rolf), game.hp(game.zombie)) == (7, 10)


@pytest.mark.rule("TBL-02")
def test_guards_that_the_storyteller_sets_count_whatever_is_left():
    game = Fight(dice=[8, 8, 8])
    pending = game.attacked()
    game.do(cmd.EditPending(pending, guards={game.zombie: 2}))
    assert game.window.gen == 1, "nothing public has changed"
    game.pass_all()
    assert game.hp(game.zombie) == 9


@pytest.mark.rule("TBL-02")
def test_the_storyteller_says_who_has_left_an_attacks_area():
    game = Fight(dice=[8])
    game.do(cmd.SetValue(game.zombie, "dodge", 1, 0))
    pending = game.attacked()
    game.do(cmd.EditPending(pending, fled=(game.zombie,)))
    assert game.refused(cmd.EditPending(pending, fled=(game.zombie,))) == "no_change"
    game.pass_all()
    assert [e.size for e in game.events if isinstance(e, ev.Rolled)] == [1], "3 dice less a Dodge of 1, doubled"


@pytest.mark.rule("TBL-02")
def test_a_pending_action_fails_by_the_storytellers_word_and_stays_spent():
    game = Fight()
    game.do(cmd.EditPending(game.attacked(), fails=True))
    assert [e.why for e in game.happened(ev.ActionFailed)] == ["st"]
    assert (game.stack, game.left(game.mira)["standard"]) == ([], 0)


@pytest.mark.rule("TBL-02")
def test_the_stack_is_put_into_another_order_and_who_comes_on_top_is_asked_again():
    game = Fight(dice=[8, 8, 8])
    below = game.attacked()
    game.react(game.zombie, "step aside")
    above = game.top.id
    was = (below, above)
    game.do(cmd.Restack((above, below), was))
    assert game.table.play.stack == (above, below)
    assert (game.top.id, game.window.gen, game.window.passed) == (below, 2, ())
    assert game.window.clock is not None
    assert game.table.play.windows[game.table.play.pendings[above].window].clock is None
    assert game.refused(cmd.Restack((below, above), was)) == "changed"
    assert game.refused(cmd.Restack((above,), (above, below))) == "bad_value"
    game.pass_all()
    assert (game.stack, game.hp(game.zombie)) == (["move"], 7)


@pytest.mark.rule("TBL-02")
def test_a_held_table_stands_still_until_it_is_released():
    game = Fight(dice=[1, 1, 1])
    game.attacked()
    game.wait(1000)
    game.do(cmd.Hold())
    game.wait(60_000)
    assert game.stack == ["melee_attack"]
    game.do(cmd.Release())
    clock = game.window.clock
    assert clock is not None
    assert (clock.running, clock.deadline) == (True, game.now + 7000)
    assert game.refused(cmd.Release()) == "no_change"


@pytest.mark.rule("TBL-02")
def test_hold_next_holds_once_the_action_under_way_has_ended_and_players_see_it_only_then():
    game = Fight()
    game.do(cmd.Hold(next=True))
    assert game.told("p1") == []
    game.end(game.mira)
    assert (game.active, game.table.play.held) == (None, True)
    assert "held" in game.told("p1")
    game.do(cmd.Release())
    assert game.active == game.rolf


# --------------------------------------------------------------------------------------------- TBL-02: going back, history
@pytest.mark.case("TBL-02.1")
@pytest.mark.rule("TBL-02")
def test_rewinding_to_before_the_last_attack_is_a_new_change_and_loses_no_history():
    game = Fight(dice=[8, 8, 8])
    before = game.version
    play = game.table.play
    game.attacked()
    game.pass_all()
    assert game.hp(game.zombie) == 7
    version, rolls = game.version, dict(game.table.rolls)
    game.rewind(before)
    assert (game.hp(game.zombie), game.left(game.mira)["standard"]) == (10, 1)
    assert game.version == version + 1
    assert game.table.rolls == rolls, "no die is rolled twice"
    assert replace(game.table.play, held=False) == play
    for audience in ("st", "p1", "p2", "all"):
        assert game.told(audience) == ["rewound"]


@pytest.mark.rule("TBL-02")
def test_rewinding_into_an_open_window_holds_the_table_and_asks_anew():
    game = Fight(dice=[1, 1, 1])
    pending = game.attacked()
    old = game.window
    version = game.version
    game.pass_all()
    game.rewind(version)
    assert (game.top.id, game.table.play.held) == (pending, True)
    assert game.window.id != old.id
    assert game.refused(cmd.Pass(old.id, old.gen), "p2") == "window_closed"
    game.do(cmd.Release())
    game.dice.left = [1, 1, 1]
    game.pass_all()
    assert game.stack == []


@pytest.mark.rule("TBL-02")
def test_a_rewind_is_refused_where_its_sender_had_not_seen_everything_or_there_is_no_such_past():
    game = Fight()
    game.end(game.mira)
    play = game.changes[0].before.play
    assert game.refused(cmd.Rewind(2, game.version - 1, play=play)) == "changed"
    assert game.refused(cmd.Rewind(game.version, game.version, play=play)) == "nothing_to_rewind"
    assert game.refused(cmd.Rewind(2, game.version)) == "history_short"


@pytest.mark.case("TBL-02.1")
@pytest.mark.rule("TBL-02")
def test_each_override_is_one_change_that_everybody_gets_who_may_see_it():
    game = Fight(dice=[8, 1, 1])
    ogre = game.unit("Ogre", initiative=12)
    game.do(cmd.AddCondition(game.zombie, "slow", rounds=3, by=game.rolf))

    def one_change(override: Command) -> None:
        since = len(game.changes)
        game.do(override)
        for audience in ("st", "p1", "p2", "all"):
            [patch] = game.received(audience, since)
            assert patch.ops
            assert {line[2] for line in patch.lines} == ({"x1"} if audience == "st" else {"st"})

    one_change(cmd.SetValue(game.rolf, "hp", 6, 10))
    one_change(cmd.AddCondition(game.rolf, "dazed", rounds=2))
    one_change(cmd.EndEffect(next(iter(game.table.play.effects))))
    one_change(cmd.JoinFight(ogre, 0))
    one_change(cmd.Reorder((game.mira, game.rolf, game.zombie, ogre), game.fight.order))
    one_change(cmd.Cancel(game.attacked()))
    one_change(cmd.Resolve(game.attacked()))
    assert game.hp(game.zombie) == 9
    game.do(cmd.Grant(game.rolf, ("swift",)))
    assert (game.told("p2"), game.told("st"), game.told("p1")) == (["granted"], ["granted"], [])


# -------------------------------------------------------------------------------------------------------- TBL-02: by leave
def ask(game: Game, command: Command, seat: str) -> Any:
    """A player asks leave for a command that was refused; the request as it stands at the table."""
    made = game.do(cmd.AskLeave(command, {"kind": "declare"}, "please"), seat).made
    return game.table.requests[made[0]]  # type: ignore[index]


@pytest.mark.case("TBL-02.2")
@pytest.mark.rule("TBL-02")
def test_one_refused_act_is_let_through_and_the_log_says_by_whose_leave():
    game = Fight(reaction_window_ms=0)
    far = cmd.Declare(game.mira, Act("move", "move", distance=15, position="the gate"))
    assert game.refused(far, "p1") == "too_far"
    request = ask(game, far, "p1")
    assert (request.code, request.seat) == ("too_far", "p1")
    game.do(cmd.AnswerRequest(request.id, True, "just this once", command=far))
    assert game.table.play.units[game.mira].position == "the gate"
    assert game.left(game.mira)["move"] == 0
    patch = game.received("p2")[-1]
    [flagged] = [line for line in patch.lines if line[0] == "flagged"]
    assert flagged[2:] == ["st", "too_far", True, [game.mira, "Mira"]]
    assert not game.table.requests
    assert game.refused(far, "p1") == "too_far", "it was leave for one act"


@pytest.mark.rule("TBL-02")
def test_a_request_that_is_answered_no_changes_nothing():
    game = Fight()
    far = cmd.Declare(game.mira, Act("move", "move", distance=15))
    request = ask(game, far, "p1")
    game.do(cmd.AnswerRequest(request.id, False, "too far", command=far))
    assert (game.stack, game.left(game.mira)["move"], dict(game.table.requests)) == ([], 1, {})
    assert game.told("p1") == ["request_answered"]
    assert game.told("p2") == []
    assert game.refused(cmd.AnswerRequest(request.id, True, command=far)) == "unknown"


@pytest.mark.rule("TBL-02")
def test_what_the_unit_could_not_do_goes_on_by_leave_whatever_its_state():
    game = Fight(dice=[8, 8, 8])
    game.end(game.mira)
    game.do(cmd.AddCondition(game.mira, "stunned"))
    last = cmd.React(game.mira, Act("use", "immediate", ability="riposte", targets=(game.zombie,)))
    request = ask(game, last, "p1")
    assert request.code == "cannot_act"
    game.do(cmd.AnswerRequest(request.id, True, command=last))
    game.pass_all()
    assert game.hp(game.zombie) == 7


@pytest.mark.rule("TBL-02")
def test_only_what_a_rule_refuses_can_be_asked_for():
    game = Fight()
    fine = cmd.Declare(game.mira, Act("move", "move", distance=5))
    assert game.refused(cmd.AskLeave(fine, {}), "p1") == "bad_value"
    anothers = cmd.Declare(game.rolf, Act("move", "move"))
    assert game.refused(cmd.AskLeave(anothers, {}), "p1") == "not_yours"
    sts = cmd.SetValue(game.mira, "hp", 99, 10)
    assert game.refused(cmd.AskLeave(sts, {}), "p1") == "forbidden"
    late = cmd.EndAction(game.mira, 7)
    assert game.refused(cmd.AskLeave(late, {}), "p1") == "changed"
    nobody = cmd.Declare(game.mira, Act("use", "standard", ability="sword", targets=("no such unit",)))
    assert game.refused(cmd.AskLeave(nobody, {}), "p1") == "no_target"


@pytest.mark.rule("TBL-02")
def test_a_player_asks_to_take_his_last_act_back_and_gets_it_back():
    game = Fight(reaction_window_ms=0)
    assert game.refused(cmd.AskTakeBack(), "p1") == "nothing_to_undo"
    game.declare(game.mira, "move", "move", position="the pit")
    made = game.do(cmd.AskTakeBack("I slipped"), "p1").made
    request = game.table.requests[made[0]]  # type: ignore[index]
    assert request.to is not None
    past = game.changes[request.to].before.play
    answer = cmd.AnswerRequest(request.id, True, play=past, head=game.version)
    assert game.refused(replace(answer, head=game.version - 1)) == "changed"
    game.do(answer)
    assert [(one.seat, one.yes) for one in game.happened(ev.RequestAnswered)] == [("p1", True)]
    assert (game.table.play.units[game.mira].position, game.left(game.mira)["move"]) == ("", 1)


# -------------------------------------------------------------------------------------------------------------- TBL-02: warn
def against_a_rule(g: Fight, code: str) -> tuple[Command, str]:
    """A command of a seat that this rule refuses; the table has been brought to where it does."""
    step_back = cmd.Ready(g.mira, Act("move", "move"), Trigger(act="attack"))
    match code:
        case "not_your_action":
            return cmd.Declare(g.rolf, Act("use", "standard")), "p2"
        case "no_action_left":
            g.do(cmd.Spend(g.mira, ("standard",)))
            return cmd.Declare(g.mira, Act("use", "standard")), "p1"
        case "cannot_convert":
            return cmd.Declare(g.mira, Act("use", "standard", pay="swift")), "p1"
        case "same_kind_of_act":
            g.declare(g.mira, "drop", "free")
            return cmd.Declare(g.mira, Act("drop", "free")), "p1"
        case "free_action_cap":
            g.do(cmd.SetHouse("free_action_cap", 0))
            return cmd.Declare(g.mira, Act("drop", "free")), "p1"
        case "too_far":
            return cmd.Declare(g.mira, Act("move", "move", distance=11)), "p1"
        case "ability_required":
            return cmd.React(g.rolf, Act("use", "immediate")), "p2"
        case "cannot_act" | "not_possible":
            g.do(cmd.AddCondition(g.rolf, "stunned", secret=code == "not_possible"))
            return cmd.React(g.rolf, Act("drop_prone", "immediate")), "p2"
        case "barred":
            g.do(cmd.AddCondition(g.mira, "bound"))
            return cmd.Declare(g.mira, Act("move", "move")), "p1"
        case "no_immediate_left":
            g.do(cmd.Spend(g.rolf, ("immediate",)))
            return cmd.React(g.rolf, Act("drop_prone", "immediate")), "p2"
        case "no_target":
            return cmd.Declare(g.mira, Act("use", "standard", ability="sword")), "p1"
        case "cannot_ready":
            return cmd.Ready(g.mira, Act("use", "full_round"), Trigger(act="move")), "p1"
        case "nothing_readied":
            return cmd.Ready(g.mira, Act("move", "move")), "p1"
        case "bad_again":
            return cmd.Roll(g.mira, Pool(fixed=1, again=7)), "p1"
        case "not_in_fight":
            return cmd.Declare(g.unit("Cook", "p1"), Act("use", "standard")), "p1"
        case "one_attachment" | "attachment_mismatch":
            attached = ("edge", "edge") if code == "one_attachment" else ("rush",)
            strike = Act("use", "standard", ability="sword", targets=(g.zombie,), attached=attached)
            return cmd.Declare(g.mira, strike), "p1"
        case "already_concentrating":
            g.do(cmd.Insert(g.mira, Act("use", "swift", ability="focus")))
            g.pass_all()
            return cmd.Declare(g.mira, Act("use", "move", ability="focus")), "p1"
        case "not_triggered" | "own_action":
            g.do(step_back, "p1")
            if code == "not_triggered":
                g.end(g.mira)
            return cmd.Fire(next(iter(g.table.play.readied))), "p1"
        case "not_enough":
            g.do(cmd.Insert(g.zombie, Act("use", "standard", ability="sword", targets=(g.mira,))))
            return cmd.Defend(g.window.id, g.mira, 2), "p1"
        case "too_many_attacks":
            twice = (Strike(g.zombie), Strike(g.zombie))
            return cmd.Declare(g.mira, Act("use", "standard", ability="sword", split=twice)), "p1"
        case "split_required" | "split_too_large":
            g.do(cmd.SetValue(g.mira, "extras.attack", 2, None))
            extra = None if code == "split_required" else 2
            twice = (Strike(g.zombie, extra=extra), Strike(g.zombie, extra=extra))
            return cmd.Declare(g.mira, Act("use", "standard", ability="flurry", split=twice)), "p1"
        case "dc_fixed" | "interval" | "no_interval":
            interval = None if code == "no_interval" else 60
            task = g.do(cmd.StartTask(g.mira, "barricade", Pool(fixed=0), 5, interval), "p1").made[0]
            g.do(cmd.RollTask(TaskId(task)), "p1")
            return (cmd.EditTask(TaskId(task), 3) if code == "dc_fixed" else cmd.RollTask(TaskId(task))), "p1"
        case "not_declared" | "too_many_actions" | "no_dice_left":
            return against_several_actions(g, code), "p1"
        case "st_tells" | "no_teamwork":
            g.do(cmd.EndFight())
            g.do(cmd.SetHouse("ruleset", "storyteller"))
            opening = cmd.StartTask(g.mira, "barricade", Pool(fixed=4), 5)
            if code == "st_tells":
                return opening, "p1"
            return cmd.RollTask(TaskId(g.do(opening).made[0]), units=(g.rolf,)), g.owner(g.rolf)
    raise AssertionError(f"no case here is against {code}")


def against_several_actions(g: Fight, code: str) -> Command:
    """Of the Storyteller rules, which a table plays from one fight to the next."""
    g.do(cmd.EndFight())
    g.do(cmd.SetHouse("ruleset", "storyteller"))
    g.do(cmd.SetHouse("reaction_window_ms", 0))
    g.start()
    strike = Act("use", "simple", ability="punch", targets=(g.zombie,))
    if code == "too_many_actions":
        return cmd.Announce(g.mira, 4)
    g.do(cmd.Announce(g.mira, 2) if code == "no_dice_left" else cmd.Declare(g.mira, Act("use", "simple")), "p1")
    return cmd.Declare(g.mira, strike)


@pytest.mark.case("TBL-02.2")
@pytest.mark.rule("TBL-02")
@pytest.mark.parametrize("code", RULES)
def test_at_a_table_that_warns_what_a_rule_would_refuse_is_done_and_flagged(code: str):
    game = Fight(dice=[1] * 20)
    command, seat = against_a_rule(game, code)
    assert game.refused(command, seat) == code
    game.do(cmd.SetHouse("enforce", "warn"))
    game.do(command, seat)
    assert code in [e.code for e in game.happened(ev.Flagged)]
    assert not any(e.leave for e in game.happened(ev.Flagged))
    while game.table.play.stack:
        game.do(cmd.CloseWindow(game.window.id))
        assert not game.happened(ev.ActionFailed), "it is done"


@pytest.mark.rule("TBL-02")
@pytest.mark.parametrize("code", RULES)
def test_by_leave_what_a_rule_refuses_is_done_once(code: str):
    game = Fight(dice=[1] * 20)
    command, seat = against_a_rule(game, code)
    request = ask(game, command, seat)
    game.do(cmd.AnswerRequest(request.id, True, command=command))
    assert code in [e.code for e in game.happened(ev.Flagged)]
    assert all(e.leave for e in game.happened(ev.Flagged))


@pytest.mark.rule("TBL-02")
def test_a_table_that_warns_still_keeps_rights_and_secrets():
    game = Fight(enforce="warn")
    ghost = game.unit("Ghost", hidden=True)
    assert game.refused(cmd.Declare(game.rolf, Act("use", "standard")), "p1") == "not_yours"
    assert game.refused(cmd.Adjust(game.mira, "hp", 5), "p1") == "forbidden"
    strike = Act("use", "standard", ability="sword", targets=(ghost,))
    assert game.refused(cmd.Declare(game.mira, strike), "p1") == "no_target"


# ------------------------------------------------------------------------------------------------------- TBL-02: who may
@pytest.mark.rule("TBL-02")
@pytest.mark.parametrize("kind", sorted(kind for kind, who in ROLES.items() if who == STORYTELLER))
def test_what_is_the_storytellers_is_refused_to_players_and_spectators(kind: str):
    game = Fight()
    game.of_the_server(cmd.AddSeat("Watcher", "spectator", seat=SeatId("s1")))
    command_class = next(c for name, c in cmd.all_commands().items() if name == kind.title().replace("_", ""))
    command = command_class.__new__(command_class)
    for seat in ("p1", "s1"):
        assert game.refused(command, seat) == "forbidden"


@pytest.mark.rule("TBL-02")
def test_a_spectator_may_say_nothing_and_do_nothing():
    game = Fight()
    game.of_the_server(cmd.AddSeat("Watcher", "spectator", seat=SeatId("s1")))
    assert game.refused(cmd.Say("hello"), "s1") == "forbidden"
    assert game.refused(cmd.EndAction(game.mira, 1), "s1") == "forbidden"


# ------------------------------------------------------------------------------------------------------- house rules typed
@pytest.mark.rule("TBL-02")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("enforce", "warn"),
        ("reaction_window_ms", 0),
        ("reaction_window_ms", 60_000),
        ("free_action_cap", 3),
        ("no_window", ["speak", "draw"]),
        ("immediate_cost", "one_swift"),
        ("opposed_tie", "defender"),
        ("chance_again", "normal"),
        ("hp_shown", "words"),
        ("stack_depth", 1),
    ],
)
def test_a_house_rule_is_set_and_every_player_sees_it(key: str, value: Any):
    game = Fight()
    was = getattr(game.table.house, key)
    game.do(cmd.SetHouse(key, value))
    wanted = tuple(value) if isinstance(value, list) else value
    assert game.happened(ev.HouseRuleSet) == [ev.HouseRuleSet(key, wanted, was)]
    for audience in ("st", "p1", "p2", "all"):
        assert game.seen(audience)[f"h/{key}"] == value
        assert game.told(audience) == ["house_set"]
    assert game.refused(cmd.SetHouse(key, value)) == "no_change"


@pytest.mark.rule("TBL-02")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("enforce", "lenient"),
        ("enforce", None),
        ("reaction_window_ms", -1),
        ("reaction_window_ms", "8000"),
        ("reaction_window_ms", 8000.5),
        ("reaction_window_ms", True),
        ("reaction_window_ms", None),
        ("reaction_window_ms", 10**9),
        ("free_action_cap", "none"),
        ("free_action_cap", -1),
        ("no_window", "speak"),
        ("no_window", [1]),
        ("no_window", [""]),
        ("stack_depth", 0),
        ("relaxed_defense", True),
    ],
)
def test_a_house_rule_of_another_kind_is_refused(key: str, value: Any):
    assert (game := Fight()).refused(cmd.SetHouse(key, value)) == "bad_value"
    assert game.table.house == House(grace_ms=0)


@pytest.mark.rule("TBL-02")
def test_there_is_no_house_rule_of_another_name_and_each_can_be_set():
    game = Fight()
    assert game.refused(cmd.SetHouse("gravity", 1)) == "no_such_rule"
    for rule in fields(House):
        assert game.refused(cmd.SetHouse(rule.name, object())) == "bad_value"


# ---------------------------------------------------------------------------------------------------------------- TBL-04
def known(game: Game, of: Any) -> str:
    """What somebody was sent, with names for ids: units by name, anything else in the order it is met."""
    text = repr(of)
    for id, unit in game.table.play.units.items():
        text = text.replace(id, f"<{unit.name}>")
    ids = {id for c in game.changes for id in (*c.after.play.pendings, *c.after.play.windows)}
    for k, met in enumerate(sorted((id for id in ids if id in text), key=text.index)):
        text = text.replace(met, f"<id {k}>")
    return text


def evening(*, sneaks: bool, owner: str | None = None) -> tuple[Game, list[str]]:
    """Mira and Rolf fight on; between them acts a thief whom nobody sees, or the Storyteller holds the table."""
    game = Game(players=("p1", "p2", "p3"), dice=[2, 2])
    swords = [attack(dice=1), step_aside()]
    mira = game.unit("Mira", "p1", initiative=20, abilities=swords)
    rolf = game.unit("Rolf", "p3", initiative=10, abilities=swords)
    thief = UnitId("nobody")
    if sneaks:
        thief = game.unit("Thief", owner, initiative=15, hidden=True, abilities=swords)
    game.start(mira, rolf, *([thief] if sneaks else []))
    refused: list[str] = []

    def tries(command: Command) -> None:
        outcome = game.decide(command, "p1")
        assert isinstance(outcome, Refused)
        refused.append(known(game, (outcome.code, outcome.params)))

    game.declare(mira, "move", "move", distance=3)
    game.pass_all()
    if not sneaks:
        game.do(cmd.Hold(next=True))
    game.end(mira)
    game.wait(3000)
    if sneaks:  # who is noticed: 1 success against 0
        game.dice.left[:0] = [8, 2]
        game.do(cmd.Roll(mira, Pool(fixed=1), "st", reason="notice", opposes=thief))
        game.do(cmd.AddCondition(thief, "poised", secret=True))
        game.declare(thief, "move", "move", position="behind Mira")
    tries(cmd.Declare(mira, Act("use", "standard")))
    tries(cmd.EndAction(rolf, 0))
    tries(cmd.EndAction(mira, 1))
    tries(cmd.Declare(mira, Act("use", "standard", ability="sword", targets=("no such unit",))))
    game.do(cmd.Say("All quiet?", mira), "p1")
    game.do(cmd.Roll(mira, Pool(fixed=1)), "p1")
    if sneaks:
        game.declare(thief, ability="sword", targets=[mira])
        game.end(thief)
    else:
        game.do(cmd.Release())
    assert game.active == rolf
    game.declare(rolf, "move", "move", distance=3)
    game.pass_all()
    game.end(rolf)
    return game, refused


@pytest.mark.case("TBL-04.1")
@pytest.mark.rule("TBL-04")
@pytest.mark.parametrize("owner", [None, "p2"], ids=["the Storyteller's", "another player's"])
def test_until_the_knife_lands_nothing_differs_from_a_table_where_nobody_sneaks(owner: str | None):
    """At the other table the Storyteller holds instead."""
    (real, refused), (plain, as_refused) = (evening(sneaks=sneaks, owner=owner) for sneaks in (True, False))
    assert refused == as_refused
    for audience in ("p1", "p3", "all"):
        sent = [known(real, patch) for patch in real.received(audience)]
        assert sent == [known(plain, patch) for patch in plain.received(audience)]
        assert known(real, real.seen(audience)) == known(plain, plain.seen(audience))


def sneaking(owner: str | None = None) -> tuple[Game, UnitId, UnitId]:
    game = Game(reaction_window_ms=8000)
    mira = game.unit("Mira", "p1", initiative=20, abilities=[step_aside()])
    thief = game.unit("Thief", owner, initiative=15, hidden=True, abilities=[attack("knife", 1)])
    game.unit("Rolf", "p2", initiative=10)
    game.start()
    game.end(mira)
    return game, mira, thief


@pytest.mark.rule("TBL-04")
def test_the_target_of_an_unnoticed_attack_is_not_asked_and_learns_of_it_as_it_lands():
    game, mira, thief = sneaking()
    game.dice.left = [8]
    since = len(game.changes)
    game.declare(thief, ability="knife", targets=[mira])
    assert not game.table.play.stack
    [patch] = game.received("p1", since)
    assert [line[0] for line in patch.lines] == ["damaged"]
    assert patch.lines[0][3:] == [[mira, "Mira"], "hp", 1, 9, None]
    assert patch.ops == [[f"u/{mira}/hp", 9]]


@pytest.mark.rule("TBL-04")
def test_a_blow_of_a_hidden_players_unit_does_not_name_its_seat():
    game, mira, thief = sneaking("p2")
    game.dice.left = [8]
    since = len(game.changes)
    game.declare(thief, ability="knife", targets=[mira])
    [patch] = game.received("p1", since)
    assert {line[2] for line in patch.lines} == {"st"}
    assert {line[2] for line in game.received("p2", since)[0].lines} == {"p2"}


@pytest.mark.rule("TBL-04")
def test_the_storyteller_may_have_a_hidden_act_noticed_without_saying_whose_it_is():
    game, mira, thief = sneaking()
    since = len(game.changes)
    game.do(cmd.Declare(thief, Act("use", "standard", ability="knife", targets=(mira,)), noticed=True))
    [patch] = game.received("p1", since)
    assert thief not in repr(patch)
    assert "Thief" not in repr(patch)
    assert game.window.asked == ("p1", "p2")


@pytest.mark.case("TBL-04.2")
@pytest.mark.rule("TBL-04")
def test_the_reveal_comes_in_one_change():
    game, mira, thief = sneaking()
    since = len(game.changes)
    game.do(cmd.Reveal(thief))
    [patch] = game.received("p1", since)
    paths = {op[0]: op[1] for op in patch.ops}
    assert paths[f"u/{thief}/name"] == "Thief"
    assert paths["t/order"] == list(game.fight.order)
    assert paths["t/active"] == thief
    assert paths["t/held"] is False
    assert [line[0] for line in patch.lines] == ["revealed", "released"]


@pytest.mark.rule("TBL-04")
def test_who_is_hidden_again_is_gone_in_one_change():
    game, mira, thief = sneaking()
    game.do(cmd.Reveal(thief))
    since = len(game.changes)
    game.do(cmd.Hide(thief))
    [patch] = game.received("p1", since)
    assert thief not in repr(game.seen("p1"))
    assert all(len(op) == 1 or op[0].startswith("t/") for op in patch.ops)
    assert patch.lines == []


@pytest.mark.case("TBL-04.3")
@pytest.mark.rule("TBL-04")
def test_an_override_of_something_hidden_is_no_message_to_those_who_may_not_see_it():
    game, mira, thief = sneaking()
    spare = game.unit("Spare", hidden=True, initiative=3)
    others = [u for u in game.fight.order if u != thief]
    overrides: list[Command] = [
        cmd.SetValue(thief, "hp", 6, 10, "a scratch"),
        cmd.Adjust(thief, "hp", -1),
        cmd.SetValue(thief, "name", "Burglar", "Thief"),
        cmd.AddCondition(thief, "poised"),
        cmd.AddCondition(thief, "quick", rounds=3),
        cmd.RemoveCondition(thief, "poised"),
        cmd.EndEffect(THE_ONE_EFFECT),
        cmd.Grant(thief, ("swift",)),
        cmd.Spend(thief, ("swift",)),
        cmd.SetNotes("what he is after", thief),
        cmd.SetNotes("the heist"),
        cmd.AddCondition(mira, "cursed", secret=True),
        cmd.RemoveCondition(mira, "cursed"),
        cmd.AskRoll((thief,), Pool(fixed=1)),
        cmd.Roll(thief, Pool(fixed=1)),
        cmd.JoinFight(spare),
        cmd.Reorder((*others, thief, spare), (others[0], thief, *others[1:], spare)),
        cmd.LeaveFight(spare),
        cmd.TakeOff(spare),
        cmd.BringOn((spare,), hidden=True),
        cmd.RemoveUnit(spare),
        cmd.AddUnit(Unit(UnitId(""), "Fence")),
        cmd.Whisper("psst", SeatId("p2")),
    ]
    game.dice.left = [5]
    for override in overrides:
        if isinstance(override, cmd.EndEffect):
            override = cmd.EndEffect(*game.table.play.effects)
        since = len(game.changes)
        game.do(override)
        assert game.received("st", since)
        for audience in ("p1", "all"):
            assert not game.received(audience, since), override


@pytest.mark.rule("TBL-04")
def test_a_hidden_unit_and_one_that_does_not_exist_are_refused_alike():
    game, mira, thief = sneaking()
    game.do(cmd.BeginAction(mira))

    def outcomes(id: str) -> list[str]:
        unit = UnitId(id)
        tried: list[Command] = [
            cmd.Declare(mira, Act("use", "standard", targets=(id,))),
            cmd.Declare(unit, Act("use", "standard")),
            cmd.Roll(unit, Pool(fixed=1)),
            cmd.Roll(mira, Pool(fixed=1), opposes=unit),
            cmd.EndAction(unit, 1),
            cmd.LeaveFight(unit),
            cmd.Say("boo", unit),
            cmd.React(unit, Act("use", "immediate")),
        ]
        refused = [game.decide(command, "p1") for command in tried]
        assert all(isinstance(one, Refused) for one in refused)
        return [repr((one.code, one.params)).replace(id, "<id>") for one in refused]  # type: ignore[union-attr]

    assert outcomes(thief) == outcomes("NoSuchId")


@pytest.mark.rule("TBL-04")
def test_secret_conditions_notes_and_others_orders_are_in_nobody_elses_view():
    game, mira, thief = sneaking()
    game.do(cmd.AddCondition(mira, "cursed", secret=True, rounds=2))
    game.do(cmd.SetNotes("she is the heir", mira))
    game.do(cmd.SetNotes("the king dies tonight"))
    game.do(cmd.SetStandingOrder("melee_attack", "pass"), "p2")
    for audience in ("p1", "all"):
        seen = repr(game.seen(audience))
        for secret in ("cursed", "heir", "king", "melee_attack': 'pass"):
            assert secret not in seen
    assert "cursed" in repr(game.seen("st"))
    assert game.seen("p2")["m/orders"] == {"melee_attack": "pass"}


@pytest.mark.rule("TBL-04")
def test_what_only_a_secret_explains_is_refused_without_saying_so():
    game, mira, thief = sneaking()
    game.do(cmd.AddCondition(mira, "stunned", secret=True))
    outcome = game.decide(cmd.React(mira, Act("use", "immediate", ability="step aside")), "p1")
    assert isinstance(outcome, Refused)
    assert (outcome.code, "stunned" in repr(outcome.params)) == ("not_possible", False)
    assert outcome.st == "cannot_act:stunned"


@pytest.mark.rule("TBL-02", "TBL-04")
def test_who_asks_leave_for_what_only_a_secret_forbids_shows_the_st_the_secret_and_learns_nothing():
    game, mira, thief = sneaking()
    game.do(cmd.AddCondition(mira, "stunned", secret=True))
    wanted = cmd.React(mira, Act("use", "immediate", ability="step aside"))
    (request,) = game.do(cmd.AskLeave(wanted, {"kind": "react"}), "p1").made
    seen = {seat: game.seen(seat)[f"q/{request}"]["code"] for seat in ("st", "p1")}
    assert seen == {"st": "cannot_act:stunned", "p1": "not_possible"}
    told = {seat: [line for patch in game.received(seat, 0) for line in patch.lines] for seat in ("st", "p1")}
    assert [line[-1] for line in told["st"] if line[0] == "request_made"] == ["cannot_act:stunned"]
    assert "stunned" not in repr([line for line in told["p1"] if line[0] == "request_made"])


# ------------------------------------------------------------------------------------------------- a roll asked for no more
@pytest.mark.rule("TBL-02")
def test_the_st_takes_back_a_roll_he_asked_for_and_those_asked_see_that_it_is_gone():
    game = Game(dice=[8])
    mira, rolf = game.unit("Mira", "p1"), game.unit("Rolf", "p2")
    (ask,) = game.do(cmd.AskRoll((mira, rolf), Pool(fixed=1), reason="do you hear it?")).made
    ask = RequestId(ask)
    assert game.refused(cmd.WithdrawAsk(ask), "p1") == "forbidden"
    game.do(cmd.Roll(mira, ask=ask), "p1")
    since = len(game.changes)
    game.do(cmd.WithdrawAsk(ask, "it is quiet"))
    for who, told in {"st": ["x1"], "p2": ["st"], "p1": []}.items():
        lines = [line for patch in game.received(who, since) for line in patch.lines]
        assert lines == [["ask_withdrawn", 0, by, [[rolf, "Rolf"]], "it is quiet", ask] for by in told], who
        assert f"a/{ask}" not in game.seen(who)
    assert game.refused(cmd.Roll(rolf, ask=ask), "p2") == "no_ask"
    assert game.refused(cmd.WithdrawAsk(ask)) == "no_ask"


@pytest.mark.rule("TBL-02")
@pytest.mark.parametrize(
    "what",
    [
        "set_value",
        "adjust",
        "add_condition",
        "remove_condition",
        "cancel",
        "edit_task",
        "set_aside",
        "drop_task",
        "rewind",
    ],
)
def test_the_reason_that_the_storyteller_gives_is_told(what: str):
    """To whoever sees what he does."""
    game = Fight()
    task = TaskId(game.do(cmd.StartTask(game.mira, "pick", Pool(fixed=1), 9, successes=2)).made[0])
    game.do(cmd.AddCondition(game.mira, "marked"))
    why = "the moon is out"
    made: dict[str, Command] = {
        "set_value": cmd.SetValue(game.mira, "hp", 4, 10, why),
        "adjust": cmd.Adjust(game.mira, "hp", -1, why),
        "add_condition": cmd.AddCondition(game.mira, "cursed", reason=why),
        "remove_condition": cmd.RemoveCondition(game.mira, "marked", why),
        "cancel": cmd.Cancel(game.attacked(), reason=why),
        "edit_task": cmd.EditTask(task, dc=8, reason=why),
        "set_aside": cmd.SetAside(task, 1, why),
        "drop_task": cmd.DropTask(task, why),
        "rewind": cmd.Rewind(game.version - 1, game.version, why, game.changes[-2].after.play),
    }
    since = len(game.changes)
    game.do(made[what])
    for audience in ("p1", "st"):
        assert why in repr([line for patch in game.received(audience, since) for line in patch.lines])
