"""The table of verbs: it reaches every command of the protocol, teaches each verb, and asks core/roles.py who may."""

import json
from typing import Any

import pytest

from core.roles import ROLES
from protocol.codec import command_body
from protocol.from_client import BODIES
from server.cli.terminal import helping
from server.cli.terminal.helping_zh import HELP_ZH, TOPICS_ZH
from server.cli.terminal.seen import Seen
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Fields, Local, Send, all_verbs, find, read
from tests.server.cli.sight import Evening

VERBS = all_verbs()


@pytest.fixture(scope="module")
def sights() -> list[Seen]:
    """Moments in which every example has a meaning: Mira's action; a window on a zombie's attack, with requests."""
    first = Evening()
    first.writes_a_novel()
    own = first.seen("ann")
    first.bless()
    first.zombie_attacks(readied=True)
    window = first.seen("ann")
    first.kai_answers()
    first.requests()
    first.a_roll_is_asked()
    return [own, window, first.seen("st")]


def understood(line: str, sights: list[Seen]) -> list[Fields | Local]:
    """What a line means in each of the moments in which it means anything."""
    found: list[Fields | Local] = []
    for seen in sights:
        try:
            wish = read(line, seen)
        except Unclear:
            continue
        assert wish is not None
        found.append(wish.command if isinstance(wish, Send) else wish)
    return found


def checked(command: Fields) -> dict[str, Any]:
    """The command as the protocol takes it, defaults left out."""
    fields = {name: value for name, value in command.items() if name != "kind"}
    return command_body(command["kind"], fields).model_dump(exclude_defaults=True)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.names[0])
def test_every_verb_has_help_and_an_example_that_does_what_it_says(verb, sights):
    assert verb.help
    assert verb.usage
    named = find(verb.example, VERBS)
    assert named is not None
    assert named[0] is verb
    meanings = understood(verb.example, sights)
    assert meanings, f"nobody understands: {verb.example}"
    for meaning in meanings:
        if isinstance(meaning, Local):
            continue
        checked(meaning)
        assert not verb.kinds or meaning["kind"] in verb.kinds
    taught = "\n".join(part.plain for part in helping.lesson(verb.names[0], "st"))
    assert verb.usage in taught
    assert verb.example in taught


def test_every_command_of_the_protocol_has_a_verb():
    assert {kind for verb in VERBS for kind in verb.kinds} == set(BODIES)


def test_the_examples_alone_reach_every_command(sights):
    reached = {m["kind"] for verb in VERBS for m in understood(verb.example, sights) if not isinstance(m, Local)}
    # A rewind is previewed first and sent by the `yes` after it; these two are sometimes the one, sometimes the other.
    # What is set up stands in a file, which the terminal has to read first.
    assert reached | {"rewind", "set_up"} == set(BODIES)


def test_no_two_verbs_have_one_name():
    names = [name for verb in VERBS for name in verb.names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("role", ["st", "player", "spectator"])
def test_a_role_is_taught_what_it_may_do_and_nothing_else(role):
    taught = {verb for verb in VERBS if verb.open_to(role)}
    for verb in VERBS:
        if verb.kinds:
            assert (verb in taught) == any(role in ROLES[kind] for kind in verb.kinds)
    assert len(list(helping.topics(role))) > 2


def test_the_help_in_chinese_leaves_nothing_out():
    assert HELP_ZH.keys() == {verb.names[0] for verb in VERBS}
    assert TOPICS_ZH.keys() == {verb.topic for verb in VERBS}
    assert any("攻击" in part.plain for part in helping.lesson("attack", "player", "zh"))


def flat(command: Fields, before: str = "") -> list[str]:
    """A command as `do` wants it: field=value, maps by path."""
    found = []
    for name, value in command.items():
        if name == "kind" and not before:
            continue
        if isinstance(value, dict) and name not in ("guards", "command", "tracks"):
            found += flat(value, f"{before}{name}.")
        elif isinstance(value, dict):
            found.append(f"{before}{name}={json.dumps(value)}")
        elif isinstance(value, list | tuple):
            found.append(f"{before}{name}={', '.join(map(str, value))}")
        elif isinstance(value, str):
            found.append(f'{before}{name}="{value}"')
        else:
            found.append(f"{before}{name}={json.dumps(value)}")
    return found


def test_do_reaches_every_command_with_its_fields(sights):
    done = set()
    for verb in VERBS:
        for seen in sights:
            try:
                wish = read(verb.example, seen)
            except Unclear:
                continue
            if isinstance(wish, Send):
                command = wish.command
                line = f"do {command['kind']} {' '.join(flat(command))}"
                again = read(line, seen)
                assert isinstance(again, Send)
                assert checked(again.command) == checked(command), line
                done.add(command["kind"])
    again = read("do rewind to=3 reason=oops", sights[2])
    assert isinstance(again, Send)
    assert again.command == {"kind": "rewind", "to": 3, "head": sights[2].n, "reason": "oops"}
    again = read('do set_up units=[{"unit": {"name": "Zombie"}, "count": 2}] hidden=true', sights[2])
    assert isinstance(again, Send)
    assert again.command == {"kind": "set_up", "units": [{"unit": {"name": "Zombie"}, "count": 2}], "hidden": True}
    assert done | {"rewind", "set_up"} == set(BODIES)


def test_do_says_what_it_takes(sights):
    for line, said in {
        "do fly": "There is no command “fly”; there are declare, ready",
        "do declare unit=mira act.kind=open": "act.slot is missing",
        "do declare who=mira": "declare has no field who; there is unit, act, noticed",
        "do declare unit=mira act.how=x": "declare has no field act.how; there is kind, slot",
        "do hold now": "write fields as name=value; hold has next",
        "do defend window=top unit=mira n=lots": "n must be a whole number",
    }.items():
        with pytest.raises(Unclear) as problem:
            read(line, sights[1])
        assert said in str(problem.value)


def test_what_is_not_for_a_role_is_said(sights):
    with pytest.raises(Unclear, match="“narrate” is not for a player to do"):
        read("narrate it rains", sights[0])
