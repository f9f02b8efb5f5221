"""A wire between somebody and a server that is cut at random bytes, in either direction, or stops carrying for a while."""

import asyncio
import contextlib
import random
from pathlib import Path
from urllib.parse import urlsplit


class Cutter:
    """`async with Cutter(target, directory) as wire`: connect to `wire.url` (a database's) or `wire.port`.

    `every`: a connection is cut after about so many bytes of either direction, at no boundary of anything; 0: never.
    `lose_answers`: that share of what comes back is thrown away and the connection ended, so what was asked is done.
    """

    def __init__(self, target: str | int, directory: Path | None = None, *, every: int = 0, seed: int = 0) -> None:
        self._target = target
        self.every = every
        self.lose_answers = 0.0
        self.cuts = 0
        self.lost = 0
        self._chance = random.Random(seed)
        self._free = asyncio.Event()
        self._free.set()
        self._ends: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._directory = directory
        self.port = 0
        if isinstance(target, str):
            assert directory
            parts = urlsplit(target)
            self._behind = parts.path
            self.url = f"unix://:{parts.password}@{directory / 'w'}"

    async def __aenter__(self) -> "Cutter":
        if isinstance(self._target, str):
            assert self._directory
            self._server = await asyncio.start_unix_server(self._serve, self._directory / "w")
        else:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self._free.set()
        self.cut_all()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut_all(self) -> None:
        """Every connection, now."""
        for end in list(self._ends):
            if not end.transport.is_closing():
                end.transport.abort()

    def stall(self) -> None:
        """Nothing is carried, in either direction, until `go_on`."""
        self._free.clear()

    def go_on(self) -> None:
        self._free.set()

    def _budget(self) -> int:
        return self._chance.randint(1, 2 * self.every) if self.every else 1 << 62

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            if isinstance(self._target, str):
                back_reader, back_writer = await asyncio.open_unix_connection(self._behind)
            else:
                back_reader, back_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            self._tasks.discard(task)
            return
        ends = {writer, back_writer}
        self._ends |= ends

        async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, answers: bool) -> None:
            left = self._budget()
            with contextlib.suppress(OSError):
                while some := await source.read(1 << 16):
                    await self._free.wait()
                    if answers and self.lose_answers and self._chance.random() < self.lose_answers:
                        self.lost += 1
                        return
                    if len(some) >= left:
                        sink.write(some[:left])
                        with contextlib.suppress(OSError):
                            await sink.drain()
                        self.cuts += 1
                        return
                    left -= len(some)
                    sink.write(some)
                    await sink.drain()

        both = [
            asyncio.create_task(carry(reader, back_writer, answers=False)),
            asyncio.create_task(carry(back_reader, writer, answers=True)),
        ]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in ends:  # what was written up to the cut still goes out
                one.close()
            for direction in both:
                direction.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            self._ends -= ends
            self._tasks.discard(task)
