"""What happens when an act is carried out: moves, attacks, conditions, counters. Everything else is words for people."""

from collections.abc import Callable

from core import attachments
from core import events as ev
from core.ability import alive
from core.concentration import concentrate
from core.dice.pool import meets
from core.draft import Draft
from core.effects import apply
from core.rolls import fewer, make_roll
from core.state import ATTACKS, Ability, Applied, Pending, Unit
from core.tracks import hurt


def carry_out_or_fault(d: Draft, pending: Pending) -> bool:
    return done_or_fault(d, pending, carry_out)


def done_or_fault(d: Draft, pending: Pending, do: Callable[[Draft, Pending], None]) -> bool:
    """True where it was done. If rule code raises, nothing of the attempt is kept, and the ST sees what it was."""
    table, events = d.table, list(d.events)
    try:
        do(d, pending)
    except Exception as error:  # a fault in a rule must not stop the table
        d.table, d.events = table, events
        d.emit(ev.Faulted(pending.id, f"{type(error).__name__}: {error}"))
        return False
    return True


def carry_out(d: Draft, pending: Pending) -> None:
    """The act as a whole. `pending` may be off the stack (done at once)."""
    act = pending.act
    unit = d.play.units[pending.actor]
    ability = unit.abilities.get(act.ability)
    if not pending.struck:  # else it goes on midway
        concentrate(d, unit, act)
        if pending.state == "waiting":
            attachments.show(d, pending, unit)
    if act.kind in ATTACKS:
        d.rules.attack(d, pending, unit)
        if waits_for_split(d, pending):
            return
    else:
        use(d, pending, unit, ability)
    if act.kind == "drop_prone":
        apply(d, Applied("prone"), by=unit.id, on=unit.id)
    if act.position is not None or act.distance is not None:
        d.emit(ev.UnitMoved(unit.id, unit.position if act.position is None else act.position, act.distance))
    if act.leaves and pending.interrupts:
        leave_areas(d, pending)


def waits_for_split(d: Draft, pending: Pending) -> bool:
    """Midway through its attacks it has gained extra successes that its actor's owner is to split (XS-05)."""
    now = d.play.pendings.get(pending.id)
    return now is not None and bool(now.gained) and now.struck > pending.struck


def leave_areas(d: Draft, pending: Pending) -> None:
    """By an interrupt the mover leaves the area of the waiting attacks beneath that have it as target (IMM-05)."""
    for other in d.play.pendings.values():
        attacks_me = other.act.kind in ATTACKS and pending.actor in other.act.targets
        if other.id != pending.id and other.state == "waiting" and attacks_me and pending.actor not in other.fled:
            d.emit(ev.AreaLeft(other.id, pending.actor))


def use(d: Draft, pending: Pending, unit: Unit, ability: Ability | None) -> None:
    """An ability that is no attack: its roll if it has one, its fixed damage, what it puts on whom, what it counters.

    Where the roll misses its DC nothing comes of it (TASK-01).
    """
    if ability is not None and not succeeds(d, pending, unit, ability):
        return
    if pending.act.counters is not None and ability is not None and ability.counters:
        counter(d, pending)
    sources = list(attachments.used(unit, pending.act))
    for id in pending.act.targets:
        target = d.play.units.get(id)  # type: ignore[call-overload]
        if target is None:
            continue
        if ability is not None and ability.damage and alive(target):
            hurt(d, target.id, ability.track, ability.damage, unit.id)
        for source in sources:
            put_on(d, source, unit, target, "target")
    for source in sources:
        put_on(d, source, unit, unit, "self")


def succeeds(d: Draft, pending: Pending, unit: Unit, ability: Ability) -> bool:
    """One roll settles an instant action: its DC is met or beaten, 1 where none is stated. Without a DC or a roll: yes."""
    if ability.pool is None:
        return True
    thrown = make_roll(
        d,
        unit,
        ability.pool,
        pending.act.kind,
        more=(("modifier", pending.act.modifier), *attachments.dice(unit, pending.act), *fewer(pending)),
        betters=attachments.betters(unit, pending.act),
        dc=ability.dc,
        pending=pending.id,
    )
    return ability.dc is None or meets(thrown.successes, ability.dc)


def put_on(d: Draft, ability: Ability, unit: Unit, target: Unit, to: str) -> None:
    for applied in ability.applies:
        if applied.to == to and target.id in d.play.units:
            sustained = bool(ability.concentration)
            apply(d, applied, by=unit.id, on=target.id, name=ability.name, sustained=sustained)


def counter(d: Draft, pending: Pending) -> None:
    """The action it is aimed at fails, if it still waits."""
    other = d.play.pendings.get(pending.act.counters) if pending.act.counters else None
    if other is not None and other.state == "waiting":
        d.emit(ev.ActionFailed(other.id, other.actor, other.act.kind, "interrupted"))
