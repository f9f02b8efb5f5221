"""One socket's way out: a bounded queue and the task that writes it. Nobody who reads slowly slows the table.

A listener that falls too far behind is sent a snapshot instead of the patches it missed; one that takes nothing is closed.
"""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterable

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from protocol.codec import Codec
from protocol.codes import Close
from server.audience import Frame

log = logging.getLogger("overseer.connection")

MOST_FRAMES = 256
MOST_BYTES = 1 << 20
FAREWELL_S = 3.0
"""How long a peer may take to hear that the connection closes."""
STUCK_S = 10.0
"""How long one frame may wait for the peer's window before the connection is given up."""


class Connection:
    """`snapshot` is put in by the room when the connection joins it: it makes a snapshot as of this moment."""

    def __init__(self, socket: ServerConnection, codec: Codec) -> None:
        self.socket = socket
        self.minor = 0  # how far its client knows the protocol
        self.snapshot: Callable[[str], Frame] | None = None
        self.codec = codec
        self._queue: deque[tuple[Frame, bool] | str] = deque()  # (frame, it is a patch); or why a snapshot goes here
        self._bytes = 0
        self._snapshot_waits = False
        self._missed = self._missed_bytes = 0  # of a resume: these do not count as falling behind
        self._some = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._closing: asyncio.Task[None] | None = None
        self._writing = asyncio.create_task(self._write(), name="connection writer")

    def send(self, frame: Frame) -> None:
        """Queues an answer or news. A peer that asks and asks and reads nothing is closed."""
        if self._full():
            self.close_soon(Close.SLOW, "you read too slowly")
            return
        self._put(frame, is_patch=False)

    def send_missed(self, patches: Iterable[bytes]) -> None:
        """Queues all that a resuming client missed, however much it is."""
        for patch in patches:
            self._missed += 1
            self._missed_bytes += len(patch)
            self._put(Frame(patch), is_patch=True)

    def send_patch(self, frame: Frame) -> None:
        """Queues the next patch of the audience, or a snapshot in its place when too much is waiting already."""
        if self._snapshot_waits:
            return  # the snapshot that will be made holds it
        if self._full():
            self.send_snapshot("slow")
            return
        self._put(frame, is_patch=True)

    def send_snapshot(self, reason: str) -> None:
        """Puts a snapshot, made when it is its turn, where the first waiting patch stood; all waiting patches go.

        So what was queued before (a welcome) still comes before it, and answers still follow what they caused.
        """
        if self._snapshot_waits:
            return
        waiting, self._queue, self._bytes = list(self._queue), deque(), 0
        placed = False
        for item in waiting:
            if isinstance(item, str) or not item[1]:
                self._queue.append(item)
                self._bytes += 0 if isinstance(item, str) else len(item[0].packed)
            elif not placed:
                self._queue.append(reason)
                placed = True
        if not placed:
            self._queue.append(reason)
        self._snapshot_waits = True
        self._wake()

    def close_soon(self, code: int, reason: str, *, flush_s: float = 0.0) -> None:
        """Closes from outside the connection's own task; what waits is sent for so long, and then no more."""
        if self._closing is None:
            self._closing = asyncio.create_task(self.close(code, reason, flush_s=flush_s), name="connection closing")

    async def close(self, code: int, reason: str, *, flush_s: float = 1.0) -> None:
        """Says what waits (for so long), closes, and ends the writer. Safe to call twice."""
        if flush_s and not self._writing.done():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(flush_s):
                    await self._idle.wait()
        self._writing.cancel()
        await asyncio.gather(self._writing, return_exceptions=True)
        try:
            async with asyncio.timeout(FAREWELL_S):
                await self.socket.close(code, _short(reason))
        except TimeoutError:
            # A peer that takes nothing takes no close frame either, and the library would wait for it for ever.
            self.socket.transport.abort()
        self.snapshot = None  # it refers to this

    def _full(self) -> bool:
        too_many = len(self._queue) >= MOST_FRAMES + self._missed
        return too_many or self._bytes >= MOST_BYTES + self._missed_bytes

    def _put(self, frame: Frame, *, is_patch: bool) -> None:
        self._queue.append((frame, is_patch))
        self._bytes += len(frame.packed)
        self._wake()

    def _wake(self) -> None:
        self._some.set()
        self._idle.clear()

    def _next(self) -> Frame | None:
        if not self._queue:
            return None
        item = self._queue.popleft()
        if isinstance(item, str):
            self._snapshot_waits = False
            assert self.snapshot, "only a connection that has joined a room is sent snapshots"
            return self.snapshot(item)
        self._bytes -= len(item[0].packed)
        return item[0]

    async def _write(self) -> None:
        try:
            while True:
                await self._some.wait()
                while (frame := self._next()) is not None:
                    async with asyncio.timeout(STUCK_S):
                        await self.socket.send(frame.spoken(self.codec))
                self._some.clear()
                self._idle.set()
                self._missed = self._missed_bytes = 0
        except ConnectionClosed:
            self._idle.set()  # the reading side sees it too and ends the session
        except Exception as problem:
            self._idle.set()
            if not isinstance(problem, TimeoutError):
                log.exception("a frame could not be made or sent")
                self.close_soon(Close.BUSY, "something went wrong on the server; come back in a moment")
                return
            log.info("a reader took nothing for %s s and was closed", STUCK_S)
            self.close_soon(Close.SLOW, "you read too slowly")


def _short(reason: str) -> str:
    """As much as a close frame can hold."""
    return reason.encode()[:120].decode(errors="ignore")
