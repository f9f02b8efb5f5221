// Sit down at a table, see it, act at it. README.md begins with an example; protocol/client.py is the same in Python.

import { encode } from '@msgpack/msgpack'
import { Clock } from './clock.ts'
import { Events, type Listener } from './events.ts'
import { IN_FLIGHT, SALTED } from './generated/contract.ts'
import type { Ack, Answer, Command, Commands, FromServer, Questions, Refused as WireRefused, Welcome } from './generated/messages.ts'
import { type Invitation, invitationOf, newSalt, readInvitation } from './invitation.ts'
import { type By, isLasting, type Line, unpack } from './lines.ts'
import { type ConnectionState, Link, type SocketClass } from './link.ts'
import { Closed, NotLive, Refused, Unanswered } from './problems.ts'
import { type Prompt, standing } from './prompts.ts'
import { isDiff, type Question, type Saved, Session, type Update } from './session.ts'
import { activeOf, find, orderOf, stackOf, type State, type Thing } from './state.ts'
import * as texts from './texts.ts'

/** A line of the log as a client has it: with the time it happened at, and able to say itself. */
export class Told {
  constructor(
    readonly line: Line,
    /** ms since the Unix epoch, whole seconds, on the server's clock. */
    readonly at: number,
    readonly n: number,
    readonly language: string,
    readonly seatName: texts.SeatNames,
    /** A later rewind has undone it. Known of older lines only, as `log` gives them. */
    readonly undone = false,
  ) {}

  get kind(): string {
    return this.line.kind
  }

  get by(): By {
    return this.line.by
  }

  /** A field, null where it was left out or may not be known. */
  get(name: string): unknown {
    return this.line.fields[name] ?? null
  }

  /** The line as a sentence. */
  text(language = this.language): string {
    return texts.say(this.line, language, this.seatName)
  }
}

export interface TableEvents {
  /** Something that can be seen has changed. `changed`: the paths; `reason`: all was told anew (a snapshot). */
  state: { readonly state: State; readonly update: Update }
  /** The connection: what it is now. Also when the time of the next attempt is known. */
  status: ConnectionState
  /** A new question to this seat. Told once for each; those that stand already are in `prompts()`. */
  prompt: Prompt
  /** One more line of the log. */
  log: Told
  /** Which player seats have somebody connected. */
  presence: readonly string[]
  /** It is over for good. */
  closed: Closed
}

export interface TableOptions {
  /** Of refusals and log lines: "en" or "zh". */
  readonly language?: string
  /** "first": sits down as soon as the words are there; lines and reasons can be told once `texts.load` has been awaited. */
  readonly texts?: 'first' | 'all'
  /** An id of one's own that this client's commands are remembered under, to keep after a restart; random otherwise. */
  readonly client?: string
  /** For an ST: the player's seat (id or name) whose eyes to look through, or "all" for the spectators'. It cannot act. */
  readonly seeAs?: string
  /** `table.saved` of an earlier time, to hear only what was missed. */
  readonly resume?: Saved
  /** Where there is none built in (Node before 22): that of the package `ws`. */
  readonly WebSocket?: unknown
  /** The shortest and the longest pause before coming back, ms. */
  readonly backoff?: readonly [number, number]
  /** For tests: milliseconds that only rise. */
  readonly now?: () => number
  /** For tests: a number from 0 to 1. */
  readonly random?: () => number
}

export interface CommandOptions {
  /** The seat that an ST acts for. */
  readonly asSeat?: string
  /** ms to wait for the answer. */
  readonly timeout?: number
  /** Wait for a connection where there is none just now, instead of failing at once. */
  readonly queue?: boolean
}

const TIMEOUT_MS = 30_000
/** Room in a frame for what is sent with the fields: number, position, kind, seat. */
const ENVELOPE_BYTES = 256

interface Waiting<T> {
  readonly resolve: (value: T) => void
  readonly reject: (problem: Error) => void
}

/** What is said with a command; `salt` is made up where it is left out. */
export type Fields<Of> = Of extends { readonly salt: string } ? Omit<Of, 'salt'> & { readonly salt?: string } : Of

/** A seat at a table. It connects by itself and stays so until `close`; `connect` waits for it. */
export class Table {
  readonly #session: Session
  readonly #link: Link
  readonly #clock: Clock
  readonly #invitation: Invitation
  readonly #events = new Events<TableEvents>()
  readonly #answers = new Map<number, Waiting<Ack>>()
  readonly #asked = new Map<number, Waiting<Answer>>()
  readonly #conditions = new Set<() => boolean>()
  #greeting: Welcome | null = null
  #known = new Set<string>()
  #closed: Closed | null = null
  /** Commands that are on their way, and those that wait because as many as may be are. */
  #inFlight = 0
  readonly #queue: (() => void)[] = []
  language: string

  constructor(invitation: string | Invitation, options: TableOptions = {}) {
    // A program that was started without one gives undefined, whatever the types say.
    this.#invitation = typeof invitation === 'object' ? invitation : readInvitation(invitation ?? '')
    const { token } = this.#invitation
    const Socket = options.WebSocket ?? globalThis.WebSocket
    if (Socket === undefined) throw new TypeError('there is no WebSocket here; give one: connect(..., { WebSocket })')
    // A client id of the caller's own may have been used before: its numbers go on rising with the time of day.
    const first = options.client === undefined ? 1 : Date.now()
    this.language = texts.chosen(options.language ?? 'en')
    this.#clock = new Clock(options.now)
    this.#session = new Session(token, options.client ?? randomId(), options.resume ?? null, first, options.seeAs ?? null)
    this.#link = new Link(this.#session, this.#invitation, this.#clock, {
      WebSocket: Socket as SocketClass,
      backoff: options.backoff ?? [250, 8_000],
      random: options.random ?? Math.random,
      deliver: (message) => this.#take(message),
      changed: () => this.#statusChanged(),
      ended: (why) => this.#end(new Closed(why.code, why.words, this.language)),
    })
    const ready = options.texts === 'first' ? texts.loadFirst(this.language) : texts.load(this.language)
    void ready.finally(() => this.#link.start())
  }

  /** Of refusals and log lines, from when its texts are here. */
  async setLanguage(name: string): Promise<void> {
    await texts.load(name)
    this.language = texts.chosen(name)
  }

  // ----------------------------------------------------------------------------------------------------- who and what
  get #welcome(): Welcome {
    if (this.#greeting === null) throw new Error('not connected yet')
    return this.#greeting
  }

  /** This seat's id. */
  get seat(): string {
    return this.#welcome.seat
  }

  get seatName(): string {
    return this.#welcome.seat_name
  }

  get role(): Welcome['role'] {
    return this.#welcome.role
  }

  /** The table's name. */
  get name(): string {
    return this.#welcome.name
  }

  /** False, for an ST, where the server's store may lose the last moments of play when its machine fails. */
  get durable(): boolean {
    return this.#welcome.durable ?? true
  }

  /** Whether the table is known yet: from the first time online on. */
  get known(): boolean {
    return this.#greeting !== null && this.#session.epoch !== null
  }

  /** Whether this connection only looks. */
  get readOnly(): boolean {
    return this.#welcome.read_only ?? false
  }

  get client(): string {
    return this.#session.client
  }

  /** All that this seat may see. Never changed; each change makes a new one. */
  get state(): State {
    return this.#session.state
  }

  get units(): State['units'] {
    return this.state.units
  }

  get order(): readonly Thing[] {
    return orderOf(this.state)
  }

  get stack(): readonly Thing[] {
    return stackOf(this.state)
  }

  get active(): Thing | null {
    return activeOf(this.state)
  }

  /** A unit by its id or name. */
  unit(wanted: string): Thing | null {
    return find(this.units, wanted)
  }

  /** The position of the newest change. */
  get n(): number {
    return this.#session.n
  }

  /** Pass it to `connect` as `resume` later. */
  get saved(): Saved | null {
    return this.#session.saved
  }

  /** The player seats that have somebody connected. */
  get here(): readonly string[] {
    return this.#session.here
  }

  get status(): ConnectionState {
    return this.#closed ? 'closed' : this.#link.state
  }

  /** The connection is away because the server said that it stops. */
  get serverStopped(): boolean {
    return this.#link.stopped
  }

  /** Why it is over for good; null while it is not. */
  get closedBy(): Closed | null {
    return this.#closed
  }

  /** ms until the next attempt to come back; null while none is waited for. */
  get retryIn(): number | null {
    const at = this.#link.retryAt
    return at === null ? null : Math.max(0, at - this.#clock.now())
  }

  /** ms since the server was last heard: how old what is seen may be. */
  get age(): number {
    return this.#clock.now() - this.#link.heardAt
  }

  /** Why the last connection was lost, or none came about; "" as long as none was. */
  get lastProblem(): string {
    const lost = this.#link.lastProblem
    if (lost === null) return ''
    return texts.word('lost', lost.what, this.language).replace('{why}', lost.why || texts.word('lost', 'no_answer', this.language))
  }

  /** Try to come back at once. */
  retry(): void {
    this.#link.retry()
  }

  /** The server's time in ms since the Unix epoch, as well as it is known here. */
  clock(): number {
    return this.#clock.server()
  }

  /** ms until a deadline of the state, less the house's allowance for the way; 0 when it is over, null without one. */
  left(deadline: number | null | undefined): number | null {
    if (deadline === null || deadline === undefined) return null
    return Math.max(0, deadline - Number(this.state.house['lag_ms'] ?? 0) - this.clock())
  }

  // ----------------------------------------------------------------------------------------------------------- to act
  /**
   * Asks the table to do something, and waits for its answer: done exactly once, however often the line breaks.
   *
   * Rejects with Refused, NotLive (nothing was sent), Unanswered after `timeout` ms, Closed.
   */
  async command<Kind extends keyof Commands>(kind: Kind, fields: Fields<Commands[Kind]>, options: CommandOptions = {}): Promise<Ack> {
    this.#mustBeOpen(options.queue ?? false)
    const salted = SALTED.includes(kind) ? { salt: newSalt(), ...fields } : fields
    if (this.#isTooLong(salted)) return this.#refusedAsTooLong()
    return this.#once(kind, salted, options.asSeat ?? null, options.timeout ?? TIMEOUT_MS)
  }

  /** The link for whoever is to sit down with this token: the one in the answer to a command that invites. */
  invitation(token: string): string {
    return invitationOf(this.#invitation, token)
  }

  /** A question that changes nothing. Rejects as `command` does. */
  async ask<What extends keyof Questions>(what: What, fields: Questions[What], timeout = TIMEOUT_MS): Promise<Answer> {
    this.#mustBeOpen(true)
    if (this.#isTooLong(fields)) return this.#refusedAsTooLong()
    const message = this.#session.ask(what, fields)
    const answer = await this.#answered(message, this.#asked, message.id, timeout, 'question', what)
    if (answer.code) {
      await this.#worded()
      throw new Refused(answer.code, answer.params ?? {}, false, this.language)
    }
    return answer
  }

  /** Older lines of the log, oldest first. */
  async log(fields: { before?: number; limit?: number } = {}): Promise<Told[]> {
    return this.linesOf(await this.ask('log', fields))
  }

  /** The lines of an answer's entries; those that a rewind has undone are marked. */
  linesOf(answer: Answer): Told[] {
    const undone = (n: number) => (answer.undone ?? []).some(([first, last]) => first! <= n && n <= last!)
    return (answer.entries ?? []).flatMap(([n, log]) =>
      log.flatMap((packed) => {
        const line = unpack(packed)
        return line === null ? [] : this.#tell(line, n, undone(n) && !isLasting(line.kind))
      }),
    )
  }

  /** When an effect ends, and why then, as a sentence. */
  async explain(effect: string): Promise<string> {
    const answer = await this.ask('explain', { effect })
    return texts.explanation(String(answer['why']), answer['facts'] as texts.Fields, this.language)
  }

  /** The name of a seat by its id; "" where it is not known. */
  readonly seatNameOf = (seat: string): string => String(find(this.state.seats, seat)?.['name'] ?? '')

  /** What no server reads: it would end the connection, and be sent again on the next one. */
  #isTooLong(fields: object): boolean {
    const most = this.#greeting?.limits?.['frame_bytes'] ?? 1e9
    return encode(fields, { ignoreUndefined: true }).length > most - ENVELOPE_BYTES
  }

  async #refusedAsTooLong(): Promise<never> {
    await this.#worded()
    throw new Refused('too_long', {}, false, this.language)
  }

  async #once(kind: keyof Commands, fields: object, asSeat: string | null, timeout: number): Promise<Ack> {
    if (this.#inFlight >= IN_FLIGHT) await new Promise<void>((go) => this.#queue.push(go))
    else this.#inFlight++
    try {
      this.#mustBeOpen(true)
      const command: Command = this.#session.command(kind, fields, asSeat)
      return await this.#answered(command, this.#answers, command.seq, timeout, 'command', kind)
    } finally {
      const next = this.#queue.shift() // it takes this one's place
      if (next) next()
      else this.#inFlight--
    }
  }

  async #answered<T>(
    message: Command | Question,
    waiting: Map<number, Waiting<T>>,
    number: number,
    timeout: number,
    what: 'command' | 'question',
    kind: string,
  ): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      return await new Promise<T>((resolve, reject) => {
        waiting.set(number, { resolve, reject })
        const gaps = { kind, s: String(Math.round(timeout / 1000)) }
        timer = setTimeout(() => reject(new Unanswered(what, gaps, this.language)), timeout)
        this.#link.send(message)
      })
    } finally {
      clearTimeout(timer)
      waiting.delete(number)
      this.#session.forget(message)
    }
  }

  // -------------------------------------------------------------------------------------------------------- to follow
  /** Calls the listener at each such event, until the returned function is called. */
  on<Name extends keyof TableEvents>(name: Name, listener: Listener<TableEvents[Name]>): () => void {
    return this.#events.on(name, listener)
  }

  /** Every question open to this seat now; `all`: also those that its standing order passes. */
  prompts(all = false): Prompt[] {
    return this.known ? standing(this, all) : []
  }

  /** Waits until the condition holds, looking after every single change. Resolves with what it gave. Never polls. */
  until<T>(condition: (table: this) => T, timeout = 10_000): Promise<NonNullable<T>> {
    return new Promise((resolve, reject) => {
      const look = (): boolean => {
        try {
          if (this.#closed) throw this.#closed
          const found = condition(this)
          if (!found) return false
          resolve(found)
        } catch (problem) {
          reject(problem as Error)
        }
        clearTimeout(timer)
        this.#conditions.delete(look)
        return true
      }
      const timer = setTimeout(() => {
        this.#conditions.delete(look)
        reject(new Unanswered('state', { s: String(timeout / 1000) }, this.language))
      }, timeout)
      if (!look()) this.#conditions.add(look)
    })
  }

  // --------------------------------------------------------------------------------------------------------- the line
  /** Leave. Whoever still waits for an answer gets Closed. */
  close(): void {
    this.#link.stop()
    this.#end(new Closed(null, 'the table was closed from this side', this.language))
  }

  /** For tests: cut the connection as a broken cable would. It comes back by itself. */
  drop(): void {
    this.#link.drop()
  }

  /** Where no command can go out now, says so before anything is sent. */
  #mustBeOpen(mayWait: boolean): void {
    if (this.#closed) throw this.#closed
    if (!mayWait && this.status !== 'online') throw new NotLive(this.language)
  }

  #end(closed: Closed): void {
    if (this.#closed) return
    this.#closed = closed
    for (const one of [...this.#answers.values(), ...this.#asked.values()]) one.reject(closed)
    this.#wake()
    this.#events.tell('status', 'closed')
    this.#events.tell('closed', closed)
  }

  #statusChanged(): void {
    if (this.#closed || this.#link.state === 'closed') return
    this.#events.tell('status', this.#link.state)
    this.#wake()
  }

  /** One message of the server: into the session, then to whoever waits for it. Throws Gap. */
  #take(message: FromServer): void {
    const update = this.#session.receive(message)
    const undecided = this.#session.undecided(message)
    if (!isDiff(message)) {
      if (message.t === 'welcome') this.#greeting = message
      else if (undecided !== null) this.#link.later(undecided, (message as WireRefused).params?.['retry_ms'])
      else if (message.t === 'ack') this.#answers.get(message.seq)?.resolve(message)
      else if (message.t === 'refused') void this.#refuse(message)
      else if (message.t === 'answer') this.#asked.get(message.id)?.resolve(message)
      else if (message.t === 'presence') this.#events.tell('presence', this.here)
    }
    if (update !== null) this.#publish(update)
    this.#wake()
  }

  async #refuse({ seq, code, params, retry }: WireRefused): Promise<void> {
    const waiting = this.#answers.get(seq)
    await this.#worded()
    waiting?.reject(new Refused(code, params ?? {}, retry ?? false, this.language))
  }

  /** A reason is given in words, or, where these cannot be fetched, by its code. */
  async #worded(): Promise<void> {
    await texts.load(this.language).catch(() => {})
  }

  #publish(update: Update): void {
    this.#events.tell('state', { state: this.state, update })
    for (const line of update.lines) this.#events.tell('log', this.#tell(line, update.n))
    const prompts = standing(this)
    const fresh = prompts.filter((one) => !this.#known.has(one.key))
    this.#known = new Set(prompts.map((one) => one.key))
    for (const one of fresh) this.#events.tell('prompt', one)
  }

  #tell(line: Line, n: number, undone = false): Told {
    const at = Number(this.state.table['created'] ?? 0) + 1000 * line.at_s
    return new Told(line, at, n, this.language, this.seatNameOf, undone)
  }

  #wake(): void {
    for (const look of [...this.#conditions]) look()
  }
}

/** At the table, its state complete, within `timeout` ms; rejects with Unanswered or Closed otherwise. */
export async function connect(invitation: string, options: TableOptions & { timeout?: number } = {}): Promise<Table> {
  const table = new Table(invitation, options)
  try {
    await table.until((it) => it.status === 'online', options.timeout ?? 10_000)
    return table
  } catch (problem) {
    table.close()
    if (!(problem instanceof Unanswered)) throw problem
    const why = table.lastProblem || texts.word('lost', 'no_answer', table.language)
    throw new Unanswered('seat', { s: String((options.timeout ?? 10_000) / 1000), why }, table.language)
  }
}

/** 96 random bits. Not randomUUID: on a page by plain http there is none. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

