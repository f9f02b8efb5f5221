"""The room: one table on this node, and one command's way through it. `submit` is the sentence Overseer is made of.

The room takes the next table only after the store has kept it; nobody sees or is told anything before. Any node may hold
a room of the same table: the head that is compared at each commit is the fence between them.
"""

import asyncio
import logging
import random
import time
from collections.abc import Collection, Mapping, Sequence

from core.commands import ReportLoss
from core.decide import decide
from core.dice.source import Dice
from core.ids import ST, Ids, SeatId
from core.refusals import Refused
from core.state import Table
from core.view import view
from core.world import World
from protocol import checks
from server import catching_up, cells, presence, replies, steps, timers
from server.admission import Admission
from server.asked import Asked
from server.audience import Audience, Frame
from server.auth import SeatKey
from server.connection import Connection
from server.line import Line, Waiting
from server.position import Position
from server.replies import Reply
from server.steps import Step
from server.store.problems import StoreError
from server.store.redis import RedisStore
from server.store.values import Commit, Committed, Loaded, Place, Refusal, Stale
from server.trail import Trail
from server.turns import Turns

log = logging.getLogger("overseer.room")

TRIES = 8
"""How often a command is decided again because others were faster; then it is refused `busy`."""
MOST_DUE = 64
"""Acts of the clock that may go before one command. Each closes a window or ends an action."""

Due = tuple[Waiting | None, Step]
"""A step that is due to be kept, and who waits for its answer: nobody if it is the clock's."""


class Room:
    """One table, as this node knows it. Everything that changes it holds `lock`."""

    def __init__(
        self, id: str, store: RedisStore, loaded: Loaded, dice: Dice, id_key: bytes, marked: Collection[str] = ()
    ) -> None:
        """`marked`: the seats that are here, as the store has it; the clock asks for them from the first moment."""
        self.id = id
        self.store = store
        self.dice = dice
        self.id_key = id_key
        self.lock = asyncio.Lock()
        self.line = Line()
        self.turns = Turns()
        table = cells.table_of(loaded.cells, id)
        self.here: frozenset[SeatId] = presence.present(table, marked)  # seats somebody is connected for, on any node
        self.listeners: dict[Connection, SeatKey] = {}
        self.timer = timers.Timer(self)
        self.admission = Admission(self)
        self.trail = Trail()
        self.untold: list[ReportLoss] = []  # losses that the STs have not been told of yet
        self.proven, self.proven_at_s = loaded.version, time.monotonic()  # when it was last compared with the store
        self._snapshots: dict[str, tuple[tuple[str, int, str], Frame]] = {}
        self._seen = self._seen_at_ms = 0.0  # the last time anything happened at, and when we learnt of it
        places = loaded.audiences
        self.audiences: dict[str, Audience] = {name: Audience(name, place) for name, place in places.items()}
        n = {name: place.n for name, place in places.items()}
        self.stand(table, loaded.version, loaded.head, epochs={}, n=n, patches={}, rewound={})

    def clock(self) -> int:
        """What time it is at this table, in ms. The store's time; where that was set back, on from what has happened.

        So deadlines go on running, and nobody waits until the store's clock has come back to where it was.
        """
        return max(self.store.clock(), int(self._seen + time.monotonic() * 1000 - self._seen_at_ms))

    @property
    def position(self) -> Position:
        places = {name: Place(one.epoch, one.n, one.rewound) for name, one in self.audiences.items()}
        return Position(self.id, self.table, self.version, self.head, places)

    # ---------------------------------------------------------------------------------------------- one command's way
    async def submit(self, asked: Asked) -> Reply:
        """The answer to a command, after everybody was sent what it changed. Raises StoreAway, StoreProblem."""
        with self.turns.queued(), self.line.stand(asked) as mine:
            async with self.lock:
                while (answer := mine.result()) is None:
                    await self._serve(self.line.group())
            return answer

    async def _serve(self, group: Sequence[Waiting]) -> None:
        """Answers a group of commands. Each is decided on what those before it make; all are kept in one call."""
        if await self.turns.give_way(self.version):
            await catching_up.catch_up(self)
        try:
            for _ in range(TRIES):
                began = time.monotonic()
                steps = await self._steps(group)  # translate, decide, evolve, diff
                await self._keep(steps)  # commit, broadcast
                self.turns.took(time.monotonic() - began)
                if not (group := [one for one in group if one.answer is None]):
                    return
            await self._put_off(group)
        except StoreError as problem:
            for one in group:
                one.problem = problem

    async def _put_off(self, group: Sequence[Waiting]) -> None:
        """Busy, and busy whenever these very commands are asked again: they have not been done and never will be."""
        for one in group:
            log.warning("others were faster every time", extra={"table": self.id, "command": one.asked.id})
        await self._keep([(one, steps.put_off(self.position, one.asked)) for one in group])

    async def _steps(self, group: Sequence[Waiting]) -> list[Due]:
        """What comes of each command. The clock goes before the first for which something is due."""
        steps: list[Due] = []
        here = self.position
        for waiting in group:
            asked = waiting.asked
            if (step := await self._step(here, asked)) is None:
                clock = await self._due(here, asked.now)
                steps += clock
                if clock and asked.alone:  # it looks into the log, and these are not there yet
                    break
                here = clock[-1][1].after if clock else here
                step = await self._step(here, asked) or self._stuck(here, asked)
            steps.append((waiting, step))
            here = step.after
        return steps

    async def _step(self, here: Position, asked: Asked) -> Step | None:
        """What comes of a command at this position; None if the clock has to act first."""
        try:
            meant = await asked.meaning(here)
            decided = decide(here.table, meant.command, meant.by, self.world(here, asked.now, asked.id, asked.way_ms))
            if isinstance(decided, Refused) and decided.code == "clock_due":
                return None
            return steps.make(here, asked, meant, decided)
        except Refused as refused:
            return steps.make(here, asked, None, refused)
        except StoreError:
            raise
        except Exception as fault:  # ours. Nothing has changed, and the sender is owed an answer: he would ask for ever
            log.exception("a command failed", exc_info=fault, extra={"table": self.id, "command": asked.id})
            return steps.make(here, asked, None, Refused("not_possible", st="fault"))

    async def act(self, asked: Asked) -> None:
        """An act of the server's own, for whoever holds the lock already. Raises StoreError."""
        mine = Waiting(asked)
        await self._serve([mine])
        mine.result()

    def _stuck(self, here: Position, asked: Asked) -> Step:
        log.error("a command waits for a clock that does not act", extra={"table": self.id, "command": asked.id})
        return steps.make(here, asked, None, Refused("not_possible", st="fault"))

    def world(self, here: Position, now: int, id: str, way_ms: int = 0) -> World:
        """What comes into a decision from outside, for a command of this id at this moment."""
        house = here.table.house
        dwell_ms = random.randint(0, house.bluff_ms) if house.window_mode == "bluff" else 0
        return World(now, self.dice, Ids(self.id_key, id), self.here, here.version + 1, dwell_ms, way_ms)

    async def _keep(self, steps: Sequence[Due]) -> None:
        """Puts steps into the store. What it takes happens here, in its order, and is answered."""
        outcomes = await self.store.commit_all([step.kept for _, step in steps])
        for (waiting, step), outcome in zip(steps, outcomes, strict=True):
            if isinstance(outcome, Committed):
                self._take(step, outcome)
                if waiting:
                    waiting.answer = step.answer
                    _count(waiting.asked, step.kept)
        if all(isinstance(outcome, Committed) for outcome in outcomes):
            return
        await catching_up.catch_up(self)
        for (waiting, _), outcome in zip(steps, outcomes, strict=True):
            if waiting and not isinstance(outcome, (Committed, Stale)):  # behind the patches it had caused
                waiting.answer = replies.known(_seq(waiting.asked), outcome)

    def _take(self, step: Step, outcome: Committed) -> None:
        if isinstance(commit := step.kept, Commit):
            self.turns.won(alone=outcome.heard == 1)
            self.stand(
                step.after.table,
                outcome.version,
                outcome.head,
                epochs=commit.epochs,
                n=step.n,
                patches={name: [patch] for name, patch in commit.patches.items()},
                rewound={name: step.n[name] for name in commit.patches} if commit.rewound else {},
            )

    # ----------------------------------------------------------------------------------------------------- the clock
    async def tick(self) -> None:
        """What is due happens. Any node may call this at any time; a second one finds it done."""
        async with self.lock:
            if due := await self._due(self.position, self.clock()):
                await self._keep(due)

    async def _due(self, here: Position, now: int) -> list[Due]:
        """The acts of the clock that are due. That something was not due is no decision: it is not kept."""
        due: list[Due] = []
        while len(due) < MOST_DUE and (asked := timers.due(here.table, now, self.here)):
            step = await self._step(here, asked)
            if step is None or not isinstance(step.kept, Commit):
                break
            due.append((None, step))
            here = step.after
        return due

    # ---------------------------------------------------------------------------------------------- where it stands
    def stand(
        self,
        table: Table,
        version: int,
        head: str,
        *,
        epochs: Mapping[str, str],
        n: Mapping[str, int],
        patches: Mapping[str, list[bytes]],
        rewound: Mapping[str, int],
    ) -> None:
        """Takes what the store has kept, and sends everybody his part of it. No await in here: it happens at once."""
        self.table, self.version, self.head = table, version, head
        self.trail.note(version, head, n[ST])
        if table.seen != self._seen:
            self._seen, self._seen_at_ms = table.seen, time.monotonic() * 1000
        for name, epoch in epochs.items():
            audience = self.audiences.setdefault(name, Audience(name, Place(epoch, 0, 0)))
            audience.begin_anew(epoch, n[name])
        for name, several in patches.items():
            audience = self.audiences[name]
            checked = audience.n // checks.EVERY
            for patch in several:
                audience.publish(patch)
            if audience.n // checks.EVERY != checked:
                audience.check(lambda name=name: self.crc(name))  # type: ignore[misc]
        for name, at in rewound.items():
            self.audiences[name].rewound = at
        self.admission.look()
        self.timer.set()

    def snapshot(self, audience: Audience, reason: str) -> Frame:
        """All that an audience may see, as of now; made once for all who need it at this position."""
        place = (audience.epoch, audience.n, reason)
        if audience.name not in self._snapshots or self._snapshots[audience.name][0] != place:
            seen = view(self.table, audience.name)
            message = {"t": "snapshot", "epoch": audience.epoch, "n": audience.n, "reason": reason, "view": seen}
            self._snapshots[audience.name] = place, Frame.of(message)
        return self._snapshots[audience.name][1]

    def crc(self, audience: str) -> int:
        """What a client should have that has heard all its audience was sent until now (CHECK)."""
        return checks.crc(view(self.table, audience))

    def leave(self, connection: Connection) -> None:
        """It hears no more from here. One that never joined may leave too."""
        key = self.listeners.pop(connection, None)
        if key is not None and key.audience in self.audiences:
            self.audiences[key.audience].connections.pop(connection, None)

    def tell(self, message: object) -> None:
        """Something unnumbered, to all who are connected here."""
        frame = Frame.of(message)
        for connection in self.listeners:
            connection.send(frame)


def _count(asked: Asked, kept: Commit | Refusal) -> None:
    """What it adds to the log is counted by what its author is sent of it: he must not learn how much else there is."""
    if isinstance(kept, Commit) and asked.author:
        asked.kept(len(kept.patches.get(asked.author.audience, b"")))


def _seq(asked: Asked) -> int:
    return asked.author.seq if asked.author else 0
