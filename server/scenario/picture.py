"""A fight in the terminal: one line an event, coloured by what it is, interrupts moved in by how deep they lie.

Knows what things look like and nothing of how they come about.
"""

import io
import sys
from collections.abc import Mapping
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from core.letters import clean
from protocol.client import Table, Told
from server.scenario.format import Scenario, said
from server.scenario.problems import StepWrong

# What an event looks like: its mark and its style. What is not here is told plainly.
LOOKS: Mapping[str, tuple[str, str]] = {
    "narrated": ("»", "italic"),
    "said": ("“", "italic"),
    "whispered": ("…", "italic magenta"),
    "declared": ("▶", "bold"),
    "interrupt": ("↯", "bold yellow"),
    "rolled": ("⚄", "cyan"),
    "damaged": ("✦", "bold red"),
    "condition_gained": ("!", "red"),
    "condition_lost": ("!", "green"),
    "failed": ("✗", "bold magenta"),
    "withdrawn": ("✗", "magenta"),
    "carried_out": ("✓", "green"),
    "moved": ("→", "green"),
    "area_left": ("→", "bold green"),
    "readied": ("◷", "yellow"),
    "readied_matched": ("◷", "bold yellow"),
    "readied_used": ("◷", "bold yellow"),
    "entered": ("+", "bold"),
    "revealed": ("+", "bold red"),
    "joined": ("+", ""),
    "action_began": ("●", "bold blue"),
    "action_ended": ("○", "blue"),
    "turn_ended": ("═", "blue"),
    "fight_started": ("⚔", "bold red"),
    "fight_ended": ("⚔", "bold green"),
    "rewound": ("↶", "bold magenta"),
    "held": ("‖", "magenta"),
    "released": ("‖", "magenta"),
    "value_set": ("✎", "magenta"),
    "granted": ("✎", "magenta"),
    "edited": ("✎", "magenta"),
    "passed": ("·", "dim"),
    "window_closed": ("·", "dim"),
    "unit_added": ("+", "dim"),
    "owner_set": ("+", "dim"),
}
DONE_BY_SOMEBODY = frozenset(
    "narrated said whispered declared readied readied_used rewound held released value_set granted taken edited "
    "action_ended entered revealed fight_started fight_ended withdrawn house_set".split()
)
"""Events that name who did them. The others follow from the rules; whoever came last had only to pass."""
FINISHES = frozenset({"carried_out", "failed", "withdrawn"})
ANSWER = "interrupt"

WORDS = {
    "en": {
        "holds": "✓ {n} checked",
        "passes": "{who} passes",
        "pass": "{who} pass",
        "cut": "{who}: the line breaks",
        "back": "{who} is back: {n} changes missed, told now",
        "refused": "{who} is refused: {text}",
        "clock": "clock",
        "st": "ST",
    },
    "zh": {
        "holds": "✓ 核对 {n} 项，无误",
        "passes": "{who} 放弃回应",
        "pass": "{who} 放弃回应",
        "cut": "{who}：掉线",
        "back": "{who} 回来了：补上错过的 {n} 条变化",
        "refused": "{who} 被拒绝：{text}",
        "clock": "时钟",
        "st": "主持人",
    },
}
WHO = 8
"""Columns for who did it."""


class Picture:
    """Writes to a console. Without a terminal, or with NO_COLOR, it is the same text without colour."""

    def __init__(self, console: Console, *, language: str = "en") -> None:
        self.console = console
        self.language = language
        self._open: list[str] = []
        self._passing: list[str] = []
        self._looked = 0
        self._words = WORDS.get(language, WORDS["en"])

    # -------------------------------------------------------------------------------------------------------- between events
    def step(self, number: int, title: str, say: str) -> None:
        if title:
            self.rest()
            self.console.print()
            self.print(Text.assemble((f"{number:>3}  ", "bold blue"), (title, "bold")))
        if say:
            self.print(Text(f"     {say}", "italic dim"))

    def title(self, scenario: Scenario) -> None:
        self.print(Text(scenario.table, "bold underline"))
        if about := said(scenario.about, self.language):
            self.print(Text(about, "dim"))

    def cast(self, scenario: Scenario) -> None:
        """Who sits there with whom, in one line."""
        seats = []
        for seat in scenario.seats:
            units = [str(unit["name"]) for unit in scenario.units if unit.get("owner") == seat.seat]
            seats.append(f"{seat.seat} ({', '.join(units)})" if units else seat.seat)
        self.print(Text(" · ".join(seats), "dim"))

    def wrong(self, wrong: StepWrong) -> None:
        """Where it went otherwise than the file says."""
        self.rest()
        self.print("")
        self.print(Text(f"✗ {wrong.step}", "bold red"))
        for name, text in (("what", wrong.what), ("expected", wrong.expected), ("found", wrong.found)):
            self.print(Text.assemble((f"    {name + ':':<10}", "dim"), (text, "red" if name == "found" else "")))

    def holds(self, n: int) -> None:
        """So many things were looked at and are right; said once for all steps under one title."""
        self._looked += n

    def rest(self) -> None:
        """What is still to be said of the steps so far."""
        self._all_passed()
        if self._looked:
            self._line("", self._words["holds"].format(n=self._looked), "dim green")
        self._looked = 0

    def line_cut(self, who: str) -> None:
        self._line("✂", self._words["cut"].format(who=who), "bold magenta")

    def line_back(self, who: str, missed: int) -> None:
        self._line("⇆", self._words["back"].format(who=who, n=missed), "bold magenta")

    def refused(self, who: str, kind: str, text: str, code: str) -> None:
        said = self._words["refused"].format(who=who, text=text)
        self._line("⊘", f"{said} ({code})", "bold red")

    # ---------------------------------------------------------------------------------------------------------------- events
    def happened(self, told: Told, st: Table) -> None:
        """An event as the ST is told it. Those who pass one after another share a line."""
        if told.kind == "passed":
            self._passing.append(self._name(told["seat"], st))
            return
        if self._all_passed() and told.kind == "window_closed" and told.get("reason") == "settled":
            return
        look = ANSWER if told.kind == "declared" and told.get("parent") else told.kind
        mark, style = LOOKS.get(look, ("·", ""))
        if told.kind == "declared" and told.get("slot") != "anytime":
            self._open.append(str(told.get("pending")))
        deep = max(0, len(self._open) - 1)
        who = self._by(told, st) if told.kind in DONE_BY_SOMEBODY and not told.get("skipped") else ""
        self._line(mark, told.text(self.language) + self._how(told), style, who=who, deep=deep)
        if told.kind in FINISHES and told.get("pending") in self._open:
            self._open.remove(told["pending"])
        if told.kind == "rewound":
            self._open = [one.id for one in st.stack]

    def _all_passed(self) -> bool:
        passed, self._passing = self._passing, []
        if passed:
            deep = max(0, len(self._open) - 1)
            words = self._words["pass" if len(passed) > 1 else "passes"]
            self._line("·", words.format(who=", ".join(passed)), "dim", deep=deep)
        return bool(passed)

    def _how(self, told: Told) -> str:
        """How a pool came about: `[claws 9, defense -13]`."""
        parts = told.get("parts") if told.kind == "rolled" else None
        if not parts or told.get("why") == "initiative":
            return ""
        return "  [" + " ".join(f"{name} {n:+d}" if k else f"{name} {n}" for k, (name, n) in enumerate(parts)) + "]"

    def _by(self, told: Told, st: Table) -> str:
        by: Any = told.by
        if isinstance(by, tuple):
            return f"{self._words['st']}→{self._name(by[1], st)}"
        return self._words["clock"] if by == "" else self._name(by, st)

    def _name(self, seat: str, st: Table) -> str:
        return self._words["st"] if seat in ("st", st.seat) else st.seats.get(seat, "?")

    # ----------------------------------------------------------------------------------------------------------------- lines
    def print(self, text: Text | str, style: str = "") -> None:
        """One line, never wrapped: the terminal does that if it must."""
        if isinstance(text, Text):
            text.plain = clean(text.plain)
        else:
            text = clean(text)
        self.console.print(text, style=style, soft_wrap=True, highlight=False, markup=False)

    def _line(self, mark: str, text: str, style: str, *, who: str = "", deep: int = 0) -> None:
        """One line; in a terminal that is too narrow for it, what does not fit stands below, moved in as far."""
        name = set_cell_size(who, min(WHO, cell_len(who)))
        before = Text.assemble((" " * (WHO - cell_len(name)) + name + "  ", "dim"), "   " * deep)
        body = Text(text, style)
        room = max(20, self.console.width - before.cell_len - 2)
        for k, part in enumerate(body.wrap(self.console, room) if self.console.is_terminal else [body]):
            lead = Text.assemble(before, (f"{mark or ' '} ", style)) if k == 0 else Text(" " * (before.cell_len + 2))
            self.print(Text.assemble(lead, part))


def terminal(language: str = "en") -> Picture:
    """For standard output. What its encoding has no sign for becomes a question mark."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Picture(Console(highlight=False), language=language)
