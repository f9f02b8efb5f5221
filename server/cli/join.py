"""`overseer join INVITATION`: a seat at a table in a plain terminal, for every role, until one leaves it."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import nullcontext
from typing import Any
from urllib.parse import urlsplit

from prompt_toolkit.patch_stdout import patch_stdout

from protocol.client import BadInvitation, Closed, TableProblem, Unanswered, connect
from server.cli.terminal import completing, reading
from server.cli.terminal.screen import Screen
from server.cli.terminal.sitting import Sitting, ended
from server.cli.terminal.unclear import Unclear

HELP = """Sit down at a table. Type `help` there for what you can do. Without a terminal (a pipe, a file) lines are read one
by one, each answered before the next: a script can play."""


def main(arguments: Sequence[str]) -> int:
    """0: left. 1: the table ended it. 2: there was no way in."""
    parser = argparse.ArgumentParser(prog="overseer join", description=HELP)
    parser.add_argument(
        "invitation", metavar="INVITATION", help="the whole line you were given, in quotes: 'http://...#...'"
    )
    parser.add_argument("--lang", choices=("en", "zh"), default=_usual_language(), help="the language of what is told")
    parser.add_argument(
        "--see-as",
        metavar="SEAT",
        help="for the Storyteller: see what this player's seat sees (all: the spectators); you cannot act there, and nobody "
        "is told of it",
    )
    given = parser.parse_args(list(arguments))
    try:
        return asyncio.run(join(given.invitation, given.lang, see_as=given.see_as))
    except KeyboardInterrupt:
        return 0


def _usual_language() -> str:
    speaks = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if speaks.startswith("zh") else "en"


async def join(invitation: str, language: str, patience_s: float = 10, see_as: str | None = None) -> int:
    """`patience_s`: how long a server that does not answer is tried."""
    logging.getLogger("overseer.client").addHandler(logging.NullHandler())  # what it has to say is said here
    try:
        async with connect(invitation, language=language, timeout=patience_s, see_as=see_as) as table:
            return await sit(Sitting(table, Screen(), language))
    except BadInvitation as problem:
        return _no_way_in(Unclear("no_way_in", why=problem).said(language))
    except Unanswered as problem:
        address = urlsplit(invitation.strip()).netloc
        nobody = Unclear("nobody_answers", address=address)
        return _no_way_in(str(problem) if problem.reached else nobody.said(language))
    except TableProblem as problem:
        return _no_way_in(str(problem))


def _no_way_in(why: str) -> int:
    print(f"overseer: {ended(why.rstrip('.'))}", file=sys.stderr)
    return 2


async def sit(sitting: Sitting) -> int:
    """Until the lines end, or the table does."""
    keyboard = sys.stdin.isatty() and sys.stdout.isatty()
    with patch_stdout(raw=True) if keyboard else nullcontext():
        await sitting.arrive()
        told: list[asyncio.Task[None]] = [_task(sitting.follow()), _task(sitting.watch_line())]
        obeying = _task(sitting.obey(_lines(sitting, keyboard), patient=not keyboard))
        try:
            done, _ = await asyncio.wait([*told, obeying], return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except Closed as problem:
            sitting.screen.line(str(problem), "bold red")
            return 1
        finally:
            await _end([*told, obeying])
    sitting.tell("bye", "dim")
    return 0


def _lines(sitting: Sitting, keyboard: bool) -> AsyncIterator[str]:
    if not keyboard:
        return reading.piped()
    return reading.typed(
        lambda: f"{sitting.table.seat_name}> ",
        sitting.toolbar,
        lambda text: completing.suggestions(text, sitting.seen()),
    )


def _task(run: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
    return asyncio.create_task(run)


async def _end(tasks: list["asyncio.Task[None]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
