"""The arrows of the architecture: who may import whom, read from the source and not from what happens to be loaded."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("core", "protocol", "server")

# What each package may import of ours. core may import nothing else at all but the standard library.
ARROWS = {"core": {"core"}, "protocol": {"protocol"}, "server": {"core", "protocol", "server"}}

# Written in two parts so that this file does not name it.
OUTSIDE = (".." + "/shared", "/work" + "/")


def imported(source: str, package: str) -> Iterator[str]:
    """The top-level name of everything that a module of `package` imports, at any depth, for types only included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0] if node.module and not node.level else package
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "__import__",
            "import_module",
            "importlib.import_module",
        ):
            yield ast.unparse(node.args[0]).strip("'\"").partition(".")[0] if node.args else "?"


def forbidden(source: str, package: str) -> set[str]:
    """What a module of `package` imports against the arrows."""
    names = set(imported(source, package))
    ours = {name for name in names if name in (*PACKAGES, "tests")} - ARROWS[package]
    others = names - {*PACKAGES, "tests"} - sys.stdlib_module_names if package == "core" else set()
    return ours | others


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_follow_the_arrows(package: str):
    modules = sorted((ROOT / package).rglob("*.py"))
    assert modules
    wrong = {str(path.relative_to(ROOT)): found for path in modules if (found := forbidden(path.read_text(), package))}
    assert not wrong


@pytest.mark.parametrize(
    ("package", "source", "found"),
    [
        ("core", "import json, msgpack", {"msgpack"}),
        ("core", "def late():\n    from server.store import values", {"server"}),
        ("core", "if TYPE_CHECKING:\n    import protocol.codec", {"protocol"}),
        ("core", "import importlib\nimportlib.import_module('redis.asyncio')", {"redis"}),
        ("core", "from . import state\nfrom .dice import pool\nimport core.order", set()),
        ("protocol", "import msgpack\nfrom core.state import Table", {"core"}),
        ("protocol", "from server import config", {"server"}),
        ("server", "import core.decide, protocol.codec, redis", set()),
        ("server", "from tests.helpers import play", {"tests"}),
    ],
)
def test_a_wrong_arrow_is_seen(package: str, source: str, found: set[str]):
    assert forbidden(source, package) == found


ASKS_WHICH_GAME = re.compile(r"\.ruleset\b|[\"\'](?:infinite_horror|storyteller)[\"\']")


def test_nothing_asks_which_game_it_is():
    """What differs between games is a hook of its ruleset; only the look-up names one (core/rulesets/README.md)."""
    asking = {
        (str(path.relative_to(ROOT)), line.strip())
        for path in sorted((ROOT / "core").rglob("*.py"))
        for line in path.read_text().splitlines()
        if ASKS_WHICH_GAME.search(line) and "import" not in line
    }
    assert asking == {
        ("core/state.py", 'ruleset: Literal["infinite_horror", "storyteller"] = "infinite_horror"'),
        ("core/rules.py", "return RULESETS[house.ruleset]"),
        (
            "core/rulesets/__init__.py",
            'RULESETS: dict[str, Ruleset] = {"infinite_horror": InfiniteHorror(), "storyteller": Storyteller()}',
        ),
    }


def test_core_is_loaded_with_the_standard_library_alone():
    """What the source says, tried: every module of core in a Python that has no other packages."""
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted((ROOT / "core").rglob("*.py"))
    ]
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport {', '.join(modules)}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_names_what_lies_outside_the_project():
    """A clone must work anywhere; the notes it was planned with do not come along."""
    # Files of the project as git sees them, those not yet committed included.
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("not a git checkout: no list of the project's files")
    naming = [
        name
        for name in listed.stdout.split("\0")
        if name and (ROOT / name).is_file()
        if any(word in (ROOT / name).read_bytes().decode(errors="replace") for word in OUTSIDE)
    ]
    assert not naming
