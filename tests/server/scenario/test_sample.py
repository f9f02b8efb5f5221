"""The sample table is found again as long as the store has it, and its tokens are for its owner's eyes alone."""

import os
import stat
from pathlib import Path

from server import auth
from server.rooms import Rooms
from server.scenario import loader, sample

SCENARIO = loader.load(loader.bundled())


async def test_it_is_made_once_and_found_again(nodes: tuple[Rooms, Rooms], tmp_path: Path):
    first = await sample.find_or_make(nodes[0], tmp_path, SCENARIO)
    again = await sample.find_or_make(nodes[1], tmp_path, SCENARIO)
    assert (first.new, again.new) == (True, False)
    assert again.seats == first.seats
    for token in first.seats.tokens.values():
        assert await auth.check(nodes[0].store, token)


async def test_its_tokens_are_for_the_owner_alone(nodes: tuple[Rooms, Rooms], tmp_path: Path):
    await sample.find_or_make(nodes[0], tmp_path, SCENARIO)
    assert [stat.S_IMODE(found.stat().st_mode) for found in os.scandir(tmp_path)] == [0o600]


async def test_a_file_that_fits_no_table_is_replaced(nodes: tuple[Rooms, Rooms], tmp_path: Path):
    for left in ("", "not json", '{"table": "gone", "ids": {}, "tokens": {}}'):
        (tmp_path / sample.FILE).write_text(left)
        assert (await sample.find_or_make(nodes[0], tmp_path, SCENARIO)).new


async def test_a_seat_that_was_given_up_makes_it_anew(nodes: tuple[Rooms, Rooms], tmp_path: Path):
    first = await sample.find_or_make(nodes[0], tmp_path, SCENARIO)
    await nodes[0].store.drop_seat(first.seats.table, first.seats.ids["Bob"])
    assert (await sample.find_or_make(nodes[0], tmp_path, SCENARIO)).new


async def test_it_says_where_it_stands(nodes: tuple[Rooms, Rooms], tmp_path: Path):
    found = await sample.find_or_make(nodes[0], tmp_path, SCENARIO)
    assert await sample.where_it_stands(nodes[0], found.seats.table) is None
