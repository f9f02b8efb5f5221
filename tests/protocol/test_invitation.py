"""What people paste."""

import pytest

from protocol.invitation import BadInvitation, Invitation


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://127.0.0.1:8000/#t.s.x", "ws://127.0.0.1:8000/ws"),
        (" https://vtt.example/#t.s.x\n", "wss://vtt.example/ws"),
        ("https://vtt.example/overseer/#t.s.x", "wss://vtt.example/overseer/ws"),
        ("wss://vtt.example/overseer/ws#t.s.x", "wss://vtt.example/overseer/ws"),
        ("ws://[::1]:9/#t.s.x", "ws://[::1]:9/ws"),
    ],
)
def test_an_invitation_is_an_address_and_a_token(text: str, url: str):
    assert Invitation.read(text) == Invitation(url, "t.s.x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "ftp://h/#t.s.verysecret",
        "http://h/#t.verysecret",
        "http://h/",
        "http://h:x/#t.s.verysecret",
        "http:///#t.s.x",
        "http://h/#t..verysecret",
    ],
)
def test_anything_else_is_refused_without_repeating_it(text: str):
    with pytest.raises(BadInvitation) as caught:
        Invitation.read(text)
    assert "verysecret" not in str(caught.value)
    assert "secret" not in repr(Invitation.read("http://h/#t.s.secret"))
