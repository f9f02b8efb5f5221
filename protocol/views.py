"""The state by path, read as things with attributes: `table.units["Aki"].hp`. Live, and for reading only."""

from collections.abc import Iterator, Mapping
from typing import Any


class View:
    """One thing of the table. Attributes are looked up in the state at that moment; a view equals its id."""

    __slots__ = ("_area", "_state", "id")

    def __init__(self, state: Mapping[str, Any], area: str, id: str) -> None:
        self._state = state
        self._area = area
        self.id = id

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self.get(name, _NOTHING)
        if found is _NOTHING:
            known = ", ".join(sorted(self.values())) or "nothing; it is gone"
            raise AttributeError(f"{self.id} has no {name} that you can see; it has {known}")
        return found

    def get(self, name: str, default: Any = None) -> Any:
        """A value, or the default where it is not there or not for these eyes."""
        found = self._state.get(f"{self._area}/{self.id}/{name}", _NOTHING)
        if found is not _NOTHING:
            return found
        whole = self._state.get(f"{self._area}/{self.id}")
        return whole.get(name, default) if isinstance(whole, Mapping) else default

    def values(self) -> dict[str, Any]:
        """Everything that is known of it now."""
        whole = self._state.get(f"{self._area}/{self.id}")
        start = f"{self._area}/{self.id}/"
        parts = {path[len(start) :]: value for path, value in self._state.items() if path.startswith(start)}
        return {**whole, **parts} if isinstance(whole, Mapping) else parts

    @property
    def exists(self) -> bool:
        """Whether the state still holds anything of it."""
        return bool(self.values())

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, View) else self.id == other

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        name = self.get("name")
        return f"<{self.id} {name}>" if name else f"<{self.id}>"

    def __str__(self) -> str:
        return str(self.get("name") or self.id)


_NOTHING = object()


class Views(Mapping[str, View]):
    """All things of one area by id; units by their name too."""

    def __init__(self, state: Mapping[str, Any], area: str) -> None:
        self._state = state
        self._area = area

    def __getitem__(self, key: object) -> View:
        wanted = key.id if isinstance(key, View) else key
        if wanted and (f"{self._area}/{wanted}/name" in self._state or f"{self._area}/{wanted}" in self._state):
            return View(self._state, self._area, str(wanted))
        by_name = None
        for id in self:
            if id == wanted:
                return View(self._state, self._area, id)
            if by_name is None and self._state.get(f"{self._area}/{id}/name") == wanted:
                by_name = id
        if by_name is None:
            raise KeyError(wanted)
        return View(self._state, self._area, by_name)

    def __iter__(self) -> Iterator[str]:
        start = self._area + "/"
        return iter(dict.fromkeys(path.split("/", 2)[1] for path in self._state if path.startswith(start)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, key: object) -> bool:
        try:
            self[key]
        except KeyError:
            return False
        return True

    def __repr__(self) -> str:
        return f"<{', '.join(repr(one) for one in self.values())}>"


def plain(value: Any) -> Any:
    """A command's field with views, and names from the log, replaced by their ids."""
    if isinstance(value, View):
        return value.id
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return value[0]
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {plain(key): plain(one) for key, one in value.items()}
    return value
