"""How much a player's phone fetches before the page can be used, on however slow a line: held by a number."""

import gzip
import re
from pathlib import Path

import pytest

from tests.helpers.pages import ROOT

DIST = ROOT / "server/web/dist"
SCRIPTS, STYLES = 60_000, 6_000
"""Bytes as they are sent (gzip). Scripts are the pages' own, Svelte, the SDK and the texts of one language."""


def sent(file: Path) -> int:
    return len(gzip.compress(file.read_bytes(), 9))


def plain(file: Path) -> str:
    """Its name without the sum of its content."""
    return re.sub(r"-[\w-]{8}\.\w+$", "", file.name)


def with_imports(file: Path, found: set[Path]) -> set[Path]:
    """The file, and all that it cannot begin without."""
    if file not in found:
        found.add(file)
        for name in re.findall(r'(?:from|import)\s*"\./([\w.-]+\.js)"', file.read_text(encoding="utf-8")):
            with_imports(file.with_name(name), found)
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_player_fetches_until_the_page_can_be_used_stays_small(pages: None, language: str):
    html = (DIST / "index.html").read_text(encoding="utf-8")
    begin = [DIST / re.search(r'src="\./(assets/index-[\w-]+\.js)"', html)[1]]  # type: ignore[index]
    spoken = [(file, file.read_text(encoding="utf-8")) for file in (DIST / "assets").glob(f"{language}-*.js")]
    words = [
        file for file, text in spoken if "p_tab_turn" in text or "for_seat" in text
    ]  # the page's own, and the game's
    scripts: set[Path] = set()
    for file in (*begin, *(DIST / "assets").glob("Player-*.js"), *words):
        with_imports(file, scripts)
    assert len(words) == 2
    assert not {"later", f"{language}.rest", "Storyteller"} & {plain(file) for file in scripts}
    by_name = {file.name: sent(file) for file in scripts}
    assert sum(by_name.values()) <= SCRIPTS, by_name

    names = {plain(file) for file in scripts}
    styles = {file.name: sent(file) for file in (DIST / "assets").glob("*.css") if plain(file) in names}
    assert len(styles) >= 2
    assert sum(styles.values()) <= STYLES, styles
