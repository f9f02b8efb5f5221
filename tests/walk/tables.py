"""A table drawn at random: seats of every role, units with abilities of every kind, house rules of every kind."""

from dataclasses import fields, replace
from random import Random
from typing import Any

from core.ids import SeatId, UnitId
from core.override import SWITCHES
from core.state import (
    Ability,
    Applied,
    Duration,
    House,
    Pool,
    Prepared,
    Seat,
    Seeds,
    Slot,
    Table,
    TimeUnit,
    Track,
    Unit,
)

START = 1_000_000
PLAYERS = (SeatId("p1"), SeatId("p2"), SeatId("p3"))
STORYTELLERS = (SeatId("x1"), SeatId("x2"))
WATCHER = SeatId("w1")
SEATS = {
    **{id: Seat(id, id, "st") for id in STORYTELLERS},
    **{id: Seat(id, id, "player") for id in PLAYERS},
    WATCHER: Seat(WATCHER, WATCHER, "spectator"),
}

SECRET = "§"
"""Stands in every word that is for the STs alone, and nowhere else: no player's frame may show it."""

TIME_UNITS: tuple[TimeUnit, ...] = (
    "round", "turn", "scene", "film", "second", "minute", "hour", "day", "week", "month", "year", "sunrise", "sunset",
    "permanent",
)  # fmt: skip
WORDS = ("stunned", "bound", "silenced", "prone", "slow", "dead", "out")
"""Open conditions: those that the rules know, and one that they do not."""
SECRETS = (f"{SECRET}cursed", f"{SECRET}watched")


# ------------------------------------------------------------------------------------------------------------ abilities
def _abilities() -> dict[str, Ability]:
    found = [
        Ability("sword", "melee_attack", ("standard", "immediate"), Pool(fixed=3), traits=("blade",)),
        Ability("bow", "ranged_attack", ("standard",), Pool(("DEX",), ("Archery",)), dodgeable=False),
        Ability("blast", "attack", ("standard", "full_round"), Pool(fixed=4, again=9), area=True, negate=Pool(fixed=2)),
        Ability("lunge", "attack", ("standard", "immediate"), Pool(fixed=2), attacks=2, high_speed=1, all_out=True),
        Ability("flurry", "attack", ("standard", "immediate"), Pool(fixed=7), attacks=4, gains=1, lowers_base=1),
        Ability("kill", "use", ("immediate", "standard"), needs_target=True, damage=99),
        Ability("step", "move", ("immediate", "move"), immediates=2),
        Ability("dash", "move", ("free",), outside=True),
        Ability("stun", "use", ("immediate",), needs_target=True, applies=(Applied("stunned", 1),), answers=("*",)),
        Ability("counter", "cast", ("immediate",), counters=True, keeps_swift=True, answers=("cast", "attack")),
        Ability("duck", "duck", ("anytime",)),
        Ability("edge", slots=(), attaches=("attack",), pool=Pool(modifier=1), applies=(Applied("prone"),)),
        Ability("feint", slots=(), attaches=("blade",), applies=(Applied("slow", minutes=1),), concentration="same"),
        Ability("charge", slots=("standard", "immediate", "anytime"), steps=("step", "sword", "kill")),
        Ability("volley", slots=("full_turn", "standard"), steps=("flurry", "sight", "bow")),
        Ability("sight", "use", ("swift", "free"), Pool(fixed=2), applies=(Applied("keen", rounds=2, to="self"),), dc=None),
        Ability("hold", "use", ("standard", "immediate"), needs_target=True, applies=(Applied("stunned"),),
                concentration="same"),
        Ability("ward", "cast", ("swift", "standard"), applies=(Applied("warded", to="self"),), concentration="none"),
        Ability("trance", "cast", ("full_round",), applies=(Applied("calm", to="self"),), concentration="all"),
        Ability("hum", "speak", ("free",), applies=(Applied("brave", to="self"),), concentration="free"),
        Ability("mark", "use", ("standard",), needs_target=True, applies=(Applied("doomed", secret=True, rounds=2),)),
        *(Ability(f"for a {unit}", "cast", ("standard", "anytime"), needs_target=True,
                  applies=(Applied("slow", lasts=Duration(1, unit)),)) for unit in TIME_UNITS),
    ]  # fmt: skip
    return {ability.name: replace(ability, slots=in_every_game(ability.slots)) for ability in found}


def in_every_game(slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
    """The Storyteller rules have their own names for the usual action and for an answer."""
    simple: tuple[Slot, ...] = ("simple",) if "standard" in slots else ()
    reflexive: tuple[Slot, ...] = ("reflexive",) if "immediate" in slots else ()
    return (*slots, *simple, *reflexive)


ABILITIES = _abilities()


# ---------------------------------------------------------------------------------------------------------------- units
def a_unit(r: Random) -> Unit:
    """With some of the abilities, or with all of them."""
    names = list(ABILITIES) if r.random() < 0.5 else r.sample(list(ABILITIES), r.randrange(1, len(ABILITIES)))
    hp = r.choice((1, 10, 30, 30))
    tracks = {"hp": Track(hp, r.choice((hp, hp, None)))} | ({"mana": Track(3, 5)} if r.random() < 0.3 else {})
    return Unit(
        UnitId(""),
        f"unit {r.randrange(1000)}",
        side=r.choice(("pc", "foe", "")),
        on_stage=r.random() < 0.85,
        hidden=r.random() < 0.2,
        initiative=r.choice((None, r.randrange(20), r.randrange(20))),
        initiative_bonus=r.randrange(3),
        tracks=tracks,
        base=r.randrange(3),
        dodge=r.randrange(2),
        parry=r.randrange(2),
        takes_away=r.choice((0, 0, 1)),
        absorbs=r.choice((0, 0, 1)),
        attributes={"DEX": r.choice((2, 6, 11))},
        skills={"Archery": r.randrange(4)},
        extras={"attack": r.randrange(3), "defense": r.randrange(3), "legendary_dexterity": r.randrange(2)},
        abilities={name: ABILITIES[name] for name in names},
        bonus=r.choice(({}, {}, {"swift": 1}, {"standard": 1, "move": -1})),
        notes=r.choice(("", f"{SECRET}a spy")),
    )


def prepared(r: Random) -> tuple[Prepared, ...]:
    """Some of an encounter; now and then none at all, which is refused."""
    kinds = r.choice((0, 1, 1, 1, 2))
    return tuple(
        Prepared(a_unit(r), r.choice((None, None, PLAYERS[0], SeatId("nobody"))), r.choice((1, 1, 2)), r.random() < 0.5)
        for _ in range(kinds)
    )


# ---------------------------------------------------------------------------------------------------------- house rules
NUMBERS: dict[str, tuple[Any, ...]] = {
    "reaction_window_ms": (8000, 8000, 8000, 0),
    "reaction_floor_ms": (750, 0),
    "bluff_ms": (2500, 0),
    "no_window": (("speak", "drop_prone"), (), ("move",)),
    "lag_ms": (250,),
    "grace_ms": (250, 0),
    "time_bank_ms": (20_000, 0),
    "time_step_ms": (5000, 30_000),
    "stack_depth": (8, 8, 3, 2),
    "windows_per_turn": (20, 20, 0, 2),
    "outage_ms": (2000, 0),
    "action_clock_ms": (0, 0, 20_000),
    "free_action_cap": (None, 1),
    "target_number": (8, 7, 2, 10),
    "interrupted_by_readied": ("must_continue", "may_continue", "may_continue", "may_continue"),
}
"""What is drawn for the house rules that are no choice of words, the usual first and most often; and for one that is, more
often what leads on."""


def a_value(r: Random, key: str) -> Any:
    """Any that the house rule can have."""
    return r.choice(NUMBERS.get(key) or SWITCHES[key])


def a_house(r: Random) -> House:
    """Every other rule as it comes, the others drawn."""
    keys = [field.name for field in fields(House)]
    return House(**{key: a_value(r, key) for key in keys if r.random() < 0.5})


def a_table(r: Random, house: House | None = None) -> Table:
    """With its seats, and nobody on it yet."""
    return Table(
        "walk",
        START,
        START,
        seats=SEATS,
        house=house or a_house(r),
        seeds=Seeds(r.choice((0, 1))),
    )
