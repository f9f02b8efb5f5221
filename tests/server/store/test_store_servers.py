"""Addresses of stores, and whom to believe where the primary is."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from redis.exceptions import ConnectionError

from server.store.address import Address, Place, read
from server.store.sentinels import Sentinels
from server.store.servers import Servers
from tests.helpers.replicated import Valkey, until


@pytest.mark.parametrize(
    ("text", "kind", "places", "name", "first"),
    [
        ("redis://host", "single", (), "", None),
        ("unix:///run/valkey.sock", "single", (), "", None),
        (
            "redis+sentinel://me:p%40ss@a:1,b,[::1]:3/tables?sentinel_password=s",
            "sentinel", (("a", 1), ("b", 26379), ("::1", 3)), "tables", "redis://me:p%40ss@a:1/0",
        ),
        ("rediss+cluster://:pass@a,b:2/0", "cluster", (("a", 6379), ("b", 2)), "", "rediss://:pass@a:6379/0"),
    ],
)  # fmt: skip
def test_what_an_address_says(text: str, kind: str, places: tuple[Place, ...], name: str, first: str | None):
    address = read(text)
    assert (address.kind, address.places, address.name) == (kind, places, name)
    assert not re.search("p%40ss|pass|me:|=s", f"{address.shown} {address!r}")
    assert first is None or address.at(places[0]) == first


@asynccontextmanager
async def sentinel(epoch: int, port: int, *, silent: bool = False) -> AsyncIterator[Place]:
    """Says which server is the primary, and how new that is."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        words = ("ip", "127.0.0.1", "port", str(port), "config-epoch", str(epoch))
        said = f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
        while asked := await reader.read(4096):
            if not silent:
                writer.write(b"+OK\r\n" * asked.count(b"SETINFO") + (said.encode() if b"SENTINEL" in asked else b""))
        writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    async with server:
        yield "127.0.0.1", server.sockets[0].getsockname()[1]


async def test_of_what_sentinels_say_the_newest_counts_and_a_silent_one_is_not_waited_for():
    async with sentinel(3, 3), sentinel(7, 7) as new, sentinel(3, 3) as old, sentinel(9, 9, silent=True) as silent:
        address = Address("sentinel", "redis://@-/0", (old, new, silent), "tables")
        async with asyncio.timeout(2):
            assert await Sentinels(address).primary() == ("127.0.0.1", 7)
        with pytest.raises(ConnectionError, match="no Sentinel tells where tables is"):
            await Sentinels(Address("sentinel", "redis://@-/0", (silent,), "tables")).primary()


async def test_who_is_named_but_is_no_primary_is_not_written_to(tmp_path):
    first = Valkey.keeping(tmp_path)
    replica = Valkey.keeping(tmp_path, of=first)
    try:
        await until(lambda: first.ask("PING"))
        await replica.linked()
        for port, is_primary in ((first.port, True), (replica.port, False)):
            async with sentinel(1, port) as (host, at):
                servers = Servers(f"redis+sentinel://{host}:{at}/tables")
                redis = servers.connect(None, connections=1)
                if is_primary:
                    assert await redis.ping()
                else:
                    with pytest.raises(ConnectionError, match="another server is about to become the primary"):
                        await redis.ping()
                await redis.aclose()
    finally:
        first.kill()
        replica.kill()
