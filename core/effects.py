"""What lasts: conditions with an end, each ended once. How long that is stands in durations.py."""

from dataclasses import replace
from typing import Literal

from core import bounds
from core import events as ev
from core.bounds import refuse_beyond
from core.commands import AddCondition, EndEffect, RemoveCondition
from core.draft import Draft, owner
from core.durations import ROUND_S, counting, duration_of, under_another_sun
from core.ids import EffectId, UnitId
from core.state import Applied, Duration, Effect, WorldClock


def apply(d: Draft, applied: Applied, *, by: UnitId, on: UnitId, name: str = "", sustained: bool = False) -> None:
    """A condition takes hold, from this moment on (TIME-04: not from the declaration).

    `sustained`: where it has no time of its own it lasts as long as `by` concentrates (CON-01).
    """
    known = d.play.units[on].conditions.get(applied.condition)
    lasts = duration_of(applied)
    timeless = lasts is None and not sustained
    if known is not None and timeless != for_good(d, on, applied.condition):
        keep(d, on, applied.condition, secret=applied.secret if timeless else known)
    if known is None:
        alike = list(d.play.units[on].conditions.values()).count(applied.secret)
        refuse_beyond(d, "conditions", alike, bounds.CONDITIONS)
    if known is None or (known and not applied.secret):
        d.emit(ev.ConditionGained(on, applied.condition, applied.secret, name, by))
    if timeless:
        return
    refuse_more_effects(d, by, applied.secret)
    effect = Effect(EffectId(d.fresh()), name or applied.condition, by, on, applied.condition, applied.secret)
    effect = replace(effect, lasts=lasts, since=d.play.clock_s, sustained=lasts is None)
    if lasts is not None:
        waits = d.play.prebuff and not sustained
        effect = replace(effect, waits=True) if waits else counting(d.play, effect)
    d.emit(ev.EffectStarted(effect))


def refuse_more_effects(d: Draft, by: UnitId, secret: bool) -> None:
    """Counted with those of the same seat's making, or with the secret ones."""
    seat = owner(d.table, by)
    alike = sum(e.secret if secret else not e.secret and owner(d.table, e.by) == seat for e in d.play.effects.values())
    refuse_beyond(d, "effects", alike, bounds.EFFECTS)


def for_good(d: Draft, on: UnitId, condition: str) -> bool:
    """Whether it stays until it is ended: nothing says when it goes, or one of what holds it has no end."""
    holding = [e for e in d.play.effects.values() if e.on == on and e.condition == condition]
    return not holding or any(e.lasts is not None and e.lasts.unit == "permanent" for e in holding)


def keep(d: Draft, on: UnitId, condition: str, *, secret: bool) -> None:
    """What is to stay gets an effect of its own, or it would go with the timed one of the same word."""
    holding = [e for e in d.play.effects.values() if e.on == on and e.condition == condition]
    if any(e.lasts is not None and e.lasts.unit == "permanent" for e in holding):
        return
    refuse_more_effects(d, on, secret)
    lasts = Duration(1, "permanent")
    effect = Effect(EffectId(d.fresh()), condition, on, on, condition, secret, lasts=lasts, since=d.play.clock_s)
    d.emit(ev.EffectStarted(effect))


def end(d: Draft, effect: Effect, why: ev.EffectWhy) -> None:
    """It ends exactly once; its condition goes with it unless another effect holds the same one.

    Where only secret ones still do, it is over as far as all can see (TBL-04).
    """
    d.emit(ev.EffectEnded(effect.id, effect.name, effect.on, effect.secret, why))
    holding = [e for e in d.play.effects.values() if e.on == effect.on and e.condition == effect.condition]
    unit = d.play.units.get(effect.on)
    if unit is None or effect.condition not in unit.conditions:
        return
    secret = unit.conditions[effect.condition]
    if not holding or (not secret and all(e.secret for e in holding)):
        d.emit(ev.ConditionLost(effect.on, effect.condition, effect.name, secret, effect.by))
        if holding:
            d.emit(ev.ConditionGained(effect.on, effect.condition, True, "", effect.by))


def lift(d: Draft, on: UnitId, condition: str, reason: str = "") -> None:
    """The condition is gone, and with it all that held it."""
    for effect in [e for e in d.play.effects.values() if e.on == on and e.condition == condition]:
        d.emit(ev.EffectEnded(effect.id, effect.name, effect.on, effect.secret, "condition_lost"))
    d.emit(ev.ConditionLost(on, condition, reason, d.play.units[on].conditions[condition]))


def end_due_by_action(d: Draft, unit: UnitId, nth: int) -> None:
    """As the unit's next action begins, before its budget is given (TIME-04)."""
    for effect in list(d.play.effects.values()):
        if effect.unit == unit and effect.nth is not None and effect.nth <= nth:
            end(d, effect, "ran_out")


def end_due_by_clock(d: Draft) -> None:
    for effect in list(d.play.effects.values()):
        if effect.at is not None and effect.at <= d.play.clock_s:
            end(d, effect, "ran_out")


def still_counts(d: Draft, unit: UnitId) -> bool:
    return any(effect.unit == unit for effect in d.play.effects.values())


def rounds_to_clock(d: Draft) -> None:
    """The fight ends: each round not yet over counts 6 seconds from here."""
    for effect in list(d.play.effects.values()):
        if effect.unit is not None and effect.nth is not None:
            budget = d.play.budgets.get(effect.unit)
            rounds = max(1, effect.nth - (budget.round if budget else 0))
            d.emit(ev.EffectChanged(replace(effect, unit=None, nth=None, at=d.play.clock_s + ROUND_S * rounds)))


# ------------------------------------------------------------------------------------------------ scenes, Films, worlds
def end_with(d: Draft, unit: Literal["scene", "film"]) -> None:
    """A scene, a Film is over, and what was to last so long (TIME-08, TIME-10). What waits for a fight is not begun yet."""
    for effect in list(d.play.effects.values()):
        lasts = effect.lasts
        if lasts is None or lasts.unit != unit or effect.waits:
            continue
        if lasts.n > 1:
            d.emit(ev.EffectChanged(replace(effect, lasts=replace(lasts, n=lasts.n - 1))))
        else:
            end(d, effect, unit)


def force_ends(d: Draft) -> None:
    """Whatever is not permanent, and begun (TIME-07)."""
    for effect in list(d.play.effects.values()):
        if not effect.waits and (effect.lasts is None or effect.lasts.unit != "permanent"):
            end(d, effect, "forced")


def begin_waiting(d: Draft) -> None:
    """What was used with the ST's leave counts from now on (TIME-07); for a scene, once the fight is one."""
    fight = d.play.fight
    no_scene = fight is not None and not fight.counts
    for effect in [e for e in d.play.effects.values() if e.waits]:
        if no_scene and effect.lasts is not None and effect.lasts.unit == "scene":
            continue
        d.emit(ev.EffectChanged(counting(d.play, effect)))


def follow_the_sun(d: Draft, old: WorldClock) -> None:
    """The sky is another one than `old`: its sunrises and sunsets count from now on (TIME-02)."""
    for effect in list(d.play.effects.values()):
        moved = under_another_sun(effect, old, d.play.setting.clock, d.play.clock_s)
        if moved != effect:
            d.emit(ev.EffectChanged(moved))


# ---------------------------------------------------------------------------------------------------------- the ST's hand
def add_condition(d: Draft, c: AddCondition) -> None:
    unit = d.known_unit(c.unit)
    applied = Applied(c.condition, c.rounds, c.minutes, "target", c.secret, c.lasts)
    known = unit.conditions.get(c.condition)
    stays = known is not None and duration_of(applied) is None and for_good(d, unit.id, c.condition)
    if stays and (c.secret or not known):
        raise d.refuse("no_change")
    by = d.known_unit(c.by).id if c.by else unit.id
    apply(d, applied, by=by, on=unit.id, name=c.reason)


def remove_condition(d: Draft, c: RemoveCondition) -> None:
    unit = d.known_unit(c.unit)
    if c.condition not in unit.conditions:
        raise d.refuse("no_change")
    lift(d, unit.id, c.condition, c.reason)


def end_effect(d: Draft, c: EndEffect) -> None:
    effect = d.play.effects.get(c.effect)
    if effect is None:
        raise d.refuse("unknown", id=c.effect)
    end(d, effect, "st")
