"""Everything anybody may ask of a table, in the imperative. One class a command; `decide.py` has a decider for each.

The wire's models (protocol/from_client.py) have the same names in snake case and the same fields; a test keeps it so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from core.ids import EffectId, PendingId, ReadiedId, RequestId, SeatId, TaskId, UnitId, WindowId
from core.state import (
    Act,
    Duration,
    Keeping,
    OrderKind,
    Play,
    Pool,
    Prepared,
    Role,
    SceneReason,
    Strike,
    Trigger,
    Unit,
    Visibility,
)


class Command:
    """What is asked. Nothing happens by it until `decide` has said what."""

    __slots__ = ()


# ------------------------------------------------------------------------------------------------------ in one's action
@dataclass(frozen=True, slots=True)
class Declare(Command):
    """A unit does something on its own action (or an anytime act, or a word, at any moment)."""

    unit: UnitId
    act: Act
    noticed: bool = False


@dataclass(frozen=True, slots=True)
class Ready(Command):
    """A unit spends a standard action to hold an act back for a trigger (RDY-01)."""

    unit: UnitId
    act: Act
    trigger: Trigger | None = None
    words: str = ""
    auto: bool = False


@dataclass(frozen=True, slots=True)
class EndAction(Command):
    """The unit's action is over. `round` is the one it is in, so that two clicks end one action."""

    unit: UnitId
    round: int


@dataclass(frozen=True, slots=True)
class LeaveFight(Command):
    """A unit leaves the order."""

    unit: UnitId


@dataclass(frozen=True, slots=True)
class Announce(Command):
    """How many actions a unit takes in this turn, said before the first: each has fewer dice (STY-03). 1: as usual."""

    unit: UnitId
    n: int


@dataclass(frozen=True, slots=True)
class Sustain(Command):
    """As its action begins a unit keeps its concentration up; the action it costs is lost at once (CON-02)."""

    unit: UnitId


@dataclass(frozen=True, slots=True)
class DropConcentration(Command):
    """A unit lets its concentration go, at any moment (CON-04)."""

    unit: UnitId


# -------------------------------------------------------------------------------------------------------- in a window
@dataclass(frozen=True, slots=True)
class React(Command):
    """An immediate action, in answer to a window or between two actions (window None)."""

    unit: UnitId
    act: Act
    window: WindowId | None = None
    noticed: bool = False


@dataclass(frozen=True, slots=True)
class Fire(Command):
    """A readied action is used, in answer to a window or between two actions (window None)."""

    readied: ReadiedId
    window: WindowId | None = None
    targets: tuple[str, ...] = ()
    leaves: bool | None = None


@dataclass(frozen=True, slots=True)
class Pass(Command):
    """A seat has no answer to this question (gen) of the window."""

    window: WindowId
    gen: int


@dataclass(frozen=True, slots=True)
class Defend(Command):
    """A target promises `n` defence extra successes against the window's attack (XS-07), the `attack`th on it."""

    window: WindowId
    unit: UnitId
    n: int
    attack: int = 1


@dataclass(frozen=True, slots=True)
class SplitGain(Command):
    """Extra successes gained midway: how many for each attack still to come, in their order (XS-05)."""

    window: WindowId
    gain: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MoreTime(Command):
    """A seat draws on its time bank for this window."""

    window: WindowId


@dataclass(frozen=True, slots=True)
class Withdraw(Command):
    """A player wants to take a declared action back. He must go on (IMM-04), but for a house rule."""

    pending: PendingId


# --------------------------------------------------------------------------------------------------- a seat's own wishes
@dataclass(frozen=True, slots=True)
class SetStandingOrder(Command):
    """What the server answers for a seat to a kind of act ("*": any)."""

    act: str
    order: OrderKind


@dataclass(frozen=True, slots=True)
class SetDefaultGuard(Command):
    """How many defence extra successes a seat's units promise when nothing is said."""

    n: int


@dataclass(frozen=True, slots=True)
class SetReadiedAuto(Command):
    """Whether a readied action fires by itself."""

    readied: ReadiedId
    auto: bool


@dataclass(frozen=True, slots=True)
class AskTakeBack(Command):
    """A player asks the ST to undo his last act."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class ObjectToRule(Command):
    """A player objects to a house rule: it reaches the ST and stays on record (TBL-01)."""

    key: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class AskLeave(Command):
    """A player asks the ST to let one command through that the rules refuse. `wire`: the command as he wrote it."""

    command: Command
    wire: Mapping[str, Any]
    text: str = ""


# ---------------------------------------------------------------------------------------------------- talk and free rolls
@dataclass(frozen=True, slots=True)
class Say(Command):
    """A seat, or a unit of its, says something to all."""

    text: str
    unit: UnitId | None = None


@dataclass(frozen=True, slots=True)
class Whisper(Command):
    """To the ST alone, or from the ST to one seat."""

    text: str
    to: SeatId | None = None


@dataclass(frozen=True, slots=True)
class Narrate(Command):
    """The ST tells what happens."""

    text: str


@dataclass(frozen=True, slots=True)
class Roll(Command):
    """A pool is rolled for a unit, outside any action. `ask`: it answers the ST's request.

    `dc`: 1 where none is stated; None: there is no DC, the successes are the result (TASK-01).
    """

    unit: UnitId
    pool: Pool = field(default_factory=Pool)
    visibility: Visibility = "open"
    dc: int | None = 1
    reason: str = ""
    ask: RequestId | None = None
    opposes: UnitId | None = None
    opposed_pool: Pool | None = None


@dataclass(frozen=True, slots=True)
class AskRoll(Command):
    """The ST asks for a roll by some units."""

    units: tuple[UnitId, ...]
    pool: Pool
    visibility: Visibility = "open"
    dc: int | None = 1
    reason: str = ""


@dataclass(frozen=True, slots=True)
class WithdrawAsk(Command):
    """The ST asks for a roll no more, whoever of the asked has not rolled yet."""

    ask: RequestId
    reason: str = ""


# -------------------------------------------------------------------------------------------------------- extended actions
@dataclass(frozen=True, slots=True)
class StartTask(Command):
    """A unit takes up an extended action; the DC is chosen here (TASK-02). Under the name of one that is over: once more.

    `interval_s` None: the ST has yet to set it. `within_s`: the deadline, from now. `successes`: what the ST lets be kept
    of what was reached before (TASK-06).

    In a game that has these: `opposes` whom, with which pool (STY-05), whether others may roll for it (`teamwork`, STY-07),
    and whether a botch is the end of it (`botch_ends`, STY-06).
    """

    unit: UnitId
    name: str
    pool: Pool
    dc: int
    interval_s: int | None = None
    within_s: int | None = None
    in_one_go: bool = False
    visibility: Visibility = "open"
    successes: int = 0
    opposes: UnitId | None = None
    opposed_pool: Pool | None = None
    teamwork: bool = False
    botch_ends: bool = False


@dataclass(frozen=True, slots=True)
class RollTask(Command):
    """The next roll of an extended action. `modifier`: of this roll alone.

    `units`: who rolls, where it is not who took it up; several are refused, for pools are never combined (STY-07).
    `pool`: what a helper rolls instead of the task's pool from his own sheet.
    """

    task: TaskId
    modifier: int = 0
    units: tuple[UnitId, ...] = ()
    pool: Pool | None = None


@dataclass(frozen=True, slots=True)
class SetAside(Command):
    """The ST: a task is set aside for a while, and `lost` of its successes with it (TASK-03)."""

    task: TaskId
    lost: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EditTask(Command):
    """A task's values become these; what is None stays. Its player may raise the DC, all else is the ST's.

    `within_s`: a new deadline, from now; 0: none.
    """

    task: TaskId
    dc: int | None = None
    pool: Pool | None = None
    interval_s: int | None = None
    within_s: int | None = None
    in_one_go: bool | None = None
    successes: int | None = None
    mistakes: int | None = None
    opposed_pool: Pool | None = None
    theirs: int | None = None
    teamwork: bool | None = None
    botch_ends: bool | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DropTask(Command):
    """A task is given up; one that is over is taken off the list."""

    task: TaskId
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MixDice(Command):
    """A seat adds a word of its own to the dice of this scene (DICE-07); its last one counts."""

    text: str


# ------------------------------------------------------------------------------------------------------ the ST: the cast
@dataclass(frozen=True, slots=True)
class AddUnit(Command):
    """A unit is prepared, off stage unless it says otherwise. Its id and number are given by the table."""

    unit: Unit
    owner: SeatId | None = None


@dataclass(frozen=True, slots=True)
class BringOn(Command):
    """Units come on stage. `copies` > 1 makes that many numbered ones of each, and keeps the model off stage.

    `one_initiative`: the copies of a model that has none roll it once for all of them, not each its own.
    """

    units: tuple[UnitId, ...]
    copies: int = 1
    hidden: bool | None = None
    join: bool = True
    one_initiative: bool = False


@dataclass(frozen=True, slots=True)
class SetUp(Command):
    """All of a prepared encounter in one change: added, and brought on stage as BringOn does, unless they are to wait.

    `on` False: added as each of them says. `hidden` None: hidden is who is written down so.
    """

    units: tuple[Prepared, ...]
    on: bool = True
    hidden: bool | None = None
    join: bool = True


@dataclass(frozen=True, slots=True)
class TakeOff(Command):
    """A unit goes off stage, out of any fight."""

    unit: UnitId


@dataclass(frozen=True, slots=True)
class RemoveUnit(Command):
    """A unit is gone from the table."""

    unit: UnitId


@dataclass(frozen=True, slots=True)
class GiveUnit(Command):
    """A unit gets another owner (None: the ST)."""

    unit: UnitId
    to: SeatId | None


@dataclass(frozen=True, slots=True)
class Hide(Command):
    """Players no longer see a unit."""

    unit: UnitId


@dataclass(frozen=True, slots=True)
class Reveal(Command):
    """Players see a unit from now on, in one change (TBL-04)."""

    unit: UnitId


# ------------------------------------------------------------------------------------------------------ the ST: the fight
@dataclass(frozen=True, slots=True)
class StartFight(Command):
    """A fight begins with these units (none named: all on stage). Who has no initiative rolls it.

    `counts`: whether it is a scene of its own; None: it is, unless all whom players see in it are of one side (TIME-06).
    `end_lasting`: see ChangeScene.
    """

    units: tuple[UnitId, ...] = ()
    begin: bool = True
    counts: bool | None = None
    end_lasting: bool = False


@dataclass(frozen=True, slots=True)
class EndFight(Command):
    """The fight is over."""

    end_lasting: bool = False


@dataclass(frozen=True, slots=True)
class JoinFight(Command):
    """A unit on stage takes its place in the order, at `index` if given."""

    unit: UnitId
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Reorder(Command):
    """The order becomes this. `was` is the order the sender saw."""

    order: tuple[UnitId, ...]
    was: tuple[UnitId, ...]


@dataclass(frozen=True, slots=True)
class PassTime(Command):
    """World time goes by, outside a fight."""

    seconds: int


@dataclass(frozen=True, slots=True)
class ChangeScene(Command):
    """Another scene begins (TIME-05). `key_point`: what in the story it turns on; only the ST is told of it.

    `end_lasting`: whatever is not permanent ends with the old one (TIME-07). `counts`: False for a transition that is told
    but changes no scene. `night`: no sun rises or sets in it; a fight has the night of the scene it breaks out in (TIME-02).
    """

    reason: SceneReason
    key_point: str = ""
    end_lasting: bool = False
    counts: bool = True
    night: bool = False


@dataclass(frozen=True, slots=True)
class AllowPrebuff(Command):
    """What is used from now on counts as used when the fight starts, or no longer does (TIME-07)."""

    on: bool = True


@dataclass(frozen=True, slots=True)
class EnterFilm(Command):
    """A Film begins (TIME-08), in a world of its name unless another is named. The scene changes."""

    name: str
    world: str = ""
    end_lasting: bool = False


@dataclass(frozen=True, slots=True)
class LeaveFilm(Command):
    """The Film is over; the story is back in the world it came from. The scene changes."""

    end_lasting: bool = False


@dataclass(frozen=True, slots=True)
class SetWorld(Command):
    """A world's day and sky ("": the world the story is in). None for `sunrise_s`, `sunset_s`: that never comes.

    `time_s`: the time of its day now, None: as it is. `date`: today on Earth's calendar ("2026-01-31"), "" where that does
    not hold, None: as it is.
    """

    world: str = ""
    day_s: int = 86400
    sunrise_s: int | None = 21600
    sunset_s: int | None = 64800
    time_s: int | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class BeginAction(Command):
    """A unit acts now: the next in the order, or out of it a second time in the turn (TIME-03)."""

    unit: UnitId


@dataclass(frozen=True, slots=True)
class Grant(Command):
    """A unit gets single actions, out of the order too (ACT-02), or immediate actions."""

    unit: UnitId
    slots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spend(Command):
    """The ST takes actions away from a unit."""

    unit: UnitId
    slots: tuple[str, ...]


# -------------------------------------------------------------------------------------------------------- the ST: override
@dataclass(frozen=True, slots=True)
class SetValue(Command):
    """A value of a unit by path ("hp", "tracks.hp.max", "attributes.DEX", "position", ...). `was`: what the sender saw."""

    unit: UnitId
    path: str
    value: Any
    was: Any
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Adjust(Command):
    """A number of a unit goes up or down by an amount; two at once both count."""

    unit: UnitId
    path: str
    by: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AddCondition(Command):
    """A unit gets a condition, until it is ended or for as long as is said (as in core.state.Applied)."""

    unit: UnitId
    condition: str
    secret: bool = False
    rounds: int | None = None
    minutes: int | None = None
    by: UnitId | None = None
    reason: str = ""
    lasts: Duration | None = None


@dataclass(frozen=True, slots=True)
class RemoveCondition(Command):
    """A unit loses a condition, with the effects that hold it."""

    unit: UnitId
    condition: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EndEffect(Command):
    """An effect ends now."""

    effect: EffectId
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SetHouse(Command):
    """A house rule changes; every player sees it."""

    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class SetNotes(Command):
    """The ST's notes, of the table (unit None) or of a unit."""

    text: str
    unit: UnitId | None = None


# ----------------------------------------------------------------------------------------------- the ST: windows and stack
@dataclass(frozen=True, slots=True)
class Hold(Command):
    """Every clock stops and nothing is carried out. `next`: once the action under way has ended."""

    next: bool = False


@dataclass(frozen=True, slots=True)
class Release(Command):
    """The table goes on."""


@dataclass(frozen=True, slots=True)
class GiveTime(Command):
    """Windows, and the clock on one's own action, get longer for all for this seat's sake. 100 percent: as usual."""

    seat: SeatId
    percent: int


@dataclass(frozen=True, slots=True)
class SetClock(Command):
    """The top window gets more or less time (ms from what is left)."""

    window: WindowId
    by_ms: int


@dataclass(frozen=True, slots=True)
class CloseWindow(Command):
    """The top window closes now. `force`: without the re-check."""

    window: WindowId
    force: bool = False


@dataclass(frozen=True, slots=True)
class Cancel(Command):
    """A pending action is withdrawn, at any depth."""

    pending: PendingId
    refund: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Resolve(Command):
    """The top pending action is carried out at once."""

    pending: PendingId


@dataclass(frozen=True, slots=True)
class Insert(Command):
    """The ST lets a unit act on top of the stack, free of cost and rules."""

    unit: UnitId
    act: Act
    noticed: bool = False


@dataclass(frozen=True, slots=True)
class EditPending(Command):
    """A pending action's targets, attacks, guards or escaped units become these; `fails`: it fails now."""

    pending: PendingId
    targets: tuple[str, ...] | None = None
    split: tuple[Strike, ...] | None = None
    guards: Mapping[str, int] | None = None
    fled: tuple[str, ...] | None = None
    fails: bool = False


@dataclass(frozen=True, slots=True)
class Restack(Command):
    """The stack's order becomes this, bottom first. `was`: what the sender saw."""

    stack: tuple[PendingId, ...]
    was: tuple[PendingId, ...]


# ------------------------------------------------------------------------------------------------ the ST: requests, history
@dataclass(frozen=True, slots=True)
class AnswerRequest(Command):
    """The ST says yes or no to a player's request. A yes to a take-back names the version he saw (`head`).

    `play`, the past to go back to, and `command`, the one asked leave for, are put in by the server.
    """

    request: RequestId
    yes: bool
    text: str = ""
    head: int | None = None
    play: Play | None = None
    command: Command | None = None


@dataclass(frozen=True, slots=True)
class Rewind(Command):
    """Play becomes what it was at version `to`. `head`: the version the sender saw; `play` is put in by the server."""

    to: int
    head: int
    reason: str = ""
    play: Play | None = None


# ------------------------------------------------------------------------------------------------- seats and invitations
@dataclass(frozen=True, slots=True)
class AddSeat(Command):
    """A seat is made, and these units are its own. Its invitation lasts for good, or `lasts_s` seconds.

    `seat`: its id, where whoever runs the server makes it; else the table makes one.
    """

    name: str
    role: Role
    units: tuple[UnitId, ...] = ()
    lasts_s: int | None = None
    seat: SeatId | None = None


@dataclass(frozen=True, slots=True)
class RemoveSeat(Command):
    """A seat is given up; the ST runs its units."""

    seat: SeatId


@dataclass(frozen=True, slots=True)
class RenewInvitation(Command):
    """A new invitation to a seat, for good or for `lasts_s` seconds. The one before opens nothing any more."""

    seat: SeatId
    lasts_s: int | None = None


@dataclass(frozen=True, slots=True)
class RevokeInvitation(Command):
    """Nobody can sit there until there is a new invitation. The seat and what it owns stay."""

    seat: SeatId


@dataclass(frozen=True, slots=True)
class SetRole(Command):
    """A seat becomes an ST's, a player's, a spectator's. The ST runs what a player had."""

    seat: SeatId
    role: Role


@dataclass(frozen=True, slots=True)
class LendSeat(Command):
    """A second invitation to one's own seat for `lasts_s` seconds. It takes the place of one before."""

    to: str
    lasts_s: int


@dataclass(frozen=True, slots=True)
class TakeBackSeat(Command):
    """A loan ends at once: of one's own seat, or of the one that an ST names."""

    seat: SeatId | None = None


# ------------------------------------------------------------------------------------------------ the server's own commands
@dataclass(frozen=True, slots=True)
class CloseDue(Command):
    """The clock's own act: the window (id, gen) is due."""

    window: WindowId
    gen: int


@dataclass(frozen=True, slots=True)
class EndDueAction(Command):
    """The clock's own act: the time for one's own action is up (house rule)."""

    unit: UnitId
    round: int


@dataclass(frozen=True, slots=True)
class ReleaseDue(Command):
    """The clock's own act: the last invitation has run out by which an ST could let a held table go on."""


@dataclass(frozen=True, slots=True)
class NoteKeeping(Command):
    """The table, or a log or the story of it, was exported, or old scenes were archived; `text`: which."""

    what: Keeping
    text: str = ""


@dataclass(frozen=True, slots=True)
class ReportLoss(Command):
    """The server's own act: the store has lost what it had confirmed. The fields are those of the event HistoryLost."""

    seat: SeatId | None
    first: int
    last: int
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class By:
    """Who asks. `seat` is the seat acted for (ST: `core.ids.ST`), `st` the ST's own seat when he acts for another.

    `lent`: he sits there by a loan.
    """

    seat: SeatId
    role: Role
    st: SeatId | None = None
    lent: bool = False


@cache
def all_commands() -> Mapping[str, type[Command]]:
    """Every kind of command by its name."""
    return {
        name: kind
        for name, kind in globals().items()
        if isinstance(kind, type) and issubclass(kind, Command) and kind is not Command
    }
