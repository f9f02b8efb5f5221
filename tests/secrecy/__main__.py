"""`make secrets`: tables in pairs that differ only in what a seat may not know, and every byte that it is sent compared.

make secrets PAIRS=100000                so many pairs, from a random one on
make secrets ARGS="--seed 17"            that one, as it always is: what was done, and where it differed
make secrets ARGS="--bugs"               only: after how many pairs each leak of tests/secrecy/bugs.py is found
"""

import argparse
import os
import sys
import time

from tests.secrecy.bugs import BUGS
from tests.secrecy.kinds import KINDS
from tests.secrecy.run import Found, many, one
from tests.secrecy.script import COMMANDS, STEPS
from tests.secrecy.still import still

PAIRS = 20_000
WITHIN = 600
"""A planted leak that so many pairs do not show is one that they cannot show."""
FEW = 6
"""In one go, while a leak is looked for: it is seldom far."""
SHARE = 0.01
PATIENCE_S = 10.0


def tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


def together(first: int, pairs: int, steps: int, workers: int) -> Found:
    """All that was found, or up to the first leak."""
    total, began = Found(), time.monotonic()
    said = began
    for found in many(first, pairs, steps=steps, workers=workers):
        total.add(found)
        if total.leaks:
            break
        if (now := time.monotonic()) - said > PATIENCE_S:
            said = now
            tell(f"{total.pairs} of {pairs} pairs, {60 * total.pairs / (now - began):.0f} a minute")
    return total


def shares(found: Found) -> list[str]:
    """The table of what was in how many pairs; the names of those that differed, or were carried out, in too few."""
    few = []
    print(f"\n{'kind of secret':48} pairs in which it differed")
    for name in KINDS:
        print(f"  {name:46} {found.secrets[name]:7} {100 * found.secrets[name] / found.pairs:6.1f} %")
        few += [name] if found.secrets[name] < SHARE * found.pairs else []
    print(f"\n{'kind of command':30} {'accepted':>12} {'refused':>12}   (pairs)")
    for name in COMMANDS:
        yes, no = found.commands[name, True], found.commands[name, False]
        print(f"  {name:28} {yes:12} {no:12} {100 * (yes + no) / found.pairs:8.1f} %")
        few += [name] if yes < SHARE * found.pairs else []
    return few


def explained(seed: int, steps: int) -> int:
    with still():
        found, story = one(seed, steps)
    print("\n".join(story))
    for _, text in found.leaks:
        print(text)
    return _last_line(found)


def _last_line(found: Found) -> int:
    print(
        f"secrets: {found.pairs - len(found.leaks)} pairs equal, {found.canaries} canaries, "
        f"{found.bytes} bytes searched, leaks {len(found.leaks)}",
        flush=True,
    )
    return 1 if found.leaks else 0


def bugs(names: list[str], steps: int, workers: int) -> int:
    """How many of the planted leaks are not found."""
    missed = 0
    for name in names:
        pairs, leak = 0, None
        for found in many(1, WITHIN, steps=steps, bug=name, workers=workers, size=FEW):
            pairs += found.pairs
            if found.leaks:
                leak = found.leaks[0]
                break
        missed += leak is None
        seen = f"found within {pairs} pairs, by {leak[0]}" if leak else f"NOT FOUND in {pairs} pairs"
        tell(f"{name}: {seen}: a server that {BUGS[name].words}")
    print(f"secrets: {len(names) - missed} of {len(names)} planted leaks found within {WITHIN} pairs each")
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(prog="make secrets", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pairs", type=int, default=PAIRS, help="how many (make secrets PAIRS=n)")
    parser.add_argument("--first", type=int, default=int(time.time()) % 1_000_000 * 1000, help="the first of them")
    parser.add_argument("--steps", type=int, default=0, help="how long an evening is")
    parser.add_argument("--seed", type=int, help="only this one")
    parser.add_argument("--bugs", nargs="*", metavar="NAME", help="only look for the planted leaks: all, or these")
    parser.add_argument("--pairs-only", action="store_true", help="look for no planted leaks before")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes; else one for each core")
    given = parser.parse_args()
    steps = given.steps or STEPS
    if given.seed is not None:
        return explained(given.seed, steps)
    if given.bugs is not None:
        return 1 if bugs(given.bugs or list(BUGS), steps, given.workers) else 0
    if not given.pairs_only and (missed := bugs(list(BUGS), steps, given.workers)):
        return missed
    found = together(given.first, given.pairs, steps, given.workers)
    few = [] if found.leaks else shares(found)
    for seed, text in found.leaks[:3]:
        print(f"\nseed {seed}: {text}\n  see it again: make secrets ARGS='--seed {seed}'")
    if few:
        print(f"\nin less than {SHARE:.0%} of the pairs, so that they prove nothing: {', '.join(few)}")
    return _last_line(found) or bool(few)


if __name__ == "__main__":
    sys.exit(main())
