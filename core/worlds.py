"""Films, and worlds with a day and a sky of their own (TIME-01, TIME-02, TIME-08). One world at a time: the story's."""

from dataclasses import replace

from core import bounds
from core import events as ev
from core.bounds import refuse_beyond
from core.commands import EnterFilm, LeaveFilm, SetWorld
from core.dates import DAY_S, day_of
from core.draft import Draft
from core.durations import time_of_day
from core.effects import end_with, follow_the_sun
from core.scenes import change
from core.state import Film, WorldClock


def enter_film(d: Draft, c: EnterFilm) -> None:
    """To enter the same world again is another Film. What its world was set to be it still is."""
    refuse_in_between(d)
    if d.play.setting.film is not None:
        raise d.refuse("in_film", film=d.play.setting.film.name)
    old = d.play.setting.clock
    film = Film(c.name, d.play.setting.films + 1, back=d.play.setting.world)
    d.emit(ev.FilmEntered(film, c.world or c.name))
    follow_the_sun(d, old)
    change(d, "area", end_lasting=c.end_lasting)


def leave_film(d: Draft, c: LeaveFilm) -> None:
    refuse_in_between(d)
    film = d.play.setting.film
    if film is None:
        raise d.refuse("no_film")
    old = d.play.setting.clock
    d.emit(ev.FilmLeft(film.name, film.back))
    end_with(d, "film")
    follow_the_sun(d, old)
    change(d, "area", end_lasting=c.end_lasting)


def refuse_in_between(d: Draft) -> None:
    """Nobody leaves a world with a fight on, or an act under way."""
    if d.play.fight is not None:
        raise d.refuse("already_fighting")
    if d.play.stack:
        raise d.refuse("window_open")


def set_world(d: Draft, c: SetWorld) -> None:
    """A day of at least a second; sunrise, sunset and the time now lie within it."""
    name = c.world or d.play.setting.world
    was = d.play.setting.worlds.get(name, WorldClock())
    for value in (c.sunrise_s, c.sunset_s, c.time_s):
        if c.day_s < 1 or not 0 <= (value or 0) < c.day_s:
            raise d.refuse("bad_value", day_s=c.day_s, time=value)
    now = d.play.clock_s
    time = time_of_day(was, now) if c.time_s is None else c.time_s
    clock = WorldClock(c.day_s, c.sunrise_s, c.sunset_s, (time - now) % c.day_s, was.calendar_s)
    if c.date is not None:
        clock = replace(clock, calendar_s=calendar_from(d, c.date, time if c.day_s == DAY_S else 0))
    if name not in d.play.setting.worlds:
        refuse_beyond(d, "worlds", len(d.play.setting.worlds), bounds.WORLDS)
    if clock == was and name in d.play.setting.worlds:
        raise d.refuse("no_change")
    old = d.play.setting.clock
    d.emit(ev.WorldSet(name, clock))
    follow_the_sun(d, old)


def calendar_from(d: Draft, date: str, time: int) -> int | None:
    """Where Earth's calendar stood when the world clock was at 0, if that is today's date."""
    if not date:
        return None
    try:
        return day_of(date) * DAY_S + time - d.play.clock_s
    except ValueError:
        raise d.refuse("bad_value", date=date, wanted="date") from None
