"""One WebSocket connection as the server has it: the library's, with an end to what its other side can make it do unseen.

The library answers a WebSocket's own pings by itself, and takes frames in as long as there is room for their bytes.
"""

import asyncio

from websockets.asyncio import messages
from websockets.asyncio.server import Server, ServerConnection
from websockets.frames import Opcode
from websockets.protocol import Event
from websockets.server import ServerProtocol

from protocol.codes import Close
from server.door import Door, Full, household
from server.limits import Bucket, Rate

AT_ONCE = 8 * 1024
"""Bytes looked at in one go. For the 256 KiB that come at once, in frames of 6 bytes, all would wait for half a second."""
CONTROL = Rate(5, 100)
"""A WebSocket's own pings and pongs; people's programs send none, or one in several seconds."""
PIECES = 64
"""Frames of one message. Browsers cut long ones, in pieces of many KiB; each piece costs as much as a message."""
HELLO_BYTES = 16 * 1024
"""Of what comes before a token was good: three times the longest HELLO. One longer ends the connection (1009)."""
AHEAD = 4
"""Frames taken in before the first of them is answered: more only fill the memory."""

TURNED_AWAY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
"""Said without reading what was asked, which would take ten times as long."""

messages.MAX_FRAGMENTS = PIECES  # the library's own end to it, which can be set in no other way


class Arriving:
    """Connections whose request has not come whole. Of too many the one that takes longest goes: others need an instant."""

    def __init__(self, most: int) -> None:
        """`most`: 0 is no limit."""
        self._most = most
        self._peers: dict[Peer, None] = {}

    def add(self, peer: "Peer") -> None:
        self._peers[peer] = None
        if 0 < self._most < len(self._peers):
            slowest = next(iter(self._peers))
            self.remove(slowest)
            slowest.transport.abort()

    def remove(self, peer: "Peer") -> None:
        self._peers.pop(peer, None)


class Peer(ServerConnection):
    """Once it has come in, `address` is where it comes from, and `counted` for whom it counts at the door."""

    def __init__(
        self, arriving: Arriving, door: Door, protocol: ServerProtocol, server: Server, **options: object
    ) -> None:
        super().__init__(protocol, server, **options)  # type: ignore[arg-type]  # as the library calls it
        self.address = self.counted = ""
        self._arriving = arriving
        self._door = door
        self._turned_away = self._in = self._shown = False
        self._control = Bucket(CONTROL)
        self._rest = bytearray()  # has come and is not looked at yet
        self._ended = False  # nothing comes after the rest
        self._longest = protocol.max_message_size
        protocol.max_message_size = HELLO_BYTES

    def come_in(self, address: str) -> Full | None:
        """None: it is in, until it goes."""
        self._arriving.remove(self)
        self.address, self.counted = address, household(address)
        full = self._door.enter(self.counted, self.loop.time())
        self._in = full is None
        return full

    async def its_turn(self) -> None:
        """Until it is greeted."""
        await asyncio.sleep(self._door.turn_s(self.loop.time()))

    def shown(self) -> None:
        """Its token was good."""
        if self._in and not self._shown:
            self._shown = True
            self.protocol.max_message_size = self._longest
            self._door.shown(self.counted)

    # ------------------------------------------------------------------------------------------- a little at a time
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not self._door.knock(self.loop.time()):
            self._turned_away = True
            assert isinstance(transport, asyncio.Transport)
            transport.write(TURNED_AWAY)
            transport.close()
            return
        super().connection_made(transport)
        self._arriving.add(self)
        self.recv_messages.resume = self._go_on

    def data_received(self, data: bytes) -> None:
        if self._turned_away:
            return
        self._rest += data
        if len(self._rest) == len(data):
            self._take_some()

    def eof_received(self) -> bool:  # type: ignore[override]  # asyncio lets a protocol say so
        """Whether the line stays open, for what is not looked at yet. With TLS it never does."""
        self._ended = True
        if self._turned_away:
            return False
        if self._rest and self.transport.can_write_eof():
            return True
        super().eof_received()
        return False

    def _take_some(self) -> None:
        """The next slice, and the others when everybody else has had a turn and what is read has been answered."""
        some = bytes(self._rest[:AT_ONCE])
        del self._rest[:AT_ONCE]
        if some:
            super().data_received(some)
        if self._rest and not self.recv_messages.paused:
            self.loop.call_soon(self._take_some)
        elif self._ended and not self._rest:
            super().eof_received()
            self.transport.close()

    def _go_on(self) -> None:
        if not self._ended:
            self.transport.resume_reading()
        if self._rest:
            self.loop.call_soon(self._take_some)

    # ------------------------------------------------------------------------------------------------ ends and means
    def process_event(self, event: Event) -> None:
        if getattr(event, "opcode", None) in (Opcode.PING, Opcode.PONG):
            now = self.loop.time()
            if self._control.wait_s(1, now):
                self.protocol.fail(Close.RATE, "too many WebSocket pings")
                self.send_data()
                self.transport.abort()  # whoever does not read would let the answers pile up
                return
            self._control.take(1, now)
        super().process_event(event)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._turned_away:
            return
        self._rest.clear()
        self._arriving.remove(self)
        super().connection_lost(exc)
        # What refers to itself is there until all that there is has been looked through, and everybody waits meanwhile.
        self.recv_messages.resume = self.recv_messages.pause = _nothing
        if self._in:
            self._in = False
            self._door.leave(self.counted, shown=self._shown)


def _nothing() -> None:
    pass
