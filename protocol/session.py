"""A client's half of one conversation with a table, without I/O: what is known, what is unanswered, what to say next.

It outlives connections. The shell (link.py) opens one, sends `hello()`, feeds every message to `receive`, and re-sends
`unanswered()` after each WELCOME. A Gap means: drop this connection and resume on the next.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from protocol import checks, codes, version
from protocol.from_client import AnyBody, Command, Drift, Hello, Question, RenewInvitation, Resume
from protocol.from_server import Ack, Answer, AnyFromServer, Check, Diff, Presence, Refused, Snapshot, Welcome
from protocol.lines import Line, unpack, values_set


class Gap(Exception):
    """A DIFF that does not follow on what is known. State is untouched; resume from it on a new connection."""

    def __init__(self, expected: int, found: int) -> None:
        super().__init__(f"change {expected} was due, change {found} came")
        self.expected = expected
        self.found = found


@dataclass(frozen=True, slots=True)
class Saved:
    """All that is needed to go on later, in another process too: the position and the state there."""

    epoch: str
    n: int
    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Update:
    """One change of what is known. `reason` is set when all was told anew (a snapshot), which brings no lines."""

    n: int
    lines: tuple[Line, ...]
    changed: frozenset[str]
    reason: str | None = None


class Session:
    """What one client knows and has asked. `state` maps path to value and is replaced in place, value by value."""

    def __init__(
        self, token: str, client: str, *, saved: Saved | None = None, first_seq: int = 1, see_as: str | None = None
    ) -> None:
        self._token = token
        self.see_as = see_as
        self.client = client
        self.state: dict[str, Any] = dict(saved.state) if saved else {}
        self.epoch = saved.epoch if saved else None
        self.n = saved.n if saved else 0
        self.welcome: Welcome | None = None
        self.here: frozenset[str] = frozenset()
        self._seq = first_seq - 1
        self._ask = 0
        self._commands: dict[int, Command] = {}
        self._asks: dict[int, Question] = {}

    @property
    def current(self) -> bool:
        """Whether everything WELCOME spoke of has arrived."""
        greeting = self.welcome
        return greeting is not None and self.epoch == greeting.epoch and self.n >= greeting.n

    @property
    def saved(self) -> Saved | None:
        """The place to resume from; None as long as nothing is known."""
        return None if self.epoch is None else Saved(self.epoch, self.n, dict(self.state))

    # ------------------------------------------------------------------------------------------------- what to say
    def hello(self) -> Hello:
        """The first message of every connection."""
        self.welcome = None
        resume = None if self.epoch is None else Resume(epoch=self.epoch, n=self.n)
        return Hello(
            versions=(version.VERSION,),
            token=self._token,
            client=self.client,
            resume=resume,
            minor=version.MINOR,
            see_as=self.see_as,
        )

    def command(self, body: AnyBody, as_seat: str | None = None) -> Command:
        """A command under the next number. It stays `unanswered` until its ACK or REFUSED, or until forgotten."""
        self._seq += 1
        made = Command(seq=self._seq, seen=self.n, as_seat=as_seat, body=body)
        self._commands[made.seq] = made
        return made

    def ask(self, what: type[Question], fields: Mapping[str, Any]) -> Question:
        """A question under the next number. Raises pydantic's ValidationError for fields that cannot stand."""
        made = what.model_validate({**fields, "id": self._ask + 1})
        self._ask += 1
        self._asks[made.id] = made
        return made

    def forget(self, message: Command | Question) -> None:
        """Nobody waits for this answer any more: it is not sent again."""
        if isinstance(message, Command):
            self._commands.pop(message.seq, None)
        else:
            self._asks.pop(message.id, None)

    def unanswered(self) -> Iterator[Command | Question]:
        """What is to be sent again on a new connection: commands by rising seq, then questions. May grow meanwhile."""
        last = 0
        while later := [seq for seq in self._commands if seq > last]:
            last = min(later)
            yield self._commands[last]
        last = 0
        while asks := [one for one in self._asks if one > last]:
            last = min(asks)
            yield self._asks[last]

    def drift(self, check: Check) -> Drift | None:
        """What to say to a CHECK: nothing, unless it is of this position and sums up to something else."""
        if self.epoch is None or check.n != self.n or (found := checks.crc(self.state)) == check.crc:
            return None
        return Drift(n=self.n, crc=found)

    # --------------------------------------------------------------------------------------------- what was heard
    def receive(self, message: AnyFromServer) -> Update | None:
        """Take a message in. Returns what changed, if anything did. Raises Gap; nothing is changed then."""
        if isinstance(message, Diff):
            return self._follow(message)
        if isinstance(message, Snapshot):
            return self._replace(message)
        if isinstance(message, Welcome):
            self.welcome = message
        elif isinstance(message, Presence):
            self.here = frozenset(message.here)
        elif isinstance(message, Ack) or (isinstance(message, Refused) and message.code not in codes.UNDECIDED):
            command = self._commands.pop(message.seq, None)
            if isinstance(message, Ack) and message.token and command and self._is_own(command.body):
                self._token = message.token
        elif isinstance(message, Answer) and message.code not in codes.UNDECIDED:
            self._asks.pop(message.id, None)
        return None

    def undecided(self, message: AnyFromServer) -> Command | Question | None:
        """What the server wants to be sent again, as it is, because it came too soon; None for anything else it says."""
        if isinstance(message, Refused) and message.code in codes.UNDECIDED:
            return self._commands.get(message.seq)
        if isinstance(message, Answer) and message.code in codes.UNDECIDED:
            return self._asks.get(message.id)
        return None

    def waits_for(self, message: Command | Question) -> bool:
        """Whether it has had no answer yet, and somebody still wants one."""
        if isinstance(message, Command):
            return message.seq in self._commands
        return message.id in self._asks

    def _is_own(self, body: AnyBody) -> bool:
        """Whether a new invitation takes the place of the one this client came with."""
        return isinstance(body, RenewInvitation) and self.welcome is not None and body.seat == self.welcome.seat

    def _follow(self, diff: Diff) -> Update:
        if self.epoch is None or diff.n != self.n + 1:
            raise Gap(self.n + 1, diff.n)
        lines = tuple(self._lines(diff))
        for path, *value in diff.ops:
            if value:
                self.state[path] = value[0]
            else:
                self.state.pop(path, None)
        self.n = diff.n
        return Update(self.n, lines, frozenset(op[0] for op in diff.ops))

    def _replace(self, snapshot: Snapshot) -> Update:
        old, new = self.state, snapshot.view
        changed = old.keys() ^ new.keys() | {path for path in old.keys() & new.keys() if old[path] != new[path]}
        old.clear()
        old.update(new)
        self.epoch = snapshot.epoch
        self.n = snapshot.n
        return Update(self.n, (), frozenset(changed), snapshot.reason)

    def _lines(self, diff: Diff) -> Iterator[Line]:
        told = False
        for packed in diff.log:
            try:
                line = unpack(packed)
            except ValueError:
                continue  # a line nobody can read is no reason to lose the state that came with it
            if line.kind != "value_set" or line["path"] is not None:
                yield line
            elif not told:  # one such line stands for all values of the diff
                yield from values_set(line, diff.ops, self.state)
                told = True
