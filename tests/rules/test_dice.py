"""Dice pools: successes, again, extra successes, opposed rolls, the chance die (DICE-01 to DICE-06)."""

import pytest

from core import commands as cmd
from core import events as ev
from core.dice.pool import attribute_extras, throw
from core.ids import RequestId
from core.state import Ability, Pool
from tests.helpers.play import Game, attack


def rolled(game: Game) -> ev.Rolled:
    """The last roll that was made."""
    return next(e for e in reversed(game.events) if isinstance(e, ev.Rolled))


def roll(faces: list[int], pool: Pool, **house) -> ev.Rolled:
    """One roll of a unit with DEX 3, WIT 4, Stealth 2."""
    game = Game(dice=faces, **house)
    unit = game.unit("Mira", "p1", attributes={"DEX": 3, "WIT": 4, "MIGHT": 11}, skills={"Stealth": 2})
    game.do(cmd.Roll(unit, pool), "p1")
    assert not game.dice.left, "all the faces were rolled"
    return rolled(game)


# ------------------------------------------------------------------------------------------------------------- DICE-01
@pytest.mark.case("DICE-01.1")
@pytest.mark.rule("DICE-01")
@pytest.mark.parametrize(
    ("pool", "size"),
    [
        pytest.param(Pool(("DEX",), ("Stealth",), modifier=+1 - 2), 4, id="Attribute 3 + Skill 2 + 1 - 2"),
        pytest.param(Pool(("DEX",)), 3, id="one Attribute 3"),
        pytest.param(Pool(("DEX", "WIT")), 7, id="two Attributes 3 and 4"),
        pytest.param(Pool(fixed=6), 6, id="fixed 6"),
        pytest.param(Pool(("DEX",), ("Cooking",)), 3, id="a Skill it lacks"),
    ],
)
def test_a_pool_is_attribute_skill_and_modifiers(pool: Pool, size: int):
    throw = roll([1] * size, pool)
    assert (throw.size, sum(n for _, n in throw.parts), len(throw.faces)) == (size, size, size)


@pytest.mark.case("DICE-01.2")
@pytest.mark.rule("DICE-01")
def test_eight_and_more_are_successes():
    assert roll([7, 8, 9, 1], Pool(fixed=4)).successes == 2


# ------------------------------------------------------------------------------------------------------------- DICE-02
@pytest.mark.case("DICE-02.1")
@pytest.mark.rule("DICE-02")
def test_each_ten_rolls_one_more_die_and_so_on():
    throw = roll([10, 10, 3], Pool(fixed=1))
    assert (throw.successes, throw.faces) == (2, (10, 10, 3))


@pytest.mark.rule("DICE-02")
@pytest.mark.parametrize(("again", "faces"), [(9, [9, 8]), (8, [8, 9, 10, 7]), (10, [9])])
def test_nine_and_eight_again_roll_on_from_there(again: int, faces: list[int]):
    assert roll(faces, Pool(fixed=1, again=again)).faces == tuple(faces)


@pytest.mark.case("DICE-02.1")
@pytest.mark.rule("DICE-02")
@pytest.mark.parametrize("again", [7, 11])
def test_seven_again_is_refused(again: int):
    game = Game()
    unit = game.unit("Mira", "p1")
    assert game.refused(cmd.Roll(unit, Pool(fixed=1, again=again)), "p1") == "bad_again"
    assert game.refused(cmd.AskRoll((unit,), Pool(fixed=1, again=again))) == "bad_again"


@pytest.mark.case("DICE-02.2")
@pytest.mark.rule("DICE-02")
@pytest.mark.parametrize(
    ("again", "betters", "level", "faces"),
    [
        pytest.param(9, 2, 8, [8, 7], id="two better 9-again: 8-again, no further"),
        pytest.param(10, 1, 9, [9, 8], id="one betters 10-again: 9-again"),
        pytest.param(9, 0, 9, [8], id="none betters 9-again"),
    ],
)
def test_each_ability_betters_the_again_level_one_step_and_none_beyond_eight(again, betters, level, faces):
    throw = roll(faces, Pool(fixed=1, again=again, betters=betters))
    assert (throw.again, throw.faces) == (level, tuple(faces))


@pytest.mark.case("DICE-02.2")
@pytest.mark.rule("DICE-02", "ATT-01")
@pytest.mark.parametrize(
    ("pool", "attached", "faces"),
    [
        pytest.param(
            {"again": 9, "betters": 1}, ["sure"], [8, 7], id="the action's own, and the attached: no further than 8"
        ),
        pytest.param({}, ["sure"], [9, 8], id="the attached alone"),
        pytest.param({}, [], [9], id="neither"),
    ],
)
def test_an_attached_ability_betters_the_again_level_of_the_action_it_is_attached_to(pool, attached, faces):
    game = Game(dice=faces, reaction_window_ms=0)
    sure = Ability("sure", attaches=("attack",), pool=Pool(betters=1))
    mira = game.unit("Mira", "p1", initiative=20, abilities=[attack(dice=1, pool=pool), sure])
    zombie = game.unit("Zombie", hp=20)
    game.start(mira, zombie)
    game.declare(mira, ability="sword", targets=[zombie], attached=attached)
    assert rolled(game).faces == tuple(faces)


# ------------------------------------------------------------------------------------------------------------- DICE-03
@pytest.mark.case("DICE-03.1")
@pytest.mark.rule("DICE-03")
@pytest.mark.parametrize(
    ("faces", "lost", "successes"),
    [
        pytest.param([1, 1], 0, 0, id="rolled 0, extra 5"),
        pytest.param([8, 1], 1, 0, id="rolled 1, one lost, extra 5"),
        pytest.param([8, 8], 1, 6, id="rolled 2, one lost, extra 5"),
    ],
)
def test_extra_successes_count_only_on_top_of_real_ones(faces: list[int], lost: int, successes: int):
    game = Game(dice=faces, reaction_window_ms=0)
    mira = game.unit("Mira", "p1", initiative=20, extras={"attack": 5}, abilities=[attack(dice=2)])
    zombie = game.unit("Zombie", initiative=10, hp=20, extras={"defense": lost})
    game.start()
    game.do(cmd.SetDefaultGuard(lost) if lost else cmd.Say("no guard"))
    game.declare(mira, ability="sword", targets=[zombie])
    assert game.hp(zombie) == 20 - successes


@pytest.mark.rule("DICE-03")
def test_a_roll_without_a_real_success_fails_whatever_its_extras():
    assert roll([1, 1], Pool(fixed=2, extra=5)).successes == 0
    assert roll([8, 1], Pool(fixed=2, extra=5)).successes == 6


# ------------------------------------------------------------------------------------------------------------- DICE-04
@pytest.mark.case("DICE-04.1")
@pytest.mark.rule("DICE-04")
@pytest.mark.parametrize(("value", "extras"), [(5, 0), (6, 1), (10, 1), (11, 2), (16, 3), (0, 0)])
def test_an_attribute_gives_an_extra_success_at_six_and_for_each_five_above(value: int, extras: int):
    assert attribute_extras(value) == extras


@pytest.mark.rule("DICE-04")
def test_the_attributes_and_skills_in_the_pool_give_theirs_and_no_others():
    game = Game(dice=[8, *[1] * 12])
    unit = game.unit("Mira", "p1", attributes={"MIGHT": 11, "WIT": 16}, skills={"Brawl": 2}, extras={"Brawl": 1})
    game.do(cmd.Roll(unit, Pool(("MIGHT",), ("Brawl",))), "p1")
    assert (rolled(game).extra, rolled(game).successes) == (3, 4)


# ------------------------------------------------------------------------------------------------------------- DICE-05
def notice(faces: list[int], *, hider_extra: int = 0, **house) -> bool:
    """DEX + Stealth against PER + Investigation, the hider's faces first; whether he is noticed."""
    game = Game(dice=faces, **house)
    hider = game.unit("Hider", attributes={"DEX": 3}, skills={"Stealth": 1}, extras={"Stealth": hider_extra})
    seeker = game.unit("Seeker", "p1", attributes={"PER": 3}, skills={"Investigation": 1})
    pools = Pool(("PER",), ("Investigation",)), Pool(("DEX",), ("Stealth",))
    game.do(cmd.Roll(seeker, pools[0], opposes=hider, opposed_pool=pools[1]))
    throw = rolled(game)
    assert throw.unit == seeker
    assert throw.dc is not None
    return throw.successes >= max(1, throw.dc)


@pytest.mark.rule("DICE-05")
def test_an_opposed_roll_that_the_storyteller_asked_for_is_the_one_he_asked_for_on_both_sides():
    game = Game(dice=[1] * 9)
    mira = game.unit("Mira", "p1")
    rolf = game.unit("Rolf", "p1")
    ask = game.do(cmd.AskRoll((mira,), Pool(fixed=3), reason="arm wrestling")).made[0]
    game.do(cmd.Roll(mira, Pool(fixed=9), reason="mine", ask=RequestId(ask), opposes=rolf), "p1")
    assert [(e.unit, e.size, e.why) for e in game.happened(ev.Rolled)] == [
        (rolf, 3, "arm wrestling"),
        (mira, 3, "arm wrestling"),
    ]


@pytest.mark.case("DICE-05.1")
@pytest.mark.rule("DICE-05")
def test_two_successes_do_not_notice_a_stealth_of_three():
    assert not notice([8, 8, 8, 1, 8, 8, 1, 1])


@pytest.mark.case("DICE-05.2")
@pytest.mark.rule("DICE-05")
def test_equal_successes_favour_who_rolls_against_the_dc():
    assert notice([8, 8, 8, 1, 8, 8, 8, 1])


@pytest.mark.rule("DICE-05")
def test_by_house_rule_equal_successes_favour_the_opponent():
    assert not notice([8, 8, 8, 1, 8, 8, 8, 1], opposed_tie="defender")
    assert notice([8, 8, 8, 1, 8, 8, 8, 8], opposed_tie="defender")


@pytest.mark.case("DICE-05.3")
@pytest.mark.rule("DICE-05")
def test_the_opponents_extra_successes_are_part_of_the_dc():
    assert not notice([8, 8, 8, 1, 8, 8, 8, 1], hider_extra=1)
    assert notice([8, 8, 8, 1, 8, 8, 8, 8], hider_extra=1)


@pytest.mark.rule("DICE-05")
def test_a_static_roll_names_its_dc():
    game = Game(dice=[8, 8])
    unit = game.unit("Mira", "p1")
    game.do(cmd.Roll(unit, Pool(fixed=2), dc=2), "p1")
    assert (rolled(game).dc, rolled(game).successes) == (2, 2)


# ------------------------------------------------------------------------------------------------------------- DICE-06
@pytest.mark.case("DICE-06.1")
@pytest.mark.rule("DICE-06")
def test_a_nine_on_a_chance_die_is_no_success():
    throw = roll([9], Pool(fixed=-3))
    assert (throw.chance, throw.size, throw.successes, throw.dramatic) == (True, 1, 0, False)


@pytest.mark.case("DICE-06.1")
@pytest.mark.rule("DICE-06")
def test_a_one_on_a_chance_die_is_a_dramatic_failure_and_the_storyteller_is_told():
    game = Game(dice=[1])
    unit = game.unit("Mira", "p1")
    game.do(cmd.Roll(unit, Pool(fixed=-3)), "p1")
    assert rolled(game).dramatic
    line = game.received("st")[-1].lines[-1]
    assert (line[0], line[3 + 7]) == ("rolled", True)


@pytest.mark.case("DICE-06.1")
@pytest.mark.rule("DICE-06")
def test_once_it_has_succeeded_a_later_one_is_no_dramatic_failure():
    throw = roll([10, 1], Pool(fixed=0))
    assert (throw.successes, throw.dramatic) == (1, False)


@pytest.mark.case("DICE-06.2")
@pytest.mark.rule("DICE-06")
def test_the_again_dice_of_a_chance_die_succeed_on_ten_only_or_by_house_rule_as_normal():
    assert roll([10, 8], Pool(fixed=0)).successes == 1
    assert roll([10, 8], Pool(fixed=0), chance_again="normal").successes == 2


@pytest.mark.case("DICE-06.3")
@pytest.mark.rule("DICE-06")
def test_extra_successes_stay_out_of_a_chance_die_unless_they_say_that_they_help():
    assert roll([10, 5], Pool(fixed=0, extra=4)).successes == 1
    assert roll([10, 5], Pool(fixed=0, extra=4, helps_chance=True)).successes == 5


@pytest.mark.case("DICE-06.4")
@pytest.mark.rule("DICE-06")
def test_dice_added_after_the_pool_became_a_chance_die_stay_out_unless_they_say_that_they_help():
    assert roll([9], Pool(fixed=-1, added=3)).chance
    helped = roll([9, 2], Pool(fixed=-1, added=3, helps_chance=True))
    assert (helped.chance, helped.size, helped.successes) == (False, 2, 1)
    assert roll([9, 2, 2, 2], Pool(fixed=1, added=3)).size == 4


@pytest.mark.rule("DICE-06")
def test_modifiers_of_the_pool_count_before_it_is_seen_to_be_a_chance_die():
    assert roll([9, 2], Pool(fixed=-1, modifier=3)).size == 2


@pytest.mark.case("DICE-06.5")
@pytest.mark.rule("DICE-06")
def test_with_nine_again_a_nine_and_then_a_one_are_a_dramatic_failure():
    throw = roll([9, 1], Pool(fixed=0, again=9))
    assert (throw.successes, throw.dramatic) == (0, True)


@pytest.mark.rule("DICE-06")
def test_an_attack_whose_defence_leaves_no_dice_rolls_a_chance_die_without_its_extras():
    game = Game(dice=[10, 5], reaction_window_ms=0)
    mira = game.unit("Mira", "p1", initiative=20, extras={"attack": 4}, abilities=[attack(dice=3)])
    zombie = game.unit("Zombie", initiative=10, base=5)
    game.start()
    game.declare(mira, ability="sword", targets=[zombie])
    assert (rolled(game).chance, game.hp(zombie)) == (True, 9)


@pytest.mark.rule("DICE-06")
def test_what_helps_a_chance_die_helps_an_attack_too():
    game = Game(dice=[10, 5], reaction_window_ms=0)
    helped = attack(dice=0, pool={"extra": 4, "helps_chance": True})
    mira = game.unit("Mira", "p1", initiative=20, abilities=[helped])
    zombie = game.unit("Zombie", initiative=10)
    game.start()
    game.declare(mira, ability="sword", targets=[zombie])
    assert game.hp(zombie) == 5


@pytest.mark.rule("DICE-01")
def test_no_more_dice_are_rolled_than_are_shown():
    game = Game(dice=[3] * 1000)
    unit = game.unit("a", "p1")
    for pool in (Pool(fixed=501), Pool(fixed=8_000_000), Pool(fixed=490, modifier=11)):
        for command in (cmd.Roll(unit, pool), cmd.AskRoll((unit,), pool)):
            assert game.refused(command) == "bad_value"
    game.do(cmd.Roll(unit, Pool(fixed=500)))


def test_a_roll_that_would_not_end_ends():
    thrown = throw(iter([10] * 10_000), 1)
    assert len(thrown.faces) == 500
