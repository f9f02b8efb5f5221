"""What may be written where, and what is left of it where it is shown."""

import json
import unicodedata

import pytest

from core.bounds import is_line, is_name, is_text
from core.letters import STEERING, clean, in_json, in_one_line, odd_words

STEERS = [
    "\x00",
    "\x07",
    "\x1b[31m",
    "\x9b2J",
    "\x7f",
    "\r",
    "\u202e",
    "\u2066",
    "\u200f",
    "\u061c",
    "\u2028",
    "\ud800",
]


@pytest.mark.parametrize("odd", STEERS, ids=ascii)
def test_what_steers_a_screen_stands_nowhere_and_comes_out_nowhere(odd: str):
    assert not is_line(f"Gh{odd}oul")
    assert not is_name(f"Gh{odd}oul")
    assert not is_text(f"Gh{odd}oul\nand more")
    for out in (clean, in_one_line):
        assert not STEERING.search(out(f"Gh{odd}oul").replace("\n", ""))
    shown = in_json(json.dumps([f"Gh{odd}oul"], ensure_ascii=False))
    assert not STEERING.search(shown)
    assert json.loads(shown) == [f"Gh{odd}oul"]


@pytest.mark.parametrize("odd", ["\u200b", "\ufeff", "\u00ad", "\u2060", "\U000e0041"], ids=ascii)
def test_what_is_only_invisible_may_stand_in_texts_and_in_no_name(odd: str):
    assert not is_line(f"Gh{odd}oul")
    assert is_text(f"Gh{odd}oul")


@pytest.mark.parametrize(
    "name",
    ["Ghoul", "僵尸", "Zoë", "נָסִי", "ก็ได้", "👩\u200d👧", "می\u200cخواهم", "🩷", "[red]x[/red]", "# x", "<b>", "A" * 80],
)
def test_people_are_called_whatever_they_are_called(name: str):
    assert is_name(name)
    assert is_text(name)
    assert clean(name) == in_one_line(name) == name


def test_a_name_shows_something_and_covers_nothing():
    for empty in ("", " ", "\u200d", "\u00a0", "\u3000", "\u0335"):
        assert not is_name(empty)
    assert is_name("Z" + "\u0335" * 4)
    assert not is_name("Z" + "\u0335" * 5)
    assert not is_line("two\nlines")
    assert not is_line("A" * 81)
    assert is_text("two\nlines\tand a tab")
    assert not is_text("x" * 2001)


def test_words_of_a_command_are_found_wherever_they_stand():
    assert odd_words({"unit": {"name": "Ghoul", "abilities": {"sword": {"traits": ["bla\u202ede"]}}}}) == (
        "unit.abilities.sword.traits",
        "\u202e",
    )
    assert odd_words({"unit": {"extras": {"\x1b[2J": 3}}}) == ("unit.extras", "\x1b")
    assert odd_words({"text": "two\nlines", "kind": "say", "n": 3, "to": None}) is None
    assert odd_words({"path": "two\nlines"}) == ("path", "\n")


def test_all_directions_and_control_signs_of_unicode_are_known():
    """What Unicode itself counts as such."""
    turns = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    for number in range(0x110000):
        letter = chr(number)
        steers = unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(letter) in turns
        if steers:
            assert STEERING.match(letter), hex(number)
