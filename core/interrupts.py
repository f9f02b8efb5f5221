"""Declaring, and answering what was declared: act, react, pass, defend, more time (ACT, IMM; interrupts.md 2 and 3)."""

from dataclasses import replace
from typing import Any

from core import events as ev
from core.ability import UNABLE, barred, in_fight, legal_targets, moves
from core.attachments import object_to_attached
from core.attacks import to_come
from core.commands import Declare, Defend, MoreTime, Pass, React, SplitGain, Withdraw
from core.concentration import lapse, object_if_concentrating
from core.draft import Draft, owner, sees
from core.economy import UNCOUNTED, exposure, spend
from core.extras import aim, aims, object_to_attacks, object_to_split, strikes, with_gain
from core.guards import left
from core.ids import WindowId
from core.multiple import fewer_dice
from core.refusals import Refused
from core.rolls import check_again
from core.stack import push, refuse_if_full
from core.state import ATTACKS, Ability, Act, Pending, Unit
from core.techniques import needs_target, said_of, steps_of


# ---------------------------------------------------------------------------------------------------------- declaring
def declare(d: Draft, c: Declare) -> None:
    """On its own action, or with single actions it was granted; an anytime act at any moment (ACT-08)."""
    unit = d.own_unit(c.unit)
    anytime = c.act.slot == "anytime"
    if c.act.slot not in d.rules.slots:
        raise d.refuse("not_in_this_game", slot=c.act.slot, accepted=list(d.rules.slots))
    if c.act.slot == d.rules.answer_slot:
        raise d.refuse("bad_value", slot=c.act.slot)
    covers = not anytime and (not unit.hidden or (c.noticed and d.is_st))
    if d.play.stack and covers:
        raise d.refuse("window_open")
    if not anytime and c.act.kind not in UNCOUNTED:
        lapse(d, unit.id)
    act, ability = ready_to_do(d, unit, c.act)
    if anytime and ability is None:
        d.objection("ability_required", unit.id, slot="anytime")
    paid = d.rules.price(d, unit, act, ability) + exposure(d, unit, act)
    fewer = fewer_dice(d, unit, act)
    spend(d, unit, paid)
    push(d, unit, act, paid, noticed=c.noticed and d.is_st, fewer_dice=fewer)
    d.emit(ev.Acted(d.by.seat, d.world.version))


def ready_to_do(d: Draft, unit: Unit, act: Act) -> tuple[Act, Ability | None]:
    """Whatever is done: its unit is there and can act, the ability allows it, there is somebody to aim at."""
    if not unit.on_stage:
        raise d.refuse("off_stage", unit=unit.id)
    if d.play.fight is not None and not in_fight(d.table, unit.id):
        d.objection("not_in_fight", unit.id)
    object_if_unable(d, unit)
    ability = ability_for(d, unit, act)
    if ability is not None:
        act = replace(act, kind=ability.act)
    object_to_attached(d, unit, act)
    steps = steps_of(unit, act)
    object_if_concentrating(d, unit, steps)
    if ability is None or not ability.steps:
        return action_ready(d, unit, act, ability), ability
    done = [action_ready(d, unit, one, step_ability(d, unit, one)) for one in steps]
    return replace(act, targets=(), steps=said_of(done)), ability


def action_ready(d: Draft, unit: Unit, act: Act, ability: Ability | None) -> Act:
    """One action, of a Technique or by itself: nothing bars it, and there is somebody to aim at."""
    word = barred(unit, act)
    if word:
        object_for(d, unit, word, "barred", kind=act.kind, condition=word)
    object_to_moving(d, unit, act, ability)
    for pool in (ability.pool, ability.negate) if ability else ():
        if pool is not None:
            check_again(d, pool, unit, private=True)
    act = with_legal_targets(d, unit, aimed_one_by_one(d, act), ability)
    object_to_extras(d, unit, act, ability)
    return act


def object_to_moving(d: Draft, unit: Unit, act: Act, ability: Ability | None) -> None:
    """A free or a swift act, a word, a fall carry nobody anywhere, but an ability can; and none farther than its speed."""
    if moves(act) and ability is None and act.slot not in d.rules.carries:
        d.objection("ability_required", unit.id, kind="move", slot=act.slot)
    if act.distance is not None and act.distance > unit.speed:
        d.objection("too_far", unit.id, distance=act.distance, speed=unit.speed)


def object_if_unable(d: Draft, unit: Unit) -> None:
    word = next((word for word in unit.conditions if word in UNABLE), "")
    if word:
        object_for(d, unit, word, "cannot_act", condition=word)


def object_for(d: Draft, unit: Unit, word: str, code: str, **params: Any) -> None:
    """A refusal says only what its sender may know: where a secret condition explains it, `not_possible`."""
    secret = unit.conditions[word]
    if secret and not d.is_st:
        d.objection("not_possible", unit.id, st=f"{code}:{word}", secret=True)
    else:
        d.objection(code, unit.id, secret=secret, **params)


def ability_for(d: Draft, unit: Unit, act: Act) -> Ability | None:
    if not act.ability:
        if act.kind in ATTACKS:
            d.objection("ability_required", unit.id, kind=act.kind)
        return None
    ability = unit.abilities.get(act.ability)
    if ability is None or act.slot not in ability.slots:
        d.objection("ability_required", unit.id, ability=act.ability, slot=act.slot)
    if ability is not None and ability.attaches:
        d.objection("attachment_mismatch", unit.id, ability=act.ability, needs=list(ability.attaches))
    technique = ability is not None and bool(ability.steps)
    if len(act.steps) > (len(ability.steps) if ability is not None else 0) or (
        technique and (act.attached or act.split)
    ):
        raise d.refuse("bad_value", steps=len(act.steps), accepted=list(ability.steps) if ability is not None else [])
    return ability


def step_ability(d: Draft, unit: Unit, act: Act) -> Ability | None:
    """A step's own ability; the Technique's slots are what it costs."""
    if act.ability not in unit.abilities:
        d.objection("ability_required", unit.id, ability=act.ability, slot=act.slot)
    return unit.abilities.get(act.ability)


def aimed_one_by_one(d: Draft, act: Act) -> Act:
    """Attacks that are named one by one say at whom; the act's targets are theirs."""
    if not act.split:
        return act
    if act.kind not in ATTACKS:
        raise d.refuse("bad_value", split=len(act.split), kind=act.kind)
    only = act.targets[0] if len(act.targets) == 1 else ""
    split = tuple(replace(one, target=one.target or only) for one in act.split)
    return replace(act, split=split, targets=tuple(dict.fromkeys(one.target for one in split)))


def object_to_extras(d: Draft, unit: Unit, act: Act, ability: Ability | None) -> None:
    """How many attacks, with what, and how they share the extra successes: declared before the roll (XS-02)."""
    if act.kind not in ATTACKS:
        return
    split = strikes(act, ability)
    for name in dict.fromkeys(one.weapon for one in split if one.weapon != act.ability):
        weapon = unit.abilities.get(name)
        if weapon is None or weapon.act not in ATTACKS:
            d.objection("ability_required", unit.id, ability=name, slot=act.slot)
        elif weapon.pool is not None:
            check_again(d, weapon.pool, unit, private=True)
    object_to_attacks(d, unit, ability, split)
    object_to_split(d, unit, split)


def with_legal_targets(d: Draft, unit: Unit, act: Act, ability: Ability | None) -> Act:
    """Refused, nothing spent, where there is nobody to aim at; hidden and non-existent are the same."""
    for id in act.targets:
        target = d.play.units.get(id)  # type: ignore[call-overload]
        if target is None or not sees(d.table, d.by.seat, target):
            raise d.refuse("no_target", target=id)
    if act.counters is not None:
        aim = d.play.pendings.get(act.counters)
        if aim is None or aim.state != "waiting":
            raise d.refuse("no_target", target=act.counters)
    needs = act.kind in ATTACKS or (ability is not None and ability.needs_target)
    if (needs or act.targets) and not legal_targets(d.table, act):
        secret = bool(legal_targets(d.table, act, seemingly=True))
        if secret and not d.is_st:
            d.objection("not_possible", unit.id, st="no_target", secret=True)
        else:
            d.objection("no_target", unit.id, secret=secret, targets=list(act.targets))
    return replace(act, targets=tuple(dict.fromkeys(act.targets)))


# ---------------------------------------------------------------------------------------------------------- answering
def react(d: Draft, c: React) -> None:
    """On the very top, whatever window it answers: an immediate action, between two actions too (IMM-02, IMM-06)."""
    unit = d.own_unit(c.unit)
    parent = answered(d, c.window)
    act = replace(c.act, slot=d.rules.answer_slot)
    act = aimed_back(d, unit, act, parent)
    act, ability = ready_to_do(d, unit, act)
    d.rules.check_answer(d, unit, act, ability, parent)
    refuse_if_full(d)
    paid = d.rules.answer_price(d, unit, ability) + exposure(d, unit, act)
    spend(d, unit, paid)
    if parent is not None and parent.state == "done":
        d.emit(ev.PendingEdited(replace(parent, answered=(*parent.answered, (unit.id, act.ability)))))
    push(d, unit, act, paid, parent=parent, interrupts=True, noticed=c.noticed and d.is_st)
    d.emit(ev.Acted(d.by.seat, d.world.version))


def aimed_back(d: Draft, unit: Unit, act: Act, trigger: Pending | None) -> Act:
    """An answer that needs a target and names none is aimed at whoever did what it answers, if its side knows who."""
    if act.targets or not needs_target(unit, act) or trigger is None:
        return act
    actor = d.play.units.get(trigger.actor)
    known = actor is not None and sees(d.table, owner(d.table, unit.id), actor)
    return replace(act, targets=(trigger.actor,)) if known else act


def answered(d: Draft, window: WindowId | None) -> Pending | None:
    """The pending an answer is for: the window's, or the top where none is named. Closed, unknown, hidden: one code."""
    pending = pending_of(d, window) if window is not None else d.top()
    top = d.top()
    if top is not None and top.state == "rolled":
        raise d.refuse("too_late")  # nothing lies on what has been rolled, whatever window beneath it is named
    return pending


def pending_of(d: Draft, window: WindowId) -> Pending:
    found = d.play.windows.get(window)
    if found is None or found.pending not in d.play.pendings:
        raise d.refuse("window_closed")
    return d.play.pendings[found.pending]


def not_his(d: Draft, pending: Pending) -> Refused:
    """It is another's. Whose, is told to who sees him: not where a hidden one was merely noticed (TBL-04)."""
    actor = d.play.units.get(pending.actor)
    seen = actor is not None and sees(d.table, d.by.seat, actor)
    return d.refuse("not_yours", **({"unit": pending.actor} if seen else {}))


def pass_(d: Draft, c: Pass) -> None:
    """Nothing to answer to this question; who passed may still react while the window is open."""
    pending = pending_of(d, c.window)
    window = d.window_of(pending)
    if pending.id != d.play.stack[-1] or window.gen != c.gen:
        raise d.refuse("window_changed", gen=window.gen)
    if d.by.seat not in window.asked:
        raise d.refuse("not_asked")
    if d.by.seat in window.passed:
        raise d.refuse("already_answered")
    d.emit(ev.SeatPassed(window.id, d.by.seat))


def defend(d: Draft, c: Defend) -> None:
    """Declared before the roll (relaxed: after it), changeable until the window closes (XS-07, XS-10)."""
    pending = pending_of(d, c.window)
    unit = d.own_unit(c.unit)
    window = d.window_of(pending)
    if not d.rules.declares_defence:
        raise d.refuse("not_in_this_game")
    if d.house.relaxed_defense == "on" and window.kind == "before":
        raise d.refuse("not_yet")
    attacker = d.play.units.get(pending.actor)
    ability = attacker.abilities.get(pending.act.ability) if attacker else None
    this = aim(unit.id, c.attack)
    if pending.act.kind not in ATTACKS or this not in aims(strikes(pending.act, ability)):
        raise d.refuse("not_target", unit=unit.id, attack=c.attack)
    if window.kind == "gain":
        raise d.refuse("too_late")
    if pending.guards.get(this) == c.n:
        raise d.refuse("no_change")
    most = left(d.table, unit, pending, this)
    if c.n > most:
        d.objection("not_enough", unit.id, private=True, left=most)
    d.emit(ev.GuardPromised(pending.id, unit.id, c.n, this, beyond=c.n > most))


def split_gain(d: Draft, c: SplitGain) -> None:
    """What was gained midway is split over the attacks still to come, as its owner says now (XS-05)."""
    pending = pending_of(d, c.window)
    if not (d.is_st or owner(d.table, pending.actor) == d.by.seat):
        raise not_his(d, pending)
    unit = d.known_unit(pending.actor)
    window = d.window_of(pending)
    if window.kind != "gain":
        raise d.refuse("not_asked")
    if not pending.gained:
        raise d.refuse("already_answered")
    split = pending.act.split
    coming = to_come(d, pending, split, pending.struck)
    if len(c.gain) > len(coming):
        raise d.refuse("bad_value", gain=list(c.gain), attacks=len(coming))
    if sum(c.gain) > pending.gained:
        d.objection("split_too_large", unit.id, private=True, declared=sum(c.gain), extra=pending.gained)
    d.emit(ev.GainSplit(pending.id, with_gain(split, coming, c.gain)))


def more_time(d: Draft, c: MoreTime) -> None:
    """A draw on the seat's bank moves the deadline for all; nobody is told whose it was."""
    pending = pending_of(d, c.window)
    window = d.window_of(pending)
    if pending.id != d.play.stack[-1] or window.clock is None:
        raise d.refuse("window_changed", gen=window.gen)
    if d.by.seat not in window.asked:
        raise d.refuse("not_asked")
    if d.play.held:
        raise d.refuse("paused")
    if d.house.window_mode == "fixed":
        raise d.refuse("fixed_length")
    bank = d.play.banks.get(d.by.seat, d.house.time_bank_ms)
    if bank < 1:
        raise d.refuse("no_time_left")
    draw = min(bank, d.house.time_step_ms)
    d.emit(ev.TimeDrawn(d.by.seat, bank - draw))
    d.emit(ev.WindowClockSet(window.id, replace(window.clock, deadline=window.clock.deadline + draw), draw))


def withdraw(d: Draft, c: Withdraw) -> None:
    """A declared action must go on (IMM-04); by house rule not after a readied action has met it (RDY-02)."""
    pending = d.play.pendings.get(c.pending)
    if pending is None:
        raise d.refuse("unknown", id=c.pending)
    if owner(d.table, pending.actor) != d.by.seat:
        raise not_his(d, pending)
    if d.house.interrupted_by_readied != "may_continue" or not pending.met_readied:
        raise d.refuse("must_continue")
    if pending.id != d.play.stack[-1] or pending.state != "waiting":
        raise d.refuse("not_on_top")
    d.emit(ev.ActionWithdrawn(pending.id, pending.actor, pending.act.kind, refunded=False))
