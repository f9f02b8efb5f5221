"""An evening in browsers: a table of the server under test, the sample's units on it, and a page for whoever sits down.

Everything a page does goes over its own socket; the Storyteller and whoever has no page are clients of the Python SDK.
"""

import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page

from core.editions import house_of
from protocol.client import Table, connect
from server import auth, seating
from server.rooms import Rooms
from server.scenario import loader
from tests.web.witness import Witness

Size = tuple[int, int]
SMALL, PHONE, DESKTOP = (360, 640), (390, 844), (1440, 900)
AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
SLOW_HOUSE = {"reaction_window_ms": 600_000, "reaction_floor_ms": 0}
"""Nobody is late by accident, and nothing waits once all have answered."""
PATIENCE_MS = 60_000
"""How long anything is waited for that must come: a machine may have all else to do."""
DRAWN = f"n => overseer.own.until(own => own.n >= n, {PATIENCE_MS}).then(() => new Promise(requestAnimationFrame))"


class Evening:
    """One table. `st`: its Storyteller, an SDK client; `invitations`, `seats`: links and ids by seat; `units`: ids."""

    def __init__(self, browser: Browser, stack: contextlib.AsyncExitStack) -> None:
        self._browser = browser
        self._stack = stack
        self.invitations: dict[str, str] = {}
        self.seats: dict[str, str] = {}
        self.units: dict[str, str] = {}
        self.st: Table
        self.witnesses: list[Witness] = []
        """Of each page, in the order they were opened."""
        self._consoles: list[Page] = []

    async def sit(self, seat: str) -> Table:
        """A client of the SDK in this seat."""
        return await self._stack.enter_async_context(connect(self.invitations[seat]))

    async def page(self, seat: str, size: Size = PHONE, language: str = "en", *, link: str | None = None) -> Page:
        """A browser of its own with the seat's page in it, once it shows what it is to show."""
        page = await self.blank(size, language)
        await page.goto(link or self.invitations[seat])
        await page.locator(".page").wait_for()
        if seat == "Storyteller":
            self._consoles.append(page)
        return page

    async def until(self, condition: Callable[[Table], Any]) -> None:
        """So it is for the Storyteller, and his pages have drawn it: the next thing they do, they do knowing it."""
        await self.st.until(condition)
        for page in self._consoles:
            await page.evaluate(DRAWN, self.st.n)

    async def blank(self, size: Size = PHONE, language: str = "en") -> Page:
        context = await self._browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            locale="zh-CN" if language == "zh" else "en-GB",
            color_scheme="dark",
            reduced_motion="reduce",
            has_touch=size[0] < 900,
        )
        self._stack.push_async_callback(context.close)
        page = await context.new_page()
        self.witnesses.append(Witness(page))
        page.set_default_timeout(PATIENCE_MS)
        return page


async def begin(
    rooms: Rooms,
    address: str,
    browser: Browser,
    stack: contextlib.AsyncExitStack,
    *,
    scenario: str = "acceptance",
    units: bool = True,
    **house: Any,
) -> Evening:
    """The sample table as it is before its fight; `house`: rules other than usual, windows of ten minutes but for those."""
    evening = Evening(browser, stack)
    told = loader.load(loader.bundled(scenario))
    rules = {**SLOW_HOUSE, **({"ruleset": "storyteller"} if scenario == "storyteller" else {}), **house}
    made = await seating.make_table(rooms, told.table, practice_seed=told.dice_seed, house=house_of(rules))
    for seat in told.seats:
        one = made if seat.role == "st" else await seating.add_seat(rooms, made.table, seat.seat, seat.role)
        evening.seats[seat.seat] = one.seat
        evening.invitations[seat.seat] = auth.invitation(address, one.token)
    evening.st = await evening.sit("Storyteller")
    for unit in told.units if units else ():
        facts = {name: value for name, value in unit.items() if name != "owner"}
        done = await evening.st.command("add_unit", unit=facts, owner=evening.seats.get(unit.get("owner", "")))
        evening.units[unit["name"]] = done.made[0]
    return evening


async def faults(page: Page, *, contrast: bool = True) -> list[str]:
    """What axe finds wrong with the page as it is now (WCAG 2.2 AA and its best practices).

    Half its time goes into `contrast`: a page that was looked at in one language has the same colours in the other.
    """
    if not await page.evaluate("'axe' in globalThis"):
        await page.evaluate(AXE.read_text())
    told = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": contrast}}}
    found = await page.evaluate("told => axe.run(document, told)", told)
    return [f"{one['id']}: {json.dumps([node['target'] for node in one['nodes']])}" for one in found["violations"]]


async def quiet(page: Page) -> None:
    """Its questions are answered, and it knows that they are."""
    await page.evaluate("ms => overseer.seat.until(seat => seat.prompts().length === 0, ms)", PATIENCE_MS)


async def slow_way(page: Page) -> tuple[Callable[[], Awaitable[None]], Callable[[str], Awaitable[None]]]:
    """Of a page that has not been opened yet: what the server says to it can be held, and let through.

    It is let through once something that was held has this word in it.
    """
    await page.add_init_script("""
        globalThis.WebSocket = class extends WebSocket {
            set onmessage(hear) {
                const later = event => kept_back.push([event.data, () => hear(event)])
                super.onmessage = hear && (event => globalThis.kept_back ? later(event) : hear(event))
            }
        }""")

    async def hold() -> None:
        await page.evaluate("globalThis.kept_back = []")

    async def let_through(word: str) -> None:
        says = "word => kept_back.some(([data]) => new TextDecoder().decode(data).includes(word))"
        await page.wait_for_function(says, arg=word)
        await page.evaluate("() => { const all = kept_back; kept_back = null; all.forEach(([, hear]) => hear()) }")

    return hold, let_through


async def seen(page: Page) -> dict[str, Any]:
    """All that the page knows, by path."""
    return dict(await page.evaluate("overseer.seat.saved.view"))


@contextlib.asynccontextmanager
async def fresh(invitation: str) -> AsyncIterator[Table]:
    """The seat once more, by a client that has never been here."""
    async with connect(invitation) as table:
        yield table


async def same_as_fresh(pages: Sequence[tuple[Page, str]]) -> None:
    """Each page has come to know exactly what a newcomer in its seat is told."""
    for page, invitation in pages:
        async with fresh(invitation) as table:
            await page.evaluate("([n, ms]) => overseer.seat.until(seat => seat.n >= n, ms)", [table.n, PATIENCE_MS])
            assert await seen(page) == json.loads(json.dumps(dict(table.state)))
