"""Every kind of fault: what it does to the box while evenings go on in it, and the control that must fail under it.

`suffer` is the one way to live through one: tables are played at while it happens, then all histories are checked.
"""

import asyncio
import contextlib
import random
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redis.exceptions import ResponseError

from protocol.codes import Close
from tests.faults.box import Box
from tests.faults.checker import WAITS, Report, Violation
from tests.faults.evening import Evening, Unplayable, tables
from tests.faults.nursery import Nursery
from tests.faults.wire import Cutter


@dataclass
class Tally:
    """What was suffered, and what came of it."""

    power_cuts: int = 0
    kills: int = 0
    cuts: int = 0
    others: int = 0
    commands: int = 0
    acked: int = 0
    violations: list[Violation] = field(default_factory=list)
    saved: list[Path] = field(default_factory=list)
    notes: dict[str, int] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    """What the fault should have led to and did not: then it was none."""

    def add(self, report: Report) -> None:
        self.commands += report.commands
        self.acked += report.acked
        self.violations += report.violations

    def note(self, what: str, times: int = 1) -> None:
        self.notes[what] = self.notes.get(what, 0) + times

    def count(self, kind: str) -> int:
        return sum(one.kind == kind for one in self.violations)

    def __iadd__(self, other: "Tally") -> "Tally":
        for name in ("power_cuts", "kills", "cuts", "others", "commands", "acked"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.violations += other.violations
        self.saved += other.saved
        self.missed += other.missed
        for what, times in other.notes.items():
            self.note(what, times)
        return self


@dataclass
class Storm:
    """What a fault works with. `ports` is where clients knock; usually the nodes' own."""

    box: Box
    chance: random.Random
    tally: Tally
    evenings: list[Evening]
    ports: list[int]
    wires: list[Cutter] = field(default_factory=list)

    async def play_on(self, most: int) -> None:
        """Until some commands more were given, at random up to so many; 3 s at most."""
        goal = self.given + self.chance.randint(1, most)
        await until(lambda: self.given >= goal, 3)

    @property
    def given(self) -> int:
        return self.tally.commands + sum(one.commands for one in self.evenings)

    def seen(self, what: str) -> int:
        return self.tally.notes.get(what, 0) + sum(met(one).count(what) for one in self.evenings)

    async def calm_down(self) -> None:
        """Everything runs and carries again."""
        for wire in [*self.wires, *([self.box.wire] if self.box.wire else [])]:
            wire.every, wire.lose_answers = 0, 0.0
            wire.go_on()
        await self.box.mend()

    async def pause(self, least: float, most: float) -> None:
        await asyncio.sleep(self.chance.uniform(least, most))


Disturb = Callable[[Storm, int], Awaitable[None]]


@dataclass(frozen=True)
class Control:
    """Without the protection the fault must show: a named mistake in the server, or a weaker database."""

    words: str
    bug: str = ""
    box: Mapping[str, Any] = field(default_factory=dict)
    quiet: bool = True  # clients do only what they must, so that what shows is the fault's doing
    waits: bool = False  # it shows in that somebody waits in vain
    misses: bool = False  # it shows in that the fault does not lead to what it should lead to


@dataclass(frozen=True)
class Fault:
    """`disturb` does it so many times. `often`: in a full run, and in a short one."""

    words: str
    disturb: Disturb
    often: tuple[int, int]
    controls: tuple[Control, ...]
    box: Mapping[str, Any] = field(default_factory=dict)
    evening: Mapping[str, Any] = field(default_factory=dict)
    shim: bool = False
    leads_to: tuple[str, ...] = ()
    """What clients must have met with at least once, or the fault never bit."""
    client_wire: int = 0
    """Bytes after which a client's connection is cut; 0: none is."""


def met(evening: Evening) -> list[str]:
    """What the clients of an evening met with: why they got snapshots, how servers closed their connections."""
    return [
        *(f"snapshot: {reason}" for player in evening.players for reason in player.snapshots),
        *(f"closed: {code}" for player in evening.players for code in player.closed),
    ]


async def until(condition: Callable[[], bool], within_s: float = 3600.0) -> bool:
    """Waits for what happens in other processes; whether it came."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within_s
    while not condition():
        if loop.time() > deadline:
            return False
        await asyncio.sleep(0.003)
    return True


async def suffer(
    nursery: Nursery,
    fault: Fault,
    times: int,
    *,
    seed: int,
    commands: int = 0,
    at_once: int = 3,
    spare: int = 40,
    bug: str = "",
    quiet: bool = False,
    patience: float = 1.0,
    within_s: float = 600.0,
    box: Mapping[str, Any] | None = None,
    keep: Path | None = None,
) -> Tally:
    """Evenings go on while the fault happens `times` times, and until that many commands were given; all is checked.

    `quiet`: clients do nothing but what they must, so that what shows is the fault's doing.
    """
    chance = random.Random(seed)
    tally = Tally()
    manners: dict[str, Any] = {"rude": 0.0, "drops": 0.0} if quiet else {}
    manners |= fault.evening
    options = {**fault.box, **(box or {})}
    options["bug"] = "+".join(filter(None, (options.get("bug", ""), bug)))
    async with contextlib.AsyncExitStack() as stack:
        machine = await stack.enter_async_context(Box(nursery, **options))
        ports = list(machine.ports)
        wires = []
        if fault.client_wire:
            for k, port in enumerate(ports):
                wire = Cutter(port, every=fault.client_wire, seed=seed + k)
                wires.append(await stack.enter_async_context(wire))
            ports = [wire.port for wire in wires]
        waiting = await tables(machine.store.url, at_once + spare, weaker=True)
        evenings: list[Evening] = []
        storm = Storm(machine, chance, tally, evenings, ports, wires)
        over = False

        async def table(k: int) -> None:
            """One evening after another at one place, until the fault is over."""
            while waiting:
                tokens = waiting.pop()
                begun = len(waiting)
                evening = Evening(
                    tokens, lambda: chance.choice(ports), seed * 1000 + begun, patience=patience, **manners
                )
                evenings.append(evening)
                try:
                    async with asyncio.timeout(60 * patience):
                        await evening.begin()
                    while not over and not evening.full:
                        async with asyncio.timeout(60 * patience):
                            await evening.play(40)
                except Unplayable as problem:
                    tally.violations.append(Violation(WAITS, str(problem)))
                except (TimeoutError, ConnectionAbortedError):
                    pass  # the checker says what is missing
                if over:
                    return
                evenings.remove(evening)
                await end(evening)

        async def end(evening: Evening) -> None:
            report = await evening.finish()
            for what in met(evening):
                tally.note(what)
            if report.violations and keep:
                file = keep / f"history-{seed}-{len(tally.saved)}.bin"
                evening.history.save(file)
                tally.saved.append(file)
            tally.add(report)

        playing = [asyncio.create_task(table(k)) for k in range(at_once)]
        try:
            await asyncio.sleep(0.15)
            async with asyncio.timeout(within_s) as limit:
                await fault.disturb(storm, times)
                await until(lambda: storm.given >= commands or not waiting)
        except TimeoutError:
            if not limit.expired() or not bug:  # with a mistake in it a server may bring everything to a stop
                raise
        try:
            over = True
            await storm.calm_down()
            await asyncio.gather(*playing)
            await asyncio.gather(*(end(one) for one in evenings))
        finally:
            over = True
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
            await asyncio.gather(*(one.leave() for one in evenings))
        tally.cuts += sum(wire.cuts for wire in wires) + (machine.wire.cuts + machine.wire.lost if machine.wire else 0)
        tally.missed += [what for what in fault.leads_to if not tally.notes.get(what)]
        tally.note("bytes that a power cut took", machine.store.dropped)
    return tally


# ----------------------------------------------------------------------------------------------------------- the faults
async def nothing(storm: Storm, times: int) -> None:
    """Only the rude clients, for so many commands at a table."""
    await until(lambda: storm.given >= times)


async def power(storm: Storm, times: int) -> None:
    for k in range(times):
        await storm.play_on(100)
        await storm.pause(0, 0.02)
        if k % 4 == 3:
            with contextlib.suppress(ResponseError):  # it may be rewriting already
                await storm.box.store.ask("BGREWRITEAOF")
            await storm.pause(0, 0.05)
        await storm.box.cut_power()
        storm.tally.power_cuts += 1


async def node(storm: Storm, times: int) -> None:
    """Killed, one or all; stopped in good order, now and then."""
    for k in range(times):
        await storm.play_on(100)
        await storm.pause(0, 0.02)
        which = [storm.chance.randrange(len(storm.box.nodes))]
        if k % 5 == 4:
            which = list(range(len(storm.box.nodes)))
        if k % 7 == 6:
            await storm.box.stop_node(which[0])
            storm.tally.note("servers stopped in good order")
        else:
            await asyncio.gather(*(storm.box.kill_node(one) for one in which))
            storm.tally.kills += len(which)
        await storm.pause(0, 0.2)
        await asyncio.gather(*(storm.box.start_node(one) for one in which if storm.box.nodes[one] is None))


async def store(storm: Storm, times: int) -> None:
    for _ in range(times):
        await storm.play_on(100)
        await storm.pause(0, 0.02)
        storm.box.store.kill()
        storm.tally.kills += 1
        await storm.pause(0, 0.3)
        await storm.box.store.start()


async def frozen_node(storm: Storm, times: int) -> None:
    for _ in range(times):
        await storm.pause(0.1, 0.4)
        one = storm.chance.choice(storm.box.nodes)
        assert one
        one.signal(19)
        await storm.pause(0.3, 2.5)
        one.signal(18)
        storm.tally.others += 1


async def frozen_store(storm: Storm, times: int) -> None:
    for k in range(times):
        await storm.pause(0.1, 0.4)
        storm.box.store.freeze()
        await storm.pause(*((1.6, 2.6) if k % 3 < 2 else (3.1, 4.0)))
        storm.box.store.thaw()
        storm.tally.others += 1


async def disk(storm: Storm, times: int) -> None:
    """The disk is full in the middle of something; the database dies of it; room is made. Or its memory is full."""
    database = storm.box.store
    for k in range(times):
        await storm.pause(0.1, 0.4)
        if k % 3 == 2:
            await database.ask("CONFIG", "SET", "maxmemory", "1mb")
            await storm.pause(0.1, 0.6)
            await database.ask("CONFIG", "SET", "maxmemory", "0")
            storm.tally.note("memory full")
        else:
            database.fill_disk(storm.chance.randrange(0, 4000))
            if await until(lambda: not database.running, 3):
                storm.tally.note("databases that a full disk ended")
            await storm.pause(0, 4.0 if k % 6 == 3 else 0.3)
            database.free_disk()
            if not database.running:
                database.kill()
                await database.start()
        storm.tally.others += 1


async def cuts(storm: Storm, times: int) -> None:
    """The wires cut by themselves; from time to time one carries nothing, or every connection goes at once."""
    while sum(wire.cuts for wire in storm.wires) < times:
        await storm.pause(0.05, 0.3)
        wire = storm.chance.choice(storm.wires)
        if storm.chance.random() < 0.2:
            wire.stall()
            await storm.pause(0.05, 0.8)
            wire.go_on()
        if storm.chance.random() < 0.1:
            wire.cut_all()


async def answers(storm: Storm, times: int) -> None:
    """Between the servers and the database connections are cut at any byte, and answers vanish."""
    wire = storm.box.wire
    assert wire
    wire.every, wire.lose_answers = 60_000, 0.01
    wire.cut_all()
    while wire.cuts + wire.lost < times:
        await storm.pause(0.05, 0.3)
        if storm.chance.random() < 0.1:
            wire.stall()
            await storm.pause(0.2, 1.8)
            wire.go_on()
    wire.every, wire.lose_answers = 0, 0.0
    wire.cut_all()


async def readers(storm: Storm, times: int) -> None:
    """Some clients do not read for a while, until servers have no more room for what waits for them; nothing else."""
    for _ in range(times):
        await storm.pause(0.3, 0.6)
        storm.tally.others += 1
    await until(lambda: storm.seen(TOO_SLOW) > 0 and storm.seen(TOO_GREEDY) > 0, 20.0 * times)


async def clock(storm: Storm, times: int) -> None:
    """The time of day jumps, forwards and back; servers that come up then learn the new one."""
    for k in range(times):
        await storm.pause(0.1, 0.3)
        storm.box.store.step_clock(storm.chance.choice([-1, 1]) * storm.chance.choice([0.7, 5, 90, 4000]))
        which = k % len(storm.box.nodes)
        await storm.box.kill_node(which)
        storm.tally.kills += 1
        await storm.box.start_node(which)
        storm.tally.others += 1
    storm.box.store.step_clock(0)


async def news(storm: Storm, times: int) -> None:
    """Wake-ups come twice, late, in another order; or those who listen are cut off."""
    import redis.asyncio

    async with redis.asyncio.Redis.from_url(
        storm.box.store.url, legacy_responses=False, decode_responses=True
    ) as client:
        found = [f"ov:{{{table}}}" for table in map(str, await client.smembers("ov:tables"))]
        old: list[tuple[str, int]] = []
        for k in range(times):
            await storm.pause(0.0, 0.03)
            for key in found:
                version = await client.hget(f"{key}:meta", "version")
                if version and int(version) > 6:
                    old.append((f"{key}:ch", int(version)))
            old = old[-200:]
            for channel, number in storm.chance.sample(old, min(len(old), 8)):
                await client.publish(channel, number)
                storm.tally.others += 1
            for key in storm.chance.sample(found, 2):
                await client.publish(f"{key}:ch", b"here")
            if k % 10 == 9:
                await client.client_kill_filter(_type="pubsub")


async def cancel(storm: Storm, times: int) -> None:
    await nothing(storm, times)
    storm.tally.others += times // 10


TOO_SLOW, TOO_GREEDY = "snapshot: slow", f"closed: {Close.SLOW.value}"

FAULTS: dict[str, Fault] = {
    "none": Fault("rude clients on two servers", nothing, (2000, 200), ()),
    "still": Fault("rude clients at tables without a clock", nothing, (500, 150), (), evening={"clock_ms": 0}),
    "hurry": Fault("rude clients whom the clock cuts short", nothing, (500, 150), (), evening={"clock_ms": 40}),
    "power": Fault(
        "power cuts: all processes gone at once, of every file only what was safe on the disk",
        power,
        (110, 5),
        (
            Control("a database that never waits for the disk", box={"appendfsync": "no", "weaker": True}),
            Control(
                "a database that waits for the disk once a second", box={"appendfsync": "everysec", "weaker": True}
            ),
        ),
        shim=True,
    ),
    "node": Fault(
        "server processes killed, one or all",
        node,
        (60, 6),
        (Control("yes is said before it is kept", "ack_before_commit"),),
    ),
    "store": Fault(
        "the database killed",
        store,
        (50, 4),
        (Control("a database that writes nothing down", box={"appendonly": "no", "weaker": True}),),
    ),
    "frozen-node": Fault(
        "server processes frozen", frozen_node, (30, 3), (Control("decisions are not remembered", "lost_dedup"),)
    ),
    "frozen-store": Fault(
        "the database frozen", frozen_store, (12, 2), (Control("own tries are not known again", "own_try_forgotten"),)
    ),
    "disk": Fault(
        "a full disk, a full memory",
        disk,
        (18, 3),
        (Control("a refusal of the store is taken for kept", "refused_by_store_taken_for_kept"),),
        shim=True,
    ),
    "cuts": Fault(
        "clients' connections cut at any byte, in both directions, or carrying nothing",
        cuts,
        (1000, 20),
        (Control("decisions are not remembered", "lost_dedup"),),
        client_wire=4000,
    ),
    "answers": Fault(
        "connections to the database cut at any byte, answers lost",
        answers,
        (250, 20),
        (Control("own tries are not known again", "own_try_forgotten"),),
        box={"behind_wire": True},
    ),
    "readers": Fault(
        "clients that stop reading",
        readers,
        (40, 6),
        (
            Control("who reads slowly misses changes", "slow_reader_skipped"),
            Control("sockets as wide as usual, which swallow all that is not read", box={"bug": ""}, misses=True),
        ),
        box={"bug": "little_room"},
        evening={"lazy": 0.05, "padding": 1500, "drops": 0.005},
        leads_to=(TOO_SLOW, TOO_GREEDY),
    ),
    "clock": Fault(
        "the database's clock set forwards and back",
        clock,
        (20, 4),
        (Control("whatever the clock says is written down", "time_goes_back"),),
        shim=True,
    ),
    "news": Fault(
        "wake-ups twice, late and in another order",
        news,
        (400, 30),
        (Control("every wake-up is taken for a change", "wake_up_taken_for_change"),),
    ),
    "cancel": Fault(
        "tasks cancelled anywhere",
        cancel,
        (3000, 300),
        (Control("what is shown is not kept yet", "shown_before_kept"),),
        box={"bug": "cancelled_tasks"},
    ),
}


async def fails(nursery: Nursery, fault: Fault, control: Control, *, seed: int, tries: int = 8) -> list[Violation]:
    """What the checker finds where the protection is missing. Nothing found: the fault or the checker is blind.

    That somebody waits in vain counts only where the control is about just that.
    """
    for attempt in range(tries):
        tally = await suffer(
            nursery,
            fault,
            max(2, fault.often[1] // 2) * (1 + attempt),
            seed=seed + attempt,
            at_once=2,
            spare=2,
            bug=control.bug,
            quiet=control.quiet,
            patience=0.1,
            within_s=20 if control.bug else 240,  # with a mistake in it a server may bring everything to a stop
            box=control.box,
        )
        if control.misses:
            return [Violation("missed", f"nobody met with {what}") for what in tally.missed]
        if found := [one for one in tally.violations if one.kind != WAITS or control.waits]:
            return found
    return []


def histories_directory() -> Path:
    return Path(tempfile.mkdtemp(prefix="overseer-histories-"))
