"""When an effect ends, and why then: asked by anybody who sees it, said in a sentence (TIME)."""

import pytest

from core import commands as cmd
from core.explain import KINDS, explain
from core.ids import UnitId
from core.refusals import Refused
from core.state import Ability, Applied, Duration, TimeUnit
from protocol import texts
from tests.helpers.play import Game

HOUR = 3600
DAY = 24 * HOUR


class Asked(Game):
    """A table where what lasts can be asked about."""

    def why(self, audience: str = "p1", language: str = "en") -> str:
        """The sentence about the latest effect."""
        kind, facts = explain(self.table, audience, list(self.table.play.effects)[-1])
        assert kind in KINDS
        said = texts.explanation(kind, facts, language)
        assert "[" not in said
        assert "None" not in said
        return said

    def bless(self, unit: UnitId, n: int, time: TimeUnit, by: UnitId | None = None, *, own_day: bool = False) -> None:
        self.do(cmd.AddCondition(unit, "blessed", lasts=Duration(n, time, own_day), by=by, reason="Blessing"))


def fight(**facts) -> tuple[Asked, UnitId, UnitId]:
    game = Asked(reaction_window_ms=0)
    mira = game.unit("Mira", "p1", initiative=20)
    foe = game.unit("Ghoul", initiative=10, **facts)
    game.start()
    return game, mira, foe


@pytest.mark.rule("TIME-04")
def test_rounds_are_told_by_the_action_they_end_at():
    game, mira, foe = fight()
    game.bless(foe, 2, "round", by=mira)
    assert game.why() == (
        "Blessing on Ghoul ends at the start of Mira's 2nd action from now, because Mira began it for 2 rounds, and rounds "
        "are counted by the actions of whoever began it"
    )
    assert game.why(language="zh").startswith("Ghoul身上的Blessing在Mira今后第2次行动开始时结束：由Mira发动，持续2轮")
    game.next_action_of(mira)
    assert "at the start of Mira's next action" in game.why()
    game.bless(foe, 11, "round", by=mira)
    assert "Mira's 11th action from now" in game.why()


@pytest.mark.rule("TIME-04")
def test_by_whom_it_is_counted_is_not_told_to_who_does_not_see_him():
    game, mira, foe = fight(hidden=True)
    game.bless(mira, 3, "round", by=foe)
    assert game.why() == (  # what it is called is his own word: only the condition shows
        "Blessed on Mira ends with an action of somebody who is not to be seen here, because rounds are counted by the "
        "actions of whoever began it"
    )
    assert "Ghoul's 3rd action from now" in game.why("st")
    kind, facts = explain(game.table, "p1", list(game.table.play.effects)[-1])
    assert (kind, set(facts)) == ("unseen", {"name", "on", "since_s", "ago_s"})


def test_what_one_does_not_see_one_cannot_ask_about():
    game, mira, foe = fight(hidden=True)
    game.bless(foe, 1, "hour")
    hidden = list(game.table.play.effects)[-1]
    game.do(cmd.AddCondition(mira, "cursed", secret=True, minutes=5))
    secret = list(game.table.play.effects)[-1]
    for id in (hidden, secret, "nothing"):
        with pytest.raises(Refused, match="unknown"):
            explain(game.table, "p1", id)
    assert explain(game.table, "st", hidden)[0] == explain(game.table, "st", secret)[0] == "clock"


@pytest.mark.rule("TIME-01")
def test_real_time_is_told_from_now_and_in_a_fight_by_its_turn():
    game, mira, foe = fight()
    game.bless(mira, 1, "minute")
    assert "ends 1 minute from now, as turn 11 begins, because it began 0 seconds ago for 1 minute" in game.why()
    game.whole_turn()
    assert "ends 54 seconds from now, as turn 11 begins, because it began 6 seconds ago" in game.why()
    game.do(cmd.EndFight())
    assert "54 seconds from now, because" in game.why()


@pytest.mark.rule("TIME-01")
def test_where_a_day_is_longer_it_is_said_whose_days_count():
    game = Asked()
    mira = game.unit("Mira", "p1")
    game.do(cmd.SetWorld(day_s=48 * HOUR))
    game.bless(mira, 1, "day")
    assert "ends 1 day from now" in game.why()
    assert "days are Earth's, 24 hours each" in game.why()
    game.bless(mira, 1, "day", own_day=True)
    assert "ends 2 days from now" in game.why()
    assert "for 1 day of this world" in game.why()


@pytest.mark.rule("TIME-02")
def test_the_sun_is_that_of_the_world_and_may_never_come():
    game = Asked()
    mira = game.unit("Mira", "p1")
    game.do(cmd.SetWorld(time_s=5 * HOUR))
    game.bless(mira, 1, "sunrise")
    assert game.why() == (
        "Blessing on Mira ends 1 hour from now, because it lasts until the next sunrise of the world the story is in"
    )
    game.do(cmd.SetWorld(sunrise_s=None))
    assert game.why() == ("Blessing on Mira does not end, because it lasts until the next sunrise, and none comes here")


@pytest.mark.rule("TIME-04")
def test_rounds_without_a_fight_are_six_seconds_each():
    game = Asked()
    mira = game.unit("Mira", "p1")
    game.bless(mira, 3, "round")
    assert "ends 18 seconds from now" in game.why()
    assert "no fight counts them: each is 6 seconds" in game.why()


@pytest.mark.rule("TIME-07")
@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("scene", "ends when scene 1 does, because it lasts until the scene changes"),
        ("film", "ends as the Film is left, because it lasts until the Film is over"),
        ("permanent", "does not end by itself, because it is permanent"),
    ],
)
def test_scenes_films_and_for_good(unit: TimeUnit, said: str):
    game = Asked()
    mira = game.unit("Mira", "p1")
    game.bless(mira, 1, unit)
    assert said in game.why()
    assert game.why(language="zh")


@pytest.mark.rule("TIME-07")
def test_what_waits_for_the_fight_says_so():
    game = Asked()
    mira = game.unit("Mira", "p1")
    game.do(cmd.AllowPrebuff())
    game.bless(mira, 3, "round")
    assert "it begins to count for 3 rounds when the fight begins" in game.why()
    assert game.seen("p1")[next(p for p in game.seen("p1") if p.startswith("e/"))]["waits"] is True


@pytest.mark.rule("CON-01")
def test_what_is_sustained_lasts_as_long_as_the_mind_is_on_it():
    game = Asked(reaction_window_ms=0)
    eye = Ability("Eye", "cast", concentration="same", applies=(Applied("watched", to="self"),))
    mira = game.unit("Mira", "p1", abilities=[eye])
    game.declare(mira, "cast", ability="Eye")
    assert "ends when Mira stops concentrating" in game.why()


def test_only_of_an_effect_of_scenes_it_is_told_which_scene_this_is():
    game = Asked()
    mira = game.unit("Mira", "p1")
    told: dict[TimeUnit, dict[str, int]] = {"permanent": {}, "film": {}, "scene": {"scene": 1}}
    for time, more in told.items():
        game.bless(mira, 1, time)
        kind, facts = explain(game.table, "p1", list(game.table.play.effects)[-1])
        plain = {"name": "Blessing", "on": [mira, "Mira"], "source": [mira, "Mira"], "since_s": 0, "ago_s": 0}
        assert (kind, facts) == (time, plain | {"lasts": [1, time]} | more)
