"""The library: prepared units and encounters, each a file (YAML, JSON, CSV) that `set up` finds by its name.

The Storyteller's own lie in the folder `library` where he sits down; those that come with Overseer in samples/library.
"""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import server
from server.cli.terminal import units_file
from server.cli.terminal.seen import Seen
from server.cli.terminal.unclear import Unclear
from server.cli.terminal.units_file import Units

SAMPLES = Path(server.__file__).parent / "samples" / "library"
ENDINGS = (".yaml", ".yml", ".json", ".csv", ".tsv")


def own() -> Path:
    return Path("library").absolute()


def files() -> list[Path]:
    """Every file of the library by name; one's own takes the place of one that comes with Overseer."""
    found: dict[str, Path] = {}
    for folder in (SAMPLES, own()):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.suffix.casefold() in ENDINGS:
                found[path.stem.casefold()] = path
    return [found[name] for name in sorted(found)]


MOST_BYTES = 8_000_000
"""No library is near to it; a file without an end would fill the memory."""


def _text(path: Path) -> str:
    try:
        with path.expanduser().open("rb") as file:
            held = file.read(MOST_BYTES + 1)
        if len(held) > MOST_BYTES:
            raise Unclear("too_long", file=path, most=MOST_BYTES // 1_000_000)
        return held.decode()
    except UnicodeDecodeError:
        raise Unclear("not_utf8", file=path) from None
    except (OSError, RuntimeError) as problem:
        raise Unclear("unreadable", file=path, why=getattr(problem, "strerror", problem)) from None


def read(path: Path, seen: Seen) -> Units:
    """What a file holds, and what it takes from the file beside it. Raises Unclear."""
    found = units_file.read(_text(path), path.name, seen)
    if not found.more:
        return found
    more = units_file.read(_text(path.parent / found.more), found.more, seen)
    return replace(
        found,
        units=more.units + found.units,
        kept=more.kept + found.kept,
        elsewhere=more.elsewhere + found.elsewhere,
    )


def find(name: str, seen: Seen) -> tuple[Path, Units]:
    """A file of the library by its name, or one kind of unit out of any of them, or else a file anywhere. Raises Unclear."""
    known = files()
    wanted = name.casefold()
    for path in known:
        if wanted == path.stem.casefold():
            return path, read(path, seen)
    for path in known:
        with suppress(Unclear):  # a file that is wrong hides nothing that stands in another
            if one := only(read(path, seen), wanted):
                return path, one
    if Path(name).suffix or "/" in name:
        return Path(name), read(Path(name), seen)
    raise Unclear("not_in_library", said=name, all=[path.stem for path in known])


def only(found: Units, wanted: str) -> Units | None:
    """The one kind of this name, and what was said of it; one of it, whatever number the file says."""
    units = tuple(
        {k: v for k, v in one.items() if k != "count"}
        for one in found.units
        if str(one["unit"]["name"]).casefold() == wanted
    )
    kept, elsewhere = (tuple(k for k in some if k[2].casefold() == wanted) for some in (found.kept, found.elsewhere))
    return replace(found, units=units, kept=kept, elsewhere=elsewhere) if units else None
