"""Going back: a new version whose play equals an old one's. Nothing of the history is lost (TBL-02).

Windows come back under new names, nobody has answered, and the table is held while anything waits (interrupts.md 9).
"""

from dataclasses import replace

from core import events as ev
from core.commands import Rewind
from core.draft import Draft
from core.ids import PendingId, WindowId
from core.override import st_sits
from core.state import Clock, Pending, Play, Window
from core.windows import asked, lengths


def rewind(d: Draft, c: Rewind) -> None:
    """Refused if more has happened than its sender saw; `play` is the past, looked up by the server."""
    if c.head != d.world.version - 1:
        raise d.refuse("changed", head=d.world.version - 1)
    if c.to >= c.head:
        raise d.refuse("nothing_to_rewind", to=c.to)
    if c.play is None:
        raise d.refuse("history_short", to=c.to)
    go_back(d, c.to, c.play, c.reason)


def go_back(d: Draft, to: int, past: Play, reason: str) -> None:
    held = (past.held or bool(past.stack)) and st_sits(d)
    d.emit(ev.Rewound(to, replace(renamed(d, past), held=held, hold_next=False), reason))
    for request in list(d.table.requests.values()):
        if request.kind == "take_back" and request.to is not None and request.to >= to:
            d.emit(ev.RequestAnswered(request.id, request.seat, True))
    pending = d.top()
    if pending is None:
        return
    window = d.window_of(pending)
    who = asked(d.table, pending, window.kind)
    floor, full = lengths(d.house, d.world.dwell_ms) if who else (0, 0)
    clock = Clock(False, floor, full) if held else Clock(True, d.now + floor, d.now + full)
    d.emit(ev.WindowAsked(replace(window, asked=who, clock=clock)))


def renamed(d: Draft, past: Play) -> Play:
    """The same play with every window under a new id, gen 1, unanswered: old answers and old timers find nothing."""
    windows: dict[WindowId, Window] = {}
    pendings: dict[PendingId, Pending] = dict(past.pendings)
    for id in past.stack:
        pending = past.pendings[id]
        window = replace(
            past.windows[pending.window], id=WindowId(d.fresh()), gen=1, passed=(), clock=None, restarted=False
        )
        windows[window.id] = window
        pendings[id] = replace(pending, window=window.id)
    return replace(past, pendings=pendings, windows=windows)
