"""A scenario file that cannot be played is refused with its step and plain words."""

from pathlib import Path

import pytest

from server.scenario import loader
from server.scenario.problems import ScenarioProblem

HEAD = """
table: T
dice_seed: 1
seats: [{seat: Storyteller, role: st, connections: [st]}, {seat: Ann, connections: [ann]}]
units: [{name: Mira, owner: Ann, tracks: {hp: 10}}]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "fight.yaml"
    path.write_text(text)
    return path


def problem_with(folder: Path, text: str) -> str:
    with pytest.raises(ScenarioProblem) as problem:
        loader.load(written(folder, text))
    return str(problem.value)


def test_the_acceptance_fight_can_be_read():
    scenario = loader.load(loader.find("acceptance"))
    assert [seat.role for seat in scenario.seats].count("player") == 4
    assert sum(len(seat.clients) for seat in scenario.seats if seat.role != "spectator") >= 5


def test_the_example_of_the_readme_can_be_read(tmp_path: Path):
    text = (loader.bundled().parent / "README.md").read_text()
    example = text.partition("```yaml\n")[2].partition("```")[0]
    assert len(loader.load(written(tmp_path, example)).steps) == 4


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            "{step: Hm, by: st, do: {start_fite: {}}}",
            "step 1 (Hm): do: there is no command start_fite; meant start_fight?",
        ),
        ("{by: st, do: {end_action: {unti: Mira}}}", "step 1: do: end_action has no unti; it has round, unit"),
        ("{by: st, do: {hold: {}, release: {}}}", "one command with its fields; found hold, release"),
        ("{do: {hold: {}}}", "who does it?"),
        ("{drop: ann, resume: ann}", "a step does one thing; this one has drop and resume"),
        ("{by: st, do: {hold: {}}, refused: never}", "there is no refusal never"),
        ("{expect: {told: {ann: [shouted]}}}", "expect.told: there is no kind of log line shouted"),
        ("{expect: {stck: 1}}", "expect.stck: this word is not known here"),
        ("{wait: {stack: many}}", "wait.stack: "),
        ("{together: [{by: ann, do: {hold: {}}}]}", "together: "),
        ("{note: {a: b}}", "note.a: "),
    ],
)
def test_what_is_wrong_with_a_step_is_said_with_its_number(tmp_path: Path, step: str, said: str):
    found = problem_with(tmp_path, f"{HEAD}steps: [{step}]")
    assert said.lower() in found.lower()
    assert "step 1" in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("table: [", "line 1"),
        ("- a", "a scenario is a map"),
        (HEAD, "steps: this is missing"),
        (HEAD.replace("role: st, ", "") + "steps: [{}]", "one of them must be the Storyteller's"),
        (HEAD.replace("[ann]", "[st]") + "steps: [{}]", "two connections are named st"),
        (HEAD.replace("owner: Ann", "owner: Bob") + "steps: [{}]", "Mira belongs to Bob, which is no player's seat"),
        (HEAD.replace("tracks: {hp: 10}", "hp: 10") + "steps: [{}]", "Mira has hp; known are name"),
        (HEAD + "house: {windows: 1}\nsteps: [{}]", "there is no house rule windows"),
        (HEAD + "house: {stack_depth: 0}\nsteps: [{}]", "stack_depth cannot be 0; accepted is a whole number from 1"),
    ],
)
def test_what_is_wrong_with_the_table_is_said(tmp_path: Path, text: str, said: str):
    assert said.lower() in problem_with(tmp_path, text).lower()


def test_a_file_that_is_not_there_is_said_with_what_there_is():
    with pytest.raises(ScenarioProblem, match="there is no file nowhere.yaml; .* comes along: acceptance"):
        loader.find("nowhere.yaml")


def test_units_can_come_from_a_file_of_their_own(tmp_path: Path):
    (tmp_path / "monsters.yaml").write_text("units: [{name: Ghoul, tracks: {hp: 8}}]")
    scenario = loader.load(written(tmp_path, f"{HEAD}units_from: monsters.yaml\nsteps: [{{}}]"))
    assert [unit["name"] for unit in scenario.units] == ["Ghoul", "Mira"]


def test_a_units_file_of_another_shape_is_said(tmp_path: Path):
    (tmp_path / "monsters.yaml").write_text("Ghoul: 8")
    assert "a list named units" in problem_with(tmp_path, f"{HEAD}units_from: monsters.yaml\nsteps: [{{}}]")
