"""Pictures of the Storyteller's console, to be looked at: `python -m tests.web.pictures_console [FOLDER [STATE ...]]`.

In an evening's every state, three sizes and both languages; what is longer than a desk's screen once more as a whole.
No test: a person judges.
"""

import asyncio
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import Browser, Page

from server.app import App
from tests.web import evening
from tests.web.cable import Cable
from tests.web.evening import DESKTOP, PHONE, Evening
from tests.web.pictures import deep, messy
from tests.web.studio import studio

USUAL = Path(__file__).parent / "pictures"
TABLET = (1024, 768)
SIZES = {"desktop": DESKTOP, "tablet": TABLET, "phone": PHONE}
LONG = 2600
"""As high as the longest part is."""
PARTS = ("units", "now", "tell", "log", "scene", "rules", "seats")
TEXT = "name, count, side, hp, attacks\nZombie, 6, horde, 6, claw 5\nHound of the Drowned Chapel, , horde, 4, bite 4\n"
WRONG = "name, count, hp\nZombie, many, 6\n"

Pages = dict[str, Page]


class Album:
    def __init__(self, table: Evening, folder: Path, pages: Pages, cable: Cable) -> None:
        self.cable = cable
        self.table = table
        self.folder = folder
        self.pages = pages

    async def take(self, state: str) -> None:
        for name, page in self.pages.items():
            await page.wait_for_timeout(250)
            await page.screenshot(path=self.folder / f"{state}-{name}.png", timeout=60_000)

    async def whole(self, state: str) -> None:
        """A part that scrolls, at its whole length."""
        for name, page in self.pages.items():
            size = page.viewport_size
            assert size is not None
            if size["width"] == TABLET[0]:
                continue
            await page.set_viewport_size({"width": size["width"], "height": LONG})
            part = page.locator(".right:visible, .left:visible, .middle:visible")
            await (part.last if size["width"] > 1200 else part.first).screenshot(
                path=self.folder / f"{state}-whole-{name}.png", timeout=60_000
            )
            await page.set_viewport_size(size)

    async def part(self, name: str) -> None:
        for page in self.pages.values():
            if name != "now" or page.viewport_size["width"] < 1200:  # type: ignore[index]
                await page.locator(f".part-{name}").click()

    async def click(self, selector: str) -> None:
        for page in self.pages.values():
            await page.locator(selector).locator("visible=true").first.click()

    async def press(self, key: str) -> None:
        for page in self.pages.values():
            await page.locator("h1").click()
            await page.keyboard.press(key)

    async def fill(self, selector: str, text: str) -> None:
        for page in self.pages.values():
            await page.locator(selector).locator("visible=true").first.fill(text)

    async def closed(self) -> None:
        for page in self.pages.values():
            await page.keyboard.press("Escape")
            await page.locator("dialog").wait_for(state="detached")

    async def unit(self, name: str) -> None:
        await self.part("units")
        for page in self.pages.values():
            if await page.locator(".back:visible", has_text="←").count():
                await page.locator(".back:visible", has_text="←").click()
            await page.locator(f'[data-unit="{self.table.units[name]}"]').first.click()


async def begin(
    stack: contextlib.AsyncExitStack, app: App, browser: Browser, folder: Path, *, units: bool = True
) -> Album:
    table = await evening.begin(app.rooms, app.address, browser, stack, units=units, reaction_window_ms=60_000)
    cable = await stack.enter_async_context(Cable(app.address))
    link = cable.link(table.invitations["Storyteller"])
    pages = {
        f"{size}-{language}": await table.page("Storyteller", SIZES[size], language, link=link)
        for size in SIZES
        for language in ("en", "zh")
    }
    return Album(table, folder, pages, cable)


async def empty(album: Album) -> None:
    await album.take("empty")
    await album.part("units")
    await album.take("empty-units")


async def before_the_fight(album: Album) -> None:
    await album.part("units")
    await album.take("no-fight-units")
    await album.part("now")
    await album.take("no-fight-now")
    await album.part("scene")
    await album.whole("no-fight-scene")


async def more(table: Evening) -> None:
    """Twelve units, hidden ones, some off stage; a Film; words; requests and an objection; a task; what lasts."""
    st, units = table.st, table.units
    ghoul = {"side": "monsters", "tracks": {"hp": 6}, "initiative": 4}
    for name, how in (
        ("Lurker under the altar", {"hidden": True, "on_stage": True, "position": "crypt"}),
        ("血眼蝙蝠 3", {"on_stage": True}),
        ("Reserve of the second night", {}),
    ):
        done = await st.command("add_unit", unit={**ghoul, "name": name, **how})
        units[name] = done.made[0]
    await st.command("narrate", text="The bells below the water begin to ring, slowly, one after the other.")


async def requests(table: Evening) -> None:
    ann, bob, dee = await table.sit("Ann"), await table.sit("Bob"), await table.sit("Dee")
    await ann.command("say", text="我躲到祭坛后面。 Can I still see the Ghoul from there?")
    await dee.command("ask_take_back", text="Wrong target, sorry: I meant the bat.")
    await bob.command("object_to_rule", key="immediate_cost", text="We have always played it the other way.")
    await table.st.command(
        "ask_roll",
        units=[table.units["Mira"], table.units["Tano"]],
        pool={"fixed": 4},
        reason="Something moves below the floor",
    )


async def in_the_fight(album: Album) -> None:
    for part in PARTS:
        await album.part(part)
        await album.take(f"fight-{part}")
        if part in ("now", "tell", "scene", "rules", "seats", "log"):
            await album.whole(f"fight-{part}")
    await album.part("now")
    await album.click("details:has(> summary:text-matches('Change:|更改'))")
    await album.take("change")
    await album.whole("change")


async def dialogs(album: Album) -> None:
    await album.press("a")
    await album.take("add-form")
    await album.click("dialog details summary")
    await album.take("add-form-more")
    await album.click("[data-name=text]")
    await album.fill("#units-text", WRONG)
    await album.click("dialog .row button:text-matches('Read|读取')")
    await album.take("add-wrong")
    await album.fill("#units-text", TEXT)
    await album.click("dialog .row button:text-matches('Read|读取')")
    await album.take("add-text")
    await album.click("[data-name=library]")
    await album.click("dialog .file >> nth=0")
    await album.take("add-library")
    await album.closed()
    await album.press("?")
    await album.take("help")
    await album.closed()
    await album.press("Control+z")
    await album.take("undo")
    await album.closed()


async def units(album: Album) -> None:
    await album.unit("Mira")
    await album.take("unit")
    await album.whole("unit")
    await album.fill("#override-value", "3")
    await album.take("override")
    await album.unit("Lurker under the altar")
    await album.take("unit-hidden")
    await album.unit("Reserve of the second night")
    await album.take("unit-off-stage")


async def seats(album: Album) -> None:
    await album.part("seats")
    await album.click("summary:text-matches('changed what|改动过')")
    await album.take("audit")
    await album.whole("audit")
    for k, page in enumerate(album.pages.values()):
        form = page.locator("form", has=page.locator("#invite"))
        await form.locator("input[type=text]").first.fill(f"Eve the Newcomer {k + 1}")
        await form.locator("button[type=submit]").click()
        await page.locator("dialog svg").wait_for()
    await album.take("invitation")
    await album.closed()


async def other_eyes(album: Album) -> None:
    for page in album.pages.values():
        await page.locator(".seat", has_text="Ann").locator("button:text-matches('See as|视角')").click()
        await page.locator(".page:not(.st)").wait_for()
    await album.take("see-as")
    for page in album.pages.values():
        await page.locator("button:text-matches('Back to my|回到我的')").click()
        await page.locator(".st").wait_for()


async def held(album: Album) -> None:
    await album.table.st.command("hold")
    for part in ("now", "units"):
        await album.part(part)
        await album.take(f"held-{part}")
    await album.table.st.command("release")


async def refused(album: Album) -> None:
    """Reasons in the reader's language, over everything."""
    for page in album.pages.values():
        await page.evaluate("overseer.seat.command('end_fight', {}).catch(() => 0)")
    await album.part("now")
    await album.press("n")
    await album.take("refused")


async def lost(album: Album) -> None:
    album.cable.pull()
    await album.take("lost")


async def draw(
    stack: contextlib.AsyncExitStack, app: App, browser: Browser, folder: Path, wanted: Sequence[str]
) -> None:
    album = await begin(stack, app, browser, folder, units=False)
    await empty(album)
    for page in album.pages.values():
        await page.context.close()
    album = await begin(stack, app, browser, folder)
    await before_the_fight(album)
    await album.table.st.command("enter_film", name="The Drowned Chapel", world="Hollow Marsh")
    await messy(album.table)
    await more(album.table)
    await deep(album.table)
    await requests(album.table)
    for step in (in_the_fight, dialogs, units, seats, other_eyes, held, refused, lost):
        if not wanted or step.__name__ in wanted:
            await step(album)
            print(step.__name__, flush=True)


async def main(arguments: Sequence[str]) -> None:
    folder = Path(arguments[0]) if arguments else USUAL
    folder.mkdir(parents=True, exist_ok=True)
    async with studio() as (app, browser), contextlib.AsyncExitStack() as stack:
        await draw(stack, app, browser, folder, arguments[1:])
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
