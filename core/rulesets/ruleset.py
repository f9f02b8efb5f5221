"""What games differ in, as named hooks. Each is the common rule unless a ruleset says otherwise (README.md beside this)."""

from collections.abc import Iterator
from typing import Literal

from core import attacks, economy, rolls, tasks, windows
from core.commands import RollTask
from core.dice import pool as dice
from core.dice.pool import Throw
from core.draft import Draft
from core.state import Ability, Act, Budget, House, Paid, Pending, Pool, Slot, Task, Unit, Upkeep


class Ruleset:
    """One game. The engine asks its hooks at run time and never which game it is."""

    slots: tuple[Slot, ...] = (
        "standard", "move", "swift", "free", "full_round", "full_turn", "immediate", "anytime",
    )  # fmt: skip
    """The kinds of action there are, the usual one first."""
    counted_slots: tuple[Slot, ...] = ("swift", "move", "standard", "immediate")
    """Those of which a unit has so many, and the ST can give and take single ones."""
    ready_slots: tuple[Slot, ...] = economy.READY_SLOTS
    """The kinds of action that can be readied; none: nothing can be."""
    carries: frozenset[Slot] = frozenset({"move", "standard", "full_round", "full_turn"})
    """The kinds of action that carry a unit by themselves: a move action, or what is more than one (ACT-01, ACT-05)."""
    answer_slot: Slot = "immediate"
    """The kind of action that answers another's act."""
    answers_without_ability: frozenset[str] = frozenset({"drop_prone"})
    """The acts anybody can answer with."""
    keeps_up_an_answer: Upkeep = "swift"
    """What keeping up a concentration costs that an answer began, where nothing is stated."""
    asks: Literal["before", "after"] = "before"
    """Whether an act is asked about before it happens, or after."""
    declares_defence: bool = True
    """Whether whoever is attacked can promise a defence."""

    # -- actions and what they cost
    def first_budget(self, unit: Unit, house: House) -> Budget:
        """What a unit may do in a fight before its own first action."""
        return economy.first_budget(unit, house)

    def next_budget(self, unit: Unit, before: Budget, house: House) -> Budget:
        """What a unit may do from the beginning of its own action to its next one."""
        return economy.next_budget(unit, before, house)

    def price(self, d: Draft, unit: Unit, act: Act, ability: Ability | None) -> tuple[Paid, ...]:
        """What an act on one's own action costs, or an objection; spends nothing."""
        return economy.price(d, unit, act, ability)

    def answer_price(self, d: Draft, unit: Unit, ability: Ability | None) -> tuple[Paid, ...]:
        """What an answer to another's act costs, or an objection; spends nothing."""
        return economy.immediate_price(d, unit, ability)

    def most_actions(self, unit: Unit) -> int | None:
        """How many actions a unit can announce for one turn; None: the game knows no such thing."""
        return None

    def fewer_dice(self, nth: int) -> int:
        """By how many dice the nth of several announced actions is poorer."""
        return 0

    # -- windows and answers
    def check_answer(self, d: Draft, unit: Unit, act: Act, ability: Ability | None, to: Pending | None) -> None:
        """Whether this may answer what is on the stack (None: nothing is), or an objection."""
        if ability is None and act.kind not in self.answers_without_ability:
            d.objection("ability_required", unit.id, slot=self.answer_slot)

    def has_window(self, house: House, pending: Pending) -> bool:
        """Whether an act is asked about at all."""
        return windows.has_window(house, pending)

    def answers(self, ability: Ability, kind: str) -> bool:
        """Whether an ability is there to answer this kind of act."""
        return windows.answers(ability, kind, self.answer_slot)

    # -- dice
    def throw(self, house: House, faces: Iterator[int], size: int, pool: Pool, opponent: Unit | None) -> Throw:
        """How so many dice of a pool are thrown, at or against an opponent if there is one, and what the faces are worth."""
        return dice.throw(
            faces,
            size,
            again=pool.again,
            extra=pool.extra,
            helps_chance=pool.helps_chance,
            chance_again=house.chance_again,
        )

    def opposed(self, house: House, dc: int | None, theirs: int) -> tuple[int | None, int]:
        """What an opponent's successes do to a roll against him: (its DC, how many of its successes they eliminate)."""
        return rolls.opposed(house, theirs)

    def defence(self, d: Draft, pending: Pending, ability: Ability | None, target: Unit) -> int:
        """What a target's Defense takes from an attack on it."""
        return attacks.defence_against(d, pending, ability, target)

    def attack(self, d: Draft, pending: Pending, unit: Unit) -> None:
        """What resolves the attacks of an act."""
        attacks.attack(d, pending, unit)

    # -- extended actions
    def check_task(self, d: Draft, task: Task) -> Task:
        """An extended action as it can stand, taken up or changed; or an objection."""
        return tasks.check_task(d, task)

    def who_rolls(self, d: Draft, task: Task, command: RollTask) -> tuple[Unit, Pool]:
        """Who makes the next roll of an extended action, and of which pool; or an objection."""
        return tasks.who_rolls(d, task, command)

    def work(self, d: Draft, task: Task, unit: Unit, pool: Pool, modifier: int) -> None:
        """What one roll of an extended action is, and what it brings; emits both."""
        tasks.work(d, task, unit, pool, modifier)

    def check_task_roll(self, d: Draft, unit: Unit, task: Task) -> None:
        """Whether the unit may roll for the task now, or an objection."""
        tasks.check_interval(d, task)

    def judge_task(self, d: Draft, task: Task) -> None:
        """What comes of the task as it stands after a roll or a change."""
        tasks.judge(d, task)
