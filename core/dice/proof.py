"""How a roll is proven: from a seed sealed before it and opened after it, anybody gets its faces again (DICE-07).

    commitment   SHA-256(seed), published before the first roll
    block k      HMAC-SHA256(seed, "STREAM/COUNTER/k/MIXED"); k = 0, 1, 2, ...
    faces        of its bytes in their order, 250 to 255 left out: byte % 10 + 1

STREAM is "open", or a secret one ("st", "seat:ID"), which has a seed of its own. COUNTER counts the rolls of the stream.
MIXED is what seats have mixed in, as JSON without spaces, by seat: [["SEAT","TEXT"],...]; [] when nobody has.
"""

import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

SIDES = 10
NO_AGAIN = SIDES + 1
"""The again level of dice that never roll on."""
MOST_DICE = 500
"""Against a roll that would not end; far above any pool of the game."""


class Pair(NamedTuple):
    """Of the open rolls, and of the secret ones; or what is published of either. In hex."""

    open: str
    secret: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a roll's faces come from: the seed by its number, the place in it, and what seats have mixed in."""

    seed: int
    stream: str
    counter: int
    mixed: tuple[tuple[str, str], ...] = ()

    @property
    def secret(self) -> bool:
        return self.stream != "open"


def commitment(seed: bytes) -> str:
    """Binds to a seed and tells nothing of it: it has 256 random bits."""
    return hashlib.sha256(seed).hexdigest()


def faces_of(seed: bytes, origin: Origin) -> Iterator[int]:
    """The endless faces of one roll. No modulo bias: 250 bytes fall evenly on ten faces, the others are left out."""
    mixed = json.dumps([list(one) for one in origin.mixed], separators=(",", ":"), ensure_ascii=False)
    block = 0
    while True:
        name = f"{origin.stream}/{origin.counter}/{block}/{mixed}".encode()
        for byte in hmac.new(seed, name, hashlib.sha256).digest():
            if byte < 250:
                yield byte % SIDES + 1
        block += 1


def shown(seed: bytes, origin: Origin, size: int, again: int) -> tuple[int, ...]:
    """All the faces of a roll of `size` dice, each from `again` on rolling one more."""
    faces = faces_of(seed, origin)
    found: list[int] = []
    waiting = size
    while waiting and len(found) < MOST_DICE:
        found.append(next(faces))
        waiting += (found[-1] >= again) - 1
    return tuple(found)
