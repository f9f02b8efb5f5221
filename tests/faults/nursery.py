"""Starts servers fast: one process that has everything imported forks itself for each. What runs then is `overseer serve`.

A server may be born with one named fault of tests/faults/bugs.py in it; nothing of that is in server/.
"""

import asyncio
import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tests.helpers.servers import READY, clean_environment

ROOT = Path(__file__).parent.parent.parent


class Child:
    """A server process that is not our own child. `ended` by its pipe: the system closes that with the last of it."""

    def __init__(self, pid: int, out: int) -> None:
        self.pid = pid
        self.said = bytearray()
        self._pidfd = os.pidfd_open(pid)
        self._out = out
        self._ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(out, self._read)

    async def ready(self) -> str:
        """Its address, once it listens."""
        return await asyncio.wait_for(asyncio.shield(self._ready), 90)

    def signal(self, number: int) -> None:
        """To this very process; none that is over is mistaken for another."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, number)

    async def ended(self) -> None:
        await asyncio.wait_for(self._ended.wait(), 60)

    async def kill(self) -> None:
        self.signal(signal.SIGKILL)
        await self.ended()

    async def stop(self) -> None:
        """In good order if it can."""
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._ended.wait(), 8)
        except TimeoutError:
            await self.kill()

    def _read(self) -> None:
        said = os.read(self._out, 65536)
        self.said += said
        del self.said[:-20000]
        if not self._ready.done() and (found := READY.search(self.said.decode(errors="replace"))):
            self._ready.set_result(found[1])
        if not said:
            asyncio.get_running_loop().remove_reader(self._out)
            os.close(self._out)
            os.close(self._pidfd)
            self._pidfd = -1
            self.signal = lambda number: None  # type: ignore[method-assign]
            if not self._ready.done():
                self._ready.set_exception(AssertionError(f"a server did not start: {self.said.decode()}"))
                self._ready.exception()  # seen
            self._ended.set()


class Nursery:
    """`with Nursery() as nursery`: `await nursery.serve(words, redis_url=..., bug=...)`."""

    def __enter__(self) -> "Nursery":
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.nursery", str(theirs.fileno())],
                env=clean_environment(),
                cwd=ROOT,
                pass_fds=[theirs.fileno()],
            )
        return self

    def __exit__(self, *_: object) -> None:
        """It ends, and with it every server that still runs."""
        self._socket.close()
        self._process.wait()

    async def serve(self, words: Sequence[str], *, redis_url: str, bug: str = "") -> Child:
        """A server that listens."""
        out, theirs = os.pipe()
        os.set_blocking(out, False)
        order = {"words": ["serve", *words], "env": {"OVERSEER_REDIS_URL": redis_url}, "bug": bug}
        socket.send_fds(self._socket, [json.dumps(order).encode()], [theirs])
        os.close(theirs)
        pid = self._socket.recv(64)  # waited for: a fork takes milliseconds
        child = Child(int(pid), out)
        await child.ready()
        return child


def main(number: int) -> NoReturn:
    import server.cli
    import server.cli.serve  # noqa: F401
    import tests.faults.bugs  # noqa: F401

    orders = socket.socket(fileno=number)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no zombies
    while True:
        select.select([orders], [], [])
        order, fds, _, _ = socket.recv_fds(orders, 65536, 1)
        if not order:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            _become(json.loads(order), fds[0], orders)
        os.close(fds[0])
        orders.send(str(pid).encode())


def _become(order: dict, out: int, orders: socket.socket) -> NoReturn:
    from server.cli import main as overseer
    from tests.faults import bugs

    code = 1
    try:
        orders.close()
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)  # dies with the nursery
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.close(out)
        os.environ.update(order["env"])
        if order["bug"]:
            bugs.put_in(order["bug"])
        code = overseer(order["words"])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]))
