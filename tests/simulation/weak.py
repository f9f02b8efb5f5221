"""What must hold even where the store forgets what it has confirmed: a replica that takes over and had not got it yet.

Things are lost then, that is the bargain. Until it is noticed, two servers may even count on from what each of them knows.
But it is noticed, and said: whoever was told what is no longer so begins anew, the servers log why, and nobody is left in a
count in which one number has meant two things. On each connection changes come one by one all the same.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

import msgpack

from tests.faults.checker import LOST, UNSEEN, Violation
from tests.faults.history import History

NEVER = re.compile(
    r"are missing between them|gets change \d+ twice|gets change \d+ after change|of an epoch it does not know"
    r"|before anything was said|was never told|was never answered|turned away|nobody is let in|one answer more"
)
ALARM = re.compile("the store has lost what it had confirmed|a client is ahead of the store")
ANEW = "begins anew"


def silent(violations: Sequence[Violation], said: Sequence[str], history: History) -> list[Violation]:
    """Of all that was found what may not happen even then. `said`: what the servers logged as errors."""
    found = [one for one in violations if NEVER.search(one.words)]
    anew = any(ANEW in one.words for one in violations)
    lost = [one for one in violations if one.kind == LOST and "stands nowhere" in one.words]
    if lost and not anew:
        found.append(Violation(UNSEEN, f"nobody is told that something was lost: {lost[0].words}"))
    if anew and not any(map(ALARM.search, said)):
        found.append(Violation(UNSEEN, "an audience begins anew, and no server has said why"))
    return found + _two_meanings(history)


def _two_meanings(history: History) -> list[Violation]:
    """In the count in which an audience is at the end no number has ever meant two things."""
    audience: dict[int, str] = {}
    final: set[int] = set()
    epoch: dict[int, str] = {}
    last: dict[str, str] = {}
    frames: dict[tuple[str, str], dict[int, bytes]] = defaultdict(dict)
    double: dict[tuple[str, str], int] = {}
    for kind, line, value in history:
        if kind == "open":
            audience[line] = value["audience"]
            if value["final"]:
                final.add(line)
        if kind != "got":
            continue
        message = msgpack.unpackb(value)
        if isinstance(message, dict):
            if message["t"] in ("welcome", "snapshot"):
                epoch[line] = message["epoch"]
                if line in final:
                    last[audience[line]] = message["epoch"]
        elif line in epoch:
            count = audience[line], epoch[line]
            if frames[count].setdefault(message[1], value) != value:
                double.setdefault(count, message[1])
    return [
        Violation(UNSEEN, f"change {double[count]} of {count[0]} has meant two things, and nobody begins anew")
        for count in last.items()
        if count in double
    ]
