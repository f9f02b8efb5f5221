"""Only units of which something has changed are looked at: whatever a face is made of counts as something."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from core.change import Change
from core.diff import CLOCK, patch
from core.evolve import change_budget, change_fight, change_unit, play, without
from core.ids import ST, SeatId, UnitId
from core.state import Seat, Table
from core.view import audiences, view
from tests.core.test_views import MIRA, P1, P2, RAT, TABLE, WRAITH

HELD = TABLE.play.concentrations[MIRA]
READIED = TABLE.play.readied
MAKES: dict[str, Callable[[Table], Table]] = {
    "the unit": lambda t: change_unit(t, RAT, position="roof"),
    "who runs it": lambda t: replace(t, owners={**t.owners, RAT: P2}),
    "that its seat is there": lambda t: replace(t, seats=without(t.seats, P1)),
    "what is left of its round": lambda t: change_budget(t, MIRA, spent=("swift",)),
    "that it has left the fight": lambda t: change_fight(t, ghosts=(MIRA,)),
    "what it concentrates on": lambda t: play(t, concentrations={MIRA: replace(HELD, ability="gloom")}),
    "that it is yet to sustain that": lambda t: play(t, concentrations={MIRA: replace(HELD, round=1)}),
    "that it has something readied": lambda t: play(t, readied={}),
    "that it has used what it had readied": lambda t: play(
        t, readied={id: replace(one, state="used") for id, one in READIED.items()}
    ),
    "that it is hidden": lambda t: change_unit(t, RAT, hidden=True),
    "that it is seen": lambda t: change_unit(t, WRAITH, hidden=False),
    "that it is new": lambda t: play(
        t, units={**t.play.units, UnitId("rat2"): replace(t.play.units[RAT], id=UnitId("rat2"))}
    ),
    "that it is gone": lambda t: play(t, units=without(t.play.units, RAT)),
    "how hp are shown": lambda t: replace(t, house=replace(t.house, hp_shown="all")),
    "how hidden ones are shown": lambda t: replace(t, house=replace(t.house, hidden_shown="nameless")),
    "the side its viewer is on": lambda t: change_unit(t, MIRA, side="foe"),
    "who its viewer is": lambda t: replace(t, owners={RAT: P1}),
}


def applied(seen: dict[str, Any], ops: list[list[Any]]) -> dict[str, Any]:
    kept = {path: value for path, value in seen.items() if [path] not in ops}
    return kept | {path: value[0] for path, *value in ops if value}


@pytest.mark.parametrize("what", MAKES)
def test_whatever_a_face_is_made_of_everybody_is_sent_what_changes_by_it(what: str):
    after = MAKES[what](TABLE)
    for before, then in ((TABLE, after), (after, TABLE)):
        told = False
        for audience in set(audiences(before)) & set(audiences(then)):
            sent = patch(Change(before, then, (), CLOCK, 0), audience)
            told |= sent is not None
            assert applied(view(before, audience), sent.ops if sent else []) == view(then, audience), audience
        assert told, "it is something that shows"


def test_what_is_made_of_the_same_is_not_looked_at_again():
    change = Change(TABLE, change_unit(TABLE, RAT, position="roof"), (), CLOCK, 0)
    assert {audience: change.untouched(audience) for audience in (ST, P1, P2)} == dict.fromkeys(
        (ST, P1, P2), {MIRA, WRAITH}
    )
    assert set(change.faces[1].shown) == {MIRA, RAT, WRAITH}


def test_a_seat_more_changes_no_unit():
    after = replace(TABLE, seats={**TABLE.seats, SeatId("p3"): Seat(SeatId("p3"), "Eve", "player")})
    assert Change(TABLE, after, (), CLOCK, 0).untouched(P1) == {MIRA, RAT, WRAITH}
