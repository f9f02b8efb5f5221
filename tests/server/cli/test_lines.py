"""Lines as people type them, and what they mean at one moment of a real fight. No sockets."""

from dataclasses import replace
from typing import Any

import pytest

from core import commands as cmd
from core.ids import TaskId
from core.state import Ability, Act
from protocol.lines import pack, unpack
from server.cli.terminal.asked import act_line, to_sustain
from server.cli.terminal.look import budget, marks
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import words
from server.cli.terminal.storytelling import FROM_FILE
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Local, Send, read
from tests.helpers.play import attack
from tests.server.cli.sight import Evening


@pytest.fixture(scope="module")
def evening() -> Evening:
    return Evening()


@pytest.fixture(scope="module")
def attacked() -> Evening:
    """Zombie attacks Mira; Mira has readied her bow."""
    return Evening().zombie_attacks(readied=True)


def meant(line: str, seen: Seen) -> dict[str, Any]:
    wish = read(line, seen)
    assert isinstance(wish, Send), wish
    return wish.command


def unclear(line: str, seen: Seen) -> str:
    with pytest.raises(Unclear) as problem:
        read(line, seen)
    return str(problem.value)


# -------------------------------------------------------------------------------------------------- requests and history
def test_a_request_is_answered_by_its_number_or_its_seat():
    evening = Evening()
    evening.mira_readies()
    evening.requests()
    evening.leave_for_an_attack()
    seen = evening.seen("st")
    back, leave = sorted(seen.ids("q"), key=lambda id: seen.of("q", id, "kind") == "allow")
    seen, numbered = replace(seen, numbers={back: 1, leave: 2}), replace(seen, numbers={back: 4, leave: 7})
    yes = {"kind": "answer_request", "request": leave, "yes": True}
    assert meant("allow 2", seen) == meant("allow #7", numbered) == meant("allow bob", seen) == yes
    assert meant("deny 1 because no", seen) == {**yes, "request": back, "yes": False, "text": "no"}
    assert "4 of Ann" in unclear("allow 1", numbered)
    assert unclear("allow", seen).startswith("say which request: ")
    evening.leave_for_an_attack()
    assert "Bob has asked for 2 things: say " in unclear("deny bob", evening.seen("st"))


def test_a_yes_to_a_take_back_asks_first():
    evening = Evening()
    evening.mira_readies()
    evening.requests()
    seen = evening.seen("st")
    (back,) = seen.ids("q")
    assert read("allow ann because fine", seen) == Local("take back", {"request": back, "text": "fine"})
    assert read("deny all", seen) == Local("answer all", {"yes": False})
    assert meant("deny", seen) == {"kind": "answer_request", "request": back, "yes": False}


def test_a_rewind_lies_within_what_has_happened(evening: Evening):
    seen = replace(evening.seen("st"), n=20)
    assert read("rewind 3", seen) == Local("rewind", {"to": 17, "reason": ""})
    assert read("rewind to 3 because oops", seen) == Local("rewind", {"to": 3, "reason": "oops"})
    for line in ("rewind 0", "rewind 21", "rewind 99999", "rewind to 20", "rewind to 99"):
        assert unclear(line, seen).startswith("the newest change is 20: ")


# -------------------------------------------------------------------------------------------------------------- the cast
@pytest.mark.parametrize("line", ["add units from a.yaml", "add unit from file a.yaml", "add from a.yaml",
                                  'add unit from "a.yaml"', "add unit file a.yaml"])  # fmt: skip
def test_units_come_from_a_file(line: str, evening: Evening):
    assert read(line, evening.seen("st")) == Local("set up", {**FROM_FILE, "what": "a.yaml"})


def test_only_a_name_is_a_units_name(evening: Evening):
    seen = evening.seen("st")
    assert (
        unclear("add unit from file", seen) == unclear("add units from", seen) == "from which file? add units from FILE"
    )
    assert unclear("add unit Rook hp=5 bogus", seen).startswith("what is “bogus”?")
    assert unclear("add condition Kai x", seen).startswith("for that leave out `add`: condition NAME WORD")
    assert meant('add "condition Kai x"', seen)["unit"] == {"name": "condition Kai x"}
    assert meant("add Man of War hidden hp=5", seen)["unit"] == {
        "name": "Man of War",
        "hidden": True,
        "tracks": {"hp": 5},
    }


def test_a_word_that_means_something_is_no_name_and_a_dc_is_no_less_than_nothing(evening: Evening):
    seen = evening.seen("st")
    assert unclear("add unit all hp=3", seen).startswith("“all” is a word that means something here")
    assert unclear("ask mira for 3 dc -3", seen) == "a DC is 0 or more; found -3"
    assert meant("roll 99999", evening.seen())["pool"] == {"fixed": 99999}


def test_a_unit_that_has_done_nothing_yet_keeps_its_action_unless_one_is_sure(evening: Evening):
    command = {"kind": "begin_action", "unit": evening.zombie}
    sure = Local("sure", {"command": command, "why": "begin_sure", "unit": "Mira"})
    assert read("begin zombie", evening.seen("st")) == sure
    busy = Evening()
    busy.bless()
    assert meant("begin zombie", busy.seen("st")) == {**command, "unit": busy.zombie}


# ------------------------------------------------------------------------------------------------- said this way or that
def test_one_thing_may_be_written_in_more_than_one_way(evening: Evening):
    seen, st = evening.seen(), evening.seen("st")
    asked = meant("ask mira, kai for PER+2 dc 2 because something moves", st)
    assert meant("ask mira kai for PER+2 dc=2 because something moves", st) == asked
    rolled = meant("roll DEX dc 2 for the smell", seen)
    assert meant("roll DEX dc=2 because of the smell", seen) == rolled
    assert rolled["reason"] == "the smell"
    assert meant("move to door pay standard", seen) == meant("move to door pay=standard", seen)
    assert meant("act jump slot move", seen) == meant("act jump slot=move", seen)
    assert meant("give kai ann", st) == meant("give kai to Ann", st)
    assert meant("set kai.hp.max 12", st) == meant("set kai.tracks.hp.max 12", st)
    assert "It is 10 now: set Kai.hp VALUE" in unclear("set kai.hp", st)


def test_what_is_listed_can_be_done(evening: Evening):
    assert "rewind" not in unclear("do fly", evening.seen())
    assert "rewind" in unclear("do fly", evening.seen("st"))
    assert unclear("yes", evening.seen()) == "nothing waits for a yes or a no just now"


# ------------------------------------------------------------------------------------------------------ one's own action
def test_acts_on_ones_own_action_are_declared(evening: Evening):
    seen, zombie, other = evening.seen(), evening.zombie, evening.other
    sword = {"kind": "melee_attack", "slot": "standard", "ability": "sword", "targets": [zombie]}
    for line in (
        "attack zombie with sword",
        "Mira: attack Zombie with SWORD",
        "sword zombie",
        f"attack {zombie} with sw",
    ):
        assert meant(line, seen) == {"kind": "declare", "unit": evening.mira, "act": sword}
    both = meant("attack zombie, Zombie 2 with bow slot=standard", seen)["act"]
    assert both["targets"] == [zombie, other]
    move = {"kind": "move", "slot": "move", "distance": 8, "position": "the door"}
    for line in ("move 8 to the door", "move 8 m to the door", "移动 8 to the door"):
        assert meant(line, seen)["act"] == move
    assert meant("move to door pay=standard", seen)["act"]["pay"] == "standard"
    assert meant("use first aid on kai", seen)["act"]["targets"] == [evening.kai]
    assert meant("bless", seen)["act"] == {"kind": "use", "slot": "swift", "ability": "bless"}
    swing = {"kind": "use", "slot": "standard", "text": "swing from the chandelier with one hand"}
    assert meant("act swing from the chandelier with one hand", seen)["act"] == swing
    assert meant("end", seen) == {"kind": "end_action", "unit": evening.mira, "round": 1}


def test_an_unclear_act_says_what_is_missing_and_what_there_is(evening: Evening):
    seen = evening.seen()
    assert unclear("attack zombie", seen) == "with what? Mira has bow, sword; add: with bow"
    assert unclear("attack with bow", seen).startswith("at whom?")
    assert unclear("attack zom with bow", seen) == "“zom” could be Zombie, Zombie 2: write more of the name, or the id"
    assert unclear("attack ghoul with bow", seen).startswith("there is no unit “ghoul”; there is Kai, Mira, Zombie")
    assert unclear("use fireball on zombie", seen).startswith("there is no ability “fireball”; Mira has ")
    assert unclear("atack zombie", seen) == "“atack” is no verb here; did you mean “attack”? `help` lists all verbs"
    assert unclear('say "hello', seen) == 'a quotation mark " is not closed'
    assert "slot “often”" in unclear("move 3 slot=often", seen)
    assert unclear("attack mira with claw", evening.seen("st")).startswith(
        "who? begin with a name and a colon (Zombie: ...)"
    )


def test_readied_actions_take_a_trigger_or_words(evening: Evening):
    seen, mira = evening.seen(), evening.mira
    assert meant("ready attack zombie with bow when attacked", seen) == {
        "kind": "ready",
        "unit": mira,
        "act": {"kind": "ranged_attack", "slot": "standard", "ability": "bow", "targets": [evening.zombie]},
        "trigger": {"act": "attack", "target": mira},
    }
    triggers = {
        "when zombie 2 attacks kai": {"act": "attack", "actor": evening.other, "target": evening.kai},
        "when an enemy moves": {"act": "move", "side": "enemy"},
        "when anyone attacks me": {"act": "attack", "target": mira},
        "when kai is attacked": {"act": "attack", "target": evening.kai},
    }
    for text, trigger in triggers.items():
        assert meant(f"ready bow {text}", seen)["trigger"] == trigger
    assert meant('ready bow when "the door opens"', seen)["words"] == "the door opens"
    assert meant("ready bow when the door opens", seen)["words"] == "the door opens"
    assert meant("ready bow when attacked auto", seen)["auto"] is True
    assert unclear("ready bow", seen).startswith("when? end with")


# ---------------------------------------------------------------------------------------------------------- in a window
def test_in_a_window_what_is_immediate_is_an_interrupt(attacked: Evening):
    seen, window = attacked.seen(), attacked.game.window.id
    step = {"kind": "move", "slot": "immediate", "ability": "step aside", "leaves": True}
    for line in (
        "step aside leaves",
        "react step aside leaves",
        "Mira: step aside leaves",
        "react Mira: step aside leaves",
    ):
        assert meant(line, seen) == {"kind": "react", "unit": attacked.mira, "act": step, "window": window}
    assert meant("drop prone", seen)["kind"] == "react"
    assert meant("dispel zombie", seen)["act"]["counters"] == attacked.game.top.id
    assert meant("pass", seen) == {"kind": "pass", "window": window, "gen": 1}
    assert meant("defend 2", seen) == {"kind": "defend", "window": window, "unit": attacked.mira, "n": 2}
    assert meant("defend 1 attack=2", seen)["attack"] == 2
    assert meant("gain 2 0", seen) == {"kind": "split_gain", "window": window, "gain": [2, 0]}
    assert meant("gain 2/1", seen)["gain"] == [2, 1]
    assert meant("do split_gain window=top gain=2, 0", seen) == {"kind": "split_gain", "window": window, "gain": [2, 0]}
    assert meant("fire leaves", seen)["leaves"] is True
    assert meant("more time", seen) == {"kind": "more_time", "window": window}
    assert meant("auto off", seen)["auto"] is False


def test_several_attacks_are_split_in_the_line_that_declares_them(evening: Evening):
    seen, zombie, other = evening.seen(), evening.zombie, evening.other
    three = [{"target": zombie, "extra": n} for n in (2, 2, 1)]
    found = meant("attack zombie with sword split 2/2/1", seen)["act"]
    assert (found["ability"], found["targets"], found["split"]) == ("sword", [zombie], three)
    found = meant("attack zombie, zombie 2 with sword split zombie 4, zombie 2 with bow 3, zombie 2 with sword", seen)[
        "act"
    ]
    assert found["targets"] == [zombie, other]
    assert found["split"] == [
        {"target": zombie, "extra": 4},
        {"target": other, "weapon": "bow", "extra": 3},
        {"target": other, "weapon": "sword"},
    ]
    assert meant("attack zombie with sword split with bow 3, with sword 2", seen)["act"]["split"] == [
        {"target": zombie, "weapon": "bow", "extra": 3}, {"target": zombie, "weapon": "sword", "extra": 2}]  # fmt: skip
    found = meant("attack zombie, zombie 2 with sword split zombie 1, zombie 2, zombie 2 1", seen)["act"]["split"]
    assert found == [{"target": zombie, "extra": 1}, {"target": other}, {"target": other, "extra": 1}]
    assert unclear("attack zombie, zombie 2 with sword split 2/2", seen).startswith("split 2/2/1 on one target, or say")


def test_abilities_are_attached_in_the_line_that_declares_and_to_each_step_of_a_technique():
    evening = Evening()
    jab, dash = attack("jab", slots=[]), Ability("dash", "move", ())
    edge, rush = Ability("edge", attaches=("attack",)), Ability("rush", attaches=("move",))
    whirl = Ability("whirl", slots=("standard",), steps=("jab", "dash", "jab"))
    ada = evening.game.unit("Ada", "ann", abilities=[attack("sword"), jab, dash, edge, rush, whirl])
    seen, zombie, other = evening.seen(), evening.zombie, evening.other
    assert meant("Ada: attack zombie with sword attaching edge", seen)["act"]["attached"] == ["edge"]
    assert meant("Ada: attack zombie attach ed", seen)["act"]["ability"] == "sword", "a jab alone has no slot"
    act = meant("Ada: whirl on zombie attaching edge, rush, -", seen)["act"]
    assert act == {"kind": "use", "slot": "standard", "ability": "whirl", "targets": [zombie],
                   "steps": [{"attached": ["edge"]}, {"attached": ["rush"]}, {}]}  # fmt: skip
    assert meant("Ada: whirl on zombie, Zombie 2", seen)["act"]["steps"] == [
        {"targets": [zombie]}, {}, {"targets": [other]}
    ]  # fmt: skip
    assert "steps" not in meant("Ada: whirl on zombie", seen)["act"]
    assert "one ability to each" in unclear("Ada: whirl on zombie attaching edge, -, -, edge", seen)
    assert "there is edge, rush" in unclear("Ada: attack zombie with sword attaching sword", seen)
    evening.game.do(cmd.JoinFight(ada))
    evening.game.do(cmd.Insert(ada, Act("use", "standard", ability="whirl", targets=(zombie,))))
    assert "whirl (1/3)" in act_line(evening.seen(), evening.game.top.id, "en")


def test_concentration_is_sustained_and_dropped_and_seen_in_the_look():
    evening = Evening()
    ada = evening.game.unit(
        "Ada", "ann", initiative=99, abilities=[Ability("eye", slots=("swift",), concentration="move")]
    )
    evening.game.do(cmd.JoinFight(ada))
    evening.game.do(cmd.BeginAction(ada))
    evening.game.declare(ada, slot="swift", ability="eye")
    evening.game.pass_all()
    assert "concentrates on eye" in budget(evening.seen(), ada, "en").plain
    evening.game.do(cmd.BeginAction(evening.zombie))
    evening.game.do(cmd.BeginAction(ada))
    assert "`sustain` (move action)" in budget(evening.seen(), ada, "en").plain
    began = [unpack(pack("action_began", 1, "", [[ada, "Ada"], 2])), unpack(pack("said", 1, "", [None, "hm"]))]
    assert to_sustain(evening.seen(), began, "en") == [
        "Ada: concentrates on eye: `sustain` (move action) before anything else, or it ends"
    ]
    assert to_sustain(evening.seen("bob"), began, "en") == []
    assert "concentrating" in marks(evening.seen("bob"), ada, "en")
    assert meant("Ada: sustain", evening.seen()) == {"kind": "sustain", "unit": ada}
    assert meant("drop concentration Ada", evening.seen()) == {"kind": "drop_concentration", "unit": ada}


def test_with_nothing_asked_there_is_nothing_to_pass_on(evening: Evening):
    assert unclear("pass", evening.seen()).startswith("nothing is asked just now")


def test_leave_is_asked_for_what_was_refused_or_what_is_written(evening: Evening):
    seen = evening.seen()
    assert unclear("ask leave", seen).startswith("no rule has refused anything")
    again = meant("ask leave", replace(seen, refused="move 30 to gate"))
    assert again["command"]["act"]["distance"] == 30
    assert meant("ask leave move 30 to gate because it is close", seen) == {**again, "text": "it is close"}


# -------------------------------------------------------------------------------------------------------- talk and dice
def test_talk_keeps_every_letter(evening: Evening):
    seen = evening.seen()
    assert meant("say Kai: 快跑!  Now, with me", seen) == {"kind": "say", "text": "Kai: 快跑!  Now, with me"}
    assert meant('mira: say "hi" and "ho"', seen) == {"kind": "say", "text": '"hi" and "ho"', "unit": evening.mira}
    assert meant("whisper look out", seen) == {"kind": "whisper", "text": "look out"}
    assert meant("whisper Bob: run, fool", evening.seen("st")) == {"kind": "whisper", "to": "bob", "text": "run, fool"}


def test_pools_are_written_with_the_names_on_the_sheet(evening: Evening):
    seen = evening.seen()
    assert meant("roll DEX+Stealth+2 private dc 2 9-again for sneaking", seen) == {
        "kind": "roll",
        "unit": evening.mira,
        "pool": {"attributes": ["DEX"], "skills": ["Stealth"], "modifier": 2, "again": 9},
        "visibility": "roller",
        "dc": 2,
        "reason": "sneaking",
    }
    assert meant("roll dex + stea - 1", seen)["pool"] == {"attributes": ["DEX"], "skills": ["Stealth"], "modifier": -1}
    assert meant("roll 5", seen)["pool"] == {"fixed": 5}
    assert unclear("roll DEX+Flying", seen).startswith("there is no Attribute or Skill “Flying”")
    asked = meant("ask mira, kai for PER+2 dc 2 secret because something moves", evening.seen("st"))
    assert asked["units"] == [evening.mira, evening.kai]
    assert (asked["visibility"], asked["reason"]) == ("st", "something moves")


def test_a_calculation_is_about_a_unit_or_plain(evening: Evening):
    ann, st = evening.seen(), evening.seen("st")
    asked = Local("calc", {"text": "6/RES + 1", "unit": evening.mira, "own": True})
    assert read("calc 6/RES + 1", ann) == read("calc mira: 6/RES + 1", st) == read("算 6/RES + 1", ann) == asked
    assert read("calc plain 100 with x2", st) == Local("calc", {"text": "100 with x2", "unit": None, "own": False})
    assert unclear("calc", st).startswith("calc what?")


# ---------------------------------------------------------------------------------------------------- extended actions
def test_extended_actions_are_taken_up_and_worked_on(evening: Evening):
    line = "task barricade the door with PER+2 private dc 5 every 1 minute within 2 hours in one go"
    assert meant(line, evening.seen()) == {
        "kind": "start_task",
        "unit": evening.mira,
        "name": "barricade the door",
        "pool": {"attributes": ["PER"], "modifier": 2},
        "visibility": "roller",
        "dc": 5,
        "interval_s": 60,
        "within_s": 7200,
        "in_one_go": True,
    }
    assert unclear("task barricade", evening.seen()).startswith("task NAME with POOL dc N")
    assert unclear("work", evening.seen()) == "there is no task; there is none at all"
    evening.writes_a_novel()
    seen, st = evening.seen(), evening.seen("st")
    novel = seen.ids("x")[0]
    assert meant("work", seen) == {"kind": "roll_task", "task": novel}
    assert meant("work on novel mod=-1", seen) == {"kind": "roll_task", "task": novel, "modifier": -1}
    assert meant("set aside novel lose 2 because of the rain", st) == {
        "kind": "set_aside", "task": novel, "lost": 2, "reason": "the rain"}  # fmt: skip
    assert meant("edit task nov with PER+1 every 2 hours successes 4 mistakes 1", st) == {
        "kind": "edit_task", "task": novel, "pool": {"attributes": ["PER"], "modifier": 1}, "interval_s": 7200,
        "successes": 4, "mistakes": 1}  # fmt: skip
    assert unclear("edit task novel", st).startswith("edit task NAME dc N")
    assert unclear("edit task novel within a while", st).startswith("how long? 60 s")
    evening.game.do(cmd.DropTask(TaskId(novel)))
    assert meant("task novel", evening.seen()) == {
        "kind": "start_task", "unit": evening.mira, "name": "novel", "pool": {"attributes": ["PER"], "modifier": 1},
        "dc": 15, "interval_s": 86_400}  # fmt: skip


def test_what_dice_are_to_reach_is_a_number_or_the_opponents_traits(evening: Evening):
    seen = evening.seen()
    assert meant("roll DEX+2 tn 7 open", seen)["pool"] == {"attributes": ["DEX"], "modifier": 2, "target_number": 7}
    assert meant("roll DEX+2 tn=7", seen)["pool"] == meant("roll DEX+2 tn 7", seen)["pool"]
    assert meant("roll 5 tn dex+Brawl against zombie with 4 tn DEX", seen) == {
        "kind": "roll",
        "unit": evening.mira,
        "pool": {"fixed": 5, "against": ["DEX", "Brawl"]},
        "opposes": evening.zombie,
        "opposed_pool": {"fixed": 4, "against": ["DEX"]},
    }
    assert unclear("roll 5 tn +", seen).startswith("which target number?")


def test_extended_actions_have_opponents_and_helpers(evening: Evening):
    st = evening.seen("st")
    assert meant("mira: task race against time with DEX+2 tn 7 dc 6 teamwork botch ends", st) == {
        "kind": "start_task", "unit": evening.mira, "name": "race against time", "dc": 6, "teamwork": True,
        "botch_ends": True, "pool": {"attributes": ["DEX"], "modifier": 2, "target_number": 7}}  # fmt: skip
    assert meant("mira: task tug of war with 4 dc 5 tn STR against zombie with 3 tn DEX", st) == {
        "kind": "start_task", "unit": evening.mira, "name": "tug of war", "dc": 5,
        "pool": {"fixed": 4, "against": ["STR"]}, "opposes": evening.zombie,
        "opposed_pool": {"fixed": 3, "against": ["DEX"]}}  # fmt: skip
    assert unclear("mira: task tug with 4 dc 5 against zombie", st).startswith("with which pool is it opposed?")
    evening.writes_a_novel()
    seen, st = evening.seen("bob"), evening.seen("st")
    novel = seen.ids("x")[0]
    helped = {"kind": "roll_task", "task": novel, "units": [evening.kai]}
    assert (
        meant("work on novel by kai", seen)
        == meant("kai: work on novel", seen)
        == meant("work on novel", seen)
        == helped
    )
    assert meant("kai: work on novel with 3", seen) == {**helped, "pool": {"fixed": 3}}
    assert meant("mira: work on novel", st) == {"kind": "roll_task", "task": novel}
    assert meant("work on novel by mira, kai", st)["units"] == [evening.mira, evening.kai]
    assert meant("edit task novel theirs 2 teamwork", st) == {
        "kind": "edit_task", "task": novel, "theirs": 2, "teamwork": True}  # fmt: skip
    assert unclear("edit task novel tn 7", st) == "a target number goes with its pool: with STR+2 tn 7"


def test_a_roll_may_have_no_dc(evening: Evening):
    assert meant("roll 5 dc none", evening.seen())["dc"] is None


def test_an_objection_names_the_rule_and_may_say_why(evening: Evening):
    seen = evening.seen()
    assert meant("object to enforce because we said strict", seen) == {
        "kind": "object_to_rule", "key": "enforce", "text": "we said strict"}  # fmt: skip
    assert meant("反对 hp_shown", seen) == {"kind": "object_to_rule", "key": "hp_shown"}
    assert "house rule “gravity”" in unclear("object to gravity", seen)


def test_a_seat_is_lent_to_somebody_for_a_time_that_has_an_end(evening: Evening):
    seen = evening.seen()
    for days in (1, 30):
        assert meant(f"lend to Dora for {days} days", seen)["lasts_s"] == days * 86_400
    for line in ("lend to Dora", "lend to Dora for 31 days", "lend for 1 day", "lend to Dora for 0 hours"):
        assert "30 days at most" in unclear(line, seen)


# --------------------------------------------------------------------------------------------------------------- the ST
def test_values_are_set_with_what_was_seen(evening: Evening):
    st = evening.seen("st")
    assert meant("set mira.hp 5 because wolf", st) == {
        "kind": "set_value", "unit": evening.mira, "path": "hp", "value": 5, "was": 10, "reason": "wolf"}  # fmt: skip
    assert meant("set Zombie 2.tracks.hp.max 12", st)["was"] == 10
    assert meant("set zombie 2 position by the old door", st)["value"] == "by the old door"
    assert meant("set mira.attributes.DEX 4", st)["was"] == 3
    assert meant('hp zombie -3 "falling rock"', st) == {
        "kind": "adjust", "unit": evening.zombie, "path": "hp", "by": -3, "reason": "falling rock"}  # fmt: skip
    assert meant("hp zombie 3", st)["kind"] == "set_value"
    assert meant("house no_window speak, move", st)["value"] == ["speak", "move"]
    assert meant("house readied_is_immediate no", st)["value"] == "no"
    assert meant("house free_action_cap 2", st)["value"] == 2
    assert "house rule “bogus”" in unclear("house bogus 3", st)


def test_the_st_runs_the_scene(attacked: Evening):
    st, mira, zombie = attacked.seen("st"), attacked.mira, attacked.zombie
    bring = {"kind": "bring_on", "units": [attacked.ghoul], "copies": 3, "hidden": True}
    assert meant("bring ghoul x3 hidden", st) == bring
    assert meant("grant mira 2 swift, standard", st)["slots"] == ["swift", "swift", "standard"]
    burning = {"kind": "add_condition", "unit": mira, "condition": "on fire", "rounds": 2, "by": zombie, "secret": True}
    assert meant("condition mira on fire for 2 rounds by zombie secret", st) == burning
    assert meant("pass time 10 minutes", st)["seconds"] == 600
    assert meant("pass time 2 hours", st)["seconds"] == 7200
    assert meant("cancel zombie no refund because of me", st) == {
        "kind": "cancel", "pending": attacked.game.top.id, "refund": False, "reason": "me"}  # fmt: skip
    assert meant("insert zombie 2: attack kai with claw", st)["unit"] == attacked.other
    assert meant("edit targets kai guards kai 2", st)["guards"] == {attacked.kai: 2}
    assert meant("edit split 2/1", st)["split"] == [{"target": mira, "extra": 2}, {"target": mira, "extra": 1}]
    assert meant("close force", st)["force"] is True
    assert meant("clock -3", st)["by_ms"] == -3000
    assert read("rewind to 3 because oops", st) == Local("rewind", {"to": 3, "reason": "oops"})
    assert read("rewind 2", st) == Local("rewind", {"to": st.n - 2, "reason": ""})


def test_the_st_speaks_for_a_seat(attacked: Evening):
    st = attacked.seen("st")
    wish = read("as Ann step aside leaves", st)
    assert isinstance(wish, Send)
    assert (wish.as_seat, wish.command["kind"], wish.command["unit"]) == ("ann", "react", attacked.mira)
    assert read("as bob: pass", st).as_seat == "bob"  # type: ignore[union-attr]
    assert meant("as Ann take back", st) == {"kind": "ask_take_back"}
    assert unclear("as Ann narrate it rains", st).startswith("“narrate” is not for a player to do")
    assert unclear("as Zed pass", st).startswith("as SEAT COMMAND")


# -------------------------------------------------------------------------------------------------------------- names
def test_names_may_be_of_any_script_and_hold_anything():
    evening = Evening(names=("Man at Arms", "凯 (Kai)", "Zombie", "Zombie"))
    seen = evening.seen()
    assert meant("attack 凯 with sword", seen)["act"]["targets"] == [evening.kai]
    assert meant("man at arms: move 3", seen)["unit"] == evening.mira
    st = evening.seen("st")
    problem = unclear("hp zombie -1", st)
    assert problem.startswith("“zombie” could be Zombie (")
    short = problem.split("(")[1].split(")")[0]
    assert meant(f"hp {short} -1", st)["unit"] in (evening.zombie, evening.other)


def test_quotes_of_many_scripts_hold_words_together():
    assert [str(w) for w in words("a “b c” 「d e」 f, g")] == ["a", "b c", "d e", "f,", "g"]
    assert [str(w) for w in words("hit Zombie 12, zombie 2.hp", ["Zombie 1", "Zombie 2"])] == [
        "hit", "Zombie", "12,", "zombie 2", ".hp"]  # fmt: skip


def test_empty_lines_and_comments_mean_nothing(evening: Evening):
    assert read("   ", evening.seen()) is None
    assert read("# the second round", evening.seen()) is None


# ------------------------------------------------------------------------------------------------------ scenes and worlds
@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("for 2 rounds", {"rounds": 2}), ("for 10 minutes", {"minutes": 10}), ("for 2 turns", {"unit": "turn", "n": 2}),
        ("for 3 hours", {"unit": "hour", "n": 3}), ("for a day", {"unit": "day"}),
        ("for 1 day of this world", {"unit": "day", "own_day": True}), ("for 2 weeks", {"unit": "week", "n": 2}),
        ("for one scene", {"unit": "scene"}), ("until the scene changes", {"unit": "scene"}),
        ("for 1 film", {"unit": "film"}), ("until the film is over", {"unit": "film"}),
        ("until sunrise", {"unit": "sunrise"}), ("until the next sunset", {"unit": "sunset"}),
        ("for good", {"unit": "permanent"}), ("for 90 s", {"unit": "second", "n": 90}),
    ],
)  # fmt: skip
def test_how_long_a_condition_lasts_is_typed_as_one_says_it(attacked: Evening, line: str, fields: dict[str, Any]):
    found = meant(f"condition mira blessed {line}", attacked.seen("st"))
    lasts = fields if {"rounds", "minutes"} & fields.keys() else {"lasts": fields}
    assert found == {"kind": "add_condition", "unit": attacked.mira, "condition": "blessed", **lasts}


def test_the_st_changes_scenes_films_and_worlds(attacked: Evening):
    st = attacked.seen("st")
    assert meant("scene story because the mainframe is shut down", st) == {
        "kind": "change_scene", "reason": "story", "key_point": "the mainframe is shut down"}  # fmt: skip
    assert meant("scene transition uncounted", st) == {"kind": "change_scene", "reason": "transition", "counts": False}
    assert meant("scene area endless night", st) == {"kind": "change_scene", "reason": "area", "night": True}
    for line in ("scene area end lasting because the sanctum", "scene area because the sanctum end lasting"):
        assert meant(line, st) == {
            "kind": "change_scene", "reason": "area", "key_point": "the sanctum", "end_lasting": True}  # fmt: skip
    assert unclear("scene because of me", st).startswith("why? scene transition | story")
    assert meant("prebuff", st) == {"kind": "allow_prebuff", "on": True}
    assert meant("prebuff off", st) == {"kind": "allow_prebuff", "on": False}
    assert unclear("prebuff mira", st) == "prebuff on, or prebuff off"
    assert meant("film Night of the Dead in Raccoon City end lasting", st) == {
        "kind": "enter_film", "name": "Night of the Dead", "world": "Raccoon City", "end_lasting": True}  # fmt: skip
    assert unclear("film", st).startswith("which Film?")
    assert meant("leave film", st) == {"kind": "leave_film"}
    assert meant("end fight end lasting", st) == {"kind": "end_fight", "end_lasting": True}
    assert meant("start fight real end lasting", st) == {"kind": "start_fight", "counts": True, "end_lasting": True}
    started = meant("start mira, kai wait uncounted", st)
    assert (started["begin"], started["counts"], len(started["units"])) == (False, False, 2)


def test_what_is_not_said_of_a_world_stays_as_it_is(attacked: Evening):
    st = attacked.seen("st")
    earth = {"kind": "set_world", "day_s": 86400, "sunrise_s": 21600, "sunset_s": 64800}
    assert meant("world now 12:30", st) == {**earth, "time_s": 45000}
    assert meant("world sunrise never date 2026-01-31", st) == {**earth, "sunrise_s": None, "date": "2026-01-31"}
    assert meant("world date none", st) == {**earth, "date": ""}
    assert meant("world Mordor day 48h sunset 30h", st) == {
        "kind": "set_world", "world": "Mordor", "day_s": 172800, "sunset_s": 108000}  # fmt: skip
    assert unclear("world Mordor", st).startswith("world [NAME]")
    assert "how long?" in unclear("world day long", st)


def test_a_player_asks_for_a_scene_or_a_fight_and_cannot_type_the_sts_verbs_else(attacked: Evening):
    ann = attacked.seen("ann")
    assert meant("ask leave scene story because the door is open", ann) == {
        "kind": "ask_leave", "command": {"kind": "change_scene", "reason": "story"}, "text": "the door is open"}  # fmt: skip
    assert meant("ask leave start fight", ann)["command"] == {"kind": "start_fight"}
    assert "not for a player" in unclear("scene story", ann)
    assert "not for a player" in unclear("ask leave film Alien", ann)


def test_what_lasts_is_asked_about_by_its_name(attacked: Evening):
    attacked.game.do(cmd.AddCondition(attacked.kai, "slow", minutes=5))
    effect = list(attacked.game.table.play.effects)[-1]
    assert read("explain slow", attacked.seen("ann")) == Local("explain", {"effect": effect})
    assert read("explain", attacked.seen("ann")) == Local("explain", {"effect": effect})


@pytest.mark.parametrize(
    ("line", "what", "fields", "changes"),
    [
        ("set up clinic", "clinic", {}, {}),
        ("set up night at the inn hidden apart", "night at the inn", {"hidden": True, "join": False}, {}),
        ("set up zombie x6 together open", "zombie", {"hidden": False}, {"count": 6, "one_initiative": True}),
        ('set up "on the hunt.yaml"', "on the hunt.yaml", {}, {}),
    ],
)
def test_an_encounter_is_set_up_by_its_name(line, what, fields, changes):
    wish = read(line, Evening().seen("st"))
    assert wish == Local("set up", {"what": what, "by_name": True, "fields": fields, "changes": changes})


def test_set_up_and_bring_say_what_they_miss():
    seen = Evening().seen("st")
    assert unclear("set up hidden", seen).startswith("set up what? The name of something in the library")
    brought = read("bring ghoul x3 together", seen)
    assert isinstance(brought, Send)
    assert (brought.command["copies"], brought.command["one_initiative"]) == (3, True)


# ---------------------------------------------------------------------------------------------------- names in any script
ANY_SCRIPT = ("王小明", "مريم المقاتلة", "👩‍👩‍👧 Zoé", "Re\u0301my")


@pytest.mark.parametrize(
    ("typed", "which"),
    [("王小明", 0), ("王", 0), ("小明", None), ("مريم المقاتلة", 1), ("مريم", 1), ("👩‍👩‍👧 Zoé", 2), ("zo\u0065\u0301", 2),
     ("R\u00e9my", 3), ("re\u0301m", 3)],
)  # fmt: skip
def test_names_in_any_script_are_understood_as_they_are_typed(typed: str, which: int | None):
    evening = Evening(ANY_SCRIPT)
    units = (evening.mira, evening.kai, evening.zombie, evening.other)
    seen = evening.seen("st")
    if which is None:
        with pytest.raises(Unclear):
            seen.the_unit(typed)
        return
    assert seen.the_unit(typed) == units[which]
    assert meant(f"hp {typed} -3", seen) == {"kind": "adjust", "unit": units[which], "path": "hp", "by": -3}
    if which:
        acts = meant(f"attack {typed} with sword", evening.seen("ann"))
        assert acts["act"]["targets"] == [units[which]]


def test_a_fight_of_any_names_is_told_with_them_in_both_languages():
    evening = Evening(ANY_SCRIPT).zombie_attacks()
    for language in ("en", "zh"):
        told = act_line(evening.seen("ann", language=language), evening.game.top.id, language)
        assert ANY_SCRIPT[2] in told
        assert ANY_SCRIPT[0] in told
