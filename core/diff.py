"""(change, audience) -> patch: ops from comparing two *views*, log lines from the events.

The one way from a table to a client; an audience whose view does not change and that is told nothing gets no patch at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core import events as ev
from core.change import Change
from core.commands import By
from core.draft import sees
from core.events import Event
from core.ids import ST, SeatId, UnitId
from core.state import Table
from core.story import Teller, tell

THE_STS_OWN = frozenset({"held", "released"})
"""Told as the ST's to everybody else, whoever's command brought it about: a hidden unit's turn looks the same (TBL-04)."""
PRIVATE = (ev.SeatPassed, ev.StandingOrderSet, ev.DefaultGuardSet, ev.ReadiedAutoSet)
"""What a command that is nobody else's business begins with: if it closes a window, nobody is told by whom."""
CLOCK = By(SeatId(""), "st")


@dataclass(frozen=True, slots=True)
class Patch:
    """ops: [path, value] set, [path] delete, by path. lines: [kind, seconds since the table was made, by, *fields]."""

    ops: list[list[Any]]
    lines: list[list[Any]]


def patch(change: Change, audience: str) -> Patch | None:
    """One audience's share of a change; None: it sees nothing of it."""
    teller, lines = told(change, audience)
    if not teller.ops and not lines:
        return None
    return Patch(teller.ops, lines)


def told(change: Change, audience: str) -> tuple[Teller, list[list[Any]]]:
    """Only the lines of it, for who reads a log, and who tells them."""
    teller = Teller(audience, change)
    seconds = max(0, change.at - change.after.created) // 1000
    by = change.by
    speaker = by if audience == ST else speaker_to(change.before, change.events, audience, by)
    lines = []
    for event in change.events:
        for kind, fields in tell(teller, event):
            lines.append([kind, seconds, spoken_by(speaker, audience, kind), *fields])
    return teller, lines


def speaker_to(before: Table, events: Sequence[Event], audience: str, by: By) -> By:
    """Who brought it about, for players: nobody where that is private, the ST where the unit that does it is hidden."""
    if any(isinstance(event, PRIVATE) for event in events[:1]):
        return CLOCK
    does = before.play.units.get(actor(events)) if by.role == "player" else None
    return by if does is None or sees(before, audience, does) else By(ST, "st")


def actor(events: Sequence[Event]) -> UnitId:
    """The unit that a player's command is about: the first that its events name."""
    for event in events:
        unit = getattr(event, "unit", None)
        if isinstance(event, ev.ActedAtOnce | ev.ActionDeclared):
            unit = event.pending.actor
        if isinstance(unit, str):
            return UnitId(unit)
    return UnitId("")


def spoken_by(by: By, audience: str, kind: str) -> Any:
    """Players hear the seat; STs hear which ST, and whom he acted for. "" is the clock."""
    if audience != ST:
        return ST if kind in THE_STS_OWN else by.seat
    if by.st is None:
        return by.seat
    return by.st if by.seat == ST else [by.st, by.seat]
