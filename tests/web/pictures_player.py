"""What a player's page seldom shows, to be looked at: `python -m tests.web.pictures_player [FOLDER [STATE ...]]`.

Each state at a table of its own, in four looks; the usual states are drawn by pictures.py. No test: a person judges.
"""

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from playwright.async_api import Browser

from server.app import App
from tests.web import evening
from tests.web.cable import Cable
from tests.web.evening import DESKTOP, PHONE, SMALL, Evening
from tests.web.pictures import Pages, answered, deep, take
from tests.web.studio import studio

USUAL = Path(__file__).parent / "pictures"
LOOKS = {
    "small-en": (SMALL, "en"),
    "small-zh": (SMALL, "zh"),
    "phone-zh": (PHONE, "zh"),
    "desktop-en": (DESKTOP, "en"),
}
LONG, HAN = "Bartholomew-Featherstonehaugh-Wriothesly", "被遗忘的礼拜堂守墓人亡灵骑士长"
BITE = {"name": "bite", "act": "melee_attack", "pool": {"fixed": 3}}
SNAP = {"name": "snap", "act": "melee_attack", "slots": ["immediate"], "pool": {"fixed": 3}}
SABRE = {"name": "sabre", "act": "melee_attack", "attacks": 2, "pool": {"fixed": 5, "extra": 1}}
DAGGER = {"name": "main gauche", "act": "melee_attack", "pool": {"fixed": 3}}


class Book:
    """Where one state's pictures go, and the tables it is played at."""

    def __init__(self, app: App, browser: Browser, stack: contextlib.AsyncExitStack, folder: Path) -> None:
        self._stack = stack
        self._browser = browser
        self._folder = folder
        self.app = app

    async def begin(self, **house: Any) -> Evening:
        return await evening.begin(self.app.rooms, self.app.address, self._browser, self._stack, **house)

    async def pages(self, table: Evening, seat: str = "Ann", link: str | None = None) -> Pages:
        return {name: await table.page(seat, *look, link=link) for name, look in LOOKS.items()}

    async def take(self, pages: Pages, state: str) -> None:
        await take(pages, self._folder, state)

    async def strangers(self, table: Evening, state: str, link: str, script: str = "") -> None:
        """Pages that never come as far as a table."""
        for name, look in LOOKS.items():
            page = await table.blank(*look)
            await page.add_init_script(script)
            await page.goto(link)
            await page.locator("main").wait_for()
            await page.screenshot(path=self._folder / f"{state}-{name}.png")


async def attacked(table: Evening, target: str = "Mira") -> None:
    await table.st.declare(table.units["Ghoul"], "melee_attack", ability="claws", targets=[table.units[target]])


async def carried_out(table: Evening) -> None:
    st = table.st
    while st.stack:
        await st.command("close_window", window=st.state[f"k/{st.state['t/stack'][-1]}"]["window"])


async def action_of(table: Evening, name: str) -> None:
    while (active := table.st.active) is not None and active.name != name:
        await table.st.end_action(active.id)


# ----------------------------------------------------------------------------------------------------------- the states
async def doors(book: Book) -> None:
    """No answer yet, a bad invitation, none at all; nobody on stage, no unit of one's own."""
    table = await book.begin(units=False)
    link = table.invitations["Ann"]
    await book.strangers(table, "connecting", link, "globalThis.WebSocket = class { close() {} }")
    await book.strangers(table, "bad-invitation", link[:-4] + "AAAA")
    await book.strangers(table, "no-invitation", link.split("#")[0])
    pages = await book.pages(table)
    await book.take(pages, "empty")
    await table.st.command("add_unit", unit={"name": "Ghoul", "on_stage": True})
    await book.take(pages, "no-unit")


async def lines(book: Book) -> None:
    """Held, with a question and without; the line lost; back, with what was missed."""
    table = await book.begin(absent="pass", reaction_window_ms=2_000)
    st, ann = table.st, table.seats["Ann"]
    async with Cable(book.app.address) as cable:
        await st.start_fight()
        pages = await book.pages(table, link=cable.link(table.invitations["Ann"]))
        await st.hold()
        await attacked(table)
        await book.take(pages, "held-asked")
        await st.release()
        await carried_out(table)
        cable.pull()
        for page in pages.values():
            await page.locator("section.lost").wait_for()
        await book.take(pages, "lost")
        await st.until(lambda it: ann not in it.here)
        await st.declare(
            table.units["Ghoul"], "melee_attack", slot="move", ability="bite", targets=[table.units["Mira"]]
        )
        await carried_out(table)
        await st.end_action()
        await st.end_action(table.units["Mira"], as_seat=ann)
        cable.put_in()
        for page in pages.values():
            await page.evaluate("overseer.seat.retry()")
            await page.locator(".missed").wait_for()
        await book.take(pages, "missed")


async def several(book: Book) -> None:
    """Three units of one player, and twelve in the order; names of forty letters in both scripts."""
    table = await book.begin()
    st = table.st
    for name in ("Dog", "青龙"):
        unit = {"name": name, "side": "heroes", "initiative": 17, "tracks": {"hp": 9}, "abilities": [BITE, SNAP]}
        made = await st.command("add_unit", unit={**unit, "on_stage": True}, owner=table.seats["Ann"])
        table.units[name] = made.made[0]
    for k in range(3):
        await st.command("add_unit", unit={"name": f"Zombie {k + 9}", "on_stage": True, "tracks": {"hp": 6}})
    await st.set_value(table.units["Mira"], "name", LONG)
    await st.set_value(table.units["Ghoul"], "name", HAN)
    await st.start_fight()
    pages = await book.pages(table)
    await attacked(table, "Dog")
    await book.take(pages, "several-asked")
    await carried_out(table)
    await action_of(table, LONG)
    await book.take(pages, "several-own")
    for page in pages.values():
        await page.locator(".act").first.click()
    await book.take(pages, "several-choosing")


async def deeper(book: Book) -> None:
    """Asked three interrupts deep; asked with nothing to answer."""
    table = await book.begin()
    await table.st.start_fight()
    pages = await book.pages(table)
    await deep(table)
    await book.take(pages, "deep")
    await carried_out(table)

    table = await book.begin()
    await table.st.start_fight()
    pages = await book.pages(table)
    await attacked(table, "Tano")
    for seat in ("Ann", "Bob"):
        await answered(table, await table.sit(seat))
    await book.take(pages, "answered")


async def two_weapons(book: Book) -> None:
    table = await book.begin()
    mira = table.units["Mira"]
    await table.st.set_value(mira, "extras.defense", 3)
    duellist = {
        "name": "Duellist",
        "side": "tomb",
        "initiative": 30,
        "extras": {"attack": 2},
        "abilities": [SABRE, DAGGER],
    }
    made = await table.st.command("add_unit", unit={**duellist, "on_stage": True})
    await table.st.start_fight()
    pages = await book.pages(table)
    split = [{"target": mira, "extra": 2}, {"target": mira, "weapon": "main gauche", "extra": 1}]
    await table.st.declare(made.made[0], "melee_attack", ability="sabre", targets=[mira], split=split)
    await book.take(pages, "defence")


async def kept(book: Book) -> None:
    """What is readied, its moment; a roll that is asked for, its result; extended actions under way."""
    table = await book.begin()
    st, ann, mira = table.st, table.seats["Ann"], table.units["Mira"]
    await st.start_fight()
    await action_of(table, "Mira")
    pages = await book.pages(table)
    await st.ready(mira, "melee_attack", ability="katana", trigger={"act": "attack", "side": "enemy"}, as_seat=ann)
    await st.command("start_task", unit=mira, name="Bar the door", pool={"attributes": ["STR"]}, dc=8, as_seat=ann)
    await st.command("ask_roll", units=[mira], pool={"attributes": ["STR"]}, dc=2, reason="the floor gives way")
    await book.take(pages, "roll-asked")
    await next(iter(pages.values())).locator(".asked .primary").click()
    await book.take(pages, "rolled")
    for page in pages.values():
        await page.locator(".tab-dice").click()
        await page.locator(".roll summary").first.click()
    await book.take(pages, "proof")
    for page in pages.values():
        await page.locator(".tab-ready").click()
    await book.take(pages, "readied")
    await st.end_action()
    await st.declare(table.units["Brute"], "melee_attack", ability="maul", targets=[table.units["Tano"]])
    await book.take(pages, "moment")


async def other_game(book: Book) -> None:
    table = await book.begin(scenario="storyteller")
    await table.st.start_fight()
    ann, bob = await book.pages(table), await book.pages(table, "Bob")
    await book.take(ann, "storyteller-own")
    herzod, mira = table.units["Herzod"], table.units["Mira"]
    await table.st.declare(
        herzod, "melee_attack", slot="simple", ability="axe", targets=[mira], as_seat=table.seats["Ann"]
    )
    await book.take(bob, "storyteller-asked")


STATES: tuple[Callable[[Book], Awaitable[None]], ...] = (
    doors,
    lines,
    several,
    deeper,
    two_weapons,
    kept,
    other_game,
)


async def main(arguments: Sequence[str]) -> None:
    folder = Path(arguments[0]) if arguments else USUAL
    folder.mkdir(parents=True, exist_ok=True)
    async with studio() as (app, browser):
        for state in STATES:
            if not arguments[1:] or state.__name__ in arguments[1:]:
                async with contextlib.AsyncExitStack() as inner:
                    await state(Book(app, browser, inner, folder))
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
