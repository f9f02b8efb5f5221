"""The rooms of this node: a table is loaded when somebody needs it, kept while he does, and sleeps soon after.

One task per room follows the other nodes, woken by their news. News may get lost: so every one and a half seconds the node
asks for all its tables at once where they stand, and who is there.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from protocol.codes import Close
from server import catching_up, cells, dice_keys, drift, losses
from server.presence import Presence, present
from server.room import Room
from server.store.listener import Listener
from server.store.problems import NewerState, StoreError
from server.store.redis import RedisStore
from server.thinking import Thinking

log = logging.getLogger("overseer.rooms")

CHECK_S = 1.5
SLEEP_S = 30.0
CLOCK_S = 10.0
"""How often a node looks for news by itself; how long an unused one is kept; how often the store is asked the time."""


@dataclass(eq=False)
class Kept:
    """A room in use. `verify`: news may have been missed; `people`: who is here may have changed."""

    room: Room
    users: int = 0
    verify: bool = False
    people: bool = False
    over: bool = False
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    following: asyncio.Task[None] | None = None
    sleeping: asyncio.TimerHandle | None = None


class Rooms:
    """Use as `async with`; then `async with rooms.using(table) as room`."""

    def __init__(self, store: RedisStore, presence: Presence, heartbeat_s: float) -> None:
        self.store = store
        self.presence = presence
        self.thinking = Thinking()
        self._heartbeat_s = heartbeat_s
        self._kept: dict[str, Kept] = {}
        self._loading: dict[str, asyncio.Lock] = {}
        self._listener: Listener = store.listen()
        self._tasks: list[asyncio.Task[None]] = []
        self._over = False

    async def __aenter__(self) -> "Rooms":
        await self._listener.__aenter__()
        steady = (
            self._hear(),
            self._every(CHECK_S, self._look),
            self._every(self._heartbeat_s, self.presence.renew),
            self._every(CLOCK_S, self._ask_time),
        )
        self._tasks = [asyncio.create_task(one, name="rooms") for one in steady]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Whoever used a room must have left it. What is being committed is finished by the store's own close."""
        self._over = True
        for kept in list(self._kept.values()):
            async with kept.room.lock:  # a command on its way is decided and told to the end
                self._forget(kept)
            await kept.room.timer.stopped()
        tasks = [*self._tasks, *(kept.following for kept in self._kept.values() if kept.following)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._kept.clear()
        await self._listener.__aexit__()

    @asynccontextmanager
    async def using(self, table: str) -> AsyncIterator[Room]:
        """The table's room while this lasts. Raises LookupError if there is no such table, StoreAway."""
        async with self._loading.setdefault(table, asyncio.Lock()):
            kept = self._kept.get(table) or await self._load(table)
            kept.users += 1
            if kept.sleeping:
                kept.sleeping.cancel()
                kept.sleeping = None
        try:
            yield kept.room
        finally:
            kept.users -= 1
            if kept.users == 0:
                kept.sleeping = asyncio.get_running_loop().call_later(SLEEP_S, self._fall_asleep, kept)

    async def _load(self, table: str) -> Kept:
        await self._listener.subscribe(table)  # first: what is committed while we load is then heard of
        loaded = await self.store.load(table)
        if loaded is None:
            await self._listener.unsubscribe(table)
            raise LookupError(f"there is no table {table}")
        keys = await self.store.keys(table)
        marked = await self.store.here(table, self.store.clock())
        dice = dice_keys.chosen(keys, cells.table_of(loaded.cells, table).seeds)
        kept = Kept(Room(table, self.store, loaded, dice, keys["ids"], marked))
        kept.following = asyncio.create_task(self._follow(kept), name="room follower")
        self._kept[table] = kept
        log.debug("a table woke up", extra={"table": table, "version": loaded.version})
        return kept

    def _fall_asleep(self, kept: Kept) -> None:
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.create_task(self._sleep(kept), name="room falls asleep"))

    async def _sleep(self, kept: Kept) -> None:
        table = kept.room.id
        async with self._loading.setdefault(table, asyncio.Lock()), kept.room.lock:
            if kept.users == 0 and self._kept.get(table) is kept:
                self._forget(kept)
                del self._kept[table]
                await self._listener.unsubscribe(table)

    def _forget(self, kept: Kept) -> None:
        kept.over = True
        kept.room.timer.stop()
        kept.room.admission.stop()
        if kept.sleeping:
            kept.sleeping.cancel()
        if kept.following:
            kept.following.cancel()

    # --------------------------------------------------------------------------------------------- the other nodes
    async def _hear(self) -> None:
        async for table, message in self._listener:
            kept = self._kept.get(table)
            if kept is None:
                continue
            if message is None:
                kept.verify = kept.people = True
            elif message == "here":
                kept.people = True
            else:
                kept.room.turns.hear(int(message))
            if kept.verify or kept.people or kept.room.turns.told > kept.room.version:
                kept.wake.set()

    async def _look(self) -> None:
        """Where the store's tables stand, for those whose news got lost. Nearly always it is where the rooms stand too."""
        for table, (head, marked) in (await self.store.look(list(self._kept))).items():
            if kept := self._kept.get(table):
                kept.verify |= head != kept.room.head
                kept.people |= present(kept.room.table, marked) != kept.room.here
                kept.wake.set()  # to see whether its memory is to be compared, too

    async def _follow(self, kept: Kept) -> None:
        room = kept.room
        while not kept.over:  # redis-py may turn a cancellation into an error of its own, and we go on after errors
            await kept.wake.wait()
            kept.wake.clear()
            try:
                async with room.lock:
                    if kept.verify or room.turns.told > room.version:
                        kept.verify = False
                        await catching_up.catch_up(room)
                    await losses.tell_untold(room)
                    await drift.now_and_then(room)
                if kept.people:
                    kept.people = False
                    await self.presence.refresh(room)
            except NewerState as problem:
                await self._step_aside(kept, problem)
            except StoreError as problem:
                log.warning("cannot look for news: %s", problem, extra={"table": room.id})
            except LookupError:
                await self._gone(kept)
            except Exception:  # whatever it is, the next look may succeed; a room that follows no more would be worse
                log.exception("could not follow the other nodes", extra={"table": room.id})

    async def _gone(self, kept: Kept) -> None:
        """The table was archived: nobody can sit at it any more."""
        log.info("a table is no longer in the store", extra={"table": kept.room.id})
        await self._send_away(kept, Close.SEAT_GONE, "this table was archived; ask the Storyteller")

    async def _step_aside(self, kept: Kept, problem: NewerState) -> None:
        """A newer server writes what this one cannot read: it leaves the table to it, and sends everybody there."""
        log.error("steps aside: %s", problem, extra={"table": kept.room.id})
        text = "a newer server keeps this table now"
        kept.room.tell({"t": "goaway", "reason": text, "after_ms": 0})
        await self._send_away(kept, Close.NEWER, text, flush_s=1.0)

    async def _send_away(self, kept: Kept, code: Close, text: str, *, flush_s: float = 0.0) -> None:
        """The room is no more, and its connections end."""
        kept.over = True
        kept.room.timer.stop()
        kept.room.admission.stop()
        if self._kept.get(kept.room.id) is kept:
            del self._kept[kept.room.id]
        for connection in list(kept.room.listeners):
            connection.close_soon(code, text, flush_s=flush_s)
        await self._listener.unsubscribe(kept.room.id)

    async def _ask_time(self) -> None:
        await self.store.now()

    async def _every(self, seconds: float, act: Callable[[], Awaitable[None]]) -> None:
        while not self._over:
            await asyncio.sleep(seconds)
            try:
                await act()
            except StoreError as problem:
                log.warning("the store is away: %s", problem)
            except Exception:
                log.exception("something that is done again and again failed this time")
