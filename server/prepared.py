"""Units that are written down, read for a client: a text that was pasted, or a file of the library on this server.

The readers are those of the terminal client (server/cli/terminal/units_file.py). A text from the wire is bounded before it
is read, and names no file: only the library's own list says which files there are.
"""

from collections.abc import Mapping
from typing import Any

import yaml

from protocol.version import DEPTH
from server.cli.terminal import library, units_file
from server.cli.terminal.seen import Seen
from server.cli.terminal.unclear import TABLES, Unclear
from server.cli.terminal.units_file import Units

View = Mapping[str, Any]

TABLE_ENDINGS = (".csv", ".tsv")


def from_text(view: View, seat: str, text: str, file: str) -> dict[str, Any]:
    """The answer to READ_UNITS. `view`: what the ST sees, for the names in it."""
    seen = Seen(view, "st", seat)
    try:
        if not file.casefold().endswith(TABLE_ENDINGS):
            refuse_tangles(text, file)
        found = units_file.read(text, file, seen)
        if found.more and not found.units:
            raise Unclear("no_units", file=file, found="map")
    except Unclear as problem:
        return {"problem": _said(problem)}
    return _told(found)


def library_files(view: View, seat: str) -> dict[str, Any]:
    """The answer to LIBRARY: every file with what is in it; of one that is wrong, why."""
    seen = Seen(view, "st", seat)
    return {"files": [{"name": path.stem, **_contents(path, seen)} for path in library.files()]}


def from_library(view: View, seat: str, name: str) -> dict[str, Any]:
    """The answer to LIBRARY with a name."""
    seen = Seen(view, "st", seat)
    known = library.files()
    try:
        for path in known:
            if path.stem.casefold() == name.casefold():
                return _told(library.read(path, seen))
        raise Unclear("not_in_library", said=name, all=[path.stem for path in known])
    except Unclear as problem:
        return {"problem": _said(problem)}


def refuse_tangles(text: str, file: str) -> None:
    """A text of a few lines that stands for millions of values, or is nested without end, is none of units."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > DEPTH or isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise Unclear("tangled", file=file, line=line, most=DEPTH)
    except yaml.YAMLError:
        return  # the reader says where, and what of it


def _contents(path: Any, seen: Seen) -> dict[str, Any]:
    try:
        found = library.read(path, seen)
    except Unclear as problem:
        return {"units": [], "problem": _said(problem)}
    return {"units": [{"name": str(one["unit"]["name"]), "count": one.get("count", 1)} for one in found.units]}


def _told(found: Units) -> dict[str, Any]:
    return {
        "units": list(found.units),
        "kept": [[line, unit, field] for _, line, unit, field in found.kept],
        "elsewhere": [[line, unit, ability] for _, line, unit, ability in found.elsewhere],
        "aside": list(found.aside),
    }


def _said(problem: Unclear) -> dict[str, str]:
    return {language: problem.said(language) for language in TABLES}
