"""The simulated store against the real one: the same random commands to both, and every answer the same, byte for byte as
far as errors go not (their first word). What is in them afterwards is the same too.
"""

import contextlib
import random
import socket
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import hiredis
import pytest

from server.store.lanes import Script
from server.store.redis import call_of
from server.store.values import Commit, Decision, Refusal
from tests.helpers.valkey import valkey, valkey_server
from tests.simulation.loop import SimulatedLoop
from tests.simulation.network import Network
from tests.simulation.store_server import Conversation, StoreServer, encode

__all__ = ["valkey", "valkey_server"]

COMMAND_RUNS, COMMANDS = 60, 100
SCRIPT_RUNS, SCRIPTS = 40, 60

KEYS = [b"{t}:a", b"{t}:b", b"{t}:c", b"{t}:d"]
WORDS = [
    b"",
    b"0",
    b"1",
    b"-1",
    b"7",
    b"x",
    b"y",
    b"1-0",
    b"2-5",
    b"3",
    b"-",
    b"+",
    b"-inf",
    b"1.5",
    b"01",
    b"\x00\xff\r\n",
]
SHAPES = {  # what stands for what: k a key, f a field or member, v a value, i a number, s a score, d a stream id, e seconds
    "HGET": "kf", "HMGET": "kff", "HGETALL": "k", "HKEYS": "k", "HEXISTS": "kf", "HSET": "kfvfv", "HSETNX": "kfv",
    "HDEL": "kff", "HINCRBY": "kfi", "SADD": "kff", "SMEMBERS": "k", "ZADD": "ksfsf", "ZREM": "kff", "ZSCORE": "kf",
    "ZRANGE": "kii",
    "ZREMRANGEBYSCORE": "kss", "XADD": "kdfv", "XRANGE": "kdd", "GET": "k", "DEL": "kk", "EXPIRE": "ke", "PUBLISH": "fv",
    "PING": "",
}  # fmt: skip


class Valkey:
    """A plain socket: nothing between us and what the server says."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(parts.path)
        self._reader = hiredis.Reader()
        assert parts.password
        for command in (["HELLO", "3", "AUTH", "default", parts.password],):
            self.ask([one.encode() for one in command])

    def ask(self, command: Sequence[bytes]) -> Any:
        packed = hiredis.pack_command(tuple(command))  # type: ignore[arg-type]
        self._socket.sendall(packed)
        while (answer := self._reader.gets()) is False:
            self._reader.feed(self._socket.recv(1 << 16))
        return answer

    def close(self) -> None:
        self._socket.close()


class Double:
    """The simulated one, through the same bytes."""

    def __init__(self) -> None:
        loop = SimulatedLoop(random.Random(0))
        self.server = StoreServer(loop, Network(loop, random.Random(0)), random.Random(0))
        self._conversation = Conversation(self.server)
        self._loop = loop

    def ask(self, command: Sequence[bytes]) -> Any:
        reader = hiredis.Reader()
        out = bytearray()
        for answer in self._conversation.take(list(command)):
            encode(answer, out)
        reader.feed(bytes(out))
        return reader.gets()

    def close(self) -> None:
        self._loop.close()


@pytest.fixture
def real(valkey: str) -> Iterator[Valkey]:
    found = Valkey(valkey)
    yield found
    found.close()


@pytest.fixture
def double() -> Iterator[Double]:
    found = Double()
    yield found
    found.close()


def plain(answer: Any) -> Any:
    """Of an error its first word: what follows it are explanations."""
    if isinstance(answer, hiredis.ReplyError):
        return "error", str(answer).split()[0]
    return [plain(one) for one in answer] if isinstance(answer, list) else answer


def drawn(chance: random.Random) -> list[bytes]:
    name = chance.choice(list(SHAPES))
    numbers = [b"0", b"1", b"2", b"-1", b"5", b"x"]
    kinds = {
        "k": KEYS,
        "f": WORDS[:8],
        "v": WORDS,
        "i": numbers,
        "e": [b"0", b"-1", b"100", b"x"],
        "s": [b"1", b"2", b"2.5", b"-inf", b"+inf", b"x"],
    }
    parts = []
    for kind in SHAPES[name]:
        if kind == "d":
            ids = [
                b"%d-%d" % (chance.randrange(30), chance.randrange(3)),
                b"%d" % chance.randrange(30),
                b"-",
                b"+",
                b"x",
            ]
            parts.append(chance.choices(ids, [8, 4, 1, 1, 1])[0])
        elif kind == "k" and chance.random() < 0.8:  # usually one that holds the right thing
            parts.append(KEYS["HSZX".find(name[0]) % 4])
        else:
            parts.append(chance.choice(kinds[kind]))
    if name == "XADD" and chance.random() < 0.4:
        parts[1:1] = [b"MAXLEN", chance.choice([b"2", b"5"])]
    if name == "XRANGE" and chance.random() < 0.4:
        parts += [chance.choice([b"COUNT", b"count", b"x"]), chance.choice(numbers)]
    if chance.random() < 0.03:
        parts = parts[:-1]
    return [name.encode(), *parts]


def test_every_command_answers_as_a_real_store_does(real: Valkey, double: Double):
    names = set()
    for seed in range(COMMAND_RUNS):
        chance = random.Random(seed)
        real.ask([b"FLUSHALL"])
        double.server.store.keys.clear()
        double.server.store.ends.clear()
        several = False
        for _ in range(COMMANDS):
            command = drawn(chance)
            if chance.random() < 0.05:
                command, several = [b"EXEC" if several else b"MULTI"], not several
            if (
                several
                and len(command) - 1 != len(SHAPES.get(command[0].decode(), command[1:]))
                and command != [b"MULTI"]
            ):
                continue  # a wrong number of arguments between MULTI and EXEC: no client of ours does that
            if several and command[0] == b"SMEMBERS":
                continue  # its order is nobody's business, and here would be hard to leave out
            expected, found = real.ask(command), double.ask(command)
            if command[0] == b"SMEMBERS" and isinstance(expected, list):
                expected, found = sorted(expected), sorted(found)
            assert plain(found) == plain(expected), (seed, command)
            names.add((command[0], isinstance(expected, hiredis.ReplyError)))
        if several:
            assert plain(double.ask([b"EXEC"])) == plain(real.ask([b"EXEC"])), seed
    wrongs = {name.decode() for name, wrong in names if wrong}
    assert {name.decode() for name, wrong in names if not wrong} >= SHAPES.keys()
    assert len(wrongs) > 12  # so the errors are the same as well


def test_listeners_are_confirmed_as_by_a_real_store(real: Valkey, double: Double):
    for command in ([b"SUBSCRIBE", b"x"], [b"SUBSCRIBE", b"y"], [b"UNSUBSCRIBE", b"x"], [b"UNSUBSCRIBE", b"y"]):
        assert double.ask(command) == real.ask(command)


class Table:
    """Draws commits of a table as servers make them, and as none should."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.head = "1:made"
        self.n = dict.fromkeys(("st", "all", "p1"), 0)
        self._count = 0
        self._calls: list[tuple[list[bytes], list[bytes]]] = []

    def call(self) -> tuple[list[bytes], list[bytes]]:
        """KEYS and ARGV; sometimes those of an earlier call, sometimes spoilt."""
        chance = self._chance
        if self._calls and chance.random() < 0.15:
            return chance.choice(self._calls)
        keys, args = call_of([self._one() for _ in range(chance.choice([1, 1, 1, 2, 3]))])
        packed = [[one if isinstance(one, bytes) else str(one).encode() for one in several] for several in (keys, args)]
        if chance.random() < 0.03:
            packed[1].pop(chance.randrange(3, len(packed[1])))
        call = packed[0], packed[1]
        self._calls.append(call)
        return call

    def _one(self) -> Commit | Refusal:
        chance = self._chance
        self._count += 1
        decision = None
        if chance.random() < 0.7:
            seq = chance.choice([self._count, self._count, chance.randint(1, self._count), max(1, self._count - 20)])
            decision = Decision(
                chance.choice(["p1", "st"]), "phone", seq, bytes([chance.randrange(3)]), chance.randbytes(4)
            )
        head = chance.choices([self.head, "", f"{self._count}:x", "3:y"], [8, 1, 1, 1])[0]
        if chance.random() < 0.2:
            return Refusal("t", head, decision)
        epochs = {"p1": f"e{self._count}"} if chance.random() < 0.1 else {}
        names = [name for name in self.n if chance.random() < 0.6 and name not in epochs]
        if chance.random() < 0.03:
            names.append("nobody")
        commit = Commit(
            "t",
            head,
            f"c{self._count}",
            {f"f{k}": chance.randbytes(3) for k in range(chance.choice([0, 1, 3]))},
            [f"f{k}" for k in range(2) if chance.random() < 0.3],
            b"entry %d" % self._count,
            {name: b"patch %d" % self._count for name in names},
            rewound=chance.random() < 0.1,
            epochs=epochs,
            decision=decision,
        )
        version = int(self.head.split(":")[0])
        if head in (self.head, ""):  # if it is kept, the next of this call is decided on it
            self.head = f"{version + 1}:{commit.command}"
        return commit


def contents(store: Valkey | Double, keys: list[bytes]) -> dict[bytes, Any]:
    found = {}
    for key in keys:
        for command in ([b"HGETALL", key], [b"XRANGE", key, b"-", b"+"]):
            with contextlib.suppress(ValueError):
                answer = store.ask(command)
                if not isinstance(answer, hiredis.ReplyError) and answer:
                    found[key] = answer
    found.get(b"ov:{t}:meta", {}).pop(b"created", None)
    return found


def test_the_scripts_do_the_same_in_both(real: Valkey, double: Double):
    create, commit = Script("create.lua"), Script("commit.lua")
    kinds = set()
    for seed in range(SCRIPT_RUNS):
        chance = random.Random(seed)
        real.ask([b"FLUSHALL"])
        double.server.store.keys.clear()
        table = Table(chance)
        keys = [b"ov:{t}:meta", b"ov:{t}:st", b"ov:{t}:log", b"ov:{t}:key"]
        pairs = [b"f0", b"x", b"dice", b"d", *(part for name in table.n for part in (name.encode(), b"e0"))]
        made = [b"1:made", b"name", b"1", b"entry", b"1", b"1", b"3", *pairs]
        for call in (made, made, [b"1:other", *made[1:]]) if seed % 8 else ():
            command = [b"EVAL", create.text.encode(), b"4", *keys, *call]
            assert double.ask(command) == real.ask(command), seed
        known = dict.fromkeys(keys)
        for _ in range(SCRIPTS):
            full = chance.random() < 0.05
            double.server.store.full = full
            if full:
                real.ask([b"CONFIG", b"SET", b"maxmemory", b"1"])
            names, args = table.call()
            rest = [b"%d" % len(names), *names, *args]
            command = [b"EVAL", commit.text.encode(), *rest]
            if chance.random() < 0.5:
                command = [b"EVALSHA", commit.sha.encode(), *rest]
            if chance.random() < 0.03:
                real.ask([b"SCRIPT", b"FLUSH"])
                double.server.store.scripts.clear()
            expected, found = real.ask(command), double.ask(command)
            assert plain(found) == plain(expected), (seed, args)
            if full:
                real.ask([b"CONFIG", b"SET", b"maxmemory", b"0"])
                double.server.store.full = False
            known |= dict.fromkeys(names)
            for one in [expected] if isinstance(expected, hiredis.ReplyError) else expected[:-1]:
                kinds.add(str(one).split()[0] if isinstance(one, hiredis.ReplyError) else one[0])
            if meta := real.ask([b"HGET", b"ov:{t}:meta", b"head"]):
                table.head = meta.decode()
        assert contents(double, list(known)) == contents(real, list(known)), seed
    assert kinds == {b"ok", b"repeated", b"stale", b"reused", b"old", b"gone", b"wrong", "ERR", "OOM", "NOSCRIPT"}
