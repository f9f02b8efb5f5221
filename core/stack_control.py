"""The ST inside windows: lengthen, close, cancel, resolve, insert, edit, reorder (interrupts.md 9; TBL-02)."""

from dataclasses import replace

from core import events as ev
from core.commands import Cancel, CloseWindow, EditPending, Insert, Resolve, Restack, SetClock
from core.draft import Draft
from core.economy import refund
from core.extras import with_targets
from core.ids import ALL, PendingId
from core.interrupts import aimed_one_by_one, pending_of
from core.settle import close, fail
from core.stack import ask_again, push, refuse_if_full
from core.state import Pending
from core.view import pending_face


def on_top(d: Draft, pending: Pending) -> None:
    if pending.id != d.play.stack[-1]:
        raise d.refuse("not_on_top", top=d.play.stack[-1])


def known_pending(d: Draft, id: PendingId) -> Pending:
    pending = d.play.pendings.get(id)
    if pending is None:
        raise d.refuse("unknown", id=id)
    return pending


def not_done(d: Draft, pending: Pending) -> Pending:
    """What has been carried out, and only waits for answers, cannot be stopped or changed any more."""
    if pending.state == "done":
        raise d.refuse("too_late")
    return pending


def set_clock(d: Draft, c: SetClock) -> None:
    """More or less time; less may go below the floor."""
    pending = pending_of(d, c.window)
    on_top(d, pending)
    clock = d.window_of(pending).clock
    assert clock is not None  # the top always has one after settle
    least = d.now if clock.running else 0
    deadline = max(least, clock.deadline + c.by_ms)
    moved = replace(clock, deadline=deadline, floor=min(clock.floor, deadline))
    d.emit(ev.WindowClockSet(c.window, moved, deadline - clock.deadline, by_st=True))


def close_window(d: Draft, c: CloseWindow) -> None:
    """As if due; held or not. `force`: without the re-check."""
    pending = pending_of(d, c.window)
    on_top(d, pending)
    close(d, pending, "st", force=c.force)


def resolve(d: Draft, c: Resolve) -> None:
    """The top is carried out at once."""
    pending = known_pending(d, c.pending)
    on_top(d, pending)
    close(d, pending, "st", force=True)


def cancel(d: Draft, c: Cancel) -> None:
    """Withdrawn at any depth; those above stay. Its cost comes back unless the ST says otherwise."""
    pending = not_done(d, known_pending(d, c.pending))
    d.emit(ev.ActionWithdrawn(pending.id, pending.actor, pending.act.kind, c.refund, c.reason))
    if c.refund:
        refund(d, pending.actor, pending.paid)


def insert(d: Draft, c: Insert) -> None:
    """Any unit acts on top, free of cost and rules."""
    unit = d.known_unit(c.unit)
    if not unit.on_stage:
        raise d.refuse("off_stage", unit=unit.id)
    top = d.top()
    if top is not None and top.state == "rolled":
        raise d.refuse("too_late")
    refuse_if_full(d)
    ability = unit.abilities.get(c.act.ability)
    act = replace(c.act, kind=ability.act if ability else c.act.kind, targets=tuple(dict.fromkeys(c.act.targets)))
    act = aimed_one_by_one(d, act)
    for id in act.targets:
        d.known_unit(id)
    push(
        d,
        unit,
        act,
        parent=top,
        interrupts=top is not None,
        noticed=c.noticed,
    )


def edit_pending(d: Draft, c: EditPending) -> None:
    """Where what all see of the top changes all are asked again; else no clock moves: hidden units move none."""
    pending = not_done(d, known_pending(d, c.pending))
    if c.fails:
        fail(d, pending, "st")
        return
    act = pending.act
    if c.targets is not None:
        act = with_targets(act, tuple(dict.fromkeys(c.targets)))
    if c.split is not None:
        act = aimed_one_by_one(d, replace(act, split=c.split))
    if act.targets != pending.act.targets:
        for id in act.targets:
            d.known_unit(id)
    edited = replace(
        pending,
        act=act,
        guards=pending.guards if c.guards is None else dict(c.guards),
        beyond=pending.beyond if c.guards is None else tuple(c.guards),
        fled=pending.fled if c.fled is None else c.fled,
    )
    if edited == pending:
        raise d.refuse("no_change")
    before, after = (pending_face(d.table, ALL, one) for one in (pending, edited))
    d.emit(ev.PendingEdited(edited, by_st=True))
    if before != after and pending.state == "waiting" and pending.id == d.play.stack[-1]:
        ask_again(d, edited)


def restack(d: Draft, c: Restack) -> None:
    """Another order, bottom first; whoever comes on top is asked again. Nothing lies on a rolled one."""
    if c.was != d.play.stack:
        raise d.refuse("changed", stack=list(d.play.stack))
    if sorted(c.stack) != sorted(d.play.stack) or c.stack == d.play.stack:
        raise d.refuse("bad_value", stack=list(c.stack))
    old_top = d.play.pendings[d.play.stack[-1]]
    if old_top.state == "rolled":
        raise d.refuse("too_late")
    d.emit(ev.StackOrdered(c.stack))
    if c.stack[-1] != old_top.id:
        d.emit(ev.WindowCovered(old_top.window))
