"""Whole evenings: real server processes, a real Valkey, real sockets, the Python SDK."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgpack
import pytest

from protocol.client import Table, connect
from server.store.embedded import attach
from tests.helpers.servers import Server, new_seat, new_table, serving
from tests.helpers.valkey import valkey, valkey_server

__all__ = ["valkey", "valkey_server"]

SWORD = {"act": "melee_attack", "slots": ["standard"], "pool": {"fixed": 6}, "name": "sword"}
STEP = {"act": "move", "slots": ["immediate"], "name": "step aside"}


class House:
    """A server with one table: an ST, Ann (Mira) and Bob (Goro), a Ghoul of the ST's, everyone seated by name."""

    def __init__(self, server: Server, data_dir: Path, stack: AsyncExitStack, redis_url: str | None = None) -> None:
        """redis_url: where the tables are, if not in the server's own store."""
        self.server = server
        self._redis_url = redis_url
        self.data_dir = data_dir
        self.invitations: dict[str, str] = {}
        self._stack = stack

    async def sit(self, name: str, *, at: Server | None = None, **options: Any) -> Table:
        """One more connection of a seat, on this server or another of the same store."""
        where = (at or self.server).address
        token = self.invitations[name].split("#", 1)[1]
        return await self._stack.enter_async_context(connect(f"{where}/#{token}", **options))

    async def second_server(self) -> Server:
        url = self._redis_url or await attach(self.data_dir)
        assert url is not None
        return await self._stack.enter_async_context(serving(redis_url=url))

    async def prepare(self, *practice: str, **house_rules: Any) -> Table:
        """The table, its seats and units; a fight in which Mira acts first. The ST's connection."""
        there = ("--redis-url", self._redis_url) if self._redis_url else ()
        self.invitations["ST"] = await new_table(self.server, self.data_dir, "Thursday", *practice, *there)
        for name in ("Ann", "Bob"):
            self.invitations[name] = await new_seat(self.server, self.data_dir, name, *there)
        st = await self.sit("ST")
        seats = {name: id for id, name in st.seats.items()}
        for key, value in house_rules.items():
            await st.command("set_house", key=key, value=value)
        for name, owner, initiative in (("Mira", "Ann", 30), ("Goro", "Bob", 20), ("Ghoul", None, 10)):
            unit = {
                "name": name,
                "side": "heroes" if owner else "foes",
                "initiative": initiative,
                "tracks": {"hp": {"value": 12, "max": 12}},
                "abilities": [SWORD, STEP],
                "base": 1,
                "dodge": 1,
                "on_stage": True,
            }
            await st.command("add_unit", unit=unit, owner=seats[owner] if owner else None)
        await st.command("start_fight")
        return st


@pytest.fixture
async def evening(tmp_path: Path) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving("--data-dir", str(tmp_path / "data")))
        yield House(server, tmp_path / "data", stack)


class Heard:
    """What a connection was sent from now on: the bytes of every DIFF, and how many snapshots."""

    def __init__(self, table: Table) -> None:
        self.diffs: list[bytes] = []
        self.snapshots = 0
        table.frames = self.note

    def note(self, frame: str | bytes) -> None:
        message = msgpack.unpackb(frame) if isinstance(frame, bytes) else {}
        if isinstance(message, list):
            self.diffs.append(bytes(frame))  # type: ignore[arg-type]
        elif message["t"] == "snapshot":
            self.snapshots += 1
