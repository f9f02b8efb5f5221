"""When an effect ends, and why then: what anybody who sees it may ask. Facts alone; the sentences stand in protocol/texts.

Nothing is told but what the asker's audience sees, so this looks through view.py.
"""

from typing import Any

from core.durations import DAYS, SUN
from core.refusals import Refused
from core.state import Effect, Table
from core.view import lasts_shown, shows_effect, visible

Facts = dict[str, Any]

KINDS = (
    "action", "unseen", "clock", "earth_days", "rounds_by_clock", "sun", "no_sun", "scene", "film", "permanent",
    "waits", "sustained",
)  # fmt: skip
"""Every reason there is for an effect to end when it does."""


def explain(table: Table, audience: str, id: str) -> tuple[str, Facts]:
    """(kind, facts) of one effect. Raises Refused(unknown) for what the audience cannot see."""
    effect = table.play.effects.get(id)  # type: ignore[call-overload]
    if effect is None or not shows_effect(table, audience, effect):
        raise Refused("unknown", id=id)
    kind, facts = reason(table, effect)
    seen = visible(table, audience, effect.by)
    if kind in ("action", "sustained") and not seen:
        kind, facts = "unseen", {}
    lasts = lasts_shown(effect) or ([effect.lasts.n, "round"] if effect.lasts and kind != "unseen" else None)
    told = {
        "name": effect.name if seen else effect.condition,  # as its own words are its maker's
        "on": [effect.on, table.play.units[effect.on].name],
        "source": [effect.by, table.play.units[effect.by].name] if seen else None,
        "lasts": lasts,
        "since_s": effect.since,
        "ago_s": table.play.clock_s - effect.since,
        **facts,
    }
    return kind, {name: value for name, value in told.items() if value is not None}


def reason(table: Table, effect: Effect) -> tuple[str, Facts]:
    play, lasts = table.play, effect.lasts
    unit = lasts.unit if lasts is not None else ""
    if effect.waits:
        return "waits", {}
    if effect.sustained:
        return "sustained", {}
    if effect.nth is not None and effect.unit is not None:
        budget = play.budgets.get(effect.unit)
        return "action", {"nth": max(1, effect.nth - (budget.round if budget else 0))}
    if unit in SUN and effect.at is None:
        return "no_sun", {"sign": unit}
    if effect.at is None:
        return unit or "permanent", {"scene": play.scene} if unit == "scene" else {}
    when: Facts = {"at_s": effect.at, "in_s": effect.at - play.clock_s}
    if play.fight is not None:
        when["turn"] = play.fight.turn + -(-when["in_s"] // 6)
    if unit in SUN:
        return "sun", {**when, "sign": unit}
    if unit == "round":
        return "rounds_by_clock", when
    foreign = unit in DAYS and lasts is not None and not lasts.own_day and play.setting.clock.day_s != 86400
    return "earth_days" if foreign else "clock", when
