"""How much anybody may ask of the server in how short a time. Pure: the time goes in, a verdict comes out.

Everybody has a bucket that fills again by itself; what he asks takes from it, as much as it is worth. A frame takes from
four: its connection's, its seat's, its table's, its address's. What is not there in one of them is taken from none. The STs
of a table have one of their own: else players who are refused `rate` could count what is done unseen (TBL-04).

People never feel it: a bucket holds what they would do in minutes. A program that goes on and on waits as it is told.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from core import bounds
from core.dice.proof import MOST_DICE
from protocol import from_client
from protocol.from_client import FromClient
from server.auth import SeatKey
from server.config import Settings

FULL_S = 30
"""A bucket holds what its limit gives back in so long; that much can be asked at once."""
FULL_OF_SEAT_S = 60
FULL_OF_LOG_S = 1000
FULL_OF_JOINS_ALL_S = 6
"""Of all joins together, and of all who only knock."""
FULL_AFTER_S = {
    "connection": FULL_S,
    "seat": FULL_OF_SEAT_S,
    "table": FULL_S,
    "address": FULL_S,
    "log": FULL_OF_LOG_S,
    "joins": FULL_S,
    "joins_all": FULL_OF_JOINS_ALL_S,
}
CALM_S = 1
"""Who asks at once more than his limit gives back in so long is in a rush, until the server has to wait for him again; and
nobody else is to feel it: what he asks is looked at when it is its turn."""
RUSH_SHARE = 0.2
"""Of what the table's limit gives back: so fast comes one turn after the other. All the rest is everybody else's."""
RECORD = 300
"""Bytes that the log keeps of any command, besides what its author is sent."""
LOG_OF_ST = 10
"""So many times as much may a Storyteller put into the log: he sets up what all others play in."""
MOST_BUCKETS = 10_000
"""Of one kind, before those are forgotten that are full again: such a one is as good as new."""

COST: dict[type[FromClient], float] = {
    from_client.Ping: 0.1,
    from_client.AskLog: 3,
    from_client.AskRewindPreview: 3,
    from_client.AskOptions: 3,
    from_client.AskExport: 5,
    from_client.AskLibrary: 5,
    from_client.AskReadUnits: 5,
    from_client.Drift: 10,
}
"""What a message is worth, in commands; all others one. Options are worked out, a page of the log is read from the store,
a page of a file is told anew from its changes, units are read from text, DRIFT is answered with the whole view."""
CONNECTIONS = (
    "connections",
    "connections_address",
    "connections_seat",
    "connections_table",
    "connections_unknown",
)
OF_A_TABLE = {
    f"most_{name.lower()}": most
    for name, most in {**vars(bounds), "DICE": MOST_DICE}.items()
    if name.isupper() and isinstance(most, int) and name not in ("NAME", "TEXT")
}
"""As WELCOME tells them; how long a name and a text may be is told with the bounds of the contract (version.py)."""
PER_BYTES = 16 * 1024
"""A long frame is worth one more for each so many bytes: it takes as long to read."""
BAD = 1.0
"""What cannot be understood."""
JOINING = 5.0
THOUGHT_S = 0.002
"""Of the processor: a question is worth one more for each so many seconds it took, beyond what it was worth before."""
REFUSED = 4.0
"""What a command costs its sender besides, when the rules refuse it: it is as much work, and nobody has anything of it."""


@dataclass(frozen=True, slots=True)
class Rate:
    """`per_s` comes back each second; `most` is what a bucket holds, and begins with. Nothing per second: no limit."""

    per_s: float
    most: float


STRIKES = Rate(15, 300)
"""Refusals `rate` of one seat. A client that waits as it is told is refused no more often than it has requests open."""
WRONG_TOKENS = Rate(0.2, 20)
"""Of one address. Nobody guesses one of 2^192, but each wrong one costs a look into the store."""
CLAIMS = Rate(1 / 1800, 2)
"""How often a seat is believed that it is ahead of the store: it costs everybody a new start (joining.py)."""


class Bucket:
    """Times are seconds of any clock that only goes forward."""

    __slots__ = ("_at", "_left", "_turn", "rate")

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self._left = rate.most
        self._at = self._turn = float("-inf")

    def wait_s(self, cost: float, now: float) -> float:
        """How long until so much is there; 0: it is. No more is asked of a bucket than it can hold."""
        if not self.rate.per_s:
            return 0.0
        return max(0.0, (min(cost, self.rate.most) - self._there(now)) / self.rate.per_s)

    def take(self, cost: float, now: float) -> None:
        self._left, self._at = max(0.0, self._there(now) - cost), now

    def owe(self, cost: float, now: float) -> None:
        """Takes what is known only afterwards: also what is not there, but no more than it can hold."""
        self._left, self._at = max(-self.rate.most, self._there(now) - cost), now

    def full(self, now: float) -> bool:
        return not self.rate.per_s or self._there(now) >= self.rate.most

    def turn_s(self, cost: float, now: float, share: float) -> float:
        """In how long it is the turn of one more of those who are in a rush, at this share of the rate; the next one's comes
        after that.
        """
        if not self.rate.per_s:
            return 0.0
        self._turn = max(self._turn, now) + cost / (share * self.rate.per_s)
        return self._turn - now

    def _there(self, now: float) -> float:
        if self._left >= self.rate.most:
            return self.rate.most
        return min(self.rate.most, self._left + (now - self._at) * self.rate.per_s)


class Buckets:
    """One for each that has asked for anything lately."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._found: dict[Hashable, Bucket] = {}

    def of(self, whose: Hashable, now: float) -> Bucket:
        if whose not in self._found and len(self._found) >= MOST_BUCKETS:
            self._found = {one: bucket for one, bucket in self._found.items() if not bucket.full(now)}
        return self._found.setdefault(whose, Bucket(self._rate))


def take(buckets: Iterable[Bucket], cost: float, now: float) -> float:
    """Takes so much from all of them and returns 0; or takes nothing, and returns in how many seconds it will be there."""
    several = tuple(buckets)
    wait_s = max(one.wait_s(cost, now) for one in several)
    if not wait_s:
        for one in several:
            one.take(cost, now)
    return wait_s


class Limits:
    """All that this server counts. Each server counts for itself."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._connection = Rate(settings.rate_connection, FULL_S * settings.rate_connection)
        self._seats = Buckets(Rate(settings.rate_seat, FULL_OF_SEAT_S * settings.rate_seat))
        self._calm = Buckets(Rate(settings.rate_seat, CALM_S * settings.rate_seat))
        self._tables = Buckets(Rate(settings.rate_table, FULL_S * settings.rate_table))
        self._addresses = Buckets(Rate(settings.rate_address, FULL_S * settings.rate_address))
        self._logs = {
            st: Buckets(Rate(more * settings.rate_log, FULL_OF_LOG_S * more * settings.rate_log))
            for st, more in ((False, 1), (True, LOG_OF_ST))
        }
        self._strikes = Buckets(STRIKES)
        self._wrong_tokens = Buckets(WRONG_TOKENS)
        self._claims = Buckets(CLAIMS)

    def told(self) -> dict[str, int]:
        """As WELCOME tells them."""
        rates = {kind: getattr(self._settings, f"rate_{kind}") for kind in FULL_AFTER_S}
        return {
            **{f"rate_{kind}": rate for kind, rate in rates.items()},
            **{f"burst_{kind}": int(FULL_AFTER_S[kind] * rate) for kind, rate in rates.items()},
            **{name: getattr(self._settings, name) for name in CONNECTIONS},
            **OF_A_TABLE,
        }

    def allowance(self, key: SeatKey, address: str, now: float) -> "Allowance":
        """`key`: of the invitation that was shown, so of the ST's own seat where he looks through another's eyes."""
        seat = self._seats.of((key.table, key.seat), now)
        table = self._tables.of((key.table, key.role == "st"), now)
        buckets = (Bucket(self._connection), seat, table, self._addresses.of(address, now))
        calm, strikes = (kind.of((key.table, key.seat), now) for kind in (self._calm, self._strikes))
        log = self._logs[key.role == "st"].of((key.table, key.seat), now)
        return Allowance(buckets, log, calm, strikes)

    def wrong_token(self, address: str, now: float) -> float:
        """A token from there was wrong. How long the next may take to be answered, in seconds."""
        return take([self._wrong_tokens.of(address, now)], 1, now)

    def believes(self, key: SeatKey, now: float) -> bool:
        """Whether this seat may say once more that it is ahead of the store."""
        return not take([self._claims.of((key.table, key.seat), now)], 1, now)


class Allowance:
    """What one connection may still ask for. Commands keep their order: who is refused one is refused those after it too,
    until it comes again, or is clearly given up.
    """

    GIVEN_UP_S = 2.0
    MOST_REFUSED = 1000

    def __init__(self, buckets: tuple[Bucket, ...], log: Bucket, calm: Bucket, strikes: Bucket) -> None:
        self._buckets = buckets
        self._log = log
        self._calm = calm
        self._strikes = strikes
        self._rush = False
        self._cost = 0.0  # of what it asked last
        self._owed = 0.0  # what was refused since anything was let through
        self._refused: set[int] = set()  # the numbers of commands that have not come again yet
        self._until = 0.0  # no longer

    def asks(self, message: FromClient, size: int, now: float) -> int:
        """0: let it through. Otherwise in how many ms to send it again; by then there is enough for all that was refused."""
        cost = self._cost = COST.get(type(message), 1.0) + size // PER_BYTES
        seq = message.seq if isinstance(message, from_client.Command) else None
        if seq is not None and self._waits_for_another(seq, now):
            return self._later(cost, now, seq)
        if (seq is not None and self._log.wait_s(1, now)) or take(self._buckets, cost, now):
            return self._later(cost, now, seq)
        if seq in self._refused:
            self._refused.remove(seq)
            self._until = now + self.GIVEN_UP_S
        self._owed = 0.0
        return 0

    def comes(self, now: float) -> bool:
        """Whether it may join: that is counted where it has been before."""
        return not take(self._buckets[1:], JOINING, now)

    def costs(self, cost: float, now: float) -> bool:
        """For what is no request: whether it was there."""
        self._cost = cost
        return not take(self._buckets, cost, now)

    def rest_s(self, now: float, *, waited: bool) -> float:
        """How long to leave unread what it has sent besides. People are never in such a rush.

        `waited`: the server, for this request. Whoever is only served slowly has asked for the next one long before.
        """
        calm = not self._calm.wait_s(self._cost, now)
        self._calm.take(self._cost, now)
        self._rush = not calm or (self._rush and not waited)
        return self._buckets[2].turn_s(self._cost, now, RUSH_SHARE) if self._rush else 0.0

    def was_refused(self, now: float) -> None:
        """What it asked was refused. That costs the connection and its seat, and nobody beside them."""
        self._cost += REFUSED
        for one in self._buckets[:2]:
            one.take(REFUSED, now)

    def thought(self, took_s: float, now: float) -> None:
        """What it asked took so much of the processor. That costs its seat; its connection goes on with what is cheap."""
        self._buckets[1].owe(max(0.0, took_s / THOUGHT_S - self._cost), now)

    def kept(self, size: int, now: float) -> None:
        """It is in the log now, where it stays. `size`: the bytes of its frame, or of what its author is sent of it."""
        self._log.owe(RECORD + size, now)

    def too_often(self, now: float) -> bool:
        """One more refusal; whether whoever goes on like that has to be closed."""
        return take([self._strikes], 1, now) > 0

    def _waits_for_another(self, seq: int, now: float) -> bool:
        if now >= self._until:
            self._refused.clear()
        return min(self._refused, default=seq) < seq

    def _later(self, cost: float, now: float, seq: int | None) -> int:
        self._owed += cost
        wait_s = max(one.wait_s(self._owed, now) for one in self._buckets)
        if seq is not None:
            wait_s = max(wait_s, self._log.wait_s(1, now))
            if len(self._refused) < self.MOST_REFUSED:
                self._refused.add(seq)
            self._until = now + wait_s + self.GIVEN_UP_S
        return max(1, round(wait_s * 1000) + 1)
