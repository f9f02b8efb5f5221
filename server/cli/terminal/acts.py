"""Acts in words: "attack zombie with sword", "move 8 to door", "step aside leaves" -> who does what, by which command.

Pure. What an act costs and whether it may be done is the server's to say; here only the likely way to say it is chosen.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from core.state import ATTACKS, Slot
from server.cli.terminal.seen import Seen, pick
from server.cli.terminal.split import Word, joined, listed, options, parts, whole_number
from server.cli.terminal.unclear import Unclear

SLOTS = get_args(Slot)
KEYWORDS = ("with", "at", "on", "against", "to")
OPTIONS = ("slot", "pay", "mod", "text", "distance", "position", "kind", "counters")
FLAGS = ("leaves", "noticed")
SPLIT = ("split", "分")
ATTACHED = ("attaching", "attach", "附加")
NOTHING = ("-", "none", "无")
"""What stands for a step of a Technique that nothing is attached to."""
Fields = dict[str, Any]
Way = Literal["declare", "react"]


@dataclass(slots=True)
class Phrase:
    """An act as it was written: names not looked up yet."""

    kind: str
    ability: list[Word] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    counters: str | None = None
    more: Fields = field(default_factory=dict)
    slot: str = ""
    noticed: bool = False
    improvised: bool = False
    split: list[str] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)


def phrase(kind: str, some: list[Word]) -> Phrase:
    """What stands behind "attack", "move", "use", "counter", "drop prone" or "act"."""
    rest, given = options(_signed(some), OPTIONS)
    cut = parts(rest, (*SPLIT, *ATTACHED)) if kind != "act" else {"": rest}
    rest = cut.pop("")
    shares, attached = ([e for key in keys for e in listed(cut.get(key, []))] for keys in (SPLIT, ATTACHED))
    flags = {w.text.casefold() for w in rest if not w.fixed and w.text.casefold() in FLAGS}
    rest = [w for w in rest if w.fixed or w.text.casefold() not in FLAGS]
    made = Phrase(given.get("kind", kind), slot=given.get("slot", ""), noticed="noticed" in flags, split=shares)
    made.attached = attached
    if made.slot and made.slot not in SLOTS:
        raise Unclear("no_slot", said=made.slot, there=SLOTS)
    if kind == "act":
        made.kind = given.get("kind", "use")
        made.more["text"] = joined(rest)
        made.improvised = True
        rest = []
    found = parts(rest, KEYWORDS)
    head, aimed = found[""], [w for key in ("at", "on", "against") for w in found.get(key, [])]
    made.ability = found.get("with", [])
    if kind == "attack":
        made.targets = listed(head) + listed(aimed)
    elif kind == "move":
        _movement(made, head + found.pop("to", []))
        made.targets = listed(aimed)
    elif kind == "counter":
        made.kind, made.counters = "use", joined(head)
    elif kind != "act":
        made.ability = made.ability or head
        made.targets = listed(aimed)
    if place := joined(found.get("to", [])):
        made.more["position"] = place
    _written_out(made, given)
    if "leaves" in flags:
        made.more["leaves"] = True
    return made


def _signed(some: list[Word]) -> list[Word]:
    """ "pay standard", "slot move" are "pay=standard", "slot=move"."""
    found: list[Word] = []
    for word in some:
        before = found[-1] if found and not found[-1].fixed else None
        if before and before.text.casefold() in ("pay", "slot") and word.text.casefold() in SLOTS and not word.fixed:
            found[-1] = Word(f"{before.text}={word.text}")
        else:
            found.append(word)
    return found


def _movement(made: Phrase, some: list[Word]) -> None:
    """A distance, a place, or both: "8", "8 m to door", "door"."""
    if some and not some[0].fixed and some[0].text[:1].isdigit():
        made.more["distance"] = whole_number(some.pop(0).text, "distance")
        if some and some[0].text.casefold() in ("m", "metres", "meters", "米"):
            some.pop(0)
    if some and some[0].text.casefold() == "to":
        some.pop(0)
    if place := joined(some):
        made.more["position"] = place


def _written_out(made: Phrase, given: Mapping[str, str]) -> None:
    if "pay" in given:
        made.more["pay"] = given["pay"]
    if "mod" in given:
        made.more["modifier"] = whole_number(given["mod"], "mod")
    if "distance" in given:
        made.more["distance"] = whole_number(given["distance"], "distance")
    for name in ("text", "position"):
        if name in given:
            made.more[name] = given[name]
    made.counters = given.get("counters", made.counters)


# -------------------------------------------------------------------------------------------------------- who, with what
def abilities(seen: Seen, unit: str) -> dict[str, Mapping[str, Any]]:
    return dict(seen.unit(unit, "abilities", {}))


def slots(ability: Mapping[str, Any] | None) -> tuple[str, ...]:
    return tuple(ability.get("slots", ("standard",))) if ability is not None else ()


def candidates(seen: Seen, unit: str, made: Phrase, way: Way | None) -> list[str]:
    """The abilities of a unit that an act of this kind could be done with, by its words or its kind."""
    own = abilities(seen, unit)
    if made.improvised:
        return []
    if made.ability:
        try:
            return [pick(joined(made.ability), {name: name for name in own}, "ability")]
        except Unclear as problem:
            if problem.key == "could_be":
                raise
            return []
    fitting = ATTACKS if made.kind == "attack" else {made.kind} if made.counters is None else set()
    own = {name: one for name, one in own.items() if slots(one) and not one.get("attaches")}
    found = [name for name, one in own.items() if one.get("act", "use") in fitting]
    if made.counters is not None:
        found = [name for name, one in own.items() if one.get("counters")]
    wanted = [n for n in found if way is None or (seen.answer_slot in slots(own[n])) == (way == "react")]
    return wanted or found


def who(seen: Seen, made: Phrase, way: Way | None) -> tuple[str, str]:
    """The unit that acts and its ability ("" for none). Raises Unclear with what to add."""
    units = [seen.actor] if seen.actor else [u for u in seen.mine if seen.unit(u, "on_stage", True)]
    if not units:
        raise Unclear("no_unit_on_stage")
    made = with_bare_target(seen, made, units)
    by_unit = {unit: candidates(seen, unit, made, way) for unit in units}
    if made.ability or made.counters is not None or made.kind == "attack":
        able = [unit for unit in units if by_unit[unit]]
        if made.ability and not able:
            raise no_ability(seen, units, joined(made.ability))
        units = able or units
    unit = _one_of(seen, units, way)
    # A move needs no ability; one that is only there to interrupt is not meant by it.
    fitting = [] if made.kind == "move" and not made.ability and way != "react" else by_unit[unit]
    if len(fitting) > 1:
        raise Unclear("with_what", unit=seen.name(unit), there=fitting, first=fitting[0])
    return unit, fitting[0] if fitting else ""


def with_bare_target(seen: Seen, made: Phrase, units: list[str]) -> Phrase:
    """ "dispel zombie" is "dispel" on "zombie", where an ability has that very name."""
    own = {name.casefold(): one for unit in units for name, one in abilities(seen, unit).items()}
    if made.targets or made.counters is not None or joined(made.ability).casefold() in own:
        return made
    for k in range(len(made.ability) - 1, 0, -1):
        ability = own.get(joined(made.ability[:k]).casefold())
        if ability is not None:
            rest, made.ability = made.ability[k:], made.ability[:k]
            if ability.get("counters"):
                made.counters = joined(rest)
            else:
                made.targets = listed(rest)
            break
    return made


def _one_of(seen: Seen, units: list[str], way: Way | None) -> str:
    if len(units) == 1:
        return units[0]
    top = seen.top
    if top is None and way != "react" and seen.active in units:
        return str(seen.active)
    if top is not None:
        aimed = [u for u in units if u in (seen.of("k", top, "targets") or ())]
        others = [u for u in units if u != seen.of("k", top, "actor")]
        for some in (aimed, others):
            if len(some) == 1:
                return some[0]
    units = sorted(units, key=seen.name)
    names = [seen.name(unit) for unit in units]
    raise Unclear("who", first=names[0], there=names)


def no_ability(seen: Seen, units: Iterable[str], text: str) -> Unclear:
    own = {seen.name(unit): list(abilities(seen, unit)) for unit in units}
    have = [Unclear("has" if some else "has_none", unit=name, there=some) for name, some in own.items()]
    return Unclear("no_ability", said=text, have=have)


# ------------------------------------------------------------------------------------------------------- the whole act
def targets(seen: Seen, made: Phrase) -> list[str]:
    return seen.the_units(made.targets)


def split(seen: Seen, shares: list[str], aimed: list[str], own: Iterable[str]) -> list[Fields]:
    """Attacks one by one: "2/2/1" on the only target, or "A 4, B with axe 3, B with sword 1"."""
    if len(shares) == 1 and "/" in shares[0] and len(aimed) == 1:
        return [{"target": aimed[0], "extra": whole_number(one, "share")} for one in shares[0].split("/")]
    found = []
    for share in shares:
        whole_name = share.strip().casefold() in {name.casefold() for name in seen.names}  # "Zombie 2"
        number = "()" if whole_name else r"(?:(?:^|\s+)(\d+))?"
        match = re.fullmatch(r"(.*?)(?:\bwith\s+(.+?))?" + number, share.strip())
        if match is None or "/" in share or not (match[1].strip() or len(aimed) == 1):
            raise Unclear("split_how")
        one: Fields = {"target": seen.the_unit(match[1].strip()) if match[1].strip() else aimed[0]}
        if match[2]:
            one["weapon"] = pick(match[2], {name: name for name in own}, "ability")
        found.append({**one, "extra": int(match[3])} if match[3] else one)
    return found


def act(seen: Seen, made: Phrase, unit: str, ability: str, slot: str) -> Fields:
    """The act as the wire has it."""
    own = abilities(seen, unit).get(ability)
    kind = own.get("act", "use") if own is not None else made.kind
    found: Fields = {"kind": kind, "slot": slot, **made.more}
    if ability:
        found["ability"] = ability
    if aimed := targets(seen, made):
        found["targets"] = aimed
    if made.split:
        found["split"] = split(seen, made.split, aimed, abilities(seen, unit))
    if own is not None and own.get("steps"):
        found |= steps(seen, made, unit, own["steps"], aimed)
    elif made.attached:
        found["attached"] = the_attached(seen, unit, made.attached)
    if made.counters is not None:
        found["counters"] = seen.the_pending(made.counters)
    return found


def the_attached(seen: Seen, unit: str, names: Iterable[str]) -> list[str]:
    own = {name: name for name, one in abilities(seen, unit).items() if one.get("attaches")}
    return [pick(name, own, "attachable") for name in names if name not in NOTHING]


def steps(seen: Seen, made: Phrase, unit: str, names: list[str], aimed: list[str]) -> Fields:
    """What is said of a Technique's steps: what is attached to each in turn; one target for each that aims, if so many."""
    own = abilities(seen, unit)
    aiming = [
        k for k, n in enumerate(names) if own.get(n, {}).get("act") in ATTACKS or own.get(n, {}).get("needs_target")
    ]
    if len(made.attached) > len(names):
        raise Unclear("too_many_attached", n=len(names), there=names)
    said: list[Fields] = [{"attached": the_attached(seen, unit, [one])} for one in made.attached]
    if len(aimed) == len(aiming) > 1:
        said += [{} for _ in names[len(said) :]]
        for k, target in zip(aiming, aimed, strict=True):
            said[k]["targets"] = [target]
    return {"steps": [{key: value for key, value in one.items() if value} for one in said]} if said else {}


def declaration(seen: Seen, made: Phrase, way: Way | None = None) -> Fields:
    """`declare` or `react`, whichever fits the moment; `way` insists on one."""
    if way is None and (made.kind == "drop_prone" or made.slot == seen.answer_slot):
        way = "react"
    unit, ability = who(seen, made, way or ("react" if seen.top else None))
    own = abilities(seen, unit).get(ability)
    quick = seen.answer_slot in slots(own)
    usual = usual_slots(seen, own)
    if way is None:
        waiting = seen.top is not None or (bool(seen.state.get("t/fight")) and seen.active != unit)
        way = "react" if quick and (waiting or not usual) and not made.slot else "declare"
    needs = own is not None and (own.get("act") in ATTACKS or own.get("needs_target"))
    if (made.kind in ATTACKS or needs) and not made.targets and not (way == "react" and seen.top):
        raise Unclear("at_whom")
    if way == "react":
        found: Fields = {"kind": "react", "unit": unit, "act": act(seen, made, unit, ability, seen.answer_slot)}
        if window := answered(seen, own):
            found["window"] = window
    else:
        slot = made.slot or (usual[0] if usual else default_slot(seen, made.kind))
        found = {"kind": "declare", "unit": unit, "act": act(seen, made, unit, ability, slot)}
    if made.noticed:
        found["noticed"] = True
    return found


def usual_slots(seen: Seen, ability: Mapping[str, Any] | None) -> list[str]:
    """What it can be done with on one's own action, in the game that is played."""
    return [slot for slot in slots(ability) if slot != seen.answer_slot and slot in seen.slots]


def default_slot(seen: Seen, kind: str) -> str:
    usual = seen.slots[0]
    slot = {"move": "move", "speak": "free"}.get(kind, usual)
    return slot if slot in seen.slots else usual


def fits(ability: Mapping[str, Any] | None, kind: str) -> bool:
    """Whether an ability is there to answer an act of this kind: no names are all attacks, "attack" is any."""
    named = (ability or {}).get("answers") or ("attack",)
    return "*" in named or kind in named or (kind in ATTACKS and "attack" in named)


def answered(seen: Seen, ability: Mapping[str, Any] | None) -> str | None:
    """The window an answer names: of the latest act done that the ability is there for, else the top one."""
    done = [p for p in reversed(seen.stack) if seen.of("k", p, "state") == "done"]
    fitting = (p for p in done if fits(ability, str(seen.of("k", p, "kind", ""))))
    pending = next(fitting, seen.top)
    return seen.of("k", pending, "window") if pending else None


def held_back(seen: Seen, made: Phrase) -> tuple[str, Fields]:
    """The act of a readied action: its unit, and the act with a slot that can be readied."""
    unit, ability = who(seen, made, "declare")
    usual = usual_slots(seen, abilities(seen, unit).get(ability))
    return unit, act(seen, made, unit, ability, made.slot or (usual[0] if usual else default_slot(seen, made.kind)))


def inserted(seen: Seen, made: Phrase) -> Fields:
    """The ST lets a unit act on top, free of cost and rules."""
    unit, ability = who(seen, made, None)
    own = slots(abilities(seen, unit).get(ability))
    found = {"kind": "insert", "unit": unit, "act": act(seen, made, unit, ability, made.slot or (*own, "free")[0])}
    return {**found, "noticed": True} if made.noticed else found
