"""House rules override the book, and players may object to them (TBL-01); one set of rules for all sides (TBL-03)."""

from typing import Any

import pytest

from core import commands as cmd
from core import events as ev
from core.cells import cells as cells_of
from core.evolve import fold
from core.ids import SeatId
from core.rules import rules_of
from core.rulesets.infinite_horror import InfiniteHorror
from core.rulesets.storyteller import Storyteller
from core.state import Objection
from server import history
from server.cells import encode, table_of
from tests.helpers.play import Game, attack, make_act


def objections(game: Game, audience: str) -> dict[str, Any]:
    return {path: face for path, face in game.seen(audience).items() if path.startswith("o/")}


# ------------------------------------------------------------------------------------------------------------ TBL-01
@pytest.mark.case("TBL-01.1")
@pytest.mark.rule("TBL-01")
def test_a_house_rule_is_seen_by_every_player_at_once_and_he_can_object_on_record():
    game = Game()
    game.do(cmd.SetHouse("enforce", "warn"))
    for player in ("p1", "p2"):
        [patch] = game.received(player)
        assert ["h/enforce", "warn"] in patch.ops
    game.do(cmd.ObjectToRule("enforce", "we said strict"), "p1")
    assert game.happened(ev.RuleObjected) == [
        ev.RuleObjected(Objection(SeatId("p1"), "p1", "enforce", "warn", "we said strict"))
    ]
    face = {"seat": "p1", "name": "p1", "key": "enforce", "value": "warn", "text": "we said strict"}
    for audience in ("st", "p1"):
        [patch] = game.received(audience, since=1)
        assert patch.ops == [["o/p1.enforce", face]]
        assert [(line[0], line[2], *line[3:]) for line in patch.lines] == [
            ("rule_objected", "p1", "enforce", "warn", "we said strict")
        ]
    for audience in ("p2", "all"):
        assert game.received(audience, since=1) == [], "it is between him and the Storyteller"
        assert objections(game, audience) == {}


@pytest.mark.case("TBL-01.1")
@pytest.mark.rule("TBL-01")
def test_an_objection_stays_on_record_whatever_comes_after():
    game = Game(dice=[5, 5])
    unit = game.unit("Mira", owner="p1")
    game.do(cmd.SetHouse("enforce", "warn"))
    game.do(cmd.ObjectToRule("enforce", "no"), "p1")
    on_record = objections(game, "st")
    assert on_record
    game.do(cmd.SetHouse("enforce", "strict"))
    game.do(cmd.Adjust(unit, "hp", -1))
    game.rewind(1)
    assert objections(game, "st") == on_record
    game.of_the_server(cmd.RemoveSeat(SeatId("p1")))
    assert objections(game, "st") == on_record, "he left because of it"
    kept = {name: encode(cell) for name, cell in cells_of(game.table).items()}
    assert table_of(kept).objections == game.table.objections


@pytest.mark.rule("TBL-01")
def test_another_objection_of_his_to_the_same_rule_takes_its_place_and_the_log_keeps_both():
    game = Game()
    game.do(cmd.ObjectToRule("no_window", "too many"), "p1")
    assert game.refused(cmd.ObjectToRule("no_window", "too many"), "p1") == "no_change"
    game.do(cmd.ObjectToRule("no_window", "too few"), "p1")
    game.do(cmd.ObjectToRule("no_window"), "p2")
    game.do(cmd.ObjectToRule("hp_shown"), "p1")
    assert {path: (face["value"], face["text"]) for path, face in objections(game, "st").items()} == {
        "o/p1.no_window": (["speak", "drop_prone"], "too few"),
        "o/p2.no_window": (["speak", "drop_prone"], ""),
        "o/p1.hp_shown": ("own_side", ""),
    }
    assert [e.objection.text for e in game.events if isinstance(e, ev.RuleObjected)] == ["too many", "too few", "", ""]
    game.do(cmd.SetHouse("no_window", ["speak"]))
    game.do(cmd.ObjectToRule("no_window", "too few"), "p1")
    assert objections(game, "p1")["o/p1.no_window"]["value"] == ["speak"], "to the rule as it stands now"


@pytest.mark.rule("TBL-01")
def test_another_node_makes_the_same_rule_of_the_log():
    """A list comes back from the log as a list, and a house rule holds it as what it cannot change."""
    game = Game()
    before = game.table
    game.do(cmd.SetHouse("no_window", ["speak"]))
    read = history.read(history.write(history.Record(None, game.now, "", game.last, {}, {})))
    assert fold(before, read.events, read.at) == game.table


@pytest.mark.rule("TBL-01")
def test_only_players_object_and_only_to_rules_that_there_are():
    game = Game()
    game.of_the_server(cmd.AddSeat("Watcher", "spectator", seat=SeatId("s1")))
    assert game.refused(cmd.ObjectToRule("gravity"), "p1") == "no_such_rule"
    assert game.refused(cmd.ObjectToRule("enforce"), "st") == "forbidden"
    assert game.refused(cmd.ObjectToRule("enforce"), "s1") == "forbidden"


@pytest.mark.rule("TBL-01")
def test_a_house_rule_overrides_the_book_from_then_on():
    """The book: one free action for the same kind of act, as many kinds as one likes (ACT-03)."""
    game = Game()
    mira = game.unit("Mira", owner="p1")
    game.start()
    game.declare(mira, "draw", "free")
    game.do(cmd.SetHouse("free_action_cap", 1))
    assert game.refused(cmd.Declare(mira, make_act("shout", "free")), "p1") == "free_action_cap"


# ------------------------------------------------------------------------------------------------------------ TBL-03
class Duel(Game):
    """A player's unit and one of the ST's, alike in everything; each is the other's target."""

    def __init__(self, first: str, **house: Any) -> None:
        super().__init__(dice=[8, 3, 9, 1, 10, 2], **house)
        self.sword = [attack(dice=3)]
        places = {"mira": 20, "orc": 10} if first == "mira" else {"mira": 10, "orc": 20}
        self.mira = self.unit("Mira", owner="p1", initiative=places["mira"], abilities=self.sword)
        self.orc = self.unit("Orc", initiative=places["orc"], abilities=self.sword)
        self.mine, self.other = (self.mira, self.orc) if first == "mira" else (self.orc, self.mira)
        self.start()

    def attack(self) -> list[str]:
        """What happens when the first one attacks the other, with their names left out."""
        begun = len(self.events)
        self.declare(self.mine, ability="sword", targets=[self.other])
        while self.table.play.stack:
            self.pass_all()
        return [type(e).__name__ for e in self.events[begun:]]

    def rolled(self) -> ev.Rolled:
        [roll] = [e for e in self.events if isinstance(e, ev.Rolled)]
        return roll


@pytest.mark.case("TBL-03.1")
@pytest.mark.rule("TBL-03")
def test_a_players_unit_and_one_of_the_storytellers_have_the_same_cost_refusal_and_dice():
    player, st = Duel("mira"), Duel("orc")
    assert player.attack() == st.attack()
    assert player.left(player.mine) == st.left(st.mine)
    assert player.left(player.mine)["standard"] == 0
    ours, theirs = player.rolled(), st.rolled()
    assert (ours.stream, ours.counter, ours.parts, ours.faces) == (
        theirs.stream,
        theirs.counter,
        theirs.parts,
        theirs.faces,
    )
    assert player.hp(player.other) == st.hp(st.other) == 8
    again = [
        (game.refused(cmd.Declare(game.mine, make_act("use", "standard", ability="sword", targets=[game.other])), who))
        for game, who in ((player, "p1"), (st, "st"))
    ]
    assert again == ["no_action_left", "no_action_left"]


@pytest.mark.case("TBL-03.1")
@pytest.mark.rule("TBL-03")
@pytest.mark.parametrize(
    ("act", "code"),
    [
        (make_act("fly", "immediate", ability="wings"), "ability_required"),
        (make_act("move", "move", distance=11), "too_far"),
        (make_act("use", "swift", pay="free"), "cannot_convert"),
    ],
)
def test_what_the_rules_refuse_one_side_they_refuse_the_other(act: Any, code: str):
    player, st = Duel("mira"), Duel("orc")
    command = cmd.React if act.slot == "immediate" else cmd.Declare
    assert player.refused(command(player.mine, act), "p1") == code
    assert st.refused(command(st.mine, act), "st") == code


@pytest.mark.case("TBL-03.2")
@pytest.mark.rule("TBL-03")
def test_the_storyteller_bends_a_result_and_it_is_on_record_as_his():
    """What the rules made of it and what he made of it are told apart, to everybody."""
    game = Duel("mira", hp_shown="all")
    game.attack()
    assert game.hp(game.orc) == 8
    game.do(cmd.SetValue(game.orc, "hp", 10, 8, "the armour holds"))
    assert game.hp(game.orc) == 10
    told = [line for patch in game.received("p1") for line in patch.lines]
    [damaged] = [line for line in told if line[0] == "damaged"]
    [bent] = [line for line in told if line[0] == "value_set"]
    assert damaged[3:] == [[game.orc, "Orc"], "hp", 2, 8, [game.mira, "Mira"]]
    assert bent[2:] == ["st", [game.orc, "Orc"], "tracks.hp.value", 10, 8, "the armour holds"]


@pytest.mark.case("TBL-03.2")
@pytest.mark.rule("TBL-03")
def test_an_act_that_he_lets_through_against_the_rules_says_by_whose_leave():
    game = Duel("mira")
    far = cmd.Declare(game.mira, make_act("move", "move", distance=30))
    request = game.do(cmd.AskLeave(far, {"kind": "declare"}, "please"), "p1").made[0]
    game.do(cmd.AnswerRequest(request, True, command=far))  # type: ignore[arg-type]
    assert game.happened(ev.Flagged) == [ev.Flagged(SeatId("p1"), "too_far", leave=True, unit=game.mira)]
    lines = game.received("p1", since=len(game.changes) - 1)[0].lines
    assert [line[2] for line in lines if line[0] == "flagged"] == ["st"]


# ------------------------------------------------------------------------------------------------------ which game it is
def test_the_game_is_chosen_per_table_and_only_between_fights():
    game = Game()
    assert isinstance(rules_of(game.table.house), InfiniteHorror)
    game.do(cmd.SetHouse("ruleset", "storyteller"))
    assert isinstance(rules_of(game.table.house), Storyteller)
    assert game.refused(cmd.SetHouse("ruleset", "chess")) == "bad_value"
    game.unit("Mira", "p1")
    game.start()
    assert game.refused(cmd.SetHouse("ruleset", "infinite_horror")) == "already_fighting"
    game.do(cmd.EndFight())
    game.do(cmd.SetHouse("ruleset", "infinite_horror"))


def test_the_game_does_not_change_while_anything_waits():
    game = Game()
    mira = game.unit("Mira", "p1")
    game.unit("Kade", "p2")
    game.declare(mira)
    assert game.refused(cmd.SetHouse("ruleset", "storyteller")) == "window_open"
