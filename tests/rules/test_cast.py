"""Units come and go while people fight: the turn follows identity, never a place in a list (faults of other tools)."""

from dataclasses import replace
from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.dice.source import ScriptedDice
from core.ids import SeatId, UnitId
from core.state import Ability, Act, Applied, Prepared, Track, Unit
from core.view import audiences
from tests.helpers.play import Game, attack


def fight(*initiatives: int, window: int = 0) -> tuple[Game, list[UnitId]]:
    """Units of p1, p2 and the ST in turn, all with a sword, the first one acting."""
    game = Game(reaction_window_ms=window)
    abilities = [attack(dice=3), attack("riposte", 3, slots=["immediate"])]
    owners = ("p1", "p2", None)
    units = [
        game.unit(f"U{k}", owners[k % 3], initiative=n, abilities=abilities, side=f"side {k}")
        for k, n in enumerate(initiatives)
    ]
    game.start()
    return game, units


def applied(view: dict[str, Any], ops: list[list[Any]]) -> dict[str, Any]:
    """What a client makes of its view by a DIFF."""
    view = dict(view)
    for path, *value in ops:
        if value:
            view[path] = value[0]
        else:
            del view[path]
    return view


# ------------------------------------------------------------------------------------------------- on stage and off it
def test_a_unit_off_stage_is_known_to_the_storyteller_and_its_owner_alone_and_cannot_act():
    game = Game()
    mira = game.unit("Mira", "p1", on_stage=False)
    assert f"u/{mira}/name" in game.seen("st")
    assert f"u/{mira}/name" in game.seen("p1")
    assert f"u/{mira}/name" not in game.seen("p2")
    assert f"u/{mira}/name" not in game.seen("all")
    assert game.refused(cmd.StartFight((mira,))) == "off_stage"
    assert game.refused(cmd.Say("hello", mira), "p1") == "off_stage"


def test_a_model_brought_on_in_copies_makes_numbered_ones_and_stays_off_stage():
    game = Game()
    zombie = game.unit("Zombie", on_stage=False, hp=5)
    made = game.do(cmd.BringOn((zombie,), copies=3)).made
    units = game.table.play.units
    assert [units[UnitId(id)].name for id in made] == ["Zombie 1", "Zombie 2", "Zombie 3"]
    assert all(units[UnitId(id)].on_stage for id in made)
    assert not units[zombie].on_stage
    game.do(cmd.Adjust(UnitId(made[0]), "hp", -2))
    assert [game.hp(UnitId(id)) for id in made] == [3, 5, 5]


def test_more_copies_of_the_same_model_go_on_counting():
    game = Game()
    zombie = game.unit("Zombie", on_stage=False)
    game.do(cmd.BringOn((zombie,), copies=2))
    made = game.do(cmd.BringOn((zombie,), copies=2)).made
    assert [game.table.play.units[UnitId(id)].name for id in made] == ["Zombie 3", "Zombie 4"]


def test_a_unit_brought_on_into_a_fight_joins_it_unless_it_should_not():
    game, (a, b) = fight(20, 10)
    ogre = game.unit("Ogre", initiative=15, on_stage=False)
    cook = game.unit("Cook", initiative=15, on_stage=False)
    game.do(cmd.BringOn((ogre,)))
    game.do(cmd.BringOn((cook,), join=False))
    assert game.fight.order == (a, ogre, b)
    assert game.refused(cmd.BringOn((ogre,))) == "no_change"


def test_a_unit_brought_on_hidden_is_nobodys_news():
    game, _ = fight(20, 10)
    ghoul = game.unit("Ghoul", initiative=15, on_stage=False)
    since = len(game.changes)
    game.do(cmd.BringOn((ghoul,), hidden=True))
    assert not game.received("p1", since)
    assert ghoul in game.seen("st")["t/order"]


def test_who_has_no_initiative_rolls_it_on_joining():
    game, (a, b) = fight(20, 10)
    game.dice.left = [9]
    imp = UnitId(game.do(cmd.AddUnit(Unit(UnitId(""), "Imp", on_stage=True, initiative_bonus=2))).made[0])
    game.do(cmd.JoinFight(imp))
    assert (game.table.play.units[imp].initiative, game.fight.order) == (11, (a, imp, b))


def test_names_that_would_hide_other_facts_of_a_unit_are_no_tracks():
    game = Game()
    for name in ("name", "spent", "a/b", "a.b"):
        unit = Unit(UnitId(""), "Imp", tracks={name: game.table.play.units or None})  # type: ignore[dict-item]
        assert game.refused(cmd.AddUnit(unit)) == "bad_value"
    assert game.refused(cmd.AddUnit(Unit(UnitId(""), "  "))) == "bad_value"


# -------------------------------------------------------------------------------------------------------- joining, leaving
def test_everybodys_diff_applies_when_a_unit_joins_in_mid_turn():
    game, _ = fight(20, 10, 5)
    ogre = game.unit("Ogre", initiative=15, on_stage=False)
    views = {audience: game.seen(audience) for audience in audiences(game.table)}
    since = len(game.changes)
    game.do(cmd.BringOn((ogre,)))
    for audience, before in views.items():
        [patch] = game.received(audience, since)
        assert applied(before, patch.ops) == game.seen(audience)


def test_who_leaves_can_come_back_and_has_one_place():
    game, (a, b, c) = fight(20, 10, 5)
    game.do(cmd.LeaveFight(b), "p2")
    assert list(game.fight.order) == [a, c]
    game.do(cmd.JoinFight(b))
    assert list(game.fight.order) == [a, b, c]


@pytest.mark.rule("TIME-04")
@pytest.mark.parametrize("how", ["the fight", "the stage"])
def test_who_comes_back_to_a_place_that_still_counts_has_its_rounds_go_on(how: str):
    game, (a, b, c) = fight(20, 10, 5)
    game.next_action_of(b)
    game.next_action_of(a)
    game.do(cmd.AddCondition(c, "slow", rounds=2, by=b))
    game.do(cmd.LeaveFight(b) if how == "the fight" else cmd.TakeOff(b))
    assert b in game.fight.ghosts
    game.do(cmd.JoinFight(b) if how == "the fight" else cmd.BringOn((b,)))
    assert (game.fight.order, game.fight.ghosts) == ((a, b, c), ())
    game.next_action_of(b)
    assert game.conditions(c) == {"slow"}
    game.next_action_of(b)
    assert game.conditions(c) == set()


def test_who_leaves_after_its_action_and_comes_back_does_not_act_twice_in_a_turn():
    game, (a, b, c) = fight(20, 10, 5)
    game.end(a)
    game.do(cmd.LeaveFight(a), "p1")
    game.do(cmd.JoinFight(a))
    game.end(b)
    game.end(c)
    assert (game.fight.turn, game.active) == (2, a)


@pytest.mark.rule("TIME-04")
def test_a_place_that_counts_and_has_acted_does_not_act_again_when_its_unit_comes_back_at_the_end():
    game, (a, b, c) = fight(20, 10, 5)
    game.do(cmd.AddCondition(c, "slow", rounds=2, by=a))
    game.end(a)
    game.do(cmd.LeaveFight(a), "p1")
    game.do(cmd.JoinFight(a, index=3))
    game.end(b)
    game.end(c)
    assert (game.fight.turn, game.active) == (2, b)


def test_what_a_unit_outside_the_order_has_readied_goes_with_it():
    game, (a, b) = fight(20, 10)
    game.do(cmd.SetHouse("enforce", "warn"))
    game.do(cmd.SetHouse("readied_debt", "on_declare"))
    cook = game.unit("Cook")
    game.do(cmd.Ready(cook, Act("move", "move"), words="when the soup burns"))
    game.do(cmd.RemoveUnit(cook))
    assert not game.table.play.readied


def test_the_active_one_may_leave_and_the_next_acts():
    game, (a, b, c) = fight(20, 10, 5)
    game.do(cmd.LeaveFight(a), "p1")
    assert (game.active, game.fight.order, game.fight.turn) == (b, (b, c), 1)


def test_the_last_one_to_leave_leaves_an_empty_fight_that_can_be_ended():
    game, units = fight(20, 10)
    for unit in units:
        game.do(cmd.LeaveFight(unit))
    assert (game.active, game.fight.order) == (None, ())
    game.do(cmd.EndFight())


@pytest.mark.parametrize("gone", [cmd.TakeOff, cmd.RemoveUnit, cmd.LeaveFight])
def test_a_hidden_unit_that_is_taken_out_of_its_own_action_does_not_leave_the_table_held(gone: type):
    game, (a, b) = fight(20, 10)
    ghoul = game.unit("Ghoul", initiative=15, hidden=True)
    game.do(cmd.JoinFight(ghoul))
    game.end(a)
    assert (game.active, game.table.play.held) == (ghoul, True)
    game.do(gone(ghoul))
    assert (game.active, game.table.play.held) == (b, False)


def test_a_fight_that_ends_in_a_hidden_units_action_does_not_leave_the_table_held():
    game, (a, _) = fight(20, 10)
    game.do(cmd.Hide(a))
    game.do(cmd.EndFight())
    game.do(cmd.StartFight())
    assert (game.active, game.table.play.held) == (a, True)
    game.do(cmd.EndFight())
    assert not game.table.play.held


# ------------------------------------------------------------------------------------------------- the turn follows identity
def test_removing_someone_before_the_active_one_changes_nothing_for_it():
    game, (a, b, c) = fight(20, 10, 5)
    game.end(a)
    game.declare(b, slot="move")
    before = game.table.play.budgets[b]
    game.do(cmd.RemoveUnit(a))
    assert (game.active, game.table.play.budgets[b]) == (b, before)
    assert not game.happened(ev.ActionBegan)
    game.end(b)
    assert game.active == c


def test_killing_a_later_one_does_not_move_the_turn():
    game, (a, b, c) = fight(20, 10, 5)
    game.do(cmd.Adjust(b, "hp", -10))
    assert (game.active, game.fight.order) == (a, (a, b, c))
    game.end(a)
    assert game.active == c


def test_killing_the_active_one_in_its_own_open_window_settles_the_window_and_the_next_acts():
    game, (a, b, c) = fight(20, 10, 5, window=8000)
    game.declare(a, ability="sword", targets=[b])
    game.do(cmd.Adjust(a, "hp", -10))
    assert not game.table.play.stack
    assert not game.table.play.windows
    assert (game.active, game.fight.order, game.hp(b)) == (b, (a, b, c), 10)
    assert [e.why for e in game.happened(ev.ActionFailed)] == ["interrupted"]


def test_a_later_one_killed_in_an_open_window_is_no_longer_waited_for():
    game, (a, b, c) = fight(20, 10, 5, window=8000)
    game.declare(a, ability="sword", targets=[b])
    game.do(cmd.Pass(game.window.id, game.window.gen))
    game.do(cmd.RemoveUnit(b))
    game.wait(750)
    assert not game.table.play.stack
    assert [e.why for e in game.happened(ev.ActionFailed)] == ["no_target"]
    assert game.active == a


def test_damage_in_the_last_action_of_a_turn_does_not_skip_the_next_turn():
    game, (a, b, c) = fight(20, 10, 5)
    game.end(a)
    game.end(b)
    game.dice.left = [8, 8, 8]
    game.declare(c, ability="sword", targets=[a])
    assert game.refused(cmd.EndAction(c, game.table.play.budgets[c].round + 1)) == "changed"
    game.end(c)
    assert (game.active, game.fight.turn, game.table.play.clock_s) == (a, 2, 6)
    assert game.refused(cmd.EndAction(c, 1)) == "not_your_action"


def test_two_clicks_end_one_action():
    game, (a, b) = fight(20, 10)
    ends = cmd.EndAction(a, game.table.play.budgets[a].round)
    game.do(ends, "p1")
    assert game.refused(ends, "p1") == "not_your_action"
    assert game.active == b


def test_who_is_passed_over_still_has_its_effects_end_and_the_clock_goes_on():
    game, (a, b, c) = fight(20, 10, 5)
    game.do(cmd.AddCondition(a, "marked", rounds=1, by=b))
    game.do(cmd.AddCondition(a, "hunted", rounds=1, by=c))
    for unit in (b, c):
        game.do(cmd.AddCondition(unit, "stunned"))
    game.end(a)
    assert (game.active, game.conditions(a), game.table.play.clock_s) == (a, set(), 6)


def test_a_fallen_one_gets_no_action_when_the_table_goes_back():
    game, (a, b, c) = fight(20, 10, 5)
    game.do(cmd.Adjust(b, "hp", -10))
    past = game.table.play
    version = game.version
    game.end(a)
    game.do(cmd.Rewind(version, game.version, play=past))
    assert game.active == a
    game.end(a)
    assert game.active == c


def test_everybody_has_an_action_again_in_the_next_turn():
    game, units = fight(20, 10, 5)
    acted = []
    for _ in range(9):
        acted.append(game.acting)
        game.end(game.acting)
    assert acted == units * 3


def test_an_owner_that_leaves_the_table_leaves_its_unit_to_the_storyteller():
    game, (a, b) = fight(20, 10)
    game.of_the_server(cmd.RemoveSeat(SeatId("p1")))
    assert game.active == a
    game.declare(a, slot="standard", by="st")
    game.do(cmd.EndAction(a, 1))
    assert game.active == b


def test_a_seat_that_comes_in_mid_fight_acts_at_once():
    game, (a, b) = fight(20, 10)
    game.of_the_server(cmd.AddSeat("Nia", "player", (a,), seat=SeatId("p9")))
    game.declare(a, slot="standard", by="p9")
    assert game.refused(cmd.Declare(a, Act("use", "move")), "p1") == "not_yours"


# ------------------------------------------------------------------------------------------------------------ initiative
def test_ties_go_to_the_higher_dexterity_then_to_who_was_at_the_table_first():
    game = Game()
    slow = game.unit("slow", initiative=10, attributes={"DEX": 1})
    first = game.unit("first", initiative=10, attributes={"DEX": 2})
    second = game.unit("second", "p1", initiative=10, attributes={"DEX": 2})
    swift = game.unit("swift", initiative=10, attributes={"DEX": 5}, hidden=True)
    game.start()
    assert list(game.fight.order) == [swift, first, second, slow]
    late = game.unit("late", initiative=10, attributes={"DEX": 2})
    game.do(cmd.JoinFight(late))
    assert list(game.fight.order) == [swift, first, second, late, slow]
    assert game.seen("st")["t/order"] == [swift, first, second, late, slow]
    for audience in ("p1", "p2", "all"):
        assert game.seen(audience)["t/order"] == [first, second, late, slow]


def test_effects_of_two_tied_casters_end_each_on_its_own_casters_action():
    game = Game(reaction_window_ms=0)
    spells = [Ability(name, "cast", applies=(Applied(name, 1),)) for name in ("red", "blue")]
    a = game.unit("A", "p1", initiative=10, abilities=spells)
    b = game.unit("B", "p2", initiative=10, abilities=spells)
    c = game.unit("C", initiative=1)
    game.start()
    game.declare(a, ability="red", targets=[c])
    game.end(a)
    game.declare(b, ability="blue", targets=[c])
    game.next_action_of(a)
    assert game.conditions(c) == {"blue"}
    game.end(a)
    assert game.conditions(c) == set()


def test_eight_initiatives_set_at_once_are_all_kept():
    game = Game()
    units = [game.unit(f"U{k}", initiative=0) for k in range(8)]
    for k, unit in enumerate(units):
        game.do(cmd.SetValue(unit, "initiative", 10 + k, 0))
    game.start()
    assert game.fight.order == tuple(reversed(units))


# ------------------------------------------------------------------------------------------------ prepared beforehand
def horde(count: int, **facts: Any) -> Prepared:
    unit = Unit(UnitId(""), "Zombie", side="foe", tracks={"hp": Track(5, 5)}, initiative_bonus=1)
    return Prepared(unit, count=count, **facts)


def test_an_encounter_comes_on_with_one_command_and_goes_with_one_rewind():
    game = Game()
    boss = Prepared(Unit(UnitId(""), "Necromancer", hidden=True, initiative=9))
    made = [UnitId(id) for id in game.do(cmd.SetUp((horde(3), boss))).made]
    units = game.table.play.units
    assert [units[id].name for id in made] == ["Zombie 1", "Zombie 2", "Zombie 3", "Necromancer"]
    assert all(units[id].on_stage for id in made)
    assert [units[id].hidden for id in made] == [False, False, False, True]
    assert game.version == 1
    assert f"u/{made[0]}/name" in game.seen("p1")
    assert f"u/{made[3]}/name" not in game.seen("p1")


@pytest.mark.parametrize("on", [True, False])
def test_that_a_unit_comes_on_stage_is_told_once(on: bool):
    game = Game()
    waiting = replace(horde(1), unit=replace(horde(1).unit, on_stage=not on))
    game.do(cmd.SetUp((waiting,), on=on))
    told = [line[0] for patch in game.received("p1", 0) for line in patch.lines]
    assert told.count("entered") == 1


@pytest.mark.parametrize(("hidden", "seen"), [(True, 0), (False, 3), (None, 2)])
def test_all_of_it_can_be_hidden_or_open_whatever_is_written(hidden: bool | None, seen: int):
    game = Game()
    lurker = Prepared(Unit(UnitId(""), "Lurker", hidden=True))
    game.do(cmd.SetUp((horde(2), lurker), hidden=hidden))
    assert sum(path.endswith("/name") and path.startswith("u/") for path in game.seen("p1")) == seen


def test_what_is_only_prepared_waits_off_stage_unless_it_says_otherwise():
    game = Game()
    there = Prepared(Unit(UnitId(""), "Guard", on_stage=True), SeatId("p1"))
    *zombies, guard = (UnitId(id) for id in game.do(cmd.SetUp((horde(2), there), on=False)).made)
    assert [game.table.play.units[id].on_stage for id in (*zombies, guard)] == [False, False, True]
    assert game.table.owners[guard] == "p1"


def test_in_a_fight_each_rolls_its_own_initiative_or_one_for_all_of_a_kind():
    game, _ = fight(20, 1)
    game.dice = ScriptedDice([3, 7, 5])
    own = game.do(cmd.SetUp((horde(2),))).made
    together = game.do(cmd.SetUp((horde(3, one_initiative=True),))).made
    units = game.table.play.units
    assert [units[UnitId(id)].initiative for id in own] == [4, 8]
    assert [units[UnitId(id)].initiative for id in together] == [6, 6, 6]
    assert [units[UnitId(id)].name for id in together] == ["Zombie 3", "Zombie 4", "Zombie 5"]
    assert [units[id].name for id in game.fight.order[1:-1]] == [
        "Zombie 2", "Zombie 3", "Zombie 4", "Zombie 5", "Zombie 1",
    ]  # fmt: skip


def test_copies_of_a_model_roll_one_initiative_for_all_of_them_too():
    game, _ = fight(20, 1)
    game.dice = ScriptedDice([6])
    model = UnitId(game.do(cmd.AddUnit(horde(1).unit)).made[0])
    made = game.do(cmd.BringOn((model,), copies=4, one_initiative=True)).made
    assert [game.table.play.units[UnitId(id)].initiative for id in made] == [7, 7, 7, 7]
    assert game.table.play.units[model].initiative is None


def test_they_can_stay_apart_from_a_fight_that_is_on():
    game, units = fight(20, 1)
    game.do(cmd.SetUp((horde(2),), join=False))
    assert list(game.fight.order) == units


def test_too_many_or_none_at_all_are_refused_and_nothing_is_half_set_up():
    game = Game()
    nobody = Prepared(Unit(UnitId(""), " "))
    for units in ((), (horde(0),), (horde(2), nobody)):
        assert game.refused(cmd.SetUp(units)) == "bad_value"
    assert game.refused(cmd.SetUp((horde(60), horde(41)))) == "too_many"
    assert game.refused(cmd.SetUp((horde(2), Prepared(horde(1).unit, SeatId("p9"))))) == "unknown"
    assert game.refused(cmd.SetUp((horde(2),)), "p1") == "forbidden"
    assert not game.table.play.units


@pytest.mark.rule("TBL-04")
def test_the_numbers_of_those_that_are_set_up_open_tell_nothing_of_hidden_ones():
    game = Game()
    hidden = [UnitId(id) for id in game.do(cmd.SetUp((horde(2),), hidden=True)).made]
    seen = [UnitId(id) for id in game.do(cmd.SetUp((horde(2),))).made]
    units = game.table.play.units
    assert [units[id].name for id in seen] == ["Zombie 1", "Zombie 2"]
    assert sorted(units[id].name for id in hidden) == ["Zombie 3", "Zombie 4"]


def test_what_waits_off_stage_can_be_made_hidden_too():
    game = Game()
    (guard,) = game.do(cmd.SetUp((Prepared(Unit(UnitId(""), "Guard", on_stage=True)),), on=False, hidden=True)).made
    assert game.table.play.units[UnitId(guard)].hidden
    assert f"u/{guard}/name" not in game.seen("p1")


def test_a_unit_is_given_to_a_seat_and_back_to_the_storyteller():
    game = Game()
    mira, rolf = game.unit("Mira", "p1"), game.unit("Rolf", "p1")
    game.do(cmd.GiveUnit(mira, SeatId("p2")))
    assert (game.owner(mira), game.owner(rolf)) == ("p2", "p1")
    assert "u/" + mira + "/base" in game.seen("p2")
    game.do(cmd.GiveUnit(mira, None))
    assert (game.owner(mira), game.owner(rolf)) == ("st", "p1")
    assert game.refused(cmd.GiveUnit(mira, None)) == "no_change"


def test_the_storytellers_notes_are_of_the_table_or_of_one_unit():
    game = Game()
    mira = game.unit("Mira", "p1")
    game.do(cmd.SetNotes("she is the heir", mira))
    assert (game.seen("st")["t/notes"], game.seen("st")[f"u/{mira}/notes"]) == ("", "she is the heir")
    game.do(cmd.SetNotes("the king dies tonight"))
    assert game.seen("st")["t/notes"] == "the king dies tonight"
    assert game.seen("st")[f"u/{mira}/notes"] == "she is the heir"
    assert game.refused(cmd.SetNotes("she is the heir", mira)) == "no_change"


@pytest.mark.rule("TIME-04", "TBL-04")
def test_a_place_that_only_counts_a_secret_condition_is_passed_without_a_word():
    game, (a, b, c) = fight(20, 10, 5)
    game.do(cmd.AddCondition(c, "cursed", secret=True, rounds=2, by=b))
    game.do(cmd.LeaveFight(b), "p2")
    assert f"u/{b}/left" not in game.seen("p2")
    assert game.seen("p1")[f"u/{b}/spent"] == []
    since = len(game.changes)
    game.next_action_of(c)
    passed = [
        [line for patch in game.received(audience, since) for line in patch.lines if b in str(line)]
        for audience in ("p1", "st")
    ]
    assert passed[0] == []
    assert passed[1]
