"""Units from a file: YAML, JSON or a table (CSV), in the wire's form. Text in, the units of a `set_up` out.

Besides the fields of a unit an entry may have `count` (that many, numbered), `owner` (a seat's name) and
`one_initiative`. What is wrong is told with file, line, entry and field, what was found and what is accepted: every bad
entry at once, and nothing is half read. A field nobody knows is kept in the unit's notes, and reported. Samples:
server/samples/units.yaml and units.csv.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from protocol import forms
from protocol.codec import BadMessage, command_body
from protocol.from_client import Ability, Applied, Pool, Unit
from server.cli.terminal import units_table
from server.cli.terminal.seen import Seen
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.units_table import OURS

MOST = 100
"""As many as can be brought on at once."""
BESIDE_UNITS = frozenset({"units", "units_from", "table", "about"})
"""What a file may say beside its units without a word about it. The rest of a scenario is left aside, and that is told."""
Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One unit as it was written, and at which line each field of it stands."""

    given: Any
    line: Callable[..., int]


@dataclass(frozen=True, slots=True)
class Units:
    """What a file holds: units as `set_up` takes them, fields kept as notes [file, line, unit, field], abilities of
    another game [file, line, unit, ability], and what was left aside.

    `more`: the file beside it whose units come first, as a scenario may say.
    """

    units: tuple[Fields, ...]
    kept: tuple[tuple[str, int, str, str], ...] = ()
    aside: tuple[str, ...] = ()
    more: str = ""
    elsewhere: tuple[tuple[str, int, str, str], ...] = ()


class _Wrong(Exception):
    """One entry is wrong, at a line."""

    def __init__(self, line: int, problem: Unclear, path: tuple[str, ...] = ()) -> None:
        super().__init__(line, problem)
        self.line, self.problem, self.path = line, problem, path


def read(text: str, file: str, seen: Seen) -> Units:
    """What the file holds. Raises Unclear, with one line for each entry that is wrong."""
    table = file.casefold().endswith((".csv", ".tsv"))
    entries, aside, more = (units_table.entries(text, file), (), "") if table else _written(text, file)
    units: list[Fields] = []
    kept: list[tuple[str, int, str, str]] = []
    elsewhere: list[tuple[str, int, str, str]] = []
    wrong: list[Unclear] = []
    for k, (given, line) in enumerate(entries, 1):
        entry = Entry(given, line)
        try:
            units.append(_prepared(entry, seen))
            name = str(units[-1]["unit"]["name"])
            kept += [(file, line(*path), name, ".".join(map(str, path))) for path, _ in _strangers(given)]
            elsewhere += [(file, line(*path), name, ability) for path, ability in _of_another_game(given, seen)]
        except _Wrong as problem:
            column = units_table.column(text, problem.path) if table else ""
            at, why = problem.line, problem.problem
            wrong.append(
                Unclear("at_column" if column else "at_line", file=file, line=at, n=k, problem=why, column=column)
            )
    if wrong:
        raise Unclear("lines", all_lines=wrong)
    return Units(tuple(units), tuple(kept), aside, more, tuple(elsewhere))


def _written(text: str, file: str) -> tuple[list[tuple[Any, Callable[..., int]]], tuple[str, ...], str]:
    """The entries of YAML or JSON, which is YAML: one, a list, or a map with `units`, such as a scenario."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        given = yaml.load(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        why = getattr(problem, "problem", problem)
        if mark is None:
            raise Unclear("not_yaml", file=file, why=why) from None
        raise Unclear("not_yaml_at", file=file, line=mark.line + 1, column=mark.column + 1, why=why) from None
    aside: tuple[str, ...] = ()
    more = given.get("units_from") if isinstance(given, dict) else None
    if isinstance(more, str) and "units" not in given:
        return [], tuple(str(key) for key in given if key not in BESIDE_UNITS), more
    if isinstance(given, dict) and isinstance(given.get("units"), list):
        aside = tuple(str(key) for key in given if key not in BESIDE_UNITS)
        given, node = given["units"], next(v for k, v in getattr(node, "value", ()) if k.value == "units")
    entries, nodes = ([given], [node]) if isinstance(given, dict) else (given, getattr(node, "value", []))
    if not isinstance(entries, list) or not entries:
        raise Unclear("no_units", file=file, found=_kind(given))
    return [(entry, _lines_of(nodes[k])) for k, entry in enumerate(entries)], aside, str(more or "")


def _prepared(entry: Entry, seen: Seen) -> Fields:
    given, line = entry.given, entry.line
    if isinstance(given, units_table.BadRow):
        raise _Wrong(line(), given.problem)
    if not isinstance(given, dict):
        raise _Wrong(line(), Unclear("no_map", found=_kind(given)))
    given = counted(given)
    prepared: Fields = {}
    count = given.get("count")
    if count is not None and (type(count) is not int or not 1 <= count <= MOST):
        raise _Wrong(line("count"), Unclear("bad_count", said=repr(count), most=MOST))
    together = given.get("one_initiative")
    if together is not None and type(together) is not bool:
        raise _Wrong(line("one_initiative"), Unclear("bad_together", said=repr(together)))
    prepared |= {"count": count} if count not in (None, 1) else {}
    prepared |= {"one_initiative": True} if together else {}
    if given.get("owner") is not None:
        try:
            prepared["owner"] = seen.the_seat(str(given["owner"]))
        except Unclear as problem:
            raise _Wrong(line("owner"), Unclear("bad_owner", problem=problem)) from None
    unit = {key: value for key, value in given.items() if key in Unit.model_fields and value is not None}
    unit |= {"abilities": usable(unit["abilities"], seen.slots[0])} if "abilities" in unit else {}
    if strange := [f"{'.'.join(map(str, path))}: {value}" for path, value in _strangers(given)]:
        unit["notes"] = "\n".join([*([str(unit["notes"])] if unit.get("notes") else []), *strange])
    try:
        command_body("add_unit", {"unit": unit})
    except BadMessage as problem:
        raise _Wrong(*_finding(problem, line)) from None
    return {"unit": unit, **prepared}


def usable(abilities: Any, usual: str) -> Any:
    """An ability that does not say with which action it is used: with the usual one of the game that is played."""
    if isinstance(abilities, dict):
        return {name: with_slot(ability, usual) for name, ability in abilities.items()}
    return [with_slot(ability, usual) for ability in abilities] if isinstance(abilities, list) else abilities


def with_slot(ability: Any, usual: str) -> Any:
    return {**ability, "slots": [usual]} if isinstance(ability, dict) and "slots" not in ability else ability


def counted(given: Fields) -> Fields:
    """ "Zombie x 6" as a name is six of them, unless it says how many itself."""
    several = re.fullmatch(r"(.*\S)\s+[x×]\s?(\d{1,3})", str(given.get("name", "")))
    if several is None or given.get("count") is not None:
        return given
    return {**given, "name": several[1], "count": int(several[2])}


def _finding(problem: BadMessage, line: Callable[..., int]) -> tuple[int, Unclear, tuple[str, ...]]:
    """The line of the field that is wrong, what is wrong with it, and its path."""
    if problem.finding is None:
        return line(), Unclear("form", problem=problem), ()
    wrong = problem.finding
    path = wrong["loc"][1:]  # without "unit"
    if path[:1] == ("tracks",) and len(path) > 1 and wrong["type"].startswith("model_"):
        found = Unclear("bad_track", place=".".join(map(str, path)), said=forms.named(wrong["input"]))
    else:
        found = Unclear("form", problem=BadMessage(problem.code, problem.text, finding={**wrong, "loc": path}))
    return line(*path), found, tuple(map(str, path))


def _strangers(given: Fields) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The fields nobody knows, by their path: on the wire they would be passed over in silence."""
    yield from (((key,), value) for key, value in given.items() if key not in Unit.model_fields and key not in OURS)
    abilities = given.get("abilities")
    some = abilities.items() if isinstance(abilities, dict) else enumerate(abilities or ())
    for key, ability in some:
        yield from _unknown(ability, Ability.model_fields, ("abilities", key))
        if not isinstance(ability, dict):
            continue
        for name in ("pool", "negate"):
            yield from _unknown(ability.get(name), Pool.model_fields, ("abilities", key, name))
        applies = ability.get("applies")
        for k, one in enumerate(applies if isinstance(applies, list) else ()):
            yield from _unknown(one, Applied.model_fields, ("abilities", key, "applies", k))


def _of_another_game(given: Fields, seen: Seen) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The abilities that can be used with none of the actions of the game that is played, by path and name."""
    abilities = given.get("abilities")
    some = abilities.items() if isinstance(abilities, dict) else enumerate(abilities or ())
    for key, ability in some:
        slots = ability.get("slots")
        if slots and not set(slots) & set(seen.slots):
            yield ("abilities", key), str(key if isinstance(abilities, dict) else ability.get("name", ""))


def _unknown(
    given: Any, known: Mapping[str, Any], path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(given, dict):
        yield from (((*path, key), value) for key, value in given.items() if key not in known)


def _lines_of(node: Any) -> Callable[..., int]:
    """The line at which a field stands; where what holds it stands, if it is missing."""

    def line(*path: str | int) -> int:
        at, inside = node, node
        for step in path:
            children = getattr(inside, "value", None)
            if isinstance(inside, yaml.MappingNode):
                found = next(((k, v) for k, v in inside.value if k.value == str(step)), None)
            elif isinstance(inside, yaml.SequenceNode) and str(step).isdigit() and int(step) < len(children or ()):
                found = (inside.value[int(step)],) * 2
            else:
                found = None
            if found is None:
                break
            at, inside = found
        return int(at.start_mark.line) + 1

    return line


def _kind(value: Any) -> str:
    return {dict: "map", list: "list", str: "text", type(None): "nothing"}.get(type(value), f"{value!r}")
