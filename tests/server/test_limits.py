"""How much anybody may ask in how short a time, and how many there may be: the counting itself, on a clock that we move."""

import pytest

from core import bounds
from core.dice.proof import MOST_DICE
from protocol import version
from protocol.codec import command_body
from protocol.from_client import AskLog, AskOptions, Command, Drift, FromClient, Ping
from server import limits
from server.auth import SeatKey
from server.config import Settings
from server.door import Door, household
from server.limits import RECORD, THOUGHT_S, Bucket, Buckets, Limits, Rate, take

ANN = SeatKey("t1", "s1", "player", "Ann")
BOB = SeatKey("t1", "s2", "player", "Bob")
ELSEWHERE = SeatKey("t2", "s1", "player", "Ann")
SID = SeatKey("t1", "s3", "st", "Sid")
NONE = {name: 0 for name in Settings.model_fields if name.startswith(("rate_", "connections"))}


def counting(**given: int) -> Limits:
    return Limits(Settings(**{**NONE, **given}))  # type: ignore[arg-type]


def say(seq: int) -> Command:
    return Command(seq=seq, seen=0, body=command_body("say", {"text": "x"}))


def let_through(allowance: limits.Allowance, message: FromClient, now: float, most: int = 10_000) -> int:
    """How many of these one after another, at one moment."""
    return next((k for k in range(most) if allowance.asks(message, 0, now)), most)


def test_a_bucket_gives_what_it_holds_and_fills_again():
    bucket = Bucket(Rate(2, 10))
    assert [take([bucket], 4, 100.0) for _ in range(3)] == [0, 0, 1.0]
    assert take([bucket], 4, 100.9) > 0
    assert take([bucket], 4, 101.0) == 0
    assert bucket.full(106.0)
    assert not bucket.full(105.9)


def test_what_one_bucket_has_not_is_taken_from_none():
    full, empty = Bucket(Rate(1, 10)), Bucket(Rate(1, 1))
    empty.take(1, 0.0)
    assert take([full, empty], 1, 0.0) == 1
    assert full.full(0.0)


def test_nothing_a_second_is_no_limit():
    bucket = Bucket(Rate(0, 0))
    assert all(take([bucket], 1000, 0.0) == 0 for _ in range(1000))


def test_buckets_that_are_full_again_are_forgotten(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "MOST_BUCKETS", 10)
    buckets = Buckets(Rate(1, 5))
    for k in range(10):
        buckets.of(k, 0.0).take(1 + k % 5, 0.0)
    buckets.of("new", 3.0)
    assert set(buckets._found) == {3, 4, 8, 9, "new"}


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"rate_connection": 10}, set()),
        ({"rate_seat": 5}, {"same place", "other place"}),
        ({"rate_table": 10}, {"same place", "other place", "other seat"}),
        ({"rate_address": 10}, {"same place", "other table"}),
    ],
)
def test_connection_seat_table_and_address_have_each_a_bucket_of_their_own(given: dict[str, int], refused: set[str]):
    found = counting(**given)
    assert let_through(found.allowance(ANN, "a", 0), say(1), 0) == 300
    others = {
        "same place": found.allowance(ANN, "a", 0),
        "other place": found.allowance(ANN, "b", 0),
        "other seat": found.allowance(BOB, "b", 0),
        "other table": found.allowance(ELSEWHERE, "a", 0),
    }
    assert {name for name, one in others.items() if one.asks(say(2), 0, 0)} == refused


@pytest.mark.rule("TBL-04")
def test_what_a_storyteller_asks_leaves_players_as_much_as_before():
    found = counting(rate_table=10)
    assert let_through(found.allowance(SID, "a", 0), say(1), 0) == 300
    assert found.allowance(SID, "b", 0).asks(say(2), 0, 0) > 0
    assert let_through(found.allowance(ANN, "a", 0), say(1), 0) == 300
    assert found.allowance(BOB, "a", 0).asks(say(2), 0, 0) > 0


@pytest.mark.parametrize(
    ("message", "size", "most"),
    [
        (say(1), 100, 300),
        (say(1), 64 * 1024, 60),
        (Ping(id=1), 10, 3000),
        (AskLog(id=1), 10, 100),
        (Drift(n=1, crc=1), 10, 30),
    ],
)
def test_what_takes_longer_costs_more(message: FromClient, size: int, most: int):
    allowance = counting(rate_connection=10).allowance(ANN, "a", 0)
    assert next(k for k in range(5000) if allowance.asks(message, size, 0)) in (most, most - 1)


def test_what_the_rules_refuse_costs_its_sender_more_and_nobody_beside_him():
    found = counting(rate_connection=10, rate_table=10)
    allowance = found.allowance(ANN, "a", 0)
    for k in range(60):
        assert allowance.asks(say(k + 1), 0, 0) == 0
        allowance.was_refused(0)
    assert allowance.asks(say(61), 0, 0) > 0
    assert let_through(found.allowance(BOB, "a", 0), say(1), 0) == 240


def test_a_seat_puts_only_so_much_into_the_log_and_a_storyteller_ten_times_as_much():
    found = counting(rate_log=100)
    for key, most in ((ANN, 100_000), (SID, 1_000_000)):
        here, there = (found.allowance(key, address, 0) for address in "ab")
        for k in range(most // 1000):
            assert here.asks(say(k + 1), 0, 0) == 0
            here.kept(1000 - RECORD, 0)
        assert there.asks(say(1), 0, 0) > 0
        assert there.asks(AskLog(id=1), 0, 0) == 0, "a question puts nothing into it"
    assert found.allowance(BOB, "a", 0).asks(say(1), 0, 0) == 0


def test_who_has_put_too_much_into_the_log_hears_when_he_may_go_on():
    ann = counting(rate_log=100).allowance(ANN, "a", 0)
    assert ann.asks(say(1), 0, 0) == 0
    ann.kept(100_199 - RECORD, 0)
    assert ann.asks(say(2), 0, 0) == 2001
    assert ann.asks(say(2), 0, 1.9) > 0
    assert ann.asks(say(2), 0, 2.1) == 0


def test_a_question_costs_its_seat_what_it_took_and_nobody_beside_it():
    found = counting(rate_seat=10, rate_table=100)
    ann = found.allowance(ANN, "a", 0)
    assert ann.asks(AskOptions(id=1), 0, 0) == 0
    ann.thought(103 * THOUGHT_S, 0)
    assert let_through(found.allowance(ANN, "b", 0), say(1), 0) == 497
    assert let_through(found.allowance(BOB, "a", 0), say(1), 0) == 600


def test_a_seat_owes_what_a_question_took_beyond_what_was_there():
    ann = counting(rate_seat=10).allowance(ANN, "a", 0)
    assert ann.asks(AskOptions(id=1), 0, 0) == 0
    ann.thought(700 * THOUGHT_S, 0)
    assert ann.asks(say(1), 0, 10) > 0
    assert ann.asks(say(1), 0, 10.2) == 0
    ann.thought(10_000 * THOUGHT_S, 10.2)
    assert ann.asks(say(2), 0, 10.2) == 60_101, "not for ever"


def test_a_question_that_took_little_costs_what_it_is_worth():
    ann = counting(rate_seat=10).allowance(ANN, "a", 0)
    assert ann.asks(AskOptions(id=1), 0, 0) == 0
    ann.thought(THOUGHT_S, 0)
    assert let_through(ann, say(1), 0) == 597


def rests(allowance: limits.Allowance, times: int, now: float, *, waited: bool = False) -> list[float]:
    found = []
    for k in range(times):
        assert allowance.asks(say(k + 1), 0, now) == 0
        found.append(round(allowance.rest_s(now, waited=waited), 3))
    return found


def test_people_never_rest_and_who_is_in_a_rush_is_read_in_turn_with_all_of_his_table_who_are():
    found = counting(rate_seat=10, rate_table=100)
    ann, bob, sid, elsewhere = (found.allowance(key, "a", 0) for key in (ANN, BOB, SID, ELSEWHERE))
    for one in (ann, bob, sid, elsewhere):
        assert rests(one, 10, 0) == [0] * 10
    assert [rests(one, 1, 0) for one in (ann, bob, ann, sid, elsewhere)] == [[0.05], [0.1], [0.15], [0.05], [0.05]]
    assert ann.asks(AskLog(id=1), 0, 0) == 0
    assert round(ann.rest_s(0, waited=False), 3) == 0.3, "what takes longer keeps it longer"
    assert all(rests(ann, 1, second / 10, waited=True) == [0] for second in range(20, 120)), "so fast he may go on"


def test_a_rush_ends_when_the_server_waits_again():
    ann = counting(rate_seat=10, rate_table=100).allowance(ANN, "a", 0)
    rests(ann, 11, 0)
    assert rests(ann, 1, 60) == [0.05], "it was sent long before and is only served now"
    assert rests(ann, 1, 60, waited=True) == [0]
    assert rests(ann, 5, 60) == [0] * 5


def test_what_the_rules_refuse_keeps_who_is_in_a_rush_longer():
    ann = counting(rate_seat=10, rate_table=100).allowance(ANN, "a", 0)
    rests(ann, 10, 0)
    assert ann.asks(say(11), 0, 0) == 0
    ann.was_refused(0)
    assert round(ann.rest_s(0, waited=False), 3) == 0.25


def test_without_a_limit_nobody_rests():
    for given in ({"rate_seat": 15}, {"rate_table": 100}, {}):
        assert rests(counting(**given).allowance(ANN, "a", 0), 200, 0) == [0] * 200


def test_who_is_refused_hears_when_all_that_was_refused_will_do():
    allowance = counting(rate_connection=10).allowance(ANN, "a", 0)
    assert let_through(allowance, say(1), 0) == 300
    later = [allowance.asks(say(seq), 0, 0) for seq in range(2, 13)]
    assert later == sorted(later)
    at = later[-1] / 1000
    assert all(allowance.asks(say(seq), 0, at) == 0 for seq in range(1, 13))


def test_nobody_goes_before_a_command_that_was_refused_until_it_is_given_up():
    allowance = counting(rate_connection=10).allowance(ANN, "a", 0)
    let_through(allowance, say(5), 0)
    again_s = allowance.asks(say(6), 0, 0) / 1000
    assert allowance.asks(say(7), 0, 1.0) > 0, "there is enough again, but 5 has not come"
    assert allowance.asks(Ping(id=1), 0, 1.0) == 0, "which has no order"
    assert [allowance.asks(say(seq), 0, 1.0) for seq in (5, 6, 7)] == [0, 0, 0]
    let_through(allowance, say(8), 1.0)
    assert allowance.asks(say(9), 0, 1.0 + again_s + 1) > 0
    assert allowance.asks(say(9), 0, 1.0 + again_s + 10) == 0


def test_nobody_goes_before_any_of_the_commands_that_were_refused():
    allowance = counting(rate_connection=10).allowance(ANN, "a", 0)
    let_through(allowance, say(1), 0)
    assert all(allowance.asks(say(seq), 0, 0) for seq in (2, 3))
    assert allowance.asks(say(1), 0, 1.0) == 0
    assert allowance.asks(say(4), 0, 1.0) > 0, "2 and 3 have not come yet"
    assert [allowance.asks(say(seq), 0, 1.0) for seq in (2, 3, 4)] == [0, 0, 0]


def test_a_client_that_waits_as_it_is_told_is_never_closed_and_one_that_does_not_is():
    allowance = counting(rate_connection=10).allowance(ANN, "a", 0)
    seq, now = 1, 0.0
    for _ in range(300):  # as the SDK does: twelve under way, all again when it is time
        waits = [allowance.asks(say(seq + k), 0, now) for k in range(12)]
        assert not any([allowance.too_often(now) for wait in waits if wait])
        if any(waits):
            now += max(waits) / 1000
            assert not any(allowance.asks(say(seq + k), 0, now) for k in range(12) if waits[k])
        seq += 12
    let_through(allowance, say(seq), now)
    assert any(allowance.too_often(now) for _ in range(301))


def test_all_is_told():
    told = Limits(Settings()).told()
    assert (told["rate_seat"], told["burst_seat"], told["connections_table"]) == (15, 900, 500)
    assert set(NONE) <= set(told)
    assert {name.replace("rate_", "burst_", 1) for name in NONE if name.startswith("rate_")} <= set(told)
    door = Door(Settings())
    assert told["burst_joins_all"] == sum(door.enter(f"a{k}", 0) is None for k in range(350))


def test_every_bound_of_a_table_is_told():
    told = {**version.limits(), **Limits(Settings()).told()}
    there = {name for name, value in vars(bounds).items() if name.isupper() and isinstance(value, int)}
    assert there >= {"UNITS", "EFFECTS", "STACK", "ASKS"}
    for name in there - {"NAME", "TEXT"}:
        assert told[f"most_{name.lower()}"] == getattr(bounds, name)
    assert (told["name"], told["text"]) == (bounds.NAME, bounds.TEXT)
    assert told["most_dice"] == MOST_DICE


# -------------------------------------------------------------------------------------------------------------- the door
def test_the_door_counts_all_those_of_an_address_and_those_nobody_knows():
    door = Door(Settings(**{**NONE, "connections": 5, "connections_address": 3, "connections_unknown": 8}))  # type: ignore[arg-type]
    assert door.enter("a", 0) is None
    assert door.enter("a", 0) is None
    assert door.enter("a", 0).status == 429, "a quarter of all unknown"  # type: ignore[union-attr]
    door.shown("a")
    assert door.enter("a", 0) is None
    assert "from your address" in door.enter("a", 0).text  # type: ignore[union-attr]
    door.leave("a", shown=True)
    door.shown("a")
    assert door.enter("a", 0) is None
    assert door.enter("b", 0) is None
    assert door.enter("b", 0) is None
    assert door.enter("c", 0).status == 503  # type: ignore[union-attr]
    for _ in range(2):
        door.leave("b", shown=False)
    assert door.enter("c", 0) is None


def test_the_unknown_are_few_in_all():
    door = Door(Settings(**{**NONE, "connections_unknown": 4}))  # type: ignore[arg-type]
    assert [door.enter(address, 0) is None for address in "abcde"] == [True, True, True, True, False]


def test_a_storm_from_everywhere_is_let_in_slowly_and_most_of_it_not_even_heard():
    door = Door(Settings(**{**NONE, "rate_joins_all": 10}))  # type: ignore[arg-type]
    heard = [k for k in range(1000) if door.knock(f"a{k}", 0) is None]
    assert len(heard) == 60
    assert all(door.enter(f"a{k}", 0) is None for k in heard)
    heard = [k for k in range(1000) if door.knock("b", 1) is None]
    assert len(heard) == 20
    full = [door.enter(f"b{k}", 1) for k in heard]
    assert sum(one is None for one in full) == 10
    assert {one.status for one in full if one} == {503}
    assert door.knock("b", 2) is None
    assert door.enter("c", 2) is None


def test_who_knocks_all_the_time_leaves_the_others_theirs():
    door = Door(Settings(**{**NONE, "rate_joins": 10, "rate_joins_all": 50}))  # type: ignore[arg-type]
    heard = {"a": 0, "b": 0, "": 0}
    for second in range(1, 31):
        for address, times in (("a", 1000), ("b", 10), ("", 30)):
            heard[address] += sum(door.knock(address, second) is None for _ in range(times))
    assert 800 < heard["a"] < 900, "300 at once and 20 a second"
    assert heard["b"] >= 280, "all but those of the very first seconds"
    assert door.knock("a", 30).status == 429  # type: ignore[union-attr]
    assert heard[""] >= 840, "of a proxy, through which many come, nobody is counted with the others"


def test_where_many_come_at_once_they_are_greeted_one_after_the_other():
    door = Door(Settings(**{**NONE, "rate_joins_all": 10}))  # type: ignore[arg-type]
    turns = []
    for k in range(6):
        assert door.enter(f"a{k}", 0) is None
        turns.append(round(door.turn_s(0), 2))
    assert turns == [0.0] * 2 + [0.1, 0.2, 0.3, 0.4]
    assert door.turn_s(60) == 0


def test_an_address_comes_only_so_often():
    door = Door(Settings(**{**NONE, "rate_joins": 2}))  # type: ignore[arg-type]
    assert sum(door.enter("a", 0) is None for _ in range(100)) == 60
    assert door.enter("a", 0).after_s == 1  # type: ignore[union-attr]
    assert door.enter("b", 0) is None
    assert door.enter("a", 1) is None


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("", ""),
    ],
)
def test_a_household_is_counted_as_one(address: str, counted: str):
    assert household(address) == counted
