"""What games differ in, as named hooks. Each is the common rule unless a ruleset says otherwise (README.md beside this)."""

from collections.abc import Iterator

from core import attacks, economy, tasks, windows
from core.dice import pool
from core.dice.pool import Throw
from core.draft import Draft
from core.state import Ability, Act, Budget, House, Paid, Pending, Task, Unit


class Ruleset:
    """One game. The engine asks its hooks at run time and never which game it is."""

    slots: tuple[str, ...] = (
        "free", "swift", "move", "standard", "full_round", "full_turn", "immediate", "anytime",
    )  # fmt: skip
    """The kinds of action there are."""
    answer_slot: str = "immediate"
    """The kind of action that answers another."""

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

    # -- windows
    def has_window(self, house: House, pending: Pending) -> bool:
        """Whether an act is asked about at all."""
        return windows.has_window(house, pending)

    def answers(self, ability: Ability, kind: str) -> bool:
        """Whether an ability is there to answer this kind of act."""
        return windows.answers(ability, kind)

    # -- dice
    def throw(self, house: House, faces: Iterator[int], size: int, again: int, extra: int, helps_chance: bool) -> Throw:
        """How a pool of dice is thrown, and what its faces are worth."""
        return pool.throw(
            faces, size, again=again, extra=extra, helps_chance=helps_chance, chance_again=house.chance_again
        )

    def attack(self, d: Draft, pending: Pending, unit: Unit) -> None:
        """What resolves the attacks of an act."""
        attacks.attack(d, pending, unit)

    # -- extended actions
    def check_task_roll(self, d: Draft, unit: Unit, task: Task) -> None:
        """Whether the unit may roll for the task now, or an objection."""
        tasks.check_interval(d, task)

    def judge_task(self, d: Draft, task: Task) -> None:
        """What comes of the task as it stands after a roll or a change."""
        tasks.judge(d, task)
