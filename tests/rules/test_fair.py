"""Fair time: a slow line is given back what it took, within a quota; a seat's longer windows are everybody's."""

import pytest

from core import commands as cmd
from core import events as ev
from core.clock import due_command, next_instant
from core.fair import QUOTA_MS
from core.ids import SeatId, WindowId
from tests.helpers.brawl import attacks, brawl, now_acts
from tests.helpers.play import Game, make_act

STEP = make_act("move", "immediate", ability="step aside", leaves=True)
LATE = 100
"""ms after the deadline"""


def at_its_end(late_ms: int = LATE, **house):
    """(game, window, a, b, c): a attacks b, and so long ago the window's deadline has gone by."""
    game, a, b, c = brawl(grace_ms=250, **house)
    window = attacks(game, a, b)
    game.wait(8000 + late_ms)
    return game, window, a, b, c


# ------------------------------------------------------------------------------------------------------ what a line took
def test_a_late_answer_counts_where_the_line_is_known_to_be_that_slow():
    game, window, _, b, _ = at_its_end()
    game.ways["p2"] = LATE + 1
    game.do(cmd.React(b, STEP, window), "p2")
    assert game.happened(ev.DelayGiven) == [ev.DelayGiven(SeatId("p2"), LATE + 1)]
    assert game.stack == ["melee_attack", "move"]


@pytest.mark.parametrize("answer", ["react", "pass", "more_time"])
def test_from_the_deadline_on_an_answer_is_late_and_costs_nothing(answer: str):
    game, window, _, b, _ = at_its_end(0)
    said = {
        "react": cmd.React(b, STEP, window),
        "pass": cmd.Pass(window, 1),
        "more_time": cmd.MoreTime(window),
    }[answer]
    before = game.table
    assert game.refused(said, "p2") == "window_closed"
    assert game.table == before
    assert game.stack == ["melee_attack"], "others may still be given their time"


def test_a_line_that_took_less_than_that_gives_nothing_back():
    game, window, _, b, _ = at_its_end()
    game.ways["p2"] = LATE
    assert game.refused(cmd.React(b, STEP, window), "p2") == "window_closed"


def test_an_answer_read_in_time_counts_whatever_else_has_happened_since():
    game, window, _, b, _ = at_its_end()
    game.do(cmd.Say("hurry"), "p3")
    game.now -= LATE + 1  # another server read it a moment before the deadline, and has just come to it
    game.do(cmd.React(b, STEP, window), "p2")
    assert not game.happened(ev.DelayGiven)


def test_what_is_given_back_to_a_seat_has_an_end_in_each_scene():
    """Who holds back his pongs gets no more of it than whose line is slow."""
    game, _, a, b, _ = at_its_end(1)
    game.ways["p2"] = 10_000
    given = 0
    while True:
        window, gen = game.window.id, game.window.gen
        game.now = game.window.clock.deadline + 199
        if given + 200 > QUOTA_MS:
            break
        game.do(cmd.Pass(window, gen), "p2")
        given += 200
        game.wait(51)
        game.end(a)
        now_acts(game, a)
        attacks(game, a, b)
    assert given == game.table.play.given[SeatId("p2")] == QUOTA_MS
    assert game.refused(cmd.Pass(window, gen), "p2") == "window_closed"
    game.wait(51)
    game.do(cmd.ChangeScene("story"))
    assert game.table.play.given == {}


# ------------------------------------------------------------------------------------------------------------- the grace
def test_it_closes_after_the_grace_whoever_answered_in_it():
    """Were it shorter when all have answered, or nobody could, its end would tell of it."""
    for passing in ((), ("p2",), ("p2", "p3")):
        game, window, *_ = at_its_end()
        game.ways = {"p2": 200, "p3": 200}
        for seat in passing:
            game.do(cmd.Pass(window, 1), seat)
        assert next_instant(game.table, game.now, game.here) == game.window.clock.deadline + 250
        game.wait(250 - LATE - 1)
        assert game.stack == ["melee_attack"]
        game.wait(1)
        assert not game.stack


def test_what_is_given_back_is_in_nobodys_view():
    game, window, _, _, _ = at_its_end()
    twin, _, _, _, _ = at_its_end(-1)
    game.ways["p2"] = 200
    game.do(cmd.Pass(window, 1), "p2")
    twin.do(cmd.Pass(window, 1), "p2")
    assert game.happened(ev.DelayGiven)
    for audience in ("st", "p1", "p2", "p3", "all"):
        assert game.seen(audience) == twin.seen(audience), audience
        [late], [in_time] = game.received(audience)[-1:], twin.received(audience)[-1:]
        assert (late.ops, [line[0] for line in late.lines]) == (in_time.ops, [line[0] for line in in_time.lines])


def test_a_window_that_asks_nobody_has_no_grace():
    game, a, _, _ = brawl(grace_ms=250)
    game.declare(a, "speak", "free")
    assert not game.stack


def test_the_clock_does_not_fire_in_the_grace():
    game, window, *_ = at_its_end(249)
    assert due_command(game.table, game.now, game.here) is None
    assert due_command(game.table, game.now + 1, game.here) == cmd.CloseDue(WindowId(window), 1)


def test_an_answer_to_what_lies_beneath_is_late_for_the_top_but_not_for_what_it_names():
    game, a, b, c = brawl(grace_ms=250)
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    game.wait(8100)
    assert game.stack == ["melee_attack", "move"]
    assert game.refusal(cmd.React(c, STEP, window), "p3") == ("window_changed", {"gen": 1})
    game.wait(150)
    assert game.stack == ["melee_attack"]
    game.do(cmd.React(c, STEP, window), "p3")


# ---------------------------------------------------------------------------------------------------------- longer windows
def lengths(game: Game, a, b) -> list[int]:
    """How long the windows of two actions are, one declared by each of two seats."""
    found = []
    for actor, target in ((a, b), (b, a)):
        now_acts(game, actor)
        attacks(game, actor, target)
        clock = game.window.clock
        assert clock is not None
        found.append(clock.deadline - game.now)
        game.wait(clock.deadline + clock.grace - game.now)
    return found


def test_windows_get_longer_for_all_whoever_is_asked():
    game, a, b, _ = brawl()
    game.do(cmd.GiveTime(SeatId("p2"), 150))
    assert lengths(game, a, b) == [12_000, 12_000]
    game.do(cmd.GiveTime(SeatId("p1"), 120))
    assert lengths(game, a, b) == [12_000, 12_000], "the longest counts"
    game.do(cmd.GiveTime(SeatId("p2"), 100))
    assert lengths(game, a, b) == [9600, 9600]


def test_the_window_that_is_open_stays_as_it_is():
    game, a, b, _ = brawl()
    attacks(game, a, b)
    clock = game.window.clock
    game.do(cmd.GiveTime(SeatId("p2"), 200))
    assert game.window.clock == clock


def test_the_clock_on_ones_own_action_gets_longer_too():
    game, a, _, _ = brawl(action_clock_ms=20_000)
    game.do(cmd.GiveTime(SeatId("p2"), 200))
    game.end(a)
    assert game.fight.deadline == game.now + 40_000


def test_nobody_but_the_storytellers_can_tell_whose_need_it_was():
    """Two tables on which another seat was given the time: the same views, the same frames, whoever acts, goes or stays."""
    tables = []
    for seat in ("p1", "p2"):
        game, a, b, c = brawl()
        game.do(cmd.GiveTime(SeatId(seat), 200))
        lengths(game, a, b)
        game.here -= {SeatId("p1")}
        lengths(game, a, b)
        for gone in ("p1", "p2"):
            game.of_the_server(cmd.RemoveSeat(SeatId(gone)))
            now_acts(game, c)
            attacks(game, c, a)
            game.wait(16_000)
            game.end(c)
        tables.append(game)
    one, other = tables
    assert one.seen("st") != other.seen("st")
    for audience in ("p3", "all"):
        assert one.seen(audience) == other.seen(audience)
        assert one.received(audience) == other.received(audience)
    given = next(n for n, change in enumerate(one.changes) if change.after.paces)
    for game in tables:
        for audience in ("p1", "p2", "p3", "all"):
            assert len(game.received(audience, given)) == len(game.received(audience, given + 1)), (
                "they hear nothing of it"
            )


def test_the_storyteller_sees_whom_he_gave_time_and_can_take_it_back_when_the_seat_has_gone():
    game, *_ = brawl()
    game.do(cmd.GiveTime(SeatId("p2"), 200))
    assert game.seen("st")["b/p2"]["percent"] == 200
    assert [line[0] for line in game.received("st")[-1].lines] == ["time_given"]
    game.of_the_server(cmd.RemoveSeat(SeatId("p2")))
    assert game.seen("st")["b/p2"]["percent"] == 200
    game.do(cmd.GiveTime(SeatId("p2"), 100))
    assert "b/p2" not in game.seen("st")
    assert game.table.paces == {}


def test_refused_for_a_seat_that_is_none_for_less_than_usual_and_for_what_is_so_already():
    game, *_ = brawl()
    assert game.refusal(cmd.GiveTime(SeatId("p9"), 150)) == ("unknown", {"id": "p9"})
    for percent in (99, 501):
        assert game.refusal(cmd.GiveTime(SeatId("p2"), percent)) == (
            "bad_value",
            {"percent": percent, "least": 100, "most": 500},
        )
    assert game.refused(cmd.GiveTime(SeatId("p2"), 100)) == "no_change"
    assert game.refused(cmd.GiveTime(SeatId("p2"), 150), "p1") == "forbidden"


def test_a_rewind_takes_nobodys_time_away():
    game, a, *_ = brawl()
    before = len(game.changes) - 1
    game.do(cmd.GiveTime(SeatId("p2"), 150))
    game.rewind(before)
    assert game.table.paces == {SeatId("p2"): 150}


# --------------------------------------------------------------------------------------------------------------- time banks
def test_a_fight_that_is_no_scene_of_its_own_fills_no_bank():
    game, a, b, c = brawl()
    game.do(cmd.EndFight())
    game.declare(a, "look")
    game.do(cmd.MoreTime(game.window.id), "p2")
    game.pass_all()
    game.do(cmd.StartFight((a,)))
    assert game.seen("p2")["m/bank"] == 15_000


def test_a_bank_is_its_seats_and_the_storytellers_to_see():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.MoreTime(window), "p2")
    assert game.seen("p2")["m/bank"] == game.seen("st")["b/p2"]["bank"] == 15_000
    drawn = game.received("p2")[-1].ops
    assert ["m/bank", 15_000] in drawn
    for audience in ("p1", "p3", "all"):
        [patch] = game.received(audience)[-1:]
        assert [op[0] for op in patch.ops] == [f"w/{window}"], "the deadline, and not whose time it was"
        assert not patch.lines


def test_the_same_draw_by_another_seat_shows_nobody_else_a_difference():
    seen = []
    for seat in ("p2", "p3"):
        game, a, b, _ = brawl()
        game.do(cmd.MoreTime(attacks(game, a, b)), seat)
        seen.append([(game.seen(one), game.received(one)) for one in ("p1", "all")])
    assert seen[0] == seen[1]


def test_a_rewind_gives_a_bank_back_what_was_drawn_after():
    game, a, b, _ = brawl()
    window = attacks(game, a, b)
    game.do(cmd.MoreTime(window), "p2")
    game.rewind(len(game.changes) - 1)
    assert game.seen("p2")["m/bank"] == 20_000
    game.do(cmd.Release())
    game.do(cmd.MoreTime(game.window.id), "p2")
    assert game.seen("p2")["m/bank"] == 15_000


def test_whoever_was_not_asked_draws_nothing():
    game, a, b, _ = brawl()
    assert game.refused(cmd.MoreTime(attacks(game, a, b)), "p1") == "not_asked"
