"""`make faults`: everything that can break is broken, again and again, while people play; then it is checked what they saw.

make faults                              all of it, 25 minutes at most; the last line is the result
make faults ARGS="power node --seed 7"   some faults, as they were when that seed went wrong
make faults ARGS="--bugs"                only whether every seeded bug is found
make faults ARGS="--check FILE"          a history that was kept, checked again
"""

import argparse
import sys
import time
from pathlib import Path

import uvloop

from tests.faults.box import NO_SHIM, shim
from tests.faults.bugs import BUGS
from tests.faults.checker import DISORDER, DOUBLED, LOST, UNSEEN, check
from tests.faults.faults import FAULTS, Control, Fault, Tally, fails, histories_directory, suffer
from tests.faults.history import History
from tests.faults.nursery import Nursery

COMMANDS = 50_000


def tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


async def run(names: list[str], seed: int, commands: int, *, with_bugs: bool) -> int:
    left_out = [name for name in names if FAULTS[name].shim and shim() is None]
    if left_out:
        tell(f"left out: {', '.join(left_out)}: {NO_SHIM}")
    names = [name for name in names if name not in left_out]
    kept = histories_directory()
    total, wrong, controls, failed = Tally(), 0, 0, 0
    with Nursery() as nursery:
        for number, name in enumerate(names):
            fault = FAULTS[name]
            tell(f"{name}: {fault.words}")
            share = max(0, commands - total.commands) // (len(names) - number)
            tally = await suffer(nursery, fault, fault.often[0], seed=seed, commands=share, keep=kept)
            tell(f"{name}: {_told(tally)}")
            total += tally
            if tally.violations:
                wrong += 1
                tell(f"{name}: {len(tally.violations)} violations, the first: {tally.violations[0].words}")
                tell(f"  try again: make faults ARGS='{name} --seed {seed}'")
                tell(f"  look again: make faults ARGS='--check {tally.saved[0]}'")
            if tally.missed:
                wrong += 1
                tell(f"{name}: IT NEVER BIT: nobody met with {' or '.join(tally.missed)}; try again with --seed {seed}")
            for control in fault.controls:
                controls += 1
                failed += await _control(nursery, name, fault, control, seed)
        if with_bugs:
            wrong += await bugs(nursery, seed)
    if not any(kept.iterdir()):
        kept.rmdir()
    print(
        f"faults: {total.power_cuts} power cuts, {total.kills} kills, {total.cuts} cuts; acked {total.acked}, "
        f"lost {total.count(LOST)}, doubled {total.count(DOUBLED)}, seen-then-lost {total.count(UNSEEN)}, "
        f"out of order {total.count(DISORDER)}; controls failed as they must: {failed}/{controls}",
        flush=True,
    )
    return 1 if wrong or failed < controls else 0


async def _control(nursery: Nursery, name: str, fault: Fault, control: Control, seed: int) -> bool:
    found = await fails(nursery, fault, control, seed=seed)
    if found:
        tell(f"{name}: without its protection ({control.words}) it shows: {found[0].words}")
    else:
        tell(f"{name}: WITHOUT ITS PROTECTION ({control.words}) NOTHING SHOWS; try again with --seed {seed}")
    return bool(found)


async def bugs(nursery: Nursery, seed: int) -> int:
    """How many seeded bugs are not found."""
    missed = 0
    for name, bug in BUGS.items():
        if FAULTS[bug.needs or "none"].shim and shim() is None:
            tell(f"left out: a server that {bug.words}: {NO_SHIM}")
            continue
        control = Control(bug.words, name, quiet=False, waits=bug.waits)
        found = await fails(nursery, FAULTS[bug.needs or "none"], control, seed=seed)
        missed += not found
        tell(f"a server that {bug.words}: " + (f"found: {found[0].words}" if found else "NOT FOUND"))
    return missed


def _told(tally: Tally) -> str:
    parts = [
        f"{tally.commands} commands, {tally.acked} acknowledged",
        *(f"{tally.power_cuts} power cuts" for _ in range(bool(tally.power_cuts))),
        *(f"{tally.kills} kills" for _ in range(bool(tally.kills))),
        *(f"{tally.cuts} cuts" for _ in range(bool(tally.cuts))),
        *(f"{tally.others} times" for _ in range(bool(tally.others))),
        *(f"{what} {times}" for what, times in sorted(tally.notes.items()) if times),
    ]
    return "; ".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="FAULT", help=f"some of: {', '.join(FAULTS)}")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000)
    parser.add_argument("--commands", type=int, default=COMMANDS, help="how many are given at least, all in all")
    parser.add_argument("--bugs", action="store_true", help="only the seeded bugs")
    parser.add_argument("--check", type=Path, metavar="FILE", help="check a history that was kept")
    given = parser.parse_args()
    if given.check:
        report = check(History.load(given.check))
        for violation in report.violations:
            print(f"{violation.kind}: {violation.words}")
        print(f"{report.commands} commands, {report.acked} acknowledged, {len(report.violations)} violations")
        return 1 if report.violations else 0
    tell(f"seed {given.seed}")
    if given.bugs:

        async def only_bugs() -> int:
            with Nursery() as nursery:
                return await bugs(nursery, given.seed)

        return 1 if uvloop.run(only_bugs()) else 0
    for name in given.names:
        if name not in FAULTS:
            parser.error(f"there is no fault {name}; there are {', '.join(FAULTS)}")
    some = bool(given.names)
    return uvloop.run(run(given.names or list(FAULTS), given.seed, 0 if some else given.commands, with_bugs=not some))


if __name__ == "__main__":
    sys.exit(main())
