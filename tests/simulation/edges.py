"""What a process gets from its machine by itself, without a socket: the time, and chance. Here both come from the seed."""

import contextlib
import random
import secrets
import time
from collections.abc import Iterator
from unittest.mock import patch

from tests.simulation.loop import SimulatedLoop
from tests.simulation.store_server import BORN_S


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
        ):
            yield
    finally:
        random.setstate(state)
