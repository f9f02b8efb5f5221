"""Hidden and not there: the same bytes, on the same way. How long each takes: `make bench ARGS=refusals`."""

from collections.abc import Iterator

import pytest

from tests.secrecy.refused import NOTHING, TRIES, Hidden, Try
from tests.secrecy.still import still

pytestmark = pytest.mark.rule("TBL-04")


@pytest.fixture(scope="module")
def hidden() -> Iterator[Hidden]:
    with still():
        one = Hidden()
        yield one
        one.side.end()


@pytest.mark.parametrize("one", TRIES, ids=lambda one: one.name)
def test_what_is_hidden_is_refused_as_what_is_not_there(hidden: Hidden, one: Try) -> None:
    """The answers differ in the number they bear, which is as long; the store is asked for the same, and as much
    (the place where it keeps a number may have a digit more)."""
    left, right = (hidden.tried(one, id) for id in (hidden.ids[one.hidden], NOTHING))
    assert len(left[0]) == len(right[0])
    assert sum(a != b for a, b in zip(left[0], right[0], strict=True)) <= 2, (left[0], right[0])
    assert [name for name, _ in left[1]] == [name for name, _ in right[1]]
    assert all(abs(size - other) <= 1 for (_, size), (_, other) in zip(left[1], right[1], strict=True))
    assert b"code" in left[0]
