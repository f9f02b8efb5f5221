"""Can it still be carried out? Asked when uncovered and when its window closes; also whether a new act needs leave.

Reach, sight and area do not count: what was declared must go on (IMM-04; interrupts.md 7).
"""

from collections.abc import Iterator
from dataclasses import replace

from core import events as ev
from core.ability import UNABLE, barred, in_fight, legal_targets
from core.draft import Draft
from core.state import Pending

GONE = "gone"
"""The one obstacle that cannot be let pass: there is no such unit any more."""
Obstacle = tuple[str, ev.FailWhy]


def obstacles(d: Draft, pending: Pending) -> Iterator[Obstacle]:
    """All that stands in its way, each by a word of its own and with the reason it would fail for."""
    unit = d.play.units.get(pending.actor)
    if unit is None:
        yield GONE, "interrupted"
        return
    if not unit.on_stage:
        yield "off_stage", "interrupted"
    if d.play.fight is not None and not in_fight(d.table, unit.id):
        yield "not_in_fight", "interrupted"
    yield from ((word, "interrupted") for word in unit.conditions if word in UNABLE)
    act = pending.act
    word = barred(unit, act)
    if word:
        yield word, "barred"
    if act.ability and act.ability not in unit.abilities:
        yield "no_means", "no_means"
    aim = d.play.pendings.get(act.counters) if act.counters is not None else None
    lost = act.counters is not None and (aim is None or aim.state != "waiting")
    if lost or (act.targets and not legal_targets(d.table, act)):
        yield "no_target", "no_target"


def pardoned(d: Draft, pending: Pending) -> Pending:
    """What stands in its way as it is declared has been let pass by the ST or the house, and that alone."""
    found = (one for act in (pending.act, *pending.to_come) for one in obstacles(d, replace(pending, act=act)))
    return replace(pending, pardoned=tuple(dict.fromkeys(word for word, _ in found if word != GONE)))


def stopped_by(d: Draft, pending: Pending) -> ev.FailWhy | None:
    """Why the action can no longer be carried out; None where it can, or where that was let pass."""
    return next((why for word, why in obstacles(d, pending) if word not in pending.pardoned), None)


def strike_gone_targets(d: Draft, pending: Pending) -> Pending:
    left = legal_targets(d.table, pending.act)
    if left == pending.act.targets or "no_target" in pending.pardoned:
        return pending
    pending = replace(pending, act=replace(pending.act, targets=left))
    d.emit(ev.PendingEdited(pending))
    return pending
