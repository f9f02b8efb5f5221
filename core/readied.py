"""Readied actions: held back for a trigger, borrowed from the next round (RDY-01 to RDY-04; interrupts.md 5)."""

from dataclasses import replace
from functools import partial

from core import bounds
from core import events as ev
from core.attachments import object_to_attached
from core.bounds import refuse_beyond
from core.commands import By, Fire, Ready, SetReadiedAuto
from core.concentration import lapse
from core.draft import Draft, owner, sees
from core.economy import exposure, readied_debt, spend
from core.extras import with_targets
from core.ids import ReadiedId
from core.interrupts import (
    ability_for,
    aimed_back,
    answered,
    object_if_unable,
    object_to_extras,
    object_to_moving,
    ready_to_do,
)
from core.stack import push, refuse_if_full
from core.state import Act, Paid, Pending, Readied, Unit

STANDARD = Act("ready", "standard")


def ready(d: Draft, c: Ready) -> None:
    """On one's own action, for a standard action, with the exact act and the condition (RDY-01)."""
    unit = d.own_unit(c.unit)
    if not d.rules.ready_slots:
        raise d.refuse("not_in_this_game")
    if d.play.stack:
        raise d.refuse("window_open")
    fight = d.fight
    lapse(d, unit.id)
    object_if_unable(d, unit)
    if fight.active != unit.id:
        d.objection("not_your_action", unit.id)
    refuse_beyond(d, "readied", sum(one.unit == unit.id for one in d.play.readied.values()), bounds.READIED)
    with d.in_private():
        act = act_readied(d, unit, c)
    spend(d, unit, d.rules.price(d, unit, STANDARD, None))
    if d.house.readied_debt == "on_declare" and d.budget(unit.id) is not None:
        d.emit(ev.DebtOwed(unit.id, readied_debt(act)))
    readied = Readied(ReadiedId(d.make()), unit.id, act, c.trigger, c.words, c.auto, since=d.world.version)
    d.emit(ev.ReadiedDeclared(readied))
    d.emit(ev.Acted(d.by.seat, d.world.version))


def act_readied(d: Draft, unit: Unit, c: Ready) -> Act:
    """What is held back, and whether it can be: its owner's own until it is used (RDY-04)."""
    if c.act.slot not in d.rules.ready_slots:
        d.objection("cannot_ready", unit.id, slot=c.act.slot, accepted=list(d.rules.ready_slots))
    if not c.act.kind or (c.trigger is None and not c.words.strip()):
        d.objection("nothing_readied", unit.id)
    ability = ability_for(d, unit, c.act)
    act = replace(c.act, kind=ability.act if ability else c.act.kind, targets=tuple(dict.fromkeys(c.act.targets)))
    object_to_moving(d, unit, act, ability)
    object_to_extras(d, unit, act, ability)
    object_to_attached(d, unit, act)
    return act


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
    act = with_targets(readied.act, c.targets) if c.targets else readied.act
    if c.leaves is not None:
        act = replace(act, leaves=c.leaves)
    use(d, unit, readied, act, trigger)
    d.emit(ev.Acted(d.by.seat, d.world.version))


def use(d: Draft, unit: Unit, readied: Readied, act: Act, trigger: Pending | None) -> None:
    """In effect an immediate action against that one action; its price is the action borrowed (RDY-02, RDY-03).

    Refunded it is armed again, but not for this trigger: what the ST refused, or what failed, would fire for ever.
    """
    refuse_if_full(d)
    act, _ = ready_to_do(d, unit, aimed_back(d, unit, act, trigger))
    owed = readied_debt(act) if d.house.readied_debt == "on_use" else ""
    paid: tuple[Paid, ...] = (Paid("readied", readied.id, owed=owed),)
    if d.house.readied_is_immediate == "in_full":
        paid += d.rules.answer_price(d, unit, unit.abilities.get(act.ability))
    paid += exposure(d, unit, act)
    spend(d, unit, paid)
    d.emit(ev.ReadiedUsed(readied.id))
    if trigger is not None:
        waiting = d.play.pendings[trigger.id]
        met = waiting.met_readied or sees(d.table, owner(d.table, trigger.actor), unit)
        due = tuple(id for id in waiting.due if id != readied.id)
        d.emit(ev.PendingEdited(replace(waiting, met_readied=met, due=due)))
    push(d, unit, act, paid, parent=trigger, interrupts=d.house.readied_is_immediate != "no")


def fire_next_by_itself(d: Draft, trigger: Pending) -> bool:
    """The oldest matched one that fires by itself and can. One that cannot stays: its owner is asked.

    It can where its owner, sending it himself, would not be refused, with no leave and no hand of the ST's to help.
    """
    for id in trigger.due:
        readied = d.play.readied.get(id)
        unit = d.play.units.get(readied.unit) if readied else None
        if readied is None or unit is None or not readied.auto or readied.state != "armed":
            continue
        by = By(owner(d.table, unit.id), "player")
        if d.attempt(by, partial(use, d, unit, readied, readied.act, trigger)):
            return True
    return False


def set_readied_auto(d: Draft, c: SetReadiedAuto) -> None:
    readied = d.play.readied.get(c.readied)
    if readied is None or readied.state != "armed" or not (d.is_st or owner(d.table, readied.unit) == d.by.seat):
        raise d.refuse("readied_gone")
    if readied.auto == c.auto:
        raise d.refuse("no_change")
    d.emit(ev.ReadiedAutoSet(readied.id, c.auto))
