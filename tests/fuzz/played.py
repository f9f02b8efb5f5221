"""Commands as somebody would give them who plays: drawn as the random walks over the rules draw them, put into wire form."""

import re
from dataclasses import asdict
from random import Random
from typing import Any

from core import commands as cmd
from core.commands import Command
from core.ids import ST, SeatId
from core.state import Table
from protocol.from_client import BODIES, Unit
from tests.walk import tables
from tests.walk.draws import ACTION, CALM, DRAWN, KINDS, SUMMED, WINDOW, wanted
from tests.walk.walk import Walk

NOT_HERE = (cmd.Rewind, cmd.AnswerRequest)
"""These name what only the server knows; the grammar draws them."""


class Playing(Walk):
    """A table of a running server, seen as a walk sees its own."""

    def __init__(self, random: Random, table: Table) -> None:
        self.random, self.table = random, table
        self.seat: SeatId = ST
        self.leaves, self.steps, self.ready = {}, [], 0

    def awaited(self, seats: list[SeatId]) -> SeatId:
        """One of those whose answer is awaited, or whose unit acts."""
        return self.random.choice(wanted(self, seats))

    def command(self, seat: SeatId) -> dict[str, Any] | None:
        """What this seat might say now; None where that is none of a client's commands."""
        self.seat = seat
        play = self.table.play
        situation = WINDOW if play.stack else CALM if play.fight is None else ACTION
        (kind,) = self.random.choices(KINDS, cum_weights=SUMMED[situation])
        if issubclass(kind, NOT_HERE) or name_of(kind) not in BODIES:
            return None
        try:
            return wire(DRAWN[kind][1](self))
        except LookupError:  # a walk's own units can all do something; one that was thrown at the table may not
            return None


def name_of(kind: type[Command]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def wire(command: Command) -> dict[str, Any]:
    """A command of the rules as a client writes it."""
    if isinstance(command, cmd.AskLeave):
        return {"kind": "ask_leave", "command": wire(command.command), "text": command.text}
    return {"kind": name_of(type(command)), **_plain(asdict(command))}  # type: ignore[call-overload]  # each is a dataclass


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        own = {"id", "number"} if "initiative_bonus" in value else set()
        return {key: _plain(one) for key, one in value.items() if key not in own}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def a_unit(random: Random, name: str) -> dict[str, Any]:
    """One that can do much of what the rules know, on the stage."""
    found = _plain(asdict(tables.a_unit(random)))
    fields = {key: value for key, value in found.items() if key in Unit.model_fields}
    return {**fields, "name": name, "on_stage": True, "hidden": False, "conditions": {}}
