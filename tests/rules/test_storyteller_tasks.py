"""The Storyteller game's resisted and extended actions, teamwork and botches (STY-04 to STY-07)."""

from collections.abc import Sequence
from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.dice.source import KeyedDice
from core.ids import Ids, TaskId, UnitId
from core.options import options
from core.refusals import Refused
from core.state import Ability, Applied, Pool, Task, Visibility
from core.world import World
from tests.helpers.play import Game, attack


def faces(successes: int, size: int = 4, ones: int = 0) -> list[int]:
    """What a pool of `size` dice shows against 7; a 1 takes a success away again."""
    return [8] * (successes + ones) + [1] * ones + [4] * (size - successes - 2 * ones)


BOTCH = [1, 4, 4, 4]


class Tale(Game):
    """Ann (p1) and Ben (p2), who roll four dice each; a ghoul of the ST's. Every roll is one list of faces."""

    def __init__(self, *rolls: Sequence[int], **house: Any) -> None:
        super().__init__(dice=[face for roll in rolls for face in roll], ruleset="storyteller", **house)
        self.ann = self.unit("Ann", "p1", initiative=20, attributes={"STR": 3, "DEX": 4}, skills={"Brawl": 1})
        self.ben = self.unit("Ben", "p2", initiative=10, attributes={"STR": 2, "DEX": 3}, skills={"Brawl": 2})
        self.ghoul = self.unit("Ghoul", initiative=5, attributes={"STR": 5, "DEX": 2}, skills={"Brawl": 2})

    def open(self, dc: int, name: str = "climb", *, by: str = "st", pool: Pool | None = None, **more: Any) -> TaskId:
        made = self.do(cmd.StartTask(self.ann, name, pool or Pool(fixed=4, target_number=7), dc, **more), by)
        return TaskId(made.made[0])

    def roll(self, task: TaskId, unit: UnitId | None = None, **more: Any) -> None:
        unit = unit or self.ann
        self.do(cmd.RollTask(task, units=(unit,), **more), self.owner(unit))

    def stands(self, id: TaskId) -> tuple[str, str, int]:
        task = self.task(id)
        return task.state, task.why, task.successes

    def task(self, id: TaskId) -> Task:
        return self.table.play.tasks[id]

    def rolled(self) -> list[ev.Rolled]:
        return self.happened(ev.Rolled)

    def lines(self, audience: str, kind: str, since: int = 0) -> list[Sequence[Any]]:
        """The fields of all lines of a kind that the audience has been told."""
        return [line[3:] for patch in self.received(audience, since) for line in patch.lines if line[0] == kind]


# -------------------------------------------------------------------------------------------------------------- STY-04
def resisted(mine: int, theirs: int) -> ev.Rolled:
    """Ann's roll against the ghoul's: their raw successes."""
    game = Tale(faces(theirs), faces(mine))
    pool = Pool(fixed=4, target_number=7)
    game.do(cmd.Roll(game.ann, pool, opposes=game.ghoul, opposed_pool=pool, reason="door"))
    his, hers = game.rolled()
    assert (his.unit, his.successes, his.eliminated) == (game.ghoul, theirs, 0)
    return hers


@pytest.mark.case("STY-04.1")
@pytest.mark.parametrize(("mine", "theirs", "net", "dc"), [(4, 3, 1, 1), (3, 4, 0, 1), (3, 3, 0, 1), (4, 0, 4, 1)])
def test_the_opponents_successes_eliminate_ones_own(mine: int, theirs: int, net: int, dc: int):
    hers = resisted(mine, theirs)
    assert (hers.successes, hers.eliminated, hers.dc) == (net, theirs, dc)


@pytest.mark.rule("STY-04")
@pytest.mark.parametrize(
    ("against", "number"), [(("STR",), 5), (("DEX", "Brawl"), 4), (("STR", "Brawl"), 7), (("Lore",), 2)]
)
def test_its_target_number_is_the_opponents_attribute_or_attribute_and_skill(against: tuple[str, ...], number: int):
    game = Tale([9] * 4, [9] * 4)
    game.do(cmd.Roll(game.ann, Pool(fixed=4, against=against), opposes=game.ghoul, opposed_pool=Pool(fixed=4)))
    assert game.rolled()[1].target_number == number


@pytest.mark.rule("STY-04")
def test_his_target_number_is_ones_own_traits_in_turn():
    game = Tale([9] * 4, [9] * 4)
    pool = Pool(fixed=4, against=("DEX", "Brawl"))
    game.do(cmd.Roll(game.ann, pool, opposes=game.ghoul, opposed_pool=pool))
    assert [(one.unit, one.target_number) for one in game.rolled()] == [(game.ghoul, 5), (game.ann, 4)]


@pytest.mark.rule("STY-04")
def test_more_than_10_is_held_at_10():
    game = Tale([9] * 4, [9, 10, 9, 9])
    game.do(cmd.SetValue(game.ghoul, "attributes.STR", 12, 5))
    game.do(cmd.Roll(game.ann, Pool(fixed=4, against=("STR",)), opposes=game.ghoul, opposed_pool=Pool(fixed=4)))
    assert game.rolled()[1].target_number == 10


@pytest.mark.rule("STY-04")
def test_a_roll_without_a_target_number_of_its_own_has_the_houses():
    game = Tale([5, 6, 7, 8], [5, 6, 7, 8], [5, 6, 7, 8])
    found = []
    for number in (None, 6, 99):
        if number:
            game.do(cmd.SetHouse("target_number", number))
        game.do(cmd.Roll(game.ann, Pool(fixed=4)), "p1")
        found.append((game.rolled()[0].target_number, game.rolled()[0].successes))
    assert found == [(8, 1), (6, 3), (10, 0)]


@pytest.mark.rule("STY-04")
def test_an_attack_is_rolled_against_what_its_ability_says_and_no_defense_is_taken_from_it():
    game = Tale([5, 4, 4, 6], [5, 6, 4, 7])
    game.do(cmd.SetValue(game.ghoul, "dodge", 3, 0))
    claws = [attack("fist", 4, slots=["simple"], pool={"against": ("DEX", "Brawl")})]
    claws.append(attack("stone", 4, slots=["simple"], pool={"target_number": 6}))
    cy = game.unit("Cy", "p1", abilities=claws)
    for name, hurt in (("fist", 4), ("stone", 2)):
        before = game.hp(game.ghoul)
        game.declare(cy, "melee_attack", "simple", ability=name, targets=[game.ghoul])
        while game.table.play.stack:
            game.wait(60_000)
        assert before - game.hp(game.ghoul) == hurt


@pytest.mark.rule("STY-04")
def test_the_roll_is_told_with_target_number_ones_and_what_was_eliminated():
    game = Tale(faces(1), faces(2, 5, ones=1))
    pool = Pool(fixed=5, target_number=7)
    game.do(cmd.Roll(game.ann, pool, opposes=game.ghoul, opposed_pool=Pool(fixed=4, target_number=7)))
    his, hers = game.lines("p2", "rolled")
    assert (his[5], list(his[20:24])) == (1, [7, None, None, None][: len(his) - 20])
    assert (hers[5], *hers[20:24]) == (1, 7, 1, None, 1)


@pytest.mark.rule("STY-04")
def test_of_an_opponent_whom_nobody_sees_neither_trait_nor_successes_are_told():
    game = Tale(faces(3), faces(4))
    game.do(cmd.Hide(game.ghoul))
    game.do(cmd.Roll(game.ann, Pool(fixed=4, against=("STR", "Brawl")), opposes=game.ghoul, opposed_pool=Pool(fixed=4)))
    for seat in ("p1", "p2"):
        told = game.lines(seat, "rolled")
        assert [(line[0][1], line[5], list(line[20:24])) for line in told] == [("Ann", 1, [None] * 4)]
        assert [line[3] for line in told] == [None]  # her own successes less what is left of them are what he took away


# -------------------------------------------------------------------------------------------------------------- STY-05
def tug_of_war(*rolls: Sequence[int], goal: int = 5, **more: Any) -> tuple[Tale, TaskId]:
    """Rolls come in pairs, the ghoul's first."""
    game = Tale(*rolls)
    pool = Pool(fixed=4, target_number=7)
    return game, game.open(goal, "tug of war", pool=pool, opposes=game.ghoul, opposed_pool=pool, **more)


@pytest.mark.case("STY-05.1")
def test_the_one_with_net_successes_adds_them_and_the_first_to_the_goal_wins():
    game, task = tug_of_war(faces(1), faces(3), faces(3), faces(0), faces(0), faces(3))
    tallies = []
    for _ in range(3):
        game.roll(task)
        tallies.append((game.task(task).successes, game.task(task).theirs))
    assert tallies == [(2, 0), (2, 3), (5, 3)]
    assert game.stands(task) == ("done", "", 5)
    assert game.lines("p2", "task_done") == [[[game.ann, "Ann"], "tug of war", task, 5, [game.ghoul, "Ghoul"], 3]]


@pytest.mark.rule("STY-05")
def test_where_the_opponent_is_first_it_is_lost():
    game, task = tug_of_war(faces(4), faces(1), faces(3), faces(0), goal=6)
    game.roll(task)
    game.roll(task)
    assert (game.stands(task), game.task(task).theirs) == (("failed", "lost", 0), 6)
    assert game.refused(cmd.RollTask(task), "p1") == "task_closed"


@pytest.mark.rule("STY-05")
def test_with_equal_successes_nobody_adds_any():
    game, task = tug_of_war(faces(2), faces(2))
    game.roll(task)
    assert (game.task(task).successes, game.task(task).theirs, game.task(task).rolls) == (0, 0, 1)


@pytest.mark.rule("STY-05")
def test_a_botch_costs_the_tally_of_whoever_botched():
    game, task = tug_of_war(faces(1), faces(3), faces(3), faces(0), BOTCH, faces(1), faces(1), BOTCH)
    tallies = []
    for _ in range(4):
        game.roll(task)
        tallies.append((game.task(task).successes, game.task(task).theirs))
    assert tallies == [(2, 0), (2, 3), (3, 0), (0, 1)]
    assert [line[0][1] for line in game.lines("p2", "task_botched")] == ["Ghoul", "Ann"]


@pytest.mark.rule("STY-05")
@pytest.mark.parametrize(("rolls", "stands"), [((BOTCH, faces(0)), "done"), ((faces(0), BOTCH), "failed")])
def test_where_a_botch_ends_it_whoever_botched_has_lost(rolls: tuple[list[int], list[int]], stands: str):
    game, task = tug_of_war(*rolls, botch_ends=True)
    game.roll(task)
    assert game.task(task).state == stands


@pytest.mark.rule("STY-05")
def test_an_opponent_whom_nobody_sees_is_not_told_of():
    game, task = tug_of_war(faces(1), faces(3))
    assert game.seen("p2")[f"x/{task}"]["opposes"] == game.ghoul
    assert [("opposed_pool" in game.seen(who)[f"x/{task}"]) for who in ("p1", "st")] == [False, True]
    game.do(cmd.Hide(game.ghoul))
    since = len(game.changes)
    game.roll(task)
    face = game.seen("p2")[f"x/{task}"]
    assert not {"opposes", "theirs", "opposed_pool"} & face.keys()
    assert game.ghoul not in repr([p for p in game.received("p2", since)])


@pytest.mark.rule("STY-05", "TBL-04")
def test_nor_is_it_told_that_a_target_number_is_his():
    game = Tale()
    pool = Pool(fixed=4, against=("STR",))
    task = game.open(5, pool=pool, opposes=game.ghoul, opposed_pool=pool)
    assert game.seen("p1")[f"x/{task}"]["pool"]["against"] == ["STR"]
    game.do(cmd.Hide(game.ghoul))
    assert "STR" not in repr(game.seen("p1")[f"x/{task}"])
    assert "STR" in repr(game.seen("st")[f"x/{task}"])


@pytest.mark.rule("STY-05")
@pytest.mark.parametrize("secret", [False, True])
def test_who_is_stunned_for_all_to_see_resists_no_more(secret: bool):
    pool = Pool(fixed=4, target_number=7)
    game = Tale(faces(2), faces(2), faces(2))
    task = game.open(5, pool=pool, opposes=game.ghoul, opposed_pool=pool)
    game.do(cmd.AddCondition(game.ghoul, "stunned", secret=secret))
    game.roll(task)
    assert [event.unit for event in game.rolled()] == ([game.ghoul, game.ann] if secret else [game.ann])
    assert game.stands(task) == ("open", "", 0 if secret else 2)


@pytest.mark.rule("STY-05", "TBL-04")
@pytest.mark.parametrize("secret", ["hidden", "st", "roller"])
def test_a_task_that_nobody_sees_is_not_told_by_what_others_roll_for_it_or_against_it(secret: str):
    game = Tale(faces(2), faces(3), faces(2), faces(3), faces(0), faces(0))
    pool = Pool(fixed=4, target_number=7)
    seen: Visibility = "st" if secret == "st" else "roller" if secret == "roller" else "open"
    start = cmd.StartTask(
        game.ghoul, "ambush", pool, 6, visibility=seen, opposes=game.ann, opposed_pool=pool, teamwork=True
    )  # fmt: skip
    task = TaskId(game.do(start).made[0])
    helper = game.unit("Rat")
    if secret == "hidden":
        game.do(cmd.Hide(game.ghoul))
    since = len(game.changes)
    game.do(cmd.RollTask(task))
    game.do(cmd.RollTask(task, units=(helper,)))
    assert [game.lines(seat, "rolled", since) for seat in ("p1", "p2")] == [[], []]
    assert len(game.lines("st", "rolled", since)) == 4
    assert game.task(task).successes == 2


@pytest.mark.rule("STY-05")
def test_whoever_is_gone_from_the_table_strives_no_more():
    game, task = tug_of_war()
    game.do(cmd.RemoveUnit(game.ghoul))
    assert task not in game.table.play.tasks


@pytest.mark.rule("STY-05")
def test_nobody_strives_against_himself_or_rolls_for_both_sides():
    game, task = tug_of_war(teamwork=True)
    assert game.refused(cmd.StartTask(game.ann, "x", Pool(fixed=4), 3, opposes=game.ann)) == "bad_value"
    assert game.refused(cmd.RollTask(task, units=(game.ghoul,))) == "bad_value"


# -------------------------------------------------------------------------------------------------------------- STY-06
@pytest.mark.case("STY-06.1")
def test_the_player_sees_target_number_and_successes_needed_before_he_rolls():
    game = Tale()
    task = game.open(6)
    for who in ("p1", "p2", "all"):
        face = game.seen(who)[f"x/{task}"]
        assert (face["target_number"], face["dc"], face["rolls"]) == (7, 6, 0)
        (told,) = game.lines(who, "task_started")
        assert (told[2], told[6]) == (6, 7)


@pytest.mark.rule("STY-06")
def test_it_is_the_st_who_tells_both():
    game = Tale()
    opening = cmd.StartTask(game.ann, "climb", Pool(fixed=4), 6)
    assert game.refused(opening, "p1") == "st_tells"
    task = game.open(6)
    assert game.refused(cmd.EditTask(task, dc=8), "p1") == "st_tells"
    game.do(cmd.EditTask(task, dc=8, pool=Pool(fixed=4, target_number=9)))
    face = game.seen("p1")[f"x/{task}"]
    assert (face["target_number"], face["dc"]) == (9, 8)


@pytest.mark.rule("STY-06")
def test_a_player_may_ask_the_st_for_leave_to_open_it_as_he_says():
    game = Tale()
    opening = cmd.StartTask(game.ann, "climb", Pool(fixed=4, target_number=7), 6)
    game.do(cmd.AskLeave(opening, {"kind": "start_task"}), "p1")
    (request,) = game.table.requests
    game.do(cmd.AnswerRequest(request, True, command=opening))
    assert [(task.name, task.dc) for task in game.table.play.tasks.values()] == [("climb", 6)]


@pytest.mark.rule("STY-06")
def test_where_no_target_number_is_told_it_is_the_houses_of_that_moment():
    game = Tale([7, 7, 7, 7])
    task = game.open(6, pool=Pool(fixed=4))
    game.do(cmd.SetHouse("target_number", 6))
    assert game.seen("p1")[f"x/{task}"]["target_number"] == 8
    game.roll(task)
    assert game.task(task).successes == 0


@pytest.mark.case("STY-06.2")
def test_a_botch_starts_over_from_scratch():
    game = Tale(faces(3), faces(2), BOTCH, faces(4), faces(2))
    task = game.open(6)
    totals = []
    for _ in range(5):
        game.roll(task)
        totals.append(game.task(task).successes)
    assert totals == [3, 5, 0, 4, 6]
    assert game.stands(task) == ("done", "", 6)
    assert game.lines("p2", "task_botched") == [[[game.ann, "Ann"], "climb", task]]


@pytest.mark.case("STY-06.2")
def test_or_the_st_ends_it_and_a_further_roll_is_refused():
    game = Tale(faces(3), faces(2), BOTCH)
    task = game.open(6)
    for _ in range(3):
        game.roll(task)
    game.do(cmd.DropTask(task, "the rope is gone"))
    assert game.refused(cmd.RollTask(task), "p1") == "task_closed"


@pytest.mark.case("STY-06.2")
def test_or_the_st_has_ruled_before_that_a_botch_ends_it_for_good():
    game = Tale(faces(3), faces(2), BOTCH)
    task = game.open(6, botch_ends=True)
    assert game.seen("p1")[f"x/{task}"]["botch_ends"]
    for _ in range(3):
        game.roll(task)
    assert game.stands(task) == ("failed", "botch", 5)
    assert game.refused(cmd.RollTask(task), "p1") == "task_closed"


@pytest.mark.rule("STY-06")
def test_a_botch_is_told_on_the_roll():
    game = Tale(BOTCH, [8, 1, 1, 4])
    for botch in (True, None):
        since = len(game.changes)
        game.do(cmd.Roll(game.ann, Pool(fixed=4, target_number=7)), "p1")
        (told,) = game.lines("p2", "rolled", since)
        assert (told[5], (list(told) + [None] * 4)[22]) == (0, botch)


@pytest.mark.rule("STY-06")
def test_in_a_fight_each_roll_is_the_simple_action_of_ones_own_turn():
    game = Tale(faces(1), faces(1), reaction_window_ms=0)
    task = game.open(6)
    game.start(game.ann, game.ben)
    game.roll(task)
    assert game.left(game.ann) == {"simple": 0, "free": 1}
    assert game.refused(cmd.RollTask(task), "p1") == "not_declared"
    game.end(game.ann)
    assert game.refused(cmd.RollTask(task), "p1") == "not_your_action"
    game.end(game.ben)
    game.roll(task)
    assert game.task(task).successes == 2


@pytest.mark.rule("STY-06")
def test_while_others_fight_nobody_rolls_as_often_as_he_likes_beside_them():
    game = Tale(faces(1), reaction_window_ms=0)
    task = game.open(6)
    game.start(game.ann, game.ben)
    game.do(cmd.LeaveFight(game.ann), "p1")
    assert game.refused(cmd.RollTask(task), "p1") == "not_in_fight"
    game.do(cmd.EndFight())
    game.roll(task)
    assert game.task(task).successes == 1


@pytest.mark.rule("STY-06")
def test_of_several_announced_actions_rolls_for_a_task_are_each_on_fewer_dice():
    game = Tale([8, 4, 4], [8, 4], reaction_window_ms=0)
    task = game.open(6, pool=Pool(fixed=6, target_number=7))
    game.start(game.ann, game.ben)
    game.do(cmd.Announce(game.ann, 2), "p1")
    sizes = []
    for _ in range(2):
        game.roll(task)
        sizes.append(game.rolled()[0].size)
    assert (sizes, game.task(task).successes) == ([3, 2], 2)


@pytest.mark.rule("STY-06")
def test_in_a_fight_nobody_rolls_while_something_waits_to_be_answered():
    game = Tale([4])
    task = game.open(6)
    cy = game.unit("Cy", "p1", abilities=[attack("fist", 1, slots=("simple",))])
    dan = game.unit("Dan", "p2", abilities=[Ability("block", "block", ("reflexive",), answers=("attack",))])
    game.do(cmd.SetStandingOrder("*", "ask"), "p2")
    game.start(game.ann, cy, dan)
    game.end(game.ann)
    game.declare(cy, "melee_attack", "simple", ability="fist", targets=[dan])
    assert game.window.kind == "after"
    assert game.refused(cmd.RollTask(task), "p1") == "window_open"


@pytest.mark.rule("STY-06")
@pytest.mark.rule("CON-03")
def test_in_a_fight_a_roll_before_sustaining_lets_a_concentration_go_as_any_act_does():
    game = Tale(faces(1), reaction_window_ms=0)
    focus = Ability("focus", slots=("simple",), concentration="free", applies=(Applied("calm", to="self"),))
    cy = game.unit("Cy", "p1", initiative=30, abilities=[focus])
    task = TaskId(game.do(cmd.StartTask(cy, "climb", Pool(fixed=4, target_number=7), 6)).made[0])
    game.start(cy, game.ben)
    game.declare(cy, slot="simple", ability="focus")
    game.end(cy)
    game.end(game.ben)
    assert cy in game.table.play.concentrations
    game.do(cmd.RollTask(task), "p1")
    assert cy not in game.table.play.concentrations


@pytest.mark.rule("STY-06")
def test_a_roll_of_no_dice_shows_none():
    game = Tale([])
    game.do(cmd.Roll(game.ann, Pool(fixed=-2)), "p1")
    (rolled,) = game.rolled()
    assert (rolled.size, rolled.faces, rolled.successes, rolled.botch, rolled.chance) == (0, (), 0, False, False)


@pytest.mark.rule("STY-06")
def test_outside_a_fight_an_interval_keeps_its_rolls_apart_where_the_st_sets_one():
    game = Tale(faces(1), faces(1))
    task = game.open(6, interval_s=60)
    game.roll(task)
    assert game.refused(cmd.RollTask(task), "p1") == "interval"
    game.do(cmd.PassTime(60))
    game.roll(task)


# -------------------------------------------------------------------------------------------------------------- STY-07
@pytest.mark.case("STY-07.1")
def test_where_teamwork_is_not_allowed_a_second_characters_roll_is_refused():
    game = Tale()
    task = game.open(6)
    assert game.refused(cmd.RollTask(task, units=(game.ben,)), "p2") == "no_teamwork"


@pytest.mark.case("STY-07.1")
def test_where_it_is_allowed_each_rolls_his_own_pool_and_successes_are_added():
    game = Tale(faces(3), faces(1, size=5), faces(2))
    task = game.open(6, teamwork=True)
    totals = []
    for unit, pool in ((game.ann, None), (game.ben, Pool(fixed=5)), (game.ann, None)):
        game.roll(task, unit, pool=pool)
        totals.append((game.rolled()[0].unit, game.rolled()[0].size, game.task(task).successes))
    assert totals == [(game.ann, 4, 3), (game.ben, 5, 4), (game.ann, 4, 6)]
    assert game.stands(task) == ("done", "", 6)
    assert [line[0][1] for line in game.lines("all", "task_rolled")] == ["Ann", "Ben", "Ann"]


@pytest.mark.rule("STY-07")
def test_a_helper_who_says_nothing_rolls_the_tasks_pool_from_his_own_sheet():
    game = Tale([8, 8, 1, 9])
    task = game.open(6, pool=Pool(("STR",), ("Brawl",), target_number=9), teamwork=True)
    game.roll(task, game.ben)
    (rolled,) = game.rolled()
    assert (rolled.parts, rolled.target_number) == ((("STR", 2), ("Brawl", 2)), 9)


@pytest.mark.case("STY-07.2")
def test_pools_are_never_combined_into_one_roll():
    game = Tale()
    task = game.open(6, teamwork=True)
    assert game.refused(cmd.RollTask(task, units=(game.ann, game.ben), pool=Pool(fixed=7))) == "pools_apart"
    assert game.refused(cmd.RollTask(task, pool=Pool(fixed=7)), "p1") == "pools_apart"
    assert game.refused(cmd.RollTask(task, units=(game.ann, game.ben))) == "pools_apart"


@pytest.mark.rule("STY-07")
def test_a_table_that_only_warns_combines_no_pools_either():
    game = Tale(faces(1), enforce="warn")
    task = game.open(6)
    assert game.refused(cmd.RollTask(task, units=(game.ann, game.ben))) == "pools_apart"
    game.roll(task, game.ben)
    assert [flag.code for flag in game.happened(ev.Flagged)] == ["no_teamwork"]


@pytest.mark.rule("STY-07")
@pytest.mark.parametrize("clumsy", ["ann", "ben"])
def test_a_botch_by_any_of_them_fails_the_action(clumsy: str):
    game = Tale(faces(3), BOTCH)
    task = game.open(6, teamwork=True)
    game.roll(task, game.ben if clumsy == "ann" else game.ann)
    game.roll(task, getattr(game, clumsy))
    assert game.stands(task) == ("failed", "botch", 3)


@pytest.mark.rule("STY-06", "STY-07")
def test_who_has_had_no_help_starts_over_though_others_might_have_helped():
    game = Tale(faces(3), BOTCH)
    task = game.open(6, teamwork=True)
    game.roll(task)
    game.roll(task)
    assert game.stands(task) == ("open", "", 0)


@pytest.mark.rule("STY-07")
def test_each_rolls_on_his_own_turn():
    game = Tale(faces(1), faces(1), reaction_window_ms=0)
    task = game.open(6, teamwork=True)
    game.start(game.ann, game.ben)
    assert game.refused(cmd.RollTask(task, units=(game.ben,)), "p2") == "not_your_action"
    game.roll(task)
    game.end(game.ann)
    game.roll(task, game.ben)
    assert game.task(task).successes == 2


@pytest.mark.rule("STY-07")
def test_nobody_sends_anothers_unit_to_help():
    game = Tale()
    task = game.open(6, teamwork=True)
    assert game.refused(cmd.RollTask(task, units=(game.ben,)), "p1") == "not_yours"


@pytest.mark.rule("STY-07")
@pytest.mark.parametrize("teamwork", [True, False])
def test_what_one_can_do_now_names_the_tasks_one_may_help_with(teamwork: bool):
    game = Tale()
    task = game.open(6, teamwork=teamwork)
    found = offered(game, "p2")
    assert found == ([(task, (game.ben,), None)] if teamwork else [])
    assert offered(game, "p1") == [(task, (), None)]


def offered(game: Tale, who: str) -> list[tuple[TaskId, tuple[UnitId, ...], Refused | None]]:
    world = World(game.now, KeyedDice(b"options"), Ids(b"o", "o"), game.here, game.version + 1)
    found = options(game.table, game.by(who), world)
    return [(o.command.task, o.command.units, o.refused) for o in found if isinstance(o.command, cmd.RollTask)]


# ------------------------------------------------------------------------------------------------- not in the other game
@pytest.mark.rule("STY-05")
@pytest.mark.rule("STY-07")
def test_the_common_rule_knows_no_opponents_helpers_or_botches_of_a_task():
    game = Game(ruleset="infinite_horror")
    ann, ben = game.unit("Ann", "p1"), game.unit("Ben", "p2")
    plain = cmd.StartTask(ann, "climb", Pool(fixed=4), 6)
    for more in ({"opposes": ben}, {"opposed_pool": Pool()}, {"teamwork": True}, {"botch_ends": True}):
        assert game.refused(cmd.StartTask(ann, "climb", Pool(fixed=4), 6, **more)) == "not_in_this_game"
    task = TaskId(game.do(plain).made[0])
    assert game.refused(cmd.EditTask(task, theirs=2)) == "not_in_this_game"
    assert game.refused(cmd.RollTask(task, units=(ben,)), "p2") == "not_in_this_game"
    assert game.refused(cmd.RollTask(task, pool=Pool(fixed=9)), "p1") == "not_in_this_game"


@pytest.mark.rule("TBL-04", "STY-03")
def test_a_roll_for_a_task_that_only_the_st_sees_takes_nobodys_turn():
    game = Tale(faces(2), faces(1), reaction_window_ms=0)
    secret = game.open(9, "poison", visibility="st")
    game.start(game.ann, game.ben)
    left, since = game.left(game.ann), len(game.changes)
    game.do(cmd.RollTask(secret))
    assert game.left(game.ann) == left
    game.end(game.ann)
    game.do(cmd.RollTask(secret))
    assert game.task(secret).successes == 3
    assert not game.lines("p1", "rolled", since)


@pytest.mark.rule("TBL-04", "STY-03")
@pytest.mark.parametrize("told", ["not_your_action", "not_declared"])
def test_a_rule_bent_by_a_roll_for_a_task_of_ones_own_is_told_to_who_knows_of_it(told: str):
    game = Tale(faces(2), faces(1), reaction_window_ms=0)
    private = game.open(6, "poison", visibility="roller")
    game.start(game.ann, game.ben)
    game.do(cmd.SetHouse("enforce", "warn"))
    game.do(cmd.RollTask(private))
    if told == "not_your_action":
        game.end(game.ann)
    since = len(game.changes)
    game.do(cmd.RollTask(private))
    assert told in [e.code for e in game.happened(ev.Flagged)]
    assert [len(game.lines(seat, "flagged", since)) > 0 for seat in ("st", "p1", "p2")] == [True, True, False]
