"""Going back: a new version whose play equals an old one's. Nothing of the history is lost (TBL-02).

Windows come back under new names, nobody has answered, and the table is held while anything waits (interrupts.md 9).
"""

from dataclasses import replace

from core import events as ev
from core.commands import Rewind
from core.draft import Draft
from core.ids import PendingId, WindowId
from core.stack import question
from core.state import Fight, Pending, Play, Window
from core.windows import longer


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
    held = past.held or bool(past.stack)
    d.emit(ev.Rewound(to, replace(renamed(d, past), held=held, hold_next=False), reason))
    for request in list(d.table.requests.values()):
        if request.kind == "take_back" and request.to is not None and request.to >= to:
            d.emit(ev.RequestAnswered(request.id, request.seat, True))
    for ask in list(d.table.asks.values()):
        for unit in ask.units:
            if unit not in d.play.units:  # nobody could answer for it any more
                d.emit(ev.RollAnswered(ask.id, unit))
    pending = d.top()
    if pending is None:
        return
    d.emit(ev.WindowAsked(question(d, pending, d.window_of(pending))))


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
    return replace(past, pendings=pendings, windows=windows, fight=in_whole_time(d, past.fight))


def in_whole_time(d: Draft, fight: Fight | None) -> Fight | None:
    """The clock on one's own action stands at its whole length; settle lets it run (settle.run_action_clock)."""
    if fight is None or (fight.deadline is None and fight.left is None):
        return fight
    return replace(fight, deadline=None, left=longer(d.table, d.house.action_clock_ms) or None, restarted=False)
