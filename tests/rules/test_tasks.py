"""Instant and extended actions: one roll, or rolls that add up to a DC (TASK-01 to TASK-06)."""

from collections.abc import Sequence
from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.ids import TaskId
from core.state import Ability, Applied, Pool, Task
from tests.helpers.play import Game, attack, make_act

HOUR, DAY = 3_600, 86_400


def faces(successes: int, ones: int = 0, size: int = 10) -> list[int]:
    """What a pool of `size` dice shows."""
    return [8] * successes + [1] * ones + [5] * (size - successes - ones)


class Work(Game):
    """Mira is p1's; every roll of hers is of ten dice, with these successes and 1s."""

    def __init__(self, *rolls: int | tuple[int, int], **house: Any) -> None:
        shown = [faces(*roll) if isinstance(roll, tuple) else faces(roll) for roll in rolls]
        super().__init__(dice=[face for roll in shown for face in roll], **house)
        self.mira = self.unit("Mira", "p1")

    def begin(self, dc: int, name: str = "novel", *, by: str = "p1", interval_s: int | None = 0, **more: Any) -> TaskId:
        pool = Pool(fixed=10, extra=more.pop("extra", 0))
        made = self.do(cmd.StartTask(self.mira, name, pool, dc, interval_s, **more), by)
        return TaskId(made.made[0])

    def roll(self, task: TaskId, n: int = 1) -> list[int]:
        """The total after each of `n` more rolls."""
        totals = []
        for _ in range(n):
            self.do(cmd.RollTask(task), "p1")
            totals.append(self.task(task).successes)
        return totals

    def task(self, id: TaskId) -> Task:
        return self.table.play.tasks[id]

    def pass_time(self, seconds: int) -> None:
        self.do(cmd.PassTime(seconds))

    def stands(self, id: TaskId) -> tuple[str, str, int]:
        task = self.task(id)
        return task.state, task.why, task.successes

    def lines(self, audience: str, kind: str, since: int = 0) -> list[Sequence[Any]]:
        """The fields of all lines of a kind that the audience has been told."""
        return [line[3:] for patch in self.received(audience, since) for line in patch.lines if line[0] == kind]


# ------------------------------------------------------------------------------------------------------------- TASK-01
def rolled(shown: list[int], dc: int | None = 1, extra: int = 0) -> tuple[int, str | None, int | None]:
    """Successes, outcome and margin of one roll, as its player is told them."""
    game = Work()
    game.dice.left = list(shown)
    game.do(cmd.Roll(game.mira, Pool(fixed=len(shown), extra=extra), dc=dc, reason="jump"), "p1")
    (told,) = game.lines("p1", "rolled")
    return told[5], *told[18:20]


@pytest.mark.case("TASK-01.1")
def test_three_successes_against_dc_2_succeed_by_1():
    assert rolled(faces(3), dc=2) == (3, "success", 1)


@pytest.mark.case("TASK-01.1")
def test_without_a_dc_the_successes_are_the_result():
    assert rolled(faces(0), dc=None) == (0, None, None)
    assert rolled(faces(2), dc=None) == (2, None, None)


@pytest.mark.case("TASK-01.2")
def test_an_unstated_dc_is_1_and_one_success_meets_it():
    game = Work()
    assert cmd.Roll(game.mira).dc == 1
    assert cmd.AskRoll((game.mira,), Pool()).dc == 1
    assert rolled(faces(1)) == (1, "success", 0)


@pytest.mark.case("TASK-01.2")
def test_extra_successes_count_towards_the_dc():
    assert rolled(faces(2), dc=3, extra=1) == (3, "success", 0)


@pytest.mark.case("TASK-01.2")
def test_extra_successes_alone_fail():
    assert rolled(faces(0), dc=1, extra=3) == (0, "failure", None)


@pytest.mark.rule("TASK-01")
def test_an_opposed_roll_without_a_success_fails_even_against_none():
    assert rolled(faces(0), dc=0) == (0, "failure", None)
    assert rolled(faces(1), dc=0) == (1, "success", 1)


@pytest.mark.case("TASK-01.3")
def test_each_success_of_an_attack_is_one_damage_and_it_has_no_dc():
    game = Game(dice=faces(4, size=5), reaction_window_ms=0)
    mira, zombie = game.unit("Mira", "p1", abilities=[attack(dice=5)]), game.unit("Zombie", hp=10)
    game.start(mira)
    game.do(cmd.JoinFight(zombie))
    game.declare(mira, ability="sword", targets=[zombie])
    (roll,) = game.happened(ev.Rolled)
    assert (roll.dc, roll.successes, game.hp(zombie)) == (None, 4, 6)


@pytest.mark.rule("TASK-01")
@pytest.mark.parametrize(("successes", "blinded"), [(2, True), (1, False)])
def test_an_act_that_misses_its_dc_brings_nothing_about(successes: int, blinded: bool):
    game = Game(dice=faces(successes, size=3), reaction_window_ms=0)
    sand = Ability("sand", "throw", pool=Pool(fixed=2), dc=2, needs_target=True, applies=(Applied("blinded"),))
    mira, zombie = game.unit("Mira", "p1", abilities=[sand]), game.unit("Zombie")
    game.start(mira, zombie)
    game.declare(mira, ability="sand", targets=[zombie], modifier=1)
    assert game.conditions(zombie) == ({"blinded"} if blinded else set())
    assert [(e.dc, e.size, e.successes) for e in game.happened(ev.Rolled)] == [(2, 3, successes)]


@pytest.mark.rule("TASK-01")
@pytest.mark.parametrize("hidden", [True, False])
def test_a_hidden_units_act_is_rolled_in_secret(hidden: bool):
    game = Game(dice=faces(1, size=3), reaction_window_ms=0)
    zombie = game.unit("Zombie", abilities=[Ability("listen", pool=Pool(fixed=3))], hidden=hidden)
    game.start(zombie)
    game.declare(zombie, ability="listen")
    assert [e.visibility for e in game.happened(ev.Rolled)] == ["st" if hidden else "open"]


# ------------------------------------------------------------------------------------------------------------- TASK-02
@pytest.mark.case("TASK-02.1")
def test_the_successes_of_several_rolls_add_up_to_the_dc():
    game = Work(4, 6, 5)
    task = game.begin(15)
    assert game.roll(task, 2) == [4, 10]
    assert game.task(task).state == "open"
    assert game.roll(task) == [15]
    assert game.stands(task) == ("done", "", 15)
    assert game.refused(cmd.RollTask(task), "p1") == "task_closed"


@pytest.mark.case("TASK-02.1")
def test_the_dc_is_not_lowered_midway():
    game = Work(4)
    task = game.begin(15)
    game.roll(task)
    assert game.refused(cmd.EditTask(task, 7), "p1") == "dc_fixed"
    assert game.task(task).dc == 15
    assert game.refused(cmd.EditTask(task, 15), "p1") == "no_change"
    game.do(cmd.EditTask(task, 16), "p1")
    assert game.task(task).dc == 16


@pytest.mark.case("TASK-02.2")
def test_who_chose_a_publishable_novel_does_not_end_with_a_gripping_one():
    game = Work(3, 5)
    task = game.begin(15, within_s=DAY)
    assert game.roll(task, 2) == [3, 8]
    game.pass_time(DAY)
    assert game.stands(task) == ("failed", "deadline", 8)
    assert not any(isinstance(event, ev.TaskDone) for event in game.events)


@pytest.mark.case("TASK-02.3")
def test_what_lies_over_the_dc_makes_it_no_better():
    game = Work(5, 4)
    task = game.begin(7)
    assert game.roll(task, 2) == [5, 9]
    assert game.task(task).state == "done"
    assert [line[:3] for line in game.lines("p1", "task_done")] == [[[game.mira, "Mira"], "novel", task]]
    assert [line[-2:] for line in game.lines("p1", "rolled")] == [[None, None]] * 2, "no margin on the way either"


@pytest.mark.case("TASK-02.4")
def test_extra_successes_are_added_at_every_roll_that_has_one_of_its_own():
    game = Work(0, 1, 3)
    task = game.begin(15, extra=2)
    assert game.roll(task, 3) == [0, 3, 8]


@pytest.mark.rule("TASK-02")
def test_the_st_sets_any_value_and_a_player_none_but_a_higher_dc():
    game = Work()
    task = game.begin(15)
    for edit in ({"successes": 14}, {"interval_s": 1}, {"pool": Pool(fixed=50)}, {"within_s": 0}, {"mistakes": 0}):
        assert game.refused(cmd.EditTask(task, **edit), "p1") == "forbidden"
    game.do(cmd.EditTask(task, 7, interval_s=60, within_s=DAY, in_one_go=True, successes=3, reason="a typo"))
    now = game.task(task)
    assert (now.dc, now.interval_s, now.deadline, now.in_one_go, now.successes) == (7, 60, DAY, True, 3)
    game.do(cmd.EditTask(task, within_s=0, successes=9))
    assert (game.task(task).deadline, *game.stands(task)) == (None, "done", "", 9)
    assert game.refused(cmd.EditTask(task, 20)) == "task_closed"
    assert game.refused(cmd.EditTask(game.begin(5, "shelf"), 5)) == "no_change"


@pytest.mark.rule("TASK-02")
def test_what_cannot_be_a_task_is_refused():
    game = Work()
    task = game.begin(15)
    assert game.refused(cmd.StartTask(game.mira, "novel", Pool(fixed=3), 5), "p1") == "in_use"
    assert game.refused(cmd.StartTask(game.mira, "shelf", Pool(fixed=3), 0), "p1") == "bad_value"
    assert game.refused(cmd.StartTask(game.mira, " ", Pool(fixed=3), 5), "p1") == "bad_value"
    assert game.refused(cmd.StartTask(game.mira, "shelf", Pool(fixed=3), 5, within_s=0), "p1") == "bad_value"
    assert game.refused(cmd.StartTask(game.mira, "shelf", Pool(fixed=3, again=7), 5), "p1") == "bad_again"
    assert game.refused(cmd.StartTask(game.mira, "shelf", Pool(fixed=3), 5), "p2") == "not_yours"
    assert game.refused(cmd.RollTask(task), "p2") == "not_yours"
    assert game.refused(cmd.RollTask(TaskId("none")), "p1") == "unknown"
    game.do(cmd.AddCondition(game.mira, "stunned"))
    assert game.refused(cmd.RollTask(task), "p1") == "cannot_act"


@pytest.mark.rule("TASK-02")
def test_a_modifier_is_for_one_roll():
    game = Work()
    game.dice.left = faces(1, size=12) + faces(1, size=10)
    task = game.begin(5)
    game.do(cmd.RollTask(task, modifier=2), "p1")
    game.do(cmd.RollTask(task), "p1")
    assert [e.size for e in game.events if isinstance(e, ev.Rolled)] == [12, 10]


# ------------------------------------------------------------------------------------------------------------- TASK-03
@pytest.mark.rule("TASK-03")
def test_intervals_and_deadlines_count_from_the_start_and_from_the_last_roll_whatever_the_clock_shows():
    game = Work(1, 1, extended_first_roll="after_interval")
    game.pass_time(10 * DAY)
    task = game.begin(15, interval_s=DAY, within_s=3 * DAY)
    assert (game.seen("p1")[f"x/{task}"]["next"], game.task(task).deadline) == (11 * DAY, 13 * DAY)
    assert game.refused(cmd.RollTask(task), "p1") == "interval"
    game.pass_time(DAY + HOUR)
    game.roll(task)
    assert game.seen("p1")[f"x/{task}"]["next"] == 12 * DAY + HOUR
    game.pass_time(DAY - 1)
    assert game.refused(cmd.RollTask(task), "p1") == "interval"
    game.do(cmd.EditTask(task, within_s=2 * DAY))
    assert game.task(task).deadline == 14 * DAY + HOUR - 1
    game.do(cmd.DropTask(task))
    assert "next" not in game.seen("p1")[f"x/{task}"]


@pytest.mark.case("TASK-03.1")
def test_one_roll_in_each_interval():
    game = Work(1, 1)
    task = game.begin(15, interval_s=DAY)
    game.roll(task)
    game.pass_time(12 * HOUR)
    refused = game.decide(cmd.RollTask(task), "p1")
    assert (refused.code, refused.params["left_s"]) == ("interval", 12 * HOUR)  # type: ignore[union-attr]
    game.pass_time(12 * HOUR)
    assert game.roll(task) == [2]


@pytest.mark.case("TASK-03.2")
def test_set_aside_for_a_night_it_loses_what_the_st_says():
    game = Work(7, 1)
    task = game.begin(15)
    game.roll(task)
    assert game.refused(cmd.SetAside(task, 2), "p1") == "forbidden"
    game.do(cmd.SetAside(task, 2, "the paint has dried"))
    assert (game.task(task).aside, game.task(task).successes) == (True, 5)
    assert game.refused(cmd.SetAside(task)) == "no_change"
    assert game.roll(task) == [6]
    assert not game.task(task).aside, "the next roll takes it up again"


@pytest.mark.case("TASK-03.2")
def test_it_never_loses_more_than_it_has():
    game = Work(1)
    task = game.begin(15)
    game.roll(task)
    game.do(cmd.SetAside(task, 9))
    assert game.stands(task) == ("open", "", 0)
    assert game.lines("p1", "task_set_aside")[0][2:4] == [1, 0]
    assert game.refused(cmd.SetAside(task, 9)) == "no_change"


@pytest.mark.rule("TASK-03")
def test_set_aside_it_may_lose_nothing():
    game = Work(1)
    task = game.begin(15)
    game.roll(task)
    game.do(cmd.SetAside(task))
    assert (game.task(task).aside, game.task(task).successes) == (True, 1)


@pytest.mark.case("TASK-03.3")
def test_what_must_be_done_in_one_go_fails_when_it_is_set_aside():
    game = Work(3)
    task = game.begin(15, in_one_go=True)
    game.roll(task)
    game.do(cmd.SetAside(task))
    assert game.stands(task) == ("failed", "set_aside", 3)
    assert game.refused(cmd.SetAside(task)) == "task_closed"


@pytest.mark.case("TASK-03.3")
@pytest.mark.parametrize(("in_one_go", "state"), [(True, "failed"), (False, "open")])
def test_doing_another_task_in_between_sets_aside_what_must_be_done_in_one_go(in_one_go: bool, state: str):
    game = Work(3, 3, 3)
    task, other = game.begin(15, in_one_go=in_one_go), game.begin(15, "shelf", in_one_go=True)
    game.roll(task)
    assert game.task(other).state == "open", "nothing of it has been done yet, so nothing was left"
    game.roll(other)
    assert (game.task(task).state, game.task(other).state) == (state, "open")


@pytest.mark.rule("TASK-03")
def test_another_units_work_sets_nothing_aside():
    game = Work(3, 3)
    task = game.begin(15, in_one_go=True)
    game.roll(task)
    rolf = game.unit("Rolf", "p2")
    other = game.do(cmd.StartTask(rolf, "novel", Pool(fixed=10), 5), "p2").made[0]
    game.do(cmd.RollTask(TaskId(other)), "p2")
    assert game.task(task).state == "open"


@pytest.mark.case("TASK-03.4")
def test_where_the_first_roll_comes_after_the_interval_it_comes_then():
    game = Work(4, extended_first_roll="after_interval")
    task = game.begin(15, interval_s=DAY)
    assert game.refused(cmd.RollTask(task), "p1") == "interval"
    game.pass_time(DAY - 1)
    assert game.refused(cmd.RollTask(task), "p1") == "interval"
    game.pass_time(1)
    assert game.table.play.clock_s == 24 * HOUR
    assert game.roll(task) == [4]


@pytest.mark.rule("TASK-03")
@pytest.mark.parametrize("house", ["at_once", "after_interval"])
def test_where_no_interval_is_given_the_st_sets_it(house: str):
    game = Work(4, 4, extended_first_roll=house)
    task = game.begin(15, interval_s=None)
    if house == "at_once":
        game.roll(task)
    assert game.refused(cmd.RollTask(task), "p1") == "no_interval"
    game.do(cmd.EditTask(task, interval_s=HOUR))
    assert game.refused(cmd.RollTask(task), "p1") == "interval"
    game.pass_time(HOUR)
    game.roll(task)


# ------------------------------------------------------------------------------------------------------------- TASK-04
@pytest.mark.case("TASK-04.1")
def test_short_of_the_dc_at_the_deadline_it_fails_even_if_no_one_rolls():
    game = Work()
    task = game.begin(5, within_s=HOUR)
    game.pass_time(HOUR - 1)
    assert game.task(task).state == "open"
    game.pass_time(30)
    assert game.stands(task) == ("failed", "deadline", 0)
    assert game.happened(ev.TaskFailed) == [ev.TaskFailed(task, "deadline")]


@pytest.mark.case("TASK-04.2")
def test_a_roll_at_the_very_moment_of_the_deadline_is_too_late():
    game = Work(10)
    task = game.begin(5, within_s=HOUR)
    game.pass_time(HOUR)
    assert game.refused(cmd.RollTask(task), "p1") == "too_late"


@pytest.mark.rule("TASK-04")
def test_the_last_roll_before_the_deadline_counts():
    game = Work(5)
    task = game.begin(5, within_s=HOUR)
    game.pass_time(HOUR - 1)
    game.roll(task)
    game.pass_time(HOUR)
    assert game.stands(task) == ("done", "", 5)


@pytest.mark.rule("TASK-04")
def test_the_end_of_a_turn_brings_a_deadline_too():
    game = Work()
    task = game.begin(5, within_s=6)
    game.start(game.mira)
    game.end(game.mira)
    assert (game.fight.turn, game.table.play.clock_s) == (2, 6)
    assert game.stands(task) == ("failed", "deadline", 0)


# ------------------------------------------------------------------------------------------------------------- TASK-05
@pytest.mark.case("TASK-05.1")
def test_as_many_ones_as_the_dc_and_it_fails_by_mistakes():
    game = Work((2, 3), (1, 2), extended_mistakes="on")
    task = game.begin(5)
    assert game.roll(task, 2) == [2, 3]
    assert game.stands(task) == ("failed", "mistakes", 3)
    assert game.task(task).mistakes == 5
    assert game.refused(cmd.RollTask(task), "p1") == "task_closed"


@pytest.mark.case("TASK-05.2")
def test_a_roll_that_brings_both_to_the_dc_succeeds():
    game = Work((2, 3), (3, 2), extended_mistakes="on")
    task = game.begin(5)
    game.roll(task, 2)
    assert (game.stands(task), game.task(task).mistakes) == (("done", "", 5), 5)


@pytest.mark.case("TASK-05.3")
@pytest.mark.parametrize(
    ("dc", "ones", "warned"), [(5, 4, True), (5, 3, True), (5, 2, False), (2, 1, True), (2, 0, False), (3, 1, True)]
)
def test_two_more_ones_and_it_would_fail_so_its_player_and_the_st_are_warned(dc: int, ones: int, warned: bool):
    game = Work((0, ones), extended_mistakes="on")
    game.unit("Rolf", "p2")
    task = game.begin(dc)
    game.roll(task)
    warning = [[[game.mira, "Mira"], "novel", ones, dc, task]] if warned else []
    assert game.lines("p1", "task_at_risk") == game.lines("st", "task_at_risk") == warning
    assert game.lines("p2", "task_at_risk") == []
    assert [game.seen(who)[f"x/{task}"].get("at_risk", False) for who in ("p1", "st", "p2")] == [warned, warned, False]
    assert [game.seen(who)[f"x/{task}"].get("mistakes") for who in ("p1", "st", "p2")] == [ones, ones, None]


@pytest.mark.case("TASK-05.4")
def test_started_again_it_starts_from_scratch():
    game = Work((2, 3), (1, 2), (1, 1), extended_mistakes="on")
    failed = game.begin(5)
    game.roll(failed, 2)
    again = game.begin(5)
    assert (game.stands(again), game.task(again).mistakes) == (("open", "", 0), 0)
    assert failed not in game.table.play.tasks
    assert game.roll(again) == [1]


@pytest.mark.case("TASK-05.5")
def test_with_the_rule_off_ones_are_not_counted_and_nothing_is_said_of_them():
    game = Work((0, 5), (0, 5))
    task = game.begin(5)
    game.roll(task, 2)
    assert (game.stands(task), game.task(task).mistakes) == (("open", "", 0), 0)
    for who in ("p1", "st"):
        assert not {"mistakes", "at_risk"} & game.seen(who)[f"x/{task}"].keys()
        assert [line[5] for line in game.lines(who, "task_rolled")] == [None, None]
        assert not game.lines(who, "task_at_risk")


@pytest.mark.case("TASK-05.5")
def test_turned_on_every_player_is_told_and_ones_count_from_then_on():
    game = Work((1, 3), (0, 4))
    task = game.begin(5)
    game.roll(task)
    since = len(game.changes)
    game.do(cmd.SetHouse("extended_mistakes", "on"))
    for who in ("p1", "p2"):
        assert game.lines(who, "house_set", since) == [["extended_mistakes", "on", "off"]]
        assert game.seen(who)["h/extended_mistakes"] == "on"
    game.roll(task)
    assert (game.task(task).state, game.task(task).mistakes) == ("open", 4)
    assert [line[5] for line in game.lines("p1", "task_rolled", since)] == [4]
    assert [line[5] for line in game.lines("p2", "task_rolled", since)] == [None]


@pytest.mark.rule("TASK-05")
def test_the_ones_of_dice_rolled_again_count():
    game = Work(extended_mistakes="on")
    game.dice.left = [10, 1, 1]
    task = TaskId(game.do(cmd.StartTask(game.mira, "novel", Pool(fixed=2), 5, 0), "p1").made[0])
    game.roll(task)
    assert (game.task(task).successes, game.task(task).mistakes) == (1, 2)


# ------------------------------------------------------------------------------------------------------------- TASK-06
@pytest.mark.case("TASK-06.1")
def test_under_pressure_a_climb_is_a_roll_by_a_move_action_each_round_with_its_result_at_once():
    game = Game(dice=[*faces(2, size=3), *faces(1, size=3)], reaction_window_ms=0)
    climb = Ability("climb", "climb", ("move",), Pool(fixed=3), dc=None)
    yang, zombie = game.unit("Yang Kang", "p1", initiative=20, abilities=[climb]), game.unit("Zombie")
    game.start(yang, zombie)
    results = []
    for _ in range(2):
        game.declare(yang, slot="move", ability="climb")
        results.append([e.successes for e in game.happened(ev.Rolled)])
        assert game.left(yang)["move"] == 0
        assert game.refused(cmd.Declare(yang, make_act("use", "move", ability="climb")), "p1") == "no_action_left"
        game.end(yang)
        game.end(zombie)
    assert results == [[2], [1]], "each for itself: nothing is added up"


@pytest.mark.case("TASK-06.1")
@pytest.mark.parametrize("kept", [3, 0])
def test_after_the_fight_the_st_makes_it_an_extended_action_with_its_successes_kept_or_not(kept: int):
    game = Work(2)
    assert game.refused(cmd.StartTask(game.mira, "climb", Pool(fixed=10), 5, successes=3), "p1") == "forbidden"
    task = game.begin(5, "climb", by="st", successes=kept)
    assert game.roll(task) == [kept + 2]
    assert game.task(task).state == ("done" if kept else "open")
    assert game.task(game.begin(5, "to the roof", by="st", successes=5)).state == "done"


# ------------------------------------------------------------------------------------------------- who learns what of it
@pytest.mark.rule("TASK-02")
def test_a_task_is_seen_by_whoever_sees_its_rolls():
    game = Work(1, 1, 1)
    game.unit("Rolf", "p2")
    tasks = {v: game.begin(5, v, by="st", visibility=v) for v in ("open", "roller", "st")}
    seen = {who: {v for v, id in tasks.items() if f"x/{id}" in game.seen(who)} for who in ("p1", "p2", "st", "all")}
    assert seen == {"p1": {"open", "roller"}, "p2": {"open"}, "st": {"open", "roller", "st"}, "all": {"open"}}
    assert game.refused(cmd.RollTask(tasks["st"]), "p1") == "unknown"
    assert game.refused(cmd.StartTask(game.mira, "plan", Pool(), 5, visibility="st"), "p1") == "forbidden"
    game.do(cmd.StartTask(game.mira, "st", Pool(fixed=2), 5), "p1")  # he cannot know that this name is taken
    for id in tasks.values():
        game.do(cmd.RollTask(id))
    told = {who: len(game.lines(who, "task_rolled")) for who in seen}
    assert told == {"p1": 2, "p2": 1, "st": 3, "all": 1}
    assert [len(game.lines(who, "rolled")) for who in ("p1", "p2", "st")] == [2, 1, 3]


@pytest.mark.rule("TASK-03")
def test_its_interval_and_deadline_are_told_as_it_is_taken_up():
    game = Work()
    game.pass_time(HOUR)
    game.begin(5)
    game.begin(5, "shelf", interval_s=60, within_s=DAY)
    assert [line[2:5] for line in game.lines("p2", "task_started")] == [[5, None, None], [5, 60, DAY]]


@pytest.mark.rule("TASK-02")
def test_its_pool_is_its_owners_and_the_sts():
    game = Work()
    task = game.begin(5)
    assert [("pool" in game.seen(who)[f"x/{task}"]) for who in ("p1", "st", "p2")] == [True, True, False]


@pytest.mark.rule("TASK-03")
def test_what_is_waved_through_in_a_secret_task_is_told_to_the_st_alone():
    game = Work(1, 1, enforce="warn")
    task = game.begin(5, by="st", interval_s=DAY, visibility="st")
    for _ in range(2):
        game.do(cmd.RollTask(task))
    assert (len(game.lines("st", "flagged")), game.lines("p1", "flagged")) == (1, [])


@pytest.mark.rule("TASK-02")
def test_who_gives_up_has_failed_and_what_is_over_can_be_taken_off_the_list():
    game = Work()
    task, other = game.begin(5), game.begin(5, "shelf")
    assert game.refused(cmd.DropTask(task), "p2") == "not_yours"
    game.do(cmd.DropTask(task, "bored"), "p1")
    assert game.stands(task) == ("failed", "given_up", 0)
    game.do(cmd.DropTask(other))
    assert game.task(other).why == "st"
    game.do(cmd.DropTask(task), "p1")
    assert task not in game.table.play.tasks
    game.do(cmd.RemoveUnit(game.mira))
    assert not game.table.play.tasks


@pytest.mark.rule("TASK-02")
def test_a_rewind_takes_back_what_was_worked():
    game = Work(2, 3)
    task = game.begin(5)
    version = game.version
    game.roll(task)
    game.rewind(version)
    assert game.stands(task) == ("open", "", 0)
    assert game.roll(task) == [3], "the dice go on"


def test_what_is_flagged_of_a_task_names_it():
    game = Work(1, 1, enforce="warn")
    task = game.begin(9, interval_s=HOUR)
    game.do(cmd.EditTask(task, dc=8), "p1")
    assert [(e.code, e.unit, e.task) for e in game.happened(ev.Flagged)] == [("dc_fixed", game.mira, task)]
    game.do(cmd.AddCondition(game.mira, "stunned"))
    game.do(cmd.RollTask(task), "p1")
    assert [(e.code, e.unit, e.task) for e in game.happened(ev.Flagged)] == [("cannot_act", game.mira, task)]
    game.do(cmd.RollTask(task), "p1")
    flagged = [(e.code, e.task) for e in game.happened(ev.Flagged)]
    assert flagged == [("cannot_act", task), ("interval", task)]


def test_a_task_that_another_has_interrupted_is_said_to_be_set_aside():
    game = Work(1, 1)
    task, other = game.begin(15, in_one_go=True), game.begin(15, "shelf")
    game.roll(task)
    game.roll(other)
    assert game.stands(task) == ("failed", "set_aside", 1)
