"""TLS by the server itself: a certificate and its key, and links that say so."""

import asyncio
import contextlib
import shutil
import socket
import ssl
import subprocess
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from protocol.client import connect
from server import auth, gateway, healthy, seating
from server.app import App
from server.config import Settings
from server.door import Door, Full
from server.gateway import PortProblem
from server.store.problems import StoreProblem
from server.store.redis import RedisStore
from tests.server.test_gateway import settings
from tests.server.test_http import get, status, the_oldest_goes, told

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="openssl is not here to make a certificate with"
)


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """(certificate, key) of 127.0.0.1, vouched for by itself."""
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {key} -out {cert} -days 2"
    subprocess.run(
        [*made.split(), "-subj", "/CN=table", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True
    )
    return cert, key


def with_tls(valkey: str, tmp_path: Path, certificate: tuple[Path, Path]) -> Settings:
    return settings(valkey, tmp_path, tls_cert=certificate[0], tls_key=certificate[1])


async def test_a_seat_is_taken_over_tls_and_its_link_says_so(
    valkey: str, tmp_path: Path, certificate: tuple[Path, Path]
):
    async with App(with_tls(valkey, tmp_path, certificate)) as app:
        st = await seating.make_table(app.rooms, "Thursday")
        link = auth.invitation(app.address, st.token)
        assert link.startswith("https://127.0.0.1:")
        async with connect(link, ssl=ssl.create_default_context(cafile=certificate[0])) as table:
            await table.command("narrate", text="It is dark.")


async def test_who_says_nothing_is_counted_before_tls(
    valkey: str, tmp_path: Path, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(gateway, "OPEN_S", 600.0)  # it does not go because its time is over
    trusts = ssl.create_default_context(cafile=certificate[0])
    given = with_tls(valkey, tmp_path, certificate).model_copy(update={"connections_unknown": 4})
    for from_one in (True, False):
        async with App(given) as app:
            await the_oldest_goes(app, from_one=from_one, tls=trusts)


async def test_who_does_not_speak_it_is_gone_soon_and_no_error_of_ours(
    valkey: str,
    tmp_path: Path,
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    monkeypatch.setattr(gateway, "OPEN_S", 0.1)
    async with App(with_tls(valkey, tmp_path, certificate)) as app:
        for said in (b"", get("/healthz"), b"\x16\x03\x01\x02\x00\x01"):
            assert status(await told(app, said)) == 0
        reader, writer = await asyncio.open_connection("127.0.0.1", app.port)
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        while len(app._gateway._arriving):  # type: ignore[union-attr]  # until it has seen them go
            await told(app, b"")
    assert [one.getMessage() for one in caplog.records if one.levelname == "ERROR"] == []


async def test_what_comes_in_one_piece_with_the_end_of_the_handshake_is_heard(
    valkey: str, tmp_path: Path, certificate: tuple[Path, Path]
):
    """A client need not wait for the server's last word: its request comes with its own."""
    async with App(with_tls(valkey, tmp_path, certificate)) as app:
        into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
        trusts = ssl.create_default_context(cafile=certificate[0])
        tls = trusts.wrap_bio(into, out, server_hostname="127.0.0.1")
        reader, writer = await asyncio.open_connection("127.0.0.1", app.port)
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                writer.write(out.read())
                into.write(await reader.read(65536))
        tls.write(get("/healthz"))
        writer.write(out.read())
        answer = b""
        while b"ok" not in answer:
            into.write(await reader.read(65536))
            with contextlib.suppress(ssl.SSLWantReadError):
                answer += tls.read()
        assert status(answer) == 200
        writer.close()


@pytest.mark.parametrize("tls", [True, False])
async def test_a_container_is_well_while_its_server_answers_in_whatever_way(
    tls: bool, valkey: str, tmp_path: Path, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
):
    async with App(with_tls(valkey, tmp_path, certificate) if tls else settings(valkey, tmp_path)) as app:
        monkeypatch.setenv("OVERSEER_PORT", str(app.port))
        assert await asyncio.to_thread(healthy.main) == 0
        full = Full(HTTPStatus.SERVICE_UNAVAILABLE, "too many", 1)
        monkeypatch.setattr(Door, "knock", lambda *_: full)
        assert await asyncio.to_thread(healthy.main) == 0
    assert await asyncio.to_thread(healthy.main) == 1, "it has gone"
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as stuck:
        monkeypatch.setenv("OVERSEER_PORT", str(stuck.getsockname()[1]))
        monkeypatch.setattr(healthy, "WITHIN_S", 0.1)
        assert await asyncio.to_thread(healthy.main) == 1


async def test_files_that_do_not_belong_together_are_told_in_a_sentence(
    valkey: str, tmp_path: Path, certificate: tuple[Path, Path]
):
    cert, _ = certificate
    with pytest.raises(PortProblem, match=r"cert\.pem cannot be used with .*belong together"):
        async with App(with_tls(valkey, tmp_path, (cert, cert))):
            pass


async def test_a_store_behind_tls_is_used_where_its_certificate_is_trusted(valkey: str, certificate: tuple[Path, Path]):
    """The bundled database speaks no TLS, so what does stands before it."""
    chain, key = certificate
    speaks = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    speaks.load_cert_chain(chain, key)
    parts = urlsplit(valkey)

    async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while some := await source.read(65536):
            sink.write(some)
        sink.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back_reader, back_writer = await asyncio.open_unix_connection(unquote(parts.path))
        await asyncio.gather(carry(reader, back_writer), carry(back_reader, writer), return_exceptions=True)

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=speaks) as server:
        url = f"rediss://:{parts.password}@127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
        store = await RedisStore.connect(f"{url}?ssl_ca_certs={chain}")
        assert await store.tables() == []
        await store.close()
        with pytest.raises(StoreProblem, match="is not trusted; name the file"):
            await RedisStore.connect(url)
