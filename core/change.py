"""What one command has done to a table; and what comes of that for all audiences alike, worked out once for all of them."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from core import events as ev
from core.commands import By
from core.events import Event
from core.faces import Faces
from core.ids import UnitId
from core.state import Table


@dataclass(frozen=True)
class Change:
    """The table before and after it, what happened, by whom, when (ms)."""

    before: Table
    after: Table
    events: Sequence[Event]
    by: By
    at: int

    @cached_property
    def faces(self) -> tuple[Faces, Faces]:
        """Of the units before it and after it."""
        return Faces(self.before), Faces(self.after)

    @cached_property
    def masked(self) -> frozenset[str]:
        """Pendings whose hidden actor is noticed but not known."""
        new = [e.pending for e in self.events if isinstance(e, ev.ActionDeclared)]
        return frozenset(p.id for p in [*self.before.play.pendings.values(), *new] if p.noticed)

    def untouched(self, audience: str) -> Set[UnitId]:
        """Units that an audience sees as it saw them: all that is shown of them is made of the same, by the same rules."""
        before, after = self.faces
        ruled_alike = self.before.house == self.after.house
        return self._unchanged if ruled_alike and before.sides_of(audience) == after.sides_of(audience) else frozenset()

    @cached_property
    def _unchanged(self) -> Set[UnitId]:
        before, after = (one.shown for one in self.faces)
        return {id for id, shown in before.items() if after.get(id) == shown}
