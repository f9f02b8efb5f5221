"""A fight of a few units, each of a seat of its own, with answers to give: the setting of the tests about windows."""

from collections.abc import Sequence
from typing import Any

from core import commands as cmd
from core.ids import UnitId, WindowId
from core.refusals import Refused
from core.state import Ability, Act, Applied, Pool, Trigger
from tests.helpers.play import Game, attack, step_aside

MISSES = [1] * 400
"""Faces for tests in which no roll matters."""


def kill(**rest: Any) -> Ability:
    """An immediate action that puts its target out at once."""
    return Ability("kill", "use", ("immediate", "swift", "standard"), needs_target=True, damage=99, **rest)


def stun(**rest: Any) -> Ability:
    applies = (Applied("stunned"),)
    return Ability("stun", "use", ("immediate", "standard"), needs_target=True, applies=applies, **rest)


def brawl(names: str = "a b c", *, dice: Sequence[int] = MISSES, hp: int = 10, **house: Any) -> tuple[Any, ...]:
    """(game, unit, unit, ...): unit k is owned by p<k>, acts k-th, can attack, step away, kill and stun."""
    named = names.split()
    game = Game(dice=dice, players=[f"p{k + 1}" for k in range(len(named))], **house)
    units = [
        game.unit(name, f"p{k + 1}", side=name, hp=hp, initiative=20 - k, abilities=skills())
        for k, name in enumerate(named)
    ]
    game.start()
    return game, *units


def skills() -> list[Ability]:
    return [attack(), attack("bow", act="ranged_attack"), step_aside(), kill(), stun(), duck()]


def duck() -> Ability:
    """An anytime act that does nothing but to be done."""
    return Ability("duck", "duck", ("anytime",))


def attacks(game: Game, unit: UnitId, target: UnitId, **act: Any) -> WindowId:
    """The unit attacks on its own action; the window in which it waits."""
    game.declare(unit, "attack", ability="sword", targets=[target], **act)
    return game.window.id


def now_acts(game: Game, unit: UnitId) -> None:
    """The units before it end their actions, with nothing done."""
    for _ in range(50):
        if game.active == unit:
            return
        assert game.active is not None
        game.end(game.active)
    raise AssertionError("it never acts")


def round_of(game: Game, unit: UnitId) -> int:
    return game.table.play.budgets[unit].round


def readies(
    game: Game, unit: UnitId, kind: str = "move", slot: str = "move", *, words: str = "", auto: bool = False,
    trigger: Trigger | None = None, **act: Any,
) -> str:  # fmt: skip
    """The unit readies on its own action and ends it; the readied action's id."""
    now_acts(game, unit)
    if trigger is None and not words:
        trigger = Trigger("attack", target="self")
    readied = Act(kind, slot, **act)  # type: ignore[arg-type]
    made = game.do(cmd.Ready(unit, readied, trigger, words, auto), game.owner(unit)).made[0]
    game.end(unit)
    return made


def code(outcome: object) -> str:
    assert isinstance(outcome, Refused), outcome
    return outcome.code


def area(name: str = "blast", **rest: Any) -> Ability:
    """An area attack of 5 dice that a roll of 3 dice lessens."""
    return attack(name, area=True, negate=Pool(fixed=3), **rest)
