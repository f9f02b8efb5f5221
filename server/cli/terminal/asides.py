"""What this terminal does itself: looking, help, files, the preview of a rewind, waiting. Each by its word."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protocol import texts
from protocol.client import Refused, TableProblem
from protocol.from_server import Answer
from server.cli.terminal import helping, library, look
from server.cli.terminal.sayings import said
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Fields, Local, Send

if TYPE_CHECKING:
    from server.cli.terminal.sitting import Sitting

WAIT_S = 30.0
SOON_S = 3.0
"""What is only told along with something else is not waited for any longer."""


async def do(sitting: "Sitting", wish: Local) -> bool:
    """True: leave. Raises Unclear."""
    if wish.word == "quit":
        return True
    try:
        await ASIDES[wish.word](sitting, wish.told)
    except Refused as refused:
        why = texts.refusal(refused.code, refused.params, sitting.language).rstrip(".。")
        sitting.tell("refused", "red", why=why[:1].lower() + why[1:])
    except TableProblem as problem:
        sitting.tell("unanswered", "red", why=problem)
    return False


async def look_at(sitting: "Sitting", told: Fields) -> None:
    sitting.look(told["unit"])


async def teach(sitting: "Sitting", told: Fields) -> None:
    role, language, text = sitting.table.role, sitting.language, told["text"]
    sitting.screen.show(*(helping.lesson(text, role, language) if text else helping.topics(role, language)))


async def change_language(sitting: "Sitting", told: Fields) -> None:
    sitting.language = sitting.table.language = told["language"]
    sitting.tell("lang")


async def log(sitting: "Sitting", told: Fields) -> None:
    answer = await sitting.table.ask("log", limit=told["lines"])
    lines = sitting.table.lines_of(answer)[-told["lines"] :]
    sitting.told(lines)
    if answer.kept_from is not None and (not lines or lines[0].n <= answer.kept_from):
        sitting.tell("older_log", "dim", n=answer.kept_from)


async def requests(sitting: "Sitting", told: Fields) -> None:
    acts = {id: await taken_back(sitting, id) for id in take_backs(sitting)}
    waiting = list(look.waiting(sitting.seen(), sitting.language, acts=acts))
    if waiting:
        sitting.screen.show(*waiting)
    else:
        sitting.tell("no_requests", "dim")


async def orders(sitting: "Sitting", told: Fields) -> None:
    state, language = sitting.table.state, sitting.language
    kinds = state.get("m/orders") or {}
    any_act = said(language, "any_act")
    kinds = {any_act if kind == "*" else texts.word("acts", kind, language): order for kind, order in kinds.items()}
    named = ", ".join(f"{kind}: {texts.word('orders', order, language)}" for kind, order in kinds.items())
    sitting.tell("orders", orders=named or said(language, "no_orders"), guard=state.get("m/guard", 0))


async def seats(sitting: "Sitting", told: Fields) -> None:
    """Every seat that may be known of, and what is not as usual about its invitation."""
    seen, language = sitting.seen(), sitting.language

    def moment(ms: int) -> str:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(ms / 1000))

    for id in seen.seats():
        facts = []
        if seen.of("s", f"{id}/invitation", "open") is False:
            facts.append(said(language, "seat_closed"))
        if until := seen.of("s", f"{id}/invitation", "until"):
            facts.append(said(language, "seat_until", moment=moment(until)))
        if to := seen.of("s", f"{id}/loan", "to"):
            facts.append(said(language, "seat_lent", to=to, moment=moment(seen.of("s", f"{id}/loan", "until"))))
        role = texts.word("roles", seen.of("s", id, "role", "player"), language)
        sitting.tell("seat_line", name=seen.seat_name(id), role=role, facts="".join(f" – {one}" for one in facts))


async def audit(sitting: "Sitting", told: Fields) -> None:
    """Each change with its time, and who made it."""
    answer = await sitting.table.ask("audit", limit=told["lines"])
    if answer.kept_from is not None and (answer.model_extra or {})["before"] <= answer.kept_from:
        sitting.tell("older_audit", "dim", n=answer.kept_from)
    for line in sitting.table.audited(answer):
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(line.at / 1000))
        who = texts.seat(line.by, sitting.language, line.seats)
        sitting.tell("audited", at=at, who=who, what=line.text(sitting.language))


async def story(sitting: "Sitting", told: Fields) -> None:
    """The evening as Markdown: whoever wants it as a file has the console, or `overseer table transcript`."""
    text = ""
    page: int | None = 0
    while page is not None:
        asked = {"whose": told["whose"], "language": sitting.language, "evening": 0, "page": page}
        answer = (await sitting.table.ask("export", **asked)).model_extra or {}
        text, page = text + answer["text"], answer.get("next")
    sitting.screen.show(*text.splitlines())


async def rules(sitting: "Sitting", told: Fields) -> None:
    for path, value in sitting.table.state.items():
        if path.startswith("h/") and told["key"] in path:
            shown = (
                ", ".join(value)
                if isinstance(value, list)
                else said(sitting.language, "none")
                if value is None
                else value
            )
            sitting.screen.line(f"{path[2:]} = {shown}   ({texts.word('house', path[2:], sitting.language)})")
            objections(sitting, path[2:])


def objections(sitting: "Sitting", key: str) -> None:
    for path, one in sitting.table.state.items():
        if path.startswith("o/") and one["key"] == key:
            text = f": “{one['text']}”" if one["text"] else ""
            sitting.tell("objects", "yellow", seat=one["name"], value=one["value"], text=text)


async def calc(sitting: "Sitting", told: Fields) -> None:
    found = (await sitting.table.ask("calc", **told)).model_extra or {}
    for name, value in found["names"].items():
        sitting.screen.line(f"  {name} = {value}", "dim")
    for step in found["steps"]:
        sitting.screen.line(f"  {step}", "dim")
    sitting.screen.line(f"= {found['value']} {found['unit']}".rstrip(), "bold")


async def explain(sitting: "Sitting", told: Fields) -> None:
    found = (await sitting.table.ask("explain", **told)).model_extra or {}
    sitting.screen.line(f"{texts.explanation(found['why'], found['facts'], sitting.language)}.", "bold")


async def options(sitting: "Sitting", told: Fields) -> None:
    """By unit: each act, its cost and at whom; dim and with the reason what cannot be done."""
    found = (await sitting.table.ask("options", unit=told["unit"])).model_extra or {}
    shown = [one for one in found["options"] if told["all"] or "code" not in one]
    for one in shown:
        sitting.screen.line("  " + option_line(sitting, one), "dim" if "code" in one else "")
    if not shown:
        sitting.tell("no_options", "dim")


def option_line(sitting: "Sitting", one: Fields) -> str:
    state, language = sitting.table.state, sitting.language

    def name(unit: str) -> str:
        return str(state.get(f"u/{unit}/name", unit))

    command = texts.word("commands", one["kind"], language)
    what = one.get("ability") or (texts.word("acts", one["act"], language) if "act" in one else command)
    for attached in (one.get("attached", []), *(step.get("attached", ["-"]) for step in one.get("steps", ()))):
        what += f" + {', '.join(attached)}" if attached else ""
    what += about(state, one, language)
    by = f"{name(one['unit'])}: " if "unit" in one else ""
    slot = f" ({texts.word('slots', one['slot'], language)})" if "slot" in one else ""
    at = f" → {', '.join(map(name, one['targets']))}" if one.get("targets") else ""
    costs = f" [{', '.join(texts.word('slots', cost, language) for cost in one['costs'])}]" if one.get("costs") else ""
    why = f" – {texts.refusal(one['code'], one.get('params'), language)}" if "code" in one else ""
    kind = f"{command}: " if "act" in one and one["kind"] not in ("declare", "react") else ""
    return f"{by}{kind}{what}{slot}{costs}{at}{why}"


def about(state: Mapping[str, Any], one: Fields, language: str) -> str:
    """What a command is about where it is no act: which task, which readied action, how many, what leave is asked for."""
    said = []
    if "task" in one:
        said.append(str(state.get(f"x/{one['task']}", {}).get("name", "")))
    if "readied" in one:
        act = state.get(f"r/{one['readied']}", {}).get("act", {})
        said.append(str(act.get("ability") or texts.word("acts", str(act.get("kind", "")), language)))
    if "ask" in one:
        said.append(str(state.get(f"a/{one['ask']}", {}).get("reason", "")))
    if "command" in one:
        said.append(texts.word("commands", one["command"]["kind"], language))
    if "auto" in one and "readied" in one:
        said.append(texts.word("values", "on" if one["auto"] else "off", language))
    said += [str(one[name]) for name in ("n",) if name in one]
    said += [f"attack={one['attack']}"] if one.get("attack", 1) > 1 else []
    said += [" ".join(map(str, one["gain"]))] if "gain" in one else []
    told = " ".join(word for word in said if word)
    return f" {told}" if told else ""


async def set_up(sitting: "Sitting", told: Fields) -> None:
    """Units from a file, or from the library, in one command. What was not understood is told with them."""
    seen = sitting.seen()
    if told["by_name"]:
        path, found = await asyncio.to_thread(library.find, told["what"], seen)
    else:
        path = Path(told["what"])
        found = await asyncio.to_thread(library.read, path, seen)
    units = [{**one, **told["changes"]} for one in found.units]
    if await sitting.send(Send({"kind": "set_up", "units": units, **told["fields"]})):
        sitting.tell("units_read", n=sum(one.get("count", 1) for one in units), file=path.name)
        for file, line, name, field in found.kept:
            sitting.tell("kept_as_note", "yellow", file=file, line=line, unit=name, field=field)
        for file, line, name, ability in found.elsewhere:
            slots = [texts.word("slots", slot, sitting.language) for slot in seen.slots]
            told = {"file": file, "line": line, "unit": name, "ability": ability, "slots": ", ".join(slots)}
            sitting.tell("of_another_game", "yellow", **told)
        if found.aside:
            sitting.tell("left_aside", "yellow", file=path.name, fields=", ".join(found.aside))


async def show_library(sitting: "Sitting", told: Fields) -> None:
    """What can be set up by its name: each file, and the units in it."""
    seen = sitting.seen()
    for path in await asyncio.to_thread(library.files):
        try:
            found = await asyncio.to_thread(library.read, path, seen)
        except Unclear as problem:
            sitting.screen.line(problem.said(sitting.language), "red")
            continue
        names = [one["unit"]["name"] + (f" x{one['count']}" if "count" in one else "") for one in found.units]
        sitting.screen.line(f"{path.stem}: {', '.join(names)}")
    sitting.tell("library_at", "dim", folder=library.own())


async def preview(sitting: "Sitting", told: Fields) -> None:
    """What a rewind would undo, before it is asked for. `yes` on the next line does it."""
    reason = {"reason": told["reason"]} if told["reason"] else {}
    answer = await show_undone(sitting, await sitting.table.ask("rewind_preview", to=told["to"]))
    if answer is not None:
        sitting.wanted = Send({"kind": "rewind", "to": answer.to, "head": answer.head, **reason})


async def take_back(sitting: "Sitting", told: Fields) -> None:
    """A yes to a take-back is a rewind, and is asked for like one."""
    answer = await show_undone(sitting, await sitting.table.ask("rewind_preview", request=told["request"]))
    if answer is not None:
        sitting.wanted = Send({"kind": "answer_request", "yes": True, "head": answer.head, **told})


async def show_undone(sitting: "Sitting", answer: Answer) -> Answer | None:
    """The preview, for a yes; None where there is nothing to undo."""
    if not answer.entries:
        sitting.tell("nothing_undone", "yellow", to=answer.to)
        return None
    n = len(answer.entries)
    sitting.tell("rewind_ask" if n > 1 else "rewind_ask_one", "yellow", n=n, to=answer.to)
    for position, packed in answer.entries:
        if packed:
            sitting.told(sitting.table.lines_of(only(answer, position)))
        else:
            sitting.tell("untold", n=position)
    sitting.tell("rewind_confirm", "yellow")
    return answer


def only(answer: Answer, n: int) -> Answer:
    return answer.model_copy(update={"entries": [entry for entry in answer.entries or () if entry[0] == n]})


def take_backs(sitting: "Sitting") -> list[str]:
    """The open take-backs, for whoever may ask what they would undo."""
    seen = sitting.seen()
    return [id for id in seen.ids("q") if seen.of("q", id, "kind") == "take_back"] if seen.role == "st" else []


async def taken_back(sitting: "Sitting", request: str) -> str:
    """The act that a take-back is about, and how much has happened since; "" where that cannot be told."""
    with suppress(TableProblem):
        answer = await sitting.table.ask("rewind_preview", timeout=SOON_S, request=request)
        lines = sitting.table.lines_of(answer)
        since = len(answer.entries or ()) - 1
        act = said(sitting.language, "act_since", n=lines[0].n, act=lines[0].text(sitting.language)) if lines else ""
        return act + (said(sitting.language, "and_since", n=since) if act and since > 0 else "")
    return ""


async def sure(sitting: "Sitting", told: Fields) -> None:
    """Something that costs somebody something is done on a yes."""
    sitting.tell(told["why"], "yellow", **{name: one for name, one in told.items() if name not in ("why", "command")})
    sitting.tell("rewind_confirm", "yellow")
    sitting.wanted = Send(told["command"])


async def answer_all(sitting: "Sitting", told: Fields) -> None:
    """Each request in the order it came. What would undo something is shown and asked for singly."""
    seen = sitting.seen()
    if not seen.requests:
        sitting.tell("no_requests", "dim")
    for id, number in seen.requests.items():
        if told["yes"] and seen.of("q", id, "kind") == "take_back":
            sitting.tell("singly", "yellow", seat=seen.seat_name(seen.of("q", id, "seat")), number=number)
        else:
            await sitting.send(Send({"kind": "answer_request", "request": id, **told}))


async def wait(sitting: "Sitting", told: Fields) -> None:
    """For scripts: some seconds, or until a line with these words was told since the last wait."""
    what = told["text"].removeprefix("for ").strip().strip('"')
    with suppress(ValueError):
        await asyncio.sleep(min(float(what.removesuffix("s").strip()), 3600))
        return
    try:
        async with asyncio.timeout(WAIT_S):
            while not any(what.casefold() in line.casefold() for line in sitting.heard):
                sitting.news.clear()
                await sitting.news.wait()
    except TimeoutError:
        sitting.tell("waited", "red", text=what)
    sitting.heard.clear()


ASIDES: Mapping[str, Callable[["Sitting", Fields], Awaitable[None]]] = {
    "look": look_at,
    "help": teach,
    "lang": change_language,
    "log": log,
    "requests": requests,
    "orders": orders,
    "rules": rules,
    "seats": seats,
    "audit": audit,
    "story": story,
    "calc": calc,
    "explain": explain,
    "options": options,
    "set up": set_up,
    "library": show_library,
    "rewind": preview,
    "take back": take_back,
    "answer all": answer_all,
    "sure": sure,
    "wait": wait,
}
