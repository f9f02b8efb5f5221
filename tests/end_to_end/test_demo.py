"""`overseer demo` and `overseer run` as people start them: programs of their own, judged by what they print and return."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from protocol.client import connect
from server.scenario import loader

OVERSEER = [sys.executable, "-c", "from server.cli import main; raise SystemExit(main())"]
LAST_LINE = re.compile(r"demo: (\d+) commands, (\d+) interrupts, (\d+) clients equal, (\d+) refused as expected")

LITTLE = """
table: Two in a corridor
dice_seed: 7
house: {reaction_floor_ms: 50}
seats: [{seat: Storyteller, role: st, connections: [st]}, {seat: Ann, connections: [ann]}]
units:
  - {name: Mira, owner: Ann, on_stage: true, initiative: 5, tracks: {hp: 10}}
  - {name: Ghoul, on_stage: true, initiative: 9, tracks: {hp: 8}}
steps:
  - {by: st, do: {start_fight: {}}, expect: {active: Ghoul}}
"""


def environment() -> dict[str, str]:
    """As if nothing had been set up for this user: no settings, no colours."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith("OVERSEER_")}
    return {**usual, "PYTHONPATH": str(Path(__file__).parents[2]), "NO_COLOR": "1"}


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*OVERSEER, "demo", "--fast", *arguments],
        capture_output=True, text=True, encoding="utf-8", env=environment(), timeout=150, check=False,
    )  # fmt: skip


def demo_of(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    path = folder / "fight.yaml"
    path.write_text(text)
    return demo(str(path))


def test_the_acceptance_fight_goes_as_written():
    played = demo()
    assert (played.returncode, played.stderr) == (0, "")
    last = LAST_LINE.fullmatch(played.stdout.splitlines()[-1])
    assert last, played.stdout[-500:]
    commands, interrupts, equal, refused = map(int, last.groups())
    assert (interrupts, equal, refused) == (8, 7, 4)
    assert commands > 80
    assert "\x1b" not in played.stdout


@pytest.mark.rule("STY-01", "STY-02", "STY-03")
def test_a_fight_by_the_storyteller_rules_goes_as_written():
    played = demo(str(Path(__file__).parents[2] / "server" / "scenarios" / "storyteller.yaml"))
    assert (played.returncode, played.stderr) == (0, "")
    last = LAST_LINE.fullmatch(played.stdout.splitlines()[-1])
    assert last, played.stdout[-500:]
    assert last.groups()[1:] == ("2", "3", "6")


def test_a_wrong_number_in_the_acceptance_fight_is_found(tmp_path: Path):
    text = loader.bundled().read_text()
    right = "parts: {fixed: 9, defense: -13}"
    assert text.count(right) == 1
    played = demo_of(tmp_path, text.replace(right, "parts: {fixed: 9, defense: -7}"))
    assert played.returncode == 1
    assert "step 7 (The attack goes on, with Base and Dodge doubled)" in played.stdout
    assert "expected: {'fixed': 9, 'defense': -7}" in played.stdout
    assert "found:    {'fixed': 9, 'defense': -13}" in played.stdout
    assert "demo:" not in played.stdout


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("{step: Who acts, expect: {active: Mira}}", ("what:     active", "expected: 'Mira'", "found:    'Ghoul'")),
        (
            "{step: She dies, by: ann, do: {adjust: {unit: Mira, path: hp, by: -1}}}",
            ("adjust by ann", "expected: accepted", "found:    refused: forbidden"),
        ),
        (
            "{step: He may, by: st, do: {hold: {}}, refused: held}",
            ("hold by st", "expected: refused: held", "found:    accepted"),
        ),
        ("{step: A leak, by: st, do: {say: {text: hm}}, expect: {changes: {ann: 0}}}", ("sent to ann", "found:    1")),
        ("{step: News, expect: {told: {ann: [rolled]}}}", ("ann is told", "'rolled'", "only nothing")),
    ],
)
def test_what_is_not_as_written_is_named_with_its_step(tmp_path: Path, step: str, said: tuple[str, ...]):
    played = demo_of(tmp_path, f"{LITTLE}  - {step}\n")
    assert played.returncode == 1
    assert "step 2 (" in played.stdout
    for words in said:
        assert words in played.stdout


def test_a_file_that_cannot_be_played_is_one_sentence(tmp_path: Path):
    played = demo_of(tmp_path, LITTLE.replace("start_fight", "start_fihgt"))
    assert played.returncode == 2
    assert played.stderr.startswith("overseer demo: fight.yaml: step 1: do: there is no command start_fihgt")
    assert "Traceback" not in played.stderr


# --------------------------------------------------------------------------------------------------------- overseer run
@contextmanager
def running(data_dir: Path, pace: str = "--fast") -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*OVERSEER, "run", *pace.split(), "--port", "0", "--data-dir", str(data_dir)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment(),
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until(process: subprocess.Popen[str], words: str) -> str:
    """Everything up to the line with these words."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if words in line:
            return said
    raise AssertionError(f"it ended without {words!r}:\n{said}")


def invitations(said: str) -> dict[str, str]:
    """The last that were printed, by seat."""
    return dict(re.findall(r"^  (\w+) .*\n +(http\S+)$", said, re.MULTILINE))


def stop(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=60)
    return process.returncode, complaints


async def test_run_shows_a_fight_and_leaves_a_table_to_play_at(tmp_path: Path):
    with running(tmp_path / "data") as process:
        said = until(process, "Ctrl-C ends it")
        links = invitations(said)
        assert list(links) == ["Storyteller", "Ann", "Bob", "Cem", "Dee", "Gallery"]
        assert "The wight sinks back" in said
        async with connect(links["Storyteller"]) as st, connect(links["Ann"]) as ann:
            assert ann.state["t/practice"] is True
            assert (ann.units["Mira"].hp, ann.state["t/turn"], str(ann.active)) == (12, 1, "Ghoul")
            assert "Wight" not in ann.units
            await st.end_action(st.units["Ghoul"])
            await ann.until(lambda it: str(it.active) == "Mira")
        assert stop(process) == (0, "")

    with running(tmp_path / "data") as process:
        said = until(process, "Ctrl-C ends it")
        assert "goes on where it was left: turn 1, Mira acts" in said
        again = invitations(said)
        assert {seat: link.partition("#")[2] for seat, link in again.items()} == {
            seat: link.partition("#")[2] for seat, link in links.items()
        }
        async with connect(again["Ann"]) as ann:
            assert str(ann.active) == "Mira"
        assert stop(process) == (0, "")


def test_run_can_be_ended_in_mid_fight(tmp_path: Path):
    with running(tmp_path / "data") as process:
        until(process, "Mira steps away")
        assert stop(process) == (0, "")


async def test_run_stays_up_when_somebody_takes_part_in_the_sample_fight(tmp_path: Path):
    with running(tmp_path / "data", pace="") as process:
        links = invitations(until(process, "First, watch a fight"))
        until(process, "The fight begins")
        async with connect(links["Storyteller"]) as st:
            await st.command("remove_unit", unit=st.units["Ghoul"])
            said = until(process, "Ctrl-C ends it")
            assert "The sample fight was left here" in said
            await st.narrate("Where did it go?")
        assert stop(process) == (0, "")
