"""What is shown of a unit, face by face: what all see of it, its tracks, its sheet, what the ST alone knows.

A face is made of what stands in `Shown`, and of nothing else. So a unit of which that has not changed looks as it did, and
need not be looked at; and a face is made once for all who see the same of it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from typing import Any

from core.ability import LIFELESS
from core.concentration import due
from core.draft import owner
from core.ids import ST, SeatId, UnitId
from core.state import Budget, Concentration, Table, Unit

Face = list[tuple[str, Any]]
"""(path, value)."""

NAMELESS: Mapping[str, Any] = {
    "name": "???",
    "side": "",
    "owner": ST,
    "position": "",
    "conditions": [],
    "spent": [],
    "concentrating": False,
    "readied": False,
}
"""The face of every hidden unit where the house rule hidden_shown says so: the same for all, whatever they are and do."""


@dataclass(frozen=True, slots=True)
class Shown:
    """All that the faces of a unit are made of. `due`: it has not been said yet whether it sustains what it holds."""

    unit: Unit
    owner: SeatId
    budget: Budget | None
    held: Concentration | None
    due: bool
    readied: bool


class Faces:
    """The faces of a table's units. Each is made when it is first asked for."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._made: dict[tuple[UnitId, str], Face] = {}

    @cached_property
    def shown(self) -> dict[UnitId, Shown]:
        table, play = self.table, self.table.play
        readied = {one.unit for one in play.readied.values() if one.state == "armed"}
        return {
            id: Shown(
                unit,
                owner(table, id),
                budget_of(table, unit),
                play.concentrations.get(id),
                due(table, id),
                id in readied,
            )
            for id, unit in play.units.items()
        }

    @cached_property
    def _sides(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for one in self.shown.values():
            found.setdefault(one.owner, set()).add(one.unit.side)
        return found

    def sides_of(self, audience: str) -> Set[str]:
        """The sides on which it has units."""
        return self._sides.get(audience, frozenset())

    def of(self, id: UnitId, audience: str) -> Iterator[Face]:
        """To an audience that sees the unit."""
        mine = audience in (ST, self.shown[id].owner)
        yield self._face(id, "public")
        yield self._face(id, self.tracks(id, audience))
        if mine:
            yield self._face(id, "own")
        if audience == ST:
            yield self._face(id, "st")

    def tracks(self, id: UnitId, audience: str) -> str:
        """As the ST chose (house rule hp_shown): own side in "numbers", all, "words", or "nothing" at all."""
        one, policy = self.shown[id], self.table.house.hp_shown
        if audience in (ST, one.owner) or policy == "all":
            return "numbers"
        if policy == "own_side" and one.unit.side in self.sides_of(audience):
            return "numbers"
        return "nothing" if policy == "none" else "words"

    def nameless(self, id: UnitId) -> Face:
        """To an audience that may know only that somebody is there."""
        return self._face(id, "nameless")

    def _face(self, id: UnitId, name: str) -> Face:
        if (id, name) not in self._made:
            path = f"u/{id}/"
            self._made[id, name] = [(path + field, value) for field, value in FACES[name](self.shown[id])]
        return self._made[id, name]


def budget_of(table: Table, unit: Unit) -> Budget | None:
    """What it may still do. Who has left the fight shows none: it may be kept only to count what is secret (TIME-04)."""
    fight = table.play.fight
    return None if fight is not None and unit.id in fight.ghosts else table.play.budgets.get(unit.id)


# ------------------------------------------------------------------------------------------------------------ the faces
def public_face(one: Shown) -> Iterator[tuple[str, Any]]:
    """What everybody sees who sees the unit."""
    unit = one.unit
    yield "name", unit.name
    yield "side", unit.side
    yield "owner", one.owner
    yield "position", unit.position
    yield "conditions", sorted(word for word, secret in unit.conditions.items() if not secret)
    yield "spent", sorted(one.budget.spent) if one.budget else []
    yield "concentrating", one.held is not None
    yield "readied", one.readied


def tracks_in_numbers(one: Shown) -> Iterator[tuple[str, Any]]:
    for name, track in one.unit.tracks.items():
        yield name, track.value
        yield f"{name}_max", track.max


def tracks_in_words(one: Shown) -> Iterator[tuple[str, Any]]:
    """Only hp has words."""
    if (hp := one.unit.tracks.get("hp")) is not None:
        yield "hp", in_words(hp.value, hp.max, any(not one.unit.conditions.get(word, True) for word in LIFELESS))


def in_words(value: int, most: int | None, out: bool) -> str:
    """A word of the texts. `out`: whatever its value is."""
    if out or value <= 0:
        return "out"
    if most is None or value >= most:
        return "unhurt"
    return "hurt" if 2 * value > most else "badly_hurt"


def own_face(one: Shown) -> Iterator[tuple[str, Any]]:
    """The sheet, and what is left of the round: owner and ST."""
    unit, budget = one.unit, one.budget
    for name in ("base", "dodge", "parry", "speed", "initiative", "initiative_bonus"):
        yield name, getattr(unit, name)
    for name in ("takes_away", "absorbs"):
        if value := getattr(unit, name):
            yield name, value
    for name in ("attributes", "skills", "extras", "bonus"):
        yield name, dict(sorted(getattr(unit, name).items()))
    yield "abilities", {name: plain(ability) for name, ability in sorted(unit.abilities.items())}
    yield "on_stage", unit.on_stage
    yield "hidden", unit.hidden
    if budget is not None:
        yield "left", dict(sorted(budget.left.items()))
        yield "round", budget.round
        yield "immediates", budget.immediates
        yield "guard", budget.guard
        for name in ("gained", "legendary", "base_less", "all_out"):
            if value := getattr(budget, name):
                yield name, value
        if budget.announced > 1:
            yield "announced", budget.announced
        yield "debts", list(budget.debts)
    if one.held is not None:
        yield "concentration", {"ability": one.held.ability, "cost": one.held.cost, "due": one.due}


def st_face(one: Shown) -> Iterator[tuple[str, Any]]:
    """What the ST alone knows."""
    yield "number", one.unit.number
    yield "notes", one.unit.notes
    yield "secret", sorted(word for word, secret in one.unit.conditions.items() if secret)


FACES: dict[str, Callable[[Shown], Iterable[tuple[str, Any]]]] = {
    "public": public_face,
    "numbers": tracks_in_numbers,
    "words": tracks_in_words,
    "nothing": lambda _: (),
    "own": own_face,
    "st": st_face,
    "nameless": lambda _: NAMELESS.items(),
}


@lru_cache(maxsize=4096)
def plain(value: Any) -> dict[str, Any]:
    """A small value as a map, without what stands at its default. Kept: sheets are long and hardly ever change.

    Nobody changes what he gets: every view of the same value has the same map.
    """
    default = {f.name: f.default for f in fields(value)}
    return {name: _listed(v) for name, v in asdict(value).items() if _listed(v) != _listed(default.get(name))}


def _listed(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_listed(v) for v in value]
    return {k: _listed(v) for k, v in value.items()} if isinstance(value, dict) else value
