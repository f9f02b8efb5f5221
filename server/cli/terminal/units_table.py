"""Units from a table of values: one row a unit, the first row names the fields. Text in, entries as in YAML out.

Columns are the fields of a unit. What lies deeper is named by its path (`tracks.rage`, `skills.Blade`,
`abilities.claw.pool.fixed`); for the commonest there are short names: `hp` (9, or 7/9), an attribute in capitals
(`DEX`), and `attacks` ("claw 6; bow 4 ranged": its name, its dice). Lists are cut at ";". An empty cell says nothing.
"""

import csv
import io
import re
from collections.abc import Callable
from typing import Any

from protocol.from_client import Unit
from server.cli.terminal.unclear import Unclear

SEPARATORS = ",;\t"
MAPS = frozenset({"tracks", "attributes", "skills", "extras", "bonus", "abilities"})
LISTS = frozenset({"conditions", "slots", "traits", "attaches", "steps", "answers", "attributes", "skills"})
TEXT = frozenset({"name", "side", "position", "notes", "owner"})
OURS = ("count", "owner", "one_initiative")
"""What an entry says besides the fields of its unit."""
FIELDS = frozenset({*Unit.model_fields, *OURS})
YES, NO = ("yes", "true", "x", "是"), ("no", "false", "否")
ATTACK = re.compile(r"(.+?)\s+(\d{1,4})(?:\s+(melee|ranged))?")


class BadRow(ValueError):
    """A row that cannot be a unit, and why. It stands in the place of the entry, so that the others are read."""

    def __init__(self, problem: Unclear) -> None:
        super().__init__(problem)
        self.problem = problem


Row = tuple[dict[str, Any] | BadRow, Callable[..., int]]


def entries(text: str, file: str) -> list[Row]:
    """Each row as an entry, and the line it stands at. Raises Unclear where there is no table."""
    text = text.removeprefix("\ufeff")  # as spreadsheets write it
    told = re.match(r"sep=(.)\r?\n", text)  # the first line of some: which separator
    lines = io.StringIO(text[told.end() :] if told else text)
    before = 1 if told else 0
    first = text.split("\n", before + 1)[before]
    separator = told[1] if told else max(SEPARATORS, key=first.count)
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    found: list[Row] = []
    try:
        names = [_field(name.strip()) for name in next(rows, [])]
        if "name" not in names:
            raise Unclear("no_names", file=file, line=before + 1, said=repr(first.strip()))
        at = rows.line_num + 1
        for row in rows:
            if any(cell.strip() for cell in row):
                found.append((_row(names, row), _always(at + before)))
            at = rows.line_num + 1
    except csv.Error as problem:
        raise Unclear("no_row", file=file, line=rows.line_num + before, why=problem) from None
    if not found:
        raise Unclear("no_rows", file=file)
    return found


def column(text: str, path: tuple[str, ...]) -> str:
    """The column, as its head is written, whose cell stands at a unit's path; "" where there is none."""
    head = next((line for line in text.removeprefix("\ufeff").splitlines() if not line.startswith("sep=")), "")
    names = next(csv.reader([head], delimiter=max(SEPARATORS, key=head.count), skipinitialspace=True), [])
    for name in map(str.strip, names):
        stands_for = _path(_field(name))
        if path and path[: len(stands_for)] == stands_for:
            return name
    return ""


def _always(line: int) -> Callable[..., int]:
    return lambda *path: line


def _row(names: list[str], row: list[str]) -> dict[str, Any] | BadRow:
    try:
        return _entry(names, row)
    except BadRow as problem:
        return problem


def _entry(names: list[str], row: list[str]) -> dict[str, Any]:
    """Cells beyond the last name are fields nobody knows: they are named by their column's number."""
    names = names + [f"column {k + 1}" for k in range(len(names), len(row))]
    entry: dict[str, Any] = {}
    for name, cell in zip(names, row, strict=False):
        said = cell.strip()
        if said and name == "attacks":
            for ability, value in map(_attack, _parts(said)):
                _put(entry, ("abilities", ability), value)
        elif said:
            path = _path(name)
            _put(entry, path, _value(path, said))
    return entry


def _field(name: str) -> str:
    """A spreadsheet's "Name" and "HP" are the fields of those names."""
    folded = name.casefold()
    return folded if folded in FIELDS or folded in ("hp", "attacks") else name


def _path(name: str) -> tuple[str, ...]:
    if name == "hp":
        return ("tracks", "hp")
    if name.isupper() and name.isascii():
        return ("attributes", name)
    first, *rest = name.split(".")
    return (first, *rest) if first in MAPS else (name,)


def _put(entry: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    *outer, last = path
    for step in outer:
        inner = entry.setdefault(step, {})
        if not isinstance(inner, dict):
            raise BadRow(Unclear("value_and_below", outer=step, inner=last))
        entry = inner
    if last in entry:
        raise BadRow(Unclear("two_values", inner=last))
    entry[last] = value


def _value(path: tuple[str, ...], said: str) -> Any:
    """A cell as a value: what it means goes by its field, so that a unit can be called “7” or “Yes”."""
    if path == ("name",) or path[0] in TEXT or (len(path) == 1 and path[0] not in FIELDS):
        return said
    if path[-1] in LISTS and (len(path) > 2 or path[0] == "conditions"):
        return _parts(said)
    if path[0] == "tracks" and (match := re.fullmatch(r"(\d{1,9})\s*/\s*(\d{1,9})", said)):
        return {"value": int(match[1]), "max": int(match[2])}
    if re.fullmatch(r"[+-]?\d{1,9}", said):
        return int(said)
    folded = said.casefold()
    return True if folded in YES else False if folded in NO else said


def _parts(said: str) -> list[str]:
    return [part.strip() for part in re.split(r"[;；、|]", said) if part.strip()]


def _attack(said: str) -> tuple[str, Any]:
    """ "claw 6": an ability with a pool of so many dice."""
    match = ATTACK.fullmatch(said)
    if match is None:
        raise BadRow(Unclear("bad_attack", said=repr(said)))
    return match[1], {"act": f"{match[3] or 'melee'}_attack", "pool": {"fixed": int(match[2])}}
