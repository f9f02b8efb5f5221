"""What a Redis must be before Overseer trusts it, and the sentence for each way in which it is not."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from server.store import demands
from server.store.problems import StoreProblem
from server.store.redis import RedisStore


@asynccontextmanager
async def something(directory: Path, says: Callable[[bytes], bytes]) -> AsyncIterator[str]:
    """Something on a unix socket that answers every request with `says(request)`, and ends at an empty answer."""
    ends: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends.append(writer)
        while (request := await reader.read(65536)) and (answer := says(request)):
            writer.write(answer)
        writer.close()

    path = directory / "x.sock"
    async with await asyncio.start_unix_server(serve, path):
        yield f"unix://:secret@{path}"
        for end in ends:
            end.close()
            await asyncio.gather(end.wait_closed(), return_exceptions=True)


def a_redis(info: str) -> Callable[[bytes], bytes]:
    """Answers +OK to everything but INFO."""

    def says(request: bytes) -> bytes:
        if b"INFO\r\n" in request and b"SETINFO" not in request:
            return b"$%d\r\n%s\r\n" % (len(info), info.encode())
        if b"HELLO" in request:
            return b"%1\r\n$5\r\nproto\r\n:3\r\n"
        return b"+OK\r\n" * request.count(b"*")

    return says


async def refusal_of(url: str) -> str:
    with pytest.raises(StoreProblem) as refused:
        await RedisStore.connect(url)
    assert "secret" not in str(refused.value)
    return str(refused.value)


async def test_an_address_that_is_none():
    assert (await refusal_of("http://:secret@x")).startswith(
        "the address of the store is not understood: write redis://"
    )
    assert (await refusal_of("redis://:secret@x:port")).startswith("the address of the store is not understood")


async def test_nothing_there(tmp_path: Path):
    assert await refusal_of("redis://:secret@127.0.0.1:1/0") == (
        "no Redis can be reached at 127.0.0.1:1; start it, or give another address for the store, "
        "or none to use the bundled database"
    )
    refused = await refusal_of(f"unix://{tmp_path}/none")
    assert refused.startswith(f"no Redis can be reached at {tmp_path}/none; start it")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"220 mail ready\r\n", b""])
async def test_something_else_there(tmp_path: Path, answer: bytes):
    async with something(tmp_path, lambda _: answer) as url:
        assert (await refusal_of(url)).startswith(f"what answers at {tmp_path}/x.sock is not a Redis or Valkey; give")


@pytest.mark.parametrize(
    ("info", "sentence"),
    [
        ("redis_version:6.2.14\r\nrole:master\r\n", "is version 6.2.14; Overseer needs Redis 7.0 or later"),
        ("redis_version:7.2.4\r\nrole:slave\r\n", "is a replica, which cannot write; give the address of its primary"),
        ("redis_version:7.2.4\r\nredis_mode:sentinel\r\n", "is a Sentinel; write redis+sentinel://"),
        ("redis_version:7.2.4\r\nredis_mode:cluster\r\n", "belongs to a cluster; write redis+cluster://"),
    ],
)
async def test_the_wrong_kind_of_redis(tmp_path: Path, info: str, sentence: str):
    async with something(tmp_path, a_redis(info)) as url:
        assert sentence in await refusal_of(url)


async def test_a_redis_that_may_forget_is_refused_unless_less_is_accepted(valkey: str):
    async with Redis.from_url(valkey) as redis:
        await redis.config_set("appendfsync", "everysec")
        try:
            refused = await refusal_of(valkey)
            store = await RedisStore.connect(valkey, accept_weaker=True)
            warnings = store.warnings
            await store.close()
        finally:
            await redis.config_set("appendfsync", "always")
    place = demands.place_of(valkey)
    harm = "it would forget the last second of play when the power fails"
    weakness = f"the store at {place} has appendfsync everysec, and {harm}"
    assert warnings == [weakness]
    assert refused == (
        f"{weakness}; set appendonly yes, appendfsync always, no-appendfsync-on-rewrite no, "
        "maxmemory-policy noeviction there (overseer doctor shows how), or say explicitly that you accept less"
    )


async def test_a_redis_that_hides_its_settings_is_taken_with_a_warning(valkey: str):
    async with Redis.from_url(valkey) as redis:
        await redis.execute_command("ACL", "SETUSER", "shy", "on", ">shy", "~*", "&*", "+@all", "-config")
        store = await RedisStore.connect(valkey.replace("unix://:", "unix://shy:").replace(_password(valkey), "shy"))
        assert len(store.warnings) == 1
        assert "does not tell its settings" in store.warnings[0]
        await store.close()
        await redis.execute_command("ACL", "DELUSER", "shy")


def _password(url: str) -> str:
    return url.removeprefix("unix://:").split("@")[0]
