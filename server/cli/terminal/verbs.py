"""What a verb is, and how a line finds its own: the longest name that the line begins with.

The verbs themselves are seven tables: at_home.py (this terminal's), playing.py and tasking.py (everybody's),
storytelling.py, timekeeping.py and overriding.py (the ST's), inviting.py (about seats).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.roles import EVERYBODY, ROLES, WISHES
from core.state import Role
from server.cli.terminal.seen import Seen
from server.cli.terminal.split import Word, words
from server.cli.terminal.unclear import Unclear

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Local:
    """Something this terminal does itself. What it has to be given stands in `told`."""

    word: str
    told: Fields = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Send:
    """A command for the table: its kind and fields. `as_seat`: the seat an ST speaks for."""

    command: Fields
    as_seat: str | None = None


@dataclass(frozen=True, slots=True)
class Rest:
    """What stands behind a verb: as it was typed, and in words."""

    raw: str
    words: list[Word]


Parse = Callable[[Rest, Seen], Fields | Local]


@dataclass(frozen=True, slots=True)
class Verb:
    """One row of the table. `names`: the first is taught, all are understood. `kinds`: the commands it may become."""

    names: tuple[str, ...]
    topic: str
    kinds: tuple[str, ...]
    usage: str
    help: str
    example: str
    parse: Parse
    roles: frozenset[Role] = EVERYBODY

    def open_to(self, role: Role) -> bool:
        """Whether a role may use it: as core/roles.py says for its commands, `roles` where it makes none of its own."""
        return role in self.roles if not self.kinds else any(role in ROLES[kind] for kind in self.kinds)


def all_verbs() -> Sequence[Verb]:
    """Every verb, in the order of the help."""
    from server.cli.terminal import at_home, inviting, overriding, playing, storytelling, tasking, timekeeping

    everybody = (*at_home.VERBS, *playing.VERBS, *tasking.VERBS)
    return (*everybody, *storytelling.VERBS, *timekeeping.VERBS, *overriding.VERBS, *inviting.VERBS)


def find(line: str, verbs: Sequence[Verb]) -> tuple[Verb, str] | None:
    """The verb a line begins with, and the rest of the line as it was typed."""
    folded = line.casefold()
    best: tuple[int, Verb, str] | None = None
    for verb, name in _named(verbs):
        spaced = re.match(re.escape(name).replace(r"\ ", r"\s+") + r"(?=\s|$|[:：])", folded)
        if spaced and (best is None or spaced.end() > best[0]):
            best = spaced.end(), verb, line[spaced.end() :].lstrip(" \t:：")
    return (best[1], best[2]) if best else None


def _named(verbs: Sequence[Verb]) -> Iterator[tuple[Verb, str]]:
    for verb in verbs:
        for name in verb.names:
            yield verb, name


def rest_of(raw: str, seen: Seen) -> Rest:
    return Rest(raw, words(raw, seen.names))


def with_actor(raw: str, seen: Seen) -> tuple[str, Seen]:
    """ "Mira: attack zombie" -> "attack zombie", done by Mira. What is no unit's name before a colon stays."""
    match = re.match(r"\s*([^:：\"“=]{1,80}?)\s*[:：]\s*(.*)$", raw, re.DOTALL)
    if match is None:
        return raw, seen
    try:
        unit = seen.the_unit(match[1])
    except Unclear as problem:
        if problem.key in ("could_be", "which_of_mine"):
            raise
        return raw, seen
    return match[2], replace(seen, actor=unit)


def read(line: str, seen: Seen) -> Send | Local | None:
    """What a line asks for; None for an empty one or a comment (#). Raises Unclear."""
    said = line.strip()
    if not said or said.startswith("#"):
        return None
    found = command(said, seen)
    if isinstance(found, Local):
        return found
    as_seat = found.pop("as", seen.as_seat)
    return Send(found, as_seat)


def command(line: str, seen: Seen, *, wish: bool = False) -> Fields | Local:
    """The command, or local act, of a line: by its verb, or by the bare name of an ability of one's own.

    `wish`: it is only asked for, so it may be something that the ST alone does.
    """
    verbs = all_verbs()
    found = find(line, verbs)
    if found is None:
        line, seen = with_actor(line, seen)
        found = find(line, verbs)
    if found is not None:
        verb, raw = found
        if not verb.open_to(seen.speaks_as) and not (wish and WISHES.issuperset(verb.kinds)):
            raise Unclear("not_for", verb=verb.names[0], who=seen.speaks_as)
        return verb.parse(rest_of(raw, seen), seen)
    from server.cli.terminal.playing import by_ability

    return by_ability(rest_of(line, seen), seen)
