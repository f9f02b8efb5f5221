"""A decision in the making: the table so far and the events so far. Thrown away when the command is refused.

Every rule function takes a `Draft`, looks at `d.table`, and either `emit`s what happens or refuses. Rights and timing are
refused with `refuse`; what a rule objects to goes through `objection`, which house rule or the ST may let pass.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from core import events as ev
from core.commands import By
from core.evolve import evolve
from core.ids import ST, SeatId, TaskId, UnitId
from core.refusals import RULES, Refused
from core.rules import rules_of
from core.state import Budget, Fight, House, Pending, Play, Table, Task, Unit, Window
from core.world import World

if TYPE_CHECKING:
    from core.rulesets import Ruleset


class Draft:
    """One command's decision. `permitted`: the ST has let this one act through; `strict`: no objection is let pass.

    `private`: what is decided just now is its owner's own, and so is whatever rule it bends. `task`: a roll for this one.
    """

    def __init__(self, table: Table, by: By, world: World, *, permitted: bool = False) -> None:
        self.table = table
        self.by = by
        self.world = world
        self.permitted = permitted
        self.strict = False
        self.private = False
        self.task: TaskId | None = None
        self.events: list[ev.Event] = []
        self.made: list[str] = []

    # -- what happens
    def emit(self, event: ev.Event) -> None:
        self.table = evolve(self.table, event)
        self.events.append(event)

    def make(self) -> str:
        """A new id for something this command makes; the sender is told of it."""
        id = self.fresh()
        self.made.append(id)
        return id

    def fresh(self) -> str:
        """A new id that the sender need not be told of."""
        return self.world.ids.new()

    def attempt(self, by: By, do: Callable[[], None]) -> bool:
        """Done as `by` might have done it himself; or not at all, where he would be refused. Its ids are told to nobody."""
        kept = self.table, list(self.events), list(self.made), self.by, self.strict
        self.by, self.strict = by, True
        try:
            do()
        except Refused:
            self.table, self.events = kept[:2]
            return False
        finally:
            self.made, self.by, self.strict = kept[2:]
        return True

    # -- what does not
    def refuse(self, code: str, *, st: str = "", **params: Any) -> Refused:
        return Refused(code, st=st, **params)

    def objection(
        self,
        code: str,
        unit: UnitId | None = None,
        *,
        task: TaskId | None = None,
        st: str = "",
        secret: bool = False,
        private: bool = False,
        **params: Any,
    ) -> None:
        """A rule is against it. Refused, unless this table warns only (TBL-02) or the ST has given leave.

        `secret`: players may not know of what it is about, so the flag is the ST's alone. `private`: it is about what only
        the unit's owner may know too.
        """
        assert code in RULES, code
        if (self.permitted or self.house.enforce == "warn") and not self.strict:
            task, private = task or self.task, private or self.private
            self.emit(ev.Flagged(self.by.seat, code, self.permitted, unit, task, secret=secret, private=private))
            return
        raise Refused(code, st=st, waivable=True, **({"unit": unit} if unit else {}), **params)

    @contextmanager
    def in_private(self) -> Iterator[None]:
        """What is objected to meanwhile is about what only its owner and the STs may know."""
        before, self.private = self.private, True
        try:
            yield
        finally:
            self.private = before

    @contextmanager
    def in_course_of(self, task: TaskId) -> Iterator[None]:
        """What is objected to meanwhile is told to who may know of the task."""
        before, self.task = self.task, task
        try:
            yield
        finally:
            self.task = before

    # -- what is
    @property
    def play(self) -> Play:
        return self.table.play

    @property
    def house(self) -> House:
        return self.table.house

    @property
    def rules(self) -> "Ruleset":
        """The game this table plays, as hooks."""
        return rules_of(self.table.house)

    @property
    def fight(self) -> Fight:
        if self.table.play.fight is None:
            raise Refused("no_fight")
        return self.table.play.fight

    @property
    def now(self) -> int:
        return max(self.world.now, self.table.seen)

    @property
    def is_st(self) -> bool:
        return self.by.role == "st"

    def top(self) -> Pending | None:
        stack = self.table.play.stack
        return self.table.play.pendings[stack[-1]] if stack else None

    def window_of(self, pending: Pending) -> Window:
        return self.table.play.windows[pending.window]

    def budget(self, unit: UnitId) -> Budget | None:
        return self.table.play.budgets.get(unit)

    # -- whom it concerns
    def own_unit(self, id: UnitId) -> Unit:
        """The unit, if the sender may speak for it; else the one refusal for hidden, unknown and another's."""
        unit = self.known_unit(id)
        if self.is_st or owner(self.table, id) == self.by.seat:
            return unit
        raise Refused("not_yours", unit=id)

    def known_units(self, ids: Iterable[str]) -> list[Unit]:
        """Each once, in the order they are named."""
        return [self.known_unit(id) for id in dict.fromkeys(ids)]

    def known_unit(self, id: str) -> Unit:
        """The unit, if the sender may know of it: hidden and non-existent are the same."""
        unit = self.table.play.units.get(UnitId(id))
        if unit is None or not sees(self.table, self.by.seat, unit):
            raise Refused("unknown", id=id)
        return unit


def owner(table: Table, unit: UnitId) -> SeatId:
    """Who runs a unit: its seat, or the STs where it has none (or one that left)."""
    seat = table.owners.get(unit)
    return seat if seat is not None and seat in table.seats else ST


def sees(table: Table, audience: str, unit: Unit) -> bool:
    """Whether an audience (seat id, `ST`, `ALL`) may know of a unit at all (TBL-04)."""
    if audience == ST or owner(table, unit.id) == audience:
        return True
    return unit.on_stage and not unit.hidden


def sees_task(table: Table, audience: str, task: Task) -> bool:
    """Whoever sees the unit sees what it works on, where the rolls are open; else who sees the rolls."""
    if audience == ST:
        return True
    unit = table.play.units.get(task.unit)
    if task.visibility == "st" or unit is None or not sees(table, audience, unit):
        return False
    return task.visibility == "open" or owner(table, task.unit) == audience
