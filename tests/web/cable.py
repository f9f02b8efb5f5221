"""The cable between one page and its server: it can be pulled out, and put in again."""

import asyncio
import contextlib
from urllib.parse import urlsplit


class Cable:
    """`async with Cable(server address) as cable`: pages go to `cable.link(invitation)`."""

    def __init__(self, address: str) -> None:
        self._port = urlsplit(address).port
        self._ends: set[asyncio.StreamWriter] = set()
        self._carrying: set[asyncio.Task[None]] = set()
        self.out = False
        self.pulled = asyncio.Event()
        """Somebody tries to come through while it is out."""

    async def __aenter__(self) -> "Cable":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.pull()
        await asyncio.gather(*self._carrying, return_exceptions=True)

    def link(self, invitation: str) -> str:
        return f"http://{self._address}/#{invitation.split('#', 1)[1]}"

    def pull(self) -> None:
        """Every connection through it is dead at once."""
        self.out = True
        for end in self._ends:
            end.transport.abort()

    def put_in(self) -> None:
        self.out = False
        self.pulled.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.out:
            self.pulled.set()
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task
        self._carrying.add(task)
        there, back = await asyncio.open_connection("127.0.0.1", self._port)
        self._ends |= {writer, back}
        try:
            await asyncio.gather(_carry(reader, back), _carry(there, writer))
        finally:
            self._ends -= {writer, back}
            self._carrying.discard(task)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()
