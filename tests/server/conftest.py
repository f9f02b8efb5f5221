"""The real Valkey, and evenings at a table on one or two nodes of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
import uvloop

from server.presence import Presence
from server.rooms import Rooms
from server.store.redis import RedisStore
from tests.helpers.valkey import store, valkey, valkey_server
from tests.server.evening import Evening, begin

__all__ = ["store", "valkey", "valkey_server"]

ON_UVLOOP = {"test_http", "test_hostile", "test_too_much"}
"""What strangers do to a socket shows on the loop that servers run on: it differs from asyncio's own in when it reads."""
ON_BOTH = {"test_tls"}


def pytest_asyncio_loop_factories(item: pytest.Item) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.path.stem in ON_BOTH:
        return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
    return {"as servers": uvloop.new_event_loop} if item.path.stem in ON_UVLOOP else {"usual": asyncio.new_event_loop}


@pytest.fixture
async def nodes(valkey: str) -> AsyncIterator[tuple[Rooms, Rooms]]:
    """Two nodes on one store."""
    async with AsyncExitStack() as stack:
        found = []
        for _ in range(2):
            connected = await RedisStore.connect(valkey)
            stack.push_async_callback(connected.close)
            found.append(await stack.enter_async_context(Rooms(connected, Presence(connected, 1.0), 1.0)))
        yield found[0], found[1]


@pytest.fixture
async def evening(nodes: tuple[Rooms, Rooms]) -> AsyncIterator[Evening]:
    """A table with an ST, Ann and Bob, awake on both nodes; each seat listens on both."""
    async with AsyncExitStack() as stack:
        yield await begin(nodes, stack)
