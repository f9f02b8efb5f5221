"""Pictures of the pages in the middle of a messy fight, to be looked at: `python -m tests.web.pictures [FOLDER]`.

A player's in every state, three sizes and both languages, and the console; into tests/web/pictures unless a folder is named.
No test: a person judges.
"""

import asyncio
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import Page

from protocol.client import Table
from tests.web import evening
from tests.web.evening import DESKTOP, PHONE, SMALL, Evening
from tests.web.studio import studio

USUAL = Path(__file__).parent / "pictures"
SIZES = {"small": SMALL, "phone": PHONE, "desktop": DESKTOP}
MORE = (
    {"name": "Bartholomew Ravenscroft-Huntington III", "side": "monsters", "tracks": {"hp": 20}},
    {"name": "被遗忘的礼拜堂守墓人亡灵骑士长", "side": "monsters", "tracks": {"hp": 30}},
    {"name": "Rat 12", "side": "monsters", "tracks": {"hp": 2}},
)
"""Beside the sample's five: long names in both scripts."""

Pages = dict[str, Page]


async def messy(table: Evening) -> None:
    """A fight with dead ones, conditions and effects in it."""
    st, units = table.st, table.units
    for unit in MORE:
        done = await st.command("add_unit", unit={**unit, "on_stage": True})
        units[str(unit["name"])] = done.made[0]
    await st.start_fight()
    mira = units["Mira"]
    await st.set_value(mira, "extras.defense", 3)
    for condition in ("dazzled", "prone"):
        await st.command("add_condition", unit=mira, condition=condition, rounds=2, by=units["Ghoul"])
    await st.set_value(units["Rat 12"], "hp", 0)
    await st.set_value(units["Brute"], "hp", 3)


async def deep(table: Evening) -> None:
    """Three interrupts on each other; the last is aimed at Mira, so that Ann is asked."""
    units = table.units
    dee, cem = await table.sit("Dee"), await table.sit("Cem")
    await table.st.declare(units["Ghoul"], "melee_attack", ability="claws", targets=[units["Suri"]])
    for seat in (dee, cem, table.st):
        await answered(table, seat)


async def answered(table: Evening, seat: Table) -> None:
    """The first of the seat's abilities that can answer what lies on top, at Mira if it can be."""
    top = table.st.state[f"k/{table.st.state['t/stack'][-1]}"]["window"]
    found = (await seat.ask("options")).model_extra or {}
    for one in found["options"]:
        if one["kind"] == "react" and one.get("window") == top and one.get("ability") and not one.get("code"):
            targets = one.get("targets", [])
            mira = table.units["Mira"]
            act = {"kind": one["act"], "slot": one["slot"], "ability": one["ability"]}
            if targets:
                act["targets"] = [mira if mira in targets else targets[0]]
            await seat.command("react", unit=one["unit"], window=top, act=act)
            return


async def take(pages: Pages, folder: Path, state: str) -> None:
    for name, page in pages.items():
        await page.evaluate("n => overseer.seat.until(seat => seat.n >= n)", 0)
        await page.wait_for_timeout(500)  # what opens has opened, the button is armed
        await page.screenshot(path=folder / f"{state}-{name}.png", timeout=60_000)


async def all_pages(table: Evening, seat: str) -> Pages:
    return {
        f"{size}-{language}": await table.page(seat, SIZES[size], language)
        for size in SIZES
        for language in ("en", "zh")
    }


async def click_all(pages: Pages, selector: str) -> None:
    for page in pages.values():
        await page.locator(selector).first.click()


async def draw(table: Evening, folder: Path) -> None:
    await messy(table)
    ann = await all_pages(table, "Ann")
    await deep(table)
    await take(ann, folder, "asked")
    console = {
        "desktop-en": await table.page("Storyteller", DESKTOP),
        "phone-zh": await table.page("Storyteller", PHONE, "zh"),
    }
    await click_all({"": console["phone-zh"]}, ".part-now")
    await take(console, folder, "console")
    watching = {
        "phone-en": await table.page("Gallery", PHONE),
        "desktop-zh": await table.page("Gallery", DESKTOP, "zh"),
    }
    await take(watching, folder, "watching")
    await click_all({"": next(iter(ann.values()))}, ".pass")
    await take(ann, folder, "waiting")
    while table.st.stack:
        await table.st.command("close_window", window=table.st.state[f"k/{table.st.state['t/stack'][-1]}"]["window"])
    while table.st.active is None or table.st.active.name != "Mira":
        assert table.st.active is not None
        await table.st.end_action(table.st.active.id)
    await take(ann, folder, "own-action")
    await click_all(ann, ".act")
    await take(ann, folder, "choosing")
    for tab in ("ready", "dice", "talk", "sheet", "log"):
        await click_all(
            {name: page for name, page in ann.items() if tab != "log" or "desktop" not in name}, f".tab-{tab}"
        )
        await take(ann, folder, tab)


async def main(arguments: Sequence[str]) -> None:
    folder = Path(arguments[0]) if arguments else USUAL
    folder.mkdir(parents=True, exist_ok=True)
    async with studio() as (app, browser), contextlib.AsyncExitStack() as stack:
        table = await evening.begin(app.rooms, app.address, browser, stack, reaction_window_ms=60_000)
        await draw(table, folder)
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
