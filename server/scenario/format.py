"""What may stand in a scenario file: the table, the seats, the units, the steps and what must hold after each.

Shapes only, checked strictly; loader.py reads files, and says what is wrong with them in plain words.
"""

import difflib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from core.override import HOUSE_KINDS, house_problem
from core.refusals import CODES
from core.state import Role
from protocol import texts
from protocol.codes import REFUSALS
from protocol.from_client import BODIES, Ability, Act, Pool, Unit
from protocol.lines import KINDS

Text = str | dict[Literal["en", "zh"], str]
"""Words for the audience: in one language, or in both."""


def said(text: Text, language: str) -> str:
    """In a language, or in the one there is."""
    if isinstance(text, str):
        return text
    return next((words for name, words in text.items() if name == language), "") or next(iter(text.values()), "")


Notable = Literal["window", "pending", "made", "position"]
Do = dict[str, dict[str, Any] | None]

ACT_FIELDS = frozenset(Act.model_fields)


class Piece(BaseModel):
    """Any part of a file. What nobody knows is a mistake in writing, so it is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)


class SeatAt(Piece):
    """A seat. `connections`: the names of those who sit there, each a client of its own; the seat's name if left out."""

    seat: str
    role: Role = "player"
    connections: list[str] = []

    @property
    def clients(self) -> list[str]:
        return self.connections or [self.seat]


class Command(Piece):
    """One command of one connection. `refused`: the code it must be refused with; without it, it must be accepted."""

    by: str
    do: Do
    as_seat: str | None = Field(default=None, alias="as")
    refused: str | None = None

    @field_validator("do")
    @classmethod
    def _known(cls, do: Do) -> Do:
        return checked_command(do)

    @field_validator("refused")
    @classmethod
    def _code(cls, code: str | None) -> str | None:
        if code is not None and code not in REFUSALS and code not in CODES:
            raise ValueError(f"there is no refusal {code}")
        return code


class Wait(Piece):
    """What the table must come to, as the ST sees it. `closed`: a noted window that must be gone."""

    stack: int | None = None
    gen: int | None = None
    held: bool | None = None
    active: str | None = None
    closed: str | None = None


class Expect(Piece):
    """What must hold once everybody has heard all. The short ones are as the ST sees them."""

    stack: int | list[str] | None = None
    gen: int | None = None
    held: bool | None = None
    fight: bool | None = None
    turn: int | None = None
    active: str | None = None
    rolls: list[dict[str, Any]] | None = None
    sees: dict[str, dict[str, Any]] = {}
    told: dict[str, list[str]] = {}
    not_told: dict[str, list[str]] = {}
    changes: dict[str, int] = {}
    same: list[str] = []

    @field_validator("told", "not_told")
    @classmethod
    def _kinds(cls, told: dict[str, list[str]]) -> dict[str, list[str]]:
        for kind in (kind for kinds in told.values() for kind in kinds):
            if kind not in KINDS:
                raise ValueError(f"there is no kind of log line {kind}; there are {', '.join(KINDS)}")
        return told


DOINGS = ("do", "together", "nobody_answers", "drop", "resume")


class Step(Piece):
    """One step: at most one doing (DOINGS), then what is waited for, what is noted, and what must hold."""

    step: Text = ""
    say: Text = ""
    by: str | None = None
    do: Do | None = None
    as_seat: str | None = Field(default=None, alias="as")
    refused: str | None = None
    together: Annotated[list[Command], Field(min_length=2)] | None = None
    nobody_answers: Literal["once", "to_the_end"] | None = None
    drop: str | None = None
    resume: str | None = None
    wait: Wait | None = None
    note: dict[str, Notable] = {}
    expect: Expect | None = None

    @model_validator(mode="after")
    def _one_thing(self) -> "Step":
        doing = [name for name in DOINGS if getattr(self, name) is not None]
        if len(doing) > 1:
            raise ValueError(f"a step does one thing; this one has {' and '.join(doing)}")
        if self.do is None and (self.by or self.refused or self.as_seat):
            raise ValueError("by, as and refused belong to a do, which is missing")
        if self.do is not None and self.by is None:
            raise ValueError("who does it? Give by: a connection")
        _ = self.commands
        return self

    @property
    def commands(self) -> list[Command]:
        if self.do is not None:
            return [Command.model_validate({"by": self.by, "do": self.do, "as": self.as_seat, "refused": self.refused})]
        return self.together or []


class Scenario(Piece):
    """A whole file."""

    table: str
    about: Text = ""
    dice_seed: int
    house: dict[str, Any] = {}
    seats: Annotated[list[SeatAt], Field(min_length=1)]
    units: list[dict[str, Any]] = []
    units_from: str | None = None
    steps: Annotated[list[Step], Field(min_length=1)]

    @field_validator("house")
    @classmethod
    def _house(cls, house: dict[str, Any]) -> dict[str, Any]:
        for key, value in house.items():
            if key not in HOUSE_KINDS:
                raise ValueError(f"there is no house rule {key}; there are {', '.join(HOUSE_KINDS)}")
            if problem := house_problem(key, tuple(value) if isinstance(value, list) else value):
                accepted = texts.refusal("bad_value", problem).partition("; ")[2]
                raise ValueError(f"{key} cannot be {value!r}; {accepted}")
        return {key: tuple(value) if isinstance(value, list) else value for key, value in house.items()}

    @field_validator("units")
    @classmethod
    def _units(cls, units: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for unit in units:
            checked_unit(unit)
        return units

    @model_validator(mode="after")
    def _whole(self) -> "Scenario":
        if [seat.role for seat in self.seats].count("st") != 1:
            raise ValueError("seats: one of them must be the Storyteller's (role: st)")
        clients = [client for seat in self.seats for client in seat.clients]
        if double := next((one for one in clients if clients.count(one) > 1), None):
            raise ValueError(f"seats: two connections are named {double}")
        for unit in self.units:
            if unit.get("owner") not in (None, *(seat.seat for seat in self.seats if seat.role == "player")):
                raise ValueError(f"units: {unit.get('name')} belongs to {unit['owner']}, which is no player's seat")
        return self


# ------------------------------------------------------------------------------------------------------ commands, units
def checked_command(do: Do) -> Do:
    """One kind of command with fields that it has. Raises ValueError."""
    if len(do) != 1:
        raise ValueError(f"do: one command with its fields; found {', '.join(do) or 'nothing'}")
    kind, fields = next(iter(do.items()))
    if kind not in BODIES:
        near = difflib.get_close_matches(kind, BODIES, n=1)
        raise ValueError(f"there is no command {kind}; " + (f"meant {near[0]}?" if near else ", ".join(BODIES)))
    known = set(BODIES[kind].model_fields) - {"kind"}
    if holds_act(kind):
        known |= ACT_FIELDS
    if unknown := sorted(set(fields or {}) - known):
        raise ValueError(f"{kind} has no {', '.join(unknown)}; it has {', '.join(sorted(known))}")
    return do


def holds_act(kind: str) -> bool:
    """Whether a command carries an act, whose fields may stand beside its own."""
    field = BODIES[kind].model_fields.get("act")
    return field is not None and field.annotation is Act


def checked_unit(given: dict[str, Any]) -> None:
    """A unit as the wire takes it, with `owner`: a seat's name. Raises ValueError."""
    _no_strangers(Unit, {key: value for key, value in given.items() if key != "owner"}, str(given.get("name")))
    abilities = given.get("abilities") or []
    for ability in abilities.values() if isinstance(abilities, dict) else abilities:
        _no_strangers(Ability, ability, f"{given.get('name')}, {ability.get('name', 'ability')}")
        _no_strangers(Pool, ability.get("pool") or {}, f"{given.get('name')}, {ability.get('name')}, pool")
    Unit.model_validate({key: value for key, value in given.items() if key != "owner"})


def _no_strangers(model: type[BaseModel], given: dict[str, Any], what: str) -> None:
    if unknown := sorted(set(given) - set(model.model_fields)):
        raise ValueError(f"{what} has {', '.join(unknown)}; known are {', '.join(model.model_fields)}")
