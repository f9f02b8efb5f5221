"""Readied actions: held back for a trigger, borrowed from the next round (RDY-01 to RDY-04; interrupts.md 5)."""

from dataclasses import replace

from core import events as ev
from core.ability import able, barred, legal_targets
from core.commands import Fire, Ready, SetReadiedAuto
from core.concentration import busy, lapse
from core.draft import Draft, owner
from core.economy import READY_SLOTS, immediate_price, price, readied_debt, spend
from core.extras import with_targets
from core.ids import ReadiedId
from core.interrupts import ability_for, aimed_back, answered, object_if_unable, object_to_extras, ready_to_do
from core.stack import push, refuse_if_full
from core.state import ATTACKS, Act, Paid, Pending, Readied, Unit

STANDARD = Act("ready", "standard")


def ready(d: Draft, c: Ready) -> None:
    """On one's own action, for a standard action, with the exact act and the condition (RDY-01)."""
    unit = d.own_unit(c.unit)
    if d.play.stack:
        raise d.refuse("window_open")
    fight = d.fight
    lapse(d, unit.id)
    object_if_unable(d, unit)
    if fight.active != unit.id:
        d.objection("not_your_action", unit.id)
    if c.act.slot not in READY_SLOTS:
        d.objection("cannot_ready", unit.id, slot=c.act.slot, accepted=list(READY_SLOTS))
    if not c.act.kind or (c.trigger is None and not c.words.strip()):
        d.objection("nothing_readied", unit.id)
    ability = ability_for(d, unit, c.act)
    act = replace(c.act, kind=ability.act) if ability else c.act
    object_to_extras(d, unit, act, ability)
    spend(d, unit, price(d, unit, STANDARD, None))
    if d.house.readied_debt == "on_declare" and d.budget(unit.id) is not None:
        d.emit(ev.DebtOwed(unit.id, readied_debt(act)))
    readied = Readied(ReadiedId(d.make()), unit.id, act, c.trigger, c.words, c.auto, since=d.world.version)
    d.emit(ev.ReadiedDeclared(readied))
    d.emit(ev.Acted(d.by.seat, d.world.version))


def fire(d: Draft, c: Fire) -> None:
    """The owner uses it: a matched one while its trigger waits, one in words at an open window or between actions."""
    readied = d.play.readied.get(c.readied)
    if readied is None or not (d.is_st or owner(d.table, readied.unit) == d.by.seat):
        raise d.refuse("readied_gone")
    unit = d.own_unit(readied.unit)
    trigger = answered(d, c.window)
    if readied.state != "armed":
        raise d.refuse("readied_gone")
    if d.play.fight is not None and d.fight.active == unit.id:
        d.objection("own_action", unit.id)
    if readied.trigger is not None and (trigger is None or readied.id not in trigger.due):
        d.objection("not_triggered", unit.id)
    refuse_if_full(d)
    act = with_targets(readied.act, c.targets) if c.targets else aimed_back(d, unit, readied.act, trigger)
    if c.leaves is not None:
        act = replace(act, leaves=c.leaves)
    act, _ = ready_to_do(d, unit, act)
    use(d, unit, readied, act, trigger)
    d.emit(ev.Acted(d.by.seat, d.world.version))


def use(d: Draft, unit: Unit, readied: Readied, act: Act, trigger: Pending | None) -> None:
    """In effect an immediate action against that one action; its price is the action borrowed (RDY-02, RDY-03).

    Refunded it is armed again, but not for this trigger: what the ST refused, or what failed, would fire for ever.
    """
    owed = readied_debt(act) if d.house.readied_debt == "on_use" else ""
    paid: tuple[Paid, ...] = (Paid("readied", readied.id, owed=owed),)
    if d.house.readied_is_immediate == "in_full":
        paid += immediate_price(d, unit, unit.abilities.get(act.ability))
    spend(d, unit, paid)
    d.emit(ev.ReadiedUsed(readied.id))
    if trigger is not None:
        due = tuple(id for id in trigger.due if id != readied.id)
        d.emit(ev.PendingEdited(replace(d.play.pendings[trigger.id], met_readied=True, due=due)))
    push(d, unit, act, paid, parent=trigger, interrupts=d.house.readied_is_immediate != "no")


def fire_next_by_itself(d: Draft, trigger: Pending) -> bool:
    """The oldest matched one that fires by itself and can. One that cannot stays: its owner is asked."""
    for id in trigger.due:
        readied = d.play.readied.get(id)
        unit = d.play.units.get(readied.unit) if readied else None
        if readied is None or unit is None or not readied.auto or readied.state != "armed":
            continue
        act = aimed_back(d, unit, readied.act, trigger)
        if can_fire(d, unit, act):
            use(d, unit, readied, act, trigger)
            return True
    return False


def can_fire(d: Draft, unit: Unit, act: Act) -> bool:
    """Everything its owner would be refused for: nobody else's command may be refused for it."""
    budget = d.budget(unit.id)
    ability = unit.abilities.get(act.ability)
    needs = act.kind in ATTACKS or (ability is not None and ability.needs_target)
    return (
        able(unit)
        and not (unit.hidden and d.play.held)
        and len(d.play.stack) < d.house.stack_depth
        and not barred(unit, act.kind)
        and not (ability is not None and ability.concentration and busy(d, unit))
        and (ability is not None or not (act.ability or act.kind in ATTACKS))
        and (bool(legal_targets(d.table, act)) or not (needs or act.targets))
        and (d.house.readied_is_immediate != "in_full" or budget is None or budget.immediates > 0)
    )


def set_readied_auto(d: Draft, c: SetReadiedAuto) -> None:
    readied = d.play.readied.get(c.readied)
    if readied is None or readied.state != "armed" or not (d.is_st or owner(d.table, readied.unit) == d.by.seat):
        raise d.refuse("readied_gone")
    if readied.auto == c.auto:
        raise d.refuse("no_change")
    d.emit(ev.ReadiedAutoSet(readied.id, c.auto))
