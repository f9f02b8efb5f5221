"""One batch of frames in process: the server's own session, room and audience code, the simulated store, sockets in memory.

Everything in a batch follows from its number. How long each step of the server keeps the loop is measured in time of the
processor, so that what else the machine does is not the server's fault.
"""

import asyncio
import gc
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from random import Random
from typing import Any

from websockets.exceptions import ConnectionClosedOK

from core.ids import ST, SeatId
from core.view import view
from protocol import version
from protocol.codec import CODECS, MSGPACK, Codec
from protocol.from_client import ASKS, BODIES
from server.config import Settings, load_settings
from server.limits import Limits
from server.node import open_node
from server.room import Room
from server.rooms import Rooms
from server.seating import add_seat, make_table
from server.session import Session
from tests.fuzz import judge
from tests.fuzz.frames import Frame, Frames
from tests.fuzz.grammar import Grammar, Known
from tests.fuzz.outcome import Outcome
from tests.fuzz.played import Playing, a_unit
from tests.simulation.cluster import STORE_URL, Cluster
from tests.simulation.edges import replaced
from tests.simulation.loop import Host, SimulatedLoop
from tests.simulation.world import Mistakes

FRAMES = 250
"""Of one batch, before it is sent in the other encoding as well."""
PER_TABLE = 50
GREETINGS = 12
PATIENCE_S = 30.0
NO_LIMITS = [name for name in Settings.model_fields if name.startswith(("rate_", "connections"))]
SEATS = ("st", "Ann", "Bob", "Eve")


class Watched(SimulatedLoop):
    """Knows how long the server has kept it at a stretch. What goes to a thread is done at once, and counted apart."""

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self.server: Host | None = None
        self.held_s = self.aside_s = 0.0
        self._aside_s = 0.0

    def step(self, host: Host, handle: asyncio.Handle) -> None:
        if host is not self.server:
            handle._run()
            return
        self._aside_s = 0.0
        began = time.thread_time()
        handle._run()
        self.held_s = max(self.held_s, time.thread_time() - began - self._aside_s)

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        done: Future[Any] = Future()
        began = time.thread_time()
        try:
            done.set_result(func(*args))
        except BaseException as problem:
            done.set_exception(problem)
        taken = time.thread_time() - began
        self._aside_s += taken
        self.aside_s = max(self.aside_s, taken)
        return asyncio.wrap_future(done, loop=self)


class Wire:
    """The server's end of a socket in memory."""

    def __init__(self) -> None:
        self.inbox: asyncio.Queue[Any] = asyncio.Queue()
        self.said: list[Any] = []
        self.heard = asyncio.Event()
        self.code: int | None = None
        self.transport = self
        self.loop = asyncio.get_running_loop()
        self.address = self.counted = "memory"

    def shown(self) -> None:
        pass

    async def ping(self) -> asyncio.Future[float]:
        pong: asyncio.Future[float] = self.loop.create_future()
        pong.set_result(0.001)
        return pong

    async def recv(self) -> Any:
        frame = await self.inbox.get()
        if frame is None:
            raise ConnectionClosedOK(None, None)
        return frame

    async def send(self, frame: Any) -> None:
        self.said.append(frame)
        self.heard.set()

    async def close(self, code: int = 1000, reason: str = "") -> None:
        self.code = code if self.code is None else self.code
        self.heard.set()

    def abort(self) -> None:
        self.code = 1006


class Client:
    """One conversation, the other half."""

    def __init__(self, world: "World", who: str, codec: Codec) -> None:
        self.who = who
        self.codec = codec
        self.wire = Wire()
        self.session = Session(world.rooms, self.wire, codec, 60, Limits(world.settings))  # type: ignore[arg-type]  # all of it that is used
        self.task = world.loop.create_task(self.session.run(), name="session", context=world.host.context)
        self.pings = 2**32

    def say(self, data: Any) -> None:
        self.wire.inbox.put_nowait(data)

    def has(self, count: int) -> bool:
        return len(self.wire.said) >= count

    async def until(self, there: Callable[[], Any]) -> bool:
        """Whether it came before patience ended."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not there():
                    self.wire.heard.clear()
                    await self.wire.heard.wait()
        except TimeoutError:
            return False
        return True

    async def answers(self, data: Any) -> list[Any] | None:
        """All that came for a frame: whatever stands before the answer to a PING sent right behind it. None: nothing did."""
        self.pings += 1
        self.wire.said.clear()
        self.say(data)
        self.say(self.codec.encode_plain({"t": "ping", "id": self.pings}))
        mark = b"%c%b" % (0xCF, self.pings.to_bytes(8, "big"))
        spelt = f'"id":{self.pings}'

        def pong() -> int | None:
            """Where it stands: news may have come right behind it."""
            told = (mark in one if isinstance(one, bytes) else spelt in one for one in self.wire.said)
            return next((k for k, found in enumerate(told) if found), None)

        await self.until(lambda: self.wire.code is not None or pong() is not None)
        return None if self.wire.code is not None or (end := pong()) is None else self.wire.said[:end]

    async def end(self) -> None:
        self.say(None)
        await asyncio.wait([self.task], timeout=PATIENCE_S)


class World:
    """A batch under way."""

    def __init__(self, seed: int, encoding: str, frames: int, loop: Watched, only: bytes | None = None) -> None:
        self.seed, self.encoding, self.count, self.loop, self.only = seed, encoding, frames, loop, only
        self.r = Random(f"fuzz {seed}")
        self.codec = CODECS[encoding]
        self.outcome = Outcome(seed)
        self.answers: list[Any] = []
        self.seats_changed = self.sent_away = False
        self.rooms: Rooms
        self.host = loop.server = Host("server")
        self.settings = load_settings({"redis_url": STORE_URL, **dict.fromkeys(NO_LIMITS, "0")})
        self.up, self.over = asyncio.Event(), asyncio.Event()

    async def serve(self) -> None:
        async with open_node(self.settings) as self.rooms:
            self.up.set()
            await self.over.wait()

    async def live(self) -> None:
        serving = self.loop.create_task(self.serve(), context=self.host.context)
        await self.up.wait()
        while self.outcome.frames < self.count and not self.outcome.faults:
            await self.table()
        self.over.set()
        await serving

    async def table(self) -> None:
        """So many frames at a new table, by everybody there, or until one of them has lost his seat."""
        self.seats_changed = self.sent_away = False
        made = await make_table(self.rooms, "fuzz", practice_seed=self.seed)
        tokens = {"st": made.token}
        for name, role in (("Ann", "player"), ("Bob", "player"), ("Eve", "spectator")):
            tokens[name] = (await add_seat(self.rooms, made.table, name, role)).token  # type: ignore[arg-type]
        clients = {who: Client(self, who, self.codec) for who in SEATS}
        watching = Client(self, "st", MSGPACK)
        for k, client in enumerate((*clients.values(), watching)):
            client.say(client.codec.encode_plain(hello(tokens[client.who], f"{client.who}{k}")))
            assert await client.until(partial(client.has, 2)), "nobody was let in"
        async with self.rooms.using(made.table) as room:
            await self.scene(clients["st"], room)
            await self.throw(clients, tokens, room)
            if not self.outcome.faults:
                await self.greet(tokens)
            if not self.outcome.faults and not self.seats_changed:
                await self.still_well(clients["st"], watching, room)
        for client in (*clients.values(), watching):
            await client.end()
            if not client.task.done():
                self.fault("a conversation comes to no end", Frame(b"", "the end"), client.who)

    async def scene(self, st: Client, room: Room) -> None:
        """Something goes on at the table, each time something else."""
        seats = [seat.id for seat in room.table.seats.values() if seat.role == "player"]
        house = "storyteller" if self.r.random() < 0.25 else "infinite_horror"
        steps: list[dict[str, Any]] = [{"kind": "set_house", "key": "ruleset", "value": house}]
        for k in range(self.r.choice((0, 2, 4))):
            steps.append({"kind": "add_unit", "unit": a_unit(self.r, f"Unit {k}"), "owner": [*seats, None][k % 3]})
        calm = len(steps) == 1 or self.r.random() < 0.3
        if not calm:
            steps.append({"kind": "start_fight", "counts": True})
        for number, step in enumerate(steps, 1):
            await st.answers(st.codec.encode_plain({"t": "command", "seq": number, "seen": 0, **step}))

    async def throw(self, clients: dict[str, Client], tokens: dict[str, str], room: Room) -> None:
        grammar = Grammar(self.r)
        twin = self.seed % 2 == 0
        frames = {
            who: Frames(self.r, grammar, self.encoding, bad=0.0 if twin else 0.5, large=not twin) for who in clients
        }
        frames["st"].seq = 60
        playing = Playing(self.r, room.table)
        seats = {who: ST if who == "st" else SeatId(tokens[who].split(".")[1]) for who in frames}
        names = {seat: who for who, seat in seats.items() if who != "Eve"}
        for who, seat in seats.items():
            frames[who].playing = partial(playing.command, seat)
        for k in range(PER_TABLE):
            playing.table = room.table
            if k % 10 == 0:
                grammar.known = Known.of(view(room.table, ST), room.audiences[ST].n)
            who = names[playing.awaited(list(names))] if self.r.random() < 0.6 else self.r.choice(SEATS)
            frame = frames[who].next() if self.only is None else self.single()
            await self.one(clients[who], frame)
            if self.outcome.faults or self.only is not None or self.sent_away:
                return
            if self.r.random() < 0.03:
                await asyncio.sleep(self.r.choice((0.1, 1, 10)))

    def single(self) -> Frame:
        assert self.only is not None
        return Frame(self.only if self.codec is MSGPACK else self.only.decode("utf-8", "surrogatepass"), "as given")

    async def one(self, client: Client, frame: Frame) -> None:
        """A frame, and what came of it."""
        self.loop.held_s = 0.0
        said = await client.answers(frame.data)
        self.outcome.frames += 1
        self.note_time(frame)
        if said is None:
            code = client.wire.code
            if code in judge.AWAY and self.seats_changed:
                self.outcome.closed += 1
                self.sent_away = True
                return
            what = (
                "no answer came" if code is None else judge.closed_well(code, first=False) or f"it closed with {code}"
            )
            self.fault(what, frame, client.who)
            return
        answers, wrong = judge.judged(frame, client.codec, said)
        if wrong:
            self.fault(wrong, frame, client.who)
            return
        self.outcome.answered += 1
        self.answers.append((frame.label, [comparable(one) for one in answers]))
        may_change = frame.key in judge.SEATS or not frame.key  # what is hardly a message may be one all the same
        self.seats_changed |= may_change and any(one["t"] == "ack" for one in answers)
        if frame.key:
            kind = self.outcome.kinds.setdefault(frame.key, [0, 0, 0])
            kind[0] += 1
            kind[1] += any("code" not in one for one in answers)
            kind[2] += any("code" in one for one in answers)

    async def greet(self, tokens: dict[str, str]) -> None:
        """First frames, each on a connection of its own."""
        grammar = Grammar(self.r)
        for k in range(GREETINGS):
            token = self.r.choice([*tokens.values(), "a.b.c", "x" * 256])
            frames = Frames(self.r, grammar, self.encoding, bad=0.0 if self.seed % 2 == 0 else 0.7, large=False)
            good = grammar.hello(token)
            draw = self.r.random()
            if draw < 0.2:
                frame = frames.frame(good, "greeting", key="hello")
            elif draw < 0.7:
                frame = frames.frame(grammar.mutated(good, large=False), "mutated greeting", key="hello")
            else:
                frame = frames.next()
            await self.first(frame, k)

    async def first(self, frame: Frame, k: int) -> None:
        client = Client(self, f"greeting {k}", self.codec)
        self.loop.held_s = 0.0
        client.say(frame.data)
        came = await client.until(lambda: client.wire.said or client.wire.code is not None)
        self.outcome.frames += 1
        self.note_time(frame)
        told = judge.read(client.codec, client.wire.said[:1])
        if not came or not told:
            self.fault("no answer came", frame, client.who)
        elif told[0]["t"] == "welcome":
            self.outcome.answered += 1
        elif told[0]["t"] != "error" or not await client.until(lambda: client.wire.code is not None):
            self.fault(f"a first frame was answered by {told[0]}, and not closed", frame, client.who)
        elif wrong := judge.closed_well(client.wire.code or 0, first=True):
            self.fault(wrong, frame, client.who)
        else:
            self.outcome.closed += 1
            self.answers.append((frame.label, client.wire.code))
        await client.end()

    async def still_well(self, st: Client, watching: Client, room: Room) -> None:
        """The table goes on, and who only watched knows all of it."""
        frame = Frame(b"", "afterwards")
        said = await st.answers(st.codec.encode_plain({"t": "ask", "id": 1, "what": "calc", "text": "1 + 1"}))
        if not said or judge.read(st.codec, said)[-1].get("value") != 2:
            self.fault(f"the table does not go on: {said!r:.200}", frame, "st")
        async with room.lock:
            pass
        await watching.answers(MSGPACK.encode_plain({"t": "nothing"}))
        for task in (*self.rooms._tasks, *(kept.following for kept in self.rooms._kept.values())):
            if task is not None and task.done() and (task.cancelled() or task.exception()):
                self.fault(f"a task is lost: {task!r:.200}", frame, "the server")

    def note_time(self, frame: Frame) -> None:
        self.outcome.note_time(self.loop.held_s * 1000, frame)
        self.outcome.aside_ms = max(self.outcome.aside_ms, self.loop.aside_s * 1000)

    def fault(self, what: str, frame: Frame, who: str) -> None:
        self.outcome.faults.append((what, frame.label, frame.hex, who))


def hello(token: str, client: str) -> dict[str, Any]:
    return {"t": "hello", "versions": [version.VERSION], "token": token, "client": client, "minor": version.MINOR}


def comparable(answer: Any) -> Any:
    """An answer as the other encoding must have it, too. Words about the reading of a frame may speak of its encoding."""
    answer = {name: value for name, value in answer.items() if name not in ("text", "now")}
    if answer.get("code") in judge.BAD_FORM:
        answer.pop("params", None)
    return answer


def play(seed: int, encoding: str, frames: int, only: bytes | None = None) -> World:
    """A batch in one encoding, in this process."""
    loop = Watched(Random(seed))
    mistakes = Mistakes()
    mistakes.addFilter(
        lambda record: "drifted" not in record.getMessage() and "ahead of the store" not in record.getMessage()
    )
    log = logging.getLogger("overseer")
    before = log.level, log.propagate
    log.setLevel(logging.ERROR)
    log.propagate = False
    log.addHandler(mistakes)
    loop.set_exception_handler(
        lambda _, context: mistakes.said.append(f"{context['message']}: {context.get('exception')!r}")
    )
    world = World(seed, encoding, frames, loop, only)
    began = time.perf_counter()
    try:
        with replaced(loop, seed):
            asyncio.set_event_loop(loop)
            cluster = Cluster(loop, Random(seed), 0)
            loop.run_until_complete(_play(world, cluster, mistakes))
    finally:
        asyncio.set_event_loop(None)
        loop.close()
        log.removeHandler(mistakes)
        log.setLevel(before[0])
        log.propagate = before[1]
    for said in mistakes.said:
        world.outcome.faults.append(
            (f"the server logged: {said}", *(world.outcome.faults or [("", "", "", "")])[0][1:])
        )
    world.outcome.seconds = time.perf_counter() - began
    return world


async def _play(world: World, cluster: Cluster, mistakes: Mistakes) -> None:
    try:
        await world.live()
    finally:
        mistakes.over = True
        await cluster.end()


def batch(seed: int, frames: int = FRAMES) -> Outcome:
    """A batch: an even one in both encodings, with the same answers in both; of the odd ones every second in JSON."""
    gc.collect()
    if seed % 2:
        return play(seed, version.MSGPACK if seed % 4 == 1 else version.JSON, frames).outcome
    one, other = (play(seed, encoding, frames) for encoding in (version.MSGPACK, version.JSON))
    found = Outcome(seed)
    found.add(one.outcome)
    found.add(other.outcome)
    if not found.faults and one.answers != other.answers:
        k = next(k for k, pair in enumerate(zip(one.answers, other.answers, strict=False)) if pair[0] != pair[1])
        words = f"frame {k}: msgpack got {one.answers[k]}, JSON got {other.answers[k]}"
        found.faults.append((words[:2000], one.answers[k][0], "", "both"))
    return found


EVERYTHING = frozenset({*BODIES, *ASKS, "ping", "drift", "hello"})
