"""Files that a Storyteller takes away over the wire: what the operator's commands write, page by page, and nothing more."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.ids import ALL, ST
from protocol import lines, texts
from protocol.codec import JSON
from protocol.from_client import AskAudit, AskExport
from protocol.version import FRAME_BYTES
from server import asks, export, exporting, transcript
from server.exporting import Exporting
from server.keeping import past_of
from tests.server.evening import Evening
from tests.server.test_export import checked, done, fight_and_talk

Answer = dict[str, Any]


async def asked(evening: Evening, under_way: Exporting, who: str = "ST", /, **fields: Any) -> Answer:
    return await asks.answer(evening.rooms[0], evening.seats[who].key, AskExport(id=1, **fields), under_way)


async def pages(evening: Evening, /, **fields: Any) -> AsyncIterator[Answer]:
    under_way, page = Exporting(), 0
    while True:
        answer = await asked(evening, under_way, page=page, **fields)
        assert "code" not in answer, answer
        yield answer
        if "next" not in answer:
            return
        page = answer["next"]


async def taken(evening: Evening, /, **fields: Any) -> str:
    return "".join([answer["text"] async for answer in pages(evening, **fields)])


async def told(evening: Evening, audience: str) -> AsyncIterator[export.Line]:
    past = await past_of(evening.rooms[0].store, evening.table, Path("/nowhere"))
    async for line in export.told(past, audience):
        yield line


async def test_page_by_page_it_is_the_file_that_the_operator_gets(evening: Evening, monkeypatch: pytest.MonkeyPatch):
    await fight_and_talk(evening)
    table = evening.rooms[0].table
    ann = str(evening.seats["Ann"].key.seat)
    monkeypatch.setattr(exporting, "PAGE", 600)
    monkeypatch.setattr(exporting, "CHANGES", 5)
    for whose in (ST, ALL, ann):
        lines = [export.header(evening.table, table, whose)] + [line async for line in told(evening, whose)]
        log = await taken(evening, form="log", whose=whose)
        assert [json.loads(line) for line in log.splitlines()] == json.loads(json.dumps(lines))

        names = {str(seat.id): seat.name for seat in table.seats.values() if seat.role == "player" or whose == ST}
        story = await transcript.collect(told(evening, whose), table.created, transcript.Wanted(), names)
        for language in ("en", "zh"):
            written = "".join(f"{line}\n" for line in transcript.written(story, table.name, whose, language))
            assert await taken(evening, whose=whose, language=language) == written
            assert await taken(evening, whose=whose, language=language, evening=0) == written

    version = evening.rooms[0].version
    told_so_far = [answer["done"] async for answer in pages(evening, form="log")]
    assert told_so_far == sorted(told_so_far)
    assert len(told_so_far) > version / 5
    assert told_so_far[-1] == version


@pytest.mark.rule("DICE-07")
async def test_the_dice_of_a_log_taken_away_can_be_checked_and_no_sealed_seed_is_in_it(evening: Evening):
    await fight_and_talk(evening)
    lines = [json.loads(line) for line in (await taken(evening, form="log")).splitlines()][1:]
    found = checked(lines)
    assert found.wrong == []
    assert (found.confirmed, found.waiting.total()) == (22, 5)


async def test_no_page_is_longer_than_a_frame(evening: Evening):
    for text in ("𝔄" * 2000, "“" * 2000):
        for _ in range(12):
            await done(evening, "ST", "narrate", text=text)
    for form in ("log", "story"):
        async for answer in pages(evening, form=form):
            frame = JSON.encode_plain(answer)
            assert len(frame.encode() if isinstance(frame, str) else frame) <= FRAME_BYTES, form


async def test_only_a_storyteller_is_given_it_and_only_what_his_own_connection_has_begun(evening: Evening):
    await fight_and_talk(evening)
    ann = str(evening.seats["Ann"].key.seat)
    under_way = Exporting()
    refused = await asked(evening, under_way, "Ann", whose=ann)
    assert (refused["code"], refused.get("text")) == ("forbidden", None)
    assert (await asked(evening, under_way, whose="nobody"))["code"] == "unknown"
    assert (await asked(evening, under_way, page=1))["params"] == {"path": "page", "value": 1, "accepted": 0}
    first = await asked(evening, under_way, form="log")
    assert (await asked(evening, Exporting(), form="log", page=first["next"]))["code"] == "bad_value"
    assert (await asked(evening, under_way, form="log", page=first["next"] + 1))["code"] == "bad_value"
    assert "code" not in await asked(evening, under_way, form="log", page=first["next"])


async def test_what_was_taken_away_is_audited_with_who_took_it_once_a_file(evening: Evening):
    await fight_and_talk(evening)
    ann, st = (evening.seats[who].key for who in ("Ann", "ST"))
    assert len([page async for page in pages(evening, form="log", whose=ST)]) > 1
    await taken(evening, whose=str(ann.seat))
    for refused in ({"whose": "nobody"}, {"page": 1}):
        assert "code" in await asked(evening, Exporting(), **refused)
    assert (await asked(evening, Exporting(), "Ann", whose=str(ann.seat)))["code"] == "forbidden"
    answer = await asks.answer(evening.rooms[0], st, AskAudit(id=1))
    told = [lines.unpack(packed) for _, some in answer["entries"] for packed in some]
    assert [(line.kind, line.by, *line.fields.values()) for line in told[-2:]] == [
        ("keeping_noted", st.seat, "log_exported", "st"),
        ("keeping_noted", st.seat, "story_exported", "Ann"),
    ]
    assert told[-3].kind != "keeping_noted"
    assert texts.say(told[-1], "en", answer["names"]) == "The story was taken away by Storyteller (Ann)"
    assert texts.say(told[-1], "zh", answer["names"]) == "Storyteller取走了故事（Ann）"
    assert "taken away" not in await taken(evening)
