"""Where lines come from: an editor with completion and a toolbar on a terminal; otherwise standard input, line by line."""

import asyncio
import codecs
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterable

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.output import ColorDepth

from core.letters import clean

Suggest = Callable[[str], Iterable[tuple[str, int]]]
REFRESH_S = 0.25
"""How often the countdown in the toolbar is drawn anew."""


class Names(Completer):
    """prompt_toolkit's way to ask for what could come next."""

    def __init__(self, suggest: Suggest) -> None:
        self._suggest = suggest

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        for word, letters in self._suggest(document.text_before_cursor):
            yield Completion(word, start_position=-letters, display=clean(word))


async def typed(before: Callable[[], str], toolbar: Callable[[], str], suggest: Suggest) -> AsyncIterator[str]:
    """Lines from a person. Ends with Ctrl-D or Ctrl-C. To be used within patch_stdout."""
    quiet = bool(os.environ.get("NO_COLOR"))
    session: PromptSession[str] = PromptSession(
        completer=Names(suggest),
        complete_while_typing=False,
        refresh_interval=REFRESH_S,
        color_depth=ColorDepth.DEPTH_1_BIT if quiet else None,
    )
    while True:
        try:
            yield await session.prompt_async(lambda: shown(before(), "bold"), bottom_toolbar=lambda: shown(toolbar()))
        except (EOFError, KeyboardInterrupt):
            return


def shown(text: str, style: str = "") -> FormattedText:
    """Words as they are: somebody else's name is in them, and nothing in it means anything to the terminal."""
    return FormattedText([(style, clean(text))])


async def piped(fd: int = 0) -> AsyncIterator[str]:
    """Lines from a pipe or a file, whole as soon as they are there."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def put(line: str | None) -> None:
        try:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        except RuntimeError:  # the loop is closed: nobody reads any more
            pass

    def read() -> None:
        # os.read and not sys.stdin: a thread that waits in a buffered read cannot be left behind at exit.
        decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        rest = ""
        while piece := os.read(fd, 65536):
            *whole, rest = (rest + decode(piece)).split("\n")
            for line in whole:
                put(line)
        if rest:
            put(rest)
        put(None)

    threading.Thread(target=read, name="standard input", daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line
