"""Bytes: what is accepted comes back unchanged, and everything else is one error with a sentence."""

import json
import struct

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import from_server, version
from protocol.codec import CODECS, JSON, MSGPACK, BadMessage, Codec, by_subprotocol, command_body, encode_diff, plain
from protocol.from_client import AskCalc, AskLog, AskRewindPreview, Command, Drift, Hello, Ping, Resume
from protocol.from_server import Ack, Answer, Check, Diff, Error, GoAway, Pong, Presence, Refused, Snapshot, Welcome
from protocol.lines import pack

REACT = {"kind": "react", "unit": "u", "act": {"kind": "步", "slot": "immediate"}}
FROM_CLIENT = [
    Hello(versions=(1,), token="t.s.x", client="c"),
    Hello(versions=(1, 2), token="t.s.x", client="c", resume=Resume(epoch="e", n=5)),
    Command(seq=1, seen=0, body=command_body("hold", {})),
    Command(seq=2, seen=9, as_seat="p1", body=command_body("pass", {"window": "w", "gen": 2})),
    Command(seq=3, seen=9, body=command_body("ask_leave", {"command": REACT, "text": "请"})),
    AskLog(id=1, before=10, limit=200),
    AskRewindPreview(id=2, to=4),
    AskCalc(id=3, text="6/Resolve extra successes + 1", unit="u1"),
    Ping(id=3),
    Drift(n=64, crc=2**32 - 1),
]
FROM_SERVER = [
    Welcome(
        version=1, table="T", name="夜", epoch="e", n=3, seat="p", seat_name="Mia", role="player", limits={"text": 2000},
        heartbeat_s=20, now=1_700_000_000_000,
    ),
    Snapshot(epoch="e", n=3, reason="first", view={"u/a/hp": 5, "t/active": None, "u/a/left": {"swift": 1}}),
    Diff(n=4, ops=[["u/a/hp", 4], ["w/x"]], log=[pack("said", 60, "p", [None, "hi"])]),
    Ack(seq=1, n=4, made=["x"]),
    Refused(seq=1, code="stale", params={"to": 3}, retry=False),
    Answer(id=1, entries=[(3, [[0, 1, "st"]])], more=True),
    Answer(id=2, code="forbidden", params={"unit": "u"}),
    Presence(here=["p"]),
    Pong(id=3, now=1),
    Check(n=64, crc=4_000_000_000),
    Error(code="bad_message", text="no"),
    GoAway(reason="restart", after_ms=100),
]  # fmt: skip
codecs = pytest.mark.parametrize("codec", CODECS.values(), ids=lambda one: one.subprotocol)


@codecs
@pytest.mark.parametrize("message", FROM_CLIENT, ids=lambda one: type(one).__name__)
def test_a_clients_message_comes_back_as_it_was(codec: Codec, message):
    assert codec.decode_from_client(codec.encode(message)) == message


@codecs
@pytest.mark.parametrize("message", FROM_SERVER, ids=lambda one: type(one).__name__)
def test_a_servers_message_comes_back_as_it_was(codec: Codec, message):
    assert codec.decode_from_server(codec.encode(message)) == message


@pytest.mark.parametrize("message", FROM_SERVER, ids=lambda one: type(one).__name__)
def test_the_edge_turns_msgpack_into_the_same_json(message):
    packed = MSGPACK.encode(message)
    assert isinstance(packed, bytes)
    assert JSON.transcode(packed) == JSON.encode(message)
    assert MSGPACK.transcode(packed) is packed


def test_every_message_of_a_server_is_tried():
    assert {type(one) for one in FROM_SERVER} == {*from_server.MAPS.values(), Diff}


def test_setting_one_hp_takes_at_most_32_bytes():
    """A real path and log line, at the end of a long evening at a busy table."""
    diff = encode_diff(50_000, [["u/Qx3f_9Za/hp", 37]], [pack("value_set", 12 * 3600, "st")])
    assert len(diff) <= 32


def test_subprotocols_name_their_encoding():
    assert by_subprotocol("overseer.v1.msgpack") is MSGPACK
    assert by_subprotocol("overseer.v1.json") is JSON
    with pytest.raises(KeyError):
        by_subprotocol(None)


# ----------------------------------------------------------------------------------------------------- what is no message
def said(frame: bytes | str, codec: Codec = MSGPACK) -> str:
    with pytest.raises(BadMessage) as caught:
        codec.decode_from_client(frame)
    return caught.value.text


def test_what_is_no_plain_value_is_refused():
    assert said(msgpack.packb([1.5])) == "the number 1.5 was found; only whole numbers are accepted"
    assert said("[1.5]", JSON) == "the number 1.5 was found; only whole numbers are accepted"
    assert said("[NaN]", JSON) == "the number NaN was found; only whole numbers are accepted"
    assert said(msgpack.packb([b"raw"])) == "raw bytes was found; only plain values are accepted"
    assert "extension type 5" in said(msgpack.packb([msgpack.ExtType(5, b"")]))
    assert "Timestamp" in said(msgpack.packb([msgpack.Timestamp(1)]))
    assert "key" in said(msgpack.packb({1: 2}))
    assert said(msgpack.packb({b"t": 2})) == "a map has raw bytes as a key; keys must be text"
    assert said(msgpack.packb([2**64 - 1])) == "a number was found that does not fit into 64 bits"
    assert said('["\\ud800"]', JSON) == "a text holds half a character (a lone surrogate)"
    assert said('{"\\ud800": 1}', JSON) == "a text holds half a character (a lone surrogate)"


def test_a_list_or_map_beyond_all_that_could_be_meant_is_not_even_made():
    most = version.ENTRIES
    assert said(msgpack.packb({"t": "ping", "id": [0.5] + [None] * (most - 1)})).startswith("the number 0.5")
    for wide in ([0.5] + [None] * most, {f"{k}": None for k in range(most + 1)}):
        assert said(msgpack.packb({"t": "ping", "id": wide})).startswith(
            f"the frame is not one msgpack value: {most + 1}"
        )
    assert said(f"  [{'0.5,' * most}0.5]", JSON) == 'a list was found; a message is a map with the key "t"'
    for message in ({"t": "command", "units": [0] * (most + 1), "seq": 7}, {"t": [0] * (most + 1), "seq": 7}):
        with pytest.raises(BadMessage) as caught:
            MSGPACK.decode_from_client(msgpack.packb(message))
        assert caught.value.seq == 7, "who sent it waits for an answer"
    view = {f"p/{k}": k for k in range(most + 1)}
    assert MSGPACK.read(msgpack.packb(view), 1 << 20, 4) == view, "what a server sends may be as long"


def test_frames_of_the_wrong_kind_are_refused():
    assert said("text") == "a text frame was found; this connection speaks msgpack in binary frames"
    assert said(b"\x80", JSON) == "a binary frame was found; this connection speaks JSON in text frames"
    assert said(b"\xc1") == "the frame is not one msgpack value: no such byte begins a value"
    assert said(b"\x01\x02").startswith("the frame is not one msgpack value")
    assert said("{", JSON).startswith("the frame is not JSON: ")
    assert said(msgpack.packb([])) == 'a list was found; a message is a map with the key "t"'
    assert said(msgpack.packb({"t": "helo"})) == (
        "there is no message 'helo'; accepted: hello, command, ask, ping, drift"
    )


@codecs
@pytest.mark.parametrize("levels", [12, 13, 500, 5000])
def test_depth_is_bounded(codec: Codec, levels: int):
    # {"t": ..., "x": [[...]]}: the map is one level of its own.
    if codec is JSON:
        frame: bytes | str = '{"t":"ping","id":1,"x":' + "[" * (levels - 1) + "]" * (levels - 1) + "}"
    else:
        frame = b"\x83\xa1t\xa4ping\xa2id\x01\xa1x" + b"\x91" * (levels - 2) + b"\x90"
    if levels <= version.DEPTH:
        assert codec.decode_from_client(frame) == Ping(id=1)
    else:
        assert said(frame, codec) == "the message is nested too deep; at most 12 levels are accepted"


@codecs
def test_size_is_bounded_before_anything_is_read(codec: Codec):
    frame = codec.encode_plain({"t": "ping", "id": 1, "x": "é" * (version.FRAME_BYTES // 2)})
    with pytest.raises(BadMessage) as caught:
        codec.decode_from_client(frame)
    assert caught.value.code == "too_long"
    assert f"at most {version.FRAME_BYTES} are accepted" in caught.value.text


def test_a_bad_command_still_says_which_it_was():
    with pytest.raises(BadMessage) as caught:
        MSGPACK.decode_from_client(msgpack.packb({"t": "command", "seq": 7, "seen": 1, "kind": "hidee"}))
    assert (caught.value.seq, caught.value.text) == (7, "there is no command 'hidee'; did you mean hide?")
    with pytest.raises(BadMessage) as caught:
        MSGPACK.decode_from_client(msgpack.packb({"t": "ask", "id": 8, "what": "log", "limit": 0}))
    assert (caught.value.ask, caught.value.text) == (8, "the question log: limit must be at least 1; found 0")


@codecs
@pytest.mark.parametrize(
    "odd", [1.5, float("nan"), 2**64 - 1, [[[[[[[[[[[[[1]]]]]]]]]]]]]], ids=["fraction", "nan", "large", "deep"]
)
def test_whatever_else_is_wrong_a_number_that_can_be_read_is_kept(codec: Codec, odd: object):
    """Else the sender would wait for an answer to it for ever."""
    for request, number in (
        ({"t": "command", "seq": 7, "seen": 0, "kind": "say", "text": odd}, (7, None)),
        ({"t": "ask", "id": 8, "what": "calc", "text": odd}, (None, 8)),
        ({"t": "ping", "id": 9, "x": odd}, (None, None)),
    ):
        frame = msgpack.packb(request) if codec is MSGPACK else json.dumps(request)
        with pytest.raises(BadMessage) as caught:
            codec.decode_from_client(frame)
        assert (caught.value.seq, caught.value.ask) == number


def test_what_is_told_of_a_place_cannot_steer_a_terminal():
    unit = {"name": "Ghoul", "extras": {"\x1b[31m\u202e" + "x" * 40: "much"}}
    text = said(msgpack.packb({"t": "command", "seq": 7, "seen": 1, "kind": "add_unit", "unit": unit}))
    assert text.isprintable()
    assert "extras.?[31m?xxx" in text


@pytest.mark.parametrize(
    "hello",
    [
        {"t": "hello", "versions": "t.s.verysecret", "token": 1, "client": "c"},
        {"t": "hello", "versions": [1], "token": "t.s.verysecret" * 50, "client": "c"},
        {"t": "hello", "versions": [1], "token": "t.s.verysecret", "client": ["t.s.verysecret"]},
        {"t": "hello", "versions": [1], "token": "t.s.verysecret", "client": "c", "resume": "t.s.verysecret"},
    ],
)
def test_nothing_of_a_hello_is_ever_quoted(hello: dict[str, object]):
    assert "verysecret" not in said(msgpack.packb(hello))


# -------------------------------------------------------------------------------------------------------------- any bytes
words = st.sampled_from(
    ["t", "command", "hello", "ask", "ping", "kind", "seq", "seen", "act", "declare", "unit", "log", ""]
)
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | words,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(words | st.text(), inner, max_size=8),
    max_leaves=25,
)
near_messages = st.fixed_dictionaries(
    {"t": st.sampled_from(["command", "hello", "ask", "ping"])},
    optional={
        "kind": st.sampled_from(["declare", "set_value", "add_unit", "ask_leave", "edit_pending", "nonsense"]),
        "seq": st.integers(-1, 5) | plain_values,
        "seen": st.just(1),
        "unit": plain_values,
        "act": plain_values,
        "command": plain_values,
        "value": plain_values,
        "was": plain_values,
        "what": words,
        "id": plain_values,
        "token": plain_values,
    },
)


def only_bad_message(codec: Codec, frame: bytes | str) -> None:
    problems: list[BadMessage] = []
    for decode in (codec.decode_from_client, codec.decode_from_server):
        try:
            message = decode(frame)
        except BadMessage as bad:
            problems.append(bad)
        else:
            if message is not None:
                codec.encode(message)
    for problem in problems:
        assert problem.code in ("bad_message", "too_long")
        assert 0 < len(problem.text.encode()) < 2000


@settings(deadline=None, max_examples=150)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_bad_one(frame: bytes):
    only_bad_message(MSGPACK, frame)
    only_bad_message(JSON, frame.decode(errors="surrogateescape"))


@settings(deadline=None, max_examples=150)
@given(plain_values | near_messages)
def test_any_value_is_a_message_or_a_bad_one(value: object):
    try:
        frame = msgpack.packb(value)
    except (OverflowError, UnicodeEncodeError):
        pass  # not to be said in msgpack at all
    else:
        only_bad_message(MSGPACK, frame)
    only_bad_message(JSON, json.dumps(value))


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(FROM_CLIENT + FROM_SERVER), st.data())
def test_a_damaged_message_is_a_message_or_a_bad_one(message, data: st.DataObject):
    frame = bytearray(msgpack.packb(plain(message)))
    at = data.draw(st.integers(0, len(frame) - 1))
    frame[at] = data.draw(st.integers(0, 255))
    only_bad_message(MSGPACK, bytes(frame))
    only_bad_message(MSGPACK, bytes(frame[:at]))


@pytest.mark.parametrize("head", [b"\xdd", b"\xdf", b"\xdb", b"\xc6", b"\xc9"])
def test_a_huge_promised_length_costs_nothing(head: bytes):
    said(head + struct.pack(">I", 2**32 - 1) + b"\x01" * 10)
