"""`overseer demo [SCENARIO]`: plays a scenario on a server of its own, over real sockets, and checks every step.

Nothing of it is left behind: its data lies in a temporary folder, and all it started has ended when it ends.
"""

import argparse
import contextlib
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from server import log
from server.app import App
from server.cli import run_loop
from server.config import Settings
from server.scenario import loader, picture, seats
from server.scenario.client import all_of
from server.scenario.picture import Picture
from server.scenario.player import Player, Score
from server.scenario.problems import ScenarioProblem, StepWrong
from server.scenario.second_server import compare, second_server
from server.store.embedded import attach

PAUSE_S = 1.5

HELP = """Plays a scenario file on a server of its own: scripted clients over real sockets, every step checked. Without
a file it is the acceptance fight. Ends with 0 if all held, with 1 and the step's name if something did not."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="overseer demo", description=HELP)
    made.add_argument(
        "scenario",
        nargs="?",
        default=loader.ACCEPTANCE,
        help=f"a YAML file, or one of those that come along: {', '.join(loader.names())}",
    )
    made.add_argument("--fast", action="store_true", help="do not wait for human eyes")
    made.add_argument("--lang", choices=("en", "zh"), default="en", help="language of the events")
    return made


def main(arguments: Sequence[str]) -> int:
    given = parser().parse_args(arguments)
    log.set_up("error")
    try:
        return run_loop(demo(loader.find(given.scenario), fast=given.fast, language=given.lang))
    except ScenarioProblem as problem:
        sys.stdout.flush()
        print(f"overseer demo: {problem}", file=sys.stderr)
        return 2


async def demo(path: Path, *, fast: bool, language: str) -> int:
    """The exit code. Raises ScenarioProblem for what cannot be played at all."""
    shown = picture.terminal(language)
    scenario = loader.load(path)
    shown.title(scenario)
    async with own_server() as (app, store_url, folder):
        table = await seats.make(app.rooms, scenario)
        clients = seats.clients(scenario, table, app.address, language)
        player = Player(scenario, clients, table.ids, shown, pause_s=0.0 if fast else PAUSE_S)
        try:
            await player.sit_down()
            await player.set_up()
            score = await player.play()
            async with second_server(store_url, folder / "second") as address:
                equal = await compare(clients, address)
        except StepWrong as wrong:
            shown.wrong(wrong)
            return 1
        finally:
            await all_of([client.leave() for client in clients])
    say_last(shown, score, equal)
    return 0


def say_last(shown: Picture, score: Score, equal: int) -> None:
    shown.rest()
    shown.print("")
    shown.print(
        f"demo: {score.commands} commands, {score.interrupts} interrupts, {equal} clients equal, "
        f"{score.refused} refused as expected"
    )


@contextlib.asynccontextmanager
async def own_server() -> AsyncIterator[tuple[App, str, Path]]:
    """A server on a free port, its store's address, its folder. Settings of the environment are none of its business."""
    with tempfile.TemporaryDirectory(prefix="overseer-demo-") as made:
        folder = Path(made)
        usual = {name: field.default for name, field in Settings.model_fields.items()}
        settings = Settings(**{**usual, "host": "127.0.0.1", "port": 0, "data_dir": folder / "data"})
        async with App(settings) as app:
            url = await attach(settings.data_dir)
            assert url is not None  # it runs in this very process
            yield app, url, folder
