"""The TypeScript that is made from the contract is of this contract."""

import pytest

from protocol import typescript


@pytest.mark.parametrize("name", typescript.files())
def test_it_is_made_anew(name: str):
    """After a change of messages, lines or texts: .venv/bin/python -m protocol.typescript."""
    assert (typescript.HERE / name).read_text(encoding="utf-8") == typescript.files()[name]


def test_nothing_else_lies_there():
    assert {path.name for path in typescript.HERE.iterdir()} == set(typescript.files())
