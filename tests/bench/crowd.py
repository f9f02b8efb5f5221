"""Many clients in a process of their own: python -m tests.bench.crowd, the invitations as JSON on its input.

Says "ready" when all are seated; each line of input, a number of seconds and one of pause, is answered by what came of so
long a run, as JSON: {commands, seconds, p50_ms, p99_ms}. Every client has one command under way all the time, but for such a
pause after each.
"""

import asyncio
import contextlib
import json
import random
import sys
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from server.cli import run_loop
from tests.bench.raw import Raw


class Crowd:
    """The process, seen from the one that measures."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def run(self, seconds: float, pause_s: float = 0.0) -> dict[str, float]:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{seconds} {pause_s}\n".encode())
        found: dict[str, float] = json.loads(await self.process.stdout.readline())
        return found


@contextlib.asynccontextmanager
async def crowd(links: Sequence[Any], *program: str) -> AsyncIterator[Crowd]:
    """`program`: another one than this that speaks in the same way (hostile.py), and its words."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *(program or ["tests.bench.crowd"]),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(json.dumps(links).encode() + b"\n")
        said = await process.stdout.readline()
        assert said == b"ready\n", said
        yield Crowd(process)
    finally:
        process.stdin.close()
        await process.wait()


async def talk(client: Raw, until: float, taken: list[float], pause_s: float = 0.0) -> None:
    while (began := time.perf_counter()) < until:
        answer = await client.command("say", text="On we go.")
        assert answer["t"] == "ack", answer
        taken.append(time.perf_counter() - began)
        if pause_s:
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.5))


def figures(taken: list[float], seconds: float) -> dict[str, Any]:
    taken.sort()
    return {
        "commands": len(taken),
        "seconds": seconds,
        "p50_ms": taken[len(taken) // 2] * 1000,
        "p99_ms": taken[len(taken) * 99 // 100] * 1000,
    }


async def main() -> int:
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    clients = [await Raw.sit(link) for link in json.loads(await reader.readline())]
    print("ready", flush=True)
    while line := await reader.readline():
        taken: list[float] = []
        began = time.perf_counter()
        seconds, pause_s = map(float, line.split())
        await asyncio.gather(*(talk(client, began + seconds, taken, pause_s) for client in clients))
        print(json.dumps(figures(taken, time.perf_counter() - began)), flush=True)
    for client in clients:
        await client.close()
    return 0


if __name__ == "__main__":
    sys.exit(run_loop(main()))
