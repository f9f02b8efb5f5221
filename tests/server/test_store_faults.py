"""The store loses answers or goes away: every command is answered once and done once, whatever the client saw of it."""

import asyncio
from pathlib import Path

import pytest

from protocol.client import connect
from server import auth, seating
from server.app import App
from server.config import Settings
from server.store import lanes
from tests.helpers.lossy_proxy import LossyProxy


async def test_a_commit_whose_answer_is_lost_is_done_once(valkey: str, tmp_path: Path):
    async with (
        LossyProxy(valkey, tmp_path) as proxy,
        App(Settings(redis_url=proxy.url, port=0, data_dir=tmp_path)) as app,
    ):
        st = await seating.make_table(app.rooms, "Thursday")
        async with connect(auth.invitation(app.address, st.token)) as table:
            await table.command("narrate", text="first")
            proxy.lose_answers_to(b"EVALSHA", 1)
            await table.command("narrate", text="second")
            assert proxy.lost == 1
            await table.command("narrate", text="third")
            told = [one.line["text"] for one in await table.log() if one.kind == "narrated"]
            assert told == ["first", "second", "third"]


async def test_while_the_store_is_away_nothing_is_claimed(valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The client is sent away (4101), comes back, asks again under the same number, and gets its answer then."""
    monkeypatch.setattr(lanes, "DEADLINE_S", 0.3)
    async with (
        LossyProxy(valkey, tmp_path) as proxy,
        App(Settings(redis_url=proxy.url, port=0, data_dir=tmp_path)) as app,
    ):
        st = await seating.make_table(app.rooms, "Thursday")
        async with connect(auth.invitation(app.address, st.token), backoff_s=(0.05, 0.2)) as table:
            await table.command("narrate", text="first")
            proxy.lose_answers_to(b"EVALSHA", 6)  # it is kept, but for a while nobody is told
            saying = asyncio.create_task(table.command("narrate", text="second"))
            await saying
            told = [one.line["text"] for one in await table.log() if one.kind == "narrated"]
            assert told == ["first", "second"]


async def test_a_server_that_is_cut_off_from_the_store_delays_its_people_only_until_they_reach_another_one(
    valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(lanes, "DEADLINE_S", 0.3)
    async with (
        LossyProxy(valkey, tmp_path) as proxy,
        App(Settings(redis_url=proxy.url, port=0, data_dir=tmp_path)) as app,
        App(Settings(redis_url=valkey, port=0, data_dir=tmp_path)) as other,
    ):
        st = await seating.make_table(app.rooms, "Thursday")
        link = auth.invitation(app.address, st.token)
        async with connect(link, also=[other.address], backoff_s=(60, 60)) as table:
            await table.command("narrate", text="first")
            proxy.cut_off()
            await table.command("narrate", text="second")
            told = [one.line["text"] for one in await table.log() if one.kind == "narrated"]
            assert told == ["first", "second"]
