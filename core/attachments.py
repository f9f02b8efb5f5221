"""Abilities that are attached to an action: they take no action themselves, one to each action, if it fits (ATT-01).

What it brings: dice on the action's own roll and a better again level (its pool's modifier, and `betters`), and what it
puts on those whom the action hits.
"""

from collections.abc import Iterator

from core import events as ev
from core.draft import Draft
from core.state import ATTACKS, Ability, Act, Pending, Unit
from core.techniques import steps_of


def fits(unit: Unit, act: Act, attachment: Ability) -> bool:
    """Whether the action is all that the attachment asks for: of that kind, and with these traits."""
    ability = unit.abilities.get(act.ability)
    words = {act.kind, *(ability.traits if ability else ())}
    if act.kind in ATTACKS:
        words.add("attack")
    if ability is not None and ability.all_out:
        words.add("all_out")
    return words.issuperset(attachment.attaches)


def object_to_attached(d: Draft, unit: Unit, act: Act) -> None:
    """On each action of the act at most one, and one that fits it (ATT-01, ATT-02). Sealed until the roll."""
    for one in steps_of(unit, act):
        if len(one.attached) > 1:
            d.objection("one_attachment", unit.id, private=True, attached=list(one.attached))
        for name in one.attached:
            attachment = unit.abilities.get(name)
            if attachment is None or not attachment.attaches:
                d.objection("ability_required", unit.id, private=True, ability=name, slot=one.slot)
            elif not fits(unit, one, attachment):
                d.objection("attachment_mismatch", unit.id, private=True, ability=name, needs=list(attachment.attaches))


def attached(unit: Unit, act: Act) -> Iterator[Ability]:
    """Those that are still there; one that is gone falls away alone (interrupts.md 7)."""
    return (unit.abilities[name] for name in act.attached if name in unit.abilities)


def used(unit: Unit, act: Act) -> Iterator[Ability]:
    """All abilities that take part in one action: its own, and what is attached to it."""
    if act.ability in unit.abilities:
        yield unit.abilities[act.ability]
    yield from attached(unit, act)


def dice(unit: Unit, act: Act) -> tuple[tuple[str, int], ...]:
    """What each brings to the action's roll, by its name."""
    return tuple((one.name, one.pool.modifier) for one in attached(unit, act) if one.pool is not None)


def betters(unit: Unit, act: Act) -> int:
    """The steps by which they better the again level of the action's roll (DICE-02)."""
    return sum(one.pool.betters for one in attached(unit, act) if one.pool is not None)


def show(d: Draft, pending: Pending, unit: Unit) -> None:
    """Sealed until the roll; from now on all may know of them (interrupts.md 6)."""
    names = tuple(one.name for one in attached(unit, pending.act))
    if names:
        d.emit(ev.AbilitiesAttached(pending.id, unit.id, pending.act.kind, names))
