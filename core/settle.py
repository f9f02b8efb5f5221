"""Because of this, that: the one place where anything ends, is asked again, or is carried out (interrupts.md 2).

Every accepted command ends here. The steps are repeated in this order until none applies:
  0  the table is held, and no ST is left who could let it go on: it goes on
  1  a waiting pending whose actor cannot act fails, at any depth, topmost first; a concentration whose unit is gone ends
  2  the top was covered: it is checked again; it fails, or all are asked again with a whole clock
  3  the top's first readied action that fires by itself and can: fires, on top
  4  the top's clock is due and nobody holds the table: its window closes
  5  the clock has reached the deadline of an extended action: it fails
  6  nothing waits: the active unit cannot act any more, or nobody acts; the next one does
"""

from dataclasses import replace

from core import events as ev
from core.attacks import roll_first
from core.carry_out import carry_out_or_fault, done_or_fault, waits_for_split
from core.concentration import lose_what_cannot_be_held
from core.draft import Draft
from core.economy import refund
from core.order import keep_going
from core.override import move_clock, st_sits
from core.readied import fire_next_by_itself
from core.recheck import stopped_by, strike_gone_targets
from core.stack import ask_again, next_step, open_window
from core.state import ATTACKS, Pending
from core.tasks import miss_deadline
from core.windows import asked, due, settled

MOST_STEPS = 1000
"""Each step ends a pending, asks once more, or spends something; a table never needs near as many."""


def settle(d: Draft) -> None:
    for _ in range(MOST_STEPS):
        if not any(step(d) for step in STEPS):
            run_action_clock(d)
            return
    raise AssertionError("settle does not end")


# ------------------------------------------------------------------------------------------------------------ the steps
def lift_hold_without_st(d: Draft) -> bool:
    if not (d.play.held or d.play.hold_next) or st_sits(d):
        return False
    d.emit(ev.TableReleased())
    move_clock(d, running=True)
    return True


def fail_unable(d: Draft) -> bool:
    for id in reversed(d.play.stack):
        pending = d.play.pendings[id]
        if pending.state == "done":
            if pending.actor in d.play.units:
                continue
            d.emit(ev.AnswersOver(id))  # nobody could see any more whose act it was
            return True
        stop = stopped_by(d, pending)
        gone = pending.actor not in d.play.units  # a rolled one falls too: nobody is left to carry it out
        if stop is not None and stop.why == "interrupted" and (pending.state == "waiting" or gone):
            fail(d, pending, "interrupted")
            return True
    return False


def uncover(d: Draft) -> bool:
    pending = d.top()
    if pending is None or d.window_of(pending).clock is not None:
        return False
    stop = stopped_by(d, pending) if pending.state == "waiting" else None
    if stop:
        fail(d, pending, stop.why, secret=stop.secret)
    else:
        ask_again(d, pending if pending.state == "done" else strike_gone_targets(d, pending))
    return True


def fire_readied(d: Draft) -> bool:
    pending = d.top()
    return pending is not None and pending.state == "waiting" and fire_next_by_itself(d, pending)


def close_due(d: Draft) -> bool:
    pending = d.top()
    if pending is None or not due(d.table, d.now, d.world.here):
        return False
    window = d.window_of(pending)
    all_settled = settled(d.table, pending, window, d.world.here)
    close(d, pending, "settled" if all_settled else "deadline")
    return True


STEPS = (
    lift_hold_without_st,
    fail_unable,
    lose_what_cannot_be_held,
    uncover,
    fire_readied,
    close_due,
    miss_deadline,
    keep_going,
)


# ------------------------------------------------------------------------------------------------------------- closing
def close(d: Draft, pending: Pending, reason: ev.CloseWhy, *, force: bool = False) -> None:
    """The re-check, then what was declared happens; or the defence is asked for first (relaxed, XS-10)."""
    d.emit(ev.WindowClosed(pending.window, reason))
    if pending.state == "done":
        d.emit(ev.AnswersOver(pending.id))
        return
    if pending.state == "waiting":
        stop = None if force else stopped_by(d, pending)
        if stop:
            fail(d, pending, stop.why, secret=stop.secret)
            return
        pending = strike_gone_targets(d, pending)
        defended = pending.act.kind in ATTACKS and asked(d.table, pending, "defence")
        relaxed = d.house.relaxed_defense == "on" and d.rules.declares_defence
        if relaxed and defended and not force:
            roll_then_ask(d, replace(pending, state="rolled", due=()))
            return
    happen(d, pending)


def roll_then_ask(d: Draft, pending: Pending) -> None:
    if done_or_fault(d, pending, roll_first):
        open_window(d, d.play.pendings[pending.id], "defence")
    else:
        fail(d, pending, "fault")
        refund(d, pending.actor, pending.paid)


def happen(d: Draft, pending: Pending) -> None:
    """Carried out as a whole; a fault, or an actor that was removed after the roll, makes it fail."""
    if pending.actor not in d.play.units:
        fail(d, pending, "interrupted")
    elif carry_out_or_fault(d, pending):
        if waits_for_split(d, pending):
            open_window(d, d.play.pendings[pending.id], "gain")
            return
        if pending.to_come:
            next_step(d, d.play.pendings[pending.id])
            return
        stays = d.rules.asks == "after"
        d.emit(ev.ActionCarriedOut(pending.id, pending.actor, pending.act.kind, stays))
        if stays:
            open_window(d, d.play.pendings[pending.id], "after")
    else:
        fail(d, pending, "fault")
        refund(d, pending.actor, pending.paid)


def fail(d: Draft, pending: Pending, why: ev.FailWhy, *, secret: bool = False) -> None:
    d.emit(ev.ActionFailed(pending.id, pending.actor, pending.act.kind, why, secret))


# -------------------------------------------------------------------------------------- the clock on one's own action
def run_action_clock(d: Draft) -> None:
    """A house rule: it runs only while nothing waits and nobody holds the table."""
    fight = d.play.fight
    if fight is None or fight.active is None:
        return
    stands = bool(d.play.stack) or d.play.held
    if stands and fight.deadline is not None:
        d.emit(ev.ActionClockSet(None, max(0, fight.deadline - d.now)))
    elif not stands and fight.left is not None:
        d.emit(ev.ActionClockSet(d.now + fight.left, None))
