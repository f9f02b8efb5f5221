"""What the clients of one table sent and got, written down by themselves, in the order of time.

An event is (kind, line, value); `line` numbers the connections.

open   the facts of a connection that is about to say HELLO: audience, seat, client, resume ([epoch, n] or None), final
sent   a frame, noted before it leaves
got    a frame, noted when it has arrived
shut   the connection is over
gone   it was ended for good, although the seat is its own; why
calm   all faults are over, and everybody has had the time to hear everything (at the end, once)
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgpack

Event = tuple[str, int, Any]


class History:
    """A list that only grows. Its order is the order of time: one event loop writes it."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.events: list[Event] = list(events)
        self._lines = 0

    def open(
        self, audience: str, seat: str, client: str, resume: tuple[str, int] | None = None, *, final: bool = False
    ) -> int:
        """A new connection; its number."""
        self._lines += 1
        facts = {"audience": audience, "seat": seat, "client": client, "resume": resume, "final": final}
        self.events.append(("open", self._lines, facts))
        return self._lines

    def sent(self, line: int, frame: bytes) -> None:
        self.events.append(("sent", line, frame))

    def got(self, line: int, frame: bytes) -> None:
        self.events.append(("got", line, frame))

    def shut(self, line: int) -> None:
        self.events.append(("shut", line, None))

    def gone(self, line: int, why: str) -> None:
        self.events.append(("gone", line, why))

    def calm(self) -> None:
        self.events.append(("calm", 0, None))

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def save(self, file: Path) -> None:
        file.write_bytes(b"".join(msgpack.packb(event) for event in self.events))

    @classmethod
    def load(cls, file: Path) -> "History":
        with file.open("rb") as stream:
            return cls(tuple(event) for event in msgpack.Unpacker(stream))
