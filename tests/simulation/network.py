"""Connections between hosts, in memory: bytes take their time, come in order or not at all, and lines break.

Every wire is one end of a connection, and a transport as asyncio has them. Between two connections nothing is in order.
"""

import asyncio
import random
import socket
import zlib
from collections import deque
from collections.abc import Callable
from typing import Any

from tests.simulation.loop import HOST, Host, SimulatedLoop

WIDE = 1 << 16


class Wire(asyncio.Transport):
    """One end. What is written here arrives at `other`."""

    other: "Wire"

    def __init__(self, network: "Network", host: Host) -> None:
        super().__init__()
        self.host = host
        self._network = network
        self._loop = network.loop
        self._protocol: Any = None
        self._said_all = False
        self._closing = False
        self._over = False  # nothing more is heard here
        self._gone = False  # the process behind it is, or the line broke: neither
        self._in_flight = 0
        self._limit = network.window
        self._paused_writer = False
        self._reading = True
        self._inbox: deque[bytes | None] = deque()  # None: the other side has said all
        self._held: deque[bytes | None] = deque()  # came this far, and there the way is cut off
        self._last = 0.0  # when what was written last arrives
        self.budget: int | None = None  # after so many bytes more the line breaks

    # ---------------------------------------------------------------------------------------------- what asyncio asks for
    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return (self.other.host.name, 0) if name == "peername" else default

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def get_protocol(self) -> Any:
        return self._protocol

    def is_closing(self) -> bool:
        return self._closing

    def is_reading(self) -> bool:
        return self._reading

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._limit = self._network.window + min(high or 0, self._network.window)

    def get_write_buffer_size(self) -> int:
        return max(0, self._in_flight - self._network.window)

    def can_write_eof(self) -> bool:
        return True

    def pause_reading(self) -> None:
        self._reading = False

    def resume_reading(self) -> None:
        self._reading = True
        if self._inbox:
            self._loop.on(self.host, self._read)

    def write(self, data: Any) -> None:
        if self._said_all or self._gone or not data:
            return
        data = bytes(data)
        if self.budget is not None and len(data) >= self.budget:
            self._send(data[: self.budget])
            self._network.cuts += 1
            self.break_off()
            return
        if self.budget is not None:
            self.budget -= len(data)
        self._send(data)
        if self._in_flight > self._limit and not self._paused_writer:
            self._paused_writer = True
            self._protocol.pause_writing()

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def write_eof(self) -> None:
        if not self._said_all and not self._gone:
            self._said_all = True
            self._send(None)

    def close(self) -> None:
        self.write_eof()
        self._closing = True
        self._loop.on(self.host, self._lost, None)

    def abort(self) -> None:
        if not self._gone:
            self.break_off()

    # ------------------------------------------------------------------------------------------------------------ the way
    def _send(self, data: bytes | None) -> None:
        self._in_flight += len(data or b"")
        delay = self._network.delay()
        self._last = max(self._last, self._loop.time() + delay)
        self._loop.call_at(self._last, self.other._arrive, data, context=self._network.context)

    def _arrive(self, data: bytes | None) -> None:
        """At the machine, not yet in its process."""
        if self._held or self._network.cut_off(self.host, self.other.host):
            self._held.append(data)
            return
        self._network.note(self, data)
        if self._gone:
            return
        if self._over:
            if data:
                self._network.later(self.other.reset)
            return
        self._inbox.append(data)
        if self._reading:
            self._loop.on(self.host, self._read)

    def release(self) -> None:
        held, self._held = self._held, deque()
        for data in held:
            self._arrive(data)

    def _read(self) -> None:
        if not self._inbox or not self._reading or self._over or self._protocol is None:
            return
        data = self._inbox.popleft()
        while data and self._inbox and self._inbox[0]:
            data += self._inbox.popleft() or b""
        if self._inbox:
            self._loop.on(self.host, self._read)
        if data is None:
            if not self._protocol.eof_received():
                self.close()
            return
        self.other._in_flight -= len(data)
        if self.other._paused_writer and self.other._in_flight < self._network.window:
            self.other._paused_writer = False
            self._loop.on(self.other.host, self.other._go_on)
        self._protocol.data_received(data)

    def _go_on(self) -> None:
        if not self._over:
            self._protocol.resume_writing()

    def break_off(self) -> None:
        """The line breaks: what is on its way may still arrive, and then each side hears of it."""
        self._gone = self._closing = True
        self._loop.on(self.host, self._lost, None)
        self._last = max(self._last, self._loop.time() + self._network.delay())
        self._loop.call_at(self._last, self.other.reset, context=self._network.context)

    def die(self) -> None:
        """The process is no more; the other side hears of it."""
        self._gone = self._closing = self._over = True
        self._network.later(self.other.reset)
        self._network.wires.pop(self, None)

    def reset(self) -> None:
        self._gone = self._closing = True
        self._held.clear()
        self._loop.on(self.host, self._lost, ConnectionResetError("the line broke"))

    def _lost(self, why: Exception | None) -> None:
        if self._over:
            return
        self._over = True
        self._network.wires.pop(self, None)
        if self._protocol is not None:
            if self._paused_writer:
                self._paused_writer = False
            self._protocol.connection_lost(why)


class Door:
    """A port that is listened at; what asyncio calls a server, and its one socket."""

    family = socket.AF_INET

    def __init__(self, network: "Network", host: Host, port: int, factory: Callable[[], Any]) -> None:
        self.host, self.port, self.factory = host, port, factory
        self._network = network

    @property
    def sockets(self) -> tuple["Door", ...]:
        return (self,)

    def getsockname(self) -> tuple[str, int]:
        return ("sim", self.port)

    def is_serving(self) -> bool:
        return self._network.doors.get(self.port) is self

    def get_loop(self) -> asyncio.AbstractEventLoop:
        return self._network.loop

    def close(self) -> None:
        if self.is_serving():
            del self._network.doors[self.port]

    async def wait_closed(self) -> None:
        pass


class Network:
    """All wires. `fast_s`, `slow_s`: the usual least and most delay; `rarely`: the share of messages that take `late_s`.

    `window`: bytes that may be on their way, unread, before the writer is told to wait.
    """

    def __init__(self, loop: SimulatedLoop, chance: random.Random) -> None:
        self.loop = loop
        self.chance = chance
        self.fast_s, self.slow_s, self.rarely, self.late_s = 0.0002, 0.001, 0.0, 0.2
        self.window = WIDE
        self.wires: dict[Wire, None] = {}
        self.doors: dict[int, Door] = {}
        self.cuts = 0
        self.shut = False  # nothing is carried any more, and nobody let in
        self.trace = 0
        self.frames = 0
        self._apart: dict[tuple[Host, Host], None] = {}
        self.context = loop.world.context
        loop.network = self

    def delay(self) -> float:
        if self.rarely and self.chance.random() < self.rarely:
            return self.chance.uniform(self.slow_s, self.late_s)
        return self.chance.uniform(self.fast_s, self.slow_s)

    def later(self, act: Callable[[], None]) -> None:
        self.loop.call_later(self.delay(), act, context=self.context)

    def note(self, wire: Wire, data: bytes | None) -> None:
        """Everything that arrives anywhere is in the trace, with its time."""
        said = f"{self.loop.time():.9f} {wire.other.host.name}>{wire.host.name} ".encode()
        self.trace = zlib.crc32(data or b"-", zlib.crc32(said, self.trace))
        self.frames += 1

    # -------------------------------------------------------------------------------------------------------- connections
    def listen(self, factory: Callable[[], Any], port: int) -> Door:
        if port in self.doors:
            raise OSError(98, "address in use")
        door = self.doors[port] = Door(self, HOST.get(), port, factory)
        return door

    async def connect(self, factory: Callable[[], Any], port: int) -> tuple[Wire, Any]:
        here = HOST.get(self.loop.world)
        await asyncio.sleep(self.delay())
        door = self.doors.get(port)
        while door and self.cut_off(here, door.host) and not self.shut:
            await asyncio.sleep(0.2)  # as TCP does: it knocks again
            door = self.doors.get(port)
        if door is None or self.shut:
            raise ConnectionRefusedError(111, "nobody listens there")
        near, far = Wire(self, here), Wire(self, door.host)
        near.other, far.other = far, near
        self.wires[near] = self.wires[far] = None
        self.loop.on(door.host, _accept, far, door)
        await asyncio.sleep(self.delay())
        protocol = factory()
        near.set_protocol(protocol)
        protocol.connection_made(near)
        return near, protocol

    def of(self, *hosts: Host) -> list[Wire]:
        """The ends at these hosts."""
        return [wire for wire in self.wires if wire.host in hosts]

    # ------------------------------------------------------------------------------------------------------------- faults
    def cut_off(self, one: Host, other: Host) -> bool:
        return (one, other) in self._apart or (other, one) in self._apart

    def part(self, one: Host, other: Host) -> None:
        """Nothing gets from one to the other, in either direction, until `heal`."""
        self._apart[one, other] = None

    def heal(self, one: Host, other: Host) -> None:
        self._apart.pop((one, other), None)
        if not self.cut_off(one, other):
            for wire in list(self.wires):
                if {wire.host, wire.other.host} == {one, other}:
                    wire.release()

    def heal_all(self) -> None:
        for pair in list(self._apart):
            self.heal(*pair)

    def kill(self, host: Host) -> None:
        """Its process ends between two instants, and nobody inside it hears of it."""
        host.frozen = True
        for door in [door for door in self.doors.values() if door.host is host]:
            door.close()
        for wire in self.of(host):
            wire.die()


def _accept(far: Wire, door: Door) -> None:
    if not door.is_serving() or far._gone:
        far.abort()
        return
    protocol = door.factory()
    far.set_protocol(protocol)
    protocol.connection_made(far)
    if far._inbox:
        far._loop.on(far.host, far._read)
