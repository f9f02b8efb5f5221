"""A pool of d10s: how many dice, what they show, how many successes (DICE-01 to DICE-06)."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.dice.proof import MOST_DICE

SUCCESS = 8
BEST_AGAIN = 8


@dataclass(frozen=True, slots=True)
class Throw:
    """What the dice showed. `rolled`: real successes; `extra`: what counts on top; `successes`: both (DICE-03, DICE-06).

    `again`: the face from which on a die was rolled again. `target_number`, `ones`, `botch`: of dice thrown against a target
    number (target.py); else None, 0, no.
    """

    faces: tuple[int, ...]
    chance: bool
    rolled: int
    extra: int
    successes: int
    dramatic: bool
    again: int = 10
    target_number: int | None = None
    ones: int = 0
    botch: bool = False


def again_level(base: int, betterings: int = 0) -> int:
    """10-, 9- or 8-again; abilities better it one step each, never beyond 8 (DICE-02)."""
    return max(BEST_AGAIN, base - betterings)


def attribute_extras(value: int) -> int:
    """Extra successes of an Attribute: 1 at 6, another for each 5 above (DICE-04)."""
    return 0 if value < 6 else 1 + (value - 6) // 5


def with_extras(rolled: int, extra: int) -> int:
    """Extra successes count only on top of real ones (DICE-03)."""
    return rolled + extra if rolled > 0 else 0


def meets(successes: int, dc: int) -> bool:
    """The DC is met or beaten; without a success nothing is, whatever the DC (DICE-03, TASK-01)."""
    return successes > 0 and successes >= dc


def throw(
    faces: Iterator[int],
    size: int,
    *,
    again: int = 10,
    extra: int = 0,
    helps_chance: bool = False,
    chance_again: str = "ten_only",
) -> Throw:
    """Roll `size` dice; at 0 or less one chance die (DICE-06). `extra` stays out of a chance die unless it helps."""
    chance = size <= 0
    shown: list[int] = []
    waiting = 1 if chance else size
    rolled = 0
    dramatic = False
    while waiting and len(shown) < MOST_DICE:
        face = next(faces)
        waiting -= 1
        if chance and face == 1 and rolled == 0:
            dramatic = True
        first_of_chance = chance and (chance_again == "ten_only" or not shown)
        if face == 10 or (face >= SUCCESS and not first_of_chance):
            rolled += 1
        if face >= again:
            waiting += 1
        shown.append(face)
    counted = extra if (not chance or helps_chance) else 0
    return Throw(tuple(shown), chance, rolled, counted, with_extras(rolled, counted), dramatic, again)
