"""Tokens: what opens a seat, how it is checked, the link it travels in. A token itself is never kept, only its hash.

A token is `table.seat.secret`. The table and the seat find the hash; the secret has 192 random bits.
"""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Protocol

import msgpack

from core.state import Role

SECRET_BYTES = 24
_NOTHING = "0" * 64


class SeatStore(Protocol):
    """The one thing checking needs of the store."""

    async def seat(self, table: str, seat: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class SeatKey:
    """A seat whose token was shown: which table, which seat, in what role."""

    table: str
    seat: str
    role: Role
    name: str

    @property
    def audience(self) -> str:
        """Whose bytes this seat gets: all STs together, all spectators together, or its own."""
        return {"st": "st", "spectator": "all"}.get(self.role, self.seat)


def new_id() -> str:
    """A table's or seat's id: 48 random bits, fit for a token and for a key of the store."""
    while True:
        id = base64.urlsafe_b64encode(secrets.token_bytes(6)).decode()
        if id[0].isalnum():  # typed on a command line, "-..." would be an option
            return id


def new_token(table: str, seat: str) -> str:
    return f"{table}.{seat}.{secrets.token_urlsafe(SECRET_BYTES)}"


def record(token: str, role: Role, name: str) -> bytes:
    """What the store keeps of a seat."""
    packed: bytes = msgpack.packb({"hash": _hash(token), "role": role, "name": name})
    return packed


def named(kept: bytes) -> tuple[str, Role]:
    """(name, role) of a kept record."""
    seat = msgpack.unpackb(kept)
    return seat["name"], seat["role"]


async def check(store: SeatStore, token: str) -> SeatKey | None:
    """The seat this token opens, or None. Wrong and unknown take the same way."""
    table, _, rest = token.partition(".")
    seat, _, secret = rest.partition(".")
    if not (table and seat and secret) or len(token) > 200:
        return None
    kept = await store.seat(table, seat)
    known = msgpack.unpackb(kept) if kept else {}
    if not hmac.compare_digest(known.get("hash", _NOTHING), _hash(token)):
        return None
    return SeatKey(table, seat, known["role"], known["name"])


def invitation(address: str, token: str) -> str:
    """The link that is sent to a person. What stands after # is never sent to a web server, so no log has it."""
    return f"{address}/#{token}"


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
