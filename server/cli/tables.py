"""`overseer table new|list|export`, `overseer invite`, `overseer seats`: a node without sockets.

Works beside a running server, whose players see at once what is done here, and without one.
"""

import argparse
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from core.ids import ALL
from core.rulesets import RULESETS
from core.state import House
from server import auth, config, export, seating
from server.cli.called import own_command
from server.config import Settings
from server.export import ExportProblem
from server.node import address, open_node
from server.rooms import Rooms

ROLES = ("player", "st", "spectator")
Act = Callable[[Settings, argparse.Namespace], Awaitable[int]]


def add_to(words: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    table = words.add_parser("table", help="make a table, list the tables, write one's log to a file")
    below = table.add_subparsers(title="commands", metavar="COMMAND", required=True)
    new = _word(below, "new", new_table, "make a table and print the Storyteller's invitation, once")
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
    _word(below, "list", list_tables, "show every table: its id and its name")

    export = _word(below, "export", export_table, "write a table's log to a file, for keeping or for checking its dice")
    export.add_argument("table", help="the table's name or id")
    export.add_argument(
        "--for",
        dest="audience",
        default=ALL,
        metavar="WHO",
        help="whose log: all (what everybody was told, the default), st (with every secret), or the name of a player's seat",
    )
    export.add_argument("--out", metavar="FILE", help="where to write it; else it is printed")

    invite = _word(words, "invite", invite_to, "add a seat to a table and print its invitation, once")
    invite.add_argument("table", help="the table's name or id")
    invite.add_argument("--seat", required=True, metavar="NAME", help="who will sit there, such as Ann")
    invite.add_argument("--role", required=True, choices=ROLES, help="player, st (Storyteller) or spectator")
    invite.add_argument(
        "--units",
        default="",
        metavar="A,B",
        help="the units that will be the player's: names or ids, with commas between",
    )
    seats = _word(words, "seats", list_seats, "show the seats of a table")
    seats.add_argument("table", help="the table's name or id")


def _word(
    words: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, act: Act, text: str
) -> argparse.ArgumentParser:
    parser = words.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    config.add_flags(parser)
    parser.set_defaults(act=act)
    return parser


async def new_table(settings: Settings, given: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        house = House(ruleset=given.ruleset)
        seated = await seating.make_table(rooms, given.name, practice_seed=given.practice_seed, house=house)
    print(f"Table {seated.table} is made: {given.name}")
    print("The Storyteller's invitation, shown this once (whoever has it runs the table):")
    _print_invitation(settings, seated.token)
    print(f"Players: {own_command()} invite {seated.table} --seat NAME --role player")
    return 0


async def list_tables(settings: Settings, _: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        tables = await rooms.store.tables()
    for table, name in tables:
        print(f"{table}  {name}")
    if not tables:
        print(f'No table yet; make one: {own_command()} table new "Thursday night"')
    return 0


async def export_table(settings: Settings, given: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        id = await seating.find_table(rooms, given.table)
        async with rooms.using(id) as room:
            table = room.table
        audience = seating.find_audience(table, given.audience)
        told = [line async for line in export.told(rooms.store, id, audience)]
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in (export.header(id, table, audience), *told))
    if given.out is None:
        print(text, end="")
        return 0
    _write(given.out, text)
    print(f"{len(told)} lines of {table.name} are in {given.out}. Check its dice with: overseer verify {given.out}")
    return 0


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise ExportProblem(f"{file} cannot be written: {problem.strerror}") from problem


async def invite_to(settings: Settings, given: argparse.Namespace) -> int:
    units = [unit.strip() for unit in given.units.split(",") if unit.strip()]
    async with open_node(settings, beside=True) as rooms:
        table = await seating.find_table(rooms, given.table)
        seated = await seating.add_seat(rooms, table, given.seat, given.role, units)
    print(f"{given.seat} has a seat ({given.role}). The invitation, shown this once:")
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
                print(f"{seat.name}  ({seat.role}, {presence}){'  ' + owned if owned else ''}")
    return 0


async def _seats(rooms: Rooms, table: str) -> set[str]:
    return await rooms.store.here(table, await rooms.store.now())


def _print_invitation(settings: Settings, token: str) -> None:
    link = auth.invitation(address(settings), token)
    print(f"  {link}")
    print(f"Sit down with: {own_command()} join '{link}'")
