"""What nobody may know of leaves no trace: in readied actions that go off, dice, defence, words and flags (TBL-04)."""

from dataclasses import replace
from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.faces import NAMELESS
from core.state import Ability, Applied, Pool, Strike, Trigger
from core.view import view
from tests.helpers.play import Game, attack, make_act

pytestmark = pytest.mark.rule("TBL-04")
rule = pytest.mark.rule


def lines(game: Game, seat: str, since: int) -> list[list[object]]:
    """The log lines the seat has got from the change `since` on."""
    return [line for patch in game.received(seat, since) for line in patch.lines]


def counters(game: Game, seat: str) -> list[object]:
    """The counters of the open rolls the seat has seen."""
    return [line[14] for line in lines(game, seat, 0) if line[0] == "rolled" and line[16] == "open"]


def has_readied(game: Game, act, trigger, **facts):
    """A first unit that has readied the act, to go off by itself, and has ended its action; then Rolf (p2) acts."""
    owner = facts.pop("owner", "p1")
    first = game.unit("First", owner, initiative=30, **facts)
    rolf = game.unit("Rolf", "p2", initiative=20, abilities=[attack()])
    game.start()
    game.do(cmd.Ready(first, act, trigger, auto=True), owner or "st")
    game.end(first)
    return first, rolf


# ------------------------------------------------------------------------------------------- a readied action by itself
@rule("RDY-04")
def test_it_strikes_each_of_its_targets_once_however_often_they_are_named():
    game = Game(dice=[9] * 20)
    wolf = game.unit("Wolf", initiative=5)
    act = make_act("melee_attack", "standard", ability="sword", targets=[wolf, wolf, wolf])
    has_readied(game, act, Trigger("use"), abilities=[attack(dice=1)])
    game.declare(game.acting)
    game.pass_all()
    assert game.hp(wolf) == 9


@rule("RDY-04")
def test_it_does_not_go_at_a_unit_that_has_been_hidden_since():
    game = Game(dice=[9] * 20)
    wolf = game.unit("Wolf", initiative=5)
    act = make_act("melee_attack", "standard", ability="sword", targets=[wolf])
    has_readied(game, act, Trigger("use"), abilities=[attack(dice=1)])
    game.do(cmd.Hide(wolf))
    game.declare(game.acting)
    assert game.stack == ["use"]
    assert game.hp(wolf) == 10


@rule("RDY-04", "ACT-01")
def test_it_goes_no_farther_than_its_owner_could():
    game = Game()
    move = make_act("move", "move", distance=8, position="the door")
    first, _ = has_readied(game, move, Trigger("use"))
    game.do(cmd.SetValue(first, "speed", 5, 10))
    game.declare(game.acting)
    assert game.stack == ["use"]


@rule("RDY-04")
def test_an_anytime_act_of_it_is_not_done_in_a_held_table_and_nobody_else_is_refused_for_it():
    game = Game(enforce="warn")
    blink = Ability("blink", "blink", ("anytime",))
    act = make_act("blink", "anytime", ability="blink")
    _, rolf = has_readied(game, act, Trigger("use"), abilities=[blink])
    game.do(cmd.Hold())
    game.declare(rolf)
    assert game.stack == ["use"]
    assert game.table.play.readied


def hexed_by_nobody(**house):
    """A hidden unit whose readied hex goes off, unnoticed, on what Rolf declares."""
    game = Game(dice=[5] * 20, **house)
    game.unit("Mira", "p1", initiative=1)
    act = make_act("use", "free", ability="hex")
    _, rolf = has_readied(
        game, act, Trigger("use"), owner=None, hidden=True, abilities=[Ability("hex", "use", ("free",))]
    )
    return game, rolf


@rule("RDY-04")
def test_its_sender_is_told_of_no_id_but_that_of_his_own_act():
    game, rolf = hexed_by_nobody()
    made = game.declare(rolf).made
    assert game.happened(ev.ReadiedUsed)
    assert made == (game.top.id,)


@rule("RDY-02")
def test_what_met_his_act_unseen_does_not_let_him_withdraw_it():
    game, rolf = hexed_by_nobody(interrupted_by_readied="may_continue")
    game.declare(rolf)
    assert game.refused(cmd.Withdraw(game.top.id), "p2") == "must_continue"


# ----------------------------------------------------------------------------------------------------------------- dice
@rule("DICE-07")
def test_a_roll_for_a_unit_off_stage_leaves_no_gap():
    game = Game(dice=[5] * 9)
    mira = game.unit("Mira", "p1")
    prepared = game.unit("Ogre", on_stage=False)
    for unit, who in ((mira, "p1"), (prepared, "st"), (mira, "p1")):
        game.do(cmd.Roll(unit, Pool(fixed=1)), who)
    game.do(cmd.Roll(mira, Pool(fixed=1), opposes=prepared, opposed_pool=Pool(fixed=1)))
    assert counters(game, "p2") == [1, 2, 3]


@rule("DICE-07", "IMM-05")
def test_a_hidden_target_of_an_area_attack_leaves_no_gap_and_no_roll_at_nobody():
    game = Game(dice=[9] * 50)
    boom = attack("boom", area=True, negate=Pool(fixed=1))
    ogre = game.unit("Ogre", abilities=[boom])
    sneak = game.unit("Sneak", hidden=True)
    mira = game.unit("Mira", "p1")
    game.do(cmd.Insert(ogre, make_act("melee_attack", "standard", ability="boom", targets=[sneak, mira])))
    game.wait(9000)
    assert counters(game, "p1") == [1, 2]


def test_the_owner_of_a_hidden_unit_sees_its_dice_and_nobody_else_does():
    game = Game(dice=[9] * 20)
    mira = game.unit("Mira", "p1", hidden=True, abilities=[attack()])
    wolf = game.unit("Wolf")
    game.declare(mira, "melee_attack", ability="sword", targets=[wolf])
    assert [line[0] for line in lines(game, "p1", 0)].count("rolled") == 1
    assert "rolled" not in [line[0] for line in lines(game, "p2", 0)]


@rule("DICE-05")
def test_an_open_roll_against_a_hidden_unit_does_not_say_what_that_one_rolled():
    game = Game(dice=[9] * 20)
    mira = game.unit("Mira", "p1")
    sneak = game.unit("Sneak", hidden=True)
    game.do(cmd.Roll(mira, Pool(fixed=2), reason="notice", opposes=sneak, opposed_pool=Pool(fixed=3)))
    told = {seat: [line for line in lines(game, seat, 0) if line[0] == "rolled"][-1][11] for seat in ("st", "p1", "p2")}
    assert told == {"st": 3, "p1": None, "p2": None}
    margins = {seat: [line[21:23] for line in lines(game, seat, 0) if line[0] == "rolled"][-1] for seat in told}
    assert margins == {"st": ["failure", None], "p1": ["failure", None], "p2": ["failure", None]}


@rule("DICE-05")
def test_nor_does_the_margin_by_which_it_is_met():
    game = Game(dice=[9] * 20)
    mira = game.unit("Mira", "p1")
    sneak = game.unit("Sneak", hidden=True)
    game.do(cmd.Roll(mira, Pool(fixed=5), reason="notice", opposes=sneak, opposed_pool=Pool(fixed=3)))
    told = {
        seat: [line[21:23] for line in lines(game, seat, 0) if line[0] == "rolled"][-1] for seat in ("st", "p1", "p2")
    }
    assert told == {"st": ["success", 2], "p1": ["success", None], "p2": ["success", None]}


@rule("DICE-05")
def test_what_a_hidden_unit_rolls_at_somebody_is_not_told_by_that_ones_roll():
    game = Game(dice=[9] * 20)
    mira = game.unit("Mira", "p1")
    sneak = game.unit("Sneak", hidden=True)
    game.do(cmd.Roll(sneak, Pool(fixed=2), reason="creep up", opposes=mira, opposed_pool=Pool(fixed=3)))
    told = {seat: [line[0] for line in lines(game, seat, 0)].count("rolled") for seat in ("st", "p1", "p2")}
    assert told == {"st": 2, "p1": 0, "p2": 0}


# ---------------------------------------------------------------------------------------------------------------- words
@rule("TBL-02")
def test_what_a_player_writes_to_the_st_with_a_take_back_stays_between_them():
    game = Game()
    mira = game.unit("Mira", "p1")
    game.declare(mira)
    game.wait(9000)
    game.do(cmd.AskTakeBack("my ring is the poisoned one"), "p1")
    (request,) = game.table.requests.values()
    assert request.to is not None
    since = len(game.changes)
    past = game.changes[request.to].before.play
    game.do(cmd.AnswerRequest(request.id, True, "agreed, hide it better", game.version, play=past))
    assert "poisoned" not in repr(lines(game, "p2", since))
    assert "hide it" not in repr(lines(game, "p2", since))
    assert "rewound" in [line[0] for line in lines(game, "p2", since)]


def bitten(noticed: bool = True):
    """A hidden assassin's bite at Mira (p1), noticed but not known."""
    game = Game(dice=[9] * 50)
    mira = game.unit("Mira", "p1", initiative=5)
    bite = attack("venom bite", dice=3, applies=(Applied("poisoned", 2),))
    foe = game.unit("Vex", hidden=True, initiative=20, abilities=[bite])
    game.start()
    act = make_act("melee_attack", "standard", ability="venom bite", targets=[mira], text="Vex stabs")
    game.do(cmd.Declare(foe, act, noticed=noticed))
    return game, mira, foe


def test_the_words_of_an_act_whose_actor_nobody_knows_are_the_sts():
    game, _, _ = bitten()
    assert "Vex" not in repr(game.seen("p1"))
    assert "Vex" in repr(game.seen("st"))


def test_what_it_leaves_behind_does_not_name_the_ability_it_came_from():
    game, mira, foe = bitten()
    game.do(cmd.CloseWindow(game.window.id))
    assert "poisoned" in game.conditions(mira)
    (effect,) = game.table.play.effects
    assert game.seen("p1")[f"e/{effect}"]["name"] == "poisoned"
    assert game.seen("st")[f"e/{effect}"]["name"] == "venom bite"
    game.do(cmd.EndEffect(effect))
    told = repr(lines(game, "p1", 0))
    assert "venom" not in told
    assert "effect_ended" in told
    assert "venom" in repr(lines(game, "st", 0))


# ---------------------------------------------------------------------------------------------------------------- flags
@rule("TBL-02")
@pytest.mark.parametrize("word", ["silenced", "stunned"])
def test_a_flag_for_what_only_a_secret_condition_forbids_is_the_sts_alone(word):
    game = Game(enforce="warn")
    game.unit("Mira", "p1", initiative=5)
    wolf = game.unit("Wolf", initiative=10)
    game.start()
    game.do(cmd.AddCondition(wolf, word, secret=True))
    if game.active != wolf:
        game.do(cmd.Grant(wolf, ("standard",)))
    since = len(game.changes)
    game.do(cmd.Declare(wolf, make_act("cast", "standard")))
    assert "flagged" not in [line[0] for line in lines(game, "p1", since)]
    assert "flagged" in [line[0] for line in lines(game, "st", since)]


@rule("TBL-02", "DICE-02")
@pytest.mark.parametrize(("hidden", "visibility"), [(True, "open"), (False, "st")])
def test_a_flag_for_a_roll_that_nobody_sees_is_the_sts_alone(hidden, visibility):
    game = Game(dice=[1], enforce="warn")
    game.unit("Mira", "p1")
    wolf = game.unit("Wolf", hidden=hidden)
    since = len(game.changes)
    game.do(cmd.Roll(wolf, Pool(fixed=1, again=7), visibility))
    assert game.received("p1", since) == []
    assert "flagged" in [line[0] for line in lines(game, "st", since)]


WARNS: dict[str, Any] = {"enforce": "warn", "reaction_window_ms": 8000}
CURSE = Ability("curse", attaches=("casting",))
DREAM = Ability("dream", attaches=("attack",), concentration="same")
SPELL = Ability("spell", slots=("standard",), concentration="same")
SWORD, FLURRY, POOR = attack(), attack("flurry", 2, attacks=3, gains=1), attack("poor", 2, pool={"again": 7})


def one_of_two(game: Game):
    """Mira (p1) acts, Rolf (p2) is asked."""
    facts: dict[str, Any] = {
        "abilities": [SWORD, FLURRY, POOR, CURSE, DREAM, SPELL],
        "extras": {"attack": 1},
        "speed": 6,
    }
    mira = game.unit("Mira", "p1", initiative=20, **facts)
    rolf = game.unit("Rolf", "p2", initiative=10)
    game.start()
    return mira, rolf


def too_much(game: Game, what: str) -> cmd.Command:
    """What bends a rule in what is Mira's own, and sealed as yet."""
    mira, rolf = one_of_two(game)
    strike = make_act("use", "standard", ability="sword", targets=[rolf])
    far = make_act("move", "standard", distance=999)
    match what:
        case "a promise":
            game.do(cmd.Insert(rolf, make_act("melee_attack", "standard", targets=[mira])))
            return cmd.Defend(game.window.id, mira, 9)
        case "what is readied":
            return cmd.Ready(mira, far, None, "now")
        case "how it is readied":
            return cmd.Ready(mira, make_act("use", "immediate", ability="none"), None, " ")
        case "a split":
            return cmd.Declare(
                mira, replace(strike, ability="flurry", split=(Strike(rolf, extra=7), Strike(rolf, extra=2)))
            )
        case "no split":
            return cmd.Declare(mira, replace(strike, ability="flurry", split=(Strike(rolf), Strike(rolf))))
        case "a late split":
            game.do(cmd.Declare(mira, replace(strike, ability="flurry", split=(Strike(rolf, extra=0),) * 3)), "p1")
            game.do(cmd.Resolve(game.top.id))
            return cmd.SplitGain(game.window.id, (9,))
        case "what is attached":
            return cmd.Declare(mira, replace(strike, attached=("curse",)))
        case "all that is attached":
            return cmd.Declare(mira, replace(strike, attached=("curse", "nothing")))
        case "what is attached and kept up":
            game.do(cmd.Insert(mira, make_act("use", "standard", ability="spell")))
            game.do(cmd.Resolve(game.top.id))
            return cmd.Declare(mira, replace(strike, attached=("dream",)))
        case "dice that are not rolled yet":
            return cmd.Declare(mira, replace(strike, ability="poor"))
        case "dice of a task":
            return cmd.StartTask(mira, "barricade", Pool(fixed=1, again=7), 5)
    raise AssertionError(what)


@rule("TBL-02", "XS-02", "XS-05", "XS-07", "RDY-04", "ATT-01")
@pytest.mark.parametrize("what", [
    "a promise", "what is readied", "how it is readied", "a split", "no split", "a late split", "what is attached",
    "all that is attached", "what is attached and kept up", "dice that are not rolled yet", "dice of a task",
])  # fmt: skip
@pytest.mark.parametrize("leave", [False, True])
def test_a_flag_in_what_is_its_owners_own_is_told_to_him_and_the_st(what: str, leave: bool):
    game = Game(dice=[8] * 20, **WARNS)
    command = too_much(game, what)
    if leave:
        game.do(cmd.SetHouse("enforce", "strict"))
        game.do(cmd.AskLeave(command, {}), "p1")
        (request,) = game.table.requests
        command, seat = cmd.AnswerRequest(request, True, command=command), "st"
    else:
        seat = "p1"
    since = len(game.changes)
    game.do(command, seat)
    for other in ("p2", "all"):
        assert "flagged" not in [line[0] for line in lines(game, other, since)]
    for knows in ("p1", "st"):
        assert "flagged" in [line[0] for line in lines(game, knows, since)]


@rule("TBL-02")
def test_a_flag_in_what_all_see_is_told_to_all():
    game = Game(**WARNS)
    mira, _ = one_of_two(game)
    since = len(game.changes)
    game.do(cmd.Declare(mira, make_act("move", "move", distance=999)), "p1")
    assert "flagged" in [line[0] for line in lines(game, "p2", since)]
    game.do(cmd.Resolve(game.top.id))
    game.do(cmd.AddCondition(mira, "stunned"))
    since = len(game.changes)
    game.do(cmd.Ready(mira, make_act("use", "standard"), None, "now"), "p1")
    assert "flagged" in [line[0] for line in lines(game, "p2", since)], "that it readies something is seen"


# -------------------------------------------------------------------------------------------------------------- defence
@rule("XS-07")
def test_no_default_defence_meets_a_blow_that_nobody_saw_coming():
    game = Game(dice=[9] * 50)
    mira = game.unit("Mira", "p1", initiative=5, extras={"defense": 3})
    foe = game.unit("Sneak", hidden=True, initiative=10, abilities=[attack(dice=4)])
    game.do(cmd.SetDefaultGuard(3), "p1")
    game.start()
    game.do(cmd.Declare(foe, make_act("melee_attack", "standard", ability="sword", targets=[mira])))
    assert game.hp(mira) == 6
    assert game.table.play.budgets[mira].guard == 3


@rule("XS-07", "IMM-01")
def test_who_cannot_act_has_no_default_defence():
    game = Game(dice=[9] * 50)
    mira = game.unit("Mira", "p1", initiative=5, extras={"defense": 3})
    wolf = game.unit("Wolf", initiative=10, abilities=[attack(dice=4)])
    game.do(cmd.SetDefaultGuard(3), "p1")
    game.start()
    game.do(cmd.AddCondition(mira, "stunned"))
    game.declare(wolf, "melee_attack", ability="sword", targets=[mira])
    game.wait(9000)
    assert game.hp(mira) == 6
    assert game.table.play.budgets[mira].guard == 3


# ------------------------------------------------------------------------------------------- shown, but with no name
def test_by_house_rule_hidden_units_are_shown_nameless_and_all_alike():
    game = Game(hidden_shown="nameless")
    mira = game.unit("Mira", "p1", initiative=30, abilities=[attack()])
    rat = game.unit("Rat", initiative=20, hidden=True, position="behind you", side="vermin")
    duke = game.unit("The duke", initiative=10, hidden=True, conditions={"slow": False}, on_stage=False)
    game.start(mira, rat)
    seen = view(game.table, "p2")
    face = {path.split("/")[2]: value for path, value in seen.items() if path.startswith(f"u/{rat}/")}
    assert face == dict(NAMELESS)
    assert seen["t/order"] == [mira, rat]
    assert not [path for path in seen if path.startswith(f"u/{duke}/")], "who is off stage is not there at all"
    assert (
        game.refused(cmd.Declare(mira, make_act("attack", "standard", ability="sword", targets=[rat])), "p1")
        == "no_target"
    )
    game.end(mira)
    assert (view(game.table, "p2")["t/active"], view(game.table, "p2")["t/held"]) == (None, True)
    game.do(cmd.SetHouse("hidden_shown", "not_at_all"))
    assert view(game.table, "p2")["t/order"] == [mira]
    game.do(cmd.Reveal(rat))
    assert view(game.table, "p2")[f"u/{rat}/name"] == "Rat"
