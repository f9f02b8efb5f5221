"""Which letters may stand in names and texts: what people see is what is there, and nothing that they read steers a screen.

Names are one line of letters that can be seen. Texts may have several lines; what is only invisible in them does no harm.
Two letters that look alike are still two letters: nobody can forbid that without forbidding a script.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control signs: colours and cursors of terminals, bells, line ends
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # changes of direction, which let a text look like another
    "\u2028\u2029\ud800-\udfff]"  # line ends of another kind; half a character
)
JOINERS = "\u200c\u200d"
"""Invisible, and part of how some scripts and signs are written."""
MARKS = 4
"""Marks on one letter; more would cover the lines above and below it. Thai and Hebrew need three."""
TEXTS = frozenset({"text", "reason", "notes", "words", "value", "was"})
"""Fields of commands that may have several lines. A unit's values are looked at again by what they are (override.py)."""


def odd_letter(text: str, *, lines: bool = False) -> str:
    """The first that may not stand in a name, or with `lines` in a text; "" if there is none."""
    if text.isascii() and text.isprintable():
        return ""
    if lines:
        found = next((one for one in STEERING.finditer(text) if one[0] not in "\n\t"), None)
        return found[0] if found else ""
    marks = 0
    for letter in text:
        kind = unicodedata.category(letter)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if marks > MARKS or STEERING.match(letter) or (kind == "Cf" and letter not in JOINERS):
            return letter
    return ""


def can_be_seen(name: str) -> bool:
    """Whether anything in it is more than empty space or a mark on nothing."""
    kinds = {unicodedata.category(letter) for letter in name}
    return any(kind[0] not in "ZM" and kind not in ("Cc", "Cf", "Cs") for kind in kinds)


def odd_words(fields: Mapping[str, Any], where: str = "") -> tuple[str, str] | None:
    """(the path, the letter) of the first word of a command that cannot stand there. Plain values, names of fields too."""
    for name, value in fields.items():
        path = f"{where}{name}"
        if letter := odd_letter(name):
            return where.rstrip("."), letter
        if found := _odd(value, path, lines=name in TEXTS):
            return found
    return None


def _odd(value: Any, path: str, *, lines: bool) -> tuple[str, str] | None:
    if isinstance(value, str):
        letter = odd_letter(value, lines=lines)
        return (path, letter) if letter else None
    if isinstance(value, Mapping):
        return odd_words(value, f"{path}.")
    if isinstance(value, (list, tuple)):
        return next(filter(None, (_odd(one, path, lines=lines) for one in value)), None)
    return None


def clean(text: str) -> str:
    """What somebody else wrote, without anything that would steer a screen; its lines and tabs stay."""
    return _STEERS.sub("", text)


def in_one_line(text: str) -> str:
    """The same in one line, for lists and logs."""
    return clean(" ".join(text.split("\n")).replace("\t", " ")) if not text.isprintable() else text


def in_json(text: str) -> str:
    """JSON that shows what would steer a screen by its number. It stands only within words there."""
    return STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_STEERS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|(?![\n\t])" + STEERING.pattern)
