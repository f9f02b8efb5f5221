"""Mistakes a server could have, each put into a server process by name, before it starts: to prove that they are found.

What each does is said in words in `BUGS`; nothing of this is in server/.
"""

import asyncio
import hashlib
import random
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.decide import decide
from core.refusals import Refused
from protocol.codec import encode_diff
from protocol.codes import Close
from server import catching_up, cells, connection, joining, past, replies, room, steps, timers
from server.audience import Audience, Frame
from server.auth import SeatKey
from server.connection import Connection
from server.gateway import Gateway
from server.past import Past
from server.position import Position
from server.room import Due, Room
from server.rooms import Rooms
from server.session import Ended, Session
from server.steps import Step
from server.store import lanes
from server.store.problems import StoreError
from server.store.redis import RedisStore
from server.store.values import Commit, Committed, Outcome, Refusal


@dataclass(frozen=True)
class Bug:
    """`needs`: what must happen for it to show, beyond a rude evening on two servers."""

    words: str
    put_in: Callable[[], None]
    needs: str = ""
    waits: bool = False  # it shows in that somebody waits in vain


BUGS: dict[str, Bug] = {}


def bug(words: str, *, needs: str = "", waits: bool = False) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def keep(put_in: Callable[[], None]) -> Callable[[], None]:
        BUGS[put_in.__name__] = Bug(words, put_in, needs, waits)
        return put_in

    return keep


def put_in(name: str) -> None:
    """A bug or a condition by its name, or several by their names, with + between them."""
    for one in name.split("+"):
        CONDITIONS[one]() if one in CONDITIONS else BUGS[one].put_in()


def put(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """In place of something what `make` makes of it."""
    setattr(owner, name, make(getattr(owner, name)))


def in_script(what: str, instead: str) -> None:
    """The script that commits says something else."""

    def make(old: Any) -> Any:
        def new(self: lanes.Script, file_name: str) -> None:
            old(self, file_name)
            if file_name == "commit.lua":
                assert what in self.text
                self.text = self.text.replace(what, instead)
                self.sha = hashlib.sha1(self.text.encode()).hexdigest()

        return new

    put(lanes.Script, "__init__", make)


def with_kept(change: Callable[[Commit | Refusal], Commit | Refusal]) -> None:
    """All that is to be kept is changed on its way to the store."""

    def make(old: Any) -> Any:
        async def commit_all(self: RedisStore, several: Sequence[Commit | Refusal]) -> list[Outcome]:
            outcomes: list[Outcome] = await old(self, [change(one) for one in several])
            return outcomes

        return commit_all

    put(RedisStore, "commit_all", make)


def taken(self: Room, steps: Sequence[Due]) -> None:
    """As if the store had kept it all."""
    for waiting, step in steps:
        self._take(step, Committed(step.after.version, step.after.head))
        if waiting:
            waiting.answer = step.answer


# ------------------------------------------------------------------------------------------------------------- commits
@bug("says yes and shows it before the store has kept it", needs="node")
def ack_before_commit() -> None:
    late: set[asyncio.Task[Any]] = set()
    last: dict[str, asyncio.Task[Any]] = {}

    async def afterwards(self: Room, several: list[Commit | Refusal], before: asyncio.Task[Any] | None) -> None:
        if before:
            await before
        await asyncio.sleep(0.1)
        await self.store.commit_all(several)

    def make(old: Any) -> Any:
        async def keep(self: Room, steps: Sequence[Due]) -> None:
            several = [step.kept for _, step in steps]
            task = last[self.id] = asyncio.create_task(afterwards(self, several, last.get(self.id)))
            late.add(task)
            task.add_done_callback(late.discard)
            taken(self, steps)

        return keep

    put(Room, "_keep", make)


@bug("compares no head: decides on what is over")
def stale_head_accepted() -> None:
    in_script("if head ~= expected then return {'stale', version, head} end", "")


@bug("remembers no decision: the same command again is a new one")
def lost_dedup() -> None:
    with_kept(lambda one: replace(one, decision=None))


@bug("forgets a part of what changed: the next who loads the table has what was before", needs="node")
def cells_lost() -> None:
    with_kept(lambda one: replace(one, cells={}) if isinstance(one, Commit) and random.random() < 0.2 else one)


@bug("takes what the store could not keep for kept", needs="disk")
def refused_by_store_taken_for_kept() -> None:
    def make(old: Any) -> Any:
        async def keep(self: Room, steps: Sequence[Due]) -> None:
            try:
                await old(self, steps)
            except StoreError:
                taken(self, steps)

        return keep

    put(Room, "_keep", make)


@bug("takes the answer that got lost for a new question: does it again", needs="answers")
def own_try_forgotten() -> None:
    in_script("if kept and kept[2][2] == entry and kept[2][4] == next .. ':' .. command then", "if false then")
    lost_dedup()


# ------------------------------------------------------------------------------------------------------------- answers
@bug("answers the same command differently when it is asked again")
def answer_changes_on_resend() -> None:
    def make(old: Any) -> Any:
        def known(seq: int, outcome: Outcome) -> Any:
            answer = old(seq, outcome)
            return {**answer, "n": answer["n"] - 1} if answer["t"] == "ack" else answer

        return known

    put(replies, "known", make)


@bug("takes another command under a used number for the same one")
def content_not_compared() -> None:
    in_script("if digest ~= given_digest then return {'reused'} end", "")


@bug("mixes up the numbers of two seats whose clients have the same id")
def seats_share_numbers() -> None:
    with_kept(lambda one: replace(one, decision=replace(one.decision, seat="any")) if one.decision else one)


@bug("names a change in its answer before which the command was not done")
def ack_names_wrong_change() -> None:
    put(replies, "ack", lambda old: lambda seq, n, made: old(seq, max(0, n - 1), made))


@bug("refuses a command and does it all the same")
def refused_has_effect() -> None:
    def make(old: Any) -> Any:
        async def decided(self: Room, here: Position, asked: Any) -> Step | None:
            step: Step | None = await old(self, here, asked)
            if step is None or step.answer.get("code") != "changed":
                return step
            meant = await asked.meaning(here)
            command: Any = replace(meant.command, was=step.answer["params"]["value"])
            done = decide(here.table, command, meant.by, self.world(here, asked.now, asked.id))
            if isinstance(done, Refused):
                return step
            made = steps.make(here, asked, replace(meant, command=command), done)
            return replace(made, answer=step.answer, kept=replace(made.kept, decision=step.kept.decision))

        return decided

    put(Room, "_step", make)


# -------------------------------------------------------------------------------------------------------- what is shown
@bug("sends every change twice now and then")
def doubled_broadcast() -> None:
    def make(old: Any) -> Any:
        def publish(self: Audience, patch: bytes) -> None:
            old(self, patch)
            if self.n % 7 == 0:
                for connection in self.connections:
                    connection.send_patch(Frame(patch))

        return publish

    put(Audience, "publish", make)


@bug("lets a change overtake the one before it")
def diff_reordered() -> None:
    held: dict[int, Frame] = {}

    def make(old: Any) -> Any:
        def send(self: Connection, frame: Frame) -> None:
            if id(self) in held:
                old(self, frame)
                old(self, held.pop(id(self)))
            elif random.random() < 0.1:
                held[id(self)] = frame
            else:
                old(self, frame)

        return send

    put(Connection, "send_patch", make)


@bug("forgets the changes for which a slow reader's queue has no room, and sends no snapshot", needs="readers")
def slow_reader_skipped() -> None:
    def make(old: Any) -> Any:
        def skip(self: Connection, reason: str) -> None:
            old(self, reason)
            if reason == "slow":  # what waited is gone, as it should be; what should stand in its place is not
                self._queue.remove(reason)
                self._snapshot_waits = False

        return skip

    put(Connection, "send_snapshot", make)


@bug("tells spectators two things in the order in which they did not happen")
def audiences_disagree() -> None:
    held: dict[str, list[Any]] = {}

    def make(old: Any) -> Any:
        def patches(here: Position, *rest: Any) -> Any:
            n, packed, epochs = old(here, *rest)
            if "all" in packed:
                _, at, ops, log = cells.unpacked(packed["all"])
                if here.id in held:
                    log = [*log, *held.pop(here.id)]
                elif log and log[0][0] == 1:
                    held[here.id], log = log, []
                packed["all"] = encode_diff(at, ops, log)
            return n, packed, epochs

        return patches

    put(steps, "_patches", make)


@bug("is deaf: learns nothing of what other servers do", needs="still", waits=True)
def deaf() -> None:
    async def hear(self: Rooms) -> None:
        await asyncio.Event().wait()

    put(Rooms, "_hear", lambda old: hear)

    async def follow(self: Rooms, kept: Any) -> None:
        await asyncio.Event().wait()

    put(Rooms, "_follow", lambda old: follow)


@bug("takes every wake-up for a new change and sends it again", needs="news")
def wake_up_taken_for_change() -> None:
    def make(old: Any) -> Any:
        async def catch_up(self: Room) -> None:
            before = self.version
            await old(self)
            if self.version == before:
                for name, audience in self.audiences.items():
                    for _, patch in await self.store.diffs(self.id, name, audience.n - 1, audience.n):
                        audience.publish(patch)
                        audience.n -= 1

        return catch_up

    put(catching_up, "catch_up", make)
    put(Rooms, "_hear", lambda old: _hear_everything)


async def _hear_everything(self: Rooms) -> None:
    async for table, _ in self._listener:
        if kept := self._kept.get(table):
            kept.verify = True
            kept.wake.set()


# -------------------------------------------------------------------------------------------------------------- resuming
@bug("begins a resume one change too late")
def resume_gap() -> None:
    _with_since(lambda reason, missed: (reason, missed[1:]))


@bug("begins a resume one change too early")
def resume_overlap() -> None:
    def make(old: Any) -> Any:
        async def since(here: Room, key: SeatKey, resume: Any, *more: Any) -> Any:
            reason, missed = await old(here, key, resume, *more)
            if not reason and resume.n > 0:
                before = await here.store.diffs(here.id, key.audience, resume.n - 1, resume.n)
                missed = [patch for _, patch in before] + missed
            return reason, missed

        return since

    put(joining, "_since", make)


@bug("lets a client of another epoch go on as if nothing were")
def wrong_epoch_kept() -> None:
    def make(old: Any) -> Any:
        async def since(here: Room, key: SeatKey, resume: Any, *more: Any) -> Any:
            if resume is not None:
                resume = resume.model_copy(update={"epoch": here.audiences[key.audience].epoch})
            return await old(here, key, resume, *more)

        return since

    put(joining, "_since", make)


@bug("lets changes slip through between a snapshot and what follows it")
def snapshot_gap() -> None:
    def make(old: Any) -> Any:
        async def join(here: Room, connection: Connection, key: Any, *rest: Any, **more: Any) -> None:
            await old(here, connection, key, *rest, **more)
            audience = here.audiences[key.audience]
            audience.connections.pop(connection, None)
            await asyncio.sleep(0.03)
            audience.connections[connection] = None

        return join

    put(joining, "join", make)


@bug("hands out a snapshot of an hour ago under today's number")
def snapshot_of_before() -> None:
    first: dict[tuple[str, str], Mapping[str, Any]] = {}

    def make(old: Any) -> Any:
        def view(table: Any, name: str) -> Any:
            return first.setdefault((str(table.created), name), old(table, name))

        return view

    put(room, "view", make)


# -------------------------------------------------------------------------------------------------- rewinds and the clock
@bug("does not mark a rewind: what was sent before it is accepted after it")
def rewind_not_marked() -> None:
    def make(old: Any) -> Any:
        def stand(self: Room, *args: Any, **options: Any) -> None:
            old(self, *args, **{**options, "rewound": {}})

        return stand

    put(Room, "stand", make)
    with_kept(lambda one: replace(one, rewound=False) if isinstance(one, Commit) else one)


@bug("says that it went back, and stays where it is")
def dropped_rewind() -> None:
    def make(old: Any) -> Any:
        async def at_position(store: Any, now: Position, n: int) -> Past:
            then = await old(store, now, n)
            return Past(then.version, now.table.play, then.n)

        return at_position

    put(past, "at_position", make)


@bug("lets the clock do the same thing twice", needs="hurry")
def deadline_fires_twice() -> None:
    def make(old: Any) -> Any:
        async def due(self: Room, here: Position, now: int) -> list[Due]:
            found: list[Due] = await old(self, here, now)
            first = timers.due(here.table, now, self.here)
            if found and first is not None and (after := found[-1][1].after).table.play.fight is not None:
                meant = await first.meaning(here)
                decided = decide(here.table, meant.command, meant.by, self.world(here, now, first.id))
                if not isinstance(decided, Refused):
                    found.append((None, steps.make(after, replace(first, id=f"{first.id}/again"), meant, decided)))
            return found

        return due

    put(Room, "_due", make)


@bug("writes down whatever the clock says, and it has been set back", needs="clock")
def time_goes_back() -> None:
    put(steps, "moment", lambda old: lambda asked, table: asked.now)


# ---------------------------------------------------------------------------------------------------------------- tasks
@bug("shows a change before it is kept, and its task is cancelled in between", needs="cancel")
def shown_before_kept() -> None:
    shown: set[int] = set()

    def make(old: Any) -> Any:
        async def keep(self: Room, steps: Sequence[Due]) -> None:
            for _, step in steps:
                self._take(step, Committed(step.after.version, step.after.head))
                shown.add(id(step))
            await asyncio.sleep(0)
            await old(self, steps)

        return keep

    def make_take(old: Any) -> Any:
        def take(self: Room, step: Step, outcome: Committed) -> None:
            if id(step) not in shown:
                old(self, step, outcome)
            shown.discard(id(step))

        return take

    put(Room, "_keep", make)
    put(Room, "_take", make_take)


def cancelled_tasks() -> None:
    """No mistake of the server but a fault it has to bear: what works on a command is cancelled, anywhere, now and then."""

    def make(old: Any) -> Any:
        async def answer(self: Session, *args: Any) -> None:
            task = asyncio.create_task(old(self, *args))
            if random.random() < 0.1:
                asyncio.get_running_loop().call_later(random.uniform(0, 0.006), task.cancel)
            try:
                await task
            except asyncio.CancelledError:
                raise Ended(Close.BUSY, "cancelled") from None

        return answer

    put(Session, "_answer", make)


def little_room() -> None:
    """The system takes in little of what a server sends, so that what is not read waits in the server's own queue; and
    that is full a quarter as soon as usual: tables here do not do much in a second.
    """
    connection.MOST_FRAMES = 64

    def make(old: Any) -> Any:
        async def start(self: Gateway) -> None:
            await old(self)
            assert self._server
            for one in self._server.sockets:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # those that are accepted take it over

        return start

    put(Gateway, "start", make)


CONDITIONS: dict[str, Callable[[], None]] = {"cancelled_tasks": cancelled_tasks, "little_room": little_room}
"""No mistakes, but what servers have to bear."""


def _with_since(change: Callable[[str, list[bytes]], tuple[str, list[bytes]]]) -> None:
    def make(old: Any) -> Any:
        async def since(*args: Any) -> Any:
            return change(*await old(*args))

        return since

    put(joining, "_since", make)
