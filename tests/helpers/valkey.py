"""A real Valkey for the tests, durable as in play: started once, emptied between tests.

Import the fixtures into a conftest: `from tests.helpers.valkey import store, valkey, valkey_server`.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import redis as redis_py

from server.store.embedded import Embedded
from server.store.redis import RedisStore


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[str]:
    """The address of a server that lives as long as the test run."""
    with tempfile.TemporaryDirectory(prefix="overseer-test-") as directory:
        embedded = Embedded(Path(directory) / "data")
        with asyncio.Runner() as runner:
            url = runner.run(embedded.start())
            yield url
            runner.run(embedded.stop())


@pytest.fixture
def valkey(valkey_server: str) -> str:
    """The address of an empty server."""
    with redis_py.Redis.from_url(valkey_server) as client:
        client.flushall()
    return valkey_server


@pytest.fixture
async def store(valkey: str) -> AsyncIterator[RedisStore]:
    """A connected store on an empty server."""
    connected = await RedisStore.connect(valkey)
    yield connected
    await connected.close()
