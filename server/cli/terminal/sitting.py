"""Somebody at a table: what is told is printed, what is typed is done. The one place with a connection and a keyboard."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable, Set
from contextlib import suppress
from dataclasses import replace
from typing import Any

from core.refusals import RULES
from protocol import texts
from protocol.client import Ack, BadMessage, Closed, Refused, Table, TableProblem, Unanswered
from protocol.updates import Told
from server.cli.terminal import asides, asked
from server.cli.terminal.look import look, sheet, waiting
from server.cli.terminal.sayings import said
from server.cli.terminal.screen import Screen
from server.cli.terminal.seen import Seen
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.verbs import Fields, Local, Send, read

YES = frozenset({"yes", "y", "是", "好"})
LATEST = 10
"""Lines of what happened before, told on arrival."""
LATEST_HEARD = 1000
"""Lines that a script can still wait for."""
WAIT_S = 30.0
FOR_EVER_S = 1e7
SOON_S = 8.0
"""An answer that takes longer than this is said to be awaited."""


class Sitting:
    """One seat at one terminal, from arrival to leaving."""

    def __init__(self, table: Table, screen: Screen, language: str) -> None:
        self.table = table
        self.screen = screen
        self.language = language
        self._updates = table.updates()
        self._open: dict[tuple[str, int, tuple[str, ...]], str] = {}
        self._lost: float | None = None
        self._refused = ""
        self.wanted: Send | None = None
        self._numbers: dict[str, int] = {}
        self._most = 0
        self.heard: deque[str] = deque(maxlen=LATEST_HEARD)
        self.news = asyncio.Event()
        self._sent: set[asyncio.Task[bool]] = set()

    # ------------------------------------------------------------------------------------------------------ what is seen
    def seen(self) -> Seen:
        table = self.table
        seen = Seen(
            table.state,
            table.role,
            table.seat,
            n=table.n,
            refused=self._refused,
            numbers=self._numbers,
            language=self.language,
        )
        open_now = seen.ids("q")
        if open_now != list(self._numbers):  # a request keeps its number for as long as it is open
            self._most = self._most if open_now else 0
            for id in open_now:
                if id not in self._numbers:
                    self._most += 1
                    self._numbers[id] = self._most
            self._numbers = {id: self._numbers[id] for id in open_now}
            seen = replace(seen, numbers=self._numbers)
        return seen

    def age_s(self) -> float | None:
        """How old what is shown is, while the connection is lost."""
        return None if self._lost is None else time.monotonic() - self._lost

    def tell(self, key: str, style: str = "", **fields: Any) -> None:
        self.screen.line(said(self.language, key, **fields), style)

    def told(self, lines: Iterable[Told]) -> None:
        """Lines of the log; to an ST with their numbers, and which ST it was where the sentence does not say it."""
        is_st = self.table.role == "st"
        state = self.table.state
        sts = {id: name for id, name in self.table.seats.items() if state.get(f"s/{id}", {}).get("role") == "st"}
        self.screen.told(once(lines), self.language, numbers=is_st, sts=sts if is_st else {})

    async def arrive(self) -> None:
        table = self.table
        role = texts.word("roles", table.role, self.language)
        seat = table.seat_name if table.seat_name == role else f"{table.seat_name} ({role})"
        self.tell("welcome", "bold", table=table.name, seat=seat)
        if table.state.get("t/practice"):
            self.tell("practice", "yellow")
        if not table.durable:
            self.tell("not_durable", "yellow")
        if table.read_only:
            self.tell("read_only", "yellow")
        with suppress(TableProblem):
            before = await table.log(limit=LATEST)
            self.tell("before" if before else "nothing_before", "dim")
            self.told(before[-LATEST:])
        self.look()

    def look(self, unit: str | None = None) -> None:
        table, seen = self.table, self.seen()
        if unit is not None:
            self.screen.show(*sheet(seen, unit, self.language))
        else:
            self.screen.show(*look(seen, self.language, table.clock(), table.here, self.age_s()))

    # ------------------------------------------------------------------------------------------------------- what is told
    async def follow(self) -> None:
        """Prints what happens and asks what is asked, until the table is closed. Raises Closed."""
        self.ask()
        async for update in self._updates:
            if update.missed:
                self.tell("missed", "dim", n=update.missed)
            self.told(update.lines)
            self.heard += [line.text(self.language) for line in update.lines]
            if update.reason and update.reason != "first":
                self.tell("anew", "yellow", reason=texts.word("anew", update.reason, self.language))
            await self.tell_waiting(update.lines)
            for hint in asked.to_sustain(self.seen(), (told.line for told in update.lines), self.language):
                self.screen.line(f"▶ {hint}", "bold yellow")
            self.ask(told={line["pending"] for line in update.lines if line.kind == "declared"})
            self.news.set()

    async def tell_waiting(self, lines: Iterable[Told]) -> None:
        """What has just been asked for, with how to answer it."""
        asks = {line["ask"] for line in lines if line.kind == "roll_asked" and self.table.role != "st"}
        asks |= {line["request"] for line in lines if line.kind == "request_made" and self.table.role == "st"}
        if not asks:
            return
        acts = {id: await asides.taken_back(self, id) for id in asides.take_backs(self) if id in asks}
        self.screen.show(*waiting(self.seen(), self.language, only=asks, acts=acts))

    def ask(self, told: Set[str] = frozenset()) -> None:
        """New questions are put, those that are over are taken back. `told`: acts that stand just above."""
        seen, now = self.seen(), self.table.clock()
        standing = {question.key: question for question in asked.questions(seen)}
        windows = {key[0] for key in standing}
        for key in [key for key in self._open if key not in standing]:
            act = self._open.pop(key)
            window = key[0]
            if window in windows:
                continue  # the same window asks anew, which says all
            if seen.of("w", window, "covered"):
                self.tell("covered", "dim", act=act)
            elif seen.of("w", window, "gen") is None:
                self.tell("over", "dim", act=act)
        for key, question in standing.items():
            if key not in self._open:
                self._open[key] = asked.act_line(seen, question.pending, self.language)
                first, *others = asked.ask(seen, question, now, self.language, known=question.pending in told)
                self.screen.line(f"▶ {first}", "bold yellow")
                for other in others:
                    self.screen.line(f"  {other}", "yellow")

    async def watch_line(self) -> None:
        """Says when the connection is lost, and when it is back."""
        while True:
            await self.table.until(lambda it: it.connection_state != "online", FOR_EVER_S)
            self._lost = time.monotonic()
            self.tell("stopped" if self.table.server_stopped else "away", "red")
            await self.table.until(lambda it: it.connection_state == "online", FOR_EVER_S)
            self.tell("back", "green", s=f"{time.monotonic() - self._lost:.0f}")
            self._lost = None

    def toolbar(self) -> str:
        """The countdown, and where things stand; drawn again and again."""
        seen, now = self.seen(), self.table.clock()
        parts = []
        if self._lost is not None:
            parts.append(said(self.language, "old", s=f"{self.age_s():.0f}"))
        if why := asked.held(seen, self.language):
            parts.append(why)
        standing = asked.questions(seen)
        for question in standing[-1:]:
            left = asked.seconds_left(seen, question.window, now)
            act = asked.act_line(seen, question.pending, self.language)
            bar = "" if left is None else " " + "█" * min(10, round(left))
            clock = (
                said(self.language, "stands") if left is None else said(self.language, "left_short", s=f"{left:.1f}")
            )
            parts.append(f"{clock}{bar} {act}")  # the time first: a phone cuts the end off
        if not standing:
            left = asked.seconds_left(seen, seen.top_window, now) if seen.top and seen.top_window else None
            if seen.top and left is not None:
                act = asked.act_line(seen, seen.top, self.language)
                parts.append(f"{said(self.language, 'left_short', s=f'{left:.1f}')} {act}")
            if seen.state.get("t/fight"):
                parts.append(said(self.language, "fight", turn=seen.state.get("t/turn", 1)))
                parts.append(said(self.language, "acts", unit=seen.name(seen.active)) if seen.active else "")
                if (action := asked.action_left(seen, now)) is not None:
                    parts.append(said(self.language, "left_short", s=f"{action:.0f}"))
        if self.table.connection_state != "online" and self._lost is None:
            parts.append(texts.word("connection", self.table.connection_state, self.language))
        return " · ".join(part for part in parts if part)

    # ------------------------------------------------------------------------------------------------------ what is typed
    async def obey(self, lines: AsyncIterator[str], *, patient: bool) -> None:
        """Does one line after the other, until they end or one says `quit`. `patient`: each is answered before the next."""
        async for line in lines:
            try:
                if await self.do(line, patient=patient):
                    break
            except Unclear as problem:
                self.screen.line(ended(problem.said(self.language)), "red")
        if self._sent:
            await asyncio.wait(self._sent, timeout=WAIT_S)

    async def do(self, line: str, *, patient: bool = True) -> bool:
        """One line. True: it said `quit`. Raises Unclear."""
        wanted, self.wanted = self.wanted, None
        if wanted is not None:
            if line.strip().casefold() in YES:
                await self.send(wanted)
                return False
            self.tell("wanted_not", "dim")
            if line.strip().casefold() in ("", "no", "n", "否"):
                return False
        wish = read(line, self.seen())
        if isinstance(wish, Local):
            return await asides.do(self, wish)
        if wish is not None:
            task = asyncio.create_task(self.send(wish, line, patient=patient))
            self._sent.add(task)
            task.add_done_callback(self._sent.discard)
            await (task if patient else asyncio.sleep(0))
        return False

    async def send(self, wish: Send, line: str = "", *, patient: bool = True) -> bool:
        """A command to the table; its refusal as a sentence. Whether it was done."""
        kind, fields = wish.command["kind"], {k: v for k, v in wish.command.items() if k != "kind"}
        before = self.screen.printed
        try:
            ack = await self.answered(kind, wish.as_seat, fields, line or kind, patient=patient)
        except Refused as refused:
            self.refused(wish, line, refused)
        except Unanswered as problem:
            self.tell("unanswered", "red", why=problem)
        except BadMessage as problem:
            self.tell("refused", "red", why=problem.said(self.language).removeprefix("unit."))
        except Closed:
            pass  # said once, by whoever follows the table
        else:
            for _ in range(3):  # what the change told is printed by now, or there was nothing to tell
                await asyncio.sleep(0)
            if kind == "pass" and self.seen().of("w", fields["window"], "gen") is not None:
                self.tell("passed", "dim")
            elif self.screen.printed == before:
                self.tell("done", "dim")
            self.notice(kind, fields)
            if ack.token is not None:
                self.tell("invitation", "bold", link=self.table.invitation(ack.token))
            return True
        return False

    def notice(self, kind: str, fields: Fields) -> None:
        """What has been done as it was said, and is odd all the same."""
        seen = self.seen()
        if kind == "add_unit":
            name = str(fields["unit"].get("name", ""))
            if sum(str(seen.unit(id, "name", "")).casefold() == name.casefold() for id in seen.ids("u")) > 1:
                self.tell("name_twice", "yellow", name=name)
        elif kind in ("set_value", "adjust"):
            unit, track = fields["unit"], fields["path"].removeprefix("tracks.").removesuffix(".value").split(".")[0]
            now, most = seen.unit(unit, track), seen.unit(unit, f"{track}_max")
            if isinstance(now, int) and isinstance(most, int) and not 0 <= now <= most:
                what = texts.word("values", track, self.language)
                self.tell("odd", "yellow", unit=seen.name(unit), what=what, value=now, most=most)

    async def answered(self, kind: str, as_seat: str | None, fields: Fields, line: str, *, patient: bool) -> Ack:
        """Waits for the answer to a command; where it is long in coming, says so, and then what it was an answer to."""
        limit = WAIT_S if patient else FOR_EVER_S
        command = asyncio.ensure_future(self.table.command(kind, as_seat=as_seat, timeout=limit, **fields))
        try:
            done, _ = await asyncio.wait([command], timeout=SOON_S)
            if not done and not patient:
                self.tell("still_waiting", "red", line=line)
                await asyncio.wait([command])
                self.tell("answered_late", "yellow", line=line)
            return await command
        finally:
            command.cancel()

    def refused(self, wish: Send, line: str, refused: Refused) -> None:
        """Why it was not done, and what could be done about it."""
        if refused.code == "changed" and wish.command["kind"] in ("rewind", "answer_request"):
            self.tell("more_since", "red")
            return
        why = texts.refusal(refused.code, refused.params, self.language).rstrip(".。")
        self.tell("refused", "red", why=why[:1].lower() + why[1:])
        self._refused = ""
        params = refused.params
        if params.get("convertible"):
            self.tell("pay_hint", "dim", slot=params["convertible"][0])
        if refused.code == "changed" and "value" in params:
            self.tell("now_hint", "dim", value=params["value"])
        if refused.code in RULES and self.table.role == "player" and wish.command["kind"] != "ask_leave":
            self._refused = line
            self.tell("leave_hint", "dim")


def ended(text: str) -> str:
    """As a whole sentence, with the stop of its script."""
    if text[-1:] in ".?!。？！":
        return text
    return f"{text}。" if text[-1:] >= "\u3000" else f"{text}."


SHOWN_BY = frozenset({"moved", "damaged", "rolled", "condition_gained", "condition_lost", "effect_started", "declared"})
"""Lines that tell what an act has done: that it was carried out need not be told beside them."""


def once(lines: Iterable[Told]) -> list[Told]:
    """Without what another line of the same change says already."""
    told = list(lines)
    shown = {one.n for one in told if one.kind in SHOWN_BY}
    out = {(one.n, one.get("unit")) for one in told if one.kind == "damaged" and one.get("value") == "out"}
    return [
        one
        for one in told
        if not (one.kind == "carried_out" and one.n in shown)
        and not (one.kind == "condition_gained" and one.get("condition") == "out" and (one.n, one.get("unit")) in out)
    ]
