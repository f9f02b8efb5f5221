"""The clock's own commands. Deadlines stand in the table and nowhere else, so any node that holds it may fire one."""

import math

from core import events as ev
from core.commands import CloseDue, Command, EndDueAction, ReleaseDue
from core.draft import Draft
from core.ids import SeatId
from core.order import finish
from core.override import last_st_ends, st_sits
from core.settle import close
from core.stack import question
from core.state import Table
from core.windows import due, longer, settled, top


def due_command(table: Table, now: int, here: frozenset[SeatId]) -> Command | None:
    """What the clock has to do before anything else is decided at `now`, if anything."""
    now = max(now, table.seen)
    if table.play.held:
        return ReleaseDue() if now >= last_st_ends(table) else None
    found = top(table)
    if found is not None and due(table, now, here):
        return CloseDue(found[1].id, found[1].gen)
    fight = table.play.fight
    if fight is not None and fight.active is not None and fight.deadline is not None and not table.play.stack:
        if now >= fight.deadline:
            return EndDueAction(fight.active, table.play.budgets[fight.active].round)
    return None


def next_instant(table: Table, now: int, here: frozenset[SeatId]) -> int | None:
    """When `due_command` will have something to do, as things stand; None: not by itself."""
    if table.play.held:
        ends = last_st_ends(table)
        return None if ends == math.inf else int(ends)
    found = top(table)
    if found is None:
        return table.play.fight.deadline if table.play.fight is not None else None
    pending, window = found
    if window.clock is None or not window.clock.running:
        return None
    clock = window.clock
    if max(now, table.seen) < clock.deadline and clock.floor < clock.deadline and settled(table, pending, window, here):
        return clock.floor
    return clock.deadline + clock.grace


def close_due(d: Draft, c: CloseDue) -> None:
    """The same twice, from two nodes, has one effect. Missed by the servers, not by people: its time again, once."""
    found = top(d.table)
    if found is None or (found[1].id, found[1].gen) != (c.window, c.gen) or not due(d.table, d.now, d.world.here):
        raise d.refuse("not_due")
    pending, window = found
    all_settled = settled(d.table, pending, window, d.world.here)
    clock = window.clock
    assert clock is not None  # due() has seen it
    if not window.restarted and not all_settled and d.now > clock.deadline + clock.grace + d.house.outage_ms:
        again = question(d, pending, window)
        d.emit(ev.WindowRestarted(again.id, again.clock))
        return
    close(d, pending, "settled" if all_settled else "deadline")


def end_due_action(d: Draft, c: EndDueAction) -> None:
    """As with windows: what the servers missed, people could not use. Its time again, once."""
    fight = d.fight
    if fight.active != c.unit or d.play.budgets[c.unit].round != c.round or d.play.stack or d.play.held:
        raise d.refuse("not_due")
    if fight.deadline is None or d.now < fight.deadline:
        raise d.refuse("not_due")
    if not fight.restarted and d.now > fight.deadline + d.house.outage_ms:
        d.emit(ev.ActionClockSet(d.now + longer(d.table, d.house.action_clock_ms), None, restarted=True))
        return
    finish(d, c.unit, timed_out=True)


def release_due(d: Draft, c: ReleaseDue) -> None:
    """What comes of it is for `settle` to do: a table is held by nobody after any command."""
    if not d.play.held or st_sits(d):
        raise d.refuse("not_due")
