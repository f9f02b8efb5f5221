"""Earth's calendar in whole numbers: days counted from 1 January of the year 1, with no last year."""

import datetime

DAY_S = 86400
CYCLE = 400
"""Years after which the calendar repeats, to the day of the week."""
CYCLE_DAYS = 146_097


def add_months(day: int, months: int) -> int:
    """The same day so many months later; a day that the month lacks becomes its last one (TIME-01)."""
    cycles, rest = divmod(day, CYCLE_DAYS)
    date = datetime.date.fromordinal(rest + 1)
    years, month = divmod(date.month - 1 + months, 12)
    more, year = divmod(date.year + years - 1, CYCLE)
    first = datetime.date(year + 1, month + 1, 1)
    last = (first.replace(day=28) + datetime.timedelta(days=4)).replace(day=1) - datetime.timedelta(days=1)
    return (cycles + more) * CYCLE_DAYS + first.toordinal() - 1 + min(date.day, last.day) - 1


def day_of(text: str) -> int:
    """ "2026-01-31" as a day. Raises ValueError."""
    return datetime.date.fromisoformat(text).toordinal() - 1
