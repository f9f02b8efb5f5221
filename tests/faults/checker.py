"""Whether what the clients of one table lived through is strictly serializable: a history in, violations out.

Knows the wire and nothing of the server. Every command has a text that begins with a
token, `<...>`, and shows in the lines it causes; so the
order of all effects is read from the Storytellers' stream, and one walk through the history compares everything with it.
Time and memory are linear in the history.

What must hold, each of it a check below:
- a connection is told its audience's changes one by one, without a gap, twice or backwards; a resume goes on exactly there
- a change has the same bytes for everybody of an audience, for ever; a snapshot is what the changes before it make
- what was acknowledged stands in the table once, where the answer said; what was refused stands nowhere
- what anybody has seen stays: no audience begins anew, none falls back
- all audiences see things in one order; who acts after he could know of something comes after it
- a value is only changed from the value that stood there; after a rewind stands what stood there then
- what was sent before a rewind and comes after it is refused; the clock ends an action once; time never goes back
- the same command has the same answer, however often; another command under its number is refused as such
"""

import re
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgpack

TOKEN = re.compile(r"<[^<>]+>")
# Kinds of lines: an index, once given, keeps its meaning.
FIGHT_STARTED, ACTION_BEGAN, ACTION_ENDED, REWOUND = 21, 27, 28, 43
UNDECIDED = {"busy", "store_away", "rate"}
REMEMBERED = 16
STREAM = 2000
"""Answers a server remembers per client; changes it keeps per audience."""

LOST, DOUBLED, UNSEEN, DISORDER = "lost", "doubled", "seen-then-lost", "out of order"
WRONG, WAITS = "wrong answer", "left waiting"


@dataclass(frozen=True)
class Violation:
    """`kind` is one of the six above; `words` say what happened, for a person."""

    kind: str
    words: str


@dataclass
class Report:
    violations: list[Violation] = field(default_factory=list)
    commands: int = 0
    acked: int = 0

    def count(self, kind: str) -> int:
        return sum(one.kind == kind for one in self.violations)


@dataclass(eq=False)
class _Command:
    """One content under one number of one client."""

    token: str
    body: dict[str, Any]
    audience: str
    who: str
    seen: int
    answer: dict[str, Any] | None = None
    aside: bool = False  # sent under a number that was answered already, so that nobody waits for its answer
    put_off: bool = False  # told that nothing was decided
    after: int = -1  # the place in the order up to which its sender could know, when it was first sent


@dataclass(eq=False)
class _Audience:
    name: str
    epochs: list[str] = field(default_factory=list)
    frames: dict[tuple[str, int], bytes] = field(default_factory=dict)
    snapshots: dict[tuple[str, int], tuple[bytes, dict[str, Any]]] = field(default_factory=dict)
    final: tuple[str, int] | None = None


@dataclass(eq=False)
class _Line:
    """A connection. `n` is None until it is known what it shows."""

    name: str
    audience: _Audience
    author: tuple[str, str]
    resume: tuple[str, int] | None
    final: bool
    epoch: str | None = None
    n: int | None = None
    goal: int = 0
    asked: dict[int, deque[_Command]] = field(default_factory=lambda: defaultdict(deque))
    open: bool = True


def check(events: Iterable[tuple[str, int, Any]]) -> Report:
    """All violations, the first ones first as far as they are found while walking."""
    return _Check().run(events)


class _Check:
    def __init__(self) -> None:
        self.report = Report()
        self.lines: dict[int, _Line] = {}
        self.audiences: dict[str, _Audience] = {}
        self.asked: dict[tuple[str, str], dict[int, list[_Command]]] = defaultdict(dict)
        self.by_token: dict[str, _Command] = {}
        self.highest: dict[tuple[str, str], int] = defaultdict(int)
        self.moments: list[tuple[str, str]] = []  # ("sent" | "known", token), in the order of time
        self.calm = False

    def run(self, events: Iterable[tuple[str, int, Any]]) -> Report:
        for kind, number, value in events:
            if kind == "open":
                self._open(number, value)
            elif kind == "sent":
                self._sent(self.lines[number], msgpack.unpackb(value))
            elif kind == "got":
                self._got(self.lines[number], value)
            elif kind == "shut":
                self.lines[number].open = False
            elif kind == "gone":
                self._wrong(LOST, f"{self.lines[number].name} is turned away from its own seat: {value}")
            elif kind == "calm":
                self.calm = True
        self._ends()
        place = self._order()
        self._effects(place)
        self._time(place)
        self._values(place)
        for audience in self.audiences.values():
            self._states(audience)
            self._clock(audience)
        return self.report

    def _wrong(self, kind: str, words: str) -> None:
        self.report.violations.append(Violation(kind, words))

    # ------------------------------------------------------------------------------------------- one connection at a time
    def _open(self, number: int, facts: dict[str, Any]) -> None:
        audience = self.audiences.setdefault(facts["audience"], _Audience(facts["audience"]))
        resume = tuple(facts["resume"]) if facts["resume"] else None
        author = (facts["seat"], facts["client"])
        name = f"line {number} ({facts['audience']}, {facts['client']})"
        self.lines[number] = _Line(name, audience, author, resume, facts["final"])

    def _sent(self, line: _Line, message: dict[str, Any]) -> None:
        if message["t"] != "command":
            return
        body = {key: value for key, value in message.items() if key not in ("t", "seq", "seen")}
        seq = message["seq"]
        known = self.asked[line.author].setdefault(seq, [])
        command = next((one for one in known if one.body == body), None)
        if command is None:
            token = next(map(_token, filter(_token, body.values())), "")
            who = f"{line.author[0]}/{line.author[1]}/{seq}"
            aside = any(one.answer is not None for one in known)
            command = _Command(token, body, line.audience.name, who, message["seen"], aside=aside)
            known.append(command)
            self.report.commands += 1
            if token:
                self.by_token[token] = command
                self.moments.append(("sent", token))
        self.highest[line.author] = max(self.highest[line.author], seq)
        line.asked[seq].append(command)

    def _got(self, line: _Line, frame: bytes) -> None:
        message = msgpack.unpackb(frame)
        if isinstance(message, list):
            self._diff(line, frame, message)
        elif message["t"] == "welcome":
            self._welcome(line, message)
        elif message["t"] == "snapshot":
            self._snapshot(line, message)
        elif message["t"] in ("ack", "refused"):
            self._answer(line, message)

    def _welcome(self, line: _Line, message: dict[str, Any]) -> None:
        line.epoch, line.goal = message["epoch"], message["n"]
        epochs = line.audience.epochs
        if line.epoch not in epochs:
            if epochs:
                self._wrong(UNSEEN, f"{line.name} is welcomed in a new epoch: {line.audience.name} begins anew")
            epochs.append(line.epoch)
        elif line.epoch != epochs[-1]:
            self._wrong(UNSEEN, f"{line.name} is welcomed in an epoch of {line.audience.name} that was over")
        if line.resume and line.resume[0] == line.epoch:
            line.n = line.resume[1]
            if line.goal < line.n:
                self._wrong(UNSEEN, f"{line.name} had seen change {line.n}; the server knows only {line.goal}")
        if line.final:
            self._final(line, line.goal)

    def _final(self, line: _Line, n: int) -> None:
        """How far the last readers got."""
        known = line.audience.final
        assert line.epoch is not None
        if known is None or known[0] != line.epoch or known[1] < n:
            line.audience.final = (line.epoch, n)

    def _snapshot(self, line: _Line, message: dict[str, Any]) -> None:
        epoch, n, reason = message["epoch"], message["n"], message["reason"]
        if epoch != line.epoch and line.audience.epochs and epoch not in line.audience.epochs:
            self._wrong(UNSEEN, f"{line.name} gets a snapshot of a new epoch: {line.audience.name} begins anew")
            line.audience.epochs.append(epoch)
        elif line.n is not None and n < line.n:
            self._wrong(UNSEEN, f"{line.name} had seen change {line.n} and gets a snapshot of change {n}")
        elif n < line.goal:
            self._wrong(UNSEEN, f"{line.name} was welcomed at change {line.goal} and gets a snapshot of change {n}")
        elif reason == "too_old" and line.n is not None and n - line.n <= STREAM:
            self._wrong(WRONG, f"{line.name} gets a snapshot instead of the {n - line.n} changes it missed")
        line.epoch, line.n = epoch, n
        view = msgpack.packb(sorted(message["view"].items(), key=lambda item: item[0]))
        known = line.audience.snapshots.setdefault((epoch, n), (view, message["view"]))
        if known[0] != view:
            self._wrong(UNSEEN, f"two snapshots of change {n} for {line.audience.name} differ ({line.name})")

    def _diff(self, line: _Line, frame: bytes, message: list[Any]) -> None:
        n, audience = message[1], line.audience
        if line.epoch is None or line.n is None:
            why = "before anything was said of the state" if line.resume is None else "of an epoch it does not know"
            self._wrong(WRONG, f"{line.name} gets change {n} {why}")
        elif n > line.n + 1:
            self._wrong(LOST, f"{line.name} gets change {n} after {line.n}: {n - line.n - 1} are missing between them")
        elif n == line.n:
            self._wrong(DOUBLED, f"{line.name} gets change {n} twice")
        elif n < line.n:
            self._wrong(DISORDER, f"{line.name} gets change {n} after change {line.n}")
        line.n = n if line.n is None else max(line.n, n)
        if line.epoch is None:
            return
        if line.final:
            self._final(line, n)
        known = audience.frames.setdefault((line.epoch, n), frame)
        if known is frame:
            self.moments.extend(("known", token) for token in _tokens(message))
        elif known != frame:
            what = ", ".join(_tokens(msgpack.unpackb(known))) or "something"
            now = ", ".join(_tokens(message)) or "something else"
            self._wrong(UNSEEN, f"change {n} of {audience.name} was {what} and is {now} for {line.name}")

    def _answer(self, line: _Line, answer: dict[str, Any]) -> None:
        seq = answer["seq"]
        if not line.asked[seq]:
            self._wrong(DOUBLED, f"{line.name} gets one answer more to command {seq} than it asked for")
            return
        command = line.asked[seq].popleft()
        code = answer.get("code")
        if code in UNDECIDED:
            command.put_off = True
            return
        if code == "seq_reused":
            if len(self.asked[line.author][seq]) == 1:
                self._wrong(WRONG, f"{command.who} is refused as another command of the same number; there is none")
                return
        if code == "seq_old":
            command.put_off = True  # whoever asked has heard that nobody knows any more
            if self.highest[line.author] - seq < REMEMBERED:
                self._wrong(WRONG, f"{command.who} is refused as too old; it is among the last {REMEMBERED}")
            return
        if command.answer is None:
            command.answer = answer
            if answer["t"] == "ack":
                self.report.acked += 1
                if command.token:
                    self.moments.append(("known", command.token))
        elif command.answer != answer:
            self._wrong(WRONG, f"{command.who} was answered {_short(command.answer)}, asked again {_short(answer)}")
        if answer["t"] == "ack" and (line.n is None or line.n < answer["n"]):
            self._wrong(
                DISORDER, f"{command.who} is acknowledged at change {answer['n']}, which {line.name} has not got"
            )

    def _ends(self) -> None:
        """At the end, in the calm: everything answered, everybody up to date."""
        if not self.calm:
            return
        for audience in self.audiences.values():
            if audience.final is None:
                self._wrong(WAITS, f"at the end nobody is let in to see {audience.name}")
                continue
            epoch, last = audience.final
            seen = max((n for known, n in audience.frames if known == epoch), default=0)
            if seen > last:
                self._wrong(UNSEEN, f"{audience.name} had been shown change {seen}; at the end there are only {last}")
        for line in self.lines.values():
            if line.open and line.audience.final and line.n is not None:
                missing = line.audience.final[1] - line.n
                if line.epoch == line.audience.final[0] and missing > 0:
                    self._wrong(WAITS, f"{line.name} was never told the last {missing} changes")
        for author in self.asked.values():
            for several in author.values():
                for command in several:
                    if command.answer is None and not command.put_off and not command.aside:
                        self._wrong(WAITS, f"{command.who} {command.token} was never answered")

    # ----------------------------------------------------------------------------------------------- all of them together
    def _order(self) -> dict[str, tuple[int, int]]:
        """token -> (its place in the one order, its n in the Storytellers' stream)."""
        place: dict[str, tuple[int, int]] = {}
        st = self.audiences.get("st", _Audience("st"))
        for (_, n), frame in _in_order(st):
            for token in _tokens(msgpack.unpackb(frame)):
                if token in place:
                    self._wrong(DOUBLED, f"{token} stands in the table twice: as change {place[token][1]} and as {n}")
                else:
                    place[token] = (len(place), n)
        for audience in self.audiences.values():
            if audience is not st:
                self._same_order(audience, place)
        return place

    def _same_order(self, audience: _Audience, place: dict[str, tuple[int, int]]) -> None:
        before, at, seen = "", -1, set()
        for (_, n), frame in _in_order(audience):
            for token in _tokens(msgpack.unpackb(frame)):
                if token in seen:
                    self._wrong(DOUBLED, f"{audience.name} is told {token} twice, the second time as change {n}")
                    continue
                seen.add(token)
                if token not in place:
                    self._wrong(UNSEEN, f"{audience.name} was told {token}; the Storytellers never were")
                elif place[token][0] < at:
                    self._wrong(DISORDER, f"{audience.name} is told {token} after {before}; the Storytellers before it")
                else:
                    before, at = token, place[token][0]

    def _effects(self, place: dict[str, tuple[int, int]]) -> None:
        """Each answer against what stands in the table."""
        last_rewind = _rewinds(self.audiences)
        for token, command in self.by_token.items():
            answer = command.answer
            if answer is None:
                continue
            if answer["t"] == "refused":
                if token in place:
                    self._wrong(WRONG, f"{command.who} {token} was refused ({answer['code']}) and yet has happened")
                continue
            audience = self.audiences[command.audience]
            if token not in place:
                self._wrong(LOST, f"{command.who} {token} was acknowledged and stands nowhere")
            frames = [audience.frames.get((epoch, answer["n"])) for epoch in audience.epochs]
            found = [msgpack.unpackb(frame) for frame in frames if frame]
            if found and _shows(command.body) and not any(token in _tokens(one) for one in found):
                self._wrong(WRONG, f"{command.who} {token} was acknowledged at change {answer['n']}, which is another")
            rewinds = last_rewind.get(command.audience, [])
            next_one = bisect_right(rewinds, command.seen)
            if next_one < len(rewinds) and rewinds[next_one] < answer["n"]:
                words = f"{command.who} {token} was sent at change {command.seen} and accepted after a later rewind"
                self._wrong(DISORDER, words)

    def _time(self, place: dict[str, tuple[int, int]]) -> None:
        """Who acts after he could know of something comes after it."""
        latest, of = -1, ""
        for kind, token in self.moments:
            at = place.get(token, (-1, 0))[0]
            if kind == "known":
                if at > latest:
                    latest, of = at, token
            else:
                self.by_token[token].after = latest
                if 0 <= at < latest:
                    self._wrong(DISORDER, f"{token} was sent when {of} was known already, and yet stands before it")

    def _values(self, place: dict[str, tuple[int, int]]) -> None:
        """The value that is compared and set, and the clock, as the Storytellers' stream tells them."""
        st = self.audiences.get("st", _Audience("st"))
        value: Any = None
        known = False
        by_n: dict[int, Any] = {}
        lasted: dict[Any, int] = {}  # value -> the place in the order at which it last stood
        at = -1
        action: str | None = None  # "open", "ended" or unknown
        rounds: dict[str, int] = {}  # unit -> the round of its last action
        for (_, n), frame in _in_order(st):
            for line in msgpack.unpackb(frame)[3]:
                token = next(map(_token, filter(_token, line)), "")
                at = place[token][0] if token else at
                command = self.by_token.get(token)
                if command is not None and command.body["kind"] == "set_value":
                    if known and command.body["was"] != value:
                        words = f"{command.token} was set where {command.body['was']} stood; there stood {value}"
                        self._wrong(DISORDER, words)
                    lasted[value] = at
                    value, known = command.body["value"], True
                elif line[0] == REWOUND:
                    lasted[value] = at
                    known = line[3] in by_n
                    value = by_n.get(line[3])
                    action, rounds = None, {}
                elif line[0] == FIGHT_STARTED:
                    rounds = {}
                elif line[0] == ACTION_BEGAN:
                    action = "open"
                    (unit, _), number = line[3:5]
                    if number <= rounds.get(unit, -1):
                        self._wrong(
                            DOUBLED, f"the action of round {number} began twice, the second time with change {n}"
                        )
                    rounds[unit] = number
                elif line[0] == ACTION_ENDED:
                    if action == "ended":
                        self._wrong(DOUBLED, f"the same action ended twice, the second time with change {n}")
                    action = "ended"
            if known:
                by_n[n] = value
        lasted[value] = len(place)
        for command in self.by_token.values():
            answer = command.answer
            if answer and answer.get("code") == "changed" and command.body["kind"] == "set_value":
                shown = answer["params"].get("value")
                if lasted.get(shown, len(place)) < command.after:
                    self._wrong(DISORDER, f"{command.who} was refused because of {shown}, which was known to be over")

    def _clock(self, audience: _Audience) -> None:
        """The times in an audience's log only rise."""
        last = 0
        for (_, n), frame in _in_order(audience):
            for line in msgpack.unpackb(frame)[3]:
                if line[1] < last:
                    self._wrong(DISORDER, f"{audience.name} is told of second {line[1]} after {last}, with change {n}")
                last = max(last, line[1])

    def _states(self, audience: _Audience) -> None:
        """Every snapshot is what the one before it and the changes since make."""
        for epoch in audience.epochs:
            at = sorted(n for known, n in audience.snapshots if known == epoch)
            if not at:
                continue
            state = dict(audience.snapshots[epoch, at[0]][1])
            for first, last in zip(at, at[1:], strict=False):
                frames = [audience.frames.get((epoch, n)) for n in range(first + 1, last + 1)]
                told = audience.snapshots[epoch, last][1]
                if all(frames):
                    for frame in filter(None, frames):
                        for path, *new in msgpack.unpackb(frame)[2]:
                            if new:
                                state[path] = new[0]
                            else:
                                state.pop(path, None)
                    if state != told:
                        wrong = sorted(p for p in state.keys() | told.keys() if state.get(p) != told.get(p))
                        where = ", ".join(wrong[:3])
                        words = (
                            f"the snapshot of change {last} for {audience.name} is not what the changes made: {where}"
                        )
                        self._wrong(UNSEEN, words)
                state = dict(told)


def _in_order(audience: _Audience) -> list[tuple[tuple[str, int], bytes]]:
    """An audience's changes, epoch by epoch, each by rising n. Counted, not sorted: they are dense."""
    found = []
    for epoch in audience.epochs:
        numbers = [n for known, n in audience.frames if known == epoch]
        for n in range(min(numbers, default=0), max(numbers, default=-1) + 1):
            if (epoch, n) in audience.frames:
                found.append(((epoch, n), audience.frames[epoch, n]))
    return found


def _rewinds(audiences: dict[str, _Audience]) -> dict[str, list[int]]:
    """audience -> every n at which it was told of a rewind, rising."""
    found: dict[str, list[int]] = {}
    for name, audience in audiences.items():
        for (_, n), frame in _in_order(audience):
            if any(line[0] == REWOUND for line in msgpack.unpackb(frame)[3]):
                found.setdefault(name, []).append(n)
    return found


def _tokens(diff: list[Any]) -> list[str]:
    return [token for line in diff[3] for token in map(_token, line) if token]


def _token(value: Any) -> str:
    """The token a text begins with."""
    found = TOKEN.match(value) if isinstance(value, str) else None
    return found[0] if found else ""


def _shows(body: dict[str, Any]) -> bool:
    """Whether the author's own audience reads the token in the log."""
    return body["kind"] in ("say", "narrate", "set_value", "whisper")


def _short(answer: dict[str, Any]) -> str:
    if answer["t"] == "ack":
        return f"yes, at change {answer['n']}" + (f", made {', '.join(answer['made'])}" if answer["made"] else "")
    return f"no, {answer['code']} {answer['params']}"
