"""The wire's commands are the core's, field by field; every bound holds."""

import dataclasses
import enum
import typing

import pytest
from pydantic import ValidationError

import core.commands
import core.roles
import core.state
from protocol import from_client, version
from protocol.codec import MSGPACK, BadMessage, command_body, plain
from protocol.from_client import BODIES, AskLeave, Command

SERVERS_OWN = {"CloseDue", "EndDueAction", "ReleaseDue", "NoteKeeping", "ReportLoss"}
PUT_IN_BY_SERVER = {
    ("Rewind", "play"),
    ("AnswerRequest", "play"),
    ("AnswerRequest", "command"),
    ("AskLeave", "wire"),
    ("AddSeat", "seat"),
}
MADE_BY_CLIENT = {"salt"}
CORE = {name: kind for name, kind in core.commands.all_commands().items() if name not in SERVERS_OWN}


def core_fields(kind: type) -> dict[str, object]:
    """Field -> default, "required" where there is none."""
    found: dict[str, object] = {}
    for field in dataclasses.fields(kind):
        default: object = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        found[field.name] = "required" if default is dataclasses.MISSING else default
    return found


def wire_fields(model: type[from_client.Wire]) -> dict[str, object]:
    return {
        name: "required" if field.is_required() else field.default
        for name, field in model.model_fields.items()
        if name != "kind" or model is from_client.Act
    }


def alike(ours: object, theirs: object) -> bool:
    if isinstance(ours, from_client.Wire) and dataclasses.is_dataclass(theirs):
        return ours.model_dump() == dataclasses.asdict(theirs)  # type: ignore[arg-type]
    return ours == theirs


def test_every_command_of_the_core_comes_over_the_wire_but_the_servers_own():
    assert {body.__name__ for body in BODIES.values()} == set(CORE)


def test_kinds_are_the_ones_that_roles_speak_of():
    assert set(BODIES) == {kind for kind, roles in core.roles.ROLES.items() if roles}


@pytest.mark.parametrize("name", CORE)
def test_a_command_has_the_fields_of_the_core_with_their_defaults(name: str):
    theirs = {field: value for field, value in core_fields(CORE[name]).items() if (name, field) not in PUT_IN_BY_SERVER}
    ours = wire_fields(getattr(from_client, name))
    ours = {field: value for field, value in ours.items() if field not in MADE_BY_CLIENT}
    assert list(ours) == list(theirs)
    assert [field for field in ours if not alike(ours[field], theirs[field])] == []


@pytest.mark.parametrize("name", ["Pool", "Act", "Trigger", "Applied", "Ability", "Track", "Unit"])
def test_a_value_has_the_fields_of_the_core_with_their_defaults(name: str):
    theirs = core_fields(getattr(core.state, name))
    ours = wire_fields(getattr(from_client, name))
    given_by_the_table = {"id", "number"} if name == "Unit" else set()
    assert set(ours) == set(theirs) - given_by_the_table
    assert {field: ours[field] for field in ours if not alike(ours[field], theirs[field])} == {}


@pytest.mark.parametrize("name", ["Slot", "Visibility", "OrderKind"])
def test_closed_lists_of_words_are_the_cores(name: str):
    assert typing.get_args(getattr(from_client, name)) == typing.get_args(getattr(core.state, name))


# ---------------------------------------------------------------------------------------------------------------- bounds
def refused(kind: str, **fields: object) -> str:
    with pytest.raises(BadMessage) as caught:
        command_body(kind, fields)
    assert caught.value.code == "bad_message"
    return caught.value.text


def test_bounds_hold_and_are_said():
    assert refused("say", text="x" * 2001) == "say: text has 2001 characters; at most 2000 are accepted"
    assert refused("hide", unit="x" * 65) == "hide: unit has 65 characters; at most 64 are accepted"
    assert refused("hide", unit="") == "hide: unit must not be empty"
    assert refused("reorder", order=["u"] * 101, was=[]) == "reorder: order has 101 entries; at most 100 are accepted"
    assert refused("adjust", unit="u", path="hp", by=10**9 + 1) == (
        "adjust: by must be at most 1000000000; found 1000000001"
    )
    assert refused("bring_on", units=[], copies=101) == "bring_on: copies must be at most 100; found 101"
    assert refused("pass", window="w", gen=-1) == "pass: gen must be at least 0; found -1"


def test_nothing_is_converted():
    assert refused("pass", window="w", gen="1") == "pass: gen must be a whole number; found '1'"
    assert refused("pass", window="w", gen=True) == "pass: gen must be a whole number; found true"
    assert refused("hide", unit=5) == "hide: unit must be text; found 5"
    assert refused("hold", next=1) == "hold: next must be true or false; found 1"
    assert refused("fire", readied="r", targets="abc") == "fire: targets must be a list; found 'abc'"
    assert refused("set_value", unit="u", path="hp", value={}, was=1) == (
        "set_value: value must be text, a whole number, true, false, nothing, or a list of such; found a map"
    )


def test_what_is_missing_or_unheard_of_is_named():
    assert refused("declare", unit="u") == "declare: act is missing"
    assert refused("declare", unit="u", act={"kind": "attack", "slot": "quick"}) == (
        "declare: act.slot must be one of 'free', 'swift', 'move', 'standard', 'full_round', 'full_turn', 'immediate', "
        "'anytime', 'simple' or 'reflexive'; found 'quick'"
    )
    assert refused("ask_leave", command={"kind": "ask_leave"}) == (
        "ask_leave: command must be a map with the kind of a command that is accepted there"
    )


@pytest.mark.parametrize("value", [None, True, -5, "text", ["speak", "drop_prone"], []])
def test_a_value_is_any_plain_one(value: object):
    body = command_body("set_house", {"key": "no_window", "value": value})
    assert isinstance(body, from_client.SetHouse)
    assert body.value == (tuple(value) if isinstance(value, list) else value)


def test_a_unit_may_be_written_short():
    body = command_body(
        "add_unit",
        {
            "unit": {
                "name": "Ghoul",
                "tracks": {"hp": 8, "rage": {"value": 0}},
                "conditions": ["prone"],
                "abilities": [{"name": "Claw", "act": "attack"}, {"name": "Bite"}],
            }
        },
    )
    assert isinstance(body, from_client.AddUnit)
    unit = body.unit
    assert (unit.tracks["hp"].value, unit.tracks["hp"].max, unit.tracks["rage"].max) == (8, 8, None)
    assert unit.conditions == {"prone": False}
    assert list(unit.abilities) == ["Claw", "Bite"]
    named = command_body("add_unit", {"unit": {"name": "G", "abilities": {"Claw": {"act": "attack"}}}})
    assert isinstance(named, from_client.AddUnit)
    assert named.unit.abilities["Claw"].name == "Claw"


def test_unknown_keys_of_a_newer_client_are_ignored():
    frame = MSGPACK.encode_plain({"t": "command", "seq": 1, "seen": 0, "kind": "hold", "next": True, "softly": True})
    command = MSGPACK.decode_from_client(frame)
    assert isinstance(command, Command)
    assert plain(command) == {"t": "command", "seq": 1, "seen": 0, "kind": "hold", "next": True}


def test_equal_content_has_an_equal_digest_whenever_it_was_sent():
    def sent(seq: int, seen: int, as_seat: str | None = None, **fields: object) -> bytes:
        return Command(seq=seq, seen=seen, as_seat=as_seat, body=command_body("say", fields)).digest()

    assert sent(1, 1, text="a") == sent(2, 5, text="a", unit=None)
    assert (
        len({sent(1, 1, text="a"), sent(1, 1, text="b"), sent(1, 1, "p1", text="a"), sent(1, 1, text="a", unit="u")})
        == 4
    )


def test_a_command_inside_a_request_for_leave_is_checked_like_any_other():
    body = command_body("ask_leave", {"command": {"kind": "hide", "unit": "u"}})
    assert isinstance(body, AskLeave)
    assert body.command == from_client.Hide(unit="u")
    assert refused("ask_leave", command={"kind": "hide"}) == "ask_leave: command.hide.unit is missing"


def test_the_token_is_in_no_repr():
    hello = from_client.Hello(versions=(version.VERSION,), token="t.s.secret", client="c")
    assert "secret" not in repr(hello)


def test_roles_on_the_wire_are_the_cores():
    from protocol.from_server import Role

    assert typing.get_args(Role) == typing.get_args(core.state.Role)
    assert not isinstance(Role, enum.EnumMeta)


def test_of_a_list_that_is_wrong_throughout_only_the_first_is_looked_at():
    """60,000 wrong attacks fit into one frame; a list of what is wrong with each would hold the server for all."""
    act = {"kind": "open", "slot": "move", "steps": [{"split": [0] * 600}] * 100}
    with pytest.raises(ValidationError) as caught:
        BODIES["declare"].model_validate({"kind": "declare", "unit": "u", "act": act})
    assert caught.value.error_count() == 1
