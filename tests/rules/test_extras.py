"""Attack and defence extra successes: shared by the attacks of one action, gained midway, promised, lost (XS)."""

from collections.abc import Sequence
from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.ids import UnitId
from core.state import Act, Readied, Strike, Trigger
from tests.helpers.play import Game, attack, make_act

rule = pytest.mark.rule
case = pytest.mark.case


def fight(
    *, extra: int = 5, attacks: int = 3, gains: int = 0, dice: Sequence[int] = (), **house: Any
) -> tuple[Game, UnitId, UnitId, UnitId, UnitId]:
    """Mira, who makes several attacks with one action, against three; each of her attacks rolls one die."""
    game = Game(dice=dice or [8] * 20, **{"reaction_window_ms": 0, **house})
    weapons = [
        attack("flurry", dice=1, attacks=attacks, gains=gains),
        attack("longsword", dice=1, attacks=attacks),
        attack("greataxe", dice=1, attacks=attacks, pool={"extra": 4}),
        attack("blast", dice=1, act="attack", area=True, attacks=attacks),
    ]
    mira = game.unit("Mira", "p1", initiative=20, extras={"attack": extra} if extra else {}, abilities=weapons)
    a, b, c = (game.unit(name, "p2", initiative=10, hp=40) for name in "abc")
    game.start()
    return game, mira, a, b, c


def strike(game: Game, unit: UnitId, ability: str, *split: Strike, targets: Sequence[str] = ()) -> None:
    game.declare(unit, ability=ability, targets=targets, split=split)


def refused(game: Game, unit: UnitId, ability: str, *split: Strike, targets: Sequence[str] = ()) -> str:
    return game.refused(
        cmd.Declare(unit, make_act("use", "standard", ability=ability, targets=targets, split=split)), "p1"
    )


def rolls(game: Game) -> list[tuple[str | None, int]]:
    """At whom each roll of the last command was, and its extra successes."""
    return [(e.target, e.extra) for e in game.happened(ev.Rolled)]


def lost(game: Game, *units: UnitId) -> list[int]:
    return [40 - game.hp(unit) for unit in units]


# --------------------------------------------------------------------------------------------------------------- XS-01
@rule("XS-01")
@case("XS-01.1")
def test_each_of_two_attack_actions_of_a_round_adds_all_five():
    game, mira, a, _, _ = fight(attacks=1)
    game.do(cmd.Grant(mira, ("standard",)))
    for _ in range(2):
        strike(game, mira, "longsword", targets=[a])
        assert rolls(game) == [(a, 5)]
    assert lost(game, a) == [12]


@rule("XS-01")
def test_what_attributes_skills_equipment_and_upgrades_give_counts_together():
    game = Game(dice=[8] + [1] * 20, reaction_window_ms=0)
    might = attack("axe", dice=0, pool={"attributes": ("STR",), "skills": ("Blade",), "extra": 4})
    mira = game.unit(
        "Mira", "p1", initiative=20, attributes={"STR": 11}, skills={"Blade": 2}, extras={"Blade": 1, "attack": 3},
        abilities=[might],
    )  # fmt: skip
    foe = game.unit("a", "p2", hp=40)
    game.start()
    strike(game, mira, "axe", targets=[foe])
    assert rolls(game) == [(foe, 2 + 1 + 4 + 3)]


# --------------------------------------------------------------------------------------------------------------- XS-02
def shares(target: str, *extra: int | None) -> list[Strike]:
    return [Strike(target, "", n) for n in extra]


@rule("XS-02")
@case("XS-02.1")
def test_five_split_two_two_one_over_three_attacks_on_one_target_are_accepted():
    game, mira, a, _, _ = fight()
    strike(game, mira, "flurry", *shares(a, 2, 2, 1))
    assert rolls(game) == [(a, 2), (a, 2), (a, 1)]
    assert lost(game, a) == [8]


@rule("XS-02")
@case("XS-02.1")
def test_five_split_three_three_none_are_refused():
    game, mira, a, _, _ = fight()
    assert refused(game, mira, "flurry", *shares(a, 3, 3, 0)) == "split_too_large"


@rule("XS-02")
@case("XS-02.1")
def test_three_attacks_on_one_target_without_a_split_are_refused():
    game, mira, a, _, _ = fight()
    assert refused(game, mira, "flurry", targets=[a]) == "split_required"
    assert refused(game, mira, "flurry", *shares(a, 2, 2, None)) == "split_required"


@rule("XS-02")
def test_who_has_nothing_to_split_need_not_say_how():
    game, mira, a, _, _ = fight(extra=0)
    strike(game, mira, "flurry", targets=[a])
    assert rolls(game) == [(a, 0)] * 3


@rule("XS-02")
def test_the_split_may_leave_some_unused_and_needs_no_target_where_there_is_but_one():
    game, mira, a, _, _ = fight()
    strike(game, mira, "flurry", *shares("", 0, 1, 0), targets=[a])
    assert rolls(game) == [(a, 0), (a, 1), (a, 0)]


@rule("XS-02")
def test_it_is_declared_before_the_roll_in_secret_and_cannot_be_changed():
    game, mira, a, _, _ = fight(reaction_window_ms=8000)
    strike(game, mira, "flurry", *shares(a, 2, 2, 1))
    shown = {audience: game.seen(audience)[f"k/{game.top.id}"]["attacks"] for audience in ("p1", "st", "p2", "all")}
    told = [{"target": a, "weapon": "flurry", "extra": n} for n in (2, 2, 1)]
    untold = [{"target": a, "weapon": "flurry"}] * 3
    assert shown == {"p1": told, "st": told, "p2": untold, "all": untold}
    edit = cmd.EditPending(game.top.id, split=tuple(shares(a, 5, 0, 0)))
    assert game.refused(edit, "p1") == "forbidden"


@rule("XS-02")
def test_whether_anything_was_said_of_a_single_attack_is_a_secret_too():
    shown = []
    for split in ((), (Strike("", "", 1),)):
        game, mira, a, _, _ = fight(reaction_window_ms=8000, attacks=1)
        strike(game, mira, "longsword", *split, targets=[a])
        shown.append("attacks" in game.seen("p1")[f"k/{game.top.id}"])
        assert "attacks" not in game.seen("p2")[f"k/{game.top.id}"]
    assert shown == [False, True]


@rule("XS-02")
def test_the_storyteller_may_change_it_and_no_clock_moves():
    game, mira, a, _, _ = fight(reaction_window_ms=8000)
    strike(game, mira, "flurry", *shares(a, 2, 2, 1))
    gen = game.window.gen
    game.do(cmd.EditPending(game.top.id, split=tuple(shares(a, 5, 0, 0))))
    assert game.window.gen == gen
    game.pass_all()
    assert rolls(game) == [(a, 5), (a, 0), (a, 0)]


@rule("XS-02")
def test_no_more_attacks_than_the_action_makes():
    game, mira, a, b, c = fight(extra=0, attacks=3)
    assert refused(game, mira, "flurry", *shares(a, 0, 0, 0, 0)) == "too_many_attacks"
    single, striker, d, _, _ = fight(extra=0, attacks=1)
    assert refused(single, striker, "longsword", *shares(d, 0, 0)) == "too_many_attacks"
    strike(game, mira, "flurry", *shares(a, 0), *shares(b, 0), *shares(c, 0))


@rule("XS-02")
def test_only_attacks_are_split_and_only_with_attacks_of_ones_own():
    game, mira, a, _, _ = fight(extra=0)
    assert refused(game, mira, "", Strike(a)) == "bad_value"
    assert refused(game, mira, "flurry", Strike(a, "spoon")) == "ability_required"
    assert refused(game, mira, "flurry", Strike("nobody")) == "no_target"
    assert refused(game, mira, "flurry", Strike()) == "no_target"


@rule("XS-02")
def test_a_readied_flurry_says_its_split_when_it_is_readied():
    game, mira, a, _, _ = fight(reaction_window_ms=8000)
    held = make_act("use", "standard", ability="flurry")
    assert game.refused(cmd.Ready(mira, held, Trigger(act="move"), auto=True), "p1") == "split_required"
    split = tuple(shares("", 2, 2, 1))
    game.do(
        cmd.Ready(mira, make_act("use", "standard", ability="flurry", split=split), Trigger(act="move"), auto=True),
        "p1",
    )
    game.end(mira)
    game.declare(a, "move", "move")
    game.pass_all()
    assert rolls(game) == [(a, 2), (a, 2), (a, 1)]


@rule("XS-02")
def test_a_readied_flurry_is_turned_to_another_target_when_it_is_used():
    game, mira, a, b, _ = fight()
    split = tuple(shares(a, 2, 2, 1))
    held = make_act("use", "standard", ability="flurry", targets=[a], split=split)
    made = game.do(cmd.Ready(mira, held, words="now"), "p1").made
    readied: Readied = game.table.play.readied[made[0]]  # type: ignore[index]
    game.end(mira)
    game.do(cmd.Fire(readied.id, targets=(b,)), "p1")
    assert rolls(game) == [(b, 2), (b, 2), (b, 1)]


# ------------------------------------------------------------------------------------------------------- XS-03 and XS-04
@rule("XS-03")
@case("XS-03.1")
def test_an_area_attack_on_three_adds_all_four_against_each():
    game, mira, a, b, c = fight(extra=4)
    strike(game, mira, "blast", targets=[a, b, c])
    assert rolls(game) == [(a, 4), (b, 4), (c, 4)]


@rule("XS-03")
def test_fewer_may_be_declared_for_one_of_them():
    game, mira, a, b, _ = fight(extra=4)
    strike(game, mira, "blast", Strike(a, "", 1), Strike(b))
    assert rolls(game) == [(a, 1), (b, 4)]
    game, mira, a, b, _ = fight(extra=4)
    assert refused(game, mira, "blast", Strike(a, "", 5), Strike(b)) == "split_too_large"


@rule("XS-04")
@case("XS-04.1")
def test_who_is_attacked_once_gets_all_four_and_who_is_attacked_twice_three_and_one():
    game, mira, a, b, _ = fight(extra=4)
    strike(game, mira, "flurry", Strike(a), *shares(b, 3, 1))
    assert rolls(game) == [(a, 4), (b, 3), (b, 1)]
    game, mira, a, b, _ = fight(extra=4)
    assert refused(game, mira, "flurry", Strike(a), *shares(b, 3, 2)) == "split_too_large"


@rule("XS-04")
@case("XS-04.2")
def test_two_targets_attacked_twice_each_have_a_split_of_their_own():
    game, mira, a, b, _ = fight(extra=4, attacks=4)
    strike(game, mira, "flurry", *shares(a, 3, 1), *shares(b, 2, 2))
    assert rolls(game) == [(a, 3), (a, 1), (b, 2), (b, 2)]


def test_what_a_target_that_falls_would_have_been_dealt_is_lost():
    game, mira, a, b, _ = fight(extra=4)
    game.do(cmd.SetValue(a, "hp", 1, 40))
    strike(game, mira, "flurry", *shares(a, 3, 1), Strike(b))
    assert rolls(game) == [(a, 3), (b, 4)]


# --------------------------------------------------------------------------------------------------------------- XS-05
SECOND_GAIN = [8, 8, 8]
"""Three attacks of one die each; all hit, and each hit gains."""


@rule("XS-05")
@case("XS-05.1")
def test_of_two_gains_in_one_action_only_the_first_is_used_in_it():
    game, mira, a, _, _ = fight(extra=0, gains=2, dice=SECOND_GAIN)
    strike(game, mira, "flurry", targets=[a])
    assert rolls(game) == [(a, 0), (a, 2), (a, 0)], "at once; the second one helps no attack of this action"
    assert [e.n for e in game.happened(ev.ExtrasGained)] == [2, 2, 2]


@rule("XS-05")
def test_a_miss_gains_nothing_and_the_first_hit_does():
    game, mira, a, _, _ = fight(extra=0, gains=2, dice=[1, 8, 8])
    strike(game, mira, "flurry", targets=[a])
    assert rolls(game) == [(a, 0), (a, 0), (a, 2)]


@rule("XS-05")
def test_what_was_gained_is_there_for_the_other_attack_actions_of_the_round_and_gone_in_the_next():
    game, mira, a, _, _ = fight(extra=1, gains=2, attacks=1)
    game.do(cmd.Grant(mira, ("standard",)))
    strike(game, mira, "flurry", targets=[a])
    strike(game, mira, "longsword", targets=[a])
    assert rolls(game) == [(a, 3)]
    assert game.seen("p1")[f"u/{mira}/gained"] == 2
    assert f"u/{mira}/gained" not in game.seen("p2")
    game.next_action_of(mira)
    strike(game, mira, "longsword", targets=[a])
    assert rolls(game) == [(a, 1)]


def midway(**house: Any) -> tuple[Game, UnitId, UnitId]:
    """The first of three attacks has hit and gained 2; the owner is asked which of the other two get it."""
    game, mira, a, _, _ = fight(extra=0, gains=2, reaction_window_ms=8000, **house)
    strike(game, mira, "flurry", targets=[a])
    game.pass_all()
    return game, mira, a


@rule("XS-05")
def test_what_was_gained_is_split_over_the_attacks_still_to_come_as_declared_when_gained():
    game, _, a = midway()
    assert rolls(game) == [(a, 0)]
    assert (game.window.kind, game.window.asked, game.top.state) == ("gain", ("p1",), "rolled")
    assert game.seen("p1")[f"k/{game.top.id}/gained"] == 2
    assert game.seen("p1")[f"w/{game.window.id}/me"]["order_passes"] is False, "no standing order answers this"
    assert f"k/{game.top.id}/gained" not in game.seen("p2")
    game.do(cmd.SplitGain(game.window.id, (0, 2)), "p1")
    game.wait(750)
    assert rolls(game) == [(a, 0), (a, 2)]
    assert game.stack == []


@rule("XS-05")
def test_where_nobody_says_how_the_next_attack_takes_it():
    game, _, a = midway()
    game.wait(8000)
    assert rolls(game) == [(a, 2), (a, 0)]
    assert game.stack == []


@rule("XS-05")
def test_more_than_was_gained_or_for_more_attacks_than_come_or_by_another_is_refused():
    game, _, _ = midway()
    window = game.window.id
    code, about = game.refusal(cmd.SplitGain(window, (2, 1)), "p1")
    assert (code, about["declared"], about["extra"]) == ("split_too_large", 3, 2)
    assert game.refused(cmd.SplitGain(window, (1, 1, 0)), "p1") == "bad_value"
    assert game.refused(cmd.SplitGain(window, (1, 1)), "p2") == "not_yours"
    game.do(cmd.SplitGain(window, (1, 1)), "p1")
    assert game.refused(cmd.SplitGain(window, (1, 1)), "p1") == "already_answered"


@rule("XS-05")
def test_what_the_storyteller_gives_meanwhile_is_for_later_actions():
    game, mira, a = midway()
    game.do(cmd.Adjust(mira, "extras.attack", 3))
    game.do(cmd.SplitGain(game.window.id, (1, 1)), "p1")
    game.wait(750)
    assert rolls(game) == [(a, 1), (a, 1)]


@rule("XS-05")
def test_nothing_lies_on_attacks_that_are_under_way():
    game, _, a = midway()
    assert game.refused(cmd.React(a, make_act("drop_prone", "immediate")), "p2") == "too_late"
    assert game.refused(cmd.SplitGain(game.window.id, (0,)), "p2") == "not_yours"


@rule("XS-05")
def test_an_attacker_who_falls_midway_still_lands_the_others():
    game, mira, a = midway()
    game.do(cmd.AddCondition(mira, "stunned"))
    game.wait(8000)
    assert lost(game, a) == [1 + 3 + 1]


@rule("XS-05")
def test_relaxed_it_is_added_to_dice_that_lie_on_the_table():
    game, mira, a, _, _ = fight(extra=0, gains=2, reaction_window_ms=8000, relaxed_defense="on")
    strike(game, mira, "flurry", targets=[a])
    game.pass_all()
    assert rolls(game) == [(a, 0)] * 3
    game.pass_all()
    game.do(cmd.SplitGain(game.window.id, (0, 2)), "p1")
    game.wait(750)
    assert lost(game, a) == [1 + 1 + 3]


@rule("XS-05")
def test_a_hidden_attackers_next_attack_takes_it_unasked():
    game, mira, a, _, _ = fight(extra=0, gains=2, reaction_window_ms=8000)
    game.do(cmd.Hide(mira))
    strike(game, mira, "flurry", targets=[a])
    assert rolls(game) == [(a, 0), (a, 2), (a, 0)]
    game.do(cmd.Insert(mira, make_act("use", "standard", ability="flurry", targets=[a]), noticed=True))
    game.pass_all()
    assert game.stack == [], "noticed or not"


@rule("XS-05")
def test_a_split_only_answers_a_gain():
    game, mira, a, _, _ = fight(reaction_window_ms=8000)
    strike(game, mira, "longsword", targets=[a, game.unit("d", "p2")])
    assert game.refused(cmd.SplitGain(game.window.id, (1,)), "p1") == "not_asked"


# --------------------------------------------------------------------------------------------------------------- XS-06
@rule("XS-06")
@case("XS-06.1")
def test_the_four_of_the_greataxe_go_to_its_own_attacks_only():
    game, mira, a, _, _ = fight(extra=0)
    strike(game, mira, "flurry", Strike(a, "longsword"), Strike(a, "greataxe"))
    assert rolls(game) == [(a, 0), (a, 4)]
    game, mira, a, _, _ = fight(extra=0)
    assert refused(game, mira, "flurry", Strike(a, "longsword", 1), Strike(a, "greataxe", 3)) == "split_too_large"


@rule("XS-06")
def test_the_greataxes_four_are_split_among_its_attacks():
    game, mira, a, _, _ = fight(extra=0)
    axe = [Strike(a, "greataxe", 3), Strike(a, "longsword"), Strike(a, "greataxe", 1)]
    strike(game, mira, "flurry", *axe)
    assert rolls(game) == [(a, 3), (a, 0), (a, 1)]
    game, mira, a, _, _ = fight(extra=0)
    assert refused(game, mira, "flurry", Strike(a, "greataxe"), Strike(a, "greataxe")) == "split_required"


@rule("XS-06")
@case("XS-06.2")
@pytest.mark.parametrize(("longsword", "greataxe"), [(2, 5), (3, 4)])
def test_ones_own_three_are_shared_by_both_weapons(longsword: int, greataxe: int):
    game, mira, a, _, _ = fight(extra=3)
    strike(game, mira, "flurry", Strike(a, "longsword", longsword), Strike(a, "greataxe", greataxe))
    assert rolls(game) == [(a, longsword), (a, greataxe)]


@rule("XS-06")
@case("XS-06.2")
@pytest.mark.parametrize(("longsword", "greataxe"), [(4, 4), (4, 0), (3, 5)])
def test_four_on_the_longsword_or_one_too_many_in_all_are_refused(longsword: int, greataxe: int):
    game, mira, a, _, _ = fight(extra=3)
    split = Strike(a, "longsword", longsword), Strike(a, "greataxe", greataxe)
    assert refused(game, mira, "flurry", *split) == "split_too_large"


@rule("XS-06")
@case("XS-06.3")
def test_by_house_rule_each_weapon_has_ones_own_in_full():
    game, mira, a, _, _ = fight(extra=3, own_extras_per_weapon="full")
    strike(game, mira, "flurry", Strike(a, "longsword"), Strike(a, "greataxe"))
    assert rolls(game) == [(a, 3), (a, 7)]
    game, mira, a, _, _ = fight(extra=3, own_extras_per_weapon="full")
    strike(game, mira, "flurry", Strike(a, "longsword", 3), Strike(a, "greataxe", 7))
    assert rolls(game) == [(a, 3), (a, 7)]
    game, mira, a, _, _ = fight(extra=3, own_extras_per_weapon="full")
    assert refused(game, mira, "flurry", Strike(a, "longsword", 4), Strike(a, "greataxe", 7)) == "split_too_large"


@rule("XS-06")
def test_two_weapons_on_two_targets_have_all_there_is_on_each():
    game, mira, a, b, _ = fight(extra=3)
    strike(game, mira, "flurry", Strike(a, "longsword"), Strike(b, "greataxe"))
    assert rolls(game) == [(a, 3), (b, 7)]


# ------------------------------------------------------------------------------------------- XS-07 with several attacks
@rule("XS-07")
def test_against_several_attacks_defence_is_declared_for_each():
    game, mira, a, _, _ = fight(extra=0, dice=[8, 8, 8], reaction_window_ms=8000)
    game.do(cmd.SetValue(a, "extras.defense", 3, None))
    game.next_action_of(mira)
    strike(game, mira, "flurry", targets=[a])
    window = game.window.id
    game.do(cmd.Defend(window, a, 1, attack=3), "p2")
    game.do(cmd.Defend(window, a, 1), "p2")
    assert game.refused(cmd.Defend(window, a, 2, attack=2), "p2") == "not_enough"
    assert game.refused(cmd.Defend(window, a, 1, attack=4), "p2") == "not_target"
    assert game.seen("p2")[f"k/{game.top.id}/guards"] == {a: 1, f"{a}/3": 1}
    assert f"k/{game.top.id}/guards" not in game.seen("p1")
    game.pass_all()
    assert [e.successes for e in game.happened(ev.Rolled)] == [1, 1, 1]
    assert lost(game, a) == [1]
    assert game.table.play.budgets[a].guard == 1


@rule("XS-07")
@case("XS-07.2")
def test_declared_after_the_roll_it_is_too_late():
    game, _, a = midway()
    game.do(cmd.Adjust(a, "extras.defense", 6))
    assert game.refused(cmd.Defend(game.window.id, a, 1, attack=2), "p2") == "too_late"


# ------------------------------------------------------------------------------------------------- inserted and edited
def test_what_the_storyteller_inserts_needs_no_split_the_first_attack_takes_all():
    game, mira, a, _, _ = fight(extra=3)
    game.do(cmd.Insert(mira, make_act("use", "standard", ability="flurry", targets=[a])))
    assert rolls(game) == [(a, 3), (a, 0), (a, 0)]
    game.do(
        cmd.Insert(
            mira, Act("use", "standard", ability="flurry", split=(Strike(a, "greataxe"), Strike(a, "longsword")))
        )
    )
    assert rolls(game) == [(a, 7), (a, 0)]
    game.do(cmd.Insert(mira, Act("use", "standard", ability="flurry", split=(Strike(a, "greataxe"),) * 2)))
    assert rolls(game) == [(a, 7), (a, 0)]


def test_a_flurry_that_the_storyteller_turns_elsewhere_keeps_its_split():
    game, mira, a, b, c = fight(reaction_window_ms=8000)
    strike(game, mira, "flurry", *shares(a, 2, 2, 1))
    game.do(cmd.EditPending(game.top.id, targets=(b,)))
    game.do(cmd.EditPending(game.top.id, targets=(b, c)))
    game.pass_all()
    assert rolls(game) == [(b, 2), (b, 2), (b, 1), (c, 5)]
