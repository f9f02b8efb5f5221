"""Whether what came back for a frame is what the protocol promises: one answer, under its number, in words of the lists."""

from collections.abc import Sequence
from typing import Any

from core.refusals import CODES
from protocol import codes
from protocol.codec import BadMessage, Codec
from tests.fuzz.frames import Frame

NEWS = frozenset({"snapshot", "check", "presence"})
ANSWERS = {"command": ("ack", "refused"), "ask": ("answer",), "ping": ("pong",)}
SEATS = frozenset(
    "add_seat remove_seat renew_invitation revoke_invitation set_role lend_seat take_back_seat answer_request".split()
)
"""Commands after which somebody may have to go: his seat is another's, or nobody's."""
AWAY = frozenset(
    {codes.Close.SEAT_GONE, codes.Close.REVOKED, codes.Close.EXPIRED, codes.Close.NOT_AN_ST, codes.Close.ROLE_CHANGED}
)
BAD_FORM = frozenset({"bad_message", "too_long"})
WELL = frozenset({1000, 1001, 1002, 1003, 1007, 1009})
"""Close codes of WebSocket itself: what is no frame, no text, or too long to be looked at."""
LATER = frozenset({429, 503})
"""What a handshake is refused with by a server that has too much to do."""
NOTHING = 1006
"""In place of a close code: the line ended without one."""


def close_code(said: bytes) -> int:
    """Of all frames that a server sent; NOTHING where it said no code. Raises ValueError where it is cut off in a frame."""
    code, at = NOTHING, 0
    while at < len(said):
        head = 2 + {126: 2, 127: 8}.get(said[at + 1], 0)
        size = int.from_bytes(said[at + 2 : at + head], "big") if head > 2 else said[at + 1]
        body = said[at + head : at + head + size]
        if len(body) < size:
            raise ValueError("cut off in a frame")
        if said[at] == 0x88 and size >= 2:
            code = int.from_bytes(body[:2], "big")
        at += head + size
    return code


def read(codec: Codec, said: Sequence[Any]) -> list[Any]:
    """What was said, as plain values; each checked to be a message of a server."""
    found = []
    for frame in said:
        assert codec.decode_from_server(frame) is not None, f"no message of a server: {frame!r:.200}"
        found.append(codec.read(frame, 1 << 30, 1 << 10))
    return found


def judged(frame: Frame, codec: Codec, said: Sequence[Any]) -> tuple[list[Any], str]:
    """(the answers, what is wrong or ""). `said`: all that came after the frame and before the next thing asked."""
    try:
        told = read(codec, said)
    except (BadMessage, AssertionError) as problem:
        return [], f"the server said what is no message of its own: {problem}"
    news = [one for one in told if isinstance(one, list) or one["t"] in NEWS]
    answers = [one for one in told if not isinstance(one, list) and one["t"] not in NEWS]
    return answers, wrong(frame, answers, news)


def wrong(frame: Frame, answers: list[dict[str, Any]], news: list[Any]) -> str:
    """In words; "" where all is as it should be."""
    if frame.due == "snapshot" and [one.get("code") for one in answers] == ["rate"]:
        return ""  # too many: it is told so, as one who pings too often is
    fresh = any(not isinstance(one, list) and one["t"] == "snapshot" for one in news)
    if frame.due == "snapshot" or (frame.due is None and not answers and fresh):
        return "" if fresh and not answers else f"a snapshot was due, {answers} came"
    if len(answers) != 1:
        return f"one answer was due, {len(answers)} came: {answers}"
    (answer,) = answers
    if answer["t"] not in ("ack", "refused", "answer", "pong", "error"):
        return f"{answer['t']} is no answer"
    code = answer.get("code")
    if code is not None and code not in CODES and code not in codes.REFUSALS:
        return f"{code} is a code of no list"
    if code == "clock_due":
        return "clock_due left the server"
    if answer["t"] == "refused" and answer["params"].get("st") == "fault":
        return "a command failed inside"
    if isinstance(frame.due, tuple):
        what, number = frame.due
        if answer["t"] not in ANSWERS[what] and not (what == "ping" and answer["t"] == "error"):
            return f"the {what} {number} was answered by {answer}"
        if answer["t"] != "error" and answer.get("seq" if what == "command" else "id") != number:
            return f"the {what} {number} was answered under another number: {answer}"
    if frame.due == "error" and answer["t"] != "error":
        return f"an error was due, {answer} came"
    if frame.sound and code in BAD_FORM:
        return f"what is sound was called bad: {answer}"
    return ""


def closed_well(code: int, *, first: bool) -> str:
    """Of the close code that came for a first frame, or for one that is no WebSocket's; "" where it is documented."""
    if code in WELL:
        return ""
    if code not in set(codes.Close):
        return f"closed with {code}, which is in no list"
    if code == codes.Close.BUSY:
        return "closed because something went wrong inside"
    if not first and codes.comes_back(code) == "never":
        return f"closed with {code} in the middle of a good conversation"
    return ""
