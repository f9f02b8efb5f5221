"""The Python SDK: sit down at a table, see it, act at it. Everything else in protocol/ is what this stands on.

    async with connect("https://host/#table.seat.secret") as table:
        print(table.name, table.units["Aki"].hp)
        async for prompt in table.prompts():
            await prompt.pass_()

The state is always the newest; connections come and go beneath it, commands are answered exactly once all the same.
"""

import asyncio
import logging
import secrets
import ssl as tls
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import ValidationError

from protocol import texts, version
from protocol.codec import BadMessage, Frame, by_subprotocol, command_body
from protocol.from_client import ASKS, BODIES
from protocol.from_server import Ack as WireAck
from protocol.from_server import Answer, AnyFromServer, Role, Welcome
from protocol.from_server import Refused as WireRefused
from protocol.invitation import BadInvitation, Invitation, new_salt
from protocol.lines import LASTING, Line, unpack
from protocol.link import ConnectionState, Link
from protocol.problems import Closed, Refused, TableProblem, Unanswered
from protocol.prompts import Prompt, Prompts
from protocol.session import Saved, Session, Update
from protocol.updates import Pulse, TableUpdate, Told, Updates
from protocol.views import View, plain
from protocol.words import Words

__all__ = [
    "Ack",
    "BadInvitation",
    "BadMessage",
    "Closed",
    "Prompt",
    "Refused",
    "Saved",
    "Table",
    "TableProblem",
    "TableUpdate",
    "Told",
    "Unanswered",
    "View",
    "connect",
]

log = logging.getLogger("overseer.client")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ack:
    """The command was done. The state already shows it (position `n`); `made` are the ids of new things."""

    n: int
    made: tuple[str, ...]
    token: str | None = field(default=None, repr=False)
    """Of an invitation that was made; `Table.invitation(token)` is the link for a person. It is told this once."""


class Table(Words):
    """A seat at a table. Made by `connect`."""

    def __init__(
        self,
        invitations: Sequence[Invitation],
        *,
        client: str | None,
        subprotocol: str,
        resume: Saved | None,
        see_as: str | None,
        language: str,
        ssl: tls.SSLContext | None,
        backoff_s: tuple[float, float],
        timeout: float,
    ) -> None:
        # A client id of the caller's own may have been used before: its numbers go on rising with the time of day.
        first = 1 if client is None else time.time_ns() // 1_000_000
        self._invitation = invitations[0]
        self._session = Session(
            invitations[0].token, client or secrets.token_urlsafe(12), saved=resume, first_seq=first, see_as=see_as
        )
        self.language = language
        self._pulse = Pulse()
        self._link = Link(
            self._session,
            invitations,
            by_subprotocol(subprotocol),
            deliver=self._take,
            changed=self._wake,
            language=language,
            tls=ssl,
            backoff_s=backoff_s,
            open_timeout_s=timeout,
        )
        self._greeting: Welcome | None = None
        self._slots = asyncio.Semaphore(version.IN_FLIGHT)
        self._answers: dict[int, asyncio.Future[Ack]] = {}
        self._asked: dict[int, asyncio.Future[Answer]] = {}
        self._followers: weakref.WeakSet[Updates] = weakref.WeakSet()
        self._conditions: dict[asyncio.Future[Any], Callable[[Table], Any]] = {}
        self._seat_names: dict[str, str] = self.seats
        self._closed: Closed | None = None
        self._left = False
        self._task = asyncio.create_task(self._run(), name="overseer client")

    # ----------------------------------------------------------------------------------------------------- who and what
    @property
    def _welcome(self) -> Welcome:
        if self._greeting is None:
            raise TableProblem("not connected yet")
        return self._greeting

    @property
    def seat(self) -> str:
        """This seat's id."""
        return self._welcome.seat

    @property
    def seat_name(self) -> str:
        return self._welcome.seat_name

    @property
    def role(self) -> Role:
        return self._welcome.role

    @property
    def name(self) -> str:
        """The table's name."""
        return self._welcome.name

    @property
    def durable(self) -> bool:
        """False, for an ST, where the server's store may lose the last moments of play when its machine fails."""
        return self._welcome.durable

    @property
    def read_only(self) -> bool:
        """This connection only looks through the eyes of `seat`."""
        return self._welcome.read_only

    def invitation(self, token: str) -> str:
        """The link for whoever is to sit down with this token."""
        return self._invitation.of(token)

    @property
    def client(self) -> str:
        """The id that this object's commands are remembered under."""
        return self._session.client

    @property
    def state(self) -> Mapping[str, Any]:
        """All that this seat may see, by path. Live; not to be changed."""
        return MappingProxyType(self._session.state)

    @property
    def n(self) -> int:
        """The position of the newest change."""
        return self._session.n

    @property
    def epoch(self) -> str | None:
        return self._session.epoch

    @property
    def saved(self) -> Saved | None:
        """Pass it to `connect(resume=...)` later, to hear only what was missed."""
        return self._session.saved

    @property
    def here(self) -> frozenset[str]:
        """The player seats that have somebody connected."""
        return self._session.here

    @property
    def connection_state(self) -> ConnectionState:
        """connecting, online, away (it will come back), closed."""
        return "closed" if self._closed else self._link.state

    @property
    def server_stopped(self) -> bool:
        """The connection is away because the server said that it stops."""
        return self._link.stopped

    def clock(self) -> int:
        """The server's time in ms since the Unix epoch, as well as it is known here."""
        return self._link.clock()

    # ----------------------------------------------------------------------------------------------------------- to act
    async def command(self, kind: str, /, *, as_seat: str | None = None, timeout: float = 30, **fields: Any) -> Ack:  # noqa: ASYNC109
        """Ask the table to do something, and wait for its answer: done exactly once, however often the line breaks.

        Raises Refused, Unanswered after `timeout` seconds, Closed, BadMessage for fields that cannot be sent.
        """
        if kind in BODIES and "salt" in BODIES[kind].model_fields:
            fields.setdefault("salt", new_salt())
        body = command_body(kind, {name: plain(value) for name, value in fields.items()})
        with _in_time("command", self.language, kind=kind, s=f"{timeout:g}"):
            async with asyncio.timeout(timeout), self._slots:
                self._must_be_open()
                command = self._session.command(body, as_seat)
                return await self._answered(command, self._answers, command.seq)

    async def ask(self, what: str, /, *, timeout: float = 30, **fields: Any) -> Answer:  # noqa: ASYNC109
        """A question that changes nothing. Raises as `command` does.

        `ask("log", before=None, limit=50)`: `entries`, each [n, lines as packed]; `log` gives them as lines.
        `ask("calc", text="10 with x2, x4, +50")`: what protocol/from_server.py says of it stands in `model_extra`.
        """
        if what not in ASKS:
            raise BadMessage("bad_message", f"there is no question {what}; there are {', '.join(ASKS)}")
        with _in_time("question", self.language, kind=what, s=f"{timeout:g}"):
            async with asyncio.timeout(timeout):
                self._must_be_open()
                try:
                    message = self._session.ask(ASKS[what], fields)
                except ValidationError as problem:
                    first = problem.errors(include_url=False)[0]
                    raise BadMessage("bad_message", f"{what}: {first['loc'][0]}: {first['msg'].lower()}") from None
                answer = await self._answered(message, self._asked, message.id)
        if answer.code is not None:
            raise Refused(answer.code, answer.params, language=self.language)
        return answer

    async def log(self, *, before: int | None = None, limit: int = 50) -> list[Told]:
        """Older lines of the log, oldest first, in the same form as updates bring them."""
        answer = await self.ask("log", before=before, limit=limit)
        return self.lines_of(answer)

    async def audit(self, *, before: int | None = None, limit: int = 50) -> list[Told]:
        """Who has changed what about seats, invitations, roles and house rules, oldest first (ST)."""
        return self.audited(await self.ask("audit", before=before, limit=limit))

    def audited(self, answer: Answer) -> list[Told]:
        """The lines of an answer to "audit"."""
        names = {**(answer.model_extra or {}).get("names", {}), **self.seats}
        created = self.state.get("t/created", 0)
        lines = [(unpack(packed), n) for n, told in answer.entries or () for packed in told]
        return [Told(line, created + 1000 * line.at_s, n, self.language, names) for line, n in lines]

    def lines_of(self, answer: Answer) -> list[Told]:
        """The lines of an answer's entries; those that a rewind has undone are marked."""
        undone = {n for first, last in answer.undone or () for n in range(first, last + 1)}
        lines = [(unpack(packed), n) for n, log in answer.entries or () for packed in log]
        return [self._tell(line, n, undone=n in undone and line.kind not in LASTING) for line, n in lines]

    async def explain(self, effect: Any) -> str:
        """When an effect ends, and why then, as a sentence."""
        answer = await self.ask("explain", effect=effect.id if isinstance(effect, View) else str(effect))
        told = answer.model_extra or {}
        return texts.explanation(told["why"], told["facts"], self.language)

    async def _answered(self, message: Any, waiting: dict[int, asyncio.Future[T]], number: int) -> T:
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        waiting[number] = future
        try:
            await self._link.send(message)
            return await future
        finally:
            waiting.pop(number, None)
            self._session.forget(message)

    # -------------------------------------------------------------------------------------------------------- to follow
    def updates(self) -> Updates:
        """Every change from now on. A slow reader gets several as one; nothing of the state is ever lost."""
        follower = Updates(self._pulse, self._over)
        self._followers.add(follower)
        return follower

    def lines(self, *kinds: str) -> AsyncIterator[Told]:
        """The log from now on, line by line: all of it, or only some kinds ("rolled", "said", ...)."""
        return _only(self.updates(), kinds)

    def prompts(self, *, all: bool = False) -> Prompts:
        """Every question to this seat: those that stand now, then each new one.

        What its standing order passes is no question to it, unless `all` is wanted.
        """
        return Prompts(self, self._pulse, self._over, all)

    async def until(self, condition: "Callable[[Table], T]", timeout: float = 10) -> T:  # noqa: ASYNC109
        """Wait until the condition holds, looking after every single change. Returns what it gave. Never polls.

        Awaited directly, it goes on before the next change comes in: the state is the one that was waited for.
        """
        if found := condition(self):
            return found
        self._must_be_open()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._conditions[future] = condition
        try:
            with _in_time("state", self.language, s=f"{timeout:g}"):
                async with asyncio.timeout(timeout):
                    return await future
        finally:
            del self._conditions[future]

    # --------------------------------------------------------------------------------------------------------- the line
    async def close(self) -> None:
        """Leave. Whoever still waits for an answer gets Closed."""
        self._left = True
        self._task.cancel()
        await asyncio.wait([self._task])
        self._end(Closed(None, "the table was closed from this side"))  # in case the task had not even begun

    def drop(self) -> None:
        """For tests: cut the connection as a broken cable would. It comes back by itself."""
        self._link.drop()

    @property
    def frames(self) -> Callable[[Frame], None] | None:
        """For tests: called with every frame as it was received."""
        return self._link.frames

    @frames.setter
    def frames(self, recorder: Callable[[Frame], None] | None) -> None:
        self._link.frames = recorder

    async def _run(self) -> None:
        ended = Closed(None, "the table was closed from this side")
        try:
            ended = await self._link.run()
            log.info("the table is closed: %s", ended)
        except asyncio.CancelledError:
            pass  # close(): nobody else has this task
        except Exception as problem:
            log.exception("the client has failed")
            ended = Closed(None, f"the client has failed: {type(problem).__name__}")
            ended.__cause__ = problem
        self._end(ended)

    def _end(self, ended: Closed) -> None:
        if self._closed is not None:
            return
        self._closed = ended
        waiting: list[asyncio.Future[Any]] = [*self._answers.values(), *self._asked.values(), *self._conditions]
        for future in waiting:
            _fail(future, ended)
        self._pulse.beat()

    def _over(self) -> bool:
        """Whether nothing will come any more. Raises Closed unless this side wanted it so."""
        if self._closed is not None and not self._left:
            self._must_be_open()
        return self._closed is not None

    def _must_be_open(self) -> None:
        if self._closed is not None:
            raise Closed(self._closed.code, str(self._closed))

    def _take(self, message: AnyFromServer) -> None:
        """One message of the server: into the session, then to whoever waits for it. Raises Gap."""
        update = self._session.receive(message)
        if isinstance(message, Welcome):
            self._greeting = message
        elif (again := self._session.undecided(message)) and isinstance(message, (WireRefused, Answer)):
            self._link.later(again, message.params.get("retry_ms"))
        elif isinstance(message, WireAck):
            _settle(self._answers.get(message.seq), Ack(message.n, tuple(message.made), message.token))
        elif isinstance(message, WireRefused):
            refused = Refused(message.code, message.params, message.retry, self.language)
            _fail(self._answers.get(message.seq), refused)
        elif isinstance(message, Answer):
            _settle(self._asked.get(message.id), message)
        if update is not None:
            self._publish(update)
        self._wake()

    def _publish(self, update: Update) -> None:
        if any(path.startswith("s/") for path in update.changed):
            self._seat_names = self.seats
        lines = tuple(self._tell(line, update.n) for line in update.lines)
        for follower in self._followers:
            follower.put(TableUpdate(update.n, lines, update.changed, update.reason))

    def _tell(self, line: Line, n: int, undone: bool = False) -> Told:
        at = self.state.get("t/created", 0) + 1000 * line.at_s
        return Told(line, at, n, self.language, self._seat_names, undone)

    def _wake(self) -> None:
        for future, condition in list(self._conditions.items()):
            if future.done():
                continue
            try:
                if found := condition(self):
                    future.set_result(found)
            except Exception as problem:  # the asker's own mistake: it is his to hear of
                future.set_exception(problem)
        self._pulse.beat()


async def _only(updates: Updates, kinds: tuple[str, ...]) -> AsyncIterator[Told]:
    async for update in updates:
        for line in update.lines:
            if not kinds or line.kind in kinds:
                yield line


def _settle(future: asyncio.Future[T] | None, value: T) -> None:
    if future is not None and not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[Any] | None, problem: TableProblem) -> None:
    if future is not None and not future.done():
        future.set_exception(problem)


@contextmanager
def _in_time(what: str, language: str, **gaps: str) -> Iterator[None]:
    """Turns the TimeoutError of a wait into one that says what was waited for."""
    try:
        yield
    except TableProblem:
        raise
    except TimeoutError:
        raise Unanswered(what, language, gaps) from None


class connect:
    """`async with connect(invitation) as table`: at the table, its state complete, or an exception within `timeout`.

    Args:
        invitation: "http(s)://host:port/#table.seat.secret", or the same with ws(s).
        also: other addresses ("https://host:port") of servers that share the table, for when one stops or cannot be reached.
        client: a name of your own for this client, so that its commands are known after a restart; random otherwise.
        subprotocol: "overseer.v1.msgpack", or "overseer.v1.json" to read along.
        resume: `table.saved` of an earlier time.
        see_as: for an ST: the player's seat (id or name) whose eyes to look through, or "all" for the spectators'. Nothing
            is done there, and nobody is told of it.
        language: of refusals and log lines, "en" or "zh".
        ssl: for https and wss; the system's certificates otherwise.
        frames: called with every frame received, from the first.
        backoff_s: the shortest and the longest pause before coming back.
    """

    def __init__(
        self,
        invitation: str,
        *,
        also: Sequence[str] = (),
        client: str | None = None,
        subprotocol: str = version.MSGPACK,
        resume: Saved | None = None,
        see_as: str | None = None,
        language: str = "en",
        ssl: tls.SSLContext | None = None,
        frames: Callable[[Frame], None] | None = None,
        timeout: float = 10,
        backoff_s: tuple[float, float] = (0.2, 10.0),
    ) -> None:
        if subprotocol not in version.SUBPROTOCOLS:
            raise ValueError(f"there is no subprotocol {subprotocol}; there are {' and '.join(version.SUBPROTOCOLS)}")
        first = Invitation.read(invitation)
        self._invitations = [first, *(first.at(address) for address in also)]
        self._frames = frames
        self._timeout = timeout
        self._options: dict[str, Any] = {
            "client": client,
            "subprotocol": subprotocol,
            "resume": resume,
            "see_as": see_as,
            "language": language,
            "ssl": ssl,
            "backoff_s": backoff_s,
            "timeout": timeout,
        }
        self._table: Table | None = None

    async def __aenter__(self) -> Table:
        self._table = table = Table(self._invitations, **self._options)
        table.frames = self._frames
        try:
            await table.until(lambda it: it.connection_state == "online", self._timeout)
        except BaseException as problem:
            await table.close()
            if isinstance(problem, Unanswered):
                link, language = table._link, table.language
                why = link.last_problem or texts.word("lost", "no_answer", language)
                raise Unanswered(
                    "seat", language, {"s": f"{self._timeout:g}", "why": why}, reached=link.reached
                ) from None
            raise
        if self._options["see_as"] is not None and not table.read_only:
            await table.close()
            raise TableProblem("this server is too old to show what another seat sees")
        return table

    async def __aexit__(self, *_: object) -> None:
        if self._table is not None:
            await self._table.close()
