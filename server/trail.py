"""What this node has itself seen kept of one table: what is missing, should the store come back with less."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

LENGTH = 2000
"""Versions that are remembered: 200 bytes each."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One version that stood in the store. `n`: the STs' position then."""

    version: int
    head: str
    n: int

    @property
    def command(self) -> str:
        """The id of the command that made it."""
        return self.head.partition(":")[2]


class Trail:
    """The last versions, oldest first."""

    def __init__(self) -> None:
        self._seen: deque[Seen] = deque(maxlen=LENGTH)

    def note(self, version: int, head: str, n: int) -> None:
        self._seen.append(Seen(version, head, n))

    def copy(self) -> "Trail":
        other = Trail()
        other._seen.extend(self._seen)
        return other

    @property
    def first(self) -> int:
        """The oldest version that is remembered."""
        return self._seen[0].version

    def withdrawn(self, heads: Mapping[int, str]) -> list[Seen]:
        """What no longer stands, by the heads of the store's own log; it is forgotten with this."""
        common = max((one.version for one in self._seen if heads.get(one.version) == one.head), default=self.first - 1)
        gone = [one for one in self._seen if one.version > common and heads.get(one.version) != one.head]
        self._seen = deque((one for one in self._seen if one.version <= common), maxlen=LENGTH)
        return gone
