"""The audit log: who has changed what about a table's seats, invitations, roles and house rules, or has exported it.

It is a reading of the table's log, which no rewind takes anything from; no token is in it. A page is of the log in the
store, and its answer says from where on that is kept; what is older lies in archives, which the operator's command reads.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core import events as ev
from core.commands import By
from core.diff import spoken_by
from core.ids import ST, SeatId
from protocol import lines
from server import history
from server.store.redis import RedisStore
from server.store.values import Entry

AT_ONCE = 500
MOST_READ = 5000
"""Changes read from the store at once, and for one page."""


def _seconds(at: int, until: int | None) -> int | None:
    return None if until is None else max(1, round((until - at) / 1000))


AUDITED: Mapping[str, tuple[str, Callable[[Any, int], tuple[Any, ...]]]] = {
    kind.__name__: (line, fields)
    for kind, line, fields in (
        (ev.TableMade, "table_made", lambda e, at: (e.name,)),
        (ev.TableBrought, "table_brought", lambda e, at: (e.name,)),
        (ev.SeatAdded, "seat_added", lambda e, at: (e.seat.id, e.seat.name, e.seat.role)),
        (ev.SeatRemoved, "seat_removed", lambda e, at: (e.name,)),
        (ev.InvitationRenewed, "invitation_renewed", lambda e, at: (e.seat, _seconds(at, e.until))),
        (ev.InvitationRevoked, "invitation_revoked", lambda e, at: (e.seat,)),
        (ev.RoleSet, "role_set", lambda e, at: (e.seat, None, e.role, e.was)),
        (ev.SeatLent, "seat_lent", lambda e, at: (e.seat, e.loan.to, _seconds(at, e.loan.until))),
        (ev.LoanEnded, "loan_ended", lambda e, at: (e.seat, e.to)),
        (ev.HouseRuleSet, "house_set", lambda e, at: (e.key, e.value, e.was)),
        (ev.KeepingNoted, "keeping_noted", lambda e, at: (e.what, e.text or None)),
    )
}
"""What is audited, as lines of the log. The name of a seat whose role was set is put in by who knows it."""
MARKS = tuple(name.encode() for name in AUDITED)


@dataclass(slots=True)
class Audit:
    """Reads entries, in any order of pieces; `names` are those of all seats that were met, by id."""

    created: int
    names: dict[str, str]

    def lines(self, entry: Entry) -> list[list[Any]]:
        """The packed lines of a change that are audited."""
        if not any(mark in entry.entry for mark in MARKS):  # most are not: a fight is long
            return []
        record = history.read(entry.entry)
        return list(self._lines(record))

    def _lines(self, record: history.Record) -> Iterator[list[Any]]:
        at_s = max(0, record.at - self.created) // 1000
        by = spoken_by(record.by or By(SeatId(""), "st"), ST, "")
        for event in record.events:
            if isinstance(event, ev.SeatAdded):
                self.names[event.seat.id] = event.seat.name
            if found := AUDITED.get(type(event).__name__):
                kind, fields = found
                told = list(fields(event, record.at))
                if isinstance(event, ev.RoleSet):
                    told[1] = self.names.get(event.seat, "")
                yield lines.pack(kind, at_s, by, told)


async def page(
    store: RedisStore, table: str, audit: Audit, before: int, limit: int
) -> tuple[list[tuple[int, list[list[Any]]]], int]:
    """The newest `limit` changes before a version, oldest first; and before which version to go on (1: none are stored)."""
    found: list[tuple[int, list[list[Any]]]] = []
    last = before - 1
    while last >= 1 and len(found) < limit and before - 1 - last < MOST_READ:
        entries = await store.entries(table, max(0, last - AT_ONCE), last)
        for entry in reversed(entries):
            last = entry.version - 1
            if told := audit.lines(entry):
                found.append((entry.version, told))
            if len(found) == limit:
                break
        if not entries:  # what was before is archived
            return found[::-1], 1
    return found[::-1], last + 1
