"""How long, and when in a day, as it is typed: "2 hours", "until sunrise", "12:30". Raises Unclear."""

import re
from collections.abc import Mapping
from typing import Any

from server.cli.terminal.phrases import seconds
from server.cli.terminal.unclear import Unclear

UNITS: Mapping[str, str] = {
    **dict.fromkeys(("s", "sec", "second"), "second"),
    **dict.fromkeys(("m", "min", "minute"), "minute"),
    **dict.fromkeys(("h", "hour"), "hour"),
    **{unit: unit for unit in ("round", "turn", "day", "week", "month", "year", "scene", "film", "sunrise", "sunset")},
}
NEVER = ("none", "never", "no")


def duration(text: str) -> dict[str, Any]:
    """A duration's fields: {n, unit, own_day}; of rounds and minutes the short way: {rounds: n}, {minutes: n}."""
    said = re.sub(r"\b(the|next|a|an|one|is over|ends|changes)\b", " ", text.casefold()).strip()
    if said in ("good", "ever", "permanent", "always"):
        return {"lasts": {"unit": "permanent"}}
    match = re.fullmatch(r"(\d{1,9})?\s*([a-z]*)(\s+of\s+(?:this|that)\s+world)?", said)
    unit = UNITS.get(match[2] or "round") or UNITS.get(match[2].removesuffix("s")) if match else None
    if match is None or unit is None:
        raise Unclear("which_duration")
    n = int(match[1] or 1)
    if unit in ("round", "minute") and not match[3]:
        return {f"{unit}s": n}
    return {"lasts": {"unit": unit, **({"n": n} if n != 1 else {}), **({"own_day": True} if match[3] else {})}}


def clock(text: str) -> int:
    """A span of a day, or a time of it: "48h", "12:30"."""
    match = re.fullmatch(r"(\d{1,4}):(\d\d)", text.strip())
    return 3600 * int(match[1]) + 60 * int(match[2]) if match else seconds(text)


def moment(text: str) -> int | None:
    """A time of day, or that it never comes."""
    return None if text.strip().casefold() in NEVER else clock(text)
