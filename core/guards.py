"""Defence extra successes: what a unit has against an attack, promises and spends (XS-07 to XS-10).

Those of Legendary Dexterity and Legendary Perception are lost while its Base Defense against the attack is 0 (XS-09).
"""

from core import events as ev
from core.ability import able
from core.draft import Draft, owner
from core.extras import target_of
from core.state import Ability, Budget, Orders, Pending, Table, Unit

LEGENDARY = ("legendary_dexterity", "legendary_perception")
"""A unit's extras of these names are defence extra successes too."""


def legendary(unit: Unit) -> int:
    return sum(unit.extras.get(name, 0) for name in LEGENDARY)


def guard(unit: Unit) -> int:
    """All of a unit's defence extra successes, as it has them from the start of its action."""
    return unit.extras.get("defense", 0) + legendary(unit)


# ------------------------------------------------------------------------------------------------------ Base Defense
def base_against(table: Table, target: Unit, ability: Ability | None) -> int:
    """Base Defense against an attack: less High Speed, and what the target's own charge or several attacks cost."""
    budget = table.play.budgets.get(target.id)
    if budget is not None and budget.all_out:
        return 0
    return max(0, target.base - (budget.base_less if budget else 0) - (ability.high_speed if ability else 0))


# -------------------------------------------------------------------------------------------------------- what is left
def left(table: Table, target: Unit, pending: Pending, aim: str) -> int:
    """What can be promised against this attack: what is left, less the promises against all others (S7).

    Without Base Defense of its own it has no legendary ones. What the attack's High Speed takes is seen at the roll
    alone: how fast an attack is, is for its owner and the ST to know.
    """
    there, ordinary = _there(table, target)
    free = there if base_against(table, target, None) else ordinary
    return max(0, free - _promised(table, target, pending, aim))


def _there(table: Table, target: Unit) -> tuple[int, int]:
    """All that is left, and how many of these are not legendary. Outside a fight nothing is ever spent."""
    budget = table.play.budgets.get(target.id) or Budget(target.id, guard=guard(target), legendary=legendary(target))
    return budget.guard, budget.guard - budget.legendary


def _promised(table: Table, target: Unit, but: Pending, but_aim: str) -> int:
    """What is promised against all other attacks on it."""
    return sum(
        n
        for pending in table.play.pendings.values()
        for aim, n in pending.guards.items()
        if target_of(aim) == target.id and (pending.id, aim) != (but.id, but_aim)
    )


# ------------------------------------------------------------------------------------------------------------ the roll
def spend_guard(d: Draft, pending: Pending, target: Unit, aim: str, weapon: Ability | None) -> int:
    """What is promised, or the seat's default; lost until the unit's next action, used or wasted (XS-07).

    No more than is there against this attack: High Speed may leave no Base Defense (XS-09). One for more that was let
    through counts in full, and takes what there is. The default, like any standing order, does nothing
    for a unit that cannot act, and nothing against what was never seen (IMM-01, TBL-04).
    """
    there, ordinary = _there(d.table, target)
    without_base = base_against(d.table, target, weapon) == 0
    most = ordinary if without_base else there
    seat = owner(d.table, target.id)
    meets = able(target) and pending.id in d.play.pendings
    default = (d.table.orders.get(seat) or Orders(seat)).guard if meets else 0
    spent = pending.guards.get(aim, min(default, left(d.table, target, pending, aim)))
    if aim not in pending.beyond:
        spent = max(0, min(spent, most))
    used = min(spent, there)
    if used and d.budget(target.id) is not None and pending.id in d.play.pendings:
        of_legends = max(0, used - ordinary) if without_base else min(used, there - ordinary)
        d.emit(ev.GuardSpent(pending.id, target.id, used, aim, of_legends))
    return spent
