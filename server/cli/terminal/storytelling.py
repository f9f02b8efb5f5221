"""The verbs of the Storyteller who runs a scene: telling, asking, the cast, the fight. Verb -> parser -> command."""

import re
from itertools import takewhile
from typing import Any

from core.bounds import NUMBERS
from core.override import WORDS
from core.roles import STORYTELLER
from server.cli.terminal.acts import Fields
from server.cli.terminal.phrases import dice, reason, units, value, why, with_reason
from server.cli.terminal.playing import TALK, own_unit, unquoted
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import Word, joined, parts, whole_number
from server.cli.terminal.timekeeping import forcing
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Local, Rest, Verb, all_verbs, command, find

CAST, FIGHT = "the cast", "the fight"
FROM_FILE: Fields = {"by_name": False, "fields": {"on": False}, "changes": {}}
"""Units of a file are added as it says; `set up` brings them on."""
BUDGET = ("standard", "move", "swift", "immediate", "simple", "free")


# -------------------------------------------------------------------------------------------------------- talk and dice
def narrate(rest: Rest, seen: Seen) -> Fields:
    if not rest.raw:
        raise Unclear("narrate_what")
    return {"kind": "narrate", "text": unquoted(rest.raw)}


def ask_roll(rest: Rest, seen: Seen) -> Fields:
    found = parts(rest.words, ("for", "because"))
    if "for" not in found:
        raise Unclear("ask_what")
    names = joined(found[""]).casefold()
    players = [u for u in seen.ids("u") if seen.unit(u, "owner", "st") != "st" and seen.unit(u, "on_stage", True)]
    asked = players if names in ("all", "players", "everybody") else units(found[""], seen, "who_rolls")
    fields = dice(found.get("for", []), seen, asked)
    if "pool" not in fields:
        raise Unclear("ask_what")
    fields |= {"reason": why(found["because"])} if "because" in found else {}
    return {"kind": "ask_roll", "units": asked, **fields}


def ask_no_more(rest: Rest, seen: Seen) -> Fields:
    some, because = reason(rest.words)
    return with_reason({"kind": "withdraw_ask", "ask": seen.the_ask(joined(some))}, because)


# ------------------------------------------------------------------------------------------------------------- the cast
def add_unit(rest: Rest, seen: Seen) -> Fields | Local:
    if match := re.match(r"(?:from(?:\s+file)?|file)(?:\s+(.+))?$", rest.raw, re.IGNORECASE):
        if not match[1]:
            raise Unclear("from_file")
        return Local("set up", {**FROM_FILE, "what": unquoted(match[1])})
    flags = [w for w in rest.words if not w.fixed and w.text.casefold() in ("hidden", "on_stage", "on-stage")]
    pairs = [w for w in rest.words if not w.fixed and "=" in w.text]
    named = list(takewhile(lambda word: word not in flags and word not in pairs, rest.words))
    name = joined(named)
    if not name:
        raise Unclear("add_how")
    if stray := [w for w in rest.words[len(named) :] if w not in flags and w not in pairs]:
        raise Unclear("add_stray", said=joined(stray))
    if name.casefold() in ("all", "everybody", "me", "self", "myself", "st", "top", "it", "全部", "我"):
        raise Unclear("name_means", said=name)
    if not named[0].fixed and (other := find(name, all_verbs())):
        raise Unclear("name_is_verb", usage=other[0].usage, said=name)
    unit: dict[str, Any] = {"name": name, **{w.text.casefold().replace("-", "_"): True for w in flags}}
    command: Fields = {"kind": "add_unit", "unit": unit}
    for pair in pairs:
        key, _, said = pair.text.partition("=")
        if key == "owner":
            command["owner"] = seen.the_seat(said)
        elif key in NUMBERS | WORDS:
            unit[key] = value(said)
        elif key.isupper():
            unit.setdefault("attributes", {})[key] = whole_number(said, key)
        else:
            unit.setdefault("tracks", {})[key] = whole_number(said, key)
    return command


def bring_on(rest: Rest, seen: Seen) -> Fields:
    names, fields = entering(rest.words, "copies")
    return {"kind": "bring_on", **fields, "units": units(names, seen, "who_comes")}


def entering(some: list[Word], number: str) -> tuple[list[Word], Fields]:
    """How units come on, taken out of the words: that `number` of them, hidden or not, into the fight, one initiative."""
    fields: Fields = {}
    names: list[Word] = []
    for word in some:
        text = word.text.casefold()
        if copies := re.fullmatch(r"[x×](\d+)", text):
            fields[number] = int(copies[1])
        elif text in ("hidden", "visible", "open"):
            fields["hidden"] = text == "hidden"
        elif text in ("apart", "outside"):
            fields["join"] = False
        elif text == "together":
            fields["one_initiative"] = True
        elif text != "on" or word.fixed:
            names.append(word)
    return names, fields


def set_up(rest: Rest, seen: Seen) -> Local:
    names, fields = entering(rest.words, "count")
    if not names:
        raise Unclear("set_up_what")
    changes = {key: fields.pop(key) for key in ("count", "one_initiative") if key in fields}
    return Local("set up", {"what": joined(names), "by_name": True, "fields": fields, "changes": changes})


def of_unit(kind: str) -> Any:
    """A verb that takes one unit and nothing else."""
    return lambda rest, seen: {"kind": kind, "unit": own_unit(rest.raw, seen)}


def begin(rest: Rest, seen: Seen) -> Fields | Local:
    """Whoever acts now loses what is left of his action: where he has done nothing yet, a yes is asked for."""
    unit = own_unit(rest.raw, seen)
    command: Fields = {"kind": "begin_action", "unit": unit}
    active = seen.active
    if active is None or active == unit or seen.unit(active, "spent", ()):
        return command
    return Local("sure", {"command": command, "why": "begin_sure", "unit": seen.name(active)})


def give(rest: Rest, seen: Seen) -> Fields:
    found = parts(rest.words, ("to",))
    if "to" not in found and len(rest.words) > 1:
        found = {"": rest.words[:-1], "to": rest.words[-1:]}
    if "to" not in found:
        raise Unclear("give_to")
    to = seen.the_seat(joined(found["to"]))
    return {"kind": "give_unit", "unit": seen.the_unit(joined(found[""])), "to": None if to == "st" else to}


# ------------------------------------------------------------------------------------------------------------ the fight
def start(rest: Rest, seen: Seen) -> Fields:
    some, forced = forcing(rest.words)
    flags = [w for w in some if not w.fixed and w.text.casefold() in ("wait", "waiting", "real", "uncounted")]
    names = [w for w in some if w not in flags and w.text.casefold() not in ("fight", "with")]
    fields: Fields = {"kind": "start_fight", **forced}
    for flag in flags:
        said = flag.text.casefold()
        fields |= {"begin": False} if said.startswith("wait") else {"counts": said == "real"}
    return {**fields, "units": units(names, seen, "who_fights")} if names else fields


def end_fight(rest: Rest, seen: Seen) -> Fields:
    return {"kind": "end_fight", **forcing(rest.words)[1]}


def join(rest: Rest, seen: Seen) -> Fields:
    found = parts(rest.words, ("at",))
    fields: Fields = {"kind": "join_fight", "unit": seen.the_unit(joined(found[""]) or seen.actor or "")}
    if "at" in found:
        fields["index"] = max(0, whole_number(joined(found["at"]), "place") - 1)
    return fields


def reorder(rest: Rest, seen: Seen) -> Fields:
    was = list(seen.state.get("t/order") or ())
    named = units(rest.words, seen, "new_order")
    order = named + [id for id in was if id not in named]
    return {"kind": "reorder", "order": order, "was": was}


def slots_of(kind: str) -> Any:
    def parse(rest: Rest, seen: Seen) -> Fields:
        slots: list[str] = []
        names: list[Word] = []
        number = 1
        for word in rest.words:
            text = word.text.casefold().strip(",，")
            if text in BUDGET and not word.fixed:
                slots += [text] * number
                number = 1
            elif text.isdigit() and not word.fixed and names:
                number = min(int(text), 20)
            elif text not in ("an", "a", "action", "actions", "from", "and") or word.fixed:
                names.append(word)
        if not slots:
            raise Unclear("which_actions", there=BUDGET)
        return {"kind": kind, "unit": own_unit(joined(names), seen), "slots": slots}

    return parse


def as_seat(rest: Rest, seen: Seen) -> Fields | Local:
    """ "as Ann pass": the seat's name, then a line as that seat would type it."""
    for k in range(1, len(rest.words)):
        name = " ".join(word.text for word in rest.words[:k]).rstrip(":：,，")
        try:
            seat = seen.the_seat(name, st=False)
        except Unclear:
            continue
        raw = rest.raw
        for word in rest.words[:k]:
            raw = raw.lstrip('"“「 ')[len(word.text) :].lstrip(' "”」:：')
        inner = command(raw, seen.speaking_for(seat))
        return inner if isinstance(inner, Local) else {**inner, "as": seat}
    raise Unclear("as_how")


VERBS = (
    Verb(("narrate", "叙述"), TALK, ("narrate",), "narrate TEXT", "tell what happens", "narrate the lights go out",
         narrate),
    Verb(("ask", "ask roll"), TALK, ("ask_roll",), "ask NAMES for POOL [dc N|none] [private|st] [because WHY]",
         "ask for rolls; all: every player's unit", "ask mira for PER+2 dc 2 because something moves", ask_roll),
    Verb(("ask no more", "收回要求"), TALK, ("withdraw_ask",), "ask no more [REASON] [because WHY]",
         "take back a roll that was asked for: the newest, or the one asked for that reason", "ask no more", ask_no_more),
    Verb(("as",), TALK, (), "as SEAT COMMAND", "do something for a player's seat", "as Ann pass", as_seat, STORYTELLER),
    Verb(("add unit", "add units", "add"), CAST, ("add_unit",),
         "add unit NAME hp=8 side=foe DEX=2 owner=SEAT | add units from FILE",
         "prepare a unit, off stage", "add unit Ghoul hp=8 side=foe initiative=5", add_unit),
    Verb(("bring", "bring on"), CAST, ("bring_on",), "bring NAMES [x3] [together] [hidden] [apart]",
         "bring units on stage and into the fight; x3: three numbered ones; together: with one initiative; apart: not "
         "into the fight", "bring ghoul x3 hidden", bring_on),
    Verb(("set up",), CAST, ("set_up",), "set up NAME | FILE [x6] [together] [hidden | open] [apart]",
         "bring on a prepared encounter, or a unit, from the library or a file; x6: six of each, numbered; together: with "
         "one initiative", "set up zombie x6 together hidden", set_up),
    Verb(("library",), CAST, (), "library", "what can be set up by its name", "library",
         lambda rest, seen: Local("library"), STORYTELLER),
    Verb(("take off",), CAST, ("take_off",), "take off NAME", "take a unit off stage", "take off zombie",
         of_unit("take_off")),
    Verb(("remove unit", "remove"), CAST, ("remove_unit",), "remove unit NAME", "remove a unit for good",
         "remove unit zombie", of_unit("remove_unit")),
    Verb(("give",), CAST, ("give_unit",), "give NAME to SEAT | st", "hand a unit to a player", "give mira to Ann",
         give),
    Verb(("hide",), CAST, ("hide",), "hide NAME", "players no longer see it", "hide zombie", of_unit("hide")),
    Verb(("reveal",), CAST, ("reveal",), "reveal NAME", "players see it from now on", "reveal zombie",
         of_unit("reveal")),
    Verb(("start", "start fight"), FIGHT, ("start_fight",), "start [NAMES] [wait] [real | uncounted] [end lasting]",
         "begin a fight, with all on stage; wait: nobody acts yet; real, uncounted: whether it is a scene of its own",
         "start", start),
    Verb(("end fight",), FIGHT, ("end_fight",), "end fight [end lasting]",
         "the fight is over; end lasting: what is not permanent ends with it", "end fight", end_fight),
    Verb(("join",), FIGHT, ("join_fight",), "join NAME [at PLACE]", "give a unit a place in the order",
         "join ghoul at 1", join),
    Verb(("reorder",), FIGHT, ("reorder",), "reorder A, B, C", "the order becomes this; who is not named follows",
         "reorder zombie, mira", reorder),
    Verb(("begin", "begin action"), FIGHT, ("begin_action",), "begin NAME", "a unit acts now, a second time too",
         "begin zombie", begin),
    Verb(("grant",), FIGHT, ("grant",), "grant NAME [N] " + " | ".join(BUDGET), "give single actions",
         "grant mira standard", slots_of("grant")),
    Verb(("take", "spend"), FIGHT, ("spend",), "take NAME [N] " + " | ".join(BUDGET), "take actions away",
         "take mira swift", slots_of("spend")),
)  # fmt: skip
