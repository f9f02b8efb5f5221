"""The names of things: typed ids, and how new ones are made.

An id is a keyed hash of the command that made the thing, so it is opaque, counts nothing, and is the same when the same
command is decided again on another node or after a conflict.
"""

import base64
import hashlib
from typing import NewType

SeatId = NewType("SeatId", str)
UnitId = NewType("UnitId", str)
PendingId = NewType("PendingId", str)
WindowId = NewType("WindowId", str)
ReadiedId = NewType("ReadiedId", str)
EffectId = NewType("EffectId", str)
RequestId = NewType("RequestId", str)
TaskId = NewType("TaskId", str)
KeyId = NewType("KeyId", str)

ST = SeatId("st")
"""All Storytellers of a table together: the seat that runs every unit nobody owns, and their one audience."""

ALL = SeatId("all")
"""All spectators of a table together: their one audience."""

OPERATOR = SeatId("operator")
"""Whoever runs the server, at its command line. He has no seat; what he does is done as an ST would."""


class Ids:
    """The ids one command may make, in order: the k-th is a hash of (table's key, command id, k).

    48 bits, 8 letters: short enough for a path in a frame, long enough never to meet itself at one table.
    """

    def __init__(self, key: bytes, command: str) -> None:
        self._key = key
        self._command = command
        self._k = 0

    def new(self) -> str:
        self._k += 1
        name = f"{self._command}/{self._k}".encode()
        digest = hashlib.blake2b(name, key=self._key[:64], digest_size=6).digest()
        return base64.urlsafe_b64encode(digest).decode()
