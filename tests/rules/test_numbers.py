"""Numbers: rounding, "/", stacked multipliers, divisions, and what is nobody's own number (NUM-01 to NUM-06)."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import commands as cmd
from core.arithmetic import Change, finished, own_number
from core.calc import Calculated, calc
from core.notation import LONGEST
from core.refusals import Refused
from core.view import View
from tests.helpers.play import Game

TABLE: View = {"h/mixed_multipliers": "stacked"}


def value(text: str, **house: str) -> int:
    return calc({**TABLE, **{f"h/{key}": rule for key, rule in house.items()}}, text).value


def why(text: str) -> str:
    """The reason for which a calculation is refused."""
    with pytest.raises(Refused) as refused:
        calc(TABLE, text)
    assert refused.value.code == "no_number"
    assert not refused.value.waivable
    return str(refused.value.params["why"])


# -------------------------------------------------------------------------------------------------------------- rounding
@pytest.mark.case("NUM-01.1")
@pytest.mark.rule("NUM-01")
def test_a_fraction_is_dropped():
    assert value("7/2") == 3


@pytest.mark.case("NUM-01.1")
@pytest.mark.rule("NUM-01")
def test_a_fraction_is_dropped_towards_zero():
    assert value("-7/2") == -3
    assert finished(Fraction(-1, 2)) == 0


@pytest.mark.case("NUM-01.1")
@pytest.mark.rule("NUM-01")
def test_a_chain_of_one_value_is_rounded_once_at_its_end():
    """7/2 is 3.5: times 2 it is 7, not 6."""
    found = calc(TABLE, "7/2 with x2")
    assert (found.value, found.steps) == (7, ("7 / 2 = 3.5", "3.5 x 2 = 7"))
    assert value("5 with halved, +0.5") == 3
    assert value("7 with halved, halved, x2, x2") == 5, "7 x 3 / 4 = 5.25"


# ------------------------------------------------------------------------------------------------------------ the "/"
@pytest.mark.case("NUM-02.1")
@pytest.mark.rule("NUM-02")
def test_the_whole_right_side_divides():
    game = Game()
    mira = game.unit("Mira", owner="p1", attributes={"RES": 6})
    found = calc(game.seen("p1"), "6/Resolve extra successes + 1", mira)
    assert found.names == {"Resolve extra successes": 1}
    assert found.value == 3


@pytest.mark.case("NUM-02.1")
@pytest.mark.rule("NUM-02")
def test_a_bare_unit_after_it_only_names_the_unit():
    found = calc(TABLE, "1/minute")
    assert (found.value, found.unit) == (1, "minute")


@pytest.mark.case("NUM-02.1")
@pytest.mark.rule("NUM-02")
def test_a_number_by_a_number_is_a_division():
    assert value("6/2") == 3


@pytest.mark.case("NUM-02.1")
@pytest.mark.rule("NUM-02")
@pytest.mark.parametrize("text", ["6/0", "6/(3 - 3)", "(1/0) + 2", "6 with /0", "6 with x2 then / (1 - 1)"])
def test_nothing_is_divided_by_nothing(text: str):
    assert why(text) == "division_by_zero"


@pytest.mark.case("NUM-02.2")
@pytest.mark.rule("NUM-02")
def test_the_whole_left_side_is_divided():
    assert value("2 + 6/2") == 4


@pytest.mark.case("NUM-02.2")
@pytest.mark.rule("NUM-02")
def test_brackets_say_otherwise():
    assert value("2 + (6/2)") == 5


@pytest.mark.case("NUM-02.2")
@pytest.mark.rule("NUM-02")
@pytest.mark.parametrize("text", ["8/4/2", "8/4 + 8/2", "2 + 6/2/minute", "(8/4/2) + 1"])
def test_a_second_one_needs_brackets(text: str):
    assert why(text) == "second_slash"


@pytest.mark.rule("NUM-02")
def test_with_brackets_there_may_be_as_many_as_one_likes():
    assert value("(8/4)/2") == 1
    assert value("8/(4/2)") == 4
    assert value("(8/4) + (8/2)") == 6


@pytest.mark.rule("NUM-02")
@pytest.mark.parametrize(
    ("text", "found", "unit"),
    [
        ("2 + 1/minute", 3, "minute"),
        ("1/minute with x2", 2, "minute"),
        ("3/action of his", 3, "action of his"),
        ("1/回合", 1, "回合"),
    ],
)
def test_a_unit_stands_at_the_end_of_the_value(text: str, found: int, unit: str):
    read = calc(TABLE, text)
    assert (read.value, read.unit) == (found, unit)


@pytest.mark.rule("NUM-02")
def test_a_name_that_has_a_value_here_divides_and_a_name_that_has_none_is_a_unit():
    game = Game()
    mira = game.unit("Mira", owner="p1", skills={"Blade": 4})
    assert calc(game.seen("p1"), "10/Blade", mira).value == 2
    assert calc(game.seen("p1"), "10/Blade").unit == "Blade"


@pytest.mark.rule("NUM-02")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("2 +", "number_expected"),
        ("x2", "number_expected"),
        ("2 + )", "number_expected"),
        ("6/", "number_expected"),
        ("strength + 1", "unknown_name"),
        ("6/strength + 1", "unknown_name"),
        ("(1/minute) + 2", "unit_inside"),
        ("(2 + 3", "open_bracket"),
        ("2 + 3)", "not_here"),
        ("2 3", "not_here"),
        ("3 $ 4", "not_here"),
        ("10 m/round", "not_here"),
        ("10 halved", "not_here"),
        ("10 with x2 with x3", "not_here"),
        ("10 with", "change_expected"),
        ("10 with 5", "change_expected"),
        ("10 with x2,", "change_expected"),
        ("10 with (x2)", "change_expected"),
        ("10 then", "change_expected"),
        ("1" * (LONGEST + 1), "too_long"),
        ("(" * 31 + "1" + ")" * 31, "too_long"),
        ("999999999999 x 2", "too_large"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text: str, reason: str):
    assert why(text) == reason


@pytest.mark.rule("NUM-02")
def test_a_refusal_says_where_and_what_stands_there():
    with pytest.raises(Refused) as refused:
        calc(TABLE, "12 + 8/4/2")
    assert {name: refused.value.params[name] for name in ("at", "said")} == {"at": 9, "said": "/"}
    with pytest.raises(Refused) as stray:
        calc(TABLE, "3 $ 4")
    assert {name: stray.value.params[name] for name in ("at", "said")} == {"at": 3, "said": "$"}
    game = Game()
    mira = game.unit("Mira", owner="p1", attributes={"RES": 6}, skills={"Blade": 4})
    with pytest.raises(Refused) as unknown:
        calc(game.seen("p1"), "2 + Blaed", mira)
    assert unknown.value.params["said"] == "Blaed"
    assert "blade" in unknown.value.params["accepted"]


@pytest.mark.rule("NUM-02")
@pytest.mark.parametrize(
    "text", ["6 ÷ 2", "６／２", "（6）/2", "9 − 6", "1×3", "1 * 3", "1 X 3", "1 再 x3", "6 经 减半"]
)
def test_signs_of_other_keyboards_are_understood(text: str):
    assert value(text) == 3


@pytest.mark.rule("NUM-02")
@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("2 + 6/2", "(2 + 6) / 2 = 4"),
        ("(2 + 6)/2", "(2 + 6) / 2 = 4"),
        ("(2 + 3) x (1 + 1)/2", "((2 + 3) x (1 + 1)) / 2 = 5"),
        ("6/(1 + 1) x 3", "6 / ((1 + 1) x 3) = 1"),
    ],
)
def test_a_step_shows_every_bracket_that_was_understood(text: str, step: str):
    assert calc(TABLE, text).steps == (step,)


# ---------------------------------------------------------------------------------------------- multipliers, additions
@pytest.mark.case("NUM-03.1")
@pytest.mark.rule("NUM-03")
def test_several_multipliers_add_up_and_additions_come_last():
    found = calc(TABLE, "10 with x2, x4, +50")
    assert (found.value, found.steps) == (100, ("10 x (1 + 1 + 3) + 50 = 100",))


@pytest.mark.case("NUM-03.1")
@pytest.mark.rule("NUM-03")
def test_a_multiplier_and_an_addition():
    assert value("5 with x3 +4") == 19


@pytest.mark.rule("NUM-03")
def test_one_alone_is_ordinary_arithmetic():
    assert value("5 with x3") == 15
    assert value("5 with +4") == 9
    assert value("5 with -4") == 1


@pytest.mark.rule("NUM-03")
@settings(deadline=None)  # a loaded machine may take its time
@given(st.integers(-99, 99), st.permutations(["x2", "x4", "+50", "-7", "x1.5"]))
def test_the_order_in_which_they_are_said_does_not_matter(first: int, changes: list[str]):
    assert value(f"{first} with {' '.join(changes)}") == value(f"{first} with x2 x4 x1.5 +50 -7")


# ------------------------------------------------------------------------------------------------------- derived values
@pytest.mark.case("NUM-04.1")
@pytest.mark.rule("NUM-04")
def test_a_derived_value_begins_with_the_finished_first_one():
    found = calc(TABLE, "10 with x2 +10 then x4")
    assert (found.value, found.steps) == (120, ("10 x 2 + 10 = 30", "30 x 4 = 120"))


@pytest.mark.rule("NUM-04")
def test_finished_includes_rounded():
    assert value("7/2 then x4") == 12
    assert value("7 with halved then x4 then halved, +1") == 7
    assert calc(TABLE, "7 with halved then x4").steps == ("7 / 2 = 3.5 → 3", "3 x 4 = 12")


# ------------------------------------------------------------------------------------------------------------ divisions
@pytest.mark.case("NUM-05.1")
@pytest.mark.rule("NUM-05")
def test_halvings_multiply_and_subtractions_come_last():
    found = calc(TABLE, "20 with halved, halved, -1")
    assert (found.value, found.steps) == (4, ("20 / 2 / 2 - 1 = 4",))


@pytest.mark.case("NUM-05.1")
@pytest.mark.rule("NUM-05")
def test_a_quarter_of_five_less_one_is_nothing():
    found = calc(TABLE, "5 with halved, halved, -1")
    assert (found.value, found.steps) == (0, ("5 / 2 / 2 - 1 = 0.25 → 0",))


@pytest.mark.case("NUM-05.2")
@pytest.mark.rule("NUM-05")
def test_multipliers_are_added_up_before_divisions():
    assert value("10 with x2, x2, halved") == 15
    assert calc(TABLE, "10 with halved, x2, x2").steps == ("10 x (1 + 1 + 1) / 2 = 15",)


@pytest.mark.case("NUM-05.2")
@pytest.mark.rule("NUM-05")
def test_by_house_rule_multipliers_beside_a_division_are_simply_multiplied():
    game = Game()
    game.do(cmd.SetHouse("mixed_multipliers", "ordinary"))
    found = calc(game.seen("p1"), "10 with x2, x2, halved")
    assert (found.value, found.steps) == (20, ("10 x 2 x 2 / 2 = 20",))
    assert calc(game.seen("p1"), "10 with x2, x2").value == 30, "without a division they add up"


@pytest.mark.rule("NUM-05")
@pytest.mark.parametrize("text", ["9 with /3", "9 with x(1/3)", "6 with x0.5", "6/2"])
def test_a_division_may_be_written_in_several_ways(text: str):
    assert value(text) == 3


# ------------------------------------------------------------------------------------------------ nobody's own numbers
@pytest.mark.case("NUM-06.1")
@pytest.mark.rule("NUM-06")
def test_a_price_of_100_doubled_twice_is_400():
    assert calc(TABLE, "100 with doubled, doubled", own=False).value == 400


@pytest.mark.case("NUM-06.1")
@pytest.mark.rule("NUM-06")
def test_a_distance_of_10_metres_doubled_twice_is_40_metres():
    assert calc(TABLE, "10 with doubled, doubled", own=False).value == 40


@pytest.mark.case("NUM-06.1")
@pytest.mark.rule("NUM-06")
@pytest.mark.parametrize("owner", ["p1", None], ids=["a player's", "the Storyteller's"])
def test_a_land_speed_of_10_doubled_twice_is_30_whosever_unit_it_is(owner: str | None):
    game = Game()
    unit = game.unit("Runner", owner=owner, speed=10)
    assert calc(game.seen(owner or "st"), "speed with doubled, doubled", unit).value == 30


@pytest.mark.rule("NUM-06")
def test_ordinary_changes_are_made_one_after_the_other():
    assert calc(TABLE, "100 with x3, +50, x2", own=False) == Calculated(700, "", ("(100 x 3 + 50) x 2 = 700",), {})


# ------------------------------------------------------------------------------------------------ whose values they are
def test_the_values_of_a_unit_are_known_by_their_names_in_full_and_in_short():
    game = Game()
    mira = game.unit(
        "Mira", owner="p1", attributes={"DEX": 11, "Luck": 2}, skills={"Blade": 4}, extras={"Blade": 2, "attack": 3}
    )
    seen = game.seen("p1")
    for name, known in {
        "DEX": 11, "dexterity": 11, "敏捷": 11, "Dexterity extra successes": 2, "敏捷附加成功": 2, "luck": 2,
        "Blade": 4, "Blade extra successes": 2, "attack extra successes": 3, "speed": 10, "hp": 10, "hp max": 10,
    }.items():  # fmt: skip
        assert calc(seen, f"{name} + 1", mira).value == known + 1, name
    assert calc(seen, '"Blade" x 2', mira).value == 8


def test_what_has_no_number_yet_has_no_name():
    game = Game()
    mira = game.unit("Mira", owner="p1")
    game.do(cmd.SetValue(mira, "initiative", None, 10))
    with pytest.raises(Refused) as refused:
        calc(game.seen("p1"), "initiative + 1", mira)
    assert refused.value.params["why"] == "unknown_name"


@pytest.mark.rule("TBL-04")
def test_nobody_calculates_with_what_he_does_not_see():
    game = Game()
    zombie = game.unit("Zombie", attributes={"RES": 6})
    rolf = game.unit("Rolf", owner="p2", attributes={"RES": 6})
    sneaker = game.unit("Sneaker", hidden=True)
    for unit in (zombie, rolf):
        with pytest.raises(Refused) as refused:
            calc(game.seen("p1"), "RES + 1", unit)
        assert refused.value.params["why"] == "unknown_name"
        assert calc(game.seen("st"), "RES + 1", unit).value == 7
    with pytest.raises(Refused) as hidden:
        calc(game.seen("p1"), "1", sneaker)
    with pytest.raises(Refused) as nobody:
        calc(game.seen("p1"), "1", "nobody")
    assert hidden.value.code == nobody.value.code == "unknown"


# ----------------------------------------------------------------------------------------------------------- properties
numbers = st.integers(-1000, 1000)
factors = st.fractions(0, 10, max_denominator=12)


@pytest.mark.rule("NUM-05")
@settings(deadline=None)  # a loaded machine may take its time
@given(numbers, st.lists(factors), st.lists(numbers))
def test_an_own_number_is_what_the_rule_says(first: int, multipliers: list[Fraction], additions: list[int]):
    changes = [Change("times", n) for n in multipliers] + [Change("plus", Fraction(n)) for n in additions]
    wanted = Fraction(first)
    stacked = Fraction(0)
    for n in multipliers:
        stacked += (n - 1) * first if n >= 1 else 0
    wanted += stacked
    for n in multipliers:
        wanted *= n if n < 1 else 1
    assert own_number(Fraction(first), changes) == wanted + sum(additions)


@settings(deadline=None)  # a loaded machine may take its time
@given(st.text(alphabet='0123 ()+-*/xX,.÷×with then halved minute"再', max_size=80))
def test_whatever_is_typed_is_worked_out_or_refused(text: str):
    try:
        found: Calculated | Refused = calc(TABLE, text)
    except Refused as refused:
        found = refused
    assert isinstance(found, Calculated) or found.code == "no_number"


@pytest.mark.rule("NUM-01")
@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("1/3", ("1 / 3 = 1/3 → 0",)),
        ("1/4 with x3", ("1 / 4 = 0.25", "0.25 x 3 = 0.75 → 0")),
    ],
)
def test_a_number_is_written_as_it_is_and_not_nearly_so(text: str, steps: tuple[str, ...]):
    assert calc(TABLE, text).steps == steps


@pytest.mark.rule("NUM-02")
def test_a_skill_that_is_given_no_extra_successes_has_none():
    game = Game()
    mira = game.unit("Mira", owner="p1", skills={"Stealth": 3})
    assert calc(game.seen("p1"), "2 + Stealth extra successes", mira).value == 2
