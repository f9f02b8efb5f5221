"""After the store was set back: every seat begins anew, the Storyteller is told, and no roll falls again as it did."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgpack
import pytest

from protocol import lines, texts
from server import cli, losses
from server.dice_keys import Another
from server.rooms import Rooms
from tests.end_to_end.earlier import dump, restore
from tests.server.evening import Evening, begin
from tests.server.test_export import checked, done, exported, made, rolls
from tests.server.test_resume import told_of

UNTOLD = {"count": None, "first": None, "last": None, "acts": None}


@pytest.fixture
async def table(nodes: tuple[Rooms, Rooms]) -> AsyncIterator[Evening]:
    """With dice that nobody can foretell."""
    async with AsyncExitStack() as stack:
        yield await begin(nodes, stack, practice_seed=None)


async def faces(evening: Evening, unit: str, node: int = 0) -> list[int]:
    """What twenty dice show that anybody may see."""
    reply = await evening.say("Ann", "roll", node=node, unit=unit, pool={"fixed": 20})
    assert reply["t"] == "ack"
    await evening.meet()
    found: list[int] = told_of(evening.seats["ST"].ears[0], "rolled")[-1]["faces"]
    return found


async def put_back(evening: Evening, node: int = 0) -> None:
    async with evening.rooms[node].lock:
        await losses.restored(evening.rooms[node])


@pytest.mark.rule("DICE-07")
async def test_what_was_rolled_after_the_copy_does_not_fall_again(table: Evening, valkey: str):
    """The servers of before are gone (here: they come to nothing), so none can see that anything is missing."""
    mira = await made(table, "Mira", "Ann")
    await rolls(table, mira)
    copy = dump(valkey)
    known = await faces(table, mira)
    ids = (await table.rooms[0].store.keys(table.table))["ids"]
    async with AsyncExitStack() as stack:
        for room in table.rooms:
            await stack.enter_async_context(room.lock)
        restore(valkey, copy)
        rooms = [await stack.enter_async_context(Rooms(node.store, node.presence, 1.0)) for node in table.nodes]
        again = Evening(
            table.table, tuple(rooms), [await stack.enter_async_context(one.using(table.table)) for one in rooms],
            table.seats, table.tokens,
        )  # fmt: skip
        for sitting in again.seats.values():
            sitting.ears.clear()
        for who in again.seats:
            for node in (0, 1):
                await again.listen(who, node=node)
        epochs = {who: again.place(who)[0] for who in again.seats}
        await put_back(again)
        await again.meet()
        assert await faces(again, mira, node=1) != known, "the other node took the new key, too"
        assert all(again.place(who)[0] != epoch for who, epoch in epochs.items())
        assert all(again.place(who, 0) == again.place(who, 1) for who in again.seats)
        assert told_of(again.seats["ST"].ears[0], "history_lost") == [UNTOLD]
        assert told_of(again.seats["Ann"].ears[0], "history_lost") == []
        found = checked(await exported(again, "st"))
        assert (found.wrong, found.unproven, found.confirmed) == ([], 0, 5), "those of before can be checked now"
        await done(again, "ST", "start_fight")  # a new scene opens the seed of what the other node has rolled
        found = checked(await exported(again, "st"))
        assert (found.wrong, found.unproven, found.confirmed) == ([], 0, 7), "one is initiative"
        keys = await again.rooms[0].store.keys(again.table)
        assert keys.keys() == {"dice", "ids"}
        assert keys["ids"] == ids


@pytest.mark.rule("DICE-07")
async def test_where_servers_find_the_loss_themselves_nothing_falls_again_either(table: Evening, valkey: str):
    mira = await made(table, "Mira", "Ann")
    await table.meet()
    copy = dump(valkey)
    known = await faces(table, mira)
    restore(valkey, copy)
    await table.meet()
    assert await faces(table, mira, node=1) != known
    log = await table.rooms[0].store.entries(table.table, 0)
    reasons = [msgpack.unpackb(one.entry, strict_map_key=False)["reason"] for one in log]
    assert reasons.count("continuity was lost") == 1
    assert (await table.rooms[0].store.keys(table.table)).keys() == {"dice", "ids"}


async def test_a_key_that_nothing_was_sealed_with_is_not_used(table: Evening, valkey: str):
    """Whoever put it there ended before the change that would have sealed a seed of it."""
    mira = await made(table, "Mira", "Ann")
    await table.meet()
    copy = dump(valkey)
    known = await faces(table, mira)
    restore(valkey, copy)
    await Another(table.rooms[0]).put()
    async with Rooms(table.nodes[0].store, table.nodes[0].presence, 1.0) as fresh, fresh.using(table.table) as room:
        table.rooms[0] = table.rooms[1] = room
        for who in table.seats:
            await table.listen(who, node=0)
        reply = await table.say("Ann", "roll", unit=mira, pool={"fixed": 20})
        assert reply["t"] == "ack"
        assert told_of(table.seats["ST"].ears[-1], "rolled")[-1]["faces"] == known


async def test_dice_that_can_be_foretold_stay_so(evening: Evening):
    keys = await evening.rooms[0].store.keys(evening.table)
    await put_back(evening)
    assert await evening.rooms[0].store.keys(evening.table) == keys
    assert told_of(evening.seats["ST"].ears[0], "history_lost") == [UNTOLD]


@pytest.mark.parametrize(
    ("language", "sentence"), [("en", "the store has lost what it had confirmed."), ("zh", "存储丢失了已确认的内容。")]
)
def test_the_alarm_says_so_where_nobody_knows_what_is_gone(language: str, sentence: str):
    line = lines.unpack(lines.pack("history_lost", 0, "", [None, None, None, None]))
    assert sentence in texts.say(line, language, {})


def test_by_command(valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("OVERSEER_REDIS_URL", valkey)
    monkeypatch.setenv("OVERSEER_DATA_DIR", str(tmp_path / "data"))

    def overseer(*arguments: str) -> tuple[Any, str, str]:
        try:
            code = cli.main(arguments)
        except SystemExit as ended:
            code = ended.code  # type: ignore[assignment]
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    assert overseer("table", "restored", "--all")[:2] == (0, "There is no table in this store.\n")
    overseer("table", "new", "Thursday")
    overseer("table", "new", "Friday")
    code, out, _ = overseer("table", "restored", "--all")
    assert (code, out.count("a new start for every seat")) == (0, 2)
    code, out, _ = overseer("table", "restored", "Friday")
    assert (code, out.startswith("Friday (")) == (0, True)
    assert overseer("table", "restored", "Monday")[0] != 0
    for unclear in ([], ["Friday", "--all"]):
        code, _, complaint = overseer("table", "restored", *unclear)
        assert (code != 0, "name one table" in complaint) == (True, True)
