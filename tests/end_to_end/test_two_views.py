"""Two tables that differ only in secrets, the same inputs: what a player and a spectator are sent is the same.

Over real sockets, frame for frame: the same number of frames, each of the same length, each with the same content but for
the names of ids and the instants of clocks.
"""

import asyncio
import itertools
import json
import re
from pathlib import Path
from typing import Any

import msgpack
import pytest

from protocol import checks
from protocol.client import Refused, Table, connect
from tests.end_to_end.conftest import STEP, SWORD
from tests.helpers.servers import Server, new_seat, new_table, overseer, serving

CANARY = "xyzzy"
"""Part of every secret text; it must be in no byte that an observer gets."""
PATHS = re.compile(r"^[a-z]/([^/]+)(/|$)")


class Observer:
    """Every frame a connection gets after its WELCOME, as bytes."""

    def __init__(self, table: Table) -> None:
        self.frames: list[bytes] = []
        self.table = table
        self.seats: dict[str, str] = {}
        table.frames = lambda frame: self.frames.append(bytes(frame))  # type: ignore[arg-type]

    def told(self) -> list[Any]:
        """The content, with ids named by their first appearance and instants left out; presence is not numbered."""
        names = {id: f"seat of {name}" for id, name in self.seats.items()}
        messages = [msgpack.unpackb(frame) for frame in self.numbered()]
        for message in messages:
            for path in _paths(message):
                if found := PATHS.match(path):
                    names.setdefault(found[1], f"id{len(names)}")
            if (
                isinstance(message, dict) and message["t"] == "check"
            ):  # the sum of what the observer has, and of no more
                message["crc"] = (message["n"], message["crc"]) == (self.table.n, checks.crc(self.table.state))
            if isinstance(message, list):
                message[3] = [[kind, "when", *rest] for kind, _, *rest in message[3]]
        plain = [_plain(message, names) for message in messages]
        return [[*m[:2], sorted(m[2], key=repr), m[3]] if isinstance(m[0], int) else m for m in plain]

    def numbered(self) -> list[bytes]:
        return [
            f for f in self.frames if isinstance(m := msgpack.unpackb(f), list) or m["t"] not in ("presence", "pong")
        ]


def _paths(message: Any) -> list[str]:
    if isinstance(message, list):
        return [op[0] for op in message[2]]
    return list(message.get("view", ()))


def _plain(value: Any, names: dict[str, str], key: str = "") -> Any:
    if key in ("epoch", "table", "name"):
        return f"the {key}"  # of a WELCOME: random, or what the two tables are called
    if isinstance(value, str):
        return "/".join(names.get(part, part) for part in value.split("/"))
    if isinstance(value, dict):
        # Views are maps by path: their order is part of what is sent.
        named = value.get("t") == "welcome"
        return [(_plain(k, names), _plain(v, names, str(k) if named or k == "left" else "")) for k, v in value.items()]
    if isinstance(value, list):
        return [_plain(one, names) for one in value]
    if isinstance(value, int) and (value > 10**12 or key == "left"):
        return "an instant"
    return value


class Side:
    """One of the two tables, with everybody at it."""

    def __init__(self, secret: bool, st: Table, ann: Table, bob: Table, watcher: Table) -> None:
        self.secret = secret
        self.st, self.ann, self.bob, self.watcher = st, ann, bob, watcher
        self.observers = {table.seat_name: Observer(table) for table in (ann, bob, watcher)}
        self.refusals: list[tuple[str, Any]] = []

    async def meet(self, mark: str) -> None:
        """Everybody has heard all that has happened until now."""
        await self.st.narrate(mark)
        for table in (self.ann, self.watcher, self.bob):
            await table.until(lambda t: t.n >= 0 and self._heard(t, mark))

    def _heard(self, table: Table, mark: str) -> bool:
        return any(mark.encode() in frame for frame in self.observers[table.seat_name].frames)

    async def tried(self, table: Table, kind: str, **fields: Any) -> None:
        """A command of the observer's: its answer is part of what he may not learn from."""
        try:
            await table.command(kind, **fields)
            self.refusals.append((kind, None))
        except Refused as refused:
            self.refusals.append((refused.code, sorted(refused.params)))


async def _sit(server: Server, data_dir: Path, name: str, stack: list[Any], *, secret: bool) -> Side:
    st = await new_table(server, data_dir, name, "--practice-seed", "11")
    ann = await new_seat(server, data_dir, "Ann", table=name)
    bob = await new_seat(server, data_dir, "Bob", table=name)
    watcher = await new_seat(server, data_dir, "Watcher", table=name, role="spectator")
    tables = []
    for invitation in (st, ann, bob, watcher):
        table = connect(invitation, client="c" * 8)
        stack.append(table)
        tables.append(await table.__aenter__())
    return Side(secret, *tables)


async def _play(side: Side) -> None:
    """The same evening on both tables; only where `side.secret` is asked, what nobody else may know differs."""
    st, ann, bob, secret = side.st, side.ann, side.bob, side.secret
    seats = {name: id for id, name in st.seats.items()}
    for observer in side.observers.values():
        observer.seats = st.seats
    units = {}
    for name, owner, initiative in (("Mira", "Ann", 30), ("Goro", "Bob", 20), ("Ghoul", None, 10)):
        numbers = {"dodge": 0, "base": 0}
        if name == "Ghoul" and secret:
            numbers = {"dodge": 0, "base": 0, "parry": 0, "notes": CANARY, "skills": {CANARY: 3}}  # type: ignore[dict-item]
        unit = {
            "name": name,
            "side": "heroes" if owner else "foes",
            "initiative": initiative,
            "tracks": {"hp": {"value": 30, "max": 40 if name == "Ghoul" and secret else 39}},
            "abilities": [SWORD, STEP],
            "on_stage": True,
            **numbers,
        }
        ack = await st.command("add_unit", unit=unit, owner=seats[owner] if owner else None)
        units[name] = ack.made[0]
    if secret:
        lurker = {
            "name": CANARY,
            "side": CANARY,
            "initiative": 25,
            "tracks": {"hp": {"value": 5, "max": 5}},
            "hidden": True,
        }
        made = await st.command("add_unit", unit={**lurker, "abilities": [{**SWORD, "name": CANARY}]})
        await st.command("bring_on", units=[made.made[0]], hidden=True)
        units["lurker"] = made.made[0]
        await st.command("set_notes", text=CANARY)
        await st.command("roll", unit=units["lurker"], pool={"fixed": 4}, visibility="st", reason=CANARY)
        await bob.command("set_standing_order", act="move", order="pass")
        await bob.whisper(CANARY)
    await st.command("start_fight")
    await side.meet("the fight is on")

    # A readied action: that there is one is public, what it is is not. A secret condition. A probe at what is hidden.
    await ann.declare(ann.units["Mira"], "move", slot="move", distance=3, position="door")
    await _passes(side)
    hidden_or_not = units.get("lurker", "nothing0")
    for observer in side.observers.values():  # a refusal repeats the sender's own word
        observer.seats = {**observer.seats, hidden_or_not: "what he named"}
    await side.tried(ann, "declare", unit=units["Mira"], act={"kind": "melee_attack", "slot": "standard", "ability": "sword",
                                                              "targets": [hidden_or_not]})  # fmt: skip
    await side.tried(ann, "declare", unit=hidden_or_not, act={"kind": "move", "slot": "move"})
    await side.tried(ann, "pass", window=hidden_or_not, gen=1)
    await side.tried(ann, "fire", readied=hidden_or_not)
    if secret:
        await st.command(
            "add_condition", unit=units["Ghoul"], condition=CANARY, secret=True, rounds=3, by=units["Ghoul"]
        )
        await st.command("roll", unit=units["Ghoul"], pool={"fixed": 3}, visibility="st")
        await st.set_value(st.units["Ghoul"], "attributes.DEX", 7, reason=CANARY, was=None)
    await side.meet("before the hidden one")

    # Mira's action ends: now the hidden one acts, or the ST merely holds the table.
    if not secret:
        await st.hold(next=True)
    await ann.end_action(ann.units["Mira"])
    if secret:
        await st.declare(st.units[units["lurker"]], "use", slot="standard")
        await st.declare(st.units[units["lurker"]], "move", slot="move", distance=2)
        await st.end_action(st.units[units["lurker"]])
    else:
        await st.release()
    await bob.until(lambda t: t.active is not None and t.active.name == "Goro")
    held = {"act": "move", "words": "when it rains"} if secret else {"act": "use", "words": "when hell freezes over"}
    await bob.ready(bob.units["Goro"], held["act"], slot="move", words=held["words"])
    await bob.end_action(bob.units["Goro"])
    await side.meet("after the hidden one")

    # The Ghoul attacks Ann's unit: a window, an interrupt, an attack; the roll is open, its sheet is not.
    await st.declare(st.units["Ghoul"], "melee_attack", ability="sword", targets=[units["Mira"]])
    await ann.until(lambda t: t.state["t/stack"])
    window = ann.state[f"k/{ann.state['t/stack'][0]}"]["window"]
    await ann.react(ann.units["Mira"], "move", ability="step aside", leaves=True, window=window)
    await _passes(side)
    await st.adjust(st.units["Ghoul"], "hp", -1)  # 40 -> 29 or 39 -> 29 of his: "hurt" before and after
    await side.meet("the end")
    side.ann.drop()
    await side.st.narrate("while away")
    await side.ann.until(lambda t: t.connection_state == "online" and self_heard(side, "while away"))
    await side.ann.until(lambda t: self_heard(side, "check"))


def self_heard(side: Side, mark: str) -> bool:
    return any(mark.encode() in frame for frame in side.observers["Ann"].frames)


async def _passes(side: Side) -> None:
    """Both players pass until nothing waits; the ST closes what is left to his own units."""
    while side.st.state["t/stack"]:
        window = side.st.state[f"k/{side.st.state['t/stack'][-1]}"]["window"]
        await side.st.command("close_window", window=window)
    for table in (side.ann, side.bob, side.watcher):
        await table.until(lambda t: not t.state["t/stack"])


@pytest.mark.rule("TBL-04")
async def test_a_player_and_a_spectator_cannot_tell_the_table_with_secrets_from_the_one_without(tmp_path: Path) -> None:
    opened: list[Any] = []
    async with serving("--data-dir", str(tmp_path / "data")) as server:
        sides = [
            await _sit(server, tmp_path / "data", name, opened, secret=secret)
            for name, secret in (("aaaa", True), ("bbbb", False))
        ]
        try:
            for side in sides:
                await _play(side)
            with_secrets, without = sides
            assert with_secrets.refusals == without.refusals
            for name in ("Ann", "Watcher"):
                one, other = with_secrets.observers[name], without.observers[name]
                for k, (mine, theirs) in enumerate(itertools.zip_longest(one.told(), other.told())):
                    assert mine == theirs, f"{name}: frame {k} differs"
                assert [len(frame) for frame in one.numbered()] == [len(frame) for frame in other.numbered()]
                assert len(one.numbered()) >= 15
                assert not any(CANARY.encode() in frame for frame in one.frames)
                checked = [dict(told)["crc"] for told in one.told() if ("t", "check") in told]
                assert checked == ([True] if name == "Ann" else [])
            assert any(CANARY in str(value) for value in with_secrets.st.state.values())
            fresh = await asyncio.gather(*(_fresh(side) for side in sides))
            assert fresh[0] == fresh[1]
            for whose in ("Ann", "all"):
                logs = [await _exported(tmp_path / "data", name, whose) for name in ("aaaa", "bbbb")]
                assert logs[0] == logs[1]
                assert CANARY not in repr(logs)
            assert CANARY in repr(await _exported(tmp_path / "data", "aaaa", "st"))
        finally:
            for table in opened:
                await table.__aexit__(None, None, None)


async def _exported(data_dir: Path, name: str, whose: str) -> list[Any]:
    """The lines of a table's exported log, with ids named by their first appearance and instants left out."""
    said = await overseer("table", "export", name, "--for", whose, "--data-dir", str(data_dir))
    names: dict[str, str] = {}
    lines = [{**json.loads(line), "at_s": 0} for line in said.splitlines()[2:]]  # of what they are called
    return [_named(line, names) for line in lines]


def _named(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        return names.setdefault(value, f"id{len(names)}") if re.fullmatch(r"[\w-]{8}", value) else value
    if isinstance(value, dict):
        return {key: _named(one, names) for key, one in value.items()}
    return [_named(one, names) for one in value] if isinstance(value, list) else value


async def _fresh(side: Side) -> list[str]:
    """A snapshot and the log as a new connection of Ann's would get them, without what names or times things."""
    log = await side.ann.log(limit=200)
    return [told.kind for told in log] + sorted(
        re.sub(r"/[A-Za-z0-9_-]{8}(?=/|$)", "/id", path) for path in side.ann.state
    )
