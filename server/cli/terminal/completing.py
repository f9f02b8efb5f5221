"""What could come next in a line: verbs, then names of units, abilities, seats, and the words that join them. Pure."""

import re
from collections.abc import Iterator

from protocol.from_client import BODIES
from server.cli.terminal.seen import Seen
from server.cli.terminal.verbs import all_verbs, find

JOINING = ("with", "to", "against", "at", "when", "leaves", "for", "because")


def suggestions(line: str, seen: Seen) -> Iterator[tuple[str, int]]:
    """Each with the number of letters it replaces at the end of the line. Names first, longest beginnings first."""
    given = set()
    for start in _starts(line):
        begun = line[start:].casefold()
        for word in _candidates(line, start, seen):
            if word.casefold().startswith(begun) and word.casefold() != begun and word not in given:
                given.add(word)
                yield word, len(line) - start
        if given and begun:
            return


def _starts(line: str) -> Iterator[int]:
    """Where the last name may have begun: after the verb, after each space or comma, the longest first."""
    yield from sorted({0, len(line), *(m.end() for m in re.finditer(r"[\s,，:：=]+", line))})


def _candidates(line: str, start: int, seen: Seen) -> list[str]:
    before = line[:start]
    verbs = all_verbs()
    if not before.strip() or re.fullmatch(r"[^:：]*[:：]\s*", before):
        own = [name for unit in seen.mine for name in seen.unit(unit, "abilities", {})]
        names = [] if before.strip() else [f"{seen.unit(unit, 'name')}:" for unit in seen.mine]
        return [verb.names[0] for verb in verbs if verb.open_to(seen.role)] + own + names
    found = find(before.strip() + " ", verbs)
    verb = found[0].names[0] if found else ""
    if verb == "do" and len(before.split()) == 1:
        return list(BODIES)
    if verb == "help":
        return [name for one in verbs for name in one.names[:1]]
    if verb in ("house", "rules", "object to"):
        return [path[2:] for path in seen.state if path.startswith("h/")]
    return [*seen.names, *(JOINING if len(before.split()) > 1 else ())]
