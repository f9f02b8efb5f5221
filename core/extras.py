"""Attack extra successes: how many there are, and how the attacks of one action share them (XS-01 to XS-06).

What a unit has itself (Attributes, Skills, upgrades) is shared by all attacks of an action on one target; what a weapon
gives, by that weapon's attacks on it. Each target's split is its own, of the whole number.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.draft import Draft
from core.rolls import extra_successes
from core.state import Ability, Act, Pool, Strike, Unit


# ---------------------------------------------------------------------------------------------------------- the attacks
def aim(target: str, nth: int) -> str:
    """The name of one attack of an action: its target's id, from the second on the same target on "id/2"."""
    return target if nth == 1 else f"{target}/{nth}"


def target_of(aim: str) -> str:
    return aim.partition("/")[0]


def aims(split: tuple[Strike, ...]) -> list[str]:
    """The names of the attacks, in their order."""
    seen: Counter[str] = Counter()
    named = []
    for one in split:
        seen[one.target] += 1
        named.append(aim(one.target, seen[one.target]))
    return named


def strikes(act: Act, ability: Ability | None) -> tuple[Strike, ...]:
    """The attacks an action makes: those it names, else all of them on its only target, or one on each."""
    if act.split:
        only = act.targets[0] if act.targets else ""
        return tuple(Strike(one.target or only, one.weapon or act.ability, one.extra) for one in act.split)
    targets = act.targets or ("",)  # not aimed yet
    times = ability.attacks if ability and len(targets) == 1 else 1
    return tuple(Strike(target, act.ability) for target in targets for _ in range(times))


def with_targets(act: Act, targets: tuple[str, ...]) -> Act:
    """The act aimed at these instead: a single target's attacks all go to the new one; a new target gets one attack."""
    split = act.split
    if split and len(targets) == 1:
        split = tuple(replace(one, target=targets[0]) for one in split)
    elif split:
        kept = tuple(one for one in split if one.target in targets)
        split = (*kept, *(Strike(t) for t in targets if t not in {one.target for one in kept}))
    return replace(act, targets=targets, split=split)


# ----------------------------------------------------------------------------------------------------- what there is
def own_and_weapons(d: Draft, unit: Unit, weapon: str) -> tuple[int, int]:
    """Attack extra successes of the unit itself with this weapon, and those the weapon gives."""
    ability = unit.abilities.get(weapon)
    pool = (ability.pool if ability else None) or Pool()
    budget = d.budget(unit.id)
    gained = budget.gained if budget else 0
    return unit.extras.get("attack", 0) + gained + extra_successes(unit, pool) - pool.extra, pool.extra


def shared_out(d: Draft, unit: Unit, split: tuple[Strike, ...]) -> tuple[Strike, ...]:
    """Each attack with its number. One that names none has all there are, but what attacks before it draw on too."""
    done = []
    seen: set[tuple[str, str]] = set()
    for one in split:
        own, weapons = own_and_weapons(d, unit, one.weapon)
        first_with_it = (one.target, one.weapon) not in seen
        first_at_all = not any(target == one.target for target, _ in seen)
        mine = own if (first_with_it if d.house.own_extras_per_weapon == "full" else first_at_all) else 0
        seen.add((one.target, one.weapon))
        done.append(one if one.extra is not None else replace(one, extra=mine + (weapons if first_with_it else 0)))
    return tuple(done)


# ------------------------------------------------------------------------------------------------------ the declaration
def object_to_split(d: Draft, unit: Unit, split: tuple[Strike, ...]) -> None:
    """Declared before the attack, and no more than there is (XS-02, XS-04, XS-06). Sealed until the roll."""
    for target, on_it in by_target(split):
        over = 0
        most = 0
        for weapon in dict.fromkeys(one.weapon for one in on_it):
            own, weapons = own_and_weapons(d, unit, weapon)
            with_it = [one for one in on_it if one.weapon == weapon]
            sharers = with_it if d.house.own_extras_per_weapon == "full" else on_it
            shared = (own if len(sharers) > 1 else 0) + (weapons if len(with_it) > 1 else 0)
            if shared > 0 and any(one.extra is None for one in with_it):
                d.objection("split_required", unit.id, private=True, attacks=len(on_it), extra=own + weapons)
                return
            given = sum(one.extra for one in with_it if one.extra is not None)
            beyond = max(0, given - weapons)
            if beyond > max(0, own):
                d.objection(
                    "split_too_large", unit.id, private=True, target=target, declared=given, extra=own + weapons
                )
                return
            over, most = over + beyond, max(most, own)
        if d.house.own_extras_per_weapon == "shared" and over > max(0, most):
            declared = sum(one.extra or 0 for one in on_it)
            d.objection(
                "split_too_large", unit.id, private=True, target=target, declared=declared, extra=most + declared - over
            )
            return


def by_target(split: tuple[Strike, ...]) -> Iterator[tuple[str, list[Strike]]]:
    for target in dict.fromkeys(one.target for one in split):
        yield target, [one for one in split if one.target == target]


def object_to_attacks(d: Draft, unit: Unit, ability: Ability | None, split: tuple[Strike, ...]) -> None:
    """One attack on each target, or as many in all as the ability makes; each with an attack of the unit's."""
    most = max(ability.attacks if ability else 1, len({one.target for one in split}))
    if len(split) > most:
        d.objection("too_many_attacks", unit.id, attacks=len(split), most=most)


# -------------------------------------------------------------------------------------------------------- midway (XS-05)
def with_gain(split: tuple[Strike, ...], to_come: Sequence[int], gain: Sequence[int]) -> tuple[Strike, ...]:
    """What was gained goes to the attacks still to come, as declared."""
    more = dict(zip(to_come, gain, strict=False))
    return tuple(replace(one, extra=(one.extra or 0) + more.get(k, 0)) for k, one in enumerate(split))
