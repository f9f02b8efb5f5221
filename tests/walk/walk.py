"""One table in motion, as a room keeps it: the time, who is here, and everything that has happened since it was made."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from core import commands as cmd
from core import events as ev
from core.change import Change
from core.clock import due_command
from core.commands import By, Command
from core.decide import Decided, decide
from core.dice.source import KeyedDice
from core.diff import Patch, patch
from core.draft import owner
from core.evolve import value_at
from core.ids import ST, Ids, RequestId, SeatId, UnitId
from core.refusals import Refused
from core.state import House, Play, Seat, Seeds, Table
from core.world import World
from tests.walk import tables

CLOCK = By(SeatId(""), "st")
THE_ST = By(ST, "st", tables.STORYTELLERS[0])
TIMED = 10
"""Of so many walks one has Storytellers who were invited for a time."""


def for_a_time(seat: Seat) -> Seat:
    return replace(seat, until=tables.START + 60_000) if seat.role == "st" else seat


@dataclass(frozen=True)
class Step:
    """One accepted command, what it did, and all that it was decided from. `now`: the table's time (ms)."""

    before: Table
    after: Table
    events: tuple[ev.Event, ...]
    made: tuple[str, ...]
    command: Command
    by: By
    now: int
    world: World
    label: str

    @property
    def change(self) -> Change:
        return Change(self.before, self.after, self.events, self.by, self.now)

    def again(self, table: Table, later: int = 0) -> Decided | Refused:
        """Decided once more, on this table, so many ms later."""
        ids = Ids(b"walk", self.label)
        return decide(table, self.command, self.by, replace(self.world, now=self.world.now + later, ids=ids))


class Walk:
    """A table and its units are drawn from a number; whatever happens then is told by whoever walks.

    `steps[k]` leads from version k to k + 1. `ready`: the version at which all is set up. `leaves`: the command that each
    request asks leave for, which a server finds in the request's own words. `counts`: how often each command, by its
    name, was accepted (True) and refused (False), rights aside. `drawn`: the steps of the walk.
    """

    def __init__(self, number: int, house: House | None = None) -> None:
        self.number = number
        self.random = Random(number)
        self.dice = KeyedDice(b"walk")
        self.table = tables.a_table(self.random, house)
        if self.table.seeds.number:
            self.table = replace(self.table, seeds=Seeds(1, 0, *self.dice.commitments(1)))
        if number % TIMED == 0:
            self.table = replace(self.table, seats={id: for_a_time(seat) for id, seat in self.table.seats.items()})
        self.first = self.table
        self.now = tables.START
        self.here = frozenset({ST, *tables.PLAYERS})
        self.steps: list[Step] = []
        self.sent: list[tuple[Command, By]] = []
        self.leaves: dict[RequestId, Command] = {}
        self.seat: SeatId = ST
        self.counts: Counter[tuple[str, bool]] = Counter()
        self.codes: Counter[str] = Counter()
        self.drawn = 0
        self.said = 0
        self.set_up()
        self.ready = self.version

    @property
    def version(self) -> int:
        return len(self.steps)

    def set_up(self) -> None:
        for k in range(self.random.randrange(3, 7)):
            unit = tables.a_unit(self.random)
            self.send(cmd.AddUnit(unit, (*tables.PLAYERS, None)[k % 4]), THE_ST)
        if self.random.random() < 0.8:
            self.send(cmd.StartFight(), THE_ST)

    # -- what happens
    def passes(self, ms: int) -> None:
        """Time goes by; whatever comes due does so with the next command."""
        self.now += ms

    def send(self, command: Command, by: By, label: str = "") -> list[Step]:
        """As a room does: what the clock has to do goes first. What was accepted."""
        done = []
        for k in range(50):
            due = due_command(self.table, self.now, self.here)
            if due is None:
                break
            step = self._decide(due, CLOCK, f"{label or self.version}.{k}")
            assert step is not None, f"{due} is due and refused: it would be tried for ever"
            done.append(step)
        else:
            raise AssertionError("the clock does not come to rest")
        self.sent.append((command, by))
        step = self._decide(command, by, label or f"{self.version}")
        return [*done, step] if step is not None else done

    def _decide(self, command: Command, by: By, label: str) -> Step | None:
        self.said += 1
        dwell = self.said * 997 % 2500
        world = World(self.now, self.dice, Ids(b"walk", label), self.here, self.version + 1, dwell)
        table = self.table
        outcome = decide(table, command, by, world)
        name = type(command).__name__
        if isinstance(outcome, Refused):
            assert outcome.code != "clock_due", "the clock has had its turn"
            self.codes[outcome.code] += 1
            self.counts[name, False] += outcome.code != "forbidden"
            return None
        self.counts[name, True] += 1
        now = max(self.now, table.seen)
        self.table = replace(outcome.table, seen=now)
        step = Step(table, self.table, outcome.events, outcome.made, command, by, now, world, label)
        self.steps.append(step)
        if isinstance(command, cmd.AskLeave):
            self.leaves[RequestId(outcome.made[-1])] = command.command
        return step

    # -- what was
    def table_at(self, version: int) -> Table:
        return self.steps[version].before if version < self.version else self.table

    def play_at(self, version: int) -> Play:
        return self.table_at(version).play

    def patches(self, audience: str) -> Iterator[Patch]:
        """What the audience has been sent; changes it sees nothing of send nothing."""
        found = (patch(s.change, audience) for s in self.steps)
        return (one for one in found if one is not None)

    # -- what can be named, mostly sensibly
    def even(self) -> bool:
        return self.random.random() < 0.5

    def pick(self, things: Any, otherwise: Any) -> Any:
        found = list(things)
        return self.random.choice(found) if found and self.random.random() < 0.97 else otherwise

    def unit(self) -> UnitId:
        return self.pick(self.table.play.units, UnitId("no unit"))

    def there(self) -> list[UnitId]:
        """Whoever all see, in the fight if there is one."""
        fight = self.table.play.fight
        units = self.table.play.units.values()
        return [u.id for u in units if u.on_stage and not u.hidden and (fight is None or u.id in fight.order)]

    def aim(self) -> UnitId:
        """Mostly one that can be aimed at."""
        return self.pick(self.there(), self.unit()) if self.random.random() < 0.9 else self.unit()

    def speaks_for(self, unit: UnitId) -> bool:
        return owner(self.table, unit) == self.seat

    def mine(self) -> UnitId:
        """Mostly a unit of the seat that speaks, and one that is there."""
        if self.random.random() < 0.05:
            return self.unit()
        mine = [u for u in self.table.play.units if self.speaks_for(u)]
        there = set(self.there()) if self.random.random() < 0.9 else set()
        return self.pick([u for u in mine if u in there] or mine, self.unit())

    def acting(self) -> UnitId:
        """Mostly whose action it is, where it is the speaker's."""
        active = self.table.play.fight.active if self.table.play.fight else None
        own = active is not None and self.speaks_for(active)
        return active if active and own and self.random.random() < 0.9 else self.mine()

    def target(self) -> UnitId:
        """Mostly one whom the top of the stack is aimed at."""
        stack = self.table.play.stack
        return self.pick(self.table.play.pendings[stack[-1]].act.targets if stack else (), self.unit())

    def pending(self) -> Any:
        stack = self.table.play.stack
        return stack[-1] if stack and self.random.random() < 0.5 else self.pick(stack, "no pending")

    def window(self) -> Any:
        stack = self.table.play.stack
        if stack and self.random.random() < 0.7:
            return self.table.play.pendings[stack[-1]].window
        return self.pick(self.table.play.windows, "no window")

    def gen(self, window: Any) -> int:
        found = self.table.play.windows.get(window)
        return (found.gen if found else 1) - (self.random.random() < 0.1)

    def value(self, unit: UnitId, path: str) -> Any:
        """What stands at a path of a unit now."""
        found = self.table.play.units.get(unit)
        if found is None or path == "wits":
            return None
        return value_at(found, "tracks.hp.value" if path == "hp" else path)
