"""How long: from a duration to the moment it ends, on the world's clock, by a unit's actions, or by the sun.

Nothing ends here (effects.py), and nothing about a world is set here (worlds.py).
"""

from collections.abc import Mapping
from dataclasses import replace

from core.dates import DAY_S, add_months
from core.state import Applied, Duration, Effect, Play, WorldClock

ROUND_S = 6
"""Outside a fight; and a turn is as long everywhere (TIME-03, TIME-04)."""
SECONDS: Mapping[str, int] = {"round": ROUND_S, "turn": ROUND_S, "second": 1, "minute": 60, "hour": 3600}
DAYS: Mapping[str, int] = {"day": 1, "week": 7, "month": 30, "year": 365}
"""Months and years so where there is no Earth calendar (TIME-01)."""
MONTHS: Mapping[str, int] = {"month": 1, "year": 12}
SUN: Mapping[str, str] = {"sunrise": "sunrise_s", "sunset": "sunset_s"}
REAL = frozenset({*SECONDS, *DAYS} - {"round"})
"""Told in real time; a turn is six seconds of it."""


def duration_of(applied: Applied) -> Duration | None:
    """How long it lasts, however it was written; None: until it is ended."""
    if applied.lasts is not None:
        return applied.lasts
    if applied.minutes is not None:
        return Duration(applied.minutes, "minute")
    return Duration(applied.rounds, "round") if applied.rounds is not None else None


def counting(play: Play, effect: Effect) -> Effect:
    """The effect as it begins to count now: with the moment it will end, if that can be known."""
    lasts = effect.lasts
    assert lasts is not None
    effect = replace(effect, since=play.clock_s, waits=False, unit=None, nth=None, at=None)
    budget = play.budgets.get(effect.by)
    if lasts.unit == "round" and budget is not None:
        return replace(effect, unit=effect.by, nth=budget.round + max(1, lasts.n))
    if lasts.unit in SUN:
        return replace(effect, at=sun_at(play.setting.clock, lasts, play.clock_s))
    if lasts.unit in REAL or lasts.unit == "round":
        return replace(effect, at=play.clock_s + length_s(lasts, play.setting.clock, play.clock_s))
    return effect


def length_s(lasts: Duration, world: WorldClock, now: int) -> int:
    """In seconds, from `now` on. Days are Earth's, whatever the world's own day is, unless they are said to be (TIME-01).

    Months and years are spans of Earth's calendar from today's date, where it holds.
    """
    n = max(1, lasts.n)
    if lasts.unit in SECONDS:
        return n * SECONDS[lasts.unit]
    if lasts.unit in MONTHS and not lasts.own_day and world.calendar_s is not None:
        today = (world.calendar_s + now) // DAY_S
        return (add_months(today, n * MONTHS[lasts.unit]) - today) * DAY_S
    return n * DAYS[lasts.unit] * (world.day_s if lasts.own_day else DAY_S)


# ------------------------------------------------------------------------------------------------------------ the sun
def time_of_day(world: WorldClock, now: int) -> int:
    return (now + world.phase_s) % world.day_s


def sun_at(world: WorldClock, lasts: Duration, now: int) -> int | None:
    """When the sun has risen (set) as often as said; the one of this very moment is past. None: never (TIME-02)."""
    mark: int | None = getattr(world, SUN[lasts.unit])
    if mark is None:
        return None
    first = now + 1 + (mark - time_of_day(world, now) - 1) % world.day_s
    return first + (max(1, lasts.n) - 1) * world.day_s


def under_another_sun(effect: Effect, old: WorldClock, new: WorldClock, now: int) -> Effect:
    """The effect with the sunrises still to come counted by another sky from now on (TIME-02)."""
    lasts = effect.lasts
    if lasts is None or lasts.unit not in SUN or effect.waits:
        return effect
    to_come = max(1, lasts.n) if effect.at is None else 1 + (effect.at - now - 1) // old.day_s
    lasts = replace(lasts, n=to_come)
    return replace(effect, lasts=lasts, at=sun_at(new, lasts, now))
