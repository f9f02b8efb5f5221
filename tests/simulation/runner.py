"""Many seeds, in processes of their own: one for each core, and all with the same hash seed, or sets would be in another
order in each and no trace would come again."""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector

from tests.faults.checker import WAITS, Violation
from tests.simulation.world import MISTAKE, Outcome, live

ROOT = Path(__file__).parent.parent.parent


@dataclass
class Result:
    """What a worker tells of a seed. `violations`: (kind, words)."""

    seed: int
    trace: str
    frames: int
    seconds: float
    commands: int
    acked: int
    told: dict[str, int]
    violations: list[Violation]

    @classmethod
    def of(cls, outcome: Outcome) -> "Result":
        return cls(
            outcome.seed,
            f"{outcome.trace:08x}",
            outcome.frames,
            outcome.seconds,
            outcome.commands,
            outcome.acked,
            outcome.told,
            outcome.violations,
        )

    def found(self, *, waits: bool = True) -> list[Violation]:
        """What the checker has found; `waits`: also that somebody waits in vain."""
        return [one for one in self.violations if one.kind != MISTAKE and (waits or one.kind != WAITS)]


def environment() -> dict[str, str]:
    """Of a process in which seeds are lived through."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OVERSEER_")}
    return {**kept, "PYTHONHASHSEED": "0"}


def work(first: int, count: int, step: int, bug: str, weak: bool) -> None:
    """The worker: lives through seeds, a line for each."""
    if bug:
        from tests.faults import bugs

        bugs.put_in(bug)
    gc.collect()
    gc.freeze()  # what is there for good need not be looked through after every seed
    for seed in range(first, first + count, step):
        print(json.dumps(asdict(Result.of(live(seed, weak=weak)))), flush=True)


def run(first: int, count: int, *, bug: str = "", weak: bool = False, workers: int = 0) -> Iterator[Result]:
    """The results as they come. To stop listening ends the workers. RuntimeError if one of them breaks down."""
    workers = min(count, workers or os.cpu_count() or 1)
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.simulation.runner",
                str(first + k),
                str(count - k),
                str(workers),
                bug,
                "weak" if weak else "",
            ],
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.PIPE,
        )
        for k in range(workers)
    ]
    try:
        with DefaultSelector() as selector:
            for process in processes:
                assert process.stdout
                selector.register(process.stdout, EVENT_READ, process)
            while selector.get_map():
                for key, _ in selector.select():
                    if line := key.data.stdout.readline():
                        told = json.loads(line)
                        yield Result(**{**told, "violations": [Violation(**one) for one in told["violations"]]})
                        continue
                    selector.unregister(key.fileobj)
                    if key.data.wait():
                        raise RuntimeError("a simulation broke down; what it said of it stands above")
    finally:
        for process in processes:
            process.kill()
            process.wait()
            assert process.stdout
            process.stdout.close()


if __name__ == "__main__":
    work(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], bool(sys.argv[5]))
