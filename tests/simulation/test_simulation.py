"""Five hundred evenings in which everything breaks, each on a time of its own; unlimited as `make simulate`."""

import pytest

from tests.faults.bugs import BUGS
from tests.simulation.runner import run

SEEDS = 500
WEAK_FROM, WEAK = 90, 40
QUICK = ("own_try_forgotten", "stale_head_accepted", "resume_gap", "resume_overlap", "ack_before_commit")
"""Mistakes that a few seeds show; `make simulate ARGS=--bugs` looks for all."""


@pytest.mark.timeout(600)  # a minute on two cores that have nothing else to do
def test_in_none_of_the_seeds_anything_is_lost_doubled_or_told_in_another_order():
    results = list(run(1, SEEDS))
    wrong = [
        f"make simulate ARGS='--seed {result.seed}': {result.violations[0].words}"
        for result in results
        if result.violations
    ]
    assert not wrong
    assert len(results) == SEEDS
    assert sum(result.acked for result in results) > 10 * SEEDS


@pytest.mark.timeout(300)
def test_where_the_store_forgets_what_it_had_confirmed_nobody_goes_on_as_if_nothing_were():
    results = list(run(WEAK_FROM, WEAK, weak=True))
    wrong = [f"seed {result.seed}: {result.violations[0].words}" for result in results if result.violations]
    assert not wrong
    assert sum(result.told.get("failed_over", 0) for result in results) > WEAK / 3


def test_a_seed_is_the_same_whenever_it_is_lived_through():
    first, again = ({result.seed: result.trace for result in run(31, 4, workers=n)} for n in (2, 1))
    assert first == again
    assert len(set(first.values())) == 4


@pytest.mark.parametrize("name", QUICK)
def test_a_mistake_put_into_the_server_is_found(name: str):
    assert any(result.found(waits=BUGS[name].waits) for result in run(1, SEEDS, bug=name))
