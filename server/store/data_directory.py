"""The directory in which the bundled database keeps its data: who may use it, and how others reach the one who does.

`lock` holds an exclusive flock for as long as its Overseer or that Overseer's database lives, and says who and where.
"""

import asyncio
import contextlib
import fcntl
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote

from .problems import StoreProblem

OWNER_PATIENCE_S = 1.5  # for an owner who lives: it may be just stopping
ORPHAN_PATIENCE_S = 10.0  # for the database of an owner who died: it is writing its last
_SOCKET_PATH_MAX = 103  # bytes; macOS allows 104 with the final zero, Linux 108


class DataDirectory:
    """One data directory, locked or not."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.lock_fd: int | None = None
        self.socket = self.path / "s.sock"
        self.password = ""

    @property
    def url(self) -> str:
        return f"unix://:{self.password}@{quote(str(self.socket))}"

    async def lock(self) -> None:
        """Takes the directory for this process. StoreProblem if another Overseer has it or it cannot be used."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            fd = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as refused:
            raise StoreProblem(
                f"the data directory {self.path} cannot be used ({refused.strerror}); "
                "give another one, or the right to write there"
            ) from refused
        try:
            await self._wait_for_lock(fd)
            self.password = self._keep_password()
            self._choose_socket()
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n{self.socket}\n".encode(), 0)
        except BaseException:
            os.close(fd)
            raise
        self.lock_fd = fd

    def unlock(self) -> None:
        """Gives the directory free, once its database has ended too (it has inherited the lock)."""
        if self.lock_fd is not None:
            if self.socket.parent != self.path:
                shutil.rmtree(self.socket.parent, ignore_errors=True)
            os.close(self.lock_fd)
            self.lock_fd = None

    async def _wait_for_lock(self, fd: int) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        while True:
            try:
                return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                owner, _ = self._owner()
                alive = lives(owner)
                if loop.time() - began > (OWNER_PATIENCE_S if alive else ORPHAN_PATIENCE_S):
                    who = f"another Overseer (process {owner})" if alive else "the database of an Overseer that ended"
                    raise StoreProblem(
                        f"{who} is using the data directory {self.path}; "
                        "stop it first, or give this one another data directory (--data-dir)"
                    ) from None
            except OSError as refused:
                raise StoreProblem(
                    f"the data directory {self.path} cannot be locked ({refused.strerror}); "
                    "use a directory on a local disk"
                ) from refused
            await asyncio.sleep(0.005)

    def _owner(self) -> tuple[int, Path]:
        """The pid and the socket written in the lock file; pid 0 while nobody has written."""
        lines = (self.path / "lock").read_text().splitlines()
        return (int(lines[0]), Path(lines[1])) if len(lines) == 2 else (0, self.socket)

    def _keep_password(self) -> str:
        """Beside the 0700 directory a second wall; in a file, so that the command line on this machine can use it."""
        path = self.path / "valkey.password"
        with contextlib.suppress(FileNotFoundError):
            if kept := path.read_text().strip():
                path.chmod(0o600)
                return kept
        password = secrets.token_urlsafe(24)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(password)
        return password

    def _choose_socket(self) -> None:
        _, former = self._owner()
        if former.parent != self.path and former.parent.name.startswith("overseer-"):  # of one who was killed
            shutil.rmtree(former.parent, ignore_errors=True)
        if len(os.fsencode(self.socket)) > _SOCKET_PATH_MAX:
            self.socket = Path(tempfile.mkdtemp(prefix="overseer-", dir="/tmp")) / "s.sock"
        self.socket.unlink(missing_ok=True)

    async def answers(self) -> bool:
        """Whether a database accepts the password at the socket and has loaded its data."""
        try:
            reader, writer = await asyncio.open_unix_connection(self.socket)
        except OSError:
            return False
        try:
            writer.write(f"AUTH {self.password}\r\nPING\r\n".encode())
            async with asyncio.timeout(1):
                return await reader.readline() == b"+OK\r\n" and await reader.readline() == b"+PONG\r\n"
        except (OSError, TimeoutError):
            return False
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def attach(path: Path) -> str | None:
    """The address of the database that a running Overseer keeps in this directory; None if none does."""
    directory = DataDirectory(path)
    try:
        fd = os.open(directory.path / "lock", os.O_RDONLY)
    except OSError:
        return None
    try:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + OWNER_PATIENCE_S
        while loop.time() < deadline:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return None  # nobody holds it
            owner, directory.socket = directory._owner()
            if not lives(owner):
                return None
            with contextlib.suppress(FileNotFoundError):
                directory.password = (directory.path / "valkey.password").read_text().strip()
                if await directory.answers():
                    return directory.url
            await asyncio.sleep(0.02)
        return None
    finally:
        os.close(fd)


def lives(pid: int) -> bool:
    if pid <= 0:
        return False
    with contextlib.suppress(OSError):  # a killed process whose parent has not looked yet still has its pid
        return b") Z " not in Path(f"/proc/{pid}/stat").read_bytes()
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
