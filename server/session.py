"""A client's conversation, the server's half: HELLO, what it missed, then its commands, questions and pings in turn.

Silence ends it. Every frame gets an answer, those that cannot be understood too.
"""

import asyncio
import contextlib
import logging
import math
import secrets

from websockets.exceptions import ConnectionClosed

from protocol import codes, version
from protocol.codec import BadMessage, Codec
from protocol.codes import Close
from protocol.from_client import Command, Drift, FromClient, Hello, Ping, Question
from server import admission, asks, auth, catching_up, drift, invitations, joining, presence, replies, translate
from server.audience import Frame
from server.auth import SeatKey
from server.connection import Connection
from server.delay import Delay
from server.exporting import Exporting
from server.limits import BAD, Allowance, Limits
from server.peer import Peer
from server.room import Room
from server.rooms import Rooms
from server.store.problems import NewerState, StoreError
from server.thinking import Thought

log = logging.getLogger("overseer.session")

SILENT_BEATS = 2
"""Heartbeats without a word after which a client counts as gone."""
AT_ONCE_S = 0.002
"""Whoever lets the server wait longer for his next frame had not sent it before."""


class Ended(Exception):
    """The server ends the conversation. The text is for the person at the other end."""

    def __init__(self, code: Close, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class Session:
    """One connection from its first frame to its last. `run` never raises for what a client or the store does."""

    def __init__(self, rooms: Rooms, socket: Peer, codec: Codec, heartbeat_s: float, limits: Limits) -> None:
        self._rooms = rooms
        self._socket = socket
        self._codec = codec
        self._heartbeat_s = heartbeat_s
        self._limits = limits
        self._size = 0  # of the frame that is being answered
        self._waited = False  # for it
        self._connection = Connection(socket, codec)
        self._delay = Delay(socket, heartbeat_s)
        self._exporting = Exporting()
        self._reading: asyncio.Timeout | None = None
        self._going_away = False
        self._name = secrets.token_hex(4)  # in the logs

    async def run(self) -> None:
        code, text = Close.GOING_AWAY, ""
        try:
            await self._talk()
        except Ended as ended:
            code, text = ended.code, ended.text
            self._say({"t": "error", "code": code.name.lower(), "text": text})
        except NewerState as problem:
            log.error("%s", problem, extra={"connection": self._name})
            code, text = Close.NEWER, "a newer server keeps this table now"
            self._say({"t": "goaway", "reason": text, "after_ms": 0})
        except StoreError as problem:
            # What was on its way may have been kept. The client comes back, asks again, and is told which.
            log.warning("the store is away: %s", problem, extra={"connection": self._name})
            code, text = Close.STORE_AWAY, "the store cannot be reached; come back in a moment"
        except ConnectionClosed:
            pass
        except Exception:
            log.exception("a conversation failed", extra={"connection": self._name})
            code, text = Close.BUSY, "something went wrong on the server; come back in a moment"
        await self._connection.close(code, text)

    def go_away(self, reason: str, after_ms: int) -> None:
        """Says GOAWAY and ends: at once if nothing is on its way, else when that has been answered."""
        self._say({"t": "goaway", "reason": reason, "after_ms": after_ms})
        self._going_away = True
        if self._reading:
            self._reading.reschedule(asyncio.get_running_loop().time())

    def abort(self) -> None:
        """Breaks the line, where no farewell gets through."""
        self._socket.transport.abort()

    # ------------------------------------------------------------------------------------------------ the conversation
    async def _talk(self) -> None:
        hello = await self._hello()
        key = await auth.check(self._rooms.store, hello.token)
        if key is None:
            log.warning("a token opens nothing", extra={"connection": self._name, "address": self._socket.address})
            wait_s = self._limits.wrong_token(self._socket.counted, self._now())
            await asyncio.sleep(min(version.HELLO_WITHIN_S, wait_s))
            raise Ended(Close.BAD_TOKEN, "this invitation opens no seat; ask the Storyteller for a new one")
        self._socket.shown()
        allowance = self._limits.allowance(key, self._socket.counted, self._now())
        if not allowance.comes(self._now()):
            raise Ended(Close.RATE, "this seat comes and goes too often; wait a while")
        async with self._rooms.using(key.table) as room:
            key = await self._admitted(room, key, hello.see_as)
            try:
                self._connection.minor = hello.minor
                await joining.join(
                    room,
                    self._connection,
                    key,
                    hello.resume,
                    max(1, math.ceil(self._heartbeat_s)),
                    limits=self._limits.told(),
                    believed=lambda: self._limits.believes(key, self._now()),
                )
                log.info("joined", extra={"connection": self._name, "table": room.id, "seat": key.seat})
                here = self._rooms.presence.here(room, key.seat) if key.st is None else contextlib.nullcontext()
                async with here, self._delay.measured():
                    self._connection.send(presence.frame(room))
                    await self._listen(room, key, hello.client, allowance)
            except joining.Crowded:
                raise Ended(Close.TOO_MANY, "this seat or table has too many connections") from None
            finally:
                room.leave(self._connection)

    async def _admitted(self, room: Room, shown: SeatKey, see_as: str | None) -> SeatKey:
        """Raises Ended."""
        try:
            return admission.admit(room.table, shown, room.clock(), see_as)
        except admission.Shut:
            async with room.lock:  # made a moment ago on another node?
                await catching_up.catch_up(room)
        try:
            return admission.admit(room.table, shown, room.clock(), see_as)
        except admission.Shut as shut:
            raise Ended(*shut.why) from None

    async def _hello(self) -> Hello:
        try:
            message = await self._read(version.HELLO_WITHIN_S, Close.NO_HELLO, "no HELLO came")
        except BadMessage as bad:
            raise Ended(Close.BAD_MESSAGE, bad.text) from None
        if not isinstance(message, Hello):
            raise Ended(Close.NO_HELLO, "the first message must be HELLO")
        if version.VERSION not in message.versions:
            raise Ended(
                Close.VERSION, f"this server speaks version {version.VERSION} of the protocol; update the client"
            )
        return message

    async def _listen(self, room: Room, key: SeatKey, client: str, allowance: Allowance) -> None:
        silent_s = SILENT_BEATS * self._heartbeat_s
        while True:
            try:
                message = await self._read(silent_s, Close.SILENT, f"nothing was heard for {silent_s:g} seconds")
                now = room.clock()
                if retry_ms := allowance.asks(message, self._size, self._now()):
                    self._too_fast(allowance, _too_fast(message, retry_ms))
                else:
                    await self._answer(room, room.listeners.get(self._connection, key), client, message, now, allowance)
            except BadMessage as bad:
                if allowance.costs(BAD, self._now()):
                    self._say(_answer_to(bad))
                else:
                    self._too_fast(allowance, _answer_to(bad))
            # What it has sent already may be much; the others come in between.
            await asyncio.sleep(allowance.rest_s(self._now(), waited=self._waited))

    def _too_fast(self, allowance: Allowance, answer: dict[str, object]) -> None:
        """Says so. Raises Ended for a client that goes on and on in spite of it."""
        self._say(answer)
        if allowance.too_often(self._now()):
            raise Ended(Close.RATE, "you sent too much in a short time, and went on when told to wait")

    async def _answer(
        self, room: Room, key: SeatKey, client: str, message: FromClient, now: int, allowance: Allowance
    ) -> None:
        match message:
            case Command():
                asked = translate.asked(
                    room.store,
                    key,
                    client,
                    message,
                    now,
                    self._delay.way_ms,
                    kept=lambda size: allowance.kept(max(size, self._size), self._now()),
                )
                reply = await invitations.submit(room, self._connection, key, message, asked)
                self._say(reply)
                if reply["t"] == "refused":
                    allowance.was_refused(self._now())
            case Question():
                thought = Thought(self._rooms.thinking, (room.id, key.seat))
                self._say(await thought.counted(asks.answer(room, key, message, self._exporting, thought)))
                allowance.thought(thought.took_s, self._now())
            case Drift():
                await drift.heal(room, self._connection, key, message)
            case Ping():
                self._say({"t": "pong", "id": message.id, "now": now})
            case Hello():
                raise BadMessage("bad_message", "HELLO is said once, first")

    async def _read(self, within_s: float, code: Close, text: str) -> FromClient:
        """The next message. Raises BadMessage, Ended when none comes in time, ConnectionClosed."""
        if self._going_away:
            raise Ended(Close.GOING_AWAY, "the server stops")
        began = self._now()
        try:
            async with asyncio.timeout(within_s) as self._reading:
                frame = await self._socket.recv()
        except TimeoutError:
            if self._going_away:
                raise Ended(Close.GOING_AWAY, "the server stops") from None
            raise Ended(code, text) from None
        finally:
            self._reading = None
        self._size = len(frame)
        self._waited = self._now() - began > AT_ONCE_S
        return self._codec.decode_from_client(frame)

    def _now(self) -> float:
        return self._socket.loop.time()

    def _say(self, message: dict[str, object]) -> None:
        self._connection.send(Frame.of(message))


def _answer_to(bad: BadMessage) -> dict[str, object]:
    """A request whose number could be read is refused under it; all else is told."""
    if bad.seq is not None:
        return replies.of_protocol(bad.seq, bad.code, text=bad.text)
    if bad.ask is not None:
        return {"t": "answer", "id": bad.ask, "code": bad.code, "params": {"text": bad.text}}
    return {"t": "error", "code": bad.code, "text": bad.text}


def _too_fast(message: FromClient, retry_ms: int) -> dict[str, object]:
    """Nothing was decided and nothing is kept: the same may be sent again, under its number (protocol/codes.py)."""
    params = {"retry_ms": retry_ms}
    if isinstance(message, Command):
        return replies.of_protocol(message.seq, "rate", **params)
    if isinstance(message, Question):
        return {"t": "answer", "id": message.id, "code": "rate", "params": params}
    return {"t": "error", "code": "rate", "text": codes.REFUSALS["rate"], "params": params}
