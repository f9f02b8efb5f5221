"""What a seat may try on something hidden, or on something that is not there: the answers must be the same, and as fast."""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core import commands as cmd
from core.commands import Command
from core.state import Act, Pool
from tests.secrecy.pair import wire
from tests.secrecy.script import template
from tests.secrecy.side import Side

NOTHING = "nothing0"
"""As long as a real id."""


@dataclass(frozen=True)
class Try:
    """Something that a player sends. `hidden`: what it names, by what it is (see `Hidden`)."""

    name: str
    hidden: str
    make: Callable[[Any, Any], Command | Mapping[str, Any]]  # from his own unit's id, and the id that is tried


def strike(target: Any) -> Act:
    return Act("attack", "standard", ability="sword", targets=(target,))


TRIES = (
    Try("to aim at it", "unit", lambda own, id: cmd.Declare(own, strike(id))),
    Try("to act with it", "unit", lambda own, id: cmd.Declare(id, Act("use", "move"))),
    Try("to end its action", "unit", lambda own, id: cmd.EndAction(id, 1)),
    Try("to react with it", "unit", lambda own, id: cmd.React(id, Act("drop_prone", "immediate"))),
    Try("to roll for it", "unit", lambda own, id: cmd.Roll(id)),
    Try("to roll against it", "unit", lambda own, id: cmd.Roll(own, opposes=id)),
    Try("to speak as it", "unit", lambda own, id: cmd.Say("boo", id)),
    Try("to take it out of the fight", "unit", lambda own, id: cmd.LeaveFight(id)),
    Try("to ask leave for it", "unit", lambda own, id: {**wire(cmd.AskLeave(cmd.EndAction(id, 1), {}))}),
    Try("what it could do", "unit", lambda own, id: {"what": "options", "unit": id}),
    Try("to reckon with it", "unit", lambda own, id: {"what": "calc", "text": "hp + 1", "unit": id}),
    Try("to fire another's", "readied", lambda own, id: cmd.Fire(id)),
    Try("to let another's fire by itself", "readied", lambda own, id: cmd.SetReadiedAuto(id, True)),
    Try("to roll a secret task", "task", lambda own, id: cmd.RollTask(id)),
    Try("to drop a secret task", "task", lambda own, id: cmd.DropTask(id)),
    Try("why a secret effect ends", "effect", lambda own, id: {"what": "explain", "effect": id}),
    Try("to answer what another is asked", "ask", lambda own, id: cmd.Roll(own, ask=id)),
)


class Hidden:
    """A table in a fight, with one thing of each kind that p1 may not know of. In `still()`."""

    def __init__(self) -> None:
        kept, units = template(0)
        self.side = Side("A", kept)
        self.own = units["a"]
        self.calls: list[tuple[bytes, int]] = []
        a, b, d, e = (units[name] for name in "abde")
        self.st, self.p1, self.p2 = (self.side.client(seat) for seat in ("x1", "p1", "p2"))
        for client, command in (
            (self.st, cmd.StartFight((a, b, d, e))), (self.st, cmd.BeginAction(b)),
            (self.p2, cmd.Ready(b, Act("use", "standard"), None, "now")), (self.st, cmd.BeginAction(a)),
            (self.st, cmd.StartTask(a, "plot", Pool(fixed=1), 9, visibility="st")),
            (self.st, cmd.AddCondition(a, "watched", True, minutes=9, by=d)),
            (self.st, cmd.AskRoll((b,), Pool(fixed=1))),
        ):  # fmt: skip
            client.command(wire(command))
            self.side.loop.go(0.01)
        self.p1.seq = self.p1.asked = 10_000  # no number of these is longer than another
        table = self.side.table
        self.ids = {
            "unit": e, "readied": next(iter(table.play.readied)), "task": next(iter(table.play.tasks)),
            "effect": next(iter(table.play.effects)), "ask": next(iter(table.asks)),
        }  # fmt: skip
        keys, call = self.side.keys, self.side.keys.call

        def counted(*command: bytes) -> Any:
            self.calls.append((command[0], sum(map(len, command))))
            return call(*command)

        keys.call = counted  # type: ignore[method-assign]

    def tried(self, one: Try, id: str) -> tuple[bytes, list[tuple[bytes, int]], float]:
        """The answer, what the store was asked for it, and how long it took (s)."""
        said = one.make(self.own, id)
        self.calls.clear()
        seen = len(self.p1.got)
        began = time.perf_counter()
        if isinstance(said, Mapping) and "what" in said:
            self.p1.ask(said)
        else:
            self.p1.command(said if isinstance(said, Mapping) else wire(said))
        self.side.loop.go()
        took = time.perf_counter() - began
        calls = list(self.calls)
        answers = [got.raw for got in self.p1.got[seen:]]
        assert len(answers) == 1, f"{one.name}: {answers}"
        self.side.loop.go(3)  # its bucket fills again
        return answers[0].replace(id.encode(), b"(tried)"), calls, took


def measured(times: int = 200) -> Iterator[tuple[str, float, float]]:
    """Of each try: the medians (us) for what is hidden and for what is not there, by turns."""
    hidden = Hidden()
    for one in TRIES:
        took: dict[str, list[float]] = {hidden.ids[one.hidden]: [], NOTHING: []}
        for _ in range(times):
            for id, found in took.items():
                found.append(hidden.tried(one, id)[2] * 1e6)
        left, right = (statistics.median(found) for found in took.values())
        yield one.name, left, right
    hidden.side.end()
