"""Real `overseer serve` processes on loopback, for tests that need a whole server to start, freeze or die.

Everything started here is stopped by its process id when the block ends, whatever happened.
"""

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from server.config import Settings, flag_of
from tests.helpers.ports import free_port

OVERSEER = str(Path(sys.executable).parent / "overseer")
READY = re.compile(r"ready at (http://\S+)")
UNLIMITED = [
    word for name in Settings.model_fields if name.startswith(("rate_", "connections")) for word in (flag_of(name), "0")
]
"""For a load that nobody would call people's."""
INVITATION = re.compile(r"^\s*(https?://\S+#\S+)$", re.MULTILINE)


class Server:
    """One server process. `address` is where it listens."""

    def __init__(self, process: asyncio.subprocess.Process, address: str, flags: list[str]) -> None:
        self.process = process
        self.address = address
        self.flags = flags

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])

    def kill(self) -> None:
        """As a power cut would: SIGKILL, no farewell."""
        self.process.send_signal(signal.SIGKILL)

    def freeze(self) -> None:
        """As a machine that hangs: its connections stay, and nothing comes."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    async def ended(self) -> int:
        return await asyncio.wait_for(self.process.wait(), 60)


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("OVERSEER_")}


async def start(*flags: str, redis_url: str | None = None) -> Server:
    """A server that has said it is ready. Its port is a free one, and its store its own, unless they are named."""
    words = [*flags] if "--port" in flags else [*flags, "--port", str(free_port())]
    process = await asyncio.create_subprocess_exec(
        OVERSEER,
        "serve",
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=clean_environment() | ({"OVERSEER_REDIS_URL": redis_url} if redis_url else {}),
    )
    said = b""
    assert process.stdout is not None
    async with asyncio.timeout(90):
        while True:
            line = await process.stdout.readline()
            said += line
            if found := READY.search(line.decode()):
                return Server(process, found[1], words)
            if not line:
                raise AssertionError(f"the server did not start: {said.decode()}")


@contextlib.asynccontextmanager
async def serving(*flags: str, redis_url: str | None = None) -> AsyncIterator[Server]:
    server = await start(*flags, redis_url=redis_url)
    drain = asyncio.create_task(_drain(server.process))
    try:
        yield server
    finally:
        drain.cancel()
        await stop(server)


async def stop(server: Server) -> None:
    if server.process.returncode is None:
        server.process.terminate()
        try:
            await asyncio.wait_for(server.process.wait(), 15)
        except TimeoutError:
            server.process.kill()
            await server.process.wait()


async def _drain(process: asyncio.subprocess.Process) -> None:
    """A server whose output nobody reads would wait for ever to say the next line."""
    assert process.stdout is not None
    while await process.stdout.readline():
        pass


async def overseer(*words: str) -> str:
    """A command of the command line that must succeed; what it printed."""
    code, said = await tried(*words)
    assert code == 0, said
    return said


async def tried(*words: str) -> tuple[int, str]:
    """A command of the command line: its exit code and all that it printed."""
    process = await asyncio.create_subprocess_exec(
        OVERSEER,
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=clean_environment(),
    )
    said, _ = await asyncio.wait_for(process.communicate(), 90)
    return process.returncode or 0, said.decode()


async def new_table(server: Server, data_dir: Path, name: str = "Thursday", *more: str) -> str:
    """The ST's invitation to a new table."""
    said = await overseer("table", "new", name, "--data-dir", str(data_dir), "--port", str(server.port), *more)
    return _invitation(said)


async def new_seat(
    server: Server, data_dir: Path, seat: str, *more: str, table: str = "Thursday", role: str = "player"
) -> str:
    words = ("invite", table, "--seat", seat, "--role", role, "--data-dir", str(data_dir), "--port", str(server.port))
    return _invitation(await overseer(*words, *more))


def _invitation(said: str) -> str:
    found = INVITATION.search(said)
    assert found, said
    return found[1]
