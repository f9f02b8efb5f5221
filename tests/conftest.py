"""Of all tests: how patient they are."""

from protocol.client import Table

PATIENCE_S = 60.0
"""So long an SDK client waits unless it is told otherwise: usually 10 and 30 s, here the machine may be busy."""

Table.until.__defaults__ = (PATIENCE_S,)
for wait in (Table.command, Table.ask):
    wait.__kwdefaults__ = {**(wait.__kwdefaults__ or {}), "timeout": PATIENCE_S}
