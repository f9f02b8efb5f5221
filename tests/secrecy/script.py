"""An evening drawn at random, the same for both tables, with the secrets strewn in. A seed is a pair."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import cache
from random import Random
from typing import Any

from core import commands as cmd
from core.commands import By, Command
from core.decide import Decided, decide, kind_of
from core.ids import ST, Ids, RequestId, SeatId, UnitId
from core.state import House, Table, Track, Unit
from core.world import World
from tests.secrecy.kinds import KINDS, Kind
from tests.secrecy.pair import Pair, begins_veiled, wire
from tests.secrecy.scenes import SCENES
from tests.secrecy.side import Kept, Side, new_table
from tests.walk.draws import DRAWN, ROLE, a_sender, chances, choose
from tests.walk.tables import ABILITIES
from tests.walk.walk import Walk

HOUSES: tuple[dict[str, Any], ...] = (
    {}, {"window_mode": "fixed"}, {"relaxed_defense": "on"}, {"window_mode": "bluff"}, {"ruleset": "storyteller"},
    {"enforce": "warn"}, {"action_clock_ms": 20_000}, {"interrupted_by_readied": "may_continue"}, {"absent": "pass"},
    {"st_asked": "always", "own_extras_per_weapon": "full"}, {"hidden_shown": "nameless"},
)  # fmt: skip
BORING = (cmd.CloseDue, cmd.EndDueAction, cmd.ReleaseDue)
"""The clock does these by itself."""
DRAWS = [kind for kind in DRAWN if kind not in BORING]
STEPS = 14
COMMANDS = [kind_of(kind.__new__(kind)) for kind in DRAWS] + [
    "ask log", "ask options", "ask explain", "ask calc", "ask rewind_preview", "snapshot", "resume", "export",
]  # fmt: skip
"""All that is done in an evening, as it is counted."""
RARE = 0.25
"""The share of steps in which what is seldom possible is done where it is."""
STAGED = 0.08
"""The share of steps in which a scene is played (scenes.py)."""
NOT_TRIED = (cmd.Rewind, cmd.AnswerRequest)
"""These are made whole on their way."""
EXPORTED = 0.1
"""The share of pairs whose logs are exported and written as a story, which costs as much as all the rest."""
LENT = 0.2
"""The share of pairs in which Ann has lent her seat, and somebody sits there too."""
KINDS_IN_A_PAIR = (1, 2, 2, 3, 4)


@cache
def template(number: int) -> tuple[Kept, dict[str, UnitId]]:
    """A table with its units. Made once, taken again and again."""
    kept = new_table(House(**HOUSES[number % len(HOUSES)]))
    side = Side("template", kept)
    st = side.client("x1", "setup")

    for command in the_units(Random(number)):
        st.command(wire(command))
        side.loop.go(0.01)
    made = units_of(side.table)
    st.hang_up()
    side.loop.go(1)
    kept = Kept(side.keys.keys, kept.tokens, side.loop.time())
    side.end()
    return kept, made


UNITS: dict[str, str | None] = {"a": "p1", "b": "p2", "d": None, "e": None}
"""Whose they are: of the ST's two, e is hidden."""


def units_of(table: Table) -> dict[str, UnitId]:
    return {unit.name.lower(): unit.id for unit in table.play.units.values()}


def the_units(r: Random) -> Iterator[Command]:
    for name, owner in UNITS.items():
        abilities = ["sword", "for a hour", "hold", "flurry", *r.sample(list(ABILITIES), 4)]
        much = 30 if owner else 30_000
        unit = Unit(
            UnitId(""), name.upper(), side={"a": "pc", "b": "pc", "d": "brutes", "e": "shades"}[name],
            on_stage=True, hidden=name == "e", initiative=r.randrange(20), tracks={"hp": Track(much, much + 10_000)},
            base=r.randrange(2), attributes={"DEX": r.choice((2, 6))}, skills={"Archery": r.randrange(4)},
            extras={} if owner == "p2" else {"attack": 1, "defense": r.randrange(2)},
            abilities={one: ABILITIES[one] for one in abilities},
        )  # fmt: skip
        yield cmd.AddUnit(unit, SeatId(owner) if owner else None)


class Drawer(Walk):
    """Draws commands from what is on B's table, and keeps nothing of its own."""

    def __init__(self, pair: Pair) -> None:
        self.pair, self.random, self.seat, self.ready, self.leaves = pair, pair.random, ST, 0, {}

    @property
    def table(self) -> Any:  # type: ignore[override]
        return self.pair.b.table

    @property
    def version(self) -> int:
        return self.pair.b.room.version

    def play_at(self, version: int) -> Any:
        return self.table.play

    def draw(self) -> tuple[Command, By]:
        """By what is the case, or any kind; more often than not one that is accepted, if there is one soon."""
        r = self.random
        rare = list(chances(self)) if r.random() < RARE else []
        if not rare and r.random() < 0.4:
            return choose(self)
        if rare:
            kind, seat = r.choice(rare)
            by = By(ST, "st") if seat == ST else By(seat, "player")
        else:
            kind = r.choice(DRAWS)
            by = a_sender(self, ROLE[kind])
        self.seat = by.seat
        command = DRAWN[kind][1](self)
        for _ in range(2 if r.random() < 0.6 else 0):
            if kind in NOT_TRIED or self._is_done(command, by):
                break
            command = DRAWN[kind][1](self)
        return command, by

    def _is_done(self, command: Command, by: By) -> bool:
        side = self.pair.b
        world = World(side.clock(), side.room.dice, Ids(b"x", "y"), side.room.here, side.room.version + 1)
        return isinstance(decide(side.table, command, by, world), Decided)


class Script:
    """One pair from its seed: `play` raises Leak."""

    def __init__(
        self, seed: int, steps: int = STEPS, *, kinds: Sequence[Kind] = tuple(KINDS.values()), pair: Pair | None = None
    ) -> None:
        self.seed, self.steps = seed, steps
        r = self.random = Random(f"secrets {seed}")
        self.kinds = self._choose(r, kinds)
        self.pair = pair or Pair(seed, *template(r.randrange(2 * len(HOUSES))))
        self.drawer = Drawer(self.pair)

    def _choose(self, r: Random, kinds: Sequence[Kind]) -> list[Kind]:
        found: list[Kind] = []
        for kind in r.sample(kinds, min(len(kinds), r.choice(KINDS_IN_A_PAIR))):
            if all(kind.name not in one.apart and one.name not in kind.apart for one in found):
                found.append(kind)
        return found

    def play(self) -> Pair:
        pair, r = self.pair, self.random
        self._begin()
        for _ in range(self.steps):
            if r.random() < 0.4:
                pair.wait(r.choice((100, 100, 400, 800, 2000, 9000)))
            for kind in self.kinds:
                if r.random() < kind.times / self.steps:
                    self._secret(kind)
            self._step()
            pair.mark()
        pair.wait(1000)
        self._end()
        return pair

    def _secret(self, kind: Kind) -> None:
        if kind.act(self.pair):
            self.pair.differed[kind.name] += 1

    def _begin(self) -> None:
        pair, r = self.pair, self.random
        for kind in self.kinds:
            for key, value in kind.house.items():
                if getattr(pair.b.table.house, key) != value:
                    pair.both("st", cmd.SetHouse(key, value))
            if kind.spoils:
                pair.spoilt.append(kind.spoils)
            if kind.even and kind.even not in pair.evens:
                pair.evens.append(kind.even)
        if r.random() < LENT:
            pair.lends("p1")
        for kind in self.kinds:
            if kind.before(pair):
                pair.differed[kind.name] += 1
            if r.random() < 0.5:
                self._secret(kind)
        units = pair.units
        start = cmd.StartFight((units["a"], units["b"], units["d"]))
        if pair.hidden_actor is not None:
            with_him = replace(start, units=(*start.units, pair.hidden_actor))
            if begins_veiled(pair.a, with_him):
                pair.one(pair.b, "st", cmd.Hold(next=True))
            pair.each("st", with_him, start)
        elif r.random() < 0.7:
            pair.both("st", start)
        pair.mark()

    # ------------------------------------------------------------------------------------------------------ one step
    def _step(self) -> None:
        r = self.random
        if r.random() < 0.12:
            self._observer_does_something()
            return
        if r.random() < STAGED:
            self._scene()
            return
        for _ in range(20):
            try:
                command, by = self.drawer.draw()
            except IndexError:  # there is nothing of the kind on the table
                continue
            plain = self._made_plain(command)
            if plain is not None and self.allows(plain) and not self.pair.spoils(plain):
                self._send(plain, by)
                return

    def _scene(self) -> None:
        a, b, d = (self.pair.units[name] for name in "abd")
        if all(unit in self.pair.b.table.play.units for unit in (a, b, d)):
            self.random.choice(SCENES)(self, a, b, d)

    def answer(self, command: cmd.AnswerRequest) -> None:
        yes = command.yes and self.may_go_back() and self._asked_alike(command.request)
        body = {"kind": "answer_request", "request": command.request, "yes": yes}
        left, right = ({**body, "head": side.room.audiences[ST].n} for side in self.pair.sides)
        self.pair.each("st", left, right)

    def allows(self, command: Command) -> bool:
        """Nobody who watches is sent away; nor is who has the secrets. House rules that a secret needs stay."""
        if isinstance(command, cmd.SetHouse):
            return all(command.key not in kind.house for kind in self.kinds)
        if isinstance(command, cmd.LendSeat | cmd.TakeBackSeat):
            return "that a seat is lent, and to whom" not in [kind.name for kind in self.kinds]
        return True

    def _made_plain(self, command: Command) -> Command | None:
        """All of them names those that B has: A may have more."""
        table = self.pair.b.table
        if isinstance(command, cmd.StartFight) and not command.units:
            units = tuple(u.id for u in table.play.units.values() if u.on_stage)
            return replace(command, units=units) if units else None
        if isinstance(command, cmd.RenewInvitation | cmd.RevokeInvitation | cmd.SetRole | cmd.RemoveSeat):
            return replace(command, seat=SeatId("p3"))
        if isinstance(command, cmd.AskLeave) and isinstance(command.command, cmd.StartFight):
            return replace(command, command=self._made_plain(command.command) or cmd.ChangeScene("story"))
        return command

    def _send(self, command: Command, by: By) -> None:
        pair, r = self.pair, self.random
        if isinstance(command, (cmd.AddSeat, cmd.RemoveSeat, cmd.ReportLoss, cmd.NoteKeeping)):
            pair.server(command)
        elif isinstance(command, cmd.Rewind):
            self._rewind()
        elif isinstance(command, cmd.AnswerRequest):
            self.answer(command)
        elif by.role == "spectator":
            pair.both("w1", self._aimed(command, "w1"))
        elif by.seat == ST:
            pair.both("st", command)
        elif by.st is not None:
            pair.both("st", command, by.seat) if by.seat in ("p1", "p2") else None
        elif by.seat == "p1":
            pair.both("p1", self._aimed(command, "p1"))
        elif by.seat == "p2":
            if pair.acts_for and r.random() < 0.7:
                pair.each("x1", command, command, as_a="p2", who_b="p2")
            else:
                pair.both("p2", command)

    def may_go_back(self) -> bool:
        return not self.pair.spoils(cmd.Rewind(1, 1))

    def _asked_alike(self, id: RequestId) -> bool:
        """Who has asked unseen at A, or done unseen what he asks back, has asked for something else there."""
        left, right = (side.table.requests.get(id) for side in self.pair.sides)
        if left is None or right is None:
            return left is right
        if left.to is None or right.to is None:
            return left.to is right.to
        return (left.to + 1, right.to + 1) in self.pair.alike

    def _rewind(self) -> None:
        pair = self.pair
        heads = [side.room.audiences[ST].n for side in pair.sides]
        marks = [
            mark for mark in pair.marks[-6:] if mark[0] < heads[0] and mark[1] < heads[1]
        ]  # both have what to undo
        if marks:
            self.go_back(self.random.choice(marks))

    def go_back(self, to: tuple[int, int]) -> None:
        heads = [side.room.audiences[ST].n for side in self.pair.sides]
        left, right = ({"kind": "rewind", "to": to[k], "head": heads[k], "reason": "so"} for k in (0, 1))
        self.pair.each("st", left, right)

    # -------------------------------------------------------------------------------------------------- the observers
    def _aimed(self, command: Command, who: str) -> Command:
        """Now and then at something that only A has."""
        r = self.random
        hidden = self.pair.hidden_ids(who)
        if not hidden or r.random() > 0.35:
            return command
        wanted = ("unit", "window", "pending", "readied", "task", "effect", "ask", "opposes", "request")
        found = [f.name for f in fields(command) if f.name in wanted]  # type: ignore[arg-type]
        if hasattr(command, "act") and hasattr(command.act, "targets") and r.random() < 0.6:
            return replace(command, act=replace(command.act, targets=(r.choice(hidden),)))  # type: ignore[type-var]
        if found:
            return replace(command, **{r.choice(found): r.choice(hidden)})  # type: ignore[type-var]
        return command

    def _observer_does_something(self) -> None:
        pair, r = self.pair, self.random
        who = r.choice(("p1", "p1", "w1"))
        hidden = pair.hidden_ids(who) or ["nothing"]
        what = r.randrange(10)
        if what == 0:
            pair.comes_back(who, "snapshot", r.choice((0, 500)))
        elif what == 1:
            pair.comes_back(who, "resume", r.choice((0, 500, 3000)))
        elif what == 2:
            n = pair.b.client(who).n
            pair.ask(
                who, {"what": "log", "limit": r.choice((3, 50)), "before": r.choice((None, None, 1, max(1, n - 2)))}
            )
        elif what == 3:
            pair.ask(who, {"what": "options"} | r.choice(({}, {"unit": r.choice(hidden)})))
        elif what == 4:
            pair.ask(who, {"what": "explain", "effect": r.choice([*pair.b.table.play.effects, *hidden])})
        elif what == 5:
            unit = r.choice((*pair.units.values(), *hidden))
            pair.ask(who, {"what": "calc", "text": r.choice(("hp + 1", "Archery", "DEX x2")), "unit": unit})
        elif what == 6:
            pair.ask(who, {"what": "rewind_preview", "to": 1})
        elif what == 7:
            pair.raw(who, r.choice(({"t": "ping", "id": 1}, {"t": "what"}, ["no"], {"t": "drift", "n": 1, "crc": 1})))
        else:
            command = r.choice((
                cmd.Withdraw(r.choice((*pair.b.table.play.stack, *hidden))), cmd.EndAction(r.choice(hidden), 1),  # type: ignore[arg-type]
                cmd.SplitGain(r.choice((*pair.b.table.play.windows, *hidden)), (1,)), cmd.Fire(r.choice(hidden)),  # type: ignore[arg-type]
                cmd.DropTask(r.choice(hidden)), cmd.Roll(r.choice(hidden)), cmd.Say("boo", r.choice(hidden)),  # type: ignore[arg-type]
                cmd.Pass(r.choice((*pair.b.table.play.windows, *hidden)), 1), cmd.Reveal(r.choice(hidden)),  # type: ignore[arg-type]
                cmd.MoreTime(r.choice((*pair.b.table.play.windows, *hidden))),  # type: ignore[arg-type]
            ))  # fmt: skip
            pair.both(who, command)

    # ----------------------------------------------------------------------------------------------- what can be kept
    def _end(self) -> None:
        """Everybody comes back once more, and reads all there is to read."""
        pair = self.pair
        for who in pair.observers:
            pair.comes_back(who, "snapshot")
            pair.ask(who, {"what": "log", "limit": 200})
        if self.random.random() < EXPORTED:
            pair.export()
        pair.guests()
        pair.search()
