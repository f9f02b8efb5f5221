"""Scenes: what changes them, what the ST is warned of, what ends with them (TIME-05, 06, 07, 10)."""

import pytest

from core import commands as cmd
from core import events as ev
from core.ids import RequestId, UnitId
from core.state import Ability, Applied, Duration, TimeUnit
from tests.helpers.play import Game


def buff(name: str, n: int, unit: TimeUnit) -> Ability:
    return Ability(name, "cast", ("swift",), applies=(Applied(name, lasts=Duration(n, unit), to="self"),))


def evening(**house) -> tuple[Game, UnitId, UnitId]:
    """A player's unit with buffs of every length, and a guard of the other side."""
    game = Game(reaction_window_ms=0, **house)
    lengths: list[tuple[str, int, TimeUnit]] = [
        ("rounds", 3, "round"), ("hour", 1, "hour"), ("scene", 1, "scene"), ("film", 1, "film"),
        ("night", 1, "sunrise"), ("ever", 1, "permanent"),
    ]  # fmt: skip
    mira = game.unit("Mira", "p1", initiative=20, abilities=[buff(*length) for length in lengths])
    guard = game.unit("Guard", initiative=10)
    return game, mira, guard


def cast(game: Game, unit: UnitId, *names: str) -> None:
    for name in names:
        game.declare(unit, ability=name, slot="swift")


def scenes(game: Game) -> list[tuple[int, str]]:
    return [(e.scene, e.reason) for e in game.events if isinstance(e, ev.SceneChanged)]


def told(game: Game, audience: str, kind: str, since: int = 0) -> list[list]:
    return [line[3:] for patch in game.received(audience, since) for line in patch.lines if line[0] == kind]


# ------------------------------------------------------------------------------------------------------------- TIME-05
@pytest.mark.case("TIME-05.1")
def test_a_fight_changes_the_scene_as_it_starts_and_as_it_ends_and_each_change_carries_its_reason():
    game, *_ = evening()
    before = game.table.play.scene
    game.do(cmd.StartFight())
    game.do(cmd.EndFight())
    assert game.table.play.scene == before + 2
    for reason in ("transition", "story", "area", "time"):
        game.do(cmd.ChangeScene(reason))
    assert scenes(game) == [(2, "fight"), (3, "fight"), (4, "transition"), (5, "story"), (6, "area"), (7, "time")]
    assert [line[:2] for line in told(game, "p1", "scene_changed")] == [list(one) for one in scenes(game)]


@pytest.mark.case("TIME-05.2")
def test_the_duke_the_way_to_the_king_the_audience_the_guards():
    game, *_ = evening()
    assert game.table.play.scene == 1, "talk at the duke's residence"
    game.do(cmd.ChangeScene("transition"))
    assert game.table.play.scene == 2, "the way to the king is a transition; the audience is the next scene"
    game.start()
    assert game.table.play.scene == 3
    game.do(cmd.EndFight())
    assert game.table.play.scene == 4


@pytest.mark.case("TIME-05.3")
def test_the_story_turns_where_place_and_people_stay():
    game, *_ = evening()
    units, clock = game.table.play.units, game.table.play.clock_s
    game.do(cmd.ChangeScene("story"))
    assert (game.table.play.scene, game.table.play.units, game.table.play.clock_s) == (2, units, clock)


@pytest.mark.case("TIME-05.4")
@pytest.mark.parametrize("wish", [cmd.ChangeScene("story"), cmd.StartFight()], ids=["scene", "fight"])
def test_a_player_cannot_change_the_scene_but_can_ask_the_st(wish: cmd.Command):
    game, mira, guard = evening()
    assert game.refused(wish, "p1") == "forbidden"
    wire = {"kind": "change_scene", "reason": "story"}
    asked = game.do(cmd.AskLeave(wish, wire, "the door is open"), "p1").made[0]
    seen = game.seen("st")[f"q/{asked}"]
    assert (seen["seat"], seen["text"], seen["command"]) == ("p1", "the door is open", wire)
    assert f"q/{asked}" not in game.seen("p2")
    assert game.table.play.scene == 1
    game.do(cmd.AnswerRequest(RequestId(asked), True, command=wish))
    assert game.table.play.scene == 2
    assert game.happened(ev.SceneChanged)


@pytest.mark.rule("TIME-05")
def test_what_is_asked_for_must_be_possible_and_is_the_sts_to_deny():
    game, mira, guard = evening()
    asked = game.do(cmd.AskLeave(cmd.ChangeScene("area"), {"kind": "change_scene", "reason": "area"}), "p1").made[0]
    game.do(cmd.AnswerRequest(RequestId(asked), False, command=cmd.ChangeScene("area")))
    assert game.table.play.scene == 1
    game.start()
    assert game.refused(cmd.AskLeave(cmd.StartFight(), {"kind": "start_fight"}), "p1") == "already_fighting"
    assert game.refused(cmd.AskLeave(cmd.EndFight(), {"kind": "end_fight"}), "p1") == "forbidden"


@pytest.mark.case("TIME-05.5")
def test_there_is_one_fight_at_a_time():
    game, *_ = evening()
    assert game.refused(cmd.EndFight()) == "no_fight"
    game.start()
    assert game.refused(cmd.StartFight()) == "already_fighting"


@pytest.mark.rule("TIME-05")
def test_nothing_changes_the_scene_while_an_act_waits():
    game = Game()
    a = game.unit("A", "p1")
    game.unit("B", "p2")
    game.declare(a, "look")
    assert game.stack
    assert game.refused(cmd.ChangeScene("story")) == "window_open"
    assert game.refused(cmd.EnterFilm("Resident Evil")) == "window_open"


# ------------------------------------------------------------------------------------------------------------- TIME-06
@pytest.mark.case("TIME-06.1")
def test_the_same_key_point_again_is_done_and_the_st_is_warned_naming_the_earlier_change():
    game, *_ = evening()
    game.do(cmd.ChangeScene("area", "The Sanctum"))
    assert not game.happened(ev.SceneDoubted)
    game.do(cmd.ChangeScene("story", "the mainframe is shut down"))
    before = len(game.changes)
    game.do(cmd.ChangeScene("area", " the sanctum"))
    assert game.table.play.scene == 4
    assert told(game, "st", "scene_doubted", before) == [["same_key_point", " the sanctum", 2]]
    assert told(game, "p1", "scene_doubted", before) == []
    assert told(game, "p1", "scene_changed", before) == [[4, "area", True, None]]
    assert told(game, "st", "scene_changed", before) == [[4, "area", True, " the sanctum"]]


@pytest.mark.case("TIME-06.2")
def test_a_fight_of_one_side_warns_the_st_before_it_counts_as_a_change_of_scene():
    game, mira, guard = evening()
    friend = game.unit("Kai", "p2")
    game.do(cmd.StartFight((mira, friend)))
    assert game.active is not None, "nothing is forbidden"
    assert told(game, "st", "scene_doubted") == [["one_side", None, None]]
    assert game.table.play.scene == 1
    game.do(cmd.ChangeScene("fight"))
    assert scenes(game) == [(2, "fight")]
    assert game.refused(cmd.ChangeScene("fight")) == "no_change"
    game.do(cmd.EndFight())
    assert game.table.play.scene == 3


@pytest.mark.rule("TIME-06")
def test_a_sham_fight_that_the_st_never_accepts_changes_no_scene_at_all():
    game, mira, guard = evening()
    friend = game.unit("Kai", "p2")
    game.do(cmd.AddCondition(mira, "blessed", lasts=Duration(1, "scene")))
    game.do(cmd.StartFight((mira, friend)))
    game.do(cmd.EndFight())
    assert (game.table.play.scene, game.conditions(mira)) == (1, {"blessed"})


@pytest.mark.rule("TIME-06")
@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("sham", [True, False])
def test_the_st_has_the_final_word_on_any_fight(counts: bool, sham: bool):
    game, mira, guard = evening()
    friend = game.unit("Kai", "p2")
    game.do(cmd.StartFight((mira, friend if sham else guard), counts=counts))
    assert game.table.play.scene == (2 if counts else 1)
    assert not game.happened(ev.SceneDoubted)


@pytest.mark.rule("TIME-06")
def test_a_hidden_foe_does_not_show_in_whether_the_scene_changes():
    game, mira, guard = evening()
    game.do(cmd.Hide(guard))
    game.do(cmd.StartFight())
    assert game.table.play.scene == 1
    assert game.happened(ev.SceneDoubted)


def test_units_without_a_side_are_not_taken_for_teammates():
    game = Game()
    game.unit("A", side="")
    game.unit("B", side="")
    game.do(cmd.StartFight())
    assert game.table.play.scene == 2


# ------------------------------------------------------------------------------------------------------------- TIME-07
@pytest.mark.case("TIME-07.1")
def test_ending_what_lasts_ends_hours_and_films_and_leaves_what_is_permanent():
    game, mira, guard = evening()
    cast(game, mira, "hour", "film", "ever")
    game.do(cmd.ChangeScene("transition", end_lasting=True))
    assert game.conditions(mira) == {"ever"}
    assert {e.why for e in game.happened(ev.EffectEnded)} == {"forced"}
    assert [e.name for e in game.table.play.effects.values()] == ["ever"]


@pytest.mark.rule("TIME-07")
def test_without_it_a_change_of_scene_ends_no_hour_and_no_film():
    game, mira, guard = evening()
    cast(game, mira, "hour", "film", "night", "ever")
    game.do(cmd.ChangeScene("transition"))
    assert game.conditions(mira) == {"hour", "film", "night", "ever"}


@pytest.mark.case("TIME-07.2")
@pytest.mark.parametrize(
    ("first", "force"),
    [
        ([], cmd.StartFight(end_lasting=True)),
        ([cmd.StartFight()], cmd.EndFight(end_lasting=True)),
        ([], cmd.EnterFilm("Dawn", end_lasting=True)),
        ([cmd.EnterFilm("Dawn")], cmd.LeaveFilm(end_lasting=True)),
    ],
    ids=["fight starts", "fight ends", "film begins", "film ends"],
)
def test_forcing_is_offered_at_every_change_of_scene(first: list[cmd.Command], force: cmd.Command):
    game, mira, guard = evening()
    cast(game, mira, "hour", "ever")
    for command in first:
        game.do(command)
    assert "hour" in game.conditions(mira)
    game.do(force)
    assert game.conditions(mira) == {"ever"}


@pytest.mark.rule("TIME-07")
def test_three_rounds_used_before_the_fight_with_leave_begin_to_count_when_it_begins():
    game, mira, guard = evening()
    game.do(cmd.AllowPrebuff())
    cast(game, mira, "rounds")
    game.do(cmd.PassTime(600))
    assert game.conditions(mira) == {"rounds"}, "it does not count before the fight"
    game.start()
    assert (game.active, game.conditions(mira)) == (mira, {"rounds"}), "one round is over as her first action begins"
    game.next_action_of(mira)
    assert game.conditions(mira) == {"rounds"}
    game.next_action_of(mira)
    assert game.conditions(mira) == set()


@pytest.mark.case("TIME-07.3")
def test_a_scene_long_buff_used_so_outlives_the_change_that_the_fight_makes_and_ends_with_the_fight():
    game, mira, guard = evening()
    game.do(cmd.AllowPrebuff())
    cast(game, mira, "scene", "hour")
    game.do(cmd.PassTime(3000))
    game.start()
    assert game.conditions(mira) == {"scene", "hour"}
    game.do(cmd.EndFight())
    assert game.conditions(mira) == {"hour"}
    game.do(cmd.PassTime(3599))
    assert game.conditions(mira) == {"hour"}, "an hour from the start of the fight"
    game.do(cmd.PassTime(1))
    assert game.conditions(mira) == set()


@pytest.mark.case("TIME-07.3")
def test_without_leave_a_scene_long_buff_ends_as_the_fight_begins():
    game, mira, guard = evening()
    cast(game, mira, "scene")
    game.start()
    assert game.conditions(mira) == set()


@pytest.mark.rule("TIME-07")
def test_leave_ends_with_the_fight_it_was_for():
    game, mira, guard = evening()
    game.do(cmd.AllowPrebuff())
    assert game.seen("p1")["t/prebuff"] is True
    assert game.refused(cmd.AllowPrebuff()) == "no_change"
    game.start()
    assert "t/prebuff" not in game.seen("p1")
    assert game.refused(cmd.AllowPrebuff()) == "already_fighting"
    cast(game, mira, "scene")
    game.do(cmd.EndFight())
    assert game.conditions(mira) == set()


@pytest.mark.rule("TIME-07")
@pytest.mark.parametrize("end", [cmd.AllowPrebuff(False), cmd.ChangeScene("area")], ids=["withdrawn", "scene changed"])
def test_leave_for_a_fight_that_never_comes_lets_what_was_used_count_from_then_on(end: cmd.Command):
    game, mira, guard = evening()
    game.do(cmd.AllowPrebuff())
    cast(game, mira, "hour", "scene")
    game.do(cmd.PassTime(7200))
    game.do(end)
    assert not game.table.play.prebuff
    assert game.conditions(mira) == ({"hour", "scene"} if isinstance(end, cmd.AllowPrebuff) else {"hour"})
    game.do(cmd.PassTime(3600))
    assert "hour" not in game.conditions(mira)


@pytest.mark.rule("TIME-07")
def test_a_scene_long_buff_with_leave_outlives_a_sham_fight_that_is_accepted_later():
    game, mira, guard = evening()
    friend = game.unit("Kai", "p2", initiative=1)
    game.do(cmd.AllowPrebuff())
    cast(game, mira, "scene", "rounds")
    game.do(cmd.StartFight((mira, friend)))
    game.next_action_of(mira)
    assert game.conditions(mira) == {"scene", "rounds"}
    game.next_action_of(mira)
    assert game.conditions(mira) == {"scene"}
    game.do(cmd.ChangeScene("fight"))
    assert game.conditions(mira) == {"scene"}
    game.do(cmd.EndFight())
    assert game.conditions(mira) == set()


@pytest.mark.rule("TIME-07")
def test_ending_what_lasts_as_the_fight_begins_spares_what_was_used_for_it():
    game, mira, guard = evening()
    cast(game, mira, "hour")
    game.do(cmd.AllowPrebuff())
    cast(game, mira, "rounds")
    game.do(cmd.StartFight(end_lasting=True))
    assert game.conditions(mira) == {"rounds"}


@pytest.mark.rule("TIME-07")
@pytest.mark.rule("CON-05")
def test_leave_does_not_cover_concentration():
    game, mira, guard = evening()
    eye = Ability("eye", "cast", concentration="same", applies=(Applied("watched", to="self"),))
    dream = Ability("dream", "cast", concentration="same", applies=(Applied("dreaming", rounds=9, to="self"),))
    kai = game.unit("Kai", "p2", abilities=[eye, dream])
    game.do(cmd.AllowPrebuff())
    game.declare(kai, ability="eye")
    game.start()
    assert game.conditions(kai) == set()
    game.do(cmd.EndFight())
    game.do(cmd.AllowPrebuff())
    game.declare(kai, ability="dream")
    assert not any(effect.waits for effect in game.table.play.effects.values())


@pytest.mark.rule("TIME-07")
def test_where_concentration_goes_on_over_scenes_forcing_ends_it_all_the_same():
    game, mira, guard = evening(concentration_over_scenes="goes_on")
    eye = Ability("eye", "cast", concentration="same", applies=(Applied("watched", to="self"),))
    kai = game.unit("Kai", "p2", abilities=[eye])
    game.declare(kai, ability="eye")
    game.do(cmd.ChangeScene("story"))
    assert game.conditions(kai) == {"watched"}
    game.do(cmd.ChangeScene("story", end_lasting=True))
    assert (game.conditions(kai), dict(game.table.play.concentrations)) == (set(), {})


@pytest.mark.rule("CON-05")
def test_a_sham_fight_and_a_transition_that_does_not_count_end_no_concentration():
    game, mira, guard = evening()
    eye = Ability("eye", "cast", concentration="same", applies=(Applied("watched", to="self"),))
    kai = game.unit("Kai", "p2", abilities=[eye])
    game.declare(kai, ability="eye")
    game.do(cmd.ChangeScene("transition", counts=False))
    game.do(cmd.StartFight((mira, kai), begin=False))
    assert game.conditions(kai) == {"watched"}
    game.do(cmd.ChangeScene("fight"))
    assert game.conditions(kai) == set()


# ------------------------------------------------------------------------------------------------------------- TIME-10
@pytest.mark.case("TIME-10.1")
def test_a_scene_effect_cast_at_the_dukes_is_over_at_the_transition_to_the_king():
    game, mira, guard = evening()
    cast(game, mira, "scene")
    game.do(cmd.ChangeScene("transition"))
    assert game.conditions(mira) == set()
    assert [e.why for e in game.happened(ev.EffectEnded)] == ["scene"]


@pytest.mark.rule("TIME-10")
def test_a_transition_that_the_st_does_not_count_ends_nothing():
    game, mira, guard = evening()
    cast(game, mira, "scene")
    game.do(cmd.ChangeScene("transition", "the way to the king", end_lasting=True, counts=False))
    assert (game.table.play.scene, game.conditions(mira)) == (1, {"scene"})
    assert told(game, "p1", "scene_changed") == [[1, "transition", False, None]]
    game.do(cmd.ChangeScene("transition", "the way to the king"))
    assert not game.happened(ev.SceneDoubted), "what did not count is no earlier change"


@pytest.mark.rule("TIME-10")
def test_an_effect_of_two_scenes_ends_with_the_second():
    game, mira, guard = evening()
    game.do(cmd.AddCondition(mira, "lucky", lasts=Duration(2, "scene")))
    game.do(cmd.ChangeScene("story"))
    assert game.conditions(mira) == {"lucky"}
    game.do(cmd.ChangeScene("story"))
    assert game.conditions(mira) == set()


def test_time_banks_are_full_again_in_the_next_scene():
    game = Game(time_bank_ms=20000, time_step_ms=5000)
    a = game.unit("A", "p1")
    game.unit("B", "p2")
    game.do(cmd.SetStandingOrder("*", "ask"), "p2")
    game.declare(a, "look")
    game.do(cmd.MoreTime(game.window.id), "p2")
    assert game.seen("p2")["m/bank"] == 15000
    game.pass_all()
    game.do(cmd.ChangeScene("story"))
    assert game.seen("p2")["m/bank"] == 20000


def test_a_rewind_goes_back_over_a_change_of_scene():
    game, mira, guard = evening()
    cast(game, mira, "scene")
    before = len(game.changes)
    game.do(cmd.ChangeScene("story", "the door"))
    game.rewind(before)
    assert (game.table.play.scene, game.conditions(mira)) == (1, {"scene"})
    assert game.table.play.setting.key_points == {}


@pytest.mark.parametrize(
    ("wish", "code"), [(cmd.ChangeScene("fight"), "no_fight"), (cmd.StartFight((UnitId("hidden"),)), "unknown")]
)
def test_what_a_player_asks_for_is_tried_as_he_sees_the_table(wish: cmd.Command, code: str):
    game, mira, guard = evening()
    assert game.refused(cmd.AskLeave(wish, {"kind": "wish"}), "p1") == code
    assert not game.table.requests
