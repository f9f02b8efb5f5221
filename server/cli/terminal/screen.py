"""Where this terminal writes, in colour where there is any. Nothing that somebody else wrote can steer the terminal."""

import os
import sys
import time
from collections.abc import Iterable, Mapping
from typing import TextIO

from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.text import Text

from core.letters import clean
from protocol import texts
from protocol.updates import Told
from server.cli.terminal.sayings import said

STYLES = {
    kind: style
    for style, kinds in {
        "bold": "declared fight_started fight_ended",
        "yellow": "failed held released flagged request_made rule_objected roll_asked readied_matched",
        "red": "damaged",
        "cyan": "rolled",
        "italic magenta": "narrated",
        "green": "said",
        "italic green": "whispered",
        "bold blue": "action_began",
        "bold yellow": "rewound",
        "bold red": "fault",
        "dim": "passed window_closed carried_out seed_committed seed_revealed seed_left",
    }.items()
    for kind in kinds.split()
}
QUIET_WIDTH = 160
"""Columns where there is no terminal to ask: a script wants whole lines."""


class Screen:
    """Prints. `printed` counts lines, so that a command that nothing was told of can be confirmed."""

    def __init__(self, out: TextIO | None = None) -> None:
        out = out or sys.stdout
        self.tty = out.isatty()
        # Within patch_stdout the stream is prompt_toolkit's, which knows no terminal: rich is told here.
        colour = self.tty and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._out = out
        self._colour = colour
        self._fixed = out is not sys.stdout
        self.printed = 0

    def show(self, *things: RenderableType) -> None:
        """Whatever rich can lay out."""
        console = Console(
            file=self._out if self._fixed else sys.stdout,
            force_terminal=self._colour,
            no_color=not self._colour,
            color_system="standard" if self._colour else None,
            highlight=False,
            markup=False,
            emoji=False,
            width=None if self.tty else QUIET_WIDTH,
        )
        for thing in things:
            self.printed += 1
            drawn = [Segment(clean(s.text), s.style) for s in console.render(thing)]
            if self.tty:
                console.print(Segments(drawn), end="")
            else:  # a script wants no blanks at the end of lines
                text = "".join(s.text for s in drawn)
                console.file.write("\n".join(line.rstrip() for line in text.split("\n")))
        console.file.flush()

    def line(self, text: str, style: str = "") -> None:
        """One sentence. Unbroken where there is no terminal."""
        if self.tty:
            self.show(Text(text, style=style))
            return
        self.printed += 1
        stream = self._out if self._fixed else sys.stdout
        print(clean(text), file=stream, flush=True)

    def told(
        self, lines: Iterable[Told], language: str, *, numbers: bool = False, sts: Mapping[str, str] | None = None
    ) -> None:
        """Lines of the log, with the time of day and, for who may go back to it, the number of the change.

        `sts`: the Storytellers' names by seat, where it shall be said which of them has done it.
        """
        for one in lines:
            when = time.strftime("%H:%M:%S", time.localtime(one.at / 1000))
            before = f"{when} #{one.n} " if numbers else f"{when} "
            text = f"» {one.get('text', '')}" if one.kind == "narrated" else one.text(language) + _parts(one, language)
            text += _by(one, sts or {}, text, language)
            if one.undone:
                text += f" ({said(language, 'undone')})"
            if not self.tty:
                self.line(before + text)
                continue
            style = "dim strike" if one.undone else STYLES.get(one.kind, "")
            self.show(Text.assemble((before, "dim"), (text, style)))


def _by(one: Told, sts: Mapping[str, str], text: str, language: str) -> str:
    """Which Storyteller it was, and for whom."""
    by = one.by
    st, seat = by if isinstance(by, tuple) else (by, "")
    if st not in sts or sts[st] in text:
        return ""
    return f" – {said(language, 'by_for', st=sts[st], seat=one.seats.get(seat, seat))}" if seat else f" – {sts[st]}"


def _parts(one: Told, language: str) -> str:
    """How a pool came about, for those who are told."""
    parts = one.get("parts") if one.kind == "rolled" else None
    known = texts.language(language).words["parts"]
    return f" [{', '.join(f'{known.get(name, name)} {n}' for name, n in parts)}]" if parts else ""
