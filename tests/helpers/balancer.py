"""What stands before several servers in many houses: one address; each connection goes to the first server that takes it."""

import asyncio
import contextlib


class Balancer:
    """`async with Balancer(ports) as front`: connect to `front.address`. Knows nothing of what it carries."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Balancer":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            for port in list(self._ports):
                with contextlib.suppress(OSError):
                    there, back = await asyncio.open_connection("127.0.0.1", port)
                    await asyncio.gather(_carry(reader, back), _carry(there, writer))
                    return
        finally:
            self._tasks.discard(task)
            writer.close()


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
