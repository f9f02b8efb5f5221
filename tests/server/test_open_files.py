"""Connections are open files: as many are asked for as the limits need, and where there are fewer it is said."""

import resource

import pytest

from server import open_files
from server.config import Settings

SETTINGS = Settings(connections=5000, connections_unknown=400)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    return asked


@pytest.mark.parametrize(
    ("soft", "hard", "set_to", "said"),
    [
        (1024, 1_048_576, (6000, 1_048_576), False),
        (1024, 4096, (4096, 4096), True),
        (1024, 1024, None, True),
        (1024, resource.RLIM_INFINITY, (6000, resource.RLIM_INFINITY), False),
        (8192, 8192, None, False),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None, False),
    ],
)
def test_as_many_are_asked_for_as_are_needed(
    soft: int,
    hard: int,
    set_to: tuple[int, int] | None,
    said: bool,
    asked: list[tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    told = open_files.make_room(SETTINGS)
    assert asked == ([set_to] if set_to else [])
    assert bool(told) is said
    if told:
        assert f"may have {set_to[0] if set_to else soft} files open" in told
        assert "6000" in told
        assert "--connections" in told
