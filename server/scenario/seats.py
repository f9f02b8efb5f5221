"""A table for a scenario: made, with a seat for everybody in the file, and a client for each of its connections."""

from dataclasses import dataclass

from core.editions import house_of
from server import auth, seating
from server.rooms import Rooms
from server.scenario.client import Client
from server.scenario.format import Scenario


@dataclass(frozen=True, slots=True)
class Seats:
    """The table's id; the id and the token of every seat, by its name."""

    table: str
    ids: dict[str, str]
    tokens: dict[str, str]


async def make(rooms: Rooms, scenario: Scenario) -> Seats:
    """A new practice table: its dice come from the file's seed, and everyone at it sees so."""
    made = await seating.make_table(
        rooms, scenario.table, practice_seed=scenario.dice_seed, house=house_of(scenario.house)
    )
    ids, tokens = {}, {}
    for seat in scenario.seats:
        one = made if seat.role == "st" else await seating.add_seat(rooms, made.table, seat.seat, seat.role)
        ids[seat.seat], tokens[seat.seat] = one.seat, one.token
    return Seats(made.table, ids, tokens)


def clients(scenario: Scenario, seats: Seats, address: str, language: str = "en") -> list[Client]:
    """One for each connection of the file, not yet connected."""
    return [
        Client(name, seat.seat, auth.invitation(address, seats.tokens[seat.seat]), language=language)
        for seat in scenario.seats
        for name in seat.clients
    ]
