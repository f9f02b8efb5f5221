"""Walks, each by hypothesis: it draws a list of numbers, one a step, and makes a failing list as short as it can.

A walk's own number says what table it is on; the list's say, with it and their place in the list, what is done at each step.
0 is a step in which nothing happens: a list is made shorter by zeros in it. `play` with the same numbers is the same walk.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import hypothesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from core.commands import By, Command
from core.ids import ST
from tests.walk import holds
from tests.walk.draws import CANNOT_BE_REFUSED, DRAWN, choose
from tests.walk.tables import PLAYERS
from tests.walk.walk import CLOCK, Step, Walk

STEPS = 125
"""Of one walk."""
NUMBERS = st.binary(min_size=2 * STEPS, max_size=2 * STEPS).map(lambda drawn: memoryview(drawn).cast("H").tolist())
"""Two bytes a step. Of single integers hypothesis would take some from the sources that happen to be loaded: no two runs of
it would be the same."""
TRIES = 3
"""Lists that hypothesis draws for a walk: the first ones are of zeros alone."""
LONGEST = 400
"""Characters of a line that tells of a command."""
PAUSES = (0, 0, 0, 0, 0, 0, 0, 1, 100, 750, 2000, 8000, 11_000)


def step(walk: Walk, number: object) -> list[Step]:
    """Time goes by, somebody may come or go, and something is sent: now and then what was sent before.

    `number`: whatever names this step and no other.
    """
    r = walk.random
    r.seed(f"{walk.number}/{number}")
    walk.passes(r.choice(PAUSES))
    if r.random() < 0.05:
        walk.here ^= {r.choice((ST, *PLAYERS))}
    old = r.choice(walk.sent[-40:])
    command, by = old if r.random() < 0.05 and sits(walk, old[1]) else choose(walk)
    walk.drawn += 1
    return walk.send(command, by, f"{number}/{walk.version}")


def sits(walk: Walk, by: By) -> bool:
    """Whose seat is gone can send nothing any more."""
    seats = walk.table.seats
    if by == CLOCK or (by.st is not None and by.st not in seats):
        return by == CLOCK
    return any(seat.role == "st" for seat in seats.values()) if by.seat == ST else by.seat in seats


def play(table: int, numbers: Sequence[int], told: Callable[[Walk], None] = lambda walk: None) -> Walk:
    """The walk of these numbers. What fails says which numbers they were, and all that was done."""
    walk = Walk(table)
    watch = holds.Watch(walk)
    try:
        for k, number in enumerate(numbers):
            if number:
                watch.look(step(walk, f"{k}/{number}"))
    except Exception as fault:
        last = max((k for k, number in enumerate(numbers) if number), default=-1)
        replay = ",".join(str(number) for number in (table, *numbers[: last + 1]))
        fault.add_note(f"again: .venv/bin/python -m tests.walk --again {replay}\n{story(walk)}")
        raise
    finally:
        told(walk)
    return walk


def story(walk: Walk) -> str:
    """Everything that was accepted, and what was sent last."""
    done = [
        f"{k + 1:4} {s.now - walk.first.created:7} ms {s.by.seat or 'server':6} {s.command}"
        for k, s in enumerate(walk.steps)
    ]
    return "\n".join(line[:LONGEST] for line in [*done, f"last sent: {walk.sent[-1]}"])


def explore(walks: Iterable[int], told: Callable[[Walk], None]) -> None:
    """Each of these walks; `told` is called after each. Hypothesis shrinks the first in which something does not hold."""
    for number in walks:
        one_walk(number, told)


def one_walk(table: int, told: Callable[[Walk], None]) -> None:
    """A run of hypothesis of its own: in one for all it would mostly vary old walks, and remember every one of them."""

    @hypothesis.seed(table)
    @settings(
        max_examples=TRIES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @hypothesis.given(NUMBERS)
    def walks(numbers: list[int]) -> None:
        if any(numbers):
            play(table, numbers, told)

    walks()


class Tally:
    """What many walks have met."""

    def __init__(self) -> None:
        self.steps = 0
        self.counts: Counter[tuple[str, bool]] = Counter()
        self.codes: Counter[str] = Counter()
        self.events: Counter[str] = Counter()

    def __call__(self, walk: Walk) -> None:
        self.steps += walk.drawn
        self.counts += walk.counts
        self.codes += walk.codes
        self.events.update(type(event).__name__ for s in walk.steps for event in s.events)

    def accepted(self, kind: type[Command]) -> int:
        return self.counts[kind.__name__, True]

    def refused(self, kind: type[Command]) -> int:
        return self.counts[kind.__name__, False]

    def table(self) -> list[str]:
        """How often each command was accepted, and refused for another reason than who sent it."""
        lines = [f"{'command':20} {'accepted':>9} {'refused':>9}"]
        for kind in DRAWN:
            refused = "never can be" if kind in CANNOT_BE_REFUSED else f"{self.refused(kind):9}"
            lines.append(f"{kind.__name__:20} {self.accepted(kind):9} {refused}")
        return lines

    def gaps(self) -> list[str]:
        """Commands that were never accepted, or never refused though they could have been."""
        never = [f"never accepted: {kind.__name__}" for kind in DRAWN if not self.accepted(kind)]
        return never + [
            f"never refused: {kind.__name__}"
            for kind in DRAWN
            if kind not in CANNOT_BE_REFUSED and not self.refused(kind)
        ]
