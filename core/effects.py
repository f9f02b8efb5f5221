"""What lasts: conditions with an end. Rounds count by the unit that started the effect; minutes by the world's clock.

Outside a fight a round is 6 seconds of world time (TIME-04).
"""

from dataclasses import replace

from core import events as ev
from core.commands import AddCondition, EndEffect, RemoveCondition
from core.draft import Draft
from core.ids import EffectId, UnitId
from core.state import Applied, Effect

ROUND_S = 6


def apply(d: Draft, applied: Applied, *, by: UnitId, on: UnitId, name: str = "", sustained: bool = False) -> None:
    """A condition takes hold, from this moment on (TIME-04: not from the declaration).

    `sustained`: where it has no time of its own it lasts as long as `by` concentrates (CON-01).
    """
    if applied.condition not in d.play.units[on].conditions:
        d.emit(ev.ConditionGained(on, applied.condition, applied.secret, name))
    timeless = applied.rounds is None and applied.minutes is None
    if timeless and not sustained:
        return
    effect = Effect(EffectId(d.fresh()), name or applied.condition, by, on, applied.condition, applied.secret)
    budget = d.budget(by)
    if timeless:
        effect = replace(effect, sustained=True)
    elif applied.minutes is not None:
        effect = replace(effect, at=d.play.clock_s + 60 * applied.minutes)
    elif budget is not None:
        effect = replace(effect, unit=by, nth=budget.round + (applied.rounds or 1))
    else:
        effect = replace(effect, at=d.play.clock_s + ROUND_S * (applied.rounds or 1))
    d.emit(ev.EffectStarted(effect))


def end(d: Draft, effect: Effect, why: ev.EffectWhy) -> None:
    """It ends exactly once; its condition goes with it unless another effect holds the same one."""
    d.emit(ev.EffectEnded(effect.id, effect.name, effect.on, effect.secret, why))
    held = any(e.on == effect.on and e.condition == effect.condition for e in d.play.effects.values())
    unit = d.play.units.get(effect.on)
    if not held and unit is not None and effect.condition in unit.conditions:
        d.emit(ev.ConditionLost(effect.on, effect.condition, effect.name, unit.conditions[effect.condition]))


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


# ---------------------------------------------------------------------------------------------------------- the ST's hand
def add_condition(d: Draft, c: AddCondition) -> None:
    unit = d.known_unit(c.unit)
    if c.condition in unit.conditions and c.rounds is None and c.minutes is None:
        raise d.refuse("no_change")
    by = d.known_unit(c.by).id if c.by else unit.id
    apply(d, Applied(c.condition, c.rounds, c.minutes, "target", c.secret), by=by, on=unit.id, name=c.reason)


def remove_condition(d: Draft, c: RemoveCondition) -> None:
    unit = d.known_unit(c.unit)
    if c.condition not in unit.conditions:
        raise d.refuse("no_change")
    for effect in [e for e in d.play.effects.values() if e.on == unit.id and e.condition == c.condition]:
        d.emit(ev.EffectEnded(effect.id, effect.name, effect.on, effect.secret, "condition_lost"))
    d.emit(ev.ConditionLost(unit.id, c.condition, c.reason, unit.conditions[c.condition]))


def end_effect(d: Draft, c: EndEffect) -> None:
    effect = d.play.effects.get(c.effect)
    if effect is None:
        raise d.refuse("unknown", id=c.effect)
    end(d, effect, "st")
