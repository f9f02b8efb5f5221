"""What a client may say: HELLO, COMMAND, ASK, PING, DRIFT, each checked to the last bound. No bytes here (codec.py).

Strict models: nothing is converted, floats are refused, unknown keys are ignored. The commands have the fields of
core/commands.py under the same names; lists come out as tuples.
"""

import hashlib
from typing import Annotated, Any, ClassVar, Literal

import msgpack
from pydantic import BaseModel, ConfigDict, Field, Strict, model_validator

from protocol.version import ID, LIST, NAME, NUMBER, TEXT, TIME, UNITS_TEXT

# ---------------------------------------------------------------------------------------------------------- small types
Id = Annotated[str, Field(min_length=1, max_length=ID)]
Name = Annotated[str, Field(min_length=1, max_length=NAME)]
Word = Annotated[str, Field(max_length=NAME)]
Text = Annotated[str, Field(max_length=TEXT)]
Number = Annotated[int, Field(ge=-NUMBER, le=NUMBER)]
Count = Annotated[int, Field(ge=0, le=NUMBER)]
Position = Annotated[int, Field(ge=0, le=TIME)]
Lasts = Annotated[int, Field(ge=1, le=NUMBER)]
Salt = Annotated[str, Field(min_length=16, max_length=ID, repr=False)]
Crc = Annotated[int, Field(ge=0, lt=2**32)]

# A list on the wire is a tuple here: strict about what is in it, not about being called a list. The first thing that is
# wrong in it ends the check: to list what is wrong with each of 60,000 takes a quarter of a second.
Ids = Annotated[tuple[Id, ...], Strict(False), Field(fail_fast=True, max_length=LIST)]
Words = Annotated[tuple[Word, ...], Strict(False), Field(fail_fast=True, max_length=LIST)]
Numbers = Annotated[dict[Word, Number], Field(max_length=LIST)]
Value = (
    None
    | bool
    | Number
    | Text
    | Annotated[tuple[bool | Number | Word, ...], Strict(False), Field(fail_fast=True, max_length=LIST)]
)
"""A value of a unit or of a house rule."""

Slot = Literal[
    "free", "swift", "move", "standard", "full_round", "full_turn", "immediate", "anytime", "simple", "reflexive"
]
Upkeep = Literal["", "same", "none", "free", "swift", "move", "standard", "full_round", "full_turn", "all", "simple"]
Visibility = Literal["open", "roller", "st"]
TimeUnit = Literal[
    "round", "turn", "scene", "film",
    "second", "minute", "hour", "day", "week", "month", "year",
    "sunrise", "sunset", "permanent",
]  # fmt: skip
SceneReason = Literal["fight", "transition", "story", "area", "time"]
Role = Literal["st", "player", "spectator"]
OrderKind = Literal["concerns_me", "ask", "pass", "unless_target"]


class Wire(BaseModel):
    """Anything that came over the wire: strict, frozen, deaf to unknown keys."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", populate_by_name=True)


class Pool(Wire):
    """How many dice: Attributes and Skills by name, or a fixed number, and modifiers. `added`: never to a chance die.

    `target_number`, or the opponent's traits that are it (`against`): in a game that has target numbers.
    """

    attributes: Words = ()
    skills: Words = ()
    fixed: Number | None = None
    modifier: Number = 0
    added: Number = 0
    again: Number = 10
    betters: Count = 0
    extra: Number = 0
    helps_chance: bool = False
    target_number: Count | None = None
    against: Words = ()


class Strike(Wire):
    """One attack of an action that makes several; `extra` none: all the extra successes there are for it."""

    target: Annotated[str, Field(max_length=ID)] = ""
    weapon: Word = ""
    extra: Count | None = None


Split = Annotated[tuple[Strike, ...], Strict(False), Field(fail_fast=True, max_length=LIST)]


class Step(Wire):
    """What is said of one step of a Technique; what is left open is as of the whole act."""

    targets: Ids = ()
    split: Split = ()
    distance: Count | None = None
    position: Word | None = None
    attached: Words = ()


class Act(Wire):
    """What somebody does, as declared. `split`: its attacks one by one, where they are not one on each target."""

    kind: Name
    slot: Slot
    pay: Word = ""
    ability: Word = ""
    targets: Ids = ()
    counters: Id | None = None
    distance: Count | None = None
    position: Word | None = None
    leaves: bool = False
    modifier: Number = 0
    text: Text = ""
    split: Split = ()
    attached: Words = ()
    steps: Annotated[tuple[Step, ...], Strict(False), Field(fail_fast=True, max_length=LIST)] = ()


class Trigger(Wire):
    """When a readied action is offered: every part that is given must match the declaration."""

    act: Word = ""
    actor: Word = ""
    target: Word = ""
    side: Word = ""
    ability: Word = ""


class Duration(Wire):
    """How long something lasts; `own_day`: days are those of the world one is in."""

    n: Annotated[int, Field(ge=1, le=NUMBER)] = 1
    unit: TimeUnit = "round"
    own_day: bool = False


class Applied(Wire):
    """A condition that an ability puts on someone, for as long as it `lasts`; `rounds`, `minutes` are shorter to write."""

    condition: Name
    rounds: Count | None = None
    minutes: Count | None = None
    to: Literal["target", "self"] = "target"
    secret: bool = False
    lasts: Duration | None = None


class Ability(Wire):
    """Something a unit can do."""

    name: Name
    act: Name = "use"
    slots: Annotated[tuple[Slot, ...], Strict(False), Field(fail_fast=True, max_length=8)] = ("standard",)
    pool: Pool | None = None
    needs_target: bool = False
    area: bool = False
    dodgeable: bool = True
    negate: Pool | None = None
    high_speed: Number = 0
    damage: Number = 0
    track: Name = "hp"
    counters: bool = False
    applies: Annotated[tuple[Applied, ...], Strict(False), Field(fail_fast=True, max_length=LIST)] = ()
    keeps_swift: bool = False
    immediates: Number = 0
    answers: Words = ()
    outside: bool = False
    attacks: Annotated[int, Field(ge=1, le=LIST)] = 1
    gains: Count = 0
    dc: Number | None = 1
    concentration: Upkeep = ""
    traits: Words = ()
    attaches: Words = ()
    steps: Words = ()
    lowers_base: Count = 0
    all_out: bool = False


class Track(Wire):
    """A number that goes up and down; `max` None: no upper end."""

    value: Number
    max: Number | None = None


class Unit(Wire):
    """A unit to be added: everything but its name may be left out; its id and number are the table's to give.

    Shorter ways to write it are taken too: a track as one number (its value and its end), conditions as a list (none of
    them secret), abilities as a list, or as a map by name.
    """

    name: Name
    side: Word = ""
    on_stage: bool = False
    hidden: bool = False
    initiative: Number | None = None
    initiative_bonus: Number = 0
    tracks: Annotated[dict[Name, Track], Field(max_length=LIST)] = {}
    base: Number = 0
    dodge: Number = 0
    parry: Number = 0
    takes_away: Count = 0
    absorbs: Count = 0
    attributes: Numbers = {}
    skills: Numbers = {}
    extras: Numbers = {}
    abilities: Annotated[dict[Name, Ability], Field(max_length=LIST)] = {}
    bonus: Numbers = {}
    speed: Count = 10
    position: Word = ""
    conditions: Annotated[dict[Name, bool], Field(max_length=LIST)] = {}
    notes: Text = ""

    @model_validator(mode="before")
    @classmethod
    def _written_short(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        full = dict(given)
        if isinstance(tracks := given.get("tracks"), dict):
            full["tracks"] = {k: {"value": v, "max": v} if type(v) is int else v for k, v in tracks.items()}
        if isinstance(conditions := given.get("conditions"), (list, tuple)) and all(
            isinstance(word, str) for word in conditions
        ):
            full["conditions"] = dict.fromkeys(conditions, False)
        abilities = given.get("abilities")
        if isinstance(abilities, (list, tuple)) and all(isinstance(one, dict) for one in abilities):
            # An ability without a name keeps a key that no name can have, so that the check of names speaks.
            full["abilities"] = {one["name"] if isinstance(one.get("name"), str) else "": one for one in abilities}
        elif isinstance(abilities, dict):
            full["abilities"] = {k: {**v, "name": k} if isinstance(v, dict) else v for k, v in abilities.items()}
        return full


class Prepared(Wire):
    """Units as they are written down beforehand: `count` of a kind, and whose they are."""

    unit: Unit
    owner: Id | None = None
    count: Annotated[int, Field(ge=1, le=LIST)] = 1
    one_initiative: bool = False


# ------------------------------------------------------------------------------------------------------------- commands
class Body(Wire):
    """What a command asks, without its envelope. One class for each command of core/commands.py, by the same name."""


class Declare(Body):
    kind: Literal["declare"] = "declare"
    unit: Id
    act: Act
    noticed: bool = False


class Ready(Body):
    kind: Literal["ready"] = "ready"
    unit: Id
    act: Act
    trigger: Trigger | None = None
    words: Text = ""
    auto: bool = False


class EndAction(Body):
    kind: Literal["end_action"] = "end_action"
    unit: Id
    round: Count


class LeaveFight(Body):
    kind: Literal["leave_fight"] = "leave_fight"
    unit: Id


class Announce(Body):
    kind: Literal["announce"] = "announce"
    unit: Id
    n: Annotated[Count, Field(ge=1)]


class Sustain(Body):
    kind: Literal["sustain"] = "sustain"
    unit: Id


class DropConcentration(Body):
    kind: Literal["drop_concentration"] = "drop_concentration"
    unit: Id


class React(Body):
    kind: Literal["react"] = "react"
    unit: Id
    act: Act
    window: Id | None = None
    noticed: bool = False


class Fire(Body):
    kind: Literal["fire"] = "fire"
    readied: Id
    window: Id | None = None
    targets: Ids = ()
    leaves: bool | None = None


class Pass(Body):
    kind: Literal["pass"] = "pass"
    window: Id
    gen: Count


class Defend(Body):
    kind: Literal["defend"] = "defend"
    window: Id
    unit: Id
    n: Count
    attack: Annotated[int, Field(ge=1, le=LIST)] = 1


class SplitGain(Body):
    kind: Literal["split_gain"] = "split_gain"
    window: Id
    gain: Annotated[tuple[Count, ...], Strict(False), Field(fail_fast=True, max_length=LIST)]


class MoreTime(Body):
    kind: Literal["more_time"] = "more_time"
    window: Id


class Withdraw(Body):
    kind: Literal["withdraw"] = "withdraw"
    pending: Id


class SetStandingOrder(Body):
    kind: Literal["set_standing_order"] = "set_standing_order"
    act: Name
    order: OrderKind


class SetDefaultGuard(Body):
    kind: Literal["set_default_guard"] = "set_default_guard"
    n: Count


class SetReadiedAuto(Body):
    kind: Literal["set_readied_auto"] = "set_readied_auto"
    readied: Id
    auto: bool


class AskTakeBack(Body):
    kind: Literal["ask_take_back"] = "ask_take_back"
    text: Text = ""


class ObjectToRule(Body):
    kind: Literal["object_to_rule"] = "object_to_rule"
    key: Name
    text: Text = ""


class Say(Body):
    kind: Literal["say"] = "say"
    text: Text
    unit: Id | None = None


class Whisper(Body):
    kind: Literal["whisper"] = "whisper"
    text: Text
    to: Id | None = None


class Narrate(Body):
    kind: Literal["narrate"] = "narrate"
    text: Text


class Roll(Body):
    kind: Literal["roll"] = "roll"
    unit: Id
    pool: Pool = Pool()
    visibility: Visibility = "open"
    dc: Number | None = 1
    reason: Text = ""
    ask: Id | None = None
    opposes: Id | None = None
    opposed_pool: Pool | None = None


class AskRoll(Body):
    kind: Literal["ask_roll"] = "ask_roll"
    units: Ids
    pool: Pool
    visibility: Visibility = "open"
    dc: Number | None = 1
    reason: Text = ""


class WithdrawAsk(Body):
    kind: Literal["withdraw_ask"] = "withdraw_ask"
    ask: Id
    reason: Text = ""


class StartTask(Body):
    kind: Literal["start_task"] = "start_task"
    unit: Id
    name: Name
    pool: Pool
    dc: Count
    interval_s: Count | None = None
    within_s: Count | None = None
    in_one_go: bool = False
    visibility: Visibility = "open"
    successes: Count = 0
    opposes: Id | None = None
    opposed_pool: Pool | None = None
    teamwork: bool = False
    botch_ends: bool = False


class RollTask(Body):
    kind: Literal["roll_task"] = "roll_task"
    task: Id
    modifier: Number = 0
    units: Ids = ()
    pool: Pool | None = None


class SetAside(Body):
    kind: Literal["set_aside"] = "set_aside"
    task: Id
    lost: Count = 0
    reason: Text = ""


class EditTask(Body):
    kind: Literal["edit_task"] = "edit_task"
    task: Id
    dc: Count | None = None
    pool: Pool | None = None
    interval_s: Count | None = None
    within_s: Count | None = None
    in_one_go: bool | None = None
    successes: Count | None = None
    mistakes: Count | None = None
    opposed_pool: Pool | None = None
    theirs: Count | None = None
    teamwork: bool | None = None
    botch_ends: bool | None = None
    reason: Text = ""


class DropTask(Body):
    kind: Literal["drop_task"] = "drop_task"
    task: Id
    reason: Text = ""


class MixDice(Body):
    kind: Literal["mix_dice"] = "mix_dice"
    text: Name


class AddUnit(Body):
    kind: Literal["add_unit"] = "add_unit"
    unit: Unit
    owner: Id | None = None


class BringOn(Body):
    kind: Literal["bring_on"] = "bring_on"
    units: Ids
    copies: Annotated[int, Field(ge=1, le=LIST)] = 1
    hidden: bool | None = None
    join: bool = True
    one_initiative: bool = False


class SetUp(Body):
    kind: Literal["set_up"] = "set_up"
    units: Annotated[tuple[Prepared, ...], Strict(False), Field(fail_fast=True, min_length=1, max_length=LIST)]
    on: bool = True
    hidden: bool | None = None
    join: bool = True


class TakeOff(Body):
    kind: Literal["take_off"] = "take_off"
    unit: Id


class RemoveUnit(Body):
    kind: Literal["remove_unit"] = "remove_unit"
    unit: Id


class GiveUnit(Body):
    kind: Literal["give_unit"] = "give_unit"
    unit: Id
    to: Id | None


class Hide(Body):
    kind: Literal["hide"] = "hide"
    unit: Id


class Reveal(Body):
    kind: Literal["reveal"] = "reveal"
    unit: Id


class StartFight(Body):
    kind: Literal["start_fight"] = "start_fight"
    units: Ids = ()
    begin: bool = True
    counts: bool | None = None
    end_lasting: bool = False


class EndFight(Body):
    kind: Literal["end_fight"] = "end_fight"
    end_lasting: bool = False


class ChangeScene(Body):
    kind: Literal["change_scene"] = "change_scene"
    reason: SceneReason
    key_point: Word = ""
    end_lasting: bool = False
    counts: bool = True
    night: bool = False


class AllowPrebuff(Body):
    kind: Literal["allow_prebuff"] = "allow_prebuff"
    on: bool = True


class EnterFilm(Body):
    kind: Literal["enter_film"] = "enter_film"
    name: Name
    world: Word = ""
    end_lasting: bool = False


class LeaveFilm(Body):
    kind: Literal["leave_film"] = "leave_film"
    end_lasting: bool = False


class SetWorld(Body):
    kind: Literal["set_world"] = "set_world"
    world: Word = ""
    day_s: Count = 86400
    sunrise_s: Count | None = 21600
    sunset_s: Count | None = 64800
    time_s: Count | None = None
    date: Word | None = None


class JoinFight(Body):
    kind: Literal["join_fight"] = "join_fight"
    unit: Id
    index: Count | None = None


class Reorder(Body):
    kind: Literal["reorder"] = "reorder"
    order: Ids
    was: Ids


class PassTime(Body):
    kind: Literal["pass_time"] = "pass_time"
    seconds: Count


class BeginAction(Body):
    kind: Literal["begin_action"] = "begin_action"
    unit: Id


class Grant(Body):
    kind: Literal["grant"] = "grant"
    unit: Id
    slots: Words


class Spend(Body):
    kind: Literal["spend"] = "spend"
    unit: Id
    slots: Words


class SetValue(Body):
    kind: Literal["set_value"] = "set_value"
    unit: Id
    path: Name
    value: Value
    was: Value
    reason: Text = ""


class Adjust(Body):
    kind: Literal["adjust"] = "adjust"
    unit: Id
    path: Name
    by: Number
    reason: Text = ""


class AddCondition(Body):
    kind: Literal["add_condition"] = "add_condition"
    unit: Id
    condition: Name
    secret: bool = False
    rounds: Count | None = None
    minutes: Count | None = None
    by: Id | None = None
    reason: Text = ""
    lasts: Duration | None = None


class RemoveCondition(Body):
    kind: Literal["remove_condition"] = "remove_condition"
    unit: Id
    condition: Name
    reason: Text = ""


class EndEffect(Body):
    kind: Literal["end_effect"] = "end_effect"
    effect: Id
    reason: Text = ""


class SetHouse(Body):
    kind: Literal["set_house"] = "set_house"
    key: Name
    value: Value


class SetNotes(Body):
    kind: Literal["set_notes"] = "set_notes"
    text: Text
    unit: Id | None = None


class Hold(Body):
    kind: Literal["hold"] = "hold"
    next: bool = False


class Release(Body):
    kind: Literal["release"] = "release"


class GiveTime(Body):
    kind: Literal["give_time"] = "give_time"
    seat: Id
    percent: Number


class SetClock(Body):
    kind: Literal["set_clock"] = "set_clock"
    window: Id
    by_ms: Number


class CloseWindow(Body):
    kind: Literal["close_window"] = "close_window"
    window: Id
    force: bool = False


class Cancel(Body):
    kind: Literal["cancel"] = "cancel"
    pending: Id
    refund: bool = True
    reason: Text = ""


class Resolve(Body):
    kind: Literal["resolve"] = "resolve"
    pending: Id


class Insert(Body):
    kind: Literal["insert"] = "insert"
    unit: Id
    act: Act
    noticed: bool = False


class EditPending(Body):
    kind: Literal["edit_pending"] = "edit_pending"
    pending: Id
    targets: Ids | None = None
    split: Split | None = None
    guards: Annotated[dict[Id, Count], Field(max_length=LIST)] | None = None
    fled: Ids | None = None
    fails: bool = False


class Restack(Body):
    kind: Literal["restack"] = "restack"
    stack: Ids
    was: Ids


class AddSeat(Body):
    """`salt`: letters that nobody can guess, drawn anew for each invitation; sent again, a command has the same."""

    kind: Literal["add_seat"] = "add_seat"
    name: Name
    role: Role
    units: Ids = ()
    lasts_s: Lasts | None = None
    salt: Salt


class RemoveSeat(Body):
    kind: Literal["remove_seat"] = "remove_seat"
    seat: Id


class RenewInvitation(Body):
    kind: Literal["renew_invitation"] = "renew_invitation"
    seat: Id
    lasts_s: Lasts | None = None
    salt: Salt


class RevokeInvitation(Body):
    kind: Literal["revoke_invitation"] = "revoke_invitation"
    seat: Id


class SetRole(Body):
    kind: Literal["set_role"] = "set_role"
    seat: Id
    role: Role


class LendSeat(Body):
    """`lasts_s`: 30 days at most; it ends with the lender's own invitation in any case."""

    kind: Literal["lend_seat"] = "lend_seat"
    to: Name
    lasts_s: Lasts
    salt: Salt


class TakeBackSeat(Body):
    kind: Literal["take_back_seat"] = "take_back_seat"
    seat: Id | None = None


class AnswerRequest(Body):
    kind: Literal["answer_request"] = "answer_request"
    request: Id
    yes: bool
    text: Text = ""
    head: Position | None = None


class Rewind(Body):
    kind: Literal["rewind"] = "rewind"
    to: Position
    head: Position
    reason: Text = ""


PlainBody = Annotated[
    Declare | Ready | EndAction | LeaveFight | Announce | Sustain | DropConcentration
    | React | Fire | Pass | Defend | SplitGain | MoreTime | Withdraw
    | SetStandingOrder | SetDefaultGuard | SetReadiedAuto | AskTakeBack | ObjectToRule
    | Say | Whisper | Narrate | Roll | AskRoll | WithdrawAsk | MixDice
    | StartTask | RollTask | SetAside | EditTask | DropTask
    | AddUnit | BringOn | SetUp | TakeOff | RemoveUnit | GiveUnit | Hide | Reveal
    | StartFight | EndFight | JoinFight | Reorder | PassTime | BeginAction | Grant | Spend
    | ChangeScene | AllowPrebuff | EnterFilm | LeaveFilm | SetWorld
    | SetValue | Adjust | AddCondition | RemoveCondition | EndEffect | SetHouse | SetNotes
    | Hold | Release | SetClock | CloseWindow | Cancel | Resolve | Insert | EditPending | Restack
    | GiveTime
    | AddSeat | RemoveSeat | RenewInvitation | RevokeInvitation | SetRole | LendSeat | TakeBackSeat
    | AnswerRequest | Rewind,
    Field(discriminator="kind"),
]  # fmt: skip
"""Every command but the one that holds another."""


class AskLeave(Body):
    """`command` is the refused command again: a map with `kind` and its fields, no envelope."""

    kind: Literal["ask_leave"] = "ask_leave"
    command: PlainBody
    text: Text = ""


AnyBody = PlainBody | AskLeave

BODIES: dict[str, type[Body]] = {one.model_fields["kind"].default: one for one in Body.__subclasses__()}
"""Every command of the wire by its kind."""


# ------------------------------------------------------------------------------------------------------------- messages
class Resume(Wire):
    """Where a client left off: everything up to `n` of this `epoch` has reached it."""

    epoch: Id
    n: Position


class Hello(Wire):
    """The first frame. `client` is random per SDK object; the token proves the seat and is never printed.

    `minor`: how far the client knows the version that is agreed on. `see_as`: the seat whose eyes an ST looks through,
    by id or name, or "all" for the spectators'; such a connection cannot act, and nobody is told of it.
    """

    t: Literal["hello"] = "hello"
    versions: Annotated[
        tuple[Annotated[int, Field(ge=0, le=10_000)], ...], Strict(False), Field(fail_fast=True, max_length=16)
    ]
    token: Annotated[str, Field(min_length=1, max_length=256, repr=False)]
    client: Id
    resume: Resume | None = None
    see_as: Name | None = None
    minor: Annotated[int, Field(ge=0, le=10_000)] = 0


class Command(Wire):
    """A command in its envelope. On the wire the body's keys stand beside the envelope's, in one map.

    `seq` only rises per client; `seen` is the sender's n; `as_seat` (key "as") the seat an ST acts for.
    """

    t: Literal["command"] = "command"
    seq: Annotated[int, Field(ge=1, le=TIME)]
    seen: Position
    as_seat: Id | None = Field(default=None, alias="as")
    body: AnyBody

    ENVELOPE: ClassVar[frozenset[str]] = frozenset({"t", "seq", "seen", "as"})

    def digest(self) -> bytes:
        """16 bytes that are equal for equal content: the body and whom it is for, not when it was sent."""
        content = [self.as_seat, self.body.model_dump()]
        return hashlib.blake2b(msgpack.packb(content), digest_size=16).digest()


class Question(Wire):
    """Something asked that changes nothing, answered under its `id`. One class for each `what`."""

    t: Literal["ask"] = "ask"
    id: Position


class AskLog(Question):
    """Older log lines of the asker's own stream: `limit` entries before position `before` (None: the newest)."""

    what: Literal["log"] = "log"
    before: Position | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class AskRewindPreview(Question):
    """What a rewind to position `to` would undo, or a yes to the take-back that `request` asks for (ST)."""

    what: Literal["rewind_preview"] = "rewind_preview"
    to: Position | None = None
    request: Id | None = None


class AskCalc(Question):
    """A calculation as the rules text writes it: "6/Resolve extra successes + 1", "10 with x2, x4, +50", "... then x4".

    `unit`: whose values the names in it mean. `own` false: money, distance and the like, by ordinary arithmetic.
    """

    what: Literal["calc"] = "calc"
    text: Text
    unit: Id | None = None
    own: bool = True


class AskExplain(Question):
    """When an effect ends, and why then."""

    what: Literal["explain"] = "explain"
    effect: Id


class AskOptions(Question):
    """What the asker's units, or one of them, could do now, with the cost; and of what they cannot do, why."""

    what: Literal["options"] = "options"
    unit: Id | None = None


class AskAudit(Question):
    """Who has changed what about seats, invitations, roles and house rules: `limit` changes before version `before` (ST)."""

    what: Literal["audit"] = "audit"
    before: Annotated[int, Field(ge=1, le=TIME)] | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class AskLibrary(Question):
    """What is prepared to be set up by its name (ST): every file of the library, or of the one of this `name` its units."""

    what: Literal["library"] = "library"
    name: Name | None = None


class AskReadUnits(Question):
    """What a text says as units (ST): YAML, JSON or a table. `file`: its name, whose ending tells a table (.csv, .tsv)."""

    what: Literal["read_units"] = "read_units"
    text: Annotated[str, Field(max_length=UNITS_TEXT)]
    file: Name = "units.yaml"


class AskExport(Question):
    """The next page of a file to take away (ST). `form`: "story", the evenings in Markdown; "log", every line with its dice,
    as `overseer verify` takes it. `whose`: as who was told it, "st", "all" or a player's seat. `evening`: only this one
    of the story; 0: the last. `page`: 0, then what the last answer names as `next`, on the same connection.
    """

    what: Literal["export"] = "export"
    form: Literal["story", "log"] = "story"
    whose: Id = "st"
    language: Literal["en", "zh"] = "en"
    evening: Count | None = None
    page: Position = 0


Ask = Annotated[
    AskAudit | AskLog | AskRewindPreview | AskCalc | AskExplain | AskOptions | AskLibrary | AskReadUnits | AskExport,
    Field(discriminator="what"),
]
ASKS: dict[str, type[Question]] = {one.model_fields["what"].default: one for one in Question.__subclasses__()}
"""Every question of the wire by its `what`."""


class Ping(Wire):
    """Are you there, and what time is it?"""

    t: Literal["ping"] = "ping"
    id: Position


class Drift(Wire):
    """What CHECK says of `n` is not what this client has: `crc` is. The answer is a SNAPSHOT."""

    t: Literal["drift"] = "drift"
    n: Position
    crc: Crc


FromClient = Hello | Command | Question | Ping | Drift
