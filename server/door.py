"""How many connections there may be, and from where: looked at before a handshake costs anything. Pure; the time goes in.

Whoever has not shown a token yet counts as unknown: there are few of those, and each has few seconds.
"""

import ipaddress
import math
from collections import Counter
from dataclasses import dataclass
from http import HTTPStatus

from server.config import Settings
from server.limits import FULL_OF_JOINS_ALL_S, FULL_S, Bucket, Buckets, Rate, take

SITE_BITS = 64
"""Of an IPv6 address: what one household has of them. All after these its owner chooses as he likes."""
CALM_S = 0.2
"""More than so many seconds' worth of joins at once are greeted one after the other: a hundred in one go hold up all who are
there."""
SHARE = 4
"""One address may have this part of all unknown connections."""
AGAIN_S = 5
"""When to come back where there is no telling when a place will be free."""


@dataclass(frozen=True, slots=True)
class Full:
    """Nobody is let in: what to answer, and after how many seconds to come again."""

    status: HTTPStatus
    text: str
    after_s: int


class Door:
    """`enter` when a client knocks; then `shown` when its token was good, and `leave` when it goes."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._knocks = Buckets(Rate(2 * settings.rate_joins, FULL_S * settings.rate_joins))
        self._knocks_all = Bucket(Rate(2 * settings.rate_joins_all, FULL_OF_JOINS_ALL_S * settings.rate_joins_all))
        self._joins_all = Bucket(Rate(settings.rate_joins_all, FULL_OF_JOINS_ALL_S * settings.rate_joins_all))
        self._calm = Bucket(Rate(settings.rate_joins_all, CALM_S * settings.rate_joins_all))
        self._joins = Buckets(Rate(settings.rate_joins, FULL_S * settings.rate_joins))
        self._all: Counter[str] = Counter()
        self._unknown: Counter[str] = Counter()

    def knock(self, address: str, now: float) -> Full | None:
        """None: whoever comes is heard: he wants a page, or to know whether the server is well, or to join.

        `address`: "" where many come through one.
        """
        its_own = self._knocks.of(address, now) if address else Bucket(Rate(0, 0))
        if not take([its_own, self._knocks_all], 1, now):
            return None
        return self._too_often(its_own, now)

    def enter(self, address: str, now: float) -> Full | None:
        """None: come in."""
        if self._reached(self._settings.connections, self._all.total()):
            return Full(HTTPStatus.SERVICE_UNAVAILABLE, "this server has as many connections as it takes", AGAIN_S)
        if self._reached(self._settings.connections_unknown, self._unknown.total()):
            return Full(HTTPStatus.SERVICE_UNAVAILABLE, "too many are coming in at this moment", 1)
        if self._reached(self._settings.connections_address, self._all[address]):
            return Full(HTTPStatus.TOO_MANY_REQUESTS, "there are too many connections from your address", AGAIN_S)
        if self._reached(-(-self._settings.connections_unknown // SHARE), self._unknown[address]):
            return Full(HTTPStatus.TOO_MANY_REQUESTS, "too many are coming in from your address at this moment", 1)
        its_own = self._joins.of(address, now)
        if take([its_own, self._joins_all], 1, now):
            return self._too_often(its_own, now)
        self._all[address] += 1
        self._unknown[address] += 1
        return None

    def turn_s(self, now: float) -> float:
        """In how long whoever has just entered is greeted: where many come at once, one after the other."""
        return self._joins_all.turn_s(1, now, 1) if take([self._calm], 1, now) else 0.0

    def shown(self, address: str) -> None:
        _less(self._unknown, address)

    def leave(self, address: str, *, shown: bool) -> None:
        _less(self._all, address)
        if not shown:
            _less(self._unknown, address)

    def _too_often(self, its_own: Bucket, now: float) -> Full:
        if wait_s := its_own.wait_s(1, now):
            return Full(HTTPStatus.TOO_MANY_REQUESTS, "your address opens too many connections", math.ceil(wait_s))
        return Full(HTTPStatus.SERVICE_UNAVAILABLE, "too many are coming in at this moment", 1)

    def _reached(self, most: int, there: int) -> bool:
        return 0 < most <= there


def household(address: str) -> str:
    """Who is counted for an address: itself; of IPv6 the network of its household."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:  # a Unix socket has none
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, SITE_BITS), strict=False).network_address)


def _less(counts: Counter[str], address: str) -> None:
    counts[address] -= 1
    if not counts[address]:
        del counts[address]
