"""Units from a file, YAML or JSON: one, or a list (or a map with `units`), in the wire's form. Text in, commands out.

Besides the fields of a unit an entry may have `count` (that many, numbered) and `owner` (a seat's name). What is wrong is
told with file, line, entry and field, what was found and what is accepted. A sample: server/samples/units.yaml.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from protocol.codec import BadMessage, command_body
from protocol.from_client import Ability, Unit
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import Unclear

MOST = 100
"""As many as can be brought on at once."""
OURS = ("count", "owner")
Fields = dict[str, Any]


def commands(text: str, file: str, seen: Seen) -> list[Fields]:
    """One `add_unit` for each unit. Raises Unclear with all that is wrong, a line each; nothing is half read."""
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
    made: list[Fields] = []
    problems: list[str] = []
    for k, entry in enumerate(entries):
        try:
            made += _entry(entry, nodes[k], k + 1, file, seen)
        except Unclear as problem:
            problems.append(str(problem))
    if problems:
        raise Unclear("\n".join(problems))
    return made


def _entry(entry: Any, node: Any, k: int, file: str, seen: Seen) -> Iterator[Fields]:
    def wrong(text: str, at: Any = node) -> Unclear:
        return Unclear(f"{file}, line {at.start_mark.line + 1}, unit {k}: {text}")

    if not isinstance(entry, dict):
        raise wrong(f"found {_kind(entry)}; accepted is a map with a name")
    slips = list(_unknown_fields(entry, node, (*Unit.model_fields, *OURS), "", wrong))
    for name, ability, at in _abilities(entry, node):
        known = tuple(f for f in Ability.model_fields if f != "name")
        slips += _unknown_fields(ability, at, known, f"abilities.{name}: ", wrong)
    if slips:
        raise Unclear("\n".join(map(str, slips)))
    count = entry.get("count", 1)
    if type(count) is not int or not 1 <= count <= MOST:
        raise wrong(f"count: found {count!r}; accepted is a whole number from 1 to {MOST}", _at(node, "count"))
    command: Fields = {"kind": "add_unit"}
    if entry.get("owner") is not None:
        try:
            command["owner"] = seen.the_seat(str(entry["owner"]))
        except Unclear as problem:
            raise wrong(f"owner: {problem}", _at(node, "owner")) from None
    unit = {key: value for key, value in entry.items() if key not in OURS and value is not None}
    try:
        command_body("add_unit", {"unit": unit})
    except BadMessage as problem:
        text = str(problem).removeprefix("add_unit: ").removeprefix("unit.")
        text = re.sub(r"^(tracks\.\S+ must be) a map", r"\1 a whole number, or a map with value and max", text)
        raise wrong(text, _at(node, text.split(".")[0].split(" ")[0])) from None
    for number in range(1, count + 1):
        yield {**command, "unit": {**unit, "name": f"{unit['name']} {number}" if count > 1 else unit["name"]}}


def _unknown_fields(
    given: Any, node: Any, accepted: tuple[str, ...], before: str, wrong: Callable[..., Unclear]
) -> Iterator[Unclear]:
    """A field nobody knows is a slip of the pen: on the wire it would be passed over in silence."""
    for key in given if isinstance(given, dict) else ():
        if key not in accepted and not (before and key == "name"):
            yield wrong(f"{before}there is no field {key}; accepted are {', '.join(accepted)}", _at(node, key))


def _abilities(entry: Fields, node: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each ability with its name and its place, whether they are written as a map or as a list."""
    given = entry.get("abilities")
    value = next((v for name, v in node.value if name.value == "abilities"), node)
    if isinstance(given, dict):
        yield from ((str(name), given[name], at) for name, (_, at) in zip(given, value.value, strict=False))
    elif isinstance(given, list):
        for one, at in zip(given, value.value, strict=False):
            yield str(one.get("name", "?") if isinstance(one, dict) else "?"), one, at


def _at(node: Any, key: str) -> Any:
    """Where a field stands; where the whole stands if it is missing."""
    return next((name for name, _ in node.value if getattr(name, "value", None) == key), node)


def _kind(value: Any) -> str:
    return {dict: "a map", list: "a list", str: "text", type(None): "nothing"}.get(type(value), f"{value!r}")
