"""Stands between a store and its server on a unix socket, and loses answers when told to."""

import asyncio
import contextlib
from pathlib import Path
from urllib.parse import urlsplit


class LossyProxy:
    """`async with LossyProxy(url, directory) as proxy`: connect to proxy.url; `lose_answers_to(b"EVALSHA", 1)`."""

    def __init__(self, url: str, directory: Path) -> None:
        parts = urlsplit(url)
        self._behind = parts.path
        self._path = directory / "proxy.sock"
        self.url = f"unix://:{parts.password}@{self._path}"
        self.lost = 0
        self._to_lose = 0
        self._word = b""
        self._deaf = self._cut = False
        self.subscribed = asyncio.Event()  # set by each new connection that subscribes
        self._held: asyncio.Event | None = None
        self.waiting = asyncio.Event()
        self._serving: set[asyncio.Task[None]] = set()
        self._ends: set[asyncio.StreamWriter] = set()

    def lose_answers_to(self, word: bytes, times: int) -> None:
        """The next requests that contain the word run, but their answers never arrive: the connection ends instead."""
        self._word, self._to_lose = word, times

    def be_deaf(self, deaf: bool = True) -> None:
        """Connections that subscribed stay up, but nothing comes back on them while this lasts."""
        self._deaf = deaf

    def cut_off(self) -> None:
        """From now on nothing comes back on any connection, though all stay up: the store is out of reach."""
        self._cut = True

    def hold_and_lose_request(self, word: bytes) -> asyncio.Event:
        """The next request with the word waits for the event, then never arrives; `waiting` says that it waits."""
        self._word, self._held = word, asyncio.Event()
        return self._held

    async def __aenter__(self) -> "LossyProxy":
        self._server = await asyncio.start_unix_server(self._serve, self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        if self._held:
            self._held.set()
        for end in self._ends:
            end.transport.abort()
        await asyncio.gather(*self._serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._serving.add(task)
        back_reader, back_writer = await asyncio.open_unix_connection(self._behind)
        self._ends |= {writer, back_writer}
        losing = listens = False

        async def requests() -> None:
            nonlocal losing, listens
            while request := await reader.read(1 << 20):
                if not listens and b"SUBSCRIBE" in request:
                    listens = True
                    self.subscribed.set()
                if self._word and self._word in request:
                    if self._held and not self.waiting.is_set():
                        self.waiting.set()
                        await self._held.wait()
                        writer.close()
                        break
                    if self._to_lose:
                        self._to_lose -= 1
                        losing = True
                back_writer.write(request)
            back_writer.close()

        async def answers() -> None:
            while answer := await back_reader.read(1 << 20):
                if losing:
                    self.lost += 1
                    break
                if not (self._cut or (self._deaf and listens)):
                    writer.write(answer)
            writer.close()
            back_writer.close()

        await asyncio.gather(requests(), answers(), return_exceptions=True)
        for end in (writer, back_writer):
            with contextlib.suppress(OSError):
                await end.wait_closed()
