"""Frames to checked messages and back, in both encodings. A frame that is none of ours raises BadMessage, nothing else.

The text of a BadMessage says in plain words what was asked, what was found and what would be accepted. It may be sent
to whoever sent the frame; a token never stands in it.
"""

import contextlib
import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgpack
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from protocol import from_client, from_server, version
from protocol.forms import in_words, named, short
from protocol.from_client import ASKS, BODIES, Command, Drift, FromClient, Hello, Ping
from protocol.from_server import DIFF, Answer, AnyFromServer, Diff

Frame = bytes | str
"""A WebSocket message: binary for msgpack, text for JSON."""


LABELS = 32
"""Entries of a message that is too long to be made, among which its name and number are looked for."""

M = TypeVar("M", bound=BaseModel)


class BadMessage(ValueError):
    """A frame that cannot be taken. `seq` or `ask` is the request's number where at least that could be read.

    `finding`: the one field that is wrong, where that is known and what was found may be told.
    """

    def __init__(
        self,
        code: str,
        text: str,
        *,
        seq: int | None = None,
        ask: int | None = None,
        finding: ErrorDetails | None = None,
    ) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.seq = seq
        self.ask = ask
        self.finding = finding

    def said(self, language: str) -> str:
        """What is wrong with the field, in this language; what is no field's fault is told in English."""
        return self.text if self.finding is None else in_words(self.finding, True, language)


class Codec:
    """One encoding of the messages. `MSGPACK` and `JSON` are all there are."""

    def __init__(
        self, subprotocol: str, pack: Callable[[Any], Frame], unpack: Callable[[Frame, int | None], Any]
    ) -> None:
        self.subprotocol = subprotocol
        self._pack = pack
        self._unpack = unpack

    def __repr__(self) -> str:
        return f"<Codec {self.subprotocol}>"

    def encode(self, message: BaseModel) -> Frame:
        """A message, of either side, as a frame."""
        return self._pack(plain(message))

    def encode_plain(self, value: Any) -> Frame:
        """Plain values (`plain(message)`, a DIFF made by hand) as a frame."""
        return self._pack(value)

    def transcode(self, packed: bytes) -> Frame:
        """Bytes that `MSGPACK` made as a frame of this encoding: the very same bytes for msgpack."""
        return packed if self is MSGPACK else self._pack(msgpack.unpackb(packed))

    def decode_from_client(self, frame: Frame) -> FromClient:
        """A client's frame, checked. Raises BadMessage."""
        value = self._value(frame, version.FRAME_BYTES, version.ENTRIES)
        try:
            _check(value, version.DEPTH)
        except BadMessage as bad:
            bad.seq, bad.ask = _numbers(value)
            raise
        return _from_client(value)

    def decode_from_server(self, frame: Frame) -> AnyFromServer | None:
        """A server's frame, checked; None for a message only a newer server knows. Raises BadMessage."""
        return _from_server(self.read(frame, version.SERVER_FRAME_BYTES, version.SERVER_DEPTH))

    def read(self, frame: Frame, max_bytes: int, max_depth: int) -> Any:
        """Plain values: nil, bool, whole number, text, list, map with text keys. Raises BadMessage for all else."""
        value = self._value(frame, max_bytes)
        _check(value, max_depth)
        return value

    def _value(self, frame: Frame, max_bytes: int, max_entries: int | None = None) -> Any:
        # A character of text is at least one byte, so this never lets too much through; the second look is exact.
        size = len(frame) if isinstance(frame, bytes) or len(frame) > max_bytes else len(frame.encode(errors="replace"))
        if size > max_bytes:
            raise BadMessage("too_long", f"the message has {size} bytes; at most {max_bytes} are accepted")
        return self._unpack(frame, max_entries)


def by_subprotocol(name: str | None) -> Codec:
    """The encoding that was negotiated. Raises KeyError for a name that is none of ours."""
    return CODECS[name or ""]


def encode_diff(n: int, ops: list[Any], log: list[Any]) -> bytes:
    """A DIFF as msgpack, straight from its parts: the bytes that are stored and sent."""
    return msgpack.packb([DIFF, n, ops, log])


def plain(message: BaseModel) -> Any:
    """A message as plain values, the shape the wire has. Of a client's message, what is as by default is left out."""
    if isinstance(message, Diff):
        return [DIFF, message.n, message.ops, message.log]
    if isinstance(message, Answer):
        told = {name: value for name in Answer.model_fields if (value := getattr(message, name)) not in (None, {})}
        return {**told, **(message.model_extra or {})}
    if isinstance(message, from_server.FromServer):
        # Its values are plain already; a walk through a whole snapshot would only cost.
        return {name: getattr(message, name) for name in type(message).model_fields}
    if isinstance(message, Command):
        envelope: dict[str, Any] = {"t": "command", "seq": message.seq, "seen": message.seen}
        if message.as_seat is not None:
            envelope["as"] = message.as_seat
        return {**envelope, **_body(message.body)}
    labels = {name: getattr(message, name) for name in ("t", "what") if name in type(message).model_fields}
    return {**labels, **message.model_dump(exclude_defaults=True)}


def _body(body: from_client.Body) -> dict[str, Any]:
    fields = body.model_dump(exclude_defaults=True)
    if isinstance(body, from_client.AskLeave):
        fields["command"] = _body(body.command)
    return {"kind": getattr(body, "kind", ""), **fields}


# ----------------------------------------------------------------------------------------------- bytes and plain values
def _pack_msgpack(value: Any) -> bytes:
    return msgpack.packb(value)


def _unpack_msgpack(frame: Frame, max_entries: int | None) -> Any:
    if isinstance(frame, str):
        raise BadMessage("bad_message", "a text frame was found; this connection speaks msgpack in binary frames")
    most = -1 if max_entries is None else max_entries
    try:
        # A list or map that is too long is not even made: 65,000 values take 15 ms.
        return msgpack.unpackb(frame, raw=False, strict_map_key=True, max_array_len=most, max_map_len=most)
    except msgpack.exceptions.StackError:
        raise _too_deep(version.DEPTH) from None
    except (ValueError, TypeError, msgpack.exceptions.UnpackException) as problem:
        # FormatError, ExtraData, bad UTF-8, a key that is no text: most of them ValueErrors.
        why = short(str(problem)) or "no such byte begins a value"
        bad = BadMessage("bad_message", f"the frame is not one msgpack value: {why}")
        if "exceeds max" in why:
            bad.seq, bad.ask = _numbers(_outline(frame))
        raise bad from None


def _outline(frame: bytes) -> dict[str, Any]:
    """Of a message that is too long to be made, what it says it is: who sent it waits for an answer to it."""
    reader = msgpack.Unpacker()
    reader.feed(frame)
    found: dict[str, Any] = {}

    def short_value() -> Any:
        began = reader.tell()
        reader.skip()
        packed = frame[began : reader.tell()]
        return msgpack.unpackb(packed) if len(packed) <= version.ID else None

    with contextlib.suppress(ValueError, TypeError, msgpack.exceptions.UnpackException):
        for _ in range(min(reader.read_map_header(), LABELS)):
            key, value = short_value(), short_value()
            if key in ("t", "seq", "id"):
                found[key] = value
    return found


def _pack_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _unpack_json(frame: Frame, max_entries: int | None) -> Any:
    if isinstance(frame, bytes):
        raise BadMessage("bad_message", "a binary frame was found; this connection speaks JSON in text frames")
    if max_entries is not None and len(frame) > 2 * max_entries and frame.lstrip().startswith("["):
        raise _no_map([])  # without a look at what is in it
    try:
        return json.loads(frame)
    except RecursionError:
        raise _too_deep(version.DEPTH) from None
    except ValueError as problem:
        raise BadMessage("bad_message", f"the frame is not JSON: {short(str(problem))}") from None


def _too_deep(max_depth: int) -> BadMessage:
    return BadMessage("bad_message", f"the message is nested too deep; at most {max_depth} levels are accepted")


def _no_map(value: Any) -> BadMessage:
    return BadMessage("bad_message", f'{named(value)} was found; a message is a map with the key "t"')


def _check(value: Any, depth: int) -> None:
    """Only plain values, at most `depth` levels of them. Level by level, no recursion: the sender chooses the depth.

    A frame can hold 65,000 values, so little is done for each: 5 ms for such a one.
    """
    level = [value]
    while level:
        below: list[Any] = []
        for one in level:
            kind = type(one)
            if kind is str:
                if not one.isascii():
                    _check_text(one)
            elif kind is int:
                if not -(2**63) <= one < 2**63:
                    raise BadMessage("bad_message", "a number was found that does not fit into 64 bits")
            elif one is None or kind is bool:
                pass
            elif kind is list or kind is dict:
                if depth == 0:
                    raise _too_deep(version.DEPTH)
                below += one if kind is list else _values(one)
            else:
                raise BadMessage("bad_message", f"{_no_plain(one)} was found; {_accepted(kind)}")
        level = below
        depth -= 1


def _values(one: dict[Any, Any]) -> Iterable[Any]:
    for key in one:
        if type(key) is not str:
            raise BadMessage("bad_message", f"a map has {named(key)} as a key; keys must be text")
        _check_text(key)
    return one.values()


def _no_plain(one: Any) -> str:
    if isinstance(one, float):
        return f"the number {json.dumps(one)}"
    return f"msgpack's extension type {one.code}" if isinstance(one, msgpack.ExtType) else named(one)


def _accepted(kind: type) -> str:
    return "only whole numbers are accepted" if kind is float else "only plain values are accepted"


def _check_text(text: str) -> None:
    # JSON can spell half of a surrogate pair, which is no character and could not be sent on.
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadMessage("bad_message", "a text holds half a character (a lone surrogate)") from None


MSGPACK = Codec(version.MSGPACK, _pack_msgpack, _unpack_msgpack)
JSON = Codec(version.JSON, _pack_json, _unpack_json)
CODECS: Mapping[str, Codec] = {one.subprotocol: one for one in (MSGPACK, JSON)}


# ------------------------------------------------------------------------------------------- plain values and messages
def _from_client(value: Any) -> FromClient:
    if not isinstance(value, dict):
        raise _no_map(value)
    t = value.get("t")
    if t == "hello":
        # Nothing of a HELLO is quoted: a token may stand in the wrong place.
        return _model(Hello, value, "hello", quote=False)
    if t == "command":
        return _command(value)
    if t == "ask":
        return _ask(value)
    if t == "ping":
        return _model(Ping, value, "ping")
    if t == "drift":
        return _model(Drift, value, "drift")
    raise BadMessage(
        "bad_message",
        f"there is no message {named(t)}; accepted: hello, command, ask, ping, drift",
        seq=_number(value),
    )


def _command(value: dict[str, Any]) -> Command:
    seq = _number(value)
    try:
        kind = _one_of(BODIES, value.get("kind"), "command")
        body = _model(BODIES[kind], value, kind)
        envelope = {key: value[key] for key in Command.ENVELOPE if key in value}
        return _model(Command, {**envelope, "body": body}, kind)
    except BadMessage as bad:
        bad.seq = seq
        raise


def _ask(value: dict[str, Any]) -> FromClient:
    try:
        what = _one_of(ASKS, value.get("what"), "question")
        return _model(ASKS[what], value, f"the question {what}")
    except BadMessage as bad:
        bad.ask = _number(value, "id")
        raise


def command_body(kind: str, fields: Mapping[str, Any]) -> from_client.AnyBody:
    """A command's body from its kind and fields, as a client makes it. Raises BadMessage, for unknown fields too."""
    model = BODIES[_one_of(BODIES, kind, "command")]
    for name in fields:
        if name not in model.model_fields or name == "kind":
            known = ", ".join(one for one in model.model_fields if one != "kind") or "none"
            raise BadMessage("bad_message", f"{kind} has no field {name}; its fields: {known}")
    return _model(model, dict(fields), kind)  # type: ignore[return-value]  # every model of BODIES is one of AnyBody


def _from_server(value: Any) -> AnyFromServer | None:
    if isinstance(value, list):
        if not value or value[0] != DIFF:
            return None
        if len(value) < 4:
            raise BadMessage("bad_message", f"a diff of {len(value)} items was found; it has four")
        return _model(Diff, {"n": value[1], "ops": value[2], "log": value[3]}, "diff")
    if not isinstance(value, dict) or not isinstance(value.get("t"), str):
        raise BadMessage("bad_message", f'{named(value)} was found; a message is a list, or a map with the key "t"')
    model = from_server.MAPS.get(value["t"])
    return None if model is None else _model(model, value, value["t"])  # type: ignore[return-value]  # as in MAPS


def _model(model: type[M], value: Any, what: str, *, quote: bool = True) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        text = f"{what}: {in_words(first, quote)}"
        raise BadMessage("bad_message", text, finding=first if quote else None) from None


def _numbers(value: Any) -> tuple[int | None, int | None]:
    """(seq, ask) of what is no message: a request is answered under its number, whatever else is wrong with it."""
    if not isinstance(value, dict) or (t := value.get("t")) in ("hello", "ping", "drift"):
        return None, None
    return (None, _number(value, "id")) if t == "ask" else (_number(value), None)


def _number(value: dict[str, Any], key: str = "seq") -> int | None:
    number = value.get(key)
    return number if type(number) is int and 0 <= number <= version.TIME else None


def _one_of(known: Mapping[str, Any], name: Any, what: str) -> str:
    if isinstance(name, str) and name in known:
        return name
    near = difflib.get_close_matches(name[:40], known, n=3) if isinstance(name, str) else []
    which = f"did you mean {' or '.join(near)}?" if near else f"accepted are {', '.join(known)}"
    raise BadMessage("bad_message", f"there is no {what} {named(name)}; {which}")
