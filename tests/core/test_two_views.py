"""Two tables that differ only in what a seat may not know give it the same frames and refusals (N1, N2; TBL-04).

Each pair gets the same commands at the same instants. After every one, what p1 and the spectators have been sent so far is
compared frame for frame: ops, log lines, refusals, and that there was a frame at all. At random, and to the last byte:
tests/secrecy.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from core import commands as cmd
from core.change import Change
from core.clock import due_command
from core.commands import By, Command
from core.decide import decide
from core.dice.proof import Origin
from core.dice.source import KeyedDice
from core.diff import patch
from core.ids import ALL, ST, Ids, ReadiedId, SeatId, TaskId, UnitId, WindowId
from core.options import options, told
from core.refusals import Refused
from core.state import (
    Ability,
    Act,
    Applied,
    Duration,
    House,
    Pool,
    Prepared,
    Seat,
    Step,
    Table,
    TimeUnit,
    Track,
    Trigger,
    Unit,
)
from core.view import view
from core.world import World
from tests.helpers.play import attack, make_act, step_aside

START = 1_000_000
THE_ST = By(ST, "st", SeatId("x1"))
CLOCK = By(SeatId(""), "st")
WATCHING = ("p1", ALL)

pytestmark = pytest.mark.rule("TBL-04")


class OpenDice(KeyedDice):
    """Hidden rolls always show the same: that one table has made more of them before must not change what they bring."""

    def faces(self, origin: Origin) -> Iterator[int]:
        return super().faces(replace(origin, counter=0) if origin.secret else origin)


class Side:
    """One of the two tables, with all that it has sent to those who are watching."""

    def __init__(self, name: str, house: House) -> None:
        self.name = name
        seats = [Seat(SeatId("x1"), "ST", "st"), *(Seat(SeatId(p), p, "player") for p in ("p1", "p2", "p3"))]
        self.table = Table("t", START, START, seats={s.id: s for s in seats}, house=house)
        self.dice = OpenDice(b"the same")
        self.here = frozenset({ST, SeatId("p1"), SeatId("p2"), SeatId("p3")})
        self.version = 0
        self.frames: list[Any] = []
        self.made: tuple[str, ...] = ()

    def offered(self, seat: str, now: int) -> list[dict[str, Any]]:
        """What the seat could do now, as it would be answered."""
        world = World(now, self.dice, Ids(b"test", "offered"), self.here, self.version + 1)
        return [told(option) for option in options(self.table, By(SeatId(seat), "player"), world)]

    def do(self, command: Command, by: By, now: int, label: str) -> str:
        """The refusal's code, or "". A room's way: the clock's own commands first."""
        for k in range(50):
            due = due_command(self.table, now, self.here)
            if due is None:
                break
            self._decide(due, CLOCK, now, f"{label}.clock{k}")
        return self._decide(command, by, now, label)

    def _decide(self, command: Command, by: By, now: int, label: str) -> str:
        world = World(now, self.dice, Ids(b"test", label), self.here, self.version + 1)
        outcome = decide(self.table, command, by, world)
        if isinstance(outcome, Refused):
            if by.seat in WATCHING:
                self.frames.append(("refused", outcome.code, outcome.params))
            return outcome.code
        before, self.table = self.table, replace(outcome.table, seen=max(self.table.seen, now))
        self.made = outcome.made
        self.version += 1
        for audience in WATCHING:
            sent = patch(Change(before, self.table, outcome.events, by, now), audience)
            if sent is not None:
                self.frames.append((audience, now, sent.ops, sent.lines))
        return ""


class Pair:
    """Tables A and B. `both` does the same at both; `a` and `b` what only one of them does, unseen."""

    def __init__(self, **house: Any) -> None:
        self.left, self.right = Side("A", House(**house)), Side("B", House(**house))
        self.now = START
        self.step = 0

    def by(self, who: str) -> By:
        return THE_ST if who == "st" else By(SeatId(who), "player")

    def both(self, command: Command, who: str = "st") -> str:
        """Done by both, or refused by both; equal so far. The code it was refused with."""
        self.step += 1
        answers = [side.do(command, self.by(who), self.now, str(self.step)) for side in (self.left, self.right)]
        assert who not in WATCHING or answers[0] == answers[1], command
        self.compare(command)
        return answers[0]

    def each(self, left: Command, right: Command, who: str = "st") -> None:
        """Two commands that shall look the same."""
        self.step += 1
        assert self.left.do(left, self.by(who), self.now, str(self.step)) == ""
        assert self.right.do(right, self.by(who), self.now, str(self.step)) == ""
        self.compare((left, right))

    def a(self, command: Command, who: str = "st") -> str:
        return self._one(self.left, command, who)

    def b(self, command: Command, who: str = "st") -> str:
        return self._one(self.right, command, who)

    def _one(self, side: Side, command: Command, who: str) -> str:
        self.step += 1
        refused = side.do(command, self.by(who), self.now, f"{side.name}{self.step}")
        assert refused == "", (command, refused)
        self.compare(command)
        return side.made[0] if side.made else ""

    def wait(self, ms: int, step: int = 250) -> None:
        """In small steps, so that one closing earlier than the other is seen."""
        for _ in range(0, ms, step):
            self.now += step
            for side in (self.left, self.right):
                for k in range(50):
                    due = due_command(side.table, self.now, side.here)
                    if due is None:
                        break
                    side._decide(due, CLOCK, self.now, f"wait{self.now}.{k}")
            self.compare(f"{ms} ms")

    def compare(self, what: object) -> None:
        for k, (left, right) in enumerate(zip(self.left.frames, self.right.frames, strict=False)):
            assert left == right, f"after {what}, frame {k}"
        assert len(self.left.frames) == len(self.right.frames), f"after {what}: a frame that only one of them sent"
        for audience in WATCHING:
            assert view(self.left.table, audience) == view(self.right.table, audience), f"after {what}"
        if self.step % 10 == 0:  # a question costs as much as thirty commands
            left, right = (side.offered("p1", self.now) for side in (self.left, self.right))
            assert left == right, f"after {what}: p1 is offered something else"

    # -- the same at both
    def unit(self, name: str, owner: str | None, initiative: int, **facts: Any) -> UnitId:
        """Brought on when it is whole, so that a difference made before is never sent."""
        unit = Unit(UnitId(""), name, side=facts.pop("side", "pc" if owner else "foe"), on_stage=True, initiative=initiative,
                    tracks={"hp": Track(10, 10)}, **facts)  # fmt: skip
        self.both(cmd.AddUnit(unit, SeatId(owner) if owner else None))
        return UnitId(self.left.made[0])

    @property
    def window(self) -> tuple[WindowId, int]:
        play = self.left.table.play
        window = play.windows[play.pendings[play.stack[-1]].window]
        return window.id, window.gen

    def attacks(self, unit: UnitId, target: UnitId, who: str) -> None:
        assert (
            self.both(cmd.Declare(unit, make_act("attack", "standard", ability="sword", targets=[target])), who) == ""
        )

    def passes(self, *seats: str) -> None:
        for seat in seats:
            self.both(cmd.Pass(*self.window), seat)

    def end(self, unit: UnitId, who: str) -> None:
        assert self.both(cmd.EndAction(unit, self.left.table.play.budgets[unit].round), who) == ""


def fight(**house: Any) -> tuple[Pair, UnitId, UnitId, UnitId]:
    """Mira (p1) acts first, Rolf (p2) second, the wolf (ST) last; the fight has not begun."""
    pair = Pair(**house)
    mira = pair.unit("Mira", "p1", 30, abilities={a.name: a for a in (attack(), step_aside())})
    rolf = pair.unit("Rolf", "p2", 20, abilities={a.name: a for a in (attack(), step_aside())}, extras={"defense": 3})
    wolf = pair.unit("Wolf", None, 10, abilities={"sword": attack()})
    return pair, mira, rolf, wolf


def a_round(pair: Pair, mira: UnitId, rolf: UnitId, wolf: UnitId) -> None:
    """One pass of the order with attacks, an interrupt, refusals, talk. p2 and the ST answer within the floor."""
    pair.attacks(mira, wolf, "p1")
    window, gen = pair.window
    pair.both(cmd.Pass(window, gen), "p1")  # not asked
    pair.both(cmd.React(rolf, make_act("move", "immediate", ability="step aside"), window), "p1")  # not his
    pair.both(cmd.Declare(mira, make_act("use", "move")), "p1")  # a window is open
    pair.passes("p2", "st")
    pair.wait(750)
    pair.both(cmd.React(mira, make_act("drop_prone", "immediate"), window), "p1")  # closed: the dice have fallen
    pair.both(cmd.Say("hah!", mira), "p1")
    pair.end(mira, "p1")
    pair.attacks(rolf, wolf, "p2")
    assert pair.both(cmd.React(mira, make_act("move", "immediate", ability="step aside"), pair.window[0]), "p1") == ""
    pair.passes("p2", "st")
    pair.wait(750)
    pair.passes("p1", "st")
    pair.wait(750)
    pair.end(rolf, "p2")
    pair.attacks(wolf, mira, "st")
    pair.passes("p1", "p2")
    pair.wait(750)
    pair.end(wolf, "st")


HIDDEN = Unit(UnitId(""), "Sneak", side="foe", hidden=True, on_stage=True, initiative=15, tracks={"hp": Track(10, 10)},
              abilities={a.name: a for a in (attack(), step_aside(), Ability("hex", "use", ("standard",),
              needs_target=True, applies=(Applied("cursed", rounds=2, secret=True),)))}, notes="waits")  # fmt: skip


# --------------------------------------------------------------------------------------------- what only the ST may know
def a_hidden_unit(pair: Pair, *_: UnitId) -> None:
    pair.a(cmd.AddUnit(HIDDEN))


def a_hidden_unit_that_comes_and_goes(pair: Pair, *_: UnitId) -> None:
    sneak = UnitId(pair.a(cmd.AddUnit(HIDDEN)))
    pair.a(cmd.TakeOff(sneak))
    pair.a(cmd.BringOn((sneak,), hidden=True))
    pair.a(cmd.Adjust(sneak, "hp", -3, reason="stepped into a trap"))
    pair.a(cmd.SetValue(sneak, "name", "The Sneak", "Sneak"))
    pair.a(cmd.RemoveUnit(sneak))


def a_hidden_encounter(pair: Pair, *_: UnitId) -> None:
    pair.a(cmd.SetUp((Prepared(replace(HIDDEN, initiative=None), count=3, one_initiative=True),), join=False))
    pair.a(cmd.SetUp((Prepared(replace(HIDDEN, hidden=False, name="Wolf")),), hidden=True, join=False))
    pair.a(cmd.SetUp((Prepared(replace(HIDDEN, on_stage=False, hidden=False), count=2),), on=False))


def a_unit_off_stage(pair: Pair, *_: UnitId) -> None:
    pair.a(cmd.AddUnit(replace(HIDDEN, on_stage=False, hidden=False)))


def a_secret_condition(pair: Pair, mira: UnitId, rolf: UnitId, wolf: UnitId) -> None:
    for unit in (mira, rolf, wolf):
        pair.a(cmd.AddCondition(unit, "cursed", secret=True, minutes=1, by=wolf, reason="the altar"))
    pair.a(cmd.AddCondition(rolf, "marked", secret=True))


def a_hidden_unit_that_concentrates(pair: Pair, mira: UnitId, *_: UnitId) -> None:
    """On something secret: that it starts, what it does, and that it ends with the scene."""
    grip = Ability("grip", "use", ("anytime",), applies=(Applied("gripped", secret=True),), concentration="none")
    sneak = UnitId(pair.a(cmd.AddUnit(replace(HIDDEN, abilities={"grip": grip}))))
    pair.a(cmd.Insert(sneak, make_act("use", "anytime", ability="grip", targets=[mira])))
    assert sneak in pair.left.table.play.concentrations


def notes_of_the_st(pair: Pair, mira: UnitId, *_: UnitId) -> None:
    pair.a(cmd.SetNotes("the wolf is the duke"))
    pair.a(cmd.SetNotes("knows nothing yet", mira))


def hidden_rolls(pair: Pair, mira: UnitId, _: UnitId, wolf: UnitId) -> None:
    for _k in range(3):
        pair.a(cmd.Roll(wolf, Pool(fixed=4), "st", reason="stealth"))
        pair.a(cmd.Roll(mira, Pool(fixed=3), "st", reason="notice", opposes=wolf))


def a_roll_asked_of_another(pair: Pair, _: UnitId, rolf: UnitId, wolf: UnitId) -> None:
    ask = pair.a(cmd.AskRoll((rolf, wolf), Pool(fixed=2), "roller", 2, "do you hear it?"))
    pair.a(cmd.Roll(rolf, ask=ask), "p2")  # type: ignore[arg-type]
    pair.a(cmd.WithdrawAsk(ask, "it was the wind"))  # type: ignore[arg-type]


def whispers(pair: Pair, *_: UnitId) -> None:
    pair.a(cmd.Whisper("I pocket the ring"), "p2")
    pair.a(cmd.Whisper("it is cold", SeatId("p2")))


def another_seats_orders(pair: Pair, *_: UnitId) -> None:
    pair.a(cmd.SetStandingOrder("*", "pass"), "p2")
    pair.a(cmd.SetStandingOrder("melee_attack", "unless_target"), "p2")
    pair.b(cmd.SetStandingOrder("*", "ask"), "p2")


def another_seats_default_defence(pair: Pair, *_: UnitId) -> None:
    pair.a(cmd.SetDefaultGuard(2), "p2")


def a_sheet_that_is_not_his(pair: Pair, _: UnitId, rolf: UnitId, wolf: UnitId) -> None:
    pair.a(cmd.SetValue(wolf, "attributes.DEX", 9, None))
    pair.a(cmd.SetValue(rolf, "skills.Stealth", 4, None, "trained"))
    pair.a(cmd.SetValue(rolf, "speed", 12, 10))


def secret_tasks(pair: Pair, mira: UnitId, rolf: UnitId, _: UnitId) -> None:
    """One that the ST keeps for Mira, one of Rolf's for himself, one of a hidden unit's; also what becomes of them."""
    sneak = UnitId(pair.a(cmd.AddUnit(HIDDEN)))
    plots = [(mira, "st", "st"), (rolf, "roller", "p2"), (sneak, "open", "st")]
    for unit, visibility, who in plots:
        start = cmd.StartTask(unit, "plot", Pool(fixed=3), 9, 6, 60, True, visibility)  # type: ignore[arg-type]
        task = TaskId(pair.a(start, who))
        pair.a(cmd.RollTask(task), who)
        pair.a(cmd.EditTask(task, mistakes=8, successes=1, reason="so be it"))
        if unit == rolf:
            pair.a(cmd.SetAside(task))
        if unit == sneak:
            pair.a(cmd.DropTask(task))


SECRETS: list[Callable[..., None]] = [
    a_hidden_unit, a_hidden_unit_that_comes_and_goes, a_hidden_encounter, a_unit_off_stage, a_secret_condition,
    a_hidden_unit_that_concentrates, notes_of_the_st, hidden_rolls,
    a_roll_asked_of_another, whispers, another_seats_orders, another_seats_default_defence, a_sheet_that_is_not_his,
    secret_tasks,
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret.__name__)
@pytest.mark.parametrize("when", ["before the fight", "in its first window"])
def test_what_he_may_not_know_changes_nothing_that_he_is_sent(secret, when):
    pair, mira, rolf, wolf = fight()
    if when == "before the fight":
        secret(pair, mira, rolf, wolf)
    pair.both(cmd.StartFight((mira, rolf, wolf)))
    if when == "in its first window":
        pair.attacks(mira, wolf, "p1")
        secret(pair, mira, rolf, wolf)
        pair.passes("p2", "st")
        pair.wait(750)
        pair.both(cmd.Grant(mira, ("standard",)))
    a_round(pair, mira, rolf, wolf)
    a_round(pair, mira, rolf, wolf)
    pair.both(cmd.EndFight())
    pair.both(cmd.PassTime(120))


# ---------------------------------------------------------------------------------------------------- scenes and worlds
def test_hidden_units_and_secret_effects_show_in_no_scene_film_or_sky():
    """A has a hidden foe in a fight of friends, secret conditions of every length, a world and key points of its own."""
    pair = Pair()
    mira, rolf = pair.unit("Mira", "p1", 20), pair.unit("Rolf", "p2", 10)
    beast = UnitId(pair.a(cmd.AddUnit(HIDDEN)))
    pair.b(cmd.SetNotes("nothing"))
    pair.both(cmd.AllowPrebuff())
    pair.both(cmd.AddCondition(mira, "blessed", lasts=Duration(1, "scene"), by=mira))
    lengths: tuple[TimeUnit, ...] = ("round", "scene", "film", "hour", "day", "sunrise", "permanent")
    for unit in lengths:
        pair.a(cmd.AddCondition(rolf, f"cursed for a {unit}", True, by=beast, lasts=Duration(1, unit)))
        pair.b(cmd.SetNotes(unit))
    pair.a(cmd.SetWorld("Elsewhere", sunrise_s=None))
    pair.b(cmd.SetNotes("no world"))
    pair.both(cmd.StartFight(begin=False))
    assert (pair.left.table.play.scene, pair.right.table.play.scene) == (1, 1)
    pair.each(cmd.ChangeScene("fight", "the beast"), cmd.ChangeScene("fight", "practice"))
    pair.both(cmd.EndFight(end_lasting=True))
    pair.each(cmd.ChangeScene("story", "the beast"), cmd.ChangeScene("story", "the tea"))
    pair.both(cmd.EnterFilm("Alien"))
    pair.both(cmd.PassTime(86_400))
    pair.both(cmd.LeaveFilm())
    left = [e.lasts.unit for e in pair.left.table.play.effects.values() if e.lasts is not None]
    assert left == ["permanent"]


# ------------------------------------------------------------------------------------------------------ readied actions
def ready_differently(pair: Pair, rolf: UnitId, wolf: UnitId) -> None:
    left = cmd.Ready(rolf, Act("move", "move", position="back"), Trigger("attack", target="self"))
    right = cmd.Ready(rolf, Act("attack", "standard", ability="sword", targets=(wolf,)), None, "when the lamp goes out")
    pair.each(left, right, "p2")


def test_what_another_attaches_until_the_roll():
    """In the act itself and in the steps of a Technique (ATT-01, ATT-02; interrupts.md 6)."""
    pair, mira, rolf, wolf = fight()
    more = [Ability("edge", attaches=("attack",)), Ability("twice", slots=("standard",), steps=("sword", "sword"))]
    able = Unit(UnitId(""), "Ada", side="pc", on_stage=True, initiative=25, tracks={"hp": Track(10, 10)},
                abilities={one.name: one for one in (attack(), *more)})  # fmt: skip
    pair.both(cmd.AddUnit(able, SeatId("p2")))
    ada = UnitId(pair.left.made[0])
    pair.both(cmd.StartFight((ada, mira, rolf, wolf)))
    pair.end(mira, "p1")
    for steps in ((), (Step(attached=("edge",)), Step(attached=("edge",)))):
        ability = "twice" if steps else "sword"
        plain = Act("use", "standard", ability=ability, targets=(wolf,), steps=(Step(),) * len(steps))
        sealed = replace(plain, attached=() if steps else ("edge",), steps=steps)
        pair.each(cmd.Declare(ada, sealed), cmd.Declare(ada, plain), "p2")
        pair.passes("p1")
        pair.both(cmd.Cancel(pair.left.table.play.stack[-1]))


def test_what_another_has_readied_and_for_when_and_that_it_has_matched():
    pair, mira, rolf, wolf = fight()
    pair.both(cmd.StartFight((rolf, mira, wolf)))
    pair.end(mira, "p1")
    ready_differently(pair, rolf, wolf)
    pair.end(rolf, "p2")
    pair.attacks(wolf, rolf, "st")  # matches in A
    assert pair.left.table.play.pendings[pair.left.table.play.stack[-1]].due
    pair.both(cmd.Fire(ReadiedId("none")), "p1")
    for side in (pair.left, pair.right):
        (readied,) = side.table.play.readied
        side.do(cmd.Fire(readied), pair.by("p1"), pair.now, "guess")
    pair.compare("a guess at another's readied action")
    pair.passes("p1", "p2")
    pair.wait(750)
    pair.end(wolf, "st")
    pair.end(mira, "p1")
    a = pair.left.table.play.readied
    assert not a, "it has run out, and nobody else was told"


def test_a_readied_action_that_nothing_hits_and_one_whose_owner_cannot_use_it():
    pair, mira, rolf, wolf = fight()
    pair.both(cmd.StartFight((rolf, mira, wolf)))
    pair.end(mira, "p1")
    left = cmd.Ready(rolf, Act("attack", "standard", ability="sword", targets=(wolf,)), Trigger("move"), auto=True)
    right = cmd.Ready(rolf, Act("move", "move"), Trigger("cast"), auto=True)
    pair.each(left, right, "p2")
    pair.end(rolf, "p2")
    pair.a(cmd.AddCondition(rolf, "stunned", secret=True))
    pair.both(cmd.Declare(wolf, make_act("move", "move")))  # would fire in A, if he could
    pair.passes("p1", "p2")
    pair.wait(750)


# ------------------------------------------------------------------------------------------------------- numbers, orders
@pytest.mark.parametrize("hp_shown", ["own_side", "words", "none"])
def test_a_monsters_hp_within_the_same_word(hp_shown):
    pair, mira, rolf, wolf = fight(hp_shown=hp_shown, defense_from="successes")
    pair.both(cmd.SetValue(wolf, "tracks.hp.max", 90, pair.left.table.play.units[wolf].tracks["hp"].max))
    pair.both(cmd.Adjust(wolf, "hp", 30))  # badly hurt, and no blow takes it to another word
    pair.a(cmd.Adjust(wolf, "hp", -1))
    pair.b(cmd.Adjust(wolf, "hp", -2, reason="an old wound")) if hp_shown == "none" else pair.b(
        cmd.Adjust(wolf, "hp", -2)
    )
    pair.both(cmd.StartFight((mira, rolf, wolf)))
    a_round(pair, mira, rolf, wolf)
    assert pair.left.table.play.units[wolf].tracks["hp"] != pair.right.table.play.units[wolf].tracks["hp"]


def test_a_secret_death_does_not_show_in_the_word():
    pair, *_, wolf = fight()
    pair.a(cmd.AddCondition(wolf, "dead", secret=True))
    pair.b(cmd.SetNotes("nothing"))


def test_whether_another_passed_by_hand_or_by_order_before_the_floor():
    pair, mira, rolf, wolf = fight()
    pair.a(cmd.SetStandingOrder("*", "pass"), "p2")
    pair.both(cmd.StartFight((mira, rolf, wolf)))
    pair.attacks(mira, rolf, "p1")
    pair.b(cmd.Pass(*pair.window), "p2")
    pair.both(cmd.Pass(*pair.window), "st")
    pair.wait(1000)
    assert pair.left.table.play.stack == ()


def test_after_the_floor_nobody_is_told_whose_pass_or_order_or_time_closed_it():
    pair, mira, rolf, wolf = fight()
    pair.both(cmd.StartFight((mira, rolf, wolf)))
    pair.attacks(mira, rolf, "p1")
    pair.both(cmd.Pass(*pair.window), "st")
    pair.wait(2000)
    pair.each(cmd.Pass(*pair.window), cmd.SetStandingOrder("*", "pass"), "p2")
    assert pair.left.table.play.stack == ()
    assert all("p2" not in line[2] for frame in pair.left.frames for line in frame[3] if frame[0] == "p1")


def test_whose_time_was_drawn():
    pair, mira, rolf, wolf = fight()
    pair.both(cmd.StartFight((mira, rolf, wolf)))
    pair.attacks(mira, rolf, "p1")
    window, _ = pair.window
    pair.step += 1
    pair.left.do(cmd.MoreTime(window), pair.by("p2"), pair.now, "more")
    pair.right.do(cmd.MoreTime(window), pair.by("st"), pair.now, "more")
    pair.compare("more time")


def test_a_promised_defence_before_the_roll():
    pair, mira, rolf, wolf = fight()
    pair.both(cmd.StartFight((mira, rolf, wolf)))
    pair.attacks(mira, rolf, "p1")
    pair.a(cmd.Defend(pair.window[0], rolf, 2), "p2")
    pair.b(cmd.Defend(pair.window[0], rolf, 1), "p2")
    pair.passes("p2")
    pair.wait(500)


# ------------------------------------------------------------------------------------------- the hidden unit, and its turn
@pytest.mark.parametrize("ended", ["by its end", "by a release"])
def test_an_order_with_a_hidden_unit_in_it_and_its_own_action(ended):
    """Against a table where the ST, meaning nothing, holds once Mira's action has ended, and lets it go on."""
    pair, mira, rolf, wolf = fight()
    sneak = UnitId(pair.a(cmd.AddUnit(replace(HIDDEN, initiative=25))))
    pair.left.do(cmd.StartFight((mira, rolf, wolf, sneak)), THE_ST, pair.now, "start")
    pair.right.do(cmd.StartFight((mira, rolf, wolf)), THE_ST, pair.now, "start")
    pair.compare("the start")
    pair.b(cmd.Hold(next=True))
    pair.attacks(mira, wolf, "p1")
    pair.passes("p2", "st")
    pair.wait(750)
    pair.end(mira, "p1")
    assert (pair.left.table.play.held, pair.right.table.play.held) == (True, True)
    pair.both(cmd.EndAction(mira, 1), "p1")  # refused alike
    pair.both(cmd.Declare(mira, make_act("use", "move")), "p1")
    pair.both(cmd.React(mira, make_act("move", "immediate", ability="step aside")), "p1")
    pair.both(cmd.Say("is anybody there?"), "p1")
    pair.wait(3000)
    pair.a(cmd.Declare(sneak, make_act("use", "standard", ability="hex", targets=[mira])))
    pair.a(cmd.Declare(sneak, make_act("move", "move", position="behind Mira", distance=5)))
    pair.a(cmd.Roll(sneak, Pool(fixed=3), reason="stealth"))
    pair.wait(3000)
    assert pair.left.table.play.stack == pair.right.table.play.stack != ()
    pair.each(cmd.EndAction(sneak, 1) if ended == "by its end" else cmd.Release(), cmd.Release())
    pair.passes("p2", "st")
    pair.wait(750)
    assert pair.left.table.play.fight is not None
    assert pair.left.table.play.fight.active == rolf


@pytest.mark.parametrize("place", [25, 15])
def test_a_hidden_units_action_ended_by_itself_looks_like_a_release(place):
    pair, mira, rolf, wolf = fight()
    sneak = UnitId(pair.a(cmd.AddUnit(replace(HIDDEN, initiative=place))))
    pair.left.do(cmd.StartFight((mira, rolf, wolf, sneak)), THE_ST, pair.now, "start")
    pair.right.do(cmd.StartFight((mira, rolf, wolf)), THE_ST, pair.now, "start")
    pair.compare("the start")
    for turn in range(3):
        for unit, who in ((mira, "p1"), (rolf, "p2"), (wolf, "st")):
            if (unit, place) in ((mira, 25), (rolf, 15)):
                pair.b(cmd.Hold(next=True))
                pair.end(unit, who)
                pair.wait(1000)
                pair.each(cmd.EndAction(sneak, turn + 1), cmd.Release())
            else:
                pair.end(unit, who)


@pytest.mark.parametrize("places", [[40], [5], [40, 39], [5, 4], [5, 40], [25, 24], [40, 25, 5]], ids=str)
def test_hidden_units_anywhere_in_the_order_are_held_for_once_and_the_turn_ends_after_them(places):
    """The first, the last, two in a row: each time the ST at the other table holds once and lets it go on once."""
    pair, mira, rolf, wolf = fight()
    sneaks = [UnitId(pair.a(cmd.AddUnit(replace(HIDDEN, initiative=place)))) for place in places]
    after = {40: wolf, 39: wolf, 5: wolf, 4: wolf, 25: mira, 24: mira}
    holds = {after[place] for place in places}
    if wolf in holds and {40, 39} & set(places):
        pair.b(cmd.Hold(next=True))
    pair.left.do(cmd.StartFight((mira, rolf, wolf, *sneaks)), THE_ST, pair.now, "start")
    pair.right.do(cmd.StartFight((mira, rolf, wolf)), THE_ST, pair.now, "start")
    pair.compare("the start")
    let_go_on(pair, sneaks)
    for _ in range(3):
        for unit, who in ((mira, "p1"), (rolf, "p2"), (wolf, "st")):
            if unit in holds:
                pair.b(cmd.Hold(next=True))
            pair.end(unit, who)
            pair.wait(500)
            let_go_on(pair, sneaks)
    assert pair.left.table.play.fight is not None
    assert pair.left.table.play.fight.turn == 4
    rounds = {pair.left.table.play.budgets[unit].round for unit in (mira, *sneaks)}
    assert rounds <= {3, 4}, "everybody has acted once a turn"


@pytest.mark.parametrize(
    ("place", "after"), [(15, "mira"), (25, "mira"), (5, "wolf"), (25, "wolf alone"), (35, "wolf alone")], ids=str
)
def test_who_cannot_act_is_passed_after_a_hidden_unit_and_not_on_the_way_to_it(place, after):
    """Mira acts at 30, unless only the wolf can, Rolf at 20 never, the wolf at 10. The hidden one follows `after`."""
    alone = after == "wolf alone"
    pair, mira, rolf, wolf = fight()
    pair.both(cmd.AddCondition(rolf, "stunned"))
    pair.both(cmd.AddCondition(mira, "stunned") if alone else cmd.Say("go"))
    sneak = UnitId(pair.a(cmd.AddUnit(replace(HIDDEN, initiative=place))))
    if alone:
        pair.b(cmd.Hold(next=True))
    pair.left.do(cmd.StartFight((mira, rolf, wolf, sneak)), THE_ST, pair.now, "start")
    pair.right.do(cmd.StartFight((mira, rolf, wolf)), THE_ST, pair.now, "start")
    pair.compare("the start")
    let_go_on(pair, [sneak])
    for _ in range(2):
        for unit, who in ((mira, "p1"), (wolf, "st")):
            if unit == mira and alone:
                continue
            if (unit == wolf) == after.startswith("wolf"):
                pair.b(cmd.Hold(next=True))
            pair.end(unit, who)
            let_go_on(pair, [sneak])
    assert pair.left.table.play.fight is not None
    assert pair.left.table.play.fight.turn == 3
    assert pair.left.table.play.budgets[sneak].round in (2, 3)


def let_go_on(pair: Pair, sneaks: list[UnitId]) -> None:
    """The hidden units end their actions one after the other; with the last of them the table goes on."""
    for _ in range(5):
        active = pair.left.table.play.fight.active if pair.left.table.play.fight else None
        if active not in sneaks or active is None:
            assert not pair.right.table.play.held
            return
        end = cmd.EndAction(active, pair.left.table.play.budgets[active].round)
        pair.step += 1
        assert pair.left.do(end, THE_ST, pair.now, f"{pair.step}") == ""
        if not pair.left.table.play.held:
            assert pair.right.do(cmd.Release(), THE_ST, pair.now, f"{pair.step}") == ""
        pair.compare(end)


def test_a_hidden_unit_and_one_that_does_not_exist_are_the_same_in_every_refusal():
    pair, mira, rolf, wolf = fight()
    sneak = UnitId(pair.a(cmd.AddUnit(HIDDEN)))
    pair.left.do(cmd.StartFight((mira, rolf, wolf, sneak)), THE_ST, pair.now, "start")
    pair.right.do(cmd.StartFight((mira, rolf, wolf)), THE_ST, pair.now, "start")
    pair.compare("the start")
    strike = make_act("attack", "standard", ability="sword", targets=[sneak])
    commands: list[Command] = [
        cmd.Declare(mira, strike), cmd.Declare(sneak, strike), cmd.EndAction(sneak, 0), cmd.LeaveFight(sneak),
        cmd.React(sneak, make_act("drop_prone", "immediate")), cmd.Ready(sneak, strike, None, "w"), cmd.Roll(sneak),
        cmd.Roll(mira, opposes=sneak), cmd.Say("boo", sneak), cmd.GiveUnit(sneak, SeatId("p1")), cmd.Reveal(sneak),
        cmd.AskLeave(cmd.EndAction(sneak, 0), {}),
    ]  # fmt: skip
    for command in commands:
        assert pair.both(command, "p1") != ""
    pair.attacks(mira, wolf, "p1")
    pair.both(cmd.Defend(pair.window[0], sneak, 0), "p1")


def test_an_action_of_a_hidden_unit_seen_in_a_window_covers_nothing_and_moves_no_clock():
    pair, mira, rolf, wolf = fight()
    sneak = UnitId(pair.a(cmd.AddUnit(HIDDEN)))
    pair.left.do(cmd.StartFight((mira, rolf, wolf, sneak)), THE_ST, pair.now, "start")
    pair.right.do(cmd.StartFight((mira, rolf, wolf)), THE_ST, pair.now, "start")
    pair.attacks(mira, wolf, "p1")
    pair.a(cmd.React(sneak, make_act("move", "immediate", ability="step aside", position="nearer"), pair.window[0]))
    pair.a(cmd.Insert(sneak, make_act("use", "standard", ability="hex", targets=[mira])))
    pair.passes("p2", "st")
    pair.wait(1000)


def test_a_hidden_attacker_whom_the_st_lets_be_noticed_is_the_same_whoever_he_is():
    pair, mira, rolf, wolf = fight()
    foes = []
    for side, name, kind in ((pair.left, "Sneak", "foe"), (pair.right, "The duke", "noble")):
        foe = replace(HIDDEN, name=name, side=kind, notes=name, initiative=1)
        side.do(cmd.AddUnit(foe), THE_ST, pair.now, f"foe of {side.name}")
        foes.append(UnitId(side.made[0]))
    pair.both(cmd.StartFight((mira, rolf, wolf)))
    pair.left.do(cmd.JoinFight(foes[0]), THE_ST, pair.now, "join")
    pair.right.do(cmd.JoinFight(foes[1]), THE_ST, pair.now, "join")
    act = make_act("attack", "standard", ability="sword", targets=[mira])
    pair.each(cmd.Insert(foes[0], act, noticed=True), cmd.Insert(foes[1], act, noticed=True))
    window, _ = pair.window
    pair.both(cmd.React(mira, make_act("attack", "immediate", ability="sword"), window), "p1")
    pair.both(cmd.React(mira, make_act("move", "immediate", ability="step aside", leaves=True), window), "p1")
    pair.passes("p2", "st")
    pair.wait(750)
    pair.passes("p1", "p2")
    pair.wait(750)
    assert pair.left.table.play.stack == ()
    assert foes[0] not in repr(pair.left.frames)


def test_the_reveal_is_one_change():
    pair, mira, *_ = fight()
    sneak = UnitId(pair.a(cmd.AddUnit(HIDDEN)))
    seen = len(pair.left.frames)
    assert pair.left.do(cmd.Reveal(sneak), THE_ST, pair.now, "reveal") == ""
    frames = pair.left.frames[seen:]
    assert [frame[0] for frame in frames] == list(WATCHING)
    assert [op for op in frames[0][2] if op[0] == f"u/{sneak}/name"] == [[f"u/{sneak}/name", "Sneak"]]
    assert "waits" not in repr(frames)
