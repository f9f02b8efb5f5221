"""How a sentence is made from its template: a small language that a translator can read.

{name}          the field as it is
{name:group}    looked up among the words of that group ("acts", "slots", ...)
{name:#one}     a number with its noun ("1 success", "3 successes")
{name:lasts}    how long: [number, unit of time] ("for 3 hours", "until the next sunrise")
{name:nth}      which action from now ("next action", "2nd action from now")
{name:seat}     the name of a seat
{name:few}      a list, cut after its first thirty
{name:path}     a value of a unit by its path ("hp", "tracks.hp.max", "attributes.DEX")
{name:time}     seconds in the largest unit that says them whole ("2 days", "90 minutes")
{unit}          a unit's name; "somebody" where the reader may not know who
[ ... ]         left out if any field in it is empty
{name?} {name!} nothing, but an empty field where `name` is false (!: true), so that [ ] can choose
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from protocol.lines import Named

_SEGMENT = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
FEW = 30
FIELD = re.compile(r"\{(\w+)(?::(#?\w+)|([?!]))?\}")


@dataclass(frozen=True, slots=True)
class Language:
    """All tables of one language. `words` has the groups named in `word(group, key)`."""

    name: str
    refusals: Mapping[str, str]
    closes: Mapping[int, str]
    lines: Mapping[str, str]
    explanations: Mapping[str, str]
    """Of when an effect ends, by the kinds of core/explain.py."""
    words: Mapping[str, Mapping[str, str]]
    nouns: Mapping[str, tuple[str, str]]
    """Singular and plural, with {n} for the number."""
    between: str
    """Between the entries of a list."""
    yes: str
    no: str
    nothing: str
    maximum: str
    """The upper end of a value: {of}."""
    somebody: str
    storyteller: str
    for_seat: str
    """An ST who acts for a seat: {st}, {seat}."""
    unknown_refusal: str
    unknown_close: str
    unknown_line: str
    unknown_explanation: str
    unnamed_seat: str
    operator: str
    """Whoever runs the server, at its command line."""
    and_more: str
    """The beginning of a long list, and how many more there are: {some}, {n}."""
    always_named: frozenset[str] = field(default=frozenset({"unit"}))
    """Fields that are "somebody" when they are nil, not left out."""

    def word(self, group: str, key: str) -> str:
        known = self.words.get(group, {}).get(key)
        if known is None and ":" in key:  # a debt such as "free:attack", a reason such as "cannot_act:stunned"
            what, _, of = key.partition(":")
            return f"{self.word(group, what)} ({self.word('conditions' if group == 'refusals' else 'acts', of)})"
        return known or key.replace("_", " ")


def fill(template: str, fields: Mapping[str, Any], tables: Language, seats: Callable[[str], str] = lambda _: "") -> str:
    """A template with its fields, the first letter a capital."""
    said = ""
    for optional, fixed in _SEGMENT.findall(template):
        gaps: list[str] = []

        def one(match: re.Match[str], gaps: list[str] = gaps) -> str:
            name, how, asks = match.groups()
            if asks:
                if bool(fields.get(name)) != (asks == "?"):
                    gaps.append(name)
                return ""
            shown = _show(name, fields.get(name), how or "", tables, seats)
            if not shown:
                gaps.append(name)
            return shown

        text = FIELD.sub(one, optional or fixed)
        if not (optional and gaps):
            said += text
    said = " ".join(said.split())
    return said[:1].upper() + said[1:]


def _show(name: str, value: Any, how: str, tables: Language, seats: Callable[[str], str]) -> str:
    if name == "by" and not how:
        how = "seat"
    if value is None or value == "" or value == () or value == []:
        return tables.somebody if value is None and name in tables.always_named else ""
    if how == "path":
        return _path(str(value), tables)
    if how == "seat":
        return seat_in(value, tables, seats)
    if how == "nth":
        return tables.words["nth"].get(str(value)) or _counted(value, "nth", tables)
    if how == "lasts" and isinstance(value, (list, tuple)):
        return _counted(value[0], f"for_{value[1]}", tables)
    if how.startswith("#"):
        return _counted(value, how[1:], tables)
    if how == "time":
        return _time(value, tables)
    if how == "few" and isinstance(value, (list, tuple)):
        some = tables.between.join(map(str, value[:FEW]))
        return some if len(value) <= FEW else tables.and_more.format(some=some, n=len(value) - FEW)
    if isinstance(value, Named):
        return value.name
    if isinstance(value, bool):
        return tables.yes if value else tables.no
    if isinstance(value, str):
        return tables.word(how, value) if how else value
    if isinstance(value, (list, tuple)):
        return tables.between.join(_show("", one, how, tables, seats) for one in value)
    if isinstance(value, Mapping):
        return tables.between.join(f"{tables.word(how, str(key))} {one}" for key, one in value.items())
    return str(value)


def seat_in(value: Any, tables: Language, seats: Callable[[str], str]) -> str:
    if isinstance(value, (list, tuple)) and len(value) == 2:
        return tables.for_seat.format(st=seats(value[0]) or tables.storyteller, seat=seat_in(value[1], tables, seats))
    if value == "st":
        return tables.storyteller
    if value == "operator":
        return tables.operator
    return seats(str(value)) or tables.unnamed_seat


def _path(path: str, tables: Language) -> str:
    first, *rest = path.split(".")
    if first == "tracks" and rest:
        first = f"{rest[0]}_max" if rest[1:] == ["max"] else rest[0]
        rest = []
    if rest:  # an Attribute, a Skill: as it is written on the sheet
        return rest[0]
    if first.endswith("_max"):
        return tables.maximum.format(of=tables.word("values", first.removesuffix("_max")))
    return tables.word("values", first)


_UNITS_OF_TIME = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def _time(seconds: Any, tables: Language) -> str:
    for noun, length in _UNITS_OF_TIME:
        if isinstance(seconds, int) and seconds and seconds % length == 0:
            return _counted(seconds // length, noun, tables)
    return _counted(seconds, "second", tables)


def _counted(value: Any, noun: str, tables: Language) -> str:
    one, many = tables.nouns.get(noun, ("{n}", "{n}"))
    return (one if value == 1 else many).format(n=value)
