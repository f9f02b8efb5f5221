"""A node: a store and the rooms on it. The server is a node with sockets; the command line is one without."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from server.config import Settings
from server.presence import Presence
from server.rooms import Rooms
from server.store.embedded import Embedded, attach
from server.store.redis import RedisStore

log = logging.getLogger("overseer.node")


@contextlib.asynccontextmanager
async def open_node(settings: Settings, *, beside: bool = False) -> AsyncIterator[Rooms]:
    """Rooms on the store of these settings. Raises StoreProblem.

    With no redis_url that is the bundled database in the data directory. `beside`: a server that has it may be running;
    then its database is used (the command line does so), else one is started for as long as this lasts.
    """
    async with contextlib.AsyncExitStack() as stack:
        url = settings.redis_url
        if url is None and beside:
            url = await attach(settings.data_dir)
        if url is None:
            url = await stack.enter_async_context(_embedded(settings))
        store = await RedisStore.connect(
            url, accept_weaker=settings.accept_weaker_durability, wait_for_replica=settings.wait_for_replica
        )
        stack.push_async_callback(store.close)
        for warning in store.warnings:
            log.warning("%s", warning)
        presence = Presence(store, settings.heartbeat_s)
        yield await stack.enter_async_context(Rooms(store, presence, settings.heartbeat_s))


@contextlib.asynccontextmanager
async def _embedded(settings: Settings) -> AsyncIterator[str]:
    """The address of a database of our own, started again should it end."""
    database = Embedded(settings.data_dir)
    url = await database.start()
    watching = asyncio.create_task(database.watch(), name="embedded database")
    try:
        yield url
    finally:
        await database.stop()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


def keep_address(settings: Settings, address: str) -> None:
    """A server's address stays in its data directory, for invitations made beside it or before it runs again."""
    if settings.redis_url is None:  # else the directory may not even be ours
        (settings.data_dir / "address").write_text(address)


def address(settings: Settings) -> str:
    """Where invitations lead: the public_url of these settings, or where this data directory's server is or was."""
    if settings.public_url is None and settings.redis_url is None:
        with contextlib.suppress(OSError):
            if kept := (settings.data_dir / "address").read_text().strip():
                return kept
    return settings.reached_at()
