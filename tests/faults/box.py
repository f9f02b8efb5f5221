"""A machine in a box: a database and servers on it, whose power can be cut, whose disk can fill, whose clock can jump.

Where no C compiler is at hand there is no shim: then power, disk and clock stay as they are, and `shim` is None.
"""

import asyncio
import ctypes
import functools
import mmap
import os
import secrets
import shutil
import signal
import struct
import subprocess
import tempfile
from pathlib import Path

import redis.asyncio

from server.store.embedded import find_server_binary
from tests.faults.nursery import Child, Nursery
from tests.faults.wire import Cutter
from tests.helpers.ports import free_port
from tests.helpers.servers import UNLIMITED

CONFIG = """port 0
unixsocket {socket}
requirepass {password}
dir {data}
logfile {log}
save ""
appendonly {appendonly}
appendfsync {appendfsync}
auto-aof-rewrite-percentage 100
auto-aof-rewrite-min-size 1mb
maxmemory-policy noeviction
client-output-buffer-limit pubsub 64mb 16mb 60
always-show-logo no
"""


@functools.cache
def shim() -> Path | None:
    """The shim, compiled; None where there is no C compiler."""
    compiler = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
    if compiler is None or os.uname().sysname != "Linux":
        return None
    directory = tempfile.TemporaryDirectory(prefix="overseer-shim-")
    _KEPT.append(directory)
    library = Path(directory.name) / "shim.so"
    source = Path(__file__).with_name("shim.c")
    command = [compiler, "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return library if done.returncode == 0 else None


_KEPT: list[tempfile.TemporaryDirectory[str]] = []
NO_SHIM = "no C compiler was found (cc, gcc, clang), so power cuts, a full disk and clock steps are left out"


class Store:
    """A database whose process, power, disk and clock a test can do as it likes with."""

    def __init__(self, directory: Path, *, appendfsync: str = "always", appendonly: str = "yes") -> None:
        self.directory = directory
        self.data = directory / "data"
        self.data.mkdir(parents=True)
        self._socket = directory / "s"
        self._password = secrets.token_hex(8)
        self._settings = {"appendfsync": appendfsync, "appendonly": appendonly}
        self._synced = directory / "synced"
        weather = directory / "weather"
        weather.write_bytes(struct.pack("qq", 0, -1))
        with weather.open("r+b") as file:
            self._weather = mmap.mmap(file.fileno(), 16)
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"unix://:{self._password}@{self._socket}"
        self.dropped = 0
        """Bytes that were written but not yet safe when the power went, all in all."""

    async def start(self) -> None:
        assert self._process is None
        config = CONFIG.format(
            socket=self._socket, password=self._password, data=self.data, log=self.directory / "log", **self._settings
        )
        self._socket.unlink(missing_ok=True)
        library = shim()
        preload = {"LD_PRELOAD": str(library)} if library else {}
        self._process = subprocess.Popen(  # noqa: ASYNC220 - forks in a millisecond
            [str(find_server_binary()), "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={
                **os.environ,
                **preload,
                "OVERSEER_SYNCED": str(self._synced),
                "OVERSEER_WEATHER": str(self.directory / "weather"),
            },
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
        assert self._process.stdin
        self._process.stdin.write(config.encode())
        self._process.stdin.close()
        async with asyncio.timeout(60):
            while True:
                try:
                    await self.ask("PING")
                    return
                except (OSError, redis.RedisError):
                    if self._process.poll() is not None:
                        raise AssertionError((self.directory / "log").read_text()[-2000:]) from None
                    await asyncio.sleep(0.005)

    async def ask(self, *command: str | int) -> object:
        """An answer to one command, over a connection of its own."""
        async with redis.asyncio.Redis.from_url(self.url, legacy_responses=False) as client:
            return await client.execute_command(*command)

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def freeze(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Its process dies; what it has written is written."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def cut_power(self) -> int:
        """It dies, and of each of its files only what was safe on the disk is left. How many bytes were not."""
        self.kill()
        safe: dict[tuple[int, int], int] = {}
        for line in self._synced.read_text().splitlines():
            device, inode, size = map(int, line.split())
            safe[device, inode] = size
        gone = 0
        for file in (self.data / "appendonlydir").glob("*"):
            found = file.stat()
            size = min(found.st_size, safe.get((found.st_dev, found.st_ino), 0))
            gone += found.st_size - size
            os.truncate(file, size)
        # An inode may be given away again: only the files that are still there count from now on.
        self._synced.write_text(
            "".join(f"{s.st_dev} {s.st_ino} {s.st_size}\n" for s in (f.stat() for f in self.data.rglob("*")))
        )
        self.dropped += gone
        return gone

    def step_clock(self, seconds: float) -> None:
        """The time of day, from now on so much later than it really is."""
        self._weather[0:8] = struct.pack("q", int(seconds * 1_000_000))

    def fill_disk(self, room: int) -> None:
        """So many more bytes fit on the disk."""
        self._weather[8:16] = struct.pack("q", room)

    def free_disk(self) -> None:
        self._weather[8:16] = struct.pack("q", -1)


class Box:
    """`async with Box(nursery, nodes=2) as box`: a database with that many servers on it, all on loopback.

    `behind_wire`: a cutter stands between the servers and the database.
    """

    def __init__(
        self,
        nursery: Nursery,
        *,
        nodes: int = 2,
        bug: str = "",
        appendfsync: str = "always",
        appendonly: str = "yes",
        behind_wire: bool = False,
        weaker: bool = False,
    ) -> None:
        self._nursery = nursery
        self._directory = tempfile.TemporaryDirectory(prefix="overseer-faults-")
        self.store = Store(Path(self._directory.name), appendfsync=appendfsync, appendonly=appendonly)
        self.bug = bug
        self.ports = [free_port() for _ in range(nodes)]
        self.nodes: list[Child | None] = [None] * nodes
        self.wire = Cutter(self.store.url, Path(self._directory.name)) if behind_wire else None
        self.weaker = weaker

    @property
    def url(self) -> str:
        """Where the servers find the database."""
        return self.wire.url if self.wire else self.store.url

    async def __aenter__(self) -> "Box":
        try:
            await self.store.start()
            if self.wire:
                await self.wire.__aenter__()
            await asyncio.gather(*(self.start_node(k) for k in range(len(self.nodes))))
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        for node in self.nodes:
            if node:
                await node.kill()
        if self.wire:
            await self.wire.__aexit__()
        self.store.kill()
        self._directory.cleanup()

    async def start_node(self, k: int) -> None:
        words = ["--port", str(self.ports[k]), "--heartbeat-s", "1", "--log-level", "warning", *UNLIMITED]
        words += ["--data-dir", f"{self._directory.name}/node{k}"]
        words += ["--accept-weaker-durability"] if self.weaker else []
        self.nodes[k] = await self._nursery.serve(words, redis_url=self.url, bug=self.bug)

    async def kill_node(self, k: int) -> None:
        node, self.nodes[k] = self.nodes[k], None
        if node:
            await node.kill()

    async def stop_node(self, k: int) -> None:
        node, self.nodes[k] = self.nodes[k], None
        if node:
            await node.stop()

    async def cut_power(self) -> None:
        """Everything in the box goes dark at one instant, and is then started again."""
        for node in self.nodes:
            if node:
                node.signal(signal.SIGKILL)
        self.store.cut_power()
        for k in range(len(self.nodes)):
            await self.kill_node(k)
        await self.store.start()
        await asyncio.gather(*(self.start_node(k) for k in range(len(self.nodes))))

    async def mend(self) -> None:
        """Everything that was stopped, frozen or full is as it should be."""
        self.store.free_disk()
        self.store.step_clock(0)
        self.store.thaw()
        if not self.store.running:
            self.store.kill()
            await self.store.start()
        for k, node in enumerate(self.nodes):
            if node is None:
                await self.start_node(k)
            else:
                node.signal(signal.SIGCONT)

    def what_nodes_said(self) -> str:
        return "\n".join(node.said.decode(errors="replace") for node in self.nodes if node)


_PRCTL = ctypes.CDLL(None).prctl if os.uname().sysname == "Linux" else None


def _die_with_parent() -> None:
    if _PRCTL:
        _PRCTL(1, int(signal.SIGKILL), 0, 0, 0)
