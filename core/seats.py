"""Seats come and go, what they wish for, and what they ask of the ST."""

from core import bounds
from core import events as ev
from core.bounds import refuse_beyond
from core.commands import (
    AddSeat,
    AnswerRequest,
    AskLeave,
    AskTakeBack,
    GiveTime,
    ObjectToRule,
    RemoveSeat,
    SetDefaultGuard,
    SetStandingOrder,
)
from core.draft import Draft
from core.ids import RequestId
from core.override import HOUSE_KINDS, move_clock, st_sits
from core.state import Objection, Request, Seat


def add_seat(d: Draft, c: AddSeat) -> None:
    """In mid-fight too: its units can act at once."""
    if c.seat in d.table.seats or any(s.name == c.name for s in d.table.seats.values()):
        raise d.refuse("in_use", name=c.name)
    refuse_beyond(d, "seats", len(d.table.seats), bounds.SEATS)
    d.emit(ev.SeatAdded(Seat(c.seat, c.name, c.role)))
    for id in c.units:
        d.emit(ev.OwnerSet(d.known_unit(id).id, c.seat))


def remove_seat(d: Draft, c: RemoveSeat) -> None:
    """The ST runs its units from now on. With the last ST a hold is lifted: nobody else could (L3)."""
    seat = d.table.seats.get(c.seat)
    if seat is None:
        raise d.refuse("unknown", id=c.seat)
    for unit in [u for u, s in d.table.owners.items() if s == c.seat]:
        d.emit(ev.OwnerSet(unit, None))
    d.emit(ev.SeatRemoved(seat.id, seat.name))
    if (d.play.held or d.play.hold_next) and not st_sits(d):
        d.emit(ev.TableReleased())
        move_clock(d, running=True)


# --------------------------------------------------------------------------------------------------------- its wishes
def set_standing_order(d: Draft, c: SetStandingOrder) -> None:
    known = d.table.orders.get(d.by.seat)
    if known is not None and known.kinds.get(c.act) == c.order:
        raise d.refuse("no_change")
    if known is not None and c.act not in known.kinds:
        refuse_beyond(d, "orders", len(known.kinds), bounds.ORDERS)
    d.emit(ev.StandingOrderSet(d.by.seat, c.act, c.order))


def set_default_guard(d: Draft, c: SetDefaultGuard) -> None:
    known = d.table.orders.get(d.by.seat)
    if (known.guard if known else 0) == c.n:
        raise d.refuse("no_change")
    d.emit(ev.DefaultGuardSet(d.by.seat, c.n))


# ----------------------------------------------------------------------------------------------------------- more time
def give_time(d: Draft, c: GiveTime) -> None:
    """The STs alone know whom it is for. It stays when the seat goes, until an ST takes it back: or its end would tell."""
    seat = d.table.seats.get(c.seat)
    given = d.table.paces.get(c.seat, 100)
    if seat is None and given == 100:
        raise d.refuse("unknown", id=c.seat)
    if not 100 <= c.percent <= bounds.PACE:
        raise d.refuse("bad_value", percent=c.percent, least=100, most=bounds.PACE)
    if c.percent == given:
        raise d.refuse("no_change")
    d.emit(ev.TimeGiven(c.seat, seat.name if seat else "", c.percent))


# ------------------------------------------------------------------------------------------------------------- requests
def ask_take_back(d: Draft, c: AskTakeBack) -> None:
    version = d.table.last_acts.get(d.by.seat)
    if version is None:
        raise d.refuse("nothing_to_undo")
    refuse_more_requests(d, "take_back")
    d.emit(ev.RequestMade(Request(RequestId(d.make()), d.by.seat, "take_back", c.text, to=version - 1)))


def refuse_more_requests(d: Draft, kind: str) -> None:
    """A seat waits for a few answers at a time, and for one about a take-back."""
    waiting = [request.kind for request in d.table.requests.values() if request.seat == d.by.seat]
    if kind == "take_back":
        refuse_beyond(d, "take_backs", waiting.count("take_back"), bounds.TAKE_BACKS)
    refuse_beyond(d, "requests", len(waiting), bounds.REQUESTS)


def ask_leave(d: Draft, c: AskLeave, code: str, st: str = "") -> None:
    """`code`: why the command is refused as things are; `st`: the true reason, where the sender may not know it."""
    refuse_more_requests(d, "allow")
    d.emit(ev.RequestMade(Request(RequestId(d.make()), d.by.seat, "allow", c.text, wire=c.wire, code=code, st=st)))


def object_to_rule(d: Draft, c: ObjectToRule) -> None:
    """Every seat may object to every house rule, as it stands (TBL-01)."""
    if c.key not in HOUSE_KINDS:
        raise d.refuse("no_such_rule", key=c.key, accepted=list(HOUSE_KINDS))
    value = getattr(d.house, c.key)
    value = list(value) if isinstance(value, tuple) else value
    objection = Objection(d.by.seat, d.table.seats[d.by.seat].name, c.key, value, c.text)
    if objection in d.table.objections.values():
        raise d.refuse("no_change")
    d.emit(ev.RuleObjected(objection))


def take_request(d: Draft, c: AnswerRequest) -> Request:
    request = d.table.requests.get(c.request)
    if request is None:
        raise d.refuse("unknown", id=c.request)
    d.emit(ev.RequestAnswered(request.id, request.seat, c.yes, c.text))
    return request
