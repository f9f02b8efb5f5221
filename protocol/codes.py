"""Numbers and words for what goes wrong on the wire: close codes in bands, refusals that no rule decides.

The refusals of the rules stand in core/refusals.py. Texts for both are in protocol/texts.
"""

from enum import IntEnum
from typing import Literal


class Close(IntEnum):
    """Why the server ended a connection. The band says what a client does next (`comes_back`)."""

    BAD_MESSAGE = 4000
    BAD_TOKEN = 4001
    VERSION = 4002
    NO_HELLO = 4003
    SEAT_GONE = 4004
    REVOKED = 4005
    EXPIRED = 4006
    NOT_AN_ST = 4007

    BUSY = 4100
    STORE_AWAY = 4101
    SLOW = 4102
    SILENT = 4103
    RATE = 4104
    TOO_MANY = 4105

    GOING_AWAY = 4200
    NEWER = 4201
    ROLE_CHANGED = 4202


ComesBack = Literal["never", "later", "at_once"]


def comes_back(code: int | None) -> ComesBack:
    """What a client does after a connection ended with this code (None: it broke without one).

    4000-4099: not unchanged, trying again would end the same way. 4200-4299: at once. All else: later, backing off.
    """
    if code is not None and 4000 <= code <= 4099:
        return "never"
    if code is not None and 4200 <= code <= 4299:
        return "at_once"
    return "later"


REFUSALS = {
    "bad_message": "the message could not be understood",
    "too_long": "the message is longer than accepted",
    "busy": "others acted at the same moment, too often to get a word in",
    "store_away": "the store cannot be reached; nothing was done, as far as the server knows",
    "rate": "too many messages in a short time",
    "seq_reused": "this sequence number has been used for another command",
    "read_only": "this connection only looks",
    "seq_old": "the answer to this old sequence number is no longer kept",
}
"""Refusals of the protocol itself, beside those of the rules."""

RETRY = frozenset({"busy", "store_away", "rate"})
"""Refusals after which the same request may well succeed: under a new number, but for those of UNDECIDED."""

UNDECIDED = frozenset({"rate"})
"""Nothing was decided and nothing is remembered: the same request is sent again under its own number, after `retry_ms`.

As long as a command waits so, those with higher numbers of its connection are refused too, for order: send all again from
the lowest. Given up is what has not come again two seconds after its time; then others go before, and it is `seq_old`.
`bad_message` and `too_long` decide nothing either. The same content is refused again wherever it is sent, so there is
nothing to remember; another content may still take the number, as long as no higher one has been decided.
"""


def retry(code: str) -> bool:
    """The `retry` flag of REFUSED for any code, the rules' codes too (those need a change in play first)."""
    return code in RETRY
