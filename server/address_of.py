"""Where a connection comes from: the peer's address, or what a proxy says of it that is trusted.

Anybody may write these headers, so they are read from their end, which the nearest proxy wrote, and no further back than to
the first address that is no trusted proxy's.
"""

import ipaddress
import re
from collections.abc import Mapping, Sequence

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_FOR = re.compile(r"for\s*=\s*(\"[^\"]*\"|[^;,\s]*)", re.IGNORECASE)


def address_of(peer: str, headers: Mapping[str, Sequence[str]], trusted: Sequence[Network]) -> str:
    """An address without port. `headers`: the values of each by its name in small letters.

    A proxy writes X-Forwarded-For or Forwarded, and may pass on the other as the client sent it. Where both are there and
    differ, neither is believed.
    """
    plain = [hop.strip() for line in headers.get("x-forwarded-for", ()) for hop in line.split(",")]
    named = [hop.strip('"') for line in headers.get("forwarded", ()) for hop in _FOR.findall(line)]
    found = {_nearest(peer, hops, trusted) for hops in (plain, named) if hops}
    return found.pop() if len(found) == 1 else peer


def _nearest(peer: str, hops: Sequence[str], trusted: Sequence[Network]) -> str:
    """The last address that no trusted proxy has; where all of them are, the first; never one that cannot be read."""
    nearest = peer
    for hop in reversed(hops):
        if not trusts(trusted, nearest) or (address := _without_port(hop)) is None:
            break
        nearest = address
    return nearest


def trusts(trusted: Sequence[Network], address: str) -> bool:
    """Whether it is one of these proxies."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(known, "ipv4_mapped", None) or known
    return any(mapped in network for network in trusted)


def _without_port(hop: str) -> str | None:
    """ "192.0.2.1:47", "[2001:db8::1]:47", "2001:db8::1" -> the address; None for "unknown" and "_names"."""
    if hop.startswith("["):
        hop = hop[1:].partition("]")[0]
    elif hop.count(":") == 1:
        hop = hop.partition(":")[0]
    try:
        return str(ipaddress.ip_address(hop))
    except ValueError:
        return None
