"""A refusal says what it is about: which unit, which value, what would be accepted. Texts and clients build on it."""

from dataclasses import replace

import pytest

from core import commands as cmd
from core.bounds import NUMBER_MAPS, NUMBERS
from core.calc import calc
from core.ids import EffectId, PendingId, ReadiedId, RequestId, SeatId, TaskId, UnitId
from core.notation import LONGEST, MOST_BRACKETS
from core.override import HOUSE_KINDS, WORDS
from core.refusals import Refused
from core.state import Ability, Act, Pool, Prepared, Strike, Track, Trigger, Unit
from tests.helpers.play import Game, attack, make_act

HOUR = 3600


def scene(*, dice: list[int] | None = None, **house):
    """Mira (p1) and Ghoul, no fight."""
    game = Game(dice=dice or [8] * 40, **house)
    mira = game.unit(
        "Mira", owner="p1", initiative=20, speed=10, abilities=[attack(), attack("parry", slots=("immediate",))]
    )
    ghoul = game.unit("Ghoul", abilities=[attack("claw", slots=("standard", "immediate"))])
    return game, mira, ghoul


def fight(**house):
    """Mira (p1) acts, then Ghoul."""
    game, mira, ghoul = scene(**house)
    game.start()
    return game, mira, ghoul


def attacked(**house):
    """Ghoul's claw waits for an answer of Mira's."""
    game, mira, ghoul = fight(**house)
    game.end(mira)
    game.declare(ghoul, "melee_attack", ability="claw", targets=[mira])
    return game, mira, ghoul


def act(kind: str = "use", slot: str = "standard", **rest) -> Act:
    return make_act(kind, slot, **rest)


# ------------------------------------------------------------------------------------------------------------- the cast
def test_a_unit_that_cannot_be_called_so():
    game, *_ = scene()
    unit = Unit(UnitId("new"), "Zed", side="foe", tracks={"a.b": Track(1, 1), "hp": Track(1, 1)})
    assert game.refusal(cmd.AddUnit(unit)) == ("bad_value", {"tracks": ["a.b"], "name": "Zed"})
    nameless = replace(unit, name=" ", tracks={})
    assert game.refusal(cmd.AddUnit(nameless)) == ("bad_value", {"tracks": [], "name": " "})


def test_an_encounter_of_nobody():
    game, *_ = scene()
    wanted = ("bad_value", {"wanted": "one_unit"})
    assert game.refusal(cmd.SetUp(())) == wanted
    assert game.refusal(cmd.SetUp((Prepared(Unit(UnitId("new"), "Zed", side="foe"), count=0),))) == wanted


def test_who_is_on_stage_already_and_to_whom_a_unit_cannot_be_given():
    game, mira, _ = scene()
    assert game.refusal(cmd.BringOn((mira,))) == ("no_change", {"unit": mira})
    assert game.refusal(cmd.GiveUnit(mira, SeatId("p9"))) == ("unknown", {"id": "p9"})
    assert game.refusal(cmd.GiveUnit(mira, SeatId("x1"))) == ("unknown", {"id": "x1"})
    assert game.refusal(cmd.Hide(UnitId("u99"))) == ("unknown", {"id": "u99"})


def test_another_seats_unit():
    game, mira, ghoul = scene()
    assert game.refusal(cmd.Say("boo", ghoul), by="p1") == ("not_yours", {"unit": ghoul})
    assert game.refusal(cmd.StartTask(mira, "pick", Pool(fixed=3), 3), by="p2") == ("not_yours", {"unit": mira})


def test_what_a_role_may_not_do():
    game, *_ = scene()
    assert game.refusal(cmd.Narrate("dusk"), by="p1") == ("forbidden", {"kind": "narrate", "role": "player"})


# ---------------------------------------------------------------------------------------------------------------- seats
def test_a_name_that_is_taken_and_a_seat_that_is_not_there():
    game, *_ = scene()
    assert game.refusal(cmd.AddSeat("p1", "player", seat=SeatId("p7"))) == ("in_use", {"name": "p1"})
    for name in ("P1", "st", "All"):
        assert game.refusal(cmd.AddSeat(name, "player", seat=SeatId("p7"))) == ("in_use", {"name": name})
    assert game.refusal(cmd.AddSeat("Ann", "player", seat=SeatId("p1"))) == ("in_use", {"name": "Ann"})
    assert game.refusal(cmd.RemoveSeat(SeatId("p9"))) == ("unknown", {"id": "p9"})


def test_a_request_or_a_house_rule_that_is_not_there():
    game, *_ = scene()
    assert game.refusal(cmd.AnswerRequest(RequestId("q9"), True)) == ("unknown", {"id": "q9"})
    wanted = ("no_such_rule", {"key": "luck", "accepted": list(HOUSE_KINDS)})
    assert game.refusal(cmd.ObjectToRule("luck"), by="p1") == wanted
    assert game.refusal(cmd.SetHouse("luck", 1)) == wanted


def test_leave_for_a_command_that_cannot_be_read_any_more():
    game, mira, ghoul = fight()
    sword = cmd.Declare(mira, act("melee_attack", ability="sword", targets=[ghoul], slot="swift"))
    request = RequestId(game.do(cmd.AskLeave(sword, {}), "p1").made[0])
    assert game.refusal(cmd.AnswerRequest(request, True)) == ("unknown", {"id": request})


def test_leave_that_nobody_needs():
    game, mira, _ = scene()
    say = cmd.Say("hello", mira)
    wanted = ("bad_value", {"kind": "say", "wanted": "nothing_to_ask"})
    assert game.refusal(cmd.AskLeave(say, {}), by="p1") == wanted


def test_words_to_whom_they_cannot_go():
    game, _, ghoul = scene()
    assert game.refusal(cmd.Whisper("psst", SeatId("p2")), by="p1") == ("forbidden", {"to": "p2"})
    assert game.refusal(cmd.Whisper("psst", SeatId("p9"))) == ("unknown", {"id": "p9"})
    assert game.refusal(cmd.Whisper("psst", SeatId("x1"))) == ("unknown", {"id": "x1"})
    game.do(cmd.Hide(ghoul))
    assert game.refusal(cmd.Say("boo", ghoul)) == ("off_stage", {"unit": ghoul})


def test_a_word_that_cannot_be_mixed_into_the_dice():
    game, *_ = scene()
    assert game.refusal(cmd.MixDice("a\nb"), by="p1") == ("bad_value", {"text": "a\nb"})
    assert game.refusal(cmd.MixDice(""), by="p1") == ("bad_value", {"text": ""})


# ---------------------------------------------------------------------------------------------------- values, house rules
def test_a_value_that_a_unit_does_not_have():
    game, mira, _ = scene()
    accepted = sorted(["hp", *NUMBERS, *WORDS, *NUMBER_MAPS])
    assert game.refusal(cmd.SetValue(mira, "luck", 1, 0)) == ("bad_value", {"path": "luck", "accepted": accepted})


def test_a_value_of_the_wrong_kind():
    game, mira, _ = scene()
    wrong = game.refusal(cmd.SetValue(mira, "hp", "ten", 10))
    assert wrong == ("bad_value", {"path": "tracks.hp.value", "value": "ten"})
    assert game.refusal(cmd.Adjust(mira, "hp", 0)) == ("bad_value", {"path": "tracks.hp.value", "value": 10, "by": 0})
    assert game.refusal(cmd.Adjust(mira, "name", 1)) == ("bad_value", {"path": "name", "value": "Mira", "by": 1})


def test_a_value_that_has_changed_meanwhile():
    game, mira, _ = scene()
    assert game.refusal(cmd.SetValue(mira, "hp", 5, 9)) == ("changed", {"path": "tracks.hp.value", "value": 10})


MOST = 3_600_000


@pytest.mark.parametrize(
    ("key", "value", "accepted"),
    [
        ("no_window", ["move", 3], {"wanted": "kinds_of_act"}),
        ("no_window", ["move"] * 51, {"wanted": "kinds_of_act"}),
        ("enforce", "maybe", {"accepted": ["strict", "warn"]}),
        ("stack_depth", 0, {"least": 1, "most": 50}),
        ("reaction_window_ms", -1, {"least": 0, "most": MOST}),
        ("reaction_window_ms", MOST + 1, {"least": 0, "most": MOST}),
        ("reaction_window_ms", True, {"least": 0, "most": MOST}),
    ],
)
def test_what_a_house_rule_accepts(key: str, value: object, accepted: dict[str, object]):
    game, *_ = scene()
    assert game.refusal(cmd.SetHouse(key, value)) == ("bad_value", {"key": key, "value": value} | accepted)


def test_the_ends_of_what_a_house_rule_accepts():
    game, *_ = scene()
    for key, value in (("reaction_window_ms", 3_600_000), ("stack_depth", 1), ("free_action_cap", None)):
        game.do(cmd.SetHouse(key, 7))
        game.do(cmd.SetHouse(key, value))
        assert getattr(game.table.house, key) == value


# ---------------------------------------------------------------------------------------------------------------- rolls
def test_rolls_that_cannot_be_made():
    game, mira, _ = scene()
    bad = Pool(fixed=2, again=7)
    levels = [10, 9, 8]
    assert game.refusal(cmd.Roll(mira, bad), by="p1") == ("bad_again", {"unit": mira, "again": 7, "accepted": levels})
    assert game.refusal(cmd.AskRoll((mira,), bad)) == ("bad_again", {"again": 7, "accepted": levels})
    assert game.refusal(cmd.AskRoll((), Pool(fixed=2))) == ("bad_value", {"units": []})
    wanted = ("bad_value", {"size": 501, "least": 0, "most": 500})
    assert game.refusal(cmd.Roll(mira, Pool(fixed=500, added=1))) == wanted
    assert game.refusal(cmd.AskRoll((mira,), Pool(fixed=501))) == wanted
    hidden = cmd.Roll(mira, Pool(fixed=2), visibility="st")
    assert game.refusal(hidden, by="p1") == ("forbidden", {"visibility": "st"})
    unasked = cmd.Roll(mira, ask=RequestId("q9"))
    assert game.refusal(unasked, by="p1") == ("no_ask", {"unit": mira})


def test_an_answer_to_a_roll_takes_this_unit_off_the_list():
    game, mira, ghoul = scene()
    ask = game.do(cmd.AskRoll((mira, ghoul), Pool(fixed=2), reason="climb")).made[0]
    game.do(cmd.Roll(mira, ask=RequestId(ask)), "p1")
    assert game.table.asks[RequestId(ask)].units == (ghoul,)
    game.do(cmd.Roll(ghoul, ask=RequestId(ask)))
    assert game.table.asks == {}


# ---------------------------------------------------------------------------------------------------------------- tasks
def test_tasks_that_cannot_be_started():
    game, mira, _ = scene()
    pool = Pool(fixed=3)
    assert game.refusal(cmd.StartTask(mira, " ", pool, 3)) == ("bad_value", {"name": " ", "dc": 3, "within_s": None})
    assert game.refusal(cmd.StartTask(mira, "pick", pool, 0)) == (
        "bad_value",
        {"name": "pick", "dc": 0, "within_s": None},
    )
    late = cmd.StartTask(mira, "pick", pool, 3, within_s=0)
    assert game.refusal(late) == ("bad_value", {"name": "pick", "dc": 3, "within_s": 0})
    kept = cmd.StartTask(mira, "pick", pool, 3, successes=2)
    assert game.refusal(kept, by="p1") == ("forbidden", {"successes": 2, "visibility": "open"})
    secret = cmd.StartTask(mira, "pick", pool, 3, visibility="st")
    assert game.refusal(secret, by="p1") == ("forbidden", {"successes": 0, "visibility": "st"})
    game.do(cmd.StartTask(mira, "pick", pool, 3))
    assert game.refusal(cmd.StartTask(mira, "pick", pool, 3)) == ("in_use", {"name": "pick"})


def test_what_cannot_be_done_with_a_task():
    game, mira, _ = scene()
    task = TaskId(game.do(cmd.StartTask(mira, "pick", Pool(fixed=1), 9)).made[0])
    assert game.refusal(cmd.EditTask(task, successes=1), by="p1") == ("forbidden", {"accepted": ["dc"]})
    assert game.refusal(cmd.EditTask(task, dc=0)) == ("bad_value", {"dc": 0})
    assert game.refusal(cmd.EditTask(task, dc=8), by="p1") == ("dc_fixed", {"unit": mira, "dc": 9})
    assert game.refusal(cmd.DropTask(TaskId("t9"))) == ("unknown", {"id": "t9"})
    game.do(cmd.RollTask(task), "p1")
    assert game.refusal(cmd.RollTask(task), by="p1") == ("no_interval", {"unit": mira})
    game.do(cmd.EditTask(task, interval_s=HOUR))
    game.do(cmd.PassTime(600))
    left = ("interval", {"unit": mira, "left_s": HOUR - 600})
    assert game.refusal(cmd.RollTask(task), by="p1") == left
    game.do(cmd.DropTask(task))
    assert game.refusal(cmd.RollTask(task)) == ("task_closed", {"name": "pick"})


def test_the_st_says_why_a_task_fails():
    game, mira, _ = scene()
    task = TaskId(game.do(cmd.StartTask(mira, "pick", Pool(fixed=1), 9, in_one_go=True)).made[0])
    game.do(cmd.SetAside(task, reason="the guard comes"))
    assert "the guard comes" in repr([p.lines for p in game.received("p1")])
    other = TaskId(game.do(cmd.StartTask(mira, "read", Pool(fixed=1), 9)).made[0])
    game.do(cmd.DropTask(other, reason="the book burns"))
    assert "the book burns" in repr([p.lines for p in game.received("p1")])


# --------------------------------------------------------------------------------------------------------------- worlds
def test_worlds_that_cannot_be():
    game, *_ = scene()
    assert game.refusal(cmd.SetWorld(day_s=0, sunrise_s=None, sunset_s=None)) == (
        "bad_value",
        {"day_s": 0, "time": None},
    )
    late = cmd.SetWorld(day_s=HOUR, sunrise_s=0, sunset_s=HOUR)
    assert game.refusal(late) == ("bad_value", {"day_s": HOUR, "time": HOUR})
    wanted = ("bad_value", {"date": "soon", "wanted": "date"})
    assert game.refusal(cmd.SetWorld(date="soon")) == wanted
    game.do(cmd.EnterFilm("Alien"))
    assert game.refusal(cmd.EnterFilm("Aliens")) == ("in_film", {"film": "Alien"})


# ----------------------------------------------------------------------------------------------------------- the order
def test_time_that_cannot_go_by_and_fights_that_cannot_start():
    game, mira, ghoul = scene()
    assert game.refusal(cmd.PassTime(0)) == ("bad_value", {"seconds": 0})
    game.do(cmd.PassTime(1))
    game.do(cmd.TakeOff(ghoul))
    assert game.refusal(cmd.StartFight((mira, ghoul))) == ("off_stage", {"unit": ghoul})


def test_units_whose_turn_it_is_not():
    game, mira, ghoul = fight()
    assert game.refusal(cmd.EndAction(ghoul, 1)) == ("not_your_action", {"unit": ghoul})
    assert game.refusal(cmd.EndAction(mira, 7), by="p1") == ("changed", {"round": 1})
    other = game.unit("Rat")
    assert game.refusal(cmd.BeginAction(other)) == ("not_in_fight", {"unit": other})
    assert game.refusal(cmd.LeaveFight(other)) == ("not_in_fight", {"unit": other})
    game.do(cmd.TakeOff(other))
    assert game.refusal(cmd.JoinFight(other)) == ("off_stage", {"unit": other})
    game.do(cmd.AddCondition(ghoul, "stunned", rounds=9))
    assert game.refusal(cmd.BeginAction(ghoul)) == ("cannot_act", {"unit": ghoul})


def test_an_order_that_is_another_by_now():
    game, mira, ghoul = fight()
    assert game.refusal(cmd.Reorder((ghoul, mira), (ghoul, mira))) == ("changed", {"order": [mira, ghoul]})
    assert game.refusal(cmd.Reorder((ghoul,), (mira, ghoul))) == ("bad_value", {"order": [ghoul]})


def test_actions_that_cannot_be_given_or_taken():
    game, mira, _ = fight()
    known = ["swift", "move", "standard", "immediate"]
    for command in (cmd.Grant, cmd.Spend):
        assert game.refusal(command(mira, ("jump",))) == ("bad_value", {"slots": ["jump"], "accepted": known})
        assert game.refusal(command(mira, ())) == ("bad_value", {"slots": [], "accepted": known})
    twice = cmd.Spend(mira, ("standard", "standard"))
    assert game.refusal(twice) == ("no_action_left", {"unit": mira, "slot": "standard"})
    twice = cmd.Spend(mira, ("immediate", "immediate"))
    assert game.refusal(twice) == ("no_action_left", {"unit": mira, "slot": "immediate"})
    other = game.unit("Rat")
    assert game.refusal(cmd.Grant(other, ("move",))) == ("not_in_fight", {"unit": other})


# ------------------------------------------------------------------------------------------------------------ the price
def test_what_an_act_cannot_be_paid_with():
    game, mira, ghoul = fight()
    wanted = ("cannot_convert", {"unit": mira, "pay": "swift", "slot": "move"})
    assert game.refusal(cmd.Declare(mira, act("move", "move", pay="swift")), by="p1") == wanted
    game.do(cmd.Spend(mira, ("swift",)))
    wanted = ("no_action_left", {"unit": mira, "slot": "swift", "convertible": ["move", "standard"]})
    assert game.refusal(cmd.Declare(mira, act("use", "swift")), by="p1") == wanted
    wanted = ("no_action_left", {"unit": mira, "slot": "full_turn", "missing": ["swift"]})
    assert game.refusal(cmd.Declare(mira, act("use", "full_turn")), by="p1") == wanted
    assert game.refusal(cmd.Declare(ghoul, act())) == ("not_your_action", {"unit": ghoul})


def test_free_acts_one_too_many():
    game, mira, _ = fight(free_action_cap=1)
    game.declare(mira, "drop", "free")
    wanted = ("same_kind_of_act", {"unit": mira, "kind": "drop"})
    assert game.refusal(cmd.Declare(mira, act("drop", "free")), by="p1") == wanted
    assert game.refusal(cmd.Declare(mira, act("nod", "free")), by="p1") == ("free_action_cap", {"unit": mira, "cap": 1})


# ---------------------------------------------------------------------------------------------------------- what is done
def test_acts_that_no_ability_of_the_unit_allows():
    game, mira, ghoul = fight()

    def said(**what) -> tuple[str, object]:
        return game.refusal(cmd.Declare(mira, act(**what)), by="p1")

    assert said(slot="immediate") == ("bad_value", {"slot": "immediate"})
    assert said(slot="anytime") == ("ability_required", {"unit": mira, "slot": "anytime"})
    assert said(kind="move", slot="swift") == ("ability_required", {"unit": mira, "kind": "move", "slot": "swift"})
    assert said(kind="melee_attack", targets=[ghoul]) == ("ability_required", {"unit": mira, "kind": "melee_attack"})
    lacks = ("ability_required", {"unit": mira, "ability": "axe", "slot": "standard"})
    assert said(ability="axe") == lacks
    lacks = ("ability_required", {"unit": mira, "ability": "sword", "slot": "swift"})
    assert said(ability="sword", slot="swift") == lacks
    far = ("too_far", {"unit": mira, "distance": 11, "speed": 10})
    assert said(kind="move", slot="move", distance=11) == far
    assert said(split=(Strike(ghoul),)) == ("bad_value", {"split": 1, "kind": "use"})
    wanted = ("bad_value", {"steps": 1, "accepted": []})
    assert said(ability="sword", steps=(act(),)) == wanted
    assert said(ability="sword", targets=["u99"]) == ("no_target", {"target": "u99"})
    assert said(ability="sword") == ("no_target", {"unit": mira, "targets": []})
    assert said(kind="use", counters=PendingId("p9")) == ("no_target", {"target": "p9"})
    answer = cmd.React(mira, act("use", "immediate"))
    assert game.refusal(answer, by="p1") == ("ability_required", {"unit": mira, "slot": "immediate"})


def test_acts_that_a_condition_forbids():
    game, mira, _ = fight()
    game.do(cmd.AddCondition(mira, "bound"))
    code, params = game.refusal(cmd.Declare(mira, act("move", "move")), by="p1")
    assert (code, params) == ("barred", {"unit": mira, "kind": "move", "condition": "bound"})
    game.do(cmd.AddCondition(mira, "stunned"))
    wanted = ("cannot_act", {"unit": mira, "condition": "stunned"})
    assert game.refusal(cmd.Declare(mira, act()), by="p1") == wanted


def test_acts_of_a_unit_that_is_not_there():
    game, mira, _ = scene()
    game.do(cmd.TakeOff(mira))
    assert game.refusal(cmd.Declare(mira, act()), by="p1") == ("off_stage", {"unit": mira})
    game.start()
    game.do(cmd.BringOn((mira,), join=False))
    assert game.refusal(cmd.Declare(mira, act()), by="p1") == ("not_in_fight", {"unit": mira})


def test_attached_abilities_that_do_not_go_with_the_act():
    game = Game()
    edge = Ability("edge", slots=(), attaches=("melee_attack",), pool=Pool(modifier=1))
    grip = Ability("grip", slots=(), attaches=("cast",))
    mira = game.unit("Mira", owner="p1", initiative=20, abilities=[attack(), edge, grip])
    ghoul = game.unit("Ghoul")
    game.start()

    def said(**what) -> tuple[str, object]:
        return game.refusal(cmd.Declare(mira, act(ability="sword", targets=[ghoul], **what)), by="p1")

    assert said(attached=("edge", "grip")) == ("one_attachment", {"unit": mira, "attached": ["edge", "grip"]})
    lacks = ("ability_required", {"unit": mira, "ability": "axe", "slot": "standard"})
    assert said(attached=("axe",)) == lacks
    assert said(attached=("sword",))[0] == "ability_required"
    wanted = ("attachment_mismatch", {"unit": mira, "ability": "grip", "needs": ["cast"]})
    assert said(attached=("grip",)) == wanted


def test_attacks_and_extra_successes_that_there_are_not():
    game = Game()
    whip = attack("whip", attacks=2, pool={"extra": 2})
    mira = game.unit(
        "Mira", owner="p1", initiative=20, abilities=[whip, attack(), Ability("bow", "use", ("standard",))]
    )
    ghoul, rat = game.unit("Ghoul"), game.unit("Rat")
    game.start()

    def said(*split: Strike, ability: str = "whip") -> tuple[str, object]:
        return game.refusal(cmd.Declare(mira, act("melee_attack", ability=ability, split=split)), by="p1")

    wanted = ("split_required", {"unit": mira, "attacks": 2, "extra": 2})
    assert said(Strike(ghoul), Strike(ghoul)) == wanted
    wanted = ("split_too_large", {"unit": mira, "target": ghoul, "declared": 3, "extra": 2})
    assert said(Strike(ghoul, extra=1), Strike(ghoul, extra=2)) == wanted
    twice = ("too_many_attacks", {"unit": mira, "attacks": 3, "most": 2})
    assert said(Strike(ghoul, extra=0), Strike(ghoul, extra=0), Strike(rat, extra=0)) == twice
    wanted = ("too_many_attacks", {"unit": mira, "attacks": 2, "most": 1})
    assert said(Strike(ghoul), Strike(ghoul), ability="sword") == wanted
    wanted = ("ability_required", {"unit": mira, "ability": "bow", "slot": "standard"})
    assert said(Strike(ghoul, weapon="bow")) == wanted


# ----------------------------------------------------------------------------------------------------------- in a window
def test_answers_to_what_is_no_longer_asked():
    game, mira, ghoul = attacked()
    window = game.window
    assert game.refusal(cmd.Pass(window.id, 7), by="p1") == ("window_changed", {"gen": window.gen})
    wanted = ("not_target", {"unit": ghoul, "attack": 1})
    assert game.refusal(cmd.Defend(window.id, ghoul, 1)) == wanted
    wanted = ("not_target", {"unit": mira, "attack": 2})
    assert game.refusal(cmd.Defend(window.id, mira, 1, attack=2), by="p1") == wanted
    assert game.refusal(cmd.Defend(window.id, mira, 1), by="p1") == ("not_enough", {"unit": mira, "left": 0})


def test_what_lies_beneath_something_else():
    game, mira, ghoul = attacked()
    claw, below = game.top, game.window
    game.react(mira, "parry", targets=[ghoul], kind="melee_attack")
    assert game.refusal(cmd.Pass(below.id, below.gen), by="p1") == ("window_changed", {"gen": below.gen})
    assert game.refusal(cmd.MoreTime(below.id), by="p1") == ("window_changed", {"gen": below.gen})
    game.react(ghoul, "claw", targets=[mira], kind="melee_attack")
    assert len(game.stack) == 3
    for command in (cmd.SetClock(below.id, 1000), cmd.CloseWindow(below.id), cmd.Resolve(claw.id)):
        assert game.refusal(command) == ("not_on_top", {"top": game.top.id})
    stack = game.table.play.stack
    assert game.refusal(cmd.Restack(stack, stack[:1])) == ("changed", {"stack": list(stack)})
    assert game.refusal(cmd.Restack(stack, stack)) == ("bad_value", {"stack": list(stack)})
    assert game.refusal(cmd.Restack(stack[:1], stack)) == ("bad_value", {"stack": list(stack[:1])})


def test_a_stack_that_is_full():
    game, mira, ghoul = attacked(stack_depth=1)
    parry = cmd.React(mira, act("melee_attack", "immediate", ability="parry", targets=[ghoul]), game.window.id)
    assert game.refusal(parry, by="p1") == ("stack_full", {"depth": 1})


def test_what_is_not_on_the_stack():
    game, _, ghoul = attacked()
    nothing = PendingId("p9")
    for command in (cmd.Cancel(nothing), cmd.Resolve(nothing), cmd.EditPending(nothing)):
        assert game.refusal(command) == ("unknown", {"id": "p9"})
    assert game.refusal(cmd.Withdraw(nothing), by="p1") == ("unknown", {"id": "p9"})
    assert game.refusal(cmd.Withdraw(game.top.id), by="p1") == ("not_yours", {"unit": ghoul})
    rat = game.unit("Rat", on_stage=False)
    assert game.refusal(cmd.Insert(rat, act())) == ("off_stage", {"unit": rat})


# -------------------------------------------------------------------------------------------------------------- readied
def test_what_cannot_be_readied():
    game, mira, ghoul = fight()
    slots = ["free", "swift", "move", "standard"]
    wanted = ("cannot_ready", {"unit": mira, "slot": "full_round", "accepted": slots})
    assert game.refusal(cmd.Ready(mira, act(slot="full_round"), words="now"), by="p1") == wanted
    assert game.refusal(cmd.Ready(mira, act(), words=" "), by="p1") == ("nothing_readied", {"unit": mira})
    assert game.refusal(cmd.Ready(ghoul, act(), words="now")) == ("not_your_action", {"unit": ghoul})
    assert game.refusal(cmd.Fire(ReadiedId("r9"))) == ("readied_gone", {})
    trigger = Trigger("act")
    readied = ReadiedId(game.do(cmd.Ready(mira, act(), trigger=trigger), "p1").made[0])
    game.do(cmd.EndAction(mira, 1), "p1")
    assert game.refusal(cmd.Fire(readied), by="p1") == ("not_triggered", {"unit": mira})


# ------------------------------------------------------------------------------------------------------- history, effects
def test_a_past_that_cannot_be_gone_back_to():
    game, *_ = scene()
    game.do(cmd.Narrate("dusk"))
    head = game.version
    assert game.refusal(cmd.Rewind(1, head - 1)) == ("changed", {"head": head})
    assert game.refusal(cmd.Rewind(head, head)) == ("nothing_to_rewind", {"to": head})
    assert game.refusal(cmd.Rewind(1, head)) == ("history_short", {"to": 1})


def test_an_effect_that_is_not_there():
    game, *_ = scene()
    assert game.refusal(cmd.EndEffect(EffectId("e9"))) == ("unknown", {"id": "e9"})


# ------------------------------------------------------------------------------------------------------------ calculations
def sums(text: str, unit: str | None = None) -> tuple[str, dict[str, object]]:
    with pytest.raises(Refused) as refused:
        calc({"h/mixed_multipliers": "stacked"}, text, unit)
    return refused.value.code, refused.value.params


def test_what_is_too_long_or_too_large_to_work_out():
    long = "1" * (LONGEST + 1)
    wanted = ("no_number", {"why": "too_long", "at": LONGEST, "said": "1" * 20})
    assert sums(long) == wanted
    deep = "(" * (MOST_BRACKETS + 1) + "1"
    assert sums(deep) == ("no_number", {"why": "too_long", "at": MOST_BRACKETS + 1, "said": "("})
    large = " x ".join(["999999999"] * 6)
    assert sums(large) == ("no_number", {"why": "too_large", "at": 1, "said": large[:20]})
    assert sums("1", "u99") == ("unknown", {"id": "u99"})


# -------------------------------------------------------------------------------------------------- the Storyteller rules
def test_what_the_storyteller_rules_refuse():
    game = Game(ruleset="storyteller")
    blade = Ability("blade", "melee_attack", ("simple",), Pool(fixed=5))
    mira = game.unit("Mira", "p1", initiative=20, abilities=[blade], attributes={"DEX": 2})
    ghoul = game.unit("Ghoul", initiative=5)
    assert game.refusal(cmd.Announce(mira, 2), by="p1")[0] == "no_fight"
    game.start()
    wanted = ("not_in_this_game", {"slot": "swift", "accepted": list(game.seen("p1")["t/slots"])})
    assert game.refusal(cmd.Declare(mira, act(slot="swift")), by="p1") == wanted
    assert game.refusal(cmd.Announce(mira, 0), by="p1") == ("bad_value", {"n": 0})
    assert game.refusal(cmd.Announce(mira, 3), by="p1") == ("too_many_actions", {"unit": mira, "most": 2})
    assert game.refusal(cmd.Announce(ghoul, 2)) == ("not_your_action", {"unit": ghoul})
    other = game.unit("Rat")
    assert game.refusal(cmd.Announce(other, 2)) == ("not_in_fight", {"unit": other})
    game.do(cmd.Spend(mira, ("free",)))
    free = cmd.Declare(mira, act("nod", "free"))
    assert game.refusal(free, by="p1") == ("no_action_left", {"unit": mira, "slot": "free"})
    answer = cmd.React(mira, act("use", "reflexive"))
    assert game.refusal(answer, by="p1") == ("ability_required", {"unit": mira, "slot": "reflexive"})
