"""Logs: one line an event, words first, then key=value. Nothing that opens a seat ever gets into one.

Callers use `logging.getLogger("overseer....")` and pass facts by `extra=`; `set_up` is called once, by the command line.
"""

import logging
import re
import sys
import time

from core.letters import in_one_line

# A token is table.seat.secret. Nobody means to log one; if somebody does by mistake, it does not get out.
_TOKEN = re.compile(r"[\w-]{4,64}\.[\w-]{1,64}\.[\w-]{20,}")
_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def without_tokens(text: str) -> str:
    return _TOKEN.sub("(token)", text)


class Lines(logging.Formatter):
    """2026-11-30T01:02:03.004Z info overseer.room table went to sleep table=Ab3 version=17"""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        facts = [f"{name}={_shown(value)}" for name, value in vars(record).items() if name not in _USUAL]
        said = in_one_line(record.getMessage())
        line = f"{moment}.{int(record.msecs):03d}Z {record.levelname.lower()} {record.name} {said}"
        text = " ".join([line, *facts])
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        return without_tokens(text)


def _shown(value: object) -> str:
    """A word as it is; all else quoted and escaped, so that nothing in it looks like another fact or line."""
    text = str(value)
    return text if text and text.isprintable() and not set(text) & set(" ='\"") else repr(text)


def set_up(level: str) -> None:
    """Lines on standard error from `level` on. The websockets library speaks up only about what is wrong."""
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(Lines())
    root = logging.getLogger()
    root.handlers[:] = [lines]
    root.setLevel(level.upper())
    # It reports every port scanner that opens a socket and says nothing; that is not an error of ours.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
