"""Whether somebody sits before this very machine, and a page in his browser. Not from a script, by ssh, in a container."""

import asyncio
import os
import sys
import webbrowser
from collections.abc import Mapping


def is_here(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Somebody who types here also has windows here: a terminal, no line from elsewhere, and a screen."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or "SSH_CONNECTION" in environment:
        return False
    return platform in ("darwin", "win32") or any(environment.get(one) for one in ("DISPLAY", "WAYLAND_DISPLAY"))


async def open_page(link: str) -> bool:
    """Whether a browser has taken it. The link is an argument of the browser's, which whoever else is on this machine may
    see in the list of programs: only for tables that nobody loses anything by, such as the sample."""
    try:
        return await asyncio.to_thread(webbrowser.open, link)
    except webbrowser.Error:
        return False
