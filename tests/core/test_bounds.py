"""There is an end to everything a table holds, and every refusal for it says how many would still be accepted."""

import time

import pytest

from core import bounds
from core import commands as cmd
from core import events as ev
from core.evolve import value_at
from core.ids import SeatId, TaskId, UnitId
from core.refusals import Refused
from core.state import Ability, Applied, Pool, Prepared, Track, Unit, Visibility
from protocol import texts
from tests.helpers.play import Game, make_act

pytestmark = pytest.mark.rule("TBL-02")


def accepted(outcome: object) -> object:
    assert isinstance(outcome, Refused), outcome
    assert outcome.code == "too_many"
    return outcome.params["accepted"]


def test_one_model_named_often_is_copied_as_often_as_it_says_once():
    game = Game()
    zombie = game.unit("Zombie", on_stage=False)
    game.do(cmd.BringOn((zombie,) * 100, 3))
    assert sorted(u.name for u in game.table.play.units.values() if u.on_stage) == ["Zombie 1", "Zombie 2", "Zombie 3"]


def test_no_command_brings_on_more_copies_than_a_hundred():
    game = Game()
    models = tuple(game.unit(name, on_stage=False) for name in ("Zombie", "Ghoul"))
    assert accepted(game.decide(cmd.BringOn(models, 51))) == 100
    game.do(cmd.BringOn(models, 50))


def test_a_table_holds_three_hundred_units_and_says_how_many_more():
    game = Game()
    zombie = game.unit("Zombie", on_stage=False)
    for _ in range(2):
        game.do(cmd.BringOn((zombie,), 100))
    over = game.decide(cmd.BringOn((zombie,), 100))
    assert accepted(over) == 99
    assert isinstance(over, Refused)
    assert over.params["what"] == "units"
    started = time.process_time()
    game.do(cmd.BringOn((zombie,), 99))
    assert time.process_time() - started < 5
    assert len(game.table.play.units) == 300
    assert accepted(game.decide(cmd.AddUnit(Unit(UnitId(""), "one more")))) == 0


def test_effects_have_an_end_by_hand_and_in_an_act(monkeypatch):
    monkeypatch.setattr(bounds, "EFFECTS", 2)
    game = Game()
    mira = game.unit("Mira", "p1", abilities=[Ability("curse", "use", applies=(Applied("x", 1), Applied("y", 1)))])
    game.do(cmd.AddCondition(mira, "a", minutes=1))
    game.declare(mira, "use", ability="curse", targets=[mira])
    game.wait(9000)
    assert len(game.table.play.effects) == 1, "nothing is done by halves: the act failed as a whole"
    (failed,) = game.happened(ev.ActionFailed)
    assert (failed.why, failed.secret) == ("fault", False), "which is no secret"
    game.do(cmd.AddCondition(mira, "b", minutes=1))
    assert accepted(game.decide(cmd.AddCondition(mira, "c", minutes=1))) == 0


def test_a_seat_has_one_take_back_and_few_requests_waiting():
    game = Game()
    mira = game.unit("Mira", "p1", initiative=1)
    game.unit("Rolf", "p2", initiative=9)
    game.declare(mira)
    game.wait(9000)
    game.start()
    game.do(cmd.AskTakeBack("please"), "p1")
    assert accepted(game.decide(cmd.AskTakeBack("pretty please"), "p1")) == 0
    act = cmd.Declare(mira, make_act("use", "standard"))
    for _ in range(bounds.REQUESTS - 1):
        game.do(cmd.AskLeave(act, {}), "p1")
    assert accepted(game.decide(cmd.AskLeave(act, {}), "p1")) == 0
    (first, *_) = game.table.requests
    game.do(cmd.AnswerRequest(first, False))
    game.do(cmd.AskLeave(act, {}), "p1")


def test_a_seat_has_so_many_standing_orders_and_changes_them_as_it_likes():
    game = Game()
    for k in range(bounds.ORDERS):
        game.do(cmd.SetStandingOrder(f"kind {k}", "ask"), "p1")
    assert accepted(game.decide(cmd.SetStandingOrder("one more", "ask"), "p1")) == 0
    game.do(cmd.SetStandingOrder("kind 1", "pass"), "p1")
    game.do(cmd.SetStandingOrder("kind 1", "pass"), "p2")


def test_the_st_has_so_many_rolls_asked_for():
    game = Game()
    mira = game.unit("Mira", "p1")
    for _ in range(bounds.ASKS):
        game.do(cmd.AskRoll((mira,), Pool(fixed=1)))
    assert accepted(game.decide(cmd.AskRoll((mira,), Pool(fixed=1)))) == 0


@pytest.mark.parametrize(
    ("path", "value", "was"),
    [
        ("name", "x" * 81, "Mira"),
        ("name", "Mira\x1b[31m", "Mira"),
        ("side", "x" * 81, "pc"),
        ("position", "a\nb", ""),
        ("notes", "x" * 2001, ""),
        ("tracks.name.value", 3, None),
        ("tracks.x/y.value", 3, None),
        ("tracks." + "x" * 81 + ".value", 3, None),
        ("skills." + "x" * 81, 3, None),
    ],
)
def test_a_value_set_by_hand_keeps_the_bounds_of_one_that_came_with_the_unit(path, value, was):
    game = Game()
    mira = game.unit("Mira", "p1")
    assert game.refused(cmd.SetValue(mira, path, value, was)) == "bad_value"


@pytest.mark.parametrize(
    ("path", "most"),
    [("attributes.DEX", 1000), ("skills.Brawl", 1000), ("base", 1000), ("speed", 1000), ("hp", 1_000_000)],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_beyond_any_sheet_is_refused_with_what_would_be_accepted(path: str, most: int, sign: int):
    game = Game()
    mira = game.unit("Mira", "p1", attributes={"DEX": 3}, skills={"Brawl": 1})
    was = value_at(game.table.play.units[mira], "tracks.hp.value" if path == "hp" else path)
    outcome = game.decide(cmd.SetValue(mira, path, sign * (most + 1), was))
    assert isinstance(outcome, Refused)
    assert (outcome.code, outcome.params["least"], outcome.params["most"]) == ("bad_value", -most, most)
    named = {"hp": "HP", "base": "Base Defense"}.get(path, path.split(".")[-1])
    assert texts.refusal(outcome.code, outcome.params) == (
        f"This value cannot stand here ({named} {sign * (most + 1)}); accepted is a whole number from -{most} to {most}"
    )
    game.do(cmd.SetValue(mira, path, sign * most, was))
    assert game.refused(cmd.Adjust(mira, path, sign)) == "bad_value"


@pytest.mark.parametrize("sheet", [{"attributes": {"DEX": 999_999}}, {"speed": 1001}, {"initiative": -1001}])
def test_no_unit_comes_with_a_number_that_nobody_could_give_it(sheet):
    game = Game()
    unit = Unit(UnitId(""), "Mira", **sheet)
    for command in (cmd.AddUnit(unit), cmd.SetUp((Prepared(unit),))):
        outcome = game.decide(command)
        assert isinstance(outcome, Refused)
        assert (outcome.code, outcome.params["most"]) == ("bad_value", 1000)
    giant = Unit(UnitId(""), "Giant", tracks={"hp": Track(1_000_001)})
    assert game.refused(cmd.AddUnit(giant)) == "bad_value"


def test_a_unit_that_comes_with_such_a_name_or_track_is_refused_too():
    game = Game()
    assert game.refused(cmd.AddUnit(Unit(UnitId(""), "Mira\x1b[31m"))) == "bad_value"


def test_notes_may_have_lines_and_a_new_track_can_be_made():
    game = Game()
    mira = game.unit("Mira", "p1")
    game.do(cmd.SetValue(mira, "notes", "a\nb", ""))
    game.do(cmd.SetValue(mira, "tracks.mana.value", 3, None))
    assert game.seen("p1")[f"u/{mira}/mana"] == 3


def test_every_value_that_can_be_set_can_be_seen_by_its_owner():
    game = Game()
    mira = game.unit("Mira", "p1")
    game.do(cmd.Adjust(mira, "initiative_bonus", 3))
    assert game.seen("p1")[f"u/{mira}/initiative_bonus"] == 3
    assert game.seen("st")[f"u/{mira}/initiative_bonus"] == 3


def test_asked_for_rolls_have_an_end_and_each_is_told_with_what_it_is_for():
    game = Game()
    mira = game.unit("Mira", "p1")
    climb = cmd.AskRoll((mira,), Pool(fixed=2), "roller", 3, "climb")
    made = game.do(climb).made[0]
    face = {"units": [mira], "pool": {"fixed": 2}, "visibility": "roller", "dc": 3, "reason": "climb"}
    assert game.seen("p1")[f"a/{made}"] == face
    for _ in range(bounds.ASKS - 1):
        game.do(climb)
    assert game.refusal(climb) == ("too_many", {"what": "asks", "most": bounds.ASKS, "accepted": 0})


# --------------------------------------------------------------------------- at the bound, and one over it
def test_a_unit_has_so_many_readied_actions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bounds, "READIED", 2)
    game = Game(enforce="warn")
    mira = game.unit("Mira", "p1")
    game.unit("Rolf", "p2", initiative=1)
    game.start()
    ready = cmd.Ready(mira, make_act("use", "standard"), words="when it rains")
    for _ in range(2):
        game.do(ready, "p1")
    assert accepted(game.decide(ready, "p1")) == 0


def test_a_seat_has_so_many_open_tasks_and_forgets_the_oldest_that_are_over(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bounds, "TASKS", 3)
    game = Game(dice=[1, 2] * 20)
    mira = game.unit("Mira", "p1")

    def start(name: str) -> cmd.StartTask:
        return cmd.StartTask(mira, name, Pool(fixed=1), dc=5)

    for name in "abc":
        game.do(start(name), "p1")
    assert accepted(game.decide(start("d"), "p1")) == 0
    for task in list(game.table.play.tasks):
        game.do(cmd.DropTask(task), "p1")
    for name in "defgh":
        made = game.do(start(name), "p1").made[0]
        game.do(cmd.DropTask(TaskId(made)), "p1")
    assert len(game.table.play.tasks) <= 3


@pytest.mark.rule("TBL-04")
@pytest.mark.parametrize("over", [False, True])
def test_nobody_can_count_the_tasks_he_does_not_see(over: bool, monkeypatch: pytest.MonkeyPatch):
    """Neither by how many more he may start, nor by how long those that are over are remembered."""
    monkeypatch.setattr(bounds, "TASKS", 3)

    def seen(secret: int) -> tuple[int, int]:
        """How many Ann may start, and how many she then sees."""
        game = Game()
        mira, rolf, ghost = game.unit("Mira", "p1"), game.unit("Rolf", "p2"), game.unit("Ghost", hidden=True)
        ways: tuple[tuple[UnitId, Visibility, str], ...] = (
            (mira, "st", "st"),
            (rolf, "roller", "p2"),
            (ghost, "open", "st"),
        )
        for k in range(secret):
            unit, eyes, who = ways[k % 3]
            game.do(cmd.StartTask(unit, f"plot {k}", Pool(fixed=1), 9, visibility=eyes), who)
        started = 0
        while not isinstance(game.decide(start := cmd.StartTask(mira, f"t{started}", Pool(fixed=1), 9), "p1"), Refused):
            made = game.do(start, "p1").made[0]
            started += 1
            if over:
                game.do(cmd.DropTask(TaskId(made)), "p1")
            if started == 5:
                break
        return started, sum(path.startswith("x/") for path in game.seen("p1"))

    assert [seen(secret) for secret in (0, 1, 3, 4)] == [seen(0)] * 4
    assert seen(0) == ((5, 3) if over else (3, 3))


@pytest.mark.rule("TBL-04")
def test_nobody_can_count_the_conditions_and_effects_he_does_not_see(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bounds, "CONDITIONS", 2)
    monkeypatch.setattr(bounds, "EFFECTS", 2)
    grip = Ability("grip", "use", ("anytime",), applies=(Applied("held", minutes=1), Applied("slow", minutes=1)))
    game = Game()
    mira = game.unit("Mira", "p1", abilities=[grip])
    ghost = game.unit("Ghost", hidden=True)
    for k, (unit, secret) in enumerate(((mira, True), (mira, True), (ghost, False), (ghost, False))):
        game.do(cmd.AddCondition(unit, f"word {k}", secret=secret, minutes=1))
    assert accepted(game.decide(cmd.AddCondition(mira, "one more", secret=True, minutes=1))) == 0
    game.declare(mira, "use", "anytime", ability="grip", targets=[mira])
    assert not game.happened(ev.Faulted)
    assert game.seen("p1")[f"u/{mira}/conditions"] == ["held", "slow"]
    game.declare(mira, "use", "anytime", ability="grip", targets=[mira])
    assert game.happened(ev.Faulted), "as many again are too many of her own making"


def test_a_unit_has_so_many_conditions_and_takes_a_known_one_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bounds, "CONDITIONS", 2)
    game = Game()
    mira = game.unit("Mira", "p1")
    game.do(cmd.AddCondition(mira, "a"))
    game.do(cmd.AddCondition(mira, "b", minutes=1))
    assert accepted(game.decide(cmd.AddCondition(mira, "c"))) == 0
    game.do(cmd.AddCondition(mira, "b", minutes=5))


@pytest.mark.parametrize("kind", ["skills.{}", "attributes.{}", "extras.{}", "bonus.{}", "tracks.{}.value"])
def test_a_sheet_has_so_many_entries_of_a_kind(kind: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bounds, "ENTRIES", 3)
    game = Game()
    mira = game.unit("Mira", "p1")
    there = len(getattr(game.table.play.units[mira], kind.split(".")[0]))
    for k in range(3 - there):
        game.do(cmd.SetValue(mira, kind.format(f"x{k}"), 1, None))
    assert accepted(game.decide(cmd.SetValue(mira, kind.format("more"), 1, None))) == 0
    game.do(cmd.SetValue(mira, kind.format("x0"), 2, 1))


def test_a_table_has_so_many_seats(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bounds, "SEATS", 4)
    game = Game()
    game.of_the_server(cmd.AddSeat("Cid", "player", seat=SeatId("p3")))
    assert accepted(game.decide(cmd.AddSeat("Dee", "player", seat=SeatId("p4")))) == 0


def test_the_story_knows_so_many_worlds_and_key_points(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bounds, "WORLDS", 1)
    monkeypatch.setattr(bounds, "KEY_POINTS", 1)
    game = Game()
    game.do(cmd.SetWorld("Mars"))
    assert accepted(game.decide(cmd.SetWorld("Venus"))) == 0
    game.do(cmd.ChangeScene("story", key_point="the door"))
    assert accepted(game.decide(cmd.ChangeScene("story", key_point="the key"))) == 0
    game.do(cmd.ChangeScene("story", key_point="The Door"))
    game.do(cmd.ChangeScene("story"))


def test_no_house_lets_more_than_fifty_interrupts_lie_on_each_other():
    game = Game()
    game.do(cmd.SetHouse("stack_depth", 50))
    code, params = game.refusal(cmd.SetHouse("stack_depth", 51))
    assert (code, params["most"]) == ("bad_value", 50)
