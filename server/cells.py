"""Entities of the table to bytes and back: the one place that knows how a value of `core` lies in the store.

Fields at their default are left out; a changed default is therefore a change of the store's schema. House rules are the
exception: a table keeps the rules it was made with.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgpack
from pydantic import ConfigDict, TypeAdapter, ValidationError

from core.cells import Books, Course, Facts, table_from
from core.events import UnitAdded
from core.state import (
    Ability,
    Budget,
    Concentration,
    Effect,
    Fight,
    House,
    Objection,
    Orders,
    Pending,
    Readied,
    Request,
    RollAsk,
    Seat,
    Seeds,
    Setting,
    Table,
    Task,
    Unit,
    Window,
)
from server.store.problems import NewerState

KINDS: Mapping[str, type] = {
    "facts": Facts,
    "course": Course,
    "books": Books,
    "house": House,
    "seeds": Seeds,
    "setting": Setting,
    "fight": Fight,
    "u": Unit,
    "b": Budget,
    "e": Effect,
    "p": Pending,
    "w": Window,
    "r": Readied,
    "x": Task,
    "c": Concentration,
    "s": Seat,
    "o": Orders,
    "q": Request,
    "a": RollAsk,
    "j": Objection,
}
"""What lies in a cell, by its name or by the letter before its ":"."""

_adapters: dict[type, TypeAdapter[Any]] = {}
_strict: dict[type, TypeAdapter[Any]] = {}


def _adapter(kind: type) -> TypeAdapter[Any]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def plain(value: Any) -> Any:
    """A dataclass of `core` as maps, lists, numbers and texts."""
    if isinstance(value, UnitAdded):
        return {"unit": plain(value.unit)}
    if isinstance(value, Unit) and value.abilities:
        return _dumped(value, exclude={"abilities"}) | {"abilities": {n: _kept(a) for n, a in value.abilities.items()}}
    return _dumped(value)


def _dumped(value: Any, **how: Any) -> Any:
    return _adapter(type(value)).dump_python(value, exclude_defaults=not isinstance(value, House), **how)


@lru_cache(maxsize=4096)
def _kept(ability: Ability) -> Any:
    """As maps; made once, for they hardly ever change: of a hundred copies with long sheets it is most of the work."""
    return _dumped(ability)


def made(kind: type, value: Any) -> Any:
    """The opposite of `plain`. Raises pydantic's ValidationError for what does not fit."""
    return _adapter(kind).validate_python(value)


def whole(kind: type, value: Any) -> Any:
    """As `made`, but no field may be left over: what a newer version has added would be lost with the next change."""
    if kind not in _strict:
        # pydantic takes no settings for a dataclass that is not its own, but hands on those of what is around it.
        _strict[kind] = TypeAdapter(tuple[kind], config=ConfigDict(extra="forbid"))  # type: ignore[valid-type]
    return _strict[kind].validate_python((value,))[0]


def packed(value: Any) -> bytes:
    """Plain values as msgpack: floats are never in them."""
    data: bytes = msgpack.packb(value)
    return data


def unpacked(data: bytes) -> Any:
    return msgpack.unpackb(data, strict_map_key=False)


def encode(entity: Any) -> bytes:
    return packed(plain(entity))


def table_of(cells: Mapping[str, bytes], id: str = "") -> Table:
    """The table that lies in these cells. Raises NewerState."""
    found = {}
    for name, data in cells.items():
        try:
            found[name] = whole(KINDS[name.partition(":")[0]], unpacked(data))
        except (KeyError, ValidationError) as problem:
            raise NewerState(id, f"{name}: {_short(problem)}") from problem
    return table_from(found)


def _short(problem: KeyError | ValidationError) -> str:
    if isinstance(problem, KeyError):
        return "a kind of thing with no name here"
    first = problem.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'][1:])}: {first['msg']}"
