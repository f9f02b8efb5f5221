"""The pages as a browser is given them, and what it is told where they were not built."""

import gzip
from pathlib import Path

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from server.web_page import NOT_BUILT, POLICY, Pages

SCRIPT = b"export const it = 1\n" * 100


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>Overseer</title>")
    (tmp_path / "assets/index-abc.js").write_bytes(SCRIPT)
    (tmp_path / ".stamp").write_text("not for browsers")
    return Pages(tmp_path)


def asked(pages: Pages, path: str, method: str = "GET", **headers: str):
    return pages.answer(path, Request(path, Headers({k.replace("_", "-"): v for k, v in headers.items()}), method))


def test_the_page_is_asked_for_anew_and_its_parts_never(pages: Pages):
    page, part = asked(pages, "/"), asked(pages, "/assets/index-abc.js")
    assert (page.status_code, page.headers["Cache-Control"]) == (200, "no-cache")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert part.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert "immutable" in part.headers["Cache-Control"]
    assert part.body == SCRIPT


def test_only_what_came_from_here_may_run(pages: Pages):
    for path in ("/", "/assets/index-abc.js"):
        assert asked(pages, path).headers["Content-Security-Policy"] == POLICY
    rules = dict(rule.strip().split(" ", 1) for rule in POLICY.split(";"))
    assert (rules["default-src"], rules["script-src"], rules["style-src"]) == ("'none'", "'self'", "'self'")
    assert "unsafe" not in POLICY


def test_a_browser_that_can_gets_it_smaller(pages: Pages):
    packed = asked(pages, "/assets/index-abc.js", Accept_Encoding="gzip, br")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert int(packed.headers["Content-Length"]) == len(packed.body) < len(SCRIPT)
    assert gzip.decompress(packed.body) == SCRIPT
    assert "Content-Encoding" not in asked(pages, "/", Accept_Encoding="gzip").headers  # too short to gain anything


def test_head_tells_all_but_the_body(pages: Pages):
    whole, head = asked(pages, "/"), asked(pages, "/", "HEAD")
    assert dict(head.headers) == dict(whole.headers)
    assert (bool(whole.body), head.body) == (True, b"")


@pytest.mark.parametrize("path", ["/.stamp", "/../web_page.py", "/%2e%2e/web_page.py", "/assets/", "/assets", "//", ""])
def test_nothing_else_has_a_name(pages: Pages, path: str):
    assert asked(pages, path) is None


def test_where_they_are_not_built_it_says_what_to_do(tmp_path: Path):
    pages = Pages(tmp_path)
    page = asked(pages, "/")
    assert not pages.built
    assert page.status_code == 503
    for text in (page.body.decode(), NOT_BUILT):
        assert "install Node" in text
    assert "overseer join" in page.body.decode()
    assert asked(pages, "/assets/index-abc.js") is None
