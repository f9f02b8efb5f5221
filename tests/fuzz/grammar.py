"""Messages by the protocol's own models: each field of each command drawn from its type, ids mostly from the table; and the
same with one thing wrong.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from core.state import House
from protocol import from_client, version
from protocol.from_client import ASKS, BODIES
from tests.fuzz import tricks

Plain = Any

IDS = {
    "unit": "u", "units": "u", "targets": "u", "target": "u", "order": "u", "fled": "u", "by": "u", "actor": "u",
    "window": "w", "pending": "k", "stack": "k", "counters": "k", "readied": "r", "effect": "e", "task": "x",
    "request": "q", "ask": "a", "opposes": "a", "to": "s", "owner": "s", "as": "s", "seat": "s",
}  # fmt: skip
"""Which things of a view (the first letter of its paths) a field names."""
WORDS = {
    "ability": ("sword", "bow", "step", "focus"),
    "pay": ("", "standard", "move"),
    "slots": ("standard", "move", "swift", "immediate"),
    "path": ("hp", "speed", "side", "attributes.DEX", "tracks.hp.value", "position", "notes", "initiative"),
    "condition": ("stunned", "prone", "slow", "dead"),
    "key": tuple(House.__dataclass_fields__),
    "side": ("pc", "foe"),
    "attributes": ("DEX", "STR", "RES"),
    "skills": ("Archery", "Brawl"),
    "act": ("melee_attack", "use", "*", "cast"),
    "kind": ("melee_attack", "use", "cast", "move", "attack", "speak"),
}


@dataclass
class Known:
    """What a sender knows of the table: ids by the first letter of their path, and windows' generations."""

    ids: dict[str, list[str]] = field(default_factory=dict)
    gens: dict[str, int] = field(default_factory=dict)
    n: int = 0

    @classmethod
    def of(cls, view: Mapping[str, Any], n: int) -> "Known":
        known = cls(n=n)
        for path, value in view.items():
            letter, _, rest = path.partition("/")
            known.ids.setdefault(letter, [])
            if (id := rest.partition("/")[0]) not in known.ids[letter]:
                known.ids[letter].append(id)
            if letter == "w" and isinstance(value, Mapping) and "gen" in value:
                known.gens[id] = value["gen"]
        return known


class Grammar:
    """Draws. `wild`: how often a word is a trick though the message is a valid one."""

    def __init__(self, random: Random, *, wild: float = 0.1) -> None:
        self.r = random
        self.wild = wild
        self.known = Known()

    # ------------------------------------------------------------------------------------------------- valid messages
    def body(self, kind: str) -> dict[str, Plain]:
        return {"kind": kind, **self.model(BODIES[kind], 0)}

    def question(self, what: str) -> dict[str, Plain]:
        fields = self.model(ASKS[what], 0)
        if what == "calc" and self.r.random() < 0.5:
            fields["text"] = self.r.choice(tricks.SUMS)
        return {"t": "ask", "what": what, **fields}

    def hello(self, token: str) -> dict[str, Plain]:
        given = {"t": "hello", **self.model(from_client.Hello, 0), "token": token}
        given["versions"] = [version.VERSION, *given.get("versions", ())][:16]
        return given

    def model(self, model: type[BaseModel], depth: int) -> dict[str, Plain]:
        """Required fields, and of the others some: fewer the deeper it goes."""
        found = {}
        for name, info in model.model_fields.items():
            if name in ("t", "what") or (name == "kind" and get_origin(info.annotation) is Literal):
                continue
            if info.is_required() or self.r.random() < 0.35 / (1 + depth):
                found[info.alias or name] = self.value(info.annotation, list(info.metadata), name, depth)
        return found

    def value(self, kind: Any, bounds: list[Any], name: str, depth: int) -> Plain:
        origin = get_origin(kind)
        if origin is Annotated:
            kind, *more = get_args(kind)
            flat = [one for extra in more for one in (extra.metadata if isinstance(extra, FieldInfo) else [extra])]
            return self.value(kind, [*bounds, *flat], name, depth)
        if origin in (Union, UnionType):
            options = get_args(kind)
            real = [one for one in options if one is not NoneType]
            if len(real) < len(options) and self.r.random() < 0.3:
                return None
            return self.value(self.r.choice(real), bounds, name, depth)
        if origin is Literal:
            return self.r.choice(get_args(kind))
        if origin is tuple:
            count = min(self.most(bounds, version.LIST), self.r.choice((0, 1, 1, 2, 3)))
            count = max(count, self.least(bounds))
            return [self.value(get_args(kind)[0], [], name, depth + 1) for _ in range(count)]
        if origin is dict:
            key, value = get_args(kind)
            pairs = range(self.r.choice((0, 1, 2)))
            return {self.value(key, [], name, depth + 1): self.value(value, [], name, depth + 1) for _ in pairs}
        if isinstance(kind, type) and issubclass(kind, from_client.Body):
            return {"kind": kind.model_fields["kind"].default, **self.model(kind, depth + 1)}
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return self.model(kind, depth + 1)
        if kind is bool:
            return self.r.random() < 0.5
        if kind is int:
            return self.number(bounds, name)
        assert kind is str, kind
        return self.word(bounds, name)

    def number(self, bounds: list[Any], name: str) -> int:
        low = max((b.ge for b in bounds if hasattr(b, "ge")), default=-version.NUMBER)
        high = min((b.le for b in bounds if hasattr(b, "le")), default=None)
        if high is None:
            high = next((b.lt - 1 for b in bounds if hasattr(b, "lt")), version.NUMBER)
        if name == "gen" and self.known.gens and self.r.random() < 0.8:
            return self.r.choice(list(self.known.gens.values()))
        if name in ("seen", "n", "head", "to", "before") and self.r.random() < 0.7:
            return max(low, self.known.n - self.r.choice((0, 0, 0, 1, 5)))
        wanted = self.r.choice((0, 1, 1, 2, 3, 7, 10, 60, 1000, low, high))
        return max(low, min(high, wanted))

    def word(self, bounds: list[Any], name: str) -> str:
        most = self.most(bounds, version.NAME)
        if self.r.random() < self.wild:
            text = tricks.odd_text(self.r)[:most]
            return text.ljust(self.least(bounds), "a")
        if name in IDS and (there := self.known.ids.get(IDS[name])) and self.r.random() < 0.9:
            return self.r.choice(there)
        text = self.r.choice(WORDS.get(name, ("Mira", "Ghoul", "sword", "On we go.", "x")))
        return text[:most].ljust(self.least(bounds), "a")

    def most(self, bounds: list[Any], otherwise: int) -> int:
        return next((b.max_length for b in bounds if hasattr(b, "max_length")), otherwise)

    def least(self, bounds: list[Any]) -> int:
        return next((b.min_length for b in bounds if hasattr(b, "min_length")), 0)

    # ---------------------------------------------------------------------------------------------- one thing is wrong
    def mutated(self, message: dict[str, Plain], *, large: bool = True) -> dict[str, Plain]:
        """One place of it is another: a value of another kind, gone, under another name, or one too many."""
        value = copy.deepcopy(message)
        for _ in range(self.r.choice((1, 1, 1, 2, 3))):
            places = list(_places(value))
            holder, key = self.r.choice(places)
            draw = self.r.random()
            if draw < 0.6:
                holder[key] = tricks.odd_value(self.r, large=large)
            elif draw < 0.7:
                del holder[key]
            elif draw < 0.8 and isinstance(holder, dict):
                holder[tricks.odd_text(self.r)] = holder.pop(key)
            elif draw < 0.9 and isinstance(holder, dict):
                holder[tricks.odd_text(self.r)] = tricks.odd_value(self.r, large=large)
            else:
                other, there = self.r.choice(places)
                if _has(other, there) and _has(holder, key):
                    holder[key] = copy.deepcopy(other[there])
            if not value:
                break
        return value


def _places(value: Plain) -> Any:
    """(holder, key) of everything within, the maps and lists themselves too."""
    stack = [value]
    while stack:
        one = stack.pop()
        for key in list(one) if isinstance(one, dict) else range(len(one)):
            yield one, key
            if isinstance(one[key], (dict, list)) and one[key]:
                stack.append(one[key])


def _has(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else isinstance(key, int) and key < len(holder)
