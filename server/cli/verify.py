"""`overseer verify EXPORT`: recomputes every face of the dice in an exported log, and names the first that differs.

Needs the file alone: no server, no store, no network. Ends with 0 when all that can be checked holds, 1 when something
does not, 2 when the file is no exported log.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import IO

from core.ids import ST
from core.letters import clean
from core.state import Table
from server import cells, table_file
from server.export import FORMAT, Telling
from server.keeping import ExportProblem
from server.proofs import Findings, Log, check
from server.store.values import Entry
from server.table_file import Cell, FileProblem, Reader

HELP = """Recomputes every face of the dice in a file that `overseer table export` or `table archive` has written, from the
seeds that were opened in it. Each seed is first compared with what was published when it was sealed, before anything was
rolled from it. This needs nothing but the file, so you need not trust whoever ran the server."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="overseer verify", description=HELP)
    parser.add_argument("export", metavar="EXPORT", help='the file; "-" reads what another command writes')
    given = parser.parse_args(arguments)
    try:
        with table_file.reading(given.export) as file:
            practice, found = examine(file)
    except (OSError, EOFError, ValueError, FileProblem, ExportProblem) as problem:
        print(f"overseer: {given.export} cannot be checked: {clean(str(problem))}", file=sys.stderr)
        return 2
    for sentence in report(found, practice):
        print(clean(sentence))
    return 1 if found.wrong else 0


def report(found: Findings, practice: bool) -> Iterator[str]:
    if found.wrong:
        yield f"WRONG, {found.wrong[0]}"
        if more := len(found.wrong) - 1:
            yield f"{more} more {'thing is' if more == 1 else 'things are'} wrong after it."
    yield f"{_rolls(found.confirmed)} confirmed, of {found.seeds} {'seed' if found.seeds == 1 else 'seeds'}."
    for seed, n in sorted(found.waiting.items()):
        yield f"{_rolls(n)} of seed {seed} cannot be checked yet: it is opened when its scene ends."
    if n := found.left.total():
        yield f"{_rolls(n)} can be checked only where {'it was' if n == 1 else 'they were'} rolled: the table was moved."
    if n := found.secret.total():
        yield f"{_rolls(n)} {'was' if n == 1 else 'were'} secret: only the Storyteller's export proves them."
    if found.unproven:
        yield f"{_rolls(found.unproven)} prove nothing: their seed is not the one that was sealed."
    if found.older:
        yield f"{_rolls(found.older)} cannot be checked: this table is older than its proofs."
    if practice:
        yield "This is a practice table: its dice could be foretold by whoever made it."


def _rolls(n: int) -> str:
    return f"{n} roll" if n == 1 else f"{n} rolls"


def examine(file: IO[bytes]) -> tuple[bool, Findings]:
    """(whether it is a practice table's, what is found) in a log, or in a whole table. Raises ValueError, FileProblem."""
    first = file.readline()
    try:
        header = json.loads(first)
        kind, form = header["overseer"], header["format"]
    except (ValueError, KeyError, TypeError):
        kind, form = None, None
    if (kind, form) == ("log", FORMAT):
        return bool(header.get("practice")), check(_lines(file))
    if kind == table_file.KIND:
        reader = Reader(file, first)
        return reader.header["practice"], check_table(reader)
    raise ValueError("it is no log that `overseer table export` of this version has written")


def check_table(reader: Reader) -> Findings:
    """The rolls of a whole table, or of a part of its history, as the Storyteller was told them."""
    telling: Telling | None = None
    first: dict[str, bytes] = {}
    log = Log()
    for item in reader.items():
        if isinstance(item, Cell) and item.first:
            first[item.name] = item.value
        elif isinstance(item, Entry):
            if telling is None:
                begins = cells.table_of(first) if first else Table()
                telling = Telling(ST, begins, reader.header["after"])
                log.go_on(begins.seeds, begins.rolls)
            for line in telling.lines(item):
                log.take(reader.number, line)
    return log.findings()


def _lines(file: IO[bytes]) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(file, start=2):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError:
                yield number, line
