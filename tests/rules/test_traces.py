"""The six traces of interrupts.md 12, step by step: a attacks b; windows of 8 s, floor 0.75 s; all seats ask."""

import pytest

from core import commands as cmd
from core import events as ev
from core.clock import due_command
from core.decide import decide
from core.ids import Ids, ReadiedId
from core.refusals import Refused
from core.state import Trigger
from core.world import World
from tests.helpers.brawl import MISSES, attacks, brawl, code, now_acts, readies
from tests.helpers.play import Game, attack, make_act, step_aside

STEP = make_act("move", "immediate", ability="step aside", leaves=True)
pytestmark = pytest.mark.rule("IMM-04", "IMM-06", "IMM-07")


def ask_all(game):
    for seat in ("p1", "p2", "p3", "p4"):
        if seat in game.table.seats:
            game.do(cmd.SetStandingOrder("*", "ask"), seat)


def killing(game, unit, target, window=None):
    game.do(cmd.React(unit, make_act("use", "immediate", ability="kill", targets=[target]), window), game.owner(unit))


def failures(game):
    return [(e.actor, e.why) for e in game.happened(ev.ActionFailed)]


def test_1_b_steps_away_and_the_attack_goes_on_against_its_doubled_dodge():
    game = Game(dice=MISSES)
    a = game.unit("a", "p1", initiative=20, abilities=[attack(dice=30)])
    b = game.unit("b", "p2", base=3, dodge=4, abilities=[step_aside()])
    game.start()
    ask_all(game)
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    assert game.stack == ["melee_attack", "move"], "the child is on top"
    game.pass_all()
    assert (game.window.id, game.window.gen) == (window, 2)
    assert game.stack == ["melee_attack"]
    game.pass_all()
    assert dict(game.happened(ev.Rolled)[0].parts)["defense"] == -14
    game.do(cmd.Grant(a, ("standard",)))
    attacks(game, a, b)
    game.pass_all()
    assert dict(game.happened(ev.Rolled)[0].parts)["defense"] == -7
    game.end(a)
    assert game.left(b)["swift"] == 0


def test_2_b_kills_in_answer_and_the_attack_fails_without_being_asked_again():
    game, a, b, _ = brawl()
    ask_all(game)
    window = attacks(game, a, b)
    killing(game, b, a, window)
    game.pass_all()
    assert game.table.play.units[a].conditions.keys() == {"out"}
    assert failures(game) == [(a, "interrupted")]
    assert not game.happened(ev.WindowAsked)
    assert "standard" in game.table.play.budgets[a].spent
    assert game.active == b, "who is out has had his action"
    assert game.left(b)["swift"] == 0


def test_3_three_kill_in_a_chain_and_the_one_whose_killer_died_goes_on():
    game, a, b, c, d = brawl("a b c d")
    ask_all(game)
    window = attacks(game, a, b)
    killing(game, b, a, window)
    killing(game, c, b)
    killing(game, d, c)
    assert len(game.stack) == 4
    game.pass_all()
    assert failures(game) == [(c, "interrupted")], "d killed c"
    assert game.window.gen == 2
    assert game.top.actor == b
    game.pass_all()
    assert game.hp(a) == 0
    assert failures(game) == [(a, "interrupted")]
    assert game.hp(b) == 10
    assert game.stack == []


def test_4_readied_actions_fire_by_themselves_oldest_first_each_before_the_next():
    game, b, c, a = brawl("b c a", dice=[8] * 50, hp=5)
    ask_all(game)
    readies(game, b, auto=True, leaves=True)
    shot = ReadiedId(
        readies(game, c, "attack", "standard", ability="bow", trigger=Trigger("attack", actor=a), auto=True)
    )
    attacks(game, a, b)
    assert [type(e).__name__ for e in game.last].count("ReadiedUsed") == 1
    assert [game.table.play.pendings[p].actor for p in game.table.play.stack] == [a, b], "in the declaring command"
    game.pass_all()
    assert [game.table.play.pendings[p].actor for p in game.table.play.stack] == [a, c], "when b's had ended"
    game.pass_all()
    assert game.hp(a) == 0
    assert failures(game) == [(a, "interrupted")]
    assert game.table.play.readied[shot].state == "used"
    assert game.active == b, "a is out: b's next action has begun, and b has paid"
    assert game.left(b) == {"swift": 1, "move": 0, "standard": 1}
    assert game.table.play.budgets[c].debts == ("standard",)


def test_4_had_the_first_killed_the_attacker_the_second_stays_armed_and_unowed():
    game, b, c, a = brawl("b c a", dice=[8] * 50)
    ask_all(game)
    readies(game, b, "use", "standard", ability="kill", auto=True)
    shot = ReadiedId(
        readies(game, c, "attack", "standard", ability="bow", trigger=Trigger("attack", actor=a), auto=True)
    )
    attacks(game, a, b)
    assert game.top.act.targets == (a,)
    game.pass_all()
    assert game.hp(a) == 0
    assert game.stack == []
    assert game.table.play.readied[shot].state == "armed"
    assert game.table.play.budgets[c].debts == ()


def deciding(game, command, by, at):
    world = World(at, game.dice, Ids(b"test", f"{at}:{command}"), game.here, game.version + 1)
    return decide(game.table, command, by, world)


class TestFive:
    """b answers at D-1 on node 1 while node 2 fires D."""

    @pytest.fixture
    def open(self):
        game, a, b, _ = brawl()
        window = attacks(game, a, b)
        return game, b, window, game.now + 8000

    def test_the_answer_first_and_the_clock_finds_the_window_covered(self, open):
        game, b, window, deadline = open
        game.now = deadline - 1
        game.do(cmd.React(b, STEP, window), "p2")
        assert code(deciding(game, cmd.CloseDue(window, 1), game.by("st"), deadline)) == "not_due"
        assert game.table.play.windows[window].clock is None

    def test_the_clock_first_and_the_answer_is_late_and_costs_nothing(self, open):
        game, b, window, deadline = open
        game.now = deadline
        game.of_the_server(cmd.CloseDue(window, 1))
        late = deciding(game, cmd.React(b, STEP, window), game.by("p2"), deadline - 1)
        assert code(late) == "window_closed"
        assert game.table.play.budgets[b].immediates == 1

    def test_at_the_deadline_before_any_timer_the_clock_goes_first_then_it_is_late(self, open):
        game, b, window, deadline = open
        react = cmd.React(b, STEP, window)
        assert code(deciding(game, react, game.by("p2"), deadline)) == "clock_due"
        assert due_command(game.table, deadline, game.here) == cmd.CloseDue(window, 1)
        game.now = deadline
        assert game.refused(react, "p2") == "window_closed"

    def test_the_clock_again_is_not_due(self, open):
        game, _, window, deadline = open
        game.wait(8000)
        assert code(deciding(game, cmd.CloseDue(window, 1), game.by("st"), deadline + 10_000)) == "not_due"


def test_6_rewound_to_inside_the_nested_window_it_goes_on_as_in_1():
    game = Game(dice=MISSES, players=["p1", "p2", "p3"])
    a = game.unit("a", "p1", initiative=20, abilities=[attack(dice=30)])
    b = game.unit("b", "p2", base=3, dodge=4, abilities=[step_aside()])
    c = game.unit("c", "p3", abilities=[step_aside()], initiative=5)
    game.start()
    ask_all(game)
    window = attacks(game, a, b)
    game.do(cmd.React(b, STEP, window), "p2")
    upper = game.window.id
    game.do(cmd.Pass(upper, 1), "p3")
    there, play = game.version, game.table.play
    game.pass_all()
    game.do(cmd.Rewind(there, game.version, "", play))
    assert game.table.play.held
    assert game.stack == ["melee_attack", "move"], "b inside"
    assert game.table.play.budgets[b].immediates == 0
    assert "p3" in game.window.asked
    assert game.window.passed == ()
    for old in (window, upper):
        assert game.refused(cmd.Pass(old, 1), "p3") == "window_closed"
        assert game.refused(cmd.React(c, STEP, old), "p3") == "window_closed"
        assert code(deciding(game, cmd.CloseDue(old, 1), game.by("st"), game.now + 9000)) == "not_due"
    game.do(cmd.Release())
    game.pass_all()
    assert game.window.gen == 2
    game.pass_all()
    assert dict(game.happened(ev.Rolled)[0].parts)["defense"] == -14
    assert not isinstance(game.decide(cmd.EndAction(a, 1), "p1"), Refused)
    now_acts(game, b)
    assert game.left(b)["swift"] == 0
