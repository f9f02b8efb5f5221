"""At the sample table one person is enough: the others are played, and any seat can be taken over at any moment."""

import asyncio
from pathlib import Path

from protocol.client import connect
from server import auth
from server.app import App
from server.config import Settings
from server.scenario import loader, seats
from server.scenario.stand_ins import StandIns


async def test_stand_ins_play_what_nobody_has_taken_and_get_up_when_somebody_comes(tmp_path: Path):
    scenario = loader.load(loader.bundled())
    async with App(Settings(port=0, data_dir=tmp_path, log_level="warning")) as app:
        made = await seats.make(
            app.rooms, scenario.model_copy(update={"house": {"reaction_window_ms": 500, "reaction_floor_ms": 0}})
        )
        link = {seat: auth.invitation(app.address, token) for seat, token in made.tokens.items()}
        async with connect(link["Storyteller"]) as st:
            for unit in scenario.units:
                facts = {name: value for name, value in unit.items() if name != "owner"}
                await st.command("add_unit", unit=facts, owner=made.ids.get(str(unit.get("owner"))))
            await st.start_fight()
        stand_ins = StandIns(app.rooms.presence, scenario, made, app.address, empty_s=0, pause_s=0)
        playing = asyncio.create_task(stand_ins.play())
        try:
            async with connect(link["Ann"]) as ann:
                mine = ann.units["Mira"]
                # The ghoul's action is played and ended; then it is Ann's, and stays so.
                await ann.until(lambda it: it.active == mine and not it.stack)
                assert {told.kind for told in await ann.log(limit=100)} >= {"declared", "rolled", "action_ended"}
                assert stand_ins.sitting == {"Storyteller", "Bob", "Cem", "Dee"}
                async with connect(link["Storyteller"]) as st:
                    await st.until(lambda _: stand_ins.people("Storyteller") == 1)
                    async with asyncio.timeout(60):
                        while "Storyteller" in stand_ins.sitting:
                            await st.ask("log", limit=1)
                    await ann.end_action(mine)
                    await st.until(lambda it: it.active == it.units["Brute"])
                    assert not st.stack  # the brute is a person's now
                    assert playing.done() is False
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
