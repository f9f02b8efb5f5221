"""Many batches, on all cores, each in a process that lives through many."""

import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from pathlib import Path

from tests.fuzz import spelling, world
from tests.fuzz.outcome import Outcome

SPELT = 4000
"""Frames of a batch at the codec alone."""
STUCK_S = 300.0
"""A batch takes less than a second; one that takes so long hangs."""
WARM = 5
"""Batches after which a worker has grown to what it needs."""

Batch = Callable[[int], Outcome]


def session(seed: int) -> Outcome:
    return _measured(world.batch(seed))


def codec(seed: int) -> Outcome:
    return _measured(spelling.batch(seed, SPELT))


def _measured(outcome: Outcome) -> Outcome:
    outcome.worker, outcome.rss_mb = os.getpid(), rss_mb(os.getpid())
    return outcome


def rss_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def run(batch: Batch, first: int, frames: int, *, bug: str = "", workers: int = 0) -> Iterator[Outcome]:
    """Batches from `first` on until there were so many frames. To stop listening ends the workers."""
    workers = workers or os.cpu_count() or 1
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), begin, (bug,))
    try:
        seed, sent = first, 0
        waiting = [(seed + k, pool.submit(batch, seed + k)) for k in range(2 * workers)]
        seed += len(waiting)
        while waiting:
            number, future = waiting.pop(0)
            try:
                outcome = future.result(STUCK_S)
            except TooLong:
                outcome = Outcome(number, faults=[(f"batch {number} comes to no end", "", "", "")])
            sent += outcome.frames
            yield outcome
            if sent + sum(outcome.frames for _ in waiting) < frames:
                waiting.append((seed, pool.submit(batch, seed)))
                seed += 1
    finally:
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)


def begin(bug: str = "") -> None:
    if bug:
        from tests.fuzz import bugs

        bugs.put_in(bug)
    gc.collect()
    gc.freeze()  # as the server does when it is ready


class Growth:
    """How much the workers have grown since they were warm."""

    def __init__(self) -> None:
        self._first: dict[int, float] = {}
        self._seen: dict[int, int] = {}
        self.grown_mb = 0.0

    def note(self, outcome: Outcome) -> None:
        seen = self._seen[outcome.worker] = self._seen.get(outcome.worker, 0) + 1
        if seen <= WARM:
            self._first[outcome.worker] = outcome.rss_mb
        self.grown_mb = max(self.grown_mb, outcome.rss_mb - self._first[outcome.worker])
