"""What a client is told of units that are written down: the terminal's own readers, behind bounds of the wire."""

import importlib
import threading
from typing import Any

import pytest

from protocol.from_client import AskReadUnits
from server import asks, prepared
from tests.server.evening import Evening

SEEN = ({"t/slots": ["standard", "move"], "s/p1": {"name": "Ann", "role": "player"}}, "x1")


def problem(text: str, file: str = "units.yaml") -> dict[str, str]:
    found = prepared.from_text(*SEEN, text, file)
    assert found.keys() == {"problem"}
    assert found["problem"].keys() == {"en", "zh"}
    told: dict[str, str] = found["problem"]
    return told


def test_a_table_and_yaml_and_json_come_out_as_set_up_takes_them():
    table = prepared.from_text(
        *SEEN, "name,count,owner,hp,attacks\nMira,,Ann,9,sword 7\nZombie,6,,6,claw 5", "units.csv"
    )
    mira, zombie = table["units"]
    assert (mira["owner"], mira["unit"]["name"], zombie["count"]) == ("p1", "Mira", 6)
    assert mira["unit"]["abilities"]["sword"]["pool"] == {"fixed": 7}
    for text in ("- name: Ghoul\n  colour: green", '[{"name": "Ghoul", "colour": "green"}]'):
        found = prepared.from_text(*SEEN, text, "pasted")
        assert [one["unit"]["name"] for one in found["units"]] == ["Ghoul"]
        assert [kept[1:] for kept in found["kept"]] == [["Ghoul", "colour"]]


def test_what_is_wrong_is_told_in_both_languages_with_its_line():
    told = problem("- name: Ghoul\n- name: Wolf\n  count: many")
    assert "3" in told["en"]
    assert "3" in told["zh"]
    assert told["en"] != told["zh"]


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [1, 1, 1, 1]\nb: &b [*a, *a, *a]\nname: Ghoul\nnotes: [*b, *b, *b]",
        "name: " + "[" * 5000,
        "{name: " * 2000,
    ],
)
def test_a_short_text_that_stands_for_a_long_one_is_not_read(text: str):
    assert "aliases" in problem(text)["en"]


def test_a_text_names_no_file_of_the_server():
    assert "units" in problem("units_from: ../../../etc/passwd")["en"]
    assert "library" in prepared.from_library(*SEEN, "../units.yaml")["problem"]["en"]


def test_the_library_lists_its_files_and_reads_them_by_name():
    files = {one["name"]: one for one in prepared.library_files(*SEEN)["files"]}
    assert {"name": "Patient", "count": 4} in files["clinic"]["units"]
    units = prepared.from_library(*SEEN, "CLINIC")["units"]
    assert [one["unit"]["name"] for one in units] == ["Patient", "Orderly", "Night nurse"]


async def test_the_readers_are_loaded_beside_the_loop(evening: Evening, monkeypatch: pytest.MonkeyPatch):
    """For the first time that takes long, and everybody would wait."""
    loaded_in = []

    def load(name: str) -> Any:
        loaded_in.append(threading.current_thread())
        return prepared

    monkeypatch.setattr(importlib, "import_module", load)
    question = AskReadUnits(id=1, text="- name: Ghoul")
    answer = await asks.answer(evening.rooms[0], evening.seats["ST"].key, question)
    assert [one["unit"]["name"] for one in answer["units"]] == ["Ghoul"]
    assert len(loaded_in) == 1
    assert loaded_in[0] is not threading.main_thread()
