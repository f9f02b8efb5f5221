"""What can I do now? Every act a seat's units could take at this moment, with its cost, or why it cannot be.

Nothing is judged here: each act is tried on the table by `decide`, the very code that decides it when it is sent, and what
came of it is thrown away. A refusal says what the seat may know, as always; targets are only units the seat sees.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from core import commands as cmd
from core.ability import legal_targets
from core.commands import By, Command
from core.decide import Decided, decide, kind_of
from core.draft import sees, sees_task
from core.events import CostSpent, Flagged
from core.ids import Ids, UnitId
from core.refusals import Refused
from core.rules import rules_of
from core.rulesets.ruleset import Ruleset
from core.state import ATTACKS, Ability, Act, Pending, Slot, Strike, Table, Unit
from core.view import shows
from core.windows import top, units_of
from core.world import World

ANNOUNCED = 10
"""So many actions in one turn are offered at most; a unit may have more dots (STY-03)."""


@dataclass(frozen=True, slots=True)
class Option:
    """One act. `costs`: what it spends; `targets`: whom it can be aimed at, the first taken for the trial.

    `flags`: rules it bends at a table that only warns. `refused`: why it cannot be done, None where it can.
    """

    command: Command
    unit: UnitId | None
    costs: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    refused: Refused | None = None


def options(table: Table, by: By, world: World, unit: UnitId | None = None) -> list[Option]:
    """For all units of the seat, or one; the seat's own answers to the open window come first."""
    if by.role != "st":
        table = as_known(table)
    mine = [one for one in units_of(table, by.seat) if one.on_stage and unit in (None, one.id)]
    found = [tried(table, by, world, None, command, ()) for command in answers_of_seat(table, by)]
    for one in sorted(mine, key=lambda one: one.number):
        found += [tried(table, by, world, one.id, *act) for act in acts_of(table, by, one)]
    return found


def as_known(table: Table) -> Table:
    """Without what only the ST knows of units: what a secret forbids is offered, and refused `not_possible` when tried."""
    units = {
        id: replace(u, conditions={w: s for w, s in u.conditions.items() if not s})
        for id, u in table.play.units.items()
    }
    return replace(table, play=replace(table.play, units=units))


def tried(
    table: Table, by: By, world: World, unit: UnitId | None, command: Command, targets: tuple[str, ...]
) -> Option:
    """What would come of it. An act whose own action is spent is tried with one that converts into it (ACT-05)."""
    outcome = decide(table, command, by, replace(world, ids=Ids(b"tried", "tried")))
    if isinstance(outcome, Decided):
        paid = [entry for e in outcome.events if isinstance(e, CostSpent) and e.unit == unit for entry in e.paid]
        costs = tuple(entry.what if entry.kind == "slot" else entry.kind for entry in paid)
        flags = tuple(e.code for e in outcome.events if isinstance(e, Flagged))
        return Option(command, unit, costs, targets, flags)
    higher = outcome.params.get("convertible")
    if isinstance(command, cmd.Declare) and higher and not command.act.pay:
        return tried(table, by, world, unit, replace(command, act=replace(command.act, pay=higher[0])), targets)
    return Option(command, unit, targets=targets, refused=outcome)


# ------------------------------------------------------------------------------------------------------- what is tried
def seen_top(table: Table, by: By) -> Pending | None:
    """The pending on top, if the seat sees it."""
    found = top(table)
    return found[0] if found is not None and shows(table, by.seat, found[0]) else None


def answers_of_seat(table: Table, by: By) -> Iterator[Command]:
    pending = seen_top(table, by)
    if pending is not None:
        window = table.play.windows[pending.window]
        yield cmd.Pass(window.id, window.gen)
        yield cmd.MoreTime(window.id)


def acts_of(table: Table, by: By, unit: Unit) -> Iterator[tuple[Command, tuple[str, ...]]]:
    """Its abilities in every way they can be used, what needs none, and what it holds back or keeps up."""
    for ability in sorted(unit.abilities.values(), key=lambda a: a.name):
        for slot in ability.slots:
            yield by_ability(table, by, unit, ability, slot)
    rules = rules_of(table.house)
    for kind, slot in plain_acts(rules):
        yield cmd.Declare(unit.id, Act(kind, slot)), ()
    pending = seen_top(table, by)
    window = pending.window if pending is not None else None
    for kind in sorted(rules.answers_without_ability):
        yield cmd.React(unit.id, Act(kind, rules.answer_slot), window), ()
    if rules.ready_slots:
        yield cmd.Ready(unit.id, Act("use", rules.slots[0]), words="..."), ()
    for n in range(2, min(rules.most_actions(unit) or 0, ANNOUNCED) + 1):
        yield cmd.Announce(unit.id, n), ()
    for readied in table.play.readied.values():
        if readied.unit == unit.id and readied.state == "armed":
            yield cmd.Fire(readied.id, window), ()
    yield from guards(table, by, unit)
    if any(ability.concentration for ability in unit.abilities.values()):
        yield cmd.Sustain(unit.id), ()
        yield cmd.DropConcentration(unit.id), ()
    for task in table.play.tasks.values():
        if task.unit == unit.id and sees_task(table, by.seat, task):
            yield cmd.RollTask(task.id), ()
    if table.play.fight is not None:
        yield cmd.EndAction(unit.id, table.play.budgets[unit.id].round if unit.id in table.play.budgets else 0), ()


def plain_acts(rules: Ruleset) -> Iterator[tuple[str, Slot]]:
    """What any unit can try without an ability; "use" stands for whatever people say it does."""
    yield "move", "move" if "move" in rules.slots else rules.slots[0]
    yield from (("use", slot) for slot in rules.slots if slot not in (rules.answer_slot, "anytime"))


def answered(table: Table, by: By, ability: Ability) -> Pending | None:
    """What an ability would answer: the latest act done that it is there for (STY-02), else what is on top."""
    answers = rules_of(table.house).answers
    seen = [p for id in reversed(table.play.stack) if shows(table, by.seat, p := table.play.pendings[id])]
    fitting = (p for p in seen if p.state == "done" and answers(ability, p.act.kind))
    return next(fitting, seen_top(table, by))


def by_ability(table: Table, by: By, unit: Unit, ability: Ability, slot: Slot) -> tuple[Command, tuple[str, ...]]:
    pending = answered(table, by, ability)
    act = Act(ability.act, slot, ability=ability.name)
    answer = slot == rules_of(table.house).answer_slot
    targets = targets_of(table, by, unit, act, ability, pending if answer else None)
    if targets:
        act = replace(act, targets=targets[:1])
        if ability.attacks > 1:
            act = replace(act, split=(Strike(targets[0], extra=0),) * ability.attacks)
    if ability.counters and pending is not None:
        act = replace(act, counters=pending.id)
    if answer:
        return cmd.React(unit.id, act, pending.window if pending is not None else None), targets
    return cmd.Declare(unit.id, act), targets


def targets_of(
    table: Table, by: By, unit: Unit, act: Act, ability: Ability, answered: Pending | None
) -> tuple[str, ...]:
    """Units it can be aimed at that the seat sees: whoever is answered first, then other sides, then its own."""
    if act.kind not in ATTACKS and not ability.needs_target:
        return ()
    seen = [one for one in table.play.units.values() if sees(table, by.seat, one)]
    if act.kind in ATTACKS:
        seen = [one for one in seen if one.id != unit.id]
    first = answered.actor if answered is not None else None
    seen.sort(key=lambda one: (one.id != first, one.side == unit.side, one.number))
    return legal_targets(table, replace(act, targets=tuple(one.id for one in seen)))


def guards(table: Table, by: By, unit: Unit) -> Iterator[tuple[Command, tuple[str, ...]]]:
    """Defence against every attack on it that waits, with one of its extra successes."""
    for id in table.play.stack:
        pending = table.play.pendings[id]
        if unit.id in pending.act.targets and pending.act.kind in ATTACKS and shows(table, by.seat, pending):
            n = pending.guards.get(unit.id, 0) + 1
            yield cmd.Defend(pending.window, unit.id, n), ()


def told(option: Option) -> dict[str, Any]:
    """An option as plain values: the command's kind, what names the act, and the outcome."""
    named: dict[str, Any] = {"kind": kind_of(option.command), "unit": option.unit}
    named |= {name: getattr(option.command, name, None) for name in ("readied", "window", "gen", "n", "task")}
    act = getattr(option.command, "act", None)
    if isinstance(act, Act):
        named |= {"act": act.kind, "slot": act.slot, "pay": act.pay, "ability": act.ability}
    named |= {"costs": list(option.costs), "targets": list(option.targets), "flags": list(option.flags)}
    if option.refused is not None:
        named |= {"code": option.refused.code, "params": dict(option.refused.params)}
    return {name: value for name, value in named.items() if value not in (None, "", [], {})}
