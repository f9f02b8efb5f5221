"""Given / when / then for rules: a table in memory, commands by seat, scripted dice, a clock moved by hand.

Such as:
    game = Game(dice=[8, 9, 3])
    mira = game.unit("Mira", owner="p1", abilities=[attack(dice=3)])
    game.start()
    game.declare(mira, ability="sword", targets=[zombie])         # declared by its owner
    assert game.refused(...) == "no_action_left"
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core import commands as cmd
from core.change import Change
from core.clock import due_command
from core.commands import By, Command
from core.decide import Decided, decide
from core.dice.source import ScriptedDice
from core.diff import Patch, patch
from core.editions import house_of
from core.events import Event
from core.evolve import fold
from core.ids import OPERATOR, ST, Ids, SeatId, UnitId, WindowId
from core.refusals import Refused
from core.state import Ability, Act, Fight, Pending, Pool, Seat, Seeds, Table, Track, Unit, Window
from core.view import View, view
from core.world import World

START = 1_000_000
THE_ST = By(ST, "st", SeatId("x1"))
THE_OPERATOR = By(ST, "st", OPERATOR)


class Game:
    """One table in memory. Every accepted command is checked: folding its events gives the decided table.

    Without a grace unless a test asks for one: a window then closes at its deadline (tests/rules/test_fair.py has the rest).
    """

    def __init__(self, *, dice: Sequence[int] = (), players: Sequence[str] = ("p1", "p2"), **house: Any) -> None:
        seats = {SeatId("x1"): Seat(SeatId("x1"), "Storyteller", "st")}
        seats |= {SeatId(p): Seat(SeatId(p), p, "player") for p in players}
        self.dice = ScriptedDice(dice)
        house.setdefault("grace_ms", 0)
        seeds = Seeds(1, 0, *self.dice.commitments(1))
        self.table = Table("test", START, START, seats=seats, house=house_of(house), seeds=seeds)
        self.now = START
        self.here = frozenset({ST, *(SeatId(p) for p in players)})
        self.ways: dict[str, int] = {}  # by seat: how long its frames are under way, as the server has measured it
        self.version = 0
        self.events: list[Event] = []
        self.last: tuple[Event, ...] = ()
        self.changes: list[Change] = []

    # -- given
    def unit(self, name: str, owner: str | None = None, *, hp: int = 10, initiative: int = 10, **facts: Any) -> UnitId:
        abilities = facts.pop("abilities", [])
        on_stage = facts.pop("on_stage", True)
        unit = Unit(
            UnitId("new"),
            name,
            side=facts.pop("side", "pc" if owner else "foe"),
            on_stage=on_stage,
            initiative=initiative,
            tracks={"hp": Track(hp, hp)},
            abilities={a.name: a for a in abilities},
            **facts,
        )
        made = self.do(cmd.AddUnit(unit, SeatId(owner) if owner else None))
        return UnitId(made.made[0])

    def start(self, *units: UnitId) -> None:
        """A fight that the ST takes for a real one, whoever is in it."""
        self.do(cmd.StartFight(units, counts=True))

    # -- when
    def by(self, who: str) -> By:
        return THE_ST if who == "st" else By(SeatId(who), self.table.seats[SeatId(who)].role)

    def decide(self, command: Command, by: str = "st") -> Decided | Refused:
        """Decided on a world of its own; the clock's own acts go first, as in a room."""
        for _ in range(100):
            due = due_command(self.table, self.now, self.here)
            if due is None:
                break
            self._take(self._decide(due, THE_ST), THE_ST)
        return self._decide(command, self.by(by))

    def _decide(self, command: Command, by: By) -> Decided | Refused:
        ids = Ids(b"test", f"{by.seat}:{self.version}:{len(self.events)}")
        way_ms = self.ways.get(by.seat, 0)
        return decide(
            self.table, command, by, World(self.now, self.dice, ids, self.here, self.version + 1, way_ms=way_ms)
        )

    def _take(self, outcome: Decided | Refused, by: By) -> Decided:
        if isinstance(outcome, Refused):
            raise AssertionError(f"refused: {outcome}") from outcome
        assert fold(self.table, outcome.events, self.now) == replace(outcome.table, seen=max(self.table.seen, self.now))
        before, self.table = self.table, replace(outcome.table, seen=max(self.table.seen, self.now))
        self.changes.append(Change(before, self.table, outcome.events, by, self.now))
        self.version += 1
        self.events += outcome.events
        self.last = outcome.events
        return outcome

    def do(self, command: Command, by: str = "st") -> Decided:
        """The command is accepted."""
        return self._take(self.decide(command, by), self.by(by))

    def of_the_server(self, command: Command) -> Decided:
        """A command of whoever runs the server is accepted."""
        return self._take(self._decide(command, THE_OPERATOR), THE_OPERATOR)

    def refused(self, command: Command, by: str = "st") -> str:
        """The code it is refused with; nothing has changed."""
        return self.refusal(command, by)[0]

    def refusal(self, command: Command, by: str = "st") -> tuple[str, Mapping[str, Any]]:
        """The code it is refused with, and what the refusal says it is about; nothing has changed."""
        outcome = self.decide(command, by)
        assert isinstance(outcome, Refused), f"accepted: {command}"
        return outcome.code, outcome.params

    def wait(self, ms: int) -> None:
        """Time goes by; what is due by then happens at its instant's passing."""
        self.now += ms
        for _ in range(100):
            due = due_command(self.table, self.now, self.here)
            if due is None:
                return
            self._take(self._decide(due, THE_ST), THE_ST)
        raise AssertionError("the clock does not come to rest")

    def owner(self, unit: UnitId) -> str:
        return self.table.owners.get(unit, "st")

    def declare(self, unit: UnitId, kind: str = "use", slot: str = "standard", *, by: str | None = None, **act: Any):
        return self.do(cmd.Declare(unit, make_act(kind, slot, **act)), by or self.owner(unit))

    def react(self, unit: UnitId, ability: str = "", *, kind: str = "use", window: Window | None = None, **act: Any):
        command = cmd.React(unit, make_act(kind, "immediate", ability=ability, **act), self.window_id(window))
        return self.do(command, self.owner(unit))

    def window_id(self, window: Window | None) -> WindowId | None:
        return window.id if window is not None else None

    def pass_all(self) -> None:
        """Every asked seat that has not passed says so, then the floor goes by: the top window closes."""
        window = self.window
        for seat in window.asked:
            if seat not in window.passed:
                self.do(cmd.Pass(window.id, window.gen), "st" if seat == ST else seat)
        if window.id in self.table.play.windows:
            self.wait(self.table.house.reaction_floor_ms)

    def end(self, unit: UnitId) -> Decided:
        return self.do(cmd.EndAction(unit, self.table.play.budgets[unit].round), self.owner(unit))

    def next_action_of(self, unit: UnitId) -> None:
        """Whoever acts ends his action, until this unit's next action begins."""
        self.end(self.acting)
        while self.active != unit:
            self.end(self.acting)

    def whole_turn(self) -> None:
        """Everybody still to come ends his action: the next turn begins."""
        turn = self.fight.turn
        while self.fight.turn == turn:
            self.end(self.acting)

    def rewind(self, to: int) -> Decided:
        """Back to version `to`, with the past that the server would look up."""
        return self.do(cmd.Rewind(to, self.version, play=self.changes[to].before.play))

    # -- then
    @property
    def top(self) -> Pending:
        return self.table.play.pendings[self.table.play.stack[-1]]

    @property
    def window(self) -> Window:
        """The top window."""
        return self.table.play.windows[self.top.window]

    @property
    def active(self) -> UnitId | None:
        return self.table.play.fight.active if self.table.play.fight else None

    @property
    def fight(self) -> Fight:
        assert self.table.play.fight is not None
        return self.table.play.fight

    @property
    def acting(self) -> UnitId:
        """The active unit; there is one."""
        assert self.active is not None
        return self.active

    @property
    def stack(self) -> list[str]:
        """Act kinds, bottom first."""
        return [self.table.play.pendings[p].act.kind for p in self.table.play.stack]

    def hp(self, unit: UnitId) -> int:
        return self.table.play.units[unit].tracks["hp"].value

    def conditions(self, unit: UnitId) -> set[str]:
        return set(self.table.play.units[unit].conditions)

    def left(self, unit: UnitId) -> Mapping[str, int]:
        return self.table.play.budgets[unit].left

    def seen(self, audience: str) -> View:
        return view(self.table, audience)

    def received(self, audience: str, since: int = 0) -> list[Patch]:
        """What the audience has been sent, from the change `since` on; changes it sees nothing of send nothing."""
        patches = [patch(c, audience) for c in self.changes[since:]]
        return [p for p in patches if p is not None]

    def happened(self, kind: type[Event]) -> list[Any]:
        """Events of a kind in the last accepted command."""
        return [e for e in self.last if isinstance(e, kind)]


def make_act(kind: str, slot: str, *, targets: Sequence[str] = (), **rest: Any) -> Act:
    return Act(kind, slot, targets=tuple(targets), **rest)  # type: ignore[arg-type]


def attack(name: str = "sword", dice: int = 5, *, slots: Sequence[str] = ("standard",), **rest: Any) -> Ability:
    """An attack that rolls a fixed pool."""
    pool = Pool(fixed=dice, **rest.pop("pool", {}))
    return Ability(name, rest.pop("act", "melee_attack"), tuple(slots), pool, **rest)  # type: ignore[arg-type]


def step_aside(name: str = "step aside", **rest: Any) -> Ability:
    return Ability(name, "move", ("immediate",), **rest)
