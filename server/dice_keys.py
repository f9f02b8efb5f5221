"""Which of a table's secret keys its dice come from. It has one; where the store has lost something it gets another, since
what was rolled and then lost must not fall again (DICE-07).

The key of a seed is the one that fits what was sealed. So a key that was put beside the old one counts from the very change
that seals a seed of it, on every node, and never if that change was not kept.
"""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from core.dice.source import Dice, KeyedDice
from core.state import Seeds
from server.store.problems import StoreError

if TYPE_CHECKING:
    from server.room import Room

NAME = "dice"


def chosen(keys: Mapping[str, bytes], seeds: Seeds) -> Dice:
    """The dice of a table, from the secrets that the store has of it."""
    several = [KeyedDice(key) for name, key in keys.items() if name.partition("/")[0] == NAME]
    return next((dice for dice in several if fits(dice, seeds)), KeyedDice(keys[NAME]))


def fits(dice: Dice, seeds: Seeds) -> bool:
    """Whether a seed was sealed by these dice. One of before seeds were sealed fits any."""
    return not seeds.open or dice.commitments(seeds.number) == (seeds.open, seeds.secret)


async def follow(room: "Room") -> None:
    """Takes another key where the table has sealed a seed of it. Hold the room's lock."""
    if not fits(room.dice, room.table.seeds):
        room.dice = chosen(await room.store.keys(room.id), room.table.seeds)


class Another:
    """A new key: put beside the old one, then sealed or not, then alone."""

    def __init__(self, room: "Room") -> None:
        self._room = room
        self._key = secrets.token_bytes(32)
        self._name = f"{NAME}/{secrets.token_hex(8)}"
        self.dice = KeyedDice(self._key)

    async def put(self) -> None:
        await self._room.store.put_key(self._room.id, self._name, self._key)

    async def settle(self, *, sealed: bool) -> None:
        """What cannot be told to the store now does no harm: a key that fits nothing is never used."""
        with suppress(StoreError):
            await self._room.store.settle_key(self._room.id, self._name, {NAME: self._key} if sealed else {})
