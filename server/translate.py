"""Wire messages to commands of the rules. Field names are equal on both sides; what differs stands here, and only here.

What differs: who speaks (`as`), whether it was sent before the last rewind (`seen`), and the past a rewind goes back to.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from core import letters
from core.commands import AddUnit, AnswerRequest, AskLeave, By, Command, Rewind, SetUp, all_commands
from core.ids import ST, RequestId, SeatId
from core.refusals import Refused
from core.roles import NAMED
from protocol import from_client
from protocol.codec import BadMessage, command_body
from server import admission, cells, past
from server.asked import Asked, Author, Meant
from server.auth import SeatKey
from server.position import Position
from server.store.redis import RedisStore

LOOKS_BACK = (from_client.Rewind, from_client.AnswerRequest)
"""These are told what the log holds, so nothing that is not in it yet may come before them."""


def asked(
    store: RedisStore,
    key: SeatKey,
    client: str,
    message: from_client.Command,
    now: int,
    way_ms: int = 0,
    kept: Callable[[int], None] = lambda _: None,
) -> Asked:
    """A client's command, ready to be decided. `now`: when its frame was read, on the store's clock; `way_ms`: see World;
    `kept`: see Asked.
    """

    async def meaning(here: Position) -> Meant:
        if message.seen < here.places[key.audience].rewound:
            raise Refused("stale")
        by = _by(here, key, message, now)
        return await _with_past(store, here, by, message.body)

    author = Author(key.seat, client, message.seq, message.digest(), key.audience, key.role == "st")
    looks_back = isinstance(message.body, LOOKS_BACK)
    return Asked(f"{key.seat}/{client}/{message.seq}", now, meaning, author, way_ms, looks_back, kept)


def _by(here: Position, key: SeatKey, message: from_client.Command, now: int) -> By:
    """For whom a seat speaks. Only an ST may speak for another, and only for a player's seat."""
    if admission.why_not(here.table, key, now) is not None:
        raise Refused("forbidden")
    own, as_seat = SeatId(key.seat), message.as_seat
    if as_seat is None:
        named = message.body.kind in NAMED
        return _storyteller(here, own, named=named) if key.role == "st" else By(own, key.role, lent=key.lent)
    if key.role != "st":
        raise Refused("forbidden")
    seat = here.table.seats.get(SeatId(as_seat))
    if seat is None or seat.role != "player":
        raise Refused("unknown")
    return By(seat.id, "player", st=own)


def _storyteller(here: Position, own: SeatId, *, named: bool) -> By:
    """An ST acts for all of them; which one it was is said where there is more than one (it costs six bytes a line)."""
    several = sum(seat.role == "st" for seat in here.table.seats.values()) > 1
    return By(ST, "st", st=own if several or named else None)


async def _with_past(store: RedisStore, here: Position, by: By, body: from_client.AnyBody) -> Meant:
    """The command; where it goes back in time or lets an old command through, with what the table itself does not hold.

    Clients know positions of their stream (n), the rules know versions: `to` and `head` are turned here.
    """
    asked = command(body)
    if by.role != "st":
        return Meant(asked, by)
    if isinstance(asked, Rewind):
        _unchanged(here, asked.head)
        then = await past.at_position(store, here, asked.to)
        return Meant(replace(asked, to=then.version, head=here.version, play=then.play), by, past=then.n)
    if isinstance(asked, AnswerRequest) and asked.yes and (request := here.table.requests.get(asked.request)):
        if request.kind == "allow":
            return Meant(replace(asked, command=_rebuilt(request.wire)), by)
        if request.to is not None and asked.head is not None:
            _unchanged(here, asked.head)
            then = await past.at_version(store, here, request.to)
            return Meant(replace(asked, head=here.version, play=then.play), by, past=then.n)
    return Meant(asked, by)


def _unchanged(here: Position, head: int) -> None:
    """Who goes back must have seen all that he undoes."""
    if head != here.places[ST].n:
        raise Refused("changed", head=here.places[ST].n)


def command(body: from_client.AnyBody) -> Command:
    """The rules' command of a wire body. Raises Refused(bad_value) for what only the rules' own types refuse."""
    if isinstance(body, from_client.AskLeave):
        plain = body.command.model_dump(mode="json", exclude_defaults=True)  # no tuples: the store has lists
        wire = {"kind": body.command.kind, **plain}
        _refuse_odd_words({"text": body.text})
        return AskLeave(command(body.command), wire, body.text)
    if isinstance(body, from_client.AnswerRequest):
        _refuse_odd_words({"text": body.text})
        return AnswerRequest(RequestId(body.request), body.yes, body.text, body.head)
    kind = all_commands()["".join(word.capitalize() for word in body.kind.split("_"))]
    fields: dict[str, Any] = body.model_dump(exclude={"kind", "salt"})
    _refuse_odd_words(fields)
    if kind is AddUnit:
        fields["unit"] = {**fields["unit"], "id": ""}  # the table gives it one
    elif kind is SetUp:
        fields["units"] = [{**one, "unit": {**one["unit"], "id": ""}} for one in fields["units"]]
    try:
        made: Command = cells.made(kind, fields)
    except ValidationError as problem:
        raise Refused("bad_value", field=".".join(str(part) for part in problem.errors()[0]["loc"])) from None
    return made


def _refuse_odd_words(fields: Mapping[str, Any]) -> None:
    if odd := letters.odd_words(fields):
        path, letter = odd
        raise Refused("bad_value", path=path, letter=f"U+{ord(letter):04X}")


def _rebuilt(wire: Mapping[str, Any]) -> Command:
    """A command that was kept as its sender had written it."""
    try:
        return command(command_body(wire["kind"], {name: value for name, value in wire.items() if name != "kind"}))
    except BadMessage:  # written by a version that knew other commands
        raise Refused("unknown") from None
