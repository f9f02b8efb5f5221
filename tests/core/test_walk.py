"""Random commands by random seats on random tables never break what holds (tests/walk/holds.py); `make soak` goes on."""

from dataclasses import fields
from random import Random

import pytest

from core.decide import DECIDERS
from core.refusals import CODES
from core.state import House
from tests.core.test_completeness import RAISED_BY_THE_SERVER, all_events
from tests.walk.draws import CANNOT_BE_REFUSED, DRAWN
from tests.walk.machine import STEPS, Tally, explore, play
from tests.walk.tables import a_value

WALKS = range(120)

NEVER_MET = {
    "TableMade": "a table is made before anybody walks on it",
    "TableBrought": "a table is brought from a file by an operator, before anybody walks on it",
    "SeedLeft": "a seed is left behind where a table is brought from a file",
    "Faulted": "a rule that raises is a fault",
}
"""Events that no walk brings about, and why."""
SELDOM = {"never accepted: Withdraw"}
"""Gaps that so short a walk may have: a house rule, a readied action that met the act, and its owner's second thought."""


@pytest.fixture(scope="module")
def tally() -> Tally:
    tally = Tally()
    explore(WALKS, tally)
    return tally


@pytest.mark.timeout(900)  # a failing walk is made shorter, which takes longer than all of them
@pytest.mark.rule("IMM-02", "IMM-04", "IMM-06", "IMM-07", "RDY-03", "XS-07", "TBL-02")
def test_whatever_is_sent_the_table_stays_whole(tally: Tally):
    assert tally.steps >= 20_000


def test_every_command_there_is_is_accepted_and_refused_in_the_walks(tally: Tally):
    assert set(DRAWN) == set(DECIDERS)
    assert set(DRAWN) > set(CANNOT_BE_REFUSED)
    assert set(tally.gaps()) <= SELDOM


def test_a_good_share_is_accepted(tally: Tally):
    accepted = sum(n for (_, done), n in tally.counts.items() if done)
    assert accepted > 0.4 * sum(tally.counts.values()), tally.table()


def test_nearly_all_that_can_happen_happens_in_the_walks_and_nothing_goes_wrong_in_a_rule(tally: Tally):
    """The rest is met in longer walks; that each happens somewhere, test_completeness.py shows."""
    missed = set(all_events()) - tally.events.keys() - set(NEVER_MET)
    assert len(missed) <= 3, missed
    assert "Faulted" not in tally.events


def test_most_refusals_are_met_in_the_walks(tally: Tally):
    missed = set(CODES) - RAISED_BY_THE_SERVER - {"clock_due"} - tally.codes.keys()
    assert len(missed) <= 12, missed


def test_every_house_rule_is_drawn():
    for rule in fields(House):
        values = {a_value(Random(k), rule.name) for k in range(50)}
        assert getattr(House(), rule.name) in values, rule.name


def test_the_same_numbers_are_the_same_walk():
    numbers = [Random(k).randrange(1, 2**24) for k in range(STEPS)]
    one, other = play(7, numbers), play(7, [*numbers, 0])
    assert one.table == other.table
    assert [s.events for s in one.steps] == [s.events for s in other.steps]


def test_what_fails_says_how_to_walk_there_again(monkeypatch):
    def fails(_: object) -> None:
        raise AssertionError("as if")

    numbers = [Random(k).randrange(1, 2**24) for k in range(20)]
    monkeypatch.setattr("tests.walk.holds.EVERY_STEP", (fails,))
    with pytest.raises(AssertionError) as caught:
        play(7, numbers)
    assert f"--again 7,{numbers[0]}" in caught.value.__notes__[0]
