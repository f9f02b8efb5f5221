"""Fair time: an answer's moment is when a server read it; what a slow line took is given back, within a small quota.

A window stays open for a grace after its deadline, as long for everybody in every window, so that its end tells nothing.
Who answers in it is late, unless the server itself has measured that his frames are that long under way. Whoever makes
his line look slower than it is gains nothing worth having: a fraction of a second, and less of it each time he takes it,
in which nothing happens that he could wait for; his time bank gives him a hundred times as much for the asking.
"""

from core import events as ev
from core.commands import Command, Defend, Fire, MoreTime, Pass, React, SplitGain
from core.draft import Draft
from core.windows import top

QUOTA_MS = 2000
"""So much is given back to a seat in one scene; only what an answer needed is taken off."""

ANSWERS = (React, Fire, Pass, Defend, SplitGain, MoreTime)


def in_time(d: Draft, command: Command) -> None:
    """Refuses an answer to the top window that was read too late. Time is of its own reading, whatever came before it."""
    found = top(d.table)
    if found is None or not isinstance(command, ANSWERS):
        return
    window, clock = found[1], found[1].clock
    if clock is None or not clock.running or d.world.now < clock.deadline:
        return
    named = command.window
    if named not in (None, window.id):
        beneath = d.play.windows.get(named)
        if beneath is not None and isinstance(command, (React, Fire)):
            raise d.refuse("window_changed", gen=beneath.gen)  # it would lie on the top, for which it is too late
        return
    late_ms = d.world.now - clock.deadline + 1  # at its deadline it is late
    given = d.play.given.get(d.by.seat, 0)
    if late_ms > min(d.world.way_ms, QUOTA_MS - given):
        raise d.refuse("window_closed")
    d.emit(ev.DelayGiven(d.by.seat, given + late_ms))
