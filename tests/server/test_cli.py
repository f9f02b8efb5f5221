"""The command line: tables and seats without a server and beside one; every problem is one sentence and exit code 2."""

import fcntl
import json
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from protocol.schema import schema
from server import cli
from server.app import App
from server.cli import tables
from server.cli.called import on_the_same_store
from server.config import Settings
from server.seating import find_table
from tests.helpers.valkey import store, valkey, valkey_server

__all__ = ["store", "valkey", "valkey_server"]


@pytest.fixture
def overseer(valkey: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs one command on the test's store: (exit code, what it printed, what it complained of)."""
    monkeypatch.setenv("OVERSEER_REDIS_URL", valkey)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(arguments)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_a_table_and_a_seat(overseer):
    code, printed, _ = overseer("table", "new", "Thursday night")
    assert code == 0
    assert re.search(r"overseer join 'http://127.0.0.1:7777/#[\w-]+\.[\w-]+\.[\w-]{32}'", printed)
    code, printed, _ = overseer("invite", "thursday NIGHT", "--seat", "Ann", "--role", "player")
    assert code == 0
    assert "Ann has a seat (player)" in printed
    assert "Thursday night" in overseer("table", "list")[1]
    assert "Ann  (player, away)" in overseer("seats", "Thursday night")[1]
    for name in ("zoe", "Cem", "bob"):
        overseer("invite", "Thursday night", "--seat", name, "--role", "player")
    told = overseer("seats", "Thursday night")[1].splitlines()
    assert [line.split()[0] for line in told] == ["Ann", "bob", "Cem", "Storyteller", "zoe"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["invite", "Nowhere", "--seat", "A", "--role", "player"], "there is no table Nowhere"),
        (["invite", "T", "--seat", "Storyteller", "--role", "st"], "a seat named Storyteller already"),
        (["invite", "T", "--seat", "A", "--role", "player", "--units", "Ogre"], "there is no unit Ogre at this table"),
        (["invite", "T", "--seat", "STORYTELLER", "--role", "st"], "a seat named STORYTELLER already"),
        (["invite", "T", "--seat", "St", "--role", "player"], "St cannot be a seat's name"),
        (["seats", "--", "-T"], "there is no table -T"),
        (["table", "new", " "], "a name has 1 to 80 letters"),
        (["table", "list", "--port", "many"], 'found "many" on the command line'),
        (["table", "list", "--redis-url", "unix:///nowhere/s.sock"], "/nowhere/s.sock"),
    ],
)
def test_a_problem_is_one_sentence(overseer, arguments: Sequence[str], sentence: str):
    overseer("table", "new", "T")
    code, _, complaint = overseer(*arguments)
    assert code == 2
    assert sentence in complaint
    assert complaint.startswith("overseer: ")
    assert complaint.count("\n") == 1


def test_without_a_word_it_teaches(overseer):
    code, printed, _ = overseer()
    assert code == 0
    assert "first steps:" in printed


def typed(printed: str, before: str) -> list[str]:
    """The command that stands behind these words, as a shell would read it."""
    line = next(line for line in printed.splitlines() if before in line)
    return shlex.split(line.partition(before)[2])[1:]


def test_commands_that_are_printed_can_be_typed_as_they_are(overseer, tmp_path: Path):
    overseer("table", "new", "Ann's $HOME")
    overseer("invite", "Ann's $HOME", "--seat", "Bob's", "--role", "player")
    _, printed, _ = overseer("seat", "revoke", "Ann's $HOME", "Bob's")
    assert overseer(*typed(printed, "let somebody: "))[0] == 0
    _, printed, _ = overseer("table", "export", "Ann's $HOME", "--for", "all", str(tmp_path / "my log.jsonl"))
    assert overseer(*typed(printed, "dice with: "))[0] == 0
    _, printed, _ = overseer("table", "archive", "Ann's $HOME", str(tmp_path / "my table.gz"))
    assert overseer(*typed(printed, "bring it back: "))[0] == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the embedded database must start from the main thread")
def test_commands_that_are_printed_find_the_same_tables(overseer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("OVERSEER_REDIS_URL")
    folder = str(tmp_path / "my tables")
    _, printed, _ = overseer("table", "list", "--data-dir", folder)
    assert f"No table yet in {folder}" in printed
    assert typed(printed, "make one: ") == ["table", "new", "Thursday night", "--data-dir", folder]


def test_the_password_of_a_store_is_not_printed():
    settings = Settings(redis_url="redis://:secret@host:6379/0")
    assert on_the_same_store(settings, "table", "list") == "overseer table list --redis-url redis://...@host:6379/0"


def test_a_command_lists_its_own_options_and_where_the_tables_are(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        cli.main(["seat", "renew", "--help"])
    told = capsys.readouterr().out
    assert "--lasts" in told
    assert "--data-dir" in told
    assert "--rate-seat" not in told


async def test_invitations_lead_to_the_server_that_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Beside a server on its embedded database: the same store, and its real address."""
    settings = Settings(port=0, data_dir=tmp_path / "data")
    async with App(settings) as app:
        parser_given = type("Given", (), {"name": "Beside", "practice_seed": None, "ruleset": "storyteller"})()
        assert await tables.new_table(settings, parser_given) == 0
        assert f"{app.address}/#" in capsys.readouterr().out
        made = await find_table(app.rooms, "Beside")
        async with app.rooms.using(made) as room:
            assert room.table.house.ruleset == "storyteller"


@pytest.mark.skipif(sys.platform != "linux", reason="the embedded database must start from the main thread")
def test_a_data_directory_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("OVERSEER_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("server.store.data_directory.OWNER_PATIENCE_S", 0.05)
    monkeypatch.setattr("server.store.data_directory.ORPHAN_PATIENCE_S", 0.05)
    with (tmp_path / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert cli.main(["serve", "--port", "0"]) == 2
    assert "is using the data directory" in capsys.readouterr().err


def test_an_exported_table_can_be_verified(overseer, tmp_path: Path):
    overseer("table", "new", "Thursday")
    overseer("invite", "Thursday", "--seat", "Ann", "--role", "player")
    file = str(tmp_path / "log.jsonl")
    code, printed, _ = overseer("table", "export", "thursday", "--for", "ann", "--out", file)
    assert code == 0
    assert f"overseer verify {file}" in printed
    assert overseer("verify", file) == (0, "0 rolls confirmed, of 0 seeds.\n", "")
    assert overseer("table", "export", "thursday", "--for", "ann", file)[:2] == (0, printed)
    code, printed, _ = overseer("table", "export", "thursday", "--for", "all")
    assert '"name": "Thursday"' in printed.splitlines()[0]
    code, _, complaint = overseer("table", "export", "thursday", "--for", "Bob")
    assert (code, complaint) == (
        2,
        "overseer: there is no player's seat Bob at this table; its seats: Ann (or all, or st)\n",
    )
    code, _, complaint = overseer("table", "export", "thursday", "--out", str(tmp_path / "no" / "where"))
    assert (code, complaint.count("\n")) == (2, 1)


def test_the_contract_is_printed_for_other_languages(overseer):
    code, printed, _ = overseer("schema")
    assert code == 0
    assert json.loads(printed) == json.loads(json.dumps(schema()))


def test_invitations_by_the_command_line(overseer):
    overseer("table", "new", "Thursday")
    overseer("invite", "Thursday", "--seat", "Ann", "--role", "player", "--lasts", "5 hours")
    assert re.search(
        r"Ann  \(player, away, invitation until \d{4}-\d\d-\d\d \d\d:\d\d UTC\)", overseer("seats", "Thursday")[1]
    )
    code, printed, _ = overseer("seat", "renew", "Thursday", "ann")
    assert (code, "shown this once" in printed) == (0, True)
    assert re.search(r"join 'http://127.0.0.1:7777/#[\w-]+\.[\w-]+\.[\w-]{32}'", printed)
    assert "Ann  (player, away)" in overseer("seats", "Thursday")[1]
    assert overseer("seat", "revoke", "Thursday", "Ann")[0] == 0
    assert "Ann  (player, away, no invitation)" in overseer("seats", "Thursday")[1]
    assert overseer("seat", "role", "Thursday", "Ann", "st")[0] == 0
    assert "Ann  (st, away, no invitation)" in overseer("seats", "Thursday")[1]
    assert overseer("seat", "remove", "Thursday", "Ann")[0] == 0
    assert "Ann" not in overseer("seats", "Thursday")[1]
    assert overseer("seat", "take-back", "Thursday", "Storyteller")[0] == 2
    with pytest.raises(SystemExit):
        overseer("invite", "Thursday", "--seat", "Bo", "--role", "player", "--lasts", "soon")


def test_the_audit_log_by_the_command_line(overseer, tmp_path: Path):
    overseer("table", "new", "Thursday")
    overseer("invite", "Thursday", "--seat", "Ann", "--role", "player")
    overseer("seat", "revoke", "Thursday", "Ann")
    overseer("table", "export", "Thursday", str(tmp_path / "t.table"))
    code, printed, _ = overseer("table", "audit", "Thursday")
    assert code == 0
    lines = printed.splitlines()
    assert [line.partition("UTC  ")[2] for line in lines[-3:]] == [
        "whoever runs the server: Ann gets a seat (player)",
        "whoever runs the server: The invitation of Ann is revoked: nobody can sit there until there is a new one",
        "whoever runs the server: The whole table was exported by whoever runs the server",
    ]
    assert "管理者" in overseer("table", "audit", "Thursday", "--lang", "zh")[1]
