"""The server as a whole: the one place where it is put together, started in order and stopped in the opposite one."""

import asyncio
import contextlib
import logging
import signal

from server import node
from server.config import Settings
from server.gateway import Gateway
from server.rooms import Rooms

log = logging.getLogger("overseer.app")


class App:
    """`async with App(settings) as app`: open inside, stopped in order afterwards, nothing lost.

    Raises StoreProblem or PortProblem when it cannot start. `app.rooms` is the node behind the sockets: tables and seats
    are made through it (server/seating.py). `app.address` is where clients reach it.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._stack = contextlib.AsyncExitStack()
        self._rooms: Rooms | None = None
        self._gateway: Gateway | None = None

    async def __aenter__(self) -> "App":
        async with contextlib.AsyncExitStack() as stack:
            self._rooms = await stack.enter_async_context(node.open_node(self.settings))
            self._gateway = Gateway(self._rooms, self.settings)
            await self._gateway.start()
            stack.push_async_callback(self._gateway.stop)  # sockets go first, then rooms, then the store
            node.keep_address(self.settings, self.address)
            self._stack = stack.pop_all()
        log.info("ready", extra={"address": self.address})
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        log.info("stopped")

    @property
    def rooms(self) -> Rooms:
        assert self._rooms is not None
        return self._rooms

    @property
    def port(self) -> int:
        assert self._gateway is not None
        return self._gateway.port

    @property
    def has_pages(self) -> bool:
        """Whether the web pages are there to be served."""
        assert self._gateway is not None
        return self._gateway.has_pages

    @property
    def address(self) -> str:
        """For invitations, without a slash at its end."""
        return self.settings.reached_at(self.port)


async def until_told_to_stop() -> str:
    """Waits for SIGTERM or Ctrl-C; its name. A second one ends the program the hard way."""
    loop = asyncio.get_running_loop()
    told: asyncio.Future[str] = loop.create_future()

    def stop(name: str) -> None:
        if told.done():
            raise SystemExit(1)
        told.set_result(name)

    for one in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(one, stop, one.name)
    return await told
