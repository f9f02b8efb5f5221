"""Attacks: the pool less the defence, extra successes of both sides, damage on the track (IMM-05, XS-03 to XS-10).

How Defense works stands on pages we do not have: Base, Dodge and Parry are added up and taken from the attacker's pool
(house rule defense_from: from his successes), from which 0 or less is a chance die.
"""

from dataclasses import replace

from core import attachments
from core import events as ev
from core.ability import alive
from core.dice.pool import Throw
from core.draft import Draft
from core.effects import apply
from core.extras import aims, shared_out, strikes, with_gain
from core.guards import base_against, spend_guard
from core.rolls import extra_successes, fewer, lessened, make_roll
from core.state import Ability, House, Pending, Pool, Strike, Unit, Visibility
from core.tracks import hurt


# ---------------------------------------------------------------------------------------------------- one after another
def attack(d: Draft, pending: Pending, unit: Unit) -> None:
    """One roll for each attack that has somebody to hit, in their order. Midway it may wait for a split (XS-05)."""
    split = declared_split(d, pending, unit)
    gained = pending.gained
    if gained:  # nobody has said how to split it: the next attack takes it
        split = with_gain(split, to_come(d, pending, split, pending.struck), [gained])
        gained = 0
    for k, aim in enumerate(aims(split)):
        target = standing(d, pending, split[k])
        if k < pending.struck or target is None:
            continue
        weapon = unit.abilities.get(split[k].weapon)
        if not strike(d, pending, unit, weapon, target, aim, split[k].extra or 0) or weapon is None or not weapon.gains:
            continue
        d.emit(ev.ExtrasGained(unit.id, weapon.gains, pending.id))
        if gained is not None:
            continue  # once per action, whatever gives it
        next_ones = to_come(d, pending, split, k + 1)
        if len(next_ones) > 1 and may_be_asked(d, pending, unit):
            act = replace(pending.act, split=split)
            now = d.play.pendings[pending.id]
            d.emit(ev.SplitAsked(replace(now, act=act, state="rolled", due=(), struck=k + 1, gained=weapon.gains)))
            return
        split, gained = with_gain(split, next_ones, [weapon.gains]), 0


def declared_split(d: Draft, pending: Pending, unit: Unit) -> tuple[Strike, ...]:
    """Each attack with its extra successes: as they stand when the first is rolled, whatever changes midway."""
    return shared_out(d, unit, strikes(pending.act, unit.abilities.get(pending.act.ability)))


def standing(d: Draft, pending: Pending, one: Strike) -> Unit | None:
    target = d.play.units.get(one.target)  # type: ignore[call-overload]
    return target if target is not None and alive(target) and one.target in pending.act.targets else None


def to_come(d: Draft, pending: Pending, split: tuple[Strike, ...], first: int) -> list[int]:
    """The attacks from `first` on that still have somebody to hit."""
    return [k for k, one in enumerate(split) if k >= first and standing(d, pending, one) is not None]


def may_be_asked(d: Draft, pending: Pending, unit: Unit) -> bool:
    """A hidden unit's owner is not asked: a window would tell that there is somebody. Its next attack takes it."""
    return pending.id in d.play.pendings and not unit.hidden and d.house.reaction_window_ms > 0


def roll_first(d: Draft, pending: Pending) -> None:
    """Relaxed: the dice are on the table before the defence is declared, and lie there until it is (XS-10)."""
    unit = d.play.units[pending.actor]
    split = declared_split(d, pending, unit)
    throws: dict[str, Throw] = {}
    for one, aim in zip(split, aims(split), strict=True):
        if (target := standing(d, pending, one)) is not None:
            weapon = unit.abilities.get(one.weapon)
            throws[aim] = roll_against(d, pending, unit, weapon, target, one.extra or 0)
    attachments.show(d, pending, unit)
    d.emit(ev.PendingEdited(replace(pending, act=replace(pending.act, split=split), throws=throws)))


# ----------------------------------------------------------------------------------------------------------- one attack
def roll_against(d: Draft, pending: Pending, unit: Unit, ability: Ability | None, target: Unit, extra: int) -> Throw:
    """With this many extra successes in all. By or at whom nobody may know of, it is no open roll (rolls.shown_to)."""
    pool = (ability.pool if ability else None) or Pool()
    defence = d.rules.defence(d, pending, ability, target) if d.house.defense_from == "pool" else 0
    return make_roll(
        d,
        unit,
        pool,
        pending.act.kind,
        more=(
            ("modifier", pending.act.modifier),
            *attachments.dice(unit, pending.act),
            *fewer(pending),
            ("defense", -defence),
        ),
        extra=extra - extra_successes(unit, pool),  # which make_roll adds by itself
        betters=attachments.betters(unit, pending.act),
        pending=pending.id,
        target=target.id,
    )


def strike(d: Draft, pending: Pending, unit: Unit, ability: Ability | None, target: Unit, aim: str, extra: int) -> bool:
    """One attack; whether it hits. On a miss neither its extra successes nor what a hit brings do anything (XS-08)."""
    thrown = pending.throws.get(aim)
    if thrown is None:
        thrown = roll_against(d, pending, unit, ability, target, extra)
    elif not thrown.chance or (ability and ability.pool and ability.pool.helps_chance):
        thrown = replace(thrown, extra=extra)  # gained since it was thrown
    less = spend_guard(d, pending, target, aim, ability) + target.takes_away
    if d.house.defense_from != "pool":
        less += d.rules.defence(d, pending, ability, target)
    if ability is not None and ability.area and ability.negate is not None:
        less += negated(d, pending, target, ability, "st" if unit.hidden else "open")
    successes = lessened(thrown, less)
    if successes <= 0:
        return False
    track = ability.track if ability else "hp"
    if track:
        hurt(d, target.id, track, successes, unit.id)
    for source in (*([ability] if ability else []), *attachments.attached(unit, pending.act)):
        for applied in source.applies:
            on = target.id if applied.to == "target" else unit.id
            apply(d, applied, by=unit.id, on=on, name=source.name, sustained=bool(source.concentration))
    return True


def defence_against(d: Draft, pending: Pending, ability: Ability | None, target: Unit) -> int:
    """Base + Dodge + Parry, each less High Speed; an area attack is no matter of Defense.

    Whoever left the area by an interrupt has Base and Dodge doubled, never Parry (IMM-05); an all-out attack gives all up.
    """
    budget = d.budget(target.id)
    if (ability is not None and ability.area) or (budget is not None and budget.all_out):
        return 0
    less = ability.high_speed if ability else 0
    dodge, parry = (max(0, n - less) for n in (target.dodge, target.parry))
    base = base_against(d.table, target, ability)
    return (base + dodge) * (2 if target.id in pending.fled else 1) + parry


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
