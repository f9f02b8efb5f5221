"""Every command and every question, from every kind of seat, in every situation, at a live server: what is said to it.

The page is situations.py. A table is made in the store for each command as tests/helpers/examples.py has it, with all that
the example needs; what is refused must leave it as it was.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, cast

import msgpack
import pytest
from websockets.asyncio.client import ClientConnection

from core import commands as cmd
from core.cells import cells as cells_of
from core.commands import By, all_commands
from core.decide import kind_of
from core.ids import ST, KeyId, SeatId
from core.refusals import CODES
from core.roles import NOT_LENT, ROLES
from core.state import Loan, Seat, Table
from core.view import audiences
from protocol.codes import REFUSALS
from protocol.from_client import ASKS, BODIES
from server import auth, cells, history
from server.app import App
from tests.helpers import play
from tests.helpers.examples import EXAMPLES
from tests.helpers.play import Game
from tests.server.situations import ALWAYS, PLAYERS, QUESTIONS, STORYTELLERS
from tests.server.test_gateway import heard, raw, settings

FAR_MS = 600_000
EYES = {"see_as": "p1"}
PUT_IN = {"play", "command", "wire"}


PAGE = {kind: {**row, **ALWAYS} for kind, row in (PLAYERS | STORYTELLERS).items()}
AS_IT_IS = {"st", "own", "other", "lent", "spectator", "eyes"}
"""The situations in which the table is as the example leaves it."""
LIMITS = {f"rate_{what}": 0 for what in ("connection", "seat", "table", "address", "joins", "joins_all")}


# ------------------------------------------------------------------------------------------------------------- the page
def test_every_command_and_every_question_has_its_row():
    assert set(PLAYERS) == {kind for kind, roles in ROLES.items() if "player" in roles}
    assert set(STORYTELLERS) == {kind for kind, roles in ROLES.items() if roles == {"st"}}
    assert set(PAGE) == set(BODIES)
    assert set(QUESTIONS) == set(ASKS)


def test_the_page_agrees_with_the_roles():
    """Whoever may not is refused so; whoever may is never refused so."""
    for kind, row in PAGE.items():
        assert ("forbidden" == row["st"]) == ("st" not in ROLES[kind]), kind
        assert ("forbidden" == row["own"]) == ("player" not in ROLES[kind]), kind
        assert ("forbidden" == row["lent"]) == ("player" not in ROLES[kind] or kind in NOT_LENT), kind


def test_what_is_said_is_a_word_of_the_protocol():
    said = {one for row in (*PAGE.values(), *QUESTIONS.values()) for one in row.values()}
    assert said <= {"ok", "-", *CODES, *REFUSALS}


# ---------------------------------------------------------------------------------------------------------- one situation
class Scene:
    """An example of a command at a table of its own. `who`: whose command it is; `body`: as it goes over the wire."""

    def __init__(self, kind: str, situation: str, now: int) -> None:
        play.START = now
        named = all_commands()["".join(word.capitalize() for word in kind.split("_"))]
        self.game, command, by = EXAMPLES[named](3)
        self.kind = kind
        self.who = by if by != "st" else "p1"
        self.body = wire(command)
        if situation == "hidden":
            self._about(self.game.unit("Ghost", hidden=True))
        elif situation == "off_stage":
            self._off_stage()
        elif situation == "no_fight" and self.game.table.play.fight is not None:
            while stack := self.game.table.play.stack:
                self.game.do(cmd.Cancel(stack[-1]))
            self.game.do(cmd.EndFight())
        elif situation == "held" and not self.game.table.play.held:
            self.game.do(cmd.Hold())

    def _about(self, unit: str) -> None:
        self.body = {**self.body, "unit": unit}

    def _off_stage(self) -> None:
        for unit in [u for u, seat in self.game.table.owners.items() if seat == self.who]:
            if self.game.table.play.units[unit].on_stage:
                self.game.do(cmd.TakeOff(unit))

    @property
    def table(self) -> Table:
        """With a spectator, loans of both players' seats, and windows that nobody's slowness closes."""
        table = self.game.table
        seats = {SeatId("w1"): Seat(SeatId("w1"), "Watcher", "spectator"), **table.seats}
        for id in (SeatId("p1"), SeatId("p2")):
            if id in seats and seats[id].loan is None:
                seats[id] = replace(seats[id], loan=Loan(KeyId(f"lent-{id}"), "Dora", self.game.now + 3_600_000))
        windows = {id: later(window) for id, window in table.play.windows.items()}
        return replace(table, seats=seats, play=replace(table.play, windows=windows))


def later(window: Any) -> Any:
    if window.clock is None or not window.clock.running:
        return window
    return replace(window, clock=replace(window.clock, deadline=window.clock.deadline + FAR_MS))


def wire(command: Any) -> dict[str, Any]:
    """A command of the rules as a client writes it."""
    names = [field.name for field in fields(cast(Any, type(command))) if field.name not in PUT_IN]
    body = {name: plainly(getattr(command, name)) for name in names if getattr(command, name) is not None}
    if isinstance(command, cmd.AskLeave):
        body["command"] = {"kind": kind_of(command.command), **wire(command.command)}
    if isinstance(command, cmd.AnswerRequest):  # what leave was asked for is kept as its sender wrote it
        body["yes"] = False
    if isinstance(command, cmd.AddSeat | cmd.RenewInvitation | cmd.LendSeat):
        body["salt"] = "0123456789abcdef"
    if isinstance(command, cmd.Rewind):
        body = {"to": 0, "head": 1}
    return body


def plainly(value: Any) -> Any:
    if isinstance(value, tuple):
        return [plainly(one) for one in value]
    return cells.plain(value) if is_dataclass(value) else value


def names_a_unit(body: Mapping[str, Any]) -> bool:
    """One unit by its id, as what the command is about."""
    return isinstance(body.get("unit"), str)


# ------------------------------------------------------------------------------------------------------------ at a server
class Server:
    def __init__(self, app: App) -> None:
        self.app = app
        self.store = app.rooms.store

    async def keep(self, table: Table) -> tuple[str, dict[str, str]]:
        """Puts a table into the store as it is: (its id, the token of each seat and loan)."""
        id = auth.new_id()
        epochs = {audience: auth.new_id() for audience in audiences(table)}
        record = history.Record(By(ST, "st"), table.seen, "", (), {}, dict.fromkeys(epochs, 0), epochs)
        tokens: dict[str, str] = {}
        for seat in table.seats.values():
            tokens[seat.id] = auth.new_token(id, seat.id)
            await self.store.put_seat(id, seat.id, auth.record(tokens[seat.id], seat.role, seat.name))
            if seat.loan is not None:
                lent = tokens[f"lent {seat.id}"] = auth.new_token(id, seat.loan.key)
                await self.store.put_seat(id, seat.loan.key, auth.record(lent, seat.role, seat.name, seat.id))
        await self.store.create(
            id,
            name="T",
            cells={cell: cells.encode(entity) for cell, entity in cells_of(table).items()},
            epochs=epochs,
            keys={"dice": b"scripted", "ids": secrets.token_bytes(32)},
            entry=history.write(record),
        )
        return id, tokens

    async def sit(self, stack: AsyncExitStack, token: str, **more: Any) -> ClientConnection:
        socket = await stack.enter_async_context(raw(self.app))
        hello = {"t": "hello", "versions": [1], "minor": 2, "token": token, "client": secrets.token_hex(4), **more}
        await socket.send(msgpack.packb(hello))
        assert (await heard(socket))["t"] == "welcome"
        return socket

    async def said(self, stack: AsyncExitStack, token: str, message: Mapping[str, Any], **hello: Any) -> str:
        """ "ok", or the code of the refusal."""
        socket = await self.sit(stack, token, **hello)
        await socket.send(msgpack.packb(message))
        while True:
            answer: Any = await heard(socket)
            if isinstance(answer, dict) and answer["t"] in ("ack", "refused", "answer"):
                return "ok" if answer["t"] == "ack" else str(answer.get("code") or "ok")

    async def version(self, id: str) -> int:
        loaded = await self.store.load(id)
        assert loaded is not None
        return loaded.version


def command(scene: Scene, seen: int) -> dict[str, Any]:
    return {"t": "command", "seq": 1, "seen": seen, "kind": scene.kind, **scene.body}


def sender(scene: Scene, situation: str) -> str:
    other = "p2" if scene.who == "p1" else "p1"
    return {"st": "x1", "other": other, "lent": f"lent {scene.who}", "spectator": "w1", "eyes": "x1"}.get(
        situation, scene.who
    )


async def found(server: Server, kind: str, situations: Sequence[str]) -> list[str]:
    """What is said in each of these situations, of one state of a table; and that what was refused has changed nothing."""
    scene = Scene(kind, situations[0], server.store.clock())
    if situations == ["hidden"] and not names_a_unit(EXAMPLE_BODIES[kind]):
        return ["-"]
    id, tokens = await server.keep(scene.table)
    told = []
    async with AsyncExitStack() as stack:
        if "rewound" in situations:
            await go_back(server, stack, tokens["x1"], scene.game)
        elif kind == "rewind":
            await undoable(server, stack, tokens["x1"], scene.game)
        before = await server.version(id)
        for situation in situations:
            seen = 0 if situation == "rewound" else 10**6
            hello = EYES if situation == "eyes" else {}
            told.append(await server.said(stack, tokens[sender(scene, situation)], command(scene, seen), **hello))
        if set(told) != {"ok"}:
            assert await server.version(id) == before, (kind, situations)
    return told


def groups(kind: str) -> list[list[str]]:
    """What is accepted needs a table of its own; what is refused does not, as it changes nothing."""
    row = PAGE[kind]
    refused = [one for one in row if one in AS_IT_IS and row[one] != "ok"]
    return [refused, *([one] for one in row if one not in refused)]


async def undoable(server: Server, stack: AsyncExitStack, st: str, game: Game) -> None:
    foe = next(unit for unit, one in game.table.play.units.items() if one.name.startswith("Foe"))
    adjust = {"t": "command", "seq": 1, "seen": 0, "kind": "adjust", "unit": foe, "path": "hp", "by": -1}
    assert await server.said(stack, st, adjust) == "ok"


async def go_back(server: Server, stack: AsyncExitStack, st: str, game: Game) -> None:
    """Something is undone, which whoever has a command under way has not seen yet."""
    await undoable(server, stack, st, game)
    back = {"t": "command", "seq": 1, "seen": 1, "kind": "rewind", "to": 0, "head": 1}
    assert await server.said(stack, st, back) == "ok"


EXAMPLE_BODIES: dict[str, dict[str, Any]] = {}


@pytest.fixture
async def server(valkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    monkeypatch.setattr(play, "START", play.START)
    async with App(settings(valkey, tmp_path, heartbeat_s=60, **LIMITS)) as app:
        for kind in BODIES:
            EXAMPLE_BODIES[kind] = Scene(kind, "", app.rooms.store.clock()).body
        yield Server(app)


@pytest.mark.timeout(120)
async def test_every_cell_at_a_live_server(server: Server):
    gate = asyncio.Semaphore(8)

    async def told(kind: str, situations: list[str]) -> dict[tuple[str, str], str]:
        async with gate:
            said = await found(server, kind, situations)
        return {(kind, one): answer for one, answer in zip(situations, said, strict=True)}

    cells: dict[tuple[str, str], str] = {}
    for some in await asyncio.gather(*(told(kind, group) for kind in PAGE for group in groups(kind) if group)):
        cells |= some
    assert {cell: said for cell, said in cells.items() if PAGE[cell[0]][cell[1]] != said} == {}
    assert len(cells) == sum(map(len, PAGE.values()))


async def test_every_question_at_a_live_server(server: Server):
    scene = Scene("end_effect", "", server.store.clock())
    id, tokens = await server.keep(scene.table)
    effect = next(iter(scene.table.play.effects))
    needs: dict[str, dict[str, Any]] = {
        "rewind_preview": {"to": 0},
        "calc": {"text": "1 + 1"},
        "explain": {"effect": effect},
        "read_units": {"text": "name: Ghoul"},
    }
    told: dict[str, dict[str, str]] = {}
    for what in ASKS:
        told[what] = {}
        for who in ("st", "own", "lent", "spectator", "eyes"):
            async with AsyncExitStack() as stack:
                ask = {"t": "ask", "id": 1, "what": what, **needs.get(what, {})}
                token = tokens[{"st": "x1", "own": "p1", "lent": "lent p1", "spectator": "w1", "eyes": "x1"}[who]]
                told[what][who] = await server.said(stack, token, ask, **(EYES if who == "eyes" else {}))
    assert told == QUESTIONS
    assert await server.version(id) == 2, "nothing is changed, and that the file was given is noted"
