"""What has happened, one change after another, for whoever wants to follow. Bounded: the slow get larger pieces."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from protocol import texts
from protocol.lines import By, Line

QUEUE = 256
"""Changes that wait for one reader. Beyond it the two newest become one; the state is always the newest anyway."""
LINES = 1000
"""Lines that one merged change keeps; older ones of it are counted in `missed` (and are there by ask("log"))."""


@dataclass(frozen=True, slots=True)
class Told:
    """A line of the log as a client has it: with the time it happened at, and able to say itself."""

    line: Line
    at: int
    """ms since the Unix epoch, whole seconds, on the server's clock."""
    n: int
    language: str
    seats: Mapping[str, str] = field(repr=False, default_factory=dict)
    undone: bool = False
    """A later rewind has undone it. Known of older lines only, as `log` gives them."""

    @property
    def kind(self) -> str:
        return self.line.kind

    @property
    def by(self) -> By:
        return self.line.by

    @property
    def fields(self) -> Mapping[str, Any]:
        return self.line.fields

    def __getitem__(self, name: str) -> Any:
        return self.line.fields[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self.line.get(name, default)

    def text(self, language: str | None = None) -> str:
        """The line as a sentence."""
        return texts.say(self.line, language or self.language, self.seats)

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True, slots=True)
class TableUpdate:
    """One change: the lines told with it and the paths that changed. `reason`: all was told anew (a snapshot).

    `missed` counts lines that a slow reader has lost. After a snapshot, what happened in between is in no line.
    """

    n: int
    lines: tuple[Told, ...]
    changed: frozenset[str]
    reason: str | None = None
    missed: int = 0

    def and_then(self, later: "TableUpdate") -> "TableUpdate":
        """Both as one."""
        lines = self.lines + later.lines
        lost = max(0, len(lines) - LINES)
        return TableUpdate(
            n=later.n,
            lines=lines[lost:],
            changed=self.changed | later.changed,
            reason=later.reason or self.reason,
            missed=self.missed + later.missed + lost,
        )


class Pulse:
    """Wakes everybody who waits for the next beat."""

    def __init__(self) -> None:
        self._next: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def beat(self) -> None:
        now, self._next = self._next, asyncio.get_running_loop().create_future()
        now.set_result(None)

    async def wait(self) -> None:
        # Shielded: one who stops waiting must not cancel the others' future.
        await asyncio.shield(self._next)


class Updates:
    """`async for update in table.updates()`: everything from the moment it was made.

    Ends when the table is closed; raises Closed if the server ended it.
    """

    def __init__(self, pulse: Pulse, ended: Callable[[], bool]) -> None:
        self._pulse = pulse
        self._ended = ended
        self._waiting: deque[TableUpdate] = deque()

    def put(self, update: TableUpdate) -> None:
        if len(self._waiting) >= QUEUE:
            update = self._waiting.pop().and_then(update)
        self._waiting.append(update)

    def __aiter__(self) -> "Updates":
        return self

    async def __anext__(self) -> TableUpdate:
        while not self._waiting:
            if self._ended():
                raise StopAsyncIteration
            await self._pulse.wait()
        return self._waiting.popleft()
