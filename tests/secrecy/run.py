"""Many pairs, in processes of their own: what was found, and how often each kind of secret and of command was in it."""

import logging
import os
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context

from tests.secrecy.pair import Leak
from tests.secrecy.script import STEPS, Script
from tests.secrecy.still import still

BATCH = 25
EXPECTED = ("drifted from the table",)
"""What a server may log: somebody claims that his view is another."""


@dataclass
class Found:
    """What came of some pairs. `commands`: (kind, whether it was accepted) to the number of pairs it was in."""

    pairs: int = 0
    bytes: int = 0
    frames: int = 0
    canaries: int = 0
    commands: Counter[tuple[str, bool]] = field(default_factory=Counter)
    secrets: Counter[str] = field(default_factory=Counter)
    leaks: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: "Found") -> None:
        self.pairs += other.pairs
        self.bytes += other.bytes
        self.frames += other.frames
        self.canaries += other.canaries
        self.commands += other.commands
        self.secrets += other.secrets
        self.leaks += other.leaks


class Mistakes(logging.Handler):
    """A server says that something went wrong in it: then the pair proves nothing."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if not any(one in text for one in EXPECTED):
            self.said.append(f"{text}: {record.exc_info[1]!r}" if record.exc_info else text)


def one(seed: int, steps: int = STEPS) -> tuple[Found, list[str]]:
    """A pair, and its story. In `still()`."""
    found = Found(pairs=1)
    log = logging.getLogger("overseer")
    mistakes = Mistakes()
    before = log.level, log.propagate
    log.addHandler(mistakes)
    log.setLevel(logging.ERROR)
    log.propagate = False
    script = Script(seed, steps)
    pair = script.pair
    try:
        script.play()
        if mistakes.said:
            found.leaks.append((seed, f"a server says: {mistakes.said[0]}"))
    except Leak as leak:
        found.leaks.append((seed, str(leak)))
    except Exception:
        found.leaks.append((seed, f"the pair broke down: {traceback.format_exc()}"))
    finally:
        pair.end()
        log.removeHandler(mistakes)
        log.setLevel(before[0])
        log.propagate = before[1]
    found.bytes, found.frames = pair.bytes, pair.frames
    found.canaries = len(pair.words) + len(pair.numbers)
    found.commands = Counter(dict.fromkeys(pair.commands, 1))
    found.secrets = Counter(dict.fromkeys((name for name, n in pair.differed.items() if n), 1))
    return found, pair.story


def batch(first: int, count: int, steps: int) -> Found:
    total = Found()
    with still():
        for seed in range(first, first + count):
            total.add(one(seed, steps)[0])
    return total


def _begin(bug: str) -> None:
    if bug:
        from tests.secrecy.bugs import BUGS

        BUGS[bug].put_in()


def many(
    first: int, pairs: int, *, steps: int = STEPS, bug: str = "", workers: int = 0, size: int = BATCH
) -> Iterator[Found]:
    """Batches as they are done. To stop listening ends the workers, each after its batch."""
    workers = workers or os.cpu_count() or 1
    size = min(size, max(1, pairs // (2 * workers)))
    rest = ((at, min(size, first + pairs - at), steps) for at in range(first, first + pairs, size))
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin, (bug,)) as pool:
        going: set[Future[Found]] = {pool.submit(batch, *one) for one in islice(rest, 2 * workers)}
        try:
            while going:
                done, going = wait(going, return_when=FIRST_COMPLETED)
                for future in done:
                    going |= {pool.submit(batch, *one) for one in islice(rest, 1)}
                    yield future.result()
        finally:
            for future in going:
                future.cancel()


if __name__ == "__main__":
    with still():
        print("\n".join(one(int(sys.argv[1]))[1]))
