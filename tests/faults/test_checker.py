"""The checker finds every kind of fault in a history, and none in a right one. Pure: no server is run here."""

from collections.abc import Callable
from typing import Any

import msgpack
import pytest

from tests.faults.checker import DISORDER, DOUBLED, LOST, UNSEEN, WAITS, WRONG, check
from tests.faults.history import Event, History

AUDIENCES = ("st", "ann", "all")
SAID, VALUE_SET, FIGHT_STARTED, ACTION_BEGAN, ACTION_ENDED, REWOUND = 1, 0, 21, 27, 28, 43
UNIT = ["u", "Marker"]


class Table:
    """A table without a fault, and the clients at it: what they live through is right."""

    def __init__(self) -> None:
        self.history = History()
        self.n = 0
        self.state: dict[str, Any] = {"v": 0}
        self.lines = {name: self.sit(name) for name in AUDIENCES}
        self.seq = dict.fromkeys(AUDIENCES, 0)

    def sit(
        self, audience: str, resume: tuple[str, int] | None = None, *, final: bool = False, client: str = ""
    ) -> int:
        line = self.history.open(audience, audience, client or "phone", resume, final=final)
        self.got(line, {"t": "welcome", "epoch": f"e-{audience}", "n": self.n})
        if resume is None:
            self.snapshot(line, audience, "first")
        return line

    def snapshot(self, line: int, audience: str, reason: str) -> None:
        view = {"t": "snapshot", "epoch": f"e-{audience}", "n": self.n, "reason": reason, "view": dict(self.state)}
        self.got(line, view)

    def got(self, line: int, message: Any) -> None:
        self.history.got(line, msgpack.packb(message))

    def change(self, *lines: list[Any]) -> None:
        """Everybody is told."""
        self.n += 1
        self.state["v"] = self.n
        for line in self.lines.values():
            self.got(line, [1, self.n, [["v", self.n]], list(lines)])

    def ask(self, who: str, kind: str, *, seen: int | None = None, seq: int = 0, **fields: Any) -> int:
        if not seq:
            self.seq[who] += 1
        number = seq or self.seq[who]
        message = {"t": "command", "seq": number, "seen": self.n if seen is None else seen, "kind": kind, **fields}
        self.history.sent(self.lines[who], msgpack.packb(message))
        return number

    def ack(self, who: str, seq: int, n: int | None = None) -> None:
        self.got(self.lines[who], {"t": "ack", "seq": seq, "n": n or self.n, "made": []})

    def refuse(self, who: str, seq: int, code: str, **params: Any) -> None:
        self.got(self.lines[who], {"t": "refused", "seq": seq, "code": code, "params": params, "retry": False})

    def say(self, who: str, token: str) -> int:
        seq = self.ask(who, "say", text=token)
        self.change([SAID, self.n, who, None, token])
        self.ack(who, seq)
        return seq

    def set(self, token: str, value: str, was: str | None) -> None:
        seq = self.ask("st", "set_value", unit="u", path="position", value=value, was=was, reason=token)
        self.change([VALUE_SET, self.n, "st", UNIT, "position", value, was, token])
        self.ack("st", seq)

    def events(self) -> list[Event]:
        for audience in AUDIENCES:
            self.sit(audience, (f"e-{audience}", self.n), final=True, client="last")
        self.history.calm()
        return self.history.events


def evening() -> Table:
    """Some of everything."""
    table = Table()
    table.say("ann", "<a1>")
    table.set("<s1>", "=1", None)
    seq = table.say("ann", "<a2>")
    table.ack("ann", table.ask("ann", "say", seq=seq, text="<a2>"))
    table.refuse("ann", table.ask("ann", "say", seq=seq, text="<other>"), "seq_reused")
    table.refuse("ann", table.ask("ann", "narrate", text="<a3>"), "forbidden")
    wrong = table.ask("st", "set_value", unit="u", path="position", value="=2", was="=0", reason="<s2>")
    table.refuse("st", wrong, "changed", value="=1")
    table.set("<s3>", "=3", "=1")
    table.change([FIGHT_STARTED, table.n, "st", [UNIT]], [ACTION_BEGAN, table.n, "st", UNIT, 1])
    table.change([ACTION_ENDED, table.n, "", UNIT, False, True], [ACTION_BEGAN, table.n, "", UNIT, 2])
    back = table.ask("st", "rewind", to=2, head=table.n, reason="<r1>")
    table.change([REWOUND, table.n, "st", 2, "<r1>"])
    table.ack("st", back)
    table.refuse("ann", table.ask("ann", "say", seen=1, text="<a4>"), "stale")
    table.set("<s4>", "=4", "=1")
    table.history.shut(table.lines["all"])
    table.lines["all"] = table.sit("all", ("e-all", table.n))
    table.say("ann", "<a5>")
    table.snapshot(table.lines["ann"], "ann", "slow")
    table.say("ann", "<a6>")
    return table


def test_a_right_history_has_no_violation_and_counts_what_was_asked():
    report = check(evening().events())
    assert report.violations == []
    assert (report.commands, report.acked) == (12, 8)


def test_a_history_is_the_same_after_it_was_kept(tmp_path):
    events = evening().events()
    History(events).save(tmp_path / "h")
    assert [(kind, line) for kind, line, _ in History.load(tmp_path / "h")] == [
        (kind, line) for kind, line, _ in events
    ]
    assert check(History.load(tmp_path / "h")).violations == []


# ---------------------------------------------------------------------------------------- mistakes, put into a right history
def frames(events: list[Event], of: str = "") -> list[tuple[int, int, Any]]:
    """(place, line, message) of what was got; of one audience if one is named."""
    audience = {line: value["audience"] for kind, line, value in events if kind == "open"}
    return [
        (k, line, msgpack.unpackb(value))
        for k, (kind, line, value) in enumerate(events)
        if kind == "got" and of in ("", audience[line])
    ]


def diff_with(events: list[Event], token: str, of: str) -> int:
    return next(k for k, _, m in frames(events, of) if isinstance(m, list) and any(token in line for line in m[3]))


def answer_to(events: list[Event], seq: int, of: str = "ann") -> int:
    return next(k for k, _, m in frames(events, of) if isinstance(m, dict) and m.get("seq") == seq)


def changed(events: list[Event], place: int, change: Callable[[Any], Any]) -> None:
    kind, line, frame = events[place]
    events[place] = (kind, line, msgpack.packb(change(msgpack.unpackb(frame))))


def everywhere(
    events: list[Event], token: str, change: Callable[[Any], Any], only: tuple[str, ...] = AUDIENCES
) -> None:
    """In all diffs that tell of it."""
    for audience in only:
        for k, _, message in frames(events, audience):
            if isinstance(message, list) and any(token in line for line in message[3]):
                changed(events, k, change)


def without(token: str) -> Callable[[Any], Any]:
    return lambda m: [*m[:3], [line for line in m[3] if token not in line]]


def swapped(events: list[Event], one: str, other: str, of: str) -> None:
    """Two changes of one audience say each what the other said."""
    first, second = diff_with(events, one, of), diff_with(events, other, of)
    lines = [msgpack.unpackb(events[k][2])[3] for k in (first, second)]
    changed(events, first, lambda m: [*m[:3], lines[1]])
    changed(events, second, lambda m: [*m[:3], lines[0]])


def drop(events: list[Event]) -> None:
    del events[diff_with(events, "<a2>", "all")]


def twice(events: list[Event]) -> None:
    place = diff_with(events, "<a2>", "all")
    events.insert(place, events[place])


def overtaken(events: list[Event]) -> None:
    first, second = diff_with(events, "<a1>", "all"), diff_with(events, "<s1>", "all")
    events[first], events[second] = events[second], events[first]


def other_bytes(events: list[Event]) -> None:
    place = diff_with(events, "<a1>", "st")
    kind, _, frame = events[place]
    line = len([1 for one in events if one[0] == "open"]) + 1
    facts = {"audience": "st", "seat": "st", "client": "two", "resume": ("e-st", 0), "final": False}
    events[place + 1 : place + 1] = [
        ("open", line, facts),
        ("got", line, msgpack.packb({"t": "welcome", "epoch": "e-st", "n": 1})),
        (kind, line, msgpack.packb([1, 1, [["v", 9]], msgpack.unpackb(frame)[3]])),
        ("shut", line, None),
    ]


def acked_and_nowhere(events: list[Event]) -> None:
    everywhere(events, "<a5>", without("<a5>"))


def done_twice(events: list[Event]) -> None:
    everywhere(events, "<a6>", lambda m: [*m[:3], [*m[3], [SAID, 12, "ann", None, "<a5>"]]])


def answered_differently(events: list[Event]) -> None:
    again = [k for k, _, m in frames(events, "ann") if isinstance(m, dict) and m.get("seq") == 2][1]
    changed(events, again, lambda m: {**m, "n": m["n"] - 1})


def answered_elsewhere(events: list[Event]) -> None:
    changed(events, answer_to(events, 1), lambda m: {**m, "n": 2})


def answered_too_early(events: list[Event]) -> None:
    told, answered = diff_with(events, "<a1>", "ann"), answer_to(events, 1)
    events.insert(told, events.pop(answered))


def answered_once_more(events: list[Event]) -> None:
    events.insert(answer_to(events, 1), events[answer_to(events, 1)])


def refused_and_done(events: list[Event]) -> None:
    everywhere(events, "<a5>", lambda m: [*m[:3], [*m[3], [SAID, 11, "ann", None, "<a3>"]]])


def falsely_reused(events: list[Event]) -> None:
    changed(events, answer_to(events, 1), lambda m: {"t": "refused", "seq": 1, "code": "seq_reused", "params": {}})


def falsely_old(events: list[Event]) -> None:
    changed(events, answer_to(events, 1), lambda m: {"t": "refused", "seq": 1, "code": "seq_old", "params": {}})


def other_content_accepted(events: list[Event]) -> None:
    third = [k for k, _, m in frames(events, "ann") if isinstance(m, dict) and m.get("seq") == 2][2]
    changed(events, third, lambda m: {"t": "ack", "seq": 2, "n": 3, "made": []})


def accepted_from_before_a_rewind(events: list[Event]) -> None:
    place = next(k for k, e in enumerate(events) if e[0] == "sent" and msgpack.unpackb(e[2]).get("text") == "<a5>")
    changed(events, place, lambda m: {**m, "seen": 1})


def rewind_without_effect(events: list[Event]) -> None:
    everywhere(events, "<r1>", lambda m: [*m[:3], [[*m[3][0][:3], 5, "<r1>"]]])


def set_from_another_value(events: list[Event]) -> None:
    place = next(k for k, e in enumerate(events) if e[0] == "sent" and msgpack.unpackb(e[2]).get("reason") == "<s3>")
    changed(events, place, lambda m: {**m, "was": "=9"})


def known_and_yet_before(events: list[Event]) -> None:
    for audience in AUDIENCES:
        swapped(events, "<a1>", "<a2>", audience)


def orders_differ(events: list[Event]) -> None:
    swapped(events, "<a1>", "<a2>", "all")


def action_ended_twice(events: list[Event]) -> None:
    everywhere(events, "<a5>", lambda m: [*m[:3], [*m[3], *2 * [[ACTION_ENDED, 11, "", UNIT, False, True]]]])


def action_began_twice(events: list[Event]) -> None:
    everywhere(events, "<a5>", lambda m: [*m[:3], [*m[3], *2 * [[ACTION_BEGAN, 11, "", UNIT, 5]]]])


def time_fell(events: list[Event]) -> None:
    everywhere(events, "<a5>", lambda m: [*m[:3], [[m[3][0][0], 0, *m[3][0][2:]]]])


def resumed_too_late(events: list[Event]) -> None:
    place = [k for k, e in enumerate(events) if e[0] == "open" and e[2]["audience"] == "all"][1]
    events[place] = ("open", events[place][1], {**events[place][2], "resume": ("e-all", 6)})


def of_another_epoch(events: list[Event]) -> None:
    place = [k for k, e in enumerate(events) if e[0] == "open" and e[2]["audience"] == "all"][1]
    events[place] = ("open", events[place][1], {**events[place][2], "resume": ("other", 8)})


def behind_the_client(events: list[Event]) -> None:
    place = [k for k, _, m in frames(events, "all") if isinstance(m, dict) and m["t"] == "welcome"][1]
    changed(events, place, lambda m: {**m, "n": 3})


def begun_anew(events: list[Event]) -> None:
    place = [k for k, _, m in frames(events, "all") if isinstance(m, dict) and m["t"] == "welcome"][1]
    changed(events, place, lambda m: {**m, "epoch": "new"})


def snapshot_of_something_else(events: list[Event]) -> None:
    place = [k for k, _, m in frames(events, "ann") if isinstance(m, dict) and m["t"] == "snapshot"][1]
    changed(events, place, lambda m: {**m, "view": {"v": 3}})


def gone_at_the_end(events: list[Event]) -> None:
    events.append(("gone", 1, "4001 this invitation opens no seat"))


def nobody_let_in(events: list[Event]) -> None:
    finals = {line for kind, line, value in events if kind == "open" and value["final"]}
    events[:] = [event for event in events if event[1] not in finals]


def never_answered(events: list[Event]) -> None:
    del events[answer_to(events, 5)]


def never_told(events: list[Event]) -> None:
    events.remove(next(e for e in reversed(events) if e[0] == "got" and b"<a6>" in e[2]))


@pytest.mark.parametrize(
    ("mistake", "kind"),
    [
        (drop, LOST),
        (twice, DOUBLED),
        (overtaken, DISORDER),
        (other_bytes, UNSEEN),
        (acked_and_nowhere, LOST),
        (done_twice, DOUBLED),
        (answered_differently, WRONG),
        (answered_elsewhere, WRONG),
        (answered_too_early, DISORDER),
        (answered_once_more, DOUBLED),
        (refused_and_done, WRONG),
        (falsely_reused, WRONG),
        (falsely_old, WRONG),
        (other_content_accepted, LOST),
        (accepted_from_before_a_rewind, DISORDER),
        (rewind_without_effect, DISORDER),
        (set_from_another_value, DISORDER),
        (known_and_yet_before, DISORDER),
        (orders_differ, DISORDER),
        (action_ended_twice, DOUBLED),
        (action_began_twice, DOUBLED),
        (time_fell, DISORDER),
        (resumed_too_late, LOST),
        (of_another_epoch, WRONG),
        (behind_the_client, UNSEEN),
        (begun_anew, UNSEEN),
        (snapshot_of_something_else, UNSEEN),
        (gone_at_the_end, LOST),
        (nobody_let_in, WAITS),
        (never_answered, WAITS),
        (never_told, WAITS),
    ],
)
def test_a_mistake_is_found(mistake: Callable[[list[Event]], None], kind: str):
    events = evening().events()
    mistake(events)
    found = check(events).violations
    assert kind in {one.kind for one in found}, found
