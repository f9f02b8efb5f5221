"""A calculation for somebody at the table: with the values he may see, by the house's rules, step by step (NUM-01 to 06)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from core import arithmetic
from core.arithmetic import Change, Mixed, Sorted, finished
from core.dice.pool import attribute_extras
from core.notation import bracketed, read, written
from core.refusals import Refused
from core.view import View

LARGEST = 10**12
ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "STR": ("strength", "力量"),
    "DEX": ("dexterity", "敏捷"),
    "STA": ("stamina", "耐力"),
    "INT": ("intelligence", "智力"),
    "PER": ("perception", "感知"),
    "RES": ("resolve", "决心"),
    "PRE": ("presence", "风度"),
    "MAN": ("manipulation", "操控"),
    "COM": ("composure", "沉着"),
}
"""The book's nine, in full. A sheet may have others, by names of its own."""
SHEET = ("base", "dodge", "parry", "speed", "initiative")


@dataclass(frozen=True, slots=True)
class Calculated:
    """The finished value, what it counts, and how it came about: one step for each value of the chain.

    `names`: what the names in it stood for.
    """

    value: int
    unit: str
    steps: tuple[str, ...]
    names: Mapping[str, int]


def calc(seen: View, text: str, unit: str | None = None, *, own: bool = True) -> Calculated:
    """`seen`: the asker's view. `unit`: whose values the names mean. `own`: not money or distance (NUM-06)."""
    asked = read(text, names(seen, unit))
    value = asked.value
    steps = [step(asked.shown, value, last=not asked.changes)]
    chain = [(False, asked.changes)] if asked.changes else []
    chain += [(True, changes) for changes in asked.derived]
    for derived, changes in chain:
        value, shown = changed(
            Fraction(finished(value)) if derived else value, changes, seen["h/mixed_multipliers"], own
        )
        steps.append(step(shown, value))
    if abs(value) > LARGEST:
        raise Refused("no_number", why="too_large", at=1, said=text[:20])
    return Calculated(finished(value), asked.unit, tuple(filter(None, steps)), asked.names)


def changed(value: Fraction, changes: tuple[Change, ...], mixed: Mixed, own: bool) -> tuple[Fraction, str]:
    """The value after its changes, and how that is worked out."""
    if own:
        return arithmetic.own_number(value, changes, mixed), shown_own(value, arithmetic.sort(changes, mixed))
    return arithmetic.other_number(value, changes), shown_other(value, changes)


# ------------------------------------------------------------------------------------------------------- how it is shown
def step(shown: str, value: Fraction, *, last: bool = True) -> str:
    """ "5 / 4 - 1 = 0.25 → 0"; nothing where there was nothing to work out. `last`: the value is finished with it."""
    result = written(value) + (f" → {finished(value)}" if last and value.denominator != 1 else "")
    return "" if shown == result else f"{shown} = {result}"


def shown_own(value: Fraction, by: Sorted) -> str:
    """ "10 x (1 + 1 + 3) / 2 + 50": in the order in which it is worked out."""
    first, *more = by.added_up or (Fraction(1),)
    times = f"({' + '.join(['1', *(written(m - 1) for m in by.added_up)])})" if more else written(first)
    shown = bracketed(written(value)) + (f" x {times}" if by.added_up else "")
    return shown + "".join(map(factor, by.multiplied)) + "".join(map(addition, by.additions))


def shown_other(value: Fraction, changes: tuple[Change, ...]) -> str:
    shown = bracketed(written(value))
    for change in changes:
        shown = bracketed(shown) + factor(change.n) if change.how == "times" else shown + addition(change.n)
    return shown


def factor(n: Fraction) -> str:
    return f" / {written(1 / n)}" if 0 < n < 1 else f" x {written(n)}"


def addition(n: Fraction) -> str:
    return f" + {written(n)}" if n >= 0 else f" - {written(-n)}"


# ------------------------------------------------------------------------------------------------- what names stand for
def names(seen: View, unit: str | None) -> dict[str, int]:
    """The numbers of a unit by name, in small letters, as far as this view shows them: its sheet, or its tracks alone."""
    if unit is None:
        return {}
    if f"u/{unit}/name" not in seen:
        raise Refused("unknown", id=unit)
    found: dict[str, int] = {}
    for name, value in all_names({path.split("/")[2]: v for path, v in seen.items() if path.startswith(f"u/{unit}/")}):
        if isinstance(value, int) and not isinstance(value, bool):
            found.setdefault(name.casefold(), value)
    return found


def all_names(sheet: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Attributes in full and in short, Skills, the extra successes of each, the other numbers, tracks and their ends."""
    attributes, skills, extras = (sheet.get(part, {}) for part in ("attributes", "skills", "extras"))
    for short, value in attributes.items():
        for name in (short, *ATTRIBUTES.get(short, ())):
            yield name, value
            yield from extra_successes(name, attribute_extras(value))
    for skill, value in skills.items():
        yield skill, value
        yield from extra_successes(skill, extras.get(skill, 0))
    for name, value in extras.items():
        yield from extra_successes(name, value)
    yield from ((name, sheet.get(name)) for name in SHEET)
    for name, value in sheet.items():
        if f"{name}_max" in sheet:
            yield name, value
            yield f"{name} max", sheet[f"{name}_max"]


def extra_successes(name: str, n: int) -> Iterator[tuple[str, int]]:
    yield f"{name} extra successes", n
    yield f"{name}附加成功", n
