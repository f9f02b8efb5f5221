"""`overseer invite`, `overseer seats`, `overseer seat renew|revoke|role|take-back|remove`: who may sit where.

Works beside a running server, which sends away at once who may no longer stay, and without one.
"""

import argparse
import time

from core.commands import RemoveSeat, RevokeInvitation, SetRole, TakeBackSeat
from core.letters import in_one_line
from core.state import Seat
from server import auth, seating
from server.cli.called import on_the_same_store, with_words
from server.cli.terminal.phrases import seconds
from server.cli.terminal.unclear import Unclear
from server.cli.words import word
from server.config import Settings
from server.node import address, open_node

ROLES = ("player", "st", "spectator")
LASTS = 'how long the invitation is good for, such as "5 hours" or "30 days"; for good where nothing is said'


def add_to(words: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
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
    invite.add_argument("--lasts", type=_lasts, metavar="TIME", help=LASTS)

    seats = word(words, "seats", list_seats, "show the seats of a table")
    seats.add_argument("table", help="the table's name or id")

    seat = words.add_parser("seat", help="renew, revoke, hand over or remove a seat of a table")
    below = seat.add_subparsers(title="commands", metavar="COMMAND", required=True)
    text = "print a new invitation to a seat, once; the one before opens nothing any more"
    renew = _of_a_seat(below, "renew", renew_seat, text)
    renew.add_argument("--lasts", type=_lasts, metavar="TIME", help=LASTS)
    text = "let nobody sit there until there is a new invitation; the seat and its units stay"
    _of_a_seat(below, "revoke", revoke_seat, text)
    role = _of_a_seat(below, "role", set_role, "make it a player's, a Storyteller's or a spectator's seat")
    role.add_argument(
        "role", choices=ROLES, help="what it becomes; the Storyteller runs the units of who plays no more"
    )
    _of_a_seat(below, "take-back", take_back_seat, "end a loan at once")
    _of_a_seat(below, "remove", remove_seat, "take the seat away; the Storyteller runs its units")


def _of_a_seat(below: "argparse._SubParsersAction[argparse.ArgumentParser]", *said: object) -> argparse.ArgumentParser:
    parser = word(below, *said)  # type: ignore[arg-type]
    parser.add_argument("table", help="the table's name or id")
    parser.add_argument("seat", metavar="NAME", help="whose seat: its name or id")
    return parser


def _lasts(text: str) -> int:
    try:
        if (found := seconds(text)) >= 1:
            return found
    except Unclear:
        pass
    raise argparse.ArgumentTypeError(f'{text} is no time, such as "5 hours" or "30 days"')


async def invite_to(settings: Settings, given: argparse.Namespace) -> int:
    units = [unit.strip() for unit in given.units.split(",") if unit.strip()]
    async with open_node(settings, beside=True) as rooms:
        table = await seating.find_table(rooms, given.table)
        seated = await seating.add_seat(rooms, table, given.seat, given.role, units, given.lasts)
    print(f"{in_one_line(given.seat)} has a seat ({given.role}). The invitation, shown this once:")
    print_invitation(settings, seated.token)
    return 0


async def renew_seat(settings: Settings, given: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        table = await seating.find_table(rooms, given.table)
        seated = await seating.renew(rooms, table, given.seat, given.lasts)
    print(f"The new invitation of {in_one_line(given.seat)}, shown this once. The one before opens nothing any more:")
    print_invitation(settings, seated.token)
    return 0


async def revoke_seat(settings: Settings, given: argparse.Namespace) -> int:
    await _do(settings, given, RevokeInvitation)
    renew = on_the_same_store(settings, "seat", "renew", given.table, given.seat)
    print(f"Nobody can sit there now. To let somebody: {renew}")
    return 0


async def set_role(settings: Settings, given: argparse.Namespace) -> int:
    await _do(settings, given, lambda seat: SetRole(seat, given.role))
    print(f"{in_one_line(given.seat)} is {given.role} now; the invitation stays as it is.")
    return 0


async def take_back_seat(settings: Settings, given: argparse.Namespace) -> int:
    await _do(settings, given, TakeBackSeat)
    print(f"The seat of {in_one_line(given.seat)} is no longer lent.")
    return 0


async def remove_seat(settings: Settings, given: argparse.Namespace) -> int:
    await _do(settings, given, RemoveSeat)
    print(f"The seat of {in_one_line(given.seat)} is gone; the Storyteller runs its units.")
    return 0


async def _do(settings: Settings, given: argparse.Namespace, command: "seating.OfSeat") -> None:
    async with open_node(settings, beside=True) as rooms:
        table = await seating.find_table(rooms, given.table)
        await seating.do(rooms, table, given.seat, command)


async def list_seats(settings: Settings, given: argparse.Namespace) -> int:
    async with open_node(settings, beside=True) as rooms:
        id = await seating.find_table(rooms, given.table)
        now = await rooms.store.now()
        here = await rooms.store.here(id, now)
        async with rooms.using(id) as room:
            table = room.table
    units = table.play.units
    for seat in sorted(table.seats.values(), key=lambda seat: seat.name.casefold()):
        owned = ", ".join(
            units[unit].name for unit, owner in table.owners.items() if owner == seat.id and unit in units
        )
        presence = "here" if seat.id in here else "away"
        facts = ", ".join([seat.role, presence, *_invitation(seat, now)])
        print(in_one_line(f"{seat.name}  ({facts}){'  ' + owned if owned else ''}"))
    return 0


def _invitation(seat: Seat, now: int) -> list[str]:
    """What is not as usual about it."""
    told = ["no invitation"] if seat.key is None else []
    if seat.until is not None:
        told.append(f"invitation until {_moment(seat.until)}" if seat.until > now else "invitation run out")
    if seat.loan is not None and seat.loan.until > now:
        told.append(f"lent to {seat.loan.to} until {_moment(seat.loan.until)}")
    return told


def _moment(ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(ms / 1000))


def print_invitation(settings: Settings, token: str) -> None:
    link = auth.invitation(address(settings), token)
    print(f"  {link}")
    print(f"Sit down with: {with_words('join', link)}")
