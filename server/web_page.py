"""What this port says to a browser and to whoever watches the server: the built pages, /healthz, /readyz. No seat is named.

The pages are read once, when the server starts: a path can name nothing else.
"""

import gzip
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

DIST = Path(__file__).parent / "web/dist"
HOW_TO_BUILD = "install Node 20.19 or newer, install Overseer again, and start it anew"
NOT_BUILT = f"The web pages are not built; to have them: {HOW_TO_BUILD}. The terminal client does without."

NOT_BUILT_PAGE = f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Overseer</title>
<h1>Overseer</h1>
<p>This server keeps fights of tabletop role-playing games and lets anyone interrupt them, live. It runs, but was installed
without its web pages. Whoever runs it can have them: {HOW_TO_BUILD}.</p>
<p>If you were sent here with an invitation, you can take your seat all the same: the whole address in your browser's
address line is that invitation. Copy it, and in a terminal on your computer type</p>
<p><code>overseer join 'THE WHOLE ADDRESS'</code></p>
<p>Keep it to yourself: whoever has it plays in your name. No invitation? Ask your Storyteller.</p>
<hr>
<p lang="zh-Hans">服务器正在运行，但安装时没有网页。管理者可安装 Node 20.19 或更新版本，重新安装 Overseer 并重启，
即可使用网页。如果你收到了邀请，浏览器地址栏里的完整地址就是邀请：请复制它，在终端里输入
<code>overseer join '完整地址'</code> 即可入座。请勿转给他人。没有邀请？请向主持人索取。</p>
</html>
"""

SAFE = {
    "Connection": "close",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing but what this server sent is run, shown or spoken to; nothing inline, no eval."""
NEVER_CHANGES = "public, max-age=31536000, immutable"
"""Of what has a sum of its content in its name."""
ASK_FIRST = "no-cache"

mimetypes.add_type("text/javascript", ".js")  # some systems have it wrong, and a module needs it right


@dataclass(frozen=True, slots=True)
class File:
    """One file as it is sent."""

    kind: str
    body: bytes
    small: bytes | None
    """The same by gzip, where that is worth it."""
    caching: str


class Pages:
    """The pages in a folder, by their paths below that of this server. None there: `built` is false, and `/` says so."""

    def __init__(self, folder: Path = DIST) -> None:
        self._files = dict(_read(folder)) if (folder / "index.html").is_file() else {}

    @property
    def built(self) -> bool:
        return bool(self._files)

    def answer(self, path: str, request: Request) -> Response | None:
        """None: there is nothing of this name."""
        if path == "/" and not self.built:
            return answer(HTTPStatus.SERVICE_UNAVAILABLE, NOT_BUILT_PAGE, "text/html; charset=utf-8", request.method)
        file = self._files.get("/index.html" if path == "/" else path)
        if file is None:
            return None
        packed = file.small is not None and "gzip" in ", ".join(request.headers.get_all("Accept-Encoding"))
        body = file.small if packed and file.small is not None else file.body
        more = {"Cache-Control": file.caching, "Content-Security-Policy": POLICY, "Vary": "Accept-Encoding"}
        if packed:
            more["Content-Encoding"] = "gzip"
        return _response(HTTPStatus.OK, body, file.kind, more, request.method)


def _read(folder: Path) -> Mapping[str, File]:
    found = {}
    for one in sorted(folder.rglob("*")):
        name = one.relative_to(folder).as_posix()
        if one.is_file() and not name.startswith("."):
            found[f"/{name}"] = _file(one.read_bytes(), name)
    return found


def _file(body: bytes, name: str) -> File:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    text = kind.startswith("text/") or kind in ("application/json", "image/svg+xml")
    small = gzip.compress(body, mtime=0) if text and len(body) > 1024 else None
    caching = NEVER_CHANGES if name.startswith("assets/") else ASK_FIRST
    return File(f"{kind}; charset=utf-8" if text else kind, body, small, caching)


def answer(status: HTTPStatus, text: str, kind: str = "text/plain; charset=utf-8", method: str = "GET") -> Response:
    """A short answer of the server's own."""
    more = {"Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
    return _response(status, text.encode(), kind, more, method)


def moved(to: str) -> Response:
    """There is more at the end of this address."""
    headers = Headers({"Location": to, "Content-Length": "0", **SAFE})
    return Response(HTTPStatus.PERMANENT_REDIRECT.value, HTTPStatus.PERMANENT_REDIRECT.phrase, headers, b"")


def _response(status: HTTPStatus, body: bytes, kind: str, more: Mapping[str, str], method: str) -> Response:
    """A whole HTTP answer; the connection closes after it. HEAD gets all but the body."""
    headers = Headers({"Content-Type": kind, "Content-Length": str(len(body)), **SAFE, **more})
    return Response(status.value, status.phrase, headers, b"" if method == "HEAD" else body)
