"""Commands about invitations. The token of a new one is in the answer to whoever asked, and nowhere else: it is worked out
anew for each answer, so a command that is sent again gets the same one.

Its hash is in the store before the table says that it opens a seat: a key without a seat opens nothing.
"""

import contextlib

from core.ids import Ids, SeatId
from core.roles import NOT_LENT, ROLES
from core.state import Role
from protocol.from_client import AddSeat, Command, LendSeat, RenewInvitation
from server import admission, auth, replies
from server.asked import Asked
from server.auth import SeatKey
from server.connection import Connection
from server.replies import Reply
from server.room import Room

MAKING = (AddSeat, RenewInvitation, LendSeat)


async def submit(room: Room, connection: Connection, key: SeatKey, message: Command, asked: Asked) -> Reply:
    """As Room.submit, and with the token where an invitation was made. Raises StoreAway, StoreProblem."""
    body = message.body
    if key.st is not None:
        return replies.of_protocol(message.seq, "read_only")
    if not isinstance(body, MAKING) or not _may(key, message):
        return await sweeping(room, asked)
    id = Ids(room.id_key, asked.id).new()  # the first that this command makes
    token = auth.made_token(room.id, id, room.id_key, asked.id, body.salt)
    await room.store.put_new_seat(room.id, id, _record(room, token, key, message))
    own = isinstance(body, RenewInvitation) and body.seat == key.seat
    with room.admission.promised(connection, id) if own else contextlib.nullcontext():
        answer = await sweeping(room, asked)
    if answer["t"] == "ack":
        return {**answer, "token": token}
    if id not in admission.keys_of(
        room.table
    ):  # else it is that of an earlier command of this number, with other content
        await room.store.drop_seat(room.id, id)
    return answer


async def sweeping(room: Room, asked: Asked) -> Reply:
    """As Room.submit; and the hashes of invitations that this has ended leave the store."""
    before = admission.keys_of(room.table)
    answer = await room.submit(asked)
    for key in before - admission.keys_of(room.table):
        await room.store.drop_seat(room.id, key)
    return answer


def _may(key: SeatKey, message: Command) -> bool:
    """Whether it can be done at all; where not, the refusal leaves no trace."""
    kind = message.body.kind
    role: Role = "player" if message.as_seat else key.role
    return role in ROLES[kind] and not (key.lent and kind in NOT_LENT)


def _record(room: Room, token: str, key: SeatKey, message: Command) -> bytes:
    if isinstance(body := message.body, AddSeat):
        return auth.record(token, body.role, body.name)
    id = body.seat if isinstance(body, RenewInvitation) else message.as_seat or key.seat
    seat = room.table.seats.get(SeatId(id))
    return auth.record(token, seat.role if seat else "spectator", seat.name if seat else "", id)
