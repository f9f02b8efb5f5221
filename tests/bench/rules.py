"""How long the rules take: decide and evolve, each command by an accepted example, on a small table and on a large one."""

import gc
import statistics
import time

from core.commands import Command
from core.decide import Decided, decide, kind_of
from core.evolve import fold
from core.ids import Ids
from core.refusals import Refused
from core.world import World
from tests.helpers.examples import EXAMPLES
from tests.helpers.play import Game

SIZES = (12, 200)
"""Units."""
TIMES = 31


def decided(game: Game, command: Command, by: str) -> Decided | Refused:
    world = World(game.now, game.dice, Ids(b"bench", str(game.version)), game.here, game.version + 1)
    return decide(game.table, command, game.by(by), world)


def median_us(game: Game, command: Command, by: str) -> float:
    """Of deciding it and folding what happened, as another room does that reads of it. CPU time: other programs do not
    count."""
    taken = []
    for _ in range(TIMES):
        began = time.process_time()
        outcome = decided(game, command, by)
        assert isinstance(outcome, Decided), f"{command}: {outcome}"
        fold(game.table, outcome.events, game.now)
        taken.append((time.process_time() - began) * 1e6)
    return statistics.median(taken)


def measure() -> None:
    """One line a command, in the order of the index of rules; then the slowest."""
    print(f"{'decide + evolve, median us on a table of':<44}" + "".join(f"{n:>6} units" for n in SIZES), flush=True)
    most: dict[str, float] = {}
    gc.disable()
    try:
        for kind, make in EXAMPLES.items():
            taken = []
            for n in SIZES:
                game, command, by = make(n)
                taken.append(median_us(game, command, by))
            name = kind_of(kind.__new__(kind))
            most[name] = taken[-1]
            print(f"  {name:<42}" + "".join(f"{one:>12.0f}" for one in taken), flush=True)
            gc.collect()
    finally:
        gc.enable()
    worst = sorted(most, key=lambda name: -most[name])[:5]
    print(f"  median of all {statistics.median(most.values()):.0f} us; the slowest: {', '.join(worst)}", flush=True)
