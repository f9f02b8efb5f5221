"""The cast: units prepared off stage, brought on singly or several of a kind, hidden, revealed, given away, removed."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice

from core import bounds
from core import events as ev
from core.bounds import is_name, refuse_beyond, refuse_odd_values
from core.commands import AddUnit, BringOn, GiveUnit, Hide, RemoveUnit, Reveal, SetUp, TakeOff
from core.draft import Draft, sees
from core.ids import ALL, ST, UnitId
from core.order import join, leave, lift_veil, roll_initiative
from core.state import Prepared, Unit
from core.tracks import can_be_called


def add_unit(d: Draft, c: AddUnit) -> None:
    """Prepared off stage unless it says otherwise; its id and number come from the table."""
    bad = sorted(track for track in c.unit.tracks if not can_be_called(track))
    if bad or not is_name(c.unit.name):
        raise d.refuse("bad_value", tracks=bad, name=c.unit.name)
    refuse_odd_values(d, c.unit)
    refuse_beyond(d, "units", len(d.play.units), bounds.UNITS)
    if c.owner is not None:
        _check_owner(d, c.owner)
    unit = replace(c.unit, id=UnitId(d.make()), number=d.table.numbers + 1)
    d.emit(ev.UnitAdded(unit))
    if c.owner is not None and c.owner != ST:
        d.emit(ev.OwnerSet(unit.id, c.owner))


def bring_on(d: Draft, c: BringOn) -> None:
    """On stage, and into a fight that is on. `copies`: that many numbered ones; the model stays off stage."""
    units = d.known_units(c.units)
    if c.copies > 1:
        refuse_beyond(d, "copies", 0, bounds.COPIES, c.copies * len(units))
        refuse_beyond(d, "units", len(d.play.units), bounds.UNITS, c.copies * len(units))
    for unit in units:
        if c.copies > 1:
            bring_copies(d, unit, c)
        elif unit.on_stage:
            raise d.refuse("no_change", unit=unit.id)
        else:
            enter(d, unit, c)


def bring_copies(d: Draft, model: Unit, c: BringOn) -> None:
    for name in numbered(d, model, model.hidden if c.hidden is None else c.hidden, c.copies):
        made = replace(model, id=UnitId(d.make()), name=name, number=d.table.numbers + 1, on_stage=False)
        d.emit(ev.UnitAdded(made))
        enter(d, made, c)
        model = same_initiative(d, model, made) if c.one_initiative else model


def set_up(d: Draft, c: SetUp) -> None:
    """A prepared encounter in one change: nobody sees half of it, and one rewind takes it back."""
    if not c.units or any(one.count < 1 for one in c.units):
        raise d.refuse("bad_value", wanted="one_unit")
    refuse_beyond(d, "copies", 0, bounds.COPIES, sum(one.count for one in c.units))
    for prepared in c.units:
        set_up_kind(d, prepared, c)


def set_up_kind(d: Draft, prepared: Prepared, c: SetUp) -> None:
    hidden = prepared.unit.hidden if c.hidden is None else c.hidden
    seen = not hidden and (c.on or prepared.unit.on_stage)
    model = replace(prepared.unit, hidden=hidden, on_stage=prepared.unit.on_stage and not c.on)
    several = prepared.count > 1
    for name in numbered(d, model, not seen, prepared.count) if several else (model.name,):
        add_unit(d, AddUnit(replace(model, name=name), prepared.owner))
        made = d.play.units[UnitId(d.made[-1])]
        if c.on:
            enter(d, made, c)
        model = same_initiative(d, model, made) if prepared.one_initiative else model


def numbered(d: Draft, model: Unit, unseen: bool, number: int) -> Iterator[str]:
    """The next of their kind: "Zombie 1", "Zombie 2", on from those that are there already.

    Those that players see count on from what players see: a gap would tell of hidden ones, which make room (TBL-04).
    """
    taken = {u.name for u in d.play.units.values() if unseen or sees(d.table, ALL, u)}
    free = (name for k in count(1) if (name := f"{model.name} {k}") not in taken)
    for name in islice(free, number):
        make_room(d, model, name)
        yield name


def make_room(d: Draft, model: Unit, name: str) -> None:
    """Whoever has the name, unseen, takes another number."""
    names = {unit.name: unit.id for unit in d.play.units.values()}
    if name in names:
        other = next(n for k in count(1) if (n := f"{model.name} {k}") not in names)
        d.emit(ev.ValueSet(names[name], "name", other, name))


def same_initiative(d: Draft, model: Unit, first: Unit) -> Unit:
    """The model for the others of its kind: what the first has rolled is theirs too."""
    roll_initiative(d, d.play.units[first.id])
    return replace(model, initiative=d.play.units[first.id].initiative)


def enter(d: Draft, unit: Unit, c: BringOn | SetUp) -> None:
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
    for task in [t for t in d.play.tasks.values() if unit.id in (t.unit, t.opposes)]:
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
