"""What a file calls things, turned into what the wire calls them: units by name, windows by "top" or a noted label.

Also fills in what a person at a client would not type: the gen of a question, the round, the value that was there.
"""

from collections.abc import Callable, Mapping
from typing import Any

from protocol.client import Table
from protocol.from_client import BODIES
from server.scenario.format import ACT_FIELDS, Notable, holds_act
from server.scenario.problems import ScenarioProblem

SLOTS = {"react": "immediate", "insert": "immediate"}
"""The slot of an act that names none; else a standard action."""


class Names:
    """`st`: the ST's client, who sees all; `seats`: ids by name; `labels`: what steps have noted."""

    def __init__(self, st: Table, seats: Mapping[str, str]) -> None:
        self.st = st
        self.seats = seats
        self.labels: dict[str, Any] = {}

    # ------------------------------------------------------------------------------------------------------ what is what
    def unit(self, name: str) -> str:
        if name not in self.st.units:
            raise ScenarioProblem(f"there is no unit {name}; there are {', '.join(map(str, self.st.units.values()))}")
        return self.st.units[name].id

    def seat(self, name: str) -> str:
        if name in self.seats:
            return self.seats[name]
        raise ScenarioProblem(f"there is no seat {name}; there are {', '.join(self.seats)}")

    def label(self, name: str) -> Any:
        if name in self.labels:
            return self.labels[name]
        raise ScenarioProblem(f"no step has noted {name}; noted are {', '.join(self.labels) or 'none'}")

    def pending(self, name: str) -> str:
        if name != "top":
            return str(self.label(name))
        if not self.st.stack:
            raise ScenarioProblem("nothing is on the stack, so there is no top")
        return self.st.stack[-1].id

    def window(self, name: str) -> str:
        return str(self.st.stack[-1].window) if name == "top" and self.pending("top") else str(self.label(name))

    def note(self, labels: Mapping[str, Notable], made: tuple[str, ...]) -> None:
        """Keeps what a step asks to be kept."""
        for label, what in labels.items():
            if what == "made" and not made:
                raise ScenarioProblem(f"the step has made nothing that could be noted as {label}")
            taken: dict[Notable, Callable[[], Any]] = {
                "window": lambda: self.window("top"),
                "pending": lambda: self.pending("top"),
                "made": lambda: made[0],
                "position": lambda: self.st.n,
            }
            self.labels[label] = taken[what]()

    # ---------------------------------------------------------------------------------------------------------- commands
    def wire(self, kind: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """A command's fields as the wire has them."""
        fields = dict(given or {})
        if holds_act(kind):
            beside = {name: fields.pop(name) for name in [*fields] if name in ACT_FIELDS}
            fields["act"] = {"kind": "use", "slot": SLOTS.get(kind, "standard"), **beside, **fields.get("act", {})}
        found = {name: self._field(kind, name, value) for name, value in fields.items()}
        return {**self._unsaid(kind, found), **found}

    def _field(self, kind: str, name: str, value: Any) -> Any:
        if isinstance(value, str):
            if name in ("unit", "opposes") or (kind == "add_condition" and name == "by"):
                return self.unit(value)
            if name == "window":
                return self.window(value)
            if name in ("pending", "counters"):
                return self.pending(value)
            if name in ("readied", "effect", "request", "ask", "task") or (kind == "rewind" and name == "to"):
                return self.label(value)
            if name in ("owner", "to"):
                return self.seat(value)
        if isinstance(value, list) and (name in ("targets", "units", "order", "fled") or kind == "reorder"):
            return [self.unit(one) for one in value]
        if isinstance(value, list) and name == "stack":
            return [self.pending(one) for one in value]
        if name == "guards" and isinstance(value, dict):
            return {self.unit(one): n for one, n in value.items()}
        if name == "split" and isinstance(value, list):
            return [{**one, "target": self.unit(one["target"])} if one.get("target") else one for one in value]
        if name == "act" and isinstance(value, dict):
            return {one: self._field("act", one, inner) for one, inner in value.items()}
        if name == "trigger" and isinstance(value, dict):
            return {part: self._trigger(part, word) for part, word in value.items()}
        return value

    def _trigger(self, part: str, word: Any) -> Any:
        return self.unit(word) if part in ("actor", "target") and word not in ("", "self") else word

    def _unsaid(self, kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """What the state of this moment says; the file may say otherwise, to be stale on purpose."""
        state = self.st.state
        if kind == "pass":
            return {"gen": state.get(f"w/{fields.get('window')}", {}).get("gen", 1)}
        if kind == "end_action":
            return {"round": state.get(f"u/{fields.get('unit')}/round", 0)}
        if kind == "set_value":
            return {"was": state.get(f"u/{fields.get('unit')}/{fields.get('path')}")}
        if kind in ("reorder", "restack"):
            return {"was": state.get("t/order" if kind == "reorder" else "t/stack", [])}
        if kind in ("rewind", "answer_request"):
            return {"head": self.st.n}
        return {}

    # ------------------------------------------------------------------------------------------------------------ values
    def value(self, table: Table, path: str) -> Any:
        """What a client sees at a friendly path: `Mira.hp`, `Mira` (its name), `window/me`, `t/held`; UNSEEN if nothing."""
        if "/" in path:
            first, _, rest = path.partition("/")
            area = {"window": f"w/{self.window('top')}", "pending": f"k/{self.pending('top')}"} if self.st.stack else {}
            start = area.get(first, first)
            whole = table.state.get(start)
            inside = whole.get(rest, UNSEEN) if isinstance(whole, Mapping) else UNSEEN
            return table.state.get(f"{start}/{rest}", inside)
        name, _, rest = path.partition(".")
        start = f"u/{self.unit(name)}/"
        if not rest:
            return table.state.get(start + "name", UNSEEN)
        first, _, key = rest.partition(".")
        found = table.state.get(start + first, UNSEEN)
        return found.get(key, UNSEEN) if key and isinstance(found, Mapping) else found

    def meant(self, value: Any) -> Any:
        """An expected value, with `@label`, `@seat` and `@unit` turned into ids."""
        if isinstance(value, str) and value.startswith("@"):
            name = value[1:]
            return self.labels.get(name) or self.seats.get(name) or self.unit(name)
        if isinstance(value, list):
            return [self.meant(one) for one in value]
        if isinstance(value, dict):
            return {self.meant(key): self.meant(one) for key, one in value.items()}
        return value


class _Unseen:
    def __repr__(self) -> str:
        return "unseen"

    def __eq__(self, other: object) -> bool:
        return other == "unseen" or other is self

    def __hash__(self) -> int:
        return hash("unseen")


UNSEEN = _Unseen()
"""What a client sees where it sees nothing; equals the word in a file."""

assert all(kind in BODIES for kind in SLOTS)
