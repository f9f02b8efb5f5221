"""Making tables and seats, from the command line or from Python. A token is shown once, here, and never again.

A new seat is an ordinary commit of its room, so it works beside running servers: whoever plays sees it arrive.
"""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.bounds import NAME, is_name
from core.cells import cells as cells_of
from core.commands import AddSeat, By, Command, RenewInvitation
from core.dice.source import KeyedDice
from core.events import SeatAdded, SeedCommitted, TableMade
from core.evolve import fold
from core.ids import ALL, ST, Ids, SeatId, UnitId
from core.state import House, Role, Seat, Seeds, Table
from core.view import audiences
from protocol import texts
from server import auth, cells, history, invitations
from server.asked import own
from server.room import Room
from server.rooms import Rooms

STORYTELLER = "Storyteller"

OfSeat = Callable[[SeatId], Command]
"""A command about a seat, of its id."""


class SeatingProblem(Exception):
    """It cannot be done. The text is one plain sentence and what to do."""


@dataclass(frozen=True, slots=True)
class Seated:
    """A new seat. `token` opens it; `auth.invitation(address, token)` is the link for a person."""

    table: str
    seat: str
    token: str


async def make_table(
    rooms: Rooms, name: str, *, practice_seed: int | None = None, house: House | None = None
) -> Seated:
    """A new table with one Storyteller's seat. With a practice seed its dice can be foretold, and everyone there sees so."""
    _check_name(name)
    table_id, seat = auth.new_id(), SeatId(auth.new_id())
    now = await rooms.store.now()
    dice = secrets.token_bytes(32) if practice_seed is None else _practice(practice_seed)
    events = (
        TableMade(name, now, practice_seed is not None, house or House()),
        SeatAdded(Seat(seat, STORYTELLER, "st")),
        SeedCommitted(Seeds(1, 1, *KeyedDice(dice).commitments(1))),
    )
    table = fold(Table(), events, now)
    epochs = {audience: auth.new_id() for audience in audiences(table)}
    record = history.Record(By(ST, "st"), now, "", events, {}, dict.fromkeys(epochs, 0), epochs)
    token = auth.new_token(table_id, seat)
    await rooms.store.put_seat(table_id, seat, auth.record(token, "st", STORYTELLER))
    await rooms.store.create(
        table_id,
        name=name,
        cells={cell: cells.encode(entity) for cell, entity in cells_of(table).items()},
        epochs=epochs,
        keys={"dice": dice, "ids": secrets.token_bytes(32)},
        entry=history.write(record),
    )
    return Seated(table_id, seat, token)


async def add_seat(
    rooms: Rooms, table: str, name: str, role: Role, units: Sequence[str] = (), lasts_s: int | None = None
) -> Seated:
    """A new seat at a table, owning these units (ids, or names that only one unit has). Raises SeatingProblem."""
    _check_name(name)
    seat = SeatId(auth.new_id())
    async with rooms.using(table) as room:
        owned = tuple(_unit(room.table, one) for one in units)
        command = AddSeat(name, role, owned, lasts_s, seat)
        return await _invite(room, seat, f"seat/{seat}", command, lambda token: auth.record(token, role, name))


async def renew(rooms: Rooms, table: str, wanted: str, lasts_s: int | None = None) -> Seated:
    """A new invitation to a seat; whoever sits there by the one before is sent away. Raises SeatingProblem."""
    async with rooms.using(table) as room:
        seat = find_seat(room.table, wanted)
        id = f"invitation/{auth.new_id()}"
        key = Ids(room.id_key, id).new()  # the first that the command makes
        command = RenewInvitation(seat.id, lasts_s)
        return await _invite(room, key, id, command, lambda t: auth.record(t, seat.role, seat.name, seat.id))


async def _invite(room: Room, key: str, id: str, command: Command, record: Callable[[str], bytes]) -> Seated:
    """A command that makes an invitation of this key."""
    token = auth.new_token(room.id, key)
    # The key before the door: a seat nobody can open would keep its name for ever, a key without a seat opens nothing.
    await room.store.put_seat(room.id, key, record(token))
    try:
        await _done(room, command, id)
    except SeatingProblem:
        await room.store.drop_seat(room.id, key)
        raise
    return Seated(room.id, getattr(command, "seat", key), token)


async def do(rooms: Rooms, table: str, wanted: str, command: OfSeat) -> None:
    """Something about a seat that makes no invitation. Raises SeatingProblem."""
    async with rooms.using(table) as room:
        await _done(room, command(find_seat(room.table, wanted).id), f"operator/{auth.new_id()}")


async def _done(room: Room, command: Command, id: str) -> None:
    answer = await invitations.sweeping(room, own(command, id, await room.store.now()))
    if answer["t"] != "ack" and answer["code"] == "in_use":
        name = answer["params"]["name"]
        if name.casefold() in (ST, ALL):
            raise SeatingProblem(
                f"{name} cannot be a seat's name: it stands for what the Storyteller, or everybody, is told"
            )
        raise SeatingProblem(f"the table has a seat named {name} already; choose another name")
    if answer["t"] != "ack":
        raise SeatingProblem(texts.refusal(answer["code"], answer["params"], "en"))


def find_seat(table: Table, wanted: str) -> Seat:
    """A seat by its id or its name. Raises SeatingProblem."""
    seats = list(table.seats.values())
    fitting = [seat for seat in seats if wanted in (seat.id, seat.name)]
    fitting = fitting or [seat for seat in seats if seat.name.casefold() == wanted.casefold()]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(sorted(seat.name for seat in seats))
    raise SeatingProblem(f"there is no seat {wanted} at this table; its seats: {names}")


async def find_table(rooms: Rooms, wanted: str) -> str:
    """A table's id from its id or its name. Raises SeatingProblem where none or several fit."""
    tables = await rooms.store.tables()
    if any(id == wanted for id, _ in tables):
        return wanted
    fitting = [id for id, name in tables if name == wanted]
    fitting = fitting or [id for id, name in tables if name.casefold() == wanted.casefold()]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise SeatingProblem(f"several tables are named {wanted}: say which by its id ({', '.join(fitting)})")
    raise SeatingProblem(f"there is no table {wanted}; `overseer table list` shows all there are")


def find_audience(table: Table, wanted: str) -> str:
    """An audience from "st", "all", or a player's seat by its name or id. Raises SeatingProblem."""
    if wanted in (ST, ALL):
        return wanted
    players = [seat for seat in table.seats.values() if seat.role == "player"]
    fitting = [seat.id for seat in players if wanted in (seat.id, seat.name)]
    fitting = fitting or [seat.id for seat in players if seat.name.casefold() == wanted.casefold()]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(sorted(seat.name for seat in players)) or "none yet"
    raise SeatingProblem(f"there is no player's seat {wanted} at this table; its seats: {names} (or all, or st)")


def _unit(table: Table, wanted: str) -> UnitId:
    if wanted in table.play.units:
        return UnitId(wanted)
    fitting = [unit.id for unit in table.play.units.values() if unit.name == wanted]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise SeatingProblem(f"several units are named {wanted}: say which by its id ({', '.join(fitting)})")
    names = ", ".join(sorted(unit.name for unit in table.play.units.values())) or "none yet"
    raise SeatingProblem(f"there is no unit {wanted} at this table; its units: {names}")


def _check_name(name: str) -> None:
    if not is_name(name):
        raise SeatingProblem(f"a name has 1 to {NAME} letters that can be printed")


def _practice(seed: int) -> bytes:
    return hashlib.sha256(f"practice/{seed}".encode()).digest()
