"""Bytes and letters that are hardly a message: cut off, damaged, too deep, with lengths that lie, or of kinds nobody speaks.

`BYTES` for msgpack, `LETTERS` for JSON: (what it is, a function that makes one out of a message).
"""

import json
import struct
from collections.abc import Callable
from random import Random
from typing import Any

import msgpack

from tests.fuzz import tricks

Make = Callable[[Random, Any], Any]


def spelt(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def packed(value: Any) -> bytes:
    try:
        found: bytes = msgpack.packb(value)
    except (UnicodeEncodeError, OverflowError, ValueError):
        return b"\xc1"
    return found


def cut(r: Random, data: Any) -> Any:
    return data[: r.randrange(len(data))] if len(data) else data


def flipped(r: Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(r.choice((1, 1, 2, 8))):
        found[r.randrange(len(found))] ^= 1 << r.randrange(8)
    return bytes(found)


def spliced(r: Random, data: Any) -> Any:
    """A piece of it is missing, or there twice."""
    a, b = r.randrange(len(data) + 1), r.randrange(len(data) + 1)
    return data[:b] + data[a:]


# -------------------------------------------------------------------------------------------------------------- msgpack
def ext(r: Random) -> bytes:
    code, size = r.choice((-128, -1, 0, 5, 127)), r.choice((0, 1, 2, 4, 8, 12, 16, 300, 3000))
    found: bytes = msgpack.packb(msgpack.ExtType(code & 0x7F, b"\xff" * size))
    at = 1 if size in (1, 2, 4, 8, 16) else 2 if size < 256 else 3
    return found[:at] + struct.pack("b", code) + found[at + 1 :]


def around(head: bytes, r: Random) -> bytes:
    """A command with such a value in it; its number comes first, or after."""
    number = b"\xa3seq" + r.choice((b"\x07", b"\xcd\x01\x00"))
    parts = [b"\xa1t\xa7command", number, b"\xa4seen\x00", b"\xa4kind\xa3say", b"\xa4text" + head]
    r.shuffle(parts)
    return b"\x85" + b"".join(parts)


def lie(r: Random, lengths: tuple[int, ...]) -> bytes:
    """So many things are promised: entries, pairs, letters, bytes, bytes of an extension."""
    return r.choice((b"\xdd", b"\xdf", b"\xdb", b"\xc6", b"\xc9")) + struct.pack(">I", r.choice(lengths))


def twice_packed(r: Random) -> bytes:
    more = r.choice((b"\xa3seq\x09", b"\xa1t\xa4ping", b"\xa4text\xc0"))
    return b"\x86" + around(b"\xa1a", r)[1:] + more


WHOLE = (
    b"\xcb" + struct.pack(">d", 1.5),
    b"\xcb\x7f\xf8" + bytes(6),
    b"\xca\x7f\x80\x00\x00",
    b"\xcf" + b"\xff" * 8,
    b"\xc4\x03abc",
    b"\xa4\xff\xfe\xed\xa0",
    b"\xa3\xed\xa0\x80",
    b"\xc1",
    b"\xa2\xc0\x80",
    b"\xd7\xff" + b"\xff" * 8,
    b"\xd6\xff" + bytes(4),
    b"\xc7\x0c\xff" + bytes(12),
)
"""Values that no message has: fractions, large numbers, raw bytes, letters that are none, moments in time."""
ODD_KEYS = (b"\x01", b"\xc0", b"\xc4\x02id", b"\x90", b"\x80", b"\xcb" + bytes(8))
NESTS = (b"\x91", b"\x81\xa1a", b"\xdc\x00\x01")
BOMBS = (
    b"\xdd\x00\x00\xff\x00" + b"\xc0" * 0xFF00,
    b"\xdc\xff\x00" + b"\x90" * 0xFF00,
    b"\xde\x40\x00" + b"".join(b"\xcd" + struct.pack(">H", k) + b"\xc0" for k in range(0x4000)),
    b"\xde\x30\x00" + b"".join(b"\xa3%03x\xc0" % k for k in range(0x1000)) * 3,
)
BYTES: tuple[tuple[str, Make], ...] = (
    ("cut off", lambda r, v: cut(r, packed(v))),
    ("flipped", lambda r, v: flipped(r, packed(v))),
    ("spliced", lambda r, v: spliced(r, packed(v))),
    ("random", lambda r, v: r.randbytes(r.choice((0, 1, 2, 10, 100, 1000)))),
    ("text frame", lambda r, v: r.choice(("text", *tricks.TEXTS))),
    ("several", lambda r, v: packed(v) * 2),
    ("deep", lambda r, v: r.choice(NESTS) * r.choice((12, 600, 20_000))),
    ("length lies", lambda r, v: lie(r, (2**32 - 1, 2**31, 70_000, 2)) + b"\x01" * 9),
    ("lie within", lambda r, v: around(lie(r, (2**32 - 1, 2**16, 3)) + b"aaa", r)),
    ("ext", lambda r, v: ext(r)),
    ("ext within", lambda r, v: around(ext(r), r)),
    ("odd within", lambda r, v: around(r.choice(WHOLE), r)),
    ("bomb", lambda r, v: r.choice(BOMBS)),
    ("twice the key", lambda r, v: twice_packed(r)),
    ("odd keys", lambda r, v: b"\x82\xa1t\xa4ping" + r.choice(ODD_KEYS) + b"\x01"),
    ("too long", lambda r, v: packed(r.choice(tricks.HUGE))),
)

# ----------------------------------------------------------------------------------------------------------------- JSON
HALVES = (',"x":"\\ud800"}', ',"text":"\\udfff\\ud800"}', ',"\\udbff":1}')
ESCAPES = (',"x":"\\u0000"}', ',"x":"\\q"}', ',"x":"\\u12"}', ',"x":"\x1f"}')
TWICE = (',"seq":9}', ',"t":"ping","id":3}', ',"seq":null}')
NUMBERS = ("1e999", "-0", "01", "1.", "NaN", "-Infinity", "9" * 4000, "9" * 9000, "1e5", "0x1")
NO_JSON = ("'a'", "{a:1}", "[1,]", "//", "undefined", "nul", "{}{}", '"', "True", "\u00a0{}", "\ufeff{}", " " * 60_000)
LONG = (
    "[" + "0," * 30_000 + "0]",
    "[" + "[]," * 20_000 + "0]",
    "{" + ",".join(f'"{k}":0' for k in range(7000)) + "}",
)


def letters(r: Random) -> str:
    draw = (lambda: r.randrange(128)) if r.random() < 0.5 else (lambda: r.randrange(0x110000))
    return "".join(chr(draw()) for _ in range(r.choice((0, 1, 9, 99))))


def and_back(r: Random) -> str:
    depth = r.choice((12, 600, 20_000))
    return "[" * depth + "]" * depth


LETTERS: tuple[tuple[str, Make], ...] = (
    ("cut off", lambda r, v: cut(r, spelt(v))),
    ("spliced", lambda r, v: spliced(r, spelt(v))),
    ("random", lambda r, v: letters(r)),
    ("binary frame", lambda r, v: packed(v)),
    ("several", lambda r, v: spelt(v) * 2),
    ("deep", lambda r, v: r.choice(("[", '{"a":', "[[],")) * r.choice((12, 600, 20_000))),
    ("deep and whole", lambda r, v: and_back(r)),
    ("half a character", lambda r, v: json.dumps(v)[:-1] + r.choice(HALVES)),
    ("escapes", lambda r, v: json.dumps(v)[:-1] + r.choice(ESCAPES)),
    ("numbers", lambda r, v: f'{json.dumps(v)[:-1]},"x":{r.choice(NUMBERS)}}}'),
    ("twice the key", lambda r, v: json.dumps(v)[:-1] + r.choice(TWICE)),
    ("bomb", lambda r, v: r.choice(LONG)),
    ("white space", lambda r, v: spelt(v).replace(",", " ,\n\t")),
    ("no JSON", lambda r, v: r.choice(NO_JSON)),
    ("too long", lambda r, v: spelt(r.choice(tricks.HUGE))),
)
