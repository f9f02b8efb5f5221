"""A short form of `make fuzz`: some thousand frames at the codec and in sessions, and that seeded mistakes are found."""

import pytest

from protocol import version
from tests.fuzz import many, spelling, world
from tests.fuzz.outcome import Outcome

QUICK = (("other_in_json", many.codec), ("answer_dropped", many.session))
"""Mistakes that one or two batches show; `make fuzz ARGS=--bugs` looks for all."""


@pytest.mark.parametrize("seed", [1])
def test_at_the_codec_each_frame_is_a_message_or_a_bad_one_the_same_in_both_encodings(seed: int):
    outcome = spelling.batch(seed, 2000)
    assert not outcome.faults
    assert outcome.frames >= 2000


@pytest.mark.parametrize("seed", [1, 2])
def test_in_a_session_each_frame_gets_its_one_answer(seed: int):
    outcome = world.batch(seed)
    assert not outcome.faults
    assert outcome.answered + outcome.closed == outcome.frames >= world.FRAMES


def test_a_batch_is_the_same_whenever_it_is_thrown():
    first, again = (world.play(7, version.MSGPACK, 60) for _ in range(2))
    assert first.answers == again.answers


@pytest.mark.parametrize(("name", "batch"), QUICK, ids=[name for name, _ in QUICK])
def test_a_seeded_mistake_is_found(name: str, batch: many.Batch):
    total = Outcome(0)
    for outcome in many.run(batch, 1, 8000, bug=name, workers=1):
        total.add(outcome)
        if total.faults:
            return
    raise AssertionError(f"{name} was not found in {total.frames} frames")
