"""Only what carries a unit moves it: a move action or more, or an ability; never farther than one action carries."""

import pytest

from core import commands as cmd
from core.refusals import Refused
from core.state import Ability
from tests.helpers.play import Game, attack, make_act, step_aside

rule = pytest.mark.rule


def two(**house):
    game = Game(dice=[9] * 50, **house)
    mira = game.unit(
        "Mira", "p1", initiative=20, abilities=[attack(), step_aside(), Ability("blink", "use", ("swift",))]
    )
    wolf = game.unit("Wolf", initiative=10, abilities=[attack(dice=8)])
    game.start()
    return game, mira, wolf


@rule("ACT-01", "ACT-04")
@pytest.mark.parametrize(
    "moving", [{"position": "the roof"}, {"distance": 5}, {"leaves": True}], ids=["position", "distance", "leaves"]
)
def test_a_word_carries_nobody_anywhere(moving):
    game, mira, _ = two()
    assert game.refused(cmd.Declare(mira, make_act("speak", "free", **moving)), "p1") == "ability_required"


@rule("ACT-01")
@pytest.mark.parametrize(("kind", "slot"), [("use", "free"), ("move", "free"), ("wave", "swift"), ("move", "swift")])
def test_a_free_or_swift_act_carries_nobody_but_by_an_ability(kind, slot):
    game, mira, _ = two()
    assert game.refused(cmd.Declare(mira, make_act(kind, slot, position="the roof")), "p1") == "ability_required"
    game.declare(mira, "use", "swift", ability="blink", position="the roof")


@rule("ACT-01")
def test_a_move_or_a_standard_action_carries_it():
    game, mira, _ = two()
    game.declare(mira, "move", "move", position="the door", distance=10)
    game.pass_all()
    game.declare(mira, "charge", "standard", position="the wolf", distance=10)
    game.pass_all()
    assert game.table.play.units[mira].position == "the wolf"


@rule("ACT-01")
def test_whatever_the_act_none_carries_it_farther_than_its_speed():
    game, mira, wolf = two()
    charge = make_act("melee_attack", "standard", ability="sword", targets=[wolf], distance=11)
    assert game.refused(cmd.Declare(mira, charge), "p1") == "too_far"


@rule("ACT-01")
def test_who_is_bound_is_carried_nowhere_by_any_act():
    game, mira, wolf = two()
    game.do(cmd.AddCondition(mira, "bound"))
    charge = make_act("melee_attack", "standard", ability="sword", targets=[wolf], position="the wolf")
    assert game.refused(cmd.Declare(mira, charge), "p1") == "barred"
    game.declare(mira, "melee_attack", ability="sword", targets=[wolf])


@rule("IMM-04")
def test_who_is_bound_in_mid_charge_goes_no_farther():
    game, mira, wolf = two()
    game.declare(mira, "charge", position="the wolf")
    game.do(cmd.AddCondition(mira, "bound"))
    game.pass_all()
    assert game.table.play.units[mira].position == ""


@rule("IMM-05")
def test_dropping_prone_takes_nobody_out_of_an_attacks_area():
    game, mira, wolf = two()
    game.end(mira)
    game.declare(wolf, "melee_attack", ability="sword", targets=[mira])
    for moving in ({"leaves": True}, {"position": "far"}):
        prone = make_act("drop_prone", "immediate", **moving)
        assert game.refused(cmd.React(mira, prone), "p1") == "ability_required"
    game.react(mira, kind="drop_prone")
    assert game.top.fled == ()


@rule("RDY-01")
def test_a_readied_move_goes_no_farther_by_itself_than_by_hand():
    game, mira, wolf = two()
    far = make_act("move", "move", distance=900, position="the moon")
    outcome = game.decide(cmd.Ready(mira, far, words="when it howls"), "p1")
    assert isinstance(outcome, Refused)
    assert outcome.code == "too_far"
