"""`overseer verify EXPORT`: recomputes every face of the dice in an exported log, and names the first that differs.

Needs the file alone: no server, no store, no network. Ends with 0 when all that can be checked holds, 1 when something
does not, 2 when the file is no exported log.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import TextIO

from server.export import FORMAT
from server.proofs import Findings, check

HELP = """Recomputes every face of the dice in a log that `overseer table export` has written, from the seeds that were
opened in it. Each seed is first compared with what was published when it was sealed, before anything was rolled from it.
This needs nothing but the file, so you need not trust whoever ran the server."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="overseer verify", description=HELP)
    parser.add_argument("export", metavar="EXPORT", help='the file; "-" reads what another command writes')
    given = parser.parse_args(arguments)
    try:
        with nullcontext(sys.stdin) if given.export == "-" else open(given.export, encoding="utf-8") as file:
            practice = _practice(file)
            found = check(_lines(file))
    except (OSError, UnicodeDecodeError, ValueError) as problem:
        print(f"overseer: {given.export} cannot be checked: {problem}", file=sys.stderr)
        return 2
    for sentence in report(found, practice):
        print(sentence)
    return 1 if found.wrong else 0


def report(found: Findings, practice: bool) -> Iterator[str]:
    if found.wrong:
        yield f"WRONG, {found.wrong[0]}"
        if more := len(found.wrong) - 1:
            yield f"{more} more {'thing is' if more == 1 else 'things are'} wrong after it."
    yield f"{_rolls(found.confirmed)} confirmed, of {found.seeds} {'seed' if found.seeds == 1 else 'seeds'}."
    for seed, n in sorted(found.waiting.items()):
        yield f"{_rolls(n)} of seed {seed} cannot be checked yet: it is opened when its scene ends."
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


def _practice(file: TextIO) -> bool:
    """Reads the first line. Raises ValueError where it is not an export's."""
    try:
        first = json.loads(file.readline())
        known = first["overseer"] == "log" and first["format"] == FORMAT
        if known:
            return bool(first.get("practice"))
    except (ValueError, KeyError, TypeError):
        pass
    raise ValueError("it is no log that `overseer table export` of this version has written")


def _lines(file: TextIO) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(file, start=2):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError:
                yield number, line
