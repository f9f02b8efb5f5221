"""How much there may be of anything. What goes beyond is refused, with the number that would still be accepted.

A table is one value, sent whole to whoever joins; without an end to it one seat could make it too heavy for all.
"""

from core.draft import Draft

UNITS = 300
"""Units of a table, on stage and off; what clients are built for."""
COPIES = 100
"""Units that one command makes."""
EFFECTS = 1000
ASKS = 50
"""Rolls the STs have asked for and that are awaited."""
REQUESTS = 10
"""Of one seat, waiting for the ST's word; one of them to take back."""
TAKE_BACKS = 1
ORDERS = 50
"""Kinds of act a seat has a standing order for."""
NAME = 80
"""Characters of a name or another single line."""
TEXT = 2000


def refuse_beyond(d: Draft, what: str, there: int, most: int, more: int = 1) -> None:
    """`there` and `more` are `most` at most."""
    if there + more > most:
        raise d.refuse("too_many", what=what, most=most, accepted=max(0, most - there))


def is_line(text: object, most: int = NAME) -> bool:
    """One line of words that any screen can show: no control characters, no line ends."""
    return isinstance(text, str) and len(text) <= most and not any(c < " " or "\x7f" <= c <= "\x9f" for c in text)
