"""How many files this process may have open: each connection is one, and many systems allow 1024 unless they are asked."""

import contextlib

from server.config import Settings, flag_of

BESIDE = 200
"""The store, logs, answers to plain HTTP that are under way."""


def make_room(settings: Settings) -> str | None:
    """Asks for as many as the limits of connections need. One sentence where there are fewer all the same."""
    try:
        import resource
    except ImportError:  # not a Unix
        return None
    needed = settings.connections + 2 * settings.connections_unknown + BESIDE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if 0 <= soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    if soft < 0 or needed <= soft:  # below 0: without a limit
        return None
    return (
        f"This process may have {soft} files open, and {settings.connections} connections need {needed}: raise that "
        f"(ulimit -Hn {needed}; LimitNOFILE= for systemd) or lower {flag_of('connections')}."
    )
