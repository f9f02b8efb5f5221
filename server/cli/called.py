"""How this program was called, for the commands it tells people to type."""

import os
import shlex
import shutil
import sys
from pathlib import Path

from server.config import Settings, flag_of, variable_of, without_password


def own_command() -> str:
    """How this program was called, such that it can be called so again from the same folder."""
    called = Path(sys.argv[0])
    found = shutil.which("overseer")
    if called.name != "overseer" or (found and Path(found).resolve() == called.resolve() and called.is_absolute()):
        return "overseer"
    nearer = os.path.relpath(called)
    return shlex.quote(str(called) if nearer.startswith("..") else nearer)


def on_the_same_store(settings: Settings, *words: str) -> str:
    """The command `overseer WORDS`, to type as it is, with what it needs to find the tables that these settings find."""
    for name in ("data_dir", "redis_url"):
        value = str(getattr(settings, name))
        if name in settings.model_fields_set and value not in ("None", os.environ.get(variable_of(name))):
            words += (flag_of(name), without_password(value))
    return with_words(*words)


def with_words(*words: str) -> str:
    """The command `overseer WORDS`, to type as it is."""
    return f"{own_command()} {shlex.join(words)}"
