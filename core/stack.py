"""The stack: something goes on top, what it lies on is covered, and the question is put (interrupts.md 2 to 4)."""

from dataclasses import replace

from core import events as ev
from core.carry_out import carry_out_or_fault
from core.draft import Draft, owner, sees
from core.economy import refund
from core.ids import ST, PendingId, WindowId
from core.recheck import pardoned
from core.state import ATTACKS, SOME_TIME_MS, Act, Opened, Paid, Pending, Readied, Table, Trigger, Unit, Window
from core.techniques import steps_of
from core.windows import asked, whole_clock

MORE_FOR_A_UNIT = 4
"""A quarter as many windows more for each further unit that a seat has in the fight."""


def push(
    d: Draft,
    unit: Unit,
    act: Act,
    paid: tuple[Paid, ...] = (),
    *,
    parent: Pending | None = None,
    interrupts: bool = False,
    noticed: bool = False,
    fewer_dice: int = 0,
) -> None:
    """A declared act goes on the very top. Anytime acts, and what a hidden unit does unnoticed, cover nothing."""
    steps = steps_of(unit, act)
    pending = Pending(
        PendingId(d.make()),
        unit.id,
        steps[0],
        WindowId(""),
        parent=parent.id if parent else None,
        paid=paid,
        noticed=noticed,
        interrupts=interrupts,
        fewer_dice=fewer_dice,
        technique="" if steps[0] is act else act.ability,
        to_come=steps[1:],
    )
    pending = pardoned(d, pending)
    if act.slot == "anytime" or (unit.hidden and not noticed):
        refuse_while_held(d, unit)
        d.emit(ev.ActedAtOnce(pending))
        if not all(carry_out_or_fault(d, replace(pending, act=one)) for one in steps):
            refund(d, unit.id, paid)
        return
    refuse_if_too_often(d, pending)
    below = d.top()
    if below is not None:
        d.emit(ev.WindowCovered(below.window))
    d.emit(ev.ActionDeclared(pending))
    put_the_question(d, pending)


def put_the_question(d: Draft, pending: Pending) -> None:
    """Of an action, or of a step of it: what has been readied for it is matched before the window opens."""
    for readied in sorted(d.play.readied.values(), key=lambda r: r.since):
        if matches(d.table, readied, pending):
            d.emit(ev.ReadiedMatched(pending.id, readied.id))
    open_window(d, d.play.pendings[pending.id], "before")


def next_step(d: Draft, pending: Pending) -> None:
    """A step is done; the next waits in a window of its own, for a new question (ATT-02; interrupts.md 6)."""
    following = replace(
        pending,
        act=pending.to_come[0],
        to_come=pending.to_come[1:],
        step=pending.step + 1,
        state="waiting",
        guards={},
        throws={},
        fled=(),
        due=(),
        struck=0,
        gained=None,
        beyond=(),
    )
    d.emit(ev.StepCarriedOut(following, pending.act.kind))
    put_the_question(d, following)


def refuse_if_full(d: Draft) -> None:
    """Never waived: with `enforce: warn` there would be no end to it (S9)."""
    if len(d.play.stack) >= d.house.stack_depth:
        raise d.refuse("stack_full", depth=d.house.stack_depth)


def refuse_if_too_often(d: Draft, pending: Pending) -> None:
    """Nobody keeps all others waiting with act after act (interrupts.md 3). The ST may, and may let it through."""
    seat, fight, most = owner(d.table, pending.actor), d.play.fight, d.house.windows_per_turn
    if not most or seat == ST or d.is_st or d.by.st or d.permitted:
        return
    opened = d.play.opened.get(seat, Opened())
    if fight is not None:
        more = sum(owner(d.table, unit) == seat for unit in fight.order) - 1
        most += max(0, more) * -(-most // MORE_FOR_A_UNIT)
    elif d.now - opened.since >= SOME_TIME_MS:
        return
    if opened.n < most or not d.rules.has_window(d.house, pending):
        return
    if asked(d.table, pending, d.rules.asks):
        raise d.refuse("others_first", most=most, fight=fight is not None)


def refuse_while_held(d: Draft, unit: Unit) -> None:
    """Nothing is done at once in a held table but by the ST, or by the hidden unit in whose action it is held."""
    fight = d.play.fight
    its_own = fight is not None and fight.veiled and fight.active == unit.id
    if d.play.held and not (d.is_st or d.permitted or its_own):
        raise d.refuse("held")


# ------------------------------------------------------------------------------------------------------------- asking
def open_window(d: Draft, pending: Pending, kind: ev.WindowKind) -> None:
    """The question is put for the first time; nobody to ask, or an act without a window: length 0."""
    d.emit(ev.WindowOpened(question(d, pending, Window(WindowId(d.fresh()), pending.id, kind=kind))))


def ask_again(d: Draft, pending: Pending) -> None:
    """Nobody has passed, all are asked anew with a whole clock: the question has changed."""
    window = d.window_of(pending)
    d.emit(ev.WindowAsked(question(d, pending, replace(window, gen=window.gen + 1, passed=(), restarted=False))))


def question(d: Draft, pending: Pending, window: Window) -> Window:
    who = asked(d.table, pending, window.kind)
    if window.kind in ("before", "after") and not (
        window.kind == d.rules.asks and d.rules.has_window(d.house, pending)
    ):
        who = ()
    return replace(window, asked=who, clock=whole_clock(d.table, d.now, d.world.dwell_ms, bool(who)))


# ------------------------------------------------------------------------------------------------------------ triggers
def matches(table: Table, readied: Readied, pending: Pending) -> bool:
    """Whether this declaration is what a readied action waits for: not its owner's act, nor in its owner's action."""
    if readied.state != "armed" or readied.trigger is None or readied.unit == pending.actor:
        return False
    if table.play.fight is not None and table.play.fight.active == readied.unit:
        return False
    if not knows(table, readied, pending.actor) and _by_actor(readied.trigger):
        return False
    return all(fits(table, readied, pending) for fits in TRIGGER_PARTS)


def knows(table: Table, readied: Readied, unit: str) -> bool:
    """Whether the readied action's owner may know of the unit: by a masked actor nothing of the actor is matched."""
    found = table.play.units.get(unit)  # type: ignore[call-overload]
    return found is not None and sees(table, owner(table, readied.unit), found)


def _by_actor(trigger: Trigger) -> bool:
    return bool(trigger.actor or trigger.side or trigger.ability)


def act_fits(table: Table, readied: Readied, pending: Pending) -> bool:
    want = _trigger(readied).act
    return want in ("", pending.act.kind) or (want == "attack" and pending.act.kind in ATTACKS)


def actor_fits(table: Table, readied: Readied, pending: Pending) -> bool:
    return _trigger(readied).actor in ("", pending.actor)


def target_fits(table: Table, readied: Readied, pending: Pending) -> bool:
    want = _trigger(readied).target
    return not want or (readied.unit if want == "self" else want) in pending.act.targets


def side_fits(table: Table, readied: Readied, pending: Pending) -> bool:
    want = _trigger(readied).side
    units = table.play.units
    actor, me = units.get(pending.actor), units.get(readied.unit)
    if not want or actor is None or me is None:
        return not want
    return {"ally": actor.side == me.side, "enemy": actor.side != me.side}.get(want, actor.side == want)


def ability_fits(table: Table, readied: Readied, pending: Pending) -> bool:
    return _trigger(readied).ability in ("", pending.act.ability, *([pending.technique] if pending.technique else []))


TRIGGER_PARTS = (act_fits, actor_fits, target_fits, side_fits, ability_fits)


def _trigger(readied: Readied) -> Trigger:
    return readied.trigger or Trigger()
