"""The player notices what it is there for: a client that was told all anew, a client that knows something else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from server.app import App
from server.cli.demo import own_server
from server.scenario import seats
from server.scenario.client import Client
from server.scenario.format import Scenario
from server.scenario.picture import terminal
from server.scenario.player import Player
from server.scenario.problems import ScenarioProblem, StepWrong
from server.scenario.second_server import compare


def scenario(*steps: dict[str, Any]) -> Scenario:
    return Scenario.model_validate(
        {
            "table": "Two in a corridor",
            "dice_seed": 7,
            "house": {"reaction_floor_ms": 20},
            "seats": [
                {"seat": "Storyteller", "role": "st", "connections": ["st"]},
                {"seat": "Ann", "connections": ["ann", "phone"]},
                {"seat": "Bob", "connections": ["bob"]},
            ],
            "units": [
                {"name": "Mira", "owner": "Ann", "on_stage": True, "initiative": 9, "tracks": {"hp": 10}},
                {"name": "Tano", "owner": "Bob", "on_stage": True, "initiative": 5, "tracks": {"hp": 10}},
            ],
            "steps": list(steps),
        }
    )


@asynccontextmanager
async def playing(*steps: dict[str, Any]) -> AsyncIterator[tuple[App, Player, dict[str, Client]]]:
    """A player, its clients at the table, the units prepared; nothing played yet."""
    written = scenario(*steps)
    async with own_server() as (app, _, _):
        table = await seats.make(app.rooms, written)
        clients = seats.clients(written, table, app.address)
        player = Player(written, clients, table.ids, terminal())
        try:
            await player.sit_down()
            await player.set_up()
            yield app, player, {client.name: client for client in clients}
        finally:
            for client in clients:
                await client.leave()


async def test_it_plays_and_counts():
    steps: list[dict[str, Any]] = [
        {"by": "st", "do": {"start_fight": {}}, "expect": {"active": "Mira", "turn": 1}},
        {"by": "bob", "do": {"end_action": {"unit": "Mira"}}, "refused": "not_yours"},
        {"by": "ann", "do": {"declare": {"unit": "Mira", "kind": "use", "text": "looks around"}}},
        {"nobody_answers": "to_the_end", "expect": {"stack": 0}},
        {"by": "st", "as": "Bob", "do": {"say": {"text": "hm"}}, "expect": {"changes": {"phone": 1}}},
    ]
    async with playing(*steps) as (_, player, clients):
        score = await player.play()
        assert (score.refused, score.interrupts) == (1, 0)
        assert await compare(clients.values(), clients["st"].invitation.partition("/#")[0]) == 4


@pytest.mark.rule("STY-05")
@pytest.mark.rule("STY-07")
async def test_it_plays_the_storyteller_games_tasks_with_helpers_and_opponents():
    pool = {"fixed": 4, "target_number": 7}
    tug = {"unit": "Tano", "name": "tug", "pool": pool, "dc": 9, "opposes": "Mira", "opposed_pool": {"fixed": 3}}
    steps: list[dict[str, Any]] = [
        {"by": "st", "do": {"set_house": {"key": "ruleset", "value": "storyteller"}}},
        {
            "by": "ann",
            "do": {"start_task": {"unit": "Mira", "name": "x", "pool": pool, "dc": 9}},
            "refused": "st_tells",
        },
        {
            "by": "st",
            "do": {"start_task": {"unit": "Mira", "name": "climb", "pool": pool, "dc": 60, "teamwork": True}},
            "note": {"climb": "made"},
            "expect": {"told": {"ann": ["task_started"], "bob": ["task_started"]}},
        },
        {
            "by": "bob",
            "do": {"roll_task": {"task": "climb", "units": ["Tano"], "pool": {"fixed": 3}}},
            "expect": {
                "rolls": [{"unit": "Tano", "size": 3, "target_number": 7}],
                "told": {"ann": ["rolled", "task_rolled"]},
            },
        },
        {"by": "ann", "do": {"roll_task": {"task": "climb", "units": ["Mira", "Tano"]}}, "refused": "pools_apart"},
        {"by": "st", "do": {"start_task": tug}, "note": {"tug": "made"}},
        {
            "by": "bob",
            "do": {"roll_task": {"task": "tug"}},
            "expect": {"rolls": [{"unit": "Mira", "target_number": 8}, {"unit": "Tano", "target_number": 7}]},
        },
    ]
    async with playing(*steps) as (_, player, clients):
        await player.play()
        assert await compare(clients.values(), clients["st"].invitation.partition("/#")[0]) == 4


async def test_who_comes_back_hears_what_was_missed():
    steps: list[dict[str, Any]] = [
        {"drop": "phone"},
        {"by": "bob", "do": {"say": {"text": "where are you"}}},
        {"resume": "phone", "expect": {"changes": {"phone": 1}, "told": {"phone": ["said"]}}},
    ]
    async with playing(*steps) as (_, player, _):
        await player.play()


async def test_who_is_told_all_anew_is_noticed():
    async with playing({"drop": "phone"}, {"resume": "phone"}) as (_, player, clients):
        breaking_off = clients["phone"].break_off

        async def forgetting() -> None:
            await breaking_off()
            assert clients["phone"].saved
            clients["phone"].saved = replace(clients["phone"].saved, epoch="another")

        clients["phone"].break_off = forgetting  # type: ignore[method-assign]
        with pytest.raises(StepWrong, match="what phone is sent on coming back: expected what it missed"):
            await player.play()


async def test_a_client_that_knows_something_else_is_noticed():
    async with playing({}) as (app, player, clients):
        await player.play()
        clients["bob"].table._session.state["t/turn"] = 99
        with pytest.raises(StepWrong, match="what bob knows at t/turn: expected 'nothing', as .* found 99"):
            await compare(clients.values(), app.address)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"by": "eve", "do": {"hold": {}}}, "there is no connection eve"),
        ({"by": "st", "do": {"hide": {"unit": "Eve"}}}, "there is no unit Eve; there are Mira, Tano"),
        ({"by": "ann", "do": {"pass": {"window": "top"}}}, "nothing is on the stack"),
        ({"by": "st", "do": {"roll": {"unit": "Mira", "visibility": "secret"}}}, "visibility must be one of"),
        ({"expect": {"sees": {"eve": {"t/turn": 1}}}}, "eve"),
    ],
)
async def test_a_step_that_cannot_be_done_is_named(step: dict[str, Any], said: str):
    async with playing({}, step) as (_, player, _):
        with pytest.raises(ScenarioProblem, match=f"step 2: .*{said}"):
            await player.play()


async def test_what_does_not_come_by_itself_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("server.scenario.player.PATIENCE_S", 0.05)
    async with playing({"wait": {"stack": 1}}) as (_, player, _):
        with pytest.raises(StepWrong, match="expected stack 1, found stack 0, held False, active nobody"):
            await player.play()
