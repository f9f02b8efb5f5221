"""Two tables that differ only in what some seats may not know, and what is done at both, or unseen at one of them."""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import msgpack

from core import commands as cmd
from core import order
from core.clock import due_command
from core.commands import By, Command
from core.decide import Decided, decide, kind_of
from core.draft import Draft, sees
from core.ids import ALL, ST, Ids, SeatId, UnitId
from core.refusals import Refused
from core.state import Table
from core.windows import seat_settled, top
from core.world import World
from protocol.codec import JSON
from server import export, transcript
from server.asked import own
from server.keeping import past_of
from tests.secrecy.side import Client, Got, Kept, Side

CANARY = "zqx"
"""Stands in every word that is hidden, and in no other."""
FIRST_NUMBER = 700_001
"""Hidden numbers begin here. No other comes near."""


WATCHED = ("main", "guest")
"""The devices whose every byte is compared: the seat's own, and that of somebody it is lent to."""


class Leak(AssertionError):
    """An observer got something else, or something that he must never get. The text says what and where."""


def wire(command: Command) -> dict[str, Any]:
    """A command of the rules as a client writes it."""
    fields = asdict(command)  # type: ignore[call-overload]
    if isinstance(command, cmd.AskLeave):
        fields = {"command": wire(command.command), "text": command.text}
    for name in ("play", "version"):
        fields.pop(name, None)
    if isinstance(command, cmd.AddSeat | cmd.RenewInvitation | cmd.LendSeat):
        fields["salt"] = "as many letters as it takes"
    return {"kind": kind_of(command), **fields}


class Pair:
    """A has the secrets, B has none, or others. `observers`: the seats that may know of no difference."""

    def __init__(self, seed: int, kept: Kept, units: Mapping[str, UnitId]) -> None:
        self._begin(seed)
        self.units = units
        self.a, self.b = Side("A", kept), Side("B", kept)
        for side in self.sides:
            for seat in ("x1", "p1", "p2"):
                side.client(seat)
            side.client("w1", codec=JSON)
        self.compare("everybody has sat down")

    def _begin(self, seed: int) -> None:
        self.hidden_actor: UnitId | None = None  # who is in A's order alone
        self.acts_for = self.time_drawn = False
        self.random = Random(seed)
        self.observers = ["p1", "w1"]
        self.st = {"A": "x1", "B": "x1"}  # which ST speaks
        self.commands: Counter[tuple[str, bool]] = Counter()
        self.differed: Counter[str] = Counter()
        self.marks: list[tuple[int, int]] = []
        self.alike: set[tuple[int, int]] = set()  # versions after what was done at both
        self.words: list[str] = []
        self.numbers: list[int] = []
        self.evens: list[Callable[[Pair], None]] = []
        self.spoilt: list[Callable[[Pair, Command], bool]] = []
        self.story: list[str] = []
        self.bytes = self.frames = 0

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.a, self.b

    # ------------------------------------------------------------------------------------------------ what is done
    def both(self, who: str, command: Command | Mapping[str, Any], as_seat: str | None = None) -> bool:
        """At both tables; whether it was accepted at B."""
        return self.each(who, command, command, as_seat, as_seat)

    def each(
        self,
        who: str,
        at_a: Command | Mapping[str, Any],
        at_b: Command | Mapping[str, Any],
        as_a: str | None = None,
        as_b: str | None = None,
        who_b: str = "",
    ) -> bool:
        """Two commands that shall look the same, at the same moment."""
        if even_hold in self.evens and not isinstance(at_a, Mapping):
            hold_for(self, who, at_a)
        done = [
            self._send(side, one, command, as_seat)
            for side, one, command, as_seat in ((self.a, who, at_a, as_a), (self.b, who_b or who, at_b, as_b))
        ]
        if all(done):
            self.alike.add((self.a.room.version, self.b.room.version))
        self._counted(at_b, done[1])
        self.compare(f"{who}: {_said(at_b)}")
        return done[1]

    def one(self, side: Side, who: str, command: Command | Mapping[str, Any], device: str = "other") -> list[str]:
        """At one of them, from another device, and nobody may notice; what it made. [] if it was refused."""
        self.apart()
        client = side.client(self.st[side.name] if who == "st" else who, device)
        done = self._say(side, client, command, None)
        made = self._answer(client).get("made", []) if done else []
        for even in self.evens:
            even(self)
        self.apart()
        self.compare(f"{who} at {side.name} alone: {_said(command)}")
        return [*made, "done"] if done else []

    def at_a(self, who: str, command: Command | Mapping[str, Any]) -> list[str]:
        return self.one(self.a, who, command)

    def apart(self) -> None:
        """What only one table does has an instant of its own: whatever is drawn by chance is so by the instant."""
        for side in self.sides:
            side.loop.go(0.001)

    def _send(self, side: Side, who: str, command: Command | Mapping[str, Any], as_seat: str | None) -> bool:
        return self._say(side, side.client(self.st[side.name] if who == "st" else who), command, as_seat)

    def _say(self, side: Side, client: Client, command: Command | Mapping[str, Any], as_seat: str | None) -> bool:
        body = command if isinstance(command, Mapping) else wire(command)
        if client.socket is None:
            return False
        client.command(body, as_seat)
        side.loop.go()
        return self._answer(client).get("t") == "ack"

    def _answer(self, client: Client) -> dict[str, Any]:
        """What the last command was answered."""
        for got in reversed(client.got):
            if isinstance(got.frame, str) or got.frame[0] & 0xF0 == 0x80:
                said = got.plain if not str(got.frame).startswith("closed") else {}
                if isinstance(said, dict) and said.get("seq") == client.seq:
                    return said
        return {}

    def _counted(self, command: Command | Mapping[str, Any], done: bool) -> None:
        kind = command["kind"] if isinstance(command, Mapping) else kind_of(command)
        self.commands[kind, done] += 1

    def server(self, command: Command) -> bool:
        """By whoever runs the servers."""
        done = []
        for side in self.sides:
            asked = own(command, side.loop.draw("operator"), side.clock())
            done.append(side.loop.run(side.room.submit(asked))["t"] == "ack")
        self._counted(command, done[1])
        self.compare(f"the server: {_said(command)}")
        return done[1]

    def ask(self, who: str, question: Mapping[str, Any]) -> None:
        for side in self.sides:
            client = side.client(who)
            if client.socket:
                client.ask(question)
                side.loop.go()
        self.commands[f"ask {question['what']}", True] += 1
        self.compare(f"{who} asks {question}")

    def raw(self, who: str, message: Any) -> None:
        """Something that may be no message at all."""
        for side in self.sides:
            if (client := side.client(who)).socket:
                client.say(message)
                side.loop.go()
        self.compare(f"{who} says {message}")

    def comes_back(self, who: str, how: str, away_ms: int = 0) -> None:
        """The device hangs up and connects again: with a snapshot, or with what it missed."""
        places = [side.client(who).where for side in self.sides]
        for side in self.sides:
            side.client(who).hang_up()
            side.loop.go()
        if away_ms:
            self.wait(away_ms)
        for side, place in zip(self.sides, places, strict=True):
            side.client(who).connect(place if how == "resume" else None)
            side.loop.go()
        self.commands[how, True] += 1
        self.compare(f"{who} comes back: {how}")

    def wait(self, ms: int) -> None:
        """In small steps where something has to be evened out meanwhile."""
        step = 200 if self.evens else ms
        for began in range(0, ms, step):
            for side in self.sides:
                side.loop.go(min(step, ms - began) / 1000)
            self.compare("time goes by")

    def lends(self, who: str) -> None:
        """To somebody who sits down at once, and gets what the seat gets."""
        self.both(who, cmd.LendSeat("Gil", 86_400))
        for side in self.sides:
            if token := self._answer(side.client(who)).get("token"):
                side.client(who, "guest", token=token)
        self.compare(f"somebody sits on the seat of {who}")

    def mark(self) -> None:
        """A place to go back to, as each table's STs count."""
        self.marks.append((self.a.room.audiences[ST].n, self.b.room.audiences[ST].n))

    # ----------------------------------------------------------------------------------------------- what they got
    def compare(self, what: str) -> None:
        for even in self.evens:
            even(self)
        self.story.append(what)
        for who in self.observers:
            for left, right in zip(*(list(_of(side, who)) for side in self.sides), strict=True):
                mine, theirs = left.news(), right.news()
                self.bytes += sum(len(one.frame) for one in mine)
                self.frames += len(mine)
                if mine != theirs:
                    raise Leak(f"after {what}\n{_difference(who, mine, theirs)}")

    def export(self) -> None:
        """The log as the command line writes it for each observer, and the story of the evening."""
        for who in self.observers:
            audience = ALL if who == "w1" else who
            left, right = (side.loop.run(_exported(side, audience)) for side in self.sides)
            self.search_in(left, "export")
            if left != right:
                lines = zip(left.splitlines(), right.splitlines(), strict=False)
                first = next((two for two in lines if two[0] != two[1]), "in length")
                raise Leak(f"the export for {who} differs: {first}")
        self.commands["export", True] += 1

    def guests(self) -> None:
        """Whoever sits on a lent seat was sent what the seat was sent, and nothing else."""
        for side in self.sides:
            for guest in (client for client in _of(side, "p1") if client.name == "guest"):
                sent = {patch for _, patch in side.loop.run(side.store.diffs(side.room.id, "p1", 0))}
                if any(one.frame not in sent for one in guest.got if one.is_patch):
                    raise Leak("somebody on a lent seat was sent something else than the seat")

    def search(self) -> None:
        """No hidden word or number in anything that an observer was sent, in whatever encoding."""
        watching = [client for side in self.sides for who in self.observers for client in _of(side, who)]
        got = b"".join(one.raw for client in watching for one in client.got)
        self.search_in(got, "frames")

    def search_in(self, got: bytes, where: str) -> None:
        self.bytes += len(got)
        for word in self.words:
            if word.encode() in got or json.dumps(word).encode()[1:-1] in got:
                raise Leak(f"the hidden word {word} is in the {where} of an observer")
        for number in self.numbers:
            alone = rb"(?<![0-9a-f])%d(?![0-9a-f])" % number  # not by chance in a seed's hex
            if msgpack.packb(number) in got or re.search(alone, got):
                raise Leak(f"the hidden number {number} is in the {where} of an observer")
        if CANARY.encode() in got:
            raise Leak(f"a hidden word is in the {where} of an observer")

    # --------------------------------------------------------------------------------------------------- secrets
    def word(self) -> str:
        self.words.append(f"{CANARY}{len(self.words):03d}{self.random.randrange(1000):03d}")
        return self.words[-1]

    def number(self) -> int:
        self.numbers.append(FIRST_NUMBER + len(self.numbers) * 101)
        return self.numbers[-1]

    def hidden_ids(self, observer: str) -> list[str]:
        """Of what A has and this observer may not know of."""
        table, eye = self.a.table, ALL if observer == "w1" else observer
        play = table.play
        found: list[str] = [u.id for u in play.units.values() if not sees(table, eye, u)]
        found += [r.id for r in play.readied.values() if table.owners.get(r.unit) != observer]
        found += [t.id for t in play.tasks.values() if t.visibility != "open" and table.owners.get(t.unit) != observer]
        found += [e.id for e in play.effects.values() if e.secret]
        found += [k.actor for k in play.pendings.values() if not sees(table, eye, play.units[k.actor])]
        found += [q for q, request in table.requests.items() if request.seat != observer]
        found += [q for q, ask in table.asks.items() if not any(table.owners.get(u) == observer for u in ask.units)]
        return [str(id) for id in found]

    def spoils(self, command: Command) -> bool:
        """Whether a command would bring a difference to light, as the rules have it: it is left out."""
        return any(spoilt(self, command) for spoilt in self.spoilt)

    def end(self) -> None:
        for side in self.sides:
            side.end()


def _of(side: Side, who: str) -> Iterator[Client]:
    return (client for client in side.clients.values() if client.seat == who and client.name in WATCHED)


async def _exported(side: Side, audience: str) -> bytes:
    past = await past_of(side.store, side.room.id, Path())
    told = [export.header(side.room.id, side.table, audience)]
    told += [line async for line in export.told(past, audience)]

    async def again() -> AsyncIterator[export.Line]:
        for line in told[1:]:
            yield line

    names: dict[str, str] = {seat.id: seat.name for seat in side.table.seats.values() if seat.role == "player"}
    story = await transcript.collect(again(), side.table.created, transcript.Wanted(), names)
    written = transcript.written(story, side.table.name, audience, "en")
    return "\n".join([*(json.dumps(line) for line in told), *written]).encode()


def _said(command: Command | Mapping[str, Any]) -> str:
    return str(command)[:300]


def _difference(who: str, mine: list[Got], theirs: list[Got]) -> str:
    """The first frame that is not the same, as both sides were sent it."""
    for k in range(max(len(mine), len(theirs))):
        left, right = (frames[k] if k < len(frames) else None for frames in (mine, theirs))
        if left != right:
            return f"{who}, frame {k} of it\n  A {_shown(left)}\n  B {_shown(right)}"
    return "nothing"


def _shown(got: Got | None) -> str:
    if got is None:
        return "no frame"
    try:
        return f"{got.at} ms: {got.plain}"
    except Exception:
        return f"{got.at} ms: {got.frame!r}"


# ------------------------------------------------------------------------------- what only looks the same with some help
def even_passes(pair: Pair) -> None:
    """Whom his order, or what he has not readied, lets off at one table passes by hand at the other, within the floor."""
    for _ in range(8):
        left, right = (top(side.table) for side in pair.sides)
        if left is None or right is None or left[1].id != right[1].id:
            return
        settled = [
            "p2" not in window.asked or seat_settled(side.table, pending, window, SeatId("p2"), side.room.here)
            for side, (pending, window) in ((pair.a, left), (pair.b, right))
        ]
        if settled[0] == settled[1]:
            return
        side, window = (pair.b, right[1]) if settled[0] else (pair.a, left[1])
        if not pair._say(side, side.client("p2", "other"), cmd.Pass(window.id, window.gen), None):
            return


def even_hold(pair: Pair) -> None:
    """Where a hidden unit acts next at A, the ST at B means to hold."""
    if pair.a.table.play.fight is not None:
        _hold(pair, veil_is_next(pair.a))


def hold_for(pair: Pair, who: str, command: Command) -> None:
    """The same, where this very command ends the action otherwise than by what waits: whoever acts is struck dead, say."""
    side = pair.a
    by = By(SeatId(who), "player") if who in ("p1", "p2") else By(ST, "st")
    decided = decide(side.table, command, by, _world(side))
    if (
        isinstance(decided, Decided)
        and acting(decided.table) != acting(side.table)
        and decided.table.play.fight is not None
    ):
        _hold(pair, decided.table.play.fight.veiled)


def _hold(pair: Pair, coming: bool) -> None:
    play = pair.b.table.play
    if play.fight is not None and coming != play.hold_next and not play.held:
        pair._say(pair.b, pair.b.client("x1", "other"), cmd.Hold(next=True) if coming else cmd.Release(), None)


def begins_veiled(side: Side, start: cmd.StartFight) -> bool:
    """Whether the first to act in a fight is a hidden unit."""
    by = By(ST, "st")
    begun = decide(side.table, start, by, _world(side))
    return isinstance(begun, Decided) and begun.table.play.fight is not None and begun.table.play.fight.veiled


def veil_is_next(side: Side) -> bool:
    """Whether a hidden unit acts when the present action ends, and what waits until then has happened."""
    if side.table.play.fight is None or side.table.play.held:
        return False
    table = when_nothing_waits(side)
    fight = table.play.fight
    if fight is None or acting(table) != acting(side.table):  # with what waits the action ends
        return fight is not None and fight.veiled
    calm = replace(table, play=replace(table.play, stack=(), hold_next=False))
    d = Draft(calm, By(ST, "st"), _world(side))
    try:
        order.finish(d, fight.active) if fight.active is not None else order.next_action(d)
    except Refused:
        return False
    return d.play.fight is not None and d.play.fight.veiled


def acting(table: Table) -> tuple[UnitId | None, int]:
    """Who acts, and in which of its rounds."""
    unit = table.play.fight.active if table.play.fight is not None else None
    budget = table.play.budgets.get(unit) if unit is not None else None
    return unit, budget.round if budget else 0


def when_nothing_waits(side: Side) -> Table:
    """Its table when every window has closed by itself."""
    table = side.table
    while (found := top(table)) is not None and (clock := found[1].clock) is not None and clock.running:
        world = replace(_world(side), now=clock.deadline + clock.grace)
        due = due_command(table, world.now, world.here)
        closed = decide(table, due, By(ST, "st"), world) if due is not None else None
        if not isinstance(closed, Decided):
            break
        table = closed.table
    return table


def _world(side: Side) -> World:
    return World(side.clock(), side.room.dice, Ids(b"x", "y"), side.room.here, 1)
