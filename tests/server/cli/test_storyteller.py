"""The terminal at a table that plays by the Storyteller rules: what it sends, what it offers."""

import pytest

from core import commands as cmd
from core.state import Ability, Pool
from server.cli.terminal.asked import act_line, questions, ways
from server.cli.terminal.seen import Seen
from server.cli.terminal.verbs import Send, read
from tests.helpers.play import Game


class Table:
    """Ann plays Mira, Bob plays Kai; the zombie is the ST's."""

    def __init__(self) -> None:
        self.game = game = Game(dice=[9] * 90, players=("ann", "bob"), ruleset="storyteller")
        sword = Ability("sword", "melee_attack", ("simple", "reflexive"), Pool(fixed=4))
        block = Ability("block", "block", ("simple", "reflexive"))
        riposte = Ability("riposte", "use", ("reflexive",), answers=("block",))
        sheet = {"DEX": 3}
        self.mira = game.unit("Mira", "ann", hp=90, initiative=20, abilities=[sword, riposte], attributes=sheet)
        self.kai = game.unit("Kai", "bob", hp=90, initiative=15, abilities=[sword, block])
        self.zombie = game.unit("Zombie", hp=90, initiative=5, abilities=[sword])
        game.start()
        for seat in ("ann", "bob"):
            game.do(cmd.SetStandingOrder("*", "ask"), seat)

    def seen(self, who: str) -> Seen:
        return Seen(self.game.seen(who), "player", who, n=self.game.version)

    def says(self, who: str, line: str) -> dict[str, object]:
        wish = read(line, self.seen(who))
        assert isinstance(wish, Send)
        return wish.command


@pytest.mark.parametrize(
    ("line", "slot"),
    [
        ("attack zombie with sword", "simple"),
        ("move 3", "simple"),
        ("act swing from the chandelier", "simple"),
        ("act shout slot=free", "free"),
    ],
)
def test_ones_own_act_is_a_simple_action_unless_said(line: str, slot: str):
    act = Table().says("ann", line)["act"]
    assert isinstance(act, dict)
    assert act["slot"] == slot


def test_several_actions_are_announced():
    table = Table()
    assert table.says("ann", "announce 3") == {"kind": "announce", "unit": table.mira, "n": 3}


def test_an_answer_is_reflexive_and_names_what_it_answers():
    table = Table()
    game = table.game
    game.declare(table.mira, "melee_attack", "simple", ability="sword", targets=[table.kai])
    attacked = game.window.id
    [question] = questions(table.seen("bob"))
    told = "Mira: melee attack (simple action) with sword against Kai (done; now for what it triggers)"
    assert act_line(table.seen("bob"), question.pending, "en") == told
    assert ways(table.seen("bob"), question) == ["block", "sword", "pass", "more time"]
    said = table.says("bob", "block")
    assert (said["kind"], said["window"]) == ("react", attacked)
    game.react(table.kai, "block", window=game.window)
    [question] = questions(table.seen("ann"))
    assert ways(table.seen("ann"), question) == ["riposte", "pass", "more time"]  # nothing is to be promised or dropped
    assert table.says("bob", "sword at Mira")["window"] == attacked  # it answers the attack, not his own block
