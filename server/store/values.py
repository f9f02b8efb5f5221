"""What goes into the store and what comes out of it, as plain values. No I/O here.

An audience is "st" (all STs), "all" (all spectators), or the seat id of a player.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to one command of one client, kept so that the same command asked again gets the same answer."""

    seat: str
    client: str
    seq: int
    digest: bytes
    reply: bytes


@dataclass(frozen=True, slots=True)
class Commit:
    """One decided command: everything it changes, or nothing."""

    table: str
    head: str  # the head it was decided on
    command: str  # unique command id; the new head is f"{version}:{command}"
    cells: Mapping[str, bytes]  # state fields to set
    gone: Sequence[str]  # state fields to delete
    entry: bytes  # the log entry
    patches: Mapping[str, bytes]  # audience -> the very bytes to send; they carry the audience's n + 1 already
    rewound: bool = False  # then the mark of every audience that is sent a patch becomes its n after this commit
    epochs: Mapping[str, str] = field(default_factory=dict)  # audience -> new epoch: its n is 0 again, its stream empty
    decision: Decision | None = None  # None for the clock's own commands and the command line


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refused command: the decision is kept if the head still stands ("": whatever it is); nothing else changes."""

    table: str
    head: str
    decision: Decision | None = None  # None: nobody will ask for the answer again; then only the head is compared


@dataclass(frozen=True, slots=True)
class Committed:
    """Kept, now or by an earlier try of this very call. After a refusal: version and head as they stand."""

    version: int
    head: str
    heard: int | None = field(default=None, compare=False)  # how many nodes were told of it; None: not known


@dataclass(frozen=True, slots=True)
class Repeated:
    """This command was decided before; this is the answer it got."""

    reply: bytes


@dataclass(frozen=True, slots=True)
class Reused:
    """This sequence number was used before for another command."""


@dataclass(frozen=True, slots=True)
class TooOld:
    """This sequence number is in the past and its answer is no longer kept."""


@dataclass(frozen=True, slots=True)
class Stale:
    """The table has moved on: read the entries since, decide again."""

    version: int
    head: str


@dataclass(frozen=True, slots=True)
class Gone:
    """There is no such table."""


Outcome = Committed | Repeated | Reused | TooOld | Stale | Gone


@dataclass(frozen=True, slots=True)
class Place:
    """Where an audience stands: its epoch, the n of its last patch, and its n at the last rewind."""

    epoch: str
    n: int
    rewound: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """A whole table as it stood at one version."""

    version: int
    head: str
    name: str
    cells: dict[str, bytes]
    audiences: dict[str, Place]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the log, and the head after it."""

    version: int
    head: str
    entry: bytes
