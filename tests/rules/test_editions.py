"""The two editions of the rules: the current one is the rule, the earlier one a set of house rules (TBL-05)."""

import pytest

from core import commands as cmd
from core import events as ev
from core.editions import EARLIER, EDITIONS, house_of
from core.state import House
from tests.helpers.play import Game, attack, step_aside


def values(game: Game) -> dict[str, object]:
    return {key: getattr(game.table.house, key) for key in EARLIER}


@pytest.mark.rule("TBL-05")
def test_the_current_edition_is_the_rule_unless_something_else_is_said():
    assert House().edition == "current"
    assert values(Game()) == EDITIONS["current"]


@pytest.mark.case("TBL-05.1")
@pytest.mark.rule("TBL-05")
def test_the_earlier_edition_is_set_in_one_change_that_every_player_sees():
    game = Game()
    game.do(cmd.SetHouse("edition", "earlier"))
    assert values(game) == {
        "immediate_cost": "one_swift",
        "area_doubling": "damage_only",
        "interrupted_by_readied": "may_continue",
        "concentration_over_scenes": "goes_on",
        "extended_first_roll": "after_interval",
    }
    assert len(game.changes) == 1
    for audience in ("st", "p1", "p2", "all"):
        [patch] = game.received(audience)
        assert {path[2:]: value for path, value in patch.ops if path.startswith("h/")} == {
            "edition": "earlier",
            **EARLIER,
        }
        assert [line[0] for line in patch.lines] == ["house_set"] * 6
        assert [line[3] for line in patch.lines][0] == "edition", "what was chosen is told first"


@pytest.mark.case("TBL-05.2")
@pytest.mark.rule("TBL-05")
@pytest.mark.parametrize("key", EARLIER)
def test_one_of_its_rules_set_by_hand_stays_as_set_and_the_rest_with_the_edition(key: str):
    game = Game()
    game.do(cmd.SetHouse("edition", "earlier"))
    game.do(cmd.SetHouse(key, EDITIONS["current"][key]))
    assert game.table.house.edition == "earlier"
    assert values(game) == {**EARLIER, key: EDITIONS["current"][key]}
    assert game.happened(ev.HouseRuleSet) == [ev.HouseRuleSet(key, EDITIONS["current"][key], EARLIER[key])]


@pytest.mark.rule("TBL-05")
def test_choosing_the_edition_again_takes_back_what_was_set_by_hand_and_nothing_else():
    game = Game(hp_shown="all")
    game.do(cmd.SetHouse("edition", "earlier"))
    assert game.refused(cmd.SetHouse("edition", "earlier")) == "no_change"
    game.do(cmd.SetHouse("immediate_cost", "all_swift"))
    game.do(cmd.SetHouse("edition", "earlier"))
    assert game.happened(ev.HouseRuleSet) == [ev.HouseRuleSet("immediate_cost", "one_swift", "all_swift")]
    game.do(cmd.SetHouse("edition", "current"))
    assert game.table.house == House(grace_ms=0, hp_shown="all")


@pytest.mark.rule("TBL-05")
def test_a_table_is_made_with_an_edition_and_what_differs_from_it():
    assert house_of({"stack_depth": 3}) == House(stack_depth=3)
    earlier = house_of({"edition": "earlier", "immediate_cost": "all_swift"})
    assert earlier == House(**{"edition": "earlier", **EARLIER, "immediate_cost": "all_swift"})


@pytest.mark.rule("TBL-05")
@pytest.mark.parametrize(("edition", "left"), [("current", 0), ("earlier", 1)])
def test_two_immediate_actions_cost_all_swift_actions_of_the_next_round_or_two_in_the_earlier_edition(
    edition: str, left: int
):
    game = Game(dice=[1] * 20, edition=edition)
    abilities = [attack(dice=3), step_aside(), step_aside("parry", immediates=2)]
    mira = game.unit("Mira", "p1", initiative=20, abilities=abilities, bonus={"swift": 2})
    rolf = game.unit("Rolf", "p2", initiative=15, abilities=abilities)
    game.start()
    game.next_action_of(rolf)
    game.declare(rolf, ability="sword", targets=[mira])
    game.react(mira, "step aside", window=game.window)
    game.react(mira, "parry", window=game.window)
    while game.table.play.stack:
        game.pass_all()
    game.next_action_of(mira)
    assert game.left(mira)["swift"] == left
