"""What the person at this terminal sees at one moment, and which thing he means by a name. Pure; raises Unclear."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from core.state import Role
from protocol import texts
from server.cli.terminal.unclear import Unclear

SHORTEST_ID = 3
"""Letters of an id that are enough to name a thing, where no other begins so."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A seat's view of the table. `as_seat`: an ST speaks for this seat; `actor`: the unit named before a colon.

    `refused` is the line whose command the rules refused last, `n` the position of the newest change. `numbers` are
    those of the open requests, by which one is answered. `language`: of whoever reads it.
    """

    state: Mapping[str, Any]
    role: Role
    seat: str
    n: int = 0
    as_seat: str | None = None
    actor: str | None = None
    refused: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)
    language: str = "en"

    # ------------------------------------------------------------------------------------------------------- things
    def ids(self, area: str) -> list[str]:
        """The ids of all things of an area ("u", "k", "w", "r", "e", "x", "q", "a", "s"), as they come in the state."""
        start = area + "/"
        return list(dict.fromkeys(path.split("/", 2)[1] for path in self.state if path.startswith(start)))

    def of(self, area: str, id: str, name: str, default: Any = None) -> Any:
        """One value of a thing, wherever it stands."""
        whole = self.state.get(f"{area}/{id}")
        inside = whole.get(name) if isinstance(whole, Mapping) else None
        found = self.state.get(f"{area}/{id}/{name}", inside)
        return default if found is None else found

    def unit(self, id: str, name: str, default: Any = None) -> Any:
        return self.of("u", id, name, default)

    def name(self, id: str | None) -> str:
        """A unit's name for people; two of the same name are told apart by the beginning of their ids."""
        if id is None:
            return texts.language(self.language).somebody
        name = str(self.unit(id, "name", id))
        others = [one for one in self.ids("u") if one != id and self.unit(one, "name") == name]
        return f"{name} ({short(id, others)})" if others else name

    def seats(self) -> list[str]:
        """Every seat's id, by name."""
        return sorted(self.ids("s"), key=lambda id: self.seat_name(id).casefold())

    def seat_name(self, id: str | None) -> str:
        if id in (None, "", "st"):
            return texts.word("roles", "st", self.language)
        return str(self.of("s", str(id), "name", id))

    # ------------------------------------------------------------------------------------------------------- whose
    @property
    def me(self) -> str:
        """The seat spoken for, as the table names it: "st" for all Storytellers."""
        if self.as_seat is not None:
            return self.as_seat
        return "st" if self.role == "st" else self.seat

    @property
    def speaks_as(self) -> Role:
        return "player" if self.as_seat is not None else self.role

    @property
    def mine(self) -> list[str]:
        """The units of the seat spoken for; of STs, those nobody else owns."""
        return [id for id in self.ids("u") if self.unit(id, "owner", "st") == self.me]

    @property
    def active(self) -> str | None:
        found = self.state.get("t/active")
        return str(found) if found else None

    @property
    def stack(self) -> list[str]:
        return list(self.state.get("t/stack") or ())

    @property
    def top(self) -> str | None:
        """The action on top of the stack, which everybody is asked about."""
        return self.stack[-1] if self.stack else None

    @property
    def top_window(self) -> str | None:
        return self.of("k", self.top, "window") if self.top else None

    @property
    def slots(self) -> list[str]:
        """The kinds of action of the game that is played, the usual one first."""
        return list(self.state.get("t/slots") or ("standard",))

    @property
    def answer_slot(self) -> str:
        return str(self.state.get("t/answer_slot", "immediate"))

    def speaking_for(self, seat: str) -> "Seen":
        return replace(self, as_seat=seat)

    # ------------------------------------------------------------------------------------------- which one is meant
    @property
    def names(self) -> list[str]:
        """Every name that may be typed: of units, their abilities, seats."""
        found = [str(self.unit(id, "name", "")) for id in self.ids("u")]
        for id in self.ids("u"):
            found += list(self.unit(id, "abilities", {}))
        found += [self.seat_name(id) for id in self.ids("s")]
        return [name for name in dict.fromkeys(found) if name]

    def the_unit(self, text: str, among: Iterable[str] | None = None) -> str:
        """The unit's id by its name, the beginning of it, or of the id. "me" is the only unit of one's own."""
        some = list(self.ids("u") if among is None else among)
        if text.casefold() in ("me", "myself", "self", "我") and self.mine:
            if len(self.mine) == 1 or self.actor:
                return self.actor or self.mine[0]
            raise Unclear("which_of_mine", said=text, there=[self.name(unit) for unit in self.mine])
        return pick(text, {id: str(self.unit(id, "name", id)) for id in some}, "unit")

    def the_units(self, texts: Iterable[str]) -> list[str]:
        found: list[str] = []
        for text in texts:
            if text.casefold() in ("all", "everybody", "全部"):
                found += [id for id in self.ids("u") if id not in found]
            else:
                found.append(self.the_unit(text))
        return found

    def the_seat(self, text: str, *, st: bool = True) -> str:
        """A player's seat by name; "st" for the Storytellers where that makes sense."""
        if st and text.casefold() in ("st", "storyteller", "主持人"):
            return "st"
        players = [id for id in self.ids("s") if self.of("s", id, "role", "player") == "player"]
        return pick(text, {id: self.seat_name(id) for id in players}, "seat")

    def any_seat(self, text: str) -> str:
        """A seat of any role, by its name; "me" is one's own."""
        if text.casefold() in ("me", "myself", "我"):
            return self.seat
        return pick(text, {id: self.seat_name(id) for id in self.ids("s")}, "seat")

    def the_pending(self, text: str) -> str:
        """A waiting action: nothing or "top" for the one on top, its actor's name, or its id."""
        if not self.stack:
            raise Unclear("stack_empty")
        if text.casefold() in ("", "top", "it"):
            return self.stack[-1]
        acting = {id: str(self.unit(self.of("k", id, "actor", ""), "name", self.name(None))) for id in self.stack}
        return pick(text, acting, "pending")

    def the_window(self, text: str) -> str:
        """An open window: the top one, or the one on somebody's action."""
        if text and text in self.ids("w"):
            return text
        return str(self.of("k", self.the_pending(text), "window", ""))

    def the_readied(self, text: str) -> str:
        """A readied action of this seat: the only one, one by its unit's name, its ability or its id."""
        own = [id for id in self.ids("r") if self.role == "st" and not self.as_seat or self._owns_readied(id)]
        own = [id for id in own if self.of("r", id, "state", "armed") == "armed"]
        if not own:
            raise Unclear("no_readied")
        if not text:
            due = [id for id in own if any(id in self.of("k", k, "due", ()) for k in self.stack)]
            theirs = [id for id in own if self._owns_readied(id)]
            for some in (due, theirs, own):
                if len(some) == 1:
                    return some[0]
        said = {id: f"{self.name(self.of('r', id, 'unit'))} {_act_name(self.of('r', id, 'act', {}))}" for id in own}
        return pick(text, said, "readied", whole=False)

    def _owns_readied(self, id: str) -> bool:
        return bool(self.unit(self.of("r", id, "unit", ""), "owner", "st") == self.me)

    def the_effect(self, text: str) -> str:
        said = {id: f"{self.of('e', id, 'name')} on {self.name(self.of('e', id, 'on'))}" for id in self.ids("e")}
        return pick(text, said, "effect", whole=False)

    @property
    def requests(self) -> dict[str, int]:
        """The open requests with their numbers, as they are told: 1, 2, ... where nobody has given them others."""
        return {id: self.numbers.get(id, k) for k, id in enumerate(self.ids("q"), 1)}

    def the_request(self, text: str) -> str:
        """The only request, or one by its number, or the only one of a seat by name."""
        waiting = self.requests
        if not waiting:
            raise Unclear("no_request_waits")
        if not text and len(waiting) == 1:
            return next(iter(waiting))
        said = [Unclear("request_of", n=n, seat=self.seat_name(self.of("q", id, "seat"))) for id, n in waiting.items()]
        if text in waiting:
            return text
        if text.lstrip("#").isdigit():
            found = [id for id, n in waiting.items() if n == int(text.lstrip("#"))]
            if not found:
                raise Unclear("no_request", said=text, there=said)
            return found[0]
        if not text:
            raise Unclear("which_request", there=said)
        seats = {str(self.of("q", id, "seat")): self.seat_name(self.of("q", id, "seat")) for id in waiting}
        seat = pick(text, seats, "request")
        theirs = [id for id in waiting if self.of("q", id, "seat") == seat]
        if len(theirs) > 1:
            raise Unclear("several_requests", seat=seats[seat], n=len(theirs), there=[waiting[id] for id in theirs])
        return theirs[0]

    def the_task(self, text: str) -> str:
        """An extended action by its name: of one's own that are open, if that is clear, else of all."""
        own = [id for id in self.ids("x") if self.of("x", id, "unit") in self.mine]
        at_work = [id for id in own if self.of("x", id, "state") == "open"]
        named = {id: str(self.of("x", id, "name", id)) for id in self.ids("x")}
        for some in (at_work, own):
            with suppress(Unclear):
                return pick(text, {id: named[id] for id in some}, "task", whole=False) if text else _only(some)
        return pick(text, named, "task", whole=False)

    def the_ask(self, text: str = "") -> str:
        """The roll that was asked for: the newest, or by id."""
        waiting = self.ids("a")
        if not text and waiting:
            return waiting[-1]
        return pick(text, {id: str(self.of("a", id, "reason", id)) for id in waiting}, "asked_roll")


def _only(ids: list[str]) -> str:
    if len(ids) != 1:
        raise Unclear("which_one")
    return ids[0]


def _act_name(act: Mapping[str, Any]) -> str:
    return str(act.get("ability") or act.get("text") or act.get("kind", ""))


def short(id: str, others: Iterable[str]) -> str:
    """The beginning of an id that no other one has."""
    for length in range(SHORTEST_ID, len(id)):
        if not any(one.startswith(id[:length]) for one in others):
            return id[:length]
    return id


def pick(text: str, named: Mapping[str, str], what: str, *, whole: bool = True) -> str:
    """The one id that is meant: by the id, the name, the name's beginning, a word in it, or the id's beginning.

    Raises Unclear with what there is, or what it could be.
    """
    wanted = text.strip()
    if wanted in named:
        return wanted
    fold = folded(wanted)
    for fits in _TRIES if wanted else ():
        if fits is _inside and whole:
            continue
        found = [id for id, name in named.items() if fits(wanted, fold, id, name)]
        if len(found) == 1:
            return found[0]
        if found:
            raise Unclear("could_be", said=wanted, there=_all(found, named))
    if not named:
        raise Unclear("none_at_all_such" if wanted else "none_at_all", what=what, said=wanted)
    if not wanted:
        raise Unclear("say_which", what=what, there=_all(named, named))
    raise Unclear("no_such", what=what, said=wanted, there=_all(named, named))


def folded(text: str) -> str:
    """A name as it is compared: an accent is the same in one character and in two, whichever a keyboard makes."""
    return unicodedata.normalize("NFC", text).casefold()


def _inside(wanted: str, fold: str, id: str, name: str) -> bool:
    return fold in folded(name)


_TRIES: tuple[Callable[[str, str, str, str], bool], ...] = (
    lambda wanted, fold, id, name: name == wanted,
    lambda wanted, fold, id, name: folded(name) == fold,
    lambda wanted, fold, id, name: folded(name).startswith(fold),
    lambda wanted, fold, id, name: any(part.startswith(fold) for part in folded(name).split()),
    lambda wanted, fold, id, name: len(wanted) >= SHORTEST_ID and id.startswith(wanted),
    _inside,
)
"""How a name can be meant, the surest first."""


def _all(ids: Iterable[str], named: Mapping[str, str]) -> list[str]:
    some = sorted(ids, key=lambda id: named[id])
    twice = {name for name in named.values() if list(named.values()).count(name) > 1}
    return [
        f"{named[id]} ({short(id, [o for o in named if o != id])})" if named[id] in twice else named[id] for id in some
    ]
