"""Nothing is forgotten: every command has a decider and a role, every event is folded, every code and line is known."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import commands, decide, evolve, refusals, roles, story
from core import events as ev
from core.commands import Command, all_commands
from core.state import House
from protocol import texts
from protocol.lines import KINDS, Named, pack, unpack
from tests.walk.machine import step
from tests.walk.walk import Walk

ROOT = Path(__file__).parent.parent.parent
SILENT = {
    "Acted": "for taking back",
    "StandingOrderSet": "the seat sees it in its values",
    "DefaultGuardSet": "the seat sees it in its values",
    "RollAnswered": "the roll is told",
    "EffectChanged": "its values say it",
    "TimePassed": "its values say it",
    "ActionClockSet": "its values say it",
    "CostSpent": "the declaration is told",
    "TaskRemoved": "its values say it",
    "CostRefunded": "the withdrawal is told",
    "WindowOpened": "the declaration is told",
    "WindowCovered": "its values say it",
    "WindowAsked": "its values say it",
    "WindowRestarted": "its values say it",
    "TimeDrawn": "nobody is told whose it was",
    "DelayGiven": "nobody is told whose line is slow",
    "ReadiedArmed": "the withdrawal is told",
    "SplitAsked": "its window says it",
    "AnswersOver": "its values say it",
    "GainSplit": "the rolls tell of it",
    "ReadiedAutoSet": "the seat sees it in its values",
}
"""Events without a line, and why."""
TOLD_BY_THE_SERVER: set[str] = set()
"""Kinds of lines that no event of core is told by."""
UNITS = {"unit", "units", "target", "targets", "source", "fled"}
"""The fields of a line that name units."""
RAISED_BY_THE_SERVER = {"stale"}
"""Codes that only translating a client's message can tell."""


def all_events() -> dict[str, type[ev.Event]]:
    found = {name: kind for name, kind in vars(ev).items() if isinstance(kind, type) and issubclass(kind, ev.Event)}
    return {name: kind for name, kind in found.items() if kind is not ev.Event}


def trees(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, ast.parse(path.read_text())


# ------------------------------------------------------------------------------------------------------------- commands
def test_every_command_has_a_decider_and_every_decider_a_command():
    assert set(decide.DECIDERS) == set(all_commands().values())
    assert all(callable(decider) for decider in decide.DECIDERS.values())


def test_every_command_has_a_row_of_roles_and_every_row_a_command():
    assert {decide.kind_of(kind.__new__(kind)) for kind in all_commands().values()} == set(roles.ROLES)


def test_what_nobody_may_send_is_the_servers_own():
    own = {kind for kind, who in roles.ROLES.items() if who is roles.NOBODY}
    assert own == {"close_due", "end_due_action", "release_due", "note_keeping", "report_loss"}
    assert all(who <= roles.EVERYBODY for who in roles.ROLES.values())


def test_all_commands_finds_every_class_of_the_module():
    classes = {n.name for n in ast.walk(ast.parse(Path(commands.__file__).read_text())) if isinstance(n, ast.ClassDef)}
    assert set(all_commands()) == classes - {"Command", "By"}
    assert all(issubclass(kind, Command) for kind in all_commands().values())


# --------------------------------------------------------------------------------------------------------------- events
def test_every_event_is_folded():
    assert set(evolve.EVOLVERS) == set(all_events().values())


def test_every_event_is_told_or_silent_for_a_reason():
    untold = {name for name, kind in all_events().items() if kind not in story.TELLERS}
    assert untold == set(SILENT)


def test_every_event_happens_somewhere():
    made = {
        node.func.attr
        for _, tree in trees("core", "server")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    made |= {
        node.func.id
        for _, tree in trees("core", "server")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert set(all_events()) - made == set()


# ------------------------------------------------------------------------------------------------------------- refusals
OBJECTIONS = {"objection": 0, "object_for": 3}
REFUSALS = {**OBJECTIONS, "refuse": 0, "Refused": 0}
"""The calls that say a code, and which of their arguments it is."""


def codes_of(calls: dict[str, int], *folders: str) -> set[str]:
    found = set()
    for _, tree in trees(*folders):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                code = node.args[calls[name]] if name in calls and len(node.args) > calls[name] else None
                if isinstance(code, ast.Constant) and isinstance(code.value, str):
                    found.add(code.value)
    return found


def test_every_code_is_used_and_none_is_unknown():
    used = codes_of(REFUSALS, "core")
    assert used - set(refusals.CODES) == set()
    assert set(refusals.CODES) - used == RAISED_BY_THE_SERVER
    assert RAISED_BY_THE_SERVER <= codes_of(REFUSALS, "server") <= set(refusals.CODES)


def test_a_code_is_of_one_kind():
    kinds = [refusals.RIGHTS, refusals.TIMING, refusals.RULES]
    assert len(refusals.CODES) == sum(map(len, kinds))


def test_an_unknown_code_cannot_be_raised():
    with pytest.raises(AssertionError):
        refusals.Refused("no_such_code")


def test_what_counts_as_a_rule_is_what_can_be_let_through():
    """House rule `enforce: warn`, and the ST's leave, let through what is objected with, and nothing else."""
    assert codes_of(OBJECTIONS, "core") == set(refusals.RULES)


# ---------------------------------------------------------------------------------------------------------------- lines
def told() -> Iterator[tuple[str, int | None]]:
    """Every line that story.py yields: its kind, and how many fields (None where that is not written in the yield)."""
    tree = ast.parse(Path(story.__file__).read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
            kind, fields = node.value.elts
            assert isinstance(kind, ast.Constant)
            yield str(kind.value), len(fields.elts) if isinstance(fields, ast.Tuple) else None


def test_every_line_told_has_the_fields_of_the_protocol():
    for kind, n in told():
        assert kind in KINDS
        assert n is None or n <= len(KINDS[kind]), kind
    whole = {kind for kind, n in told() if n is None or n == len(KINDS[kind])}
    assert {kind for kind, _ in told()} - whole == set(), "each kind is told in full somewhere"


def test_every_kind_of_line_is_told():
    assert set(KINDS) - {kind for kind, _ in told()} == TOLD_BY_THE_SERVER


def test_the_lines_of_long_walks_are_packed_and_read_back_with_units_where_units_belong():
    kinds = set()
    for number in range(4):
        walk = Walk(number)
        for k in range(200):
            step(walk, k)
        for audience in ("st", "p1"):
            for kind, at_s, by, *args in (line for patch in walk.patches(audience) for line in patch.lines):
                packed = pack(kind, at_s, tuple(by) if isinstance(by, list) else by, args)
                line = unpack(packed)
                assert (line.kind, line.at_s) == (kind, at_s)
                for name, value in line.fields.items():
                    named = isinstance(value, Named) or (isinstance(value, tuple) and value and name != "parts")
                    assert not named or name in UNITS, (kind, name, value)
                kinds.add(kind)
    assert len(kinds) > 30


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_whatever_is_no_value_of_a_sheet_in_a_roll_has_a_name_in_each_language(language: str):
    """Attributes, Skills and abilities are called what their sheet calls them."""
    found: set[str] = set()
    for number in range(40):
        walk = Walk(number, House(ruleset=("infinite_horror", "storyteller")[number % 2]))
        for k in range(120):
            step(walk, k)
        units = [unit for done in walk.steps for unit in done.after.play.units.values()]
        written = {name for u in units for name in (*u.attributes, *u.skills, *u.abilities)}
        rolled = [event for done in walk.steps for event in done.events if isinstance(event, ev.Rolled)]
        found |= {name for event in rolled for name, _ in event.parts} - written
    assert found >= {"fixed", "modifier", "multiple_actions"}
    assert found <= set(texts.LANGUAGES[language].words["parts"])
