"""One WebSocket connection as the server has it: the library's, with an end to what its other side can make it do unseen.

The library answers a WebSocket's own pings by itself, and takes frames in as long as there is room for their bytes.
"""

import asyncio
import contextlib
import ssl
from functools import partial
from typing import cast

from websockets.asyncio import messages
from websockets.asyncio.server import Server, ServerConnection
from websockets.frames import Opcode
from websockets.protocol import Event, State
from websockets.server import ServerProtocol

from protocol.codes import Close
from server.door import Full, household
from server.entrance import Entrance
from server.limits import Bucket, Rate
from server.turned_away import TurnedAway

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

messages.MAX_FRAGMENTS = PIECES  # the library's own end to it, which can be set in no other way


class Peer(ServerConnection):
    """Once it has come in, `address` is where it comes from, and `counted` for whom it counts at the door."""

    def __init__(self, entrance: Entrance, protocol: ServerProtocol, server: Server, **options: object) -> None:
        super().__init__(protocol, server, **options)  # type: ignore[arg-type]  # as the library calls it
        self.address = self.counted = ""
        self._entrance = entrance
        self._door = entrance.door
        self._begun = self._in = self._shown = False
        self._control = Bucket(CONTROL)
        self._rest = bytearray()  # has come and is not looked at yet
        self._ended = False  # nothing comes after the rest
        self._lost = False
        self._longest = protocol.max_message_size
        protocol.max_message_size = HELLO_BYTES

    def come_in(self, address: str) -> Full | None:
        """None: it is in, until it goes."""
        self._entrance.arriving.remove(self._line)
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

    # ------------------------------------------------------------------------------------------------ how it begins
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody knocks: counted before anything is read, before TLS too."""
        self._line = transport = cast(asyncio.Transport, transport)  # uvloop's are none by name
        peer = transport.get_extra_info("peername")
        self.counted = self._entrance.whose(str(peer[0]) if peer else "")
        if full := self._door.knock(self.counted, self.loop.time()):
            self._turn_away(full)
            return
        self._entrance.arriving.add(transport, self.counted)
        if self._entrance.tls is None:
            self._entrance.in_turn(partial(self._begin, transport))
        else:
            transport.pause_reading()
            self._securing = self.loop.create_task(self._secure(self._entrance.tls))
            self.loop.call_soon(self._hand_over)

    def _turn_away(self, full: Full) -> None:
        if self._entrance.tls is None:
            self._line.set_protocol(TurnedAway(self._line, self.counted, full, self._entrance.leaving))
        else:
            self._line.abort()  # what it could read would take TLS

    async def _secure(self, tls: ssl.SSLContext) -> None:
        """TLS, of which the library hears nothing before it is there."""
        secured: asyncio.Transport | None = None
        with contextlib.suppress(OSError):
            within_s = self._entrance.within_s
            secured = await self.loop.start_tls(self._line, self, tls, server_side=True, ssl_handshake_timeout=within_s)
        if secured is None or secured.is_closing():
            self._entrance.arriving.remove(self._line)
            self._line.abort()
        else:
            self._begin(secured)

    def _hand_over(self) -> None:
        """To TLS, which has just begun, what came before it: uvloop does not pause this early."""
        tls = cast(asyncio.BufferedProtocol, self._line.get_protocol())
        while self._rest and not self._line.is_closing():
            room = memoryview(tls.get_buffer(len(self._rest)))
            some = self._rest[: len(room)]
            room[: len(some)] = some
            del self._rest[: len(some)]
            tls.buffer_updated(len(some))

    def _begin(self, transport: asyncio.Transport) -> None:
        if transport.is_closing():
            self._entrance.arriving.remove(self._line)
            return
        self._begun = True
        super().connection_made(transport)
        self.recv_messages.resume = self._go_on
        if self._rest:  # came before its turn, or with the last word of TLS
            self._take_some()

    # ------------------------------------------------------------------------------------------- a little at a time
    def data_received(self, data: bytes) -> None:
        self._rest += data
        if not self._begun or len(self._rest) > len(data):
            return
        if self.protocol.state is State.CONNECTING:
            self._entrance.in_turn(self._take_some)
        else:
            self._take_some()

    def eof_received(self) -> bool:  # type: ignore[override]  # asyncio lets a protocol say so
        """Whether the line stays open, for what is not looked at yet. With TLS it never does."""
        self._ended = True
        if not self._begun:
            return False
        if self._rest and self.transport.can_write_eof():
            return True
        super().eof_received()
        return False

    def _take_some(self) -> None:
        """The next slice, and the others when everybody else has had a turn and what is read has been answered."""
        if self._lost:
            return
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
        self._entrance.arriving.remove(self._line)
        self._lost = True
        if not self._begun:
            return
        self._rest.clear()
        super().connection_lost(exc)
        # What refers to itself is there until all that there is has been looked through, and everybody waits meanwhile.
        self.recv_messages.resume = self.recv_messages.pause = _nothing
        if self._in:
            self._in = False
            self._door.leave(self.counted, shown=self._shown)


def _nothing() -> None:
    pass
