"""What ships Overseer: the image and the compose file say what they must, and the wheel holds everything."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from redis.exceptions import ResponseError

from server import healthy
from server.config import Settings, load_settings, variable_of
from server.store.address import read
from server.store.demands import STRICT
from tests.helpers.pages import pages_can_be_built
from tests.helpers.replicated import Valkey, free_ports, until

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "deploy/Dockerfile"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def instructions(text: str) -> list[tuple[str, str]]:
    """A Dockerfile as (instruction, rest), comments dropped and continued lines joined."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = lines.replace("\\\n", " ").splitlines()
    return [(word.upper(), rest.strip()) for word, _, rest in (line.strip().partition(" ") for line in joined) if word]


def last(word: str) -> str:
    return [rest for name, rest in instructions(DOCKERFILE.read_text()) if name == word][-1]


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    composed: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())
    return composed["services"]


def variables() -> dict[str, str]:
    """The environment that the image sets."""
    return dict(pair.split("=", 1) for pair in last("ENV").split())


def is_pinned(image: str) -> bool:
    """Whether `image` names a version, not whatever is newest today."""
    _, colon, tag = image.rpartition("/")[2].partition(":")
    return bool(colon) and re.match(r"\d+\.\d+", tag) is not None


@pytest.mark.parametrize(
    ("image", "pinned"),
    [
        ("python:3.13-slim-bookworm", True),
        ("registry:5000/python:3.13", True),
        ("registry:5000/python", False),
        ("python:latest", False),
        ("python:3", False),
        ("python", False),
    ],
)
def test_a_moving_tag_is_seen(image: str, pinned: bool):
    assert is_pinned(image) is pinned


def test_hadolint_has_nothing_to_say():
    hadolint = shutil.which("hadolint", path=sysconfig.get_path("scripts")) or shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("hadolint is not published for this machine")
    done = subprocess.run([hadolint, "--no-color", str(DOCKERFILE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_images_are_pinned(services: dict[str, Any]):
    bases = [rest.split()[0] for word, rest in instructions(DOCKERFILE.read_text()) if word == "FROM"]
    for image in [*bases, *(service["image"] for service in services.values())]:
        assert is_pinned(image), image


def test_the_image_does_not_run_as_root():
    user, _, group = last("USER").partition(":")
    assert int(user) > 0
    assert int(group) > 0


def test_the_image_is_set_up_by_settings_that_exist(monkeypatch: pytest.MonkeyPatch):
    ours = {name: value for name, value in variables().items() if name.startswith("OVERSEER_")}
    for name in Settings.model_fields:
        monkeypatch.delenv(variable_of(name), raising=False)
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    assert set(ours) <= {variable_of(name) for name in Settings.model_fields}
    settings = load_settings({})
    assert last("EXPOSE") == str(settings.port)
    assert last("VOLUME") == str(settings.data_dir)


def test_the_image_starts_the_command_that_is_installed_and_asks_it_how_it_is():
    (command,) = json.loads(last("ENTRYPOINT"))
    assert command in PROJECT["scripts"]
    word, _, program = last("HEALTHCHECK").partition("CMD ")
    assert "--timeout" in word
    assert json.loads(program) == ["python", "-m", healthy.__name__]
    assert last("STOPSIGNAL") == "SIGTERM"


def test_the_image_is_given_every_file_it_copies():
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    sent = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = {
        source
        for word, rest in instructions(DOCKERFILE.read_text())
        if word == "COPY" and "--from=" not in rest
        for source in rest.split()[:-1]
    }
    assert copied == sent


def test_the_store_beside_it_loses_nothing(services: dict[str, Any]):
    words = services["valkey"]["command"]
    options = dict(zip(words[1::2], words[2::2], strict=True))
    assert options["--appendonly"] == "yes"
    assert options["--appendfsync"] == "always"
    assert options["--maxmemory-policy"] == "noeviction"
    assert services["valkey"]["volumes"] == ["tables:/data"]


def test_only_the_overseer_reaches_the_store(services: dict[str, Any]):
    composed = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())
    assert "ports" not in services["valkey"]
    assert services["valkey"]["networks"] == ["store"]
    assert composed["networks"]["store"] == {"internal": True}
    assert composed["volumes"].keys() == {"tables"}


def test_the_compose_file_starts_this_version_with_settings_that_exist(services: dict[str, Any]):
    overseer = services["overseer"]
    assert overseer["image"] == f"{PROJECT['name']}:{PROJECT['version']}"
    assert (ROOT / "deploy" / overseer["build"]["context"] / overseer["build"]["dockerfile"]).resolve() == DOCKERFILE
    assert set(overseer["environment"]) <= {variable_of(name) for name in Settings.model_fields}
    assert overseer["depends_on"]["valkey"]["condition"] == "service_healthy"
    assert "test" in services["valkey"]["healthcheck"]
    assert [port.rpartition(":")[2] for port in overseer["ports"]] == [last("EXPOSE")]


SEVERAL = ["compose.sentinel.yaml", "compose.cluster.yaml"]


@pytest.mark.parametrize("file", ["compose.yaml", *SEVERAL])
def test_no_container_is_more_than_it_must_be(file: str):
    """Not root, no capability, nothing to write on but its volumes and /tmp, and an end to what it takes of the machine."""
    for name, service in yaml.safe_load((ROOT / "deploy" / file).read_text())["services"].items():
        assert service["read_only"] is True, name
        assert service["tmpfs"] == ["/tmp"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["pids_limit"] <= 200, name
        assert re.search(r"\d+[mg]\b", service["mem_limit"]), name
        assert not {"privileged", "cap_add", "devices", "network_mode", "pid", "ipc"} & service.keys(), name
        if not name.startswith("overseer"):  # that image says itself who it runs as
            assert service["user"] == "valkey", name
            assert all(volume.endswith(":/data") for volume in service.get("volumes", [])), name


@pytest.mark.parametrize("file", ["compose.yaml", *SEVERAL])
def test_a_full_store_refuses_before_the_machine_kills_it(file: str):
    """Twice as much for the container: while Valkey rewrites its file, it may need all of it again."""
    for name, service in yaml.safe_load((ROOT / "deploy" / file).read_text())["services"].items():
        if name.startswith("valkey"):
            assert "--maxmemory 1gb" in " ".join(service["command"]), name
            assert service["mem_limit"] == "2g", name


@pytest.mark.parametrize("file", SEVERAL)
def test_several_servers_are_started_with_settings_that_exist(file: str, monkeypatch: pytest.MonkeyPatch):
    composed = yaml.safe_load((ROOT / "deploy" / file).read_text())
    found = composed["services"]
    assert composed["networks"]["store"] == {"internal": True}
    for name, service in found.items():
        assert is_pinned(service["image"])
        assert ("ports" in service) is name.startswith("overseer")
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in composed["volumes"]
    for name in ("overseer-1", "overseer-2"):
        assert found[name]["image"] == f"{PROJECT['name']}:{PROJECT['version']}"
        for variable, value in found[name]["environment"].items():
            monkeypatch.setenv(variable, re.sub(r"\$\{\w+:-(.*)\}", r"\1", value))  # as compose fills them in
        url = load_settings({}).redis_url
        assert url is not None
        address = read(url)
        assert address.fails_over
        assert {host for host, _ in address.places} <= set(found)


@pytest.mark.parametrize("file", SEVERAL)
async def test_their_stores_keep_what_they_confirm(file: str, tmp_path: Path):
    """The very words of the file, to the server that is bundled here: it takes them, and does as is demanded."""
    found = yaml.safe_load((ROOT / "deploy" / file).read_text())["services"]
    commands = {service["command"][0] for name, service in found.items() if name.startswith("valkey-")}
    assert len(commands) in (1, 3)
    for k, command in enumerate(sorted(commands)):
        words = command.replace("$$NAME", "valkey-1").split()
        assert words[:2] == ["exec", "valkey-server"]
        one = Valkey(tmp_path / f"{k}", free_ports(1)[0], "", *words[2:])
        try:
            await until(lambda one=one: one.ask("PING"))  # type: ignore[misc]
            said = await one.ask("CONFIG", "GET", *(demand.name for demand in STRICT))
            told = dict(zip(said[::2], said[1::2], strict=True))
            assert all(demand.met_by(told[demand.name]) for demand in STRICT)
        finally:
            one.kill()


async def test_the_sentinels_of_the_file_watch_the_primary(tmp_path: Path):
    found = yaml.safe_load((ROOT / "deploy/compose.sentinel.yaml").read_text())["services"]
    config = re.search(r"<<END\n(.*)\nEND\n", found["sentinel-1"]["command"][0], re.DOTALL)
    assert config
    said = config[1].replace("dir /data", "").replace("$$NAME", "localhost").replace("valkey-1", "localhost")
    one = Valkey(tmp_path / "sentinel", free_ports(1)[0], said + "\n", "--sentinel")
    try:
        await until(lambda: one.ask("PING"))
        with pytest.raises(ResponseError, match="NOQUORUM 1 usable Sentinels"):  # it knows whom to watch, and is alone
            await one.ask("SENTINEL", "CKQUORUM", "tables")
    finally:
        one.kill()


def built(target: str, into: Path) -> set[str]:
    """Builds a package; the names of the files in it."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    if target == "wheel":
        return set(zipfile.ZipFile(next(into.glob("*.whl"))).namelist())
    names = tarfile.open(next(into.glob("*.tar.gz"))).getnames()
    return {name.partition("/")[2] for name in names}


def test_the_wheel_holds_everything_that_lies_in_the_packages(tmp_path: Path):
    """The script of the store, scenarios and texts as well as the Python files; the web pages, but not their sources."""
    there = {name for name in built("wheel", tmp_path) if ".dist-info/" not in name}
    lying = [
        path.relative_to(ROOT) for package in ("core", "protocol", "server") for path in (ROOT / package).rglob("*")
    ]
    # Caches of tools are not of the package: .mypy_cache, __pycache__.
    theirs = {str(path) for path in lying if (ROOT / path).is_file() and not re.search(r"(^|/)(\.|__py)", str(path))}
    pages = {name for name in theirs if name.startswith("server/web/dist/")}
    sources = {name for name in theirs if name.startswith(("server/web/", "protocol/js/"))} - pages
    assert there - {"server/web/dist/.stamp"} == theirs - sources
    assert bool(pages) is pages_can_be_built()


def test_the_source_package_holds_the_pages_and_what_they_are_made_of(tmp_path: Path):
    there = built("sdist", tmp_path)
    kept = subprocess.run(["git", "ls-files", "server/web", "protocol/js"], cwd=ROOT, capture_output=True, text=True)
    assert {*kept.stdout.split(), "package.json", "package-lock.json", ".npmrc"} <= there
    assert not [name for name in there if "node_modules" in name]
    assert ("server/web/dist/index.html" in there) is pages_can_be_built()


def test_the_lockfile_names_no_registry():
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"].values()
    assert all(not str(one.get("resolved", "")).startswith("http") for one in packages)
    assert sum("integrity" in one for one in packages) > 50
