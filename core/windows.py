"""Reaction windows as questions: who is asked, who has settled, when one is due. Nothing here changes anything.

Who may answer follows from what is public, never from what someone secretly holds; "settled" is computed, never stored.
"""

from collections.abc import Iterable

from core.ability import publicly_able, seems_able, taking_part
from core.draft import owner
from core.ids import ST, SeatId
from core.rules import rules_of
from core.state import ATTACKS, Ability, Clock, House, Orders, Pending, Slot, Table, Unit, Window

NO_ORDERS = Orders(ST)
WORTH_A_WINDOW = ATTACKS | {"cast"}
"""Free acts open no window unless they are one of these."""


def units_of(table: Table, seat: str) -> list[Unit]:
    """The units for whose sake a seat is waited for. No hidden one of the STs: a window would tell of it (TBL-04)."""
    units = table.play.units.values()
    return [unit for unit in units if owner(table, unit.id) == seat and not (seat == ST and unit.hidden)]


def candidates(table: Table) -> Iterable[Unit]:
    """Units that, as far as all can see, could react: in the fight if there is one, else on stage."""
    there = taking_part(table)
    return [unit for unit in table.play.units.values() if publicly_able(unit) and unit.id in there]


def asked(table: Table, pending: Pending, kind: str) -> tuple[SeatId, ...]:
    """The seats this question is put to: all with a publicly able unit but the declaring one (interrupts.md 3).

    A defence is its targets' owners' to declare, a gain midway the attacker's to split.
    """
    if kind == "gain":
        return (owner(table, pending.actor),)
    if kind == "defence":
        targets = [table.play.units.get(t) for t in pending.act.targets]  # type: ignore[call-overload]
        return tuple(sorted({owner(table, u.id) for u in targets if u is not None and u.on_stage and not u.hidden}))
    found = {owner(table, unit.id) for unit in candidates(table)}
    if table.house.st_asked == "always" and not gone(table, ST):
        found.add(ST)
    return tuple(sorted(found - {owner(table, pending.actor)}))


def has_window(house: House, pending: Pending) -> bool:
    """Whether this kind of act waits at all; the others are opened and closed in one command."""
    act = pending.act
    if house.reaction_window_ms == 0 or act.kind in house.no_window:
        return False
    return act.slot != "free" or act.kind in WORTH_A_WINDOW or pending.interrupts


def lengths(table: Table, dwell_ms: int) -> tuple[int, int]:
    """(floor, deadline) of a whole clock, ms after opening."""
    house = table.house
    full = longer(table, house.reaction_window_ms)
    if house.window_mode == "fixed":
        return full, full
    dwell = dwell_ms if house.window_mode == "bluff" else 0
    return min(full, house.reaction_floor_ms + dwell), full


def longer(table: Table, ms: int) -> int:
    """A length for this table: where the ST gave a seat more time all have it, whoever is asked, here or seated.

    Were it longer only where that seat is asked, anybody could tell whose need it is.
    """
    return ms * max((100, *table.paces.values())) // 100


def whole_clock(table: Table, now: int, dwell_ms: int, asks: bool) -> Clock:
    if not asks:
        floor = full = grace = 0
    else:
        (floor, full), grace = lengths(table, dwell_ms), table.house.grace_ms
    if table.play.held:
        return Clock(False, floor, full, grace)
    return Clock(True, now + floor, now + full, grace)


# ------------------------------------------------------------------------------------------------------------- settled
def settled(table: Table, pending: Pending, window: Window, here: frozenset[SeatId]) -> bool:
    """Nobody's answer is awaited any more."""
    if table.house.window_mode == "fixed" and window.asked:
        return all(gone(table, seat) for seat in window.asked)
    return all(seat_settled(table, pending, window, seat, here) for seat in window.asked)


def seat_settled(table: Table, pending: Pending, window: Window, seat: SeatId, here: frozenset[SeatId]) -> bool:
    if seat in window.passed or gone(table, seat):
        return True
    if table.house.absent == "pass" and seat not in here:
        return True
    if window.kind == "gain":
        return not pending.gained
    always = seat == ST and table.house.st_asked == "always"
    if (
        window.kind in ("before", "after")
        and not always
        and not any(owner(table, u.id) == seat for u in candidates(table))
    ):
        return True
    return orders_pass(table, pending, seat)


def gone(table: Table, seat: SeatId) -> bool:
    """It was given up or revoked, so nobody can sit there. Whose invitation has run out is away, as after any lost line."""
    if seat == ST:
        return not any(found.role == "st" and found.key is not None for found in table.seats.values())
    found = table.seats.get(seat)
    return found is None or found.key is None


def orders_pass(table: Table, pending: Pending, seat: SeatId) -> bool:
    """What the seat's standing order says to this act: True where it passes."""
    kinds = table.orders.get(seat, NO_ORDERS).kinds
    order = kinds.get(pending.act.kind) or kinds.get("*") or "concerns_me"
    if order == "ask":
        return False
    if order == "pass":
        return True
    if is_target(table, pending, seat):
        return False
    return order == "unless_target" or not concerns(table, pending, seat)


def is_target(table: Table, pending: Pending, seat: SeatId) -> bool:
    return any(unit.id in pending.act.targets for unit in units_of(table, seat))


def concerns(table: Table, pending: Pending, seat: SeatId) -> bool:
    """A readied action of the seat's matched, or one of its units holds an ability that fits this act."""
    rules = rules_of(table.house)
    matched = {table.play.readied[r].unit for r in pending.due if r in table.play.readied}
    return any(
        unit.id in matched
        or (seems_able(unit) and any(rules.answers(ability, pending.act.kind) for ability in unit.abilities.values()))
        for unit in units_of(table, seat)
    )


def answers(ability: Ability, kind: str, slot: Slot) -> bool:
    """Whether it is there to answer such an act, by this kind of action; "attack" is any attack."""
    if slot not in ability.slots:
        return False
    attack = kind in ATTACKS and (not ability.answers or "attack" in ability.answers)
    return attack or kind in ability.answers or "*" in ability.answers


# ----------------------------------------------------------------------------------------------------------------- due
def top(table: Table) -> tuple[Pending, Window] | None:
    if not table.play.stack:
        return None
    pending = table.play.pendings[table.play.stack[-1]]
    return pending, table.play.windows[pending.window]


def due(table: Table, now: int, here: frozenset[SeatId]) -> bool:
    """Whether the top window's time has come: its floor with all settled, or the end of its grace.

    In the grace it closes for nobody's pass: that an answer came late would show.
    """
    found = top(table)
    if found is None or table.play.held:
        return False
    pending, window = found
    clock = window.clock
    if clock is None or not clock.running:
        return False
    if now >= clock.deadline:
        return now >= clock.deadline + clock.grace
    return now >= clock.floor and settled(table, pending, window, here)
