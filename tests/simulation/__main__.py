"""`make simulate`: whole clusters and their clients in one process, on a time of their own, seed after seed.

make simulate SEEDS=5000                 so many seeds, from a random one on; ends at the first that goes wrong
make simulate ARGS="--seed 17"           that one seed, as it always is: what befell, what was found, its trace
make simulate ARGS="--seed 17 --story"   and what every client sent and got, in the order of time
make simulate ARGS="--weak"              with a store that forgets, as a late replica does; that has to be said
make simulate ARGS="--bugs"              after how many seeds each mistake of tests/faults/bugs.py is found
"""

import argparse
import os
import sys
import time

import msgpack

from tests.faults.bugs import BUGS
from tests.simulation.runner import Result, environment, run
from tests.simulation.world import live

LONG = 240
PATIENCE_S = 10.0
WITHIN = 500
"""A seeded mistake that so many seeds do not show is one that the simulation cannot reach."""


def tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


def many(first: int, count: int, weak: bool, workers: int) -> int:
    """0 if all is well. The first seed that is not is told with the command that shows it again."""
    began = said = time.monotonic()
    done = commands = acked = 0
    virtual = 0.0
    for result in run(first, count, weak=weak, workers=workers):
        done += 1
        commands += result.commands
        acked += result.acked
        virtual += result.seconds
        if result.violations:
            tell(f"seed {result.seed}: {len(result.violations)} violations, the first: {result.violations[0].words}")
            again = f"--seed {result.seed}" + " --weak" * weak
            print(f"simulate: seed {result.seed} went wrong; see it again: make simulate ARGS='{again}'")
            return 1
        if (now := time.monotonic()) - said > PATIENCE_S:
            said = now
            tell(f"{done} of {count} seeds, {_rate(done, now - began)}")
    took = time.monotonic() - began
    print(
        f"simulate: {done} seeds in {took:.0f} s ({_rate(done, took)}), {virtual / 3600:.1f} h of their own time; "
        f"{commands} commands, {acked} acknowledged; no violations",
        flush=True,
    )
    return 0


def _rate(done: int, seconds: float) -> str:
    return f"{60 * done / seconds:.0f} a minute"


def one(seed: int, bug: str, weak: bool) -> int:
    (result,) = run(seed, 1, bug=bug, weak=weak)
    _show(result)
    return 1 if result.violations else 0


def _show(result: Result) -> None:
    told = ", ".join(f"{name} {times}" for name, times in sorted(result.told.items())) or "no trouble at all"
    print(f"seed {result.seed}: {result.commands} commands, {result.acked} acknowledged; {told}")
    for violation in result.violations:
        print(f"  {violation.kind}: {violation.words}")
    print(
        f"  {len(result.violations)} violations; trace {result.trace}, {result.seconds:.3f} s, {result.frames} messages"
    )


def story(seed: int, weak: bool) -> int:
    """What the clients wrote down."""
    outcome = live(seed, weak=weak)
    for kind, line, value in outcome.history:
        what = msgpack.unpackb(value) if kind in ("sent", "got") else value
        print(f"{line:4} {kind:5} {what}"[:LONG])
    _show(Result.of(outcome))
    return 0


def bugs(first: int, names: list[str], workers: int) -> int:
    """How many of the seeded mistakes are not found."""
    missed = []
    for name in names:
        seeds = 0
        found = None
        bug = f"cancelled_tasks+{name}" if BUGS[name].needs == "cancel" else name
        for result in run(first, WITHIN, bug=bug, workers=workers):
            seeds += 1
            if found := result.found(waits=BUGS[name].waits):
                tell(f"{name}: found after {seeds} seeds, by seed {result.seed}: {found[0].words}")
                break
        if not found:
            missed.append(name)
            tell(f"{name}: NOT FOUND in {seeds} seeds: a server that {BUGS[name].words}")
    print(f"simulate: {len(names) - len(missed)} of {len(names)} seeded mistakes found within {WITHIN} seeds each")
    return len(missed)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make simulate", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=500, help="how many (make simulate SEEDS=n)")
    parser.add_argument("--first", type=int, default=int(time.time()) % 1_000_000, help="the first of them")
    parser.add_argument("--seed", type=int, help="only this one")
    parser.add_argument("--story", action="store_true", help="with --seed: also what the clients sent and got")
    parser.add_argument("--bug", default="", help="with --seed: with this mistake of tests/faults/bugs.py in it")
    parser.add_argument("--bugs", nargs="*", metavar="NAME", help="look for the seeded mistakes: all, or these")
    parser.add_argument(
        "--weak", action="store_true", help="with a store that forgets what it has confirmed, now and then"
    )
    parser.add_argument("--workers", type=int, default=0, help="processes; else one for each core")
    given = parser.parse_args()
    if given.story and os.environ.get("PYTHONHASHSEED") != "0":  # it is told in this process
        os.execve(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]], environment())
    if given.seed is not None:
        return story(given.seed, given.weak) if given.story else one(given.seed, given.bug, given.weak)
    if given.bugs is not None:
        return 1 if bugs(1, given.bugs or list(BUGS), given.workers) else 0
    return many(given.first, given.seeds, given.weak, given.workers)


if __name__ == "__main__":
    sys.exit(main())
