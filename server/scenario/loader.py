"""Scenario files from disk: read, joined with their units file, checked; every mistake named by its step."""

from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from server.scenario.format import Scenario
from server.scenario.problems import ScenarioProblem

ACCEPTANCE = "acceptance"
MOST_BYTES = 1_000_000
PLAIN = {
    "extra_forbidden": "this word is not known here",
    "missing": "this is missing",
    "list_type": "a list is wanted here",
    "dict_type": "a map is wanted here",
    "model_type": "a map is wanted here",
    "string_type": "text is wanted here",
    "int_type": "a whole number is wanted here",
    "bool_type": "yes or no is wanted here",
}


def load(path: Path) -> Scenario:
    """The scenario of a file. Raises ScenarioProblem."""
    given = _mapping(path)
    if isinstance(where := given.get("units_from"), str):
        more = _mapping(path.parent / where).get("units")
        if not isinstance(more, list):
            raise ScenarioProblem(f"{path.parent / where}: a units file is a map with a list named units")
        given = {**given, "units": [*more, *(given.get("units") or [])]}
    try:
        return Scenario.model_validate(given)
    except ValidationError as problem:
        lines = [f"{path.name}: {_line(error, given)}" for error in problem.errors(include_url=False)]
        raise ScenarioProblem("\n".join(dict.fromkeys(lines))) from None


def bundled(name: str = ACCEPTANCE) -> Path:
    """A scenario that comes with Overseer, by its name."""
    return Path(str(files("server") / "scenarios" / f"{name}.yaml"))


def names() -> list[str]:
    """The scenarios that come with Overseer."""
    return sorted(path.stem for path in bundled().parent.glob("*.yaml"))


def find(wanted: str) -> Path:
    """A scenario by file or by the name of one that comes with Overseer. Raises ScenarioProblem."""
    if Path(wanted).is_file():
        return Path(wanted)
    if wanted in names():
        return bundled(wanted)
    what = f"{wanted} is a folder" if Path(wanted).is_dir() else f"there is no file {wanted}"
    raise ScenarioProblem(f"{what}; give a scenario file, or the name of one that comes along: {', '.join(names())}")


def _mapping(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ScenarioProblem(f"{path}: a scenario has at most {MOST_BYTES} bytes")
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise ScenarioProblem(f"cannot read {path}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise ScenarioProblem(f"{path} is not text in UTF-8") from None
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise ScenarioProblem(f"{path}{where}: this is not YAML: {getattr(problem, 'problem', problem)}") from None
    if not isinstance(found, dict):
        raise ScenarioProblem(f"{path}: a scenario is a map with table, seats, units and steps")
    return found


def _line(error: Any, given: dict[str, Any]) -> str:
    """`step 4 (The ghoul bites): expect.stack: ...`"""
    place = [str(part) for part in error["loc"]]
    said = PLAIN.get(error["type"], error["msg"].removeprefix("Value error, "))
    if place[:1] == ["steps"] and len(place) > 1:
        number = int(place[1])
        title = _title(given["steps"][number])
        place = [f"step {number + 1}{f' ({title})' if title else ''}", ".".join(place[2:])]
    else:
        place = [".".join(place)]
    return ": ".join(part for part in (*place, said) if part)


def _title(step: Any) -> str:
    title = step.get("step", "") if isinstance(step, dict) else ""
    return str(title.get("en", "") if isinstance(title, dict) else title)
