"""A whole table as a file: JSON, one object a line, the last of which closes it. docs/export.md describes it.

Lines are written and read one at a time, so a table of any size needs little memory. What the store keeps as bytes
(msgpack) stands in the file as the plain values it is made of, and comes back byte for byte.
"""

import base64
import gzip
import hashlib
import json
import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from server.cells import packed, unpacked
from server.store.values import Entry

FORMAT = 1
KIND = "table"
_HEADER = {"table": str, "name": str, "created": int, "practice": bool, "after": int, "version": int, "part": bool}
"""What the first line of a table says, besides what kind of file it is."""


class FileProblem(Exception):
    """A file cannot be written, or is not what it should be. The text is one plain sentence."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One entity as it stood where the log of the file begins (`first`), or where it ends."""

    name: str
    value: bytes
    first: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where an audience stood in the end: the n of its last patch, and its n at the last rewind."""

    audience: str
    n: int
    rewound: int


@dataclass(frozen=True, slots=True)
class Patch:
    """What an audience was sent."""

    audience: str
    n: int
    patch: bytes


Item = Cell | Entry | Place | Patch
Header = dict[str, Any]


class Writer:
    """Header first, then items, then `close`: first cells, entries by version, the rest in any order."""

    def __init__(self, file: IO[bytes], header: Mapping[str, Any]) -> None:
        self._file = file
        self._sum = hashlib.sha256()
        self.lines = 0
        self._write({"overseer": KIND, "format": FORMAT, **header})

    def add(self, item: Item) -> None:
        match item:
            case Cell(name, value, first):
                self._write({"first" if first else "cell": name, "value": plain(value)})
            case Entry(version, head, entry):
                self._write({"change": version, "head": head, "entry": plain(entry)})
            case Place(audience, n, rewound):
                self._write({"audience": audience, "n": n, "rewound": rewound})
            case Patch(audience, n, patch):
                self._write({"sent": audience, "n": n, "patch": plain(patch)})

    def close(self) -> None:
        """The last line: without it the file is a cut one."""
        self._write({"end": self.lines, "sha256": self._sum.hexdigest()})

    def _write(self, line: Mapping[str, Any]) -> None:
        text = _text(line).encode() + b"\n"
        self._file.write(text)
        self._sum.update(text)
        self.lines += 1


class Reader:
    """A file of `Writer`, checked while it is read. Raises FileProblem, for the header at once.

    `items` ends only where the file was whole and unchanged.
    """

    def __init__(self, file: IO[bytes], first: bytes | None = None) -> None:
        """`first`: the first line, if that was read already."""
        self._file = file
        self._first = first
        self._sum = hashlib.sha256()
        self.number = 0  # of the line read last
        self.header = self._header()

    def items(self) -> Iterator[Item]:
        while True:
            before = self._sum.hexdigest()
            line = self._line()
            if "end" in line:
                if line.get("end") != self.number - 1 or line.get("sha256") != before:
                    raise FileProblem("the file was changed after it was written: its checksum does not fit")
                if self._file.read(1):
                    raise FileProblem(f"line {self.number + 1}: something follows the last line of the table")
                return
            try:
                yield _item(line)
            except (KeyError, TypeError, ValueError, OverflowError):
                raise FileProblem(f"line {self.number} is no line of an exported table") from None

    def _header(self) -> Header:
        wrong = "it is no table that `overseer table export` has written"
        try:
            header = self._line()
        except FileProblem as problem:
            raise FileProblem(f"{wrong} ({problem})") from None
        if header.get("overseer") == "log":
            raise FileProblem(
                "it is the log of one audience, to read and to check; a table to import is exported without --for"
            )
        if header.get("overseer") != KIND:
            raise FileProblem(wrong)
        if header.get("format") != FORMAT:
            raise FileProblem(
                f"it is in format {header.get('format')}, and this version of Overseer reads format {FORMAT}; update it"
            )
        if not all(type(header.get(name)) is kind for name, kind in _HEADER.items()):
            raise FileProblem("line 1 does not say which table this is")
        return header

    def _line(self) -> dict[str, Any]:
        number = self.number + 1
        try:
            text, self._first = self._first or self._file.readline(), None
        except (EOFError, OSError):  # a compressed file that was cut, or changed
            text = b""
        except Exception as broken:  # zlib's own
            raise FileProblem(f"line {number}: the file is damaged ({broken})") from None
        if not text.endswith(b"\n"):
            raise FileProblem(f"line {number}: the file ends here, before the end of the table: it was cut short")
        try:
            line = json.loads(text, object_hook=_made)
        except (ValueError, OverflowError, RecursionError):
            line = None
        if not isinstance(line, dict):
            raise FileProblem(f"line {number} is no line of an exported table")
        self._sum.update(text)
        self.number = number
        return line


def _item(line: Mapping[str, Any]) -> Item:
    if "change" in line:
        return Entry(_number(line["change"]), _str(line["head"]), raw(line["entry"]))
    if "sent" in line:
        return Patch(_str(line["sent"]), _number(line["n"]), raw(line["patch"]))
    if "audience" in line:
        return Place(_str(line["audience"]), _number(line["n"]), _number(line["rewound"]))
    first = "first" in line
    return Cell(_str(line["first" if first else "cell"]), raw(line["value"]), first)


def _number(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(value)
    return value


def _str(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


# ---------------------------------------------------------------------------------------------------- bytes and values
def plain(data: bytes) -> Any:
    """msgpack as plain values of JSON; whatever would not come back as it was, as base64."""
    try:
        value = unpacked(data)
        if raw(json.loads(_text(value), object_hook=_made)) == data:
            return value
    except (ValueError, TypeError):
        pass
    return {"base64": base64.b64encode(data).decode()}


def raw(value: Any) -> bytes:
    """The opposite, of what was read with `_made`."""
    return value if isinstance(value, bytes) else packed(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_within)


def _within(data: object) -> Any:
    """Bytes inside a value."""
    if not isinstance(data, bytes):
        raise TypeError(data)
    value = plain(data)
    return value if isinstance(value, dict) and value.keys() == {"base64"} else {"msgpack": value}


def _made(found: dict[str, Any]) -> Any:
    if found.keys() == {"msgpack"}:
        return packed(found["msgpack"])
    if found.keys() == {"base64"}:
        return base64.b64decode(found["base64"])
    return found


# ---------------------------------------------------------------------------------------------------------- the file
@contextmanager
def writing(file: str) -> Iterator[IO[bytes]]:
    """A file for its owner's eyes, which is there once it is whole. "-": what is printed; "...gz": compressed."""
    if file == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(file)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as problem:
        raise FileProblem(f"{file} cannot be written: {problem.strerror}") from problem
    try:
        with os.fdopen(fd, "wb") as plainly:
            if target.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=plainly, compresslevel=6) as packing:
                    yield packing  # type: ignore[misc]
            else:
                yield plainly
            plainly.flush()
            os.fsync(plainly.fileno())
        part.replace(target)
        _keep_name(target.parent)
    except OSError as problem:
        raise FileProblem(f"{file} cannot be written: {problem.strerror or problem}") from problem
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def _keep_name(folder: Path) -> None:
    """A file is safe only when its name is: a power cut may take that back alone."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def reading(file: str) -> Iterator[IO[bytes]]:
    """A file, or what another command writes ("-"); compressed or not. Raises FileProblem where it cannot be opened."""
    try:
        plainly: Any = sys.stdin.buffer if file == "-" else open(file, "rb")
    except OSError as problem:
        raise FileProblem(f"{file} cannot be read: {problem.strerror}") from problem
    try:
        packed: Any = gzip.open(plainly)
        yield packed if plainly.peek(2)[:2] == b"\x1f\x8b" else plainly
    finally:
        if file != "-":
            plainly.close()
