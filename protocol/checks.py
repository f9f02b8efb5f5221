"""Whether a client sees what the server means it to see: both sum up the same view, now and then, and compare.

It finds mistakes, of a program or of memory; it is no proof against anybody, and tells nothing but the listener's own view.
"""

import json
import zlib
from collections.abc import Mapping
from typing import Any

EVERY = 64
"""Changes after which a CHECK follows; one also follows what a resuming client had missed."""


def crc(view: Mapping[str, Any]) -> int:
    """CRC-32 (as in zlib, PNG) of the view as JSON in UTF-8: keys sorted by code point at every level, nothing escaped that
    need not be, no spaces. A browser gets the same text from JSON.stringify once the keys are sorted.
    """
    text = json.dumps(dict(view), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return zlib.crc32(text.encode())
