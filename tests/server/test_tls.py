"""TLS by the server itself: a certificate and its key, and links that say so."""

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from protocol.client import connect
from server import auth, seating
from server.app import App
from server.config import Settings
from server.gateway import PortProblem
from tests.server.test_gateway import settings

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


async def test_files_that_do_not_belong_together_are_told_in_a_sentence(
    valkey: str, tmp_path: Path, certificate: tuple[Path, Path]
):
    cert, _ = certificate
    with pytest.raises(PortProblem, match=r"cert\.pem cannot be used with .*belong together"):
        async with App(with_tls(valkey, tmp_path, (cert, cert))):
            pass
