"""What one decision changes, made whole before anything is kept or sent: cells, log entry, everybody's patch, the answer.

No I/O: a step that the store does not take leaves no trace.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from core.cells import changed
from core.change import Change
from core.commands import By
from core.decide import Decided
from core.diff import Patch, patch
from core.events import Rewound
from core.evolve import stamped
from core.ids import SeatId
from core.refusals import Refused
from core.state import Table
from core.view import audiences
from protocol import lines
from protocol.codec import encode_diff
from server import auth, cells, history, replies
from server.asked import Asked, Author, Meant
from server.position import Position
from server.replies import Reply
from server.store.values import Commit, Decision, Place, Refusal


@dataclass(frozen=True, slots=True)
class Step:
    """From one position to the next; for a refusal, to the same."""

    answer: Reply
    kept: Commit | Refusal
    after: Position
    n: Mapping[str, int] = field(default_factory=dict)  # of every audience, afterwards


def make(here: Position, asked: Asked, meant: Meant | None, decided: Decided | Refused) -> Step:
    """The step a decision is. `meant` is None only where already the translation was refused."""
    if isinstance(decided, Refused) or meant is None:
        assert isinstance(decided, Refused)
        return _refusal(here, asked.author, decided)
    at = moment(asked, here.table)
    after = stamped(decided.table, at)  # as every other node will have it from this entry (core/evolve.fold)
    entities, gone = changed(here.table, after)
    n, patches, epochs = _patches(here, at, meant, decided, after)
    rewound = any(isinstance(event, Rewound) for event in decided.events)
    record = history.Record(
        by=None if meant.by_clock else meant.by,
        at=at,
        reason=meant.reason,
        events=decided.events,
        former=history.former_of(here.table, [*entities, *gone]),
        n=n,
        epochs=epochs,
        rewound=rewound,
    )
    author = asked.author
    answer = replies.ack(author.seq if author else 0, n[author.audience] if author else 0, decided.made)
    commit = Commit(
        table=here.id,
        head=here.head,
        command=asked.id,
        cells={name: cells.encode(entity) for name, entity in entities.items()},
        gone=gone,
        entry=history.write(record),
        patches=patches,
        rewound=rewound,
        epochs=epochs,
        decision=_decision(author, answer),
    )
    return Step(answer, commit, _position(here, after, commit, n), n)


def _position(here: Position, table: Table, commit: Commit, n: Mapping[str, int]) -> Position:
    """Where the table stands once this is kept. What is decided before that is decided on this."""
    version = here.version + 1
    places = dict(here.places)
    for name, at in n.items():
        if name in commit.epochs:
            places[name] = Place(commit.epochs[name], at, 0)
        else:
            places[name] = Place(places[name].epoch, at, places[name].rewound)
        if commit.rewound and name in commit.patches:
            places[name] = replace(places[name], rewound=at)
    return Position(here.id, table, version, f"{version}:{commit.command}", places)


def moment(asked: Asked, table: Table) -> int:
    """When it happens, in ms: time at a table never goes back, whatever a clock is set to."""
    return max(asked.now, table.seen)


def _refusal(here: Position, author: Author | None, refused: Refused) -> Step:
    answer = replies.refused(author.seq if author else 0, refused, to_st=author is None or author.is_st)
    decision = _decision(author, answer)
    return Step(answer, Refusal(here.id, here.head, decision), here)


def put_off(here: Position, asked: Asked) -> Step:
    """No decision, kept all the same: who did not hear "busy" may ask again when later numbers of his are decided."""
    answer = replies.of_protocol(asked.author.seq if asked.author else 0, "busy")
    return Step(answer, Refusal(here.id, "", _decision(asked.author, answer)), here)


def _decision(author: Author | None, answer: Reply) -> Decision | None:
    if author is None:
        return None
    return Decision(author.seat, author.client, author.seq, author.digest, replies.kept(answer))


def _patches(
    here: Position, at: int, meant: Meant, decided: Decided, after: Table
) -> tuple[dict[str, int], dict[str, bytes], dict[str, str]]:
    """Of every audience: its n afterwards, the bytes of its patch if it sees a change, its epoch if it is new."""
    by = By(SeatId(""), "st") if meant.by_clock else meant.by
    change = Change(here.table, after, decided.events, by, at)
    before = set(audiences(here.table))
    n: dict[str, int] = {}
    patches: dict[str, bytes] = {}
    epochs: dict[str, str] = {}
    for name in audiences(after):
        place = here.places.get(name)
        if place is None or name not in before:  # a seat that is a player's again has missed what came meanwhile
            epochs[name], n[name] = auth.new_id(), 0
            continue
        seen = patch(change, name)
        told = _told(seen, meant.past.get(name, 0), place.n) if seen else []
        n[name] = place.n
        if seen and (seen.ops or told):
            n[name] += 1
            patches[name] = encode_diff(n[name], seen.ops, told)
    return n, patches, epochs


def _told(seen: Patch, past: int, n: int) -> list[list[Any]]:
    """Lines as they are sent. A rewind names the listener's own n, never the table's version.

    Who has been sent nothing since, and sees nothing change, is not told of it: what is undone was kept from him (TBL-04).
    """
    packed = []
    for kind, at_s, by, *args in seen.lines:
        if kind == "rewound":
            if past == n and not seen.ops:
                continue
            args[0] = past
        packed.append(lines.pack(kind, at_s, by, args))
    return packed
