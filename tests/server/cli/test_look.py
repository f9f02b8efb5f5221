"""What a seat is shown: the table at a glance, the questions put to it, what could be typed next."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import RenderableType

from core import commands as cmd
from core.events import ActionEnded
from core.ids import TaskId
from core.letters import clean
from core.state import Pool
from protocol import texts
from protocol.from_client import BODIES
from protocol.lines import Line, Named
from protocol.updates import Told
from server.cli.terminal import completing, helping, look
from server.cli.terminal.asides import about
from server.cli.terminal.asked import Question, ask, held, questions
from server.cli.terminal.sayings import EN, ZH, said
from server.cli.terminal.screen import Screen
from server.cli.terminal.seen import Seen
from server.cli.terminal.sitting import once
from tests.helpers.play import Game, attack
from tests.server.cli.sight import Evening


def shown(evening: Evening, who: str, language: str = "en", here: tuple[str, ...] = ("ann",), **more: float) -> str:
    out = io.StringIO()
    Screen(out).show(*look.look(evening.seen(who), language, evening.game.now, here, **more))
    return out.getvalue()


def the_question(seen: Seen) -> Question:
    (found,) = questions(seen)
    return found


class Phone(io.StringIO):
    """A terminal of 42 columns."""

    def isatty(self) -> bool:
        return True


def on_a_phone(monkeypatch: pytest.MonkeyPatch, *things: RenderableType) -> list[str]:
    for name, value in {"COLUMNS": "42", "LINES": "40", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    phone = Phone()
    Screen(phone).show(*things)
    return phone.getvalue().split("\n")


@pytest.fixture
def attacked() -> Evening:
    return Evening().zombie_attacks(readied=True)


def test_the_order_with_values_stack_and_ones_own(attacked: Evening):
    attacked.kai_answers()
    text = shown(attacked, "ann")
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[0] == "test · turn 1 · Zombie acts"
    assert next(line for line in lines if "Mira" in line).split() == [
        "1", "Mira", "pc", "10/10", "standard", "has", "readied", "something"]  # fmt: skip
    assert next(line for line in lines if line.startswith("▶")).split() == ["▶", "Zombie", "foe", "unhurt", "standard"]
    assert "• Zombie: melee attack (standard action) with claw against Mira" in lines
    assert "   └ Kai: move (immediate action) with step aside – 8 s left" in lines
    assert any(line.startswith("Mira has: no action left, 1 immediate, defence extras 3 · can: ") for line in lines)
    assert "Mira has readied bow (act attack)" in lines
    assert "Here: Ann · away: Bob · time bank 20 s" in lines
    assert "Ghoul" not in text
    assert "Kai has" not in text


ANY_SCRIPT = ("王小明的守护者·最后的剑客", "مريم المقاتلة", "👻 Zoé", "e\u0302 combining\u0301 Ünï")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("names", [("Mira", "Kai", "Zombie", "Zombie 2"), ANY_SCRIPT], ids=["latin", "any script"])
def test_on_a_phone_no_word_is_broken_no_line_too_wide_and_nothing_left_out(monkeypatch, language: str, names):
    evening = Evening(names).zombie_attacks(readied=True)
    seen = evening.seen("st", language=language)
    things = [*look.look(seen, language, evening.game.now, ()), *look.sheet(seen, evening.mira, language)]
    things += helping.topics("st", language)
    lines = on_a_phone(monkeypatch, *things)
    assert max(cell_len(line) for line in lines) <= 42
    whole = Screen(out := io.StringIO())
    whole.show(*things)
    heads = {
        said(language, column) for column in ("unit", "side", "hp", "spent", "conditions", "place")
    }  # of the wide table
    told = "".join(lines).replace(" ", "")
    assert [word for word in re.findall(r"\w+", out.getvalue()) if word not in told] in (
        [],
        *([head] for head in heads),
    )
    Screen(table := io.StringIO()).show(look.units(seen, language))
    cells = re.findall(r"\w+", table.getvalue().split("\n", 1)[1])
    assert set(cells) <= set(re.findall(r"\w+", "\n".join(on_a_phone(monkeypatch, look.units(seen, language)))))


def test_extended_actions_with_what_is_to_be_reached_and_who_strives_against_it():
    evening = Evening()
    game = evening.game
    game.do(cmd.EndFight())
    game.do(cmd.SetHouse("ruleset", "storyteller"))
    pool = Pool(fixed=4, target_number=7)
    tug = cmd.StartTask(evening.mira, "tug of war", pool, 5, opposes=evening.zombie, opposed_pool=pool)
    game.do(tug)
    game.do(cmd.StartTask(evening.mira, "climb", pool, 6, teamwork=True, botch_ends=True))
    assert "Mira, tug of war: 0 of 5, 0 by Zombie, target number 7" in shown(evening, "bob")
    assert "Mira，tug of war：0/5, Zombie 0, 目标值7" in shown(evening, "bob", "zh")
    assert "Mira, climb: 0 of 6, target number 7, others may help, a botch ends it" in shown(evening, "ann")
    assert "Mira，climb：0/6，目标值7，可协作，大失手即告终" in shown(evening, "ann", "zh").replace(", ", "，")


def test_extended_actions_with_how_far_they_are():
    evening = Evening(extended_mistakes="on")
    evening.writes_a_novel()
    novel = TaskId(evening.seen().ids("x")[0])
    game = evening.game
    assert "Mira, novel: 0 of 15, 0 mistakes, 30 days left" in shown(evening, "ann")
    game.do(cmd.RollTask(novel), "ann")
    game.do(cmd.EditTask(novel, mistakes=13))
    told = "Mira, novel: 0 of 15, 13 mistakes, at risk, next roll in 1 day, 30 days left"
    assert told in shown(evening, "ann")
    assert "Mira, novel: 0 of 15, next roll in 1 day, 30 days left" in shown(evening, "bob")
    game.do(cmd.SetAside(novel))
    assert "Mira，novel：0/15，已搁置，还剩30天" in shown(evening, "bob", "zh").replace(", ", "，")
    game.do(cmd.DropTask(novel))
    assert "Mira, novel: 0 of 15, failed" in shown(evening, "bob")


def test_another_player_does_not_see_what_is_held_back(attacked: Evening):
    text = shown(attacked, "bob")
    assert "has readied something" in text
    assert "bow" not in text


def test_the_st_sees_numbers_requests_and_who_waits_off_stage(attacked: Evening):
    attacked.requests()
    text = shown(attacked, "st")
    assert re.search(r"▶ +Zombie +foe +10/10", text)
    assert re.search(r"· +Ghoul .*off stage", text)
    assert "1. Ann asks to take the last act back. Type: allow 1, or deny 1" in text


def test_whose_attack_has_gained_extra_successes_midway_is_asked_to_split_them():
    game = Game(dice=[8] * 9, players=("ann", "bob"))
    mira = game.unit("Mira", "ann", initiative=20, abilities=[attack("flurry", dice=1, attacks=3, gains=2)])
    kai = game.unit("Kai", "bob", extras={"defense": 2})
    game.start()
    game.declare(mira, ability="flurry", targets=[kai])
    game.do(cmd.Defend(game.window.id, kai, 1, attack=2), "bob")
    bob = Seen(game.seen("bob"), "player", "bob", n=game.version)
    assert [text.plain.split(" – ", 1)[1] for text in look.stack(bob, "en", game.now)] == [
        "8 s left – Kai (flurry), Kai (flurry), Kai (flurry) – Kai (2) defence extras 1"
    ]
    game.pass_all()
    ann = Seen(game.seen("ann"), "player", "ann", n=game.version)
    assert ask(ann, the_question(ann), game.now, "en")[-1] == "Type: gain N N ... (1-2) | pass"
    assert questions(Seen(game.seen("bob"), "player", "bob", n=game.version)) == []


def test_a_request_says_what_it_is_about():
    evening = Evening()
    evening.leave_for_an_attack()

    def told(who: str, **acts: str) -> str:
        return "\n".join(line.plain for line in look.waiting(evening.seen(who), "en", acts=acts))

    assert "1. Bob asks to let an act through: Kai: attack (standard action) with axe against Zombie" in told("st")
    assert "You have asked the Storyteller to let an act through: Kai: attack" in told("bob")
    assert told("ann") == ""
    evening.mira_readies()
    evening.requests()
    (back,) = (id for id in evening.seen("st").ids("q") if evening.seen("st").of("q", id, "kind") == "take_back")
    assert "Ann asks to take the last act back: #4 Mira readies. Type: allow" in told("st", **{back: "#4 Mira readies"})


def test_what_is_old_says_so_and_other_languages_are_spoken(attacked: Evening):
    assert "connection lost: this is 12 s old" in shown(attacked, "ann", age_s=12.0)
    text = shown(attacked, "ann", "zh")
    assert "第 1 回合 · Zombie 行动" in text
    assert "近战攻击" in text


def test_every_saying_is_there_in_both_languages_with_the_same_gaps():
    assert EN.keys() == ZH.keys()
    for key, text in EN.items():
        assert set(re.findall(r"{(\w+)}", text)) == set(re.findall(r"{(\w+)}", ZH[key])), key


# ------------------------------------------------------------------------------------------------------------ questions
def test_a_question_tells_what_happens_how_long_and_what_can_be_typed(attacked: Evening):
    seen = attacked.seen("ann")
    first, readied, ways = ask(seen, the_question(seen), attacked.game.now, "en")
    assert first == "Zombie: melee attack (standard action) with claw against Mira – 8 s to answer"
    assert readied == "Your readied action fits: Mira: bow. Only you see this. Type: fire"
    assert ways == "Type: dispel | step aside | drop prone | defend N (1-3) | fire | pass | more time"
    known, *_ = ask(seen, the_question(seen), attacked.game.now, "en", known=True)
    assert known == "8 s to answer"


def test_nobody_is_asked_whose_standing_order_passes(attacked: Evening):
    attacked.kai_answers()
    assert questions(attacked.seen("ann")) == []


def test_who_has_passed_or_is_covered_is_not_asked(attacked: Evening):
    attacked.everybody_wants_to_be_asked()
    attacked.bob_passes()
    assert questions(attacked.seen("bob")) == []
    attacked.kai_answers()
    assert [q.pending for q in questions(attacked.seen("ann"))] == [attacked.game.top.id]


def test_a_table_that_is_held_lets_no_clock_run(attacked: Evening):
    attacked.hold()
    seen = attacked.seen("bob")
    assert ask(seen, the_question(seen), attacked.game.now, "en")[0].endswith("– the clock stands still")
    assert "the clock stands still" in shown(attacked, "bob")


def test_names_in_answers_where_one_has_several_units(attacked: Evening):
    attacked.everybody_wants_to_be_asked()
    attacked.kai_answers()
    seen = attacked.seen("st")
    ways = ask(seen, the_question(seen), attacked.game.now, "en")[-1]
    assert "Zombie: drop prone | Zombie 2: drop prone" in ways


# --------------------------------------------------------------------------------------------------------- what is next
def test_verbs_names_and_fields_are_completed():
    seen = Evening().seen("ann")

    def completed(line: str) -> list[str]:
        return [line[: len(line) - letters] + word for word, letters in completing.suggestions(line, seen)]

    assert "attack" in completed("at")
    assert "step aside" in completed("ste")
    assert completed("attack zombie 2 wi") == ["attack zombie 2 with"]
    assert completed("attack Zombie") == ["attack Zombie 2"]
    assert completed("use first aid on K") == ["use first aid on Kai"]
    assert "Mira: first aid" in completed("Mira: f")
    assert set(completed("do set_")) == {f"do {kind}" for kind in BODIES if kind.startswith("set_")}
    assert "narrate" not in completed("na")


# ------------------------------------------------------------------------------------------------------------ the screen
def test_nothing_that_others_write_steers_the_terminal():
    assert clean("a\x1b[31mb\x07c\u202ed\x9b2Je\nf") == "abcd2Je\nf"
    out = io.StringIO()
    Screen(out).line("[bold]hi[/bold] \x1b]0;title\x07")
    assert out.getvalue() == "[bold]hi[/bold] ]0;title\n"


def test_every_kind_that_has_a_colour_is_a_kind_of_line():
    from protocol.lines import KINDS
    from server.cli.terminal.screen import STYLES

    assert set(STYLES) <= set(KINDS)
    assert texts.LANGUAGES.keys() == {"en", "zh"}


def test_the_clock_on_ones_action_is_shown():
    timed = Evening(action_clock_ms=60_000)
    seen, now = timed.seen("ann"), timed.game.now
    first = next(iter(look.look(seen, "en", now + 20_000, ())))
    assert str(first) == f"{seen.state['t/name']} · turn 1 · Mira acts · 40 s left"
    timed.game.wait(60_000)
    assert [one.timed_out for one in timed.game.happened(ActionEnded)] == [True]
    line = Line("action_ended", 0, "", {"unit": Named("u", "Mira"), "skipped": False, "timed_out": True})
    assert texts.say(line) == "Mira's action is over: its time is up"


def test_an_st_is_told_why_the_table_is_held_and_how_it_goes_on():
    evening = Evening()
    evening.hold()
    assert held(evening.seen("st"), "en") == "you hold the table: `release` lets it go on"
    assert held(evening.seen("ann"), "en") == "the Storyteller holds the table"
    evening = Evening()
    evening.game.do(cmd.Hide(evening.kai))
    evening.game.end(evening.mira)
    assert held(evening.seen("st"), "en") == "the table is held for the others while Kai acts unseen"
    assert held(Evening().seen("st"), "en") == ""


def test_the_same_action_spent_again_is_counted():
    evening = Evening()
    evening.game.do(cmd.Grant(evening.mira, ("standard", "standard")))
    for _ in range(2):
        evening.game.declare(evening.mira, "use", "standard", ability="first aid", targets=[evening.kai])
        evening.game.pass_all()
    assert look.spent(evening.seen(), evening.mira, "en") == "2 standard"


def test_a_narration_is_told_as_it_was_written_and_set_apart():
    out = io.StringIO()
    Screen(out).told([Told(Line("narrated", 0, "st", {"text": "the lights go out"}), 0, 1, "en")], "en")
    assert out.getvalue().endswith(" » the lights go out\n")


def test_what_another_line_says_already_is_not_told_again():
    mira = Named("u", "Mira")
    lines = [
        Line("moved", 0, "p", {"unit": mira}),
        Line("carried_out", 0, "p", {"unit": mira}),
        Line("damaged", 0, "p", {"unit": mira, "value": "out"}),
        Line("condition_gained", 0, "p", {"unit": mira, "condition": "out"}),
        Line("condition_gained", 0, "p", {"unit": mira, "condition": "prone"}),
    ]
    told = [Told(line, 0, 1, "en") for line in lines] + [Told(lines[1], 0, 2, "en")]
    assert [(one.n, one.kind) for one in once(told)] == [
        (1, "moved"), (1, "damaged"), (1, "condition_gained"), (2, "carried_out")]  # fmt: skip


def test_which_storyteller_it_was_and_what_was_undone_are_told():
    out = io.StringIO()
    seats = {"s1": "Ben", "s2": "Zoe", "p": "Ann"}
    held = Line("held", 0, "s2", {"next": False})
    lines = [held, Line("released", 0, ("s1", "p"), {}), Line("said", 0, "s2", {"text": "hm"})]
    told = [Told(line, 0, n, "en", seats, undone=n == 1) for n, line in enumerate(lines)]
    Screen(out).told(told, "en", numbers=True, sts={"s1": "Ben", "s2": "Zoe"})
    Screen(out).told(told[:1], "en")
    said = [line.partition(" ")[2] for line in out.getvalue().splitlines()]
    assert said == [
        "#0 The Storyteller holds the table – Zoe",
        "#1 The table goes on – Ben for Ann (undone)",
        "#2 Zoe: “hm”",
        "The Storyteller holds the table",
    ]


def test_whether_it_fires_by_itself_is_told_of_what_is_readied_and_not_of_what_could_be():
    state = {"r/r1": {"act": {"ability": "bow", "kind": "ranged_attack"}}}
    assert about(state, {"kind": "set_readied_auto", "readied": "r1", "auto": False}, "en") == " bow off"
    assert about(state, {"kind": "ready", "ability": "bow", "auto": False}, "en") == ""


def test_seats_stand_by_their_names():
    state = {f"s/{id}": {"name": name, "role": "player"} for id, name in (("1", "Zoe"), ("2", "ann"), ("3", "Cem"))}
    seen = Seen(state, "st", "x1")
    assert look.people(seen, "en", {"3"}).plain == "Here: Cem · away: ann, Zoe"
