"""Seats come and go, who may sit there and in what role, what they wish for, and what they ask of the ST."""

import math
from collections.abc import Iterator

from core import bounds
from core import events as ev
from core.bounds import refuse_beyond
from core.commands import (
    AddSeat,
    AnswerRequest,
    AskLeave,
    AskTakeBack,
    GiveTime,
    LendSeat,
    ObjectToRule,
    RemoveSeat,
    RenewInvitation,
    RevokeInvitation,
    SetDefaultGuard,
    SetRole,
    SetStandingOrder,
    TakeBackSeat,
)
from core.draft import Draft
from core.events import Event
from core.ids import ALL, OPERATOR, ST, KeyId, RequestId, SeatId
from core.override import HOUSE_KINDS
from core.state import Loan, Objection, Request, Seat, Table


def add_seat(d: Draft, c: AddSeat) -> None:
    """In mid-fight too: its units can act at once."""
    refuse_odd_name(d, c.name)
    # Whoever types a name does not mind its case; and "st" and "all" name whose log is meant beside the seats (--for, --as).
    names = {s.name.casefold() for s in d.table.seats.values()} | {ST, ALL}
    if c.seat in d.table.seats or c.name.casefold() in names:
        raise d.refuse("in_use", name=c.name)
    if c.units and c.role != "player":
        raise d.refuse("bad_value", units=list(c.units))
    refuse_beyond(d, "seats", len(d.table.seats), bounds.SEATS)
    seat = c.seat or SeatId(d.make())
    d.emit(ev.SeatAdded(Seat(seat, c.name, c.role, until=until(d, c.lasts_s))))
    for id in c.units:
        d.emit(ev.OwnerSet(d.known_unit(id).id, seat))


def remove_seat(d: Draft, c: RemoveSeat) -> None:
    """The ST runs its units from now on."""
    seat = known_seat(d, c.seat)
    refuse_to_lose_the_last_st(d, seat)
    give_units_back(d, seat)
    d.emit(ev.SeatRemoved(seat.id, seat.name))


# ------------------------------------------------------------------------------------------------- invitations and roles
def renew_invitation(d: Draft, c: RenewInvitation) -> None:
    """What was lent ends with the invitation before: whoever had that one may have lent the seat to himself."""
    seat, ends = known_seat(d, c.seat), until(d, c.lasts_s)
    refuse_to_lose_the_last_st(d, seat, math.inf if ends is None else ends)
    end_loan(d, seat)
    d.emit(ev.InvitationRenewed(seat.id, KeyId(d.make()), ends))


def revoke_invitation(d: Draft, c: RevokeInvitation) -> None:
    """What was lent goes with it: nobody sits there now."""
    seat = known_seat(d, c.seat)
    if seat.key is None:
        raise d.refuse("no_change")
    refuse_to_lose_the_last_st(d, seat)
    end_loan(d, seat)
    d.emit(ev.InvitationRevoked(seat.id))


def set_role(d: Draft, c: SetRole) -> None:
    """An ST may hand his own role over, once there is another."""
    seat = known_seat(d, c.seat)
    if seat.role == c.role:
        raise d.refuse("no_change")
    refuse_to_lose_the_last_st(d, seat)
    end_loan(d, seat)
    give_units_back(d, seat)
    d.emit(ev.RoleSet(seat.id, c.role, seat.role))


def lend_seat(d: Draft, c: LendSeat) -> None:
    """For no longer than the lender's own invitation lasts."""
    refuse_odd_name(d, c.to)
    if not 1 <= c.lasts_s <= bounds.LOAN_S:
        raise d.refuse("bad_value", lasts_s=c.lasts_s, least=1, most=bounds.LOAN_S)
    seat = d.table.seats[d.by.seat]
    ends = d.now + c.lasts_s * 1000
    end_loan(d, seat)
    d.emit(ev.SeatLent(seat.id, Loan(KeyId(d.make()), c.to, ends if seat.until is None else min(ends, seat.until))))


def take_back_seat(d: Draft, c: TakeBackSeat) -> None:
    """A player his own; an ST anybody's."""
    seat = known_seat(d, c.seat if c.seat is not None else d.by.seat)
    if not d.is_st and seat.id != d.by.seat:
        raise d.refuse("forbidden")
    if seat.loan is None:
        raise d.refuse("no_change")
    end_loan(d, seat)


def anew(table: Table) -> Iterator[Event]:
    """What was lent, renewed or revoked elsewhere counts here no more: each seat has its first invitation."""
    for seat in table.seats.values():
        if seat.loan is not None:
            yield ev.LoanEnded(seat.id, seat.loan.to)
        if seat.key != "" or seat.until is not None:
            yield ev.InvitationRenewed(seat.id, KeyId(""), None)


def known_seat(d: Draft, id: SeatId) -> Seat:
    """Players know of each other's seats only: any other is none to them."""
    seat = d.table.seats.get(id)
    if seat is None or not (d.is_st or seat.role == "player"):
        raise d.refuse("unknown", id=id)
    return seat


def until(d: Draft, lasts_s: int | None) -> int | None:
    return None if lasts_s is None else d.now + lasts_s * 1000


def end_loan(d: Draft, seat: Seat) -> None:
    if seat.loan is not None:
        d.emit(ev.LoanEnded(seat.id, seat.loan.to))


def give_units_back(d: Draft, seat: Seat) -> None:
    for unit in [u for u, s in d.table.owners.items() if s == seat.id]:
        d.emit(ev.OwnerSet(unit, None))


def refuse_odd_name(d: Draft, name: str) -> None:
    if not name.strip() or not bounds.is_line(name):
        raise d.refuse("bad_value", name=name)


def refuse_to_lose_the_last_st(d: Draft, seat: Seat, ends: float = 0) -> None:
    """An ST's seat is given up, or its invitation made to end then: not where no other ST's lasts as long as it did.

    Nobody could give the role to anybody again but whoever runs the server; he alone may do it.
    """
    others = [other.ends for other in d.table.seats.values() if other.role == "st" and other.id != seat.id]
    if seat.role == "st" and max([ends, *others]) < seat.ends and d.by.st != OPERATOR:
        raise d.refuse("last_st")


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
