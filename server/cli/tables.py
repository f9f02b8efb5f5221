"""`overseer table new|list`: a node without sockets. Works beside a running server and without one."""

import argparse

from core.letters import in_one_line
from core.rulesets import RULESETS
from core.state import House
from server import archiving, seating
from server.cli import keeping
from server.cli.called import on_the_same_store
from server.cli.seats import print_invitation
from server.cli.words import word
from server.config import Settings
from server.node import open_node
from server.store import demands


def add_to(words: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    table = words.add_parser(
        "table",
        help="make a table, list the tables; export, import and archive them; read one as a story; after a restore",
    )
    below = table.add_subparsers(title="commands", metavar="COMMAND", required=True)
    new = word(below, "new", new_table, "make a table and print the Storyteller's invitation, once")
    new.add_argument("name", help='what it is called, such as "Thursday night"')
    new.add_argument(
        "--ruleset",
        choices=list(RULESETS),
        default=House().ruleset,
        help="the game that is played there; it can be changed between two fights (default: %(default)s)",
    )
    new.add_argument(
        "--practice-seed",
        type=int,
        metavar="NUMBER",
        help="dice that can be foretold, for trying things out; everyone at the table sees that it is a practice table",
    )
    word(below, "list", list_tables, "show every table: its id and its name")

    keeping.add_to(below)


async def new_table(settings: Settings, given: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        house = House(ruleset=given.ruleset)
        seated = await seating.make_table(rooms, given.name, practice_seed=given.practice_seed, house=house)
    print(f"Table {seated.table} is made: {in_one_line(given.name)}")
    print("The Storyteller's invitation, shown this once (whoever has it runs the table):")
    print_invitation(settings, seated.token)
    invite = on_the_same_store(settings, "invite", seated.table, "--seat", "NAME", "--role", "player")
    print(f"Players: {invite}")
    return 0


async def list_tables(settings: Settings, _: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        tables = await rooms.store.tables()
        away = await archiving.away(rooms.store)
    for table, name in tables:
        print(f"{table}  {in_one_line(name)}")
    for one in away:
        print(f"{one.id}  {in_one_line(one.name)}  (archived in {one.file}; to bring it back: table import)")
    if not tables and not away:
        where = demands.place_of(settings.redis_url) if settings.redis_url else settings.data_dir
        make = on_the_same_store(settings, "table", "new", "Thursday night")
        print(f"No table yet in {where}; make one: {make}")
    return 0
