"""What the product says to people, in each language: refusals, log lines, and the game's own words.

A language is one module of tables (en.py, zh.py); template.py fills them in. What a table does not know is shown as it
came, with spaces for underscores: a newer server's word is better than none.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from protocol.lines import Line, Named
from protocol.texts import en, zh
from protocol.texts.template import Language, fill, seat_in

LANGUAGES: Mapping[str, Language] = {"en": en.LANGUAGE, "zh": zh.LANGUAGE}


def language(name: str) -> Language:
    """The tables of a language ("zh-CN" is "zh"); English where there is none."""
    return LANGUAGES.get(name.replace("_", "-").split("-")[0].lower(), LANGUAGES["en"])


def word(group: str, key: str, name: str = "en") -> str:
    """One of the game's words: `word("slots", "full_round", "zh")`. Groups: see `Language.words`."""
    return language(name).word(group, key)


def counted(noun: str, n: int, name: str = "en") -> str:
    """A number with its noun: `counted("mistake", 2)`."""
    return fill(f"{{n:#{noun}}}", {"n": n}, language(name))


def time(seconds: int, name: str = "en") -> str:
    """A length of time, in the largest unit that says it whole."""
    return fill("{n:time}", {"n": seconds}, language(name))


def refusal(code: str, params: Mapping[str, Any] | None = None, name: str = "en") -> str:
    """Why something was not done, as a sentence. What was wrong with a message's form is told in English."""
    tables = language(name)
    template = tables.refusals.get(code)
    if template is None:
        return fill(tables.unknown_refusal, {"code": code}, tables)
    return fill(template, params or {}, tables)


def lasts(value: Sequence[Any], name: str = "en") -> str:
    """How long something lasts, [number, unit of time]: "for 3 hours", "until the next sunrise"."""
    return fill("{lasts:lasts}", {"lasts": value}, language(name))


def explanation(why: str, facts: Mapping[str, Any], name: str = "en") -> str:
    """When an effect ends, and why then, as a sentence, from the ANSWER to the question `explain`."""
    tables = language(name)
    fields = {key: Named(*value) if key in ("on", "source") else value for key, value in facts.items()}
    return fill(tables.explanations.get(why, tables.unknown_explanation), fields, tables)


def closed(code: int | None, name: str = "en", said: str = "") -> str:
    """Why a connection ended, as a sentence; `said` are the server's own words, if it had some."""
    tables = language(name)
    template = tables.closes.get(code or 0, tables.unknown_close)
    return fill(template, {"code": code, "said": said}, tables)


def seat(by: Any, name: str = "en", seats: Mapping[str, str] | None = None) -> str:
    """Who is meant by a seat's id, "st", "operator", or [st seat, seat]."""
    return seat_in(by, language(name), lambda id: (seats or {}).get(id, ""))


def say(line: Line, name: str = "en", seats: Mapping[str, str] | Callable[[str], str] | None = None) -> str:
    """One line of the log as a sentence. `seats` gives names of seats by id."""
    tables = language(name)
    # A roll that counts no successes is told differently.
    template = tables.lines.get(f"{line.kind}:{line.get('why')}") or tables.lines.get(line.kind)
    if template is None:
        return fill(tables.unknown_line, {"kind": line.kind}, tables)
    called = seats if callable(seats) else (lambda seat: (seats or {}).get(seat, ""))
    return fill(template, {**line.fields, "by": line.by}, tables, called)
