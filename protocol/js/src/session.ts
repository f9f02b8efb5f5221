// A client's half of one conversation with a table, without I/O: protocol/session.py again.
//
// It outlives connections. link.ts opens one, sends `hello()`, feeds every message to `receive`, and sends `unanswered()`
// again after each WELCOME. A Gap means: drop this connection and resume on the next.

import { crc } from './checks.ts'
import { DIFF, MINOR, UNDECIDED, VERSION } from './generated/contract.ts'
import type { Check, Command, Diff, Drift, FromServer, Hello, Snapshot, Welcome } from './generated/messages.ts'
import { type Line, linesOf } from './lines.ts'
import { type Op, Picture, type State } from './state.ts'

/** A DIFF that does not follow on what is known. The state is untouched. */
export class Gap extends Error {
  constructor(expected: number, found: number) {
    super(`change ${expected} was due, change ${found} came`)
  }
}

/** All that is needed to go on later, on another page too. */
export interface Saved {
  readonly epoch: string
  readonly n: number
  readonly view: Readonly<Record<string, unknown>>
}

/** One change of what is known. `reason` is set when all was told anew (a snapshot), which brings no lines. */
export interface Update {
  readonly n: number
  readonly lines: readonly Line[]
  readonly changed: ReadonlySet<string>
  readonly reason: Snapshot['reason'] | null
}

/** A question in its envelope. */
export interface Question {
  readonly t: 'ask'
  readonly id: number
  readonly what: string
  readonly [field: string]: unknown
}

export class Session {
  readonly picture = new Picture()
  epoch: string | null = null
  n = 0
  welcome: Welcome | null = null
  here: readonly string[] = []
  #seq: number
  #ask = 0
  readonly #commands = new Map<number, Command>()
  readonly #asks = new Map<number, Question>()
  #token: string

  constructor(
    token: string,
    readonly client: string,
    saved: Saved | null = null,
    firstSeq = 1,
    readonly seeAs: string | null = null,
  ) {
    this.#token = token
    this.#seq = firstSeq - 1
    if (saved !== null) {
      this.picture.replace(saved.view)
      this.epoch = saved.epoch
      this.n = saved.n
    }
  }

  get state(): State {
    return this.picture.state
  }

  /** Whether everything WELCOME spoke of has arrived. */
  get current(): boolean {
    return this.welcome !== null && this.epoch === this.welcome.epoch && this.n >= this.welcome.n
  }

  get saved(): Saved | null {
    return this.epoch === null ? null : { epoch: this.epoch, n: this.n, view: Object.fromEntries(this.picture.values) }
  }

  // ----------------------------------------------------------------------------------------------------- what to say
  hello(): Hello {
    this.welcome = null
    const resume = this.epoch === null ? null : { epoch: this.epoch, n: this.n }
    return { t: 'hello', versions: [VERSION], token: this.#token, client: this.client, resume, minor: MINOR, ...(this.seeAs === null ? {} : { see_as: this.seeAs }) }
  }

  /** A command under the next number. It stays unanswered until it is forgotten. */
  command(kind: string, fields: object, asSeat: string | null): Command {
    const made = { ...fields, kind, t: 'command', seq: ++this.#seq, seen: this.n, ...(asSeat === null ? {} : { as: asSeat }) } as Command
    this.#commands.set(made.seq, made)
    return made
  }

  ask(what: string, fields: object): Question {
    const made: Question = { ...fields, what, t: 'ask', id: ++this.#ask }
    this.#asks.set(made.id, made)
    return made
  }

  /** The answer is there, or nobody waits for it any more: it is not sent again. */
  forget(message: Command | Question): void {
    if (message.t === 'command') this.#commands.delete(message.seq)
    else this.#asks.delete(message.id)
  }

  /** What is to be sent again on a new connection: commands by rising seq, then questions. */
  unanswered(): (Command | Question)[] {
    return [...this.#commands.values(), ...this.#asks.values()]
  }

  /** What to say to a CHECK: nothing, unless it is of this position and sums up to something else. */
  drift(check: Check): Drift | null {
    if (this.epoch === null || check.n !== this.n) return null
    const found = crc(this.picture.values)
    return found === check.crc ? null : { t: 'drift', n: this.n, crc: found }
  }

  // ---------------------------------------------------------------------------------------------------- what was heard
  /** Takes a message in. Returns what changed, if anything did. Throws Gap; nothing is changed then. */
  receive(message: FromServer): Update | null {
    if (isDiff(message)) return this.#follow(message)
    switch (message.t) {
      case 'snapshot':
        return this.#replace(message)
      case 'welcome':
        this.welcome = message
        break
      case 'presence':
        this.here = message.here
        break
      case 'ack':
        if (message.token && this.#isOwn(this.#commands.get(message.seq))) this.#token = message.token
    }
    return null
  }

  /** Whether a new invitation takes the place of the one this client came with. */
  #isOwn(command: Command | undefined): boolean {
    return command?.kind === 'renew_invitation' && command['seat'] === this.welcome?.seat
  }

  /** What the server wants to be sent again, as it is, because it came too soon; null for anything else it says. */
  undecided(message: FromServer): Command | Question | null {
    if (isDiff(message)) return null
    const again =
      message.t === 'refused' && UNDECIDED.includes(message.code)
        ? this.#commands.get(message.seq)
        : message.t === 'answer' && UNDECIDED.includes(message.code ?? '')
          ? this.#asks.get(message.id)
          : undefined
    return again ?? null
  }

  /** Whether it has had no answer yet, and somebody still wants one. */
  waitsFor(message: Command | Question): boolean {
    return message.t === 'command' ? this.#commands.has(message.seq) : this.#asks.has(message.id)
  }

  #follow([, n, ops, log]: Diff): Update {
    if (this.epoch === null || n !== this.n + 1) throw new Gap(this.n + 1, n)
    const lines = [...linesOf(log, ops, this.picture.values)]
    this.picture.apply(ops as unknown as readonly Op[])
    this.n = n
    return { n, lines, changed: new Set(ops.map((op) => op[0] as string)), reason: null }
  }

  #replace(snapshot: Snapshot): Update {
    const changed = this.picture.replace(snapshot.view)
    this.epoch = snapshot.epoch
    this.n = snapshot.n
    return { n: this.n, lines: [], changed, reason: snapshot.reason }
  }
}

/** A list that begins otherwise is of a newer server. */
export const isKnown = (message: FromServer): boolean => !Array.isArray(message) || message[0] === DIFF
export const isDiff = (message: FromServer): message is Diff => Array.isArray(message)
