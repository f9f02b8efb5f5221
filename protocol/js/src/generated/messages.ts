// Made by `python -m protocol.typescript` from the server's own contract. Not to be changed by hand.

/** Something a unit can do. */
export type Ability = {
  readonly name: string
  readonly act?: string
  readonly slots?: readonly ("free" | "swift" | "move" | "standard" | "full_round" | "full_turn" | "immediate" | "anytime" | "simple" | "reflexive")[]
  readonly pool?: Pool | null
  readonly needs_target?: boolean
  readonly area?: boolean
  readonly dodgeable?: boolean
  readonly negate?: Pool | null
  readonly high_speed?: number
  readonly damage?: number
  readonly track?: string
  readonly counters?: boolean
  readonly applies?: readonly (Applied)[]
  readonly keeps_swift?: boolean
  readonly immediates?: number
  readonly answers?: readonly (string)[]
  readonly outside?: boolean
  readonly attacks?: number
  readonly gains?: number
  readonly dc?: number | null
  readonly concentration?: "" | "same" | "none" | "free" | "swift" | "move" | "standard" | "full_round" | "full_turn" | "all" | "simple"
  readonly traits?: readonly (string)[]
  readonly attaches?: readonly (string)[]
  readonly steps?: readonly (string)[]
  readonly lowers_base?: number
  readonly all_out?: boolean
}

/** The command of this `seq` was done; what it changed is in the DIFFs up to `n`. `made`: ids of new things.
 * 
 * `token`: what opens the seat, after a command that makes an invitation. It is told here and nowhere else. */
export type Ack = {
  readonly t: "ack"
  readonly seq: number
  readonly n: number
  readonly made?: readonly (string)[]
  readonly token?: string | null
}

/** What somebody does, as declared. `split`: its attacks one by one, where they are not one on each target. */
export type Act = {
  readonly kind: string
  readonly slot: "free" | "swift" | "move" | "standard" | "full_round" | "full_turn" | "immediate" | "anytime" | "simple" | "reflexive"
  readonly pay?: string
  readonly ability?: string
  readonly targets?: readonly (string)[]
  readonly counters?: string | null
  readonly distance?: number | null
  readonly position?: string | null
  readonly leaves?: boolean
  readonly modifier?: number
  readonly text?: string
  readonly split?: readonly (Strike)[]
  readonly attached?: readonly (string)[]
  readonly steps?: readonly (Step)[]
}

export type AddCondition = {
  readonly kind: "add_condition"
  readonly unit: string
  readonly condition: string
  readonly secret?: boolean
  readonly rounds?: number | null
  readonly minutes?: number | null
  readonly by?: string | null
  readonly reason?: string
  readonly lasts?: Duration | null
}

/** `salt`: letters that nobody can guess, drawn anew for each invitation; sent again, a command has the same. */
export type AddSeat = {
  readonly kind: "add_seat"
  readonly name: string
  readonly role: "st" | "player" | "spectator"
  readonly units?: readonly (string)[]
  readonly lasts_s?: number | null
  readonly salt: string
}

export type AddUnit = {
  readonly kind: "add_unit"
  readonly unit: Unit
  readonly owner?: string | null
}

export type Adjust = {
  readonly kind: "adjust"
  readonly unit: string
  readonly path: string
  readonly by: number
  readonly reason?: string
}

export type AllowPrebuff = {
  readonly kind: "allow_prebuff"
  readonly on?: boolean
}

export type Announce = {
  readonly kind: "announce"
  readonly unit: string
  readonly n: number
}

/** The answer to the ASK of this `id`; what else it holds depends on the question.
 * 
 * log             entries: [[n, [line, ...]], ...] by rising n; more: whether older ones exist;
 *                 undone: [[first, last], ...], the positions among them that a later rewind has undone;
 *                 kept_from: what is older than this position can no longer be asked for, only read (transcripts)
 * rewind_preview  entries, as above: what would be undone; to, head: what to name in the command that does it
 * audit           entries, as above, by versions of the table in place of n; names: {seat: name}, also
 *                 of those that are gone; before: what to ask for next, 1 when there is no more;
 *                 kept_from: what is older than this version is archived, and only the operator can read it
 * calc            value: a whole number; unit: what it counts, or ""; steps: [text]; names: {name: what it stood for}
 * explain         why: a kind of reason; facts: what protocol.texts.explanation makes a sentence of
 * options         options: [{kind, unit?, act?, slot?, pay?, ability?, attached?, steps?, window?, gen?, readied?, auto?,
 *                 task?, pending?, ask?, n?, attack?, gain?, command?: what leave is asked for, costs?: [slot],
 *                 targets?: [unit it can be aimed at], flags?: [rule bent], code?, params?: why it cannot be done,
 *                 leave?: the ST could let it through}];
 *                 more, where it is true: these are too many for one answer, ask for the other units one by one
 * library         files: [{name, units: [{name, count}], problem?}]; of a named one what read_units says
 * read_units      units: as SET_UP takes them; kept: [[line, unit, field]] that nobody knows, kept in the unit's notes;
 *                 elsewhere: [[line, unit, ability]] that this game cannot use; aside: [word] of the text left aside;
 *                 or problem: {language: why it cannot be read, one line for each entry that is wrong}
 * export          text: the next piece of the file; done, of: how many changes of the table are gone through, of how many;
 *                 next: the `page` to ask for, none at the end; archived, at the end: older scenes are not in it
 * any             code, params: the question was refused; `rate`: to be sent again, after params.retry_ms */
export type Answer = {
  readonly t: "answer"
  readonly id: number
  readonly code?: string | null
  readonly params?: { readonly [name: string]: unknown }
  readonly entries?: readonly ([number, readonly (readonly (unknown)[])[]])[] | null
  readonly more?: boolean | null
  readonly undone?: readonly (readonly (number)[])[] | null
  readonly kept_from?: number | null
  readonly to?: number | null
  readonly head?: number | null
  readonly [more: string]: unknown
}

export type AnswerRequest = {
  readonly kind: "answer_request"
  readonly request: string
  readonly yes: boolean
  readonly text?: string
  readonly head?: number | null
}

/** A condition that an ability puts on someone, for as long as it `lasts`; `rounds`, `minutes` are shorter to write. */
export type Applied = {
  readonly condition: string
  readonly rounds?: number | null
  readonly minutes?: number | null
  readonly to?: "target" | "self"
  readonly secret?: boolean
  readonly lasts?: Duration | null
}

/** Who has changed what about seats, invitations, roles and house rules: `limit` changes before version `before` (ST). */
export type AskAudit = {
  readonly t: "ask"
  readonly id: number
  readonly what: "audit"
  readonly before?: number | null
  readonly limit?: number
}

/** A calculation as the rules text writes it: "6/Resolve extra successes + 1", "10 with x2, x4, +50", "... then x4".
 * 
 * `unit`: whose values the names in it mean. `own` false: money, distance and the like, by ordinary arithmetic. */
export type AskCalc = {
  readonly t: "ask"
  readonly id: number
  readonly what: "calc"
  readonly text: string
  readonly unit?: string | null
  readonly own?: boolean
}

/** When an effect ends, and why then. */
export type AskExplain = {
  readonly t: "ask"
  readonly id: number
  readonly what: "explain"
  readonly effect: string
}

/** The next page of a file to take away (ST). `form`: "story", the evenings in Markdown; "log", every line with its dice,
 * as `overseer verify` takes it. `whose`: as who was told it, "st", "all" or a player's seat. `evening`: only this one
 * of the story; 0: the last. `page`: 0, then what the last answer names as `next`, on the same connection. */
export type AskExport = {
  readonly t: "ask"
  readonly id: number
  readonly what: "export"
  readonly form?: "story" | "log"
  readonly whose?: string
  readonly language?: "en" | "zh"
  readonly evening?: number | null
  readonly page?: number
}

/** `command` is the refused command again: a map with `kind` and its fields, no envelope. */
export type AskLeave = {
  readonly kind: "ask_leave"
  readonly command: Declare | Ready | EndAction | LeaveFight | Announce | Sustain | DropConcentration | React | Fire | Pass | Defend | SplitGain | MoreTime | Withdraw | SetStandingOrder | SetDefaultGuard | SetReadiedAuto | AskTakeBack | ObjectToRule | Say | Whisper | Narrate | Roll | AskRoll | WithdrawAsk | MixDice | StartTask | RollTask | SetAside | EditTask | DropTask | AddUnit | BringOn | SetUp | TakeOff | RemoveUnit | GiveUnit | Hide | Reveal | StartFight | EndFight | JoinFight | Reorder | PassTime | BeginAction | Grant | Spend | ChangeScene | AllowPrebuff | EnterFilm | LeaveFilm | SetWorld | SetValue | Adjust | AddCondition | RemoveCondition | EndEffect | SetHouse | SetNotes | Hold | Release | SetClock | CloseWindow | Cancel | Resolve | Insert | EditPending | Restack | GiveTime | AddSeat | RemoveSeat | RenewInvitation | RevokeInvitation | SetRole | LendSeat | TakeBackSeat | AnswerRequest | Rewind
  readonly text?: string
}

/** What is prepared to be set up by its name (ST): every file of the library, or of the one of this `name` its units. */
export type AskLibrary = {
  readonly t: "ask"
  readonly id: number
  readonly what: "library"
  readonly name?: string | null
}

/** Older log lines of the asker's own stream: `limit` entries before position `before` (None: the newest). */
export type AskLog = {
  readonly t: "ask"
  readonly id: number
  readonly what: "log"
  readonly before?: number | null
  readonly limit?: number
}

/** What the asker's units, or one of them, could do now, with the cost; and of what they cannot do, why. */
export type AskOptions = {
  readonly t: "ask"
  readonly id: number
  readonly what: "options"
  readonly unit?: string | null
}

/** What a text says as units (ST): YAML, JSON or a table. `file`: its name, whose ending tells a table (.csv, .tsv). */
export type AskReadUnits = {
  readonly t: "ask"
  readonly id: number
  readonly what: "read_units"
  readonly text: string
  readonly file?: string
}

/** What a rewind to position `to` would undo, or a yes to the take-back that `request` asks for (ST). */
export type AskRewindPreview = {
  readonly t: "ask"
  readonly id: number
  readonly what: "rewind_preview"
  readonly to?: number | null
  readonly request?: string | null
}

export type AskRoll = {
  readonly kind: "ask_roll"
  readonly units: readonly (string)[]
  readonly pool: Pool
  readonly visibility?: "open" | "roller" | "st"
  readonly dc?: number | null
  readonly reason?: string
}

export type AskTakeBack = {
  readonly kind: "ask_take_back"
  readonly text?: string
}

export type BeginAction = {
  readonly kind: "begin_action"
  readonly unit: string
}

/** What a command asks. Its keys stand beside the envelope's, in one map. */
export type Body = Declare | Ready | EndAction | LeaveFight | Announce | Sustain | DropConcentration | React | Fire | Pass | Defend | SplitGain | MoreTime | Withdraw | SetStandingOrder | SetDefaultGuard | SetReadiedAuto | AskTakeBack | ObjectToRule | Say | Whisper | Narrate | Roll | AskRoll | WithdrawAsk | StartTask | RollTask | SetAside | EditTask | DropTask | MixDice | AddUnit | BringOn | SetUp | TakeOff | RemoveUnit | GiveUnit | Hide | Reveal | StartFight | EndFight | ChangeScene | AllowPrebuff | EnterFilm | LeaveFilm | SetWorld | JoinFight | Reorder | PassTime | BeginAction | Grant | Spend | SetValue | Adjust | AddCondition | RemoveCondition | EndEffect | SetHouse | SetNotes | Hold | Release | GiveTime | SetClock | CloseWindow | Cancel | Resolve | Insert | EditPending | Restack | AddSeat | RemoveSeat | RenewInvitation | RevokeInvitation | SetRole | LendSeat | TakeBackSeat | AnswerRequest | Rewind | AskLeave

export type BringOn = {
  readonly kind: "bring_on"
  readonly units: readonly (string)[]
  readonly copies?: number
  readonly hidden?: boolean | null
  readonly join?: boolean
  readonly one_initiative?: boolean
}

export type Cancel = {
  readonly kind: "cancel"
  readonly pending: string
  readonly refund?: boolean
  readonly reason?: string
}

export type ChangeScene = {
  readonly kind: "change_scene"
  readonly reason: "fight" | "transition" | "story" | "area" | "time"
  readonly key_point?: string
  readonly end_lasting?: boolean
  readonly counts?: boolean
  readonly night?: boolean
}

/** What a client at `n` should have: `crc` of its view (checks.py says how). If not: DRIFT. Elsewhere than at `n` it says
 * nothing. Not sent before minor 1. */
export type Check = {
  readonly t: "check"
  readonly n: number
  readonly crc: number
}

export type CloseWindow = {
  readonly kind: "close_window"
  readonly window: string
  readonly force?: boolean
}

/** A command in its envelope. On the wire the body's keys stand beside the envelope's, in one map.
 * 
 * `seq` only rises per client; `seen` is the sender's n; `as_seat` (key "as") the seat an ST acts for. */
export type Command = ({
  readonly t: "command"
  readonly seq: number
  readonly seen: number
  readonly as?: string | null
}) & (Body)

export type Declare = {
  readonly kind: "declare"
  readonly unit: string
  readonly act: Act
  readonly noticed?: boolean
}

export type Defend = {
  readonly kind: "defend"
  readonly window: string
  readonly unit: string
  readonly n: number
  readonly attack?: number
}

/** One change. `ops`: [path, value] (set) or [path] (delete); `log`: lines (lines.py); `n`: the last n + 1. */
export type Diff = [1, number, readonly (readonly (unknown)[])[], readonly (readonly (unknown)[])[]]

/** What CHECK says of `n` is not what this client has: `crc` is. The answer is a SNAPSHOT. */
export type Drift = {
  readonly t: "drift"
  readonly n: number
  readonly crc: number
}

export type DropConcentration = {
  readonly kind: "drop_concentration"
  readonly unit: string
}

export type DropTask = {
  readonly kind: "drop_task"
  readonly task: string
  readonly reason?: string
}

/** How long something lasts; `own_day`: days are those of the world one is in. */
export type Duration = {
  readonly n?: number
  readonly unit?: "round" | "turn" | "scene" | "film" | "second" | "minute" | "hour" | "day" | "week" | "month" | "year" | "sunrise" | "sunset" | "permanent"
  readonly own_day?: boolean
}

export type EditPending = {
  readonly kind: "edit_pending"
  readonly pending: string
  readonly targets?: readonly (string)[] | null
  readonly split?: readonly (Strike)[] | null
  readonly guards?: { readonly [name: string]: number } | null
  readonly fled?: readonly (string)[] | null
  readonly fails?: boolean
}

export type EditTask = {
  readonly kind: "edit_task"
  readonly task: string
  readonly dc?: number | null
  readonly pool?: Pool | null
  readonly interval_s?: number | null
  readonly within_s?: number | null
  readonly in_one_go?: boolean | null
  readonly successes?: number | null
  readonly mistakes?: number | null
  readonly opposed_pool?: Pool | null
  readonly theirs?: number | null
  readonly teamwork?: boolean | null
  readonly botch_ends?: boolean | null
  readonly reason?: string
}

export type EndAction = {
  readonly kind: "end_action"
  readonly unit: string
  readonly round: number
}

export type EndEffect = {
  readonly kind: "end_effect"
  readonly effect: string
  readonly reason?: string
}

export type EndFight = {
  readonly kind: "end_fight"
  readonly end_lasting?: boolean
}

export type EnterFilm = {
  readonly kind: "enter_film"
  readonly name: string
  readonly world?: string
  readonly end_lasting?: boolean
}

/** Something the client sent could not be read, or came too soon (`rate`: `params.retry_ms`); or why the connection is
 * about to be closed. */
export type Error = {
  readonly t: "error"
  readonly code: string
  readonly text: string
  readonly params?: { readonly [name: string]: unknown }
}

export type Fire = {
  readonly kind: "fire"
  readonly readied: string
  readonly window?: string | null
  readonly targets?: readonly (string)[]
  readonly leaves?: boolean | null
}

export type FromClient = Hello | Command | AskLog | AskRewindPreview | AskCalc | AskExplain | AskOptions | AskAudit | AskLibrary | AskReadUnits | AskExport | Ping | Drift

export type FromServer = Welcome | Snapshot | Check | Ack | Refused | Answer | Presence | Pong | Error | GoAway | Diff

export type GiveTime = {
  readonly kind: "give_time"
  readonly seat: string
  readonly percent: number
}

export type GiveUnit = {
  readonly kind: "give_unit"
  readonly unit: string
  readonly to: string | null
}

/** This server is about to stop. Come back within `after_ms`; another one, or the next, will answer. */
export type GoAway = {
  readonly t: "goaway"
  readonly reason: string
  readonly after_ms?: number
}

export type Grant = {
  readonly kind: "grant"
  readonly unit: string
  readonly slots: readonly (string)[]
}

/** The first frame. `client` is random per SDK object; the token proves the seat and is never printed.
 * 
 * `minor`: how far the client knows the version that is agreed on. `see_as`: the seat whose eyes an ST looks through,
 * by id or name, or "all" for the spectators'; such a connection cannot act, and nobody is told of it. */
export type Hello = {
  readonly t: "hello"
  readonly versions: readonly (number)[]
  readonly token: string
  readonly client: string
  readonly resume?: Resume | null
  readonly see_as?: string | null
  readonly minor?: number
}

export type Hide = {
  readonly kind: "hide"
  readonly unit: string
}

export type Hold = {
  readonly kind: "hold"
  readonly next?: boolean
}

export type Insert = {
  readonly kind: "insert"
  readonly unit: string
  readonly act: Act
  readonly noticed?: boolean
}

export type JoinFight = {
  readonly kind: "join_fight"
  readonly unit: string
  readonly index?: number | null
}

export type LeaveFight = {
  readonly kind: "leave_fight"
  readonly unit: string
}

export type LeaveFilm = {
  readonly kind: "leave_film"
  readonly end_lasting?: boolean
}

/** `lasts_s`: 30 days at most; it ends with the lender's own invitation in any case. */
export type LendSeat = {
  readonly kind: "lend_seat"
  readonly to: string
  readonly lasts_s: number
  readonly salt: string
}

export type MixDice = {
  readonly kind: "mix_dice"
  readonly text: string
}

export type MoreTime = {
  readonly kind: "more_time"
  readonly window: string
}

export type Narrate = {
  readonly kind: "narrate"
  readonly text: string
}

export type ObjectToRule = {
  readonly kind: "object_to_rule"
  readonly key: string
  readonly text?: string
}

export type Pass = {
  readonly kind: "pass"
  readonly window: string
  readonly gen: number
}

export type PassTime = {
  readonly kind: "pass_time"
  readonly seconds: number
}

/** Are you there, and what time is it? */
export type Ping = {
  readonly t: "ping"
  readonly id: number
}

/** Yes, and it is `now`. */
export type Pong = {
  readonly t: "pong"
  readonly id: number
  readonly now: number
}

/** How many dice: Attributes and Skills by name, or a fixed number, and modifiers. `added`: never to a chance die.
 * 
 * `target_number`, or the opponent's traits that are it (`against`): in a game that has target numbers. */
export type Pool = {
  readonly attributes?: readonly (string)[]
  readonly skills?: readonly (string)[]
  readonly fixed?: number | null
  readonly modifier?: number
  readonly added?: number
  readonly again?: number
  readonly betters?: number
  readonly extra?: number
  readonly helps_chance?: boolean
  readonly target_number?: number | null
  readonly against?: readonly (string)[]
}

/** Units as they are written down beforehand: `count` of a kind, and whose they are. */
export type Prepared = {
  readonly unit: Unit
  readonly owner?: string | null
  readonly count?: number
  readonly one_initiative?: boolean
}

/** Which player seats have somebody connected, all of them, now. */
export type Presence = {
  readonly t: "presence"
  readonly here: readonly (string)[]
}

export type React = {
  readonly kind: "react"
  readonly unit: string
  readonly act: Act
  readonly window?: string | null
  readonly noticed?: boolean
}

export type Ready = {
  readonly kind: "ready"
  readonly unit: string
  readonly act: Act
  readonly trigger?: Trigger | null
  readonly words?: string
  readonly auto?: boolean
}

/** The command of this `seq` was not done, and never will be. `retry`: the same under a new seq may succeed.
 * 
 * But for the code `rate`: nothing was decided. The same is sent again under the same seq, after `params.retry_ms`. */
export type Refused = {
  readonly t: "refused"
  readonly seq: number
  readonly code: string
  readonly params?: { readonly [name: string]: unknown }
  readonly retry?: boolean
}

export type Release = {
  readonly kind: "release"
}

export type RemoveCondition = {
  readonly kind: "remove_condition"
  readonly unit: string
  readonly condition: string
  readonly reason?: string
}

export type RemoveSeat = {
  readonly kind: "remove_seat"
  readonly seat: string
}

export type RemoveUnit = {
  readonly kind: "remove_unit"
  readonly unit: string
}

export type RenewInvitation = {
  readonly kind: "renew_invitation"
  readonly seat: string
  readonly lasts_s?: number | null
  readonly salt: string
}

export type Reorder = {
  readonly kind: "reorder"
  readonly order: readonly (string)[]
  readonly was: readonly (string)[]
}

export type Resolve = {
  readonly kind: "resolve"
  readonly pending: string
}

export type Restack = {
  readonly kind: "restack"
  readonly stack: readonly (string)[]
  readonly was: readonly (string)[]
}

/** Where a client left off: everything up to `n` of this `epoch` has reached it. */
export type Resume = {
  readonly epoch: string
  readonly n: number
}

export type Reveal = {
  readonly kind: "reveal"
  readonly unit: string
}

export type RevokeInvitation = {
  readonly kind: "revoke_invitation"
  readonly seat: string
}

export type Rewind = {
  readonly kind: "rewind"
  readonly to: number
  readonly head: number
  readonly reason?: string
}

export type Roll = {
  readonly kind: "roll"
  readonly unit: string
  readonly pool?: Pool
  readonly visibility?: "open" | "roller" | "st"
  readonly dc?: number | null
  readonly reason?: string
  readonly ask?: string | null
  readonly opposes?: string | null
  readonly opposed_pool?: Pool | null
}

export type RollTask = {
  readonly kind: "roll_task"
  readonly task: string
  readonly modifier?: number
  readonly units?: readonly (string)[]
  readonly pool?: Pool | null
}

export type Say = {
  readonly kind: "say"
  readonly text: string
  readonly unit?: string | null
}

export type SetAside = {
  readonly kind: "set_aside"
  readonly task: string
  readonly lost?: number
  readonly reason?: string
}

export type SetClock = {
  readonly kind: "set_clock"
  readonly window: string
  readonly by_ms: number
}

export type SetDefaultGuard = {
  readonly kind: "set_default_guard"
  readonly n: number
}

export type SetHouse = {
  readonly kind: "set_house"
  readonly key: string
  readonly value: boolean | number | string | readonly (boolean | number | string)[] | null
}

export type SetNotes = {
  readonly kind: "set_notes"
  readonly text: string
  readonly unit?: string | null
}

export type SetReadiedAuto = {
  readonly kind: "set_readied_auto"
  readonly readied: string
  readonly auto: boolean
}

export type SetRole = {
  readonly kind: "set_role"
  readonly seat: string
  readonly role: "st" | "player" | "spectator"
}

export type SetStandingOrder = {
  readonly kind: "set_standing_order"
  readonly act: string
  readonly order: "concerns_me" | "ask" | "pass" | "unless_target"
}

export type SetUp = {
  readonly kind: "set_up"
  readonly units: readonly (Prepared)[]
  readonly on?: boolean
  readonly hidden?: boolean | null
  readonly join?: boolean
}

export type SetValue = {
  readonly kind: "set_value"
  readonly unit: string
  readonly path: string
  readonly value: boolean | number | string | readonly (boolean | number | string)[] | null
  readonly was: boolean | number | string | readonly (boolean | number | string)[] | null
  readonly reason?: string
}

export type SetWorld = {
  readonly kind: "set_world"
  readonly world?: string
  readonly day_s?: number
  readonly sunrise_s?: number | null
  readonly sunset_s?: number | null
  readonly time_s?: number | null
  readonly date?: string | null
}

/** Everything this audience may see, by path, as of position `n` of `epoch`. */
export type Snapshot = {
  readonly t: "snapshot"
  readonly epoch: string
  readonly n: number
  readonly reason: "first" | "epoch" | "too_old" | "ahead" | "slow" | "drift"
  readonly view: { readonly [name: string]: unknown }
}

export type Spend = {
  readonly kind: "spend"
  readonly unit: string
  readonly slots: readonly (string)[]
}

export type SplitGain = {
  readonly kind: "split_gain"
  readonly window: string
  readonly gain: readonly (number)[]
}

export type StartFight = {
  readonly kind: "start_fight"
  readonly units?: readonly (string)[]
  readonly begin?: boolean
  readonly counts?: boolean | null
  readonly end_lasting?: boolean
}

export type StartTask = {
  readonly kind: "start_task"
  readonly unit: string
  readonly name: string
  readonly pool: Pool
  readonly dc: number
  readonly interval_s?: number | null
  readonly within_s?: number | null
  readonly in_one_go?: boolean
  readonly visibility?: "open" | "roller" | "st"
  readonly successes?: number
  readonly opposes?: string | null
  readonly opposed_pool?: Pool | null
  readonly teamwork?: boolean
  readonly botch_ends?: boolean
}

/** What is said of one step of a Technique; what is left open is as of the whole act. */
export type Step = {
  readonly targets?: readonly (string)[]
  readonly split?: readonly (Strike)[]
  readonly distance?: number | null
  readonly position?: string | null
  readonly attached?: readonly (string)[]
}

/** One attack of an action that makes several; `extra` none: all the extra successes there are for it. */
export type Strike = {
  readonly target?: string
  readonly weapon?: string
  readonly extra?: number | null
}

export type Sustain = {
  readonly kind: "sustain"
  readonly unit: string
}

export type TakeBackSeat = {
  readonly kind: "take_back_seat"
  readonly seat?: string | null
}

export type TakeOff = {
  readonly kind: "take_off"
  readonly unit: string
}

/** A number that goes up and down; `max` None: no upper end. */
export type Track = {
  readonly value: number
  readonly max?: number | null
}

/** When a readied action is offered: every part that is given must match the declaration. */
export type Trigger = {
  readonly act?: string
  readonly actor?: string
  readonly target?: string
  readonly side?: string
  readonly ability?: string
}

/** A unit to be added: everything but its name may be left out; its id and number are the table's to give.
 * 
 * Shorter ways to write it are taken too: a track as one number (its value and its end), conditions as a list (none of
 * them secret), abilities as a list, or as a map by name. */
export type Unit = {
  readonly name: string
  readonly side?: string
  readonly on_stage?: boolean
  readonly hidden?: boolean
  readonly initiative?: number | null
  readonly initiative_bonus?: number
  readonly tracks?: { readonly [name: string]: Track }
  readonly base?: number
  readonly dodge?: number
  readonly parry?: number
  readonly takes_away?: number
  readonly absorbs?: number
  readonly attributes?: { readonly [name: string]: number }
  readonly skills?: { readonly [name: string]: number }
  readonly extras?: { readonly [name: string]: number }
  readonly abilities?: { readonly [name: string]: Ability }
  readonly bonus?: { readonly [name: string]: number }
  readonly speed?: number
  readonly position?: string
  readonly conditions?: { readonly [name: string]: boolean }
  readonly notes?: string
}

/** The token was good. Then comes a SNAPSHOT, or the DIFFs up to `n`, or nothing when the client has `n`.
 * 
 * `limits`: the bounds of version.py, and of this server (0: none): `rate_...`, what a connection, a seat, a table, an
 * address may send per second for long, `burst_...`, how much at once; counted in commands, of which a PING is a tenth, a
 * question that looks something up three, DRIFT ten, a long frame one more for each 16 KiB; `..._log`, the same, in bytes
 * of what a seat's commands add to the log (an ST's: ten times as many); `..._joins`, `..._joins_all`, the same in
 * connections; `connections_...`, how many there may be; `most_...`, how much of anything a table holds (core/bounds.py),
 * dice of a roll too.
 * 
 * `durable` is false for an ST where whoever runs the server has accepted a store that may lose the last moments of play.
 * `read_only`: an ST sees what `seat` sees, and cannot act there. */
export type Welcome = {
  readonly t: "welcome"
  readonly version: number
  readonly table: string
  readonly name: string
  readonly epoch: string
  readonly n: number
  readonly seat: string
  readonly seat_name: string
  readonly role: "st" | "player" | "spectator"
  readonly limits?: { readonly [name: string]: number }
  readonly heartbeat_s: number
  readonly now: number
  readonly durable?: boolean
  readonly minor?: number
  readonly read_only?: boolean
}

export type Whisper = {
  readonly kind: "whisper"
  readonly text: string
  readonly to?: string | null
}

export type Withdraw = {
  readonly kind: "withdraw"
  readonly pending: string
}

export type WithdrawAsk = {
  readonly kind: "withdraw_ask"
  readonly ask: string
  readonly reason?: string
}

/** Every command's fields, by its kind. */
export interface Commands {
  declare: Omit<Declare, 't' | 'id' | 'kind'>
  ready: Omit<Ready, 't' | 'id' | 'kind'>
  end_action: Omit<EndAction, 't' | 'id' | 'kind'>
  leave_fight: Omit<LeaveFight, 't' | 'id' | 'kind'>
  announce: Omit<Announce, 't' | 'id' | 'kind'>
  sustain: Omit<Sustain, 't' | 'id' | 'kind'>
  drop_concentration: Omit<DropConcentration, 't' | 'id' | 'kind'>
  react: Omit<React, 't' | 'id' | 'kind'>
  fire: Omit<Fire, 't' | 'id' | 'kind'>
  pass: Omit<Pass, 't' | 'id' | 'kind'>
  defend: Omit<Defend, 't' | 'id' | 'kind'>
  split_gain: Omit<SplitGain, 't' | 'id' | 'kind'>
  more_time: Omit<MoreTime, 't' | 'id' | 'kind'>
  withdraw: Omit<Withdraw, 't' | 'id' | 'kind'>
  set_standing_order: Omit<SetStandingOrder, 't' | 'id' | 'kind'>
  set_default_guard: Omit<SetDefaultGuard, 't' | 'id' | 'kind'>
  set_readied_auto: Omit<SetReadiedAuto, 't' | 'id' | 'kind'>
  ask_take_back: Omit<AskTakeBack, 't' | 'id' | 'kind'>
  object_to_rule: Omit<ObjectToRule, 't' | 'id' | 'kind'>
  say: Omit<Say, 't' | 'id' | 'kind'>
  whisper: Omit<Whisper, 't' | 'id' | 'kind'>
  narrate: Omit<Narrate, 't' | 'id' | 'kind'>
  roll: Omit<Roll, 't' | 'id' | 'kind'>
  ask_roll: Omit<AskRoll, 't' | 'id' | 'kind'>
  withdraw_ask: Omit<WithdrawAsk, 't' | 'id' | 'kind'>
  start_task: Omit<StartTask, 't' | 'id' | 'kind'>
  roll_task: Omit<RollTask, 't' | 'id' | 'kind'>
  set_aside: Omit<SetAside, 't' | 'id' | 'kind'>
  edit_task: Omit<EditTask, 't' | 'id' | 'kind'>
  drop_task: Omit<DropTask, 't' | 'id' | 'kind'>
  mix_dice: Omit<MixDice, 't' | 'id' | 'kind'>
  add_unit: Omit<AddUnit, 't' | 'id' | 'kind'>
  bring_on: Omit<BringOn, 't' | 'id' | 'kind'>
  set_up: Omit<SetUp, 't' | 'id' | 'kind'>
  take_off: Omit<TakeOff, 't' | 'id' | 'kind'>
  remove_unit: Omit<RemoveUnit, 't' | 'id' | 'kind'>
  give_unit: Omit<GiveUnit, 't' | 'id' | 'kind'>
  hide: Omit<Hide, 't' | 'id' | 'kind'>
  reveal: Omit<Reveal, 't' | 'id' | 'kind'>
  start_fight: Omit<StartFight, 't' | 'id' | 'kind'>
  end_fight: Omit<EndFight, 't' | 'id' | 'kind'>
  change_scene: Omit<ChangeScene, 't' | 'id' | 'kind'>
  allow_prebuff: Omit<AllowPrebuff, 't' | 'id' | 'kind'>
  enter_film: Omit<EnterFilm, 't' | 'id' | 'kind'>
  leave_film: Omit<LeaveFilm, 't' | 'id' | 'kind'>
  set_world: Omit<SetWorld, 't' | 'id' | 'kind'>
  join_fight: Omit<JoinFight, 't' | 'id' | 'kind'>
  reorder: Omit<Reorder, 't' | 'id' | 'kind'>
  pass_time: Omit<PassTime, 't' | 'id' | 'kind'>
  begin_action: Omit<BeginAction, 't' | 'id' | 'kind'>
  grant: Omit<Grant, 't' | 'id' | 'kind'>
  spend: Omit<Spend, 't' | 'id' | 'kind'>
  set_value: Omit<SetValue, 't' | 'id' | 'kind'>
  adjust: Omit<Adjust, 't' | 'id' | 'kind'>
  add_condition: Omit<AddCondition, 't' | 'id' | 'kind'>
  remove_condition: Omit<RemoveCondition, 't' | 'id' | 'kind'>
  end_effect: Omit<EndEffect, 't' | 'id' | 'kind'>
  set_house: Omit<SetHouse, 't' | 'id' | 'kind'>
  set_notes: Omit<SetNotes, 't' | 'id' | 'kind'>
  hold: Omit<Hold, 't' | 'id' | 'kind'>
  release: Omit<Release, 't' | 'id' | 'kind'>
  give_time: Omit<GiveTime, 't' | 'id' | 'kind'>
  set_clock: Omit<SetClock, 't' | 'id' | 'kind'>
  close_window: Omit<CloseWindow, 't' | 'id' | 'kind'>
  cancel: Omit<Cancel, 't' | 'id' | 'kind'>
  resolve: Omit<Resolve, 't' | 'id' | 'kind'>
  insert: Omit<Insert, 't' | 'id' | 'kind'>
  edit_pending: Omit<EditPending, 't' | 'id' | 'kind'>
  restack: Omit<Restack, 't' | 'id' | 'kind'>
  add_seat: Omit<AddSeat, 't' | 'id' | 'kind'>
  remove_seat: Omit<RemoveSeat, 't' | 'id' | 'kind'>
  renew_invitation: Omit<RenewInvitation, 't' | 'id' | 'kind'>
  revoke_invitation: Omit<RevokeInvitation, 't' | 'id' | 'kind'>
  set_role: Omit<SetRole, 't' | 'id' | 'kind'>
  lend_seat: Omit<LendSeat, 't' | 'id' | 'kind'>
  take_back_seat: Omit<TakeBackSeat, 't' | 'id' | 'kind'>
  answer_request: Omit<AnswerRequest, 't' | 'id' | 'kind'>
  rewind: Omit<Rewind, 't' | 'id' | 'kind'>
  ask_leave: Omit<AskLeave, 't' | 'id' | 'kind'>
}

/** Every question's fields, by what it asks. */
export interface Questions {
  audit: Omit<AskAudit, 't' | 'id' | 'what'>
  calc: Omit<AskCalc, 't' | 'id' | 'what'>
  explain: Omit<AskExplain, 't' | 'id' | 'what'>
  export: Omit<AskExport, 't' | 'id' | 'what'>
  library: Omit<AskLibrary, 't' | 'id' | 'what'>
  log: Omit<AskLog, 't' | 'id' | 'what'>
  options: Omit<AskOptions, 't' | 'id' | 'what'>
  read_units: Omit<AskReadUnits, 't' | 'id' | 'what'>
  rewind_preview: Omit<AskRewindPreview, 't' | 'id' | 'what'>
}
