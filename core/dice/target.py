"""Dice against a target number: 1s take successes away, and a roll can be botched (STY-04, STY-06)."""

from collections.abc import Iterator
from itertools import islice

from core.dice.pool import Throw, with_extras
from core.dice.proof import MOST_DICE, NO_AGAIN

LOWEST, HIGHEST = 2, 10


def held(number: int) -> int:
    """A target number stays between 2 and 10: a 1 is never a success, a 10 always is."""
    return min(HIGHEST, max(LOWEST, number))


def throw_against(faces: Iterator[int], size: int, target_number: int, *, extra: int = 0) -> Throw:
    """Roll `size` dice, no die twice. A face at or above the target number is a success, each 1 takes one away, to no less
    than 0; without any such face a 1 is a botch. `extra` counts on what is left. No dice: no success, and no botch.
    """
    number = held(target_number)
    shown = tuple(islice(faces, max(0, min(size, MOST_DICE))))
    hits, ones = sum(face >= number for face in shown), shown.count(1)
    left = max(0, hits - ones)
    return Throw(
        shown,
        chance=False,
        rolled=left,
        extra=extra,
        successes=with_extras(left, extra),
        dramatic=False,
        again=NO_AGAIN,
        target_number=number,
        ones=ones,
        botch=hits == 0 and ones > 0,
    )
