"""The table as values: what a fight is at one moment. No rule lives here, nothing here can change.

A `Table` is frozen values in flat mappings by id. `Play` is what a rewind goes back to; the rest is administration, which
only goes forward. Mappings are never changed in place: `evolve.py` makes new ones.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from core.dice.pool import Throw
from core.ids import EffectId, KeyId, PendingId, ReadiedId, RequestId, SeatId, TaskId, UnitId, WindowId

Role = Literal["st", "player", "spectator"]
Slot = Literal[
    "free", "swift", "move", "standard", "full_round", "full_turn", "immediate", "anytime", "simple", "reflexive",
]  # fmt: skip
"""The kinds of action of all games; which of them a game has its ruleset says."""
Visibility = Literal["open", "roller", "st"]
"""Who sees a roll: everybody, the roller and the ST, or the ST alone."""
OrderKind = Literal["concerns_me", "ask", "pass", "unless_target"]
"""A standing order: ask when it concerns me (default), always ask, pass, pass unless one of mine is the target."""
TimeUnit = Literal[
    "round", "turn", "scene", "film",
    "second", "minute", "hour", "day", "week", "month", "year",
    "sunrise", "sunset", "permanent",
]  # fmt: skip
"""What a duration is told in: combat and story first, real time, what the sky says, and for ever (TIME-01)."""
SceneReason = Literal["fight", "transition", "story", "area", "time"]
"""Why a scene changes (TIME-05)."""

Keeping = Literal["exported", "log_exported", "story_exported", "archived"]
"""What whoever runs the server does with a table's log: all of it, one audience's, or old scenes out of the store."""

Upkeep = Literal["", "same", "none", "free", "swift", "move", "standard", "full_round", "full_turn", "all", "simple"]
"""What a concentration costs each round: the same as activating it, nothing, or these actions; "": it is none (CON-03)."""

ATTACKS = frozenset({"attack", "melee_attack", "ranged_attack"})
"""The kinds of act that are attacks; melee and ranged are two kinds (ACT-03)."""

SOME_TIME_MS = 300_000
"""Outside a fight a turn is as good as this long, where it has to be counted who keeps others waiting how often."""


# ------------------------------------------------------------------------------------------------------------- units
@dataclass(frozen=True, slots=True)
class Pool:
    """How many dice: Attributes and Skills of the roller by name, or a fixed number, and modifiers (DICE-01).

    `added`: dice that something gives to the finished pool. They and `extra` do not touch a chance die, unless they help
    it (`helps_chance`, DICE-06). `betters`: by how many steps abilities better the `again` level, never beyond 8 (DICE-02).

    In a game with target numbers: `target_number` is the one its dice are to reach, `against` the opponent's Attribute or
    Attribute and Skill whose sum it is instead (STY-04). None, nothing: the house's.
    """

    attributes: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    fixed: int | None = None
    modifier: int = 0
    added: int = 0
    again: int = 10
    betters: int = 0
    extra: int = 0
    helps_chance: bool = False
    target_number: int | None = None
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Duration:
    """How long something lasts: `n` of a unit of time. `own_day`: days are those of the world one is in (TIME-01)."""

    n: int = 1
    unit: TimeUnit = "round"
    own_day: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """A condition an ability puts on someone, and how long it `lasts` (None: until ended).

    `rounds` (of its user) and `minutes` are the short way to write the two commonest durations.
    """

    condition: str
    rounds: int | None = None
    minutes: int | None = None
    to: Literal["target", "self"] = "target"
    secret: bool = False
    lasts: Duration | None = None


@dataclass(frozen=True, slots=True)
class Ability:
    """Something a unit can do. Its numbers are inputs: they stand on pages the rules texts do not include.

    `track`: where an attack's successes, or fixed `damage`, land ("" for none: it only has effects).
    `negate`: the roll by which a target lessens an area attack. `immediates`: how many immediate actions a round it gives
    in all. `answers`: the kinds of act it is there to answer ("*": any; none named: attacks). `outside`: a free act
    allowed outside one's own action. `attacks`: how many attacks one action makes (1: one on each target). `gains`:
    the attack extra successes that each hit with it gives its user (XS-05); what it gives by itself is its pool's `extra`.
    `dc`: of its own roll, where it is no attack; None: the successes are the result (TASK-01).
    `concentration`: what keeping it up costs each round; what it puts on someone without a time of its own then lasts
    as long as it is sustained (CON-01). `traits`: what else its act is ("blade"). `attaches`: it takes no action
    but is attached to one that is all of this: its kind, its traits, "all_out" (ATT-01). `steps`: it is a Technique of these
    abilities, one after another; one with no slots can be used in no other way (ATT-02).
    `lowers_base`: by how much using it (a charge, one of several attacks) lowers its user's Base Defense until the next
    action; `all_out`: using it gives up defense until then (XS-09).
    """

    name: str
    act: str = "use"
    slots: tuple[Slot, ...] = ("standard",)
    pool: Pool | None = None
    needs_target: bool = False
    area: bool = False
    dodgeable: bool = True
    negate: Pool | None = None
    high_speed: int = 0
    damage: int = 0
    track: str = "hp"
    counters: bool = False
    applies: tuple[Applied, ...] = ()
    keeps_swift: bool = False
    immediates: int = 0
    answers: tuple[str, ...] = ()
    outside: bool = False
    attacks: int = 1
    gains: int = 0
    dc: int | None = 1
    concentration: Upkeep = ""
    traits: tuple[str, ...] = ()
    attaches: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    lowers_base: int = 0
    all_out: bool = False


@dataclass(frozen=True, slots=True)
class Track:
    """A number that goes up and down, hp for one. `max` is None where there is no upper end."""

    value: int
    max: int | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """Whoever has, or may get, a place in the fight. `conditions` maps a word to whether it is secret.

    `takes_away`: the successes it takes from every attack on it, before extra successes; `absorbs`: the damage it soaks
    up of every hit, after them (XS-08).
    """

    id: UnitId
    name: str
    side: str = ""
    number: int = 0
    on_stage: bool = False
    hidden: bool = False
    initiative: int | None = None
    initiative_bonus: int = 0
    tracks: Mapping[str, Track] = field(default_factory=dict)
    base: int = 0
    dodge: int = 0
    parry: int = 0
    takes_away: int = 0
    absorbs: int = 0
    attributes: Mapping[str, int] = field(default_factory=dict)
    skills: Mapping[str, int] = field(default_factory=dict)
    extras: Mapping[str, int] = field(default_factory=dict)
    abilities: Mapping[str, Ability] = field(default_factory=dict)
    bonus: Mapping[str, int] = field(default_factory=dict)
    speed: int = 10
    position: str = ""
    conditions: Mapping[str, bool] = field(default_factory=dict)
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Units as they are written down beforehand: `count` of a kind, numbered if there are several, and whose they are.

    `one_initiative`: where none is written, it is rolled once for all of them; else each rolls its own.
    """

    unit: Unit
    owner: SeatId | None = None
    count: int = 1
    one_initiative: bool = False


@dataclass(frozen=True, slots=True)
class Paid:
    """One entry of the spend ledger. `what`: a slot, an act kind (free), a readied action's id; `owed`: the debt it made."""

    kind: Literal["slot", "free", "immediate", "readied", "base", "all_out"]
    what: str = ""
    n: int = 1
    owed: str = ""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a unit may still do in its round. `round` counts the actions it has begun in this fight.

    `concentrated`: it has started or sustained a concentration in this round (CON-04).
    `guard`: defence extra successes left, `legendary`: how many of them Legendary Attributes give (XS-09). `gained`:
    attack extra successes that hits of this round have given it. `base_less`: by how much its acts of this round have
    lowered its Base Defense; `all_out`: it has given up defense. `announced`: how many actions it has said it will take in
    this turn (STY-03).
    """

    unit: UnitId
    round: int = 0
    left: Mapping[str, int] = field(default_factory=dict)
    spent: tuple[str, ...] = ()
    free_kinds: tuple[str, ...] = ()
    free_used: int = 0
    immediates: int = 1
    guard: int = 0
    debts: tuple[str, ...] = ()
    gained: int = 0
    concentrated: bool = False
    legendary: int = 0
    base_less: int = 0
    all_out: bool = False
    announced: int = 1


@dataclass(frozen=True, slots=True)
class Effect:
    """Something that lasts. It ends when `unit` begins its `nth` action, when the world clock reaches `at`, with the
    scene or the Film (see `lasts`), or never.

    `sustained`: it lasts as long as `by` concentrates (CON-01). `since`: the world clock (s) as it began to count.
    `waits`: it was used before a fight with the ST's leave, and begins to count with the fight (TIME-07). Of scenes,
    Films, sunrises and sunsets `lasts` says how many are still to come.
    """

    id: EffectId
    name: str
    by: UnitId
    on: UnitId
    condition: str = ""
    secret: bool = False
    unit: UnitId | None = None
    nth: int | None = None
    at: int | None = None
    sustained: bool = False
    lasts: Duration | None = None
    since: int = 0
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Concentration:
    """What a unit keeps its mind on, and what sustaining it costs; a free act costs its `kind` (CON-03).

    `round`: the unit's round of this fight in which it was started or last sustained; 0 outside a fight.
    """

    unit: UnitId
    ability: str
    cost: Upkeep
    kind: str = ""
    round: int = 0


# ------------------------------------------------------------------------------------------------- acts and the stack
@dataclass(frozen=True, slots=True)
class Strike:
    """One attack of an action that makes several: at whom, with which ability, with how many extra successes (XS-02).

    `target` "": the act's only one. `weapon` "": the act's own ability. `extra` None: all that there are for it.
    """

    target: str = ""
    weapon: str = ""
    extra: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What is said of one step of a Technique: what it leaves open is as of the whole act."""

    targets: tuple[str, ...] = ()
    split: tuple[Strike, ...] = ()
    distance: int | None = None
    position: str | None = None
    attached: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """What somebody does, as declared. `leaves`: it takes the mover out of the area of the attacks beneath (IMM-05).

    `split`: its attacks one by one, in their order; none named: one on each target. `attached`: abilities attached to it.
    `steps`: what is said of each step, where its ability is a Technique.
    """

    kind: str
    slot: Slot
    pay: str = ""
    ability: str = ""
    targets: tuple[str, ...] = ()
    counters: PendingId | None = None
    distance: int | None = None
    position: str | None = None
    leaves: bool = False
    modifier: int = 0
    text: str = ""
    split: tuple[Strike, ...] = ()
    attached: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """A declared action that waits on the stack. `guards` maps an attack to the defence extra successes promised,
    `throws` an attack to its dice where they have been rolled before the defence is declared (XS-10). An attack is
    named by its target's id; from the second on the same target on "id/2" (extras.aim).

    `struck`: how many of its attacks are done. `gained`: what a hit has given its actor midway and is still to be
    split; 0 once that is done (XS-05). `beyond`: the attacks against which more is promised than there is, let through.

    `interrupts`: it answers another (an immediate or a readied action). `met_readied`: a readied action
    has interrupted it. `pardoned`: what stood in its way when it was declared and was let pass
    (recheck.py). `noticed`: a hidden actor shows that something is done, not who does it.
    `state` "done": it has been carried out, and can be answered now (STY-02); `answered`: by which units with which
    abilities. `fewer_dice`: of its rolls, for being one of several actions (STY-03).
    `technique`: `act` is the present `step` of it, `to_come` the steps after.
    """

    id: PendingId
    actor: UnitId
    act: Act
    window: WindowId
    parent: PendingId | None = None
    state: Literal["waiting", "rolled", "done"] = "waiting"
    noticed: bool = False
    paid: tuple[Paid, ...] = ()
    guards: Mapping[str, int] = field(default_factory=dict)
    throws: Mapping[str, Throw] = field(default_factory=dict)
    fled: tuple[str, ...] = ()
    due: tuple[ReadiedId, ...] = ()
    interrupts: bool = False
    met_readied: bool = False
    pardoned: tuple[str, ...] = ()
    struck: int = 0
    gained: int | None = None
    technique: str = ""
    step: int = 1
    to_come: tuple[Act, ...] = ()
    beyond: tuple[str, ...] = ()
    answered: tuple[tuple[UnitId, str], ...] = ()
    fewer_dice: int = 0


@dataclass(frozen=True, slots=True)
class Clock:
    """A window's time. Running: two instants; stopped: what was left of each. Milliseconds.

    `grace`: so long after the deadline it stays open for what is still on its way (core/fair.py).
    """

    running: bool
    floor: int
    deadline: int
    grace: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """The question put to everybody who publicly could react. `clock` is None while something lies on its pending."""

    id: WindowId
    pending: PendingId
    gen: int = 1
    kind: Literal["before", "defence", "gain", "after"] = "before"
    asked: tuple[SeatId, ...] = ()
    passed: tuple[SeatId, ...] = ()
    clock: Clock | None = None
    restarted: bool = False


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a readied action is offered: every part that is given must match the declaration (RDY-04)."""

    act: str = ""
    actor: str = ""
    target: str = ""
    side: str = ""
    ability: str = ""


@dataclass(frozen=True, slots=True)
class Readied:
    """An act held back for a trigger, structured or in words. `auto`: it fires by itself, the oldest (`since`) first."""

    id: ReadiedId
    unit: UnitId
    act: Act
    trigger: Trigger | None = None
    words: str = ""
    auto: bool = False
    since: int = 0
    state: Literal["armed", "used"] = "armed"


@dataclass(frozen=True, slots=True)
class Task:
    """An extended action: rolls whose successes are added up until they reach the DC (TASK-02 to 05). World time in s.

    `interval_s`: None until the ST sets it. `since`: the last roll, or the start where there is none. `deadline`: by when
    it must be done. `mistakes`: the 1s, where they are counted. `visibility`: who sees its rolls and how it stands.
    `why` it failed: deadline, mistakes, botch, lost, set_aside, given_up, st.

    In a game that has these: `opposes` whom, who rolls `opposed_pool` and has `theirs` on his tally (STY-05); `teamwork`:
    others may roll for it too (STY-07), and `helped`: one has; `botch_ends`: a botch is the end of it, for good (STY-06).
    """

    id: TaskId
    unit: UnitId
    name: str
    pool: Pool
    dc: int
    since: int = 0
    interval_s: int | None = None
    deadline: int | None = None
    in_one_go: bool = False
    visibility: Visibility = "open"
    successes: int = 0
    mistakes: int = 0
    rolls: int = 0
    aside: bool = False
    state: Literal["open", "done", "failed"] = "open"
    why: str = ""
    opposes: UnitId | None = None
    opposed_pool: Pool | None = None
    theirs: int = 0
    teamwork: bool = False
    helped: bool = False
    botch_ends: bool = False


@dataclass(frozen=True, slots=True)
class Fight:
    """The order and who acts. `done`: places that have passed in this turn; the turn ends when no other is left.

    `ahead`: hidden units that have had their action of the next turn already (TBL-04). `ghosts`: places whose unit is
    gone, kept to count the rounds of its effects (TIME-04). `begun`: it goes on from action to action by itself.
    `counts`: the ST takes it for a real one, so it is a scene of its own (TIME-05).
    `veiled`: the table is held because a hidden unit acts. `deadline` (ms) or, while it stands still, `left`: the clock on
    one's own action (a house rule); `restarted`: after an outage it was given whole once more.
    """

    order: tuple[UnitId, ...] = ()
    turn: int = 1
    active: UnitId | None = None
    done: tuple[UnitId, ...] = ()
    ahead: tuple[UnitId, ...] = ()
    ghosts: tuple[UnitId, ...] = ()
    begun: bool = False
    veiled: bool = False
    deadline: int | None = None
    left: int | None = None
    restarted: bool = False
    counts: bool = True


# ------------------------------------------------------------------------------------------------ the world and its clock
@dataclass(frozen=True, slots=True)
class WorldClock:
    """A world's own day, in seconds of real time. `sunrise_s`, `sunset_s`: hours of that day, None where the sun never
    rises or sets (TIME-02).

    `phase_s`: the time of its day when the world clock stood at 0. `calendar_s`: seconds from 1 January of the year 1, on
    Earth's calendar, to that moment; None where Earth's calendar does not hold.
    """

    day_s: int = 86400
    sunrise_s: int | None = 21600
    sunset_s: int | None = 64800
    phase_s: int = 0
    calendar_s: int | None = None


@dataclass(frozen=True, slots=True)
class Film:
    """A mission world from entering it to leaving it (TIME-08). `back`: the world one returns to."""

    name: str
    number: int
    back: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where the story is: in which world, all that are known, in which Film, how many there were.

    `key_points`: what a scene has been changed for, and the scene it made (TIME-06). `night`: this is a scene of endless
    night, whatever the world (TIME-02).
    """

    world: str = ""
    worlds: Mapping[str, WorldClock] = field(default_factory=dict)
    film: Film | None = None
    films: int = 0
    key_points: Mapping[str, int] = field(default_factory=dict)
    night: bool = False

    @property
    def clock(self) -> WorldClock:
        """Of the world, and the scene, the story is in."""
        clock = self.worlds.get(self.world, WorldClock())
        return replace(clock, sunrise_s=None, sunset_s=None) if self.night else clock


@dataclass(frozen=True, slots=True)
class Opened:
    """How many windows a seat's acts have opened: in this turn of the fight, or outside one since this moment (ms)."""

    n: int = 0
    since: int = 0


@dataclass(frozen=True, slots=True)
class Play:
    """Everything a rewind goes back to. `clock_s`: the world clock, in seconds of real time; `prebuff`: what is used now
    counts as used when the next fight starts (TIME-07).

    In this scene: `banks`, what is left of each seat's time bank that was drawn on; `given`, what late answers were given
    back (core/fair.py); both in ms."""

    units: Mapping[UnitId, Unit] = field(default_factory=dict)
    budgets: Mapping[UnitId, Budget] = field(default_factory=dict)
    effects: Mapping[EffectId, Effect] = field(default_factory=dict)
    concentrations: Mapping[UnitId, Concentration] = field(default_factory=dict)
    pendings: Mapping[PendingId, Pending] = field(default_factory=dict)
    windows: Mapping[WindowId, Window] = field(default_factory=dict)
    readied: Mapping[ReadiedId, Readied] = field(default_factory=dict)
    tasks: Mapping[TaskId, Task] = field(default_factory=dict)
    banks: Mapping[SeatId, int] = field(default_factory=dict)
    given: Mapping[SeatId, int] = field(default_factory=dict)
    opened: Mapping[SeatId, Opened] = field(default_factory=dict)
    stack: tuple[PendingId, ...] = ()
    fight: Fight | None = None
    clock_s: int = 0
    scene: int = 1
    setting: Setting = field(default_factory=Setting)
    prebuff: bool = False
    held: bool = False
    hold_next: bool = False


# ----------------------------------------------------------------------------------------------------- administration
@dataclass(frozen=True, slots=True)
class Loan:
    """A second invitation to a seat, for somebody who is called `to`, until then (ms)."""

    key: KeyId
    to: str
    until: int


@dataclass(frozen=True, slots=True)
class Seat:
    """A chair at the table.

    `key`: the invitation that opens it ("": its first one; None: none does, it was revoked), `until` then (ms; None: for
    good). `loan`: one that opens it too. What is secret of an invitation is in no table.
    """

    id: SeatId
    name: str
    role: Role
    key: KeyId | None = KeyId("")
    until: int | None = None
    loan: Loan | None = None

    @property
    def ends(self) -> float:
        """From when on its invitation opens nothing (ms; infinity: never, 0: it opens nothing now)."""
        if self.key is None:
            return 0
        return math.inf if self.until is None else self.until


@dataclass(frozen=True, slots=True)
class Orders:
    """A seat's standing orders by act kind ("*": any), and the defence its units promise when nothing is said."""

    seat: SeatId
    kinds: Mapping[str, OrderKind] = field(default_factory=dict)
    guard: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """What a player asks of the ST: to take back his last act (going back to version `to`), or leave for a refused one.

    `wire`: the refused command as its sender wrote it. `code`: why it was refused; `st`: the true reason, where only the ST
    may know it (refusals.Refused).
    """

    id: RequestId
    seat: SeatId
    kind: Literal["take_back", "allow"]
    text: str = ""
    to: int | None = None
    wire: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    st: str = ""


@dataclass(frozen=True, slots=True)
class RollAsk:
    """A roll the ST has asked for. `units`: whose roll is still awaited. `dc`: None where the successes are the result."""

    id: RequestId
    units: tuple[UnitId, ...]
    pool: Pool
    visibility: Visibility = "open"
    dc: int | None = 1
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seed that is rolled from: its number (0: none sealed yet), the version that sealed it, the two commitments in hex.

    `mixed`: what seats have mixed into its rolls. The seed itself is in no table (DICE-07).
    """

    number: int = 0
    since: int = 0
    open: str = ""
    secret: str = ""
    mixed: Mapping[SeatId, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Objection:
    """A player cannot accept a house rule as it was then (`value`), with his name, which outlasts his seat (TBL-01)."""

    seat: SeatId
    name: str
    key: str
    value: Any
    text: str = ""


@dataclass(frozen=True, slots=True)
class House:
    """The house rules, each with the catalogue's default. All players see all of them."""

    enforce: Literal["strict", "warn"] = "strict"
    ruleset: Literal["infinite_horror", "storyteller"] = "infinite_horror"
    edition: Literal["current", "earlier"] = "current"
    reaction_window_ms: int = 8000
    reaction_floor_ms: int = 750
    window_mode: Literal["floor", "bluff", "fixed"] = "floor"
    bluff_ms: int = 2500
    no_window: tuple[str, ...] = ("speak", "drop_prone")
    lag_ms: int = 250
    grace_ms: int = 250
    time_bank_ms: int = 20000
    time_step_ms: int = 5000
    absent: Literal["wait", "pass"] = "wait"
    st_asked: Literal["public", "always"] = "public"
    stack_depth: int = 8
    windows_per_turn: int = 20
    outage_ms: int = 2000
    action_clock_ms: int = 0
    immediate_cost: Literal["all_swift", "one_swift"] = "all_swift"
    area_doubling: Literal["damage_and_effect", "damage_only"] = "damage_and_effect"
    defense_from: Literal["pool", "successes"] = "pool"
    readied_is_immediate: Literal["in_effect", "in_full", "no"] = "in_effect"
    interrupted_by_readied: Literal["must_continue", "may_continue"] = "must_continue"
    readied_debt: Literal["on_use", "on_declare"] = "on_use"
    free_action_cap: int | None = None
    opposed_tie: Literal["roller", "defender"] = "roller"
    chance_again: Literal["ten_only", "normal"] = "ten_only"
    own_extras_per_weapon: Literal["shared", "full"] = "shared"
    relaxed_defense: Literal["off", "on"] = "off"
    concentration_over_scenes: Literal["ends", "goes_on"] = "ends"
    extended_first_roll: Literal["at_once", "after_interval"] = "at_once"
    extended_mistakes: Literal["off", "on"] = "off"
    mixed_multipliers: Literal["stacked", "ordinary"] = "stacked"
    target_number: int = 8
    hp_shown: Literal["own_side", "all", "words", "none"] = "own_side"
    hidden_shown: Literal["not_at_all", "nameless"] = "not_at_all"


@dataclass(frozen=True, slots=True)
class Table:
    """One table. `seen`: the largest time any command was decided at; `created`: when it was made (both ms).

    `paces`: for which seats' sakes the ST has made windows longer, in percent; his alone to know.
    """

    name: str = ""
    created: int = 0
    seen: int = 0
    practice: bool = False
    play: Play = field(default_factory=Play)
    seats: Mapping[SeatId, Seat] = field(default_factory=dict)
    orders: Mapping[SeatId, Orders] = field(default_factory=dict)
    owners: Mapping[UnitId, SeatId] = field(default_factory=dict)
    house: House = field(default_factory=House)
    requests: Mapping[RequestId, Request] = field(default_factory=dict)
    asks: Mapping[RequestId, RollAsk] = field(default_factory=dict)
    objections: Mapping[str, Objection] = field(default_factory=dict)
    rolls: Mapping[str, int] = field(default_factory=dict)
    seeds: Seeds = field(default_factory=Seeds)
    last_acts: Mapping[SeatId, int] = field(default_factory=dict)
    paces: Mapping[SeatId, int] = field(default_factory=dict)
    numbers: int = 0
    notes: str = ""
