"""Where a table stands, as a value: what a command is decided on, and what its commit is compared with."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.state import Table
from server.store.values import Place


@dataclass(frozen=True, slots=True)
class Position:
    """One table at one version. `places` has every audience's epoch, n, and n at the last rewind."""

    id: str
    table: Table
    version: int
    head: str
    places: Mapping[str, Place]
