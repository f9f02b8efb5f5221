"""Answers to commands, as plain values that are kept with the decision and sent in any subprotocol."""

from typing import Any

from core.refusals import Refused
from protocol import codes
from server import cells
from server.store.values import Gone, Outcome, Repeated, Reused, TooOld

Reply = dict[str, Any]


def ack(seq: int, n: int, made: tuple[str, ...]) -> Reply:
    return {"t": "ack", "seq": seq, "n": n, "made": list(made)}


def refused(seq: int, why: Refused, *, to_st: bool) -> Reply:
    """A rule's refusal. A further reason that only an ST may know goes to an ST alone."""
    params = {**why.params, "st": why.st} if to_st and why.st else dict(why.params)
    return {"t": "refused", "seq": seq, "code": why.code, "params": params, "retry": codes.retry(why.code)}


def of_protocol(seq: int, code: str, **params: Any) -> Reply:
    """A refusal that no rule decides (protocol/codes.py). Only `busy` is kept (steps.put_off)."""
    return {"t": "refused", "seq": seq, "code": code, "params": params, "retry": codes.retry(code)}


def kept(reply: Reply) -> bytes:
    return cells.packed(reply)


def known(seq: int, outcome: Outcome) -> Reply:
    """What the store says of a command that was decided before."""
    match outcome:
        case Repeated(reply):
            answer: Reply = cells.unpacked(reply)
            return answer
        case Reused():
            return of_protocol(seq, "seq_reused")
        case TooOld():
            return of_protocol(seq, "seq_old")
        case Gone():
            return of_protocol(seq, "unknown")
    raise AssertionError(f"no answer lies in {outcome}")
