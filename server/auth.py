"""Tokens: what opens a seat, how it is checked, the link it travels in. A token itself is never kept, only its hash.

A token is `table.key.secret`. The table and the key find the hash; the secret has 192 random bits. The key of a seat's first
invitation is the seat's own id. Which keys open a seat at the moment, the table says (admission.py).
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
    """A seat whose token was shown: which table, which seat, in what role.

    `key`: by which invitation ("": the seat's first). `lent`: it is a loan. `st`: the ST's seat that only looks through
    the eyes of this one; then `key` is of his invitation.
    """

    table: str
    seat: str
    role: Role
    name: str
    key: str = ""
    lent: bool = False
    st: str | None = None

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


def new_token(table: str, key: str) -> str:
    return f"{table}.{key}.{secrets.token_urlsafe(SECRET_BYTES)}"


def made_token(table: str, key: str, table_key: bytes, command: str, salt: str) -> str:
    """The token that a command makes, the same whenever it is asked again, so that it need be kept nowhere.

    Neither who reads the store (he has the table's key, and no salt) nor who chose a bad salt can work out another's.
    """
    made = hmac.digest(table_key, f"token/{command}/{salt}".encode(), "sha256")[:SECRET_BYTES]
    return f"{table}.{key}.{base64.urlsafe_b64encode(made).decode()}"


def record(token: str, role: Role, name: str, seat: str = "") -> bytes:
    """What the store keeps under the key of an invitation. `seat`: which it opens, where it is not the seat's first."""
    packed: bytes = msgpack.packb({"hash": _hash(token), "role": role, "name": name} | ({"seat": seat} if seat else {}))
    return packed


async def check(store: SeatStore, token: str) -> SeatKey | None:
    """The seat this token was made for, or None. Wrong and unknown take the same way."""
    table, _, rest = token.partition(".")
    key, _, secret = rest.partition(".")
    if not (table and key and secret) or len(token) > 200:
        return None
    kept = await store.seat(table, key)
    known = msgpack.unpackb(kept) if kept else {}
    if not hmac.compare_digest(known.get("hash", _NOTHING), _hash(token)):
        return None
    seat = known.get("seat")
    return SeatKey(table, seat or key, known["role"], known["name"], key if seat else "")


def invitation(address: str, token: str) -> str:
    """The link that is sent to a person. What stands after # is never sent to a web server, so no log has it."""
    return f"{address}/#{token}"


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
