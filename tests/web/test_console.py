"""The Storyteller's console in a real browser: what an evening needs, by mouse and by keys, on a desk and on a phone."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from core.override import SWITCHES
from server import archiving
from server.app import App
from tests.helpers.pages import ROOT
from tests.web.conftest import Begin
from tests.web.evening import DESKTOP, PHONE, SMALL, Evening, faults, fresh, same_as_fresh, seen, slow_way

pytestmark = pytest.mark.asyncio(loop_scope="session")

PARTS = ("units", "now", "tell", "log", "scene", "rules", "seats")
ENCOUNTER = "name, count, side, hp, attacks\nZombie, 3, horde, 6, claw 5\nHound, , horde, 4, bite 4\n"


def button(page: Page | Locator, name: str, *, exact: bool = False):
    return page.get_by_role("button", name=name, exact=exact)


async def part(page: Page, name: str) -> None:
    await page.locator(f".part-{name}").click()


async def unit(page: Page, evening: Evening, name: str) -> None:
    await page.locator(f'[data-unit="{evening.units[name]}"]').first.click()


def names(table: Any) -> dict[str, str]:
    """The ids of all units that this seat sees, by name."""
    return {str(value): path.split("/")[1] for path, value in table.state.items() if re.fullmatch("u/[^/]+/name", path)}


def of(evening: Evening, name: str, value: str) -> Any:
    return evening.st.state.get(f"u/{evening.units[name]}/{value}")


async def taken_away(page: Page) -> str:
    """The file as it lies on the Storyteller's disk."""
    async with page.expect_download() as download:
        await button(page, "Download", exact=True).click()
    return (await (await download.value).path()).read_text()


async def attack(evening: Evening) -> str:
    """The ghoul attacks Mira; what waits."""
    st = evening.st
    await st.declare(evening.units["Ghoul"], "melee_attack", ability="claws", targets=[evening.units["Mira"]])
    return str(st.state["t/stack"][-1])


async def closed(page: Page) -> None:
    """No window lies over the page: its letters do something again."""
    await expect(page.locator("dialog")).to_have_count(0)


async def test_nothing_is_wrong_for_those_who_see_hear_or_point_otherwise_at_any_size_in_both_languages(begin: Begin):
    evening = await begin()
    await evening.st.start_fight()
    await evening.st.command("add_condition", unit=evening.units["Mira"], condition="dazzled", rounds=2)
    await evening.st.command("ask_roll", units=[evening.units["Mira"]], pool={"fixed": 4})
    await attack(evening)
    found: dict[str, list[str]] = {}

    async def look(page: Page, state: str) -> None:
        """In both languages. What lies over the page keeps the button for that from being pressed."""
        for language in ("en", "zh"):
            found[f"{state} {language}"] = await faults(page, contrast=language == "en")
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{state} is too wide"
            await page.evaluate("document.querySelector('header button:last-child').click()")
            await page.locator(f"html[lang={'zh-Hans' if language == 'en' else 'en'}]").wait_for()

    for size, parts in ((DESKTOP, PARTS[2:]), (PHONE, ("now", "units")), (SMALL, PARTS)):
        page = await evening.page("Storyteller", size)
        for name in parts:
            await part(page, name)
            await look(page, f"{size} {name}")
        if size != PHONE:
            await part(page, "units")
            await unit(page, evening, "Mira")
            await look(page, f"{size} a unit")
        for key in ("a", "?", "Control+z") if size != PHONE else ():
            await page.locator("h1").click()
            await page.keyboard.press(key)
            await page.locator("dialog").wait_for()
            await look(page, f"{size} {key}")
            await page.locator("dialog .close").click()
            await closed(page)
        await page.context.close()
    assert {state: wrong for state, wrong in found.items() if wrong} == {}


async def test_an_encounter_is_built_from_a_text_a_form_and_the_library(begin: Begin):
    evening = await begin()
    page = await evening.page("Storyteller", DESKTOP)
    before = len(names(evening.st))

    await page.keyboard.press("a")
    await page.get_by_role("tab", name="Text or file").click()
    await page.get_by_label("Paste units").fill("name, count, hp\nZombie, many, 6\n")
    await button(page, "Read it").click()
    await expect(page.locator("dialog .wrong")).to_contain_text("line 2")
    await page.get_by_label("Paste units").fill(ENCOUNTER)
    await button(page, "Read it").click()
    await expect(page.locator("dialog")).to_contain_text("Zombie ×3, Hound")
    await button(page, "Bring on stage").click()
    await evening.until(lambda st: len(names(st)) == before + 4)
    await closed(page)
    assert {"Zombie 1", "Zombie 2", "Zombie 3", "Hound"} <= set(names(evening.st))

    await page.keyboard.press("a")
    for said in ("Imp", "2", "5"):  # no hand leaves the keys
        await page.keyboard.type(said)
        await page.keyboard.press("Tab" if said != "5" else "Enter")
    await evening.until(lambda st: {"Imp 1", "Imp 2"} <= set(names(st)))
    await expect(page.get_by_label("Name", exact=True)).to_be_focused()
    await page.get_by_label("Name", exact=True).fill("Wraith")
    await page.get_by_label("HP", exact=True).fill("11")
    await page.get_by_role("checkbox", name="hidden").check()
    await button(page, "+ An attack").click()
    await page.get_by_label("Attack with").fill("chill")
    await button(page, "Prepare off stage").click()
    await evening.until(lambda st: "Wraith" in names(st))
    evening.units |= names(evening.st)
    wraith = [of(evening, "Wraith", value) for value in ("hp", "hidden", "on_stage")]
    assert (wraith, list(of(evening, "Wraith", "abilities"))) == ([11, True, False], ["chill"])

    await page.get_by_role("tab", name="Library").click()
    await button(page, "clinic").click()
    await expect(page.locator("dialog")).to_contain_text("Patient ×4, Orderly, Night nurse")
    await button(page, "Bring on stage").click()
    await evening.until(lambda st: "Night nurse" in names(st))
    async with fresh(evening.invitations["Ann"]) as ann:
        assert "Orderly" in names(ann)
        assert not {"Wraith", "Night nurse"} & set(names(ann))


async def test_a_fight_with_three_players_is_run_stopped_and_taken_back(begin: Begin):
    evening = await begin()
    page = await evening.page("Storyteller", DESKTOP)
    players = {name: await evening.page(name, PHONE) for name in ("Ann", "Bob", "Cem")}
    st = evening.st
    await button(page, "Start the fight").first.click()
    await evening.until(lambda it: it.state["t/fight"])
    mira = of(evening, "Mira", "hp")

    pending = await attack(evening)
    await expect(page.locator(".window")).to_contain_text("Ann: no answer yet")
    await expect(page.locator(".window")).to_contain_text("Dee: is not here")

    # Stop everything: one key, and every page says so.
    await page.keyboard.press("p")
    for phone in players.values():
        await expect(phone.locator(".banner")).to_be_visible()
    await button(page, "Go on").click()
    await expect(players["Ann"].locator(".banner")).to_be_hidden()

    await button(page, "Pass for Dee").click()
    await expect(page.locator(".window")).to_contain_text("Dee: has passed")
    window = f"w/{st.state[f'k/{pending}']['window']}"
    deadline = st.state[window]["deadline"]
    await page.keyboard.press("e")
    await evening.until(lambda it: it.state[window]["deadline"] > deadline)
    await page.keyboard.press("c")
    await evening.until(lambda it: not it.state["t/stack"])
    assert of(evening, "Mira", "hp") == mira

    # Insert, carried out at once; then all of it is undone, after a look at what that is.
    await page.get_by_text("Let something happen first").click()
    await page.locator("details form").get_by_label("Who").select_option(evening.units["Ghoul"])
    await page.get_by_label("With what").select_option("claws")
    await page.locator("details form").get_by_role("checkbox", name="Mira").check()
    await button(page, "Put it on top").click()
    await evening.until(lambda it: it.state["t/stack"])
    await button(page, "Carry it out now").click()
    await evening.until(lambda it: not it.state["t/stack"])
    at, mira = st.n, of(evening, "Mira", "hp")
    await unit(page, evening, "Mira")
    for n in (1, 2):
        await page.locator(".hurt").get_by_role("button", name="− 1").click()
        await evening.until(lambda _, hp=mira - n: of(evening, "Mira", "hp") == hp)  # type: ignore[misc]
    await part(page, "log")
    await button(page, f"Rewind to here, change {at}").click()
    await expect(page.locator("dialog")).to_contain_text("Mira: HP")
    await button(page, "Undo it").click()
    await evening.until(lambda it: of(evening, "Mira", "hp") == mira)
    await expect(page.locator("li.undone").last).to_contain_text("Mira")
    await closed(page)

    await page.keyboard.press("n")
    await evening.until(lambda it: it.state["t/active"] != evening.units["Ghoul"])
    await button(page, "End the fight").first.click()
    await evening.until(lambda it: not it.state["t/fight"])
    links = evening.invitations
    await same_as_fresh([(page, links["Storyteller"]), *((phone, links[name]) for name, phone in players.items())])


async def test_the_storytellers_own_unit_acts_and_what_it_does_is_turned_elsewhere(begin: Begin):
    evening = await begin()
    page, st = await evening.page("Storyteller", DESKTOP), evening.st
    mira, tano = evening.units["Mira"], evening.units["Tano"]
    await st.start_fight()
    await button(page, "Stop after this action").click()
    await evening.until(lambda it: it.state["t/hold_next"])
    await page.get_by_role("button", name=re.compile("^claws")).click()
    act = page.locator("form", has=page.get_by_role("heading", name="claws"))
    await act.get_by_role("radio", name="Mira").check()
    await act.get_by_role("button", name="Do it").click()
    await evening.until(lambda it: it.state["t/stack"])
    pending = st.state["t/stack"][-1]
    await page.get_by_text("Change: claws").click()
    card = page.locator("details", has_text="Change: claws")
    await card.get_by_role("checkbox", name="Tano").first.check()
    await evening.until(lambda it: it.state[f"k/{pending}"]["targets"] == [mira, tano])
    await card.get_by_label("Mira defends with").fill("2")
    await page.keyboard.press("Tab")
    await evening.until(lambda it: it.state.get(f"k/{pending}/guards") == {mira: 2})
    await card.get_by_role("button", name="It fails").click()
    await evening.until(lambda it: not it.state["t/stack"])
    assert of(evening, "Mira", "hp") == 12
    await page.keyboard.press("n")
    await evening.until(lambda it: it.state["t/held"])


async def test_who_is_quicker_than_his_line_loses_nothing(begin: Begin):
    """One value after another, and on to the next page of a form, while nothing has been answered yet."""
    evening = await begin()
    st = evening.st
    await st.start_fight()
    act = f"k/{await attack(evening)}"
    page = await evening.blank(DESKTOP)
    hold, let_through = await slow_way(page)
    await page.goto(evening.invitations["Storyteller"])
    await page.get_by_text("Change: claws").click()
    card = page.locator("details", has_text="Change: claws")
    await hold()
    for name in ("Tano", "Suri"):
        await card.get_by_role("checkbox", name=name).first.check()
    await card.get_by_label("Mira defends with").fill("2")
    await page.keyboard.press("Tab")
    await let_through("ack")
    mira, tano, suri = (evening.units[name] for name in ("Mira", "Tano", "Suri"))
    await st.until(lambda it: it.state.get(f"{act}/guards") == {mira: 2})
    assert st.state[act]["targets"] == [mira, tano, suri]

    await page.locator("h1").click()
    await page.keyboard.press("a")
    await page.get_by_label("Name", exact=True).fill("Wraith")
    await hold()
    await button(page, "Prepare off stage").click()
    await page.get_by_role("tab", name="Library").click()
    await let_through("ack")
    await button(page, "clinic").click()
    await expect(button(page, "Bring on stage")).to_be_enabled()
    assert "Wraith" in names(st)


async def test_values_are_overridden_with_old_new_and_why_and_secrets_come_and_go(begin: Begin):
    evening = await begin()
    page, ann = await evening.page("Storyteller", DESKTOP), await evening.page("Ann", PHONE)
    await unit(page, evening, "Ghoul")
    await page.keyboard.press("o")
    await page.keyboard.type("3")
    await page.locator("form", has_text="Override").get_by_label("Why").fill("a falling rock")
    await expect(page.locator(".change")).to_contain_text("HP: 8 → 3")
    await page.keyboard.press("Enter")
    await evening.until(lambda it: of(evening, "Ghoul", "hp") == 3)
    await part(page, "log")
    await expect(page.get_by_role("log").last).to_contain_text("8 → 3 (a falling rock)")

    ghoul = evening.units["Ghoul"]
    await part(page, "units")
    await unit(page, evening, "Ghoul")
    await button(page, "Hide", exact=True).click()
    await ann.wait_for_function("id => !overseer.state.units[id]", arg=ghoul)
    await page.get_by_label("Condition (any word)").fill("cursed")
    await page.get_by_label("secret").check()
    await button(page, "Add the condition").click()
    await evening.until(lambda it: of(evening, "Ghoul", "secret") == ["cursed"])
    await button(page, "Reveal", exact=True).click()
    await ann.wait_for_function("id => overseer.state.units[id]", arg=ghoul)
    assert "cursed" not in str(await seen(ann))


async def test_somebody_is_invited_with_a_code_for_his_phone_and_let_go(begin: Begin):
    evening = await begin()
    page = await evening.page("Storyteller", PHONE)
    await part(page, "seats")
    form = page.locator("form", has_text="Invite")
    await form.get_by_label("Name").fill("Eve")
    await button(page, "Invite", exact=True).click()
    await expect(page.get_by_role("img", name="The link as a code")).to_be_visible()
    link = await page.locator("#invitation-link").input_value()
    evening.invitations["Eve"] = link
    eve = await evening.page("Eve", PHONE)
    await expect(eve.locator(".tabs")).to_be_visible()
    await page.keyboard.press("Escape")
    seat = page.locator(".seat", has_text="Eve")
    await expect(seat).to_contain_text("here")
    await seat.get_by_role("button", name="Revoke the link").click()
    await expect(eve.locator("main")).to_contain_text("taken back")
    await expect(seat).to_contain_text("Nobody can sit here")
    # His own link, anew: the page goes on by it, also after it was loaded again.
    await (
        page.locator(".seat", has=page.locator("b", has_text="Storyteller"))
        .get_by_role("button", name="New link")
        .click()
    )
    await expect(page.locator("#invitation-link")).to_be_visible()
    await page.reload()
    await part(page, "seats")
    await expect(seat).to_contain_text("Nobody can sit here")


async def test_a_player_who_is_away_is_seen_and_acted_for_through_his_own_eyes(begin: Begin):
    evening = await begin()
    page = await evening.page("Storyteller", DESKTOP)
    await evening.st.start_fight()
    pending = await attack(evening)
    await part(page, "seats")
    await page.locator(".seat", has_text="Ann").get_by_role("button", name="See as").click()
    await expect(page.get_by_role("region", name="Another seat's eyes")).to_contain_text("What Ann sees")
    async with fresh(evening.invitations["Ann"]) as ann:
        assert set(await seen(page)) == set(ann.state)
    await button(page, "Pass", exact=False).last.click()
    window = evening.st.state[f"k/{pending}"]["window"]
    await evening.until(lambda it: evening.seats["Ann"] in it.state.get(f"w/{window}/passed", ()))
    await button(page, "Stop everything").click()
    await evening.until(lambda it: it.state["t/held"])
    await button(page, "Back to my own seat").click()
    await expect(page.locator(".st")).to_be_visible()
    await expect(page.locator(".window")).to_contain_text("Ann: has passed")


async def test_what_players_ask_for_waits_and_is_answered_and_the_rest_of_an_evening_is_at_hand(begin: Begin):
    evening = await begin()
    page = await evening.page("Storyteller", DESKTOP)
    ann = await evening.sit("Ann")
    await ann.command("say", text="Hello?")
    await evening.st.command(
        "set_value", unit=evening.units["Mira"], path="position", value="door", was=of(evening, "Mira", "position")
    )
    await part(page, "tell")
    await page.get_by_label("Your words").fill("The lights go out.")
    await page.keyboard.press("Control+Enter")
    await page.get_by_label("Dice").first.fill("4")
    await button(page, "Ask for the roll").click()
    await evening.until(lambda it: any(path.startswith("a/") for path in it.state))
    await expect(page.get_by_role("heading", name="Rolls that are awaited")).to_be_visible()

    await part(page, "scene")
    await button(page, "+ 10 minutes").click()
    await evening.until(lambda it: it.state["t/clock"] == 600)
    await page.locator("form", has_text="Enter the Film").get_by_label("Name").fill("The Well")
    await button(page, "Enter the Film").click()
    await evening.until(lambda it: it.state.get("t/film", {}).get("name") == "The Well")

    await part(page, "rules")
    await page.get_by_label("how HP are shown").select_option("words")
    await evening.until(lambda it: it.state["h/hp_shown"] == "words")

    await part(page, "log")
    await page.get_by_text("Take it away as a file").click()
    for reader, secret in (("Storyteller", True), ("Ann", False)):
        await page.get_by_label("As it was told to").select_option(reader)
        text = await taken_away(page)
        assert "The lights go out." in text
        assert "Hello?" in text
        assert ("Wight" in text) == secret
    await page.get_by_role("form", name="Take it away").locator("select").first.select_option("log")
    lines = [json.loads(line) for line in (await taken_away(page)).splitlines()]
    assert lines[0]["for"] == evening.seats["Ann"]
    assert {"narrated", "said", "seed_committed"} <= {line["kind"] for line in lines[1:]}


async def test_the_table_is_handed_over_and_what_was_changed_can_be_read(begin: Begin, app: App, tmp_path: Path):
    evening = await begin()
    store, table = app.rooms.store, evening.invitations["Ann"].partition("#")[2].partition(".")[0]
    await evening.st.command("change_scene", reason="story")
    version = await archiving.scenes_before(store, table, 1)
    assert version is not None
    await archiving.archive_scenes(store, table, version, tmp_path / "old.jsonl.gz")
    page, ann = await evening.page("Storyteller", DESKTOP), await evening.page("Ann", PHONE)
    await part(page, "seats")
    await page.get_by_label("Role of Ann").select_option("st")
    await expect(ann.locator(".st")).to_be_visible()  # her own page is a console now
    await page.get_by_text("Who has changed what").click()
    changed = page.locator("details", has_text="Who has changed what")
    await expect(changed).to_contain_text("Ann is now Storyteller")
    await expect(changed).to_contain_text("What was before is archived")
    await expect(button(changed, "Older")).to_have_count(0)
    await page.get_by_label("Role of Storyteller").select_option("player")
    await expect(page.locator(".page:not(.st)")).to_be_visible()
    await part(ann, "units")
    await expect(button(ann, "Wight")).to_be_visible()


async def test_a_request_is_allowed_or_taken_back_after_a_look(begin: Begin):
    evening = await begin()
    page = await evening.page("Storyteller", PHONE)
    ann = await evening.sit("Ann")
    st, mira = evening.st, evening.units["Mira"]
    await st.start_fight()
    await st.end_action(evening.units["Ghoul"])
    await ann.declare(mira, "use", text="I run")
    await ann.command("end_action", unit=mira, round=1)
    await ann.command("ask_take_back", text="wrong door")
    await part(page, "now")
    await expect(page.get_by_role("heading", name="Requests")).to_be_visible()
    await button(page, "Allow", exact=True).click()
    await expect(page.locator("dialog")).to_contain_text("Mira")
    await button(page, "Undo it").click()
    await evening.until(lambda it: not [path for path in it.state if path.startswith("q/")])
    assert st.state["t/active"] == mira


async def test_letters_do_nothing_while_somebody_writes_and_can_be_switched_off(begin: Begin):
    evening = await begin()
    page = await evening.page("Storyteller", DESKTOP)
    await page.keyboard.press("/")
    await page.keyboard.type("pan")
    await expect(page.get_by_role("searchbox")).to_have_value("pan")
    assert not evening.st.state["t/held"]
    await page.locator("h1").click()
    await page.keyboard.press("?")
    await page.get_by_label("Single letters do something").uncheck()
    await page.keyboard.press("Escape")
    await closed(page)
    await page.locator("h1").click()
    await page.keyboard.press("p")
    await button(page, "Stop everything").click()
    await evening.until(lambda it: it.state["t/held"])
    assert await evening.st.log(limit=1)


async def test_a_key_counts_while_the_answer_to_the_last_one_is_still_on_its_way(begin: Begin):
    evening = await begin()
    page, st = await evening.page("Storyteller", DESKTOP), evening.st
    await st.start_fight()
    below = await attack(evening)
    act = {"kind": "melee_attack", "slot": "standard", "ability": "claws", "targets": [evening.units["Tano"]]}
    await st.command("insert", unit=evening.units["Ghoul"], act=act)
    await expect(page.locator("[aria-labelledby=stack] li")).to_have_count(2)
    # The first window's answer stays away; what it changed is shown all the same, and X is pressed for the next.
    await page.evaluate("""() => {
        const { seat } = overseer, command = seat.command.bind(seat)
        let first = true
        seat.command = async (kind, ...more) => {
            const done = command(kind, ...more)
            if (kind !== 'close_window' || !first) return done
            first = false
            return new Promise(() => done.catch(() => null))
        }
    }""")
    await page.locator("h1").click()
    await page.keyboard.press("x")
    await expect(page.locator("[aria-labelledby=stack] li")).to_have_count(1)
    await evening.until(lambda it: it.state["t/stack"] == [below])
    await page.keyboard.press("x")
    await evening.until(lambda it: below not in it.state["t/stack"])


async def test_everything_stops_in_one_step_from_wherever_one_is(begin: Begin):
    evening = await begin()
    page = await evening.page("Storyteller", PHONE)

    async def stops_and_goes_on(press: Any) -> None:
        for held in (True, False):
            await press()
            await page.wait_for_function("held => Boolean(overseer.state.table.held) === held", arg=held)
            await evening.until(lambda it, held=held: bool(it.state["t/held"]) == held)  # type: ignore[misc]

    await part(page, "tell")
    await page.get_by_label("Your words").fill("The lights")
    await stops_and_goes_on(lambda: page.keyboard.press("Control+."))
    await expect(page.get_by_label("Your words")).to_have_value("The lights")

    await part(page, "units")
    await button(page, "Add units").click()
    dialog = page.locator("dialog")
    await stops_and_goes_on(dialog.get_by_role("button", name=re.compile("Stop everything|Go on")).click)
    await stops_and_goes_on(lambda: page.keyboard.press("Control+."))
    # Whatever is refused says so where it can be read, and covers no way out.
    await page.evaluate("overseer.seat.command('end_fight', {}).catch(() => 0)")
    await page.get_by_label("Name", exact=True).fill("x" * 70 + "\u202e")
    await button(page, "Bring on stage").click()
    await expect(dialog.locator(".toast")).to_contain_text("Not done")
    await page.keyboard.press("Escape")
    await closed(page)
    await expect(page.locator(".toast")).to_be_visible()
    await stops_and_goes_on(
        page.locator("footer").get_by_role("button", name=re.compile("Stop everything|Go on")).click
    )

    await part(page, "seats")
    await page.locator(".seat", has_text="Ann").get_by_role("button", name="See as").click()
    await expect(page.get_by_role("region", name="Another seat's eyes")).to_be_visible()
    await stops_and_goes_on(lambda: page.keyboard.press("Control+."))


async def test_the_order_an_extended_action_and_a_rule_that_names_acts_are_changed_by_hand(begin: Begin):
    evening = await begin()
    page, st = await evening.page("Storyteller", DESKTOP), evening.st
    ghoul, mira = evening.units["Ghoul"], evening.units["Mira"]
    await st.command("start_task", unit=mira, name="Pick the lock", pool={"fixed": 3}, dc=8)
    await st.start_fight()
    await unit(page, evening, "Ghoul")
    await button(page, "Acts later").click()
    await evening.until(lambda it: it.state["t/order"][:2] == [mira, ghoul])
    await page.locator(f'li:has([data-unit="{ghoul}"])').drag_to(page.locator(f'li:has([data-unit="{mira}"])'))
    await evening.until(lambda it: it.state["t/order"][:2] == [ghoul, mira])
    await page.keyboard.press("Alt+ArrowDown")
    await evening.until(lambda it: it.state["t/order"][:2] == [mira, ghoul])

    await part(page, "tell")
    await page.get_by_text("Change: Pick the lock (Mira)").click()
    await page.get_by_label("Successes so far").fill("5")
    await page.keyboard.press("Tab")
    await evening.until(
        lambda it: any(task.get("successes") == 5 for task in it.state.values() if isinstance(task, dict))
    )

    await part(page, "rules")
    rule = page.get_by_role("group", name="acts without a reaction window")
    for act in ("move", "speak"):
        await rule.get_by_role("checkbox", name=act).click()
    await evening.until(lambda it: set(it.state["h/no_window"]) == {"drop_prone", "move"})


async def test_the_house_rules_of_several_words_are_those_of_the_server():
    told = (ROOT / "server/web/src/st/house.ts").read_text()
    for key, words in SWITCHES.items():
        row = f"{key}: [{', '.join(repr(word) for word in words)}]" if words else ""
        assert row in told, key
