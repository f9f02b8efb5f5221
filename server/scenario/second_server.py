"""A second server process on the store of the first: what it tells a newcomer must be what the clients know already."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from protocol.client import connect
from server.config import PREFIX
from server.scenario.client import PATIENCE_S, Client
from server.scenario.problems import ScenarioProblem, StepWrong

READY = "ready at "
START_S = 20.0
STOP_S = 10.0


@contextlib.asynccontextmanager
async def second_server(redis_url: str, data_dir: Path) -> AsyncIterator[str]:
    """Its address. The store's address holds a password: it goes by the environment, which only this user can read."""
    environment = {name: value for name, value in os.environ.items() if not name.upper().startswith(PREFIX)}
    environment |= {PREFIX + "REDIS_URL": redis_url, PREFIX + "DATA_DIR": str(data_dir), PREFIX + "LOG_LEVEL": "error"}
    program = "from server.cli import main; raise SystemExit(main())"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, "serve", "--host", "127.0.0.1", "--port", "0",
        env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in the terminal is for the program that plays, which then ends this one
    )  # fmt: skip
    try:
        yield await _address(process)
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                async with asyncio.timeout(STOP_S):
                    await process.communicate()
            except TimeoutError:
                process.kill()
                await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    try:
        async with asyncio.timeout(START_S):
            while line := (await process.stdout.readline()).decode():
                if READY in line:
                    return line.partition(READY)[2].strip()
    except TimeoutError:
        raise ScenarioProblem(f"the second server was not ready within {START_S:g} s") from None
    raise ScenarioProblem("the second server ended before it was ready")


async def compare(clients: Iterable[Client], address: str) -> int:
    """How many clients' states, made of one snapshot and diffs, equal a fresh snapshot there. Raises StepWrong."""
    equal = 0
    for client in clients:
        invitation = f"{address}/#{client.invitation.partition('#')[2]}"
        async with connect(invitation, timeout=PATIENCE_S) as fresh:
            wanted, found = dict(fresh.state), client.known
            if different := sorted(
                path for path in wanted.keys() | found.keys() if wanted.get(path, ...) != found.get(path, ...)
            ):
                path = different[0]
                raise StepWrong(
                    "at the end", f"what {client.name} knows at {path}",
                    f"{wanted.get(path, 'nothing')!r}, as the second server says", repr(found.get(path, "nothing")),
                )  # fmt: skip
            if fresh.n != client.table.n:
                raise StepWrong("at the end", f"the changes sent to {client.name}", str(fresh.n), str(client.table.n))
        equal += 1
    return equal
