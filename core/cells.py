"""A table as separate cells by name, the form it is stored in: one entity a cell, so a change writes what it touched."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from core.ids import SeatId, UnitId
from core.state import Opened, Play, Seeds, Setting, Table

MAPPINGS = {"u": "units", "b": "budgets", "e": "effects", "p": "pendings", "w": "windows", "r": "readied", "x": "tasks",
            "c": "concentrations"}  # fmt: skip
"""Of play: a cell an entity, named by letter and id."""
ADMIN_MAPPINGS = {"s": "seats", "o": "orders", "q": "requests", "a": "asks", "j": "objections"}


@dataclass(frozen=True, slots=True)
class Facts:
    """The table's single values."""

    name: str
    created: int
    seen: int
    practice: bool
    numbers: int
    notes: str


@dataclass(frozen=True, slots=True)
class Course:
    """Play's single values."""

    stack: tuple[str, ...]
    clock_s: int
    scene: int
    held: bool
    hold_next: bool
    banks: Mapping[str, int]
    prebuff: bool = False
    given: Mapping[str, int] = field(default_factory=dict)
    opened: Mapping[SeatId, Opened] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Books:
    """What only goes forward: owners, roll counters, each seat's last act, the time each was given."""

    owners: Mapping[UnitId, SeatId]
    rolls: Mapping[str, int]
    last_acts: Mapping[SeatId, int]
    paces: Mapping[SeatId, int] = field(default_factory=dict)


def cells(table: Table) -> dict[str, Any]:
    """Every cell by name: "facts", "course", "books", "house", "seeds", "setting", "fight", "<letter>:<id>" an entity."""
    play = table.play
    found: dict[str, Any] = {
        "facts": Facts(**{f.name: getattr(table, f.name) for f in fields(Facts)}),
        "course": Course(**{f.name: getattr(play, f.name) for f in fields(Course)}),
        "books": Books(**{f.name: getattr(table, f.name) for f in fields(Books)}),
        "house": table.house,
        "seeds": table.seeds,
        "setting": play.setting,
    }
    if play.fight is not None:
        found["fight"] = play.fight
    for letter, name in MAPPINGS.items():
        found.update({f"{letter}:{id}": entity for id, entity in getattr(play, name).items()})
    for letter, name in ADMIN_MAPPINGS.items():
        found.update({f"{letter}:{id}": entity for id, entity in getattr(table, name).items()})
    return found


def changed(before: Table, after: Table) -> tuple[dict[str, Any], list[str]]:
    """(cells to set, names of cells that are gone)."""
    old, new = cells(before), cells(after)
    put = {name: cell for name, cell in new.items() if name not in old or (old[name] is not cell and old[name] != cell)}
    return put, [name for name in old if name not in new]


def table_from(found: Mapping[str, Any]) -> Table:
    """The table these cells are of."""
    facts, course, books = found["facts"], found["course"], found["books"]

    def those(letter: str) -> dict[Any, Any]:
        return {name[2:]: cell for name, cell in found.items() if name.startswith(letter + ":")}

    play_parts: dict[str, Any] = {name: those(letter) for letter, name in MAPPINGS.items()}
    play_parts |= {f.name: getattr(course, f.name) for f in fields(Course)}
    play = Play(**play_parts, fight=found.get("fight"), setting=found.get("setting", Setting()))
    parts: dict[str, Any] = {name: those(letter) for letter, name in ADMIN_MAPPINGS.items()}
    parts |= {f.name: getattr(cell, f.name) for cell in (facts, books) for f in fields(cell)}
    # A table of before its rolls could be proven has no such cell.
    return Table(play=play, house=found["house"], seeds=found.get("seeds", Seeds()), **parts)
