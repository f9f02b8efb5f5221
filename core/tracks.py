"""Tracks such as hp going up and down, and what follows at 0: the unit is out, unless the ST says otherwise."""

from core import events as ev
from core.ability import LIFELESS, OUT
from core.bounds import is_line
from core.draft import Draft
from core.effects import apply, lift
from core.ids import UnitId
from core.state import Applied

LIFE = "hp"
"""The track at whose 0 a unit is out."""
RESERVED = frozenset(
    "name side owner position conditions spent readied base dodge parry attributes skills extras abilities bonus speed "
    "initiative initiative_bonus left round immediates guard debts concentrating concentration hidden on_stage notes "
    "number secret".split()
)
"""Names a track cannot have: they name other things of a unit in what clients are sent."""


def can_be_called(track: str) -> bool:
    """Whether a track can have this name: it is part of a path, here and in what clients are sent."""
    return bool(track) and is_line(track) and track not in RESERVED and "/" not in track and "." not in track


def hurt(d: Draft, unit: UnitId, track: str, amount: int, by: UnitId | None) -> None:
    """Damage lands on the track (each success of an attack is 1 damage); a unit without that track takes none.

    What the unit absorbs is soaked up first; it was hit all the same (XS-08).
    """
    found = d.play.units[unit].tracks.get(track)
    amount -= d.play.units[unit].absorbs
    if found is None or amount <= 0:
        return
    value = max(0, found.value - amount)
    d.emit(ev.DamageDealt(unit, track, amount, value, found.value, by))
    follow(d, unit, track, found.value, value)


def follow(d: Draft, unit: UnitId, track: str, was: int, value: int) -> None:
    """What a changed track brings with it: at 0 the unit is out, above it no longer."""
    conditions = d.play.units[unit].conditions
    if track != LIFE:
        return
    if was > 0 >= value and all(conditions.get(word, True) for word in LIFELESS):  # as far as all can see
        apply(d, Applied(OUT), by=unit, on=unit)
    elif value > 0 >= was and OUT in conditions:
        lift(d, unit, OUT)
