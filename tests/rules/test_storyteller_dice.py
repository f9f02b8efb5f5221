"""Dice against a target number: how they are judged, and how evenly they fall (STY-04, STY-06, DICE-07)."""

from collections import Counter
from itertools import product
from math import prod
from typing import Any

import pytest

from core.dice.proof import SIDES, Origin
from core.dice.source import KeyedDice
from core.dice.target import held, throw_against

MILLION = 1_000_000
CRITICAL = {3: 16.27, 4: 18.47, 9: 27.88}
"""Chi-square by degrees of freedom: more than this by chance once in a thousand. The key here is fixed."""


def judged(faces: list[int], target_number: int, extra: int = 0) -> tuple[int, int, bool]:
    """Successes, 1s, botch."""
    thrown = throw_against(iter(faces), len(faces), target_number, extra=extra)
    return thrown.successes, thrown.ones, thrown.botch


# -------------------------------------------------------------------------------------------------------------- judging
@pytest.mark.rule("STY-04")
def test_a_face_at_or_above_the_target_number_is_a_success():
    assert judged([6, 7, 8, 10], 7) == (3, 0, False)


@pytest.mark.rule("STY-04")
def test_each_1_takes_a_success_away_but_never_below_0():
    assert judged([7, 9, 10, 1], 7) == (2, 1, False)
    assert judged([7, 1, 1, 1], 7) == (0, 3, False)


@pytest.mark.rule("STY-04")
@pytest.mark.parametrize(("said", "number"), [(-3, 2), (0, 2), (1, 2), (2, 2), (7, 7), (10, 10), (11, 10), (25, 10)])
def test_target_numbers_are_held_between_2_and_10(said: int, number: int):
    assert held(said) == number
    assert throw_against(iter([5]), 1, said).target_number == number


@pytest.mark.rule("STY-04")
def test_held_so_a_1_is_never_a_success_and_a_10_always_is():
    assert judged([1, 2], 0) == (0, 1, False)
    assert judged([9, 10], 12) == (1, 0, False)


@pytest.mark.rule("STY-04")
def test_no_die_is_rolled_on():
    assert throw_against(iter([10, 10, 10, 10]), 2, 7).faces == (10, 10)


@pytest.mark.rule("STY-04")
def test_extra_successes_count_on_what_the_1s_have_left():
    assert judged([8, 8, 1], 7, extra=2) == (3, 1, False)
    assert judged([8, 1], 7, extra=2) == (0, 1, False)


@pytest.mark.rule("STY-06")
@pytest.mark.parametrize(
    ("faces", "botch"), [([1, 3, 5], True), ([1], True), ([3, 5], False), ([7, 1, 1], False), ([], False)]
)
def test_a_botch_is_a_roll_without_a_success_and_with_a_1(faces: list[int], botch: bool):
    assert judged(faces, 7) == (0, faces.count(1), botch)


@pytest.mark.rule("STY-06")
def test_a_roll_of_no_dice_is_neither_a_success_nor_a_botch():
    thrown = throw_against(iter([1, 1]), -2, 7)
    assert (thrown.faces, thrown.successes, thrown.botch, thrown.chance) == ((), 0, False, False)


# --------------------------------------------------------------------------------------------------------- distribution
def chances(dice: int, target_number: int) -> dict[int | str, float]:
    """Of each outcome of so many dice, by counting out what each die can be."""
    one = {"hit": (SIDES + 1 - target_number) / SIDES, "one": 1 / SIDES}
    one["none"] = 1 - sum(one.values())
    found: Counter[int | str] = Counter()
    for shown in product(one, repeat=dice):
        hits, ones = shown.count("hit"), shown.count("one")
        found["botch" if ones and not hits else max(0, hits - ones)] += prod(one[face] for face in shown)  # type: ignore[assignment]
    return {outcome: chance for outcome, chance in found.items() if chance > 1e-9}


@pytest.mark.rule("STY-04")
@pytest.mark.rule("DICE-07")
@pytest.mark.parametrize("target_number", [2, 7, 10])
def test_a_million_faces_are_even_and_bring_as_much_as_chance_says(target_number: int):
    """Of pools of three: all faces, and how often each number of successes and a botch come of them."""
    dice = KeyedDice(b"a key for target numbers")
    faces: Counter[int] = Counter()
    outcomes: Counter[int | str] = Counter()
    number = 0
    while faces.total() < MILLION:
        number += 1
        thrown = throw_against(dice.faces(Origin(target_number, "open", number)), 3, target_number)
        faces.update(thrown.faces)
        outcomes["botch" if thrown.botch else thrown.successes] += 1
    assert chi_square(faces, dict.fromkeys(range(1, SIDES + 1), faces.total() / SIDES)) < CRITICAL[9]
    expected = {outcome: chance * number for outcome, chance in chances(3, target_number).items()}
    assert sum(expected.values()) == pytest.approx(number)
    assert chi_square(outcomes, expected) < CRITICAL[len(expected) - 1]


def chi_square(counts: Counter[Any], expected: dict[Any, float]) -> float:
    assert set(counts) <= set(expected)
    return sum((counts[key] - n) ** 2 / n for key, n in expected.items())
