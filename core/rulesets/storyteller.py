"""The Storyteller rules (STY-01 to STY-07): only what differs from the common rule."""

from collections.abc import Iterator

from core.commands import RollTask
from core.dice.pool import Throw
from core.dice.target import throw_against
from core.draft import Draft
from core.economy import LET_OFF, UNCOUNTED
from core.rulesets import contests
from core.rulesets.ruleset import Ruleset
from core.state import Ability, Act, Budget, House, Paid, Pending, Pool, Task, Unit

DEXTERITY = "DEX"


class Storyteller(Ruleset):
    """One simple and one free action a turn; a reflexive action comes after what triggered it; dice have target numbers."""

    slots = ("simple", "free", "reflexive")
    carries = frozenset({"simple"})
    answer_slot = "reflexive"
    answers_without_ability = frozenset()
    ready_slots = ()
    counted_slots = ("simple", "free")
    keeps_up_an_answer = "simple"
    asks = "after"
    declares_defence = False

    def first_budget(self, unit: Unit, house: House) -> Budget:
        """Nothing before its own first action but reflexive actions, which cost nothing."""
        return Budget(unit.id, immediates=0)

    def next_budget(self, unit: Unit, before: Budget, house: House) -> Budget:
        """A simple action and a free one, and what the unit has beyond (STY-01)."""
        left: dict[str, int] = {slot: max(0, 1 + unit.bonus.get(slot, 0)) for slot in self.counted_slots}
        return Budget(unit.id, round=before.round + 1, left=left, immediates=0)

    def price(self, d: Draft, unit: Unit, act: Act, ability: Ability | None) -> tuple[Paid, ...]:
        """A simple or a free action of the turn; talk is none, but what an ability does by words is. Simple ones beyond are
        announced first (STY-01, STY-03)."""
        budget = d.budget(unit.id)
        if budget is None or (act.kind in UNCOUNTED and ability is None):
            return ()
        if d.fight.active != unit.id and not any(budget.left.values()):
            d.objection("not_your_action", unit.id)
        if budget.left.get(act.slot, 0) > 0:
            return (Paid("slot", act.slot),)
        if act.slot == "simple" and "simple" in budget.spent and budget.announced < 2:
            d.objection("not_declared", unit.id)
        else:
            d.objection("no_action_left", unit.id, slot=act.slot)
        return (Paid("slot", act.slot, LET_OFF),)

    def answer_price(self, d: Draft, unit: Unit, ability: Ability | None) -> tuple[Paid, ...]:
        """Nothing: a trigger is what a reflexive action needs (STY-02)."""
        return ()

    def check_answer(self, d: Draft, unit: Unit, act: Act, ability: Ability | None, to: Pending | None) -> None:
        """An ability whose trigger is this act, which has been carried out; once against the same act (STY-02)."""
        if ability is None:
            d.objection("ability_required", unit.id, slot=self.answer_slot)
            return
        triggered = to is not None and to.state == "done" and self.answers(ability, to.act.kind)
        if to is None or not triggered or (unit.id, ability.name) in to.answered:
            d.objection("not_triggered", unit.id)

    def most_actions(self, unit: Unit) -> int | None:
        """As many as dots in Dexterity (STY-03)."""
        return unit.attributes.get(DEXTERITY, 0)

    def fewer_dice(self, nth: int) -> int:
        """Three for the first, one more for each after it (STY-03)."""
        return 2 + nth

    # -- dice
    def throw(self, house: House, faces: Iterator[int], size: int, pool: Pool, opponent: Unit | None) -> Throw:
        number = contests.target_number(house, pool, opponent)
        return throw_against(faces, size, number, extra=pool.extra)

    def opposed(self, house: House, dc: int | None, theirs: int) -> tuple[int | None, int]:
        """They eliminate one's own; what is left are net successes (STY-04)."""
        return dc, theirs

    def defence(self, d: Draft, pending: Pending, ability: Ability | None, target: Unit) -> int:
        """None: the target's traits are the target number; blocking and parrying are actions."""
        return 0

    # -- extended actions
    def check_task(self, d: Draft, task: Task) -> Task:
        return contests.check_task(d, task)

    def who_rolls(self, d: Draft, task: Task, command: RollTask) -> tuple[Unit, Pool]:
        return contests.who_rolls(d, task, command)

    def work(self, d: Draft, task: Task, unit: Unit, pool: Pool, modifier: int) -> None:
        contests.work(d, task, unit, pool, modifier)

    def judge_task(self, d: Draft, task: Task) -> None:
        contests.judge(d, task)
