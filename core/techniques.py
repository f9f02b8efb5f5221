"""Techniques: acts of several actions, carried out one after another, each with a window of its own (ATT-02).

A Technique's ability names the abilities that are its steps. Each step is an act like any other; the Technique itself only
says what the whole costs.
"""

from collections.abc import Iterable
from dataclasses import replace

from core.state import ATTACKS, Act, Step, Unit


def steps_of(unit: Unit, act: Act) -> tuple[Act, ...]:
    """The actions an act is made of: itself, or its Technique's steps. What a step leaves open the whole act says."""
    technique = unit.abilities.get(act.ability)
    if technique is None or not technique.steps:
        return (act,)
    said = (*act.steps, *(Step(),) * len(technique.steps))
    return tuple(step_of(unit, act, name, one) for name, one in zip(technique.steps, said, strict=False))


def step_of(unit: Unit, act: Act, name: str, said: Step) -> Act:
    ability = unit.abilities.get(name)
    kind = ability.act if ability else "use"
    moves, aims = kind == "move", kind in ATTACKS or (ability is not None and ability.needs_target)
    return replace(
        act,
        kind=kind,
        ability=name,
        targets=said.targets or (act.targets if aims else ()),
        split=said.split,
        distance=act.distance if moves and said.distance is None else said.distance,
        position=act.position if moves and said.position is None else said.position,
        leaves=act.leaves and moves,
        attached=said.attached,
        steps=(),
    )


def said_of(steps: Iterable[Act]) -> tuple[Step, ...]:
    """The other way about: what is to be said of each step for it to be this."""
    return tuple(Step(one.targets, one.split, one.distance, one.position, one.attached) for one in steps)


def needs_target(unit: Unit, act: Act) -> bool:
    """Whether it, or a step of it, needs somebody to aim at."""
    for one in steps_of(unit, act):
        ability = unit.abilities.get(one.ability)
        kind = ability.act if ability is not None else one.kind
        if kind in ATTACKS or (ability is not None and ability.needs_target):
            return True
    return False
