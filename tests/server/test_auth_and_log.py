"""Tokens open their own seat and nothing else, and never get into a log."""

import logging

from server import auth, log


class Seats:
    """A store with one seat."""

    def __init__(self, seat: str, kept: bytes) -> None:
        self._seat, self._kept = seat, kept

    async def seat(self, table: str, seat: str) -> bytes | None:
        return self._kept if seat == self._seat else None


async def test_a_token_opens_its_seat():
    token = auth.new_token("table", "seat")
    store = Seats("seat", auth.record(token, "player", "Ann"))
    assert await auth.check(store, token) == auth.SeatKey("table", "seat", "player", "Ann")
    others = token[:-1], token + "x", token.replace("seat", "taes"), "x" * 300
    for wrong in ("", "table", "table.seat", "table.seat.", *others):
        assert await auth.check(store, wrong) is None


def test_the_record_does_not_hold_the_token():
    token = auth.new_token("table", "seat")
    assert token.rpartition(".")[2].encode() not in auth.record(token, "st", "Storyteller")
    assert len(token.rpartition(".")[2]) * 6 >= 128


def test_equal_audiences_for_equal_roles():
    assert auth.SeatKey("t", "a", "st", "").audience == "st"
    assert auth.SeatKey("t", "a", "spectator", "").audience == "all"
    assert auth.SeatKey("t", "a", "player", "").audience == "a"


def test_an_id_can_be_typed_on_a_command_line():
    assert all(auth.new_id()[0].isalnum() for _ in range(500))


def test_a_token_logged_by_mistake_does_not_get_out():
    token = auth.new_token(auth.new_id(), auth.new_id())
    record = logging.LogRecord("overseer.x", logging.INFO, "", 0, "joined with %s", (token,), None)
    record.invitation = f"http://host/#{token}"
    line = log.Lines().format(record)
    assert token.rpartition(".")[2] not in line
    assert "joined with (token)" in line


def test_a_line_is_words_first_then_facts():
    record = logging.LogRecord("overseer.room", logging.WARNING, "", 0, "was slow", (), None)
    record.table, record.why = "Ab3", "a long reason"
    assert log.Lines().format(record).endswith(" warning overseer.room was slow table=Ab3 why='a long reason'")
