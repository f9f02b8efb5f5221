"""One socket's way out: order is kept, and who reads slowly gets a snapshot in place of what he missed."""

import asyncio
from typing import Any

import msgpack
import pytest

from protocol.codec import MSGPACK
from protocol.codes import Close
from server import connection as module
from server.audience import Frame
from server.connection import Connection


class Socket:
    """A peer that takes frames only while `open` is set."""

    def __init__(self) -> None:
        self.taken: list[Any] = []
        self.open = asyncio.Event()
        self.took = asyncio.Event()
        self.closed: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def send(self, frame: bytes) -> None:
        await self.open.wait()
        self.taken.append(msgpack.unpackb(frame))
        self.took.set()

    async def close(self, code: int, reason: str) -> None:
        if not self.closed.done():
            self.closed.set_result(code)


def made() -> tuple[Socket, Connection]:
    socket = Socket()
    connection = Connection(socket, MSGPACK)  # type: ignore[arg-type]
    connection.snapshot = lambda reason: Frame.of({"snapshot": reason})
    return socket, connection


async def until_said(connection: Connection) -> None:
    await connection.close(Close.GOING_AWAY, "")


async def test_frames_go_out_in_order():
    socket, connection = made()
    socket.open.set()
    connection.send(Frame.of("welcome"))
    connection.send_patch(Frame.of(1))
    connection.send(Frame.of("ack"))
    await until_said(connection)
    assert socket.taken == ["welcome", 1, "ack"]


async def test_who_falls_behind_gets_a_snapshot_where_the_first_patch_stood(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_FRAMES", 4)
    socket, connection = made()
    connection.send(Frame.of("welcome"))
    connection.send_patch(Frame.of(1))
    connection.send(Frame.of("ack of 1"))
    for n in range(2, 9):
        connection.send_patch(Frame.of(n))
    connection.send(Frame.of("ack of 8"))
    socket.open.set()
    await until_said(connection)
    assert socket.taken == ["welcome", {"snapshot": "slow"}, "ack of 1", "ack of 8"]


async def test_after_the_snapshot_patches_go_on():
    socket, connection = made()
    connection.send_patch(Frame.of(1))
    connection.send_snapshot("epoch")
    connection.send_patch(Frame.of(2))  # the snapshot, made later, will hold it
    socket.open.set()
    await socket.took.wait()
    connection.send_patch(Frame.of(3))
    await until_said(connection)
    assert socket.taken == [{"snapshot": "epoch"}, 3]


async def test_what_a_resume_brings_is_not_falling_behind(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_FRAMES", 4)
    socket, connection = made()
    connection.send_missed([msgpack.packb(n) for n in range(50)])
    connection.send_patch(Frame.of(50))
    socket.open.set()
    await until_said(connection)
    assert socket.taken == list(range(51))


async def test_a_big_resume_closes_nobody_for_the_next_word(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    socket, connection = made()
    connection.send_missed([msgpack.packb("x" * 40) for _ in range(50)])
    connection.send(Frame.of("who is here"))
    socket.open.set()
    await until_said(connection)
    assert socket.taken[-1] == "who is here"
    assert len(socket.taken) == 51


async def test_who_takes_nothing_is_closed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "STUCK_S", 0.01)
    socket, connection = made()
    connection.send_patch(Frame.of(1))
    assert await socket.closed == Close.SLOW


async def test_who_asks_and_never_reads_is_closed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_FRAMES", 4)
    socket, connection = made()
    for n in range(6):
        connection.send(Frame.of(n))
    assert await socket.closed == Close.SLOW
