"""The command `overseer`: one word for each thing people do. What each does stands in a module of its own.

Ends with 0 when all went well, 1 when it did not, 2 when something has to be changed first: one plain sentence says what.
"""

import argparse
import asyncio
import importlib
import os
import sys
from collections.abc import Coroutine, Sequence
from importlib.metadata import version
from typing import Any

from core.letters import clean
from server import config
from server.cli import doctor, seats, serve, tables
from server.cli.words import Mixed
from server.config import SettingsProblem
from server.gateway import PortProblem
from server.keeping import ExportProblem
from server.seating import SeatingProblem
from server.store.problems import StoreError
from server.table_file import FileProblem

# With options of their own; loaded only when asked for, so that the others start fast. Each has main(arguments) -> int.
ELSEWHERE = {
    "run": "start a server with a sample table, show a sample fight, stay up for people",
    "demo": "play a scenario on a server of its own and check every step",
    "join": "sit down at a table: overseer join 'INVITATION'",
    "verify": "check the dice of an exported log: overseer verify FILE",
    "schema": "print the protocol as JSON Schema, for clients in other languages",
}

FIRST_STEPS = """first steps:
  overseer run                                        see everything at work, then take a seat yourself
or, for a table of your own:
  overseer serve                                      start the server; leave it running
  overseer table new "Thursday night"                 (in a second terminal) make a table: your own invitation
  overseer invite "Thursday night" --seat Ann --role player    an invitation for each of your players
  overseer join 'INVITATION'                          sit down

Every setting is an option of `overseer serve` or an OVERSEER_... variable: see overseer serve --help.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given and given[0] in ELSEWHERE:
            code: int = importlib.import_module(f"server.cli.{given[0]}").main(given[1:])
            return code
        parser = _parser()
        if not given:
            parser.print_help()
            return 0
        return _run(parser.parse_args(given))
    except (SettingsProblem, StoreError, PortProblem, SeatingProblem, ExportProblem, FileProblem) as problem:
        print(f"overseer: {clean(str(problem))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read what is printed (`| head`) has had enough; Python would complain at its exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(given: argparse.Namespace) -> int:
    settings = config.load_settings({name: getattr(given, name, None) for name in config.ACCEPTED})
    act: Coroutine[Any, Any, int] = given.act(settings, given)
    return run_loop(act)


def run_loop(act: Coroutine[Any, Any, int]) -> int:
    """On uvloop where there is one."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return asyncio.run(act)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(act)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="overseer",
        description="Keeps the fight at a tabletop table and lets anyone interrupt it, live.",
        epilog=FIRST_STEPS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kind: type[argparse.ArgumentParser] = Mixed
    parser.add_argument("--version", action="version", version=f"overseer {version('overseer-vtt')}")
    words = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=kind)
    serve.add_to(words)
    tables.add_to(words)
    seats.add_to(words)
    doctor.add_to(words)
    for name, text in ELSEWHERE.items():
        words.add_parser(name, help=text, add_help=False)
    return parser
