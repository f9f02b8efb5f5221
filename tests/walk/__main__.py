"""`make soak`: walk after walk, and how often each command was accepted and refused.

    python -m tests.walk [--steps N] [--first N]    N steps (default 1000000), from walk number N on; the same each time
    python -m tests.walk --again NUMBERS            the one walk of these numbers, as a failing run prints them

Exits with 1 where something does not hold, with the walk that shows it, made as short as it can be; or where a command was
never accepted, or never refused though it could have been.
"""

import argparse
import sys
import time
from itertools import count, takewhile

from tests.walk.machine import Tally, explore, play
from tests.walk.walk import Walk

EVERY_S = 10


class Progress(Tally):
    """Tells every few seconds how far it is."""

    def __init__(self, wanted: int) -> None:
        super().__init__()
        self.wanted = wanted
        self.began = self.last = time.monotonic()

    def __call__(self, walk: Walk) -> None:
        super().__call__(walk)
        now = time.monotonic()
        if now - self.last >= EVERY_S:
            self.last = now
            print(f"{self.steps:>9} of {self.wanted} steps, {self.speed():.0f} steps/s", flush=True)

    def speed(self) -> float:
        return self.steps / max(0.001, time.monotonic() - self.began)


def soak(steps: int, first: int) -> int:
    tally = Progress(steps)
    explore(takewhile(lambda _: tally.steps < steps, count(first)), tally)
    for line in tally.table():
        print(line)
    print(f"{tally.steps} steps, {tally.speed():.0f} steps/s, from walk {first} on: all holds")
    for line in tally.gaps():
        print(line, file=sys.stderr)
    return 1 if tally.gaps() else 0


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.walk", description="Random walks over the rules.")
    options.add_argument("--steps", type=int, default=1_000_000, help="so many steps (default: %(default)s)")
    options.add_argument("--first", type=int, default=1_000_000, help="the first walk's number (default: %(default)s)")
    options.add_argument("--again", metavar="NUMBERS", help="one walk, from its numbers with commas between them")
    given = options.parse_args()
    if given.again is None:
        return soak(given.steps, given.first)
    table, *numbers = (int(number) for number in given.again.split(","))
    walk = play(table, numbers)
    print(f"{walk.drawn} steps, {walk.version} changes: all holds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
