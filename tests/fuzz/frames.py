"""Frames, drawn one after the other: messages as they should be, with one thing wrong, out of turn, and no messages at all.

Of each it is known what has to come back, as far as that can be known without the server's own reading of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

import msgpack

from protocol import version
from protocol.from_client import ASKS, BODIES
from tests.fuzz import raw, tricks
from tests.fuzz.grammar import Grammar, Plain

Due = tuple[Literal["command", "ask", "ping"], int] | Literal["error", "snapshot"] | None
"""What has to come: an answer under this number; an ERROR; a SNAPSHOT; None: one of these, nobody knows which."""


@dataclass(frozen=True)
class Frame:
    """`label` says what was meant by it. `sound`: nothing is wrong with its form. `key`: the command or question."""

    data: bytes | str
    label: str
    due: Due = None
    sound: bool = False
    key: str = ""

    @property
    def hex(self) -> str:
        return self.data.hex() if isinstance(self.data, bytes) else self.data.encode("utf-8", "surrogatepass").hex()


def due(value: Plain) -> Due:
    """What the contract says of a message: a request whose number can be read is answered under it."""
    if not isinstance(value, dict):
        return "error"
    t = value.get("t")
    if t == "ask":
        return ("ask", value["id"]) if _number(value.get("id")) else "error"
    if t == "ping":
        return ("ping", value["id"]) if _number(value.get("id")) else "error"
    if t == "drift":
        return None
    if t == "hello":
        return "error"
    return ("command", value["seq"]) if _number(value.get("seq")) else "error"


def _number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= version.TIME


class Frames:
    """`next()` is the next frame for one session. `seq`: the number of its last command."""

    def __init__(self, random: Random, grammar: Grammar, encoding: str, *, bad: float, large: bool = True) -> None:
        self.r = random
        self.grammar = grammar
        self.encoding = encoding
        self.bad = bad
        self.large = large
        self.seq = 0
        self.kinds = list(BODIES)
        self.playing: Callable[[], dict[str, Plain] | None] = lambda: None

    def next(self) -> Frame:
        if self.r.random() < self.bad:
            return self.no_message()
        value, key, sound = self.message()
        draw = self.r.random() - (0.2 if not sound else 0)
        if draw < 0.35:
            return self.frame(value, f"{'sound' if sound else 'played'} {key}", sound=sound, key=key)
        if draw < 0.97:
            return self.frame(self.grammar.mutated(value, large=self.large), f"mutated {key}", key=key)
        odd = tricks.odd_value(self.r, large=self.large)
        return self.frame({"t": odd} if self.r.random() < 0.5 else odd, "no message")

    # ------------------------------------------------------------------------------------------------------- messages
    def message(self) -> tuple[dict[str, Plain], str, bool]:
        """A message, its name, and whether its form is surely sound: as somebody would play it, or of any kind."""
        draw = self.r.random()
        if draw < 0.45 and (body := self.playing()) is not None:
            return self.enveloped(body), body["kind"], False
        if draw < 0.8:
            kind = self.r.choice(self.kinds)
            return self.enveloped(self.grammar.body(kind)), kind, True
        if draw < 0.94:
            what = self.r.choice(list(ASKS))
            question = self.grammar.question(what)
            return question, what, True
        if draw < 0.96:
            return {"t": "ping", "id": self.grammar.number([], "id") % 2**31}, "ping", True
        if draw < 0.98:
            return {"t": "drift", "n": self.grammar.known.n, "crc": self.r.randrange(2**32)}, "drift", True
        return self.grammar.hello("a.b.c"), "hello", True

    def enveloped(self, body: dict[str, Plain]) -> dict[str, Plain]:
        """The next number mostly; seldom one that was used, or one far ahead."""
        draw = self.r.random()
        self.seq += 1
        seq = self.seq if draw < 0.94 else max(1, self.seq - self.r.choice((1, 2, 15, 16, 17, 100)))
        if 0.99 < draw:
            seq = self.seq = self.seq + self.r.choice((1, 100, 10_000))
        seen = max(0, self.grammar.known.n - self.r.choice((0, 0, 0, 0, 3)))
        found = {"t": "command", "seq": seq, "seen": seen, **body}
        if self.r.random() < 0.1:
            found["as"] = self.grammar.word([], "as")[: version.ID] or "x"
        return found

    def frame(self, value: Plain, label: str, *, sound: bool = False, key: str = "") -> Frame:
        """A value in this encoding; where it cannot be said there, something else that can."""
        data: bytes | str
        try:
            data = msgpack.packb(value) if self.encoding == version.MSGPACK else raw.spelt(value)
        except (UnicodeEncodeError, OverflowError, ValueError):
            return self.frame({"t": "ping"}, "unsayable")
        size = len(data) if isinstance(data, bytes) else len(data.encode(errors="replace"))
        if size > version.FRAME_BYTES:
            return Frame(data, label, "error", key=key)
        wanted: Due = "snapshot" if sound and value["t"] == "drift" else due(value)
        if sound and value["t"] == "hello":
            sound = False
        return Frame(data, label, wanted, sound, key)

    # -------------------------------------------------------------------------------------------------- no messages
    def no_message(self) -> Frame:
        """Bytes or letters that are hardly a message."""
        value, _, _ = self.message()
        if self.encoding == version.MSGPACK:
            how, data = self.r.choice(raw.BYTES)
            return Frame(data(self.r, value), f"raw {how}", key="")
        how, text = self.r.choice(raw.LETTERS)
        return Frame(text(self.r, value), f"raw {how}", key="")
