"""Ports for servers that die and come back at the same one.

Below those that a system gives to whoever asks for none, so that nobody else has it meanwhile, and no client that knocks
there is given it for its own end. Each test process has its own.
"""

import contextlib
import itertools
import os
import random
import socket

FIRST, EACH, PROCESSES = 10_000, 1_000, 10
_own = FIRST + EACH * (int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % PROCESSES)
_next = itertools.count(random.randrange(EACH))


def free_port() -> int:
    for _ in range(EACH):
        port = _own + next(_next) % EACH
        with contextlib.suppress(OSError), socket.socket() as tried:
            tried.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
