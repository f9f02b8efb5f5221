"""Of all tests: how patient they are, and that none leaves its way of logging to the next."""

import logging
from collections.abc import Iterator

import pytest

from protocol.client import Table
from server.log import Lines

PATIENCE_S = 60.0
"""So long an SDK client waits unless it is told otherwise: usually 10 and 30 s, here the machine may be busy."""

Table.until.__defaults__ = (PATIENCE_S,)
for wait in (Table.command, Table.ask):
    wait.__kwdefaults__ = {**(wait.__kwdefaults__ or {}), "timeout": PATIENCE_S}


@pytest.fixture(autouse=True)
def logs_to_nobody_afterwards() -> Iterator[None]:
    """The command line logs to standard error, which for a test is closed when it is over; tasks of later tests log too."""
    root = logging.getLogger()
    level = root.level
    yield
    root.handlers[:] = [one for one in root.handlers if not isinstance(one.formatter, Lines)]
    root.setLevel(level)
