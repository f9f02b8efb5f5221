"""Bulk: a thousand pairs, and a few of the planted leaks. `make secrets` does more of both."""

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.secrecy.__main__ import SHARE, shares
from tests.secrecy.bugs import BUGS
from tests.secrecy.kinds import KINDS
from tests.secrecy.run import Found, many
from tests.secrecy.script import COMMANDS

PAIRS = 1000
STEPS = 10
pytestmark = pytest.mark.rule("TBL-04")


def together(results: Iterator[Found]) -> Found:
    total = Found()
    for found in results:
        total.add(found)
        if total.leaks:
            break
    return total


@pytest.mark.timeout(300)
def test_tables_that_differ_in_secrets_send_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    found = together(many(1, PAIRS, steps=STEPS))
    assert not found.leaks, found.leaks[0]
    assert found.pairs == PAIRS
    assert found.canaries > 10 * PAIRS, "hidden words and numbers to search for"
    assert found.bytes > 5000 * PAIRS
    few = shares(found)
    assert not few, f"in less than {SHARE:.0%} of the pairs: {few}\n{capsys.readouterr().out}"


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "name", ["hidden_rolls_told", "hidden_refused_otherwise", "ids_that_count", "windows_that_tell"]
)
def test_planted_leaks_are_found(name: str) -> None:
    assert together(many(1, 200, steps=STEPS, bug=name, workers=1, size=4)).leaks, BUGS[name].words


def test_there_is_a_leak_for_every_way_out_and_a_kind_for_every_secret() -> None:
    assert len(BUGS) >= 15
    assert len(KINDS) >= 30


def test_a_kind_in_less_than_one_of_a_hundred_pairs_is_too_seldom() -> None:
    found = Found(pairs=200, secrets=Counter(dict.fromkeys(KINDS, 2)))
    found.commands.update({(name, True): 2 for name in COMMANDS})
    assert shares(found) == []
    found.secrets["whispers"] = 1
    found.commands["say", True] = 1
    found.commands["say", False] = 200
    assert shares(found) == ["whispers", "say"], "what is only refused proves nothing"
