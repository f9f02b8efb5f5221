"""A short form of `make faults`: each fault a few times, some of its controls, some of the seeded mistakes."""

from collections.abc import Iterator

import pytest

from tests.faults.box import NO_SHIM, shim
from tests.faults.bugs import BUGS
from tests.faults.faults import FAULTS, Control, fails, suffer
from tests.faults.nursery import Nursery

pytestmark = pytest.mark.timeout(600)  # their own patience is shorter, and says what was waited for
SEED = 1
CONTROLS = ("power", "answers", "news")
SEEDED = ("ack_before_commit", "stale_head_accepted", "dropped_rewind", "snapshot_gap")
"""The quick ones; all of them stand in the long form."""


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as found:
        yield found


def needs(name: str) -> None:
    if FAULTS[name].shim and shim() is None:
        pytest.skip(NO_SHIM)


@pytest.mark.parametrize("name", FAULTS)
async def test_under_a_fault_nothing_is_lost_doubled_or_told_in_another_order(nursery: Nursery, name: str):
    needs(name)
    fault = FAULTS[name]
    tally = await suffer(nursery, fault, fault.often[1], seed=SEED, at_once=2, spare=2, patience=4, within_s=240)
    assert not tally.violations
    assert not tally.missed
    assert tally.acked


@pytest.mark.parametrize("name", CONTROLS)
async def test_without_its_protection_the_same_fault_shows(nursery: Nursery, name: str):
    needs(name)
    assert await fails(nursery, FAULTS[name], FAULTS[name].controls[-1], seed=SEED)


@pytest.mark.parametrize("name", SEEDED)
async def test_a_mistake_put_into_the_server_is_found(nursery: Nursery, name: str):
    bug = BUGS[name]
    found = await fails(nursery, FAULTS[bug.needs or "none"], Control(bug.words, name, quiet=False), seed=SEED)
    assert found


def test_there_are_enough_mistakes_and_every_fault_has_a_control():
    assert len(BUGS) >= 15
    no_faults = {"none", "still", "hurry"}
    assert {name for name, fault in FAULTS.items() if not fault.controls} == no_faults
    assert {bug.needs for bug in BUGS.values()} - {""} <= FAULTS.keys()
