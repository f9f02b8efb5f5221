"""Can it still be carried out? Asked when uncovered and when its window closes; also whether a new act needs leave.

Reach, sight and area do not count: what was declared must go on (IMM-04; interrupts.md 7).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from core import events as ev
from core.ability import UNABLE, barred, in_fight, legal_targets
from core.draft import Draft
from core.state import Pending

GONE = "gone"
"""The one obstacle that cannot be let pass: there is no such unit any more."""


class Obstacle(NamedTuple):
    """Its word, why the action fails for it, and whether that is for the ST alone to know."""

    word: str
    why: ev.FailWhy
    secret: bool = False


def obstacles(d: Draft, pending: Pending) -> Iterator[Obstacle]:
    """All that stands in its way."""
    unit = d.play.units.get(pending.actor)
    if unit is None:
        yield Obstacle(GONE, "interrupted")
        return
    if not unit.on_stage:
        yield Obstacle("off_stage", "interrupted")
    if d.play.fight is not None and not in_fight(d.table, unit.id):
        yield Obstacle("not_in_fight", "interrupted")
    yield from (Obstacle(word, "interrupted") for word in unit.conditions if word in UNABLE)
    act = pending.act
    word = barred(unit, act)
    if word:
        yield Obstacle(word, "barred", unit.conditions[word])
    if act.ability and act.ability not in unit.abilities:
        yield Obstacle("no_means", "no_means")
    aim = d.play.pendings.get(act.counters) if act.counters is not None else None
    lost = act.counters is not None and (aim is None or aim.state != "waiting")
    if lost or (act.targets and not legal_targets(d.table, act)):
        yield Obstacle("no_target", "no_target", not lost and bool(legal_targets(d.table, act, seemingly=True)))


def pardoned(d: Draft, pending: Pending) -> Pending:
    """What stands in its way as it is declared has been let pass by the ST or the house, and that alone."""
    found = (one for act in (pending.act, *pending.to_come) for one in obstacles(d, replace(pending, act=act)))
    return replace(pending, pardoned=tuple(dict.fromkeys(one.word for one in found if one.word != GONE)))


def stopped_by(d: Draft, pending: Pending) -> Obstacle | None:
    """Why the action can no longer be carried out; None where it can, or where that was let pass."""
    return next((o for o in obstacles(d, pending) if o.word not in pending.pardoned), None)


def strike_gone_targets(d: Draft, pending: Pending) -> Pending:
    left = legal_targets(d.table, pending.act)
    if left == pending.act.targets or "no_target" in pending.pardoned:
        return pending
    pending = replace(pending, act=replace(pending.act, targets=left))
    d.emit(ev.PendingEdited(pending))
    return pending
