"""The verbs of the Storyteller's hand: values, house rules, windows and stack, requests, history. Verb -> command."""

import re
from typing import Any

from core.bounds import NUMBER_MAPS, NUMBERS
from core.override import WORDS
from server.cli.terminal.acts import Fields, abilities, inserted, split
from server.cli.terminal.lengths import duration
from server.cli.terminal.phrases import reason, value, why, with_reason
from server.cli.terminal.playing import act_in_words, unquoted
from server.cli.terminal.seen import Seen, pick
from server.cli.terminal.split import joined, listed, parts, whole_number
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Local, Rest, Verb, with_actor

VALUES, STACK, REQUESTS = "values, conditions, house rules", "windows and the stack", "requests and history"


# --------------------------------------------------------------------------------------------------------------- values
def place(text: str, seen: Seen) -> tuple[str, str, str]:
    """ "mira.hp 5", "Zombie 2 hp 5", "mira.attributes.DEX 3" -> the unit, the path, what stands behind it."""
    tracks = {t.removesuffix("_max") for u in seen.ids("u") for t in _paths(seen, u) if f"{t}_max" in _paths(seen, u)}
    heads = NUMBERS | WORDS | NUMBER_MAPS | tracks | {"tracks", "hp"}
    for match in re.finditer(r"[\s.]+(\w+(?:\.\w+)*)(?=\s|$)", text):
        if match[1].split(".")[0] in heads:
            path = f"tracks.{match[1]}" if re.fullmatch(r"\w+\.(max|value)", match[1]) else match[1]
            return seen.the_unit(text[: match.start()]), path, text[match.end() :].strip()
    raise Unclear("which_value", all=sorted(heads))


def _paths(seen: Seen, unit: str) -> list[str]:
    return [path.split("/", 2)[2] for path in seen.state if path.startswith(f"u/{unit}/")]


def now_at(seen: Seen, unit: str, path: str) -> Any:
    """What this terminal sees at a path: the `was` of a set."""
    first, *rest = path.split(".")
    if first == "tracks":
        return seen.unit(unit, rest[0] + ("_max" if rest[1:] == ["max"] else "")) if rest else None
    found = seen.unit(unit, first)
    return found.get(rest[0]) if rest and isinstance(found, dict) else found


def set_value(rest: Rest, seen: Seen) -> Fields:
    some, why = reason(rest.words)
    unit, path, said = place(joined(some), seen)
    if not said:
        raise Unclear("set_what", now=now_at(seen, unit, path), unit=seen.name(unit), path=path)
    said, found, given = said.partition(" was=")[0], *said.partition(" was=")[1:]
    new = said if path in WORDS else value(said)
    was = value(given) if found else now_at(seen, unit, path)
    was = 0 if was is None and path == "initiative_bonus" else was
    return with_reason({"kind": "set_value", "unit": unit, "path": path, "value": new, "was": was}, why)


def adjust(rest: Rest, seen: Seen) -> Fields:
    some, why = reason(rest.words)
    unit, path, said = place(joined(some), seen)
    return with_reason({"kind": "adjust", "unit": unit, "path": path, "by": whole_number(said, "change")}, why)


def hp(rest: Rest, seen: Seen) -> Fields:
    """ "hp zombie -3" is a change, "hp zombie 5" a new value."""
    some, why = reason(rest.words)
    if len(some) < 2:
        raise Unclear("hp_how")
    unit, said = seen.the_unit(joined(some[:-1])), some[-1].text
    n = whole_number(said, "hp")
    if said[0] in "+-−":
        return with_reason({"kind": "adjust", "unit": unit, "path": "hp", "by": n}, why)
    was = seen.unit(unit, "hp")
    return with_reason({"kind": "set_value", "unit": unit, "path": "hp", "value": n, "was": was}, why)


def condition(rest: Rest, seen: Seen) -> Fields:
    some, why = reason(rest.words)
    found = parts(some, ("for", "until", "by", "secret"))
    if len(found[""]) < 2:
        raise Unclear("condition_how")
    unit = seen.the_unit(found[""][0].text)
    fields: Fields = {"kind": "add_condition", "unit": unit, "condition": joined(found[""][1:]).casefold()}
    if "secret" in found:
        fields["secret"] = True
    if "for" in found or "until" in found:
        fields |= duration(joined(found.get("for") or found["until"]))
    if "by" in found:
        fields["by"] = seen.the_unit(joined(found["by"]))
    return with_reason(fields, why)


def lift(rest: Rest, seen: Seen) -> Fields:
    some, why = reason(rest.words)
    if len(some) < 2:
        raise Unclear("lift_how")
    fields: Fields = {"kind": "remove_condition", "unit": seen.the_unit(some[0].text)}
    return with_reason({**fields, "condition": joined(some[1:]).casefold()}, why)


def end_effect(rest: Rest, seen: Seen) -> Fields:
    some, why = reason(rest.words)
    return with_reason({"kind": "end_effect", "effect": seen.the_effect(joined(some))}, why)


def house(rest: Rest, seen: Seen) -> Fields:
    if len(rest.words) < 2:
        raise Unclear("house_how")
    key, said = rest.words[0].text, joined(rest.words[1:])
    if f"h/{key}" not in seen.state:
        known = {path[2:]: path[2:] for path in seen.state if path.startswith("h/")}
        key = pick(key, known, "house")
    new: Any = value(said)
    if isinstance(seen.state.get(f"h/{key}"), list) and not isinstance(new, list):
        new = listed(rest.words[1:])
    elif isinstance(seen.state.get(f"h/{key}"), str):
        new = said  # "no" is a word among these, not a truth
    return {"kind": "set_house", "key": key, "value": new}


def notes(rest: Rest, seen: Seen) -> Fields:
    raw, seen = with_actor(rest.raw, seen)
    return {"kind": "set_notes", "text": unquoted(raw), **({"unit": seen.actor} if seen.actor else {})}


# ------------------------------------------------------------------------------------------------- windows and the stack
def longer(rest: Rest, seen: Seen) -> Fields:
    name, said = rest.words[:-1], joined(rest.words[-1:]).rstrip("%％")
    said = "100" if said in ("usual", "照常") else said
    return {
        "kind": "give_time",
        "seat": seen.the_seat(joined(name), st=False),
        "percent": whole_number(said, "percent"),
    }


def hold(rest: Rest, seen: Seen) -> Fields:
    return {"kind": "hold", **({"next": True} if rest.raw.casefold() in ("next", "next action") else {})}


def set_clock(rest: Rest, seen: Seen) -> Fields:
    return {
        "kind": "set_clock",
        "window": seen.the_window(""),
        "by_ms": 1000 * whole_number(rest.raw or "?", "time"),
    }


def close_window(rest: Rest, seen: Seen) -> Fields:
    force = rest.raw.casefold().endswith("force")
    which = re.sub(r"\s*(by )?force$", "", rest.raw, flags=re.IGNORECASE)
    return {"kind": "close_window", "window": seen.the_window(which), **({"force": True} if force else {})}


def cancel(rest: Rest, seen: Seen) -> Fields:
    some, why = reason(rest.words)
    said = joined(some)
    which = re.sub(r"\s*\b(no refund|without refund)\b\s*", " ", said, flags=re.IGNORECASE).strip()
    fields: Fields = {"kind": "cancel", "pending": seen.the_pending(which)}
    return with_reason({**fields, **({"refund": False} if which != said else {})}, why)


def insert(rest: Rest, seen: Seen) -> Fields:
    made, seen = act_in_words(rest.raw, seen)
    return inserted(seen, made)


def edit(rest: Rest, seen: Seen) -> Fields:
    found = parts(rest.words, ("targets", "split", "guards", "fled", "fails"))
    fields: Fields = {"kind": "edit_pending", "pending": seen.the_pending(joined(found.pop("")))}
    if not found:
        raise Unclear("edit_how")
    for name in found:
        entries = listed(found[name])
        if name == "fails":
            fields["fails"] = True
        elif name == "split":
            pending = fields["pending"]
            own = abilities(seen, seen.of("k", pending, "actor"))
            fields["split"] = split(seen, entries, list(seen.of("k", pending, "targets", ())), own)
        elif name == "guards":
            pairs = [re.fullmatch(r"(.+?)[\s=]+(\d+)", entry) for entry in entries]
            fields["guards"] = {seen.the_unit(pair[1]): int(pair[2]) for pair in pairs if pair}
        else:
            fields[name] = seen.the_units(entries)
    return fields


def restack(rest: Rest, seen: Seen) -> Fields:
    named = [seen.the_pending(text) for text in listed(rest.words)]
    stack = [id for id in seen.stack if id not in named] + named
    if stack == seen.stack:
        raise Unclear("stack_so")
    return {"kind": "restack", "stack": stack, "was": seen.stack}


# -------------------------------------------------------------------------------------------------- requests and history
def answer(yes: bool) -> Any:
    """By number or seat; `all` answers every one. A yes to a take-back first shows what it would undo."""

    def parse(rest: Rest, seen: Seen) -> Fields | Local:
        found = parts(rest.words, ("because",))
        which = joined(found[""])
        text = {"text": why(found["because"])} if "because" in found else {}
        if which.casefold() == "all":
            return Local("answer all", {"yes": yes, **text})
        request = seen.the_request(which)
        if yes and seen.of("q", request, "kind") == "take_back":
            return Local("take back", {"request": request, **text})
        return {"kind": "answer_request", "request": request, "yes": yes, **text}

    return parse


def rewind(rest: Rest, seen: Seen) -> Local:
    """Never at once: what would be undone is shown first."""
    some, why = reason(rest.words)
    said = joined(some).casefold()
    match = re.fullmatch(r"(to\s+)?#?(\d+)(\s+changes?)?", said)
    if match is None:
        raise Unclear("rewind_how")
    n = int(match[2])
    if n >= seen.n if match[1] else not 0 < n <= seen.n:
        raise Unclear("rewind_range", n=seen.n, before=seen.n - 1) if seen.n else Unclear("nothing_to_undo")
    to = n if match[1] else seen.n - n
    return Local("rewind", {"to": to, "reason": why})


VERBS = (
    Verb(("hp", "生命"), VALUES, ("adjust", "set_value"), 'hp NAME -3 | +2 | 5 ["why"]', "change hp, or set them",
         'hp zombie -3 "falling rock"', hp),
    Verb(("set",), VALUES, ("set_value",), "set NAME.PATH VALUE [because WHY]",
         "set any value: hp, tracks.hp.max, position, attributes.DEX", "set mira.hp 5 because of the potion",
         set_value),
    Verb(("adjust",), VALUES, ("adjust",), "adjust NAME.PATH +N | -N", "change a number by an amount",
         "adjust mira.base +1", adjust),
    Verb(("condition",), VALUES, ("add_condition",),
         "condition NAME WORD [for 2 rounds | 3 hours | 1 scene] [until sunrise] [by NAME] [secret]",
         "a condition, free words too; for rounds, turns, seconds to years, days of this world, scenes, films, for good",
         "condition mira prone for 2 rounds", condition),
    Verb(("lift",), VALUES, ("remove_condition",), "lift NAME WORD", "take a condition away", "lift mira stunned",
         lift),
    Verb(("end effect",), VALUES, ("end_effect",), "end effect WHICH", "end something that lasts", "end effect bless",
         end_effect),
    Verb(("house",), VALUES, ("set_house",), "house KEY VALUE", "change a house rule; `rules` shows them",
         "house reaction_window_ms 12000", house),
    Verb(("notes",), VALUES, ("set_notes",), "notes [NAME:] TEXT", "your notes, of the table or a unit",
         "notes zombie: afraid of fire", notes),
    Verb(("hold",), STACK, ("hold",), "hold [next]", "stop everything; next: once this action has ended", "hold", hold),
    Verb(("release", "go on"), STACK, ("release",), "release", "let the table go on", "release",
         lambda rest, seen: {"kind": "release"}),
    Verb(("clock",), STACK, ("set_clock",), "clock +5 | -3", "more or less seconds for the top window", "clock +5",
         set_clock),
    Verb(("longer", "宽限"), STACK, ("give_time",), "longer SEAT PERCENT | usual",
         "windows get longer for all, for this seat's sake; only Storytellers know whose", "longer Ann 150", longer),
    Verb(("close",), STACK, ("close_window",), "close [force]", "close the top window; force: without the re-check",
         "close", close_window),
    Verb(("cancel",), STACK, ("cancel",), "cancel [WHOSE] [no refund] [because WHY]", "withdraw a waiting action",
         "cancel zombie no refund", cancel),
    Verb(("resolve",), STACK, ("resolve",), "resolve", "carry the top action out at once", "resolve",
         lambda rest, seen: {"kind": "resolve", "pending": seen.the_pending(rest.raw)}),
    Verb(("insert",), STACK, ("insert",), "insert NAME: ACT", "a unit acts on top, free of cost and rules",
         "insert zombie: attack mira with claw", insert),
    Verb(("edit",), STACK, ("edit_pending",), "edit [WHOSE] targets A, B | split A 2, B 1 | guards A 2 | fled A | fails",
         "change a waiting action", "edit zombie targets kai", edit),
    Verb(("restack",), STACK, ("restack",), "restack A, B", "the stack's order by actor, the last on top",
         "restack kai, zombie", restack),
    Verb(("allow", "yes to"), REQUESTS, ("answer_request",), "allow [NUMBER | SEAT | all] [because TEXT]",
         "say yes to a request; to a take-back: shows first what that undoes", "allow 1", answer(True)),
    Verb(("deny", "no to"), REQUESTS, ("answer_request",), "deny [NUMBER | SEAT | all] [because TEXT]",
         "say no to a request", "deny 1 because not today", answer(False)),
    Verb(("rewind",), REQUESTS, ("rewind",), "rewind N | to N [because WHY]",
         "undo the last N changes, or all after change N; shows first what that is", "rewind 3", rewind),
)  # fmt: skip
