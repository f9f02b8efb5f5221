"""Dice that anybody can check: sealed seeds, the origin of every roll, seeds opened in the end, even faces (DICE-07)."""

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.dice.pool import throw
from core.dice.proof import NO_AGAIN, SIDES, Origin, commitment, faces_of, shown
from core.dice.source import KeyedDice
from core.ids import ALL, UnitId
from core.state import Pool, Seeds
from tests.helpers.play import THE_ST, Game, attack, make_act

pytestmark = pytest.mark.rule("DICE-07")

KEY = b"scripted"
"""That of the table's dice; no seed may be told from anything but this."""


def table(**house: Any) -> tuple[Game, UnitId]:
    """A table with real dice, and Mira."""
    game = Game(**house)
    game.dice = KeyedDice(KEY)  # type: ignore[assignment]
    return game, game.unit("Mira", "p1", initiative=20, abilities=[attack()])


def roll(game: Game, unit: UnitId, by: str = "p1", **fields: Any) -> ev.Rolled:
    game.do(cmd.Roll(unit, Pool(fixed=5), **fields), by)
    return last_roll(game)


def last_roll(game: Game) -> ev.Rolled:
    return next(e for e in reversed(game.events) if isinstance(e, ev.Rolled))


def lines(game: Game, audience: str, kind: str) -> list[list[Any]]:
    """The fields of the lines of a kind that an audience has been sent."""
    return [line[3:] for patch in game.received(audience) for line in patch.lines if line[0] == kind]


def change_scene(game: Game) -> None:
    """A fight, for it makes a scene of its own."""
    game.do(cmd.StartFight(counts=True) if game.table.play.fight is None else cmd.EndFight())


# ------------------------------------------------------------------------------------------------- sealed, rolled, opened
def test_at_the_start_of_a_scene_a_commitment_is_published_to_everybody():
    game, _ = table()
    change_scene(game)
    promised = KeyedDice(KEY).commitments(2)
    for audience in ("st", "p1", "p2", ALL):
        assert lines(game, audience, "seed_committed") == [[2, promised.open, promised.secret]]
        assert game.seen(audience)["t/dice"] == {"seed": 2, "open": promised.open, "secret": promised.secret}


def test_each_roll_names_seed_counter_and_what_seats_have_mixed_in():
    game, mira = table()
    game.do(cmd.MixDice("4711"), "p1")
    first, second = roll(game, mira), roll(game, mira)
    assert (first.seed, first.stream, first.counter, first.mixed) == (1, "open", 1, (("p1", "4711"),))
    assert second.counter == 2
    told = lines(game, ALL, "rolled")[0]
    assert (told[11], told[15:18]) == (1, [1, None, [["p1", "4711"]]])


def test_at_the_scenes_end_the_seed_is_opened_and_anyone_can_recompute_every_face():
    game, mira = table()
    game.do(cmd.MixDice("盐 & pepper"), "p2")
    thrown = [roll(game, mira) for _ in range(20)]
    sealed = game.table.seeds.open
    change_scene(game)
    [[number, opened, _]] = lines(game, "p2", "seed_revealed")
    assert number == 1
    assert hashlib.sha256(bytes.fromhex(opened)).hexdigest() == sealed
    for one in thrown:
        origin = Origin(one.seed, one.stream, one.counter, one.mixed)
        assert shown(bytes.fromhex(opened), origin, one.size, one.again) == one.faces
    assert game.table.seeds.number == 2


def test_a_face_can_be_recomputed_by_hand_as_the_page_says():
    import hmac

    seed = bytes(range(32))
    block = hmac.new(seed, b'open/7/0/[["p1","salt"]]', hashlib.sha256).digest()
    by_hand = [byte % 10 + 1 for byte in block if byte < 250]
    assert list(islice(faces_of(seed, Origin(3, "open", 7, (("p1", "salt"),))), len(by_hand))) == by_hand
    assert commitment(seed) == hashlib.sha256(seed).hexdigest()


@pytest.mark.parametrize("before", ["a roll", "nothing"])
def test_nobody_the_st_included_is_told_a_seed_before_its_end(before):
    game, mira = table()
    if before == "a roll":
        roll(game, mira)
        roll(game, mira, "st", visibility="st")
    change_scene(game)
    told = repr([[game.received(a), game.seen(a)] for a in ("st", "p1", ALL)]) + repr((game.table, game.events))
    for number in (2, 3):
        for seed in KeyedDice(KEY).seeds(number):
            assert seed not in told
            assert repr(bytes.fromhex(seed))[2:-1] not in told
    assert KeyedDice(KEY).seeds(1).open in told


def test_a_fights_initiatives_are_of_the_seed_before_it_and_its_blows_of_its_own():
    game, mira = table(reaction_window_ms=0)
    rolf = game.unit("Rolf", "p2")
    game.do(cmd.SetValue(rolf, "initiative", None, 10))
    change_scene(game)
    assert (last_roll(game).why, last_roll(game).seed, last_roll(game).again) == ("initiative", 1, NO_AGAIN)
    game.declare(mira, ability="sword", targets=[rolf])
    assert (last_roll(game).seed, game.table.seeds.number) == (2, 2)


# ---------------------------------------------------------------------------------------------------------- secret rolls
def test_secret_rolls_have_a_seed_of_their_own_that_only_the_st_is_told():
    game, mira = table()
    ghost = game.unit("Ghost", hidden=True)
    secret = [roll(game, ghost, "st"), roll(game, mira, visibility="roller"), roll(game, mira, "st", visibility="st")]
    assert [one.stream for one in secret] == ["st", "seat:p1", "st"]
    change_scene(game)
    open_seed, secret_seed = KeyedDice(KEY).seeds(1)
    assert lines(game, "st", "seed_revealed") == [[1, open_seed, secret_seed]]
    for audience in ("p1", "p2", ALL):
        assert lines(game, audience, "seed_revealed") == [[1, open_seed, None]]
        assert secret_seed not in repr(game.received(audience))
    for one in secret:
        origin = Origin(one.seed, one.stream, one.counter, one.mixed)
        assert shown(bytes.fromhex(secret_seed), origin, one.size, one.again) == one.faces
        assert shown(bytes.fromhex(open_seed), origin, one.size, one.again) != one.faces
    assert commitment(bytes.fromhex(secret_seed)) == lines_before(game)


def lines_before(game: Game) -> str:
    """The secret commitment of the first seed, as the table had it from the first day."""
    return game.changes[0].before.seeds.secret


@pytest.mark.parametrize("who", ["hidden", "off stage", "hidden opponent", "hidden defender"])
def test_what_players_may_not_see_leaves_no_gap_in_the_count_of_what_they_see(who):
    game, mira = table(reaction_window_ms=0)
    blast = replace(attack("blast"), area=True, negate=Pool(fixed=2))
    game.do(cmd.RemoveUnit(mira))
    mira = game.unit("Mira", "p1", initiative=20, abilities=[blast])
    ghost = game.unit("Ghost", hidden=who != "off stage", on_stage=who != "off stage", initiative=1)
    roll(game, mira)
    if who == "hidden opponent":
        game.do(cmd.Roll(mira, Pool(fixed=2), opposes=ghost))
    elif who == "hidden defender":
        change_scene(game)
        game.do(cmd.Insert(mira, make_act("attack", "standard", ability="blast", targets=[ghost])))
    else:
        game.do(cmd.Roll(ghost, Pool(fixed=2)))
    roll(game, mira)
    for audience in ("p2", ALL):
        counters = [line[11] for line in lines(game, audience, "rolled")]
        assert counters == list(range(1, len(counters) + 1))
    assert len(lines(game, "st", "rolled")) > len(lines(game, "p2", "rolled"))


# ------------------------------------------------------------------------------------------- nobody can choose his roll
def test_a_rewind_within_the_scene_goes_on_with_its_seed_and_never_rolls_the_same_again():
    game, mira = table()
    before = game.version
    first = roll(game, mira)
    game.rewind(before)
    again = roll(game, mira)
    assert (first.seed, again.seed) == (1, 1)
    assert (first.counter, again.counter) == (1, 2)
    assert not game.happened(ev.SeedCommitted)


def test_a_rewind_across_a_scenes_end_goes_on_with_a_new_seed():
    """What has been opened can be foretold by everybody."""
    game, mira = table()
    before = game.version
    roll(game, mira)
    change_scene(game)
    game.rewind(before)
    assert game.table.play.scene == 1
    assert [e.seeds.number for e in game.happened(ev.SeedCommitted)] == [3]
    assert [e.number for e in game.happened(ev.SeedRevealed)] == [2]
    assert roll(game, mira).seed == 3


def test_a_rewind_across_two_ends_to_a_scene_of_the_same_number_goes_on_with_a_new_seed_too():
    game, mira = table()
    start = game.version
    change_scene(game)
    inside = game.version
    game.rewind(start)
    change_scene(game)
    assert (game.table.play.scene, game.table.seeds.number) == (2, 4)
    game.rewind(inside)
    assert (game.table.play.scene, game.table.seeds.number) == (2, 5)


def test_a_rewind_to_the_very_start_of_the_scene_is_within_it():
    game, mira = table()
    change_scene(game)
    start = game.version
    roll(game, mira)
    game.rewind(start)
    assert game.table.seeds.number == 2


def test_a_take_back_across_a_scenes_end_has_a_new_seed_too():
    game, mira = table()
    game.start(mira)
    game.declare(mira, "open")
    change_scene(game)
    game.do(cmd.AskTakeBack(), "p1")
    [request] = game.table.requests.values()
    assert request.to is not None
    play = game.changes[request.to].before.play
    seeds = game.table.seeds.number
    game.do(cmd.AnswerRequest(request.id, True, head=game.version, play=play))
    assert game.table.seeds.number == seeds + 1


def test_the_same_roll_decided_again_shows_the_same_faces():
    """Not committed, it has rolled nothing: not after a conflict, not on another node, not after a crash."""
    game, mira = table()
    command = cmd.Roll(mira, Pool(fixed=9))
    tries = [game._decide(command, THE_ST) for _ in range(3)]
    assert tries[0] == tries[1] == tries[2]


# ------------------------------------------------------------------------------------------------- what seats mix in
def test_what_a_seat_mixes_in_changes_every_further_roll_of_the_scene():
    rolls = []
    for text in ("", "a", "b"):
        game, mira = table()
        if text:
            game.do(cmd.MixDice(text), "p2")
        rolls.append(roll(game, mira).faces)
    assert len(set(rolls)) == 3


def test_what_seats_have_mixed_in_is_public_and_the_last_of_each_counts():
    game, mira = table()
    game.do(cmd.MixDice("salt"), "p2")
    game.do(cmd.MixDice("dust"), "st")
    game.do(cmd.MixDice("sugar"), "p2")
    assert game.seen(ALL)["t/dice"]["mixed"] == {"p2": "sugar", "st": "dust"}
    assert lines(game, "p1", "dice_mixed") == [["p2", "salt"], ["st", "dust"], ["p2", "sugar"]]
    assert roll(game, mira).mixed == (("p2", "sugar"), ("st", "dust"))


def test_a_new_seed_begins_with_nothing_mixed_in():
    """Else the server could choose a seed that goes well with what it knows is mixed in."""
    game, mira = table()
    game.do(cmd.MixDice("salt"), "p2")
    change_scene(game)
    assert game.table.seeds.mixed == {}
    assert "mixed" not in game.seen("p2")["t/dice"]


@pytest.mark.parametrize(("text", "code"), [("", "bad_value"), ("a\nb", "bad_value"), ("\ud800", "bad_value")])
def test_what_is_mixed_in_is_something_that_can_be_printed(text, code):
    game, _ = table()
    assert game.refused(cmd.MixDice(text), "p1") == code


def test_mixing_the_same_in_again_is_nothing_new():
    game, _ = table()
    game.do(cmd.MixDice("salt"), "p1")
    assert game.refused(cmd.MixDice("salt"), "p1") == "no_change"


# --------------------------------------------------------------------------------------------------------- older tables
def test_a_table_older_than_its_proofs_rolls_on_and_is_sealed_with_its_next_scene():
    game, mira = table()
    game.table = replace(game.table, seeds=Seeds())
    assert roll(game, mira).seed == 0
    assert "t/dice" not in game.seen(ALL)
    change_scene(game)
    assert (game.happened(ev.SeedRevealed), game.table.seeds.number) == ([], 1)
    change_scene(game)
    assert [e.number for e in game.happened(ev.SeedRevealed)] == [1]


# ------------------------------------------------------------------------------------------------------------ even faces
def test_the_same_place_of_the_same_seed_shows_the_same_faces_and_another_place_others():
    def first(key: bytes, origin: Origin) -> list[int]:
        return list(islice(KeyedDice(key).faces(origin), 100))

    origin = Origin(1, "open", 1)
    assert first(b"key", origin) == first(b"key", origin)
    others = [
        (b"key", replace(origin, counter=2)),
        (b"key", replace(origin, seed=2)),
        (b"key", replace(origin, stream="st")),
        (b"key", replace(origin, mixed=(("p1", "mine"),))),
        (b"other", origin),
    ]
    assert all(first(*other) != first(b"key", origin) for other in others)


MILLION = 1_000_000
CRITICAL = {1: 10.83, 5: 20.52, 6: 22.46, 7: 24.32, 8: 26.12, 9: 27.88, 99: 148.2}
"""Chi-square by degrees of freedom: more than this by chance once in a thousand. The keys here are fixed."""


def chi_square(counts: Counter[Any], expected: dict[Any, float]) -> float:
    assert set(counts) <= set(expected)
    return sum((counts[key] - n) ** 2 / n for key, n in expected.items())


@pytest.mark.parametrize("again", [10, 9, 8, NO_AGAIN])
def test_a_million_faces_are_even_at_every_again_level(again):
    """Of pools of five: all faces, those of the dice rolled again alone, and the successes that one die brings."""
    dice = KeyedDice(b"a fixed key")
    faces: Counter[int] = Counter()
    more: Counter[int] = Counter()
    number = 0
    while faces.total() < MILLION:
        number += 1
        thrown = throw(dice.faces(Origin(again, "open", number)), 5, again=again).faces
        faces.update(thrown)
        more.update(thrown[5:])
    for counts in (faces, more) if again != NO_AGAIN else (faces,):
        assert chi_square(counts, dict.fromkeys(range(1, SIDES + 1), counts.total() / SIDES)) < CRITICAL[9]


@pytest.mark.parametrize("again", [10, 9, 8])
def test_a_die_brings_as_many_successes_as_its_again_level_says(again):
    """One die of n-again: rolls on with q = (11 - n) / 10, succeeds and stops with 0.3 - q, fails with 0.7."""
    dice, rolls, most = KeyedDice(b"another key"), 100_000, 5
    found = Counter(
        min(most, throw(dice.faces(Origin(again, "open", k)), 1, again=again).successes) for k in range(rolls)
    )
    q = (SIDES + 1 - again) / SIDES
    chances = {0: 0.7} | {k: q ** (k - 1) * (0.3 - q) + q**k * 0.7 for k in range(1, most)}
    chances[most] = 1 - sum(chances.values())
    assert chi_square(found, {k: chance * rolls for k, chance in chances.items()}) < CRITICAL[5]


def test_neighbouring_rolls_and_neighbouring_faces_have_nothing_to_do_with_each_other():
    dice = KeyedDice(b"a third key")
    pairs = Counter(tuple(islice(dice.faces(Origin(1, "st", counter)), 2)) for counter in range(50_000))
    assert chi_square(pairs, {(a, b): 500 for a in range(1, 11) for b in range(1, 11)}) < CRITICAL[99]
    firsts = [next(dice.faces(Origin(1, "open", counter))) for counter in range(50_001)]
    rolls = Counter(zip(firsts[:-1], firsts[1:], strict=True))
    assert chi_square(rolls, {(a, b): 500 for a in range(1, 11) for b in range(1, 11)}) < CRITICAL[99]
