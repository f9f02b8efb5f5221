"""The socket side: who may open a connection, in which subprotocol, and what the same port says to plain HTTP.

One Session per connection; no permessage-deflate: it costs, and the length of what is hidden would show.
"""

import asyncio
import logging
import os
import ssl
from functools import partial
from http import HTTPStatus
from urllib.parse import urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from protocol import version
from protocol.codec import by_subprotocol
from server import web_page
from server.address_of import address_of
from server.config import Settings
from server.door import Door
from server.entrance import Entrance, Standing
from server.limits import Limits
from server.peer import AHEAD, Peer
from server.rooms import Rooms
from server.session import Session
from server.store.problems import StoreError

log = logging.getLogger("overseer.gateway")

MAX_SIZE = 2 * version.FRAME_BYTES
"""A frame that is a little too long is answered; one longer than this ends the connection (1009)."""
OPEN_S = 5.0
"""How long a request may take to come, and before it TLS. Whoever sends it letter by letter, or nothing, is gone then."""
ONCE = ("Host", "Origin", "Upgrade")
"""Headers that this server reads, and by which it would not know which of two to believe."""
CLOSE_S = 2.0
STOP_S = 5.0


class PortProblem(Exception):
    """The port cannot be opened. The text is one plain sentence and what to do."""


class Gateway:
    """`start` opens the port, `stop` sends everybody away and closes it."""

    def __init__(self, rooms: Rooms, settings: Settings) -> None:
        self._rooms = rooms
        self._settings = settings
        self._pages = web_page.Pages()
        self._below = urlsplit(settings.public_url or "").path  # where a reverse proxy has put this server
        self._limits = Limits(settings)
        self._door = Door(settings)
        self._arriving = Standing(settings.connections_unknown)
        self._server: Server | None = None
        self._sessions: dict[Session, asyncio.Task[None]] = {}
        self._stopping = False

    @property
    def port(self) -> int:
        """The port that was really opened."""
        assert self._server is not None
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def start(self) -> None:
        """Raises PortProblem."""
        host, port = self._settings.host, self._settings.port
        leaving = Standing(self._settings.connections_unknown)
        proxies = self._settings.trusted_proxies
        entrance = Entrance(self._door, self._arriving, leaving, self._tls(), OPEN_S, proxies)
        try:
            self._server = await serve(
                self._converse,
                host,
                port,
                subprotocols=[Subprotocol(name) for name in version.SUBPROTOCOLS],
                compression=None,
                process_request=self._request,
                server_header=None,
                ping_interval=None,  # the protocol has its own PING, which pages can send too
                close_timeout=CLOSE_S,
                max_size=MAX_SIZE,
                max_queue=AHEAD,
                open_timeout=OPEN_S,
                create_connection=partial(Peer, entrance),  # type: ignore[arg-type]  # it is only called
            )
        except OSError as problem:
            raise PortProblem(
                f"cannot listen on {host} port {port} ({os.strerror(problem.errno or 0)}); "
                "stop the program that has it, or give --port another number"
            ) from problem

    def _tls(self) -> ssl.SSLContext | None:
        """What the port speaks TLS with; None: a proxy does, or nobody. Raises PortProblem."""
        if self._settings.tls_cert is None:
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            # A key with a password would be asked for at a terminal that a server need not have.
            context.load_cert_chain(self._settings.tls_cert, self._settings.tls_key, password=lambda: "")
        except (OSError, ValueError) as problem:
            why = getattr(problem, "reason", None) or problem
            raise PortProblem(
                f"the certificate {self._settings.tls_cert} cannot be used with the key {self._settings.tls_key} ({why}); "
                "both are PEM files that belong together, the key without a password"
            ) from problem
        return context

    async def stop(self) -> None:
        """The port closes; GOAWAY to all; what is on its way is finished and answered, then its connection closes."""
        if self._server is None:
            return
        self._stopping = True
        self._server.close(close_connections=False)
        await asyncio.sleep(0)  # closed by now: who is sent away comes back to the next server, not to this one
        for session in self._sessions:
            session.go_away("the server stops", after_ms=0)
        if self._sessions:
            await asyncio.wait(self._sessions.values(), timeout=STOP_S)
        for session in self._sessions:
            session.abort()
        await self._server.wait_closed()

    async def _converse(self, socket: ServerConnection) -> None:
        assert isinstance(socket, Peer)
        codec = by_subprotocol(socket.subprotocol)
        session = Session(self._rooms, socket, codec, self._settings.heartbeat_s, self._limits)
        task = asyncio.current_task()
        assert task is not None
        self._sessions[session] = task
        try:
            if self._stopping:
                session.go_away("the server stops", after_ms=0)
            await session.run()
        finally:
            del self._sessions[session]

    def _address(self, socket: ServerConnection) -> str:
        """Where this connection comes from, for counting and for the logs."""
        peer = socket.remote_address
        headers = socket.request.headers if socket.request else Headers()
        said = {name: headers.get_all(name) for name in ("x-forwarded-for", "forwarded")}
        return address_of(str(peer[0]) if peer else "", said, self._settings.trusted_proxies)

    # ---------------------------------------------------------------------------------------------------- plain HTTP
    async def _request(self, socket: ServerConnection, request: Request) -> Response | None:
        """None: go on with the WebSocket's handshake."""
        path = request.path.partition("?")[0]
        if any(len(request.headers.get_all(name)) > 1 for name in ONCE):
            return web_page.answer(HTTPStatus.BAD_REQUEST, "a header is there twice\n")
        if "websocket" in request.headers.get("Upgrade", "").lower():
            if not self._may_connect(request):
                return web_page.answer(HTTPStatus.FORBIDDEN, "pages of this origin may not connect to this server\n")
            return await self._let_in(socket)
        if path.endswith(version.PATH):
            return web_page.answer(HTTPStatus.UPGRADE_REQUIRED, "this address speaks WebSocket only\n")
        if request.method not in ("GET", "HEAD"):
            return web_page.answer(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD are answered here\n")
        if path == "/healthz":
            return web_page.answer(HTTPStatus.OK, "ok\n", method=request.method)
        if path == "/readyz":
            return web_page.answer(*await self._readiness(), method=request.method)
        if path and path == self._below:
            return web_page.moved(f"{path}/")
        page = self._pages.answer(path.removeprefix(self._below), request)
        return page or web_page.answer(HTTPStatus.NOT_FOUND, "there is nothing here; try /\n", method=request.method)

    async def _let_in(self, socket: ServerConnection) -> Response | None:
        assert isinstance(socket, Peer)
        if full := socket.come_in(self._address(socket)):
            refusal = web_page.answer(full.status, f"{full.text}; try again later\n")
            refusal.headers["Retry-After"] = str(full.after_s)
            return refusal
        await socket.its_turn()
        return None

    def _may_connect(self, request: Request) -> bool:
        """A page from elsewhere must not use its visitor's network; programs that are no pages send no Origin."""
        origin = request.headers.get("Origin")
        if origin is None or "*" in self._settings.allowed_origins:
            return True
        own = {request.headers.get("Host", "")}
        if self._settings.public_url:
            own.add(urlsplit(self._settings.public_url).netloc)
        # "null" is what pages say that have no origin of their own: a file, a frame in a cage.
        return origin.lower() in self._settings.allowed_origins or _place(origin) in own

    @property
    def has_pages(self) -> bool:
        """Whether there is something for a browser."""
        return self._pages.built

    async def _readiness(self) -> tuple[HTTPStatus, str]:
        """Ready: the store answers, and no stop is under way."""
        try:
            if not self._stopping:
                await self._rooms.store.now()
                return HTTPStatus.OK, "ready\n"
        except StoreError:
            return HTTPStatus.SERVICE_UNAVAILABLE, "the store cannot be reached\n"
        return HTTPStatus.SERVICE_UNAVAILABLE, "stopping\n"


def _place(origin: str) -> str:
    """host[:port] of an Origin; what is none is nobody's."""
    try:
        return urlsplit(origin).netloc or "null"
    except ValueError:
        return ""
