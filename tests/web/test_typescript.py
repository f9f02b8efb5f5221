"""What of the project is TypeScript, by its own tools: types, the components' own lint, and its tests."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.pages import ROOT, build


@pytest.fixture(scope="module")
def npm() -> Path:
    """The folder to run npm in, once everything is installed. Several tests that run at once install it one by one."""
    building = build()
    if not building.has_node():
        if os.environ.get("CI"):
            pytest.fail("CI must have Node and npm")
        pytest.skip("no Node 20.19 or newer, or no npm, on this machine")
    with (ROOT / "server/web/build.py").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        building.install()
    return ROOT


@pytest.mark.timeout(300)  # they bring real servers, compilers and no patience of their own
@pytest.mark.parametrize("workspace", ["protocol/js", "server/web"])
@pytest.mark.parametrize("what", ["check", "test"])
def test_npm_has_nothing_to_say(npm: Path, workspace: str, what: str):
    environment = {**os.environ, "CI": "1", "OVERSEER_PYTHON": sys.executable}
    command = ["npm", "run", what, "--workspace", workspace]
    done = subprocess.run(command, cwd=npm, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
