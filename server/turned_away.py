"""A line on which nobody is heard, for too many knock. A client can read that it is so, and it costs next to nothing."""

import asyncio

from server.door import Full
from server.entrance import Standing

WITHIN_S = 2.0
"""For a request to come and its answer to be taken. There are few such lines (Entrance, `leaving`): the oldest goes."""
MOST = 64 * 1024
"""Bytes that are waited out."""


class TurnedAway(asyncio.Protocol):
    """Whatever is asked is not read, but waited for: no client understands an answer to what it has not asked. And it is the
    client that closes the line: closed by the server over bytes it has not taken, it would break, and the answer be lost.
    """

    def __init__(self, line: asyncio.Transport, whose: str, full: Full, leaving: Standing) -> None:
        self._line = line
        self._full = full
        self._leaving = leaving
        self._taken = 0
        leaving.add(line, whose)
        self._end = asyncio.get_running_loop().call_later(WITHIN_S, line.abort)

    def data_received(self, data: bytes) -> None:
        if not self._taken:
            self._line.write(answer(self._full))
            self._line.write_eof()
        self._taken += len(data)
        if self._taken > MOST:
            self._line.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end.cancel()
        self._leaving.remove(self._line)


def answer(full: Full) -> bytes:
    """The whole HTTP response, as it goes on the line."""
    text = f"{full.text}; try again later\n"
    return (
        f"HTTP/1.1 {full.status.value} {full.status.phrase}\r\nRetry-After: {full.after_s}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n{text}"
    ).encode()
