"""Of all tests: how patient they are."""

from protocol.client import Table

PATIENCE_S = 60.0
"""A client waits 10 s for what it is to see unless it is told otherwise; a machine with all else to do may need more."""

Table.until.__defaults__ = (PATIENCE_S,)
