"""Going back: which version a position of the ST's stream was, and the play of that version, from the log alone.

So it works after a restart and on any node. Positions on the wire are n of the ST's own stream; no client knows versions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.ids import ST
from core.refusals import Refused
from core.state import Play
from server import cells, history
from server.position import Position
from server.store.redis import RedisStore
from server.store.values import Entry

Reached = Callable[[Entry], bool]

AT_ONCE = 256
"""Entries read in one go; a usual rewind needs one go."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a table was at a version. `n`: where each audience stood, as it is told (history.place_of)."""

    version: int
    play: Play
    n: Mapping[str, int]


async def at_position(store: RedisStore, now: Position, n: int) -> Past:
    """The last version at which the ST's stream stood at `n`. Raises Refused(history_short)."""

    def reached(entry: Entry) -> bool:
        return history.places(entry).get(ST, 0) <= n

    if n >= now.places[ST].n:
        return Past(now.version, now.table.play, {name: place.n for name, place in now.places.items()})
    return await _back(store, now, reached)


async def at_version(store: RedisStore, now: Position, version: int) -> Past:
    """A version by its number. Raises Refused(history_short)."""
    return await _back(store, now, lambda entry: entry.version <= version)


async def _back(store: RedisStore, now: Position, reached: Reached) -> Past:
    newest_first: list[Entry] = []
    up_to = now.version
    while up_to > 0:
        after = max(0, up_to - AT_ONCE)
        found = await store.entries(now.id, after, up_to)
        for entry in reversed(found):
            if reached(entry):
                later = newest_first[::-1]
                undone = history.undone(now.table, later)
                return Past(entry.version, cells.table_of(undone).play, _places([entry, *later]))
            if history.begins(entry, ST):
                raise Refused("history_short")  # before this the ST's numbers meant something else
            newest_first.append(entry)
        if len(found) < up_to - after:
            break
        up_to = after
    raise Refused("history_short")


def _places(entries: Sequence[Entry]) -> dict[str, int]:
    """Of all audiences there were after the first of these."""
    stood = [history.places(entry) for entry in entries]
    return {name: history.place_of((n.get(ST, 0), n.get(name, 0)) for n in stood) for name in stood[0]}
