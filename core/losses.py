"""What the store had confirmed and then lost. Nothing brings it back; the STs are told what it was."""

from core import events as ev
from core.commands import NoteKeeping, ReportLoss
from core.draft import Draft


def note_keeping(d: Draft, c: NoteKeeping) -> None:
    d.emit(ev.KeepingNoted(c.what, c.text))


def report_loss(d: Draft, c: ReportLoss) -> None:
    if c.seat is not None and c.seat not in d.table.seats:
        raise d.refuse("unknown", id=c.seat)
    d.emit(ev.HistoryLost(c.seat, c.first, c.last, c.commands))
