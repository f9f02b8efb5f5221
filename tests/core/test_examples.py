"""Every command can be accepted: tests/helpers/examples.py has an example of each, which `make bench` measures."""

import pytest

from core.decide import DECIDERS, Decided
from tests.bench.rules import decided
from tests.helpers.examples import EXAMPLES


def test_every_command_has_an_example():
    assert set(EXAMPLES) == set(DECIDERS)


@pytest.mark.parametrize("kind", EXAMPLES, ids=lambda kind: kind.__name__)
def test_it_is_accepted(kind):
    game, command, by = EXAMPLES[kind](6)
    assert type(command) is kind
    assert isinstance(decided(game, command, by), Decided)
