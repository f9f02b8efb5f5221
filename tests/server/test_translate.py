"""Every command becomes one of the rules, and speaks for the right seat; events and entities go into bytes and back."""

from dataclasses import replace
from typing import Any, cast

import pytest

from core.commands import By, all_commands
from core.decide import Decided
from core.events import all_events
from core.ids import ALL, ST, KeyId, SeatId
from core.refusals import Refused
from core.roles import NOBODY, ROLES
from core.state import Ability, Loan, Pool, Request, Role, Seat, Unit
from protocol.codec import command_body
from protocol.from_client import BODIES, Command
from server import cells, translate
from server.auth import SeatKey
from server.position import Position
from server.store.redis import RedisStore
from server.store.values import Place
from tests.helpers.examples import EXAMPLES
from tests.helpers.play import Game

ACT = {"kind": "attack", "slot": "standard", "targets": ["b"]}
NEEDED: dict[str, Any] = {
    "act": ACT, "unit": "a", "units": ["a"], "round": 1, "readied": "r", "window": "w", "gen": 1, "n": 1, "pending": "p",
    "order": "ask", "auto": True, "text": "hello", "pool": {"fixed": 3}, "to": "s", "slots": ["move"], "seconds": 60,
    "path": "hp", "value": 3, "was": 4, "by": 1, "condition": "prone", "effect": "e", "key": "lag_ms", "by_ms": 5,
    "stack": ["p"], "request": "q", "yes": True, "head": 3, "command": {"kind": "say", "text": "hi"},
    "name": "x", "task": "t", "gain": [1], "reason": "story", "dc": 5, "interval_s": 60, "ask": "a",
    "role": "player", "seat": "s", "salt": "0123456789abcdef", "lasts_s": 60, "percent": 50,
}  # fmt: skip
OTHERWISE: dict[str, dict[str, Any]] = {
    "set_standing_order": {"act": "*"},
    "reorder": {"order": ["a"], "was": ["a"]},
    "restack": {"was": ["p"]},
    "rewind": {"to": 2},
    "add_unit": {"unit": {"name": "Aki", "tracks": {"hp": 10}, "abilities": [{"name": "Sword", "pool": {"fixed": 2}}]}},
    "lend_seat": {"to": "Dora"},
    "set_up": {"units": [{"unit": {"name": "Aki", "tracks": {"hp": 10}}, "count": 2}]},
}


def smallest(kind: str) -> Any:
    model = BODIES[kind]
    needed = [name for name, field in model.model_fields.items() if field.is_required()]
    return command_body(kind, {name: OTHERWISE.get(kind, {}).get(name, NEEDED[name]) for name in needed})


@pytest.mark.parametrize("kind", sorted(BODIES))
def test_every_command_is_translated(kind: str):
    made = translate.command(smallest(kind))
    assert type(made).__name__ == "".join(word.capitalize() for word in kind.split("_"))


def test_every_command_of_a_role_is_on_the_wire():
    assert set(BODIES) == {kind for kind, roles in ROLES.items() if roles is not NOBODY}
    assert len(all_commands()) == len(ROLES)


def test_leave_is_asked_for_a_command_that_can_be_rebuilt():
    asked = translate.command(command_body("ask_leave", {"command": {"kind": "declare", "unit": "a", "act": ACT}}))
    stored = cells.unpacked(cells.packed(asked.wire))  # type: ignore[attr-defined]
    assert translate._rebuilt(stored) == asked.command  # type: ignore[attr-defined]
    assert stored == asked.wire, "else a server would take its own memory for wrong"  # type: ignore[attr-defined]


def test_a_command_of_another_version_is_unknown():
    with pytest.raises(Refused, match="unknown"):
        translate._rebuilt({"kind": "teleport"})


# ------------------------------------------------------------------------------------------------------ for another seat
SEATS: dict[str, Role] = {"x1": "st", "x2": "st", "p1": "player", "p2": "player", "w1": "spectator"}


def here(game: Game) -> Position:
    """The game's table, with all kinds of seats, and p2's lent."""
    added = {SeatId(id): Seat(SeatId(id), id, role) for id, role in SEATS.items() if id not in game.table.seats}
    lent = replace(game.table.seats[SeatId("p2")], loan=Loan(KeyId("loan"), "Dora", game.now + 1000))
    table = replace(game.table, seats={**game.table.seats, **added, lent.id: lent})
    return Position("t", table, game.version, "", {audience: Place("", 0, 0) for audience in (ST, ALL, *SEATS)})


async def speaks(kind: str, who: str, as_seat: str, position: Position, *, by_loan: bool = False) -> By | str:
    """For whom a command speaks that is sent in another seat's name; or what it is refused with."""
    key = SeatKey("t", who, SEATS[who], who, key="loan" if by_loan else "", lent=by_loan)
    message = Command(seq=1, seen=0, as_seat=as_seat, body=smallest(kind))
    asked = translate.asked(cast(RedisStore, None), key, "c", message, position.table.seen)
    try:
        return (await asked.meaning(position)).by
    except Refused as refused:
        return refused.code


@pytest.mark.parametrize("kind", sorted(BODIES))
async def test_nobody_but_an_st_speaks_for_another_seat_and_he_for_a_players_only(kind: str):
    position = here(Game())
    for who in ("p1", "p2", "w1"):
        for as_seat in (*SEATS, ST, "nobody"):
            assert await speaks(kind, who, as_seat, position) == "forbidden", (who, as_seat)
            if who == "p2":
                assert await speaks(kind, who, as_seat, position, by_loan=True) == "forbidden", as_seat
    for as_seat in ("x1", "x2", "w1", ST, "nobody"):
        assert await speaks(kind, "x1", as_seat, position) == "unknown", as_seat
    for as_seat in ("p1", "p2"):
        assert await speaks(kind, "x1", as_seat, position) == By(SeatId(as_seat), "player", st=SeatId("x1"))


@pytest.mark.parametrize("kind", sorted(BODIES))
async def test_in_a_players_place_an_st_may_do_what_the_player_may_and_nothing_else(kind: str):
    named = all_commands()["".join(word.capitalize() for word in kind.split("_"))]
    game, command, sender = EXAMPLES[named](3)
    for who in ("p1", "p2"):
        by = await speaks(kind, "x1", who, here(game))
        assert isinstance(by, By)
        the_player, in_his_place = (outcome(game._decide(command, one)) for one in (By(SeatId(who), "player"), by))
        assert in_his_place == the_player, "and nothing else is found out by it"
        if "player" not in ROLES[kind]:
            assert in_his_place == ("forbidden", {"kind": kind, "role": "player"})
        elif sender == who:
            assert not isinstance(in_his_place[0], str), in_his_place


def outcome(decided: Decided | Refused) -> tuple[Any, ...]:
    return (decided.code, decided.params) if isinstance(decided, Refused) else decided.events


@pytest.mark.parametrize("kind", sorted(all_events()))
def test_every_event_can_be_kept(kind: str):
    cells._adapter(all_events()[kind])


def test_what_is_kept_comes_back_equal():
    sword = Ability("Sword", slots=("standard",), pool=Pool(attributes=("DEX",), again=9))
    unit = Unit("u1", "Aki", abilities={"Sword": sword}, conditions={"prone": False}, initiative=7)  # type: ignore[arg-type]
    request = Request("q", "s", "allow", wire={"kind": "say", "text": "hi"})  # type: ignore[arg-type]
    for entity in (unit, request):
        assert cells.made(type(entity), cells.unpacked(cells.encode(entity))) == entity
