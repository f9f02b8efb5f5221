"""One seed: a cluster and its clients live through an evening in which everything breaks that can; then it is checked."""

import asyncio
import gc
import logging
import random
import traceback
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from server import connection
from tests.faults.checker import Violation
from tests.faults.evening import Evening, Unplayable, tables
from tests.faults.history import History
from tests.faults.player import Player
from tests.simulation.cluster import STORE_URL, Cluster
from tests.simulation.edges import replaced
from tests.simulation.loop import Host, SimulatedLoop, Standstill
from tests.simulation.troubles import Troubles
from tests.simulation.weak import ALARM, silent

MISTAKE = "mistake"
"""A violation of its own kind: the server itself says that something went wrong in it."""


@dataclass
class Outcome:
    """What came of a seed. `trace` is the same whenever it is lived through again."""

    seed: int
    trace: int = 0
    frames: int = 0
    seconds: float = 0.0
    commands: int = 0
    acked: int = 0
    told: dict[str, int] = field(default_factory=dict)
    violations: list[Violation] = field(default_factory=list)
    history: History = field(default_factory=History)


class SimulatedEvening(Evening):
    """Every client is a process of its own."""

    def __init__(self, loop: SimulatedLoop, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._loop = loop
        self.hosts: list[Host] = []

    def _sit(self, name: str, token: str, **options: Any) -> Player:
        host = Host(name)
        self.hosts.append(host)
        return host.context.run(super()._sit, name, token, **options)


class Mistakes(logging.Handler):
    """What servers log as errors: none of it may happen, whatever the network and the store do."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []
        self.over = False

    def emit(self, record: logging.LogRecord) -> None:
        why = f": {record.exc_info[1]!r}" if record.exc_info else ""
        if not self.over:
            self.said.append(record.getMessage() + why)


def live(seed: int, *, weak: bool = False) -> Outcome:
    """Lives through a seed, once, in this process. `weak`: the store may forget what it has confirmed."""
    outcome = Outcome(seed)
    chance = random.Random(seed)
    loop = SimulatedLoop(random.Random(chance.random()))
    mistakes = Mistakes()
    log = logging.getLogger("overseer")
    before = log.level, log.propagate
    log.setLevel(logging.ERROR)
    log.propagate = False
    log.addHandler(mistakes)

    def unhandled(_: Any, context: dict[str, Any]) -> None:
        if not mistakes.over:
            mistakes.said.append(f"{context['message']}: {context.get('exception')!r}")

    loop.set_exception_handler(unhandled)
    gc.disable()  # when rubbish is collected is no matter of the seed
    try:
        with replaced(loop, seed):
            asyncio.set_event_loop(loop)
            loop.run_until_complete(_evening(loop, chance, outcome, mistakes, weak))
    except Standstill:
        outcome.violations.append(Violation(MISTAKE, "everything stands still"))
    except Exception as broken:
        traceback.print_exception(broken)
        outcome.violations.append(Violation(MISTAKE, f"the simulation itself broke down: {broken!r}"))
    finally:
        gc.enable()
        asyncio.set_event_loop(None)
        loop.close()
        log.removeHandler(mistakes)
        log.setLevel(before[0])
        log.propagate = before[1]
    if weak:
        outcome.violations = silent(outcome.violations, mistakes.said, outcome.history)
        mistakes.said = [said for said in mistakes.said if not ALARM.search(said)]
    outcome.violations += [Violation(MISTAKE, f"a server says: {said}") for said in mistakes.said]
    return outcome


async def _evening(
    loop: SimulatedLoop, chance: random.Random, outcome: Outcome, mistakes: Mistakes, weak: bool
) -> None:
    troubles = Troubles.weak(chance) if weak else Troubles.of(chance)
    cluster = Cluster(loop, random.Random(chance.random()), troubles.nodes, heartbeat_s=troubles.heartbeat_s)
    troubles.begin(cluster)
    with patch.object(connection, "MOST_FRAMES", troubles.most_frames):
        await _play(loop, chance, outcome, mistakes, troubles, cluster)


async def _play(
    loop: SimulatedLoop,
    chance: random.Random,
    outcome: Outcome,
    mistakes: Mistakes,
    troubles: Troubles,
    cluster: Cluster,
) -> None:
    for number in range(troubles.nodes):
        cluster.start(number)
    (tokens,) = await loop.create_task(tables(STORE_URL, 1), context=Host("cli").context)
    ports = cluster.ports
    evening = SimulatedEvening(
        loop, tokens, lambda: chance.choice(ports), chance.randrange(1 << 30), **troubles.evening
    )
    disturbing: asyncio.Task[None] | None = None
    try:
        try:
            async with asyncio.timeout(60):
                await evening.begin()
                disturbing = loop.create_task(troubles.go_on(cluster, evening.hosts), name="troubles")
                for commands in troubles.commands:  # with a rewind after each
                    await evening.play(commands)
        except (TimeoutError, ConnectionAbortedError, Unplayable):
            pass  # the checker says what is missing
        if disturbing:
            disturbing.cancel()
            await asyncio.gather(disturbing, return_exceptions=True)
        await troubles.calm_down(cluster)
        report = await evening.finish()
        outcome.trace, outcome.frames = cluster.network.trace, cluster.network.frames
        outcome.seconds = loop.time() - 1000
        outcome.commands, outcome.acked = report.commands, report.acked
        outcome.violations += report.violations
        outcome.told = dict(troubles.told)
        outcome.history = evening.history
    finally:
        mistakes.over = True
        await cluster.end()
