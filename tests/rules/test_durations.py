"""How long things last: real time, worlds with a day and a sun of their own, Films (TIME-01, 02, 08, 09)."""

import pytest

from core import commands as cmd
from core import dates
from core import events as ev
from core.ids import UnitId
from core.state import Ability, Applied, Duration, TimeUnit
from tests.helpers.play import Game

HOUR = 3600
DAY = 24 * HOUR


def blessed(n: int, unit: TimeUnit, *, own_day: bool = False, world: cmd.SetWorld | None = None) -> tuple[Game, UnitId]:
    """A unit that is blessed for so long, from now on, in this world."""
    game = Game()
    mira = game.unit("Mira", "p1")
    if world is not None:
        game.do(world)
    bless(game, mira, n, unit, own_day=own_day)
    return game, mira


def bless(game: Game, unit: UnitId, n: int, time: TimeUnit, *, own_day: bool = False) -> None:
    game.do(cmd.AddCondition(unit, "blessed", lasts=Duration(n, time, own_day)))


def ends_after(game: Game, unit: UnitId, seconds: int) -> None:
    """It still lasts a second before, and has ended then."""
    if seconds > 1:
        game.do(cmd.PassTime(seconds - 1))
    assert game.conditions(unit) == {"blessed"}
    game.do(cmd.PassTime(1))
    assert game.conditions(unit) == set()
    assert [e.why for e in game.happened(ev.EffectEnded)] == ["ran_out"]
    assert not game.table.play.effects


def long_day(**sky) -> cmd.SetWorld:
    """A world whose day has 48 hours, with its sunrise at hour 12."""
    return cmd.SetWorld(day_s=48 * HOUR, **{"sunrise_s": 12 * HOUR, "sunset_s": 36 * HOUR, **sky})


# ------------------------------------------------------------------------------------------------------------- TIME-01
@pytest.mark.case("TIME-01.1")
def test_a_day_is_24_hours_also_where_the_worlds_own_day_has_48():
    game, mira = blessed(1, "day", world=long_day())
    assert game.table.play.clock_s == 0
    ends_after(game, mira, 24 * HOUR)


@pytest.mark.case("TIME-01.2")
def test_one_day_of_that_world_is_48_hours_there():
    game, mira = blessed(1, "day", own_day=True, world=long_day())
    ends_after(game, mira, 48 * HOUR)


@pytest.mark.case("TIME-01.3")
def test_the_last_of_january_and_a_month_is_the_last_of_february():
    game, mira = blessed(1, "month", world=cmd.SetWorld(date="2026-01-31"))
    ends_after(game, mira, 28 * DAY)
    assert dates.add_months(dates.day_of("2024-01-31"), 1) == dates.day_of("2024-02-29")


@pytest.mark.rule("TIME-01")
@pytest.mark.parametrize(
    ("date", "n", "unit", "days"),
    [
        ("2026-02-28", 1, "month", 28), ("2026-12-31", 2, "month", 59), ("2026-03-01", 1, "year", 365),
        ("2024-02-29", 1, "year", 366 - 1), ("2024-01-01", 1, "year", 366), ("9999-12-31", 2, "month", 60),
        ("", 1, "month", 30), ("", 2, "year", 730),
    ],
)  # fmt: skip
def test_months_and_years_are_spans_of_the_calendar_and_30_and_365_days_where_there_is_none(
    date: str, n: int, unit: TimeUnit, days: int
):
    game, mira = blessed(n, unit, world=cmd.SetWorld(date=date))
    ends_after(game, mira, days * DAY)


@pytest.mark.rule("TIME-01")
def test_a_month_begun_in_the_evening_ends_in_the_evening_and_the_date_is_todays():
    game, mira = blessed(1, "hour", world=cmd.SetWorld(date="2026-01-30", time_s=20 * HOUR))
    game.do(cmd.PassTime(5 * HOUR))
    bless(game, mira, 1, "month")
    ends_after(game, mira, 28 * DAY)
    assert game.table.play.clock_s == 28 * DAY + 5 * HOUR


@pytest.mark.rule("TIME-01")
@pytest.mark.parametrize(
    ("n", "unit", "seconds"),
    [(90, "second", 90), (2, "minute", 120), (3, "hour", 3 * HOUR), (2, "day", 2 * DAY), (1, "week", 7 * DAY),
     (2, "turn", 12), (2, "round", 12)],
)  # fmt: skip
def test_real_time_from_seconds_to_weeks(n: int, unit: TimeUnit, seconds: int):
    game, mira = blessed(n, unit)
    ends_after(game, mira, seconds)


@pytest.mark.rule("TIME-01")
@pytest.mark.parametrize(("unit", "days"), [("week", 7), ("month", 30), ("year", 365)])
def test_weeks_months_and_years_of_that_world_are_counted_in_its_own_days(unit: TimeUnit, days: int):
    game, mira = blessed(
        1, unit, own_day=True, world=cmd.SetWorld(day_s=10, sunrise_s=1, sunset_s=5, date="2026-01-31")
    )
    ends_after(game, mira, 10 * days)


@pytest.mark.rule("TIME-01")
def test_two_turns_end_as_the_second_turn_is_over():
    game = Game(reaction_window_ms=0)
    a, b = game.unit("A", "p1", initiative=20), game.unit("B", initiative=10)
    game.start()
    game.end(a)
    bless(game, a, 2, "turn")
    game.whole_turn()
    assert game.conditions(a) == {"blessed"}
    game.end(a)
    assert game.conditions(a) == {"blessed"}
    game.end(b)
    assert (game.fight.turn, game.conditions(a)) == (3, set())


@pytest.mark.rule("TIME-01")
@pytest.mark.parametrize(
    "bad",
    [
        cmd.SetWorld(day_s=0), cmd.SetWorld(day_s=100, sunrise_s=100, sunset_s=None), cmd.SetWorld(time_s=DAY),
        cmd.SetWorld(sunset_s=-1), cmd.SetWorld(date="31 January"), cmd.SetWorld(day_s=100, sunrise_s=5, sunset_s=100),
    ],
)  # fmt: skip
def test_a_world_that_cannot_be_is_refused(bad: cmd.SetWorld):
    assert Game().refused(bad) == "bad_value"


@pytest.mark.rule("TIME-01")
def test_a_date_is_that_of_the_day_it_is_told_on():
    game = Game()
    mira = game.unit("Mira", "p1")
    game.do(cmd.PassTime(40 * DAY))
    game.do(cmd.SetWorld(date="2026-01-31"))
    bless(game, mira, 1, "month")
    ends_after(game, mira, 28 * DAY)


@pytest.mark.rule("TIME-01")
def test_the_shortest_day_is_a_second():
    game, mira = blessed(3, "sunrise", world=cmd.SetWorld(day_s=1, sunrise_s=0, sunset_s=0, time_s=0))
    ends_after(game, mira, 3)


@pytest.mark.rule("TIME-01")
def test_a_world_set_as_it_is_changes_nothing_and_keeps_its_date_and_time():
    game = Game()
    game.do(long_day(time_s=5 * HOUR, date="2026-01-31"))
    game.do(cmd.PassTime(HOUR))
    assert game.refused(long_day()) == "no_change"
    assert game.refused(long_day(time_s=6 * HOUR)) == "no_change"
    game.do(long_day(sunrise_s=11 * HOUR))
    assert game.table.play.setting.clock.phase_s == 5 * HOUR
    assert game.table.play.setting.clock.calendar_s == dates.day_of("2026-01-31") * DAY
    game.do(long_day(date=""))
    assert game.table.play.setting.clock.calendar_s is None


# ------------------------------------------------------------------------------------------------------------- TIME-02
@pytest.mark.case("TIME-02.1")
@pytest.mark.parametrize(("starts", "lasts"), [(13, 47), (11, 1)])
def test_until_the_next_sunrise_follows_the_sun_of_the_world_one_is_in(starts: int, lasts: int):
    game, mira = blessed(1, "sunrise", world=long_day(time_s=starts * HOUR))
    ends_after(game, mira, lasts * HOUR)


@pytest.mark.case("TIME-02.2")
def test_begun_exactly_at_sunrise_it_lasts_until_the_next():
    game, mira = blessed(1, "sunrise", world=long_day(time_s=12 * HOUR))
    ends_after(game, mira, 48 * HOUR)


@pytest.mark.case("TIME-02.3")
def test_in_endless_night_it_never_ends_until_the_st_gives_the_world_a_sunrise():
    game, mira = blessed(1, "sunrise", world=long_day(sunrise_s=None, sunset_s=None, time_s=0))
    game.do(cmd.PassTime(1000 * DAY))
    assert game.conditions(mira) == {"blessed"}
    game.do(long_day(time_s=0))
    ends_after(game, mira, 12 * HOUR)


@pytest.mark.case("TIME-02.4")
def test_in_another_world_the_new_worlds_sunrise_counts_from_then_on():
    game, mira = blessed(1, "sunrise", world=cmd.SetWorld(time_s=5 * HOUR))
    game.do(cmd.SetWorld("Mordor", day_s=48 * HOUR, sunrise_s=12 * HOUR, sunset_s=30 * HOUR, time_s=10 * HOUR))
    game.do(cmd.EnterFilm("The Ring", "Mordor"))
    ends_after(game, mira, 2 * HOUR)


@pytest.mark.rule("TIME-02")
def test_in_a_scene_of_endless_night_the_sun_stands_still_for_what_lasts_until_it_rises():
    game, mira = blessed(1, "sunrise", world=cmd.SetWorld(time_s=5 * HOUR))
    game.do(cmd.ChangeScene("area", night=True))
    assert "sunrise" not in game.seen("p1")["t/world"]
    game.do(cmd.PassTime(10 * DAY))
    game.unit("Wraith")
    game.start()
    game.do(cmd.EndFight())
    game.do(cmd.PassTime(10 * DAY))
    assert game.conditions(mira) == {"blessed"}, "a fight has the night of the scene it breaks out in"
    game.do(cmd.ChangeScene("area"))
    ends_after(game, mira, HOUR)


@pytest.mark.rule("TIME-02")
def test_back_from_a_world_of_endless_night_the_old_sun_counts_again():
    game, mira = blessed(1, "sunrise", world=cmd.SetWorld(time_s=5 * HOUR))
    game.do(cmd.SetWorld("Dark", sunrise_s=None, sunset_s=None))
    game.do(cmd.EnterFilm("Dark"))
    game.do(cmd.PassTime(3 * HOUR))
    assert game.conditions(mira) == {"blessed"}, "it is 8 o'clock at home, and no sun has been seen"
    game.do(cmd.LeaveFilm())
    ends_after(game, mira, 22 * HOUR)


@pytest.mark.rule("TIME-02")
def test_of_several_sunrises_those_seen_already_are_behind_one_in_another_world():
    game, mira = blessed(3, "sunrise", world=cmd.SetWorld(time_s=5 * HOUR))
    game.do(cmd.PassTime(30 * HOUR))
    game.do(cmd.SetWorld("Mordor", day_s=10 * HOUR, sunrise_s=2 * HOUR, sunset_s=8 * HOUR, time_s=HOUR))
    game.do(cmd.EnterFilm("Mordor"))
    ends_after(game, mira, HOUR)


@pytest.mark.rule("TIME-02")
@pytest.mark.parametrize(("starts", "lasts"), [(35, 1), (36, 48), (37, 47)])
def test_sunsets_work_the_same_way(starts: int, lasts: int):
    game, mira = blessed(1, "sunset", world=long_day(time_s=starts * HOUR))
    ends_after(game, mira, lasts * HOUR)


@pytest.mark.rule("TIME-02")
def test_a_world_the_story_is_not_in_moves_nothing():
    game, mira = blessed(1, "sunrise", world=cmd.SetWorld(time_s=5 * HOUR))
    game.do(cmd.SetWorld("Elsewhere", sunrise_s=None))
    assert not game.happened(ev.EffectChanged)
    ends_after(game, mira, HOUR)


@pytest.mark.rule("TIME-02")
def test_players_see_the_sky_of_the_world_they_are_in_and_no_other():
    game = Game()
    before = len(game.changes)
    game.do(cmd.SetWorld("Mordor", sunrise_s=None))
    assert [patch.lines for patch in game.received("p1", before)] == []
    assert game.seen("p1")["t/world"] == {"day": DAY, "sunrise": 6 * HOUR, "sunset": 18 * HOUR, "phase": 0}
    game.do(cmd.EnterFilm("The Ring", "Mordor"))
    assert game.seen("p1")["t/world"] == {"name": "Mordor", "day": DAY, "sunset": 18 * HOUR, "phase": 0}
    assert game.seen("p1")["t/film"] == {"name": "The Ring", "number": 1}


# ------------------------------------------------------------------------------------------------------------- TIME-08
@pytest.mark.case("TIME-08.1")
def test_an_effect_of_one_film_ends_on_leaving_and_the_same_world_again_is_a_new_film():
    game = Game()
    mira = game.unit("Mira", "p1")
    game.do(cmd.EnterFilm("Alien"))
    bless(game, mira, 1, "film")
    game.do(cmd.ChangeScene("story"))
    game.do(cmd.PassTime(100 * DAY))
    assert game.conditions(mira) == {"blessed"}
    game.do(cmd.LeaveFilm())
    assert game.conditions(mira) == set()
    assert [e.why for e in game.happened(ev.EffectEnded)] == ["film"]
    game.do(cmd.EnterFilm("Alien"))
    assert game.table.play.setting.film is not None
    assert game.table.play.setting.film.number == 2
    bless(game, mira, 1, "film")
    game.do(cmd.LeaveFilm())
    assert game.conditions(mira) == set()


@pytest.mark.rule("TIME-08")
def test_an_effect_of_two_films_ends_on_leaving_the_second():
    game, mira = blessed(2, "film")
    for left in (1, 0):
        game.do(cmd.EnterFilm("Alien"))
        game.do(cmd.LeaveFilm())
        assert game.conditions(mira) == ({"blessed"} if left else set())


@pytest.mark.rule("TIME-08")
def test_one_film_at_a_time_and_none_is_left_that_was_not_entered():
    game = Game()
    game.unit("A", "p1")
    game.unit("B")
    assert game.refused(cmd.LeaveFilm()) == "no_film"
    game.do(cmd.EnterFilm("Alien"))
    assert game.refused(cmd.EnterFilm("Aliens")) == "in_film"
    game.start()
    assert game.refused(cmd.LeaveFilm()) == "already_fighting"
    assert game.refused(cmd.EnterFilm("Aliens"), "p1") == "forbidden"


@pytest.mark.rule("TIME-08")
def test_a_films_world_is_kept_for_the_next_time_and_the_way_back_leads_home():
    game = Game()
    game.do(cmd.SetWorld("Home"))
    game.do(cmd.EnterFilm("Alien"))
    game.do(cmd.SetWorld(day_s=10 * HOUR, sunrise_s=None, sunset_s=None))
    game.do(cmd.LeaveFilm())
    assert (game.table.play.setting.world, game.table.play.setting.clock.day_s) == ("", DAY)
    game.do(cmd.EnterFilm("Alien 2", "Alien"))
    assert game.table.play.setting.clock.day_s == 10 * HOUR


@pytest.mark.rule("TIME-08")
def test_a_film_changes_the_scene_as_it_begins_and_as_it_ends():
    game, mira = blessed(1, "scene")
    game.do(cmd.EnterFilm("Alien"))
    assert (game.table.play.scene, game.conditions(mira)) == (2, set())
    game.do(cmd.LeaveFilm())
    assert game.table.play.scene == 3
    assert not game.table.play.setting.night


# ------------------------------------------------------------------------------------------------------------- TIME-09
@pytest.mark.case("TIME-09.1")
def test_five_actions_in_ones_action_move_no_clock_only_the_end_of_a_turn_does():
    game = Game(reaction_window_ms=0)
    a, b = game.unit("A", "p1", initiative=20), game.unit("B", initiative=10)
    game.start()
    game.do(cmd.Grant(a, ("standard", "standard")))
    for slot in ("standard", "standard", "standard", "move", "swift"):
        game.declare(a, "work", slot)
        assert game.table.play.clock_s == 0
    game.end(a)
    assert game.table.play.clock_s == 0
    game.end(b)
    assert game.table.play.clock_s == 6


@pytest.mark.case("TIME-09.2")
def test_outside_a_fight_no_budget_is_kept_and_no_act_is_refused_for_want_of_an_action():
    game = Game(reaction_window_ms=0)
    dodge = Ability("dodge", "move", ("immediate",))
    a = game.unit("A", "p1", abilities=[dodge])
    for slot in ("standard", "standard", "full_round", "full_turn", "swift", "swift", "free", "free"):
        game.declare(a, "work", slot)
    game.react(a, "dodge")
    game.react(a, "dodge")
    assert game.table.play.budgets == {}


@pytest.mark.rule("TIME-09")
def test_debts_end_with_the_fight():
    game = Game(reaction_window_ms=0)
    dodge = Ability("dodge", "move", ("immediate",))
    a = game.unit("A", "p1", initiative=20, abilities=[dodge])
    game.unit("B", initiative=10)
    game.start()
    game.react(a, "dodge")
    assert game.table.play.budgets[a].debts == ("all_swift",)
    game.do(cmd.EndFight())
    game.start()
    assert (game.active, game.left(a)["swift"]) == (a, 1)


# ---------------------------------------------------------------------------------------------------------- every kind
def test_what_an_ability_puts_on_lasts_as_it_says():
    game = Game(reaction_window_ms=0)
    ward = Ability("ward", "cast", applies=(Applied("warded", lasts=Duration(1, "sunset"), to="self"),))
    mira = game.unit("Mira", "p1", abilities=[ward])
    game.declare(mira, "cast", ability="ward")
    game.do(cmd.PassTime(18 * HOUR - 1))
    assert game.conditions(mira) == {"warded"}
    game.do(cmd.PassTime(1))
    assert game.conditions(mira) == set()


def test_how_long_it_lasts_is_shown_and_told():
    game, mira = blessed(1, "sunrise")
    face = next(value for path, value in game.seen("p1").items() if path.startswith("e/"))
    assert (face["lasts"], face["at"]) == ([1, "sunrise"], 6 * HOUR)
    bless(game, mira, 2, "day", own_day=True)
    told = [line for patch in game.received("p1") for line in patch.lines if line[0] == "effect_started"]
    assert [line[-2:] for line in told] == [[None, [1, "sunrise"]], [None, [2, "own_day"]]]


@pytest.mark.rule("TIME-05", "TIME-08")
def test_on_entering_and_on_leaving_a_film_the_scene_changes_because_it_is_elsewhere():
    game = Game()
    for command, scene in ((cmd.EnterFilm("Alien"), 2), (cmd.LeaveFilm(), 3)):
        game.do(command)
        assert [(e.scene, e.reason, e.counts) for e in game.happened(ev.SceneChanged)] == [(scene, "area", True)]


def test_what_is_to_stay_is_told_to_be_permanent_beside_a_timed_one_of_the_same_word():
    game = Game()
    mira = game.unit("Mira", "p1")
    game.do(cmd.AddCondition(mira, "cursed"))
    game.do(cmd.AddCondition(mira, "cursed", minutes=10))
    lasting = [face["lasts"] for path, face in game.seen("p1").items() if path.startswith("e/")]
    assert sorted(lasting) == [[1, "permanent"], [10, "minute"]]
