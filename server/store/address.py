"""The address of a store, read: one server, the Sentinels that know which server it is, or a cluster. Opens nothing.

    redis://[user:password@]host:6379/0               one server (rediss:// with TLS, unix:///path on this machine)
    redis+sentinel://host:26379,host:26379/name       its Sentinels, and the name they know it by
    redis+cluster://host:6379,host:6379               some servers of a cluster; the others are learnt from them

rediss+sentinel and rediss+cluster are the same with TLS. A user and password before the @ are the servers'; Sentinels that
want one of their own get it from `?sentinel_password=`.
"""

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

Kind = Literal["single", "sentinel", "cluster"]
Place = tuple[str, int]

_PORTS = {"sentinel": 26379, "cluster": 6379}


@dataclass(frozen=True, slots=True)
class Address:
    """`places` is empty for one server: `url` is its address then, else one into which a place is put (`at`)."""

    kind: Kind
    url: str = field(repr=False)
    places: tuple[Place, ...] = ()
    name: str = ""  # by which Sentinels know it
    sentinel_password: str | None = field(default=None, repr=False)

    @property
    def fails_over(self) -> bool:
        """Whether another server takes over by itself when the first one fails."""
        return self.kind != "single"

    def at(self, place: Place) -> str:
        """The address of one server of it, as redis-py reads it."""
        host, port = place
        before, _, after = self.url.rpartition("@-")
        return f"{before}@[{host}]:{port}{after}" if ":" in host else f"{before}@{host}:{port}{after}"

    @property
    def shown(self) -> str:
        """Where it is, for people: never with the password."""
        if self.places:
            several = ", ".join(f"{host}:{port}" for host, port in self.places)
            return f"{self.name} (Sentinels {several})" if self.name else f"the cluster {several}"
        parts = urlsplit(self.url)
        if parts.scheme == "unix":
            return unquote(parts.path)
        return f"{parts.hostname or 'localhost'}:{parts.port or 6379}"


def read(text: str) -> Address:
    """Raises ValueError, which may quote the password."""
    scheme, found, rest = text.partition("://")
    base, _, kind = scheme.partition("+")
    if not found or base not in ("redis", "rediss", "unix") or (kind and base == "unix"):
        raise ValueError("no address of a store")
    if not kind:
        parts = urlsplit(text)
        _ = parts.port  # raises where it is no port number
        if parts.path.startswith("/") if base == "unix" else parts.hostname:
            return Address("single", text)
        raise ValueError("no address of a store")
    if kind not in _PORTS:
        raise ValueError("no address of a store")
    rest, _, query = rest.partition("?")
    whole, _, path = rest.partition("/")
    login, at, hosts = whole.rpartition("@")
    places = tuple(_place(one, _PORTS[kind]) for one in hosts.split(",") if one)
    name, _, database = path.partition("/") if kind == "sentinel" else ("", "", path)
    if not places or database not in ("", "0") or bool(name) != (kind == "sentinel"):
        raise ValueError("no address of a store")
    options = dict(parse_qsl(query))
    password = options.pop("sentinel_password", None)
    asked = f"?{urlencode(options)}" if options else ""
    url = f"{base}://{login if at else ''}@-/0{asked}"
    return Address("sentinel" if name else "cluster", url, places, unquote(name), password)


def _place(text: str, port: int) -> Place:
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.path or parts.username is not None:
        raise ValueError("no host")
    return parts.hostname, parts.port or port
