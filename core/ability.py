"""Who can act at all, and what keeps him from some kinds of act."""

from collections.abc import Set as AbstractSet

from core.ids import UnitId
from core.state import ATTACKS, Act, Table, Unit

OUT = "out"
"""What a unit at 0 is; the ST can say otherwise."""
UNABLE = frozenset({"dead", OUT, "stunned"})
"""Conditions under which a unit does nothing at all."""
LIFELESS = frozenset({"dead", OUT})
"""Conditions under which it is no target of an attack any more."""
BARS = {"bound": frozenset({"move"}), "silenced": frozenset({"cast", "speak"})}
"""Conditions that keep a unit from one kind of act only."""


def alive(unit: Unit | None) -> bool:
    return unit is not None and unit.on_stage and not LIFELESS & unit.conditions.keys()


def able(unit: Unit | None) -> bool:
    """It is there, alive, and nothing keeps it from acting, secret conditions included."""
    return unit is not None and unit.on_stage and not UNABLE & unit.conditions.keys()


def publicly_able(unit: Unit | None) -> bool:
    """The same as far as all can see: who may be asked to react follows from this alone."""
    return unit is not None and not unit.hidden and seems_able(unit)


def seems_able(unit: Unit) -> bool:
    """As far as its owner knows: a secret stun settles nobody early."""
    return unit.on_stage and not seems_unable(unit)


def seems_unable(unit: Unit) -> bool:
    """Something that all can see keeps it from acting."""
    return bool(unit.conditions) and any(word in UNABLE and not secret for word, secret in unit.conditions.items())


def moves(act: Act) -> bool:
    """Whether it carries its unit somewhere, whatever its kind."""
    return act.kind == "move" or act.position is not None or act.distance is not None or act.leaves


def barred(unit: Unit, act: Act) -> str:
    """The condition that keeps a unit from such an act, or ""."""
    kinds = {act.kind, "move"} if moves(act) else {act.kind}
    return next((word for word in unit.conditions if kinds & BARS.get(word, frozenset())), "")


def in_fight(table: Table, unit: str) -> bool:
    fight = table.play.fight
    return fight is not None and unit in fight.order and unit not in fight.ghosts and unit in table.play.units


def taking_part(table: Table) -> AbstractSet[UnitId]:
    """All who are in the fight, if there is one; else all there are. For asking of many at once."""
    fight = table.play.fight
    return table.play.units.keys() if fight is None else set(fight.order).difference(fight.ghosts)


def seems_alive(unit: Unit) -> bool:
    """The same as far as all can see."""
    return unit.on_stage and not any(word in LIFELESS and not secret for word, secret in unit.conditions.items())


def legal_targets(table: Table, act: Act, *, seemingly: bool = False) -> tuple[str, ...]:
    """The targets that can (still) be aimed at: in the fight if there is one, and for an attack alive (IMM-04).

    `seemingly`: as far as all can see.
    """

    there = taking_part(table)

    def legal(unit: Unit | None) -> bool:
        if unit is None or not unit.on_stage or unit.id not in there:
            return False
        return act.kind not in ATTACKS or (seems_alive(unit) if seemingly else alive(unit))

    return tuple(id for id in act.targets if legal(table.play.units.get(UnitId(id))))
