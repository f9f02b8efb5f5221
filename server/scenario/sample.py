"""The sample table of `overseer run`: made once, found again by a file beside the data, left so that people can go on.

Tokens are kept nowhere else, so the file is for its owner's eyes alone (0600).
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from core.state import House
from server import auth
from server.rooms import Rooms
from server.scenario import seats
from server.scenario.format import Scenario
from server.scenario.player import Player
from server.scenario.seats import Seats

FILE = "sample-table.json"
BEGINNING = "the beginning"


@dataclass(frozen=True, slots=True)
class Sample:
    """The table's seats. `new`: it was made just now."""

    seats: Seats
    new: bool


async def find_or_make(rooms: Rooms, data_dir: Path, scenario: Scenario, *, anew: bool = False) -> Sample:
    """The sample table of this data directory, if the store still has it; else a new one."""
    if not anew and (known := _read(data_dir / FILE)) is not None and await _opens(rooms, known):
        return Sample(known, new=False)
    made = await seats.make(rooms, scenario)
    _write(data_dir / FILE, made)
    return Sample(made, new=True)


async def _opens(rooms: Rooms, known: Seats) -> bool:
    """Whether the table is there and its tokens open it: they may be of another store, or have been changed since."""
    if known.table not in (table for table, _ in await rooms.store.tables()):
        return False
    return all([await auth.check(rooms.store, token) for token in known.tokens.values()])


async def where_it_stands(rooms: Rooms, table: str) -> tuple[int, str] | None:
    """The turn and whose action it is; None where no fight is on."""
    async with rooms.using(table) as room:
        play = room.table.play
        if play.fight is None:
            return None
        active = play.units.get(play.fight.active) if play.fight.active else None
        return play.fight.turn, active.name if active else ""


async def hand_over(player: Player) -> None:
    """The fight that was shown is undone, and begins again for people: usual house rules, nobody waits for the absent."""
    st = player.st.table
    house = House()
    for key in player.scenario.house:
        await st.command("set_house", key=key, value=getattr(house, key))
    await st.command("set_house", key="absent", value="pass")
    beginning = player.names.label(BEGINNING)
    await st.command("rewind", to=beginning, head=st.n, reason="now it is your turn")
    await st.command("start_fight")


def _read(path: Path) -> Seats | None:
    """What the file says; None where there is none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Seats(str(found["table"]), dict(found["ids"]), dict(found["tokens"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(path: Path, made: Seats) -> None:
    """Whole or not at all, and never readable for others, not for a moment."""
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump({"table": made.table, "ids": made.ids, "tokens": made.tokens}, file, indent=1)
        file.write("\n")
    new.replace(path)
