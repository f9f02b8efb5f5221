"""How much there may be of anything. What goes beyond is refused, with the number that would still be accepted.

A table is one value, sent whole to whoever joins; without an end to it one seat could make it too heavy for all.
"""

from core.draft import Draft
from core.letters import can_be_seen, odd_letter
from core.state import Unit

NUMBERS = frozenset({"base", "dodge", "parry", "speed", "initiative", "initiative_bonus", "takes_away", "absorbs"})
NUMBER_MAPS = frozenset({"attributes", "skills", "extras", "bonus"})
"""The values of a unit that are numbers, and those that are numbers by name."""
UNITS = 300
"""Units of a table, on stage and off; what clients are built for."""
COPIES = 100
"""Units that one command makes."""
EFFECTS = 300
"""Of what one seat's units have made: one on everybody; of secret ones, whoever's. So nobody can count what he does not see.
When 1000 end at once everybody waits for 25 ms, when 4000 do for 280."""
ASKS = 50
"""Rolls the STs have asked for and that are awaited."""
REQUESTS = 10
"""Of one seat, waiting for the ST's word; one of them to take back."""
TAKE_BACKS = 1
ORDERS = 50
"""Kinds of act a seat has a standing order for."""
READIED = 20
"""Readied actions of one unit."""
TASKS = 100
"""Of one seat's units, open ones; of those that are over the oldest go. Those that only the STs see count as theirs."""
CONDITIONS = 100
"""On one unit; of secret ones as many more."""
ENTRIES = 100
"""Attributes, Skills, tracks of one unit, of each kind."""
SEATS = 100
WORLDS = 100
KEY_POINTS = 1000
"""What scenes have been changed for."""
STACK = 50
"""Interrupts on each other, whatever the house says."""
VALUE = 1000
"""Of a unit's values but for its tracks: an Attribute, a Skill, its Defense; above it or below zero."""
TRACK = 1_000_000
"""Of a track, such as hp."""
LOAN_S = 30 * 24 * 3600
"""Seconds that a seat can be lent for; it is meant for an evening."""
PACE = 500
"""Percent of their usual length that windows may last for a seat's sake."""
NAME = 80
"""Characters of a name or another single line."""
TEXT = 2000


def refuse_beyond(d: Draft, what: str, there: int, most: int, more: int = 1) -> None:
    """`there` and `more` are `most` at most."""
    if there + more > most:
        raise d.refuse("too_many", what=what, most=most, accepted=max(0, most - there))


def most_of(path: str) -> int:
    """How far from 0 a unit's value at a path may lie."""
    return TRACK if path.split(".")[0] == "tracks" else VALUE


def refuse_odd_values(d: Draft, unit: Unit) -> None:
    """A unit comes with no value that nobody could give it afterwards."""
    values = {name: getattr(unit, name) for name in NUMBERS}
    values |= {f"{name}.{key}": n for name in NUMBER_MAPS for key, n in getattr(unit, name).items()}
    for name, track in unit.tracks.items():
        values |= {f"tracks.{name}.value": track.value, f"tracks.{name}.max": track.max}
    for path, value in values.items():
        if value is not None and abs(value) > (most := most_of(path)):
            raise d.refuse("bad_value", path=path, value=value, least=-most, most=most)


def is_line(text: object, most: int = NAME) -> bool:
    """One line of words that any screen can show (letters.py)."""
    return isinstance(text, str) and len(text) <= most and not odd_letter(text)


def is_name(text: object) -> bool:
    """A line in which something can be seen."""
    return isinstance(text, str) and is_line(text) and can_be_seen(text)


def is_text(text: object) -> bool:
    """Several lines of such words."""
    return isinstance(text, str) and len(text) <= TEXT and not odd_letter(text, lines=True)
