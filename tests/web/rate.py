"""How the pages keep up, on this machine: `python -m tests.web.rate`. No test: figures, to be compared with earlier ones.

Thirty questions, with thirty units on stage: from the Storyteller's command to the player's button on the screen, the commit
in between included. Then fifty changes a second, for ten seconds: what the page's main thread does, frames drawn.
"""

import asyncio
import contextlib
import statistics
import time
from typing import Any

from playwright.async_api import Page

from server.config import Settings
from tests.web import evening
from tests.web.evening import DESKTOP, PHONE, Evening
from tests.web.studio import studio

UNITS, RATE, SECONDS, QUESTIONS = 30, 50, 10, 30

FRAMES = """() => { globalThis.frames_ = 0; (function next() { frames_ += 1; requestAnimationFrame(next) })() }"""
DRAWN = """() => {
    globalThis.drawn = []
    let there = false
    const look = () => {
        const now = document.querySelector('.big') !== null
        const draw = () => drawn.push(performance.timeOrigin + performance.now())
        if (now && !there) requestAnimationFrame(() => setTimeout(draw))
        there = now
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true })
}"""


async def changes(table: Evening, low: int) -> None:
    """Everybody has `low` HP, then one more, then `low` again: each change at its time, whatever the one before takes."""
    units = list(table.units.values())
    hp = {unit: table.st.state[f"u/{unit}/hp"] for unit in units}
    start = time.monotonic()
    sent = []
    for k in range(RATE * SECONDS):
        await asyncio.sleep(max(0.0, start + k / RATE - time.monotonic()))
        unit, value = units[k % UNITS], low + k // UNITS % 2
        change = table.st.command("set_value", unit=unit, path="hp", value=value, was=hp[unit])
        sent.append(asyncio.create_task(change))
        hp[unit] = value
    await asyncio.gather(*sent)


async def under_changes(table: Evening, page: Page, name: str, low: int) -> None:
    await page.emulate_media(reduced_motion="no-preference")
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("Performance.enable")

    async def so_far() -> dict[str, float]:
        told = {one["name"]: one["value"] for one in (await devtools.send("Performance.getMetrics"))["metrics"]}
        more = await page.evaluate("({ frames: frames_, n: overseer.seat.n, at: performance.now() / 1000 })")
        return {**told, **more}

    await page.evaluate(FRAMES)
    before = await so_far()
    await changes(table, low)
    after = await so_far()
    rise = {what: after[what] - before[what] for what in before}
    works = {
        "script": "ScriptDuration",
        "style": "RecalcStyleDuration",
        "layout": "LayoutDuration",
        "all": "TaskDuration",
    }
    told = ", ".join(f"{word} {1000 * rise[what] / rise['at']:.0f}" for word, what in works.items())
    changes_s, fps = rise["n"] / rise["at"], rise["frames"] / rise["at"]
    print(f"{name:24} {changes_s:.1f} changes/s, {fps:.1f} fps; ms/s: {told}")
    await page.context.close()


async def questions(table: Evening, page: Page) -> None:
    st, took = table.st, []
    await page.evaluate(DRAWN)
    for k in range(QUESTIONS):
        at = time.time()
        await st.declare(table.units["Ghoul"], "melee_attack", ability="claws", targets=[table.units["Mira"]])
        await page.wait_for_function("k => drawn.length > k", arg=k)
        took.append(await page.evaluate("drawn.at(-1)") - 1000 * at)
        await st.command("cancel", pending=st.state["t/stack"][-1], refund=True)
        await page.locator(".big").wait_for(state="detached")
    print(
        f"{'a question':24} {statistics.median(took):.0f} ms until it is drawn (median; {min(took):.0f} to {max(took):.0f})"
    )
    await page.context.close()


async def main() -> None:
    unlimited: dict[str, Any] = {name: 0 for name in Settings.model_fields if name.startswith("rate_")}
    async with studio(**unlimited) as (app, browser), contextlib.AsyncExitStack() as stack:
        table = await evening.begin(app.rooms, app.address, browser, stack, hp_shown="all")
        for k in range(UNITS - len(table.units)):
            unit = {"name": f"Rat {k + 1}", "side": "vermin", "tracks": {"hp": 9}, "on_stage": True}
            table.units[str(unit["name"])] = (await table.st.command("add_unit", unit=unit)).made[0]
        await table.st.start_fight()
        await questions(table, await table.page("Ann", PHONE))
        await under_changes(table, await table.page("Ann", PHONE), "player's page, phone", 1)
        await under_changes(table, await table.page("Storyteller", DESKTOP), "console, desktop", 3)


if __name__ == "__main__":
    asyncio.run(main())
