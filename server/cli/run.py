"""`overseer run` (make run): a server with a sample table, a sample fight to watch, and a seat for everybody after it.

The server is the same as `overseer serve`; Ctrl-C ends it and everything that was started with it.
"""

import argparse
import asyncio
from collections.abc import Sequence

from rich.text import Text

from server import auth, config, log, web_page
from server.app import App, until_told_to_stop
from server.cli import desktop, run_loop
from server.cli.called import own_command
from server.cli.demo import PAUSE_S
from server.config import Settings
from server.scenario import loader, picture, sample, seats
from server.scenario.client import all_of
from server.scenario.format import Scenario
from server.scenario.picture import Picture
from server.scenario.player import Player
from server.scenario.problems import ScenarioProblem, StepWrong
from server.scenario.sample import BEGINNING, Sample
from server.scenario.stand_ins import StandIns

HELP = """Starts a server, makes a sample table the first time, prints an invitation for every seat, plays a sample fight
in this terminal, and stays up so that people can take seats. Where there is a desktop, the Storyteller's console opens
in a browser. Ctrl-C ends it all; the next time the table is there again.
All settings of `overseer serve` are accepted too."""

WORDS = {
    "en": {
        "ready": "Overseer is ready at {address}",
        "no_pages": web_page.NOT_BUILT,
        "seats": "Take a seat: open one of these links in a browser, on this machine.",
        "terminal": "Or in another terminal: {command} join 'LINK'",
        "opened": "{seat}'s console is open in your browser. (Not wanted: --no-browser)",
        "st": "runs the table and its monsters",
        "player": "plays {units}",
        "spectator": "watches",
        "watch": "First, watch a fight. The scripted clients below sit in these very seats.",
        "over": "That was the sample fight. Now the table is set back to its beginning, for you:",
        "stopped": "The sample fight was left here: it did not go as written, perhaps because somebody took part.",
        "fight": "The sample table goes on where it was left: turn {turn}, {active}.",
        "active": "{name} acts",
        "nobody": "nobody acts",
        "quiet": "The sample table is as it was left; no fight is on.",
        "again": "To see the fight again: {command} demo. A new sample table: {command} run --anew",
        "stand_ins": "Whatever seat nobody takes is played for you, as long as somebody is at the table.",
        "stays": "The server stays up. Ctrl-C ends it.",
        "bye": "Stopped. The tables are kept; the next start finds them again.",
    },
    "zh": {
        "ready": "Overseer 已就绪：{address}",
        "no_pages": "没有构建网页；若要网页：安装 Node 20.19 或更新版本，重新安装 Overseer 并重启。终端客户端不受影响。",
        "seats": "请入座：在本机浏览器中打开下面任意一个链接。",
        "terminal": "也可以另开一个终端：{command} join '链接'",
        "opened": "已在浏览器中打开 {seat} 的控制台。（不需要：--no-browser）",
        "st": "主持这张桌子和怪物",
        "player": "扮演 {units}",
        "spectator": "旁观",
        "watch": "先看一场战斗。下面按剧本行动的客户端就坐在这些座位上。",
        "over": "示例战斗到此结束。桌子已回到开头，轮到你们了：",
        "stopped": "示例战斗在此中止：没有按剧本进行，也许有人参与了进来。",
        "fight": "示例桌接着上次继续：第 {turn} 回合，{active}。",
        "active": "{name} 行动中",
        "nobody": "无人行动",
        "quiet": "示例桌保持上次的样子；没有战斗。",
        "again": "再看一次战斗：{command} demo；新建示例桌：{command} run --anew",
        "stand_ins": "只要桌边有人，没人坐的席位会自动代打；随时可以接手。",
        "stays": "服务器会一直运行。按 Ctrl-C 结束。",
        "bye": "已停止。桌子都保留着，下次启动还在。",
    },
}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="overseer run", description=HELP)
    made.add_argument("--fast", action="store_true", help="do not wait for human eyes")
    made.add_argument("--anew", action="store_true", help="make a new sample table, and play the fight on it")
    made.add_argument("--no-browser", action="store_true", help="open nothing in a browser")
    made.add_argument("--lang", choices=("en", "zh"), default="en", help="language of what is printed here")
    config.add_flags(made, "settings")
    return made


def main(arguments: Sequence[str]) -> int:
    """The exit code. Problems with settings, port or store are raised for the command line to say."""
    given = parser().parse_args(arguments)
    settings = config.load_settings({name: getattr(given, name) for name in config.ACCEPTED})
    # The picture is for people: what the server does every day is told only to who asks for it.
    log.set_up(settings.log_level if given.log_level else "warning")
    show = Show(settings, picture.terminal(given.lang), pause_s=0.0 if given.fast else PAUSE_S)
    return run_loop(show.run(anew=given.anew, browser=not given.no_browser and desktop.is_here()))


class Show:
    """One run, from the start of the server to its end."""

    def __init__(self, settings: Settings, shown: Picture, *, pause_s: float) -> None:
        self._settings = settings
        self._shown = shown
        self._pause_s = pause_s
        self._words = WORDS[shown.language]

    async def run(self, *, anew: bool, browser: bool = False) -> int:
        scenario = loader.load(loader.bundled())
        told = asyncio.create_task(until_told_to_stop(), name="until told to stop")
        try:
            async with App(self._settings) as app:
                self._print("ready", "bold green", address=app.address)
                if not app.has_pages:
                    self._print("no_pages", "yellow")
                table = await sample.find_or_make(app.rooms, self._settings.data_dir, scenario, anew=anew)
                self._invite(app, scenario, table)
                if browser and app.has_pages:
                    await self._open_console(app, scenario, table)
                going_on = asyncio.create_task(self._go_on(app, scenario, table), name="sample fight")
                await asyncio.wait([told, going_on], return_when=asyncio.FIRST_COMPLETED)
                if told.done():
                    going_on.cancel()
                await asyncio.gather(going_on, return_exceptions=told.done())
                await told
        finally:
            told.cancel()
        self._print("bye", "bold")
        return 0

    async def _open_console(self, app: App, scenario: Scenario, table: Sample) -> None:
        seat = next(seat.seat for seat in scenario.seats if seat.role == "st")
        if await desktop.open_page(auth.invitation(app.address, table.seats.tokens[seat])):
            self._print("opened", "dim", seat=seat)

    async def _go_on(self, app: App, scenario: Scenario, table: Sample) -> None:
        if not table.new:
            await self._say_where(app, table)
        elif await self._play(app, scenario, table):
            self._print("over", "bold green")
            self._invite(app, scenario, table)
        self._print("stand_ins", "dim")
        self._print("stays", "bold")
        await StandIns(app.rooms.presence, scenario, table.seats, app.address).play()

    # ---------------------------------------------------------------------------------------------------------- the fight
    async def _play(self, app: App, scenario: Scenario, table: Sample) -> bool:
        """Whether it was played to its end, and handed over."""
        self._print("watch", "bold")
        clients = seats.clients(scenario, table.seats, app.address, self._shown.language)
        player = Player(scenario, clients, table.seats.ids, self._shown, pause_s=self._pause_s)
        try:
            await player.sit_down()
            await player.set_up()
            player.names.note({BEGINNING: "position"}, ())
            await player.play()
            player.st.hear = None
            await sample.hand_over(player)
        except (StepWrong, ScenarioProblem) as problem:
            self._shown.rest()
            self._print("stopped", "bold red")
            self._shown.print(str(problem), "dim")
            return False
        finally:
            await all_of([client.leave() for client in clients])
        self._shown.rest()
        return True

    async def _say_where(self, app: App, table: Sample) -> None:
        stands = await sample.where_it_stands(app.rooms, table.seats.table)
        if stands is None:
            self._print("quiet", "bold")
        else:
            active = self._words["active"].format(name=stands[1]) if stands[1] else self._words["nobody"]
            self._print("fight", "bold", turn=stands[0], active=active)
        self._print("again", "dim", command=own_command())

    # -------------------------------------------------------------------------------------------------------- what is said
    def _invite(self, app: App, scenario: Scenario, table: Sample) -> None:
        """Every seat, what it does, and the very command that takes it."""
        self._print("seats", "bold")
        for seat in scenario.seats:
            units = ", ".join(str(unit["name"]) for unit in scenario.units if unit.get("owner") == seat.seat)
            does = self._words[seat.role].format(units=units)
            link = auth.invitation(app.address, table.seats.tokens[seat.seat])
            self._shown.print(Text.assemble("  ", (f"{seat.seat:<13}", "bold cyan"), (does, "dim")))
            self._shown.print(f"    {link}")
        self._print("terminal", "dim", command=own_command())

    def _print(self, words: str, style: str, **fields: object) -> None:
        self._shown.print("")
        self._shown.print(Text(self._words[words].format(**fields), style))
