"""Clients that nobody wants, in a process of their own: python -m tests.bench.hostile KIND, on its input lists of links.

Says "ready"; each line of input, a number of seconds, has them be what they are for so long with the next list, then go, and
say what became of them: {what: how often}. They come from addresses of their own (127.0.1.x), as strangers do.
"""

import asyncio
import contextlib
import json
import os
import random
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.typing import Subprotocol

from protocol.invitation import Invitation
from server.cli import run_loop

STORM = 1000
AGAIN_S = 2.0
"""After which one of the storm comes again: ten times as often as a client that does as it is told."""
HALF_OPEN = 200
LOST = (ConnectionClosed, InvalidHandshake, OSError, EOFError, TimeoutError)
Send = Callable[[int], Coroutine[Any, Any, None]]
Attack = Callable[[Sequence[str], float, Counter[str]], Coroutine[Any, Any, None]]


async def come(link: str) -> ClientConnection:
    """A seat taken, the first frame of the answer read."""
    invitation = Invitation.read(link)
    connection = await connect(
        invitation.url,
        subprotocols=[Subprotocol("overseer.v1.msgpack")],
        compression=None,
        proxy=None,
        max_size=None,
        max_queue=4,
        close_timeout=0.1,
        local_addr=(f"127.0.1.{random.randrange(1, 250)}", 0),
    )
    hello = {"t": "hello", "versions": [1], "token": invitation.token, "client": f"h{random.getrandbits(60):x}"}
    await connection.send(msgpack.packb(hello))
    await connection.recv(decode=False)
    return connection


async def never_reading(links: Sequence[str], until: float, found: Counter[str]) -> None:
    """They take a seat and then nothing any more."""

    async def one(link: str) -> None:
        with contextlib.suppress(*LOST):
            connection = await come(link)
            found["seated"] += 1
            try:
                connection.transport.pause_reading()
                await asyncio.sleep(max(0, until - time.perf_counter()))
            finally:
                connection.transport.abort()

    await asyncio.gather(*(one(link) for link in links))


async def half_open(links: Sequence[str], until: float, found: Counter[str]) -> None:
    """Sockets on which nothing, or half a request, is ever said."""
    host, port = Invitation.read(links[0]).url.split("//")[1].split("/")[0].rsplit(":", 1)
    with contextlib.ExitStack() as opened:
        for k in range(HALF_OPEN):
            one = opened.enter_context(contextlib.closing(socket.socket()))
            one.setblocking(False)
            one.bind((f"127.0.1.{1 + k % 249}", 0))
            with contextlib.suppress(*LOST):
                await asyncio.get_running_loop().sock_connect(one, (host, int(port)))
                found["opened"] += 1
                if k % 2:
                    one.send(b"GET /ws HTTP/1.1\r\nHost: x\r\n")
        await asyncio.sleep(max(0, until - time.perf_counter()))


async def storm(links: Sequence[str], until: float, found: Counter[str]) -> None:
    """A thousand that come again as soon as they are gone."""
    free = asyncio.Semaphore(100)

    async def one(link: str) -> None:
        while time.perf_counter() < until:
            async with free:
                if time.perf_counter() >= until:
                    return
                try:
                    connection = await come(link)
                    found["let in"] += 1
                    connection.transport.abort()
                except InvalidStatus as refused:
                    found[f"HTTP {refused.response.status_code}"] += 1
                except LOST:
                    found["closed"] += 1
            await asyncio.sleep(AGAIN_S)

    await asyncio.gather(*(one(links[k % len(links)]) for k in range(STORM)))


def flooding(begin: Callable[[ClientConnection], Coroutine[Any, Any, Send]]) -> Attack:
    """They send and send, hear what is answered, and come again when they were closed."""

    async def one(link: str, until: float, found: Counter[str]) -> None:
        while time.perf_counter() < until:
            with contextlib.suppress(*LOST):
                connection = await come(link)
                send = await begin(connection)
                hearing = asyncio.create_task(_count(connection, found))
                try:
                    seq = 0
                    while time.perf_counter() < until and not hearing.done():
                        await send(seq := seq + 1)
                finally:
                    hearing.cancel()
                    connection.transport.abort()
            await asyncio.sleep(0.1)

    async def all_of_them(links: Sequence[str], until: float, found: Counter[str]) -> None:
        await asyncio.gather(*(one(link, until, found) for link in links))

    return all_of_them


async def _count(connection: ClientConnection, found: Counter[str]) -> None:
    try:
        while True:
            message = msgpack.unpackb(await connection.recv(decode=False))
            if isinstance(message, dict) and message["t"] in ("ack", "refused", "answer"):
                found[message.get("code", "done")] += 1
    except ConnectionClosed as closed:
        found[f"closed {closed.rcvd.code if closed.rcvd else 1006}"] += 1


def commands(body: dict[str, Any]) -> Attack:
    async def begin(connection: ClientConnection) -> Send:
        return partial(_command, connection, body)

    return flooding(begin)


async def _command(connection: ClientConnection, body: dict[str, Any], seq: int) -> None:
    await connection.send(msgpack.packb({"t": "command", "seq": seq, "seen": 0, **body}))
    if seq % 10 == 0:
        await asyncio.sleep(0.005)


async def _answering(connection: ClientConnection) -> Send:
    """For the window that is open, before its deadline and after it."""
    view = msgpack.unpackb(await connection.recv(decode=False))["view"]
    window = next((path[2:] for path in view if path.startswith("w/") and path.count("/") == 1), "gone0000")
    return partial(_command, connection, {"kind": "pass", "window": window, "gen": 1})


HORDE = {
    "name": "Ghoul",
    "on_stage": True,
    "abilities": [{"name": f"claw {k}", "act": "melee_attack"} for k in range(8)],
}


async def _asking(connection: ClientConnection) -> Send:
    """What all of its units can do. An ST brings a horde first."""
    horde = {"t": "command", "seq": 1, "seen": 0, "kind": "set_up", "units": [{"unit": HORDE, "count": 60}]}
    await connection.send(msgpack.packb(horde))
    return partial(_question, connection)


async def _question(connection: ClientConnection, seq: int) -> None:
    await connection.send(msgpack.packb({"t": "ask", "id": seq, "what": "options"}))
    if seq % 10 == 0:
        await asyncio.sleep(0.005)


RUBBISH = Frame(Opcode.PING, b"x").serialize(mask=True) * 50 + Frame(Opcode.BINARY, b"\xc1").serialize(mask=True) * 50


async def _talking_rubbish(connection: ClientConnection) -> Send:
    """WebSocket pings and frames that are nothing, as fast as the line takes them."""

    async def send(_: int) -> None:
        if connection.transport.is_closing():
            raise ConnectionError
        connection.transport.write(RUBBISH)
        await asyncio.sleep(0.01)

    return send


async def nobody(links: Sequence[str], until: float, found: Counter[str]) -> None:
    """The control: a process that only works. What is felt of it is felt of this machine, which the others share too."""
    while time.perf_counter() < until:
        found["looked at the clock"] += 1
        await asyncio.sleep(0)


KINDS: dict[str, Attack] = {
    "nobody": nobody,
    "never reading": never_reading,
    "half-open": half_open,
    "storm": storm,
    "commands": commands({"kind": "say", "text": "and again"}),
    "refusals": commands({"kind": "narrate", "text": "players may not"}),
    "answers": flooding(_answering),
    "frames": flooding(_talking_rubbish),
    "questions": flooding(_asking),
}
HERE = ("never reading", "commands", "refusals", "answers")
"""What is tried at the table of the healthy, too, or only there: one seat in five is such a one."""
ELSEWHERE = ("nobody", "half-open", "storm", "commands", "refusals", "frames", "questions")


async def main(kind: str) -> int:
    os.nice(19)  # strangers do not live on the server's machine: what they themselves work takes nobody's time there
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    rounds = iter(json.loads(await reader.readline()))
    print("ready", flush=True)
    while line := await reader.readline():
        found: Counter[str] = Counter()
        await KINDS[kind](next(rounds), time.perf_counter() + float(line.split()[0]), found)
        print(json.dumps(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(run_loop(main(sys.argv[1])))
