"""The Storyteller rules: simple and free actions, and several of them in one turn (STY-01, STY-03)."""

from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.ids import UnitId
from core.state import Ability, Applied, Pool, Strike
from tests.helpers.play import Game, make_act

NO_WINDOWS: dict[str, Any] = {"reaction_window_ms": 0}


def blade(**more: Any) -> Ability:
    return Ability("blade", "melee_attack", ("simple",), Pool(("DEX",), ("Weaponry",)), **more)


class Turn:
    """Herzod's own action, among four Gretch."""

    def __init__(self, dexterity: int = 4, weaponry: int = 4, *, dice: tuple[int, ...] = (2,) * 60, **house: Any):
        self.game = Game(dice=dice, ruleset="storyteller", **(NO_WINDOWS | house))
        sheet: dict[str, Any] = {"attributes": {"DEX": dexterity}, "skills": {"Weaponry": weaponry}}
        self.herzod = self.game.unit("Herzod", "p1", initiative=20, abilities=[blade()], **sheet)
        self.gretch = [self.game.unit(f"Gretch {k}", initiative=5) for k in range(1, 5)]
        self.game.start()

    def strikes(self, at: int = 0) -> Any:
        return self.game.declare(self.herzod, "melee_attack", "simple", ability="blade", targets=[self.gretch[at]])

    def refused(self, at: int = 0) -> str:
        act = make_act("melee_attack", "simple", ability="blade", targets=[self.gretch[at]])
        return self.game.refused(cmd.Declare(self.herzod, act), "p1")

    def announces(self, n: int) -> None:
        self.game.do(cmd.Announce(self.herzod, n), "p1")

    def pools(self) -> list[int]:
        return [e.size for e in self.game.events if isinstance(e, ev.Rolled)]


def does(game: Game, unit: UnitId, slot: str, kind: str = "use", **more: Any) -> cmd.Declare:
    return cmd.Declare(unit, make_act(kind, slot, **more))


# ------------------------------------------------------------------------------------------------------------ STY-01
@pytest.mark.case("STY-01.1")
@pytest.mark.rule("STY-01")
def test_talk_costs_nothing_and_a_turn_has_one_free_action():
    turn = Turn()
    game, herzod = turn.game, turn.herzod
    whole = dict(game.left(herzod))
    for _ in range(3):
        game.do(cmd.Say("Behind you is a door!", herzod), "p1")
        game.do(does(game, herzod, "free", "speak"), "p1")
    assert game.left(herzod) == whole == {"simple": 1, "free": 1}
    game.do(does(game, herzod, "free", "shout", text="Look out!"), "p1")
    assert game.left(herzod) == {"simple": 1, "free": 0}
    assert game.refused(does(game, herzod, "free", "open a door"), "p1") == "no_action_left"
    game.next_action_of(herzod)
    game.do(does(game, herzod, "free", "open a door"), "p1")
    assert game.refused(does(game, herzod, "free", "shout"), "p1") == "no_action_left"


@pytest.mark.rule("STY-01")
def test_an_ability_that_is_spoken_is_no_talk():
    game = Game(ruleset="storyteller", **NO_WINDOWS)
    curse = Ability("curse", "speak", ("simple",), applies=(Applied("cursed", to="target"),))
    herzod = game.unit("Herzod", "p1", initiative=20, abilities=[curse])
    gretch = game.unit("Gretch", initiative=5)
    game.start()
    said = does(game, herzod, "simple", "speak", ability="curse", targets=[gretch])
    game.do(said, "p1")
    assert game.left(herzod) == {"simple": 0, "free": 1}
    assert game.refused(said, "p1") == "not_declared"


@pytest.mark.rule("STY-01")
def test_a_simple_action_is_the_turn():
    turn = Turn()
    turn.strikes()
    assert turn.pools() == [8]
    assert turn.game.left(turn.herzod) == {"simple": 0, "free": 1}
    turn.game.next_action_of(turn.herzod)
    turn.game.do(does(turn.game, turn.herzod, "simple", "move", distance=5), "p1")


@pytest.mark.parametrize("slot", ["swift", "move", "standard", "full_round", "full_turn", "immediate", "anytime"])
@pytest.mark.rule("STY-01")
def test_this_game_has_no_other_kinds_of_action(slot: str):
    turn = Turn()
    assert turn.game.refused(does(turn.game, turn.herzod, slot), "p1") == "not_in_this_game"


@pytest.mark.rule("STY-01")
def test_nor_has_the_other_game_simple_ones():
    game = Game()
    mira = game.unit("Mira", "p1")
    game.start()
    assert game.refused(does(game, mira, "simple"), "p1") == "not_in_this_game"
    assert game.refused(cmd.Announce(mira, 2), "p1") == "not_in_this_game"


@pytest.mark.rule("STY-01")
def test_nothing_is_readied_and_no_defence_promised():
    turn = Turn()
    game = turn.game
    assert (
        game.refused(cmd.Ready(turn.herzod, make_act("use", "simple"), words="when it opens"), "p1")
        == "not_in_this_game"
    )
    game.do(cmd.SetHouse("reaction_window_ms", 8000))
    turn.strikes()
    assert game.refused(cmd.Defend(game.window.id, turn.gretch[0], 1)) == "not_in_this_game"


@pytest.mark.rule("STY-01")
def test_nobody_acts_in_anothers_turn():
    turn = Turn()
    gretch = turn.gretch[0]
    assert turn.game.refused(does(turn.game, gretch, "simple")) == "not_your_action"
    assert turn.game.refused(does(turn.game, gretch, "free")) == "not_your_action"
    turn.game.do(cmd.Grant(gretch, ("simple",)))
    turn.game.do(does(turn.game, gretch, "simple"))
    assert turn.game.refused(cmd.Grant(gretch, ("standard",))) == "bad_value"


@pytest.mark.rule("STY-01")
def test_outside_a_fight_nothing_is_spent():
    game = Game(ruleset="storyteller", **NO_WINDOWS)
    mira = game.unit("Mira", "p1")
    for _ in range(3):
        game.do(does(game, mira, "simple"), "p1")
        game.do(does(game, mira, "free"), "p1")


@pytest.mark.rule("STY-01")
def test_a_refunded_action_is_back():
    turn = Turn(reaction_window_ms=8000)
    game = turn.game
    game.do(cmd.Hold())
    turn.strikes()  # held: it waits, not carried out
    game.do(cmd.Cancel(game.top.id))
    assert game.left(turn.herzod) == {"simple": 1, "free": 1}


@pytest.mark.rule("STY-01")
def test_a_concentration_that_an_action_began_takes_that_action_each_turn():
    game = Game(ruleset="storyteller", **NO_WINDOWS)
    hold = Ability("hold", "cast", ("simple",), needs_target=True, applies=(Applied("bound"),), concentration="same")
    spell = Ability("light", "cast", ("simple",), applies=(Applied("lit", to="self"),), concentration="free")
    ann = game.unit("Ann", "p1", initiative=20, abilities=[hold])
    ben = game.unit("Ben", "p2", initiative=10, abilities=[spell])
    game.start()
    game.declare(ann, "cast", "simple", ability="hold", targets=[ben])
    game.end(ann)
    game.declare(ben, "cast", "simple", ability="light")
    game.end(ben)
    game.do(cmd.Sustain(ann), "p1")
    assert game.left(ann) == {"simple": 0, "free": 1}
    game.end(ann)
    game.do(cmd.Sustain(ben), "p2")
    assert game.left(ben) == {"simple": 1, "free": 0}


# ------------------------------------------------------------------------------------------------------------ STY-03
@pytest.mark.case("STY-03.1")
@pytest.mark.rule("STY-03")
@pytest.mark.parametrize(
    ("dexterity", "pool", "left"), [(4, 8, [5, 4, 3, 2]), (2, 8, [5, 4]), (5, 5, [2, 1])], ids=["4", "2", "pool 5"]
)
def test_each_of_several_actions_is_rolled_with_fewer_dice(dexterity: int, pool: int, left: list[int]):
    turn = Turn(dexterity, pool - dexterity)
    turn.announces(dexterity)
    for k in range(len(left)):
        turn.strikes(k)
    assert turn.pools() == left
    assert turn.refused() == ("no_action_left" if len(left) == dexterity else "no_dice_left")
    assert turn.pools() == left


@pytest.mark.case("STY-03.2")
@pytest.mark.rule("STY-03")
def test_a_second_action_that_was_not_announced_is_refused():
    turn = Turn()
    turn.strikes()
    assert turn.pools() == [8]
    assert turn.refused(1) == "not_declared"
    assert turn.game.refused(cmd.Announce(turn.herzod, 2), "p1") == "too_late"


@pytest.mark.rule("STY-03")
def test_no_more_than_dots_in_dexterity():
    turn = Turn(dexterity=2)
    assert turn.game.refused(cmd.Announce(turn.herzod, 3), "p1") == "too_many_actions"
    turn.announces(2)
    turn.strikes(0)
    turn.strikes(1)
    assert turn.refused(2) == "no_action_left"


@pytest.mark.rule("STY-03")
def test_the_number_can_be_changed_until_the_first():
    turn = Turn()
    turn.announces(4)
    turn.announces(2)
    assert turn.game.left(turn.herzod)["simple"] == 2
    assert turn.game.refused(cmd.Announce(turn.herzod, 2), "p1") == "no_change"
    assert turn.game.refused(cmd.Announce(turn.herzod, 0), "p1") == "bad_value"
    turn.announces(1)
    turn.strikes()
    assert turn.pools() == [8]


@pytest.mark.rule("STY-03")
def test_what_is_gone_cannot_be_taken_back():
    """The action is over, or the Storyteller has taken it: at a table that only warns it would leave less than nothing."""
    turn = Turn(enforce="warn")
    turn.announces(2)
    turn.game.do(cmd.Spend(turn.herzod, ("simple", "simple")))
    assert turn.game.refused(cmd.Announce(turn.herzod, 1), "p1") == "too_late"
    turn.game.end(turn.herzod)
    assert turn.game.refused(cmd.Announce(turn.herzod, 1), "p1") == "too_late"


@pytest.mark.rule("STY-03")
def test_announced_for_one_turn_on_ones_own_action():
    turn = Turn()
    assert turn.game.refused(cmd.Announce(turn.gretch[0], 1)) == "not_your_action"
    turn.announces(3)
    turn.game.next_action_of(turn.herzod)
    assert turn.game.left(turn.herzod)["simple"] == 1
    turn.strikes()
    assert turn.pools() == [8]


@pytest.mark.rule("STY-03")
def test_an_act_without_dice_counts_and_the_next_is_poorer_by_it():
    """Rolling under a ledge while attacking a foe."""
    turn = Turn()
    turn.announces(2)
    turn.game.do(does(turn.game, turn.herzod, "simple", "move", distance=3), "p1")
    turn.strikes()
    assert turn.pools() == [4]


@pytest.mark.rule("STY-03")
@pytest.mark.parametrize("how", ["with two weapons", "as a Technique"])
def test_none_of_the_rolls_of_one_action_is_left_without_dice(how: str):
    game = Game(ruleset="storyteller", **NO_WINDOWS)
    knife = Ability("knife", "melee_attack", ("simple",), Pool(fixed=3))
    both = Ability("both", "melee_attack", ("simple",), Pool(fixed=8), attacks=2)
    combo = Ability("combo", slots=("simple",), steps=("both", "knife"))
    herzod = game.unit("Herzod", "p1", initiative=20, abilities=[both, knife, combo], attributes={"DEX": 2})
    gretch = game.unit("Gretch", initiative=5)
    game.start()
    game.do(cmd.Announce(herzod, 2), "p1")
    split = (Strike(gretch, "both"), Strike(gretch, "knife")) if how == "with two weapons" else ()
    ability = "both" if split else "combo"
    act = does(game, herzod, "simple", "melee_attack", ability=ability, targets=[gretch], split=split)
    code, about = game.refusal(act, "p1")
    assert (code, about["dice"], about["fewer"]) == ("no_dice_left", 3, 3)


@pytest.mark.rule("STY-03")
def test_what_else_changes_the_pool_counts_before_none_is_left():
    turn = Turn(dexterity=2, weaponry=1)
    turn.announces(2)
    act = make_act("melee_attack", "simple", ability="blade", targets=[turn.gretch[0]], modifier=1)
    assert turn.refused() == "no_dice_left"  # 3 dice less 3
    turn.game.do(cmd.Declare(turn.herzod, act), "p1")
    assert turn.pools() == [1]


@pytest.mark.rule("STY-03")
def test_everybody_is_told_and_the_roll_shows_what_it_costs():
    turn = Turn()
    turn.announces(2)
    told = [line for patch in turn.game.received("p2")[-1:] for line in patch.lines]
    assert [line[0] for line in told] == ["announced"]
    assert turn.game.seen("p1")[f"u/{turn.herzod}/announced"] == 2
    turn.strikes()
    (rolled,) = turn.game.happened(ev.Rolled)
    assert ("multiple_actions", -3) in rolled.parts


@pytest.mark.rule("STY-03")
def test_a_rewind_brings_back_what_was_announced():
    turn = Turn()
    turn.announces(3)
    turn.strikes()
    then = turn.game.version - 1
    turn.strikes(1)
    turn.game.rewind(then)
    turn.strikes(2)
    assert turn.pools() == [5, 4, 5]


@pytest.mark.rule("STY-03")
def test_a_refused_second_action_can_be_let_through():
    turn = Turn(enforce="warn")
    turn.strikes()
    turn.strikes(1)
    assert [e.code for e in turn.game.happened(ev.Flagged)] == ["not_declared"]
    assert turn.pools() == [8, 8]


@pytest.mark.rule("STY-03")
def test_of_a_noticed_act_nobody_learns_that_it_is_one_of_several():
    turn = Turn(reaction_window_ms=8000)
    game, gretch = turn.game, turn.gretch[0]
    game.do(cmd.SetValue(gretch, "attributes.DEX", 2, None))
    game.end(turn.herzod)
    game.do(cmd.Announce(gretch, 2))
    game.do(cmd.Hide(gretch))
    game.do(cmd.Declare(gretch, make_act("use", "simple"), noticed=True))
    faces = [game.seen(audience)[f"k/{game.top.id}"] for audience in ("p1", "st")]
    assert [face.get("fewer_dice") for face in faces] == [None, 3]


@pytest.mark.rule("STY-03")
def test_a_secret_actor_announces_to_nobody_else():
    turn = Turn()
    game = turn.game
    game.do(cmd.Hide(turn.gretch[0]))
    before = len(game.changes)
    game.end(turn.herzod)
    game.do(cmd.SetValue(turn.gretch[0], "attributes.DEX", 2, None))
    game.do(cmd.Announce(turn.gretch[0], 2))
    assert not any("announced" in str(patch.lines) for patch in game.received("p1", before))
