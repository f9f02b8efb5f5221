"""What a connection and a table cost a server in memory: its resident size, before and after there are many of them."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from tests.bench.raw import Raw
from tests.helpers.servers import Server

CONNECTIONS = 1000
TABLES = 200


def resident(server: Server) -> int:
    """Bytes."""
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return 1024 * int(line.split()[1])
    raise ValueError("no such process")


async def connections(server: Server, link: str) -> tuple[int, int, int]:
    """(bytes before, bytes with so many idle listeners of one table, bytes when they have gone)."""
    async with AsyncExitStack() as stack:
        await _sit(stack, [link] * 20)  # what is only made once
        before = resident(server)
        async with AsyncExitStack() as many:
            await _sit(many, [link] * CONNECTIONS)
            there = resident(server)
        await asyncio.sleep(1)
        return before, there, resident(server)


async def tables(server: Server, links: list[str]) -> tuple[int, int]:
    """(bytes before, bytes with a room awake for each of these links)."""
    async with AsyncExitStack() as stack:
        await _sit(stack, links[:5])
        before = resident(server)
        await _sit(stack, links[5:])
        return before, resident(server)


async def _sit(stack: AsyncExitStack, links: list[str]) -> None:
    for k in range(0, len(links), 50):
        for client in await asyncio.gather(*(Raw.sit(link) for link in links[k : k + 50])):
            stack.push_async_callback(client.close)
