"""Many things said by this protocol's own code, as JSON: what any other client must say, sum up and read just the same.

`python -m tests.protocol.said` prints it; protocol/js/test/said.test.ts asks for it and compares.
"""

import contextlib
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from protocol import checks, codes, texts
from protocol.codes import comes_back
from protocol.invitation import BadInvitation, Invitation
from protocol.lines import KINDS, MARKED, pack, unpack

SEATS = {"p1": "Mia", "s1": "Ben"}
VALUES: list[Any] = [
    None, "", 0, 1, 2, 3, 21, -1, 60, 5400, 86_400, 90_061, True, False, [], {}, [1], [1, 2, 3], list(range(40)),
    "st", "p1", "p9", ["s1", "p1"], ["s9", "st"], "attack", "melee_attack", "full_round", "free:attack",
    "cannot_act:stunned",
    "tracks.hp.max", "tracks.hp", "hp_max", "hp", "attributes.DEX", "DEX.max", [3, "hour"], [1, "own_day"], [1, "scene"],
    {"spent": 2, "x_y": 3}, "constructor", "__proto__", "word_of_a_newer_server", "ß, then", "  two\u3000 spaces\n", "阿基",
    "😀 grins", ["attack", "move"], ["swift", ""],
]  # fmt: skip
GAPS = (
    "path value accepted wanted slot condition left_s least most st why said speed text left extra declared attacks dc again"
).split()
NUMBERS = [0, 1, 2, 21, 60, 7200, 86_400]
NAMES: list[Any] = [None, ["u1", "Aki"], ["u2", "食尸鬼"], ["u3", "istvàn"], "no name"]
TEXTS = [
    "http://host/#a.b.c",
    "https://host:81/#a.b.c",
    "wss://host/at/ws#a.b.c",
    "ws://[::1]:7/#a.b.c",
    "http://host/x/#a.b.c",
]
NO_TEXTS = ["", "host", "http://#a.b.c", "http://host/", "http://host/#a.b", "http://host/#a..c", "ftp://host/#a.b.c"]
VIEWS: list[dict[str, Any]] = [
    {},
    {"u/a/hp": 12, "t/name": "Zug “7”", "t/stack": [], "s/p": {"role": "player", "name": "Mia"}, "t/turn": None},
    {
        "e/10": {"10": 1, "9": 2, "a": True},
        "e/9": '\x00\x1f\x7f\u2028\\/"',
        "\ue000": 1,
        "😀": [[-5], {"b": {}, "B": 1}],
    },
]


def _values(mark: str, name: str, rng: random.Random) -> Any:
    if mark.endswith("!"):
        return rng.choice(NAMES)
    if mark.endswith("*"):
        return [one for one in rng.choices(NAMES, k=rng.randrange(4)) if isinstance(one, list)]
    counted = any(f"{{{name}:#" in template for template in texts.LANGUAGES["en"].lines.values())
    return rng.choice(NUMBERS) if counted else rng.choice(VALUES)


def _lines(rng: random.Random) -> Iterator[list[Any]]:
    for kind in KINDS:
        for _ in range(25):
            by: Any = rng.choice(["st", "p1", "p9", "", ("s1", "p1")])
            yield pack(kind, rng.randrange(9999), by, [_values(mark, mark.rstrip("!*"), rng) for mark in MARKED[kind]])
    yield [9999, 1, "st", "of a newer server"]


def _told(of: Callable[[str], str]) -> list[str] | None:
    """In both languages; nothing where a value makes no sense to its template: Python's own writing of it is no contract."""
    with contextlib.suppress(Exception):
        told = [of("en"), of("zh")]
        return None if re.search(r"[\[\]{}]|None|True|False", told[0]) else told
    return None


def everything() -> dict[str, Any]:
    rng = random.Random(7)
    lines = [(one, _told(lambda lang, one=one: texts.say(unpack(one), lang, SEATS))) for one in _lines(rng)]  # type: ignore[misc]
    refused = [
        (code, params)
        for code in (*texts.LANGUAGES["en"].refusals, "of_a_newer_server", "constructor")
        for params in ({}, *({gap: rng.choice(VALUES) for gap in GAPS} for _ in range(4)))
    ]
    facts = {"name": "Haste", "on": ["u1", "Aki"], "source": ["u2", "Ben"], "nth": 2, "lasts": [3, "round"], "in_s": 120,
             "ago_s": 6, "turn": 4, "scene": 2}  # fmt: skip
    return {
        "seats": SEATS,
        "lines": [[one, *told] for one, told in lines if told],
        "refusals": [
            [code, params, *told]
            for code, params in refused
            if (told := _told(lambda lang, code=code, params=params: texts.refusal(code, params, lang)))  # type: ignore[misc]
        ],
        "closes": [
            [code, said, texts.closed(code, "en", said), texts.closed(code, "zh", said), comes_back(code)]
            for code in (*map(int, codes.Close), 1006, 4042, 4242)
            for said in ("", "words of the server")
        ],
        "explanations": [
            [why, some, texts.explanation(why, some, "en"), texts.explanation(why, some, "zh")]
            for why in (*texts.LANGUAGES["en"].explanations, "newer")
            for some in (facts, {"name": "Haste", "on": ["u1", "Aki"]})
        ],
        "times": [[n, texts.time(n, "en"), texts.time(n, "zh")] for n in (0, 1, 59, 60, 61, 3600, 86_400, 90_000)],
        "crcs": [[view, checks.crc(view)] for view in VIEWS],
        "invitations": [[text, Invitation.read(text).url] for text in TEXTS],
        "no_invitations": [[text, _why(text)] for text in NO_TEXTS],
    }


def _why(text: str) -> str:
    try:
        Invitation.read(text)
    except BadInvitation as problem:
        return problem.why
    raise AssertionError(text)


if __name__ == "__main__":
    print(json.dumps(everything(), ensure_ascii=False))
