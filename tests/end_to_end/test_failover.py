"""Servers die, of both kinds, while people play: they go on at another one, and nothing that they were told is gone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from protocol.client import Table
from tests.end_to_end.conftest import Heard, House
from tests.helpers.replicated import Replicated, under_sentinels, until
from tests.helpers.servers import serving


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Replicated]:
    async with under_sentinels(tmp_path) as several:
        yield several


async def said(table: Table) -> list[str]:
    return [told["text"] for told in await table.log(limit=200) if told.kind == "said"]


async def test_the_primary_dies_then_a_server_is_frozen_and_play_goes_on(store: Replicated, tmp_path: Path):
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(serving(redis_url=store.url))
        house = House(first, tmp_path, stack, store.url)
        st = await house.prepare()
        second = await house.second_server()
        ann = await house.sit("Ann", also=[second.address])
        bob = await house.sit("Bob", at=second)
        assert st.durable
        heard = [Heard(table) for table in (st, ann, bob)]
        texts = [f"{k}" for k in range(30)]
        for text in texts[:10]:
            await ann.say(text)
        store.servers[0].kill()
        for text in texts[10:20]:
            await ann.say(text)
        first.freeze()
        for text in texts[20:]:
            await ann.say(text)
        await bob.say("the end")
        assert await said(bob) == [*texts, "the end"]
        assert await said(ann) == [*texts, "the end"]
        first.thaw()
        await st.say("indeed")  # who was frozen looks at the table before it decides
        assert await said(st) == [*texts, "the end", "indeed"]
        assert [one.snapshots for one in heard] == [0, 0, 0]  # nobody's continuity was broken
        for table in (st, ann, bob):
            await table.close()


async def test_what_a_failover_takes_back_where_less_is_accepted_is_named_and_begun_anew(
    store: Replicated, tmp_path: Path
):
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving("--accept-weaker-durability", redis_url=store.url))
        house = House(server, tmp_path, stack, store.url)
        st = await house.prepare("--accept-weaker-durability")
        assert not st.durable
        ann = await house.sit("Ann")
        await ann.say("kept")
        epochs = ann.epoch, st.epoch
        replicas = await store.replicas()
        for replica in replicas:
            replica.freeze()
        await store.servers[0].ask("CLIENT", "KILL", "TYPE", "replica")  # else it would lie in their sockets
        await ann.say("taken back")
        store.servers[0].kill()
        for replica in replicas:
            replica.thaw()
        await until(store.primaries)
        await asyncio.gather(ann.until(lambda t: t.epoch != epochs[0]), st.until(lambda t: t.epoch != epochs[1]))
        (lost,) = await _until_told(st)
        assert lost["count"] == 1
        assert lost["acts"] == ["Ann 2"]  # her second command
        await ann.say("and on")
        assert await said(ann) == ["and on"]  # the numbers begin anew; what was kept before them is in the transcript
        for table in (st, ann):
            await table.close()


async def _until_told(st: Table) -> list[Any]:
    """The lines that tell of a loss; asked again at each change until there is one."""
    async with asyncio.timeout(60):
        updates = st.updates()
        while not (found := [told for told in await st.log(limit=50) if told.kind == "history_lost"]):
            await anext(updates)
        return found
