"""Where the faces of dice come from. A roll is (stream, counter): the same pair always shows the same faces.

So no crash, conflict or resend re-rolls anything: a decision that was not committed has rolled nothing (DICE-07).
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Protocol

SIDES = 10


class Dice(Protocol):
    """A source of faces 1 to 10."""

    def faces(self, stream: str, counter: int) -> Iterator[int]:
        """The endless faces of one roll, from its first die on."""


class KeyedDice:
    """Faces from a secret seed: HMAC-SHA256(seed, stream/counter/block), bytes above 249 thrown away (no modulo bias)."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def faces(self, stream: str, counter: int) -> Iterator[int]:
        block = 0
        while True:
            name = f"{stream}/{counter}/{block}".encode()
            for byte in hmac.new(self._seed, name, hashlib.sha256).digest():
                if byte < 250:
                    yield byte % SIDES + 1
            block += 1


class ScriptedDice:
    """Faces told in advance, for tests of rules: every roll takes the next ones, whatever its stream."""

    def __init__(self, faces: Sequence[int] = ()) -> None:
        self.left = list(faces)

    def faces(self, stream: str, counter: int) -> Iterator[int]:
        while True:
            if not self.left:
                raise AssertionError(f"the script has no face left for {stream}/{counter}")
            yield self.left.pop(0)
