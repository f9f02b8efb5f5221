"""`overseer run` opens the Storyteller's console only where somebody sits before the very machine."""

import sys
import webbrowser
from pathlib import Path
from types import SimpleNamespace

import pytest

from server.cli import desktop, run
from server.config import Settings
from server.scenario import loader, picture
from server.scenario.seats import Seats


class Terminal:
    def __init__(self, at_one: bool) -> None:
        self.isatty = lambda: at_one


@pytest.mark.parametrize(
    ("environment", "platform", "at_one", "here"),
    [
        ({"DISPLAY": ":0"}, "linux", True, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True, True),
        ({}, "darwin", True, True),
        ({}, "linux", True, False),
        ({"DISPLAY": ":0"}, "linux", False, False),
        ({"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, "linux", True, False),
    ],
)
def test_a_desktop_is_told_from_what_is_none(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], platform: str, at_one: bool, here: bool
):
    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(sys, stream, Terminal(at_one))
    assert desktop.is_here(environment, platform) is here


async def test_the_console_of_the_sample_table_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    opened: list[str] = []

    def take(link: str) -> bool:
        opened.append(link)
        return True

    monkeypatch.setattr(webbrowser, "open", take)
    show = run.Show(Settings(port=0, data_dir=tmp_path), picture.terminal(), pause_s=0.0)
    app = SimpleNamespace(address="http://127.0.0.1:1")
    table = SimpleNamespace(seats=Seats("table", {}, {"Storyteller": "table.seat.secret"}))
    await show._open_console(app, loader.load(loader.bundled()), table)  # type: ignore[arg-type]
    assert opened == ["http://127.0.0.1:1/#table.seat.secret"]


async def test_without_a_browser_nothing_is_said(monkeypatch: pytest.MonkeyPatch):
    def none(link: str) -> bool:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "open", none)
    assert await desktop.open_page("http://127.0.0.1:1/#a.b.c") is False
