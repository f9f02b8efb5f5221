"""Keeping one's mind on one thing: started, sustained as each action begins, dropped, lost (CON-01 to CON-06).

A concentration lasts one round unless it is sustained; what it has put on someone ends with it. Outside a fight nothing
is spent, so it goes on by itself until it is dropped, its unit cannot act, or the scene changes.
"""

from collections.abc import Iterable

from core import events as ev
from core.ability import able, alive
from core.attachments import used
from core.commands import DropConcentration, Sustain
from core.draft import Draft
from core.economy import COMBINED, paid_with, spend
from core.effects import end
from core.ids import UnitId
from core.state import Ability, Act, Budget, Concentration, Paid, Table, Unit, Upkeep


# ------------------------------------------------------------------------------------------------------------- starting
def busy(d: Draft, unit: Unit) -> bool:
    """It concentrates, has done so in this round, or has declared what it will concentrate on (CON-04)."""
    budget = d.budget(unit.id)
    declared = [one for p in d.play.pendings.values() if p.actor == unit.id for one in (p.act, *p.to_come)]
    return (
        unit.id in d.play.concentrations
        or (budget is not None and budget.concentrated)
        or bool(needing(unit, declared))
    )


def needing(unit: Unit, acts: Iterable[Act]) -> list[Ability]:
    """The abilities that take part in these actions and need concentration."""
    return [ability for act in acts for ability in used(unit, act) if ability.concentration]


def object_if_concentrating(d: Draft, unit: Unit, acts: Iterable[Act]) -> None:
    """What needs it may be attached to the act, and sealed until the roll."""
    several = len(needing(unit, acts))
    if several > 1 or (several and busy(d, unit)):
        d.objection("already_concentrating", unit.id, private=True)


def concentrate(d: Draft, unit: Unit, act: Act) -> None:
    """An act that needs concentration is carried out: from now on its unit concentrates (CON-01)."""
    for ability in needing(unit, [act]):
        lose(d, unit.id, "replaced")  # only where a rule has been waived
        budget = d.budget(unit.id)
        held = Concentration(unit.id, ability.name, cost_of(d, ability, act), act.kind, budget.round if budget else 0)
        d.emit(ev.ConcentrationStarted(held))


def cost_of(d: Draft, ability: Ability, act: Act) -> Upkeep:
    """Nothing stated: the action that activated it; after an immediate action a swift one (CON-03).

    An attached ability, and an anytime act, take no action.
    """
    if ability.concentration != "same":
        return ability.concentration
    if ability.attaches or act.slot == "anytime":
        return "none"
    return d.rules.keeps_up_an_answer if act.slot == d.rules.answer_slot else act.slot  # type: ignore[return-value]


# ----------------------------------------------------------------------------------------------------------- sustaining
def due(table: Table, unit: UnitId) -> bool:
    """Its action has begun, and it has not been said yet whether it sustains."""
    held, budget = table.play.concentrations.get(unit), table.play.budgets.get(unit)
    return held is not None and budget is not None and held.round < budget.round


def payment(held: Concentration, budget: Budget) -> tuple[Paid, ...] | None:
    """What sustaining takes, converted actions where its own are gone; None where the unit cannot pay (CON-02)."""
    if held.cost == "none":
        return ()
    if held.cost == "free" and "free" not in budget.left:
        return None if held.kind in budget.free_kinds else (Paid("free", held.kind),)
    if held.cost == "all":  # bonus actions too; whatever is there
        return tuple(Paid("slot", slot, n) for slot, n in budget.left.items() if n > 0) or None
    taken, missing = paid_with(budget.left, COMBINED.get(held.cost, (held.cost,)))
    return None if missing else tuple(Paid("slot", slot) for slot in taken)


def at_start_of_action(d: Draft, id: UnitId, before: Budget) -> None:
    """Who cannot act, or has not the action it costs, cannot sustain. Else its owner decides before anything else."""
    held, unit = d.play.concentrations.get(id), d.play.units.get(id)
    if held is None:
        return
    if unit is None or not able(unit) or id in d.fight.ghosts:  # its place only counts the rounds of its effects
        lose(d, id, "cannot_act")
    elif payment(held, d.rules.next_budget(unit, before, d.house)) is None:
        lose(d, id, "cannot_pay")


def sustain(d: Draft, c: Sustain) -> None:
    """First thing in one's action; the action it costs is lost at once (CON-02)."""
    unit = d.own_unit(c.unit)
    held, budget = d.play.concentrations.get(unit.id), d.budget(unit.id)
    if d.fight.active != unit.id or held is None or budget is None:
        raise d.refuse("too_late")
    if not due(d.table, unit.id):
        raise d.refuse("no_change")
    paid = payment(held, budget)
    if paid is None:
        d.objection("no_action_left", unit.id, slot=held.cost)
    spend(d, unit, paid or ())
    d.emit(ev.ConcentrationSustained(unit.id, held.ability, budget.round))
    d.emit(ev.Acted(d.by.seat, d.world.version))


def lapse(d: Draft, unit: UnitId) -> None:
    """It does something else first, or ends its action: it has not sustained."""
    if due(d.table, unit):
        lose(d, unit, "not_sustained")


# --------------------------------------------------------------------------------------------------------------- ending
def drop(d: Draft, c: DropConcentration) -> None:
    """At any time; it makes room for another from the next round on (CON-04)."""
    unit = d.own_unit(c.unit)
    if unit.id not in d.play.concentrations:
        raise d.refuse("no_change")
    lose(d, unit.id, "dropped")


def lose(d: Draft, unit: UnitId, why: ev.ConcentrationWhy) -> None:
    """It ends, and with it all that lasted by it."""
    held = d.play.concentrations.get(unit)
    if held is None:
        return
    d.emit(ev.ConcentrationEnded(unit, held.ability, why))
    for effect in list(d.play.effects.values()):
        if effect.sustained and effect.by == unit:
            end(d, effect, "concentration")


def scene_changes(d: Draft, *, forced: bool) -> None:
    """It is sustained only within one scene (CON-05); none goes on where the ST ends what lasts (TIME-07)."""
    if forced or d.house.concentration_over_scenes == "ends":
        for unit in list(d.play.concentrations):
            lose(d, unit, "scene")


def lose_what_cannot_be_held(d: Draft) -> bool:
    """Dead or gone: at once. Who is only stunned loses it as its next action begins, outside a fight at once, too."""
    for id in d.play.concentrations:
        unit = d.play.units.get(id)
        if not alive(unit) or (d.play.fight is None and not able(unit)):
            lose(d, id, "cannot_act" if alive(unit) else "gone")
            return True
    return False
