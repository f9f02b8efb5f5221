"""What can I do now? Every act a seat's units could take at this moment, with its cost, or why it cannot be.

Nothing is judged here: each act is tried on the table by `decide`, the very code that decides it when it is sent, and what
came of it is thrown away. A refusal says what the seat may know, as always; targets are only units the seat sees.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core import commands as cmd
from core.ability import in_fight, legal_targets
from core.attachments import fits
from core.commands import By, Command
from core.decide import Decided, decide, kind_of
from core.draft import sees, sees_task
from core.events import CostSpent, Flagged
from core.extras import aim, strikes
from core.ids import Ids, UnitId
from core.refusals import Refused
from core.rules import rules_of
from core.rulesets.ruleset import Ruleset
from core.state import ATTACKS, Ability, Act, Pending, Pool, Slot, Step, Strike, Table, Unit
from core.techniques import needs_target, steps_of
from core.view import shows
from core.windows import top, units_of
from core.world import World

SAID = ("readied", "window", "gen", "n", "attack", "task", "pending", "ask", "auto")
"""What is told of a command beside its act."""
ANNOUNCED = 10
"""So many actions in one turn are offered at most; a unit may have more dots (STY-03)."""


@dataclass(frozen=True, slots=True)
class Option:
    """One act. `costs`: what it spends; `targets`: whom it can be aimed at, the first taken for the trial.

    `flags`: rules it bends at a table that only warns. `refused`: why it cannot be done, None where it can. What people
    say themselves stands there as "...": what they do, what they wait for, the name of a task with its pool and DC.
    """

    command: Command
    unit: UnitId | None
    costs: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    refused: Refused | None = None


def options(table: Table, by: By, world: World, unit: UnitId | None = None) -> Iterator[Option]:
    """For all units of the seat, or one; what the seat itself can do comes first. One takes a tenth of a millisecond."""
    if by.role != "st":
        table = as_known(table)
    mine = [one for one in units_of(table, by.seat) if one.on_stage and unit in (None, one.id)]
    seen = [one for one in table.play.units.values() if sees(table, by.seat, one)]
    yield from (tried(table, by, world, None, command, ()) for command in of_seat(table, by))
    for one in sorted(mine, key=lambda one: one.number):
        yield from (tried(table, by, world, one.id, *act) for act in acts_of(table, by, one, Aims(table, one, seen)))


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


def of_seat(table: Table, by: By) -> Iterator[Command]:
    """Its answers to the open window, and what it can ask of the ST; to an ST the rolls he can ask for no more."""
    pending = seen_top(table, by)
    if pending is not None:
        window = table.play.windows[pending.window]
        yield cmd.Pass(window.id, window.gen)
        yield cmd.MoreTime(window.id)
    if by.role == "player":
        yield cmd.AskTakeBack()
        yield cmd.AskLeave(cmd.ChangeScene("story"), {"kind": "change_scene", "reason": "story"})
        yield cmd.AskLeave(cmd.StartFight(), {"kind": "start_fight"})
    if by.role == "st":
        yield from (cmd.WithdrawAsk(ask) for ask in table.asks)


def acts_of(table: Table, by: By, unit: Unit, aims: "Aims") -> Iterator[tuple[Command, tuple[str, ...]]]:
    """Its abilities in every way they can be used, what needs none, and what it holds back, keeps up or is asked for."""
    rules = rules_of(table.house)
    for ability in sorted(unit.abilities.values(), key=lambda a: a.name):
        for slot in ability.slots:
            command, targets = by_ability(table, by, unit, ability, slot, aims)
            yield command, targets
            yield from ((one, targets) for one in with_attached(unit, command))
            if slot in rules.ready_slots:
                yield cmd.Ready(unit.id, command.act, words="..."), targets
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
            yield cmd.SetReadiedAuto(readied.id, not readied.auto), ()
    yield from guards(table, by, unit)
    yield from its_own(table, unit)
    if unit.id in table.play.concentrations or any(ability.concentration for ability in unit.abilities.values()):
        yield cmd.Sustain(unit.id), ()
        yield cmd.DropConcentration(unit.id), ()
    yield cmd.StartTask(unit.id, "...", Pool(fixed=1), 1), ()
    for task in table.play.tasks.values():
        if sees_task(table, by.seat, task):
            if task.unit == unit.id:
                yield cmd.RollTask(task.id), ()
                yield cmd.DropTask(task.id), ()
            elif task.teamwork and task.state == "open":
                yield cmd.RollTask(task.id, units=(unit.id,)), ()
    for ask in table.asks.values():
        if unit.id in ask.units:
            yield cmd.Roll(unit.id, ask=ask.id), ()
    if in_fight(table, unit.id):
        yield cmd.LeaveFight(unit.id), ()
    elif by.role == "st" and table.play.fight is not None:
        yield cmd.JoinFight(unit.id), ()
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


def by_ability(
    table: Table, by: By, unit: Unit, ability: Ability, slot: Slot, aims: "Aims"
) -> tuple[cmd.Declare | cmd.React, tuple[str, ...]]:
    pending = answered(table, by, ability)
    act = Act(ability.act, slot, ability=ability.name)
    answer = slot == rules_of(table.house).answer_slot
    targets = aims.of(act, pending if answer else None)
    if targets:
        act = replace(act, targets=targets[:1])
        if ability.attacks > 1:
            act = replace(act, split=(Strike(targets[0], extra=0),) * ability.attacks)
    if ability.counters and pending is not None:
        act = replace(act, counters=pending.id)
    if answer:
        return cmd.React(unit.id, act, pending.window if pending is not None else None), targets
    return cmd.Declare(unit.id, act), targets


def with_attached(unit: Unit, command: cmd.Declare | cmd.React) -> Iterator[Command]:
    """The same with each ability that fits attached to it, or to each step of a Technique it fits (ATT-01, ATT-02)."""
    steps = steps_of(unit, command.act)
    technique = len(steps) > 1 or steps[0].ability != command.act.ability
    for attachment in sorted(unit.abilities):
        if not unit.abilities[attachment].attaches:
            continue
        for k, step in enumerate(steps):
            if fits(unit, step, unit.abilities[attachment]):
                said = (*(Step(),) * k, Step(attached=(attachment,)))
                more: dict[str, Any] = {"steps": said} if technique else {"attached": (attachment,)}
                yield replace(command, act=replace(command.act, **more))


def its_own(table: Table, unit: Unit) -> Iterator[tuple[Command, tuple[str, ...]]]:
    """What waits of the unit's own: it can be taken back, or what it gained midway be split (IMM-04, XS-05)."""
    for id in table.play.stack:
        pending = table.play.pendings[id]
        if pending.actor == unit.id:
            yield cmd.Withdraw(id), ()
            if table.play.windows[pending.window].kind == "gain":
                yield cmd.SplitGain(pending.window, (pending.gained or 0,)), ()


class Aims:
    """Whom a unit can aim at of those the seat sees; worked out once for all its abilities that aim alike."""

    def __init__(self, table: Table, unit: Unit, seen: Sequence[Unit]) -> None:
        self._table = table
        self._unit = unit
        self._seen = seen
        self._found: dict[tuple[bool, UnitId | None], tuple[str, ...]] = {}

    def of(self, act: Act, answered: Pending | None) -> tuple[str, ...]:
        """Whoever is answered first, then other sides, then its own."""
        if not needs_target(self._unit, act):
            return ()
        attack = next((step.kind for step in steps_of(self._unit, act) if step.kind in ATTACKS), None)
        first = answered.actor if answered is not None else None
        alike = attack is not None, first
        if alike not in self._found:
            seen = [one for one in self._seen if attack is None or one.id != self._unit.id]
            seen.sort(key=lambda one: (one.id != first, one.side == self._unit.side, one.number))
            aimed = replace(act, kind=attack or act.kind, targets=tuple(one.id for one in seen))
            self._found[alike] = legal_targets(self._table, aimed)
        return self._found[alike]


def guards(table: Table, by: By, unit: Unit) -> Iterator[tuple[Command, tuple[str, ...]]]:
    """Defence against every attack on it that waits, with one more of its extra successes."""
    for id in table.play.stack:
        pending = table.play.pendings[id]
        if unit.id not in pending.act.targets or pending.act.kind not in ATTACKS or not shows(table, by.seat, pending):
            continue
        attacker = table.play.units.get(pending.actor)
        ability = attacker.abilities.get(pending.act.ability) if attacker else None
        for k in range(sum(one.target == unit.id for one in strikes(pending.act, ability))):
            n = pending.guards.get(aim(unit.id, k + 1), 0) + 1
            yield cmd.Defend(pending.window, unit.id, n, k + 1), ()


def told(option: Option) -> dict[str, Any]:
    """An option as plain values: the command's kind, what names the act, and the outcome."""
    named: dict[str, Any] = {"kind": kind_of(option.command), "unit": option.unit}
    named |= {name: getattr(option.command, name, None) for name in SAID}
    named |= {"gain": list(getattr(option.command, "gain", ()))}
    named |= {"units": list(getattr(option.command, "units", ()))}
    act = getattr(option.command, "act", None)
    if isinstance(act, Act):
        named |= {
            "act": act.kind,
            "slot": act.slot,
            "pay": act.pay,
            "ability": act.ability,
            "attached": list(act.attached),
        }
        named |= {"steps": [{"attached": list(one.attached)} if one.attached else {} for one in act.steps]}
    if isinstance(option.command, cmd.AskLeave):
        named |= {"command": dict(option.command.wire)}
    named |= {"costs": list(option.costs), "targets": list(option.targets), "flags": list(option.flags)}
    if option.refused is not None:
        named |= {"code": option.refused.code, "params": dict(option.refused.params)}
        named |= {"leave": True} if option.refused.waivable else {}
    return {name: value for name, value in named.items() if value not in (None, "", [], {})}
