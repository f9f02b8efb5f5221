"""What an audience may know of a table, as a flat map of short paths to plain values. Allow-lists only.

An audience is `ST` (all STs), `ALL` (all spectators) or a player's seat id. Whatever is not named here is not sent.
Comparing two of these views gives every change a client gets, so nothing can leak around them.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, fields, replace
from functools import lru_cache
from operator import itemgetter
from typing import Any

from core.draft import owner, sees, sees_task
from core.extras import strikes, target_of
from core.faces import Face, Faces, plain
from core.ids import ALL, ST, SeatId, UnitId
from core.rules import rules_of
from core.state import ATTACKS, Effect, House, Pending, Readied, Request, Setting, Table, Task, Window
from core.tasks import at_risk, counts_mistakes, next_roll
from core.windows import orders_pass

View = dict[str, Any]


def audiences(table: Table) -> list[str]:
    """One for every player seat, one for all STs, one for all spectators."""
    return [ST, ALL, *sorted(seat.id for seat in table.seats.values() if seat.role == "player")]


def view(table: Table, audience: str) -> View:
    """All an audience may know, by path, in the order of the paths."""
    return dict(sorted(seen(Faces(table), audience).items()))


def seen(faces: Faces, audience: str, but: Collection[UnitId] = ()) -> View:
    """All of it, without these units, in no order."""
    found: View = {}
    for part in PARTS:
        found.update(part(faces.table, audience))
    for face in unit_faces(faces, audience, but):
        found.update(face)
    return found


def ops(before: View, after: View) -> list[list[Any]]:
    """What turns one view into the other, in the order of the paths: [path, value] set, [path] delete."""
    changed = [[path, value] for path, value in after.items() if path not in before or before[path] != value]
    gone = [[path] for path in before if path not in after]
    return sorted(changed + gone, key=itemgetter(0))


# ------------------------------------------------------------------------------------------------------------ the table
def table_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    play = table.play
    yield "t/name", table.name
    yield "t/created", table.created
    yield "t/practice", table.practice
    yield "t/held", play.held
    yield "t/clock", play.clock_s
    yield "t/scene", play.scene
    if table.seeds.number:
        yield "t/dice", dice_face(table)
    yield "t/world", world_face(play.setting)
    if play.setting.film is not None:
        yield "t/film", {"name": play.setting.film.name, "number": play.setting.film.number}
    if play.prebuff:
        yield "t/prebuff", True
    yield "t/slots", list(rules_of(table.house).slots)
    yield "t/answer_slot", rules_of(table.house).answer_slot
    yield "t/stack", [id for id in play.stack if shows(table, audience, play.pendings[id])]
    yield "t/fight", play.fight is not None
    if play.fight is not None:
        seen = [u for u in play.fight.order if u not in play.fight.ghosts and known_of(table, audience, u)]
        active = play.fight.active
        yield "t/order", seen
        yield "t/turn", play.fight.turn
        yield "t/active", active if active is not None and visible(table, audience, active) else None
        if play.fight.deadline is not None:
            yield "t/action_deadline", play.fight.deadline
        if play.fight.left is not None:
            yield "t/action_left", play.fight.left
    if audience == ST:
        yield "t/hold_next", play.hold_next
        if play.fight is not None:
            yield "t/counts", play.fight.counts
        yield "t/notes", table.notes


def dice_face(table: Table) -> View:
    """The seed by its number, what was published of it, and what seats have mixed in (DICE-07)."""
    seeds = table.seeds
    mixed = dict(sorted(seeds.mixed.items()))
    return {"seed": seeds.number, "open": seeds.open, "secret": seeds.secret} | ({"mixed": mixed} if mixed else {})


def world_face(setting: Setting) -> View:
    """The world the story is in; its clock is `t/clock` on (all in seconds). No sunrise, no sunset: they never come."""
    clock = setting.clock
    face = {
        "name": setting.world,
        "day": clock.day_s,
        "sunrise": clock.sunrise_s,
        "sunset": clock.sunset_s,
        "phase": clock.phase_s,
        "calendar": clock.calendar_s,
    }
    return {name: value for name, value in face.items() if value not in (None, "")}


def house_part(table: Table, audience: str) -> Iterable[tuple[str, Any]]:
    """All house rules are visible to every player (TBL-01)."""
    return house_face(table.house)


@lru_cache(maxsize=64)
def house_face(house: House) -> Face:
    """Kept, as they hardly ever change."""
    rules = ((rule.name, getattr(house, rule.name)) for rule in fields(House))
    return [(f"h/{name}", list(value) if isinstance(value, tuple) else value) for name, value in rules]


def seat_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    """Players know of each other; who else sits there is the STs' to know."""
    for seat in table.seats.values():
        if audience == ST or seat.role == "player":
            yield f"s/{seat.id}", {"name": seat.name, "role": seat.role}
        if audience == ST and (seat.key is None or seat.until is not None):
            yield f"s/{seat.id}/invitation", {"open": seat.key is not None, "until": seat.until}
        if seat.loan is not None and audience in (ST, seat.id):
            yield f"s/{seat.id}/loan", {"to": seat.loan.to, "until": seat.loan.until}


def time_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    """To the STs: what is left of each player's time bank (ms), and how long windows are for his sake (percent)."""
    if audience != ST:
        return
    players = {seat.id for seat in table.seats.values() if seat.role == "player"}
    for seat in sorted(players | table.paces.keys()):
        yield f"b/{seat}", {"bank": bank(table, seat), "percent": table.paces.get(seat, 100)}


def bank(table: Table, seat: str) -> int:
    return table.play.banks.get(SeatId(seat), table.house.time_bank_ms)


# ------------------------------------------------------------------------------------------------------------ the units
def visible(table: Table, audience: str, unit: str) -> bool:
    found = table.play.units.get(unit)  # type: ignore[call-overload]
    return found is not None and sees(table, audience, found)


def known_of(table: Table, audience: str, unit: str) -> bool:
    """Whether it is shown at all: seen, or nameless."""
    return visible(table, audience, unit) or nameless(table, unit)


def nameless(table: Table, unit: str) -> bool:
    """House rule hidden_shown: that somebody hidden is there, and his place in the order, may be known; nothing else."""
    found = table.play.units.get(unit)  # type: ignore[call-overload]
    return table.house.hidden_shown == "nameless" and found is not None and found.hidden and found.on_stage


def unit_faces(faces: Faces, audience: str, but: Collection[UnitId]) -> Iterator[Face]:
    """What an audience is shown of each unit but of these."""
    table = faces.table
    for unit in table.play.units.values():
        if unit.id in but:
            continue
        if sees(table, audience, unit):
            yield from faces.of(unit.id, audience)
        elif nameless(table, unit.id):
            yield faces.nameless(unit.id)


# ------------------------------------------------------------------------------------------------------------ the stack
def shows(table: Table, audience: str, pending: Pending) -> bool:
    """Who sees the actor sees the action; a hidden one's only where the ST let it be noticed, its actor masked."""
    return pending.noticed or visible(table, audience, pending.actor)


def stack_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    for id in table.play.stack:
        pending = table.play.pendings[id]
        if not shows(table, audience, pending):
            continue
        yield f"k/{id}", pending_face(table, audience, pending)
        yield from pending_secrets(table, audience, pending)
        window = table.play.windows[pending.window]
        yield f"w/{window.id}", window_face(window)
        yield from window_secrets(table, audience, pending, window)


def pending_face(table: Table, audience: str, pending: Pending) -> View:
    act = pending.act
    masked = not visible(table, audience, pending.actor)
    face = {
        "actor": None if masked else pending.actor,
        "kind": act.kind,
        "slot": act.slot,
        "ability": "" if masked else act.ability,
        "targets": [t for t in act.targets if visible(table, audience, t)],
        "attacks": attacks_face(table, audience, pending),
        "technique": "" if masked else pending.technique,
        **steps_face(table, audience, pending),
        "counters": act.counters,
        "text": "" if masked else act.text,
        "state": pending.state,
        "window": pending.window,
        "parent": pending.parent,
        "position": None if masked else act.position,
        "distance": None if masked else act.distance,
        "fewer_dice": None if masked else pending.fewer_dice or None,
        "fled": [u for u in pending.fled if visible(table, audience, u)],
    }
    return {name: value for name, value in face.items() if value not in (None, "", []) or name == "actor"}


def steps_face(table: Table, audience: str, pending: Pending) -> View:
    """Of a Technique: which step this is, and what it does after it (ATT-02). What is attached is sealed until the roll."""
    if not pending.technique:
        return {}
    to_come = [
        {"kind": one.kind, "targets": [t for t in one.targets if visible(table, audience, t)]}
        for one in pending.to_come
    ]
    return {"step": pending.step, "steps": pending.step + len(to_come), "to_come": to_come}


def attached_face(table: Table, audience: str, pending: Pending) -> list[list[str]]:
    """What is attached to this action and to each that is still to come: its owner's and the ST's until the roll."""
    if audience in (ST, owner(table, pending.actor)):
        found = [list(one.attached) for one in (pending.act, *pending.to_come)]
    else:
        rolled = pending.state != "waiting" and visible(table, audience, pending.actor)
        found = [list(pending.act.attached) if rolled else []]
    return found if any(found) else []


def attacks_face(table: Table, audience: str, pending: Pending) -> list[View]:
    """Where it makes several on somebody, or with several weapons: at whom and with what; how many extra successes each
    has is its owner's and the ST's until the roll (interrupts.md 1)."""
    actor = table.play.units.get(pending.actor)
    if pending.act.kind not in ATTACKS or actor is None:
        return []
    split = strikes(pending.act, actor.abilities.get(pending.act.ability))
    masked = not visible(table, audience, pending.actor)
    knows = audience in (ST, owner(table, pending.actor)) or (pending.state != "waiting" and not masked)
    one_on_each = len(split) == len(pending.act.targets) and all(one.weapon == pending.act.ability for one in split)
    if one_on_each and not (knows and pending.act.split):  # that anything was said of them is a secret too
        return []
    return [
        {"target": one.target}
        | ({} if masked else {"weapon": one.weapon})
        | ({"extra": one.extra} if knows and one.extra is not None else {})
        for one in split
        if visible(table, audience, one.target)
    ]


def pending_secrets(table: Table, audience: str, pending: Pending) -> Iterator[tuple[str, Any]]:
    """Promised defence and matched readied actions: their owners and the ST."""

    def mine(unit: str) -> bool:
        return audience in (ST, owner(table, unit))  # type: ignore[arg-type]

    guards = {aim: n for aim, n in sorted(pending.guards.items()) if mine(target_of(aim))}
    due = [r for r in pending.due if r in table.play.readied and mine(table.play.readied[r].unit)]
    due = [r for r in due if table.play.readied[r].state == "armed"]
    if guards:
        yield f"k/{pending.id}/guards", guards
    if due:
        yield f"k/{pending.id}/due", due
    if attached := attached_face(table, audience, pending):
        yield f"k/{pending.id}/attached", attached
    if pending.gained and mine(pending.actor):
        yield f"k/{pending.id}/gained", pending.gained


def window_face(window: Window) -> View:
    """The time left, or that it stands still; never the floor, never who is asked."""
    face: View = {"pending": window.pending, "gen": window.gen, "kind": window.kind}
    if window.clock is None:
        face["covered"] = True
    elif window.clock.running:
        face["deadline"] = window.clock.deadline
    else:
        face["left"] = window.clock.deadline
    return face


def window_secrets(table: Table, audience: str, pending: Pending, window: Window) -> Iterator[tuple[str, Any]]:
    """A seat knows whether it is asked itself, has passed, or has its standing order pass; the ST knows all."""
    if audience in window.asked:
        by_order = window.kind != "gain" and orders_pass(table, pending, audience)  # type: ignore[arg-type]
        yield f"w/{window.id}/me", {"asked": True, "passed": audience in window.passed, "order_passes": by_order}
    if audience == ST:
        yield f"w/{window.id}/asked", sorted(window.asked)
        yield f"w/{window.id}/passed", sorted(window.passed)
        if window.clock is not None:
            yield f"w/{window.id}/floor", window.clock.floor


# --------------------------------------------------------------------------------------------- what is held back, lasts
def readied_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    for readied in table.play.readied.values():
        if audience in (ST, owner(table, readied.unit)):
            yield f"r/{readied.id}", readied_face(readied)


def readied_face(readied: Readied) -> View:
    return {
        "unit": readied.unit,
        "act": plain(readied.act),
        "trigger": plain(readied.trigger) if readied.trigger else None,
        "words": readied.words,
        "auto": readied.auto,
        "state": readied.state,
    }


def effect_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    for effect in table.play.effects.values():
        if shows_effect(table, audience, effect):
            yield f"e/{effect.id}", effect_face(table, audience, effect)


def shows_effect(table: Table, audience: str, effect: Effect) -> bool:
    return visible(table, audience, effect.on) and (audience == ST or not effect.secret)


def effect_face(table: Table, audience: str, effect: Effect) -> View:
    """What, on whom, and when it ends: at the start of which action of whom, or at a world time (s).

    The name is its ability's: where its maker is unseen, the condition has to do.
    """
    known = visible(table, audience, effect.by)
    face: View = {"name": effect.name if known else effect.condition, "on": effect.on, "condition": effect.condition}
    if known:
        face["by"] = effect.by
        if effect.nth is not None and effect.unit is not None:
            budget = table.play.budgets.get(effect.unit)
            face["rounds"] = effect.nth - (budget.round if budget else 0)
    if effect.at is not None:
        face["at"] = effect.at
    if effect.waits:
        face["waits"] = True
    if (lasts := lasts_shown(effect)) is not None:
        face["lasts"] = lasts
    return face


def lasts_shown(effect: Effect) -> list[Any] | None:
    """[number, unit of time] where that is not rounds, which are told apart."""
    lasts = effect.lasts
    if lasts is None or (lasts.unit == "round" and not effect.waits):
        return None
    return [lasts.n, f"own_{lasts.unit}" if lasts.own_day else lasts.unit]


def task_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    for task in table.play.tasks.values():
        if sees_task(table, audience, task):
            yield f"x/{task.id}", task_face(table, audience, task)


def task_face(table: Table, audience: str, task: Task) -> View:
    """How it stands. Its pool and its mistakes: owner and ST; without the house rule nothing is said of these (TASK-05).

    What its rolls are to reach is told as openly as its DC (STY-06). The opponent's pool: his owner and the ST.
    """
    house = table.house
    mine = audience in (ST, owner(table, task.unit))
    opponent = task.opposes if task.opposes is not None and visible(table, audience, task.opposes) else None
    pool = replace(task.pool, against=()) if task.pool.against and opponent is None else task.pool
    face: View = {
        "unit": task.unit,
        "name": task.name,
        "state": task.state,
        "why": task.why,
        "successes": task.successes,
        "dc": task.dc,
        "rolls": task.rolls,
        "interval": task.interval_s,
        "next": next_roll(task, house) if task.state == "open" else None,
        "deadline": task.deadline,
        "in_one_go": task.in_one_go,
        "aside": task.aside,
        "visibility": "" if task.visibility == "open" else task.visibility,
        "pool": plain(pool) if mine else None,
        "mistakes": task.mistakes if mine and counts_mistakes(house) else None,
        "at_risk": mine and at_risk(task, house),
        "target_number": task.pool.target_number,
        "teamwork": task.teamwork,
        "botch_ends": task.botch_ends,
    }
    if opponent is not None:
        theirs = audience in (ST, owner(table, opponent)) and task.opposed_pool is not None
        face |= {"opposes": opponent, "theirs": task.theirs}
        face["opposed_pool"] = plain(task.opposed_pool) if theirs else None
    return {name: value for name, value in face.items() if value not in (None, "") and value is not False}


# -------------------------------------------------------------------------------------------------- what a seat asks for
def own_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    if audience == ALL:
        return
    orders = table.orders.get(audience)  # type: ignore[call-overload]
    yield "m/orders", dict(sorted(orders.kinds.items())) if orders else {}
    yield "m/guard", orders.guard if orders else 0
    yield "m/bank", bank(table, audience)


def request_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    for request in table.requests.values():
        if audience in (ST, request.seat):
            code = shown_reason(request, audience)
            face: View = {"seat": request.seat, "kind": request.kind, "text": request.text, "code": code}
            if request.kind == "allow":
                face["command"] = dict(request.wire)
            yield f"q/{request.id}", face


def shown_reason(request: Request, audience: str) -> str:
    """Why what is asked for was refused: to the ST the true reason."""
    return (request.st if audience == ST else "") or request.code


def objection_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    """To the ST, and each seat's own."""
    for id, objection in table.objections.items():
        if audience in (ST, objection.seat):
            yield f"o/{id}", asdict(objection)


def ask_part(table: Table, audience: str) -> Iterator[tuple[str, Any]]:
    for ask in table.asks.values():
        units = [u for u in ask.units if audience in (ST, owner(table, u))]
        if units:
            yield (
                f"a/{ask.id}",
                {
                    "units": units,
                    "pool": plain(ask.pool),
                    "visibility": ask.visibility,
                    "dc": ask.dc,
                    "reason": ask.reason,
                },
            )


PARTS = (
    table_part,
    house_part,
    seat_part,
    time_part,
    stack_part,
    readied_part,
    effect_part,
    task_part,
    own_part,
    request_part,
    objection_part,
    ask_part,
)
