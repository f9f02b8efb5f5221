"""The other phrases that lines are made of: a trigger, a dice pool, a value, a reason. Pure; raises Unclear."""

import json
import re
from contextlib import suppress
from typing import Any

from server.cli.terminal.seen import Seen, pick
from server.cli.terminal.split import Word, joined, listed, parts, whole_number
from server.cli.terminal.unclear import Unclear

ATTRIBUTES = ("STR", "DEX", "STA", "INT", "PER", "RES", "PRE", "MAN", "COM")
Fields = dict[str, Any]

# ------------------------------------------------------------------------------------------------------------- triggers
DOES = {
    "attacks": "attack",
    "attack": "attack",
    "shoots": "ranged_attack",
    "moves": "move",
    "move": "move",
    "casts": "cast",
    "cast": "cast",
    "acts": "",
    "act": "",
}


def trigger(some: list[Word], seen: Seen, unit: str) -> Fields:
    """`trigger` or `words` of a readied action: "attacked", "zombie attacks mira", "an enemy moves", or any text."""
    if not some:
        raise Unclear("when")
    plain = [w.text.casefold() for w in some if not w.fixed]
    if plain[-1:] == ["attacked"]:
        rest = [w for w in some if w.fixed or w.text.casefold() not in ("attacked", "is", "am", "are", "i", "i'm")]
        return {"trigger": {"act": "attack", "target": seen.the_unit(joined(rest)) if rest else unit}}
    verb = next((w for w in some if not w.fixed and w.text.casefold() in DOES), None)
    if verb is None or any(w.quoted for w in some):
        return {"words": joined(some)}
    before, after = some[: some.index(verb)], some[some.index(verb) + 1 :]
    found: Fields = {"act": DOES[verb.text.casefold()]}
    doer = joined([w for w in before if w.fixed or w.text.casefold() not in ("an", "a", "the", "any")]).casefold()
    try:
        if doer in ("enemy", "ally"):
            found["side"] = doer
        elif doer not in ("anyone", "anybody", "somebody", "someone", ""):
            found["actor"] = seen.the_unit(doer)
        if after:
            text = joined(after)
            found["target"] = unit if text.casefold() in ("me", "self") else seen.the_unit(text)
    except Unclear as problem:
        raise Unclear("own_words", problem=problem) from None
    return {"trigger": {name: value for name, value in found.items() if value}}


# ---------------------------------------------------------------------------------------------------------------- pools
VISIBLE = {
    "open": "open",
    "me": "roller",
    "private": "roller",
    "roller": "roller",
    "st": "st",
    "secret": "st",
    "公开": "open",
}


def pool(text: str, seen: Seen, units: list[str]) -> Fields:
    """ "DEX+Stealth+2" by the names on the units' sheets; the nine Attributes are always known; "5" is five dice."""
    found: Fields = {"attributes": [], "skills": []}
    known = {name: "attributes" for name in ATTRIBUTES}
    for area in ("skills", "attributes"):
        known |= {name: area for unit in units for name in seen.unit(unit, area, {})}
    number = 0
    for sign, term in re.findall(r"([+＋−-]?)\s*([^+＋−-]+)", text):
        name = term.strip()
        if re.fullmatch(r"\d{1,9}", name):
            number += -int(name) if sign in ("-", "−") else int(name)
            continue
        if sign in ("-", "−"):
            raise Unclear("only_numbers_away", said=name)
        chosen = pick(name, {one: one for one in known}, "attribute")
        found[known[chosen]].append(chosen)
    if found["attributes"] or found["skills"]:
        found["modifier"] = number
    else:
        found["fixed"] = number
    return {name: value for name, value in found.items() if value or name == "fixed"}


def dice(some: list[Word], seen: Seen, units: list[str]) -> Fields:
    """What stands behind "roll": a pool, "open" / "private" / "st", "dc 3", "dc none", "9-again", "tn 7", "for REASON"."""
    some = [one for word in some for one in _apart(word)]
    found = parts(some, ("dc", "tn", "for", "because"))
    fields: Fields = {}
    terms: list[str] = []
    again = 10
    waiting = found[""] + found.get("dc", [])[1:] + found.get("tn", [])[1:]
    for word in waiting:
        text = word.text.casefold()
        if text in VISIBLE and not word.fixed:
            fields["visibility"] = VISIBLE[text]
        elif match := re.fullmatch(r"(\d+)-?again", text):
            again = int(match[1])
        else:
            terms.append(word.text)
    if "dc" in found:
        dc = joined(found["dc"][:1])
        fields["dc"] = None if dc.casefold() in ("none", "无") else whole_number(dc, "dc")
        if (fields["dc"] or 0) < 0:
            raise Unclear("dc_low", n=fields["dc"])
    if reasons := found.get("for", []) + found.get("because", []):
        fields["reason"] = why(reasons)
    if terms:
        fields["pool"] = pool(" ".join(terms), seen, units)
        if again != 10:
            fields["pool"]["again"] = again
        fields["pool"] |= to_reach(joined(found["tn"][:1])) if "tn" in found else {}
    return fields


def to_reach(text: str) -> Fields:
    """What dice are to reach: "7", or the opponent's "DEX" or "DEX+Brawl"."""
    if re.fullmatch(r"\d{1,9}", text):
        return {"target_number": int(text)}
    names = [name.strip() for name in re.split("[+＋]", text) if name.strip()]
    if not names:
        raise Unclear("which_tn")
    attributes = {name.casefold(): name for name in ATTRIBUTES}
    return {"against": [attributes.get(name.casefold(), name) for name in names]}


def _apart(word: Word) -> list[Word]:
    """ "dc=2" is "dc 2"."""
    name, sign, said = word.text.partition("=")
    return [Word(name), Word(said)] if not word.fixed and sign and name.casefold() in ("dc", "tn") and said else [word]


# ------------------------------------------------------------------------------------------------------------------ time
UNITS_OF_TIME = {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "hour": 3600, "turn": 6, "round": 6, "day": 86400}


def seconds(text: str) -> int:
    """ "60 s", "10 minutes", "2 hours", "1 day"; a turn or a round is 6 seconds."""
    match = re.fullmatch(r"(\d{1,6})\s*([a-z]*?)s?", text.strip().casefold())
    factor = UNITS_OF_TIME.get((match[2] or "s").replace("econd", "ec").replace("inute", "in")) if match else None
    if match is None or factor is None:
        raise Unclear("how_long", said=text.strip())
    return int(match[1]) * factor


# --------------------------------------------------------------------------------------------------------------- values
def value(text: str) -> Any:
    """A value as one writes it: a number, yes/no, nothing, JSON, else text."""
    said = text.strip()
    if re.fullmatch(r"[+−-]?\d{1,18}", said):
        return int(said.replace("−", "-"))
    words = {"true": True, "yes": True, "false": False, "no": False, "none": None, "nothing": None, "null": None}
    if said.casefold() in words:
        return words[said.casefold()]
    if said[:1] in ("[", "{"):
        try:
            return json.loads(said)
        except ValueError as problem:
            raise Unclear("json", why=problem) from None
    return said


def reason(some: list[Word]) -> tuple[list[Word], str]:
    """Takes the reason from the end: "because ...", or the last words in quotes."""
    found = parts(some, ("because",))
    if "because" in found:
        return found[""], why(found["because"])
    if len(some) > 1 and some[-1].quoted:
        return some[:-1], some[-1].text
    return some, ""


def why(some: list[Word]) -> str:
    """ "because of the potion" and "because it is cold": the reason, as it is told."""
    return joined(some[1:] if len(some) > 1 and some[0].text.casefold() == "of" and not some[0].fixed else some)


def with_reason(fields: Fields, text: str) -> Fields:
    return {**fields, "reason": text} if text else fields


def units(some: list[Word], seen: Seen, what: str) -> list[str]:
    names = listed(some)
    if not names:
        raise Unclear("who_list", what=what)
    try:
        return seen.the_units(names)
    except Unclear:
        if len(names) > 1 or len(some) < 2:
            raise
        with suppress(Unclear):  # "mira kai", each a name
            return seen.the_units(word.text for word in some)
        raise
