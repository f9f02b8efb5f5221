"""The thread of connections between a session and its server: open, say hello, listen, and come back when it breaks.

Everything known lives in the Session; a connection is only borrowed. What each message means for the user of the SDK
stands in client.py.
"""

import asyncio
import logging
import random
import ssl
from collections.abc import Callable, Sequence
from typing import Any, Literal

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from protocol import texts, version
from protocol.codec import BadMessage, Codec, Frame
from protocol.codes import comes_back
from protocol.from_client import Command, FromClient, Ping, Question
from protocol.from_server import AnyFromServer, Check, Error, GoAway, Pong, Welcome
from protocol.invitation import Invitation
from protocol.problems import Closed
from protocol.session import Gap, Session

log = logging.getLogger("overseer.client")
# websockets prints frames at DEBUG, and HELLO holds the token: its own words only from INFO on.
_frames_log = logging.getLogger("overseer.client.websockets")
_frames_log.setLevel(logging.INFO)

ConnectionState = Literal["connecting", "online", "away", "closed"]
STEADY_S = 5.0
"""A connection that lasted this long was a good one: the next failure starts from the shortest pause again. So was one that
the server ended because it stops: as many servers as there are may be stopped in turn."""
HELD_S, MOST_HELD_MS = 1.0, 60_000
"""How long to wait where a server does not say how long, and at most."""
ANSWER_S = 5.0
"""Who has another address to go to waits so long for a word in answer: all that is said is answered within 3 seconds."""


class Link:
    """Keeps a session connected until it is told to stop or the server says for good. `run` is its one task."""

    def __init__(
        self,
        session: Session,
        invitations: Sequence[Invitation],
        codec: Codec,
        *,
        deliver: Callable[[AnyFromServer], None],
        changed: Callable[[], None],
        language: str,
        tls: ssl.SSLContext | None,
        backoff_s: tuple[float, float],
        open_timeout_s: float,
    ) -> None:
        self.state: ConnectionState = "connecting"
        self.frames: Callable[[Frame], None] | None = None
        self.last_problem = ""
        self.reached = True  # as far as is known: somebody answers at the address
        self._session = session
        self._invitations = invitations
        self._turn = 0  # which of the addresses is tried next: another one after each that failed or sent us away
        self._codec = codec
        self._deliver = deliver
        self._changed = changed
        self._language = language
        self._tls = tls
        self._backoff_s = backoff_s
        self._open_timeout_s = open_timeout_s
        self._connection: ClientConnection | None = None
        self._open = False
        self._was_online = False  # this connection
        self._loop = asyncio.get_running_loop()
        self._heartbeat_s = float(version.HEARTBEAT_S)
        self._heard = self._spoke = self._pinged = 0.0
        self._unanswered: float | None = None  # since when something was said and nothing heard
        self._listening: asyncio.Timeout | None = None
        self._return_ms: int | None = None
        self._told: Error | None = None
        self.stopped = False
        """The server has said that it stops; it, or another one, has not been reached since."""
        self._held: list[Command | Question] = []  # not to be sent before `_held_until`
        self._held_until = 0.0
        self._sending_held: asyncio.Task[None] | None = None
        self._offset_ms: float | None = None
        self._trip_ms = 0.0

    # ---------------------------------------------------------------------------------------------------- for client.py
    def clock(self) -> int:
        """The server's time in ms, as well as it is known here."""
        return round(self._loop.time() * 1000 + (self._offset_ms or 0))

    async def send(self, message: FromClient) -> None:
        """Send now if there is a connection that has heard all older messages; otherwise the next WELCOME sends it."""
        if self._held and isinstance(message, (Command, Question)):
            self._held.append(message)
        elif self._open and self._connection is not None:
            await self._write(self._connection, message)

    def later(self, message: Command | Question, retry_ms: Any) -> None:
        """The server has too much of us: this goes out again then, and nothing else before it, for order."""
        wait_s = min(retry_ms, MOST_HELD_MS) / 1000 if isinstance(retry_ms, int) else HELD_S
        self._held.append(message)
        self._held_until = max(self._held_until, self._loop.time() + max(0.0, wait_s))
        log.info("the server wants less at once; going on in %.2f s", self._held_until - self._loop.time())
        if self._sending_held is None or self._sending_held.done():
            self._sending_held = asyncio.create_task(self._send_held(), name="overseer client, waiting")

    async def _send_held(self) -> None:
        while self._held:
            if (wait_s := self._held_until - self._loop.time()) > 0:
                await asyncio.sleep(wait_s)
                continue
            message = min(self._held, key=_in_order)
            self._held.remove(message)
            if self._open and self._connection and self._session.waits_for(message):
                await self._write(self._connection, message)

    def drop(self) -> None:
        """Cut the connection at once, as a broken cable would."""
        if self._connection is not None:
            self._connection.transport.abort()

    async def run(self) -> Closed:
        """Connect, and again, until the server says not to come back. Returns why; cancel it to stop."""
        try:
            return await self._stay_connected()
        finally:
            if self._sending_held:
                self._sending_held.cancel()

    async def _stay_connected(self) -> Closed:
        failures = 0
        while True:
            began = self._loop.time()
            code, text = await self._once()
            self._become("away")
            plan = comes_back(code)
            if plan == "never":
                said = self._told.text if self._told else ""
                return Closed(code, texts.closed(code, self._language, said or text))
            sent_away = plan == "at_once" or self._return_ms is not None
            good = self._loop.time() - began >= STEADY_S or (self._was_online and sent_away)
            failures = 0 if good else failures + 1
            self._turn += 1
            untried = 0 < failures < len(self._invitations)
            rounds = -(-failures // len(self._invitations))
            pause = self._pause(untried or sent_away, rounds)
            self.last_problem = text
            log.info("connection lost (%s); back in %.2f s", text, pause)
            await asyncio.sleep(pause)

    # --------------------------------------------------------------------------------------------------- one connection
    async def _once(self) -> tuple[int | None, str]:
        """One connection from opening to end: its close code, None if it had none, and a word on what happened."""
        self._return_ms = self._told = None
        self._was_online = False
        self._become("connecting" if self._session.epoch is None else "away")
        try:
            connection = await self._connect()
        except InvalidStatus as problem:
            status = problem.response.status_code
            return None, self._lost("http", status=status)
        except (OSError, InvalidHandshake, TimeoutError, EOFError) as problem:
            self.reached = False
            return None, self._lost("unreachable", why=str(problem) or type(problem).__name__)
        self._connection, self.reached = connection, True
        try:
            if connection.subprotocol != self._codec.subprotocol:
                # Nothing has been said yet: the token goes to nobody else.
                return None, self._lost("no_table_server")
            await self._converse(connection)
            return None, self._lost("silent")
        except ConnectionClosed as problem:
            return (
                (problem.rcvd.code, problem.rcvd.reason or "closed")
                if problem.rcvd
                else (None, self._lost("broken_off"))
            )
        except (Gap, BadMessage) as problem:
            log.warning("what the server sent does not fit: %s", problem)
            return None, str(problem)
        except _Leaving:
            return None, self._lost("stopping")
        finally:
            self._open = False
            self._connection = None
            await self._hang_up(connection)

    def _lost(self, what: str, **gaps: object) -> str:
        return texts.word("lost", what, self._language).format(**gaps)

    async def _connect(self) -> ClientConnection:
        invitation = self._invitations[self._turn % len(self._invitations)]
        url = invitation.url
        return await connect(
            url,
            subprotocols=[Subprotocol(self._codec.subprotocol)],
            ssl=self._tls if url.startswith("wss:") else None,
            proxy=None if invitation.here else True,
            compression=None,
            max_size=version.SERVER_FRAME_BYTES,
            open_timeout=self._patience_s,
            close_timeout=1,
            ping_interval=None,  # our own PING tells the time as well
            logger=_frames_log,
        )

    async def _hang_up(self, connection: ClientConnection) -> None:
        try:
            async with asyncio.timeout(2):
                await connection.close()
        except TimeoutError:
            connection.transport.abort()
        except asyncio.CancelledError:
            connection.transport.abort()
            raise

    async def _converse(self, connection: ClientConnection) -> None:
        """Hello, then listen. Returns when nothing was heard for two heartbeats."""
        self._heard = self._pinged = self._loop.time()
        self._unanswered = None
        await self._write(connection, self._session.hello())
        greeting = self._loop.time()
        while (frame := await self._next_frame(connection)) is not None:
            if self.frames is not None:
                self.frames(frame)
            message = self._codec.decode_from_server(frame)
            if message is None:
                continue
            if isinstance(message, Welcome):
                self._heartbeat_s = float(message.heartbeat_s)
                self._learn_time(message.now, greeting)
            elif isinstance(message, Pong):
                self._learn_time(message.now, self._pinged)
            elif isinstance(message, Error):
                self._told = message
                log.warning("the server says: %s", message.text)
            self._deliver(message)
            if isinstance(message, GoAway):
                self._return_ms = message.after_ms
                self.stopped = True
                raise _Leaving
            if isinstance(message, Welcome):
                await self._catch_up(connection)
            if isinstance(message, Check) and (drift := self._session.drift(message)):
                log.warning("what is shown here is not what the server means; all is asked for anew (at %d)", drift.n)
                await self._write(connection, drift)
            if self._open and self.state != "online" and self._session.current:
                self.stopped = False
                self._was_online = True
                self._become("online")
            # Whoever waited for this goes on before the next message: what he sees is what he waited for.
            await asyncio.sleep(0)

    async def _catch_up(self, connection: ClientConnection) -> None:
        """Send again what is unanswered, oldest first. Only then may new ones go out, or seq would not rise."""
        self._held.clear()
        for message in self._session.unanswered():
            await self._write(connection, message)
        self._open = True

    async def _next_frame(self, connection: ClientConnection) -> Frame | None:
        """The next frame; None when the other side is dead. A silence, on either side, is broken by a PING."""
        while True:
            now = self._loop.time()
            dead = self._heard + (2 * self._heartbeat_s if self._open else self._patience_s)
            if self._hurried and self._unanswered is not None:
                dead = min(dead, self._unanswered + ANSWER_S)
            ping = max(min(self._heard, self._spoke), self._pinged) + self._heartbeat_s
            if now >= dead:
                return None
            if now >= ping and self._open:
                self._pinged = now
                await self._write(connection, Ping(id=round(now * 1000)))
                continue
            try:
                async with asyncio.timeout_at(min(dead, ping) if self._open else dead) as self._listening:
                    frame = await connection.recv()
            except TimeoutError:
                continue
            finally:
                self._listening = None
            self._heard = self._loop.time()
            self._unanswered = None
            return frame

    async def _write(self, connection: ClientConnection, message: FromClient) -> None:
        self._spoke = self._loop.time()
        if self._unanswered is None:
            self._unanswered = self._spoke
            if self._hurried and self._listening and not self._listening.expired():
                until = self._spoke + ANSWER_S
                self._listening.reschedule(min(until, self._listening.when() or until))
        try:
            async with asyncio.timeout(2 * self._heartbeat_s):
                await connection.send(self._codec.encode(message))
        except ConnectionClosed:
            pass  # the reader hears of it too; what is unanswered goes out again on the next connection
        except TimeoutError:
            connection.transport.abort()  # a peer that takes nothing is as dead as one that says nothing

    @property
    def _hurried(self) -> bool:
        """There is somewhere else to go, and nothing large is on its way to us."""
        return len(self._invitations) > 1 and self._open and self._session.current

    @property
    def _patience_s(self) -> float:
        return self._open_timeout_s if len(self._invitations) == 1 else min(self._open_timeout_s, ANSWER_S)

    # ------------------------------------------------------------------------------------------------------ small steps
    def _learn_time(self, now_ms: int, asked: float) -> None:
        """The server's clock against ours, from one question and answer: right within half the time they took.

        A quicker pair replaces a slower one; any pair does that cannot be explained by the way (a clock was set).
        """
        heard = self._loop.time()
        trip_ms = (heard - asked) * 1000
        offset_ms = now_ms + trip_ms / 2 - heard * 1000
        known = self._offset_ms
        if known is None or trip_ms <= self._trip_ms or abs(offset_ms - known) > (trip_ms + self._trip_ms) / 2 + 1:
            self._offset_ms, self._trip_ms = offset_ms, trip_ms

    def _pause(self, at_once: bool, failures: int) -> float:
        """Seconds before the next attempt, spread at random so that a whole table does not knock at one instant."""
        shortest, longest = self._backoff_s
        if at_once and failures <= 3:
            return random.uniform(0, (self._return_ms or 0) / 1000)
        return random.uniform(0.5, 1) * min(longest, shortest * float(2 ** min(max(failures - 1, 0), 16)))

    def _become(self, state: ConnectionState) -> None:
        if self.state != state:
            self.state = state
            self._changed()


def _in_order(message: Command | Question) -> tuple[bool, int]:
    return (False, message.seq) if isinstance(message, Command) else (True, message.id)


class _Leaving(Exception):
    """GOAWAY was heard."""
