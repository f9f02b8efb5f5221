"""`overseer table new|list`, `overseer invite`, `overseer seats`: a node without sockets.

Works beside a running server, whose players see at once what is done here, and without one.
"""

import argparse

from core.letters import in_one_line
from core.rulesets import RULESETS
from core.state import House
from server import archiving, auth, seating
from server.cli import keeping
from server.cli.called import own_command
from server.cli.words import word
from server.config import Settings
from server.node import address, open_node
from server.rooms import Rooms

ROLES = ("player", "st", "spectator")


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

    invite = word(words, "invite", invite_to, "add a seat to a table and print its invitation, once")
    invite.add_argument("table", help="the table's name or id")
    invite.add_argument("--seat", required=True, metavar="NAME", help="who will sit there, such as Ann")
    invite.add_argument("--role", required=True, choices=ROLES, help="player, st (Storyteller) or spectator")
    invite.add_argument(
        "--units",
        default="",
        metavar="A,B",
        help="the units that will be the player's: names or ids, with commas between",
    )
    seats = word(words, "seats", list_seats, "show the seats of a table")
    seats.add_argument("table", help="the table's name or id")


async def new_table(settings: Settings, given: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        house = House(ruleset=given.ruleset)
        seated = await seating.make_table(rooms, given.name, practice_seed=given.practice_seed, house=house)
    print(f"Table {seated.table} is made: {in_one_line(given.name)}")
    print("The Storyteller's invitation, shown this once (whoever has it runs the table):")
    _print_invitation(settings, seated.token)
    print(f"Players: {own_command()} invite {seated.table} --seat NAME --role player")
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
        print(f'No table yet; make one: {own_command()} table new "Thursday night"')
    return 0


async def invite_to(settings: Settings, given: argparse.Namespace) -> int:
    units = [unit.strip() for unit in given.units.split(",") if unit.strip()]
    async with open_node(settings, beside=True) as rooms:
        table = await seating.find_table(rooms, given.table)
        seated = await seating.add_seat(rooms, table, given.seat, given.role, units)
    print(f"{in_one_line(given.seat)} has a seat ({given.role}). The invitation, shown this once:")
    _print_invitation(settings, seated.token)
    return 0


async def list_seats(settings: Settings, given: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        table = await seating.find_table(rooms, given.table)
        async with rooms.using(table) as room:
            here, seats, owners = await _seats(rooms, table), room.table.seats, room.table.owners
            units = room.table.play.units
            for seat in seats.values():
                owned = ", ".join(
                    units[unit].name for unit, owner in owners.items() if owner == seat.id and unit in units
                )
                presence = "here" if seat.id in here else "away"
                print(in_one_line(f"{seat.name}  ({seat.role}, {presence}){'  ' + owned if owned else ''}"))
    return 0


async def _seats(rooms: Rooms, table: str) -> set[str]:
    return await rooms.store.here(table, await rooms.store.now())


def _print_invitation(settings: Settings, token: str) -> None:
    link = auth.invitation(address(settings), token)
    print(f"  {link}")
    print(f"Sit down with: {own_command()} join '{link}'")
