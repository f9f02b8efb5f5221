"""What several servers cost and how soon they mend: failovers, deadlines on two nodes, a wake-up that got lost."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from server.presence import Presence
from server.rooms import Rooms
from server.store.embedded import Embedded
from server.store.problems import StoreAway
from server.store.redis import RedisStore
from tests.helpers.lossy_proxy import LossyProxy
from tests.helpers.replicated import Replicated
from tests.server.evening import Evening, begin
from tests.server.store.saying import a_table, commit

Kind = Callable[[Path], AbstractAsyncContextManager[Replicated]]
SWORD = {"name": "Sword", "act": "attack", "needs_target": True, "pool": {"fixed": 5}}


async def failover_ms(directory: Path, kind: Kind, how: str = "kill") -> float:
    """From the end of the primary of a table on which somebody writes to the first commit that is confirmed after it."""
    async with kind(directory) as several:
        store = await RedisStore.connect(several.url)
        first = several.servers[0]
        table = "t1"
        while not several.sentinels and await several.primary_of(table) is not first:
            table += "x"
        head = await a_table(store, table)
        for k in range(50):
            head = await _kept(store, table, head, k)
        first.kill() if how == "kill" else first.freeze()
        began = time.monotonic()
        await _kept(store, table, head, 50)
        taken = time.monotonic() - began
        await store.close()
    return taken * 1000


async def _kept(store: RedisStore, table: str, head: str, k: int) -> str:
    one = commit(head, f"c{k}", table=table)
    while True:
        try:
            outcome = await store.commit(one)
        except StoreAway:
            continue
        return str(outcome.head)  # type: ignore[union-attr]


@asynccontextmanager
async def two_nodes(directory: Path) -> AsyncIterator[tuple[Evening, LossyProxy]]:
    """An evening on two nodes of a store of its own; the second one reaches it through a proxy."""
    embedded = Embedded(directory)
    url = await embedded.start()
    try:
        async with AsyncExitStack() as stack:
            proxy = await stack.enter_async_context(LossyProxy(url, directory))
            nodes = []
            for at in (url, proxy.url):
                store = await RedisStore.connect(at)
                stack.push_async_callback(store.close)
                nodes.append(await stack.enter_async_context(Rooms(store, Presence(store, 15.0), 15.0)))
            yield await begin(tuple(nodes), stack), proxy
    finally:
        await embedded.stop()


async def repair_ms(evening: Evening, proxy: LossyProxy, text: str) -> float:
    """The second node hears nothing any more. How long until its people see what was said on the first."""
    proxy.be_deaf()
    ear = evening.seats["Ann"].ears[1]
    had = len(ear.patches)
    await evening.say("ST", "narrate", text=text)
    began = time.monotonic()
    while len(ear.patches) == had:
        ear.something.clear()
        await ear.something.wait()
    taken = time.monotonic() - began
    proxy.be_deaf(False)
    return taken * 1000


async def lateness_ms(evening: Evening, windows: int, window_ms: int) -> list[float]:
    """How long after their deadline and its grace windows that nobody answers end, as an ST on the second node sees it."""
    for key, value in (("reaction_floor_ms", 0), ("reaction_window_ms", window_ms), ("enforce", "warn")):
        await _done(evening, "ST", "set_house", key=key, value=value)
    units = []
    for name, owner, initiative in (("Aki", "Ann", 9), ("Oni", "Bob", 5)):
        unit = {"name": name, "side": name, "initiative": initiative, "abilities": [SWORD], "on_stage": True}
        unit["tracks"] = {"hp": {"value": 900, "max": 900}}
        made = await _done(evening, "ST", "add_unit", unit=unit, owner=evening.seats[owner].key.seat)
        units.append(made["made"][0])
    await _done(evening, "Bob", "set_standing_order", act="*", order="ask")
    await _done(evening, "ST", "start_fight")
    found: list[float] = []
    room, ear = evening.rooms[1], evening.seats["ST"].ears[1]
    for _ in range(windows):
        act = {"kind": "attack", "slot": "standard", "ability": "Sword", "targets": [units[1]]}
        await _done(evening, "Ann", "declare", unit=units[0], act=act)
        (window,) = evening.rooms[0].table.play.windows.values()
        assert window.clock
        seen = False
        while not seen or room.table.play.stack:
            ear.something.clear()
            await ear.something.wait()
            seen = seen or bool(room.table.play.stack)
        found.append(room.store.clock() - window.clock.deadline - window.clock.grace)
    return found


async def _done(evening: Evening, who: str, kind: str, **fields: Any) -> dict[str, Any]:
    reply = await evening.say(who, kind, **fields)
    assert reply["t"] == "ack", reply
    return reply
