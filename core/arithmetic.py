"""Arithmetic as the rules text has it (NUM-01, NUM-03 to NUM-06). Exact fractions; a value is rounded when it is finished.

Own numbers are those of a unit, anybody's. A price or a distance is not one, and is calculated as anywhere else.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Mixed = Literal["stacked", "ordinary"]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that multiplies a value by `n`, or adds `n` to it. Below 1 a multiplier is a division."""

    how: Literal["times", "plus"]
    n: Fraction


@dataclass(frozen=True, slots=True)
class Sorted:
    """The changes of an own number in their order: multipliers added up, factors multiplied, and additions last."""

    added_up: tuple[Fraction, ...]
    multiplied: tuple[Fraction, ...]
    additions: tuple[Fraction, ...]


def finished(value: Fraction) -> int:
    """Fractions are dropped, towards zero (NUM-01)."""
    return math.trunc(value)


def own_number(value: Fraction, changes: Sequence[Change], mixed: Mixed = "stacked") -> Fraction:
    """Each multiplier adds (m - 1) times the value; then divisions; additions last (NUM-03, NUM-05)."""
    by = sort(changes, mixed)
    factor = 1 + sum(m - 1 for m in by.added_up)
    return value * factor * math.prod(by.multiplied) + sum(by.additions)


def sort(changes: Sequence[Change], mixed: Mixed) -> Sorted:
    """With house rule mixed_multipliers "ordinary", multipliers that stand beside a division are multiplied as it is."""
    factors = [change.n for change in changes if change.how == "times"]
    divisions = [n for n in factors if n < 1]
    added_up = [] if divisions and mixed == "ordinary" else [n for n in factors if n >= 1]
    multiplied = divisions if added_up else factors
    return Sorted(tuple(added_up), tuple(multiplied), tuple(c.n for c in changes if c.how == "plus"))


def other_number(value: Fraction, changes: Iterable[Change]) -> Fraction:
    """Money, distance and the like: ordinary arithmetic, one change after the other (NUM-06)."""
    for change in changes:
        value = value * change.n if change.how == "times" else value + change.n
    return value
