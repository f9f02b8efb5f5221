"""Clients of an earlier version, and the tables it left in the store, are served by this one: recorded once, replayed."""

from pathlib import Path
from typing import Any

import msgpack
import pytest

from protocol import version
from tests.end_to_end.earlier import HERE, Recording, Voice, kind_of, restore
from tests.helpers.servers import serving

RECORDINGS = sorted(HERE.glob("*.bin"))


def told(frame: bytes) -> Any:
    """What a frame says, but for times, sentences for people, how far the server is, and sums over keys that are new too."""
    message = msgpack.unpackb(frame)
    if kind_of(frame) == "diff":
        _, n, ops, log = message
        return [n, _timeless(ops), [[line[0], *_timeless(line[2:])] for line in log]]
    if "entries" in message:
        message["entries"] = [[n, [[line[0], *line[2:]] for line in log]] for n, log in message["entries"]]
    return _timeless(message)


def _timeless(value: Any) -> Any:
    if isinstance(value, list):
        return [_timeless(one) for one in value]
    if isinstance(value, dict):
        return {key: _timeless(one) for key, one in value.items() if key not in ("now", "text", "minor", "crc")}
    return "a time" if isinstance(value, int) and value > 10**11 else value


@pytest.mark.parametrize("path", RECORDINGS, ids=[path.stem for path in RECORDINGS])
async def test_a_client_of_an_earlier_version_hears_what_it_heard_then(path: Path, valkey: str) -> None:
    """The same frames get the same answers and changes. New messages are not for it; new keys it does not know."""
    recording = Recording.read(path)
    restore(valkey, recording.keys)
    async with serving(redis_url=valkey) as server:
        voices = {step.who: Voice(server.address) for step in recording.steps}
        for step in recording.steps:
            if step.anew:
                await voices[step.who].anew()
            heard = await voices[step.who].say(step.said)
            assert [kind_of(frame) for frame in heard] == [kind_of(frame) for frame in step.heard], step.said
            for now, then in zip(heard, step.heard, strict=True):
                assert _known(told(now), told(then)) == told(then)
        for voice in voices.values():
            await voice.close()


def _known(now: Any, then: Any) -> Any:
    """What a client of then reads of a message of now: the keys it knows. Of a snapshot's view, all that it knew by name."""
    if isinstance(now, dict) and isinstance(then, dict):
        return {key: _known(one, then[key]) for key, one in now.items() if key in then}
    return now


def test_the_version_before_this_one_was_recorded() -> None:
    assert HERE / f"{version.VERSION}.{max(0, version.MINOR - 1)}.bin" in RECORDINGS
