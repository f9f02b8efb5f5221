"""A player's page in a real browser: what it shows in every state, and what its buttons do at the table."""

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from server.app import App
from tests.helpers import servers
from tests.web.cable import Cable
from tests.web.conftest import Begin
from tests.web.evening import PATIENCE_MS, PHONE, SMALL, Evening, faults, quiet, same_as_fresh, slow_way

pytestmark = pytest.mark.asyncio(loop_scope="session")


AT_HAND = """one => {
    const { x, y, width, height } = one.getBoundingClientRect()
    return document.elementFromPoint(x + width / 2, y + height / 2) === one
}"""
"""Whether a thumb would hit it where it is: in sight, and nothing over it."""


def interrupt(page: Page):
    return page.get_by_role("button", name="Interrupt")


async def attacked(evening: Evening, target: str = "Mira") -> None:
    st = evening.st
    await st.declare(evening.units["Ghoul"], "melee_attack", ability="claws", targets=[evening.units[target]])


async def other_language(page: Page) -> None:
    """Its words may have to be fetched first."""
    now = await page.locator("html").get_attribute("lang")
    await page.locator("header button").last.click()
    await expect(page.locator("html")).to_have_attribute("lang", "en" if now == "zh-Hans" else "zh-Hans")


# ---------------------------------------------------------------------------------------------- everything that can be seen
async def test_nothing_is_wrong_for_those_who_see_hear_or_point_otherwise_in_any_state_and_language(begin: Begin):
    evening = await begin()
    st, page = evening.st, await evening.page("Ann", SMALL)
    mira, ghoul = evening.units["Mira"], evening.units["Ghoul"]
    found: dict[str, list[str]] = {}

    async def look(state: str, page: Page = page) -> None:
        for language in ("en", "zh"):
            found[f"{state} {language}"] = await faults(page, contrast=language == "en")
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{state} is too wide"
            assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight"), f"{state} is too high"
            await other_language(page)

    await look("out of the fight")
    await st.start_fight()
    await st.set_value(mira, "extras.defense", 2)
    await st.command("add_condition", unit=mira, condition="dazzled", rounds=2)
    await attacked(evening)
    await expect(interrupt(page)).to_be_enabled()
    await look("asked")
    await st.hold()
    await expect(page.locator(".banner")).to_be_visible()
    await look("held")
    await st.release()
    await page.get_by_role("button", name="Pass").click()
    await quiet(page)
    bob = await evening.sit("Bob")
    await bob.command("say", text="Run!")
    while st.stack:
        window = st.state[f"k/{st.state['t/stack'][-1]}"]["window"]
        await st.command("close_window", window=window)
    await st.end_action(ghoul)
    await expect(page.get_by_role("heading", name="Your action")).to_be_visible()
    await look("one's own action")
    await page.get_by_role("button", name="katana").click()
    await page.get_by_role("radio", name="Brute").wait_for()
    assert await page.get_by_role("radio", name="Brute").evaluate(AT_HAND)
    await look("choosing")
    for tab in ("ready", "dice", "talk", "sheet", "log"):
        await page.locator(f".tab-{tab}").click()
        await expect(page.locator("main .panel").or_(page.get_by_role("log")).first).to_be_visible()
        for summary in await page.locator("main summary").all():
            await summary.click()
        await look(tab)

    await page.locator(".tab-dice").click()
    await page.get_by_role("checkbox", name="STR 5").check()
    await page.get_by_role("spinbutton", name="Dice").fill("500")  # five more than there can be
    await page.get_by_role("button", name="Roll dice").click()
    await expect(page.locator(".toast")).to_be_visible()
    await look("refused")
    await page.get_by_role("button", name="Close").click()

    watching = await evening.page("Gallery", PHONE)
    await look("watching", watching)
    stranger = await evening.blank(PHONE)
    await stranger.add_init_script("if (location.hash) globalThis.WebSocket = class { close() {} }")  # nobody answers
    await stranger.goto(evening.invitations["Ann"])
    await expect(stranger.locator("main")).to_contain_text("Connecting")
    await look("connecting", stranger)
    stranger = await evening.blank(PHONE)
    await stranger.goto(evening.invitations["Ann"].split("#")[0])
    await expect(stranger.get_by_role("heading", name="You need an invitation")).to_be_visible()
    await look("no invitation", stranger)
    await stranger.goto(evening.invitations["Ann"].rpartition(".")[0])
    await expect(stranger.get_by_text("This link is not whole")).to_be_visible()
    await stranger.goto(evening.invitations["Ann"][:-4] + "AAAA")
    await expect(stranger.get_by_role("heading", name="You need an invitation")).to_be_visible()
    await expect(stranger.locator("main")).to_contain_text("ask the Storyteller for a new one")
    await look("bad invitation", stranger)
    assert {state: wrong for state, wrong in found.items() if wrong} == {}


async def test_before_anybody_is_on_stage_the_page_says_so_and_wakes_by_itself(begin: Begin):
    evening = await begin(scenario="acceptance", units=False)
    page = await evening.page("Ann")
    await expect(page.get_by_role("heading", name="No encounter yet")).to_be_visible()
    assert await faults(page) == []
    await evening.st.command("add_unit", unit={"name": "Mira", "on_stage": True}, owner=evening.seats["Ann"])
    await expect(page.get_by_role("heading", name="What you can do")).to_be_visible()


# ------------------------------------------------------------------------------------------------------------- a fight
async def test_two_press_interrupt_at_the_same_moment_and_both_are_on_the_stack(begin: Begin):
    evening = await begin()
    ann, bob = await asyncio.gather(evening.page("Ann", SMALL), evening.page("Bob", PHONE))
    await evening.st.start_fight()
    await attacked(evening, "Tano")  # it concerns Bob; Ann has an ability to answer with
    await asyncio.gather(*(expect(interrupt(page)).to_be_enabled() for page in (ann, bob)))
    await asyncio.gather(*(interrupt(page).click() for page in (ann, bob)))
    await evening.st.until(lambda table: len(table.stack) == 3)
    for page in (ann, bob):
        await expect(page.locator("ol[aria-label=Stack] li li li")).to_have_count(1)  # each inside what it interrupts
        # What happens next, the time there is for it included: in sight on the lowest screen too.
        await expect(page.locator(".top")).to_be_in_viewport(ratio=0.9)

    # All the others pass, until the attack itself is done.
    while evening.st.stack:
        await evening.st.command(
            "close_window", window=evening.st.state[f"k/{evening.st.state['t/stack'][-1]}"]["window"]
        )
    assert [evening.st.units[name].spent for name in ("Mira", "Tano")] == [["immediate"], ["immediate"]]
    pips = ann.get_by_role("img", name="immediate action 0/1")
    await expect(pips.first).to_be_visible()  # spent, and still there to be seen
    await same_as_fresh([(ann, evening.invitations["Ann"]), (bob, evening.invitations["Bob"])])


async def test_a_whole_action_by_thumb(begin: Begin):
    """Target, blow, refusal with its reason, leave asked for, end."""
    evening = await begin(reaction_window_ms=0)
    st, page = evening.st, await evening.page("Ann")
    await st.start_fight()
    await st.end_action()
    await page.get_by_role("button", name="katana").click()
    await page.get_by_role("radio", name="Brute").check()
    await page.get_by_role("button", name="Do it").click()
    await st.until(lambda table: table.stack == () and "standard" in table.units["Mira"].spent)
    await expect(page.get_by_role("img", name="standard action 0/1").first).to_be_visible()
    # The server has been asked anew what can be done: what was chosen is off the page, and cannot be chosen again.
    await expect(page.get_by_role("button", name="Do it")).to_have_count(0)
    await expect(page.get_by_role("button", name="katana")).to_have_count(0)

    await page.get_by_text("Not possible now").click()
    await page.get_by_role("button", name="Ask for leave").first.click()
    await st.until(lambda table: any(path.startswith("q/") for path in table.state))
    await page.get_by_role("button", name="End the action").click()
    await st.until(lambda table: table.active is not None and table.active.name == "Brute")
    await same_as_fresh([(page, evening.invitations["Ann"])])


async def test_who_is_late_is_told_what_happened_meanwhile(begin: Begin):
    evening = await begin()
    page = await evening.blank(PHONE)
    hold, let_through = await slow_way(page)
    await page.goto(evening.invitations["Ann"])
    await evening.st.start_fight()
    await attacked(evening)
    await expect(interrupt(page)).to_be_enabled()
    await hold()
    window = evening.st.state[f"k/{evening.st.state['t/stack'][-1]}"]["window"]
    await evening.st.command("close_window", window=window)
    await evening.st.until(lambda table: table.stack == ())
    await interrupt(page).click()
    await let_through("window_closed")
    toast = page.locator(".toast")
    await expect(toast).to_contain_text("Too late")
    await expect(toast).to_contain_text("Meanwhile: Ghoul")


async def test_defence_is_promised_before_the_roll(begin: Begin):
    evening = await begin()
    page = await evening.page("Ann")
    await evening.st.set_value(evening.units["Mira"], "extras.defense", 2)
    await evening.st.start_fight()
    await attacked(evening)
    more = page.get_by_role("button", name="One more")
    await more.click()
    await expect(page.get_by_role("group", name="Defence").locator("output")).to_have_text("1")
    await more.click()
    await expect(page.get_by_role("group", name="Defence").locator("output")).to_have_text("2")
    await expect(more).to_be_disabled()
    top = evening.st.state["t/stack"][-1]
    await evening.until(lambda st: st.state.get(f"k/{top}/guards") == {evening.units["Mira"]: 2})
    await expect(page.get_by_role("button", name="Pass")).to_be_enabled()  # a moment after it has come
    await page.keyboard.press("0")  # and passes, by key
    await quiet(page)


async def test_two_weapons_in_one_action_and_what_came_of_it_is_told_beside_the_buttons(begin: Begin):
    evening = await begin(reaction_window_ms=0)
    st = evening.st
    abilities = [
        {"name": "sabre", "act": "melee_attack", "attacks": 2, "pool": {"fixed": 12}},
        {"name": "dagger", "act": "melee_attack", "pool": {"fixed": 10}},
    ]
    twin = {"name": "Twin", "side": "heroes", "initiative": 30, "on_stage": True, "abilities": abilities}
    await st.command("add_unit", unit=twin, owner=evening.seats["Ann"])
    page = await evening.page("Ann", SMALL)
    await st.start_fight()
    await page.get_by_role("button", name="sabre").click()
    await page.get_by_label("With what").nth(1).select_option("dagger")
    await page.get_by_role("button", name="Do it").click()
    await expect(page.get_by_role("button", name=re.compile("^Log: .*Twin rolls"))).to_be_visible()
    sabre, dagger = [line.get("size") for line in await st.log(limit=9) if line.kind == "rolled"]
    assert sabre - dagger == 2


async def test_an_action_is_readied_as_a_sentence_and_used_when_its_moment_comes(begin: Begin):
    evening = await begin()
    st, page = evening.st, await evening.page("Ann")
    await st.start_fight()
    await page.locator(".tab-ready").click()
    await page.get_by_label("Who", exact=True).focus()
    await st.end_action()
    await expect(page.locator(".where.mine")).to_be_visible()  # one's turn takes no unfinished sentence away
    await page.get_by_label("Who", exact=True).select_option("enemy")
    await page.get_by_label("Does what").select_option("attack")
    await page.get_by_role("button", name="ready standard action").click()
    await expect(page.locator(".kept")).to_contain_text("an enemy attack")
    await st.until(lambda it: any(path.startswith("r/") for path in it.state))
    assert [st.state[path]["trigger"] for path in st.state if path.startswith("r/")] == [
        {"act": "attack", "side": "enemy"}
    ]
    await page.locator(".tab-turn").click()
    await page.get_by_role("button", name="End the action").click()
    await st.until(lambda table: table.active is not None and table.active.name == "Brute")
    await st.declare(evening.units["Brute"], "melee_attack", ability="maul", targets=[evening.units["Tano"]])
    await page.locator(".big", has_text="use what is readied").click()
    await st.until(lambda table: len(table.stack) == 2)


async def test_a_player_lends_the_seat_for_an_evening_and_takes_it_back(begin: Begin):
    evening = await begin()
    page = await evening.page("Ann", SMALL)
    await page.locator(".tab-sheet").click()
    await page.get_by_label("To whom").fill("Dora")
    await page.get_by_role("button", name="Lend my seat").click()
    await expect(page.get_by_role("img", name="The link as a code")).to_be_visible()
    evening.invitations["Dora"] = await page.locator("#invitation-link").input_value()
    await page.keyboard.press("Escape")
    dora = await evening.page("Dora")
    await expect(dora.locator(".tab-ready")).to_be_visible()  # where a player is
    await expect(page.locator("section", has_text="Lend my seat")).to_contain_text("Lent to Dora until")
    await page.get_by_role("button", name="End the loan").click()
    await expect(dora.get_by_role("heading", name="The connection is over")).to_be_visible()
    await expect(page.get_by_label("To whom")).to_be_visible()


async def test_words_requests_objections_dice_tasks_orders_and_why_an_effect_ends(begin: Begin):
    evening = await begin()
    st, page = evening.st, await evening.page("Ann", SMALL)
    await st.start_fight()
    await page.locator(".tab-talk").click()
    await page.get_by_label("Your words").fill("Behind you!")
    await page.get_by_role("button", name="Say to all").click()
    await expect(page.get_by_label("Your words")).to_have_value("")
    await page.get_by_label("Your words").fill("I take the key.")
    await page.get_by_role("button", name="Whisper").click()
    await expect(page.get_by_label("Your words")).to_have_value("")
    await page.get_by_text("All 3").or_(page.get_by_text("All 4")).first.click()
    await page.get_by_role("button", name="Object how HP are shown").click()
    await page.get_by_label("Why you cannot").fill("We said all.")
    await page.get_by_role("button", name="Tell the Storyteller").click()
    await st.until(lambda table: any(path.startswith("o/") for path in table.state))

    await page.locator(".tab-dice").click()
    await page.get_by_role("checkbox", name="STR 5").check()
    await page.get_by_role("button", name="Roll dice").click()
    await expect(page.locator(".roll").first).to_be_in_viewport()
    await page.get_by_text("Where these dice come from").first.click()
    await expect(page.locator("dl").first).to_contain_text("STR 5")

    await page.locator("summary", has_text="Mix words").click()
    await page.get_by_label("Words, any").fill("seven black cats")
    await page.get_by_role("button", name="Mix words").click()
    await expect(page.locator("details", has_text="Mix words")).to_contain_text("“seven black cats”")
    await page.locator("summary", has_text="Work it out").click()
    await page.get_by_label("A calculation").fill("10 with x2, x4, +50")
    await page.get_by_role("button", name="Work it out").click()
    await expect(page.locator("details .value")).to_have_text(re.compile(r"\d"))

    await page.locator(".tab-ready").click()
    await page.get_by_role("combobox", name="move", exact=True).select_option("pass")
    await page.evaluate("ms => overseer.seat.until(seat => seat.state.mine.orders.move === 'pass', ms)", PATIENCE_MS)

    await page.locator(".tab-sheet").click()
    await page.locator("summary", has_text="take up").click()
    await page.get_by_label("What it is").fill("Bar the door")
    await page.get_by_role("checkbox", name="STR 5").check()
    await page.get_by_role("button", name="Take up an extended action").click()
    await expect(page.get_by_role("progressbar", name="Bar the door")).to_be_visible()
    await page.get_by_role("button", name="DC + 1").click()  # one may make it harder, never easier
    await expect(page.locator(".task")).to_contain_text("/6")

    await st.command(
        "add_condition", unit=evening.units["Mira"], condition="dazzled", rounds=2, by=evening.units["Ghoul"]
    )
    await page.locator(".tab-turn").click()
    await page.get_by_role("button", name="When does it end?").click()
    await expect(page.locator(".why").first).to_contain_text("because")
    late = await evening.page("Bob")  # and whoever opens the page only now can read what was before
    await late.locator(".tab-log").click()
    await expect(late.get_by_role("log").first).to_contain_text("Behind you!")
    await st.command("add_unit", unit={"name": "Dog", "on_stage": True}, owner=evening.seats["Ann"])
    await page.locator(".tab-dice").click()
    await page.get_by_role("checkbox", name="STR 5").check()
    await page.get_by_label("Against").select_option("Dog")
    await page.get_by_role("group", name="Dog").get_by_label("Dice").fill("3")
    await page.get_by_role("button", name="Roll dice").click()
    await expect(page.locator(".roll")).to_have_count(3)  # one each, against one another, after the first
    told = [line.kind for line in await st.log(limit=50)]
    assert {"said", "whispered", "rule_objected", "rolled", "task_started"} <= set(told)


async def test_a_line_of_a_long_log_stays_as_it_was_drawn_when_another_comes(begin: Begin):
    """A proof that somebody has opened in it stays open."""
    evening = await begin()
    page = await evening.page("Ann")
    await page.locator(".tab-log").click()
    log = page.get_by_role("log")

    async def narrate(text: str) -> None:
        await evening.st.command("narrate", text=text)

    await asyncio.gather(*(narrate(f"Drop {k}.") for k in range(100)), narrate("The roof gives way."))
    line = await log.get_by_text("The roof gives way.").element_handle()
    await narrate("Silence.")
    await expect(log).to_contain_text("Silence.")
    assert await line.evaluate("line => line.isConnected")


# ------------------------------------------------------------------------------------------------------- lines that break
async def test_a_phone_that_slept_through_its_turn_comes_back_in_one_step_and_nobody_waited_for_it(
    app: App, begin: Begin
):
    evening = await begin(reaction_window_ms=1_000, absent="pass")
    st, mira = evening.st, evening.units["Mira"]
    async with Cable(app.address) as cable:
        link = cable.link(evening.invitations["Ann"])
        page = await evening.page("Ann", link=link)
        devtools = await page.context.new_cdp_session(page)
        await st.start_fight()
        await page.evaluate("ms => overseer.seat.until(seat => seat.state.table.fight, ms)", PATIENCE_MS)
        ann = evening.seats["Ann"]
        await st.until(lambda table: ann in table.here)

        await devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
        cable.pull()
        await st.until(lambda table: ann not in table.here)  # the Storyteller sees that she is away
        await attacked(evening)
        await st.until(lambda table: table.stack == ())  # her prompt has gone by, and the table went on
        await st.end_action()
        await st.end_action(mira, as_seat=ann)  # so has her turn, by the Storyteller's hand
        await attacked_by_brute(evening)

        cable.put_in()
        await devtools.send("Page.setWebLifecycleState", {"state": "active"})
        missed = page.locator(".missed")
        await expect(missed).to_contain_text("While you were away")
        await expect(missed).to_contain_text("claws")
        await expect(missed).to_contain_text("Your own action went by.")
        await st.until(lambda table: ann in table.here)
        assert await faults(page) == []
        await missed.get_by_role("button", name="Seen").click()
        await expect(missed).to_have_count(0)
        await same_as_fresh([(page, evening.invitations["Ann"])])


async def attacked_by_brute(evening: Evening) -> None:
    await evening.st.declare(evening.units["Brute"], "melee_attack", ability="maul", targets=[evening.units["Tano"]])


async def test_while_the_line_is_broken_the_table_stays_to_be_seen_and_nothing_can_be_pressed(app: App, begin: Begin):
    evening = await begin()
    async with Cable(app.address) as cable:
        page = await evening.page("Ann", link=cable.link(evening.invitations["Ann"]))
        await evening.st.start_fight()
        await attacked(evening)
        await expect(interrupt(page)).to_be_enabled()
        cable.pull()
        away = page.get_by_role("region", name="Connection lost")
        await expect(away).to_contain_text("What you see is")
        await expect(interrupt(page)).to_be_disabled()
        await expect(page.locator(".rail")).to_contain_text("Ghoul")
        assert await faults(page) == []
        cable.put_in()
        # It may have come back by itself just now.
        await page.evaluate("document.querySelector('section.away button')?.click()")
        await expect(away).to_have_count(0)
        await expect(interrupt(page)).to_be_enabled()  # the question still stands
        await other_language(page)
        cable.pull()
        await expect(page.locator("section.lost")).to_contain_text("秒前")
        assert await faults(page) == []


async def test_the_other_language_is_there_also_while_the_line_is_away(app: App, begin: Begin):
    evening = await begin()
    async with Cable(app.address) as cable:
        page = await evening.page("Ann", link=cable.link(evening.invitations["Ann"]))
        await page.evaluate("""new Promise(done => new PerformanceObserver(() => {
            const all = performance.getEntriesByType('resource').map(one => one.name)
            const whole = [/\\/zh[-.]/, /\\/en[-.]/].every(name => all.filter(one => name.test(one)).length >= 4)
            if (whole) done()  // the page's two pieces and the game's two
        }).observe({ type: 'resource', buffered: true }))""")
        cable.pull()
        await expect(page.locator("section.lost")).to_contain_text("What you see is")
        for language, said in (("zh-Hans", "秒前"), ("en", "What you see is"), ("zh-Hans", "秒前")):
            await other_language(page)
            await expect(page.locator("html")).to_have_attribute("lang", language)
            await expect(page.locator("section.lost")).to_contain_text(said)
        await page.locator(".tab-log").click()
        await expect(page.locator(".tab-log")).to_have_text("记录")


async def test_a_server_is_killed_and_comes_back_and_the_page_goes_on_without_a_reload(
    browser: Browser, tmp_path: Path, begin: Begin
):
    data = tmp_path / "data"
    evening = await begin()
    async with servers.serving("--data-dir", str(data)) as server:
        await servers.new_table(server, data)
        link = await servers.new_seat(server, data, "Ann")
        page = await evening.page("Ann", link=link)
        await page.evaluate("globalThis.reloaded = false")
        await expect(page.get_by_role("heading", name="No encounter yet")).to_be_visible()
        server.kill()
        await server.ended()
        await expect(page.get_by_role("region", name="Connection lost")).to_be_visible()
        async with servers.serving("--data-dir", str(data), "--port", str(server.port)):
            await expect(page.get_by_role("region", name="Connection lost")).to_have_count(0)
            await same_as_fresh([(page, link)])
            assert await page.evaluate("globalThis.reloaded") is False


# ------------------------------------------------------------------------------------------------------- the other game
async def test_the_storyteller_game_has_its_own_actions_and_answers_come_after(begin: Begin):
    evening = await begin(scenario="storyteller")
    seat = next(name for name in evening.invitations if name not in ("Storyteller", "Gallery"))
    page = await evening.page(seat)
    await evening.st.start_fight()
    await expect(page.locator(".rail")).to_be_visible()
    await expect(page.locator(".tab-ready")).to_have_count(0)  # nothing is readied in this game
    await expect(page.get_by_role("img", name="simple action").first).to_be_visible()
    await page.get_by_role("button", name="announce several").click()
    await page.get_by_role("radio", name="3").check()
    await page.get_by_role("button", name="Do it").click()
    await expect(page.get_by_role("img", name="simple action 3/3").first).to_be_visible()
    assert await faults(page) == []
