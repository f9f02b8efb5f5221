"""A whole small fight by the Storyteller rules: every kind of action of theirs, to the end (STY-01 to STY-03)."""

from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.diff import patch
from core.ids import ALL, ST, UnitId
from core.state import Ability, Applied, Pool
from tests.helpers.play import Game, make_act

HIT, MISS = 9, 2


def fighter(game: Game, name: str, owner: str | None, initiative: int, *abilities: Ability) -> UnitId:
    sheet: dict[str, Any] = {"attributes": {"DEX": 3}, "skills": {"Blade": 3}, "hp": 8}
    return game.unit(name, owner, initiative=initiative, abilities=abilities, **sheet)


def blade() -> Ability:
    return Ability("blade", "melee_attack", ("simple",), Pool(("DEX",), ("Blade",)))


def parry() -> Ability:
    braced = (Applied("braced", to="self"),)
    return Ability("parry", "parry", ("simple", "reflexive"), answers=("attack",), applies=braced)


def backhand() -> Ability:
    return Ability("backhand", "melee_attack", ("reflexive",), Pool(fixed=2), answers=("attack",))


def changed(state: dict[str, Any], ops: list[list[Any]]) -> None:
    for path, *value in ops:
        if value:
            state[path] = value[0]
        else:
            del state[path]


@pytest.mark.rule("STY-01", "STY-02", "STY-03")
def test_a_fight_from_its_first_blow_to_its_last():
    game = Game(
        dice=[
            HIT, MISS, HIT,  # Ann's first of two, 6 dice less 3: 2 off Thug
            HIT, HIT,  # Thug's backhand: 2 off Ann
            MISS, MISS,  # Ann's second, 6 less 4
            HIT, HIT, HIT, HIT, HIT, HIT,  # Ben's, at his whole pool: Thug is out
            HIT, MISS, MISS, MISS, MISS, MISS,  # Boss's: 1 off Ben
            HIT, HIT, HIT, HIT, HIT, HIT,  # Ann's in turn 2
            HIT, HIT, HIT, HIT, HIT, HIT,  # Ben's in turn 2: Boss is out
        ],
        ruleset="storyteller",
    )  # fmt: skip
    ann = fighter(game, "Ann", "p1", 20, blade())
    ben = fighter(game, "Ben", "p2", 15, blade(), parry())
    thug = fighter(game, "Thug", None, 12, backhand())
    boss = fighter(game, "Boss", None, 10, blade())
    screens = {audience: dict(game.seen(audience)) for audience in (ST, ALL, "p1", "p2")}
    since = len(game.changes)
    game.start()

    def strike(unit: UnitId, at: UnitId) -> None:
        game.declare(unit, "melee_attack", "simple", ability="blade", targets=[at])

    def over() -> None:
        while game.table.play.stack:
            game.pass_all()

    # turn 1
    game.do(cmd.Announce(ann, 2), "p1")
    game.do(cmd.Declare(ann, make_act("shout", "free", text="To me!")), "p1")
    strike(ann, thug)
    assert (game.hp(thug), game.stack) == (6, ["melee_attack"])
    game.do(cmd.React(thug, make_act("melee_attack", "reflexive", ability="backhand", targets=[ann]), game.window.id))
    assert game.hp(ann) == 6
    over()
    strike(ann, thug)
    over()
    assert game.refused(cmd.Declare(ann, make_act("use", "simple")), "p1") == "no_action_left"
    assert game.refused(cmd.Declare(ann, make_act("shout", "free")), "p1") == "no_action_left"
    game.end(ann)
    strike(ben, thug)
    over()
    assert game.conditions(thug) == {"out"}
    game.end(ben)
    assert game.active == boss  # Thug's own action is passed over
    strike(boss, ben)
    attacked = game.window
    game.react(ben, "parry", window=attacked)
    assert (game.hp(ben), game.conditions(ben)) == (7, {"braced"})
    over()
    game.end(boss)

    # turn 2
    assert game.fight.turn == 2
    strike(ann, boss)
    assert game.hp(boss) == 2
    over()
    game.end(ann)
    strike(ben, boss)
    assert game.conditions(boss) == {"out"}
    over()
    game.do(cmd.EndFight())

    assert [e.size for e in game.events if isinstance(e, ev.Rolled)] == [3, 2, 2, 6, 6, 6, 6]
    done = [e.kind for e in game.events if isinstance(e, ev.ActionCarriedOut)]
    assert done == ["shout", *["melee_attack"] * 5, "parry", *["melee_attack"] * 2]
    assert len(done) == sum(isinstance(e, ev.AnswersOver) for e in game.events)
    assert game.table.play.stack == ()
    for audience, screen in screens.items():  # every change, as it was sent, adds up to what is to be seen
        for c in game.changes[since:]:
            if sent := patch(c, audience):
                changed(screen, sent.ops)
        assert screen == game.seen(audience)
