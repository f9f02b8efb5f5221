"""What an act costs: actions, conversion, free acts, immediate actions and what they leave owing (ACT, IMM-02, RDY-03).

Outside a fight nothing is spent or owed (TIME-09).
"""

from collections.abc import Mapping

from core import events as ev
from core.attachments import used
from core.draft import Draft
from core.guards import guard, legendary
from core.state import Ability, Act, Budget, House, Paid, Slot, Unit
from core.techniques import steps_of

FULL = {"swift": 1, "move": 1, "standard": 1}
RANK = ("swift", "move", "standard")
"""Conversion goes downwards only: standard into move, move into swift (ACT-05)."""
COMBINED = {"full_round": ("standard", "move"), "full_turn": ("standard", "move", "swift")}
LET_OFF = 0
"""How much was paid where there was nothing to pay with and it was let through: a refund gives as much back."""
READY_SLOTS: tuple[Slot, ...] = ("free", "swift", "move", "standard")
UNCOUNTED = frozenset({"speak"})
"""Free acts that count neither against their kind nor the cap (ACT-03, ACT-04)."""


# ------------------------------------------------------------------------------------------- what a unit has in a round
def swifts(unit: Unit) -> int:
    return max(0, FULL["swift"] + unit.bonus.get("swift", 0))


def immediates(unit: Unit, house: House) -> int:
    """Immediate actions of a round: one, or what an ability gives (IMM-02); earlier edition: as many as swifts (IMM-03)."""
    most = max((a.immediates for a in unit.abilities.values()), default=0)
    if house.immediate_cost == "one_swift":
        return swifts(unit) + max(0, most - 1)
    return max(1, most)


def first_budget(unit: Unit, house: House) -> Budget:
    """Before its first action of the fight a unit has a round of its own: no actions yet, its immediate action (IMM-02)."""
    return Budget(unit.id, immediates=immediates(unit, house), guard=guard(unit), legendary=legendary(unit))


def next_budget(unit: Unit, before: Budget, house: House) -> Budget:
    """The budget of the action that begins: a whole round less what is owed, and the debts are gone."""
    left = {slot: FULL[slot] + unit.bonus.get(slot, 0) for slot in RANK}
    kinds = []
    if "all_swift" in before.debts:
        left["swift"] = 0
    for debt in before.debts:
        if debt == "one_swift":
            left["swift"] -= 1
        elif debt in left:
            left[debt] -= 1
        elif debt.startswith("free:"):
            kinds.append(debt.removeprefix("free:"))
    return Budget(
        unit.id,
        round=before.round + 1,
        left={slot: max(0, n) for slot, n in left.items()},
        free_kinds=tuple(kinds),
        immediates=immediates(unit, house),
        guard=guard(unit),
        legendary=legendary(unit),
    )


# ------------------------------------------------------------------------------------------------------------ the price
def price(d: Draft, unit: Unit, act: Act, ability: Ability | None) -> tuple[Paid, ...]:
    """What a declared act costs its unit, or an objection. Spends nothing itself."""
    budget = d.budget(unit.id)
    if budget is None or act.slot == "anytime":
        return ()
    if act.slot == "free":
        return _free(d, unit, budget, act, ability)
    if d.fight.active != unit.id and not any(budget.left.values()):
        d.objection("not_your_action", unit.id)
    if act.slot in COMBINED:
        return _combined(d, unit, budget.left, act.slot)
    return (_single(d, unit, budget.left, act),)


def _single(d: Draft, unit: Unit, left: Mapping[str, int], act: Act) -> Paid:
    slot = act.slot
    pay = act.pay or slot
    if pay not in RANK or RANK.index(pay) < RANK.index(slot):
        d.objection("cannot_convert", unit.id, pay=pay, slot=slot)
        pay = slot
    if left.get(pay, 0) < 1:
        could = [higher for higher in RANK[RANK.index(slot) :] if left.get(higher, 0) > 0]
        d.objection("no_action_left", unit.id, slot=pay, convertible=could)
        return Paid("slot", pay, LET_OFF)
    return Paid("slot", pay)


def _combined(d: Draft, unit: Unit, left: Mapping[str, int], slot: str) -> tuple[Paid, ...]:
    """Move and standard (and swift) together (ACT-06, ACT-07)."""
    taken, missing = paid_with(left, COMBINED[slot])
    if missing:
        d.objection("no_action_left", unit.id, slot=slot, missing=missing)
    return (*(Paid("slot", pay) for pay in taken), *(Paid("slot", part, LET_OFF) for part in missing))


def paid_with(left: Mapping[str, int], parts: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """(what these actions are paid with, a converted one where there is one to spare; what cannot be paid)."""
    spare = dict(left)
    taken = []
    missing = []
    for part in parts:
        ways = RANK[RANK.index(part) :] if part in RANK else (part,)
        pay = next((s for s in ways if spare.get(s, 0) > 0), None)
        if pay is None:
            missing.append(part)
        else:
            spare[pay] -= 1
            taken.append(pay)
    return taken, missing


def _free(d: Draft, unit: Unit, budget: Budget, act: Act, ability: Ability | None) -> tuple[Paid, ...]:
    """Any number on one's own action, one for the same kind of act, under the ST's cap (ACT-03, ACT-04)."""
    if act.kind in UNCOUNTED:
        return ()
    if d.fight.active != unit.id and not (ability and ability.outside):
        d.objection("not_your_action", unit.id)
    if act.kind in budget.free_kinds:
        d.objection("same_kind_of_act", unit.id, kind=act.kind)
    cap = d.house.free_action_cap
    if cap is not None and budget.free_used >= cap:
        d.objection("free_action_cap", unit.id, cap=cap)
    return (Paid("free", act.kind),)


def immediate_price(d: Draft, unit: Unit, ability: Ability | None) -> tuple[Paid, ...]:
    """One of the round's immediate actions; what is lost next round is no price and never refused for (IMM-02, IMM-03)."""
    budget = d.budget(unit.id)
    if budget is None:
        return ()
    if budget.immediates < 1:
        d.objection("no_immediate_left", unit.id)
    n = LET_OFF if budget.immediates < 1 else 1
    return (Paid("immediate", n=n, owed=_immediate_debt(d.house, unit, budget, ability)),)


def _immediate_debt(house: House, unit: Unit, budget: Budget, ability: Ability | None) -> str:
    if ability is not None and ability.keeps_swift:
        return ""
    if house.immediate_cost == "all_swift":
        return "all_swift"
    return "one_swift" if budget.debts.count("one_swift") < swifts(unit) else ""


def exposure(d: Draft, unit: Unit, act: Act) -> tuple[Paid, ...]:
    """What an act costs its unit's own defence until its next action: a charge, several attacks, all-out (XS-09).

    Nothing where no actions are counted: what was not paid must not be given back later, in a fight it has joined since.
    """
    if d.budget(unit.id) is None:
        return ()
    abilities = [ability for one in steps_of(unit, act) for ability in used(unit, one)]
    less = sum(ability.lowers_base for ability in abilities)
    lowered = (Paid("base", n=less),) if less else ()
    return (*lowered, Paid("all_out")) if any(ability.all_out for ability in abilities) else lowered


def readied_debt(act: Act) -> str:
    """The kind of action readied is borrowed from the next round (RDY-03); a free act borrows its kind."""
    return f"free:{act.kind}" if act.slot == "free" else act.slot


# --------------------------------------------------------------------------------------------------------- the spending
def spend(d: Draft, unit: Unit, paid: tuple[Paid, ...]) -> None:
    if paid and d.budget(unit.id) is not None:
        d.emit(ev.CostSpent(unit.id, paid))


def refund(d: Draft, unit_id: str, paid: tuple[Paid, ...]) -> None:
    """All of it comes back: slots, the immediate, the debt; a used readied action is armed again unless it has run out."""
    for entry in paid:
        if entry.kind == "readied" and entry.what in d.play.readied:
            d.emit(ev.ReadiedArmed(entry.what))  # type: ignore[arg-type]
    unit = d.play.units.get(unit_id)  # type: ignore[call-overload]
    if paid and unit is not None and d.budget(unit.id) is not None:
        d.emit(ev.CostRefunded(unit.id, paid))
