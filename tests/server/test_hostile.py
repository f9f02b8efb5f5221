"""Each kind of client that nobody wants, once: the others' fight goes on beside it, and it gets what is documented.

`make bench ARGS=hostile` measures what the others feel of it.
"""

import asyncio
import contextlib
import time
from collections import Counter
from pathlib import Path

import pytest

from server import auth, connection, gateway, seating
from server.app import App
from tests.bench import hostile
from tests.server.test_gateway import settings, sit

LIMITS = {
    "rate_connection": 2, "rate_seat": 1, "rate_table": 1000, "rate_joins": 1, "rate_joins_all": 10,
    "connections_unknown": 40,
}  # fmt: skip
SWORD = {"name": "sword", "act": "melee_attack", "pool": {"fixed": 3}}
BECAME: dict[str, set[str]] = {
    "nobody": {"looked at the clock"},
    "never reading": {"seated"},
    "half-open": {"opened"},
    "storm": {"HTTP 503"},
    "commands": {"done", "rate", "closed 4104"},
    "refusals": {"forbidden", "rate", "closed 4104"},
    "answers": {"done", "already_answered", "rate", "closed 4104"},
    "frames": {"closed 4104"},
    "questions": {"done", "forbidden", "rate"},
}


def test_every_kind_is_tried():
    assert BECAME.keys() == hostile.KINDS.keys()


@pytest.mark.parametrize("kind", BECAME)
async def test_the_fight_goes_on(kind: str, valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hostile, "STORM", 200)
    monkeypatch.setattr(hostile, "AGAIN_S", 0.2)
    monkeypatch.setattr(hostile, "HALF_OPEN", 40)
    monkeypatch.setattr(gateway, "CLOSE_S", 0.1)
    monkeypatch.setattr(connection, "FAREWELL_S", 0.2)
    async with App(settings(valkey, tmp_path, heartbeat_s=5, **LIMITS)) as app:
        st = await seating.make_table(app.rooms, "Thursday", practice_seed=7)
        seats = [await seating.add_seat(app.rooms, st.table, name, "player") for name in ("Ann", "Bob", "Cid")]
        links = [auth.invitation(app.address, seat.token) for seat in seats]
        async with sit(app, st) as storyteller, sit(app, seats[0]) as ann:
            sheet = {"name": "Mira", "tracks": {"hp": 10}, "abilities": [SWORD], "on_stage": True, "initiative": 9}
            await storyteller.command("add_unit", unit=sheet, owner=ann.seat)
            ghoul = {"name": "Ghoul", "tracks": {"hp": 50}, "on_stage": True, "initiative": 1}
            await storyteller.command("add_unit", unit=ghoul)
            for seat in seats[1:]:  # who is asked, too
                await storyteller.command(
                    "add_unit", unit={"name": "Imp", "on_stage": True, "initiative": 1}, owner=seat.seat
                )
            await storyteller.command("set_house", key="reaction_window_ms", value=1000)
            await storyteller.command("set_house", key="reaction_floor_ms", value=50)
            became: Counter[str] = Counter()
            attack = asyncio.create_task(hostile.KINDS[kind](links[1:], time.perf_counter() + 60, became))
            try:
                await storyteller.command("start_fight")
                mira, there = ann.units["Mira"], ann.units["Ghoul"]
                act = {"kind": "melee_attack", "slot": "standard", "ability": "sword", "targets": [there.id]}
                await ann.command("declare", unit=mira.id, act=act)
                window = ann.state["t/stack"]
                assert window, "its window is open, and its deadline comes"
                await ann.until(lambda table: not table.state["t/stack"])
                async with asyncio.timeout(60):
                    while not BECAME[kind] <= became.keys():
                        await storyteller.command("adjust", unit=there.id, path="hp", by=-1)
                        await storyteller.command("adjust", unit=there.id, path="hp", by=1)
                        await asyncio.sleep(0.05)
                await ann.command("end_action", unit=mira.id, round=1)
            finally:
                attack.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await attack
