"""A few hundred frames over sockets, at servers with and without limits. How long others wait, `make fuzz` tells."""

import pytest

from tests.fuzz import live


@pytest.mark.timeout(400)
async def test_a_server_answers_all_and_goes_on(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(live, "P50", float("inf"))  # on a machine that does other things too, this measures those
    monkeypatch.setattr(live, "P99", float("inf"))
    said: list[str] = []
    seen = await live.run(200, 1, said.append, rounds=1)
    assert not seen.wrong
    assert seen.outcome.answered + seen.outcome.closed == seen.outcome.frames >= 200
    assert "with limits" in said[-1]
