"""A line into words, and words into the parts of a phrase. Knows quotes and known names; knows no verb and no table."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from server.cli.terminal.unclear import Unclear

QUOTES = {'"': '"', "“": "”", "「": "」", "„": "“", "«": "»"}
COMMAS = re.compile(r"\s*[,，、;]\s*|\s+and\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Word:
    """One word. `fixed`: it was quoted, or is a whole known name; never a keyword."""

    text: str
    fixed: bool = False
    quoted: bool = False

    def __str__(self) -> str:
        return self.text


def words(line: str, names: Iterable[str] = ()) -> list[Word]:
    """The words of a line. Text in quotes is one word; so is a known name of several ("Zombie 2", "Man at Arms")."""
    long_names = sorted((name for name in names if re.search(r"\s", name)), key=len, reverse=True)
    found: list[Word] = []
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        closing = QUOTES.get(line[at])
        if closing is not None:
            end = line.find(closing, at + 1)
            if end < 0:
                raise Unclear("not_closed", sign=line[at])
            found.append(Word(line[at + 1 : end], fixed=True, quoted=True))
            at = end + 1
            continue
        name = next((one for one in long_names if _stands_at(line, at, one)), None)
        if name is not None:
            found.append(Word(line[at : at + len(name)], fixed=True))
            at += len(name)
            continue
        end = at
        while end < len(line) and not line[end].isspace() and not (line[end] in QUOTES and line[end - 1] in "=:,，"):
            if line[end] in ",，、":  # a comma ends a word: a known name may follow it
                end += 1
                break
            end += 1
        found.append(Word(line[at:end]))
        at = end
    return found


def _stands_at(line: str, at: int, name: str) -> bool:
    end = at + len(name)
    whole = end >= len(line) or not (line[end].isalnum() or line[end] in "_'’")
    return whole and line[at:end].casefold() == name.casefold()


def joined(some: Sequence[Word]) -> str:
    return " ".join(word.text for word in some).strip()


def options(some: Sequence[Word], known: Iterable[str]) -> tuple[list[Word], dict[str, str]]:
    """Takes `key=value` out, for these keys. A value in quotes may follow the sign."""
    keys = set(known)
    rest: list[Word] = []
    found: dict[str, str] = {}
    waiting = list(some)
    while waiting:
        word = waiting.pop(0)
        key, sign, value = word.text.partition("=")
        if word.fixed or not sign or key.casefold() not in keys:
            rest.append(word)
        else:
            found[key.casefold()] = value or (waiting.pop(0).text if waiting and waiting[0].fixed else "")
    return rest, found


def parts(some: Sequence[Word], keywords: Iterable[str]) -> dict[str, list[Word]]:
    """The words by the keyword they follow; those before any under "". A keyword that is not there has no entry."""
    keys = {key.casefold() for key in keywords}
    found: dict[str, list[Word]] = {"": []}
    now = ""
    for word in some:
        if not word.fixed and word.text.casefold() in keys:
            now = word.text.casefold()
            found.setdefault(now, [])
        else:
            found[now].append(word)
    return found


def listed(some: Sequence[Word]) -> list[str]:
    """The entries of a list: between commas and "and". A fixed word is never cut."""
    entries: list[str] = []
    now: list[str] = []

    def close() -> None:
        if now:
            entries.append(" ".join(now))
            now.clear()

    for word in some:
        if word.fixed:
            now.append(word.text)
            continue
        if word.text.casefold() == "and":
            close()
            continue
        pieces = COMMAS.split(word.text)
        for k, piece in enumerate(pieces):
            if k:
                close()
            if piece:
                now.append(piece)
    close()
    return entries


def whole_number(text: str, what: str) -> int:
    """A number, with its sign or a unit of measure behind it ("8 m"). Raises Unclear."""
    match = re.fullmatch(r"([+−-]?)\s*(\d{1,9})\s*(m|米|s|秒|ms)?", text.strip())
    if match is None:
        raise Unclear("whole_number", what=what, found_text=text.strip())
    return -int(match[2]) if match[1] in ("-", "−") else int(match[2])
