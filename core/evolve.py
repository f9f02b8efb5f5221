"""(table, event) -> next table. Knows no rule and cannot fail: what an event says has been decided.

One small function an event, found by its type; a test keeps the list whole.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from core import events as ev
from core.ids import SeatId, UnitId
from core.state import (
    SOME_TIME_MS,
    Budget,
    Concentration,
    Fight,
    Opened,
    Orders,
    Paid,
    Readied,
    Seeds,
    Table,
    Track,
    Unit,
    Window,
)


def fold(table: Table, events: Iterable[ev.Event], at: int) -> Table:
    """The table after these events of one command, decided at `at` (ms)."""
    for event in events:
        table = evolve(table, event)
    return stamped(table, at)


def stamped(table: Table, at: int) -> Table:
    """The table, at which something has happened at this moment (ms)."""
    return replace(table, seen=max(table.seen, at))


def evolve(table: Table, event: ev.Event) -> Table:
    """The table after one event."""
    return EVOLVERS[type(event)](table, event)


EVOLVERS: dict[type[ev.Event], Callable[[Table, Any], Table]] = {}


def on(*kinds: type[ev.Event]) -> Callable[[Callable[[Table, Any], Table]], Callable[[Table, Any], Table]]:
    """Names the events a function folds."""

    def note(function: Callable[[Table, Any], Table]) -> Callable[[Table, Any], Table]:
        for kind in kinds:
            EVOLVERS[kind] = function
        return function

    return note


# ------------------------------------------------------------------------------------------------------ small changes
K = TypeVar("K")
V = TypeVar("V")


def put(mapping: Mapping[K, V], key: K, value: V) -> dict[K, V]:
    return {**mapping, key: value}


def without(mapping: Mapping[K, V], *keys: K) -> dict[K, V]:
    left = dict(mapping)  # as a whole: many times faster than one by one
    for key in keys:
        left.pop(key, None)
    return left


def play(table: Table, **changes: Any) -> Table:
    return replace(table, play=replace(table.play, **changes))


def with_unit(table: Table, unit: Unit) -> Table:
    return play(table, units=put(table.play.units, unit.id, unit))


def change_unit(table: Table, unit: str, **changes: Any) -> Table:
    return with_unit(table, replace(table.play.units[unit], **changes))  # type: ignore[index]


def change_budget(table: Table, unit: str, **changes: Any) -> Table:
    budget = replace(table.play.budgets[unit], **changes)  # type: ignore[index]
    return play(table, budgets=put(table.play.budgets, budget.unit, budget))


def change_pending(table: Table, pending: str, **changes: Any) -> Table:
    changed = replace(table.play.pendings[pending], **changes)  # type: ignore[index]
    return play(table, pendings=put(table.play.pendings, changed.id, changed))


def change_task(table: Table, task: str, **changes: Any) -> Table:
    changed = replace(table.play.tasks[task], **changes)  # type: ignore[index]
    return play(table, tasks=put(table.play.tasks, changed.id, changed))


def change_window(table: Table, window: str, **changes: Any) -> Table:
    changed = replace(table.play.windows[window], **changes)  # type: ignore[index]
    return play(table, windows=put(table.play.windows, changed.id, changed))


def change_fight(table: Table, **changes: Any) -> Table:
    assert table.play.fight is not None
    return play(table, fight=replace(table.play.fight, **changes))


def value_at(unit: Unit, path: str) -> Any:
    """The value a path names: "tracks.hp.value", "attributes.DEX", "base". None where nothing stands."""
    first, *rest = path.split(".")
    value = getattr(unit, first)
    if first == "tracks":
        track = value.get(rest[0])
        return getattr(track, rest[1]) if track else None
    return value.get(rest[0]) if rest else value


def with_value(unit: Unit, path: str, value: Any) -> Unit:
    """The unit with another value at the path; a mapping's None takes the entry away."""
    first, *rest = path.split(".")
    if first == "tracks":
        track = unit.tracks.get(rest[0]) or Track(0)
        changed = replace(track, **{rest[1]: value})
        return replace(unit, tracks=put(unit.tracks, rest[0], changed))
    if rest:
        mapping = getattr(unit, first)
        value = without(mapping, rest[0]) if value is None else put(mapping, rest[0], value)
    return replace(unit, **{first: value})


# ------------------------------------------------------------------------------------------------- seats and the house
@on(ev.TableMade)
def table_made(table: Table, e: ev.TableMade) -> Table:
    return replace(table, name=e.name, created=e.created, practice=e.practice, house=e.house)


@on(ev.TableBrought)
def table_brought(table: Table, e: ev.TableBrought) -> Table:
    return replace(table, name=e.name)


@on(ev.SeatAdded)
def seat_added(table: Table, e: ev.SeatAdded) -> Table:
    return replace(table, seats=put(table.seats, e.seat.id, e.seat))


@on(ev.SeatRemoved)
def seat_removed(table: Table, e: ev.SeatRemoved) -> Table:
    return replace(table, seats=without(table.seats, e.seat), orders=without(table.orders, e.seat))


def with_seat(table: Table, id: SeatId, **changes: Any) -> Table:
    return replace(table, seats=put(table.seats, id, replace(table.seats[id], **changes)))


@on(ev.InvitationRenewed)
def invitation_renewed(table: Table, e: ev.InvitationRenewed) -> Table:
    return with_seat(table, e.seat, key=e.key, until=e.until)


@on(ev.InvitationRevoked)
def invitation_revoked(table: Table, e: ev.InvitationRevoked) -> Table:
    return with_seat(table, e.seat, key=None, until=None)


@on(ev.RoleSet)
def role_set(table: Table, e: ev.RoleSet) -> Table:
    return with_seat(replace(table, orders=without(table.orders, e.seat)), e.seat, role=e.role)


@on(ev.SeatLent)
def seat_lent(table: Table, e: ev.SeatLent) -> Table:
    return with_seat(table, e.seat, loan=e.loan)


@on(ev.KeepingNoted)
def keeping_noted(table: Table, e: ev.KeepingNoted) -> Table:
    """It is of the log alone."""
    return table


@on(ev.LoanEnded)
def loan_ended(table: Table, e: ev.LoanEnded) -> Table:
    return with_seat(table, e.seat, loan=None)


@on(ev.OwnerSet)
def owner_set(table: Table, e: ev.OwnerSet) -> Table:
    owners = without(table.owners, e.unit) if e.seat is None else put(table.owners, e.unit, e.seat)
    return replace(table, owners=owners)


@on(ev.HouseRuleSet)
def house_rule_set(table: Table, e: ev.HouseRuleSet) -> Table:
    value: Any = tuple(e.value) if isinstance(e.value, list) else e.value  # as which it comes back from the log
    return replace(table, house=replace(table.house, **{e.key: value}))


@on(ev.RuleObjected)
def rule_objected(table: Table, e: ev.RuleObjected) -> Table:
    """A seat's last objection to a rule takes the place of its one before, which the log keeps."""
    return replace(table, objections=put(table.objections, f"{e.objection.seat}.{e.objection.key}", e.objection))


@on(ev.HistoryLost)
def history_lost(table: Table, e: ev.HistoryLost) -> Table:
    """What is lost is not in the table any more: the store has gone back by itself."""
    return table


@on(ev.NotesSet)
def notes_set(table: Table, e: ev.NotesSet) -> Table:
    return replace(table, notes=e.text) if e.unit is None else change_unit(table, e.unit, notes=e.text)


@on(ev.StandingOrderSet)
def standing_order_set(table: Table, e: ev.StandingOrderSet) -> Table:
    orders = table.orders.get(e.seat) or Orders(e.seat)
    return replace(table, orders=put(table.orders, e.seat, replace(orders, kinds=put(orders.kinds, e.act, e.order))))


@on(ev.DefaultGuardSet)
def default_guard_set(table: Table, e: ev.DefaultGuardSet) -> Table:
    orders = table.orders.get(e.seat) or Orders(e.seat)
    return replace(table, orders=put(table.orders, e.seat, replace(orders, guard=e.n)))


@on(ev.Acted)
def acted(table: Table, e: ev.Acted) -> Table:
    return replace(table, last_acts=put(table.last_acts, e.seat, e.version))


@on(ev.RequestMade)
def request_made(table: Table, e: ev.RequestMade) -> Table:
    return replace(table, requests=put(table.requests, e.request.id, e.request))


@on(ev.RequestAnswered)
def request_answered(table: Table, e: ev.RequestAnswered) -> Table:
    return replace(table, requests=without(table.requests, e.request))


@on(
    ev.Said,
    ev.Whispered,
    ev.Narrated,
    ev.Flagged,
    ev.Faulted,
    ev.ActedAtOnce,
    ev.SceneDoubted,
    ev.AbilitiesAttached,
)
def only_told(table: Table, e: ev.Event) -> Table:
    """Told in the log; changes nothing else."""
    return table


# --------------------------------------------------------------------------------------------------------------- rolls
@on(ev.RollAsked)
def roll_asked(table: Table, e: ev.RollAsked) -> Table:
    return replace(table, asks=put(table.asks, e.ask.id, e.ask))


@on(ev.AskWithdrawn)
def ask_withdrawn(table: Table, e: ev.AskWithdrawn) -> Table:
    return replace(table, asks=without(table.asks, e.ask))


@on(ev.RollAnswered)
def roll_answered(table: Table, e: ev.RollAnswered) -> Table:
    ask = table.asks[e.ask]
    left = tuple(unit for unit in ask.units if unit != e.unit)
    asks = put(table.asks, e.ask, replace(ask, units=left)) if left else without(table.asks, e.ask)
    return replace(table, asks=asks)


@on(ev.SeedCommitted)
def seed_committed(table: Table, e: ev.SeedCommitted) -> Table:
    return replace(table, seeds=e.seeds)


@on(ev.SeedRevealed)
def seed_revealed(table: Table, e: ev.SeedRevealed) -> Table:
    """What is opened promises nothing any more."""
    return replace(table, seeds=Seeds(e.number))


@on(ev.SeedLeft)
def seed_left(table: Table, e: ev.SeedLeft) -> Table:
    return replace(table, seeds=Seeds(e.number))


@on(ev.DiceMixed)
def dice_mixed(table: Table, e: ev.DiceMixed) -> Table:
    return replace(table, seeds=replace(table.seeds, mixed=put(table.seeds.mixed, e.seat, e.text)))


@on(ev.Rolled)
def rolled(table: Table, e: ev.Rolled) -> Table:
    return replace(table, rolls=put(table.rolls, e.stream, e.counter))


# ---------------------------------------------------------------------------------------------------- extended actions
@on(ev.TaskStarted, ev.TaskEdited)
def task_put(table: Table, e: ev.TaskStarted | ev.TaskEdited) -> Table:
    return play(table, tasks=put(table.play.tasks, e.task.id, e.task))


@on(ev.TaskRolled)
def task_rolled(table: Table, e: ev.TaskRolled) -> Table:
    task = table.play.tasks[e.task]
    return change_task(
        table,
        e.task,
        successes=task.successes + e.successes,
        mistakes=task.mistakes + e.mistakes,
        rolls=task.rolls + 1,
        since=e.at,
        aside=False,
        theirs=task.theirs + e.theirs,
        helped=task.helped or e.by is not None,
    )


@on(ev.TaskBotched)
def task_botched(table: Table, e: ev.TaskBotched) -> Table:
    side = "theirs" if table.play.tasks[e.task].opposes == e.unit else "successes"
    return change_task(table, e.task, **{side: 0})


@on(ev.TaskAtRisk)
def task_at_risk(table: Table, e: ev.TaskAtRisk) -> Table:
    return table


@on(ev.TaskSetAside)
def task_set_aside(table: Table, e: ev.TaskSetAside) -> Table:
    return change_task(table, e.task, successes=table.play.tasks[e.task].successes - e.lost, aside=True)


@on(ev.TaskDone)
def task_done(table: Table, e: ev.TaskDone) -> Table:
    return change_task(table, e.task, state="done", aside=False)


@on(ev.TaskFailed)
def task_failed(table: Table, e: ev.TaskFailed) -> Table:
    return change_task(table, e.task, state="failed", why=e.why, aside=False)


@on(ev.TaskRemoved)
def task_removed(table: Table, e: ev.TaskRemoved) -> Table:
    return play(table, tasks=without(table.play.tasks, e.task))


# --------------------------------------------------------------------------------------------------------------- units
@on(ev.UnitAdded)
def unit_added(table: Table, e: ev.UnitAdded) -> Table:
    return replace(with_unit(table, e.unit), numbers=max(table.numbers, e.unit.number))


@on(ev.UnitRemoved)
def unit_removed(table: Table, e: ev.UnitRemoved) -> Table:
    return play(table, units=without(table.play.units, e.unit))


@on(ev.UnitEntered)
def unit_entered(table: Table, e: ev.UnitEntered) -> Table:
    return change_unit(table, e.unit, on_stage=True, hidden=e.hidden)


@on(ev.UnitLeftStage)
def unit_left_stage(table: Table, e: ev.UnitLeftStage) -> Table:
    return change_unit(table, e.unit, on_stage=False)


@on(ev.UnitHidden)
def unit_hidden(table: Table, e: ev.UnitHidden) -> Table:
    return change_unit(table, e.unit, hidden=True)


@on(ev.UnitRevealed)
def unit_revealed(table: Table, e: ev.UnitRevealed) -> Table:
    return change_unit(table, e.unit, hidden=False)


@on(ev.InitiativeSet)
def initiative_set(table: Table, e: ev.InitiativeSet) -> Table:
    return change_unit(table, e.unit, initiative=e.initiative)


@on(ev.ValueSet)
def value_set(table: Table, e: ev.ValueSet) -> Table:
    return with_unit(table, with_value(table.play.units[e.unit], e.path, e.value))


@on(ev.DamageDealt)
def damage_dealt(table: Table, e: ev.DamageDealt) -> Table:
    return with_unit(table, with_value(table.play.units[e.unit], f"tracks.{e.track}.value", e.value))


@on(ev.ConditionGained)
def condition_gained(table: Table, e: ev.ConditionGained) -> Table:
    unit = table.play.units[e.unit]
    return with_unit(table, replace(unit, conditions=put(unit.conditions, e.condition, e.secret)))


@on(ev.ConditionLost)
def condition_lost(table: Table, e: ev.ConditionLost) -> Table:
    unit = table.play.units[e.unit]
    return with_unit(table, replace(unit, conditions=without(unit.conditions, e.condition)))


@on(ev.UnitMoved)
def unit_moved(table: Table, e: ev.UnitMoved) -> Table:
    return change_unit(table, e.unit, position=e.position)


@on(ev.EffectStarted)
def effect_started(table: Table, e: ev.EffectStarted) -> Table:
    return play(table, effects=put(table.play.effects, e.effect.id, e.effect))


@on(ev.EffectChanged)
def effect_changed(table: Table, e: ev.EffectChanged) -> Table:
    return play(table, effects=put(table.play.effects, e.effect.id, e.effect))


@on(ev.EffectEnded)
def effect_ended(table: Table, e: ev.EffectEnded) -> Table:
    return play(table, effects=without(table.play.effects, e.effect))


@on(ev.ConcentrationStarted)
def concentration_started(table: Table, e: ev.ConcentrationStarted) -> Table:
    return _concentrates(table, e.concentration)


@on(ev.ConcentrationSustained)
def concentration_sustained(table: Table, e: ev.ConcentrationSustained) -> Table:
    return _concentrates(table, replace(table.play.concentrations[e.unit], round=e.round))


def _concentrates(table: Table, held: Concentration) -> Table:
    table = play(table, concentrations=put(table.play.concentrations, held.unit, held))
    return change_budget(table, held.unit, concentrated=True) if held.unit in table.play.budgets else table


@on(ev.ConcentrationEnded)
def concentration_ended(table: Table, e: ev.ConcentrationEnded) -> Table:
    return play(table, concentrations=without(table.play.concentrations, e.unit))


# -------------------------------------------------------------------------------------------------- scenes and worlds
def setting(table: Table, **changes: Any) -> Table:
    return play(table, setting=replace(table.play.setting, **changes))


@on(ev.SceneChanged)
def scene_changed(table: Table, e: ev.SceneChanged) -> Table:
    """Time banks are full again, and what is given back for slow lines: they are for a scene."""
    if not e.counts:
        return table
    points = table.play.setting.key_points
    key = e.key_point.strip().casefold()
    table = setting(play(table, scene=e.scene, banks={}, given={}), night=e.night)
    if e.reason == "fight" and table.play.fight is not None:
        table = change_fight(table, counts=True)
    return setting(table, key_points=put(points, key, e.scene)) if key and key not in points else table


@on(ev.PrebuffAllowed)
def prebuff_allowed(table: Table, e: ev.PrebuffAllowed) -> Table:
    return play(table, prebuff=e.on)


@on(ev.FilmEntered)
def film_entered(table: Table, e: ev.FilmEntered) -> Table:
    return setting(table, film=e.film, films=e.film.number, world=e.world)


@on(ev.FilmLeft)
def film_left(table: Table, e: ev.FilmLeft) -> Table:
    return setting(table, film=None, world=e.world)


@on(ev.WorldSet)
def world_set(table: Table, e: ev.WorldSet) -> Table:
    return setting(table, worlds=put(table.play.setting.worlds, e.world, e.clock))


# ----------------------------------------------------------------------------------------------------------- the fight
@on(ev.FightStarted)
def fight_started(table: Table, e: ev.FightStarted) -> Table:
    return play(table, fight=e.fight, budgets=dict(e.budgets), prebuff=False, opened={})


@on(ev.FightEnded)
def fight_ended(table: Table, e: ev.FightEnded) -> Table:
    """Rounds are counted within a fight: what is still sustained after it counts from 0 in the next."""
    held = {unit: replace(c, round=0) for unit, c in table.play.concentrations.items()}
    return play(table, fight=None, budgets={}, readied={}, concentrations=held, opened={})


@on(ev.UnitJoined)
def unit_joined(table: Table, e: ev.UnitJoined) -> Table:
    fight = _without_place(_fight(table), e.unit)
    order = (*fight.order[: e.index], e.unit, *fight.order[e.index :])
    done = (*fight.done, e.unit) if e.done else fight.done
    return play(table, fight=replace(fight, order=order, done=done), budgets=put(table.play.budgets, e.unit, e.budget))


def _without_place(fight: Fight, unit: str) -> Fight:
    """The fight without any place of the unit's."""

    def others(places: tuple[UnitId, ...]) -> tuple[UnitId, ...]:
        return tuple(u for u in places if u != unit)

    return replace(
        fight,
        order=others(fight.order),
        done=others(fight.done),
        ahead=others(fight.ahead),
        ghosts=others(fight.ghosts),
    )


@on(ev.UnitLeft)
def unit_left(table: Table, e: ev.UnitLeft) -> Table:
    fight = _fight(table)
    if e.ghost:
        if fight.active == e.unit:
            fight = replace(fight, active=None, done=(*fight.done, e.unit))
        return play(table, fight=replace(fight, ghosts=(*fight.ghosts, e.unit)))
    kept = replace(_without_place(fight, e.unit), active=None if fight.active == e.unit else fight.active)
    return play(table, fight=kept, budgets=without(table.play.budgets, e.unit))


@on(ev.OrderSet)
def order_set(table: Table, e: ev.OrderSet) -> Table:
    return change_fight(table, order=e.order)


@on(ev.TurnEnded)
def turn_ended(table: Table, e: ev.TurnEnded) -> Table:
    table = change_fight(table, turn=e.turn + 1, done=_fight(table).ahead, ahead=())
    return play(table, clock_s=e.clock_s, opened={})


@on(ev.TimePassed)
def time_passed(table: Table, e: ev.TimePassed) -> Table:
    return play(table, clock_s=e.clock_s)


@on(ev.ActionBegan)
def action_began(table: Table, e: ev.ActionBegan) -> Table:
    table = play(table, budgets=put(table.play.budgets, e.unit, e.budget))
    ahead = (*_fight(table).ahead, e.unit) if e.ahead else _fight(table).ahead
    table = change_fight(table, active=e.unit, begun=True, veiled=e.veiled, ahead=ahead)
    table = change_fight(table, deadline=e.deadline, left=None, restarted=False)
    return play(table, held=True) if e.veiled else table


@on(ev.ActionEnded)
def action_ended(table: Table, e: ev.ActionEnded) -> Table:
    fight = _fight(table)
    done = fight.done if e.unit in fight.done else (*fight.done, e.unit)
    table = change_fight(table, active=None, done=done, deadline=None, left=None)
    return change_budget(table, e.unit, left={}) if e.unit in table.play.budgets else table


@on(ev.ActionClockSet)
def action_clock_set(table: Table, e: ev.ActionClockSet) -> Table:
    return change_fight(table, deadline=e.deadline, left=e.left, restarted=e.restarted or _fight(table).restarted)


def _fight(table: Table) -> Fight:
    assert table.play.fight is not None
    return table.play.fight


def _spend(budget: Budget, paid: Paid, sign: int) -> Budget:
    """One ledger entry goes into the budget (sign 1), or comes back out of it (sign -1)."""
    if paid.kind == "slot":
        left = put(budget.left, paid.what, budget.left.get(paid.what, 0) - sign * paid.n)
        budget = replace(budget, left=left, spent=_listed(budget.spent, paid.what, sign * paid.n))
    elif paid.kind == "immediate":
        used = _listed(budget.spent, "immediate", sign * paid.n)
        budget = replace(budget, immediates=budget.immediates - sign * paid.n, spent=used)
    elif paid.kind == "free":
        kinds = (*budget.free_kinds, paid.what) if sign > 0 else _minus(budget.free_kinds, paid.what)
        budget = replace(budget, free_kinds=kinds, free_used=budget.free_used + sign)
    elif paid.kind == "base":
        budget = replace(budget, base_less=budget.base_less + sign * paid.n)
    elif paid.kind == "all_out":
        budget = replace(budget, all_out=sign > 0)
    if not paid.owed:
        return budget
    return replace(budget, debts=(*budget.debts, paid.owed) if sign > 0 else _minus(budget.debts, paid.owed))


def _listed(spent: tuple[str, ...], what: str, n: int) -> tuple[str, ...]:
    for _ in range(-n):
        spent = _minus(spent, what)
    return (*spent, *((what,) * max(0, n)))


def _minus(words: tuple[str, ...], word: str) -> tuple[str, ...]:
    if word not in words:
        return words
    at = len(words) - 1 - words[::-1].index(word)
    return (*words[:at], *words[at + 1 :])


@on(ev.CostSpent)
def cost_spent(table: Table, e: ev.CostSpent) -> Table:
    return _ledger(table, e.unit, e.paid, 1)


@on(ev.CostRefunded)
def cost_refunded(table: Table, e: ev.CostRefunded) -> Table:
    return _ledger(table, e.unit, e.paid, -1)


def _ledger(table: Table, unit: str, paid: tuple[Paid, ...], sign: int) -> Table:
    budget = table.play.budgets.get(unit)  # type: ignore[call-overload]
    if budget is None:
        return table
    for entry in paid:
        budget = _spend(budget, entry, sign)
    return play(table, budgets=put(table.play.budgets, budget.unit, budget))


@on(ev.ActionsGranted)
def actions_granted(table: Table, e: ev.ActionsGranted) -> Table:
    return _more(table, e.unit, e.slots, 1)


@on(ev.ActionsTaken)
def actions_taken(table: Table, e: ev.ActionsTaken) -> Table:
    return _more(table, e.unit, e.slots, -1)


def _more(table: Table, unit: str, slots: tuple[str, ...], sign: int) -> Table:
    budget = table.play.budgets[unit]  # type: ignore[index]
    for slot in slots:
        if slot == "immediate":
            budget = replace(budget, immediates=budget.immediates + sign)
        else:
            budget = replace(budget, left=put(budget.left, slot, budget.left.get(slot, 0) + sign))
    return play(table, budgets=put(table.play.budgets, budget.unit, budget))


@on(ev.ActionsAnnounced)
def actions_announced(table: Table, e: ev.ActionsAnnounced) -> Table:
    left = table.play.budgets[e.unit].left
    return change_budget(table, e.unit, announced=e.n, left=put(left, e.slot, left.get(e.slot, 0) + e.more))


@on(ev.DebtOwed)
def debt_owed(table: Table, e: ev.DebtOwed) -> Table:
    return change_budget(table, e.unit, debts=(*table.play.budgets[e.unit].debts, e.debt))


# ----------------------------------------------------------------------------------------------------------- the stack
@on(ev.ActionDeclared)
def action_declared(table: Table, e: ev.ActionDeclared) -> Table:
    pendings = put(table.play.pendings, e.pending.id, e.pending)
    return play(table, pendings=pendings, stack=(*table.play.stack, e.pending.id))


@on(ev.WindowOpened, ev.WindowAsked)
def window_opened(table: Table, e: ev.WindowOpened | ev.WindowAsked) -> Table:
    table = play(table, windows=put(table.play.windows, e.window.id, e.window))
    if e.window.pending in table.play.pendings:
        table = change_pending(table, e.window.pending, window=e.window.id)
    if isinstance(e, ev.WindowOpened) and e.window.asked and e.window.pending in table.play.pendings:
        return _counted(table, e.window)
    return table


def _counted(table: Table, window: Window) -> Table:
    """One more for whose act it is. While the table is held its clock says nothing of the time."""
    seat = table.owners.get(table.play.pendings[window.pending].actor)
    if seat is None:
        return table
    before = table.play.opened.get(seat, Opened())
    at = window.clock.floor if window.clock is not None and window.clock.running else before.since
    anew = table.play.fight is None and at - before.since >= SOME_TIME_MS
    now = Opened(1, at) if anew or not before.n else replace(before, n=before.n + 1)
    return play(table, opened=put(table.play.opened, seat, now))


@on(ev.WindowCovered)
def window_covered(table: Table, e: ev.WindowCovered) -> Table:
    return change_window(table, e.window, clock=None)


@on(ev.WindowClockSet)
def window_clock_set(table: Table, e: ev.WindowClockSet) -> Table:
    return change_window(table, e.window, clock=e.clock)


@on(ev.WindowRestarted)
def window_restarted(table: Table, e: ev.WindowRestarted) -> Table:
    return change_window(table, e.window, clock=e.clock, restarted=True)


@on(ev.WindowClosed)
def window_closed(table: Table, e: ev.WindowClosed) -> Table:
    return play(table, windows=without(table.play.windows, e.window))


@on(ev.SeatPassed)
def seat_passed(table: Table, e: ev.SeatPassed) -> Table:
    return change_window(table, e.window, passed=(*table.play.windows[e.window].passed, e.seat))


@on(ev.TimeDrawn)
def time_drawn(table: Table, e: ev.TimeDrawn) -> Table:
    return play(table, banks=put(table.play.banks, e.seat, e.left_ms))


@on(ev.DelayGiven)
def delay_given(table: Table, e: ev.DelayGiven) -> Table:
    return play(table, given=put(table.play.given, e.seat, e.given_ms))


@on(ev.TimeGiven)
def time_given(table: Table, e: ev.TimeGiven) -> Table:
    if e.percent == 100:
        return replace(table, paces=without(table.paces, e.seat))
    return replace(table, paces=put(table.paces, e.seat, e.percent))


@on(ev.GuardPromised)
def guard_promised(table: Table, e: ev.GuardPromised) -> Table:
    pending, aim = table.play.pendings[e.pending], e.aim or e.unit
    beyond = tuple(one for one in pending.beyond if one != aim) + ((aim,) if e.beyond else ())
    return change_pending(table, e.pending, guards=put(pending.guards, aim, e.n), beyond=beyond)


@on(ev.GuardSpent)
def guard_spent(table: Table, e: ev.GuardSpent) -> Table:
    guards = without(table.play.pendings[e.pending].guards, e.aim or e.unit)
    budget = table.play.budgets[e.unit]
    left = {"guard": max(0, budget.guard - e.n), "legendary": max(0, budget.legendary - e.legendary)}
    return change_budget(change_pending(table, e.pending, guards=guards), e.unit, **left)


@on(ev.ExtrasGained)
def extras_gained(table: Table, e: ev.ExtrasGained) -> Table:
    """They last for the round of who gained them; outside a fight there is none."""
    budget = table.play.budgets.get(e.unit)
    return change_budget(table, e.unit, gained=budget.gained + e.n) if budget else table


@on(ev.AreaLeft)
def area_left(table: Table, e: ev.AreaLeft) -> Table:
    return change_pending(table, e.pending, fled=(*table.play.pendings[e.pending].fled, e.unit))


@on(ev.GainSplit)
def gain_split(table: Table, e: ev.GainSplit) -> Table:
    act = replace(table.play.pendings[e.pending].act, split=e.split)
    return change_pending(table, e.pending, act=act, gained=0)


@on(ev.PendingEdited, ev.SplitAsked)
def pending_edited(table: Table, e: ev.PendingEdited | ev.SplitAsked) -> Table:
    return play(table, pendings=put(table.play.pendings, e.pending.id, e.pending))


@on(ev.StepCarriedOut)
def step_carried_out(table: Table, e: ev.StepCarriedOut) -> Table:
    return play(table, pendings=put(table.play.pendings, e.pending.id, e.pending))


@on(ev.ActionCarriedOut)
def action_carried_out(table: Table, e: ev.ActionCarriedOut) -> Table:
    if not e.stays:
        return action_over(table, e)
    return change_pending(table, e.pending, state="done", due=(), guards={})


@on(ev.ActionFailed, ev.ActionWithdrawn, ev.AnswersOver)
def action_over(table: Table, e: ev.ActionCarriedOut | ev.ActionFailed | ev.ActionWithdrawn | ev.AnswersOver) -> Table:
    """Final: it leaves the stack, and its window with it."""
    windows = {id: w for id, w in table.play.windows.items() if w.pending != e.pending}
    stack = tuple(p for p in table.play.stack if p != e.pending)
    return play(table, pendings=without(table.play.pendings, e.pending), windows=windows, stack=stack)


@on(ev.StackOrdered)
def stack_ordered(table: Table, e: ev.StackOrdered) -> Table:
    return play(table, stack=e.stack)


# ------------------------------------------------------------------------------------------------------------- readied
@on(ev.ReadiedDeclared)
def readied_declared(table: Table, e: ev.ReadiedDeclared) -> Table:
    return play(table, readied=put(table.play.readied, e.readied.id, e.readied))


@on(ev.ReadiedMatched)
def readied_matched(table: Table, e: ev.ReadiedMatched) -> Table:
    return change_pending(table, e.pending, due=(*table.play.pendings[e.pending].due, e.readied))


def _readied(table: Table, id: str, **changes: Any) -> Table:
    changed: Readied = replace(table.play.readied[id], **changes)  # type: ignore[index]
    return play(table, readied=put(table.play.readied, changed.id, changed))


@on(ev.ReadiedUsed)
def readied_used(table: Table, e: ev.ReadiedUsed) -> Table:
    return _readied(table, e.readied, state="used")


@on(ev.ReadiedArmed)
def readied_armed(table: Table, e: ev.ReadiedArmed) -> Table:
    return _readied(table, e.readied, state="armed")


@on(ev.ReadiedAutoSet)
def readied_auto_set(table: Table, e: ev.ReadiedAutoSet) -> Table:
    return _readied(table, e.readied, auto=e.auto)


@on(ev.ReadiedExpired)
def readied_expired(table: Table, e: ev.ReadiedExpired) -> Table:
    return play(table, readied=without(table.play.readied, e.readied))


# -------------------------------------------------------------------------------------------------------- the ST's hand
@on(ev.TableHeld)
def table_held(table: Table, e: ev.TableHeld) -> Table:
    return play(table, hold_next=True) if e.next else play(table, held=True, hold_next=False)


@on(ev.TableReleased)
def table_released(table: Table, e: ev.TableReleased) -> Table:
    table = play(table, held=False, hold_next=False)
    return change_fight(table, veiled=False) if table.play.fight is not None else table


@on(ev.Rewound)
def rewound(table: Table, e: ev.Rewound) -> Table:
    """Play goes back; administration, roll counters and times do not. What is undone cannot be taken back again."""
    last_acts = {seat: version for seat, version in table.last_acts.items() if version <= e.to}
    return replace(table, play=e.play, last_acts=last_acts)
