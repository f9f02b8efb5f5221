"""The page on rulesets is complete, and its example plays (core/rulesets/README.md)."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from core import commands as cmd
from core import rulesets
from core.rulesets import RULESETS, Ruleset
from tests.helpers.play import Game, attack, make_act

PAGE = (Path(rulesets.__file__).parent / "README.md").read_text()


def hooks(game: type[Ruleset]) -> set[str]:
    return {name for name in vars(game) if not name.startswith("_")}


def test_every_hook_is_on_the_page_and_has_a_line_of_its_own():
    told = {name for row in re.findall(r"^\| (`.+?) \|", PAGE, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert told == hooks(Ruleset)
    methods = [one for name, one in vars(Ruleset).items() if inspect.isfunction(one) and not name.startswith("_")]
    assert methods
    assert all(one.__doc__ for one in methods)


@pytest.mark.parametrize("game", RULESETS.values(), ids=RULESETS)
def test_a_game_says_nothing_that_is_no_hook(game: Ruleset):
    """A misspelt hook would never be asked."""
    assert hooks(type(game)) <= hooks(Ruleset)


# ---------------------------------------------------------------------------------------------------- the third game
@pytest.fixture
def tavern_brawl(monkeypatch: pytest.MonkeyPatch) -> Ruleset:
    """The page's example, at the tables of this test."""
    found: dict[str, Any] = {}
    (example,) = re.findall(r"```python\n(.+?)```", PAGE, re.DOTALL)
    exec(example, found)
    game: Ruleset = found["TavernBrawl"]()
    assert hooks(type(game)) <= hooks(Ruleset)
    monkeypatch.setitem(RULESETS, "tavern_brawl", game)
    return game


@pytest.mark.parametrize("carries", [True, False])
def test_with_which_actions_a_unit_moves_is_said_by_its_game(tavern_brawl: Ruleset, carries: bool):
    tavern_brawl.carries = frozenset({"standard"} if carries else ())
    game = Game(ruleset="tavern_brawl")
    ann = game.unit("Ann", "p1")
    game.start()
    walk = cmd.Declare(ann, make_act("move", "standard"))
    if carries:
        game.do(walk, "p1")
    else:
        assert game.refused(walk, "p1") == "ability_required"


@pytest.mark.usefixtures("tavern_brawl")
def test_the_example_is_a_third_game():
    game = Game(dice=[9, 9] * 20, ruleset="tavern_brawl")
    fist = attack("fist", 2, slots=("standard", "immediate"))
    ann = game.unit("Ann", "p1", hp=50, initiative=20, abilities=[fist])
    ben = game.unit("Ben", "p2", hp=50, initiative=10, abilities=[fist])
    game.start()
    for seat in ("p1", "p2"):
        game.do(cmd.SetStandingOrder("*", "ask"), seat)
    game.declare(ann, "melee_attack", "standard", ability="fist", targets=[ben])
    assert (game.hp(ben), game.window.kind) == (48, "after")
    game.react(ben, "fist")
    assert game.hp(ann) == 48
    game.pass_all()
    game.pass_all()
    for _ in range(2):
        game.declare(ann, "melee_attack", "standard", ability="fist", targets=[ben])
        game.pass_all()
    blow = cmd.Declare(ann, make_act("melee_attack", "standard", ability="fist", targets=[ben]))
    assert game.refused(blow, "p1") == "no_action_left"
    assert game.refused(cmd.Declare(ann, make_act("move", "move")), "p1") == "not_in_this_game"
    game.do(cmd.Declare(ann, make_act("shout", "free")), "p1")
    game.end(ann)
    assert game.left(ben) == {"standard": 3}
    game.do(cmd.SetHouse("enforce", "warn"))
    game.end(ben)
    for _ in range(4):
        game.do(blow, "p1")
        game.pass_all()
    assert game.left(ann) == {"standard": 0}
