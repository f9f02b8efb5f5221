"""The cast: units prepared off stage, brought on singly or several of a kind, hidden, revealed, given away, removed."""

from dataclasses import replace
from itertools import count

from core import events as ev
from core.commands import AddUnit, BringOn, GiveUnit, Hide, RemoveUnit, Reveal, TakeOff
from core.draft import Draft
from core.ids import ST, UnitId
from core.order import join, leave, lift_veil
from core.state import Unit

RESERVED = frozenset(
    "name side owner position conditions spent readied base dodge parry attributes skills extras abilities bonus speed "
    "initiative left round immediates guard debts concentrating concentration hidden on_stage notes number secret".split()
)
"""Names a track cannot have: they name other things of a unit in what clients are sent."""


def add_unit(d: Draft, c: AddUnit) -> None:
    """Prepared off stage unless it says otherwise; its id and number come from the table."""
    bad = sorted(track for track in c.unit.tracks if track in RESERVED or "/" in track or "." in track)
    if bad or not c.unit.name.strip():
        raise d.refuse("bad_value", tracks=bad, name=c.unit.name)
    if c.owner is not None:
        _check_owner(d, c.owner)
    unit = replace(c.unit, id=UnitId(d.make()), number=d.table.numbers + 1)
    d.emit(ev.UnitAdded(unit))
    if c.owner is not None and c.owner != ST:
        d.emit(ev.OwnerSet(unit.id, c.owner))


def bring_on(d: Draft, c: BringOn) -> None:
    """On stage, and into a fight that is on. `copies`: that many numbered ones; the model stays off stage."""
    for id in c.units:
        unit = d.known_unit(id)
        if unit.on_stage and c.copies == 1:
            raise d.refuse("no_change", unit=unit.id)
        for _ in range(c.copies):
            enter(d, unit if c.copies == 1 else copy(d, unit), c)


def copy(d: Draft, unit: Unit) -> Unit:
    """The next of its kind: "Zombie 1", "Zombie 2", on from those that are there already."""
    taken = {u.name for u in d.play.units.values()}
    name = next(name for k in count(1) if (name := f"{unit.name} {k}") not in taken)
    made = replace(unit, id=UnitId(d.make()), name=name, number=d.table.numbers + 1, on_stage=False)
    d.emit(ev.UnitAdded(made))
    return made


def enter(d: Draft, unit: Unit, c: BringOn) -> None:
    d.emit(ev.UnitEntered(unit.id, unit.hidden if c.hidden is None else c.hidden))
    if c.join and d.play.fight is not None:
        join(d, d.play.units[unit.id])


def take_off(d: Draft, c: TakeOff) -> None:
    unit = d.known_unit(c.unit)
    if not unit.on_stage:
        raise d.refuse("no_change")
    leave(d, unit.id)
    d.emit(ev.UnitLeftStage(unit.id))


def remove_unit(d: Draft, c: RemoveUnit) -> None:
    """Gone from the table; the effects it started count on by its place (TIME-04), those on it are over."""
    unit = d.known_unit(c.unit)
    for effect in [e for e in d.play.effects.values() if e.on == unit.id]:
        d.emit(ev.EffectEnded(effect.id, effect.name, unit.id, effect.secret, "st"))
    for task in [t for t in d.play.tasks.values() if t.unit == unit.id]:
        d.emit(ev.TaskRemoved(task.id))
    leave(d, unit.id)
    for ask in [a for a in d.table.asks.values() if unit.id in a.units]:
        d.emit(ev.RollAnswered(ask.id, unit.id))
    d.emit(ev.UnitRemoved(unit.id, unit.name))


def give_unit(d: Draft, c: GiveUnit) -> None:
    unit = d.known_unit(c.unit)
    if c.to is not None:
        _check_owner(d, c.to)
    to = None if c.to == ST else c.to
    if d.table.owners.get(unit.id) == to:
        raise d.refuse("no_change")
    d.emit(ev.OwnerSet(unit.id, to))


def _check_owner(d: Draft, seat: str) -> None:
    known = seat == ST or (seat in d.table.seats and d.table.seats[seat].role == "player")  # type: ignore[index]
    if not known:
        raise d.refuse("unknown", id=seat)


def hide(d: Draft, c: Hide) -> None:
    """What it has declared has been seen: it goes on, without saying whose it is."""
    unit = d.known_unit(c.unit)
    if unit.hidden:
        raise d.refuse("no_change")
    d.emit(ev.UnitHidden(unit.id))
    for pending in d.play.pendings.values():
        if pending.actor == unit.id and not pending.noticed:
            d.emit(ev.PendingEdited(replace(pending, noticed=True)))


def reveal(d: Draft, c: Reveal) -> None:
    """Whoever may see it now gets it in one change (TBL-04)."""
    unit = d.known_unit(c.unit)
    if not unit.hidden:
        raise d.refuse("no_change")
    d.emit(ev.UnitRevealed(unit.id))
    if d.play.fight is not None:
        lift_veil(d, unit.id)
