"""The questions put to this seat, in words: what is about to happen, how long there is, and what can be typed. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from protocol import texts
from protocol.lines import Line, Named
from server.cli.terminal.acts import abilities, fits, slots
from server.cli.terminal.sayings import said
from server.cli.terminal.seen import Seen

MANY = 3
"""Whoever has more units in a fight is not told of what each of them can always do."""


@dataclass(frozen=True, slots=True)
class Question:
    """One window (and gen) in which this seat is asked, or for which one of its readied actions has matched."""

    window: str
    gen: int
    pending: str
    readied: tuple[str, ...]
    asked: bool
    passed: bool

    @property
    def key(self) -> tuple[str, int, tuple[str, ...]]:
        return self.window, self.gen, self.readied


def questions(seen: Seen) -> list[Question]:
    """Those that stand now: uncovered, not passed, or with a readied action that may be used."""
    found = []
    for window in seen.ids("w"):
        if seen.of("w", window, "covered"):
            continue
        pending = str(seen.of("w", window, "pending", ""))
        mine = seen.of("w", window, "me") or {}
        asked = bool(mine.get("asked")) or "st" in (seen.of("w", window, "asked") or ()) and seen.me == "st"
        passed = bool(mine.get("passed")) or "st" in (seen.of("w", window, "passed") or ()) and seen.me == "st"
        readied = tuple(r for r in seen.of("k", pending, "due", ()) if _armed(seen, r))
        if (asked and not passed and not mine.get("order_passes")) or readied:
            found.append(Question(window, int(seen.of("w", window, "gen", 0)), pending, readied, asked, passed))
    return found


def _armed(seen: Seen, readied: str) -> bool:
    mine = seen.unit(seen.of("r", readied, "unit", ""), "owner", "st") == seen.me
    return bool(mine) and seen.of("r", readied, "state", "armed") == "armed"


def act_line(seen: Seen, pending: str, language: str) -> str:
    """A waiting action as a sentence, as the log says it; and whether it is done, and waits for what it triggers."""

    def named(unit: str | None) -> Named | None:
        return Named(unit, seen.name(unit)) if unit else None

    def of(name: str) -> object:
        return seen.of("k", pending, name)

    targets = tuple(named(unit) for unit in seen.of("k", pending, "targets", ()))
    technique = f"{of('technique')} ({of('step')}/{of('steps')})" if of("technique") else None
    fields = {
        "unit": named(seen.of("k", pending, "actor")),
        "act": of("kind"),
        "slot": of("slot"),
        "ability": technique or of("ability"),
    }
    line = texts.say(Line("declared", 0, "", {**fields, "targets": targets, "text": of("text")}), language)
    return f"{line} ({said(language, 'act_done')})" if of("state") == "done" else line


def asked_act(seen: Seen, command: Mapping[str, Any] | None, language: str) -> str:
    """A command that leave is asked for, as a sentence."""
    if not command:
        return ""
    act, unit = command.get("act") or {}, command.get("unit")
    fields = {"unit": Named(unit, seen.name(unit)) if unit else None, "act": act.get("kind") or command["kind"]}
    targets = tuple(Named(one, seen.name(one)) for one in act.get("targets") or ())
    more = {name: act.get(name) for name in ("slot", "ability", "text")}
    return texts.say(Line("declared", 0, "", {**fields, **more, "targets": targets}), language)


def seconds_left(seen: Seen, window: str, now: int) -> float | None:
    """Seconds to answer in, less the house's allowance for the line. None: no clock runs."""
    deadline = seen.of("w", window, "deadline")
    if deadline is None:
        return None
    return max(0.0, (int(deadline) - int(seen.state.get("h/lag_ms", 0)) - now) / 1000)


def held(seen: Seen, language: str) -> str:
    """That the table is held; to an ST, what for and how it goes on. "" where it is not."""
    if seen.role == "st" and seen.active and seen.unit(seen.active, "hidden"):
        return said(language, "held_veiled", unit=seen.name(seen.active))
    if not seen.state.get("t/held"):
        return ""
    return said(language, "held_st" if seen.role == "st" else "held")


def action_left(seen: Seen, now: int) -> float | None:
    """Seconds left for the action under way. None: no clock runs on it."""
    deadline = seen.state.get("t/action_deadline")
    return None if deadline is None or not seen.active else max(0.0, (int(deadline) - now) / 1000)


def quick(seen: Seen, unit: str, trigger: str | None) -> list[str]:
    """A unit's abilities to answer with; where only its trigger lets it, those there for such an act."""
    mine = abilities(seen, unit).items()
    return [n for n, one in mine if seen.answer_slot in slots(one) and (trigger is None or fits(one, trigger))]


def ways(seen: Seen, question: Question) -> list[str]:
    """What can be typed in answer: the immediate abilities of one's own, and what is always there."""
    found: list[str] = []
    kind = seen.of("w", question.window, "kind", "before")
    units = [unit for unit in seen.state.get("t/order") or () if unit in seen.mine]
    if kind in ("before", "after") and question.asked:
        for unit in units:
            spent = kind == "before" and not seen.unit(unit, "immediates", 1)
            if spent or seen.of("k", question.pending, "actor") == unit:
                continue
            mine = quick(seen, unit, str(seen.of("k", question.pending, "kind", "")) if kind == "after" else None)
            before = f"{seen.name(unit)}: " if len(units) > 1 else ""
            found += [f"{before}{name}" for name in mine]
            found += [f"{before}drop prone"] if kind == "before" and len(units) <= MANY else []
        found += ["NAME: drop prone"] if kind == "before" and len(units) > MANY else []
    if kind == "gain":
        return [f"gain N N ... (1-{seen.of('k', question.pending, 'gained')})", "pass"] if question.asked else []
    aimed = [u for u in seen.of("k", question.pending, "targets", ()) if u in units and seen.unit(u, "guard", 0)]
    found += [f"defend N{f' {seen.name(u)}' if len(aimed) > 1 else ''} (1-{seen.unit(u, 'guard')})" for u in aimed]
    worded = [r for r in seen.ids("r") if seen.of("r", r, "words") and _armed(seen, r)]
    if question.readied or (worded and kind == "before"):
        found.append("fire")
    if question.asked and not question.passed:
        found.append("pass")
        if seen.state.get("m/bank") and seen.state.get("h/window_mode") != "fixed":
            found.append("more time")
    return found


def to_sustain(seen: Seen, lines: Iterable[Line], language: str) -> list[str]:
    """As an action of one's own begins: what ends unless it is sustained first, and what that costs."""
    found = []
    for line in lines:
        unit = line.get("unit") if line.kind == "action_began" else None
        held = seen.unit(unit.id, "concentration") if unit is not None and unit.id in seen.mine else None
        if held and held["due"]:
            cost = texts.word("slots", held["cost"], language)
            found.append(f"{unit}: {said(language, 'sustain_due', ability=held['ability'], cost=cost)}")
    return found


def readied_name(seen: Seen, readied: str, language: str) -> str:
    act = seen.of("r", readied, "act", {})
    name = act.get("ability") or act.get("text") or texts.word("acts", str(act.get("kind", "")), language)
    return f"{seen.name(seen.of('r', readied, 'unit'))}: {name}"


def ask(seen: Seen, question: Question, now: int, language: str, *, known: bool = False) -> list[str]:
    """The lines of a question: the act (but for who has just read it) and the time there is, then what can be typed."""
    left = seconds_left(seen, question.window, now)
    clock = said(language, "stands") if left is None else said(language, "left", s=f"{left:.0f}")
    lines = [clock if known else f"{act_line(seen, question.pending, language)} – {clock}"]
    if question.readied:
        names = ", ".join(readied_name(seen, one, language) for one in question.readied)
        lines.append(said(language, "your_readied", readied=names))
    if question.asked and not question.passed:
        lines.append(said(language, "type", ways=" | ".join(ways(seen, question))))
    return lines
