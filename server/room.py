"""The room: one table on this node, and one command's way through it. `submit` is the sentence Overseer is made of.

The room takes the next table only after the store has kept it; nobody sees or is told anything before. Any node may hold
a room of the same table: the head that is compared at each commit is the fence between them.
"""

import asyncio
import logging
import random
import time
from collections.abc import Collection, Mapping

from core.decide import Decided, decide
from core.dice.source import Dice
from core.ids import Ids, SeatId
from core.refusals import Refused
from core.state import Table
from core.view import view
from core.world import World
from protocol.codes import Close
from server import catching_up, cells, presence, replies, steps, timers
from server.asked import Asked, Meant
from server.audience import Audience, Frame
from server.auth import SeatKey
from server.connection import Connection
from server.position import Position
from server.replies import Reply
from server.steps import Step
from server.store.problems import StoreError
from server.store.redis import RedisStore
from server.store.values import Commit, Committed, Loaded, Outcome, Place, Refusal, Stale
from server.turns import Turns

log = logging.getLogger("overseer.room")

TRIES = 8
"""How often a command is decided again because others were faster; then it is refused `busy`."""
MOST_DUE = 64
"""Acts of the clock that may go before one command. Each closes a window or ends an action."""


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
        self.turns = Turns()
        table = cells.table_of(loaded.cells)
        self.here: frozenset[SeatId] = presence.present(table, marked)  # seats somebody is connected for, on any node
        self.listeners: dict[Connection, SeatKey] = {}
        self.audiences: dict[str, Audience] = {}
        self.timer = timers.Timer(self)
        self._snapshots: dict[str, tuple[tuple[str, int, str], Frame]] = {}
        self.stand(table, loaded.version, loaded.head, epochs={}, n={}, patches={}, rewound={})
        for name, place in loaded.audiences.items():
            self.audiences[name] = Audience(name, place)

    @property
    def position(self) -> Position:
        places = {name: Place(one.epoch, one.n, one.rewound) for name, one in self.audiences.items()}
        return Position(self.id, self.table, self.version, self.head, places)

    # ---------------------------------------------------------------------------------------------- one command's way
    async def submit(self, asked: Asked) -> Reply:
        """The answer to a command, after everybody was sent what it changed. Raises StoreAway, StoreProblem."""
        async with self.turns.queued(), self.lock:
            if (answer := await self._answered_before(asked)) is not None:
                return answer
            if await self.turns.give_way(self.version):
                await catching_up.catch_up(self)
            for _ in range(TRIES):
                began = time.monotonic()
                meant, decided = await self._decide(asked)  # translate, decide
                step = self._step(asked, meant, decided)  # evolve, diff
                outcome = await self._keep(step)  # commit
                self.turns.took(time.monotonic() - began)
                if isinstance(outcome, Committed):
                    self._take(step, outcome)  # broadcast
                    return step.answer
                await catching_up.catch_up(self)
                if not isinstance(outcome, Stale):
                    return replies.known(_seq(asked), outcome)
            log.warning("others were faster every time", extra={"table": self.id, "command": asked.id})
            return replies.of_protocol(_seq(asked), "busy")

    async def _answered_before(self, asked: Asked) -> Reply | None:
        """The same command again gets the same answer, behind the patch it had caused."""
        if (author := asked.author) is None:
            return None
        outcome = await self.store.decided(self.id, author.seat, author.client, author.seq, author.digest)
        if outcome is None:
            return None
        await catching_up.catch_up(self)
        return replies.known(author.seq, outcome)

    async def _decide(self, asked: Asked) -> tuple[Meant | None, Decided | Refused]:
        """What comes of a command on the table as it is now. The clock goes first where something is due."""
        for _ in range(MOST_DUE):
            try:
                meant = await asked.meaning(self.position)
            except Refused as refused:
                return None, refused
            except StoreError:
                raise
            except Exception as fault:
                return None, self._fault(asked, fault)
            decided = self._decided(asked, meant)
            if not (isinstance(decided, Refused) and decided.code == "clock_due"):
                return meant, decided
            if not await self._clock_acts(asked.now):
                break
        log.error("a command waits for a clock that does not act", extra={"table": self.id, "command": asked.id})
        return None, Refused("not_possible", st="the clock is due and does not act")

    def _decided(self, asked: Asked, meant: Meant) -> Decided | Refused:
        try:
            return decide(self.table, meant.command, meant.by, self.world(asked.now, asked.id))
        except Exception as fault:
            return self._fault(asked, fault)

    def world(self, now: int, id: str) -> World:
        """What comes into a decision from outside, for a command of this id at this moment."""
        house = self.table.house
        dwell_ms = random.randint(0, house.bluff_ms) if house.window_mode == "bluff" else 0
        return World(now, self.dice, Ids(self.id_key, id), self.here, self.version + 1, dwell_ms)

    def _step(self, asked: Asked, meant: Meant | None, decided: Decided | Refused) -> Step:
        try:
            return steps.make(self.position, asked, meant, decided)
        except Exception as fault:
            return steps.make(self.position, asked, None, self._fault(asked, fault))

    def _fault(self, asked: Asked, fault: Exception) -> Refused:
        """A mistake of ours: nothing has changed, and the sender is owed an answer, or he would ask for ever."""
        log.exception("a command failed", exc_info=fault, extra={"table": self.id, "command": asked.id})
        return Refused("not_possible", st=f"the server made a mistake ({type(fault).__name__}); its log says more")

    async def _keep(self, step: Step) -> Outcome:
        match step.kept:
            case Commit() as commit:
                return await self.store.commit(commit)
            case Refusal() as refusal:
                return await self.store.refuse(refusal)
        return Committed(self.version, self.head)

    def _take(self, step: Step, outcome: Committed) -> None:
        if isinstance(commit := step.kept, Commit):
            self.turns.won()
            self.stand(
                step.table,
                outcome.version,
                outcome.head,
                epochs=commit.epochs,
                n=step.n,
                patches={name: [patch] for name, patch in commit.patches.items()},
                rewound=step.n if commit.rewound else {},
            )

    # ----------------------------------------------------------------------------------------------------- the clock
    async def tick(self) -> None:
        """What is due happens. Any node may call this at any time; a second one finds it done."""
        async with self.lock:
            for _ in range(MOST_DUE):
                if not await self._clock_acts(self.store.clock()):
                    break

    async def _clock_acts(self, now: int) -> bool:
        """One act of the clock; False when nothing is due. That it was not due is no decision: it is not kept."""
        if (asked := timers.due(self.table, now, self.here)) is None:
            return False
        meant = await asked.meaning(self.position)
        decided = self._decided(asked, meant)
        if isinstance(decided, Refused):
            return False
        step = self._step(asked, meant, decided)
        if not isinstance(step.kept, Commit):
            return False
        outcome = await self._keep(step)
        if isinstance(outcome, Committed):
            self._take(step, outcome)
        else:
            await catching_up.catch_up(self)
        return True

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
        for name, epoch in epochs.items():
            audience = self.audiences.setdefault(name, Audience(name, Place(epoch, 0, 0)))
            audience.begin_anew(epoch, n[name])
        for name, several in patches.items():
            for patch in several:
                self.audiences[name].publish(patch)
        for name, at in rewound.items():
            self.audiences[name].rewound = at
        for connection, key in list(self.listeners.items()):
            if key.seat not in table.seats:
                connection.close_soon(Close.SEAT_GONE, "this seat has been given up")
        self.timer.set()

    def snapshot(self, audience: Audience, reason: str) -> Frame:
        """All that an audience may see, as of now; made once for all who need it at this position."""
        place = (audience.epoch, audience.n, reason)
        if audience.name not in self._snapshots or self._snapshots[audience.name][0] != place:
            seen = view(self.table, audience.name)
            message = {"t": "snapshot", "epoch": audience.epoch, "n": audience.n, "reason": reason, "view": seen}
            self._snapshots[audience.name] = place, Frame.of(message)
        return self._snapshots[audience.name][1]

    def tell(self, message: object) -> None:
        """Something unnumbered, to all who are connected here."""
        frame = Frame.of(message)
        for connection in self.listeners:
            connection.send(frame)


def _seq(asked: Asked) -> int:
    return asked.author.seq if asked.author else 0
