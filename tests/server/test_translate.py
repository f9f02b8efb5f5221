"""Every command of the wire becomes one of the rules, and every event and entity goes into bytes and back."""

from typing import Any

import pytest

from core.commands import all_commands
from core.events import all_events
from core.refusals import Refused
from core.roles import NOBODY, ROLES
from core.state import Ability, Pool, Request, Unit
from protocol.codec import command_body
from protocol.from_client import BODIES
from server import cells, translate

ACT = {"kind": "attack", "slot": "standard", "targets": ["b"]}
NEEDED: dict[str, Any] = {
    "act": ACT, "unit": "a", "units": ["a"], "round": 1, "readied": "r", "window": "w", "gen": 1, "n": 1, "pending": "p",
    "order": "ask", "auto": True, "text": "hello", "pool": {"fixed": 3}, "to": "s", "slots": ["move"], "seconds": 60,
    "path": "hp", "value": 3, "was": 4, "by": 1, "condition": "prone", "effect": "e", "key": "lag_ms", "by_ms": 5,
    "stack": ["p"], "request": "q", "yes": True, "head": 3, "command": {"kind": "say", "text": "hi"},
    "name": "x", "task": "t", "gain": [1], "reason": "story", "dc": 5, "interval_s": 60, "ask": "a",
    "role": "player", "seat": "s", "salt": "0123456789abcdef", "lasts_s": 60, "percent": 50,
}  # fmt: skip
OTHERWISE: dict[str, dict[str, Any]] = {
    "set_standing_order": {"act": "*"},
    "reorder": {"order": ["a"], "was": ["a"]},
    "restack": {"was": ["p"]},
    "rewind": {"to": 2},
    "add_unit": {"unit": {"name": "Aki", "tracks": {"hp": 10}, "abilities": [{"name": "Sword", "pool": {"fixed": 2}}]}},
    "lend_seat": {"to": "Dora"},
    "set_up": {"units": [{"unit": {"name": "Aki", "tracks": {"hp": 10}}, "count": 2}]},
}


def smallest(kind: str) -> Any:
    model = BODIES[kind]
    needed = [name for name, field in model.model_fields.items() if field.is_required()]
    return command_body(kind, {name: OTHERWISE.get(kind, {}).get(name, NEEDED[name]) for name in needed})


@pytest.mark.parametrize("kind", sorted(BODIES))
def test_every_command_is_translated(kind: str):
    made = translate.command(smallest(kind))
    assert type(made).__name__ == "".join(word.capitalize() for word in kind.split("_"))


def test_every_command_of_a_role_is_on_the_wire():
    assert set(BODIES) == {kind for kind, roles in ROLES.items() if roles is not NOBODY}
    assert len(all_commands()) == len(ROLES)


def test_leave_is_asked_for_a_command_that_can_be_rebuilt():
    asked = translate.command(command_body("ask_leave", {"command": {"kind": "declare", "unit": "a", "act": ACT}}))
    stored = cells.unpacked(cells.packed(asked.wire))  # type: ignore[attr-defined]
    assert translate._rebuilt(stored) == asked.command  # type: ignore[attr-defined]
    assert stored == asked.wire, "else a server would take its own memory for wrong"  # type: ignore[attr-defined]


def test_a_command_of_another_version_is_unknown():
    with pytest.raises(Refused, match="unknown"):
        translate._rebuilt({"kind": "teleport"})


@pytest.mark.parametrize("kind", sorted(all_events()))
def test_every_event_can_be_kept(kind: str):
    cells._adapter(all_events()[kind])


def test_what_is_kept_comes_back_equal():
    sword = Ability("Sword", slots=("standard",), pool=Pool(attributes=("DEX",), again=9))
    unit = Unit("u1", "Aki", abilities={"Sword": sword}, conditions={"prone": False}, initiative=7)  # type: ignore[arg-type]
    request = Request("q", "s", "allow", wire={"kind": "say", "text": "hi"})  # type: ignore[arg-type]
    for entity in (unit, request):
        assert cells.made(type(entity), cells.unpacked(cells.encode(entity))) == entity
