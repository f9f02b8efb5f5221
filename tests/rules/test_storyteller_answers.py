"""The Storyteller rules: a reflexive action comes after what triggered it (STY-02; interrupts.md 8)."""

from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.commands import By
from core.ids import ST, Ids, SeatId, UnitId
from core.options import options
from core.refusals import Refused
from core.rulesets import RULESETS
from core.state import Ability, Applied, Window
from core.world import World
from tests.helpers.play import Game, attack, make_act

HIT = (9, 9, 9)


def block(name: str = "block", **more: Any) -> Ability:
    """On one's own turn a simple action, on its trigger a reflexive one."""
    applies = (Applied("braced", to="self"),)
    return Ability(name, "block", ("simple", "reflexive"), answers=("attack",), applies=applies, **more)


def riposte(**more: Any) -> Ability:
    return Ability("riposte", "use", ("reflexive",), needs_target=True, damage=2, **({"answers": ("attack",)} | more))


def parry_of_blocks() -> Ability:
    return Ability("feint", "use", ("reflexive",), needs_target=True, damage=1, answers=("block",))


class Duel:
    """Ann strikes; Ben, Cid (the players p2, p3) and the ST's Dog can answer. All seats ask."""

    def __init__(self, *, ask: bool = True, **house: Any) -> None:
        self.game = game = Game(dice=HIT * 20, players=("p1", "p2", "p3"), ruleset="storyteller", **house)
        sword = attack("sword", 3, slots=("simple",))
        self.ann = game.unit("Ann", "p1", initiative=20, abilities=[sword, parry_of_blocks()])
        self.ben = game.unit("Ben", "p2", initiative=15, abilities=[sword, block(), riposte()])
        self.cid = game.unit("Cid", "p3", initiative=10, abilities=[riposte()])
        self.dog = game.unit("Dog", initiative=5, abilities=[block("growl")])
        game.start()
        for seat in ("p1", "p2", "p3", "st") if ask else ():
            game.do(cmd.SetStandingOrder("*", "ask"), seat)

    def strikes(self, at: UnitId | None = None) -> Window:
        """Ann's attack; the window that is open after it."""
        self.game.declare(self.ann, "melee_attack", "simple", ability="sword", targets=[at or self.ben])
        return self.game.window

    def answer(self, unit: UnitId, ability: str, window: Window | None = None, **act: Any) -> cmd.React:
        return cmd.React(unit, make_act("use", "reflexive", ability=ability, **act), window.id if window else None)


def order_of(game: Game) -> list[tuple[str, str]]:
    """(who, what) of everything that was carried out, in its order."""
    return [(game.table.play.units[e.actor].name, e.kind) for e in game.events if isinstance(e, ev.ActionCarriedOut)]


# ------------------------------------------------------------------------------------------------------------ STY-02
@pytest.mark.case("STY-02.1")
@pytest.mark.rule("STY-02")
def test_the_attack_first_then_the_block_before_anyone_elses():
    duel = Duel()
    game = duel.game
    attacked = duel.strikes()
    assert game.hp(duel.ben) == 7  # carried out in the declaring command
    assert [(p.act.kind, p.state) for p in game.table.play.pendings.values()] == [("melee_attack", "done")]
    assert (attacked.kind, attacked.asked) == ("after", (SeatId("p2"), SeatId("p3"), ST))
    game.do(duel.answer(duel.ben, "block", attacked), "p2")
    assert "braced" in game.conditions(duel.ben)
    assert order_of(game) == [("Ann", "melee_attack"), ("Ben", "block")]
    assert game.refused(cmd.EndAction(duel.ann, 1), "p1") == "window_open"
    act = make_act("use", "free")
    assert game.refused(cmd.Declare(duel.ann, act), "p1") == "window_open"
    assert game.refused(cmd.Declare(duel.cid, act), "p3") == "window_open"
    game.pass_all()  # the block's own
    game.pass_all()  # the attack's, asked again
    game.do(cmd.Declare(duel.ann, act), "p1")


@pytest.mark.case("STY-02.2")
@pytest.mark.rule("STY-02")
def test_two_on_one_trigger_come_in_the_order_accepted():
    duel = Duel()
    game = duel.game
    attacked = duel.strikes(duel.dog)
    game.do(duel.answer(duel.cid, "riposte", attacked), "p3")
    game.do(duel.answer(duel.ben, "riposte", attacked), "p2")  # names the attack, though Cid's lies on it
    assert order_of(game) == [("Ann", "melee_attack"), ("Cid", "use"), ("Ben", "use")]
    assert game.hp(duel.ann) == 6
    assert game.stack == ["melee_attack", "use", "use"]
    for below in (2, 1, 0):
        game.pass_all()
        assert len(game.stack) == below


@pytest.mark.rule("STY-02")
def test_an_answer_has_its_own_answers_and_then_the_trigger_is_asked_again():
    duel = Duel()
    game = duel.game
    attacked = duel.strikes()
    game.do(cmd.Pass(attacked.id, 1), "p3")
    game.do(duel.answer(duel.ben, "block"), "p2")
    blocked = game.window
    assert blocked.asked == (SeatId("p1"), SeatId("p3"), ST)
    game.do(duel.answer(duel.ann, "feint", blocked), "p1")
    assert game.hp(duel.ben) == 6
    game.pass_all()
    assert (game.window.id, game.window.gen) == (blocked.id, 2)
    game.pass_all()
    assert (game.window.id, game.window.gen, game.window.passed) == (attacked.id, 2, ())
    game.do(duel.answer(duel.cid, "riposte"), "p3")  # who has passed before may answer now
    assert game.hp(duel.ann) == 8


@pytest.mark.rule("STY-02")
def test_a_reflexive_action_needs_its_trigger():
    duel = Duel()
    game = duel.game
    assert game.refused(duel.answer(duel.ben, "block"), "p2") == "not_triggered"  # nothing has happened
    game.declare(duel.ann, "move", "simple", distance=3)
    assert game.window.kind == "after"
    assert game.refused(duel.answer(duel.ben, "block"), "p2") == "not_triggered"  # no attack
    assert game.refused(cmd.React(duel.ben, make_act("drop_prone", "reflexive")), "p2") == "ability_required"
    game.pass_all()
    game.end(duel.ann)
    assert game.refused(cmd.Declare(duel.ben, make_act("block", "reflexive", ability="block")), "p2") == "bad_value"


@pytest.mark.rule("STY-02")
def test_a_reflexive_action_answers_one_act_once_and_the_next_again():
    duel = Duel(reaction_floor_ms=0)
    game = duel.game
    game.do(cmd.SetValue(duel.ann, "attributes.DEX", 2, None))
    game.do(cmd.SetValue(duel.ann, "tracks.hp.value", 8, 10))
    game.do(cmd.Announce(duel.ann, 2), "p1")
    act = make_act("melee_attack", "simple", ability="sword", targets=[duel.ben], modifier=5)
    game.do(cmd.Declare(duel.ann, act), "p1")
    attacked = game.window
    game.do(duel.answer(duel.ben, "riposte"), "p2")
    assert game.refused(duel.answer(duel.ben, "riposte", attacked), "p2") == "not_triggered"
    game.do(duel.answer(duel.ben, "block", attacked), "p2")  # another ability of his
    for _ in range(3):
        game.pass_all()
    game.do(cmd.Declare(duel.ann, act), "p1")
    game.do(duel.answer(duel.ben, "riposte"), "p2")
    assert game.hp(duel.ann) == 4


@pytest.mark.rule("STY-02")
def test_a_block_is_a_simple_action_on_ones_own_turn():
    duel = Duel()
    game = duel.game
    game.end(duel.ann)
    game.declare(duel.ben, "block", "simple", ability="block")
    assert "braced" in game.conditions(duel.ben)
    assert game.left(duel.ben) == {"simple": 0, "free": 1}


@pytest.mark.rule("STY-02")
def test_a_reflexive_action_costs_nothing():
    duel = Duel()
    game = duel.game
    duel.strikes()
    game.do(duel.answer(duel.ben, "block"), "p2")
    game.pass_all()
    game.pass_all()
    game.end(duel.ann)
    assert game.left(duel.ben) == {"simple": 1, "free": 1}


@pytest.mark.rule("STY-02")
def test_whoever_the_act_has_put_out_answers_no_more():
    duel = Duel()
    game = duel.game
    game.do(cmd.SetValue(duel.ben, "tracks.hp.value", 3, 10))
    window = duel.strikes()
    assert window.asked == (SeatId("p3"), ST)
    assert game.refused(duel.answer(duel.ben, "block"), "p2") == "cannot_act"


@pytest.mark.rule("STY-02")
def test_an_act_done_is_answered_though_its_actor_is_out_meanwhile():
    duel = Duel()
    game = duel.game
    game.do(cmd.SetValue(duel.ann, "tracks.hp.value", 2, 10))
    attacked = duel.strikes()
    game.do(duel.answer(duel.ben, "riposte"), "p2")
    assert "out" in game.conditions(duel.ann)
    game.do(duel.answer(duel.ben, "block", attacked), "p2")
    for _ in range(3):
        game.pass_all()
    assert game.active == duel.ben


@pytest.mark.rule("STY-02")
def test_with_its_actor_removed_an_act_done_is_over():
    duel = Duel()
    game = duel.game
    attacked = duel.strikes()
    game.do(cmd.RemoveUnit(duel.ann))
    assert game.stack == []
    assert game.refused(duel.answer(duel.ben, "block", attacked), "p2") == "window_closed"


@pytest.mark.rule("STY-02")
def test_nobody_is_asked_where_nobody_could_answer():
    """Acts without a window, and a table without windows: over in their own command."""
    duel = Duel()
    duel.game.declare(duel.ann, "shout", "free")
    assert duel.game.stack == []
    quick = Duel(reaction_window_ms=0)
    quick.game.declare(quick.ann, "melee_attack", "simple", ability="sword", targets=[quick.ben])
    assert quick.game.stack == []
    assert quick.game.refused(quick.answer(quick.ben, "block"), "p2") == "not_triggered"


# ----------------------------------------------------------------------------------------- the clock, orders, the ST
@pytest.mark.rule("STY-02")
def test_the_after_window_closes_at_its_deadline():
    duel = Duel()
    game = duel.game
    duel.strikes()
    game.wait(7_999)
    assert game.stack == ["melee_attack"]
    game.wait(1)
    assert game.stack == []


@pytest.mark.rule("STY-02")
def test_by_default_only_whom_it_concerns_is_waited_for():
    duel = Duel(ask=False)
    game = duel.game
    game.declare(duel.ann, "move", "simple", distance=3)
    game.wait(750)
    assert game.stack == []  # nobody has an ability that answers a move
    game.next_action_of(duel.ann)
    duel.strikes(duel.dog)
    game.do(cmd.Pass(game.window.id, 1), "p2")
    game.do(cmd.Pass(game.window.id, 1))
    game.wait(750)
    assert game.stack == ["melee_attack"]  # Cid could answer an attack
    game.do(cmd.SetStandingOrder("*", "unless_target"), "p3")
    assert game.stack == []


@pytest.mark.rule("STY-02")
def test_more_time_and_the_sts_hand_on_the_clock():
    duel = Duel()
    game = duel.game
    duel.strikes()
    game.do(cmd.MoreTime(game.window.id), "p2")
    game.do(cmd.SetClock(game.window.id, 1000))
    game.wait(8_000 + 5_000 + 999)
    assert game.stack == ["melee_attack"]
    game.do(cmd.CloseWindow(game.window.id))
    assert game.stack == []
    game.next_action_of(duel.ann)
    duel.strikes()
    game.do(cmd.Resolve(game.top.id))
    assert game.stack == []
    assert game.hp(duel.ben) == 4


@pytest.mark.rule("STY-02")
def test_held_an_act_waits_before_it_happens_and_answers_are_carried_out_after_the_release():
    duel = Duel()
    game = duel.game
    game.do(cmd.Hold())
    window = duel.strikes()
    assert (window.kind, game.hp(duel.ben)) == ("before", 10)
    assert game.refused(duel.answer(duel.ben, "block", window), "p2") == "not_triggered"
    game.do(cmd.Release())
    assert (game.window.kind, game.hp(duel.ben)) == ("after", 7)
    game.do(cmd.Hold())
    game.do(duel.answer(duel.ben, "block"), "p2")
    assert "braced" not in game.conditions(duel.ben)
    game.do(cmd.Release())
    assert "braced" in game.conditions(duel.ben)


@pytest.mark.rule("STY-02")
def test_what_is_done_cannot_be_cancelled_or_changed_only_rewound():
    duel = Duel()
    game = duel.game
    before = game.version
    duel.strikes()
    assert game.refused(cmd.Cancel(game.top.id)) == "too_late"
    assert game.refused(cmd.EditPending(game.top.id, fails=True)) == "too_late"
    assert game.refused(cmd.Withdraw(game.top.id), "p1") == "must_continue"
    game.rewind(before)
    assert (game.stack, game.hp(duel.ben)) == ([], 10)


@pytest.mark.rule("STY-02")
def test_a_rewind_into_an_after_window_asks_anew():
    duel = Duel()
    game = duel.game
    attacked = duel.strikes()
    then = game.version
    game.do(duel.answer(duel.ben, "riposte"), "p2")
    game.pass_all()
    game.rewind(then)
    assert game.window.id != attacked.id
    assert game.refused(duel.answer(duel.ben, "riposte", attacked), "p2") == "window_closed"
    assert (game.window.kind, game.window.gen, game.hp(duel.ann), game.table.play.held) == ("after", 1, 10, True)
    game.do(cmd.Release())
    game.do(duel.answer(duel.ben, "riposte"), "p2")
    assert game.hp(duel.ann) == 8


@pytest.mark.rule("STY-02")
def test_the_st_lets_any_unit_act_in_an_after_window():
    duel = Duel()
    game = duel.game
    duel.strikes()
    game.do(cmd.Insert(duel.dog, make_act("block", "reflexive", ability="growl")))
    assert "braced" in game.conditions(duel.dog)
    assert game.stack == ["melee_attack", "block"]


@pytest.mark.rule("STY-02")
def test_the_stack_has_its_depth_here_too():
    duel = Duel(stack_depth=2)
    game = duel.game
    attacked = duel.strikes()
    game.do(duel.answer(duel.ben, "riposte", attacked), "p2")
    assert game.refused(duel.answer(duel.cid, "riposte", attacked), "p3") == "stack_full"


@pytest.mark.rule("STY-02")
def test_what_a_hidden_unit_does_unnoticed_covers_nothing():
    duel = Duel()
    game = duel.game
    game.do(cmd.Hide(duel.dog))
    attacked = duel.strikes()
    clock = attacked.clock
    assert SeatId("st") not in attacked.asked
    game.do(duel.answer(duel.dog, "growl", attacked))
    assert "braced" in game.conditions(duel.dog)
    assert (game.window.id, game.window.clock, game.window.gen) == (attacked.id, clock, 1)


@pytest.mark.rule("STY-02")
def test_several_attacks_with_a_faulty_rule_are_refunded_as_ever(monkeypatch: pytest.MonkeyPatch):
    duel = Duel()

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(RULESETS["storyteller"], "attack", broken)
    duel.game.declare(duel.ann, "melee_attack", "simple", ability="sword", targets=[duel.ben])
    assert [e.why for e in duel.game.happened(ev.ActionFailed)] == ["fault"]
    assert duel.game.left(duel.ann) == {"simple": 1, "free": 1}


# ------------------------------------------------------------------------------------------------------- what is seen
@pytest.mark.rule("STY-02")
def test_players_see_the_act_done_and_the_question():
    duel = Duel()
    game = duel.game
    since = len(game.changes)
    window = duel.strikes()
    for audience in ("p2", "p3"):
        seen = game.seen(audience)
        assert seen[f"k/{game.top.id}"]["state"] == "done"
        assert seen[f"w/{window.id}"]["kind"] == "after"
        assert seen[f"w/{window.id}/me"]["asked"]
    told = [line[0] for patch in game.received("p3", since) for line in patch.lines]
    assert told[:3] == ["declared", "rolled", "damaged"]
    assert "carried_out" in told
    game.pass_all()
    assert not [path for path in game.seen("p3") if path.startswith(("k/", "w/"))]


@pytest.mark.rule("STY-02")
def test_what_could_be_done_now_names_the_reflexive_acts():
    duel = Duel()
    game = duel.game

    def offered(seat: str, unit: UnitId) -> dict[str, Any]:
        world = World(game.now, game.dice, Ids(b"o", "o"), game.here, game.version + 1)
        found = options(game.table, By(SeatId(seat), "player"), world, unit)
        return {o.command.act.ability: o for o in found if isinstance(o.command, cmd.React)}

    assert {name: o.refused.code for name, o in offered("p2", duel.ben).items() if o.refused} == {
        "block": "not_triggered", "riposte": "not_triggered",
    }  # fmt: skip
    attacked = duel.strikes()
    assert all(o.refused is None and o.command.window == attacked.id for o in offered("p2", duel.ben).values())
    game.do(duel.answer(duel.ben, "block"), "p2")
    below = offered("p3", duel.cid)["riposte"]  # it answers the attack, which lies beneath the block
    assert (below.refused, below.command.window, below.costs) == (None, attacked.id, ())
    game.do(below.command, "p3")
    assert game.hp(duel.ann) == 8


@pytest.mark.rule("STY-02")
def test_leave_lets_an_untriggered_one_through():
    duel = Duel()
    game = duel.game
    command = duel.answer(duel.ben, "riposte", targets=[duel.ann])
    game.do(cmd.AskLeave(command, {}, "he sees it coming"), "p2")
    (request,) = game.table.requests
    game.do(cmd.AnswerRequest(request, True, command=command))
    assert game.hp(duel.ann) == 8


def test_a_refusal_is_a_value():
    duel = Duel()
    outcome = duel.game.decide(duel.answer(duel.ben, "riposte"), "p2")
    assert isinstance(outcome, Refused)
    assert outcome.waivable
