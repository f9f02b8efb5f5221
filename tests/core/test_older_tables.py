"""A table stored before there were scenes with reasons, worlds and durations is read, and played on."""

from dataclasses import replace

from core import commands as cmd
from core.cells import cells, table_from
from core.ids import EffectId
from core.state import Effect, Setting
from server.cells import KINDS, made
from tests.helpers.play import Game


def test_what_lasted_then_goes_on_and_the_story_is_in_a_world_like_earth():
    game = Game()
    mira = game.unit("Mira", "p1")
    effect = made(KINDS["e"], {"id": "e1", "name": "ward", "by": mira, "on": mira, "condition": "warded", "at": 60})
    assert effect == Effect(EffectId("e1"), "ward", mira, mira, "warded", at=60)
    stored = {name: cell for name, cell in cells(game.table).items() if name != "setting"} | {"e:e1": effect}
    game.table = replace(table_from(stored), seen=game.table.seen)
    assert game.table.play.setting == Setting()
    game.do(cmd.ChangeScene("story"))
    game.do(cmd.EnterFilm("Alien"))
    assert list(game.table.play.effects) == ["e1"]
    game.do(cmd.ChangeScene("story", end_lasting=True))
    assert game.table.play.effects == {}
