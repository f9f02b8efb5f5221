"""Can it still be carried out? Asked when uncovered and when its window closes; also whether a new act needs leave.

Reach, sight and area do not count: what was declared must go on (IMM-04; interrupts.md 7).
"""

from dataclasses import replace

from core import events as ev
from core.ability import able, barred, legal_targets
from core.draft import Draft
from core.state import Pending


def stopped_by(d: Draft, pending: Pending) -> ev.FailWhy | None:
    """Why the action can no longer be carried out; None where it can, or where the ST lets it go on regardless."""
    unit = d.play.units.get(pending.actor)
    if unit is None:
        return "interrupted"
    if pending.unhindered:
        return None
    if not able(unit):
        return "interrupted"
    act = pending.act
    if barred(unit, act.kind):
        return "barred"
    if act.ability and act.ability not in unit.abilities:
        return "no_means"
    if act.counters is not None and (
        act.counters not in d.play.pendings or d.play.pendings[act.counters].state != "waiting"
    ):
        return "no_target"
    return "no_target" if act.targets and not legal_targets(d.table, act) else None


def strike_gone_targets(d: Draft, pending: Pending) -> Pending:
    left = legal_targets(d.table, pending.act)
    if left == pending.act.targets or pending.unhindered:
        return pending
    pending = replace(pending, act=replace(pending.act, targets=left))
    d.emit(ev.PendingEdited(pending))
    return pending
