"""What a page has lately said and been told, and how it looks: for whoever wants to know why a test failed."""

import contextlib
import json
from collections import deque
from pathlib import Path
from typing import Any

import msgpack
from playwright.async_api import Error, Page, WebSocket

LAST = 30
DRAWN_MS = 10_000


class Witness:
    """Of one page, from its beginning."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._said: deque[str] = deque(maxlen=LAST)
        self._told: deque[str | bytes] = deque(maxlen=LAST)
        self.troubles: list[str] = []
        """What nobody has caught on the page."""
        page.on("console", lambda message: self._said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda problem: self.troubles.append(str(problem)))
        page.on("websocket", self._listen)

    def _listen(self, line: WebSocket) -> None:
        line.on("framereceived", lambda frame: self._told.append(frame))

    async def keep(self, path: Path) -> None:
        """`path`.png, and `path`.txt with its last words and what its seat was told last."""
        path.parent.mkdir(parents=True, exist_ok=True)
        words = [f"console, the last {LAST}:", *self._said, *self.troubles, "", f"received, the last {LAST}:"]
        path.with_name(f"{path.name}.txt").write_text(
            "\n".join([*words, *map(_read, self._told), ""]), encoding="utf-8"
        )
        with contextlib.suppress(Error):  # one that is closed or frozen cannot be drawn
            await self._page.screenshot(path=path.with_name(f"{path.name}.png"), timeout=DRAWN_MS)


def _read(frame: str | bytes) -> str:
    message: Any = msgpack.unpackb(frame, strict_map_key=False) if isinstance(frame, bytes) else json.loads(frame)
    return json.dumps(message, ensure_ascii=False, default=repr)
