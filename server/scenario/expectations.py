"""What must hold after a step, compared with what the clients see. One finding at a time: the first that is wrong."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from protocol.client import Table, Told
from protocol.views import View
from server.scenario.client import Client
from server.scenario.format import Expect
from server.scenario.names import Names

Finding = tuple[str, Any, Any]
"""(what, expected, found)."""


def findings(expect: Expect, names: Names, clients: Mapping[str, Client]) -> Iterator[Finding]:
    """Everything that was to be looked at, right or wrong."""
    for name, look in TABLE.items():
        wanted = getattr(expect, name)
        if wanted is not None:
            yield name, wanted, look(names.st, wanted)
    for name, wanted in (("active", expect.active),):
        if wanted is not None:
            yield name, wanted, str(names.st.active) if names.st.active else "nobody"
    if expect.rolls is not None:
        yield from rolls(expect.rolls, [told for told in st_of(names, clients).heard if told.kind == "rolled"])
    for name, values in expect.sees.items():
        for path, wanted in values.items():
            yield f"{name} sees {path}", names.meant(wanted), names.value(clients[name].table, path)
    yield from told_of(expect, clients)
    for name, n in expect.changes.items():
        yield f"changes sent to {name}", n, clients[name].changes
    for path in expect.same:
        yield from same(path, names, clients)


def right(expected: Any, found: Any) -> bool:
    """Equal, with lists and tuples the same; 1 is not True."""
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(expected) == len(found) and all(right(a, b) for a, b in zip(expected, found, strict=True))
    if isinstance(expected, bool) != isinstance(found, bool):
        return False
    return bool(expected == found)


# ------------------------------------------------------------------------------------------- the table, as the ST sees it
def _stack(st: Table, wanted: int | list[str]) -> Any:
    """How many wait; or the kinds of act, the last on top."""
    return len(st.stack) if isinstance(wanted, int) else [view.kind for view in st.stack]


def _gen(st: Table, _: object) -> Any:
    return View(st.state, "w", st.stack[-1].window).get("gen") if st.stack else "no window"


def _path(path: str) -> Callable[[Table, object], Any]:
    return lambda st, _: st.state.get(path)


TABLE: Mapping[str, Callable[[Table, Any], Any]] = {
    "stack": _stack,
    "gen": _gen,
    "held": _path("t/held"),
    "fight": _path("t/fight"),
    "turn": _path("t/turn"),
}


def st_of(names: Names, clients: Mapping[str, Client]) -> Client:
    return next(client for client in clients.values() if client.online and client.table is names.st)


# -------------------------------------------------------------------------------------------------------- rolls and lines
def rolls(wanted: list[dict[str, Any]], thrown: list[Told]) -> Iterator[Finding]:
    """Each roll of the step, in order: the fields that are named. `parts` by name."""
    yield "rolls", len(wanted), len(thrown)
    for k, (fields, told) in enumerate(zip(wanted, thrown, strict=True)):
        for name, value in fields.items():
            found = told.get(name)
            if name == "parts":
                found = dict(found or [])
            elif name in ("unit", "target"):
                found = str(found)
            elif name == "faces":
                found = list(found or [])
            yield f"roll {k + 1}, {name}", value, found


def told_of(expect: Expect, clients: Mapping[str, Client]) -> Iterator[Finding]:
    for name, kinds in expect.told.items():
        heard = [told.kind for told in clients[name].heard]
        for kind in kinds:
            yield f"{name} is told", kind, kind if kind in heard else f"only {', '.join(heard) or 'nothing'}"
    for name, kinds in expect.not_told.items():
        heard = [told.kind for told in clients[name].heard]
        for kind in kinds:
            yield f"{name} is told", f"no {kind}", kind if kind in heard else f"no {kind}"


def same(path: str, names: Names, clients: Mapping[str, Client]) -> Iterator[Finding]:
    first = names.value(names.st, path)
    for client in clients.values():
        if client.online:
            yield f"{client.name} sees the same {path} as all", first, names.value(client.table, path)
