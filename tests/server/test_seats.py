"""Invitations over real sockets, on two servers of one store: made, renewed, revoked, run out, lent; roles handed over;
other eyes looked through.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
import redis as redis_py
from websockets.asyncio.client import ClientConnection

from core.commands import RevokeInvitation, SetRole
from core.ids import SeatId
from protocol.client import Closed, Refused, Table, connect
from protocol.codec import command_body
from protocol.from_client import Command
from server import auth, seating, translate
from server.app import App
from server.seating import SeatingProblem
from tests.server.test_gateway import closed_with, heard, raw, settings

SALT = "0123456789abcdef"


class Evening:
    """A table with a Storyteller, Ann and Bob; `first` and `second` serve it."""

    def __init__(self, first: App, second: App, tokens: dict[str, str]) -> None:
        self.first, self.second, self.tokens = first, second, tokens
        self.table = tokens["ST"].partition(".")[0]
        self.seat = {name: token.split(".")[1] for name, token in tokens.items()}

    def sit(self, who: str, app: App | None = None, *, token: str = "", **options: Any) -> connect:
        app = app or self.first
        return connect(auth.invitation(app.address, token or self.tokens[who]), backoff_s=(0.01, 0.05), **options)

    async def hears(self, token: str, app: App | None = None, **more: Any) -> tuple[ClientConnection, dict[str, Any]]:
        """A connection of one's own making, and the first that it is told."""
        socket = await raw(app or self.first)
        await socket.send(
            msgpack.packb({"t": "hello", "versions": [1], "minor": 2, "token": token, "client": "c", **more})
        )
        return socket, await heard(socket)


@pytest.fixture
async def evening(valkey: str, tmp_path: Path) -> AsyncIterator[Evening]:
    async with App(settings(valkey, tmp_path)) as first, App(settings(valkey, tmp_path)) as second:
        st = await seating.make_table(first.rooms, "Thursday", practice_seed=7)
        tokens = {"ST": st.token}
        for name in ("Ann", "Bob"):
            tokens[name] = (await seating.add_seat(first.rooms, st.table, name, "player")).token
        yield Evening(first, second, tokens)


async def ended(table: Table) -> int | None:
    """The code a client's seat ends with."""
    with pytest.raises(Closed) as closed:
        await table.until(lambda _: False)
    return closed.value.code


async def answer_to(socket: ClientConnection, kind: str, seq: int = 1, **fields: Any) -> dict[str, Any]:
    await socket.send(msgpack.packb({"t": "command", "seq": seq, "seen": 0, "kind": kind, **fields}))
    while True:
        message: Any = await heard(socket)
        if isinstance(message, dict) and message["t"] in ("ack", "refused"):  # a DIFF is a list
            return message


# ---------------------------------------------------------------------------------------------------------- invitations
async def test_a_storyteller_invites_and_only_he_is_told_the_token(evening: Evening, valkey: str):
    frames: list[Any] = []
    async with (
        evening.sit("ST", frames=lambda f: frames.append(f)) as st,
        evening.sit("Ann", evening.second, frames=lambda f: frames.append(f)) as ann,
    ):
        done = await st.command("add_seat", name="Cleo", role="player")
        assert done.token is not None
        await ann.until(lambda it: "Cleo" in it.seats.values())
        async with connect(st.invitation(done.token)) as cleo:
            assert (cleo.seat, cleo.seat_name, cleo.role) == (*done.made, "Cleo", "player")
    secret = done.token.rpartition(".")[2].encode()
    assert sum(secret in frame for frame in frames) == 1, "in the answer, and in nobody's change"
    assert SALT.encode() not in b"".join(frames)
    with redis_py.Redis.from_url(valkey) as store:
        kept = [store.dump(key) for key in store.keys(f"*{evening.table}*")]
    assert not [value for value in kept if value and secret in value], "nothing that opens a seat is kept"


async def test_a_command_sent_again_is_told_the_same_token_by_any_server(evening: Evening):
    first, _ = await evening.hears(evening.tokens["ST"])
    made = await answer_to(first, "add_seat", name="Cleo", role="spectator", salt=SALT)
    again, _ = await evening.hears(evening.tokens["ST"], evening.second)
    assert await answer_to(again, "add_seat", name="Cleo", role="spectator", salt=SALT) == made
    other = await answer_to(again, "add_seat", name="Cleo", role="spectator", salt=SALT[::-1])
    assert (other["t"], other["code"]) == ("refused", "seq_reused")
    _, told = await evening.hears(made["token"])
    assert (told["t"], told["role"]) == ("welcome", "spectator"), "the other salt has not taken its place"
    refused = await answer_to(again, "add_seat", seq=2, name="Cleo", role="player", salt=SALT)
    assert (refused["code"], "token" in refused) == ("in_use", False)
    for socket in (first, again):
        await socket.close()


async def test_who_has_the_old_invitation_is_sent_away_on_every_server_at_once(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("Ann", evening.second) as ann:
        done = await st.command("renew_invitation", seat=evening.seat["Ann"])
        assert await ended(ann) == 4005
        _, told = await evening.hears(evening.tokens["Ann"])
        assert told["t"] == "error", "nor can he come back"
        async with evening.sit("Ann", token=done.token or "") as again:
            assert again.seat == evening.seat["Ann"]


async def test_a_storyteller_renews_his_own_invitation_and_stays(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("ST", evening.second) as thief:
        done = await st.command("renew_invitation", seat=evening.seat["ST"])
        assert await ended(thief) == 4005
        await st.command("narrate", text="I am still here")
        st.drop()
        await st.command("narrate", text="and I come back with the new one")
        async with evening.sit("ST", token=done.token or "") as other:
            assert other.role == "st"


async def test_a_revoked_invitation_opens_nothing_until_there_is_a_new_one(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("Ann", evening.second) as ann:
        saved = ann.saved
        await st.command("revoke_invitation", seat=evening.seat["Ann"])
        assert await ended(ann) == 4005
        assert saved
        for app in (evening.first, evening.second):
            socket, told = await evening.hears(evening.tokens["Ann"], app, resume={"epoch": saved.epoch, "n": saved.n})
            assert (told["t"], await closed_with(socket) in (4001, 4005)) == ("error", True)
        assert st.state[f"s/{evening.seat['Ann']}/invitation"] == {"open": False, "until": None}
        done = await st.command("renew_invitation", seat=evening.seat["Ann"])
        async with evening.sit("Ann", token=done.token or ""):
            pass


async def test_what_a_revoked_seat_had_under_way_is_not_done(evening: Evening):
    """The change that sends him away is the fence: a server that has not heard of it yet cannot act on his word."""
    async with evening.second.rooms.using(evening.table) as room:
        key = await auth.check(room.store, evening.tokens["Ann"])
        assert key is not None
        say = Command(seq=1, seen=0, body=command_body("say", {"text": "still here"}))
        async with room.lock:  # it hears of nothing
            await seating.do(evening.first.rooms, evening.table, "Ann", RevokeInvitation)
            said = asyncio.create_task(room.submit(translate.asked(room.store, key, "c", say, room.clock())))
            await asyncio.sleep(0)
        assert (await said)["code"] == "forbidden"


async def test_an_invitation_runs_out_while_somebody_sits_there(evening: Evening):
    async with evening.sit("ST") as st:
        done = await st.command("add_seat", name="Cleo", role="player", lasts_s=1)
        assert done.token
        async with evening.sit("Cleo", evening.second, token=done.token) as cleo:
            assert await ended(cleo) == 4006, "nobody has changed anything: the server looks at the clock itself"
        socket, told = await evening.hears(done.token)
        assert (told["code"], await closed_with(socket)) == ("expired", 4006)


async def test_a_hold_is_over_with_the_time_of_the_last_storyteller(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("Bob", evening.second) as bob:
        await st.command("hold")
        await bob.until(lambda it: it.state["t/held"])
        await seating.renew(evening.first.rooms, evening.table, "Storyteller", lasts_s=1)
        assert await ended(st) == 4005
        await bob.until(lambda it: not it.state["t/held"])


async def test_whoever_runs_the_server_renews_what_was_lost(evening: Evening):
    seated = await seating.renew(evening.first.rooms, evening.table, "storyteller")
    async with evening.sit("ST", token=seated.token) as st:
        assert st.role == "st"
    with pytest.raises(SeatingProblem, match=r"no seat Zoe .* Ann, Bob, Storyteller"):
        await seating.renew(evening.first.rooms, evening.table, "Zoe")


# ---------------------------------------------------------------------------------------------------------------- roles
async def test_the_role_is_handed_over(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("Ann", evening.second) as ann:
        with pytest.raises(Refused) as refused:
            await st.command("set_role", seat=evening.seat["ST"], role="player")
        assert refused.value.code == "last_st"
        unit = (await st.command("add_unit", unit={"name": "Mira"}, owner=evening.seat["Ann"])).made[0]
        await st.command("set_notes", text="the butler did it")
        await st.command("set_role", seat=evening.seat["Ann"], role="st")
        await ann.until(lambda it: it.role == "st" and it.state.get("t/notes") == "the butler did it")
        assert ann.units[unit].owner == "st"
        await st.command("set_role", seat=evening.seat["ST"], role="player")  # the answer finds him where he comes back
        await st.until(lambda it: it.role == "player" and "t/notes" not in it.state)
        await ann.command("narrate", text="Ann tells now")
        with pytest.raises(Refused):
            await st.command("narrate", text="not mine any more")


async def test_who_is_a_player_again_is_told_all_anew(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("Ann") as ann:
        before = ann.epoch
        for role in ("st", "player"):
            await st.command("set_role", seat=evening.seat["Ann"], role=role)
            await ann.until(lambda it, role=role: it.role == role and it.connection_state == "online")  # type: ignore[misc]
        await st.command("narrate", text="and then")
        await ann.until(lambda it: it.n > 0)
        assert ann.epoch != before
        async with evening.sit("Ann", evening.second) as other:
            assert dict(other.state) == dict(ann.state)


async def test_the_operator_gives_the_role_to_somebody_when_the_storyteller_is_gone(evening: Evening):
    async with evening.sit("Bob", evening.second) as bob:
        await seating.do(evening.first.rooms, evening.table, "Bob", lambda seat: SetRole(seat, "st"))
        await seating.do(evening.first.rooms, evening.table, "Storyteller", RevokeInvitation)
        await bob.until(lambda it: it.role == "st")
        await bob.command("narrate", text="I take over")


# --------------------------------------------------------------------------------------------------------------- lending
async def test_a_player_lends_his_seat_and_takes_it_back(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("Ann") as ann, evening.sit("Bob") as bob:
        unit = (await st.command("add_unit", unit={"name": "Mira", "on_stage": True}, owner=ann.seat)).made[0]
        await bob.command("set_default_guard", n=2)
        n = bob.n
        done = await ann.command("lend_seat", to="Dora", lasts_s=3600)
        assert done.token
        async with evening.sit("Ann", evening.second, token=done.token) as dora:
            assert (dora.seat, dora.role) == (ann.seat, "player")
            await dora.command("roll", unit=unit, pool={"fixed": 1})
            await ann.command("roll", unit=unit, pool={"fixed": 1})
            for forbidden in ({"kind": "lend_seat", "to": "Emil", "lasts_s": 60}, {"kind": "take_back_seat"}):
                with pytest.raises(Refused) as refused:
                    await dora.command(forbidden.pop("kind"), **forbidden)  # type: ignore[arg-type]
                assert refused.value.code == "forbidden"
            assert st.state[f"s/{ann.seat}/loan"]["to"] == ann.state[f"s/{ann.seat}/loan"]["to"] == "Dora"
            await ann.command("take_back_seat")
            assert await ended(dora) == 4005
        await st.command("narrate", text="on")
        await bob.command("set_default_guard", n=1)
        assert bob.n == n + 4, "two rolls, the story, his own wish: of the loan Bob was told nothing"
        assert f"s/{ann.seat}/loan" not in bob.state
        await ann.command("roll", unit=unit, pool={"fixed": 1})


async def test_a_storyteller_ends_a_loan_and_a_new_one_ends_the_one_before(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("Ann") as ann, evening.sit("Bob") as bob:
        first = await ann.command("lend_seat", to="Dora", lasts_s=3600)
        async with evening.sit("Ann", token=first.token or "") as dora:
            second = await ann.command("lend_seat", to="Emil", lasts_s=3600)
            assert await ended(dora) == 4005
        async with evening.sit("Ann", token=second.token or "") as emil:
            with pytest.raises(Refused) as refused:
                await bob.command("take_back_seat", seat=ann.seat)
            assert refused.value.code == "forbidden"
            await st.command("take_back_seat", seat=ann.seat)
            assert await ended(emil) == 4005
        assert ann.connection_state == "online"


async def test_whoever_borrowed_a_seat_is_sent_away_with_the_invitation_it_was_lent_by(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("Ann") as ann:
        lent = await ann.command("lend_seat", to="Dora", lasts_s=3600)
        async with evening.sit("Ann", evening.second, token=lent.token or "") as dora:
            await st.command("renew_invitation", seat=ann.seat)
            assert await ended(dora) == await ended(ann) == 4005
        socket, told = await evening.hears(lent.token or "")
        assert (told["t"], await closed_with(socket) in (4001, 4005)) == ("error", True)


# ------------------------------------------------------------------------------------------------------------ other eyes
async def test_a_storyteller_looks_through_a_players_eyes_and_nobody_can_tell(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("Bob") as bob:
        ghoul = (await st.command("add_unit", unit={"name": "Ghoul", "on_stage": True, "hidden": True})).made[0]
        await bob.command("set_default_guard", n=1)  # by its answer, whatever his coming has brought is here
        frames: list[Any] = []
        bob.frames = lambda frame: None if b"pong" in bytes(frame) else frames.append(frame)  # type: ignore[arg-type]
        async with evening.sit("ST", evening.second, see_as="Ann") as eyes:
            assert (eyes.seat, eyes.role, eyes.read_only) == (evening.seat["Ann"], "player", True)
            assert ghoul not in {unit.id for unit in eyes.units.values()}
            await eyes.until(lambda it: it.here == frozenset({bob.seat}))  # and Ann is away
            with pytest.raises(Refused) as refused:
                await eyes.command("say", text="boo")
            assert refused.value.code == "read_only"
            assert (await eyes.ask("options")).code is None
            assert frames == []
            await st.command("reveal", unit=ghoul)
            await eyes.until(lambda it: ghoul in it.units)
        async with evening.sit("ST", see_as="all") as public:
            assert public.role == "spectator"
        await st.command("narrate", text="on")
        await bob.until(lambda it: len(frames) == 2)
        assert st.here == frozenset({bob.seat})


async def test_only_a_storyteller_looks_through_other_eyes_and_only_as_long_as_he_is_one(evening: Evening):
    socket, told = await evening.hears(evening.tokens["Ann"], see_as=evening.seat["Bob"])
    assert (told["code"], await closed_with(socket)) == ("not_an_st", 4007)
    socket, told = await evening.hears(evening.tokens["ST"], see_as="Zoe")
    assert await closed_with(socket) == 4004
    async with evening.sit("ST", evening.second, see_as="Ann") as eyes:
        await seating.renew(evening.first.rooms, evening.table, "Storyteller")
        assert await ended(eyes) == 4005


async def test_other_eyes_close_with_the_seat_they_look_from(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("ST", evening.second, see_as="Ann") as eyes:
        await st.command("remove_seat", seat=evening.seat["Ann"])
        assert await ended(eyes) == 4004
        assert SeatId(evening.seat["Ann"]) not in st.seats


# ----------------------------------------------------------------------------------------------------------------- audit
async def test_who_has_changed_what_can_be_read_and_no_token_is_in_it(evening: Evening):
    async with evening.sit("ST") as st, evening.sit("Ann") as ann:
        done = await st.command("add_seat", name="Cleo", role="player")
        await ann.command("lend_seat", to="Dora", lasts_s=3600)
        await st.command("set_house", key="lag_ms", value=300)
        at = st.n
        await st.command("narrate", text="nothing of this")
        await st.rewind(at)
        await st.command("remove_seat", seat=done.made[0])
        await seating.do(evening.first.rooms, evening.table, "Ann", RevokeInvitation)
        told = await st.audit()
        kinds = ["table_made", *["seat_added"] * 4, "seat_lent", "house_set", "seat_removed", "loan_ended"]
        assert [line.kind for line in told] == [*kinds, "invitation_revoked"]
        by = {line.kind: line.by for line in told}
        assert (by["seat_removed"], by["seat_lent"], by["invitation_revoked"]) == (st.seat, ann.seat, "operator")
        assert "Cleo gets a seat" in str(told[4])
        assert [line.kind for line in await st.audit(limit=1)] == ["loan_ended", "invitation_revoked"]
        assert [line.kind for line in await st.audit(before=told[-1].n, limit=1)] == ["seat_removed"]
        answer = await st.ask("audit")
        secrets = [token.rpartition(".")[2] for token in (*evening.tokens.values(), done.token or "")]
        assert not [one for one in secrets if one in repr(answer)]
