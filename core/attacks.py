"""Attacks: the pool less the defence, extra successes of both sides, damage on the track (IMM-05, XS-07, XS-08).

How Defense works stands on pages we do not have: Base, Dodge and Parry are added up and taken from the attacker's pool
(house rule defense_from: from his successes), from which 0 or less is a chance die.
"""

from dataclasses import replace

from core import events as ev
from core.ability import alive
from core.dice.pool import Throw
from core.draft import Draft, owner
from core.effects import apply
from core.rolls import lessened, make_roll
from core.state import Ability, House, Orders, Pending, Pool, Unit, Visibility
from core.tracks import hurt
from core.windows import promised_elsewhere


def attack(d: Draft, pending: Pending, unit: Unit, ability: Ability | None) -> None:
    """One roll against each target that is left."""
    for target in targets_left(d, pending):
        strike(d, pending, unit, ability, target)


def targets_left(d: Draft, pending: Pending) -> list[Unit]:
    found = [d.play.units.get(id) for id in pending.act.targets]  # type: ignore[call-overload]
    return [unit for unit in found if unit is not None and alive(unit)]


def roll_first(d: Draft, pending: Pending) -> None:
    """Relaxed: the dice are on the table before the defence is declared, and lie there until it is (XS-10)."""
    unit = d.play.units[pending.actor]
    ability = unit.abilities.get(pending.act.ability)
    throws: dict[str, Throw] = {
        target.id: roll_against(d, pending, unit, ability, target) for target in targets_left(d, pending)
    }
    d.emit(ev.PendingEdited(replace(pending, throws=throws)))


def roll_against(d: Draft, pending: Pending, unit: Unit, ability: Ability | None, target: Unit) -> Throw:
    """A hidden attacker's rolls are the ST's alone."""
    pool = (ability.pool if ability else None) or Pool()
    defence = defence_against(d, pending, ability, target) if d.house.defense_from == "pool" else 0
    return make_roll(
        d,
        unit,
        pool,
        pending.act.kind,
        visibility="st" if unit.hidden else "open",
        more=(("modifier", pending.act.modifier), ("defense", -defence)),
        extra=unit.extras.get("attack", 0),
        pending=pending.id,
        target=target.id,
    )


def strike(d: Draft, pending: Pending, unit: Unit, ability: Ability | None, target: Unit) -> None:
    thrown = pending.throws.get(target.id) or roll_against(d, pending, unit, ability, target)
    less = spend_guard(d, pending, target)
    if d.house.defense_from != "pool":
        less += defence_against(d, pending, ability, target)
    if ability is not None and ability.area and ability.negate is not None:
        less += negated(d, pending, target, ability, "st" if unit.hidden else "open")
    successes = lessened(thrown, less)
    if successes <= 0:
        return
    track = ability.track if ability else "hp"
    if track:
        hurt(d, target.id, track, successes, unit.id)
    for applied in ability.applies if ability else ():
        apply(
            d,
            applied,
            by=unit.id,
            on=target.id if applied.to == "target" else unit.id,
            name=ability.name if ability else "",
        )


def defence_against(d: Draft, pending: Pending, ability: Ability | None, target: Unit) -> int:
    """An area attack is no matter of Defense."""
    if ability is not None and ability.area:
        return 0
    return defence_of(target, ability, fled=target.id in pending.fled)


def defence_of(target: Unit, ability: Ability | None, *, fled: bool) -> int:
    """Base + Dodge + Parry; whoever left the area by an interrupt has Base and Dodge doubled, never Parry (IMM-05)."""
    less = ability.high_speed if ability else 0
    base, dodge, parry = (max(0, n - less) for n in (target.base, target.dodge, target.parry))
    return (base + dodge) * (2 if fled else 1) + parry


def spend_guard(d: Draft, pending: Pending, target: Unit) -> int:
    """Defence extra successes promised, or the seat's default; lost until the unit's next action, used or wasted (XS-07).

    A promise counts in full: one for more than there is has been let through, and takes
    what there is. The default is no more than what is left.
    """
    budget = d.budget(target.id)
    there = budget.guard if budget else target.extras.get("defense", 0)
    seat = owner(d.table, target.id)
    default = (d.table.orders.get(seat) or Orders(seat)).guard
    free = max(0, there - promised_elsewhere(d.table, target.id, pending.id))
    spent = pending.guards.get(target.id, min(default, free))
    used = min(spent, there)
    if used and budget is not None and pending.id in d.play.pendings:
        d.emit(ev.GuardSpent(pending.id, target.id, used))
    return spent


def negated(d: Draft, pending: Pending, target: Unit, ability: Ability, visibility: Visibility) -> int:
    """What the target's own roll takes from an area attack; doubled where it left the area of a dodgeable one (IMM-05)."""
    assert ability.negate is not None
    thrown = make_roll(d, target, ability.negate, "negate", visibility=visibility, pending=pending.id)
    doubled = ability.dodgeable and target.id in pending.fled and doubles(d.house, ability)
    rolled = thrown.rolled * (2 if doubled else 1)
    return rolled + thrown.successes - thrown.rolled if rolled else 0


def doubles(house: House, ability: Ability) -> bool:
    """With damage_only an area attack that has an effect and no damage (no track) is not doubled."""
    return house.area_doubling == "damage_and_effect" or ability.track != ""
