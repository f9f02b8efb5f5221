"""Attacks: the pool less the defence, extra successes of both sides, damage on the track (IMM-05, XS-07, XS-08).

How Defense works stands on pages we do not have: Base, Dodge and Parry are added up and taken from the attacker's pool
(house rule defense_from: from his successes), from which 0 or less is a chance die.
"""

from core import events as ev
from core.ability import alive
from core.draft import Draft, owner
from core.effects import apply
from core.rolls import lessened, make_roll
from core.state import Ability, House, Orders, Pending, Pool, Unit, Visibility
from core.tracks import hurt
from core.windows import promised_elsewhere


def attack(d: Draft, pending: Pending, unit: Unit, ability: Ability | None) -> None:
    """One roll against each target that is left; a hidden attacker's rolls are the ST's alone."""
    visibility: Visibility = "st" if unit.hidden else "open"
    for id in pending.act.targets:
        target = d.play.units.get(id)  # type: ignore[call-overload]
        if target is not None and alive(target):
            strike(d, pending, unit, ability, target, visibility)


def strike(
    d: Draft, pending: Pending, unit: Unit, ability: Ability | None, target: Unit, visibility: Visibility
) -> None:
    pool = (ability.pool if ability else None) or Pool()
    area = ability is not None and ability.area
    defence = 0 if area else defence_of(target, ability, fled=target.id in pending.fled)
    from_pool = d.house.defense_from == "pool"
    more = (("modifier", pending.act.modifier), ("defense", -defence if from_pool else 0))
    thrown = make_roll(
        d,
        unit,
        pool,
        pending.act.kind,
        visibility=visibility,
        more=more,
        extra=unit.extras.get("attack", 0),
        pending=pending.id,
        target=target.id,
    )
    guard = spend_guard(d, pending, target)
    less = guard + (0 if from_pool else defence)
    if ability is not None and ability.area and ability.negate is not None:
        less += negated(d, pending, target, ability, visibility)
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
