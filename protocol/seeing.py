"""What one can see of a table, by name: the state's paths read as units, windows, order and stack. All of it live."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from protocol.views import View, Views


class Seeing(ABC):
    """The eyes of a seat. Only what it may see is there; an area that it may not see at all is empty."""

    @property
    @abstractmethod
    def state(self) -> Mapping[str, Any]:
        """All that this seat may see, by path. Live; not to be changed."""

    @property
    def units(self) -> Views:
        """Units by id or name."""
        return Views(self.state, "u")

    @property
    def windows(self) -> Views:
        """Open windows by id."""
        return Views(self.state, "w")

    @property
    def readied(self) -> Views:
        """Readied actions by id."""
        return Views(self.state, "r")

    @property
    def effects(self) -> Views:
        """What lasts, by id."""
        return Views(self.state, "e")

    @property
    def requests(self) -> Views:
        """What players have asked of the Storyteller, by id."""
        return Views(self.state, "q")

    @property
    def rolls_asked(self) -> Views:
        """Rolls that the Storyteller waits for, by id."""
        return Views(self.state, "a")

    @property
    def tasks(self) -> Views:
        """Extended actions, by id or by name."""
        return Views(self.state, "x")

    @property
    def order(self) -> tuple[View, ...]:
        """The units of the initiative order."""
        return tuple(View(self.state, "u", one) for one in self.state.get("t/order", ()))

    @property
    def stack(self) -> tuple[View, ...]:
        """What has been declared and waits, the last on top."""
        return tuple(View(self.state, "k", one) for one in self.state.get("t/stack", ()))

    @property
    def active(self) -> View | None:
        """The unit whose action it is."""
        unit = self.state.get("t/active")
        return None if unit is None else View(self.state, "u", unit)

    @property
    def seats(self) -> dict[str, str]:
        """The name of every seat that can be seen, by its id."""
        return {one.id: str(one.get("name", "")) for one in Views(self.state, "s").values()}
