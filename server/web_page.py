"""What this port says to a browser and to whoever watches the server: a short page, /healthz, /readyz. No seat is named."""

from http import HTTPStatus

from websockets.datastructures import Headers
from websockets.http11 import Response

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Overseer</title>
<style>
body { font: 1.1em/1.5 system-ui, sans-serif; max-width: 38em; margin: 3em auto; padding: 0 1em }
code { background: #8883; padding: .1em .3em }
</style>
<h1>Overseer</h1>
<p>This server keeps fights of tabletop role-playing games and lets anyone interrupt them, live.</p>
<p>If you were sent here with an invitation, the whole address in your browser's address line is that invitation. To take
your seat, copy it, and in a terminal on your computer type</p>
<p><code>overseer join 'THE WHOLE ADDRESS'</code></p>
<p>Keep it to yourself: whoever has it plays in your name. No invitation? Ask your Storyteller.</p>
<hr>
<p lang="zh">如果你收到了邀请，浏览器地址栏里的完整地址就是邀请。请复制它，在终端里输入 <code>overseer join '完整地址'</code>
即可入座。请勿转给他人。没有邀请？请向主持人索取。</p>
</html>
"""


def answer(status: HTTPStatus, text: str, kind: str = "text/plain; charset=utf-8") -> Response:
    """A whole HTTP answer; the connection closes after it."""
    body = text.encode()
    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
        }
    )
    return Response(status.value, status.phrase, headers, body)


def page() -> Response:
    return answer(HTTPStatus.OK, PAGE, "text/html; charset=utf-8")
