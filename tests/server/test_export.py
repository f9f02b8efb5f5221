"""An exported log, and `overseer verify` on it: what holds is confirmed, what was altered is named, no secret is in it."""

import asyncio
import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgpack
import pytest

from core.dice.proof import Origin, shown
from core.dice.source import KeyedDice
from core.state import Seeds
from protocol.lines import NAMES
from server import cells, cli, export, history, keeping, seating, steps
from server.cells import unpacked
from server.keeping import ExportProblem, past_of
from server.proofs import Findings, check
from tests.server.evening import Evening

pytestmark = pytest.mark.rule("DICE-07")

Log = list[dict[str, Any]]
NOWHERE = Path("/nowhere")


async def exported(evening: Evening, who: str = "all") -> Log:
    room = evening.rooms[0]
    audience = evening.seats[who].key.audience if who in evening.seats else who
    return [line async for line in export.told(await past_of(room.store, evening.table, NOWHERE), audience)]


def checked(log: Log) -> Findings:
    return check(enumerate(log, start=2))


async def fight_and_talk(evening: Evening) -> str:
    """Two scenes over and a third begun, open and secret rolls in each; Mira's id."""
    mira = await made(evening, "Mira", "Ann", initiative=12)
    await made(evening, "Ghoul", None)
    await made(evening, "Ghost", None, hidden=True)
    await rolls(evening, mira)
    await evening.say("Ann", "mix_dice", text="盐 & 4711")
    await rolls(evening, mira)
    await done(evening, "ST", "start_fight")
    await rolls(evening, mira)
    await done(evening, "Bob", "mix_dice", text="pepper")
    await rolls(evening, mira, node=1)
    await done(evening, "ST", "end_fight")
    await rolls(evening, mira)
    return mira


async def made(evening: Evening, name: str, owner: str | None, **fields: Any) -> str:
    seat = evening.seats[owner].key.seat if owner else None
    reply = await evening.say("ST", "add_unit", unit={"name": name, "on_stage": True, **fields}, owner=seat)
    return str(reply["made"][0])


async def done(evening: Evening, who: str, kind: str, **fields: Any) -> None:
    reply = await evening.say(who, kind, **fields)
    assert reply["t"] == "ack", reply


async def rolls(evening: Evening, mira: str, node: int = 0) -> None:
    await evening.meet()
    for again in (10, 9, 8):
        await done(evening, "Ann", "roll", node=node, unit=mira, pool={"fixed": 6, "again": again})
    await done(evening, "ST", "roll", node=node, unit=mira, pool={"fixed": 4}, visibility="st")
    await done(evening, "Ann", "roll", node=node, unit=mira, pool={"fixed": -1}, visibility="roller")
    await evening.meet()


def rolled(log: Log) -> Log:
    return [line for line in log if line["kind"] == "rolled"]


async def test_who_waits_for_a_long_log_is_told_how_far_it_is(evening: Evening):
    await fight_and_talk(evening)
    room = evening.rooms[0]
    told: list[tuple[int, int]] = []
    past = await past_of(room.store, evening.table, NOWHERE)
    log = [line async for line in export.told(past, "all", room.version, lambda *now: told.append(now))]
    assert log == await exported(evening)
    assert told == [(room.version, room.version)]


# -------------------------------------------------------------------------------------------------------------- verified
@pytest.mark.case("DICE-07.1")
async def test_the_verifier_confirms_every_roll_of_an_exported_log(evening: Evening):
    await fight_and_talk(evening)
    for who, confirmed, secret, waiting in (("all", 13, 0, 3), ("Bob", 13, 0, 3), ("Ann", 13, 4, 4), ("st", 22, 0, 5)):
        log = await exported(evening, who)
        found = checked(log)
        assert found.wrong == []
        assert (found.confirmed, found.secret.total(), found.waiting.total(), found.older) == (
            confirmed, secret, waiting, 0,
        ), who  # fmt: skip
        assert len(rolled(log)) == confirmed + secret + waiting


@pytest.mark.rule("STY-04")
async def test_rolls_against_a_target_number_are_confirmed_too(evening: Evening):
    await done(evening, "ST", "set_house", key="ruleset", value="storyteller")
    mira, ghoul = await made(evening, "Mira", "Ann"), await made(evening, "Ghoul", None)
    pool = {"fixed": 6, "target_number": 7}
    for _ in range(5):
        await done(evening, "ST", "roll", unit=mira, pool=pool, opposes=ghoul, opposed_pool=pool)
    await done(evening, "Ann", "roll", unit=mira, pool={"fixed": -2})
    reply = await evening.say("ST", "start_task", unit=mira, name="climb", pool=pool, dc=90)
    await done(evening, "Ann", "roll_task", task=reply["made"][0])
    await done(evening, "ST", "start_fight", counts=True)
    log = await exported(evening)
    found = checked(log)
    assert (found.wrong, found.confirmed) == ([], 14), "two of them initiatives"
    assert {line["fields"].get("target_number") for line in rolled(log)} == {7, 8, None}
    roll = rolled(log)[3]["fields"]
    assert len(checked(altered(log, "rolled", 3, faces=[roll["faces"][0] % 10 + 1, *roll["faces"][1:]])).wrong) == 1


@pytest.mark.case("DICE-07.1")
@pytest.mark.parametrize("k", [0, 5, 12])
async def test_one_altered_face_names_that_roll(evening: Evening, k: int, tmp_path: Path, capsys):
    await fight_and_talk(evening)
    log = await exported(evening)
    place, roll = [(n, line) for n, line in enumerate(log, start=2) if line["kind"] == "rolled"][k]
    true = list(roll["fields"]["faces"])
    roll["fields"]["faces"][-1] = true[-1] % 10 + 1
    file = tmp_path / "log.jsonl"
    head = export.header(evening.table, evening.rooms[0].table, "all")
    file.write_text("".join(json.dumps(line) + "\n" for line in (head, *log)))
    assert cli.main(["verify", str(file)]) == 1
    printed = capsys.readouterr().out
    counter, seed = roll["fields"]["counter"], roll["fields"]["seed"]
    assert printed.startswith(f"WRONG, line {place}: roll {counter} of {roll['fields']['unit'][1]}")
    assert f"(seed {seed}): its faces are {', '.join(map(str, true))}, and the log says" in printed
    assert "12 rolls confirmed, of 2 seeds." in printed


def altered(log: Log, kind: str, nth: int = 0, **fields: Any) -> Log:
    changed = copy.deepcopy(log)
    [line for line in changed if line["kind"] == kind][nth]["fields"].update(fields)
    return changed


async def test_whatever_else_is_altered_is_named_too(evening: Evening):
    await fight_and_talk(evening)
    log = await exported(evening, "st")
    last = len(rolled(log)) - 1
    other = KeyedDice(b"another").seeds(1)
    tries = [
        (altered(log, "rolled", 2, size=7), "its faces are"),
        (altered(log, "rolled", 4, stream="st"), "should come here"),
        (altered(log, "rolled", 1, again=8, faces=[8, 8, 8]), "its faces are"),
        (altered(log, "rolled", 7, mixed=[]), "mixed in was"),
        (altered(log, "rolled", 7, seed=2), "not in use"),
        (altered(log, "rolled", last, seed=2), "not in use"),
        (altered(log, "dice_mixed", 0, text="sugar"), "mixed in was"),
        (altered(log, "seed_revealed", 0, open=other.open), "not the one that was sealed"),
        (altered(log, "seed_revealed", 0, secret=other.secret), "secret seed 1 is not the one that was sealed"),
        (altered(log, "seed_revealed", 0, open="no hex"), "not the one that was sealed"),
        (altered(log, "seed_committed", 1, open="00"), "not the one that was sealed"),
        (altered(log, "seed_committed", 1, seed=4), "where seed 2 was due"),
        (altered(log, "rolled", 3, faces="many"), "no line of a log"),
        ([line for line in log if line is not rolled(log)[3]], "one is missing"),
        ([line for line in log if line["kind"] != "seed_revealed"], "where seed 2 was due"),
    ]
    for changed, sentence in tries:
        found = checked(changed)
        assert found.wrong, sentence
        assert sentence in found.wrong[0]


async def test_after_a_rewind_across_a_scenes_end_all_rolls_are_still_confirmed(evening: Evening):
    mira = await made(evening, "Mira", "Ann", initiative=12)
    start = evening.place("ST")[1]
    await rolls(evening, mira)
    await done(evening, "ST", "start_fight")
    await rolls(evening, mira)
    await done(evening, "ST", "rewind", to=start, head=evening.place("ST")[1])
    await rolls(evening, mira)
    await done(evening, "ST", "start_fight")
    log = await exported(evening, "st")
    found = checked(log)
    assert (found.wrong, found.confirmed, found.seeds) == ([], 15, 3)
    [back] = [line for line in log if line["kind"] == "rewound"]
    assert back["fields"]["to_n"] == start
    kept = [line["fields"]["counter"] for line in rolled(log) if "stream" not in line["fields"]]
    assert kept == list(range(1, 10)), "what was undone stays in the log"


# --------------------------------------------------------------------------------------------------------- older tables
def line(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "fields": fields}


def test_what_was_rolled_before_rolls_could_be_proven_is_counted_and_not_held_against_the_rest():
    seeds = KeyedDice(b"key").seeds(1)
    faces = shown(bytes.fromhex(seeds.open), Origin(1, "open", 7), 2, 10)
    promised = KeyedDice(b"key").commitments(1)
    log = [
        line("rolled", faces=[3, 4], size=2, again=10, counter=6),
        line("seed_committed", seed=1, **promised._asdict()),
        line("rolled", faces=faces, size=2, again=10, counter=7, seed=1),
        line("seed_revealed", seed=1, open=seeds.open),
    ]
    found = checked(log)
    assert (found.wrong, found.older, found.confirmed) == ([], 1, 1)


async def test_a_stored_table_of_before_its_seeds_is_loaded(evening: Evening):
    loaded = await evening.rooms[0].store.load(evening.table)
    assert loaded is not None
    table = cells.table_of({name: data for name, data in loaded.cells.items() if name != "seeds"})
    assert table.seeds == Seeds()
    assert table == replace(evening.rooms[0].table, seeds=Seeds())


# --------------------------------------------------------------------------------------------------------------- export
async def test_the_export_tells_what_each_audience_was_told_line_for_line(evening: Evening):
    await fight_and_talk(evening)
    for who in ("ST", "Ann", "Bob"):
        sent = [
            [patch[1], *line] for patch in map(msgpack.unpackb, evening.seats[who].ears[0].patches) for line in patch[3]
        ]
        log = await exported(evening, who)
        told = [[line["n"], line["at_s"], line["kind"]] for line in log if line["n"] > 0]
        assert told[-len(sent) :] == [[n, at_s, NAMES[kind]] for n, kind, at_s, *_ in sent]


async def test_a_long_log_is_read_in_pieces(evening: Evening, monkeypatch: pytest.MonkeyPatch):
    await fight_and_talk(evening)
    whole = await exported(evening, "st")
    monkeypatch.setattr(keeping, "AT_ONCE", 7)
    assert await exported(evening, "st") == whole


async def test_a_log_without_its_beginning_or_of_another_version_is_told_in_one_sentence(evening: Evening):
    await evening.say("ST", "narrate", text="hello")
    store = evening.rooms[0].store
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "entries", _later(store.entries))
        with pytest.raises(ExportProblem, match="change 1 is missing from the log"):
            await exported(evening)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "read", _unreadable)
        with pytest.raises(ExportProblem, match="change 1 was written by another version"):
            await exported(evening)


def _later(entries: Any) -> Any:
    async def without_the_first(table: str, after: int, up_to: int) -> Any:
        return (await entries(table, after, up_to))[1:]

    return without_the_first


def _unreadable(entry: bytes) -> Any:
    raise KeyError("FateTempted")


async def test_who_came_later_gets_what_all_could_know_before(evening: Evening):
    await fight_and_talk(evening)
    await seating.add_seat(evening.nodes[0], evening.table, "Cleo", "player")
    await evening.meet()
    audience = seating.find_audience(evening.rooms[0].table, "cleo")
    log = [line async for line in export.told(await past_of(evening.rooms[0].store, evening.table, NOWHERE), audience)]
    public = await exported(evening)
    assert [line["fields"] for line in rolled(log)] == [line["fields"] for line in rolled(public)]


async def test_no_seed_is_in_any_export_or_in_the_store_outside_its_place_before_its_end(evening: Evening):
    await fight_and_talk(evening)
    room = evening.rooms[0]
    key = (await room.store.keys(evening.table))["dice"]
    texts = [json.dumps(await exported(evening, who)) for who in ("all", "st", "Ann", "Bob")]
    stored = [entry.entry for entry in await room.store.entries(evening.table, 0)]
    loaded = await room.store.load(evening.table)
    assert loaded is not None
    stored += loaded.cells.values()
    for secret in (key, *(bytes.fromhex(seed) for number in (3, 4) for seed in KeyedDice(key).seeds(number))):
        assert not any(secret.hex() in text for text in texts)
        assert not any(secret in data or secret.hex().encode() in data for data in stored)
    opened = KeyedDice(key).seeds(2)
    assert all(opened.open in text for text in texts)
    assert [opened.secret in text for text in texts] == [False, True, False, False]


async def test_secret_rolls_are_in_the_storytellers_export_alone_and_leave_no_gap(evening: Evening):
    await fight_and_talk(evening)
    public = await exported(evening)
    assert "Ghost" not in json.dumps(public)
    counters = [line["fields"]["counter"] for line in rolled(public)]
    assert counters == list(range(1, len(counters) + 1))
    assert {line["fields"].get("stream", "open") for line in rolled(public)} == {"open"}
    ann = evening.seats["Ann"].key.seat
    theirs = await exported(evening, "Ann")
    assert {line["fields"].get("stream", "open") for line in rolled(theirs)} == {"open", f"seat:{ann}"}


# --------------------------------------------------------------------------------------------- nobody chooses his roll
async def test_two_nodes_that_roll_at_once_share_no_place_of_the_seed(evening: Evening):
    mira = await made(evening, "Mira", "Ann")
    await evening.meet()
    rolling = [
        evening.say(who, "roll", node=node, client=f"{who}{node}", seq=k, unit=mira, pool={"fixed": 3})
        for who, node in (("Ann", 0), ("ST", 1))
        for k in range(1, 6)
    ]
    replies = await asyncio.gather(*rolling)
    await evening.meet()
    log = await exported(evening)
    counters = [line["fields"]["counter"] for line in rolled(log)]
    assert counters == list(range(1, sum(reply["t"] == "ack" for reply in replies) + 1))
    await done(evening, "ST", "start_fight")
    assert checked(await exported(evening)).wrong == []


async def test_a_roll_sent_again_even_with_something_else_mixed_in_is_the_roll_it_was(evening: Evening):
    mira = await made(evening, "Mira", "Ann")
    first = await evening.say("Ann", "roll", seq=9, unit=mira, pool={"fixed": 3})
    await done(evening, "Bob", "mix_dice", text="other")
    again = await evening.say("Ann", "roll", node=1, seq=9, unit=mira, pool={"fixed": 3})
    assert again == first
    assert len(rolled(await exported(evening))) == 1


async def test_a_decision_that_was_not_kept_has_rolled_nothing(evening: Evening):
    """Its node dies before the commit: another node rolls, and gets the very faces."""
    mira = await made(evening, "Mira", "Ann")
    await evening.meet()
    made_steps: list[Any] = []
    real = steps.make

    def keep(*arguments: Any) -> Any:
        made_steps.append(real(*arguments))
        return made_steps[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "make", keep)
        patch.setattr(evening.rooms[0], "_keep", _dies)
        with pytest.raises(ConnectionAbortedError):
            await evening.say("Ann", "roll", seq=1, unit=mira, pool={"fixed": 8})
    lost = made_steps[0].kept.entry
    await evening.say("Ann", "roll", node=1, seq=1, unit=mira, pool={"fixed": 8})
    [kept] = rolled(await exported(evening))
    [[_, roll]] = [event for event in unpacked(lost)["events"] if event[0] == "Rolled"]
    assert list(roll["faces"]) == kept["fields"]["faces"]


async def _dies(step: Any) -> Any:
    raise ConnectionAbortedError


# ------------------------------------------------------------------------------------------------------ the command line
def test_what_is_no_export_is_told_in_one_sentence(tmp_path: Path, capsys):
    for content in ("", "hello\n", '{"overseer": "table"}\n', "[1]\n", '{"overseer": "log", "format": 99}\n'):
        file = tmp_path / "x"
        file.write_text(content)
        assert cli.main(["verify", str(file)]) == 2
        complaint = capsys.readouterr().err
        assert "it is no log that `overseer table export`" in complaint
        assert complaint.count("\n") == 1
    assert cli.main(["verify", str(tmp_path / "nowhere")]) == 2
    file.write_bytes(b"\xff\xfe")
    assert cli.main(["verify", str(file)]) == 2
