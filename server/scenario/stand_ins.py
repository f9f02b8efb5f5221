"""Who plays the seats of the sample table that no person has taken: one of them may be enough to play, and any may come.

A stand-in does what a beginner would: attacks whoever stands against it, answers what is aimed at its own, passes the rest.
As soon as a person sits down in its seat it gets up. Nobody plays while no person is at the table at all.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from core.state import ATTACKS
from protocol.client import Closed, Prompt, Table, TableProblem, View, connect
from protocol.prompts import standing
from server import auth
from server.presence import Presence
from server.scenario.format import Scenario
from server.scenario.seats import Seats

log = logging.getLogger("overseer.stand_ins")

LOOK_S = 0.5
PATIENCE_S = 3600.0
OUT = frozenset({"dead", "out", "unconscious"})

Option = Mapping[str, Any]


class StandIns:
    """`await stand_ins.play()` until it is cancelled. `empty_s`: so long a seat is kept for the person who has just left
    it; `pause_s`: before each act, for human eyes."""

    def __init__(
        self,
        presence: Presence,
        scenario: Scenario,
        seats: Seats,
        address: str,
        *,
        empty_s: float = 5.0,
        pause_s: float = 1.5,
    ) -> None:
        self._presence = presence
        self._played = [one.seat for one in scenario.seats if one.role != "spectator"]
        self._seats = seats
        self._address = address
        self._empty_s = empty_s
        self._pause_s = pause_s
        self.sitting: set[str] = set()
        """The seats that are played by stand-ins now."""

    async def play(self) -> None:
        async with asyncio.TaskGroup() as all_seats:
            for seat in self._played:
                all_seats.create_task(self._keep(seat), name=f"stand-in: {seat}")

    def people(self, seat: str) -> int:
        """Connections of persons in a seat."""
        return self._presence.connections(self._seats.table, self._seats.ids[seat]) - (seat in self.sitting)

    def _wanted(self, seat: str) -> bool:
        return self.people(seat) == 0 and any(self.people(other) > 0 for other in self._seats.tokens)

    async def _keep(self, seat: str) -> None:
        """Sits down when the seat has been empty for a while, gets up when it is not wanted any more."""
        while True:
            await _once(lambda: self._wanted(seat))
            await asyncio.sleep(self._empty_s)
            try:
                if self._wanted(seat):
                    await self._sit(seat)
            except Closed:
                return  # the seat is gone, or has another invitation now
            except TableProblem as problem:
                log.info("a stand-in could not sit down: %s", problem)

    async def _sit(self, seat: str) -> None:
        async with connect(auth.invitation(self._address, self._seats.tokens[seat])) as table:
            self.sitting.add(seat)
            playing = asyncio.create_task(self._play(table), name=f"plays: {seat}")
            try:
                await _once(lambda: not self._wanted(seat) or playing.done())
            finally:
                self.sitting.discard(seat)
                playing.cancel()
                await asyncio.gather(playing, return_exceptions=True)

    async def _play(self, table: Table) -> None:
        while True:
            await table.until(lambda it: bool(standing(it)) or _acts(it), timeout=PATIENCE_S)
            await asyncio.sleep(self._pause_s)
            n = table.n
            try:
                await _do_something(table)
            except TableProblem:
                pass  # somebody was quicker, or the table is held: with the next change it looks again
            await table.until(lambda it, seen=n: it.n > seen, timeout=PATIENCE_S)  # type: ignore[misc]


async def _once(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 who is here changes by itself, and is a look into memory
        await asyncio.sleep(LOOK_S)


# --------------------------------------------------------------------------------------------------------- what it does
async def _do_something(table: Table) -> None:
    questions = standing(table)
    options: list[Option] = ((await table.ask("options")).model_extra or {})["options"]
    able = [one for one in options if "code" not in one]
    if questions:
        await _answer(table, questions[0], able)
    elif _acts(table):
        await _act(table, able)


async def _answer(table: Table, question: Prompt, able: list[Option]) -> None:
    """Whoever attacks its own is answered, if there is anything to answer with."""
    aimed = any(_is_mine(table, table.units[unit]) for unit in question.act.get("targets", ()))
    if aimed and question.kind == "before":
        for one in able:
            if one["kind"] == "react" and one.get("window") == question.window and one.get("ability"):
                return await _send(table, one, one.get("targets", [])[:1])
    if question.asked:
        await question.pass_()


async def _act(table: Table, able: list[Option]) -> None:
    """An attack on whoever stands against it, else the end of the action; where nobody does, the end of the fight."""
    active = table.active
    if active is None:
        return
    foes = [
        unit.id for unit in table.units.values() if unit.id in table.state["t/order"] and _stands_against(unit, active)
    ]
    if not foes:
        if table.role == "st":
            await table.command("end_fight")
        return
    for one in able:
        if one["kind"] == "declare" and one.get("unit") == active.id and one.get("act") in ATTACKS:
            targets = [target for target in one.get("targets", ()) if target in foes]
            if targets:
                return await _send(table, one, targets[:1])
    await table.end_action(active)


async def _send(table: Table, option: Option, targets: list[str]) -> None:
    act = {"kind": option["act"], **{name: option[name] for name in ("slot", "ability", "pay") if name in option}}
    window = {"window": option["window"]} if "window" in option else {}
    await table.command(option["kind"], unit=option["unit"], act={**act, "targets": targets}, **window)


def _acts(table: Table) -> bool:
    """Whether it is its own action, and nothing stands in the way of it."""
    active = table.active
    return active is not None and _is_mine(table, active) and not table.stack and not table.state["t/held"]


def _is_mine(table: Table, unit: View) -> bool:
    owner = unit.get("owner")
    return owner in (None, "", "st") if table.role == "st" else owner == table.seat


def _stands_against(unit: View, active: View) -> bool:
    return unit.side != active.side and not OUT & set(unit.conditions)
