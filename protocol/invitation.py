"""What somebody was given to sit down at a table: an address and a token in one line."""

import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from protocol import texts
from protocol.version import PATH

_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


def new_salt() -> str:
    """What a command that makes an invitation says besides: letters that nobody can guess."""
    return secrets.token_urlsafe(16)


class BadInvitation(ValueError):
    """The line is no invitation. The text never repeats it: it holds a secret. `why`: a word of texts "invitations"."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why

    def said(self, language: str) -> str:
        return texts.word("invitations", self.why, language)

    def __str__(self) -> str:
        return self.said("en")


@dataclass(frozen=True, slots=True)
class Invitation:
    """`url` is where the WebSocket lives. The token stands behind the "#", which no browser sends and no log keeps."""

    url: str
    token: str = field(repr=False)

    @classmethod
    def read(cls, text: str) -> "Invitation":
        """From `http(s)://host:port/#table.seat.secret`, or the same with ws(s). Raises BadInvitation."""
        try:
            parts = urlsplit(text.strip())
            port = parts.port
        except ValueError:
            raise BadInvitation("unreadable") from None
        if parts.scheme not in _SCHEMES or not parts.hostname:
            raise BadInvitation("beginning")
        if parts.fragment.count(".") != 2 or not all(parts.fragment.split(".")):
            raise BadInvitation("end")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        base = parts.path.rstrip("/").removesuffix(PATH)
        address = f"{host}:{port}" if port else host
        return cls(f"{_SCHEMES[parts.scheme]}://{address}{base}{PATH}", parts.fragment)

    def at(self, address: str) -> "Invitation":
        """The same seat at another address of the same servers. Raises BadInvitation."""
        return self.read(f"{address.partition('#')[0].rstrip('/')}/#{self.token}")

    def of(self, token: str) -> str:
        """The line that is given to somebody for another seat here."""
        scheme, _, address = self.url.removesuffix(PATH).partition("://")
        return f"{'https' if scheme == 'wss' else 'http'}://{address}/#{token}"

    @property
    def here(self) -> bool:
        """Whether it leads to this very machine, past any proxy."""
        return urlsplit(self.url).hostname in ("localhost", "127.0.0.1", "::1")
