"""A sample of the pairs over real sockets, on a real server and a real Valkey: the same scripts, the same secrets.

Time and chance are the world's here. So no window closes by its clock, and instants are compared by where they stand, and
what the clock has made by when it was first named. All else is compared as it is: both tables have the same keys.
"""

import asyncio
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack
from functools import cache
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

import msgpack
import pytest
from websockets import Subprotocol
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as dial

from core.commands import Command
from core.state import House
from protocol import version
from protocol.codec import JSON, MSGPACK, Codec
from server import catching_up
from server.config import load_settings
from server.node import open_node
from server.room import Room
from tests.helpers.servers import serving
from tests.secrecy.kinds import KINDS
from tests.secrecy.pair import Leak, Pair, _difference, wire
from tests.secrecy.script import Script, the_units, units_of
from tests.secrecy.side import Client, Got, create

PAIRS = 100
STEPS = 4
AT_ONCE = 12
"""Pairs that are played side by side: most of their time goes by in waiting for the disk."""
UNHURRIED = [
    word
    for what in ("joins", "joins-all", "address", "table", "seat", "connection")
    for word in (f"--rate-{what}", "0")
]
STILL = House(reaction_floor_ms=3_600_000, reaction_window_ms=3_600_000)
NOT_HERE = {
    "how many devices a seat has", "what the ST looks at", "seats of STs and spectators", "that something was lost",
    "that the ST acts for a player", "which ST speaks", "whose time was drawn",
    "that the ST looks through a player's eyes", "that a slow line was given time",
    "a hidden unit in the order, and its action", "orders of another seat", "what another has readied",
}  # fmt: skip
"""Kinds whose differences need a hand at the server itself, or help within the floor of a window, or another sender, whose
commands make other names for things: only in bulk."""
OF_THE_CLOCK = re.compile(r"(?<![\w-])[\w-]{8}(?![\w-])")
"""What may be an id. It is none where it is a word of ours."""
ROOT = Path(__file__).parents[2]


@cache
def words() -> frozenset[str]:
    """All words as long as an id that a server of ours, or who speaks to it here, can say: they stand in the source."""
    parts = ("core", "protocol", "server", "tests/walk", "tests/secrecy/kinds")
    sources = [path for part in parts for path in (ROOT / part).rglob("*.py")] + list(
        Path(__file__).parent.glob("s*.py")
    )
    return frozenset(word for path in sources for word in OF_THE_CLOCK.findall(path.read_text()))


class Wire(Client):
    """A device over a real socket."""

    line: ClientConnection | None = None
    side: Any

    def connect(self, resume: Mapping[str, Any] | None = None) -> None:
        side = self.side
        spoken = [Subprotocol(self.codec.subprotocol)]
        self._open = ExitStack()
        self.line = self._open.enter_context(
            dial(side.address, subprotocols=spoken, compression=None, max_size=None, ping_interval=None)
        )
        self.say(self.hello(resume))
        self.until(lambda said: isinstance(said, dict) and said["t"] == "presence")

    def hang_up(self) -> None:
        if self.line:
            self._open.close()
            self.line = None

    def say(self, message: Any) -> None:
        assert self.line
        self.line.send(self.codec.encode_plain(message))

    def until(self, wanted: Any) -> Any:
        """Reads up to what is wanted."""
        assert self.line
        while True:
            self.got.append(Got(0, self.line.recv(timeout=60)))
            if wanted(said := self.got[-1].plain):
                return said

    def settle(self) -> None:
        """All that was sent until now has come."""
        if self.line:
            self.say({"t": "ping", "id": 7})
            self.until(lambda said: isinstance(said, dict) and said["t"] == "pong")


class WireSide:
    """One table at the server, and a room beside it that follows."""

    def __init__(self, name: str, evening: "Evening", table: str, first: Sequence[Command]) -> None:
        self.name, self.evening, self.id = name, evening, table
        self.address = evening.address
        self.clients: dict[str, Wire] = {}
        self.tokens = evening.run(create(evening.rooms.store, table, STILL, b"k" * 32, first))
        self.room: Room = evening.run(evening.stack.enter_async_context(evening.rooms.using(table)))

    @property
    def table(self) -> Any:
        return self.room.table

    def clock(self) -> int:
        return self.room.clock()

    def client(self, seat: str, device: str = "main", codec: Codec = MSGPACK, **more: Any) -> Wire:
        name = f"{seat}/{device}"
        if name not in self.clients:
            self.clients[name] = Wire(self, seat, device, codec, **more)  # type: ignore[arg-type]
            self.clients[name].connect()
        return self.clients[name]

    def follow(self) -> None:
        async def follow() -> None:
            async with self.room.lock:
                await catching_up.catch_up(self.room)

        self.evening.run(follow())

    def end(self) -> None:
        for client in self.clients.values():
            client.hang_up()


class WirePair(Pair):
    """A pair whose tables stand at a real server. What an observer got is compared at the end."""

    def __init__(self, seed: int, evening: "Evening") -> None:
        self._begin(seed)
        first = list(the_units(Random(seed)))
        self.a, self.b = (WireSide(name, evening, f"{name}{seed:07d}", first) for name in "AB")  # type: ignore[assignment]
        for side in self.sides:
            for seat in ("x1", "p1", "p2"):
                side.client(seat)
            side.client("w1", codec=JSON)
        self.units = units_of(self.b.table)

    def apart(self) -> None:
        pass

    def wait(self, ms: int) -> None:
        pass

    def _say(self, side: Any, client: Any, command: Any, as_seat: str | None) -> bool:
        client.command(command if isinstance(command, Mapping) else wire(command), as_seat)
        said = client.until(lambda said: isinstance(said, dict) and said.get("seq") == client.seq)
        side.follow()
        done: bool = said["t"] == "ack"
        return done

    def server(self, command: Command) -> bool:
        return False

    def ask(self, who: str, question: Mapping[str, Any]) -> None:
        for side in self.sides:
            client = side.client(who)
            client.ask(question)
            client.settle()  # type: ignore[attr-defined]

    def raw(self, who: str, message: Any) -> None:
        for side in self.sides:
            side.client(who).say(message)

    def comes_back(self, who: str, how: str, away_ms: int = 0) -> None:
        for side in self.sides if who == "p1" else ():
            client = side.client(who)
            client.settle()  # type: ignore[attr-defined]
            place = client.where
            client.hang_up()
            client.connect(place if how == "resume" else None)

    def compare(self, what: str) -> None:
        self.story.append(what)

    def export(self) -> None:
        pass

    def lends(self, who: str) -> None:
        pass

    def guests(self) -> None:
        pass

    def finish(self) -> None:
        """Everything that both got, with instants and the clock's own ids by their place."""
        for who in self.observers:
            for side in self.sides:
                side.client(who).settle()  # type: ignore[attr-defined]
            mine, theirs = ([one for one in side.client(who).got if _counts(one)] for side in self.sides)
            self.frames += len(mine)
            left: dict[str, str] = {}
            right: dict[str, str] = {}
            for one, other in zip_longest(mine, theirs):
                if one is None or other is None or _placed(one, left) != _placed(other, right):
                    raise Leak(f"after {self.story}\n{_difference(who, [one], [other])}")


def _counts(got: Got) -> bool:
    """Presence is told when a mark reaches the store, before or after anything else."""
    return not (isinstance(said := got.plain, dict) and said["t"] == "presence")


def _placed(got: Got, names: dict[str, str]) -> Any:
    """A frame as it can be compared, and how long it is but for its seconds. Of a CHECK's sum there may be more digits."""
    said = got.plain
    if isinstance(said, dict) and said["t"] == "check":
        return _plain(said, names), 0
    return _plain(said, names), len(got.frame) - _length_of_seconds(said, isinstance(got.frame, str))


def _length_of_seconds(value: Any, as_text: bool) -> int:
    """Where one table is played two seconds later than the other, its lines say 10 where the other's say 8."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    length = sum(_length_of_seconds(one, as_text) for one in inside)
    if _is_line(value):
        length += len(str(value[1])) if as_text else len(msgpack.packb(value[1]))
    return length


def _is_line(value: Any) -> bool:
    """A line of the log, or a patch: its second is when, or a place that is the same for both."""
    return isinstance(value, list) and len(value) > 2 and type(value[0]) is int and type(value[1]) is int


def _plain(value: Any, names: dict[str, str], key: str = "") -> Any:
    if key in ("table", "crc", "left", "action_left"):
        return f"the {key}"
    if isinstance(value, str):
        return OF_THE_CLOCK.sub(lambda found: _name(found[0], names), value)
    if isinstance(value, dict):
        return [(_plain(k, names), _plain(v, names, str(k).rpartition("/")[2])) for k, v in value.items()]
    if isinstance(value, list):
        return [_plain(one, names) if k != 1 or not _is_line(value) else "when" for k, one in enumerate(value)]
    return "an instant" if type(value) is int and value > 10**12 else value


def _name(found: str, names: dict[str, str]) -> str:
    return found if found in words() else names.setdefault(found, f"id{len(names)}")


class Evening:
    """A server, and a loop of our own beside it."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.stack = AsyncExitStack()

    def run(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(60)

    def __enter__(self) -> "Evening":
        self._thread.start()
        self.run(self._open())
        return self

    async def _open(self) -> None:
        server = await self.stack.enter_async_context(serving("--data-dir", str(self._data_dir), *UNHURRIED))
        self.address = server.address.replace("http", "ws", 1) + version.PATH
        settings = load_settings({"data_dir": self._data_dir})
        self.rooms = await self.stack.enter_async_context(open_node(settings, beside=True))

    def __exit__(self, *_: object) -> None:
        self.run(self.stack.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def play(seed: int, evening: Evening) -> int:
    """How many frames the observers of a pair have got."""
    script = Script(
        seed, STEPS, pair=WirePair(seed, evening), kinds=[k for k in KINDS.values() if k.name not in NOT_HERE]
    )
    pair = script.pair
    try:
        script.play()
        pair.finish()  # type: ignore[attr-defined]
    finally:
        pair.end()
    return pair.frames


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    with Evening(tmp_path / "data") as one:
        yield one


@pytest.mark.timeout(400)
@pytest.mark.rule("TBL-04")
def test_over_real_sockets_and_a_real_store_pairs_get_the_same_bytes(evening: Evening) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        frames = list(pool.map(lambda seed: play(seed, evening), range(1, PAIRS + 1)))
    assert len(frames) == PAIRS
    assert sum(frames) > 15 * PAIRS, "enough was sent to differ in"


def test_two_seconds_more_make_no_difference_and_a_byte_more_does() -> None:
    def told(line: list[Any], codec: Codec) -> Any:
        return _placed(Got(0, codec.encode_plain([1, 4, [], [line]])), {})

    for codec in (MSGPACK, JSON):
        early = told([5, 8, "p1", ["abcdefgh", "Mira"], 17], codec)
        assert early == told([5, 310, "p1", ["abcdefgh", "Mira"], 17], codec)
        assert early[1] != told([5, 8, "p1", ["abcdefgh", "Mira"], 170], codec)[1]


def test_what_is_placed_still_differs_where_it_differs() -> None:
    line = [1, 4, [["t/stack", ["abcdefgh"]]], [[5, 2, "p1", ["abcdefgh", "Mira"], 17]]]
    assert _plain(line, {}) == _plain([1, 4, [["t/stack", ["ABCDEFGH"]]], [[5, 3, "p1", ["ABCDEFGH", "Mira"], 17]]], {})
    assert _plain(line, {}) != _plain([1, 4, [["t/stack", ["abcdefgh"]]], [[5, 2, "p1", ["ABCDEFGH", "Mira"], 17]]], {})
    assert _plain(line, {}) != _plain([1, 4, [["t/stack", ["abcdefgh"]]], [[5, 2, "p1", ["abcdefgh", "Mira"], 18]]], {})


def test_a_word_that_is_as_long_as_an_id_is_none() -> None:
    for one, other in (("standard", "withdraw"), ("k/abcdefgh/attached", "k/abcdefgh/resolved")):
        assert _plain([[one]], {}) != _plain([[other]], {})
    assert _plain("k/abcdefgh/attached", {}) == _plain("k/ABCDEFGH/attached", {})
