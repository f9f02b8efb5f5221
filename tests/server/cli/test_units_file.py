"""Units from a file: what is taken, and how it is told what is wrong."""

from pathlib import Path
from typing import Any

import pytest

import server
from protocol.codec import command_body
from server.cli.terminal import library
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.units_file import Units, read
from tests.server.cli.sight import Evening

SAMPLES = Path(server.__file__).parent / "samples"
ST = Evening().seen("st")


def names(found: Units) -> list[tuple[str, int]]:
    return [(one["unit"]["name"], one.get("count", 1)) for one in found.units]


@pytest.mark.parametrize(
    ("file", "there"),
    [
        ("units.yaml", [("Mira", 1), ("Kai", 1), ("Zombie", 2), ("Ghoul", 1)]),
        ("units.csv", [("Mira", 1), ("Zombie", 6), ("Sniper", 1)]),
    ],
)
def test_the_samples_are_taken_as_they_are(file: str, there: list[tuple[str, int]]):
    found = read((SAMPLES / file).read_text(encoding="utf-8"), file, ST)
    assert names(found) == there
    assert (found.kept, found.aside) == ((), ())
    command_body("set_up", {"units": list(found.units)})


def test_one_unit_a_list_or_a_map_of_units_in_yaml_or_json():
    for text in ("name: 丧尸", "- name: 丧尸", "units:\n  - name: 丧尸", '{"name": "丧尸"}', '[{"name": "丧尸"}]'):
        assert read(text, "f", ST) == Units(({"unit": {"name": "丧尸"}},))


def test_an_owner_is_a_seats_name_and_a_count_says_how_many():
    found = read("{name: Guard, owner: ann, count: 2, one_initiative: true}", "f", ST)
    assert found.units == ({"unit": {"name": "Guard"}, "owner": "ann", "count": 2, "one_initiative": True},)


def test_an_ability_is_used_with_the_usual_action_of_the_game_that_is_played():
    st = Evening(ruleset="storyteller").seen("st")
    for text, file in (
        ("name,attacks\nGhoul,claw 6", "f.csv"),
        ("name: Ghoul\nabilities: {claw: {act: hit}}", "f.yaml"),
    ):
        found = read(text, file, st)
        assert found.units[0]["unit"]["abilities"]["claw"]["slots"] == ["simple"]
        assert found.elsewhere == ()


def test_an_ability_of_another_games_actions_is_named():
    claws = "abilities:\n  claw: {slots: [swift, standard]}\n  bite: {slots: [reflexive]}\n  part: {slots: []}"
    text = f"- name: Ghoul\n  {claws.replace(chr(10), chr(10) + '  ')}"
    st = Evening(ruleset="storyteller").seen("st")
    assert read(text, "f.yaml", st).elsewhere == (("f.yaml", 3, "Ghoul", "claw"),)
    assert read(text, "f.yaml", ST).elsewhere == (("f.yaml", 4, "Ghoul", "bite"),)


def test_a_scenario_is_an_encounter_and_what_else_it_holds_is_told():
    text = (Path(server.__file__).parent / "scenarios" / "acceptance.yaml").read_text(encoding="utf-8")
    found = read(text.replace("owner: ", "side: "), "acceptance.yaml", ST)
    assert found.units
    assert "steps" in found.aside
    assert "units" not in found.aside


def test_a_field_nobody_knows_is_kept_in_the_notes_and_told_with_its_line():
    text = """
- name: Ghoul
  notes: under the stairs
  fear: 3
  abilities:
    claw:
      pool: {fixed: 4, sharp: yes}
      slot: swift
"""
    found = read(text, "f.yaml", ST)
    assert found.units[0]["unit"]["notes"] == (
        "under the stairs\nfear: 3\nabilities.claw.slot: swift\nabilities.claw.pool.sharp: True"
    )
    assert found.kept == (
        ("f.yaml", 4, "Ghoul", "fear"),
        ("f.yaml", 8, "Ghoul", "abilities.claw.slot"),
        ("f.yaml", 7, "Ghoul", "abilities.claw.pool.sharp"),
    )


def test_every_bad_entry_is_named_not_only_the_first():
    with pytest.raises(Unclear) as problem:
        read("- name: x\n  base: lots\n- name: y\n- tracks: {hp: 3}", "f.yaml", ST)
    assert [line.split(":")[0] for line in str(problem.value).split("\n")] == [
        "f.yaml, line 2, unit 1", "f.yaml, line 4, unit 3",
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- a table
def row(text: str) -> dict[str, Any]:
    (one,) = read(text, "f.csv", ST).units
    return one


def test_a_row_is_a_unit_and_its_columns_are_fields():
    one = row(
        "Name;HP;tracks.rage;DEX;skills.Brawl;conditions;hidden;count;owner;initiative;attacks\n"
        "7;6;2;3;1;prone | slow;yes;3;Ann;-2;claw 6|long bow 4 ranged"
    )
    assert one == {
        "unit": {
            "name": "7",
            "tracks": {"hp": 6, "rage": 2},
            "attributes": {"DEX": 3},
            "skills": {"Brawl": 1},
            "conditions": ["prone", "slow"],
            "hidden": True,
            "initiative": -2,
            "abilities": {
                "claw": {"act": "melee_attack", "pool": {"fixed": 6}, "slots": ["standard"]},
                "long bow": {"act": "ranged_attack", "pool": {"fixed": 4}, "slots": ["standard"]},
            },
        },
        "count": 3,
        "owner": "ann",
    }


def test_what_is_kept_is_told_of_the_unit_by_its_name():
    found = read("name,fear\nZombie x 6,3", "f.csv", ST)
    assert found.kept == (("f.csv", 2, "Zombie", "fear"),)


def test_a_table_may_come_from_a_spreadsheet_with_tabs_quotes_and_empty_rows():
    found = read('\ufeffname\tnotes\n"Old ""Tom"""\t"two\nlines"\n\t\nAnna\t\n', "f.tsv", ST)
    assert [one["unit"] for one in found.units] == [{"name": 'Old "Tom"', "notes": "two\nlines"}, {"name": "Anna"}]


@pytest.mark.parametrize("text", ["name,hp\nZombie x 6,8", "name;hp\nZombie ×6;8", "sep=;\nname;hp\nZombie x6;8"])
def test_so_many_of_a_kind_may_stand_behind_the_name(text: str):
    assert row(text) == {"unit": {"name": "Zombie", "tracks": {"hp": 8}}, "count": 6}


def test_how_many_in_words_of_its_own_goes_before_what_the_name_looks_like():
    assert row("name,count\nModel x 3,1") == {"unit": {"name": "Model x 3"}}


def test_what_lies_deeper_is_named_by_its_path():
    one = row("name,abilities.claw.slots,abilities.claw.pool.fixed,abilities.claw.area\nx,swift;move,4,no")
    assert one["unit"]["abilities"] == {"claw": {"slots": ["swift", "move"], "pool": {"fixed": 4}, "area": False}}


def test_hp_is_the_most_there_is_or_what_is_left_of_it():
    assert row("name,hp\nx,7/9")["unit"] == {"name": "x", "tracks": {"hp": {"value": 7, "max": 9}}}


def test_a_column_nobody_knows_becomes_a_note_with_the_line_of_its_row():
    found = read("name,fear,x.y\nA,,\nB,3,4,5", "f.csv", ST)
    assert found.units[0] == {"unit": {"name": "A"}}
    assert found.units[1]["unit"]["notes"] == "fear: 3\nx.y: 4\ncolumn 4: 5"
    assert found.kept == (("f.csv", 3, "B", "fear"), ("f.csv", 3, "B", "x.y"), ("f.csv", 3, "B", "column 4"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f.csv, line 1: the first row names the fields, `name` among them; found ''"),
        ("sep=;\nname;DEX\nx;2\ny;two", "f.csv, line 4, column “DEX”, unit 2: attributes.DEX must be a whole number"),
        ("sep=;\nwho;hp\nx;3", "line 2: the first row names the fields"),
        ("who,hp\nx,3", "line 1: the first row names the fields"),
        ("name,hp\n,\n", "f.csv: there is no unit in it"),
        ('name,notes\nx,"open', "f.csv, line 2: this is no row of a table"),
        ("name,hp\nx,3\n\ny,lots", "f.csv, line 4, column “hp”, unit 2: tracks.hp must be"),
        ("name,hp\n,3", "f.csv, line 2, column “name”, unit 1: name is missing"),
        (
            'name,notes,base\nx,"a\nb",1\ny,,many',
            "line 4, column “base”, unit 2: base must be a whole number; found 'many'",
        ),
        ("name,count\nx,101", "f.csv, line 2, unit 1: count: found 101; accepted is a whole number from 1 to 100"),
        ("name,one_initiative\nx,3", "f.csv, line 2, unit 1: one_initiative: found 3; accepted is yes or no"),
        ("name,owner\nx,Zed", "f.csv, line 2, unit 1: owner: there is no seat “Zed”"),
        ("name,attacks\nx,claw", "unit 1: attacks: found 'claw'; accepted is a name and its dice, such as: claw 6"),
        ("name,hp,tracks.hp.max\nx,3,9", "unit 1: there is a value for hp and one for hp.max"),
    ],
)
def test_a_bad_row_is_named_by_its_line(text: str, said: str):
    with pytest.raises(Unclear) as problem:
        read(text, "f.csv", ST)
    assert said in str(problem.value)


# --------------------------------------------------------------------------------------------------------- the library
def test_everything_in_the_library_that_comes_with_it_can_be_set_up(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [path.stem for path in library.files()] == ["bestiary", "bridge", "clinic"]
    for path in library.files():
        found = library.read(path, ST)
        assert (found.kept, found.aside) == ((), ())
        command_body("set_up", {"units": list(found.units)})


def test_set_up_finds_a_file_by_its_name_then_a_unit_in_any_of_them_then_a_file_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ambush.json").write_text('{"name": "Bandit", "count": 2}')
    assert names(library.find("Clinic", ST)[1]) == [("Patient", 4), ("Orderly", 1), ("Night nurse", 1)]
    assert names(library.find("patient", ST)[1]) == [("Patient", 1)]
    assert names(library.find("bridge", ST)[1]) == [("Bandit", 3), ("Gretch", 1)]
    assert names(library.find("ambush.json", ST)[1]) == [("Bandit", 2)]
    with pytest.raises(Unclear, match="the library has no “dragon”; it has bestiary, bridge, clinic"):
        library.find("dragon", ST)
    with pytest.raises(Unclear, match="cannot be read: No such file"):
        library.find("dragon.yaml", ST)


def test_a_file_without_an_end_is_not_read_to_it():
    with pytest.raises(Unclear, match="/dev/zero cannot be read: it has more than 8 MB"):
        library.find("/dev/zero", ST)


def test_ones_own_folder_comes_first_and_a_bad_file_in_it_hides_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "Clinic.csv").write_text("name\nDoctor")
    (tmp_path / "library" / "a.yaml").write_text("[{")
    (tmp_path / "library" / "readme.txt").write_text("mine")
    assert [path.stem for path in library.files()] == ["a", "bestiary", "bridge", "Clinic"]
    assert names(library.find("clinic", ST)[1]) == [("Doctor", 1)]
    assert names(library.find("zombie", ST)[1]) == [("Zombie", 1)]
    with pytest.raises(Unclear, match="neither YAML nor JSON"):
        library.find("a", ST)


@pytest.mark.parametrize("own", ["", "units: [{name: Boss}]"])
def test_a_scenario_may_take_more_units_from_a_file_beside_it(tmp_path, own: str):
    (tmp_path / "horde.csv").write_text("name,count,fear\nZombie,3,2")
    (tmp_path / "night.yaml").write_text(f"units_from: horde.csv\nsteps: []\n{own}")
    found = library.read(tmp_path / "night.yaml", ST)
    assert names(found) == [("Zombie", 3), *([("Boss", 1)] if own else [])]
    assert found.kept == (("horde.csv", 2, "Zombie", "fear"),)
    assert found.aside == ("steps",)
    (tmp_path / "horde.csv").unlink()
    with pytest.raises(Unclear, match="horde.csv cannot be read"):
        library.read(tmp_path / "night.yaml", ST)


# ------------------------------------------------------------------------------------------------- what is wrong in YAML
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f.yaml: found nothing; accepted is one unit (a map with a name), or a list of units"),
        ("[{", "f.yaml, line 1, column 3: this is neither YAML nor JSON"),
        ("- 3", "f.yaml, line 1, unit 1: found 3; accepted is a map with a name"),
        ("- name: x\n- tracks: {hp: 3}", "f.yaml, line 2, unit 2: name is missing"),
        ("name: x\ntracks: {hp: lots}", "f.yaml, line 2, unit 1: tracks.hp must be a whole number, or a map"),
        ("- name: x\n  base: 1.5", "f.yaml, line 2, unit 1: base must be a whole number; found 1.5"),
        ("name: x\ncount: 0", "f.yaml, line 2, unit 1: count: found 0; accepted is a whole number from 1 to 100"),
        ("name: x\nowner: Zed", "f.yaml, line 2, unit 1: owner: there is no seat “Zed”; there is Ann, Bob"),
        (
            "name: x\nabilities:\n- name: claw\n  slots: [often]",
            "abilities.claw.slots.0 must be one of 'free', 'swift'",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, said: str):
    with pytest.raises(Unclear) as problem:
        read(text, "f.yaml", ST)
    assert said in str(problem.value)
