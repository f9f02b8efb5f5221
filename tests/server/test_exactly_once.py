"""One command, one effect, one answer: however often it is sent, to whatever node, before or after a rewind."""

import asyncio
import random
from collections import Counter
from pathlib import Path
from typing import Any

import msgpack
import pytest

from protocol.lines import unpack
from server import catching_up, room, seating
from server.app import App
from server.config import Settings
from server.store import lanes
from tests.helpers.lossy_proxy import LossyProxy
from tests.server.evening import Evening
from tests.server.test_gateway import closed_with, heard, hello, raw


def said(evening: Evening, node: int = 0) -> Counter[str]:
    told = evening.seats["Bob"].ears[node].told
    lines = [unpack(packed) for one in told if isinstance(one, list) for packed in one[3]]
    return Counter(one["text"] for one in lines if one.kind == "said")


async def ogre(evening: Evening) -> str:
    made = await evening.say("ST", "add_unit", client="maker", unit={"name": "Ogre", "tracks": {"hp": 90}})
    return str(made["made"][0])


def hp(evening: Evening, unit: str, node: int = 0) -> int:
    return evening.rooms[node].table.play.units[unit].tracks["hp"].value  # type: ignore[index]


async def test_whatever_is_sent_again_and_again_to_any_node_is_done_once_and_answered_alike(evening: Evening):
    """Commands that are done, refused by a rule, and undone by a rewind in between; each sent ten times, all at once."""
    unit, dice = await ogre(evening), random.Random(11)
    seen = {who: evening.place(who)[1] for who in ("ST", "Ann", "Bob")}
    commands: list[tuple[str, str, dict[str, Any]]] = [
        *((("Ann", "Bob")[k % 2], "say", {"text": f"line {k}"}) for k in range(8)),
        *(("ST", "adjust", {"unit": unit, "path": "hp", "by": -1}) for _ in range(6)),
        *(("Ann", "narrate", {"text": f"I am no Storyteller {k}"}) for k in range(4)),
    ]

    async def send(k: int, node: int) -> tuple[int, dict[str, Any]]:
        who, kind, fields = commands[k]
        return k, await evening.say(who, kind, node=node, client=f"c{k}", seq=3, seen=seen[who], **fields)

    async def storm(among: range) -> list[tuple[int, dict[str, Any]]]:
        order = [(k, dice.randrange(2)) for k in among for _ in range(5)]
        dice.shuffle(order)
        return await asyncio.gather(*(send(*one) for one in order))

    first = await storm(range(len(commands)))
    await evening.meet()
    assert hp(evening, unit) == 84
    back = await evening.say("ST", "rewind", client="back", seq=1, to=seen["ST"], head=evening.place("ST")[1])
    assert back["t"] == "ack", back
    second = await storm(range(len(commands)))
    await evening.meet()

    answers: dict[int, set[str]] = {}
    for k, answer in first + second:
        answers.setdefault(k, set()).add(repr(answer))
    assert all(len(one) == 1 for one in answers.values()), answers
    assert len(answers) == len(commands)
    assert [answer["t"] for k, answer in sorted(first, key=lambda one: one[0]) if k >= 14] == ["refused"] * 20
    assert said(evening) == said(evening, 1) == Counter(f"line {k}" for k in range(8))
    assert hp(evening, unit) == hp(evening, unit, 1) == 90  # undone, and not done again


async def test_the_same_number_with_other_content_is_refused_whichever_comes_first(evening: Evening):
    async with evening.rooms[0].lock:
        sending = [
            asyncio.create_task(evening.say("Ann", "say", node=node, client="c", seq=4, seen=0, text=text))
            for text, node in (("one thing", 0), ("another", 0), ("a third", 1))
        ]
        await asyncio.sleep(0)
    answers = await asyncio.gather(*sending)
    assert sorted(one.get("code", one["t"]) for one in answers) == ["ack", "seq_reused", "seq_reused"]
    await evening.meet()
    assert sum(said(evening).values()) == 1


async def test_the_id_of_another_seats_command_tells_nothing_and_blocks_nothing(evening: Evening):
    """Bob guesses Ann's client and number, before her and after her, with her very words and with others."""
    guess = await evening.say("Bob", "say", client="anns", seq=9, seen=0, text="mine")
    hers = await evening.say("Ann", "say", node=1, client="anns", seq=9, seen=0, text="mine")
    assert (guess["t"], hers["t"]) == ("ack", "ack")
    refused = await evening.say("Ann", "narrate", client="anns", seq=10, text="no")
    other = await evening.say("Bob", "say", node=1, client="anns", seq=10, text="no answer of hers is here")
    assert (refused["t"], other["t"]) == ("refused", "ack")
    assert await evening.say("Ann", "say", client="anns", seq=9, seen=0, text="mine") == hers
    await evening.meet()
    assert said(evening) == {"mine": 2, "no answer of hers is here": 1}


async def test_busy_is_no_decision_and_the_command_may_be_sent_anew(evening: Evening, monkeypatch: pytest.MonkeyPatch):
    """Every try finds that another node was faster. The last word is `busy`: nothing was done; a new number asks anew."""
    store = evening.rooms[0].store
    real = store.commit_all
    number = iter(range(1, 100))

    async def too_late(several: Any) -> Any:
        await evening.say("Bob", "say", node=1, client="faster", seq=next(number), text="me first")
        return await real(several)

    monkeypatch.setattr(store, "commit_all", too_late)
    busy = await evening.say("Ann", "say", client="c", seq=1, seen=0, text="let me")
    monkeypatch.setattr(store, "commit_all", real)
    assert (busy["t"], busy["code"], busy["retry"]) == ("refused", "busy", True)
    assert said(evening) == {"me first": room.TRIES}
    assert await evening.say("Ann", "say", node=1, client="c", seq=1, seen=0, text="let me") == busy
    assert (await evening.say("Ann", "say", client="c", seq=2, text="let me"))["t"] == "ack"
    await evening.meet()
    assert said(evening)["let me"] == 1


async def test_a_mistake_in_the_server_is_answered_once_too(evening: Evening, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(room, "decide", lambda *_: 1 / 0)
    first = await evening.say("Ann", "say", client="c", seq=1, seen=0, text="oh")
    monkeypatch.undo()
    assert first["code"] == "not_possible"
    assert await evening.say("Ann", "say", node=1, client="c", seq=1, seen=0, text="oh") == first
    assert not said(evening)


async def test_while_the_store_is_away_the_client_is_told_to_come_back_and_may_ask_again(
    valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It was kept and only the answer was lost, which nobody but the store knows until it is asked again."""
    async with (
        LossyProxy(valkey, tmp_path) as proxy,
        App(Settings(redis_url=proxy.url, port=0, data_dir=tmp_path)) as app,
    ):
        st = await seating.make_table(app.rooms, "Thursday")

        async def narrate(seq: int) -> dict[str, Any] | int:
            """The answer, or the code the connection was closed with."""
            async with raw(app) as socket:
                await socket.send(msgpack.packb({**hello(st), "client": "me"}))
                command = {"t": "command", "seq": seq, "kind": "narrate", "seen": 0, "text": f"line {seq}"}
                await socket.send(msgpack.packb(command))
                try:
                    while True:
                        message: Any = await heard(socket)  # a diff is a list
                        if isinstance(message, dict) and message["t"] in ("ack", "refused"):
                            return message
                except Exception:
                    return await closed_with(socket)

        assert isinstance(await narrate(1), dict)
        monkeypatch.setattr(lanes, "DEADLINE_S", 0.3)
        proxy.lose_answers_to(b"EVALSHA", 10_000)
        assert await narrate(2) == 4101
        proxy.lose_answers_to(b"", 0)
        monkeypatch.setattr(lanes, "DEADLINE_S", 3.0)
        second = await narrate(2)
        assert isinstance(second, dict)
        assert second["t"] == "ack"
        assert await narrate(2) == second
        async with app.rooms.using(st.table) as table:
            async with table.lock:
                await catching_up.catch_up(table)
            assert table.version == 3  # made, line 1, line 2
