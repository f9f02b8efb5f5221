"""Mistakes a server could have in how it takes what is sent, put in by name: to prove that the frames find them."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

from protocol import codec, forms
from protocol.codec import BadMessage
from protocol.codes import Close
from server import asks, replies, session
from server.session import Session
from tests.faults.bugs import put

BUGS: dict[str, tuple[str, Callable[[], None]]] = {}


def bug(words: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def keep(put_in: Callable[[], None]) -> Callable[[], None]:
        BUGS[put_in.__name__] = words, put_in
        return put_in

    return keep


def put_in(name: str) -> None:
    BUGS[name][1]()


def _codecs(make: Callable[[Any], Any]) -> None:
    """What is done to the reading of both encodings."""
    for one in codec.CODECS.values():
        put(one, "_unpack", make)


@bug("breaks down at an extension type of msgpack")
def ext_raises() -> None:
    def make(old: Any) -> Any:
        def no_plain(one: Any) -> Any:
            if isinstance(one, tuple):
                raise KeyError(one)
            return old(one)

        return no_plain

    put(codec, "_no_plain", make)


@bug("takes every message for a map")
def unhandled_type() -> None:
    put(codec, "_from_client", lambda old: lambda value: old(value) if value.get("t") else old(value))


@bug("looks into nested lists by recursion")
def recursion() -> None:
    def walk(value: Any) -> bool:
        below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return all(walk(one) for one in below)

    def make(old: Any) -> Any:
        def check(value: Any, depth: int) -> None:
            walk(value)
            old(value, depth)

        return check

    put(codec, "_check", make)


@bug("lets half a character through, which no frame can hold")
def lone_surrogate() -> None:
    put(codec, "_check_text", lambda old: lambda text: None)


@bug("does not answer a question about what is not there")
def answer_dropped() -> None:
    def make(old: Any) -> Any:
        def say(self: Session, message: dict[str, object]) -> None:
            if message.get("t") != "answer" or message.get("code") != "unknown":
                old(self, message)

        return say

    put(Session, "_say", make)


@bug("answers a repeated command twice")
def answered_twice() -> None:
    def make(old: Any) -> Any:
        def say(self: Session, message: dict[str, object]) -> None:
            old(self, message)
            if message.get("code") == "seq_reused":
                old(self, message)

        return say

    put(Session, "_say", make)


@bug("forgets the number of a request that holds a fraction")
def number_lost() -> None:
    put(codec, "_numbers", lambda old: lambda value: (None, None))


@bug("refuses in words of no list")
def unlisted_code() -> None:
    put(
        replies,
        "of_protocol",
        lambda old: lambda seq, code, **params: old(seq, {"bad_message": "oops"}.get(code, code), **params),
    )


@bug("looks at each pair of letters of a text")
def quadratic_text() -> None:
    def make(old: Any) -> Any:
        def check_text(text: str) -> None:
            old(text)
            sum(a == b == "\u0335" for a in text[:2000] for b in text[:2000])

        return check_text

    put(codec, "_check_text", make)


@bug("has an expression that goes back over a text again and again")
def slow_expression() -> None:
    slow = re.compile(r"(\(|\()*$")
    put(
        asks,
        "calc",
        lambda old: lambda seen, text, *rest, **more: [slow.search(f"{text[:22]}!"), old(seen, text, *rest, **more)][1],
    )


@bug("takes a fraction in JSON for the whole number below it")
def other_in_json() -> None:
    def whole(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: whole(one) for key, one in value.items()}
        return (
            [whole(one) for one in value]
            if isinstance(value, list)
            else int(value)
            if isinstance(value, float)
            else value
        )

    put(codec.JSON, "_unpack", lambda old: lambda frame: whole(old(frame)))


@bug("closes the connection where it should refuse")
def closes_instead() -> None:
    def make(old: Any) -> Any:
        async def listen(self: Session, *args: Any) -> None:
            try:
                await asyncio.sleep(0)
                await old(self, *args)
            except BadMessage as bad:
                raise session.Ended(Close.BAD_MESSAGE, bad.text) from None

        return listen

    put(Session, "_listen", make)
    put(session, "_answer_to", lambda old: lambda bad: old(bad) if bad.seq is None else _raised(bad))


@bug("quotes what it was sent as it is")
def quoted_raw() -> None:
    def make(old: Any) -> Any:
        return lambda value, *rest: f"'{value[:40]}'" if isinstance(value, str) else old(value, *rest)

    for one in (forms, codec):
        put(one, "named", make)


@bug("remembers every bad frame for ever")
def leak() -> None:
    kept: list[Any] = []

    def make(old: Any) -> Any:
        def unpack(frame: Any) -> Any:
            kept.append(bytes(1 << 13))
            return old(frame)

        return unpack

    _codecs(make)


@bug("loses the task that follows other servers")
def task_lost() -> None:
    def make(old: Any) -> Any:
        async def answer(room: Any, key: Any, question: Any, *more: Any) -> Any:
            for task in asyncio.all_tasks():
                if task.get_name() == "room follower" and question.id == 7:
                    task.cancel()
            return await old(room, key, question, *more)

        return answer

    put(asks, "answer", make)


def _raised(bad: BadMessage) -> Any:
    raise bad
