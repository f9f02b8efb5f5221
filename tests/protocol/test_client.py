"""The SDK against a server that follows a script."""

import asyncio
import logging
import zlib

import pytest
from websockets.asyncio.server import ServerConnection, serve

from protocol import checks, link
from protocol.client import BadInvitation, BadMessage, Closed, Refused, Saved, Unanswered, connect
from protocol.lines import INDEX
from tests.protocol.scripted import QUICK, SNAPSHOT, TOKEN, ScriptedServer, scripted


@pytest.fixture
async def server():
    async with scripted() as running:
        yield running


# -------------------------------------------------------------------------------------------------------- to sit down
async def test_the_state_is_complete_when_the_seat_is_taken(server: ScriptedServer):
    async with server.seated() as (table, _):
        assert (table.seat, table.seat_name, table.role, table.name) == ("p1", "Mia", "player", "Night train")
        assert table.connection_state == "online"
        assert table.state["u/u1/hp"] == 10
        assert table.units["Aki"].hp == table.units["u1"].hp == 10
        assert table.active == "u1"
        assert [unit.name for unit in table.order] == ["Aki", "Ghoul"]
        assert table.seats == {"p1": "Mia"}


async def test_hello_names_version_token_and_client_but_no_position_yet(server: ScriptedServer):
    seating = asyncio.create_task(_sit(server, client="my-bot"))
    peer = await server.accept()
    hello = await peer.welcome()
    assert hello == {"t": "hello", "versions": [1], "minor": 2, "token": TOKEN, "client": "my-bot"}
    await peer.snapshot()
    await seating


async def test_the_table_is_not_there_before_its_snapshot_is(server: ScriptedServer):
    seating = asyncio.create_task(_sit(server))
    peer = await server.accept()
    await peer.welcome(n=2)
    await peer.snapshot(n=1)
    await peer.diff(2, [["u/u1/hp", 3]])
    assert await seating == 3


async def test_a_table_left_earlier_is_taken_up_where_it_was(server: ScriptedServer):
    seating = asyncio.create_task(_sit(server, resume=Saved("e1", 7, SNAPSHOT)))
    peer = await server.accept()
    assert (await peer.welcome(n=8))["resume"] == {"epoch": "e1", "n": 7}
    await peer.diff(8, [["u/u1/hp", 4]])
    assert await seating == 4


async def test_json_is_the_same_conversation(server: ScriptedServer):
    async with server.seated(subprotocol="overseer.v1.json") as (table, peer):
        await peer.diff(1, [["u/u1/hp", 9]])
        await table.until(lambda it: it.units["Aki"].hp == 9)


async def test_nobody_listening_is_said_in_time():
    async with scripted() as gone:
        invitation = gone.invitation
    with pytest.raises(Unanswered, match=r"no seat at the table within 1 s: cannot reach the server"):
        async with connect(invitation, timeout=1, backoff_s=QUICK):
            pass


async def test_the_token_goes_to_no_other_kind_of_server():
    heard: list[object] = []

    async def other(connection: ServerConnection) -> None:
        heard.extend([frame async for frame in connection])

    async with serve(other, "127.0.0.1", 0) as listening:
        port = next(iter(listening.sockets)).getsockname()[1]
        with pytest.raises(Unanswered, match="no table server answers at this address"):
            async with connect(f"http://127.0.0.1:{port}/#{TOKEN}", timeout=1, backoff_s=QUICK):
                pass
    assert heard == []


async def test_a_server_that_never_greets_is_given_up(server: ScriptedServer):
    seating = asyncio.create_task(_sit(server))
    await server.accept()
    seating.cancel()
    await asyncio.wait([seating])
    with pytest.raises(Unanswered, match=r"no seat at the table within 0\.1 s"):
        async with connect(server.invitation, timeout=0.1, backoff_s=QUICK):
            pass


async def test_a_bad_token_is_final(server: ScriptedServer):
    seating = asyncio.create_task(_sit(server))
    peer = await server.accept()
    await peer.hear()
    await peer.close(4001)
    with pytest.raises(Closed, match="This invitation is not valid") as caught:
        await seating
    assert caught.value.code == 4001
    assert server.waiting == 0


async def test_no_log_line_holds_the_token(server: ScriptedServer, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    async with server.seated(subprotocol="overseer.v1.json") as (table, peer):
        table.drop()
        await (await server.accept()).welcome(n=0)
        await table.until(lambda it: it.connection_state == "online")
        assert "secret" not in repr(table)
    # The scripted server's own websockets log is not ours.
    ours = [
        record.getMessage() for record in caplog.records if record.name.startswith(("overseer", "websockets.client"))
    ]
    assert ours
    assert not [line for line in ours if "verysecret" in line]
    # websockets would show the frames, shortened or in hexadecimal.
    assert not [line for line in ours if line.startswith(("> ", "< "))]


# ---------------------------------------------------------------------------------------------------------------- to act
async def test_a_command_is_answered_after_the_state_shows_it(server: ScriptedServer):
    async with server.seated() as (table, peer):
        asking = asyncio.create_task(table.end_action())
        assert await peer.hear() == {
            "t": "command",
            "seq": 1,
            "seen": 0,
            "kind": "end_action",
            "unit": "u1",
            "round": 1,
        }
        await peer.diff(1, [["t/active", "u2"]])
        await peer.tell({"t": "ack", "seq": 1, "n": 1, "made": ["x"]})
        ack = await asking
        assert (ack.n, ack.made) == (1, ("x",))
        assert table.active == table.units["Ghoul"]


async def test_a_refusal_is_a_sentence(server: ScriptedServer):
    async with server.seated(language="zh") as (table, peer):
        asking = asyncio.create_task(table.declare(table.units["Aki"], "attack", targets=[table.units["Ghoul"]]))
        heard = await peer.hear()
        assert heard["act"] == {"kind": "attack", "slot": "standard", "targets": ["u2"]}
        await peer.tell({"t": "refused", "seq": 1, "code": "not_your_action", "params": {}, "retry": False})
        with pytest.raises(Refused) as caught:
            await asking
        assert (caught.value.code, caught.value.retry) == ("not_your_action", False)
        assert str(caught.value) == "现在不是这个单位的行动"


async def test_what_cannot_be_sent_is_said_before_it_is_sent(server: ScriptedServer):
    async with server.seated() as (table, _):
        with pytest.raises(BadMessage, match="end_action has no field rond; its fields: unit, round"):
            await table.command("end_action", unit="u1", rond=1)
        with pytest.raises(BadMessage, match="end_action: round must be a whole number; found 'one'"):
            await table.command("end_action", unit="u1", round="one")
        with pytest.raises(BadMessage, match="did you mean end_action"):
            await table.command("end_acton")


async def test_a_command_is_sent_again_under_its_number_after_a_break(server: ScriptedServer):
    async with server.seated() as (table, peer):
        first = asyncio.create_task(table.say("hello"))
        heard = await peer.hear()
        second = asyncio.create_task(table.say("anybody?"))
        heard_second = await peer.hear()
        table.drop()
        back = await server.accept()
        assert (await back.welcome(n=0))["resume"] == {"epoch": "e1", "n": 0}
        assert await back.hear() == heard
        assert await back.hear() == heard_second
        await back.tell({"t": "ack", "seq": 1, "n": 0, "made": []})
        await back.tell({"t": "ack", "seq": 2, "n": 0, "made": []})
        await first
        await second


async def test_what_is_said_while_away_goes_out_after_the_welcome(server: ScriptedServer):
    async with server.seated() as (table, _):
        table.drop()
        await table.until(lambda it: it.connection_state == "away")
        asking = asyncio.create_task(table.say("hello"))
        back = await server.accept()
        await back.welcome()
        heard = await back.hear()
        assert (heard["kind"], heard["seq"]) == ("say", 1)
        await back.tell({"t": "ack", "seq": 1, "n": 0, "made": []})
        await asking


async def test_a_command_nobody_waits_for_any_more_leaves_nothing(server: ScriptedServer):
    async with server.seated() as (table, peer):
        asking = asyncio.create_task(table.say("hello"))
        await peer.hear()
        asking.cancel()
        await asyncio.wait([asking])
        with pytest.raises(Unanswered, match="say was not answered within 0 s"):
            await table.command("say", timeout=0, text="hello")
        await peer.tell({"t": "ack", "seq": 1, "n": 0, "made": []})
        table.drop()
        back = await server.accept()
        await back.welcome()
        again = asyncio.create_task(table.say("now"))
        heard = await back.hear()
        assert heard["text"] == "now"
        await back.tell({"t": "ack", "seq": heard["seq"], "n": 0, "made": []})
        await again
        assert not table._answers


async def test_no_more_commands_are_open_than_a_server_remembers(server: ScriptedServer):
    async with server.seated() as (table, peer):
        asking = [asyncio.create_task(table.say(str(k))) for k in range(20)]
        heard = [await peer.hear() for _ in range(12)]
        assert [one["seq"] for one in heard] == list(range(1, 13))
        assert len(table._answers) == 12
        await peer.tell({"t": "ack", "seq": 1, "n": 0, "made": []})
        assert (await peer.hear())["seq"] == 13
        for one in asking:
            one.cancel()
        await asyncio.wait(asking)


async def test_a_question_is_answered_or_refused(server: ScriptedServer):
    async with server.seated() as (table, peer):
        asking = asyncio.create_task(table.log(before=9, limit=5))
        assert await peer.hear() == {"t": "ask", "what": "log", "id": 1, "before": 9, "limit": 5}
        await peer.tell(
            {"t": "answer", "id": 1, "entries": [[3, [[INDEX["said"], 60, "p1", None, "hello"]]]], "more": False}
        )
        (line,) = await asking
        assert (line.n, line.at, line.text()) == (3, 1_000_060_000, "Mia: “hello”")
        preview = asyncio.create_task(table.ask("rewind_preview", to=4))
        assert (await peer.hear())["to"] == 4
        await peer.tell({"t": "answer", "id": 2, "code": "forbidden"})
        with pytest.raises(Refused, match="[Yy]our role may not do this"):
            await preview


async def test_closing_the_table_answers_everybody(server: ScriptedServer):
    async with server.seated() as (table, peer):
        asking = asyncio.create_task(table.say("hello"))
        await peer.hear()
        waiting = asyncio.create_task(table.until(lambda it: False))
        following = asyncio.create_task(anext(table.updates(), None))
        await asyncio.sleep(0)
    for one in (asking, waiting):
        with pytest.raises(Closed):
            await one
    assert await following is None
    assert table.connection_state == "closed"
    with pytest.raises(Closed):
        await table.say("too late")


# -------------------------------------------------------------------------------------------------------------- to follow
async def test_updates_bring_lines_by_name_and_the_paths_that_changed(server: ScriptedServer):
    async with server.seated() as (table, peer):
        updates = table.updates()
        damaged = [INDEX["damaged"], 61, "p1", ["u2", "Ghoul"], "hp", 3, "hurt", ["u1", "Aki"]]
        await peer.diff(1, [["u/u2/hp", "hurt"]], [damaged])
        update = await anext(updates)
        (line,) = update.lines
        assert (update.n, update.changed, update.reason) == (1, frozenset({"u/u2/hp"}), None)
        assert (line.kind, line.by, line.at, line["source"].id, line["amount"]) == (
            "damaged",
            "p1",
            1_000_061_000,
            "u1",
            3,
        )
        assert line.text() == "Ghoul is hurt by Aki: 3 off HP, now hurt"
        assert line.text("zh") == "Ghoul被Aki击伤：生命减少3，现为受伤"


async def test_a_bare_value_line_is_filled_from_the_change_itself(server: ScriptedServer):
    async with server.seated() as (table, peer):
        updates = table.updates()
        await peer.diff(1, [["u/u1/hp", 7]], [[INDEX["value_set"], 61, "st"]])
        (line,) = (await anext(updates)).lines
        assert dict(line.fields) == {"unit": ("u1", "Aki"), "path": "hp", "value": 7, "was": 10, "reason": None}


async def test_the_log_can_be_followed_line_by_line(server: ScriptedServer):
    async with server.seated() as (table, peer):
        rolls = table.lines("rolled")
        log = [[INDEX["said"], 1, "p1", None, "come on"], [INDEX["rolled"], 1, "p1", ["u1", "Aki"], "initiative", [9]]]
        await peer.diff(1, [], log)
        assert (await anext(rolls)).text() == "Aki rolls for initiative: 9"


async def test_a_seat_that_came_meanwhile_is_called_by_its_name(server: ScriptedServer):
    async with server.seated() as (table, peer):
        lines = table.lines()
        await peer.diff(1, [["s/p2", {"name": "Tom", "role": "player"}]])
        await peer.diff(2, [], [[INDEX["said"], 1, "p2", None, "hello"]])
        assert str(await anext(lines)) == "Tom: “hello”"


async def test_a_slow_reader_gets_larger_pieces_and_the_newest_state(server: ScriptedServer):
    async with server.seated() as (table, peer):
        updates = table.updates()
        for n in range(1, 601):
            await peer.diff(n, [["u/u1/hp", n]], [[INDEX["narrated"], n, "st", str(n)]])
        await table.until(lambda it: it.n == 600)
        told: list[str] = []
        while len(told) < 600:
            told += [line["text"] for line in (await anext(updates)).lines]
        assert told == [str(n) for n in range(1, 601)]


async def test_until_looks_after_every_single_change(server: ScriptedServer):
    async with server.seated() as (table, peer):
        seeing = asyncio.create_task(table.until(lambda it: it.units["Aki"].hp == 5 and "seen"))
        await asyncio.sleep(0)
        await peer.diff(1, [["u/u1/hp", 5]])
        await peer.diff(2, [["u/u1/hp", 6]])
        assert await seeing == "seen"
        with pytest.raises(Unanswered, match="did not come to this within 0 s"):
            await table.until(lambda it: False, timeout=0)
        with pytest.raises(KeyError):
            await table.until(lambda it: it.state["no such path"])


async def test_who_waited_sees_the_state_he_waited_for(server: ScriptedServer):
    """Not a later one, though the next changes have arrived already."""
    async with server.seated() as (table, peer):
        for n in range(1, 6):
            await peer.diff(n, [["u/u1/hp", n]])
        await table.until(lambda it: it.units["Aki"].hp == 2)
        assert (table.n, table.units["Aki"].hp) == (2, 2)


async def test_who_is_here_is_known(server: ScriptedServer):
    async with server.seated() as (table, peer):
        await peer.tell({"t": "presence", "here": ["p1", "p2"]})
        await table.until(lambda it: it.here == {"p1", "p2"})


# ---------------------------------------------------------------------------------------------------------------- prompts
WINDOW = [
    ["k/k1", {"actor": "u2", "kind": "attack", "slot": "standard", "targets": ["u1"], "window": "w1"}],
    ["t/stack", ["k1"]],
    ["w/w1", {"pending": "k1", "gen": 1, "kind": "before", "deadline": 13_000}],
]


async def test_a_prompt_counts_down_by_the_servers_clock_less_the_lag(server: ScriptedServer):
    async with server.seated() as (table, peer):
        prompts = table.prompts()
        await peer.diff(1, [*WINDOW, ["w/w1/me", {"asked": True, "passed": False}]])
        prompt = await anext(prompts)
        assert (prompt.window, prompt.gen, prompt.act.kind, prompt.open) == ("w1", 1, "attack", True)
        left = prompt.left()
        assert left is not None
        assert 6.5 < left <= 7.9  # 13 s - 5 s at the welcome - 0.25 s, and what has gone by
        passing = asyncio.create_task(prompt.pass_())
        heard = await peer.hear()
        assert (heard["kind"], heard["window"], heard["gen"]) == ("pass", "w1", 1)
        await peer.diff(2, [["w/w1/me", {"asked": True, "passed": True}]])
        await peer.tell({"t": "ack", "seq": 1, "n": 2, "made": []})
        await passing
        assert not prompt.open


async def test_a_question_put_again_is_a_new_prompt_and_others_questions_are_none(server: ScriptedServer):
    async with server.seated() as (table, peer):
        prompts = table.prompts()
        await peer.diff(1, WINDOW)
        await peer.diff(2, [["w/w1/me", {"asked": True, "passed": False}]])
        first = await anext(prompts)
        await peer.diff(3, [["w/w1", {"pending": "k1", "gen": 1, "kind": "before", "covered": True}]])
        await table.until(lambda it: it.n == 3)
        assert (first.open, first.left()) == (False, None)
        await peer.diff(4, [["w/w1", {"pending": "k1", "gen": 2, "kind": "before", "left": 4_000}]])
        second = await anext(prompts)
        assert (second.gen, second.left(), first.left()) == (2, None, 0.0)


async def test_what_a_standing_order_passes_is_no_question_unless_wanted(server: ScriptedServer):
    async with server.seated() as (table, peer):
        prompts, everything = table.prompts(), table.prompts(all=True)
        await peer.diff(1, [*WINDOW, ["w/w1/me", {"asked": True, "passed": False, "order_passes": True}]])
        assert (await anext(everything)).order_passes
        await peer.diff(2, [["w/w1/me", {"asked": True, "passed": False, "order_passes": False}]])
        assert not (await anext(prompts)).order_passes


async def test_a_value_is_set_against_what_was_seen(server: ScriptedServer):
    async with server.seated() as (table, peer):
        setting = asyncio.create_task(table.set_value(table.units["Aki"], "tracks.hp.max", 12))
        heard = await peer.hear()
        assert (heard["path"], heard["value"], heard["was"]) == ("tracks.hp.max", 12, 10)
        await peer.tell({"t": "ack", "seq": 1, "n": 0, "made": []})
        await setting


async def test_a_matched_readied_action_is_a_prompt_of_its_own(server: ScriptedServer):
    async with server.seated() as (table, peer):
        prompts = table.prompts()
        await peer.diff(1, [*WINDOW, ["r/r1", {"unit": "u1", "state": "armed"}], ["k/k1/due", ["r1"]]])
        prompt = await anext(prompts)
        assert (prompt.readied, prompt.asked) == (("r1",), False)
        firing = asyncio.create_task(prompt.fire())
        heard = await peer.hear()
        assert (heard["kind"], heard["readied"], heard["window"]) == ("fire", "r1", "w1")
        await peer.tell({"t": "ack", "seq": 1, "n": 1, "made": []})
        await firing


# --------------------------------------------------------------------------------------------------------------- the line
async def test_after_a_break_only_what_was_missed_comes(server: ScriptedServer):
    async with server.seated() as (table, peer):
        await peer.diff(1, [["u/u1/hp", 9]])
        await table.until(lambda it: it.n == 1)
        table.drop()
        back = await server.accept()
        assert (await back.welcome(n=2))["resume"] == {"epoch": "e1", "n": 1}
        await back.diff(2, [["u/u1/hp", 8]])
        await table.until(lambda it: it.units["Aki"].hp == 8)
        assert table.connection_state == "online"


async def test_a_gap_is_never_bridged(server: ScriptedServer):
    async with server.seated() as (table, peer):
        await peer.diff(2, [["u/u1/hp", 1]])
        back = await server.accept()
        assert (await back.welcome(n=2))["resume"] == {"epoch": "e1", "n": 0}
        assert table.units["Aki"].hp == 10
        await back.diff(1, [["u/u1/hp", 2]])
        await back.diff(2, [["u/u1/hp", 1]])
        await table.until(lambda it: it.n == 2)


async def test_a_snapshot_says_why_and_what_changed(server: ScriptedServer):
    async with server.seated() as (table, peer):
        updates = table.updates()
        view = {**SNAPSHOT, "u/u1/hp": 1}
        del view["u/u2/hp"]
        await peer.snapshot(40, epoch="e2", reason="epoch", view=view)
        update = await anext(updates)
        assert (update.reason, update.changed, table.epoch) == ("epoch", frozenset({"u/u1/hp", "u/u2/hp"}), "e2")


@pytest.mark.parametrize("code", [4100, 4101, 4102, 4103, 4200, 1011])
async def test_it_comes_back_after_a_close_that_allows_it(server: ScriptedServer, code: int):
    async with server.seated() as (table, peer):
        await peer.close(code)
        await (await server.accept()).welcome()
        await table.until(lambda it: it.connection_state == "online")


async def test_going_away_brings_it_back_at_once(server: ScriptedServer):
    async with server.seated(backoff_s=(60, 60)) as (table, peer):
        await peer.tell({"t": "goaway", "reason": "restart", "after_ms": 1})
        await (await server.accept()).welcome()
        await table.until(lambda it: it.connection_state == "online")


async def test_a_seat_that_is_gone_ends_the_following(server: ScriptedServer):
    async with server.seated() as (table, peer):
        updates = table.updates()
        await peer.close(4004)
        with pytest.raises(Closed, match="This seat has been given up"):
            await anext(updates)
        with pytest.raises(Closed):
            await anext(table.prompts())


async def test_a_silent_line_is_asked_and_then_given_up(server: ScriptedServer):
    async with server.seated() as (table, peer):
        table._link._heartbeat_s = 0.05
        await peer.tell({"t": "presence", "here": []})  # what it hears makes it look at the clock again
        ping = await peer.hear()
        assert ping["t"] == "ping"
        await peer.tell({"t": "pong", "id": ping["id"], "now": 10_000_000})
        assert (await peer.hear())["t"] == "ping"
        assert 10_000_000 <= table.clock() < 10_060_000
        back = await server.accept()  # the second ping was not answered
        assert (await back.hear())["resume"] == {"epoch": "e1", "n": 0}


async def test_nonsense_from_a_server_breaks_the_line_not_the_client(server: ScriptedServer):
    async with server.seated() as (table, peer):
        await peer.connection.send(b"\xc1")
        back = await server.accept()
        await back.welcome()
        await back.tell({"t": "something new"})
        await back.tell([9, "new too"])
        await back.diff(1, [["u/u1/hp", 2]], [[999, 1, "st"], ["no line"]])
        await table.until(lambda it: it.units["Aki"].hp == 2)


async def test_frames_are_recorded_as_they_came(server: ScriptedServer):
    frames: list[object] = []
    async with server.seated(frames=frames.append) as (table, peer):
        await peer.diff(1, [["u/u1/hp", 2]])
        await table.until(lambda it: it.n == 1)
    assert len(frames) == 3
    assert frames[2] == b"\x94\x01\x01\x91\x92\xa7u/u1/hp\x02\x90"


async def _sit(server: ScriptedServer, **options: object) -> int:
    async with connect(server.invitation, backoff_s=QUICK, timeout=60, **options) as table:  # type: ignore[arg-type]
        return table.units["Aki"].hp


# ------------------------------------------------------------------------------------------------------------------ checks
async def test_a_sum_that_is_right_is_no_news_and_one_of_elsewhere_neither(server: ScriptedServer):
    async with server.seated() as (table, peer):
        await peer.tell({"t": "check", "n": 0, "crc": checks.crc(SNAPSHOT)})
        await peer.tell({"t": "check", "n": 7, "crc": 1})
        await peer.tell({"t": "presence", "here": ["p1"]})
        await table.until(lambda it: it.here)
        asked = asyncio.create_task(table.say("hello"))
        assert (await peer.hear())["t"] == "command"
        await peer.tell({"t": "ack", "seq": 1, "n": 0, "made": []})
        await asked


async def test_a_client_that_has_gone_wrong_says_so_and_takes_all_anew(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
):
    async with server.seated() as (table, peer):
        table._session.state["u/u1/hp"] = 3
        updates = table.updates()
        await peer.tell({"t": "check", "n": 0, "crc": checks.crc(SNAPSHOT)})
        assert await peer.hear() == {"t": "drift", "n": 0, "crc": checks.crc({**SNAPSHOT, "u/u1/hp": 3})}
        await peer.snapshot(0, reason="drift")
        update = await anext(updates)
        assert (update.reason, table.units["Aki"].hp) == ("drift", 10)
        assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_the_sum_is_that_of_the_json_text():
    """As the contract describes it, for whoever writes a client in another language."""
    text = '{"a":{"a":[1,null,true],"z":"“ä”\\n"},"b":-5}'
    assert checks.crc({"b": -5, "a": {"z": "“ä”\n", "a": [1, None, True]}}) == zlib.crc32(text.encode())


# --------------------------------------------------------------------------------------------------------- several addresses
async def test_who_is_sent_away_goes_to_the_other_address(server: ScriptedServer):
    async with scripted() as other:
        at = f"http://127.0.0.1:{other.port}"
        async with server.seated(also=[at], backoff_s=(60, 60)) as (table, peer):
            talking = asyncio.create_task(table.say("hello"))
            said = await peer.hear()
            await peer.tell({"t": "goaway", "reason": "restart", "after_ms": 0})
            there = await other.accept()
            hello = await there.welcome()
            assert (hello["token"], hello["resume"]) == (TOKEN, {"epoch": "e1", "n": 0})
            assert await there.hear() == said  # under the number it had
            await there.tell({"t": "ack", "seq": 1, "n": 0, "made": []})
            await talking
            assert server.waiting == 0


async def test_being_sent_away_again_and_again_is_no_failure(server: ScriptedServer):
    """As many servers as there are may be stopped in turn behind one address."""
    async with server.seated(backoff_s=(60, 60)) as (table, peer):
        for _ in range(8):
            await peer.tell({"t": "goaway", "reason": "restart", "after_ms": 0})
            peer = await server.accept()
            await peer.welcome()
            await table.until(lambda it: it.connection_state == "online")


async def test_where_nobody_answers_the_other_address_is_tried_at_once(server: ScriptedServer):
    async with scripted() as gone:
        nobody = f"http://127.0.0.1:{gone.port}"
    seating = asyncio.create_task(server._seat())
    async with connect(f"{nobody}/#{TOKEN}", also=[f"http://127.0.0.1:{server.port}"], backoff_s=(60, 60)) as table:
        assert table.connection_state == "online"
        await seating


async def test_who_gets_no_answer_goes_to_the_other_address(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch):
    """A server that was frozen keeps its connections. Who only listens waits for the heartbeat, as ever."""
    monkeypatch.setattr(link, "ANSWER_S", 0.2)
    async with scripted() as other:
        at = f"http://127.0.0.1:{other.port}"
        async with server.seated(also=[at], backoff_s=(60, 60)) as (table, peer):
            talking = asyncio.create_task(table.say("hello"))
            said = await peer.hear()
            there = await other.accept()
            await there.welcome()
            assert await there.hear() == said
            await there.tell({"t": "ack", "seq": 1, "n": 0, "made": []})
            await talking


async def test_who_has_one_address_waits_for_its_answer(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(link, "ANSWER_S", 0.05)
    async with server.seated() as (table, peer):
        talking = asyncio.create_task(table.say("hello"))
        await peer.hear()
        done, _ = await asyncio.wait([talking], timeout=0.2)
        assert not done
        await peer.tell({"t": "ack", "seq": 1, "n": 0, "made": []})
        await talking
        assert server.waiting == 0


@pytest.mark.parametrize("address", ["", "ftp://x", "127.0.0.1:1"])
async def test_an_address_that_is_none_is_said_at_once(server: ScriptedServer, address: str):
    with pytest.raises(BadInvitation):
        connect(server.invitation, also=[address])
