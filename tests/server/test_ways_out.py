"""Names and texts on every way out: terminal, toolbar, pictures, logs, transcript, exports. Nothing in them has any effect.

They cannot come in any more (core/letters.py); what an older table holds, or a client calls itself, is shown all the same.
"""

import io
import json
import logging
from typing import Any

import pytest
from markdown_it import MarkdownIt
from prompt_toolkit.formatted_text import to_formatted_text
from rich.console import Console
from rich.text import Text

from core.letters import STEERING
from core.refusals import Refused
from protocol import texts
from protocol.codec import command_body
from server import log, translate
from server.cli import keeping
from server.cli.terminal.reading import shown
from server.cli.terminal.screen import Screen
from server.scenario.picture import Picture
from server.transcript import escaped
from tests.fuzz import tricks

EVIL = "Gh\x1b[31moul\x01\x1b[2J\x02\u202e\x9bH\r[bold red]x[/] <b>&amp; *y* [z](http://e.example) www.e.example a@e.example"


def steers(text: str) -> str:
    return "".join(one[0] for one in STEERING.finditer(text) if one[0] not in "\n\t")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("text", [EVIL, *tricks.TEXTS], ids=ascii)
def test_on_screens(text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_COLOR", "1")
    for out in (Terminal(), io.StringIO()):
        screen = Screen(out)
        screen.line(text)
        screen.show(Text(text))
        assert not steers(out.getvalue())
    assert not steers("".join(part[1] for part in to_formatted_text(shown(text))))
    out = io.StringIO()
    picture = Picture(Console(file=out, width=500, no_color=True), language="en")
    picture.print(Text(text, "bold"))
    picture.print(text)
    assert not steers(out.getvalue())


def test_markup_of_the_terminal_library_is_words(monkeypatch: pytest.MonkeyPatch):
    out = Terminal()
    Screen(out).line("[bold red]x[/] :smile:")
    assert "[bold red]x[/] :smile:" in out.getvalue()
    assert all(style == "" for style, *_ in to_formatted_text(shown("<b>x</b> \x1b[31m")))


def test_in_logs_a_fact_is_one_fact_and_a_line_is_one_line():
    record = logging.makeLogRecord({"name": "overseer.room", "levelname": "INFO", "msg": "said %s", "args": (EVIL,)})
    record.command = "st/x y=1\n2026-01-01 error \u202e\x1b[31m/7"
    record.other = 'a"b'
    told = log.Lines().format(record)
    assert not steers(told)
    assert "\n" not in told
    assert r"command='st/x y=1\n2026-01-01 error \u202e\x1b[31m/7'" in told


PAGE = MarkdownIt("commonmark")


@pytest.mark.parametrize(
    "text", [EVIL, *tricks.TEXTS, "1. x", "- x", "---", "    code", "[a]: http://e", "a\\", "$x$"], ids=ascii
)
def test_in_transcripts_it_is_words(text: str):
    line = escaped(text)
    assert not steers(line)
    for before in ("- ", "", "*", "# "):
        page = PAGE.render(f"{before}{line}{'*' if before == '*' else ''}")
        for mark in ("<a", "<img", "<h2", "<code", "<script", "<b>", "<hr", "<ol", "<pre", "<strong"):
            assert mark not in page, page
    assert "://" not in line
    assert "www." not in line.casefold()


def test_in_exported_lines():
    line: Any = {"n": 1, "at_s": 0, "by": "st", "kind": "said", "fields": {"text": EVIL}}
    written = keeping._line(line).decode()
    assert not steers(written)
    assert json.loads(written) == line


@pytest.mark.parametrize(
    ("kind", "fields", "path"),
    [
        ("say", {"text": "a\x1b[31mb"}, "text"),
        ("add_unit", {"unit": {"name": "a\u202eb"}}, "unit.name"),
        ("add_unit", {"unit": {"name": "a", "abilities": [{"name": "b\x00"}]}}, "unit.abilities"),
        ("start_task", {"unit": "u", "name": "two\nlines", "pool": {}, "dc": 1}, "name"),
        ("ask_leave", {"command": {"kind": "say", "text": "\u2066"}}, "text"),
        ("ask_leave", {"command": {"kind": "say", "text": "x"}, "text": "\u2066"}, "text"),
        ("answer_request", {"request": "q", "yes": False, "text": "\r"}, "text"),
    ],
)
def test_it_does_not_come_in(kind: str, fields: dict[str, Any], path: str):
    with pytest.raises(Refused) as caught:
        translate.command(command_body(kind, fields))
    assert (caught.value.code, caught.value.params["path"]) == ("bad_value", path)
    assert caught.value.params["letter"].startswith("U+")
    assert caught.value.params["letter"] in texts.refusal("bad_value", caught.value.params)
