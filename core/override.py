"""The ST's hand on values and house rules (TBL-02): each is one change, checked for its kind, with old and new on record."""

from dataclasses import fields, replace
from typing import Any, get_args, get_type_hints

from core import bounds
from core import events as ev
from core.bounds import NUMBER_MAPS, NUMBERS, is_line, is_name, is_text, most_of, refuse_beyond
from core.commands import Adjust, Hold, SetHouse, SetValue
from core.draft import Draft
from core.editions import EDITIONS
from core.evolve import value_at
from core.state import House, Table, Unit
from core.tracks import can_be_called, follow

WORDS = frozenset({"name", "side", "position", "notes"})


# --------------------------------------------------------------------------------------------------------------- values
def whole_path(d: Draft, unit: Unit, path: str) -> str:
    """ "hp" is "tracks.hp.value"; the other paths stand as they are. Refuses what is no value of a unit."""
    first, *rest = path.split(".")
    if path in NUMBERS | WORDS or (first in NUMBER_MAPS and len(rest) == 1 and rest[0] and is_line(rest[0])):
        return path
    if first == "tracks" and len(rest) == 2 and rest[1] in ("value", "max") and can_be_called(rest[0]):
        return path
    if not rest and path in unit.tracks:
        return f"tracks.{path}.value"
    raise d.refuse("bad_value", path=path, accepted=sorted([*unit.tracks, *NUMBERS, *WORDS, *NUMBER_MAPS]))


def check_kind(d: Draft, path: str, value: Any) -> None:
    """Words for words, whole numbers for numbers; None only where an entry can be missing."""
    first = path.split(".")[0]
    if path in WORDS:
        fine = is_text(value) if path == "notes" else is_name(value) if path == "name" else is_line(value)
    else:
        missing = first in NUMBER_MAPS or path == "initiative" or path.endswith(".max")
        number = isinstance(value, int) and not isinstance(value, bool)
        fine = number or (value is None and missing)
        if number and abs(value) > (most := most_of(path)):
            raise d.refuse("bad_value", path=path, value=value, least=-most, most=most)
    if not fine:
        raise d.refuse("bad_value", path=path, value=value)


def set_value(d: Draft, c: SetValue) -> None:
    """`was` is what the sender saw: two edits of one value at once lose neither silently."""
    unit = d.known_unit(c.unit)
    path = whole_path(d, unit, c.path)
    check_kind(d, path, c.value)
    was = value_at(unit, path)
    if was != c.was:
        raise d.refuse("changed", path=path, value=was)
    if was == c.value:
        raise d.refuse("no_change")
    put_value(d, unit, path, c.value, was, c.reason)


def adjust(d: Draft, c: Adjust) -> None:
    """An amount, not a new total: two at once both count."""
    unit = d.known_unit(c.unit)
    path = whole_path(d, unit, c.path)
    was = value_at(unit, path)
    was = 0 if was is None and path.split(".")[0] in NUMBER_MAPS else was
    if not isinstance(was, int) or c.by == 0:
        raise d.refuse("bad_value", path=path, value=was, by=c.by)
    check_kind(d, path, was + c.by)
    put_value(d, unit, path, was + c.by, was, c.reason)


def put_value(d: Draft, unit: Unit, path: str, value: Any, was: Any, reason: str) -> None:
    kind, *name = path.split(".")
    if name and name[0] not in getattr(unit, kind):
        refuse_beyond(d, "entries", len(getattr(unit, kind)), bounds.ENTRIES)
    d.emit(ev.ValueSet(unit.id, path, value, was, reason))
    first, *rest = path.split(".")
    if first == "tracks" and rest[1] == "value":
        follow(d, unit.id, rest[0], was or 0, value)


# ---------------------------------------------------------------------------------------------------------- house rules
HOUSE_KINDS = get_type_hints(House)
SWITCHES = {
    name: get_args(kind) for name, kind in HOUSE_KINDS.items() if all(isinstance(a, str) for a in get_args(kind))
}
LEAST = {"stack_depth": 1}
MOST = {"stack_depth": bounds.STACK}


def set_house(d: Draft, c: SetHouse) -> None:
    """Typed and bounded; all players see it at once (TBL-01). An edition brings its rules along (TBL-05)."""
    if c.key not in HOUSE_KINDS:
        raise d.refuse("no_such_rule", key=c.key, accepted=[f.name for f in fields(House)])
    value: Any = tuple(c.value) if isinstance(c.value, list) else c.value
    problem = house_problem(c.key, value)
    if problem:
        raise d.refuse("bad_value", key=c.key, value=c.value, **problem)
    sets = {c.key: value, **(EDITIONS[value] if c.key == "edition" else {})}
    changes = {key: new for key, new in sets.items() if getattr(d.house, key) != new}
    if not changes:
        raise d.refuse("no_change")
    if "ruleset" in changes:
        refuse_amid_a_fight(d)
    for key, new in changes.items():
        d.emit(ev.HouseRuleSet(key, new, getattr(d.house, key)))


def refuse_amid_a_fight(d: Draft) -> None:
    """What has been spent, promised and asked by one game means nothing in another."""
    if d.play.fight is not None:
        raise d.refuse("already_fighting")
    if d.play.stack:
        raise d.refuse("window_open")


def house_problem(key: str, value: Any) -> dict[str, Any]:
    """What would be accepted, as a refusal says it; nothing when the value can stand."""
    if key == "no_window":
        fine = isinstance(value, tuple) and len(value) <= 50 and all(isinstance(w, str) and w for w in value)
        return {} if fine else {"wanted": "kinds_of_act"}
    if SWITCHES.get(key):
        return {} if value in SWITCHES[key] else {"accepted": list(SWITCHES[key])}
    if value is None and key == "free_action_cap":
        return {}
    least, most = LEAST.get(key, 0), MOST.get(key, 3_600_000)
    fine = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    return {} if fine else {"least": least, "most": most}


# ------------------------------------------------------------------------------------------------------ hold and release
def hold(d: Draft, c: Hold) -> None:
    """Every clock stops, nothing is carried out. Only with an ST to let it go on (L3)."""
    if d.play.held or (c.next and d.play.hold_next):
        raise d.refuse("no_change")
    if c.next:
        d.emit(ev.TableHeld(next=True))
        return
    d.emit(ev.TableHeld())
    move_clock(d, running=False)


def move_clock(d: Draft, *, running: bool) -> None:
    """The top window's clock stops with what was left, or runs on with it."""
    pending = d.top()
    clock = d.window_of(pending).clock if pending else None
    if pending is None or clock is None or clock.running == running:
        return
    floor, deadline = clock.floor, clock.deadline
    moved = replace(clock, running=True, floor=d.now + floor, deadline=d.now + deadline)
    if not running:
        moved = replace(clock, running=False, floor=max(0, floor - d.now), deadline=max(0, deadline - d.now))
    d.emit(ev.WindowClockSet(pending.window, moved))


def st_sits(d: Draft) -> bool:
    """An ST is at the table, or can come in."""
    return d.now < last_st_ends(d.table)


def last_st_ends(table: Table) -> float:
    """From when on no ST can come in any more (ms, as Seat.ends)."""
    return max((seat.ends for seat in table.seats.values() if seat.role == "st"), default=0)
