"""Nothing that this terminal says of itself is missing in either language, and all of it stands in its tables."""

import ast
import re
import string
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from rich.text import Text

from protocol import forms
from server.cli.terminal import look, sayings, unclear
from server.cli.terminal.asked import ask, questions
from server.cli.terminal.look import Units
from server.cli.terminal.sayings import said
from server.cli.terminal.unclear import NOUN_GAPS, NOUNS, Unclear
from tests.server.cli.sight import Evening

TERMINAL = Path(unclear.__file__).parent
SOURCES = [*sorted(TERMINAL.glob("*.py")), TERMINAL.parent / "join.py"]
TABLES = {"sayings": (sayings.EN, sayings.ZH), "unclear": (unclear.EN, unclear.ZH), "forms": (forms.EN, forms.ZH)}
SENTENCE = re.compile(r"[A-Za-z]{2,} [A-Za-z]+ [A-Za-z]{2,}")


def gaps(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("name", TABLES)
def test_both_languages_say_the_same_with_the_same_gaps(name: str):
    en, zh = TABLES[name]
    assert en.keys() == zh.keys()
    assert {key: gaps(en[key]) for key in en} == {key: gaps(zh[key]) for key in en}
    assert all(en.values())
    assert all(zh.values())


def calls(path: Path, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and name in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
            yield node


def keys(node: ast.expr) -> list[str]:
    """What a key may be: a constant, or one of two."""
    if isinstance(node, ast.IfExp):
        return keys(node.body) + keys(node.orelse)
    assert isinstance(node, ast.Constant), ast.unparse(node)
    return [str(node.value)]


def test_every_line_that_is_not_understood_has_its_sentence_filled_to_the_last_gap():
    used = set()
    for path in (*SOURCES, TERMINAL.parents[1] / "prepared.py"):
        for call in calls(path, "Unclear"):
            given = {one.arg for one in call.keywords}
            for key in keys(call.args[0]):
                used.add(key)
                assert gaps(unclear.EN[key]) <= given, key
            assert len(call.args) == 1
    assert used == set(unclear.EN)


def test_every_noun_is_known_in_both_languages():
    kinds = {"pick": 2, "whole_number": 1, "units": 2}
    used = {
        argument.value
        for path in SOURCES
        for name, k in kinds.items()
        for call in calls(path, name)
        if len(call.args) > k and isinstance(argument := call.args[k], ast.Constant)
    }
    as_typed = {"dc", "mod", "hp"}
    """Numbers that are named as they are typed."""
    assert {str(noun) for noun in used} - as_typed <= set(NOUNS)
    assert all(en and zh for en, zh in NOUNS.values())


def in_functions(path: Path) -> Iterator[str]:
    """The text constants of a module's functions, but for their docstrings."""
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            docs = {id(one.value) for one in ast.walk(function) if isinstance(one, ast.Expr)}
            for node in ast.walk(function):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
                    yield node.value


def test_no_function_has_a_sentence_of_its_own():
    own = {
        (path.name, text)
        for path in SOURCES
        for text in in_functions(path)
        if SENTENCE.search(text) and "(?" not in text and "\\b" not in text  # what is matched
    }
    own -= {
        ("join.py", one)
        for _, one in own
        if "in quotes: 'http" in one or one.startswith(("the language of", "for the Storyteller: see"))
    }
    assert own == set(), "it stands in sayings.py or unclear.py, in both languages"


# ------------------------------------------------------------------------------------------------------- as it is read
@pytest.mark.parametrize(
    ("problem", "en", "zh"),
    [
        (Unclear("no_such", what="unit", said="Zed", there=["Mira", "Kai"]),
         "there is no unit “Zed”; there is Mira, Kai", "没有单位“Zed”；有 Mira、Kai"),
        (Unclear("not_for", verb="narrate", who="player"),
         "“narrate” is not for a player to do; `help` lists what is", "“narrate”不是玩家可用的命令；`help` 列出可用的"),
        (Unclear("own_words", problem=Unclear("which_one")),
         'which one? – a condition in your own words goes in quotes: when "..."',
         '哪一个？ – 自己写的条件要加引号：when "..."'),
        (Unclear("no_ability", said="fly",
                 have=[Unclear("has", unit="Mira", there=["sword"]), Unclear("has_none", unit="Kai")]),
         "there is no ability “fly”; Mira has sword; Kai has none. For anything else: act WHAT YOU DO",
         "没有能力“fly”；Mira 有 sword；Kai 没有能力。其他任何事：act 你要做的事"),
        (Unclear("could_be", said="Z", there=[f"Z{k}" for k in range(20)]),
         f"“Z” could be {', '.join(f'Z{k}' for k in range(12))} and 8 more: write more of the name, or the id",
         f"“Z”可能是 {'、'.join(f'Z{k}' for k in range(12))} 等，另有 8 个：请多写几个字，或写编号"),
    ],
)  # fmt: skip
def test_it_reads_well_in_both(problem: Unclear, en: str, zh: str):
    assert (str(problem), problem.said("zh")) == (en, zh)


def test_gaps_with_nouns_are_those_that_the_sentences_have():
    assert set(NOUN_GAPS) <= set().union(*map(gaps, unclear.EN.values()))


def test_what_the_st_and_a_player_read_in_chinese_holds_no_english_but_names_and_what_is_typed():
    evening = Evening().zombie_attacks(readied=True)
    evening.requests()
    evening.a_roll_is_asked()
    evening.writes_a_novel()
    told: list[str] = []
    for who in ("ann", "st"):
        seen = evening.seen(who, language="zh")
        for thing in (*look.look(seen, "zh", evening.game.now, ()), *look.sheet(seen, evening.mira, "zh")):
            told += words_of(thing)
        for question in questions(seen):
            told += ask(seen, question, evening.game.now, "zh")
    typed = set(re.findall(r"[a-z]+", " ".join(OF_THE_TABLE)))
    plain = " ".join(told).replace(str(evening.mira), "")
    assert {word.lower() for word in re.findall(r"[A-Za-z]{3,}", plain)} - typed == set()
    assert said("zh", "stack") in "".join(told)


OF_THE_TABLE: Mapping[str, None] = dict.fromkeys(
    "mira kai zombie ghoul ann bob test foe sword bow claw bite dispel bless spark axe novel dex per brawl stealth "
    "first aid step aside something moves allow deny roll pass fire defend drop prone more time".split()
)
"""Names of this evening, and what is to be typed."""


def words_of(thing: object) -> list[str]:
    if isinstance(thing, Text):
        return [thing.plain]
    grid = thing.wide if isinstance(thing, Units) else thing
    return [str(cell) for column in grid.columns for cell in (column.header, *column.cells)]  # type: ignore[attr-defined]
