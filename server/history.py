"""The log: what an entry says, and the way back from it. An entry is whole: from it another node makes the next table,
and from the former values in it any node makes the one before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.cells import cells as cells_of
from core.commands import By
from core.events import Event, HistoryLost, all_events
from core.state import Table
from server import cells
from server.store.values import Entry

LOST = "continuity was lost"
"""The reason in an entry that gives audiences new epochs because the store has lost something."""


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of the log, in words: who did what, when, why, what stood there before, where each audience is after it."""

    by: By | None  # None: the clock
    at: int  # ms, the time it was decided at
    reason: str
    events: tuple[Event, ...]
    former: Mapping[str, bytes | None]  # of each changed cell; None: there was none
    n: Mapping[str, int]  # audience -> its n after this
    epochs: Mapping[str, str] = field(default_factory=dict)  # audiences that begin anew with this
    rewound: bool = False


def write(record: Record) -> bytes:
    by = record.by
    return cells.packed(
        {
            "by": None if by is None else [by.seat, by.role, by.st],
            "at": record.at,
            "reason": record.reason,
            "events": [[type(event).__name__, cells.plain(event)] for event in record.events],
            "former": record.former,
            "n": record.n,
            "epochs": record.epochs,
            "rewound": record.rewound,
        }
    )


def read(entry: bytes) -> Record:
    """The opposite of `write`. Raises KeyError or ValueError for what a later version of Overseer wrote."""
    told = cells.unpacked(entry)
    kinds = all_events()
    return Record(
        None if told["by"] is None else By(*told["by"]),
        told["at"],
        told["reason"],
        tuple(cells.whole(kinds[kind], values) for kind, values in told["events"]),
        told["former"],
        told["n"],
        told["epochs"],
        told["rewound"],
    )


def places(entry: Entry) -> dict[str, int]:
    """Each audience's n after an entry, without reading the rest of it."""
    n: dict[str, int] = cells.unpacked(entry.entry)["n"]
    return n


def place_of(stood: Iterable[tuple[int, int]]) -> int:
    """Where an audience stood at a version, as a rewind to it names that: where it was sent the next thing that the STs saw
    too. `stood`: (the STs' n, its own n) after that version and each later one.

    What it wishes for itself moves its own n alone. Whether that came before or after something that only the STs saw would
    tell of that (TBL-04).
    """
    place = sts = None
    for now, n in stood:
        if place is not None and n != place and now != sts:
            break
        sts, place = now, n
    return place or 0


def begins(entry: Entry, audience: str) -> bool:
    """Whether an audience's count began anew with this entry."""
    return audience in cells.unpacked(entry.entry)["epochs"]


def losses(entry: Entry) -> tuple[Mapping[str, str], set[str]]:
    """Of an entry that speaks of a loss: the epochs it gave because of it; the commands it names as withdrawn."""
    told = cells.unpacked(entry.entry)
    epochs = told["epochs"] if told["reason"] == LOST else {}
    return epochs, {
        command
        for kind, event in told["events"]
        if kind == HistoryLost.__name__
        for command in event.get("commands", ())
    }


def former_of(before: Table, names: Iterable[str]) -> dict[str, bytes | None]:
    """What stands in these cells of a table, as it is stored."""
    entities: Mapping[str, Any] = cells_of(before)
    return {name: cells.encode(entities[name]) if name in entities else None for name in names}


def undone(now: Table, entries: Sequence[Entry]) -> dict[str, bytes]:
    """The cells as they were before `entries`, which are all there is between then and `now`, in ascending order."""
    stored = {name: cells.encode(entity) for name, entity in cells_of(now).items()}
    for entry in reversed(entries):
        for name, was in cells.unpacked(entry.entry)["former"].items():
            if was is None:
                stored.pop(name, None)
            else:
                stored[name] = was
    return stored
