"""Plays a scenario: does each step over the clients' sockets, waits for what must come, looks at what must hold.

Never sleeps but for human eyes: everything else waits for a message, and not for ever.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from protocol.client import Ack, BadMessage, Refused, Table, TableProblem, Told, Unanswered, View
from server.scenario.client import PATIENCE_S, Client, all_of
from server.scenario.expectations import findings, right
from server.scenario.format import Command, Scenario, Step, Wait, said
from server.scenario.names import Names
from server.scenario.picture import Picture
from server.scenario.problems import ScenarioProblem, StepWrong


@dataclass(slots=True)
class Score:
    """What was played. `refused`: refusals, every one expected."""

    commands: int = 0
    interrupts: int = 0
    refused: int = 0
    looked_at: int = 0


class Player:
    """`await player.play()`; raises StepWrong, ScenarioProblem. `pause_s`: for human eyes, between two steps."""

    def __init__(
        self,
        scenario: Scenario,
        clients: Iterable[Client],
        seats: Mapping[str, str],
        picture: Picture,
        *,
        pause_s: float = 0.0,
    ) -> None:
        self.scenario = scenario
        self.clients = {client.name: client for client in clients}
        self.picture = picture
        self.score = Score()
        st_seat = next(seat.seat for seat in scenario.seats if seat.role == "st")
        self.st = next(client for client in self.clients.values() if client.seat == st_seat)
        self._seats = seats
        self._pause_s = pause_s
        self._names: Names | None = None
        self._now = "before the first step"
        self._title = ""

    @property
    def names(self) -> Names:
        if self._names is None:
            self._names = Names(self.st.table, self._seats)
        self._names.st = self.st.table
        return self._names

    # ------------------------------------------------------------------------------------------------------ before the play
    async def sit_down(self) -> None:
        """All connect."""
        await all_of([client.sit_down() for client in self.clients.values()])

    async def set_up(self) -> None:
        """The ST prepares every unit of the file, in its order."""
        with self._telling("the units"):
            for unit in self.scenario.units:
                fields: dict[str, Any] = {"unit": {k: v for k, v in unit.items() if k != "owner"}}
                if unit.get("owner"):
                    fields["owner"] = self.names.seat(unit["owner"])
                await self.st.table.command("add_unit", **fields)
                self.score.commands += 1
            await self._all_hear()
        self.picture.cast(self.scenario)

    # ------------------------------------------------------------------------------------------------------------- the play
    async def play(self) -> Score:
        self.st.hear = self._hear  # what the ST hears is what the audience sees
        for number, step in enumerate(self.scenario.steps, 1):
            await self._play(number, step)
        return self.score

    async def _play(self, number: int, step: Step) -> None:
        title = self._title = said(step.step, "en") or self._title
        with self._telling(f"step {number}{f' ({title})' if title else ''}"):
            self.picture.step(number, said(step.step, self.picture.language), said(step.say, self.picture.language))
            for client in self.clients.values():
                client.forget()
            made = await self._do(step)
            if step.wait is not None:
                await self._come_to(step.wait)
            await self._all_hear()
            self.names.note(step.note, made)
            if step.expect is not None:
                self._look(step)
        if self._pause_s:
            await asyncio.sleep(self._pause_s * (1 if step.step else 0.6))

    async def _do(self, step: Step) -> tuple[str, ...]:
        if step.drop is not None:
            await self._client(step.drop).break_off()
            self.picture.line_cut(step.drop)
        elif step.resume is not None:
            await self._resume(self._client(step.resume))
        elif step.nobody_answers is not None:
            await self._nobody_answers(to_the_end=step.nobody_answers == "to_the_end")
        else:
            return await self._send(step.commands)
        return ()

    async def _send(self, commands: list[Command]) -> tuple[str, ...]:
        """All at one instant. Turned to wire before the first is sent: none is written knowing of another."""
        wires = []
        for command in commands:
            kind, fields = next(iter(command.do.items()))
            table = self._client(command.by).table
            as_seat = self.names.seat(command.as_seat) if command.as_seat else None
            wires.append((table, kind, as_seat, self.names.wire(kind, fields)))
        answers = await asyncio.gather(
            *(self._answer(table, kind, as_seat, fields) for table, kind, as_seat, fields in wires)
        )
        made: tuple[str, ...] = ()
        for command, answer in zip(commands, answers, strict=True):
            self._judge(command, answer)
            made += answer.made if isinstance(answer, Ack) else ()
        return made

    async def _answer(self, table: Table, kind: str, as_seat: str | None, fields: dict[str, Any]) -> Ack | Refused:
        self.score.commands += 1
        try:
            return await table.command(kind, as_seat=as_seat, timeout=PATIENCE_S, **fields)
        except Refused as refused:
            return refused

    def _judge(self, command: Command, answer: Ack | Refused) -> None:
        kind = next(iter(command.do))
        if isinstance(answer, Refused):
            self.picture.refused(command.by, kind, str(answer), answer.code)
        code = answer.code if isinstance(answer, Refused) else None
        if code != command.refused:
            said = f"refused: {code}" if code else "accepted"
            wanted = f"refused: {command.refused}" if command.refused else "accepted"
            raise StepWrong(self._now, f"{kind} by {command.by}", wanted, said)
        self.score.refused += code is not None

    async def _resume(self, client: Client) -> None:
        missed = await client.sit_down()
        self.picture.line_back(client.name, missed)
        if client.snapshots:
            raise StepWrong(self._now, f"what {client.name} is sent on coming back", "what it missed", "all, anew")

    async def _nobody_answers(self, *, to_the_end: bool) -> None:
        """Whoever is asked and has no standing order for it passes, at one instant; then the window closes."""
        st = self.st.table
        while st.stack:
            window = st.stack[-1].window
            await self._all_hear()
            asked = {client.seat: client for client in self.clients.values() if client.online and _asks(client, window)}
            await self._send([Command(by=one.name, do={"pass": {"window": "top"}}) for one in asked.values()])
            await st.until(lambda it, window=window: f"w/{window}" not in it.state, PATIENCE_S)  # type: ignore[misc]
            if not to_the_end:
                return

    # ------------------------------------------------------------------------------------------------- waiting and looking
    async def _come_to(self, wait: Wait) -> None:
        def there(st: Table) -> bool:
            window = View(st.state, "w", st.stack[-1].window) if st.stack else None
            return (
                (wait.stack is None or len(st.stack) == wait.stack)
                and (wait.gen is None or (window is not None and window.get("gen") == wait.gen))
                and (wait.held is None or st.state.get("t/held") == wait.held)
                and (wait.active is None or str(st.active or "nobody") == wait.active)
                and (wait.closed is None or f"w/{self.names.label(wait.closed)}" not in st.state)
            )

        try:
            await self.st.table.until(there, PATIENCE_S)
        except Unanswered:
            wanted = ", ".join(f"{name} {value}" for name, value in wait if value is not None)
            st = self.st.table
            found = f"stack {len(st.stack)}, held {st.state.get('t/held')}, active {st.active or 'nobody'}"
            raise StepWrong(self._now, f"what the table comes to in {PATIENCE_S:g} s", wanted, found) from None

    async def _all_hear(self) -> None:
        await all_of([client.hear_all() for client in self.clients.values() if client.online])

    def _look(self, step: Step) -> None:
        assert step.expect is not None
        looked = 0
        for what, expected, found in findings(step.expect, self.names, self.clients):
            if not right(expected, found):
                raise StepWrong(self._now, what, repr(expected), repr(found))
            looked += 1
        self.score.looked_at += looked
        self.picture.holds(looked)

    # -------------------------------------------------------------------------------------------------------------- helpers
    def _hear(self, told: Told) -> None:
        if told.kind == "declared" and (told.get("parent") or told.get("slot") == "immediate"):
            self.score.interrupts += 1
        self.picture.happened(told, self.st.table)

    def _client(self, name: str) -> Client:
        if name in self.clients:
            return self.clients[name]
        raise ScenarioProblem(f"there is no connection {name}; there are {', '.join(self.clients)}")

    def _telling(self, step: str) -> "_Telling":
        self._now = step
        return _Telling(step)


class _Telling:
    """Whatever goes wrong inside is told with the step's name."""

    def __init__(self, step: str) -> None:
        self.step = step

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, problem: BaseException | None, __: object) -> None:
        if isinstance(problem, Refused):
            raise StepWrong(self.step, "a command", "accepted", f"refused: {problem.code}") from None
        if isinstance(problem, (ScenarioProblem, TableProblem, BadMessage, KeyError, TimeoutError)):
            raise ScenarioProblem(f"{self.step}: {problem}") from problem


def _asks(client: Client, window: str) -> bool:
    me = client.table.state.get(f"w/{window}/me") or {}
    return bool(me.get("asked") and not me.get("passed") and not me.get("order_passes"))
