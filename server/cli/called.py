"""How this program was called, for the commands it tells people to type."""

import os
import shlex
import shutil
import sys
from pathlib import Path


def own_command() -> str:
    """How this program was called, such that it can be called so again from the same folder."""
    called = Path(sys.argv[0])
    found = shutil.which("overseer")
    if called.name != "overseer" or (found and Path(found).resolve() == called.resolve() and called.is_absolute()):
        return "overseer"
    nearer = os.path.relpath(called)
    return shlex.quote(str(called) if nearer.startswith("..") else nearer)
