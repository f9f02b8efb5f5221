"""`overseer doctor`: whether the store can be trusted with a table, and what to type where it cannot. Changes nothing.

Ends with 0 when nothing is bad, 2 when something has to be mended first.
"""

import argparse
import contextlib
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

from server import config
from server.config import Settings
from server.store import demands
from server.store.embedded import Embedded, attach
from server.store.examination import Finding, examine, look_at

HELP = """Looks at the store: its settings, its version, its memory, its disk, its clock. Says of each thing what was
found and, where that is not as it must be, why and what to type. Looks at the running server's own database, or, where
none runs, at the data directory and at a database in an empty folder beside it, which is removed again. No table and no
setting is changed."""


def add_to(words: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = words.add_parser("doctor", help="check the store: what is wrong, and how to mend it", description=HELP)
    config.add_flags(parser, config.TABLES_ARE, config.WHERE)
    parser.set_defaults(act=doctor)


async def doctor(settings: Settings, _: argparse.Namespace) -> int:
    found: list[Finding] = []
    if settings.redis_url:
        print(f"The store at {demands.place_of(settings.redis_url)}:")
        found += await examine(settings.redis_url)
    else:
        found += look_at(settings.data_dir)
        if url := await attach(settings.data_dir):
            print(f"The database of the server that runs on {settings.data_dir}:")
            found += await examine(url)
        elif not any(one.what == "right to write" for one in found):
            print(f"No server runs on {settings.data_dir}. Its disk, and a database as the server would start it:")
            async with _scratch(settings.data_dir) as url:
                found += await examine(url)
    if settings.accept_weaker_durability:
        found = [_accepted(one) for one in found]
        if any(one.what == "replicas" for one in found):
            mend = f"serve without {config.flag_of('accept_weaker_durability')}"
            found.insert(
                0, Finding("copies", "not waited for", "note", "a replica that has it", demands.NOT_COPIED, mend)
            )
    for line in report(found):
        print(line)
    to_type = any(one.grade != "ok" and one.mend.startswith("redis-cli") for one in found)
    if to_type and "@" in (settings.redis_url or ""):
        print(
            "redis-cli takes the password of this store from the variable REDISCLI_AUTH: set it before you type these."
        )
    return 2 if any(one.grade == "bad" for one in found) else 0


@contextlib.asynccontextmanager
async def _scratch(data_dir: Path) -> AsyncIterator[str]:
    """The address of a new database on the same disk; nothing is left of it."""
    there = data_dir
    while not there.exists():
        there = there.parent
    with tempfile.TemporaryDirectory(prefix=".overseer-doctor-", dir=there) as folder:
        database = Embedded(Path(folder))
        try:
            yield await database.start()
        finally:
            await database.stop()


def _accepted(one: Finding) -> Finding:
    if one.grade == "bad" and any(demand.name == one.what for demand in demands.DEMANDS):
        return replace(one, grade="note", why=f"{one.why} (accepted by --accept-weaker-durability; the ST is told)")
    return one


def report(found: list[Finding]) -> Iterator[str]:
    """A line for each finding, and two more where there is something to do."""
    width = max(len(one.what) for one in found)
    where = ""
    for one in found:
        if one.where != where:
            where = one.where
            yield f" {where}:"
        yield f"  {one.grade:<4}  {one.what:<{width}}  {one.found}"
        if one.grade != "ok":
            yield f"        {'':<{width}}  wanted {one.wanted}: {one.why}"
            for k, line in enumerate(one.mend.splitlines()):
                yield f"        {'':<{width}}  {'      ' if k else 'mend: '}{line}"
    bad, notes = (sum(one.grade == grade for one in found) for grade in ("bad", "note"))
    if bad:
        yield f"{bad} {'thing has' if bad == 1 else 'things have'} to be mended."
    else:
        yield "All is well." if not notes else f"Nothing has to be mended; {notes} to know about."
