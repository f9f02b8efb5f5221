"""What a process gets from its machine by itself, without a socket: the time, and chance. Here both come from the seed."""

import contextlib
import random
import secrets
import time
from collections.abc import Iterator
from unittest.mock import patch

from server import thinking
from tests.simulation.loop import SimulatedLoop
from tests.simulation.store_server import BORN_S

LOOK_S = 0.0001


class Looks:
    """The clock of whatever is thought about for long: later by about a step of that each time it is looked at."""

    def __init__(self) -> None:
        self._now = 0.0

    def perf_counter(self) -> float:
        self._now += LOOK_S
        return self._now

    thread_time = perf_counter


@contextlib.contextmanager
def replaced(loop: SimulatedLoop, seed: int) -> Iterator[None]:
    """For as long as this lasts. Whoever has `from time import monotonic` is not reached; the server has not."""
    private = random.Random(f"secrets {seed}")

    def token_bytes(nbytes: int | None = None) -> bytes:
        return private.randbytes(32 if nbytes is None else nbytes)

    state = random.getstate()
    random.seed(f"random {seed}")
    try:
        with (
            patch.object(time, "monotonic", loop.time),
            patch.object(time, "time", lambda: BORN_S + loop.time()),
            patch.object(secrets, "token_bytes", token_bytes),
            patch.object(thinking, "time", Looks()),
        ):
            yield
    finally:
        random.setstate(state)
