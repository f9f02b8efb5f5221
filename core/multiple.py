"""Multiple actions: announced before the first, each on fewer dice (STY-03)."""

from collections.abc import Iterator

from core import attachments
from core import events as ev
from core.commands import Announce
from core.draft import Draft
from core.extras import strikes
from core.rolls import pool_parts
from core.state import ATTACKS, Act, Unit
from core.techniques import steps_of


def announce(d: Draft, c: Announce) -> None:
    """On one's own action, before the first; another number takes its place, 1 takes it back."""
    unit = d.own_unit(c.unit)
    most = d.rules.most_actions(unit)
    if most is None:
        raise d.refuse("not_in_this_game")
    if d.play.stack:
        raise d.refuse("window_open")
    fight, budget, slot = d.fight, d.budget(unit.id), d.rules.slots[0]
    if budget is None:
        raise d.refuse("not_in_fight", unit=unit.id)
    if c.n < 1:
        raise d.refuse("bad_value", n=c.n)
    if fight.active != unit.id:
        d.objection("not_your_action", unit.id)
    if slot in budget.spent or budget.left.get(slot, 0) + c.n < budget.announced:  # nothing is taken back that is gone
        raise d.refuse("too_late")
    if c.n == budget.announced:
        raise d.refuse("no_change")
    if c.n > max(1, most):
        d.objection("too_many_actions", unit.id, most=most)
    d.emit(ev.ActionsAnnounced(unit.id, c.n, c.n - budget.announced, slot))
    d.emit(ev.Acted(d.by.seat, d.world.version))


def fewer_dice(d: Draft, unit: Unit, act: Act) -> int:
    """Of each roll of the act, if it has any: as below, by the poorest."""
    return fewer_of(d, unit, act.slot, min(pools(unit, act), default=None))


def pools(unit: Unit, act: Act) -> Iterator[int]:
    """How many dice it is rolled with: each attack with its own weapon, each step of a Technique."""
    for one in steps_of(unit, act):
        named = unit.abilities.get(one.ability)
        used = {strike.weapon for strike in strikes(one, named)} if one.kind in ATTACKS else {one.ability}
        more = (("modifier", act.modifier), *attachments.dice(unit, one))
        for ability in (unit.abilities.get(name) for name in used):
            if ability is not None and ability.pool is not None:
                yield sum(n for _, n in pool_parts(unit, ability.pool, more))


def fewer_of(d: Draft, unit: Unit, kind: str, dice: int | None) -> int:
    """By how many dice this action, not yet paid, is poorer for being one of several; an objection where none is left.

    How many dice it has is its owner's to know, and some of them may be of what is attached, and sealed.
    """
    budget, slot = d.budget(unit.id), d.rules.slots[0]
    if budget is None or budget.announced < 2 or kind != slot:
        return 0
    nth = budget.spent.count(slot) + 1
    if nth > budget.announced:
        return 0
    fewer = d.rules.fewer_dice(nth)
    if dice is not None and dice <= fewer:
        d.objection("no_dice_left", unit.id, private=True, dice=dice, fewer=fewer)
    return fewer
