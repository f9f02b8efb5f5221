"""The built pages on a real server, and a real Chromium to look at them with. One of each for the whole run.

Server, store and browser live on one event loop; tests of the pages say so with `pytestmark`.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from server.app import App
from server.config import Settings
from tests.helpers.pages import ROOT, build
from tests.web import evening
from tests.web.evening import AXE, PATIENCE_MS, Evening

CHROMIUM = Path(os.environ.get("OVERSEER_CHROMIUM", "/usr/bin/chromium"))
PICTURES = Path(os.environ.get("PICTURES_FOLDER") or ROOT / "build/pictures")
"""Where is kept how pages were at the end of their test: of every test if the variable is given, else of one that fails."""
FAILED = pytest.StashKey[bool]()
expect.set_options(timeout=PATIENCE_MS)
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


def wanted(what: str, there: bool) -> None:
    """What these tests cannot do without."""
    if not there and os.environ.get("CI"):
        pytest.fail(f"CI must have {what}")
    if not there:
        pytest.skip(f"no {what} on this machine")


@pytest.fixture(scope="session")
def pages() -> None:
    """The pages are built as their sources are, by one test process for all."""
    wanted(f"Chromium at {CHROMIUM}", CHROMIUM.exists())
    building = build()
    wanted("Node 20.19 or newer, with npm", building.has_node())
    with (ROOT / "server/web/build.py").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        building.install()
        building.build()
    assert AXE.exists()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(pages: None) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        await started.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def app(pages: None) -> AsyncIterator[App]:
    """A whole server with a store of its own."""
    with tempfile.TemporaryDirectory(prefix="overseer-test-") as folder:
        # All pages of all tests are loaded from one address.
        given = Settings(
            port=0, data_dir=Path(folder) / "data", log_level="warning", rate_joins=100, rate_joins_all=200
        )
        async with App(given) as started:
            yield started


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test of pages that fails says where it can be seen how they were."""
    report = yield
    if report.when == "call" and report.failed and "begin" in getattr(item, "fixturenames", ()):
        item.stash[FAILED] = True
        report.sections.append(("Pages as the test left them", f"{PICTURES / item.name}-*"))
    return report


Begin = Callable[..., Awaitable[Evening]]


@pytest_asyncio.fixture(loop_scope="session")
async def begin(app: App, browser: Browser, request: pytest.FixtureRequest) -> AsyncIterator[Begin]:
    """`await begin(scenario="storyteller", relaxed_defense=True)`: an evening at a new table."""
    async with contextlib.AsyncExitStack() as stack:
        begun: list[Evening] = []

        async def one(**house: Any) -> Evening:
            begun.append(await evening.begin(app.rooms, app.address, browser, stack, **house))
            return begun[-1]

        yield one
        witnesses = [witness for one in begun for witness in one.witnesses]
        if "PICTURES_FOLDER" in os.environ or FAILED in request.node.stash:
            for k, witness in enumerate(witnesses):
                await witness.keep(PICTURES / f"{request.node.name}-{k}")
        assert [trouble for witness in witnesses for trouble in witness.troubles] == []
