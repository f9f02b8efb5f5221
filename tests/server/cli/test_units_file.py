"""Units from a file: what is taken, and how it is told what is wrong."""

from pathlib import Path

import pytest

import server
from protocol.codec import command_body
from server.cli.terminal.split import Unclear
from server.cli.terminal.units_file import commands
from tests.server.cli.sight import Evening

SAMPLE = Path(server.__file__).parent / "samples" / "units.yaml"
ST = Evening().seen("st")


def test_the_sample_is_taken_as_it_is():
    made = commands(SAMPLE.read_text(encoding="utf-8"), SAMPLE.name, ST)
    assert [one["unit"]["name"] for one in made] == ["Mira", "Kai", "Zombie 1", "Zombie 2", "Ghoul"]
    for one in made:
        command_body("add_unit", {name: value for name, value in one.items() if name != "kind"})


def test_one_unit_a_list_or_a_map_of_units_in_yaml_or_json():
    for text in ("name: 丧尸", "- name: 丧尸", "units:\n  - name: 丧尸", '{"name": "丧尸"}', '[{"name": "丧尸"}]'):
        assert commands(text, "f", ST) == [{"kind": "add_unit", "unit": {"name": "丧尸"}}]


def test_an_owner_is_a_seats_name_and_a_count_makes_numbered_ones():
    made = commands("{name: Guard, owner: ann, count: 2}", "f", ST)
    assert [(one["unit"]["name"], one["owner"]) for one in made] == [("Guard 1", "ann"), ("Guard 2", "ann")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f.yaml: found nothing; accepted is one unit (a map with a name), or a list of units"),
        ("[{", "f.yaml, line 1: this is neither YAML nor JSON"),
        ("- 3", "f.yaml, line 1, unit 1: found 3; accepted is a map with a name"),
        ("- name: x\n- tracks: {hp: 3}", "f.yaml, line 2, unit 2: name is missing"),
        ("name: x\nhpp: 3", "f.yaml, line 2, unit 1: there is no field hpp; accepted are name, side,"),
        (
            "name: x\ntracks: {hp: lots}",
            "f.yaml, line 2, unit 1: tracks.hp must be a whole number, or a map",
        ),
        ("- name: x\n  base: 1.5", "f.yaml, line 2, unit 1: base must be a whole number; found 1.5"),
        ("name: x\ncount: 0", "f.yaml, line 2, unit 1: count: found 0; accepted is a whole number from 1 to 100"),
        ("name: x\nowner: Zed", "f.yaml, line 2, unit 1: owner: there is no seat “Zed”; there is Ann, Bob"),
        (
            "name: x\nabilities:\n  claw: {slot: swift}",
            "f.yaml, line 3, unit 1: abilities.claw: there is no field slot; accepted are act, slots,",
        ),
        (
            "name: x\nabilities:\n- name: claw\n  slots: [often]",
            "abilities.claw.slots.0 must be one of 'free', 'swift'",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, said: str):
    with pytest.raises(Unclear) as problem:
        commands(text, "f.yaml", ST)
    assert said in str(problem.value)


def test_all_that_is_wrong_is_told_at_once():
    text = "- name: x\n  hpp: 3\n  spede: 4\n- name: y\n- name: z\n  base: 1.5"
    with pytest.raises(Unclear) as problem:
        commands(text, "f.yaml", ST)
    first, second, third = str(problem.value).splitlines()
    assert first.startswith("f.yaml, line 2, unit 1: there is no field hpp")
    assert second.startswith("f.yaml, line 3, unit 1: there is no field spede")
    assert third.startswith("f.yaml, line 6, unit 3: base must be a whole number")
