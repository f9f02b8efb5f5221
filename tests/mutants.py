"""`make mutants`: how many small errors in `core` the tests notice. mutmut makes the errors and tries them one by one.

make mutants                            500 of them
make mutants ARGS="--seed 2"            500 others
make mutants ARGS="--number 2000"       more
make mutants ARGS="core.tasks.x_judge"  all those of one function, or of all whose name begins so

A sample takes from every file of `core` its share of all that can be made in it; its seed decides which. An error is
noticed when one of the tests that call its function fails, or runs out of time. Those that no test noticed are shown.
"""

import argparse
import contextlib
import io
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from mutmut.__main__ import create_mutants
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import copy_src_dir, walk_mutatable_files

NOTICED = {"killed", "timeout", "segfault"}
MUTMUT = Path(sys.executable).with_name("mutmut")


def files() -> list[SourceFileMutationData]:
    """What mutmut knows about each file of `core`: its mutants, and how each ended."""
    found = [SourceFileMutationData(path=path) for path in sorted(walk_mutatable_files())]
    for file in found:
        file.load()
    return found


def sample(files: list[list[str]], number: int, seed: int) -> list[str]:
    """Every n-th of all, after those of each file were shuffled: each file gives its share."""
    chance = random.Random(seed)
    every = [name for names in files for name in chance.sample(names, len(names))]
    step = max(1.0, len(every) / number)
    return [every[int(k * step)] for k in range(min(number, len(every)))]


def main() -> None:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--number", type=int, default=500, help="how many are tried (500)")
    parser.add_argument("--seed", type=int, default=1, help="which of them: the same seed, the same mutants (1)")
    parser.add_argument("names", nargs="*", help="try all those whose name begins so, instead of a sample")
    args = parser.parse_args()

    shutil.rmtree("mutants", ignore_errors=True)  # what an earlier run found may not hold any more
    copy_src_dir()
    with contextlib.redirect_stdout(io.StringIO()):
        create_mutants(os.cpu_count() or 1)
    known = [list(file.exit_code_by_key) for file in files()]
    if args.names:  # all of these
        chosen = [name for names in known for name in names if name.startswith(tuple(args.names))]
    else:
        chosen = sample(known, args.number, args.seed)
    if not chosen:
        parser.error(f"no mutant's name begins with {' or '.join(args.names)}")
    by = "as named" if args.names else f"seed {args.seed}"
    print(f"{len(chosen)} of the {sum(map(len, known))} mutants of core, {by}", flush=True)
    failed = subprocess.run([MUTMUT, "run", *chosen]).returncode  # it says itself what is wrong
    if failed:
        sys.exit(failed)

    ended = {name: status_by_exit_code[code] for file in files() for name, code in file.exit_code_by_key.items()}
    path_of = {name: file.path for file in files() for name in file.exit_code_by_key}
    survived = [name for name in chosen if ended[name] not in NOTICED]
    for name in survived:
        print(f"\n{name}: {ended[name]}\n{get_diff_for_mutant(name, path=path_of[name])}")
    killed, slow = len(chosen) - len(survived), sum(ended[name] == "timeout" for name in chosen)
    print(f"\nOf those killed, {slow} by running out of time.")
    print(f"mutants: {len(chosen)} tried, {killed} killed ({killed / len(chosen):.1%}), {len(survived)} survived")


if __name__ == "__main__":
    main()
