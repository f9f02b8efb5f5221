"""What chance alone would hardly bring about: a few commands that belong together, in the midst of an evening.

Each goes as far as the table lets it. So that every kind of command is carried out often enough to prove something
(`shares` in __main__.py).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from core import commands as cmd
from core.commands import Command
from core.ids import SeatId, UnitId
from core.state import Act, Pool, Track, Trigger, Unit

if TYPE_CHECKING:
    from tests.secrecy.script import Script

Scene = Callable[["Script", UnitId, UnitId, UnitId], None]
"""With Ann's unit, Bob's, and one of the ST's."""

SCENES: list[Scene] = []
WAITING = 3
"""So many acts at most are over before it begins."""


def scene(play: Scene) -> Scene:
    SCENES.append(play)
    return play


# ------------------------------------------------------------------------------------------------------- what it needs
def does(script: "Script", who: str, command: Command) -> bool:
    """Unless a secret of this pair would come to light by it; whether it was done."""
    return not script.pair.spoils(command) and script.allows(command) and script.pair.both(who, command)


def resolve(script: "Script") -> None:
    if stack := script.pair.b.table.play.stack:
        does(script, "st", cmd.Resolve(stack[-1]))


def calm(script: "Script", *units: UnitId) -> None:
    """Nothing waits; with units a fight is on."""
    for _ in range(WAITING):
        resolve(script)
    if units and script.pair.b.table.play.fight is None:
        does(script, "st", cmd.StartFight(units))


# ------------------------------------------------------------------------------------------------------ in the windows
@scene
def somebody_concentrates(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    calm(script, a, b, d)
    does(script, "st", cmd.Insert(b, Act("use", "standard", ability="hold", targets=(d,))))
    resolve(script)
    does(script, "st", cmd.BeginAction(b))
    does(script, "p2", cmd.Sustain(b))
    does(script, "p2", cmd.DropConcentration(b))


@scene
def what_is_readied_is_used(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    """For words, as soon as somebody else acts."""
    does(script, "st", cmd.BeginAction(b))
    does(script, "st", cmd.Grant(b, ("standard",)))
    does(script, "p2", cmd.Ready(b, Act("use", "standard", ability="sword", targets=(d,)), None, "now"))
    does(script, "st", cmd.BeginAction(a))
    for readied in [one for one in script.pair.b.table.play.readied.values() if one.unit == b][:1]:
        does(script, "p2", cmd.SetReadiedAuto(readied.id, True))
        does(script, "p2", cmd.Fire(readied.id))


@scene
def who_met_what_was_readied_withdraws(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    table = script.pair.b.table
    if table.house.interrupted_by_readied != "may_continue":
        does(script, "st", cmd.SetHouse("interrupted_by_readied", "may_continue"))
    calm(script, a, b, d)
    does(script, "st", cmd.BeginAction(b))
    does(script, "st", cmd.Grant(b, ("standard",)))
    does(script, "p2", cmd.Ready(b, Act("use", "standard", text="a shout"), Trigger("attack")))
    does(script, "st", cmd.BeginAction(a))
    does(script, "st", cmd.Insert(a, Act("attack", "standard", ability="sword", targets=(d,))))
    for pending in [one for one in script.pair.b.table.play.pendings.values() if one.actor == a and one.due]:
        does(script, "p2", cmd.Fire(pending.due[0], pending.window))
        resolve(script)
        does(script, "p1", cmd.Withdraw(pending.id))


@scene
def what_was_gained_is_split(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    does(script, "st", cmd.Insert(a, Act("attack", "standard", ability="flurry", targets=(d,))))
    resolve(script)
    for window in script.pair.b.table.play.windows.values():
        if window.kind == "gain":
            does(script, "p1", cmd.SplitGain(window.id, (1,)))
            return


@scene
def somebody_defends(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    who, unit = script.random.choice((("p1", a), ("p2", b)))
    does(script, "st", cmd.Insert(d, Act("attack", "standard", ability="sword", targets=(unit,))))
    for pending in list(script.pair.b.table.play.pendings.values())[-1:]:
        does(script, who, cmd.Defend(pending.window, unit, script.random.randrange(2)))


@scene
def the_stack_is_turned(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    for unit in (d, a):
        does(script, "st", cmd.Insert(unit, Act("use", "standard", text="a shout")))
    stack = script.pair.b.table.play.stack
    does(script, "st", cmd.Restack((*stack[:-2], *reversed(stack[-2:])), stack))
    for pending in script.pair.b.table.play.stack[-1:]:
        does(script, "st", cmd.SetClock(script.pair.b.table.play.pendings[pending].window, 3000))
        does(script, "st", cmd.Cancel(pending))


# ------------------------------------------------------------------------------------------------- wishes and requests
@scene
def what_is_hers_alone_is_undone_with_what_all_see(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    """Ann wishes for something, all see something, and the ST goes back to before it."""
    does(script, "p1", cmd.SetDefaultGuard(script.random.randrange(1, 4)))
    does(script, "st", cmd.Narrate("rain"))
    if script.may_go_back():
        script.go_back(script.pair.marks[-1])


@scene
def what_was_done_is_asked_back(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    """Ann or Bob asks back what was done last, and the ST says yes."""
    who, unit = script.random.choice((("p1", a), ("p2", b)))
    calm(script, a, b, d)
    does(script, "st", cmd.BeginAction(unit))
    does(script, who, cmd.Declare(unit, Act("attack", "standard", ability="sword", targets=(d,))))
    does(script, who, cmd.AskTakeBack("oh"))
    for request in [one for one in script.pair.b.table.requests.values() if one.seat == who]:
        script.answer(cmd.AnswerRequest(request.id, True))


@scene
def a_roll_is_asked_for_no_more(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    does(script, "st", cmd.AskRoll((a, b), Pool(fixed=2), reason="look"))
    for ask in list(script.pair.b.table.asks)[-1:]:
        does(script, "p1", cmd.Roll(a, ask=ask))
        does(script, "st", cmd.WithdrawAsk(ask, "never mind"))


@scene
def a_task_comes_and_goes(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    does(script, "p1", cmd.StartTask(a, "a rope", Pool(fixed=2), 9))
    for task in [
        one for one in script.pair.b.table.play.tasks.values() if one.name == "a rope" and one.state == "open"
    ]:
        does(script, "st", cmd.EditTask(task.id, successes=1, reason="a start"))
        does(script, "st", cmd.SetAside(task.id, 1, "it rains"))
        does(script, "p1", cmd.RollTask(task.id))
        does(script, "p1", cmd.DropTask(task.id))
        does(script, "p1", cmd.DropTask(task.id))


# ------------------------------------------------------------------------------------------------------- the ST's hand
@scene
def somebody_comes_and_is_gone(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    before = set(script.pair.b.table.play.units)
    does(script, "st", cmd.AddUnit(Unit(UnitId(""), "Passer-by", on_stage=True, tracks={"hp": Track(9, 9)})))
    for unit in set(script.pair.b.table.play.units) - before:
        does(script, "st", cmd.RemoveUnit(unit))


@scene
def what_lasts_is_ended(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    does(script, "st", cmd.AddCondition(d, "slow", minutes=2))
    for effect in [one for one in script.pair.b.table.play.effects.values() if one.condition == "slow" and one.on == d]:
        does(script, "st", cmd.EndEffect(effect.id))
    does(script, "st", cmd.AddCondition(d, "slow"))
    does(script, "st", cmd.RemoveCondition(d, "slow"))


@scene
def a_film_begins_and_ends(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    calm(script)
    does(script, "st", cmd.EndFight())
    does(script, "st", cmd.EnterFilm("Night Train"))
    does(script, "st", cmd.LeaveFilm())


# ----------------------------------------------------------------------------------------------------------- the seats
@scene
def a_seat_is_invited_anew_and_goes(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    seat, server = SeatId("p3"), script.pair.server
    if seat not in script.pair.b.table.seats:
        server(cmd.AddSeat("Cid", "player", seat=seat))
    for command in (cmd.RenewInvitation(seat), cmd.RevokeInvitation(seat), cmd.SetRole(seat, "spectator")):
        does(script, "st", command)
    server(cmd.RemoveSeat(seat))


@scene
def a_seat_is_lent_and_taken_back(script: "Script", a: UnitId, b: UnitId, d: UnitId) -> None:
    seat = script.pair.b.table.seats[SeatId("p1")]
    if seat.loan is None:
        does(script, "p1", cmd.LendSeat("Gil", 3600))
    by, whose = script.random.choice((("p1", None), ("st", seat.id)))
    does(script, by, cmd.TakeBackSeat(whose))
