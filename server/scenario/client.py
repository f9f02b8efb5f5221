"""One connection of a scenario: an SDK client with a name, what it has been told, how it leaves and comes back.

Everything goes over a real socket; nothing of the server is looked at from inside.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from protocol.client import Saved, Table, Told, connect
from protocol.codec import MSGPACK, Frame
from protocol.from_server import Snapshot
from server.scenario.problems import ScenarioProblem

PATIENCE_S = 20.0
"""How long anything may take that must come by itself."""

Hear = Callable[[Told], None]


class Client:
    """`table` is there while it is connected. `heard`: every line of the log since the last `forget`."""

    def __init__(self, name: str, seat: str, invitation: str, *, language: str = "en") -> None:
        self.name = name
        self.seat = seat
        self.invitation = invitation
        self.language = language
        self.heard: list[Told] = []
        self.before = 0
        self.snapshots = 0
        self.saved: Saved | None = None
        self.hear: Hear | None = None
        self._table: Table | None = None
        self._stack = contextlib.AsyncExitStack()
        self._listening: asyncio.Task[None] | None = None
        self._told_up_to = 0
        self._news = asyncio.Condition()

    @property
    def online(self) -> bool:
        return self._table is not None

    @property
    def table(self) -> Table:
        if self._table is None:
            raise ScenarioProblem(f"{self.name} is not connected at this moment")
        return self._table

    @property
    def known(self) -> dict[str, object]:
        """All it knows now, or knew when it left."""
        return dict(self._table.state if self._table else self.saved.state if self.saved else {})

    async def sit_down(self) -> int:
        """Connects; with what it knew before, if it has been here. Returns how many changes it had missed."""
        saved, self.snapshots = self.saved, 0
        self._table = await self._stack.enter_async_context(
            connect(
                self.invitation, resume=saved, language=self.language, frames=self._frame,
                timeout=PATIENCE_S, backoff_s=(0.1, 1.0),
            )
        )  # fmt: skip
        missed = self.table.n - saved.n if saved else 0
        self._told_up_to = self.table.n
        if saved and not self.snapshots and missed:
            for told in await self.table.log(limit=min(200, missed)):
                if told.n > saved.n:
                    self._take(told)
        self._listening = asyncio.create_task(self._listen(self.table), name=f"listening: {self.name}")
        return missed

    async def break_off(self) -> None:
        """As a cable that is cut, and nobody plugs it in again before `sit_down`."""
        table = self.table
        table.drop()
        await self.leave()
        self.saved = table.saved

    async def leave(self) -> None:
        """Closes the connection, if there is one."""
        await self._stack.aclose()
        self._table = None
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    def forget(self) -> None:
        """What comes from now on belongs to the next step."""
        self.heard.clear()
        self.before = self._table.n if self._table else self.saved.n if self.saved else 0

    @property
    def changes(self) -> int:
        """How many changes it was sent since the last `forget`, missed ones included once it is back."""
        return self.table.n - self.before

    async def hear_all(self) -> None:
        """Everything that was sent before this moment has arrived and been taken in."""
        table = self.table
        await table.ask("log", limit=1, timeout=PATIENCE_S)  # answered behind whatever was on its way
        async with asyncio.timeout(PATIENCE_S), self._news:
            await self._news.wait_for(lambda: self._told_up_to >= table.n)

    def _frame(self, frame: Frame) -> None:
        self.snapshots += isinstance(MSGPACK.decode_from_server(frame), Snapshot)

    async def _listen(self, table: Table) -> None:
        async for update in table.updates():
            for told in update.lines:
                self._take(told)
            self._told_up_to = update.n
            async with self._news:
                self._news.notify_all()

    def _take(self, told: Told) -> None:
        self.heard.append(told)
        if self.hear is not None:
            self.hear(told)


async def all_of(waiting: list[Awaitable[object]]) -> None:
    """All at once; the first problem is raised after all have ended."""
    for outcome in await asyncio.gather(*waiting, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
