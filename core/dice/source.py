"""Where the faces of dice come from. A roll is a place in a stream of a seed: the same place always shows the same faces.

So no crash, conflict or resend re-rolls anything: a decision that was not committed has rolled nothing. How anybody checks
a face afterwards stands in proof.py (DICE-07).
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Protocol

from core.dice.proof import Origin, Pair, commitment, faces_of


class Dice(Protocol):
    """A source of faces 1 to 10, and of the seeds behind them. Only `seeds` tells a seed, at its reveal and never before."""

    def faces(self, origin: Origin) -> Iterator[int]:
        """The endless faces of one roll, from its first die on."""

    def commitments(self, number: int) -> Pair:
        """What is published before the first roll from seed `number`."""

    def seeds(self, number: int) -> Pair:
        """What is published after the last roll from it. Nothing may be rolled from it any more."""


class KeyedDice:
    """Every seed of a table from its one secret key: whoever is told some of them can tell no other, nor the key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def faces(self, origin: Origin) -> Iterator[int]:
        return faces_of(self._seed(origin.seed, "secret" if origin.secret else "open"), origin)

    def commitments(self, number: int) -> Pair:
        return Pair(commitment(self._seed(number, "open")), commitment(self._seed(number, "secret")))

    def seeds(self, number: int) -> Pair:
        return Pair(self._seed(number, "open").hex(), self._seed(number, "secret").hex())

    def _seed(self, number: int, kind: str) -> bytes:
        return hmac.new(self._key, f"seed/{number}/{kind}".encode(), hashlib.sha256).digest()


class ScriptedDice(KeyedDice):
    """Faces told in advance, for tests of rules: every roll takes the next ones, whatever its place."""

    def __init__(self, faces: Sequence[int] = ()) -> None:
        super().__init__(b"scripted")
        self.left = list(faces)

    def faces(self, origin: Origin) -> Iterator[int]:
        while True:
            if not self.left:
                raise AssertionError(f"the script has no face left for {origin}")
            yield self.left.pop(0)
