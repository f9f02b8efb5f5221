"""Events folded give the decided table, and cells hold all of it, through long fights of commands drawn at random.

A command may well be refused; whatever is accepted must leave a table that is whole.
"""

import random
from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from core import commands as cmd
from core.cells import cells, changed, table_from
from core.commands import Command
from core.decide import Decided
from core.dice.source import KeyedDice
from core.evolve import fold
from core.ids import ST, RequestId, SeatId, TaskId, UnitId
from core.state import Ability, Act, Applied, Duration, Pool, Seeds, Table, TimeUnit, Trigger
from core.view import audiences, view
from tests.helpers.play import Game, attack, step_aside

SEEDS = range(12)
COMMANDS = 200
SLOTS = ("standard", "move", "swift", "free", "full_round")


# ---------------------------------------------------------------------------------------------------------- a long fight
class Brawl(Game):
    """A fight in which every next command is drawn from what people could come up with."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        super().__init__()
        self.dice = KeyedDice(seed.to_bytes(4, "big"))  # type: ignore[assignment]
        abilities = [
            attack(dice=4),
            attack("riposte", 4, slots=["immediate"]),
            step_aside(),
            Ability("curse", "cast", ("standard", "swift"), applies=(Applied("slow", 2),), needs_target=True),
            Ability("stun", "cast", ("standard",), applies=(Applied("stunned", 1),), needs_target=True),
            Ability("counter", "cast", ("immediate",), counters=True, answers=("*",)),
            Ability("sense", "use", ("anytime",)),
            Ability("edge", attaches=("attack",), applies=(Applied("slow", 2),)),
            Ability("flurry", slots=("standard", "immediate"), steps=("sword", "curse", "riposte")),
            Ability("grip", "use", ("standard",), needs_target=True, applies=(Applied("bound"),), concentration="move"),
            attack("flurry", 3, attacks=3, gains=1),
        ]
        for k, owner in enumerate(("p1", "p2", None, None, "p1")):
            self.unit(f"U{k}", owner, initiative=k * 5, abilities=abilities, extras={"defense": 2}, hidden=k == 3)
        self.abilities = {ability.name: ability for ability in abilities}
        self.start()

    def one_of_units(self) -> UnitId:
        return self.draw.choice(list(self.table.play.units) or [UnitId("nobody")])

    def one_of_tasks(self) -> TaskId:
        return self.draw.choice(list(self.table.play.tasks) or [TaskId("none")])

    def some_act(self, *slots: str) -> Act:
        """Mostly what an ability of theirs allows, in one of these slots."""
        pairs = [(name, slot) for name, a in self.abilities.items() for slot in a.slots if slot in slots or not slots]
        ability, slot = self.draw.choice([*pairs, *pairs, ("", self.draw.choice(slots or SLOTS))])
        stack = self.table.play.stack
        return Act(
            self.draw.choice(["use", "move", "speak", "drop_prone"]),
            slot,  # type: ignore[arg-type]
            ability=ability,
            targets=tuple(self.one_of_units() for _ in range(self.draw.choice([0, 1, 1, 2]))),
            leaves=self.draw.random() < 0.3,
            attached=("edge",) if ability == "sword" else (),
            counters=self.draw.choice(stack) if stack and ability == "counter" else None,
            position=self.draw.choice([None, "the gate"]),
        )

    def next_command(self) -> tuple[Command, str]:
        drawn = self.draw.random()
        if drawn < 0.15:
            return self.draw.choice(self.of_the_storyteller())(), "st"
        if drawn < 0.25:
            return self.draw.choice(self.of_the_cast())(), "st"
        if self.table.play.stack and drawn < 0.75:
            unit = self.one_of_units()
            seats = [self.owner(unit), *self.window.asked]
            return self.draw.choice(self.of_a_window(unit))(), self.draw.choice(seats)
        unit = self.active or self.one_of_units()
        by = self.owner(unit) if self.draw.random() < 0.9 else "p1"
        return self.draw.choice(self.of_a_unit(unit))(), by

    def of_a_unit(self, unit: UnitId) -> list[Callable[[], Command]]:
        budget = self.table.play.budgets.get(unit)
        trigger = Trigger(act=self.draw.choice(["", "attack"]))
        return [
            lambda: cmd.Declare(unit, self.some_act("standard", "move", "swift", "anytime", "full_round")),
            lambda: cmd.Declare(unit, self.some_act("standard", "swift")),
            lambda: cmd.Sustain(unit),
            lambda: cmd.EndAction(unit, budget.round if budget else 0),
            lambda: cmd.React(unit, self.some_act("immediate")),
            lambda: cmd.Ready(unit, replace(self.some_act("standard"), slot="standard"), trigger, auto=True),
            lambda: cmd.Ready(unit, Act("move", "move"), trigger, "when it gets hot"),
            lambda: cmd.StartTask(unit, self.draw.choice(["novel", "shelf"]), Pool(fixed=3), 4, 0, 60),
            lambda: cmd.RollTask(self.one_of_tasks()),
            lambda: cmd.DropTask(self.one_of_tasks()),
            lambda: cmd.Roll(unit, Pool(fixed=2), ask=self.draw.choice([None, *self.table.asks])),
            lambda: cmd.Say("hm", unit),
            lambda: cmd.DropConcentration(unit),
            lambda: cmd.SetDefaultGuard(self.draw.randrange(3)),
            lambda: cmd.SetStandingOrder("*", self.draw.choice(["ask", "pass", "concerns_me"])),
        ]

    def of_a_window(self, unit: UnitId) -> list[Callable[[], Command]]:
        window = self.window
        found: list[Callable[[], Command]] = [
            lambda: cmd.Pass(window.id, window.gen),
            lambda: cmd.Pass(window.id, window.gen),
            lambda: cmd.React(unit, self.some_act("immediate"), window.id),
            lambda: cmd.React(unit, self.some_act("immediate"), window.id),
            lambda: cmd.Defend(window.id, unit, self.draw.randrange(3), self.draw.choice([1, 1, 2])),
            lambda: cmd.SplitGain(window.id, (0, 1)),
            lambda: cmd.MoreTime(window.id),
        ]
        if self.table.play.readied:
            readied = self.draw.choice(list(self.table.play.readied))
            found.append(lambda: cmd.Fire(readied, window.id))
            found.append(lambda: cmd.SetReadiedAuto(readied, self.draw.random() < 0.5))
        return found

    def of_the_cast(self) -> list[Callable[[], Command]]:
        unit = self.one_of_units()
        return [
            lambda: cmd.Hide(unit),
            lambda: cmd.Reveal(unit),
            lambda: cmd.TakeOff(unit),
            lambda: cmd.BringOn((unit,), copies=1 if len(self.table.play.units) > 6 else 2),
            lambda: cmd.BringOn(tuple(u.id for u in self.table.play.units.values() if not u.on_stage)),
            lambda: cmd.LeaveFight(unit),
            lambda: cmd.JoinFight(unit, self.draw.choice([None, 0, 2])),
            lambda: cmd.GiveUnit(unit, self.draw.choice([None, SeatId("p1"), SeatId("p2")])),
            lambda: cmd.RemoveUnit(unit) if len(self.table.play.units) > 5 else cmd.Release(),
            lambda: cmd.EndFight() if self.draw.random() < 0.3 else cmd.Release(),
            lambda: cmd.StartFight(),
            lambda: cmd.PassTime(30),
            *self.of_time(),
        ]

    def of_time(self) -> list[Callable[[], Command]]:
        draw = self.draw
        unit: TimeUnit = draw.choice(["scene", "film", "sunrise", "sunset", "hour", "permanent", "turn"])
        return [
            lambda: cmd.ChangeScene(draw.choice(["story", "fight"]), draw.choice(["", "x"]), draw.random() < 0.5),
            lambda: cmd.AllowPrebuff(draw.random() < 0.7),
            lambda: cmd.EnterFilm("Alien") if self.table.play.setting.film is None else cmd.LeaveFilm(),
            lambda: cmd.SetWorld(sunrise_s=draw.choice([None, 5, 60])),
            lambda: cmd.AddCondition(self.one_of_units(), "slow", lasts=Duration(draw.choice([1, 2]), unit)),
        ]

    def of_the_storyteller(self) -> list[Callable[[], Command]]:
        unit, play, draw = self.one_of_units(), self.table.play, self.draw
        words = ["stunned", "bound", "slow", "out"]
        bent = [u for u in play.units.values() if u.conditions]
        found: list[Callable[[], Command]] = [
            lambda: cmd.Adjust(unit, "hp", draw.choice([-4, -1, 8, 8])),
            lambda: cmd.AddCondition(unit, draw.choice(words), rounds=2, by=self.one_of_units()),
            lambda: cmd.BeginAction(unit),
            lambda: cmd.Grant(unit, ("standard", "immediate")),
            lambda: cmd.Spend(unit, ("standard",)),
            lambda: cmd.Hold(next=draw.random() < 0.5),
            lambda: cmd.Release(),
            lambda: cmd.Insert(unit, self.some_act(), noticed=draw.random() < 0.5),
            lambda: cmd.Reorder(tuple(reversed(self.shown())), tuple(self.shown())),
            lambda: cmd.SetHouse("relaxed_defense", draw.choice(["on", "off"])),
            lambda: cmd.SetHouse("enforce", draw.choice(["warn", "strict", "strict"])),
            lambda: cmd.SetHouse("action_clock_ms", draw.choice([9000, 0])),
            lambda: cmd.SetHouse("readied_debt", draw.choice(["on_use", "on_declare"])),
            lambda: cmd.AskRoll((unit,), Pool(fixed=2)),
            lambda: cmd.WithdrawAsk(draw.choice([*self.table.asks, RequestId("none")])),
            lambda: cmd.SetHouse("extended_mistakes", draw.choice(["on", "off"])),
            lambda: cmd.SetAside(self.one_of_tasks(), 1),
            lambda: cmd.EditTask(self.one_of_tasks(), dc=draw.choice([3, 5]), in_one_go=True),
            self.back,
        ]
        if bent:
            one = draw.choice(bent)
            found += [lambda: cmd.RemoveCondition(one.id, draw.choice(list(one.conditions)))] * 3
        if play.stack:
            pending, top = draw.choice(play.stack), self.window.id
            found += [
                lambda: cmd.CloseWindow(top),
                lambda: cmd.SetClock(top, draw.choice([-9000, 2000])),
                lambda: cmd.Cancel(pending, refund=draw.random() < 0.5),
                lambda: cmd.Resolve(play.stack[-1]),
                lambda: cmd.EditPending(pending, targets=(unit,), guards={unit: 1}, fails=draw.random() < 0.2),
                lambda: cmd.Restack(tuple(reversed(play.stack)), play.stack),
            ]
        return found

    def back(self) -> Command:
        to = max(1, self.version - self.draw.randrange(1, 12))
        return cmd.Rewind(to, self.version, play=self.changes[to].before.play)

    def shown(self) -> list[UnitId]:
        fight = self.table.play.fight
        return [u for u in fight.order if u not in fight.ghosts] if fight else []

    def run(self) -> "Brawl":
        for _ in range(COMMANDS):
            self.wait(self.draw.choice([0, 0, 100, 800, 3000]))
            command, by = self.next_command()
            outcome = self.decide(command, by)
            if isinstance(outcome, Decided):
                self._take(outcome, self.by(by))
        return self


@pytest.fixture(scope="module")
def brawls() -> list[Brawl]:
    """Every accepted command of these was folded by Game and compared with the decided table."""
    return [Brawl(seed).run() for seed in SEEDS]


# ----------------------------------------------------------------------------------------------------------- the tests
def test_most_of_what_can_happen_happens_in_them(brawls: list[Brawl]):
    """Else the tests below would say little."""
    happened = {type(event).__name__ for brawl in brawls for event in brawl.events}
    assert len(happened) >= 55
    assert max(len(change.after.play.stack) for brawl in brawls for change in brawl.changes) >= 4


def test_folding_all_events_from_the_first_table_gives_the_last(brawls: list[Brawl]):
    for brawl in brawls:
        table = brawl.changes[0].before
        for change in brawl.changes:
            table = fold(table, change.events, change.at)
        assert table == brawl.table


def test_folding_changes_no_table_in_place(brawls: list[Brawl]):
    for brawl in brawls:
        for change, following in zip(brawl.changes, brawl.changes[1:], strict=False):
            assert fold(change.before, change.events, change.at) == change.after == following.before


def test_a_table_comes_back_whole_from_its_cells(brawls: list[Brawl]):
    for brawl in brawls:
        for change in brawl.changes:
            assert table_from(cells(change.after)) == change.after


def test_what_changed_turns_the_old_cells_into_the_new_and_names_nothing_else(brawls: list[Brawl]):
    for brawl in brawls:
        for change in brawl.changes:
            old, new = cells(change.before), cells(change.after)
            put, gone = changed(change.before, change.after)
            assert {name: cell for name, cell in {**old, **put}.items() if name not in gone} == new
            assert all(name not in old or old[name] != cell for name, cell in put.items())
            assert set(gone) == old.keys() - new.keys()


def test_nothing_changed_is_no_cell():
    table = Brawl(0).table
    assert changed(table, replace(table)) == ({}, [])


def test_every_field_of_a_table_is_in_its_cells():
    """A field that somebody adds and forgets in cells.py would be lost by a restart."""
    stored = {f.name for f in fields(Table)} - {"play", "house"}
    other = Table(
        name="x", created=1, seen=2, practice=True, rolls={"open": 3}, last_acts={ST: 4}, numbers=5, notes="y",
        owners={UnitId("u"): SeatId("p")}, seeds=Seeds(6, 7, "o", "s", {ST: "m"}),
    )  # fmt: skip
    assert table_from(cells(other)) == other
    differ = {name for name in stored if getattr(other, name) != getattr(Table(), name)}
    assert stored - differ == {"seats", "orders", "requests", "asks", "objections"}, "these have cells of their own"


def test_the_table_stays_whole(brawls: list[Brawl]):
    for brawl in brawls:
        for change in brawl.changes:
            whole(change.after)


def whole(table: Table) -> None:
    play, fight = table.play, table.play.fight
    assert sorted(play.stack) == sorted(play.pendings), "what waits lies on the stack, once"
    assert {w.pending: id for id, w in play.windows.items()} == {p.id: p.window for p in play.pendings.values()}
    for depth, id in enumerate(play.stack):
        on_top = depth == len(play.stack) - 1
        clock = play.windows[play.pendings[id].window].clock
        assert (clock is not None) == on_top, "only the top's clock runs"
        assert clock is None or clock.running != play.held
        assert clock is None or 0 <= clock.floor <= clock.deadline
    assert all(effect.on in play.units for effect in play.effects.values())
    if fight is None:
        assert not play.budgets
        return
    assert len(set(fight.order)) == len(fight.order), "one place a unit"
    assert set(play.budgets) == set(fight.order)
    assert set(fight.done) <= set(fight.order)
    assert set(fight.ghosts) <= set(fight.order)
    assert fight.active is None or (fight.active in fight.order and fight.active not in fight.ghosts)
    assert all(u in play.units and play.units[u].on_stage for u in fight.order if u not in fight.ghosts)
    assert not fight.veiled or (play.held and fight.active is not None)
    for budget in play.budgets.values():
        assert min((*budget.left.values(), budget.guard, budget.immediates), default=0) >= 0
    assert all(readied.unit in play.units for readied in play.readied.values())


def test_every_audiences_diffs_lead_from_its_first_view_to_its_last(brawls: list[Brawl]):
    for brawl in brawls[:2]:
        for audience in audiences(brawl.table):
            seen = view(brawl.changes[0].before, audience)
            for patch in brawl.received(audience):
                for path, *value in patch.ops:
                    if value:
                        seen[path] = value[0]
                    else:
                        del seen[path]
            assert seen == brawl.seen(audience)
