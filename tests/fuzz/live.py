"""The tenth that goes over sockets: a whole server in a process of its own, healthy players beside, round by round with and
without those who throw frames. Then once more with the limits that servers have, and no pause between the frames.
"""

import asyncio
import contextlib
import json
import math
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from websockets.exceptions import ConnectionClosed

from server.config import load_settings
from server.node import open_node
from server.seating import add_seat, make_table
from tests.bench.__main__ import cpu_s
from tests.bench.raw import Raw
from tests.fuzz.many import rss_mb
from tests.fuzz.outcome import Outcome
from tests.helpers.servers import UNLIMITED, Server, start, stop

ROUNDS = 7
QUIET_S = 10.0
PER_S = 200.0
"""Frames a second while somebody plays beside: as much as two whole tables may send for long (config.py, rate_table)."""
EVERY_S = 0.1
"""A healthy player says something so often."""
P50, P99 = 1.2, 2.0
"""How much longer an answer may take while frames are thrown: medians of the rounds."""
GROWN_MB = 100.0
ANSWERED_S = 10.0
"""A healthy player has an answer within, however loaded the machine is."""
TOO_MANY = 10_000
"""Frames at once of which some must be refused, where there are limits: each seat may send 900."""
TABLES = 3
MEANT = re.compile(r"view has drifted|ahead of the store")
"""Errors that a server logs because a client says so: DRIFT, or a position that nobody gave it."""

UNIT = {"name": "Ghoul", "tracks": {"hp": 60}, "on_stage": True, "attributes": {"DEX": 3},
        "abilities": [{"name": "sword", "act": "melee_attack", "slots": ["standard"], "pool": {"fixed": 3}}]}  # fmt: skip


@dataclass
class Seen:
    """`wrong`: in words; empty where all is well."""

    outcome: Outcome = field(default_factory=lambda: Outcome(0))
    p50_ratio: float = 0.0
    p99_ratio: float = 0.0
    grown_mb: float = 0.0
    wrong: list[str] = field(default_factory=list)


class Watched:
    """A server, and what it logs as wrong."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.wrong: list[str] = []
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.server.process.stdout
        while line := (await self.server.process.stdout.readline()).decode(errors="replace"):
            if re.search(r"Z (error|critical) |Traceback", line) and not MEANT.search(line):
                self.wrong.append(f"the server logged: {line.strip()[:500]}")

    async def end(self) -> None:
        if self.server.process.returncode is not None:
            self.wrong.append(f"the server has ended, with {self.server.process.returncode}")
        await stop(self.server)
        await self._reading


@contextlib.asynccontextmanager
async def watched(data_dir: Path, flags: Sequence[str], seen: Seen) -> AsyncIterator[Server]:
    server = await start("--data-dir", str(data_dir), *flags)
    watching = Watched(server)
    try:
        yield server
    finally:
        await watching.end()
        seen.wrong += watching.wrong


async def seats(server: Server, data_dir: Path) -> tuple[list[str], list[str]]:
    """Links: of a table of healthy players, and of those who throw: at tables of their own, and one at the healthy one."""
    settings = load_settings({"data_dir": data_dir, "port": server.port})
    async with open_node(settings, beside=True) as rooms:
        healthy = await make_table(rooms, "healthy")
        well = [healthy.token]
        well += [(await add_seat(rooms, healthy.table, f"player {k}", "player")).token for k in range(4)]
        bad = [(await add_seat(rooms, healthy.table, "Mallory", "player")).token]
        for k in range(TABLES):
            made = await make_table(rooms, f"bad {k}")
            bad.append(made.token)
            bad += [(await add_seat(rooms, made.table, f"p{p}", "player")).token for p in range(2)]
    return [f"{server.address}/#{token}" for token in well], [f"{server.address}/#{token}" for token in bad]


class Thrower:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def throw(self, frames: int, per_s: float) -> Outcome:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{frames} {per_s}\n".encode())
        told = json.loads(await self.process.stdout.readline())
        return Outcome(**{**told, "faults": [tuple(one) for one in told["faults"]]})


@contextlib.asynccontextmanager
async def thrower(links: Sequence[str], seed: int) -> AsyncIterator[Thrower]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fuzz.thrower", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(json.dumps([seed, list(links)]).encode() + b"\n")
        assert await process.stdout.readline() == b"ready\n"
        yield Thrower(process)
    finally:
        process.stdin.close()
        await process.wait()


class Healthy:
    """Players who say something now and then, and how long each waits for the answer. `wrong`: who got none."""

    def __init__(self, clients: list[Raw]) -> None:
        self.clients = clients
        self.wrong: list[str] = []

    async def play(self, over: asyncio.Event) -> tuple[float, float]:
        """(p50, p99) in ms, of all that was said until it is over."""
        taken: list[float] = []

        async def one(client: Raw) -> None:
            while not over.is_set():
                await asyncio.sleep(random.uniform(0.5, 1.5) * EVERY_S)
                began = time.perf_counter()
                try:
                    async with asyncio.timeout(ANSWERED_S):
                        answer = await client.command("say", text="On we go.")
                except (TimeoutError, ConnectionClosed) as problem:
                    self.wrong.append(f"a healthy player was not answered within {ANSWERED_S:g} s: {problem!r}")
                    return
                if answer["t"] != "ack":
                    self.wrong.append(f"a healthy player was refused: {answer}")
                    return
                taken.append((time.perf_counter() - began) * 1000)

        await asyncio.gather(*map(one, self.clients))
        taken.sort()
        if not taken:
            self.wrong.append("no healthy player was answered at all")
            return math.inf, math.inf
        return taken[len(taken) // 2], taken[len(taken) * 99 // 100]


async def run(frames: int, seed: int, tell: Callable[[str], None], rounds: int = ROUNDS) -> Seen:
    seen = Seen()
    with tempfile.TemporaryDirectory(prefix="overseer-fuzz-", ignore_cleanup_errors=True) as folder:
        each = max(1, frames * 9 // 10 // rounds)
        async with watched(Path(folder) / "lifted", UNLIMITED, seen) as server:
            await interleaved(server, Path(folder) / "lifted", each, rounds, seed, seen, tell)
        if not seen.wrong:
            async with watched(Path(folder) / "limited", [], seen) as server:
                await limited(server, Path(folder) / "limited", frames - each * rounds, seed, seen, tell)
    seen.wrong += [f"{what}\n  {label}, by {who}: {hex}" for what, label, hex, who in seen.outcome.faults]
    return seen


async def interleaved(
    server: Server, data_dir: Path, each: int, rounds: int, seed: int, seen: Seen, tell: Callable[[str], None]
) -> None:
    """Round by round: healthy players alone, then with frames thrown beside."""
    well, bad = await seats(server, data_dir)
    healthy = Healthy([await Raw.sit(link) for link in well])
    await scene(bad[1::3])
    quiet_s = min(QUIET_S, max(1.0, each / PER_S))
    alone: list[tuple[float, float]] = []
    beside: list[tuple[float, float]] = []
    async with thrower(bad, seed) as throwing:
        seen.outcome.add(
            await throwing.throw(max(20, each // 10), PER_S)
        )  # until everything has grown to what it needs
        before_mb = rss_mb(server.process.pid)
        for number in range(rounds):
            over = asyncio.Event()
            asyncio.get_running_loop().call_later(quiet_s, over.set)
            alone.append(await healthy.play(over))
            over = asyncio.Event()
            playing = asyncio.create_task(healthy.play(over))
            cpu = cpu_s(server.process.pid)
            outcome = await throwing.throw(each, PER_S)
            cpu = (cpu_s(server.process.pid) - cpu) / outcome.seconds
            over.set()
            beside.append(await playing)
            seen.outcome.add(outcome)
            per_s = outcome.frames / outcome.seconds
            tell(
                f"sockets: round {number + 1} of {rounds}: {outcome.frames} frames, {per_s:.0f} a second, the server "
                f"at {100 * cpu:.0f} % of a core; healthy p50 {alone[-1][0]:.1f} ms alone, "
                f"{beside[-1][0]:.1f} beside; p99 {alone[-1][1]:.1f}, {beside[-1][1]:.1f}"
            )
            seen.wrong += healthy.wrong
            if outcome.faults or healthy.wrong:
                return
        seen.grown_mb = rss_mb(server.process.pid) - before_mb
    for client in healthy.clients:
        await client.close()
    seen.p50_ratio, seen.p99_ratio = (
        statistics.median(one[k] for one in beside) / statistics.median(one[k] for one in alone) for k in (0, 1)
    )
    tell(
        f"sockets: healthy p50 {seen.p50_ratio:.2f} times, p99 {seen.p99_ratio:.2f} times (medians of {rounds} rounds); "
        f"the server has grown by {seen.grown_mb:.1f} MB"
    )
    limited_by = seen.outcome.kinds.get("rate", [0, 0, 0])[2]
    if limited_by > seen.outcome.frames // 100:
        seen.wrong.append(f"{limited_by} frames were refused for their number, though no limit was set")
    if seen.p50_ratio > P50 or seen.p99_ratio > P99:
        seen.wrong.append(
            f"healthy players waited longer: p50 {seen.p50_ratio:.2f} times, p99 {seen.p99_ratio:.2f} times"
        )
    if seen.grown_mb > GROWN_MB:
        seen.wrong.append(f"the server has grown by {seen.grown_mb:.0f} MB")


async def limited(
    server: Server, data_dir: Path, frames: int, seed: int, seen: Seen, tell: Callable[[str], None]
) -> None:
    """With every limit at its default, as fast as it goes: what is too much is refused or sent away, as documented; each
    frame has its answer, and healthy players have theirs. How fast, on a machine that throws as well, says nothing.
    """
    well, bad = await seats(server, data_dir)
    healthy = Healthy([await Raw.sit(link) for link in well])
    over = asyncio.Event()
    async with thrower(bad, seed) as throwing:
        playing = asyncio.create_task(healthy.play(over))
        outcome = await throwing.throw(frames, 0)
        over.set()
        p50, p99 = await playing
    for client in healthy.clients:
        await client.close()
    refused = outcome.kinds.pop("rate", [0, 0, 0])[2]
    seen.outcome.add(outcome)
    seen.wrong += healthy.wrong
    if not outcome.faults and outcome.answered + outcome.closed != outcome.frames:
        seen.wrong.append(f"of {outcome.frames} frames {outcome.answered} were answered, {outcome.closed} closed")
    if frames >= TOO_MANY and not refused:
        seen.wrong.append(f"of {frames} frames as fast as it goes none was refused as too many")
    tell(
        f"sockets, with limits: {outcome.frames} frames, {outcome.frames / outcome.seconds:.0f} a second, {refused} refused "
        f"as too many, {outcome.closed} closed; healthy p50 {p50:.1f} ms, p99 {p99:.1f} ms"
    )


async def scene(links: Sequence[str]) -> None:
    """A fight at each of these Storytellers' tables."""
    for link in links:
        st = await Raw.sit(link)
        units = [(await st.command("add_unit", unit=UNIT | {"name": f"Ghoul {k}"}))["made"][0] for k in range(3)]
        await st.command("start_fight", counts=True)
        await st.command("begin_action", unit=units[0])
        await st.close()
