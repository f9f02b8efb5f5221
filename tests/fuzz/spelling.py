"""Frames at the codec alone, many a second: each is a message or a bad one, and the same in both encodings."""

import time
from random import Random
from typing import Any

from protocol import version
from protocol.codec import CODECS, JSON, BadMessage
from tests.fuzz.frames import Frame, Frames
from tests.fuzz.grammar import Grammar
from tests.fuzz.outcome import Outcome

HALF = "raw half a character"
"""Bad wherever it stands: it could be sent on to nobody."""


def batch(seed: int, frames: int) -> Outcome:
    """So many frames; of each pair of twins both count."""
    r = Random(f"spelling {seed}")
    grammar = Grammar(r, wild=0.3)
    outcome = Outcome(seed)
    drawn = {name: Frames(r, grammar, name, bad=1.0) for name in CODECS}
    began = time.perf_counter()
    while outcome.frames < frames and not outcome.faults:
        if r.random() < 0.5:
            name = r.choice(list(CODECS))
            tried(outcome, drawn[name].next(), name)
        else:
            twins(outcome, drawn, r)
    outcome.seconds = time.perf_counter() - began
    return outcome


def twins(outcome: Outcome, drawn: dict[str, Frames], r: Random) -> None:
    """One message in both encodings."""
    value, key, sound = drawn[version.JSON].message()
    if not sound or r.random() < 0.6:
        value, sound = drawn[version.JSON].grammar.mutated(value, large=False), False
    label = f"{'sound' if sound else 'mutated'} {key}"
    pair = [drawn[name].frame(value, label, sound=sound, key=key) for name in CODECS]
    found = [tried(outcome, frame, name) for frame, name in zip(pair, CODECS, strict=True)]
    if pair[0].label == pair[1].label == label and found[0] != found[1]:
        fault(outcome, f"msgpack reads {found[0]!r:.300}, JSON {found[1]!r:.300}", pair[0], "both")


def tried(outcome: Outcome, frame: Frame, name: str) -> Any:
    """What the frame is read as: a message, or the code, number and words of what is wrong with it."""
    outcome.frames += 1
    began = time.thread_time()
    found: Any
    try:
        found = CODECS[name].decode_from_client(frame.data)
    except BadMessage as bad:
        found = (bad.code, bad.text, bad.seq, bad.ask)
    except Exception as problem:
        found = None
        fault(outcome, f"reading it failed: {problem!r:.300}", frame, name)
    outcome.note_time((time.thread_time() - began) * 1000, frame)
    outcome.answered += 1
    if isinstance(found, tuple):
        words = wrong(frame, found)
        if words:
            fault(outcome, words, frame, name)
    elif frame.label == HALF:
        fault(outcome, "half a character was let through", frame, name)
    return found


def wrong(frame: Frame, bad: tuple[str, str, int | None, int | None]) -> str:
    code, text, seq, ask = bad
    if code not in ("bad_message", "too_long"):
        return f"{code} is no code of a bad message"
    if frame.sound:
        return f"what is sound was called bad: {text}"
    if not text or len(text.encode()) > 2500 or not all(letter.isprintable() for letter in text):
        return f"these words cannot be told: {text!r:.300}"
    number = {"command": seq, "ask": ask}.get(frame.due[0]) if isinstance(frame.due, tuple) else None
    if isinstance(frame.due, tuple) and frame.due[0] != "ping" and number != frame.due[1]:
        return f"the number {frame.due[1]} was lost: {text}"
    return ""


def fault(outcome: Outcome, what: str, frame: Frame, name: str) -> None:
    outcome.faults.append((what, frame.label, frame.hex, name))


def one(hex: str, name: str) -> Outcome:
    """A frame that was printed, once more."""
    codec = CODECS[name]
    data: bytes | str = bytes.fromhex(hex)
    if codec is JSON and isinstance(data, bytes):
        data = data.decode("utf-8", "surrogatepass")
    outcome = Outcome(0)
    print(f"{name}: {tried(outcome, Frame(data, 'as given'), name)}")
    return outcome
