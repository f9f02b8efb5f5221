"""What a file says in names is what the wire says in ids."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from protocol.client import Table
from protocol.views import View, Views
from server.scenario.expectations import right
from server.scenario.names import Names
from server.scenario.problems import ScenarioProblem

STATE: dict[str, Any] = {
    "u/m1/name": "Mira", "u/m1/round": 3, "u/m1/hp": 7, "u/m1/left": {"swift": 0, "move": 1},
    "u/g1/name": "Ghoul", "t/stack": ["p1"], "t/order": ["g1", "m1"],
    "k/p1": {"actor": "g1", "window": "w1", "targets": ["m1"]}, "k/p1/due": ["r1"], "w/w1": {"gen": 4},
    "w/w1/me": {"asked": True},
}  # fmt: skip


def a_client(state: dict[str, Any]) -> Table:
    stack = tuple(View(state, "k", one) for one in state.get("t/stack", ()))
    return cast(Table, SimpleNamespace(state=state, units=Views(state, "u"), stack=stack, n=40))


@pytest.fixture
def names() -> Names:
    found = Names(a_client(STATE), {"Ann": "s1"})
    found.labels = {"old": "w0", "overwatch": "r1", "before": 30}
    return found


@pytest.mark.parametrize(
    ("kind", "given", "wire"),
    [
        (
            "declare",
            {"unit": "Ghoul", "ability": "claws", "targets": ["Mira"]},
            {"unit": "g1", "act": {"kind": "use", "slot": "standard", "ability": "claws", "targets": ["m1"]}},
        ),
        (
            "react",
            {"unit": "Mira", "leaves": True, "window": "old"},
            {"unit": "m1", "window": "w0", "act": {"kind": "use", "slot": "immediate", "leaves": True}},
        ),
        ("pass", {"window": "top"}, {"window": "w1", "gen": 4}),
        ("pass", {"window": "top", "gen": 1}, {"window": "w1", "gen": 1}),
        ("end_action", {"unit": "Mira"}, {"unit": "m1", "round": 3}),
        (
            "set_value",
            {"unit": "Mira", "path": "hp", "value": 9},
            {"unit": "m1", "path": "hp", "value": 9, "was": 7},
        ),
        ("fire", {"readied": "overwatch"}, {"readied": "r1"}),
        ("rewind", {"to": "before"}, {"to": 30, "head": 40}),
        ("reorder", {"order": ["Mira", "Ghoul"]}, {"order": ["m1", "g1"], "was": ["g1", "m1"]}),
        ("give_unit", {"unit": "Mira", "to": "Ann"}, {"unit": "m1", "to": "s1"}),
        ("cancel", {"pending": "top"}, {"pending": "p1"}),
        ("edit_pending", {"pending": "top", "guards": {"Mira": 2}}, {"pending": "p1", "guards": {"m1": 2}}),
        ("set_standing_order", {"act": "*", "order": "pass"}, {"act": "*", "order": "pass"}),
        (
            "ready",
            {"unit": "Mira", "ability": "bow", "trigger": {"actor": "Ghoul", "target": "self"}},
            {
                "unit": "m1",
                "act": {"kind": "use", "slot": "standard", "ability": "bow"},
                "trigger": {"actor": "g1", "target": "self"},
            },
        ),
    ],
)
def test_a_command_is_turned_into_what_the_wire_has(names: Names, kind: str, given: dict, wire: dict):
    assert names.wire(kind, given) == wire


@pytest.mark.parametrize("given", [{"unit": "Nobody"}, {"unit": "Mira", "window": "never noted"}])
def test_a_name_that_nobody_has_is_said(names: Names, given: dict):
    with pytest.raises(ScenarioProblem, match="there is no unit Nobody|no step has noted never noted"):
        names.wire("react", given)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("Mira.hp", 7),
        ("Mira.left.swift", 0),
        ("Mira.left.standard", "unseen"),
        ("Mira", "Mira"),
        ("Ghoul.hp", "unseen"),
        ("t/order", ["g1", "m1"]),
        ("window/me", {"asked": True}),
        ("pending/due", ["r1"]),
        ("pending/targets", ["m1"]),
    ],
)
def test_a_value_is_found_at_a_friendly_path(names: Names, path: str, value: Any):
    assert right(value, names.value(names.st, path))


def test_a_name_in_an_expected_value_becomes_an_id(names: Names):
    assert names.meant(["@Mira", "@Ann", "@overwatch", "plain"]) == ["m1", "s1", "r1", "plain"]


@pytest.mark.parametrize(
    ("expected", "found"), [(1, True), (0, False), ([1], [True]), (1, 2), ("unseen", 0), ([1], [1, 2])]
)
def test_what_only_looks_equal_is_not_right(expected: Any, found: Any):
    assert not right(expected, found)
