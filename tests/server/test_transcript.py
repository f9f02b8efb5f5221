"""The story of an evening: readable, and nothing in it that its reader was not told."""

import datetime
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from core.ids import ALL, ST
from core.letters import clean
from server import archiving, cli, export, transcript
from server.export import Line
from server.keeping import past_of
from server.rooms import Rooms
from server.transcript import Wanted, collect, escaped, written
from tests.server.evening import Evening, begin
from tests.server.test_export import done, fight_and_talk, made

NOWHERE = Path("/nowhere")
CREATED = 1_796_000_000_000
EVERY = Wanted()
CANARY = "xyzzy"


async def told_in(lines: list[Line]) -> AsyncIterator[Line]:
    for line in lines:
        yield line


async def story(lines: list[Line], wanted: Wanted = EVERY, language: str = "en", audience: str = ALL) -> str:
    found = await collect(told_in(lines), CREATED, wanted, {"s1": "Ann"})
    return "\n".join(written(found, "Thursday", audience, language)) + "\n"


def line(kind: str, n: int = 1, at_s: int = 0, by: str = "st", **fields: Any) -> Line:
    return {"n": n, "at_s": at_s, "by": by, "kind": kind, "fields": fields}


async def read_by(evening: Evening, who: str, language: str = "en", folder: Path = NOWHERE) -> str:
    room = evening.rooms[0]
    audience = evening.seats[who].key.audience if who in evening.seats else who
    past = await past_of(room.store, evening.table, folder)
    known = {str(seat.id): seat.name for seat in room.table.seats.values() if seat.role == "player" or audience == ST}
    found = await collect(export.told(past, audience), room.table.created, EVERY, known)
    return "\n".join(written(found, room.table.name, audience, language)) + "\n"


GHOUL, MIRA = ["u1", "Ghoul"], ["u2", "Mira"]


async def test_scenes_and_turns_are_headings_and_answers_stand_below_what_they_answer():
    lines = [
        line("narrated", n=0, text="The door opens."),
        line("fight_started", units=[GHOUL, MIRA]),
        line("scene_changed", scene=2, reason="fight", counts=True),
        line("action_began", unit=GHOUL, round=1),
        line("declared", unit=GHOUL, act="melee_attack", targets=[MIRA], pending="p1"),
        line("declared", unit=MIRA, act="melee_attack", targets=[GHOUL], pending="p2", parent="p1", by="s1"),
        line("rolled", unit=MIRA, why="melee_attack", faces=[8, 3], size=2, successes=1),
        line("carried_out", unit=MIRA, act="melee_attack", pending="p2"),
        line("failed", unit=GHOUL, act="melee_attack", why="interrupted", pending="p1"),
        line("said", by="s1", text="*Hah!*"),
        line("turn_ended", turn=1, clock_s=6),
    ]
    assert await story(lines) == (
        "# Thursday\n\n*As everybody was told it.*\n\n"
        f"## Evening 1 · {datetime.datetime.fromtimestamp(CREATED / 1000).date()}\n\nThe door opens.\n\n"
        "### Scene 2\n\n*Scene 2 begins (a fight)*\n\n"
        "- A fight begins: Ghoul, Mira\n\n#### Turn 1\n\n**Ghoul acts (round 1)**\n\n"
        "- Ghoul: melee attack against Mira\n"
        "  - Mira: melee attack against Ghoul\n"
        "    - Mira rolls 2 dice for melee attack: 8, 3 – 1 success\n"
        "  - Ghoul: melee attack fails: interrupted\n"
        "- Ann: “\\*Hah!\\*”\n\n#### Turn 2\n"
    )


async def test_an_evening_ends_where_nothing_happens_for_six_hours_and_can_be_asked_for():
    hour = 3600
    days = [0, 5 * hour, 11 * hour, 40 * hour]  # two evenings five hours and six hours apart, and a third
    lines = [line("narrated", n=k, at_s=at, text=f"Text {k}") for k, at in enumerate(days, start=1)]
    whole = await story(lines)
    assert [whole.count(f"## Evening {k} ") for k in (1, 2, 3, 4)] == [1, 1, 1, 0]
    second = await story(lines, Wanted(2))
    assert await story(lines, Wanted(0)) == await story(lines, Wanted(3))
    assert "Text 3" in second
    assert "Text 2" not in second
    assert "Text 4" not in second
    third = datetime.datetime.fromtimestamp(CREATED / 1000 + 40 * hour).date()
    assert "Text 4" in await story(lines, Wanted(first=third))
    assert "Text 4" not in await story(lines, Wanted(last=third - datetime.timedelta(days=1)))
    assert "Nothing happened." in await story(lines, Wanted(first=third + datetime.timedelta(days=9)))


async def test_that_a_story_was_taken_away_is_no_evening_of_its_own():
    day = 24 * 3600
    played = [line("narrated", n=1, text="Text 1"), line("narrated", n=2, at_s=day, text="Text 2")]
    taken = line("keeping_noted", n=3, at_s=3 * day, what="story_exported", text="st")
    assert await story([*played, taken], Wanted(0)) == await story(played, Wanted(0))
    assert "Text 2" in await story([*played, taken], Wanted(0))


async def test_what_was_undone_is_marked_and_what_was_said_is_not():
    lines = [
        line("moved", n=1, unit=MIRA, position="door"),
        line("moved", n=2, unit=MIRA, position="yard"),
        line("said", n=3, by="s1", text="no"),
        line("rewound", n=4, to_n=1),
        line("moved", n=5, unit=MIRA, position="hall"),
    ]
    assert [one for one in (await story(lines)).splitlines() if one.endswith("(undone)")] == [
        "- Mira moves to yard (undone)"
    ]
    lines.append(line("rewound", n=6, to_n=3))  # undoes the rewind too
    undone = [one for one in (await story(lines)).splitlines() if one.endswith("(undone)")]
    assert undone == ["- Mira moves to hall (undone)"]


def test_nothing_that_somebody_wrote_is_taken_for_markdown():
    for text, plain in (
        ("# no heading", "\\# no heading"),
        ("<script>x</script>", "\\<script\\>x\\</script\\>"),
        ("1. one", "1\\. one"),
        ("- dash\n# two", "\\- dash \\# two"),
        ("[a](b) `c` *d* a_b", "\\[a\\](b) \\`c\\` \\*d\\* a\\_b"),
        ("a\x1b[2Jb\u202ec", "a \\[2Jb c"),
    ):
        assert escaped(text) == plain
        assert clean(escaped(text)) == escaped(text)


async def test_it_is_told_in_chinese_too():
    text = await story([line("narrated", text="门开了。"), line("turn_ended", turn=1)], language="zh")
    assert "第1晚" in text
    assert "第2回合" in text
    assert "门开了。" in text


# ------------------------------------------------------------------------------------------------------------- secrecy
async def an_evening(evening: Evening, *, secret: bool) -> None:
    """The same for players, with or without what only the ST and Bob know."""
    mira = await made(evening, "Mira", "Ann", initiative=12)
    ghoul = await made(evening, "Ghoul", None)
    if secret:
        spy = await made(evening, f"{CANARY} spy", None, hidden=True, initiative=11)
        await done(evening, "ST", "set_notes", text=f"{CANARY} notes")
        await done(evening, "ST", "whisper", to=evening.seats["Bob"].key.seat, text=f"{CANARY} psst")
        await done(evening, "Bob", "whisper", to="st", text=f"{CANARY} yes?")
        await done(evening, "ST", "roll", unit=spy, pool={"fixed": 3}, visibility="st")
    for again in (10, 9, 8):  # open ones: a stream of one's own is named by the seat, and seats differ
        await done(evening, "Ann", "roll", unit=mira, pool={"fixed": 6, "again": again})
    await done(evening, "ST", "start_fight", counts=True)
    await done(evening, "Ann", "say", text="here I come")
    if secret:
        await done(evening, "ST", "set_value", unit=spy, path="side", value=CANARY, was="")
        await done(evening, "ST", "add_condition", unit=spy, condition="prone", reason=CANARY)
    await done(evening, "ST", "set_value", unit=ghoul, path="name", value="Ghast", was="Ghoul")
    await done(evening, "ST", "end_fight")
    if secret:
        await done(evening, "ST", "remove_unit", unit=spy)
    await done(evening, "ST", "narrate", text="Silence.")
    await evening.meet()


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_two_tables_that_differ_only_in_secrets_have_the_same_transcript(
    nodes: tuple[Rooms, Rooms], language: str, tmp_path: Path
):
    async with AsyncExitStack() as stack:
        sides = [await begin(nodes, stack) for _ in range(2)]
        for side, secret in zip(sides, (False, True), strict=True):
            await an_evening(side, secret=secret)
        for who in ("Ann", ALL):
            plain, secretive = [await read_by(side, who, language) for side in sides]
            assert "Mira" in plain
            assert plain == secretive
        # Where old scenes were archived, it is the same story again.
        before = [await read_by(side, "Ann", language) for side in sides]
        for k, side in enumerate(sides):
            store = side.rooms[0].store
            version = await archiving.scenes_before(store, side.table, 1)
            assert version is not None
            await archiving.archive_scenes(store, side.table, version, tmp_path / f"{k}.gz")
        assert [await read_by(side, "Ann", language, tmp_path) for side in sides] == before
        assert CANARY in await read_by(sides[1], "ST", language, tmp_path)
        assert CANARY in await read_by(sides[1], "Bob", language, tmp_path)


async def test_a_reader_is_told_what_his_seat_was_told_and_no_more(evening: Evening):
    await fight_and_talk(evening)
    for who in ("all", "Ann", "Bob"):
        text = await read_by(evening, who)
        assert "Ghost" not in text
        assert "Mira rolls 6 dice" in text
    assert "Ghost" in await read_by(evening, "ST")
    assert "As the Storyteller was told it" in await read_by(evening, "ST")
    assert "As Ann was told it" in await read_by(evening, "Ann")
    assert transcript.WORDS["en"].keys() == transcript.WORDS["zh"].keys()


# ------------------------------------------------------------------------------------------------------ the command line
def test_by_command(valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("OVERSEER_REDIS_URL", valkey)
    monkeypatch.setenv("OVERSEER_DATA_DIR", str(tmp_path / "data"))

    def overseer(*arguments: str) -> tuple[int, str, str]:
        try:
            code = cli.main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    overseer("table", "new", "Thursday")
    overseer("invite", "Thursday", "--seat", "Ann", "--role", "player")
    code, story, _ = overseer("table", "transcript", "Thursday", "--as", "ann")
    assert code == 0
    assert story.startswith("# Thursday\n\n*As Ann was told it.*\n")
    assert "- Ann gets a seat (player)" in story
    file = tmp_path / "story.md"
    assert overseer("table", "transcript", "Thursday", str(file), "--lang", "zh", "--evening", "1")[0] == 0
    assert "第1晚" in file.read_text()
    assert overseer("table", "transcript", "Thursday", "--as", "ann", "--evening", "1", str(file))[0] == 0
    assert file.read_text() == story
    for arguments, sentence in (
        (["--evening", "2"], "there is 1 evening so far, no 2"),
        (["--evening", "0"], "a whole number from 1"),
        (["--from", "yesterday"], "a day such as"),
        (["--evening", "1", "--to", "2026-11-30"], "not by both"),
        (["--as", "Bob"], "no player's seat Bob"),
    ):
        code, _, complaint = overseer("table", "transcript", "Thursday", *arguments)
        assert code == 2, arguments
        assert sentence in complaint
