"""Words: speech at any moment (ACT-04), whispers to and from the ST, narration, notes."""

from core import events as ev
from core.commands import Narrate, Say, SetNotes, Whisper
from core.draft import Draft
from core.ids import ST


def say(d: Draft, c: Say) -> None:
    """Everybody hears it; a unit that nobody may know of does not speak aloud."""
    unit = d.own_unit(c.unit) if c.unit is not None else None
    if unit is not None and (unit.hidden or not unit.on_stage):
        raise d.refuse("off_stage", unit=unit.id)
    d.emit(ev.Said(d.by.seat, c.text, unit.id if unit else None))


def whisper(d: Draft, c: Whisper) -> None:
    """A player to the ST; the ST to one seat."""
    to = c.to if c.to is not None else ST
    if not d.is_st and to != ST:
        raise d.refuse("forbidden", to=to)
    if d.is_st and (to not in d.table.seats or d.table.seats[to].role != "player"):
        raise d.refuse("unknown", id=to)
    d.emit(ev.Whispered(d.by.seat, to, c.text))


def narrate(d: Draft, c: Narrate) -> None:
    d.emit(ev.Narrated(c.text))


def set_notes(d: Draft, c: SetNotes) -> None:
    was = d.table.notes if c.unit is None else d.known_unit(c.unit).notes
    if was == c.text:
        raise d.refuse("no_change")
    d.emit(ev.NotesSet(c.text, c.unit))
