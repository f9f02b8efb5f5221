"""A whole fight as an evening has it: the Storyteller's console and three players' pages, each a browser of its own.

All that matters is done by the pages. One more connection in the Storyteller's seat deals the invitations, closes windows
that are left, and looks on.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.helpers import servers
from tests.web.conftest import Begin
from tests.web.evening import DESKTOP, PHONE, SLOW_HOUSE, SMALL, Evening, same_as_fresh
from tests.web.test_console import button, names, of, part, unit
from tests.web.test_player import interrupt

pytestmark = pytest.mark.asyncio(loop_scope="session")

ENCOUNTER = """
units:
  - {name: Mira, owner: Ann, side: heroes, initiative: 18, tracks: {hp: 60}, extras: {defense: 2}, abilities: [
      {name: katana, act: melee_attack, pool: {fixed: 6}},
      {name: riposte, act: melee_attack, slots: [immediate], pool: {fixed: 6}}]}
  - {name: Tano, owner: Bob, side: heroes, initiative: 14, tracks: {hp: 60}, abilities: [
      {name: quick shot, act: ranged_attack, slots: [immediate], pool: {fixed: 6}}]}
  - {name: Suri, owner: Cem, side: heroes, initiative: 10, tracks: {hp: 60}, abilities: [
      {name: ward, slots: [immediate], needs_target: true, applies: [{condition: warded, rounds: 2}]}]}
  - {name: Ghoul, side: tomb, initiative: 20, tracks: {hp: 60}, abilities: [
      {name: claws, act: melee_attack, pool: {fixed: 6}}]}
  - {name: Brute, side: tomb, initiative: 16, tracks: {hp: 60}, abilities: [
      {name: maul, act: melee_attack, pool: {fixed: 6}}]}
"""
"""Nobody is killed before the end, whatever the dice say; they say the same each time."""


async def sit_down(evening: Evening, storyteller: str) -> list[Page]:
    """At a table of another server: the console, then Ann, Bob and Cem; Cem reads Chinese."""
    evening.invitations["Storyteller"] = storyteller
    evening.st = st = await evening.sit("Storyteller")
    for rule, value in SLOW_HOUSE.items():
        await st.command("set_house", key=rule, value=value)
    for name in ("Ann", "Bob", "Cem"):
        made = await st.command("add_seat", name=name, role="player")
        evening.invitations[name] = st.invitation(made.token or "")
    places = (
        ("Storyteller", DESKTOP, "en"),
        ("Ann", SMALL, "en"),
        ("Bob", PHONE, "en"),
        ("Cem", PHONE, "zh"),
    )
    return list(await asyncio.gather(*(evening.page(*place) for place in places)))


async def build(evening: Evening, console: Page) -> None:
    await console.keyboard.press("a")
    await console.get_by_role("tab", name="Text or file").click()
    await console.get_by_label("Paste units").fill(ENCOUNTER)
    await button(console, "Read it").click()
    await button(console, "Bring on stage").click()
    await evening.until(lambda st: len(names(st)) == 5)
    evening.units |= names(evening.st)


async def attack(evening: Evening, console: Page, ability: str, target: str) -> None:
    """By the Storyteller's own unit, whose action it is."""
    await console.get_by_role("button", name=ability).click()
    act = console.locator("form", has=console.get_by_role("heading", name=ability))
    await act.get_by_role("radio", name=target).check()
    await act.get_by_role("button", name="Do it").click()
    await evening.until(lambda st: len(st.stack) == 1)


async def close_all(evening: Evening) -> None:
    """The windows that are left, one after another, until everything on the stack has happened."""
    st = evening.st
    while st.stack:
        await st.command("close_window", window=st.state[f"k/{st.state['t/stack'][-1]}"]["window"])
    await evening.until(lambda st: not st.stack)


async def turn_of(evening: Evening, name: str, page: Page | None = None) -> None:
    """Also on the page of who plays the unit, where it brings the turn to the front."""
    await evening.until(lambda st: st.state.get("t/active") == evening.units[name])
    if page:
        await expect(page.locator(".where.mine")).to_be_visible()


async def asleep(page: Page) -> Callable[[], Awaitable[None]]:
    """Nothing of the page runs any more, what comes for it piles up. Called, what is returned wakes it.

    It stands in the debugger: Chromium freezes nothing that is visible, and under Playwright every page is.
    """
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("Debugger.enable")
    stands = asyncio.Event()
    devtools.once("Debugger.paused", lambda _: stands.set())
    night = "document.dispatchEvent(new Event('freeze')); debugger; document.dispatchEvent(new Event('resume'))"
    sleeping = asyncio.ensure_future(devtools.send("Runtime.evaluate", {"expression": night}))
    await stands.wait()

    async def wake() -> None:
        await devtools.send("Debugger.resume")
        await sleeping
        await devtools.detach()

    return wake


async def agree(evening: Evening, pages: Sequence[Page]) -> None:
    seats = ("Storyteller", "Ann", "Bob", "Cem")
    await same_as_fresh([(page, evening.invitations[seat]) for page, seat in zip(pages, seats, strict=True)])


async def test_a_whole_fight_with_a_storyteller_three_players_and_a_server_that_dies_in_an_open_window(
    begin: Begin, tmp_path: Path
):
    data = tmp_path / "data"
    evening = await begin(units=False)
    async with servers.serving("--data-dir", str(data)) as server:
        pages = await sit_down(evening, await servers.new_table(server, data, "Thursday", "--practice-seed", "7"))
        console, ann, bob, cem = pages
        st = evening.st
        await build(evening, console)
        await button(console, "Start the fight").first.click()
        await turn_of(evening, "Ghoul")

        # A blow; everything is stopped for a moment; a defence; then two press the same button at the same moment.
        await attack(evening, console, "claws", "Mira")
        await console.keyboard.press("p")
        for page in (ann, bob, cem):
            await expect(page.locator(".banner")).to_be_visible()
        await button(console, "Go on").click()
        for page in (ann, bob, cem):
            await expect(page.locator(".banner")).to_be_hidden()  # what is pressed while all is stopped is refused
        await ann.get_by_role("button", name="One more").click()
        blow = st.state["t/stack"][0]
        await evening.until(lambda it: it.state.get(f"k/{blow}/guards") == {evening.units["Mira"]: 1})
        await asyncio.gather(*(expect(interrupt(page)).to_be_enabled() for page in (ann, bob)))
        await asyncio.gather(*(interrupt(page).click() for page in (ann, bob)))
        await evening.until(lambda it: len(it.stack) == 3)
        for page in pages:
            await expect(page.locator("ol li li li")).to_have_count(1)  # each inside what it interrupts
        await cem.get_by_role("button", name="放弃回应").click()
        await expect(console.locator(".window")).to_contain_text("Cem: has passed")
        await close_all(evening)
        assert {st.units[name].name: st.units[name].spent for name in ("Mira", "Tano")} == {
            "Mira": ["immediate"],
            "Tano": ["immediate"],
        }
        await console.keyboard.press("n")

        # Ann readies her katana against whoever attacks.
        await turn_of(evening, "Mira", ann)
        await ann.locator(".tab-ready").click()
        await ann.get_by_label("Who", exact=True).select_option("enemy")
        await ann.get_by_label("Does what").select_option("attack")
        await ann.get_by_role("button", name="ready standard action").click()
        await expect(ann.locator(".kept")).to_contain_text("an enemy attack")
        await ann.locator(".tab-turn").click()
        await ann.get_by_role("button", name="End the action").click()
        await turn_of(evening, "Brute")

        # The server dies while its moment is there, and one phone is asleep; another falls asleep when it is back.
        await attack(evening, console, "maul", "Tano")
        await expect(ann.locator(".big", has_text="use what is readied")).to_be_enabled()
        wake_cem = await asleep(cem)
        server.kill()
        await server.ended()
        for page in (console, ann, bob):
            await expect(page.get_by_role("region", name="Connection lost")).to_be_visible()
        await expect(ann.locator(".big")).to_be_disabled()

        async with servers.serving("--data-dir", str(data), "--port", str(server.port)):
            for page in (console, ann, bob):
                await expect(page.get_by_role("region", name="Connection lost")).to_have_count(0)
            await ann.locator(".big", has_text="use what is readied").click()
            await evening.until(lambda it: len(it.stack) == 2)
            await close_all(evening)

            wake_bob = await asleep(bob)

            # The Storyteller's hand on a value, and one change too many taken back.
            await unit(console, evening, "Tano")
            await console.keyboard.press("o")
            await console.keyboard.type("33")
            await console.locator("form", has_text="Override").get_by_label("Why").fill("the stairs give way")
            await console.keyboard.press("Enter")
            await evening.until(lambda it: of(evening, "Tano", "hp") == 33)
            kept = st.n
            await console.locator(".hurt").get_by_role("button", name="− 1").click()
            await evening.until(lambda it: of(evening, "Tano", "hp") == 32)
            await part(console, "log")
            await button(console, f"Rewind to here, change {kept}").click()
            await button(console, "Undo it").click()
            await evening.until(lambda it: of(evening, "Tano", "hp") == 33)

            await asyncio.gather(wake_bob(), wake_cem())
            await expect(bob.locator(".missed")).to_contain_text("the stairs give way")  # though its line never broke
            await expect(cem.locator(".missed")).to_contain_text("你离开期间")
            await agree(evening, pages)
            await button(console, "End the fight").first.click()
            await evening.until(lambda it: not it.state["t/fight"])
            await agree(evening, pages)
