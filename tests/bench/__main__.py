"""`make bench`: how fast Overseer is on this machine. Everything is durable (appendfsync always), on loopback, bounded.

make bench                        all figures
make bench ARGS="latency load"    some of them: rules, start, size, latency, load, busy, commits, failover, nodes, memory,
                                  hostile, refusals
"""

import asyncio
import os
import resource
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from server.config import load_settings
from server.node import open_node
from server.seating import add_seat, make_table
from server.store.embedded import attach
from tests.bench import memory as memory_use
from tests.bench import rules, several
from tests.bench.ceiling import bare_script
from tests.bench.crowd import Crowd, crowd, talk
from tests.bench.hostile import ELSEWHERE, HERE
from tests.bench.raw import Raw
from tests.helpers.replicated import clustered, under_sentinels
from tests.helpers.servers import UNLIMITED, Server, serving

ROUNDS = 5
MIB = 1 << 20
ROUND_S = 4.0
HALF_A_ROUND_MS = 2000
PAUSE_S = 0.1
"""After each command of somebody healthy, about."""
UNIT = {"name": "Ghoul", "tracks": {"hp": {"value": 60, "max": 60}}, "on_stage": True, "side": "foes"}


def say(what: str, figure: str) -> None:
    print(f"{what:<64} {figure}", flush=True)


def spread(values: list[float], unit: str) -> str:
    """The median of the rounds, and between which two they lay."""
    return f"{statistics.median(values):.2f} {unit}  ({min(values):.2f} to {max(values):.2f} in {len(values)} rounds)"


def quantile(values: list[float], q: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * q))]


def unlimited(data_dir: Path) -> AbstractAsyncContextManager[Server]:
    """A server that takes whatever comes: what it can do is measured, not what it allows."""
    return serving("--data-dir", str(data_dir), *UNLIMITED)


async def tables(server: Server, data_dir: Path, count: int, players: int) -> list[list[str]]:
    """Links of new tables: the ST's first, then the players'."""
    settings = load_settings({"data_dir": data_dir, "port": server.port})
    found = []
    async with open_node(settings, beside=True) as rooms:
        for k in range(count):
            made = await make_table(rooms, f"table {k}")
            tokens = [made.token]
            tokens += [(await add_seat(rooms, made.table, f"player {p}", "player")).token for p in range(players)]
            found.append([f"{server.address}/#{token}" for token in tokens])
    return found


async def start(data_dir: Path) -> None:
    """From starting the process to "ready"."""
    taken = []
    for k in range(ROUNDS):
        began = time.perf_counter()
        async with unlimited(data_dir / f"start{k}"):
            taken.append((time.perf_counter() - began) * 1000)
    say("start of `overseer serve` to ready, new data directory", spread(taken, "ms"))


async def latency(data_dir: Path) -> None:
    """From a command's sending to its diff at the last of 10 clients, one at a time."""
    async with unlimited(data_dir / "latency") as server:
        (links,) = await tables(server, data_dir / "latency", 1, 4)
        clients = [await Raw.sit(link) for link in links for _ in range(2)]
        unit = (await clients[0].command("add_unit", unit=UNIT))["made"][0]
        await clients[0].command("set_house", key="hp_shown", value="all")  # so that every client gets every diff
        for client in clients:  # an answer comes after all that it caused, for everybody
            await client.command("say", text=".")
        for client in clients:
            await client.command("roll", unit="nothing0")
        p50, p99 = [], []
        for _ in range(ROUNDS):
            taken = []
            for k in range(300):
                goals = [client.n + 1 for client in clients]
                began = time.perf_counter()
                await clients[0].command("adjust", unit=unit, path="hp", by=-1 if k % 2 else 1)
                await asyncio.gather(*(client.reached(goal) for client, goal in zip(clients, goals, strict=True)))
                taken.append((max(client.last for client in clients) - began) * 1000)
            p50.append(quantile(taken, 0.5))
            p99.append(quantile(taken, 0.99))
        for client in clients:
            await client.close()
    say("command to last of 10 clients, durable: p50", spread(p50, "ms"))
    say("command to last of 10 clients, durable: p99", spread(p99, "ms"))


async def load(data_dir: Path) -> None:
    """20 tables of 5 clients each, every client with one command under way all the time."""
    seconds = 4.0
    async with unlimited(data_dir / "load") as server:
        rooms = [[await Raw.sit(link) for link in links] for links in await tables(server, data_dir / "load", 20, 4)]
        rates, server_cpu, own_cpu, p50 = [], [], [], []
        for _ in range(ROUNDS):
            taken: list[float] = []
            began, cpu, own = time.perf_counter(), cpu_s(server.process.pid), own_cpu_s()
            await asyncio.gather(*(talk(client, began + seconds, taken) for room in rooms for client in room))
            lasted = time.perf_counter() - began
            rates.append(len(taken) / lasted)
            server_cpu.append(100 * (cpu_s(server.process.pid) - cpu) / lasted)
            own_cpu.append(100 * (own_cpu_s() - own) / lasted)
            p50.append(quantile(taken, 0.5) * 1000)
        for room in rooms:
            for client in room:
                await client.close()
    say("commands a second, one server process, 20 tables x 5 clients", spread(rates, "/s"))
    say("  time to the ack there, p50", spread(p50, "ms"))
    say("  of a core: the server", spread(server_cpu, "%"))
    say("  of a core: the load generator", spread(own_cpu, "%"))


async def busy(data_dir: Path) -> None:
    """One table of 8 seats, each with one command under way all the time."""
    async with unlimited(data_dir / "busy") as server:
        (links,) = await tables(server, data_dir / "busy", 1, 7)
        rates, p50, server_cpu = [], [], []
        async with crowd(links) as people:
            for _ in range(ROUNDS):
                cpu = cpu_s(server.process.pid)
                found = await people.run(3.0)
                rates.append(found["commands"] / found["seconds"])
                server_cpu.append(100 * (cpu_s(server.process.pid) - cpu) / found["seconds"])
                p50.append(found["p50_ms"])
    say("commands a second, one table, 8 seats", spread(rates, "/s"))
    say("  time to the ack there, p50", spread(p50, "ms"))
    say("  of a core: the server", spread(server_cpu, "%"))


async def commits(data_dir: Path) -> None:
    """200 tables through the whole server, and what the store alone does with the same commits."""
    async with unlimited(data_dir / "commits") as server:
        links = [link for (link,) in await tables(server, data_dir / "commits", 200, 0)]
        rates, p50, server_cpu = [], [], []
        url = await attach(data_dir / "commits")
        assert url
        bare = []
        async with crowd(links[::2]) as some, crowd(links[1::2]) as others:
            for round in range(ROUNDS):
                bare.append(await bare_script(url, f"bare{round}", len(links), 2.0))
                cpu = cpu_s(server.process.pid)
                both = await asyncio.gather(some.run(4.0), others.run(4.0))
                server_cpu.append(100 * (cpu_s(server.process.pid) - cpu) / both[0]["seconds"])
                rates.append(sum(one["commands"] / one["seconds"] for one in both))
                p50 += [one["p50_ms"] for one in both]
    say("commits a second, durable, whole server, 200 tables", spread(rates, "/s"))
    say("  the bare script in the same store, 200 tables", spread(bare, "/s"))
    say("  time to the ack there, p50", spread(p50, "ms"))
    say("  of a core: the server", spread(server_cpu, "%"))


async def size(data_dir: Path) -> None:
    """The bytes of the diff that sets one hp, as an ST and as a player are sent it; with a reason, and by damage."""
    async with unlimited(data_dir / "size") as server:
        (links,) = await tables(server, data_dir / "size", 1, 1)
        st, player = await Raw.sit(links[0]), await Raw.sit(links[1])
        unit = (await st.command("add_unit", unit=UNIT))["made"][0]
        await st.command("set_house", key="hp_shown", value="all")
        for _ in range(260):  # a position of two bytes, as after the first quarter of an hour
            await st.command("say", text=".")
        for what, reason in (("set one hp", ""), ("set one hp, with a reason of 10 letters", "fell down!")):
            was = 60 if not reason else 59
            await st.command("set_value", unit=unit, path="hp", value=was - 1, was=was, reason=reason)
            await player.reached(player.n)
            await asyncio.gather(st.reached(st.n), player.command("say", text="."))
            say(f"DIFF: {what}: to a player, to the ST", f"{player.sizes[-2]}, {st.sizes[-2]} bytes")
        await st.close()
        await player.close()


def cpu_s(pid: int) -> float:
    """User and system time of a process so far, its children's excepted."""
    words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def own_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def decide(data_dir: Path) -> None:
    """What the rules alone take, without any server."""
    rules.measure()


async def failover(data_dir: Path) -> None:
    """Real servers; a primary counts as gone after 0.5 s (Sentinel) and 1 s (cluster)."""
    kinds: dict[str, several.Kind] = {"Sentinel": under_sentinels, "cluster": clustered}
    for what, kind in kinds.items():
        for how in ("kill", "freeze"):
            gaps = [await several.failover_ms(data_dir / f"{what}-{how}-{k}", kind, how) for k in range(ROUNDS)]
            say(f"failover, {what}, {how} of the primary: to the next ack", spread(gaps, "ms"))


async def nodes(data_dir: Path) -> None:
    async with several.two_nodes(data_dir / "nodes") as (evening, proxy):
        repairs = [await several.repair_ms(evening, proxy, f"{k}") for k in range(ROUNDS)]
        say("a wake-up that is lost: until its people see it", spread(repairs, "ms"))
        late = await several.lateness_ms(evening, 100, 150)
        say("deadlines on two nodes: late, p50, p99", f"{quantile(late, 0.5):.1f}, {quantile(late, 0.99):.1f} ms")


async def memory(data_dir: Path) -> None:
    async with unlimited(data_dir / "memory") as server:
        found = await tables(server, data_dir / "memory", memory_use.TABLES + 5, 0)
        before, there, after = await memory_use.connections(server, found[0][0])
        one = (there - before) / memory_use.CONNECTIONS
        say("memory of a server without connections", f"{before / MIB:.0f} MiB")
        say(f"  with {memory_use.CONNECTIONS} idle ones", f"{there / MIB:.0f} MiB: {one / 1024:.1f} KiB each")
        say("  when these have gone", f"{after / MIB:.0f} MiB")
    async with unlimited(data_dir / "memory") as server:
        found = [[link.replace(link.split("/#")[0], server.address) for link in links] for links in found]
        before, there = await memory_use.tables(server, [links[0] for links in found])
        one = (there - before) / memory_use.TABLES
        say(
            f"  with {memory_use.TABLES} tables, one listener each", f"{there / MIB:.0f} MiB: {one / 1024:.1f} KiB each"
        )


async def hostile(data_dir: Path) -> None:
    """A healthy table beside clients that nobody wants, round by round without and with them; the usual limits.

    Where they are at another table, they begin each round at one whose limits are fresh: what they may do at once is done in
    each. Where they are at this one, two of its ten seats are theirs, and a window is open whose deadline comes in it.
    """
    async with serving("--data-dir", str(data_dir / "hostile")) as server:
        (links,) = await tables(server, data_dir / "hostile", 1, 9)
        healthy, theirs = links[:8], links[8:]
        st = await Raw.sit(links[0])
        hitting = await fighting(st, [await seat_of(link) for link in (*theirs, links[1])])
        async with AsyncExitStack() as stack:
            people = await stack.enter_async_context(crowd(healthy))
            for kind in HERE:
                unwanted = await stack.enter_async_context(crowd([theirs] * ROUNDS, "tests.bench.hostile", kind))
                await beside(server, f"{kind} at the table", people, unwanted, partial(st.command, "insert", **hitting))
            await st.close()
            for kind in ELSEWHERE:
                others = await tables(server, data_dir / "hostile", ROUNDS, 9)
                unwanted = await stack.enter_async_context(crowd(others, "tests.bench.hostile", kind))
                await beside(server, f"{kind} elsewhere", people, unwanted)


async def seat_of(link: str) -> str:
    raw = await Raw.sit(link)
    await raw.close()
    return raw.seat


async def fighting(st: Raw, seats: list[str]) -> dict[str, Any]:
    """A ghoul and somebody of each seat stand there; the act that asks them all."""
    units = [
        (await st.command("add_unit", unit={**UNIT, "name": f"unit {k}", "tracks": {"hp": 9_000}}, owner=seat))["made"][
            0
        ]
        for k, seat in enumerate([None, *seats])
    ]
    await st.command("set_house", key="reaction_window_ms", value=HALF_A_ROUND_MS)
    await st.command("start_fight", units=units)
    return {"unit": units[0], "act": {"kind": "melee_attack", "slot": "standard", "targets": units[1:]}}


async def beside(
    server: Server, what: str, people: Crowd, unwanted: Crowd, before: Callable[[], Awaitable[Any]] | None = None
) -> None:
    alone, beside, used, became = [], [], [], Counter[str]()
    for _ in range(ROUNDS):
        if before:
            await before()
        alone.append(await people.run(ROUND_S, PAUSE_S))
        if before:
            await before()
        cpu = cpu_s(server.process.pid)
        attack = asyncio.create_task(unwanted.run(ROUND_S))
        beside.append(await people.run(ROUND_S, PAUSE_S))
        used.append(100 * (cpu_s(server.process.pid) - cpu) / beside[-1]["seconds"])
        became.update(await attack)
    for name in ("p50", "p99"):
        pairs = [(one[f"{name}_ms"], other[f"{name}_ms"]) for one, other in zip(alone, beside, strict=True)]
        say(f"beside {what}: {name} of healthy commands, times", spread([b / a for a, b in pairs], ""))
        say("  in ms, alone and beside", "  ".join(f"{a:.1f} {b:.1f}," for a, b in pairs).rstrip(","))
    say("  of a core: the server", spread(used, "%"))
    say("  what became of them", ", ".join(f"{what} {n}" for what, n in became.most_common(6)))


async def refusals(_: Path) -> None:
    """Whether the time of an answer tells what is hidden from what is not there: in a process of its own, for its time
    stands still."""
    words = [sys.executable, "-m", "tests.bench.refusals"]
    process = await asyncio.create_subprocess_exec(*words)
    if await process.wait():
        raise RuntimeError("the refusals could not be measured")


FIGURES: dict[str, Any] = {
    "rules": decide,
    "start": start,
    "size": size,
    "latency": latency,
    "load": load,
    "busy": busy,
    "commits": commits,
    "failover": failover,
    "nodes": nodes,
    "memory": memory,
    "hostile": hostile,
    "refusals": refusals,
}


async def main(wanted: list[str]) -> int:
    unknown = [name for name in wanted if name not in FIGURES]
    if unknown:
        print(f"there is no figure {', '.join(unknown)}; there are {', '.join(FIGURES)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted or FIGURES:
            await FIGURES[name](Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
