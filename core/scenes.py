"""Scenes: what changes them, what the ST is warned of, and what ends with them (TIME-05, TIME-06, TIME-07, TIME-10).

The ST alone changes scenes. The server warns him and does what he decides.
"""

from core import bounds
from core import events as ev
from core.bounds import refuse_beyond
from core.commands import AllowPrebuff, ChangeScene, EndFight, StartFight
from core.concentration import scene_changes
from core.draft import Draft
from core.effects import begin_waiting, end_with, follow_the_sun, force_ends
from core.state import Fight, SceneReason


def change_scene(d: Draft, c: ChangeScene) -> None:
    """A transition that does not count is told and ends nothing. Reason "fight": the fight that is on is a real one."""
    if d.play.stack:
        raise d.refuse("window_open")
    if c.reason == "fight" and d.fight.counts:
        raise d.refuse("no_change")
    if not c.counts:
        d.emit(ev.SceneChanged(d.play.scene, c.reason, c.key_point, counts=False))
        return
    points = d.play.setting.key_points
    if c.key_point.strip().casefold() not in {"", *points}:
        refuse_beyond(d, "key_points", len(points), bounds.KEY_POINTS)
    warn_of_key_point(d, c.key_point)
    change(d, c.reason, key_point=c.key_point, end_lasting=c.end_lasting, night=c.night)


def change(
    d: Draft, reason: SceneReason, *, key_point: str = "", end_lasting: bool = False, night: bool = False
) -> None:
    """The next scene begins. What was used with leave for a fight outlives the change that the fight makes (TIME-07)."""
    if reason != "fight":
        withdraw_prebuff(d)
    old = d.play.setting
    d.emit(ev.SceneChanged(d.play.scene + 1, reason, key_point, night=old.night if reason == "fight" else night))
    follow_the_sun(d, old.clock)
    end_with(d, "scene")
    scene_changes(d, forced=end_lasting)
    if end_lasting:
        force_ends(d)
    begin_waiting(d)


def warn_of_key_point(d: Draft, key_point: str) -> None:
    """Used before, it is done all the same: the ST has the final word (TIME-06)."""
    earlier = d.play.setting.key_points.get(key_point.strip().casefold())
    if earlier is not None:
        d.emit(ev.SceneDoubted("same_key_point", key_point, earlier))


# -------------------------------------------------------------------------------------------------------------- fights
def fight_begins(d: Draft, c: StartFight) -> None:
    """A scene of its own, if the ST accepts it as real. One of teammates is not one before he has said so (TIME-06)."""
    sham = c.counts is None and of_one_side(d)
    if sham:
        d.emit(ev.SceneDoubted("one_side"))
    if sham or c.counts is False:
        begin_waiting(d)
    else:
        change(d, "fight", end_lasting=c.end_lasting)


def of_one_side(d: Draft) -> bool:
    """All whom players see in it stand on one side. A hidden unit counts for nothing, or the scene would tell of it."""
    sides = {unit.side for id in d.fight.order if not (unit := d.play.units[id]).hidden}
    return len(sides) == 1 and "" not in sides


def fight_ends(d: Draft, fight: Fight, c: EndFight) -> None:
    if fight.counts:
        change(d, "fight", end_lasting=c.end_lasting)
    else:
        begin_waiting(d)


# ------------------------------------------------------------------------------------------------------ before a fight
def allow_prebuff(d: Draft, c: AllowPrebuff) -> None:
    """With the ST's leave what is used now counts as used when the fight starts (TIME-07)."""
    if d.play.fight is not None:
        raise d.refuse("already_fighting")
    if c.on == d.play.prebuff:
        raise d.refuse("no_change")
    if c.on:
        d.emit(ev.PrebuffAllowed(True))
    else:
        withdraw_prebuff(d)


def withdraw_prebuff(d: Draft) -> None:
    """There will be no fight for it: what was used counts from now on."""
    if d.play.prebuff:
        d.emit(ev.PrebuffAllowed(False))
    begin_waiting(d)
