"""Units from a file, YAML or JSON: one, or a list (or a map with `units`), in the wire's form. Text in, commands out.

Besides the fields of a unit an entry may have `count` (that many, numbered) and `owner` (a seat's name). What is wrong is
told with file, line, entry and field, what was found and what is accepted. A sample: server/samples/units.yaml.
"""

from collections.abc import Iterator
from typing import Any

import yaml

from protocol.codec import BadMessage, command_body
from protocol.from_client import Unit
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import Unclear

MOST = 50
OURS = ("count", "owner")
Fields = dict[str, Any]


def commands(text: str, file: str, seen: Seen) -> list[Fields]:
    """One `add_unit` for each unit. Raises Unclear for the first thing that is wrong; nothing is half read."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)  # JSON is YAML
        given = yaml.load(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise Unclear(f"{file}{line}: this is neither YAML nor JSON: {getattr(problem, 'problem', problem)}") from None
    if isinstance(given, dict) and isinstance(given.get("units"), list):
        given, node = given["units"], next(v for k, v in getattr(node, "value", ()) if k.value == "units")
    entries, nodes = ([given], [node]) if isinstance(given, dict) else (given, getattr(node, "value", []))
    if not isinstance(entries, list) or not entries:
        raise Unclear(f"{file}: found {_kind(given)}; accepted is one unit (a map with a name), or a list of units")
    return [one for k, entry in enumerate(entries) for one in _entry(entry, nodes[k], k + 1, file, seen)]


def _entry(entry: Any, node: Any, k: int, file: str, seen: Seen) -> Iterator[Fields]:
    where = f"{file}, line {node.start_mark.line + 1}, unit {k}"
    if not isinstance(entry, dict):
        raise Unclear(f"{where}: found {_kind(entry)}; accepted is a map with a name")
    if entry.get("name"):
        where += f" ({entry['name']})"
    for key in entry:
        if key not in Unit.model_fields and key not in OURS:
            line = f"{file}, line {_line(node, key)}, unit {k}"
            accepted = ", ".join([*Unit.model_fields, *OURS])
            raise Unclear(f"{line}: there is no field {key}; accepted are {accepted}")
    count = entry.get("count", 1)
    if type(count) is not int or not 1 <= count <= MOST:
        raise Unclear(f"{where}: count: found {count!r}; accepted is a whole number from 1 to {MOST}")
    command: Fields = {"kind": "add_unit"}
    if entry.get("owner") is not None:
        try:
            command["owner"] = seen.the_seat(str(entry["owner"]))
        except Unclear as problem:
            raise Unclear(f"{where}: owner: {problem}") from None
    unit = {key: value for key, value in entry.items() if key not in OURS and value is not None}
    try:
        command_body("add_unit", {"unit": unit})
    except BadMessage as problem:
        field = str(problem).removeprefix("add_unit: ").removeprefix("unit.")
        key = field.split(".")[0].split(" ")[0]
        raise Unclear(f"{file}, line {_line(node, key)}, unit {k}: {field}") from None
    for number in range(1, count + 1):
        name = f"{unit['name']} {number}" if count > 1 else unit["name"]
        yield {**command, "unit": {**unit, "name": name}}


def _line(node: Any, key: str) -> int:
    """The line a field of an entry stands on; the entry's own where it is missing."""
    found = next((name for name, _ in node.value if getattr(name, "value", None) == key), node)
    return int(found.start_mark.line) + 1


def _kind(value: Any) -> str:
    return {dict: "a map", list: "a list", str: "text", type(None): "nothing"}.get(type(value), f"{value!r}")
