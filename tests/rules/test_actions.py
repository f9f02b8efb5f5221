"""What a unit may do on its action: budgets, conversion, free acts, anytime acts (ACT-01 to ACT-08)."""

import pytest

from core import commands as cmd
from core.ids import UnitId
from core.state import Ability, Act, Applied
from tests.helpers.play import Game


def ability(name: str, *slots: str, act: str = "use", **rest) -> Ability:
    return Ability(name, act, slots, **rest)  # type: ignore[arg-type]


def two(*abilities: Ability, bonus: dict[str, int] | None = None, **house) -> tuple[Game, UnitId, UnitId]:
    """Mira acts, a zombie comes next; nobody is asked to react."""
    game = Game(reaction_window_ms=0, **house)
    mira = game.unit("Mira", "p1", initiative=20, abilities=list(abilities), bonus=bonus or {})
    zombie = game.unit("Zombie", initiative=10)
    game.start()
    return game, mira, zombie


def act(unit: UnitId, slot: str, kind: str = "use", **rest) -> cmd.Declare:
    return cmd.Declare(unit, Act(kind, slot, **rest))  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------------------- ACT-01
@pytest.mark.case("ACT-01.1")
@pytest.mark.rule("ACT-01")
def test_an_action_has_one_swift_one_move_and_one_standard_and_no_second_standard():
    game, mira, _ = two()
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 1}
    game.declare(mira, slot="standard")
    assert game.refused(act(mira, "standard"), "p1") == "no_action_left"
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 0}


@pytest.mark.case("ACT-01.2")
@pytest.mark.rule("ACT-01")
def test_what_is_left_at_the_end_of_an_action_is_not_saved():
    game, mira, _ = two()
    game.declare(mira, slot="move", kind="move")
    game.declare(mira, slot="standard")
    game.end(mira)
    assert not any(game.left(mira).values())
    game.next_action_of(mira)
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 1}


@pytest.mark.case("ACT-01.3")
@pytest.mark.rule("ACT-01")
def test_a_move_action_carries_at_most_the_units_speed():
    game, mira, _ = two()
    assert game.refused(act(mira, "move", "move", distance=12), "p1") == "too_far"
    assert game.left(mira)["move"] == 1
    game.declare(mira, "move", "move", distance=10)


@pytest.mark.rule("ACT-01")
def test_only_the_active_unit_has_its_actions():
    game, mira, zombie = two()
    assert game.refused(act(zombie, "standard")) == "not_your_action"
    assert game.refused(act(zombie, "free")) == "not_your_action"
    assert game.refused(cmd.EndAction(zombie, 0)) == "not_your_action"


# -------------------------------------------------------------------------------------------------------------- ACT-02
@pytest.mark.case("ACT-02.1")
@pytest.mark.rule("ACT-02")
def test_a_single_action_granted_outside_the_order_is_that_alone_and_converts_as_usual():
    game, mira, zombie = two()
    game.do(cmd.Grant(zombie, ("standard",)))
    assert game.refused(act(zombie, "free", "drop")) == "not_your_action"
    game.declare(zombie, "move", "move", pay="standard")
    assert not any(game.left(zombie).values())
    assert game.refused(act(zombie, "swift")) == "not_your_action"
    assert game.active == mira


# -------------------------------------------------------------------------------------------------------------- ACT-03
@pytest.mark.case("ACT-03.1")
@pytest.mark.rule("ACT-03")
def test_dropping_both_weapons_is_one_free_act_and_a_second_drop_in_the_round_is_refused():
    game, mira, _ = two()
    game.declare(mira, "drop", "free", text="both axes")
    game.declare(mira, "draw", "move")
    assert game.refused(act(mira, "free", "drop"), "p1") == "same_kind_of_act"


@pytest.mark.case("ACT-03.2")
@pytest.mark.rule("ACT-03")
def test_two_different_free_spells_are_one_kind_of_act():
    game, mira, zombie = two(ability("spark", "free", act="cast"), ability("chill", "free", act="cast"))
    game.declare(mira, slot="free", ability="spark", targets=[zombie])
    assert game.refused(act(mira, "free", ability="chill", targets=(mira,)), "p1") == "same_kind_of_act"


@pytest.mark.rule("ACT-03")
def test_a_melee_and_a_ranged_attack_are_two_kinds():
    cut = ability("cut", "free", act="melee_attack")
    shot = ability("shot", "free", act="ranged_attack")
    game, mira, zombie = two(cut, shot)
    game.dice.left = [1, 1]
    game.declare(mira, slot="free", ability="cut", targets=[zombie])
    game.declare(mira, slot="free", ability="shot", targets=[zombie])


@pytest.mark.case("ACT-03.3")
@pytest.mark.rule("ACT-03")
def test_under_a_cap_of_three_the_fourth_free_act_is_refused_and_speaking_never_counts():
    game, mira, _ = two(free_action_cap=3)
    for _ in range(2):
        game.declare(mira, "speak", "free", text="Behind you!")
    for kind in ("drop", "wink", "release"):
        game.declare(mira, kind, "free")
    assert game.refused(act(mira, "free", "nod"), "p1") == "free_action_cap"
    game.declare(mira, "speak", "free")
    game.next_action_of(mira)
    game.declare(mira, "nod", "free")


@pytest.mark.rule("ACT-03")
def test_lowering_the_cap_takes_nothing_back():
    game, mira, _ = two()
    for kind in ("drop", "wink"):
        game.declare(mira, kind, "free")
    game.do(cmd.SetHouse("free_action_cap", 1))
    assert game.table.play.budgets[mira].free_used == 2
    assert game.refused(act(mira, "free", "nod"), "p1") == "free_action_cap"


@pytest.mark.rule("ACT-03")
def test_a_kind_counts_from_a_units_action_to_its_next():
    game, mira, _ = two()
    game.declare(mira, "drop", "free")
    game.end(mira)
    assert game.table.play.budgets[mira].free_kinds == ("drop",)
    game.end(game.acting)
    game.declare(mira, "drop", "free")


# -------------------------------------------------------------------------------------------------------------- ACT-04
@pytest.mark.case("ACT-04.1")
@pytest.mark.rule("ACT-04")
def test_one_may_speak_in_anothers_action_but_not_drop_a_weapon():
    game, mira, _ = two()
    game.end(mira)
    game.declare(mira, "speak", "free", text="No!")
    game.do(cmd.Say("No!", mira), "p1")
    assert game.refused(act(mira, "free", "drop"), "p1") == "not_your_action"


@pytest.mark.case("ACT-04.2")
@pytest.mark.rule("ACT-04")
def test_an_ability_may_allow_a_free_act_outside_ones_action_and_uses_its_kind_up():
    game, mira, _ = two(ability("slip", "free", act="drop", outside=True))
    game.end(mira)
    game.declare(mira, slot="free", ability="slip")
    assert game.refused(act(mira, "free", ability="slip"), "p1") == "same_kind_of_act"


# -------------------------------------------------------------------------------------------------------------- ACT-05
@pytest.mark.case("ACT-05.1")
@pytest.mark.rule("ACT-05")
def test_swift_move_and_standard_can_be_three_swift_acts():
    game, mira, _ = two()
    game.declare(mira, slot="swift")
    game.declare(mira, slot="swift", pay="move")
    game.declare(mira, slot="swift", pay="standard")
    assert not any(game.left(mira).values())
    assert game.refused(act(mira, "swift"), "p1") == "no_action_left"


@pytest.mark.case("ACT-05.2")
@pytest.mark.rule("ACT-05")
@pytest.mark.parametrize(("pay", "slot"), [("move", "standard"), ("swift", "move"), ("swift", "standard")])
def test_actions_do_not_convert_upwards(pay: str, slot: str):
    game, mira, _ = two()
    assert game.refused(act(mira, slot, pay=pay), "p1") == "cannot_convert"
    assert game.left(mira) == {"swift": 1, "move": 1, "standard": 1}


@pytest.mark.case("ACT-05.3")
@pytest.mark.rule("ACT-05")
def test_a_standard_converted_into_a_second_move_makes_twenty_metres_and_leaves_the_swift():
    game, mira, _ = two()
    game.declare(mira, "move", "move", distance=10)
    game.declare(mira, "move", "move", pay="standard", distance=10)
    assert game.left(mira) == {"swift": 1, "move": 0, "standard": 0}


@pytest.mark.rule("ACT-05")
def test_a_spent_action_is_not_converted_unasked_but_the_refusal_says_what_could_be():
    game, mira, _ = two()
    game.declare(mira, "move", "move")
    outcome = game.decide(act(mira, "move", "move"), "p1")
    assert getattr(outcome, "params", {})["convertible"] == ["standard"]


# -------------------------------------------------------------------------------------------------------------- ACT-06
@pytest.mark.case("ACT-06.1")
@pytest.mark.rule("ACT-06")
def test_a_full_round_action_needs_move_and_standard_and_leaves_the_swift():
    game, mira, _ = two()
    game.declare(mira, slot="full_round")
    assert game.left(mira) == {"swift": 1, "move": 0, "standard": 0}
    game.declare(mira, slot="swift")


@pytest.mark.case("ACT-06.1")
@pytest.mark.rule("ACT-06")
def test_a_full_round_action_after_the_move_was_spent_is_refused():
    game, mira, _ = two()
    game.declare(mira, "move", "move")
    assert game.refused(act(mira, "full_round"), "p1") == "no_action_left"
    assert game.left(mira)["standard"] == 1


@pytest.mark.case("ACT-06.1")
@pytest.mark.rule("ACT-06")
def test_a_full_turn_action_after_a_swift_is_refused_and_takes_all_three():
    game, mira, _ = two()
    game.declare(mira, slot="swift")
    assert game.refused(act(mira, "full_turn"), "p1") == "no_action_left"
    game.next_action_of(mira)
    game.declare(mira, slot="full_turn")
    assert not any(game.left(mira).values())


@pytest.mark.case("ACT-06.2")
@pytest.mark.rule("ACT-06")
def test_a_full_round_ability_takes_effect_within_the_same_action():
    game, mira, _ = two(ability("stance", "full_round", applies=(Applied("braced", 1, to="self"),)))
    game.declare(mira, slot="full_round", ability="stance")
    assert (game.active, game.conditions(mira)) == (mira, {"braced"})


@pytest.mark.rule("ACT-06")
def test_two_standards_and_no_move_make_a_full_round_action():
    game, mira, _ = two(bonus={"standard": 1, "move": -1})
    assert game.left(mira) == {"swift": 1, "move": 0, "standard": 2}
    game.declare(mira, slot="full_round")
    assert game.left(mira) == {"swift": 1, "move": 0, "standard": 0}


# -------------------------------------------------------------------------------------------------------------- ACT-07
@pytest.mark.case("ACT-07.1")
@pytest.mark.rule("ACT-07")
def test_a_bonus_standard_is_still_there_after_a_full_round_action_and_converts():
    game, mira, _ = two(bonus={"standard": 1})
    game.declare(mira, slot="full_round")
    assert game.left(mira) == {"swift": 1, "move": 0, "standard": 1}
    game.declare(mira, "move", "move", pay="standard")


@pytest.mark.rule("ACT-07")
def test_a_standard_gained_after_a_full_turn_action_can_be_used():
    game, mira, _ = two()
    game.declare(mira, slot="full_turn")
    game.do(cmd.Grant(mira, ("standard",)))
    game.declare(mira, slot="standard")


# -------------------------------------------------------------------------------------------------------------- ACT-08
@pytest.mark.case("ACT-08.1")
@pytest.mark.rule("ACT-08")
def test_an_anytime_ability_has_no_limit_even_in_anothers_action():
    game, mira, _ = two(ability("sense", "anytime"))
    game.end(mira)
    for _ in range(3):
        game.declare(mira, slot="anytime", ability="sense")
    assert not game.table.play.budgets[mira].spent


@pytest.mark.case("ACT-08.1")
@pytest.mark.rule("ACT-08")
def test_an_anytime_act_needs_an_ability_that_allows_it():
    game, mira, _ = two(ability("sense", "anytime"), ability("swing", "standard"))
    assert game.refused(act(mira, "anytime"), "p1") == "ability_required"
    assert game.refused(act(mira, "anytime", ability="swing"), "p1") == "ability_required"


@pytest.mark.rule("ACT-08")
def test_an_anytime_act_covers_no_window():
    game = Game()
    mira = game.unit("Mira", "p1", initiative=20, abilities=[ability("sense", "anytime")])
    zombie = game.unit("Zombie", initiative=10)
    game.unit("Rolf", "p2", initiative=5)
    game.start()
    game.end(mira)
    game.declare(zombie, slot="standard")
    asked = game.window
    game.declare(mira, slot="anytime", ability="sense")
    assert game.window == asked


# ------------------------------------------------------------------------------------------------------- outside a fight
@pytest.mark.case("TIME-09.2")
@pytest.mark.rule("TIME-09")
def test_outside_a_fight_no_act_is_refused_for_want_of_an_action():
    game = Game(reaction_window_ms=0)
    mira = game.unit("Mira", "p1")
    for _ in range(3):
        game.declare(mira, slot="standard")
    assert mira not in game.table.play.budgets
