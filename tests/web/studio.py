"""Where the scripts that are no tests (pictures, rate) have the pages as they are now, a server and a browser."""

import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright

from server.app import App
from server.config import Settings
from tests.helpers.pages import build
from tests.web.conftest import CHROMIUM, FLAGS


@contextlib.asynccontextmanager
async def studio(**settings: Any) -> AsyncIterator[tuple[App, Browser]]:
    building = build()
    building.install()
    building.build()
    with tempfile.TemporaryDirectory(prefix="overseer-studio-") as folder:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            try:
                async with App(Settings(port=0, data_dir=Path(folder), log_level="warning", **settings)) as app:
                    yield app, browser
            finally:
                await browser.close()
