"""`overseer join` against a real server: driven by lines on standard input, as a script would, and on a terminal."""

import asyncio
import os
import pty
import re
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import server
from server import archiving, auth, seating
from server.app import App
from server.cli.join import join
from server.config import load_settings
from tests.helpers.servers import clean_environment

SAMPLE = Path(server.__file__).parent / "samples" / "units.yaml"
PLAIN = {**clean_environment(), "NO_COLOR": "1", "LANG": "C.UTF-8", "TERM": "xterm"}
RUN = [sys.executable, "-c", "import sys; from server.cli import main; sys.exit(main(sys.argv[1:]))", "join"]


@dataclass
class Invited:
    app: App
    st: str
    ann: str
    watcher: str


@pytest.fixture
async def invited(valkey: str) -> AsyncIterator[Invited]:
    """A server, and a table on it with a Storyteller, Ann, and a spectator."""
    settings = load_settings({"redis_url": valkey, "port": "0", "heartbeat_s": "1"})
    async with App(settings) as app:
        made = await seating.make_table(app.rooms, "Thursday", practice_seed=3)
        tokens = [made.token]
        for name, role in (("Ann", "player"), ("Sue", "spectator")):
            tokens.append((await seating.add_seat(app.rooms, made.table, name, role)).token)  # type: ignore[arg-type]
        yield Invited(app, *(auth.invitation(app.address, token) for token in tokens))


class Terminal:
    """One `overseer join` without a terminal: lines in, lines out."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.told: list[str] = []

    @classmethod
    async def join(cls, invitation: str, *options: str) -> "Terminal":
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *RUN, invitation, *options, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.STDOUT, env=PLAIN
        )
        return cls(process)

    def type(self, *lines: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())

    async def until(self, words: str) -> str:
        """The next line with these words."""
        assert self._process.stdout is not None
        async with asyncio.timeout(60):
            while line := (await self._process.stdout.readline()).decode():
                self.told.append(line.rstrip("\n"))
                if words in line:
                    return line
        raise AssertionError(f"it ended without {words!r}:\n" + "\n".join(self.told))

    async def end(self) -> int:
        """What is left to be told, and the exit code."""
        out, _ = await asyncio.wait_for(self._process.communicate(b""), 60)  # b"": the lines are at their end
        self.told += out.decode().splitlines()
        assert self._process.returncode is not None
        return self._process.returncode


async def test_a_fight_with_an_interrupt_an_override_and_a_rewind(invited: Invited):
    st, ann = await Terminal.join(invited.st), await Terminal.join(invited.ann)
    await ann.until("Here: ")
    st.type(
        f"add unit from file {SAMPLE}", "give mira to Ann", "house reaction_window_ms 60000", "start mira, zombie 1"
    )
    await st.until("5 units were read from units.yaml")
    await ann.until("Mira acts (round 1)")

    ann.type("attack ghoul with sword", "end")
    await ann.until("there is no unit “ghoul”")
    await st.until("Zombie 1 acts")
    st.type("attack mira with claw")
    await ann.until("Zombie 1: melee attack (standard action) with claw against Mira")
    assert "60 s to answer" in await ann.until("▶")
    assert "step aside | drop prone | defend N (1-1) | pass | more time" in await ann.until("Type:")

    ann.type("defend 1", "step aside leaves")
    await st.until("Mira: move (immediate action) with step aside")
    st.type("look", "close", "pass", "close", "hp mira -2 because a stray splinter")
    await st.until("└ Mira: move (immediate action) with step aside")
    await st.until("Mira gets out of the attack's area")
    await ann.until("That question is over: Zombie 1: melee attack")
    assert re.search(r"Mira: HP \d → \d \(a stray splinter\)", await ann.until("HP"))

    ann.type("object to hp_shown because no", "rules hp_shown")
    await st.until("Ann objects to the house rule how HP are shown")
    await ann.until("  Ann objects to own_side: “no”")
    ann.type("calc 7/2 with x4 then halved", "calc 8/4/2")
    await ann.until("  7 / 2 = 3.5")
    await ann.until("  14 / 2 = 7")
    await ann.until("= 7")
    await ann.until("Not done: this cannot be worked out: a second “/” needs brackets")
    ann.type("step aside", "ask leave because I must")
    await ann.until("Not done: its immediate action of this round is used.")
    await st.until("Ann asks the Storyteller: to let an act through")
    st.type("allow Ann because why not", "rewind 1", "yes", "release")
    await st.until("This would undo one change")
    await ann.until("The Storyteller says yes to Ann: “why not”")
    await ann.until("The Storyteller sets the table back")
    await st.until("Type yes to do it")
    for terminal in (st, ann):
        terminal.type("quit")
        assert await terminal.end() == 0
        assert terminal.told[-1] == "You have left the table; it goes on without you."


async def test_a_take_back_says_what_it_would_undo_and_is_refused_once_more_has_happened(invited: Invited):
    st, ann = await Terminal.join(invited.st), await Terminal.join(invited.ann)
    await ann.until("Here: ")
    st.type(f"add units from {SAMPLE}", "give mira to Ann", "start mira, zombie 1")
    await ann.until("Mira acts (round 1)")
    ann.type("ready attack zombie 1 with sword when attacked", "say hm", "take back too early")
    told = await st.until("1. Ann asks to take the last act back: #")
    assert "Mira readies something: melee attack" in told
    assert "– “too early”. Type: allow 1, or deny 1" in told
    st.type("hp mira -1", "allow 1")
    await st.until("This would undo 2 changes")
    assert "Mira readies" in await st.until("#")
    assert "Mira: HP" in await st.until("#")
    await st.until("Type yes to do it")
    ann.type("say wait!")
    await st.until("wait!")
    st.type("yes")
    await st.until("Not done: more has happened since")
    st.type("allow 1", "yes", "log 8")
    await st.until("The Storyteller says yes to Ann")
    await st.until("The Storyteller sets the table back")
    assert "(undone)" in await st.until("Mira readies something")
    assert "undone" not in await st.until("hm")
    for terminal in (st, ann):
        assert await terminal.end() == 0


async def test_what_is_odd_is_done_and_said(invited: Invited):
    st = await Terminal.join(invited.st)
    st.type("add unit Kai hp=5", "hp Kai +3", "add unit kai hp=2")
    await st.until("Kai's HP is now 8, of 5. Taken as you said it.")
    await st.until("There is another kai already")
    assert await st.end() == 0


async def test_a_server_that_stops_is_told_from_a_broken_line(invited: Invited):
    ann = await Terminal.join(invited.ann)
    await ann.until("Here: ")
    await invited.app.__aexit__()
    await ann.until("The server has been stopped; this terminal waits for it to come back.")
    ann.type("quit")
    assert await ann.end() == 0


async def test_an_encounter_of_the_library_comes_on_in_one_change(invited: Invited, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "ambush.csv").write_text("name,count,hidden,hp,fear\nBandit,2,,4,\nCaptain,,yes,9,3\n")
    st, ann = await Terminal.join(invited.st), await Terminal.join(invited.ann)
    await ann.until("Here: ")
    st.type("library")
    await st.until("ambush: Bandit x2, Captain")
    await st.until(f"go into {tmp_path / 'library'}")
    st.type("set up ambush")
    await st.until("3 units were read from ambush.csv")
    await st.until("ambush.csv, line 3: no field fear is known; it stands in the notes of Captain")
    await ann.until("Bandit 2")
    st.type("set up zombie x2 hidden", "rewind 2", "yes", "set up nowhere")
    await st.until("2 units were read from bestiary.csv")
    await st.until("This would undo 2 changes")
    await st.until("the library has no “nowhere”; it has ambush, bestiary, bridge, clinic")
    assert not any("Captain" in line or "Zombie" in line for line in ann.told)
    st.type("story", "story Ann", "story nobody")
    await st.until("As the Storyteller was told it")
    await st.until("- Captain is prepared")
    await st.until("As Ann was told it")
    assert "Captain" not in await st.until("comes on stage")
    for terminal in (st, ann):
        assert await terminal.end() == 0


async def test_the_audit_log_says_what_of_it_is_archived(invited: Invited, tmp_path):
    st = await Terminal.join(invited.st)
    st.type("house lag_ms 300", "scene story", "house lag_ms 400")
    await st.until("400")
    store, table = invited.app.rooms.store, invited.st.partition("#")[2].partition(".")[0]
    version = await archiving.scenes_before(store, table, 1)
    assert version is not None
    await archiving.archive_scenes(store, table, version, tmp_path / "old.jsonl.gz")
    st.type("audit")
    await st.until(f"What is older than change {version} of the table is archived")
    assert "400" in await st.until("Storyteller: ")
    assert await st.end() == 0


async def test_lines_may_end_and_waits_are_for_scripts(invited: Invited):
    ann = await Terminal.join(invited.ann, "--lang", "zh")
    watcher = await Terminal.join(invited.watcher)
    await watcher.until("Here: ")
    watcher.type("wait for 快跑", "say hello", "do say text=hello")
    await ann.until("你在牌桌“Thursday”就座：Ann")
    ann.type("say 快跑！", "fly", "roll 3")
    assert await ann.end() == 0
    assert await watcher.end() == 0
    told = "\n".join(watcher.told)
    assert "Ann: “快跑！”" in told
    assert "“say” is not for a spectator to do" in told
    assert "Not done: your role may not do this." in told


async def test_without_a_way_in_one_sentence_says_so(invited: Invited):
    for invitation, said in {
        "hello": "overseer: an invitation begins with http://",
        f"{invited.app.address}/#a.b.c": "overseer: This invitation is not valid (any more); ask the Storyteller",
    }.items():
        terminal = await Terminal.join(invitation)
        assert await terminal.end() == 2
        assert len(terminal.told) == 1
        assert terminal.told[0].startswith(said)


async def test_where_nobody_answers_the_address_is_named(capsys: pytest.CaptureFixture[str]):
    assert await join("http://127.0.0.1:9/#a.b.c", "en", patience_s=0.1) == 2
    said = "overseer: nobody answers at 127.0.0.1:9; check the address, and that the server runs.\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("leaving", ["quit\r", "\x03", "\x04"], ids=["quit", "ctrl-c", "ctrl-d"])
async def test_on_a_terminal_one_can_look_and_leave(invited: Invited, leaving: str):
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *RUN, invited.st, stdin=theirs, stdout=theirs, stderr=theirs, env=PLAIN, start_new_session=True
    )
    os.close(theirs)
    told = b""

    async def until(words: bytes, after: bytes = b"") -> None:
        nonlocal told
        async with asyncio.timeout(60):
            while words not in (told.rpartition(after)[2] if after else told):
                piece = await asyncio.to_thread(os.read, ours, 4096)
                told += piece
                if b"\x1b[6n" in piece:  # where is the cursor? A terminal answers.
                    os.write(ours, b"\x1b[1;1R")

    try:
        await until(b"Storyteller>")
        os.write(ours, b"narrate the lights go out\r")
        await until("» the lights go out".encode())
        await until(b"Storyteller>", after="» the lights go out".encode())  # before that the keys are nobody's
        os.write(ours, leaving.encode())
        await until(b"You have left the table")
        assert await asyncio.wait_for(process.wait(), 60) == 0
    finally:
        os.close(ours)
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert not re.search(rb"\x1b\[[0-9;]*3[1-7]m", told), "NO_COLOR is set"
