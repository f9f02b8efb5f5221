"""The part of Valkey that Overseer uses at play, in memory: its keys, its commands, its scripts. The scripts are the very
ones that a real server runs, run by the same version of Lua.

That it answers as a real one does is checked by random cases: test_store_double.py.
"""

import copy
import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any

from lupa import lua51

LAST = 2**64 - 1


class Status(bytes):
    """OK, PONG, QUEUED."""


class Refused(Exception):
    """An error in place of an answer."""


class Stream:
    def __init__(self) -> None:
        self.ids: list[tuple[int, int]] = []
        self.entries: list[list[bytes]] = []
        self.last = (0, 0)


class Sorted(dict[bytes, float]):
    """Members and their scores."""

    def ranked(self) -> list[bytes]:
        return [member for _, member in sorted((score, member) for member, score in self.items())]


WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"


class Store:
    """`call` one command: its answer in plain values (bytes, int, float, list, dict, None, Status). Raises Refused.

    `now`: the time in seconds, as this store has it. `told` is called with what is published; it says how many hear it.
    """

    def __init__(
        self, now: Callable[[], float], told: Callable[[bytes, bytes], int] = lambda channel, message: 0
    ) -> None:
        self.keys: dict[bytes, Any] = {}
        self.ends: dict[bytes, float] = {}
        self.full = False
        self.scripts: set[bytes] = set()
        self._now = now
        self._told = told

    def call(self, *command: bytes) -> Any:
        name = command[0].upper()
        act = _COMMANDS.get(name)
        if act is None:
            raise Refused(f"ERR unknown command '{name.decode(errors='replace')}'")
        least, most, grows, run = act
        if not least <= len(command) - 1 <= most:
            raise Refused(f"ERR wrong number of arguments for '{name.decode().lower()}' command")
        if grows and self.full:
            raise Refused("OOM command not allowed when used memory > 'maxmemory'.")
        return run(self, *command[1:])

    def copy(self) -> tuple[Any, Any]:
        """All of it, as it stands: `put_back` makes it so again."""
        return copy.deepcopy((self.keys, self.ends))

    def put_back(self, kept: tuple[Any, Any]) -> None:
        self.keys, self.ends = copy.deepcopy(kept)

    # ---------------------------------------------------------------------------------------------------------- keys
    def _find(self, key: bytes, kind: type) -> Any:
        if key in self.ends and self.ends[key] <= self._now():
            self._drop(key)
        found = self.keys.get(key)
        if found is not None and type(found) is not kind:
            raise Refused(WRONG_TYPE)
        return found

    def _make(self, key: bytes, kind: type) -> Any:
        found = self._find(key, kind)
        if found is None:
            found = self.keys[key] = kind()
        return found

    def _drop(self, key: bytes) -> None:
        self.keys.pop(key, None)
        self.ends.pop(key, None)

    def _tidy(self, key: bytes, value: Any) -> None:
        """What is empty is not there, except streams."""
        if not value:
            self._drop(key)

    def ping(self, said: bytes | None = None) -> Any:
        return Status(b"PONG") if said is None else said

    def time(self) -> Any:
        now = self._now()
        return [b"%d" % int(now), b"%d" % int(now % 1 * 1e6)]

    def delete(self, *keys: bytes) -> int:
        count = 0
        for key in keys:
            self._find(key, type(self.keys.get(key)))
            count += key in self.keys
            self._drop(key)
        return count

    def expire(self, key: bytes, seconds: bytes) -> int:
        end = self._now() + _integer(seconds)
        self._find(key, type(self.keys.get(key)))
        if key not in self.keys:
            return 0
        self.ends[key] = end
        return 1

    def get(self, key: bytes) -> Any:
        return self._find(key, bytes)

    # -------------------------------------------------------------------------------------------------------- hashes
    def hget(self, key: bytes, field: bytes) -> Any:
        return (self._find(key, dict) or {}).get(field)

    def hmget(self, key: bytes, *fields: bytes) -> Any:
        found = self._find(key, dict) or {}
        return [found.get(field) for field in fields]

    def hgetall(self, key: bytes) -> Any:
        return dict(self._find(key, dict) or {})

    def hkeys(self, key: bytes) -> Any:
        return list(self._find(key, dict) or {})

    def hexists(self, key: bytes, field: bytes) -> int:
        return int(field in (self._find(key, dict) or {}))

    def hsetnx(self, key: bytes, field: bytes, value: bytes) -> int:
        if self.hexists(key, field):
            return 0
        return self.hset(key, field, value)

    def hset(self, key: bytes, *pairs: bytes) -> int:
        if len(pairs) % 2:
            raise Refused("ERR wrong number of arguments for 'hset' command")
        found = self._make(key, dict)
        before = len(found)
        found.update(zip(pairs[::2], pairs[1::2], strict=True))
        return len(found) - before

    def hdel(self, key: bytes, *fields: bytes) -> int:
        found = self._find(key, dict)
        if found is None:
            return 0
        count = sum(found.pop(field, None) is not None for field in fields)
        self._tidy(key, found)
        return count

    def hincrby(self, key: bytes, field: bytes, by: bytes) -> int:
        step = _integer(by)
        was = (self._find(key, dict) or {}).get(field, b"0")
        try:
            new = _integer(was) + step
        except Refused:
            raise Refused("ERR hash value is not an integer") from None
        self._make(key, dict)[field] = b"%d" % new
        return new

    # ----------------------------------------------------------------------------------------------- sets, sorted sets
    def sadd(self, key: bytes, *members: bytes) -> int:
        found = self._make(key, set)
        before = len(found)
        found.update(members)
        return len(found) - before

    def smembers(self, key: bytes) -> Any:
        return frozenset(self._find(key, set) or ())

    def zadd(self, key: bytes, *pairs: bytes) -> int:
        scores = [_float(score) for score in pairs[::2]]
        if len(pairs) % 2:
            raise Refused("ERR syntax error")
        found = self._make(key, Sorted)
        before = len(found)
        found.update(zip(pairs[1::2], scores, strict=True))
        return len(found) - before

    def zrem(self, key: bytes, *members: bytes) -> int:
        found = self._find(key, Sorted)
        if found is None:
            return 0
        count = sum(found.pop(member, None) is not None for member in members)
        self._tidy(key, found)
        return count

    def zscore(self, key: bytes, member: bytes) -> Any:
        return (self._find(key, Sorted) or {}).get(member)

    def zrange(self, key: bytes, first: bytes, last: bytes) -> Any:
        begin, end = _integer(first), _integer(last)
        found = (self._find(key, Sorted) or Sorted()).ranked()
        begin = max(0, begin + len(found) if begin < 0 else begin)
        end = end + len(found) if end < 0 else end
        return found[begin : end + 1]

    def zremrangebyscore(self, key: bytes, least: bytes, most: bytes) -> int:
        low, high = _float(least), _float(most)
        found = self._find(key, Sorted)
        if found is None:
            return 0
        gone = [member for member, score in found.items() if low <= score <= high]
        for member in gone:
            del found[member]
        self._tidy(key, found)
        return len(gone)

    # ------------------------------------------------------------------------------------------------------- streams
    def xadd(self, key: bytes, *rest: bytes) -> bytes:
        most = None
        if rest[0].upper() == b"MAXLEN":
            most, rest = _integer(rest[1]), rest[2:]
        if len(rest) < 3 or len(rest) % 2 == 0:
            raise Refused("ERR wrong number of arguments for 'xadd' command")
        at = _stream_id(rest[0], 0)
        if at == (0, 0):
            raise Refused("ERR The ID specified in XADD must be greater than 0-0")
        stream = self._find(key, Stream)
        if stream is not None and at <= stream.last:
            raise Refused("ERR The ID specified in XADD is equal or smaller than the target stream top item")
        stream = self._make(key, Stream)
        stream.ids.append(at)
        stream.entries.append(list(rest[1:]))
        stream.last = at
        if most is not None and len(stream.ids) > most:
            gone = len(stream.ids) - most
            del stream.ids[:gone], stream.entries[:gone]
        return b"%d-%d" % at

    def xrange(self, key: bytes, first: bytes, last: bytes, *limit: bytes) -> Any:
        ends = {b"-": (0, 0), b"+": (LAST, LAST)}
        low, high = ends.get(first) or _stream_id(first, 0), ends.get(last) or _stream_id(last, LAST)
        if limit and (len(limit) != 2 or limit[0].upper() != b"COUNT"):
            raise Refused("ERR syntax error")
        count = _integer(limit[1]) if limit else LAST
        stream = self._find(key, Stream)
        if stream is None:
            return []
        if count <= 0:
            return None
        begin, end = bisect_left(stream.ids, low), bisect_right(stream.ids, high)
        end = min(end, begin + count)
        return [[b"%d-%d" % stream.ids[k], list(stream.entries[k])] for k in range(begin, end)]

    # ------------------------------------------------------------------------------------------------------ the rest
    def publish(self, channel: bytes, message: bytes) -> int:
        return self._told(channel, message)

    def eval(self, text: bytes, *rest: bytes) -> Any:
        sha = hashlib.sha1(text, usedforsecurity=False).hexdigest().encode()
        _LUA.learn(sha, text)
        self.scripts.add(sha)
        return self._run(sha, rest)

    def evalsha(self, sha: bytes, *rest: bytes) -> Any:
        if sha not in self.scripts:
            raise Refused("NOSCRIPT No matching script. Please use EVAL.")
        return self._run(sha, rest)

    def _run(self, sha: bytes, rest: tuple[bytes, ...]) -> Any:
        count = _integer(rest[0])
        if count > len(rest) - 1:
            raise Refused("ERR Number of keys can't be greater than number of args")
        return _LUA.run(self, sha, rest[1 : 1 + count], rest[1 + count :])


class _Lua:
    """One interpreter for all: a script keeps nothing between two calls."""

    def __init__(self) -> None:
        self._lua = lua51.LuaRuntime(encoding=None, register_eval=False, unpack_returned_tuples=False)
        self._texts: dict[bytes, Any] = {}
        self._globals = self._lua.globals()
        self._globals[b"redis"] = self._lua.table_from(
            {b"call": self._call, b"error_reply": lambda text: self._lua.table_from({b"err": text})}
        )
        self._store: Store | None = None

    def learn(self, sha: bytes, text: bytes) -> None:
        if sha not in self._texts:
            self._texts[sha] = self._lua.execute(b"return function() " + text + b"\nend")

    def run(self, store: Store, sha: bytes, keys: tuple[bytes, ...], args: tuple[bytes, ...]) -> Any:
        self._store = store
        self._globals[b"KEYS"] = self._lua.table_from(keys)
        self._globals[b"ARGV"] = self._lua.table_from(args)
        try:
            return self._answer(self._texts[sha]())
        except lua51.LuaError as mistake:
            raise Refused(f"ERR {str(mistake).splitlines()[0]}") from None

    def _call(self, *command: Any) -> Any:
        assert self._store
        plain = [part if isinstance(part, bytes) else b"%.17g" % part for part in command]
        return self._value(self._store.call(*plain))

    def _value(self, answer: Any) -> Any:
        """A command's answer, as scripts see it."""
        if answer is None:
            return False
        if isinstance(answer, Status):
            return self._lua.table_from({b"ok": bytes(answer)})
        if isinstance(answer, dict):
            answer = [part for pair in answer.items() for part in pair]
        if isinstance(answer, frozenset):
            answer = sorted(answer)
        if isinstance(answer, list):
            return self._lua.table_from([self._value(one) for one in answer])
        return b"%.17g" % answer if isinstance(answer, float) else answer

    def _answer(self, value: Any) -> Any:
        """A script's value, as its caller gets it."""
        if value is None or value is False:
            return None
        if value is True:
            return 1
        if isinstance(value, (int, float)):
            return int(value)
        if isinstance(value, bytes):
            return value
        if (wrong := value[b"err"]) is not None:
            raise Refused(wrong.decode())
        if (well := value[b"ok"]) is not None:
            return Status(well)
        found, k = [], 1
        while (one := value[k]) is not None:
            found.append(self._answer(one))
            k += 1
        return found


_LUA = _Lua()
ANY = 1 << 30

# name: the least and the most arguments, whether it is refused when the memory is full, what it does
_COMMANDS: dict[bytes, tuple[int, int, bool, Callable[..., Any]]] = {
    b"PING": (0, 1, False, Store.ping),
    b"TIME": (0, 0, False, Store.time),
    b"DEL": (1, ANY, False, Store.delete),
    b"EXPIRE": (2, 2, False, Store.expire),
    b"GET": (1, 1, False, Store.get),
    b"HGET": (2, 2, False, Store.hget),
    b"HMGET": (2, ANY, False, Store.hmget),
    b"HGETALL": (1, 1, False, Store.hgetall),
    b"HKEYS": (1, 1, False, Store.hkeys),
    b"HEXISTS": (2, 2, False, Store.hexists),
    b"HSET": (3, ANY, True, Store.hset),
    b"HSETNX": (3, 3, True, Store.hsetnx),
    b"HDEL": (2, ANY, False, Store.hdel),
    b"HINCRBY": (3, 3, True, Store.hincrby),
    b"SADD": (2, ANY, True, Store.sadd),
    b"SMEMBERS": (1, 1, False, Store.smembers),
    b"ZADD": (3, ANY, True, Store.zadd),
    b"ZREM": (2, ANY, False, Store.zrem),
    b"ZSCORE": (2, 2, False, Store.zscore),
    b"ZRANGE": (3, 3, False, Store.zrange),
    b"ZREMRANGEBYSCORE": (3, 3, False, Store.zremrangebyscore),
    b"XADD": (4, ANY, True, Store.xadd),
    b"XRANGE": (3, 5, False, Store.xrange),
    b"PUBLISH": (2, 2, False, Store.publish),
    b"EVAL": (2, ANY, False, Store.eval),
    b"EVALSHA": (2, ANY, False, Store.evalsha),
}


def _integer(text: bytes) -> int:
    body = text.removeprefix(b"-")
    if not body.isdigit() or (body != b"0" and body.startswith(b"0")) or text == b"-0":
        raise Refused("ERR value is not an integer or out of range")
    return int(text)


def _float(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        raise Refused("ERR value is not a valid float") from None


def _stream_id(text: bytes, second: int) -> tuple[int, int]:
    first, dash, rest = text.partition(b"-")
    if not first.isdigit() or (dash and not rest.isdigit()):
        raise Refused("ERR Invalid stream ID specified as stream command argument")
    return int(first), int(rest) if dash else second
