"""Everything that can have happened, in the past tense. `evolve.py` folds them; `story.py` tells them to each audience.

An event carries values, never a rule: what it says is already decided. Results of dice are inside, so replay rolls nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from core.ids import EffectId, KeyId, PendingId, ReadiedId, RequestId, SeatId, TaskId, UnitId, WindowId
from core.state import (
    Budget,
    Clock,
    Concentration,
    Effect,
    Fight,
    Film,
    House,
    Keeping,
    Loan,
    Objection,
    OrderKind,
    Paid,
    Pending,
    Play,
    Readied,
    Request,
    Role,
    RollAsk,
    SceneReason,
    Seat,
    Seeds,
    Strike,
    Task,
    Unit,
    Visibility,
    Window,
    WorldClock,
)

EffectWhy = Literal["ran_out", "condition_lost", "concentration", "st", "scene", "film", "forced"]
ConcentrationWhy = Literal["not_sustained", "cannot_act", "cannot_pay", "dropped", "replaced", "scene", "gone"]
Doubt = Literal["same_key_point", "one_side"]
FailWhy = Literal["interrupted", "no_target", "no_means", "barred", "st", "fault"]
WindowKind = Literal["before", "defence", "gain", "after"]
CloseWhy = Literal["settled", "deadline", "st"]
TaskWhy = Literal["deadline", "mistakes", "botch", "lost", "set_aside", "given_up", "st"]


class Event:
    """Something that has happened to a table."""

    __slots__ = ()


# --------------------------------------------------------------------------------------------------- seats and the house
@dataclass(frozen=True, slots=True)
class TableMade(Event):
    name: str
    created: int
    practice: bool
    house: House


@dataclass(frozen=True, slots=True)
class TableBrought(Event):
    """The table was brought here in a file, under this name. What had happened until then, happened elsewhere."""

    name: str


@dataclass(frozen=True, slots=True)
class SeatAdded(Event):
    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatRemoved(Event):
    seat: SeatId
    name: str


@dataclass(frozen=True, slots=True)
class InvitationRenewed(Event):
    seat: SeatId
    key: KeyId
    until: int | None


@dataclass(frozen=True, slots=True)
class InvitationRevoked(Event):
    seat: SeatId


@dataclass(frozen=True, slots=True)
class RoleSet(Event):
    seat: SeatId
    role: Role
    was: Role


@dataclass(frozen=True, slots=True)
class SeatLent(Event):
    seat: SeatId
    loan: Loan


@dataclass(frozen=True, slots=True)
class LoanEnded(Event):
    seat: SeatId
    to: str


@dataclass(frozen=True, slots=True)
class KeepingNoted(Event):
    what: Keeping
    text: str


@dataclass(frozen=True, slots=True)
class OwnerSet(Event):
    unit: UnitId
    seat: SeatId | None


@dataclass(frozen=True, slots=True)
class HouseRuleSet(Event):
    key: str
    value: Any
    was: Any


@dataclass(frozen=True, slots=True)
class RuleObjected(Event):
    objection: Objection


@dataclass(frozen=True, slots=True)
class HistoryLost(Event):
    """The store has lost what it had confirmed: a backup was restored, or a copy that lagged took over.

    Changes `first` to `last` of what a client of `seat` was sent; or, where a server saw it, of what the STs were sent
    (0: none), with the ids of all `commands` that are withdrawn, oldest first. None of them: whoever runs the server says
    that an older copy was put back, and nobody knows what it lacks.
    """

    seat: SeatId | None
    first: int
    last: int
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotesSet(Event):
    text: str
    unit: UnitId | None = None


@dataclass(frozen=True, slots=True)
class StandingOrderSet(Event):
    seat: SeatId
    act: str
    order: OrderKind


@dataclass(frozen=True, slots=True)
class DefaultGuardSet(Event):
    seat: SeatId
    n: int


@dataclass(frozen=True, slots=True)
class Acted(Event):
    """The seat's latest act that it could ask to take back, by the version that holds it."""

    seat: SeatId
    version: int


# ------------------------------------------------------------------------------------------------------------------ talk
@dataclass(frozen=True, slots=True)
class Said(Event):
    seat: SeatId
    text: str
    unit: UnitId | None = None


@dataclass(frozen=True, slots=True)
class Whispered(Event):
    seat: SeatId
    to: SeatId
    text: str


@dataclass(frozen=True, slots=True)
class Narrated(Event):
    text: str


@dataclass(frozen=True, slots=True)
class RequestMade(Event):
    request: Request


@dataclass(frozen=True, slots=True)
class RequestAnswered(Event):
    request: RequestId
    seat: SeatId
    yes: bool
    text: str = ""


@dataclass(frozen=True, slots=True)
class Flagged(Event):
    """A rule would have refused it; it was done by house rule or by the ST's leave. `task`: in the course of this one.

    `secret`: for the ST alone. `private`: for the unit's owner too, and for nobody else.
    """

    seat: SeatId
    code: str
    leave: bool = False
    unit: UnitId | None = None
    task: TaskId | None = None
    secret: bool = False
    private: bool = False


@dataclass(frozen=True, slots=True)
class Faulted(Event):
    """Rule code raised while carrying an action out: the action failed and its cost came back."""

    pending: PendingId
    error: str


# ------------------------------------------------------------------------------------------------------------------ rolls
@dataclass(frozen=True, slots=True)
class RollAsked(Event):
    ask: RollAsk


@dataclass(frozen=True, slots=True)
class AskWithdrawn(Event):
    ask: RequestId
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RollAnswered(Event):
    ask: RequestId
    unit: UnitId


@dataclass(frozen=True, slots=True)
class Rolled(Event):
    """One roll with how it came about. `parts` are the pool's sources.

    `seed`, `stream`, `counter`, `mixed`: where its faces come from (dice/proof.py; DICE-07). Seed 0: not to be proven.
    `opposes`: whose roll the DC comes from, or the `eliminated` successes: those of a resisting opponent, already taken
    away from `successes` (STY-04). `target_number`, `ones`, `botch`: of dice against a target number.
    """

    unit: UnitId
    seat: SeatId
    why: str
    visibility: Visibility
    stream: str
    counter: int
    parts: tuple[tuple[str, int], ...]
    size: int
    chance: bool
    again: int
    faces: tuple[int, ...]
    rolled: int
    extra: int
    successes: int
    dramatic: bool = False
    dc: int | None = None
    pending: PendingId | None = None
    target: str | None = None
    seed: int = 0
    mixed: tuple[tuple[str, str], ...] = ()
    opposes: UnitId | None = None
    target_number: int | None = None
    ones: int = 0
    botch: bool = False
    eliminated: int = 0


@dataclass(frozen=True, slots=True)
class SeedCommitted(Event):
    """From now on rolls come from this seed; whoever has its commitment knows later that it was not changed."""

    seeds: Seeds


@dataclass(frozen=True, slots=True)
class SeedRevealed(Event):
    """The seed is used up, and is told: `open` to all, `secret` to the STs. In hex."""

    number: int
    open: str
    secret: str


@dataclass(frozen=True, slots=True)
class SeedLeft(Event):
    """The table goes on elsewhere: who sealed this seed keeps it, and here nobody can open it."""

    number: int


@dataclass(frozen=True, slots=True)
class DiceMixed(Event):
    seat: SeatId
    text: str


# ------------------------------------------------------------------------------------------------------- extended actions
@dataclass(frozen=True, slots=True)
class TaskStarted(Event):
    task: Task


@dataclass(frozen=True, slots=True)
class TaskRolled(Event):
    """What one roll brought; `at`: world time (s). The roll itself is told by Rolled.

    `by`: who rolled, where it is a helper; `theirs`: what the opponent has won in it (STY-05).
    """

    task: TaskId
    successes: int
    mistakes: int
    at: int
    by: UnitId | None = None
    theirs: int = 0


@dataclass(frozen=True, slots=True)
class TaskBotched(Event):
    """Whoever has botched starts over from scratch: the tally of his side is 0 (STY-06)."""

    task: TaskId
    unit: UnitId


@dataclass(frozen=True, slots=True)
class TaskAtRisk(Event):
    """Two more 1s would make it fail (TASK-05)."""

    task: TaskId


@dataclass(frozen=True, slots=True)
class TaskSetAside(Event):
    """Work on it rests; `lost` successes are gone, which it had."""

    task: TaskId
    lost: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TaskEdited(Event):
    task: Task
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TaskDone(Event):
    """The DC is reached. What lies over it makes it no better (TASK-02)."""

    task: TaskId


@dataclass(frozen=True, slots=True)
class TaskFailed(Event):
    task: TaskId
    why: TaskWhy
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TaskRemoved(Event):
    """It is no longer kept: started once more, or taken off the list."""

    task: TaskId


# ------------------------------------------------------------------------------------------------------------------ units
@dataclass(frozen=True, slots=True)
class UnitAdded(Event):
    unit: Unit


@dataclass(frozen=True, slots=True)
class UnitRemoved(Event):
    unit: UnitId
    name: str


@dataclass(frozen=True, slots=True)
class UnitEntered(Event):
    unit: UnitId
    hidden: bool


@dataclass(frozen=True, slots=True)
class UnitLeftStage(Event):
    unit: UnitId


@dataclass(frozen=True, slots=True)
class UnitHidden(Event):
    unit: UnitId


@dataclass(frozen=True, slots=True)
class UnitRevealed(Event):
    unit: UnitId


@dataclass(frozen=True, slots=True)
class InitiativeSet(Event):
    unit: UnitId
    initiative: int
    face: int | None = None


@dataclass(frozen=True, slots=True)
class ValueSet(Event):
    """A value of a unit. `path` is whole: "tracks.hp.value"."""

    unit: UnitId
    path: str
    value: Any
    was: Any
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DamageDealt(Event):
    unit: UnitId
    track: str
    amount: int
    value: int
    was: int
    by: UnitId | None = None


@dataclass(frozen=True, slots=True)
class ConditionGained(Event):
    unit: UnitId
    condition: str
    secret: bool = False
    reason: str = ""
    by: UnitId | None = None


@dataclass(frozen=True, slots=True)
class ConditionLost(Event):
    unit: UnitId
    condition: str
    reason: str = ""
    secret: bool = False
    by: UnitId | None = None


@dataclass(frozen=True, slots=True)
class UnitMoved(Event):
    unit: UnitId
    position: str
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class EffectStarted(Event):
    effect: Effect


@dataclass(frozen=True, slots=True)
class EffectChanged(Event):
    """What an effect ends with has changed: its rounds count on the world's clock now, say."""

    effect: Effect


@dataclass(frozen=True, slots=True)
class EffectEnded(Event):
    effect: EffectId
    name: str
    on: UnitId
    secret: bool
    why: EffectWhy = "ran_out"


@dataclass(frozen=True, slots=True)
class ConcentrationStarted(Event):
    concentration: Concentration


@dataclass(frozen=True, slots=True)
class ConcentrationSustained(Event):
    """It is kept up for the unit's round `round`; what it costs has been spent."""

    unit: UnitId
    ability: str
    round: int


@dataclass(frozen=True, slots=True)
class ConcentrationEnded(Event):
    unit: UnitId
    ability: str
    why: ConcentrationWhy


# ----------------------------------------------------------------------------------------------------- scenes and worlds
@dataclass(frozen=True, slots=True)
class SceneChanged(Event):
    """Scene number `scene` begins; or, where it does not count, a transition within it."""

    scene: int
    reason: SceneReason
    key_point: str = ""
    counts: bool = True
    night: bool = False


@dataclass(frozen=True, slots=True)
class SceneDoubted(Event):
    """A warning to the ST (TIME-06): the key point has been used for the change to `scene`, or the fight has one side."""

    why: Doubt
    key_point: str = ""
    scene: int | None = None


@dataclass(frozen=True, slots=True)
class PrebuffAllowed(Event):
    on: bool


@dataclass(frozen=True, slots=True)
class FilmEntered(Event):
    film: Film
    world: str


@dataclass(frozen=True, slots=True)
class FilmLeft(Event):
    name: str
    world: str


@dataclass(frozen=True, slots=True)
class WorldSet(Event):
    world: str
    clock: WorldClock


# -------------------------------------------------------------------------------------------------------------- the fight
@dataclass(frozen=True, slots=True)
class FightStarted(Event):
    fight: Fight
    budgets: Mapping[UnitId, Budget]


@dataclass(frozen=True, slots=True)
class FightEnded(Event):
    turns: int


@dataclass(frozen=True, slots=True)
class UnitJoined(Event):
    unit: UnitId
    index: int
    done: bool
    budget: Budget


@dataclass(frozen=True, slots=True)
class UnitLeft(Event):
    """A unit is out of the fight. `ghost`: its place stays, to count the rounds of its effects."""

    unit: UnitId
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class OrderSet(Event):
    order: tuple[UnitId, ...]


@dataclass(frozen=True, slots=True)
class TurnEnded(Event):
    """A turn is over; `clock_s` is the world's clock after its 6 seconds."""

    turn: int
    clock_s: int


@dataclass(frozen=True, slots=True)
class TimePassed(Event):
    """World time went by outside a fight; `clock_s` is the world's clock after it."""

    clock_s: int


@dataclass(frozen=True, slots=True)
class ActionBegan(Event):
    """A unit's action begins with this budget. `skipped`: it cannot act, so its action ends in the same moment.

    `veiled`: it is hidden, and the table is held for as long as it acts (TBL-04). `ahead`: it is the next turn's
    first that can, and acts before this one is over.
    """

    unit: UnitId
    budget: Budget
    deadline: int | None = None
    skipped: bool = False
    veiled: bool = False
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class ActionEnded(Event):
    """`skipped`: it cannot act; `timed_out`: the clock on its action has run out."""

    unit: UnitId
    skipped: bool = False
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class ActionClockSet(Event):
    deadline: int | None
    left: int | None
    restarted: bool = False


@dataclass(frozen=True, slots=True)
class CostSpent(Event):
    unit: UnitId
    paid: tuple[Paid, ...]


@dataclass(frozen=True, slots=True)
class CostRefunded(Event):
    unit: UnitId
    paid: tuple[Paid, ...]


@dataclass(frozen=True, slots=True)
class ActionsAnnounced(Event):
    """How many actions of this kind a unit takes in this turn; `more`: than it had before (STY-03)."""

    unit: UnitId
    n: int
    more: int
    slot: str


@dataclass(frozen=True, slots=True)
class ActionsGranted(Event):
    unit: UnitId
    slots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ActionsTaken(Event):
    unit: UnitId
    slots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DebtOwed(Event):
    unit: UnitId
    debt: str


# -------------------------------------------------------------------------------------------------------------- the stack
@dataclass(frozen=True, slots=True)
class ActionDeclared(Event):
    pending: Pending


@dataclass(frozen=True, slots=True)
class ActedAtOnce(Event):
    """An act off the stack that covers nothing: an anytime act, or whatever a hidden unit does unnoticed."""

    pending: Pending


@dataclass(frozen=True, slots=True)
class WindowOpened(Event):
    window: Window


@dataclass(frozen=True, slots=True)
class WindowCovered(Event):
    window: WindowId


@dataclass(frozen=True, slots=True)
class WindowAsked(Event):
    """The question is put again, or its clock starts again: the window as it is now."""

    window: Window


@dataclass(frozen=True, slots=True)
class WindowRestarted(Event):
    """Nobody could have answered in time (an outage): a whole clock again, once."""

    window: WindowId
    clock: Clock | None


@dataclass(frozen=True, slots=True)
class WindowClockSet(Event):
    """`added_ms`: what the ST (`by_st`), or a draw on a time bank, has added to the deadline."""

    window: WindowId
    clock: Clock
    added_ms: int = 0
    by_st: bool = False


@dataclass(frozen=True, slots=True)
class WindowClosed(Event):
    window: WindowId
    reason: CloseWhy


@dataclass(frozen=True, slots=True)
class SeatPassed(Event):
    window: WindowId
    seat: SeatId


@dataclass(frozen=True, slots=True)
class TimeDrawn(Event):
    seat: SeatId
    left_ms: int


@dataclass(frozen=True, slots=True)
class DelayGiven(Event):
    """A late answer counts, for its line is slow. `given_ms`: all that the seat was given back in this scene."""

    seat: SeatId
    given_ms: int


@dataclass(frozen=True, slots=True)
class TimeGiven(Event):
    """How long windows are for this seat's sake, in percent."""

    seat: SeatId
    name: str
    percent: int


@dataclass(frozen=True, slots=True)
class GuardPromised(Event):
    """`aim`: against which attack of the action (extras.aim). `beyond`: more than there is, let through."""

    pending: PendingId
    unit: UnitId
    n: int
    aim: str = ""
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class GuardSpent(Event):
    """`legendary`: how many of them were those of Legendary Attributes (XS-09)."""

    pending: PendingId
    unit: UnitId
    n: int
    aim: str = ""
    legendary: int = 0


@dataclass(frozen=True, slots=True)
class ExtrasGained(Event):
    """A hit has given its unit attack extra successes. `pending`: the action it was part of (XS-05)."""

    unit: UnitId
    n: int
    pending: PendingId


@dataclass(frozen=True, slots=True)
class SplitAsked(Event):
    """The action waits midway: its owner is to say which of the attacks still to come get what was gained."""

    pending: Pending


@dataclass(frozen=True, slots=True)
class GainSplit(Event):
    """What was gained midway has been split."""

    pending: PendingId
    split: tuple[Strike, ...]


@dataclass(frozen=True, slots=True)
class AreaLeft(Event):
    """A unit left the area of a waiting attack by an interrupt (IMM-05)."""

    pending: PendingId
    unit: UnitId


@dataclass(frozen=True, slots=True)
class PendingEdited(Event):
    """`by_st`: the ST has changed what was declared; else the rules keep something with it."""

    pending: Pending
    by_st: bool = False


@dataclass(frozen=True, slots=True)
class AbilitiesAttached(Event):
    """What was attached to an action comes out, with its roll (ATT-01)."""

    pending: PendingId
    actor: UnitId
    kind: str
    abilities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepCarriedOut(Event):
    """A step of a Technique is done, the next is declared (ATT-02). `pending`: what it is now; `kind`: what was done."""

    pending: Pending
    kind: str


@dataclass(frozen=True, slots=True)
class ActionCarriedOut(Event):
    """`stays`: it stays on the stack, for what it triggers (STY-02)."""

    pending: PendingId
    actor: UnitId
    kind: str
    stays: bool = False


@dataclass(frozen=True, slots=True)
class AnswersOver(Event):
    """An act that has been carried out has had all its answers: it leaves the stack (STY-02)."""

    pending: PendingId


@dataclass(frozen=True, slots=True)
class ActionFailed(Event):
    pending: PendingId
    actor: UnitId
    kind: str
    why: FailWhy
    secret: bool = False  # why it failed is for the ST alone


@dataclass(frozen=True, slots=True)
class ActionWithdrawn(Event):
    pending: PendingId
    actor: UnitId
    kind: str
    refunded: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StackOrdered(Event):
    stack: tuple[PendingId, ...]


@dataclass(frozen=True, slots=True)
class ReadiedDeclared(Event):
    readied: Readied


@dataclass(frozen=True, slots=True)
class ReadiedMatched(Event):
    pending: PendingId
    readied: ReadiedId


@dataclass(frozen=True, slots=True)
class ReadiedUsed(Event):
    readied: ReadiedId


@dataclass(frozen=True, slots=True)
class ReadiedArmed(Event):
    """A used one came back with its refund."""

    readied: ReadiedId


@dataclass(frozen=True, slots=True)
class ReadiedExpired(Event):
    readied: ReadiedId
    unit: UnitId


@dataclass(frozen=True, slots=True)
class ReadiedAutoSet(Event):
    readied: ReadiedId
    auto: bool


# ----------------------------------------------------------------------------------------------------------- the ST's hand
@dataclass(frozen=True, slots=True)
class TableHeld(Event):
    next: bool = False


@dataclass(frozen=True, slots=True)
class TableReleased(Event):
    pass


@dataclass(frozen=True, slots=True)
class Rewound(Event):
    """Play is what it was at version `to`, with its windows under new names."""

    to: int
    play: Play = field(repr=False)
    reason: str = ""


@cache
def all_events() -> dict[str, type[Event]]:
    """Every kind of event by its name."""
    return {
        name: kind
        for name, kind in globals().items()
        if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
    }
