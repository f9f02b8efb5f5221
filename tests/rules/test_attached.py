"""Abilities attached to an action, and Techniques of several actions, one window to each (ATT-01, ATT-02)."""

from dataclasses import replace
from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.ids import UnitId
from core.state import Ability, Act, Applied, Pool, Step, Trigger, Unit
from tests.helpers.play import Game, attack, step_aside

rule, case = pytest.mark.rule, pytest.mark.case

A = Ability("A", attaches=("attack", "blade"), pool=Pool(modifier=2), applies=(Applied("marked"),))
B = Ability("B", attaches=("attack", "all_out"), applies=(Applied("open", to="self"),))
ON_A_MOVE = Ability("A", attaches=("move",), applies=(Applied("swift", to="self"),))
ON_AN_ATTACK = Ability("B", attaches=("attack",), pool=Pool(modifier=1))
SWORD = attack("sword", 3, traits=("blade",))
ALL_OUT = attack("all-out sword", 3, traits=("blade",), all_out=True)
DASH = Ability("dash", "move", ())
STRIKE = attack("strike", 3, slots=[])
FLURRY = Ability("flurry", slots=("standard",), steps=("sword", "sword", "all-out sword"))
CHARGE = Ability("charge", slots=("full_round", "immediate"), steps=("dash", "strike"))
HIT_AND_RUN = Ability("hit and run", slots=("standard", "immediate"), steps=("strike", "dash"))
ATTACHED_TO_ALL = [SWORD, ALL_OUT, FLURRY, A, B]
A_CHARGE = [DASH, STRIKE, CHARGE, ON_A_MOVE, ON_AN_ATTACK]


def fight(*abilities: Ability, windows: int = 0, dice: Any = (), **house: Any) -> tuple[Game, UnitId, UnitId]:
    """Mira acts, Kai (p2) comes next. With `windows` (ms) Kai's player is asked."""
    game = Game(reaction_window_ms=windows, dice=[*dice, *[3] * 60], **house)
    mira = game.unit("Mira", "p1", initiative=20, hp=20, abilities=abilities)
    kai = game.unit("Kai", "p2", initiative=10, hp=20, abilities=[step_aside()], dodge=2, extras={"defense": 4})
    game.start()
    return game, mira, kai


def blow(mira: UnitId, kai: UnitId, ability: str = "all-out sword", *attached: str) -> cmd.Declare:
    return cmd.Declare(mira, Act("use", "standard", ability=ability, targets=(kai,), attached=attached))


def flurry(mira: UnitId, kai: UnitId, *attached: tuple[str, ...], slot: Any = "standard") -> cmd.Declare:
    steps = tuple(Step(attached=one) for one in attached)
    return cmd.Declare(mira, Act("use", slot, ability="flurry", targets=(kai,), steps=steps))


def charge(mira: UnitId, kai: UnitId, *steps: Step, **rest: Any) -> cmd.Declare:
    return cmd.Declare(mira, Act("use", "full_round", ability="charge", targets=(kai,), steps=steps, **rest))


def kinds(game: Game) -> list[type]:
    return [type(e) for e in game.last]


# -------------------------------------------------------------------------------------------------------------- ATT-01
@rule("ATT-01")
@case("ATT-01.1")
def test_one_attached_ability_goes_with_one_action():
    game, mira, kai = fight(*ATTACHED_TO_ALL)
    assert game.refused(blow(mira, kai, "all-out sword", "A", "B"), "p1") == "one_attachment"
    game.do(blow(mira, kai, "all-out sword", "A"), "p1")
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 0}, "it takes no action itself"


@rule("ATT-01")
@case("ATT-01.2")
def test_it_must_fit_the_actions_kind():
    game, mira, kai = fight(*ATTACHED_TO_ALL, attack("club", 3), Ability("shout", needs_target=True))
    assert game.refused(blow(mira, kai, "sword", "B"), "p1") == "attachment_mismatch"
    assert game.refused(blow(mira, kai, "club", "A"), "p1") == "attachment_mismatch"
    assert game.refused(blow(mira, kai, "shout", "A"), "p1") == "attachment_mismatch"
    game.do(blow(mira, kai, "sword", "A"), "p1")


@rule("ATT-01")
def test_only_an_ability_that_is_there_to_be_attached_is_attached_and_it_is_nothing_by_itself():
    game, mira, kai = fight(*ATTACHED_TO_ALL)
    assert game.refused(blow(mira, kai, "sword", "all-out sword"), "p1") == "ability_required"
    assert game.refused(blow(mira, kai, "sword", "C"), "p1") == "ability_required"
    assert game.refused(blow(mira, kai, "A"), "p1") == "attachment_mismatch"


@rule("ATT-01")
@pytest.mark.parametrize("relaxed", ["off", "on"])
def test_it_brings_its_dice_and_on_a_hit_its_effect(relaxed):
    game, mira, kai = fight(*ATTACHED_TO_ALL, windows=8000, dice=[9, 9, 9, 1, 1], relaxed_defense=relaxed)
    game.do(blow(mira, kai, "sword", "A"), "p1")
    while game.table.play.stack:
        game.pass_all()
    (rolled,) = [e for e in game.events if isinstance(e, ev.Rolled) and e.why == "melee_attack"]
    assert ("A", 2) in rolled.parts
    assert rolled.size == 3 + 2 - 2, "less Kai's dodge"
    assert "marked" in game.conditions(kai)
    assert sum(isinstance(e, ev.AbilitiesAttached) for e in game.events) == 1


@rule("ATT-01")
def test_on_a_miss_it_does_nothing():
    game, mira, kai = fight(*ATTACHED_TO_ALL)
    game.do(blow(mira, kai, "all-out sword", "B"), "p1")
    assert game.conditions(mira) == game.conditions(kai) == set()


@rule("ATT-01")
def test_on_what_is_no_attack_it_adds_its_effect_and_its_dice():
    chant = Ability(
        "chant", attaches=("cast",), pool=Pool(modifier=3), applies=(Applied("dazed"), Applied("hoarse", to="self"))
    )
    game, mira, kai = fight(Ability("hex", "cast", pool=Pool(fixed=1), needs_target=True), chant, dice=[8, 8, 8, 8])
    game.do(blow(mira, kai, "hex", "chant"), "p1")
    (rolled,) = game.happened(ev.Rolled)
    assert rolled.size == 4
    assert (game.conditions(kai), game.conditions(mira)) == ({"dazed"}, {"hoarse"})


@rule("ATT-01")
def test_what_is_attached_is_sealed_until_the_roll():
    game, mira, kai = fight(*ATTACHED_TO_ALL, windows=8000, relaxed_defense="on")
    game.do(blow(mira, kai, "sword", "A"), "p1")
    path = f"k/{game.top.id}/attached"
    assert game.seen("p1")[path] == game.seen("st")[path] == [["A"]]
    assert path not in game.seen("p2")
    assert "'A'" not in str([p.lines for p in game.received("p2", len(game.changes) - 1)])
    game.pass_all()
    assert game.top.state == "rolled"
    assert game.seen("p2")[path] == [["A"]]
    assert ["attached", [mira, "Mira"], "melee_attack", ["A"], game.top.id] in [
        [line[0], *line[3:]] for p in game.received("p2") for line in p.lines
    ]


@rule("ATT-01")
def test_one_that_is_gone_falls_away_alone():
    game, mira, kai = fight(*ATTACHED_TO_ALL, windows=8000)
    game.do(blow(mira, kai, "sword", "A"), "p1")
    unit = game.table.play.units[mira]
    without = replace(unit, abilities={name: one for name, one in unit.abilities.items() if name != "A"})
    game.table = replace(game.table, play=replace(game.table.play, units={**game.table.play.units, mira: without}))
    game.pass_all()
    assert ev.ActionCarriedOut in kinds(game)
    assert ev.AbilitiesAttached not in kinds(game)


@rule("ATT-01")
def test_it_is_checked_when_an_act_is_readied_too():
    game, mira, kai = fight(*ATTACHED_TO_ALL)
    act = blow(mira, kai, "all-out sword", "A", "B").act
    assert game.refused(cmd.Ready(mira, act, Trigger("move")), "p1") == "one_attachment"


@rule("ATT-01", "CON-04")
def test_an_attached_ability_that_needs_concentration_costs_nothing_to_sustain_and_is_one_of_one():
    trance = Ability("trance", attaches=("attack",), concentration="same", applies=(Applied("seen"),))
    grip = attack("grip", 3, concentration="move")
    game, mira, kai = fight(SWORD, grip, trance, dice=[9])
    assert game.refused(blow(mira, kai, "grip", "trance"), "p1") == "already_concentrating"
    game.do(blow(mira, kai, "sword", "trance"), "p1")
    assert game.table.play.concentrations[mira].cost == "none"
    assert "seen" in game.conditions(kai)
    game.next_action_of(mira)
    game.do(cmd.Sustain(mira), "p1")
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 1}


# -------------------------------------------------------------------------------------------------------------- ATT-02
@rule("ATT-02")
@case("ATT-02.1")
def test_move_then_attack_takes_one_on_the_move_and_one_on_the_attack():
    game, mira, kai = fight(*A_CHARGE)
    steps = (Step(distance=8, position="at Kai", attached=("A",)), Step(attached=("B",)))
    game.do(charge(mira, kai, *steps), "p1")
    assert game.left(mira) == {"swift": 1, "move": 0, "standard": 0}
    assert [e.abilities for e in game.happened(ev.AbilitiesAttached)] == [("A",), ("B",)]
    assert game.table.play.units[mira].position == "at Kai"
    assert game.conditions(mira) == {"swift"}
    (rolled,) = game.happened(ev.Rolled)
    assert ("B", 1) in rolled.parts


@rule("ATT-02")
def test_each_must_fit_the_action_it_is_attached_to():
    game, mira, kai = fight(*A_CHARGE)
    assert game.refused(charge(mira, kai, Step(attached=("B",))), "p1") == "attachment_mismatch"
    assert game.refused(charge(mira, kai, Step(), Step(attached=("A",))), "p1") == "attachment_mismatch"


@rule("ATT-02")
@pytest.mark.parametrize("last", ["A", "B"])
@case("ATT-02.2")
def test_three_blade_attacks_the_last_all_out_take_one_each_and_not_two_on_the_last(last):
    game, mira, kai = fight(*ATTACHED_TO_ALL)
    assert game.refused(flurry(mira, kai, ("A",), ("A",), ("A", "B")), "p1") == "one_attachment"
    assert game.refused(flurry(mira, kai, ("A",), ("B",), (last,)), "p1") == "attachment_mismatch"
    game.do(flurry(mira, kai, ("A",), ("A",), (last,)), "p1")
    assert [e.abilities for e in game.happened(ev.AbilitiesAttached)] == [("A",), ("A",), (last,)]
    assert len(game.happened(ev.Rolled)) == 3


@rule("ATT-02")
def test_one_window_before_each_step_and_the_cost_is_paid_once():
    game, mira, kai = fight(*ATTACHED_TO_ALL, windows=8000)
    game.do(flurry(mira, kai), "p1")
    first = game.window
    face = game.seen("p2")[f"k/{game.top.id}"]
    assert (face["technique"], face["step"], face["steps"]) == ("flurry", 1, 3)
    assert face["to_come"] == [{"kind": "melee_attack", "targets": [kai]}] * 2
    game.pass_all()
    second = game.window
    assert (second.id != first.id, second.gen, second.passed, game.top.step) == (True, 1, (), 2)
    assert game.refused(cmd.Pass(first.id, 1), "p2") == "window_closed"
    assert second.clock is not None
    assert second.clock.deadline == game.now + 8000
    told = [line for p in game.received("p2", len(game.changes) - 1) for line in p.lines if line[0] == "step_done"]
    assert told[0][3:] == [[mira, "Mira"], "melee_attack", 1, 3, "melee_attack", [[kai, "Kai"]], game.top.id]
    assert ev.ActionCarriedOut not in kinds(game)
    game.pass_all()
    game.pass_all()
    assert kinds(game)[-1] == ev.ActionCarriedOut
    assert not game.table.play.stack
    assert sum(isinstance(e, ev.CostSpent) for e in game.events) == 1
    assert game.left(mira)["standard"] == 0


@rule("ATT-02", "XS-09")
def test_what_its_steps_cost_its_own_defence_is_paid_with_the_whole_and_comes_back_with_it():
    rush = replace(DASH, lowers_base=1)
    reckless = replace(STRIKE, lowers_base=2, all_out=True)
    game, mira, kai = fight(rush, reckless, CHARGE, windows=8000)
    game.do(charge(mira, kai), "p1")
    budget = game.table.play.budgets[mira]
    assert (budget.base_less, budget.all_out) == (3, True)
    game.do(cmd.Cancel(game.top.id))
    budget = game.table.play.budgets[mira]
    assert (budget.base_less, budget.all_out) == (0, False)


@rule("ATT-02")
def test_its_own_targets_for_each_step_else_those_of_the_whole():
    game, mira, kai = fight(*ATTACHED_TO_ALL)
    wolf = game.unit("Wolf", initiative=1)
    game.do(cmd.JoinFight(wolf))
    three = cmd.Declare(
        mira, Act("use", "standard", ability="flurry", targets=(kai,), steps=(Step(), Step(targets=(wolf,))))
    )
    game.do(three, "p1")
    assert [e.target for e in game.happened(ev.Rolled)] == [kai, wolf, kai]


@rule("ATT-02")
def test_an_interrupt_answers_one_step_and_the_rest_goes_on():
    game, mira, kai = fight(*ATTACHED_TO_ALL, windows=8000)
    game.do(flurry(mira, kai), "p1")
    game.react(kai, "step aside", window=game.window, leaves=True)
    game.pass_all()
    assert game.top.fled == (kai,)
    game.pass_all()
    assert game.top.step == 2
    assert not game.top.fled, "the next attack is another one (IMM-05)"


@rule("ATT-02")
def test_defence_is_declared_for_each_step_anew():
    game, mira, kai = fight(*ATTACHED_TO_ALL, windows=8000)
    game.do(flurry(mira, kai), "p1")
    game.do(cmd.Defend(game.window.id, kai, 3), "p2")
    game.pass_all()
    assert game.top.guards == {}
    assert game.table.play.budgets[kai].guard == 1
    assert game.refused(cmd.Defend(game.window.id, kai, 2), "p2") == "not_enough"
    game.do(cmd.Defend(game.window.id, kai, 1), "p2")


@rule("ATT-02")
def test_a_step_that_fails_ends_it_and_the_earlier_steps_stay_done():
    game, mira, kai = fight(*A_CHARGE, windows=8000)
    game.do(charge(mira, kai, Step(position="at Kai")), "p1")
    game.pass_all()
    assert (game.stack, game.table.play.units[mira].position) == (["melee_attack"], "at Kai")
    game.do(cmd.AddCondition(mira, "stunned"))
    (failed,) = game.happened(ev.ActionFailed)
    assert (failed.kind, failed.why) == ("melee_attack", "interrupted")
    assert game.table.play.units[mira].position == "at Kai"
    assert ev.CostRefunded not in kinds(game), "what it cost stays spent"


@rule("ATT-02")
def test_with_its_only_target_gone_a_step_fails():
    game, mira, kai = fight(*ATTACHED_TO_ALL, windows=8000)
    game.do(flurry(mira, kai), "p1")
    game.pass_all()
    game.do(cmd.AddCondition(kai, "out"))
    game.wait(8000)
    assert "no_target" in [e.why for e in game.events if isinstance(e, ev.ActionFailed)]


@rule("ATT-02", "RDY-04")
def test_a_readied_action_is_matched_by_a_step():
    game, mira, kai = fight(*A_CHARGE, windows=8000)
    game.end(mira)
    game.do(cmd.Ready(kai, Act("move", "move", leaves=True), Trigger("attack", target="self"), auto=True), "p2")
    game.end(kai)
    game.do(charge(mira, kai), "p1")
    assert game.stack == ["move"], "the step before is no attack"
    game.pass_all()
    assert game.stack == ["melee_attack", "move"], "it has fired by itself as the attack was declared"
    game.pass_all()
    assert game.top.fled == (kai,)


@rule("ATT-02", "RDY-04")
def test_a_trigger_by_ability_knows_the_technique_and_its_steps():
    for wanted in ("charge", "strike"):
        game, mira, kai = fight(*A_CHARGE, windows=8000)
        game.end(mira)
        game.do(cmd.Ready(kai, Act("move", "move"), Trigger(ability=wanted)), "p2")
        game.end(kai)
        game.do(charge(mira, kai), "p1")
        assert bool(game.top.due) == (wanted == "charge")
        game.pass_all()
        assert game.top.due


@rule("ATT-02")
def test_a_technique_is_readied_and_taken_as_an_immediate_action_as_a_whole():
    game, mira, kai = fight(*A_CHARGE, replace(FLURRY, slots=("standard", "immediate")), SWORD, ALL_OUT, windows=8000)
    game.do(cmd.Ready(mira, replace(flurry(mira, kai).act, targets=()), Trigger("move"), auto=True), "p1")
    game.end(mira)
    game.declare(kai, "move", "move")
    assert (game.top.technique, game.top.act.targets) == ("flurry", (kai,)), "aimed back at whoever triggers it"
    for _ in range(4):
        game.pass_all()
    assert not game.table.play.stack
    game.react(mira, "charge", targets=[kai])
    assert game.top.technique == "charge"
    assert game.top.interrupts


@rule("ATT-02")
def test_a_readied_technique_of_which_a_step_is_barred_does_not_fire_by_itself():
    game, mira, kai = fight(*A_CHARGE, windows=8000)
    charge_later = replace(CHARGE, slots=("standard",))
    unit = game.table.play.units[mira]
    unit = replace(unit, abilities={**unit.abilities, "charge": charge_later})
    game.table = replace(game.table, play=replace(game.table.play, units={**game.table.play.units, mira: unit}))
    game.do(cmd.Ready(mira, replace(charge(mira, kai).act, slot="standard"), Trigger("move"), auto=True), "p1")
    game.end(mira)
    game.do(cmd.AddCondition(mira, "bound"))
    game.declare(kai, "move", "move")
    assert game.stack == ["move"]


@rule("ATT-02")
def test_every_step_is_checked_before_anything_is_spent():
    game, mira, kai = fight(*A_CHARGE, Ability("broken", steps=("dash", "nothing")))
    assert game.refused(charge(mira, kai, Step(distance=11)), "p1") == "too_far"
    assert game.refused(charge(mira, UnitId("nobody")), "p1") == "no_target"
    assert game.refused(cmd.Declare(mira, Act("use", "full_round", ability="charge")), "p1") == "no_target"
    assert game.refused(blow(mira, kai, "broken"), "p1") == "ability_required"
    assert game.refused(blow(mira, kai, "strike"), "p1") == "ability_required", "a step alone has no slot"
    assert game.refused(charge(mira, kai, Step(), Step(), Step()), "p1") == "bad_value"
    assert game.refused(charge(mira, kai, attached=("A",)), "p1") == "bad_value", "to which step?"
    game.do(cmd.AddCondition(mira, "bound"))
    assert game.refused(charge(mira, kai), "p1") == "barred"
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 1}


@rule("ATT-02")
def test_what_a_table_lets_through_goes_on_to_its_last_step():
    game, mira, kai = fight(*A_CHARGE, windows=8000, enforce="warn")
    game.do(cmd.AddCondition(mira, "bound"))
    game.do(charge(mira, kai), "p1")
    game.pass_all()
    game.pass_all()
    assert kinds(game)[-1] == ev.ActionCarriedOut


@rule("ATT-02")
def test_of_a_later_step_too_what_was_let_through_stays_so():
    game, mira, kai = fight(*A_CHARGE, HIT_AND_RUN, windows=8000, enforce="warn")
    game.do(cmd.AddCondition(mira, "bound"))
    game.do(blow(mira, kai, "hit and run"), "p1")
    game.pass_all()
    assert game.stack == ["move"]
    game.pass_all()
    assert kinds(game)[-1] == ev.ActionCarriedOut


@rule("ATT-02", "IMM-05")
def test_it_leaves_an_attacks_area_by_its_move_and_not_before():
    game, mira, kai = fight(*A_CHARGE, HIT_AND_RUN, windows=8000)
    game.do(cmd.Insert(kai, Act("melee_attack", "standard", targets=(mira,))))
    beneath = game.top.id
    game.react(mira, "hit and run", targets=[kai], leaves=True)
    game.pass_all()
    assert game.table.play.pendings[beneath].fled == ()
    game.pass_all()
    assert game.table.play.pendings[beneath].fled == (mira,)


@rule("ATT-02")
def test_no_defence_against_one_step_says_nothing_of_the_next():
    game, mira, kai = fight(*ATTACHED_TO_ALL, windows=8000)
    game.do(cmd.SetDefaultGuard(1), "p2")
    game.do(flurry(mira, kai), "p1")
    game.do(cmd.Defend(game.window.id, kai, 0), "p2")
    game.pass_all()
    assert game.table.play.budgets[kai].guard == 4
    game.pass_all()
    assert game.table.play.budgets[kai].guard == 3


@rule("ATT-02")
@pytest.mark.parametrize("hidden", [True, False])
def test_where_nobody_may_interrupt_all_steps_happen_in_one_command(hidden):
    game, mira, kai = fight(*A_CHARGE, windows=8000 if hidden else 0)
    if hidden:
        game.do(cmd.Hide(mira))
    game.do(charge(mira, kai, Step(position="at Kai")), "p1" if not hidden else "st")
    assert not game.table.play.stack
    assert game.table.play.units[mira].position == "at Kai"
    assert len(game.happened(ev.Rolled)) == 1


@rule("ATT-02")
def test_a_masked_technique_does_not_tell_its_name():
    game, mira, kai = fight(*A_CHARGE, windows=8000)
    game.do(cmd.Hide(mira))
    game.do(cmd.Declare(mira, charge(mira, kai).act, noticed=True))
    face = game.seen("p2")[f"k/{game.top.id}"]
    assert face["actor"] is None
    assert "technique" not in face
    assert (face["step"], face["steps"]) == (1, 2)
    game.pass_all()
    assert "charge" not in str([p.lines for p in game.received("p2", 3)])


@rule("ATT-02")
def test_the_st_lets_a_technique_happen_free_of_rules():
    game, mira, kai = fight(*A_CHARGE, windows=8000)
    game.do(cmd.Insert(mira, charge(mira, kai).act))
    assert game.top.technique == "charge"
    game.pass_all()
    assert game.stack == ["melee_attack"]
    game.do(cmd.EditPending(game.top.id, targets=(mira,)))
    game.do(cmd.Resolve(game.top.id))
    assert [e.target for e in game.happened(ev.Rolled)] == [mira]


@rule("ATT-02")
def test_cancelled_midway_its_cost_comes_back_and_what_was_done_stays():
    game, mira, kai = fight(*A_CHARGE, windows=8000)
    game.do(charge(mira, kai, Step(position="at Kai")), "p1")
    game.pass_all()
    game.do(cmd.Cancel(game.top.id))
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 1}
    assert game.table.play.units[mira].position == "at Kai"


@rule("ATT-02")
def test_a_rewind_brings_back_the_step_it_was_in():
    game, mira, kai = fight(*ATTACHED_TO_ALL, windows=8000)
    game.do(flurry(mira, kai, ("A",)), "p1")
    game.pass_all()
    version = game.version
    game.pass_all()
    assert game.top.step == 3
    game.rewind(version)
    assert (game.top.step, len(game.top.to_come)) == (2, 1)


@rule("ATT-02", "CON-04")
def test_two_concentrations_in_one_technique_are_one_too_many():
    one = Ability("one", slots=(), concentration="none")
    two = Ability("two", slots=(), concentration="none")
    both = Ability("both", steps=("one", "two"))
    first = Ability("first", slots=("standard", "swift"), steps=("one", "dash"))
    game, mira, kai = fight(one, two, both, first, DASH, windows=8000)
    assert game.refused(blow(mira, kai, "both"), "p1") == "already_concentrating"
    game.do(blow(mira, kai, "first"), "p1")
    assert mira not in game.table.play.concentrations
    game.pass_all()
    assert game.table.play.concentrations[mira].ability == "one"


@rule("ATT-02", "CON-04")
def test_what_a_later_step_will_concentrate_on_leaves_no_room():
    later = Ability("later", steps=("dash", "eye"))
    eye = Ability("eye", slots=("immediate",), concentration="none")
    game, mira, kai = fight(later, eye, DASH, windows=8000)
    game.do(blow(mira, kai, "later"), "p1")
    assert game.refused(cmd.React(mira, Act("use", "immediate", ability="eye")), "p1") == "already_concentrating"


@rule("XS-05", "ATT-02")
def test_midway_through_a_step_an_attack_that_gains_waits_and_its_concentration_starts_once():
    double = attack("double", 3, slots=[], attacks=3, gains=1, concentration="none")
    game, mira, kai = fight(
        double, DASH, Ability("whirl", steps=("double", "dash")), windows=8000, dice=[9, 9, 9, 9, 9, 9]
    )
    game.do(cmd.SetValue(kai, "dodge", 0, 2))
    game.do(blow(mira, kai, "whirl"), "p1")
    game.pass_all()
    while game.top.step == 1:
        game.wait(8000)
    started = [e for e in game.events if isinstance(e, ev.ConcentrationStarted)]
    assert len(started) == 1
    assert (game.top.gained, game.top.struck, game.top.state) == (None, 0, "waiting")


def test_acts_and_tables_stored_before_there_were_techniques_still_load():
    from server import cells

    act = cells.made(Act, {"kind": "use", "slot": "standard"})
    assert (act.attached, act.steps) == ((), ())
    assert cells.made(Unit, {"id": "u", "name": "U", "abilities": {"x": {"name": "x"}}}).abilities["x"].steps == ()
