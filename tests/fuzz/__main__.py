"""`make fuzz`: a million frames that nobody should send, to the codec, to sessions in process, and over sockets.

make fuzz FRAMES=100000                      so many; six in ten at the codec alone, three in sessions, one over sockets
make fuzz ARGS="--seed 17"                   one batch of the sessions again, as it always is
make fuzz ARGS="--spelling 17"               one batch of the codec again
make fuzz ARGS="--hex 81a174 --json"         one frame at the codec, as it was printed; --json where it was JSON
make fuzz ARGS="--seed 17 --hex 81a174"      one frame, from the Storyteller, at the table of that batch
make fuzz ARGS=--bugs                        after how many frames each mistake of tests/fuzz/bugs.py is found
"""

import argparse
import asyncio
import os
import sys
import time

from protocol import version
from tests.fuzz import live, many, spelling, world
from tests.fuzz.bugs import BUGS
from tests.fuzz.outcome import Outcome

HELD_MS = 50.0
"""No single frame may keep the server's loop longer."""
GROWN_MB = 60.0
"""How much a worker may grow once it is warm: what Python's allocator holds back, and no more with more frames."""
AGAIN = 3
WITHIN = 20_000
"""Frames within which a seeded mistake has to be found."""
EVERY_S = 15.0


def tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


def batches(name: str, batch: many.Batch, first: int, frames: int, *, bug: str = "", quiet: bool = False) -> Outcome:
    """All of them together; ends at the first that goes wrong."""
    found, growth = Outcome(first), many.Growth()
    began = said = time.monotonic()
    for outcome in many.run(batch, first, frames, bug=bug):
        if outcome.held_ms > HELD_MS:
            longest, outcome.held_ms = outcome.held_ms, held_alone_ms(batch, outcome.seed, bug)
            if not quiet:
                tell(
                    f"{name}: batch {outcome.seed} held the loop for {longest:.0f} ms, alone for {outcome.held_ms:.0f}"
                )
        found.add(outcome)
        growth.note(outcome)
        if found.held_ms > HELD_MS:
            words = f"the loop was held for {found.held_ms:.0f} ms"
            found.faults.append((words, *found.held_by, "cut to 200 bytes"))
        if growth.grown_mb > GROWN_MB:
            found.faults.append((f"a worker has grown by {growth.grown_mb:.0f} MB", "", "", ""))
        if found.faults:
            found.seed = outcome.seed
            break
        if (now := time.monotonic()) - said > EVERY_S and not quiet:
            said = now
            tell(f"{name}: {found.frames} of {frames} frames, {found.frames / (now - began):.0f} a second")
    if not quiet:
        tell(
            f"{name}: {found.frames} frames in {time.monotonic() - began:.0f} s, {found.answered} answered, "
            f"{found.closed} closed; longest hold of the loop {found.held_ms:.1f} ms ({found.held_by[0]}), "
            f"in a thread {found.aside_ms:.1f} ms; grown by {growth.grown_mb:.1f} MB"
        )
    return found


def held_alone_ms(batch: many.Batch, seed: int, bug: str) -> float:
    """By the same batch, in a process of its own, the least of three: a busy machine makes three times as much of it."""
    return min(next(many.run(batch, seed, 1, bug=bug, workers=1)).held_ms for _ in range(AGAIN))


def show(name: str, found: Outcome) -> None:
    again = "--spelling" if name == "codec" else "--seed"
    for what, label, hex, who in found.faults[:5]:
        print(f"{name}: {what}\n  {label}, by {who}: {hex}")
        print(f"  see it again: make fuzz ARGS='{again} {found.seed}'")


def fuzz(frames: int, first: int, sockets: bool) -> int:
    total = Outcome(first)
    for name, batch, share in (("codec", many.codec, 6), ("session", many.session, 3)):
        found = batches(name, batch, first, frames * share // 10)
        total.add(found)
        if found.faults:
            show(name, found)
            return 1
        if name == "session":
            missing = world.EVERYTHING - found.kinds.keys()
            for kind, (sent, done, refused) in sorted(found.kinds.items()):
                print(f"  {kind:20} {sent:7} sent {done:7} done {refused:7} refused")
            if missing:
                print(f"never sent: {', '.join(sorted(missing))}")
                return 1
    ratio = "not measured"
    if sockets:
        seen = asyncio.run(live.run(frames // 10, first, tell))
        total.add(seen.outcome)
        ratio = f"{seen.p99_ratio:.2f}"
        if seen.wrong:
            print("\n".join(seen.wrong))
            return 1
    print(
        f"fuzz: {total.frames} frames, {total.answered} answered, {total.closed} closed as documented, crashes 0, "
        f"p99 ratio {ratio}"
    )
    return 0


def bugs(names: list[str]) -> int:
    """How many of the seeded mistakes are not found."""
    missed = 0
    for name in names:
        count = 0
        for where, batch in (("codec", many.codec), ("session", many.session)):
            found = batches(where, batch, 1, WITHIN if where == "codec" else WITHIN // 2, bug=name, quiet=True)
            count += found.frames
            if found.faults:
                tell(f"{name}: found at the {where} after {count} frames: {found.faults[0][0][:160]}")
                break
        else:
            missed += 1
            tell(f"{name}: NOT FOUND in {count} frames: a server that {BUGS[name][0]}")
    print(f"fuzz: {len(names) - missed} of {len(names)} seeded mistakes found")
    return missed


def again(given: argparse.Namespace) -> int:
    name = version.JSON if given.json else version.MSGPACK
    many.begin()  # as in a worker, or what the collector looks through would be held against the frame
    if given.seed is not None and given.hex:
        outcome = world.play(given.seed, name, 1, bytes.fromhex(given.hex)).outcome
    elif given.seed is not None:
        outcome = world.batch(given.seed)
    elif given.spelling is not None:
        outcome = spelling.batch(given.spelling, many.SPELT)
    else:
        outcome = spelling.one(given.hex, name)
    print(
        f"{outcome.frames} frames, {outcome.answered} answered, longest hold {outcome.held_ms:.1f} ms by {outcome.held_by}"
    )
    for what, label, hex, who in outcome.faults:
        print(f"{what}\n  {label}, by {who}: {hex}")
    return 1 if outcome.faults else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--frames", type=int, default=1_000_000, help="how many (make fuzz FRAMES=n)")
    parser.add_argument("--first", type=int, default=int(time.time()) % 1_000_000, help="the first batch's number")
    parser.add_argument("--seed", type=int, help="one batch of the sessions again")
    parser.add_argument("--spelling", type=int, help="one batch of the codec again")
    parser.add_argument("--hex", default="", help="one frame")
    parser.add_argument("--json", action="store_true", help="it is JSON")
    parser.add_argument("--no-sockets", action="store_true", help="only in process")
    parser.add_argument("--only-sockets", action="store_true", help="only the tenth that goes over sockets")
    parser.add_argument("--bugs", nargs="*", metavar="NAME", help="look for the seeded mistakes: all, or these")
    given = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # or sets would be in another order each time
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OVERSEER_")}
        os.execve(sys.executable, [sys.executable, "-m", "tests.fuzz", *sys.argv[1:]], {**kept, "PYTHONHASHSEED": "0"})
    if given.seed is not None or given.spelling is not None or given.hex:
        return again(given)
    if given.bugs is not None:
        return 1 if bugs(given.bugs or list(BUGS)) else 0
    if given.only_sockets:
        seen = asyncio.run(live.run(given.frames // 10, given.first, tell))
        print("\n".join(seen.wrong) or f"sockets: all well, p99 ratio {seen.p99_ratio:.2f}")
        return 1 if seen.wrong else 0
    return fuzz(given.frames, given.first, not given.no_sockets)


if __name__ == "__main__":
    sys.exit(main())
