"""Where a connection comes from: what is believed of a header, and of whom."""

import ipaddress

import pytest

from server.address_of import address_of

TRUSTED = [ipaddress.ip_network("10.0.0.0/24"), ipaddress.ip_network("fd00::/8")]
PROXY, CLIENT, FORGED = "10.0.0.2", "192.0.2.7", "203.0.113.1"


def found(peer: str, **headers: str | list[str]) -> str:
    given = {name.replace("_", "-"): [lines] if isinstance(lines, str) else lines for name, lines in headers.items()}
    return address_of(peer, given, TRUSTED)


def test_what_a_stranger_says_of_himself_counts_for_nothing():
    assert found(CLIENT, x_forwarded_for=FORGED) == CLIENT
    assert found(CLIENT, forwarded=f"for={FORGED}") == CLIENT
    assert address_of(PROXY, {"x-forwarded-for": [FORGED]}, []) == PROXY, "nobody is trusted unless it is said"


def test_a_trusted_proxy_tells_for_whom_it_speaks():
    assert found(PROXY, x_forwarded_for=CLIENT) == CLIENT
    assert found(PROXY, forwarded=f"for={CLIENT};proto=https;by=10.0.0.2") == CLIENT
    assert found("fd00::2", forwarded='for="[2001:db8::1]:4711"') == "2001:db8::1"
    assert found("::ffff:10.0.0.2", x_forwarded_for=f"{CLIENT}:4711") == CLIENT
    assert found(PROXY) == PROXY


def test_what_stands_before_the_clients_own_address_is_the_clients_own_invention():
    assert found(PROXY, x_forwarded_for=f"{FORGED}, {CLIENT}") == CLIENT
    assert found(PROXY, x_forwarded_for=[FORGED, f"{CLIENT}, 10.0.0.3"]) == CLIENT
    assert found(PROXY, forwarded=f"for={FORGED}, for={CLIENT}, for=10.0.0.3") == CLIENT


def test_of_two_headers_that_differ_one_is_forged_so_neither_counts():
    assert found(PROXY, x_forwarded_for=CLIENT, forwarded=f"for={FORGED}") == PROXY
    assert found(PROXY, x_forwarded_for=FORGED, forwarded=f"for={CLIENT}") == PROXY
    assert found(PROXY, x_forwarded_for=CLIENT, forwarded=f"for={CLIENT}") == CLIENT


@pytest.mark.parametrize("hop", ["unknown", "_secret", "", "1.2.3", "[", ":::", "for=", "999.1.1.1", "‮1"])
def test_what_is_no_address_is_no_address(hop: str):
    assert found(PROXY, x_forwarded_for=hop) == PROXY
    assert found(PROXY, forwarded=f'for="{hop}"') == PROXY
    assert found(PROXY, x_forwarded_for=f"{FORGED}, {hop}, 10.0.0.9") == "10.0.0.9"
