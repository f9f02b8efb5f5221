"""Concentration: started, sustained, dropped, lost, and what ends with it (CON-01 to CON-06)."""

from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.ids import UnitId
from core.state import Ability, Act, Applied, Budget, Concentration, Trigger, Unit
from tests.helpers.play import Game, attack, step_aside

rule, case = pytest.mark.rule, pytest.mark.case


def mind(name: str, *slots: str, cost: str = "same", **rest: Any) -> Ability:
    """An ability that needs concentration; it makes its user watchful for as long as it is kept up."""
    applies = rest.pop("applies", (Applied("watchful", to="self"),))
    return Ability(name, "use", slots or ("standard",), applies=applies, concentration=cost, **rest)  # type: ignore[arg-type]


EYE = mind("Vision Eye", "swift", cost="standard")
OTHER = mind("Other Eye", "swift", "immediate", "standard", cost="none", applies=(Applied("wary", to="self"),))


def fight(*abilities: Ability, **house: Any) -> tuple[Game, UnitId, UnitId]:
    """Mira acts, a wolf comes next; nobody is asked to react."""
    facts = {"bonus": house.pop("bonus", {})}
    game = Game(reaction_window_ms=0, dice=house.pop("dice", [3] * 50), **house)
    mira = game.unit("Mira", "p1", initiative=20, abilities=abilities or [EYE, OTHER, attack()], **facts)
    wolf = game.unit("Wolf", initiative=10, abilities=[attack()])
    game.start()
    return game, mira, wolf


def activate(game: Game, mira: UnitId, ability: str = "Vision Eye", slot: str = "swift") -> None:
    game.declare(mira, slot=slot, ability=ability)


def sustain(game: Game, mira: UnitId) -> None:
    game.do(cmd.Sustain(mira), "p1")


def again(mira: UnitId, ability: str, slot: str = "swift") -> cmd.Declare:
    return cmd.Declare(mira, Act("use", slot, ability=ability))  # type: ignore[arg-type]


def concentrates(game: Game, mira: UnitId) -> bool:
    """By the table, and by what everybody sees; its effect stands and falls with it."""
    held = mira in game.table.play.concentrations
    assert held == game.seen("all")[f"u/{mira}/concentrating"]
    assert held == bool([e for e in game.table.play.effects.values() if e.sustained and e.by == mira])
    return held


def why(game: Game) -> list[str]:
    return [e.why for e in game.happened(ev.ConcentrationEnded)]


# -------------------------------------------------------------------------------------------------------------- CON-01
@rule("CON-01")
@case("CON-01.1")
def test_activated_and_not_sustained_it_ends_as_the_units_next_action_begins():
    game, mira, wolf = fight()
    activate(game, mira)
    game.end(mira)
    assert concentrates(game, mira)
    game.end(wolf)
    game.declare(mira, slot="move", kind="move")  # the first thing it does: it has not sustained
    assert why(game) == ["not_sustained"]
    assert not concentrates(game, mira)
    assert "watchful" not in game.conditions(mira)
    (ended,) = game.happened(ev.EffectEnded)
    assert ended.why == "concentration"


@rule("CON-01")
@case("CON-01.2")
def test_whether_or_not_it_is_meant_to_go_on_the_unit_concentrates_so_a_second_in_the_round_is_refused():
    game, mira, _ = fight()
    activate(game, mira)
    assert game.refused(again(mira, "Other Eye", "standard"), "p1") == "already_concentrating"
    assert game.left(mira)["standard"] == 1


@rule("CON-01")
def test_what_has_a_time_of_its_own_lasts_by_itself():
    hex_ = Ability("hex", "cast", ("standard",), needs_target=True, concentration="same",
                   applies=(Applied("slow", rounds=3), Applied("seen")))  # fmt: skip
    game, mira, wolf = fight(hex_)
    game.declare(mira, ability="hex", targets=[wolf])
    assert game.conditions(wolf) == {"slow", "seen"}
    game.do(cmd.DropConcentration(mira), "p1")
    assert game.conditions(wolf) == {"slow"}


@rule("CON-01")
def test_an_attack_puts_what_it_sustains_on_whom_it_hits():
    grip = attack("grip", 3, concentration="same", applies=(Applied("gripped"),))
    game, mira, wolf = fight(grip, dice=[8, 8, 8])
    game.declare(mira, ability="grip", targets=[wolf])
    assert "gripped" in game.conditions(wolf)
    game.do(cmd.DropConcentration(mira), "p1")
    assert "gripped" not in game.conditions(wolf)


@rule("CON-01")
def test_an_activation_that_fails_has_started_nothing():
    game = Game(dice=[3] * 20)
    mira = game.unit("Mira", "p1", initiative=20, abilities=[EYE, OTHER])
    game.unit("Kai", "p2", initiative=10, abilities=[step_aside()])
    game.start()
    activate(game, mira)
    assert game.refused(cmd.React(mira, Act("use", "immediate", ability="Other Eye")), "p1") == "already_concentrating"
    game.do(cmd.Cancel(game.top.id))
    activate(game, mira, "Other Eye", "standard")
    game.pass_all()
    assert game.table.play.concentrations[mira].ability == "Other Eye"


# -------------------------------------------------------------------------------------------------------------- CON-02
@rule("CON-02")
@case("CON-02.1")
def test_sustained_as_the_action_begins_the_action_it_costs_is_lost_at_once_and_it_lasts_one_more_round():
    game, mira, _ = fight()
    activate(game, mira)
    game.next_action_of(mira)
    assert game.seen("p1")[f"u/{mira}/concentration"] == {"ability": "Vision Eye", "cost": "standard", "due": True}
    assert f"u/{mira}/concentration" not in game.seen("p2")
    sustain(game, mira)
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 0}
    game.next_action_of(mira)
    assert concentrates(game, mira)
    game.end(mira)
    assert why(game) == ["not_sustained"]
    assert not concentrates(game, mira)


@rule("CON-02")
@case("CON-02.2")
def test_without_the_action_it_costs_or_one_that_converts_it_cannot_be_sustained():
    game, mira, wolf = fight()
    activate(game, mira)
    game.do(cmd.Ready(mira, Act("use", "standard"), None, "when the lamp goes out"), "p1")
    (readied,) = game.table.play.readied
    game.end(mira)
    game.do(cmd.Fire(readied), "p1")  # the standard action is borrowed from the next round
    game.end(wolf)
    assert why(game) == ["cannot_pay"]
    assert not concentrates(game, mira)
    assert game.refused(cmd.Sustain(mira), "p1") == "too_late"
    happened = [type(e) for e in game.last]
    assert happened.index(ev.ConcentrationEnded) < happened.index(ev.ActionBegan), "before the budget is given"


@rule("CON-02")
@pytest.mark.parametrize(
    "first",
    [
        again(UnitId(""), "sword", "standard"),
        cmd.Declare(UnitId(""), Act("drop", "free")),
        cmd.Ready(UnitId(""), Act("use", "swift"), None, "later"),
    ],
)
@case("CON-02.3")
def test_asking_to_sustain_later_in_the_action_is_too_late(first):
    game, mira, wolf = fight()
    activate(game, mira)
    game.next_action_of(mira)
    fields = {"unit": mira}
    if isinstance(first, cmd.Declare) and first.act.ability:
        fields["act"] = Act("use", "standard", ability="sword", targets=(wolf,))  # type: ignore[assignment]
    game.do(type(first)(**{**{f: getattr(first, f) for f in first.__slots__}, **fields}), "p1")
    assert game.refused(cmd.Sustain(mira), "p1") == "too_late"
    assert not concentrates(game, mira)


@rule("CON-02")
def test_words_anytime_acts_and_immediate_actions_decide_nothing_yet():
    game, mira, _ = fight(EYE, step_aside(), Ability("sense", "sense", ("anytime",)))
    activate(game, mira)
    game.next_action_of(mira)
    game.declare(mira, "speak", "free", text="hold on")
    game.declare(mira, "sense", "anytime", ability="sense")
    game.react(mira, "step aside")
    sustain(game, mira)
    assert concentrates(game, mira)


@rule("CON-02")
@case("CON-02.4")
def test_a_unit_that_cannot_act_then_cannot_sustain_and_the_effect_ends():
    game, mira, _ = fight()
    activate(game, mira)
    game.end(mira)
    game.do(cmd.AddCondition(mira, "stunned"))
    assert concentrates(game, mira), "its round is not over yet"
    game.end(game.acting)
    assert "cannot_act" in [e.why for e in game.events if isinstance(e, ev.ConcentrationEnded)]
    assert not concentrates(game, mira)


@rule("CON-02")
@pytest.mark.parametrize("gone", ["dead", "out", "off stage", "removed", "left the fight"])
@case("CON-02.4")
def test_dead_or_gone_the_effect_ends_at_once(gone):
    hex_ = mind("hex", applies=(Applied("slow"),), needs_target=True)
    game, mira, wolf = fight(hex_)
    game.declare(mira, ability="hex", targets=[wolf])
    game.end(mira)
    assert "slow" in game.conditions(wolf)
    does = {"off stage": cmd.TakeOff(mira), "removed": cmd.RemoveUnit(mira), "left the fight": cmd.LeaveFight(mira)}
    game.do(does.get(gone) or cmd.AddCondition(mira, gone))
    assert game.conditions(wolf) == set()
    assert why(game) == ["gone"]
    assert mira not in game.table.play.concentrations
    assert not game.fight.ghosts, "its place has nothing more to count"


@pytest.mark.rule("CON-02")
def test_who_has_left_the_order_cannot_sustain_as_the_place_that_only_counts_passes():
    game, mira, wolf = fight()
    game.do(cmd.AddCondition(wolf, "slow", rounds=3, by=mira))
    game.do(cmd.LeaveFight(mira))
    game.do(cmd.Insert(mira, Act("use", "swift", ability="Vision Eye")))
    assert concentrates(game, mira)
    assert game.fight.ghosts == (mira,)
    game.end(wolf)
    assert why(game) == ["cannot_act"]
    assert not concentrates(game, mira)


@rule("CON-02")
def test_sustaining_is_for_its_owner_in_its_own_action_and_once():
    game, mira, wolf = fight()
    assert game.refused(cmd.Sustain(mira), "p1") == "too_late"
    activate(game, mira)
    assert game.refused(cmd.Sustain(mira), "p1") == "no_change"
    assert game.refused(cmd.Sustain(mira), "p2") == "not_yours"
    game.end(mira)
    assert game.refused(cmd.Sustain(mira), "p1") == "too_late"
    game.end(wolf)
    sustain(game, mira)
    assert game.refused(cmd.Sustain(mira), "p1") == "no_change"
    game.do(cmd.EndFight())
    assert game.refused(cmd.Sustain(mira), "p1") == "no_fight"


@rule("CON-02")
def test_actions_the_st_has_taken_meanwhile_are_not_there_to_pay_with():
    game, mira, _ = fight()
    activate(game, mira)
    game.next_action_of(mira)
    game.do(cmd.Spend(mira, ("standard",)))
    assert game.refused(cmd.Sustain(mira), "p1") == "no_action_left"
    game.do(cmd.SetHouse("enforce", "warn"))
    sustain(game, mira)
    assert concentrates(game, mira)
    assert [e.code for e in game.happened(ev.Flagged)] == ["no_action_left"]


@rule("CON-02")
def test_another_action_begun_for_another_by_the_st_leaves_it_unsustained():
    game, mira, wolf = fight()
    activate(game, mira)
    game.next_action_of(mira)
    game.do(cmd.BeginAction(wolf))
    assert why(game) == ["not_sustained"]


# -------------------------------------------------------------------------------------------------------------- CON-03
@rule("CON-03")
@case("CON-03.1")
def test_the_vision_eye_says_a_standard_action_each_round():
    game, mira, _ = fight()
    activate(game, mira)  # activated by a swift action
    game.next_action_of(mira)
    sustain(game, mira)
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 0}


@rule("CON-03")
@case("CON-03.1")
def test_reading_a_mind_takes_all_actions_bonus_actions_too_free_acts_remain():
    game, mira, _ = fight(mind("mind reading", "standard", cost="all"), bonus={"standard": 1})
    activate(game, mira, "mind reading", "standard")
    game.next_action_of(mira)
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 2}
    sustain(game, mira)
    assert game.left(mira) == {"swift": 0, "move": 0, "standard": 0}
    game.declare(mira, "drop", "free")


@rule("CON-03")
@case("CON-03.2")
def test_nothing_stated_and_activated_by_a_full_turn_it_costs_swift_move_and_standard():
    game, mira, _ = fight(mind("trance", "full_turn"))
    activate(game, mira, "trance", "full_turn")
    game.next_action_of(mira)
    sustain(game, mira)
    assert game.left(mira) == {"swift": 0, "move": 0, "standard": 0}


@rule("CON-03")
@case("CON-03.3")
def test_activated_by_an_immediate_action_a_converted_move_pays_for_the_swift_action_that_is_lost():
    game, mira, _ = fight(mind("flinch", "immediate"))
    game.react(mira, "flinch")
    assert game.table.play.concentrations[mira].cost == "swift"
    game.next_action_of(mira)
    assert game.left(mira) == {"swift": 0, "move": 1, "standard": 1}
    sustain(game, mira)
    assert game.left(mira) == {"swift": 0, "move": 0, "standard": 1}


@rule("CON-03")
@pytest.mark.parametrize(("slot", "cost"), [("free", "free"), ("anytime", "none"), ("move", "move")])
def test_nothing_stated_it_costs_what_activating_it_cost(slot, cost):
    game, mira, _ = fight(mind("hum", slot))
    activate(game, mira, "hum", slot)
    assert game.table.play.concentrations[mira].cost == cost
    game.next_action_of(mira)
    sustain(game, mira)
    assert sum(game.left(mira).values()) == (2 if slot == "move" else 3)
    same_kind = game.table.play.budgets[mira].free_kinds
    assert same_kind == (("use",) if slot == "free" else ())


@rule("CON-03")
def test_a_free_act_whose_kind_is_owed_cannot_sustain():
    game, mira, wolf = fight(mind("hum", "free"))
    game.do(cmd.Ready(mira, Act("use", "free", ability="hum"), None, "when it gets dark"), "p1")
    (readied,) = game.table.play.readied
    game.end(mira)
    game.do(cmd.Fire(readied), "p1")
    assert concentrates(game, mira)
    game.end(wolf)
    assert why(game) == ["cannot_pay"]


# -------------------------------------------------------------------------------------------------------------- CON-04
@rule("CON-04")
@pytest.mark.parametrize("slot", ["standard", "immediate"])
@case("CON-04.1")
def test_one_at_a_time_even_where_it_takes_no_action(slot):
    game, mira, _ = fight()
    activate(game, mira)
    second = again(mira, "Other Eye", slot)
    command = second if slot == "standard" else cmd.React(mira, second.act)
    assert game.refused(command, "p1") == "already_concentrating"
    assert game.refused(again(mira, "Vision Eye"), "p1") == "already_concentrating"


@rule("CON-04")
def test_one_at_a_time_outside_a_fight_and_before_sustaining_is_decided_too():
    game, mira, _ = fight()
    activate(game, mira)
    game.next_action_of(mira)
    assert game.refused(cmd.React(mira, Act("use", "immediate", ability="Other Eye")), "p1") == "already_concentrating"
    game.do(cmd.EndFight())
    activate(game, mira)
    assert game.refused(again(mira, "Other Eye"), "p1") == "already_concentrating"
    game.do(cmd.DropConcentration(mira), "p1")
    activate(game, mira, "Other Eye")


@rule("CON-04")
@case("CON-04.2")
def test_started_in_an_earlier_round_and_not_sustained_it_has_ended_and_makes_room():
    game, mira, _ = fight()
    activate(game, mira)
    game.next_action_of(mira)
    activate(game, mira, "Other Eye")
    assert why(game) == ["not_sustained"]
    assert game.table.play.concentrations[mira].ability == "Other Eye"
    assert game.conditions(mira) == {"wary"}


@rule("CON-04")
@case("CON-04.3")
def test_sustained_and_then_dropped_there_is_no_room_in_the_same_round():
    game, mira, _ = fight()
    activate(game, mira)
    game.next_action_of(mira)
    sustain(game, mira)
    game.do(cmd.DropConcentration(mira), "p1")
    assert why(game) == ["dropped"]
    assert game.refused(again(mira, "Other Eye"), "p1") == "already_concentrating"
    game.end(mira)
    assert game.refused(cmd.React(mira, Act("use", "immediate", ability="Other Eye")), "p1") == "already_concentrating"
    game.end(game.acting)
    activate(game, mira, "Other Eye")


@rule("CON-04")
def test_dropped_at_the_start_of_the_action_instead_of_sustained_it_makes_room_at_once():
    game, mira, _ = fight()
    activate(game, mira)
    game.next_action_of(mira)
    game.do(cmd.DropConcentration(mira), "p1")
    activate(game, mira, "Other Eye")


@rule("CON-04")
def test_only_who_concentrates_can_drop_it_and_only_its_owner():
    game, mira, _ = fight()
    assert game.refused(cmd.DropConcentration(mira), "p1") == "no_change"
    activate(game, mira)
    assert game.refused(cmd.DropConcentration(mira), "p2") == "not_yours"


@rule("CON-04")
def test_a_second_let_through_takes_the_place_of_the_first():
    game, mira, _ = fight(enforce="warn")
    activate(game, mira)
    activate(game, mira, "Other Eye", "standard")
    assert [e.code for e in game.happened(ev.Flagged)] == ["already_concentrating"]
    assert why(game) == ["replaced"]
    assert game.table.play.concentrations[mira].ability == "Other Eye"
    assert game.conditions(mira) == {"wary"}


@rule("CON-04")
def test_a_readied_one_does_not_fire_by_itself_while_another_is_held():
    game, mira, wolf = fight()
    game.do(cmd.Ready(mira, Act("use", "swift", ability="Other Eye"), Trigger("move"), auto=True), "p1")
    activate(game, mira)
    game.end(mira)
    game.declare(wolf, "move", "move")
    assert game.table.play.concentrations[mira].ability == "Vision Eye"
    (readied,) = game.table.play.readied.values()
    assert readied.state == "armed"


# -------------------------------------------------------------------------------------------------------------- CON-05
@rule("CON-05")
@pytest.mark.parametrize("change", ["a fight begins", "a fight ends"])
@case("CON-05.1")
def test_a_scene_change_ends_it_with_the_reason(change):
    game, mira, _ = fight()
    if change == "a fight begins":
        game.do(cmd.EndFight())
    activate(game, mira)
    game.do(cmd.StartFight() if change == "a fight begins" else cmd.EndFight())
    assert why(game) == ["scene"]
    assert not concentrates(game, mira)
    (lines,) = [p.lines for p in game.received("p2", len(game.changes) - 1)]
    assert ["Vision Eye", "scene"] in [line[-2:] for line in lines if line[0] == "concentration_ended"]


@rule("CON-05")
def test_by_house_rule_it_goes_on_over_scenes():
    game, mira, _ = fight(concentration_over_scenes="goes_on")
    activate(game, mira)
    game.next_action_of(mira)
    sustain(game, mira)
    game.do(cmd.EndFight())
    assert concentrates(game, mira)
    game.do(cmd.PassTime(600))
    game.start()
    assert game.active == mira
    assert game.seen("p1")[f"u/{mira}/concentration"]["due"]
    sustain(game, mira)
    assert game.left(mira)["standard"] == 0


@rule("CON-05")
def test_outside_a_fight_it_goes_on_until_its_unit_cannot_act():
    game, mira, _ = fight()
    game.do(cmd.EndFight())
    activate(game, mira)
    game.do(cmd.PassTime(60))
    assert concentrates(game, mira)
    game.do(cmd.AddCondition(mira, "stunned"))
    assert why(game) == ["cannot_act"]
    assert not concentrates(game, mira)


# -------------------------------------------------------------------------------------------------------------- CON-06
@rule("CON-06")
@case("CON-06.1")
def test_a_concentrating_unit_acts_as_normal_with_the_actions_it_has():
    game, mira, wolf = fight()
    activate(game, mira)
    game.next_action_of(mira)
    sustain(game, mira)
    game.declare(mira, slot="swift")
    standard = cmd.Declare(mira, Act("use", "standard", ability="sword", targets=(wolf,)))
    assert game.refused(standard, "p1") == "no_action_left"
    game.declare(mira, slot="swift", pay="move")
    assert not any(game.left(mira).values())
    game.next_action_of(mira)
    sustain(game, mira)
    game.declare(mira, "move", "move", distance=10)
    game.declare(mira, slot="swift")


# ------------------------------------------------------------------------------------------------------ a rewind, old tables
@rule("CON-01")
def test_a_rewind_brings_back_what_was_held():
    game, mira, _ = fight()
    activate(game, mira)
    version = game.version
    game.do(cmd.DropConcentration(mira), "p1")
    game.rewind(version)
    assert concentrates(game, mira)


def test_a_table_stored_before_there_was_concentration_still_loads():
    from server import cells

    assert cells.made(Budget, {"unit": "u"}).concentrated is False
    assert cells.made(Unit, {"id": "u", "name": "U"}).abilities == {}
    assert cells.made(Concentration, {"unit": "u", "ability": "Eye", "cost": "none"}).round == 0
