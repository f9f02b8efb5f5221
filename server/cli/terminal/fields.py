"""`do KIND field=value ...`: every command of the protocol, written out. Names are looked up where ids belong.

What each field takes is read from the protocol's own models, so a new command is reachable the day it exists.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from core.roles import ROLES
from protocol.codec import BadMessage, command_body
from protocol.from_client import BODIES, Body
from protocol.invitation import new_salt
from server.cli.terminal.phrases import value
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import listed, words
from server.cli.terminal.unclear import Unclear

Fields = dict[str, Any]
LookUp = Callable[[Seen, str], str]

NAMED: Mapping[str, LookUp] = {
    **dict.fromkeys(("unit", "units", "targets", "order", "fled", "by", "opposes", "actor", "target"), Seen.the_unit),
    **dict.fromkeys(("pending", "counters", "stack"), Seen.the_pending),
    **dict.fromkeys(("owner", "to"), Seen.the_seat),
    "seat": Seen.any_seat,
    "window": Seen.the_window,
    "readied": Seen.the_readied,
    "effect": Seen.the_effect,
    "request": Seen.the_request,
    "ask": Seen.the_ask,
    "task": Seen.the_task,
}
"""Fields that hold an id, and how a name becomes one; only where the model wants text (`adjust` has a number `by`)."""
WAS: Mapping[str, LookUp] = {"reorder": Seen.the_unit, "restack": Seen.the_pending}


def written_out(line: str, seen: Seen) -> Fields:
    """The command. Raises Unclear with what the protocol accepts."""
    kind, _, rest = line.strip().partition(" ")
    if kind not in BODIES:
        mine = [one for one in BODIES if seen.speaks_as in ROLES[one]]
        raise Unclear("do_what", said=kind, all=mine)
    pairs = list(_pairs(rest))
    if rest.strip() and not pairs:
        raise Unclear("do_fields", kind=kind, all=_has(BODIES[kind]))
    found: Fields = {}
    for path, said in pairs:
        _put(found, kind, path.split("."), said, seen)
    found = {**_known_now(kind, found, seen), **found}
    try:
        command_body(kind, found)
    except BadMessage as problem:
        raise Unclear("form", problem=problem) from None
    return {"kind": kind, **found}


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """name=value; a value goes on to the next name=, or is in quotes."""
    for match in re.finditer(
        r"([A-Za-z_][\w.]*)\s*=\s*(\"[^\"]*\"|.*?)\s*(?=\s[A-Za-z_][\w.]*\s*=|$)", text, re.DOTALL
    ):
        yield match[1], match[2]


def _put(found: Fields, kind: str, path: list[str], said: str, seen: Seen) -> None:
    """One field at its place; "act.targets" lies in the map "act"."""
    model: Any = BODIES[kind]
    for k, name in enumerate(path):
        field = model.model_fields.get(name) if model is not None else None
        if model is not None and field is None:
            raise Unclear("do_no_field", kind=kind, said=".".join(path[: k + 1]), all=_has(model))
        annotation = field.annotation if field is not None else Any
        if k == len(path) - 1:
            found[name] = _meant(kind, name, annotation, said, seen)
            return
        found = found.setdefault(name, {})
        models = [one for one in _leaves(annotation) if issubclass(one, BaseModel)]
        model = models[0] if len(models) == 1 else None  # a command within a command: checked as a whole


def _meant(kind: str, name: str, annotation: Any, said: str, seen: Seen) -> Any:
    """A value as the field wants it: an id for a name, a list, text where only text can stand, else as it looks."""
    quoted = len(said) > 1 and said[0] == said[-1] == '"'
    bare = said[1:-1] if quoted else said
    leaves = _leaves(annotation)
    if not quoted and (bare[:1] in ("[", "{") or (bare.casefold() == "none" and type(None) in leaves)):
        return value(bare)
    look_up = WAS.get(kind) if name == "was" else NAMED.get(name)
    a_word = get_origin(annotation) is Literal or (name == "target" and bare == "self")
    if look_up is None or kind == "lend_seat" or a_word or str not in leaves or not leaves <= {str, type(None)}:
        look_up = _as_it_is
    if tuple in _shapes(annotation) and int not in leaves:
        return [look_up(seen, entry) for entry in listed(words(said, seen.names))]
    if tuple in _shapes(annotation) and leaves == {int}:
        return [value(entry) for entry in listed(words(said))]
    if str in leaves and leaves <= {str, type(None)}:
        return look_up(seen, bare)
    return bare if quoted else value(bare)


def _as_it_is(_: Seen, text: str) -> str:
    return text


def _known_now(kind: str, found: Mapping[str, Any], seen: Seen) -> Fields:
    """Fields that only say what the sender sees: they need not be typed."""
    if kind == "end_action" and "unit" in found:
        return {"round": seen.unit(found["unit"], "round", 0)}
    if kind == "pass" and seen.top_window:
        window = found.get("window", seen.top_window)
        return {"window": window, "gen": seen.of("w", window, "gen", 0)}
    if kind == "reorder":
        return {"was": list(seen.state.get("t/order") or ())}
    if kind == "restack":
        return {"was": seen.stack}
    if "salt" in BODIES[kind].model_fields:
        return {"salt": new_salt()}
    return {"head": seen.n} if kind == "rewind" else {}


def _shapes(annotation: Any) -> set[Any]:
    """Every container a field can hold: tuple for lists, dict for maps."""
    below = {shape for one in get_args(annotation) if not isinstance(one, str) for shape in _shapes(one)}
    return below | ({get_origin(annotation)} if get_origin(annotation) in (tuple, dict) else set())


def _leaves(annotation: Any) -> set[type]:
    """Every plain type a field can hold. A word out of a closed list is text."""
    if isinstance(annotation, type) and not get_args(annotation):
        return {annotation}
    if annotation is None:
        return {type(None)}
    if isinstance(annotation, str):
        return {str}
    return {leaf for one in get_args(annotation) for leaf in _leaves(one)}


def _has(model: type[BaseModel]) -> list[str | Unclear]:
    names = [name for name in model.model_fields if name != "kind" or not issubclass(model, Body)]
    return [*names] or [Unclear("no_field_at_all")]
