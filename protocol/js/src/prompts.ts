// The questions put to this seat: a window it is asked in, or a readied action of its own whose trigger has happened.
//
// Computed from the state alone (protocol/prompts.py again), so that nothing is asked twice after a reconnect and nothing
// closed is asked at all.

import type { Ack, Act } from './generated/messages.ts'
import { stackOf, type Thing } from './state.ts'
import type { Table } from './table.ts'

export class Prompt {
  readonly window: string
  readonly gen: number
  /** before, defence, gain, after. */
  readonly kind: string
  /** What is about to happen, by its id. */
  readonly pending: string
  /** A standing order passes for this seat; it may still react. */
  readonly orderPasses: boolean
  readonly #table: Table

  constructor(
    table: Table,
    window: Thing,
    /** Own readied actions that match it. */
    readonly readied: readonly string[],
    /** False: only a readied action makes this a question; there is nothing to pass. */
    readonly asked: boolean,
  ) {
    this.#table = table
    this.window = window.id
    this.gen = window['gen']
    this.kind = window['kind'] ?? 'before'
    this.pending = window['pending']
    this.orderPasses = Boolean(window['me']?.order_passes)
  }

  /** Equal for the same question. */
  get key(): string {
    return [this.window, this.gen, ...this.readied].join(' ')
  }

  /** What is about to happen, as it is known now. */
  get act(): Thing | null {
    return this.#table.state.pending[this.pending] ?? null
  }

  /** Whether this very question still stands: not closed, not covered, not asked anew, not answered by a pass. */
  get open(): boolean {
    const window = this.#table.state.windows[this.window]
    if (window?.['gen'] !== this.gen || window['covered']) return false
    return !(this.asked && passed(this.#table, window))
  }

  /**
   * Milliseconds to answer in, less the house's allowance for the way (lag_ms). 0: over. null: no clock runs, or the
   * Storyteller holds the table; then `open` tells whether the question stands.
   */
  left(): number | null {
    const window = this.#table.state.windows[this.window]
    if (window?.['gen'] !== this.gen) return 0
    return this.#table.left(window['deadline'])
  }

  /** No answer. */
  pass(): Promise<Ack> {
    return this.#table.command('pass', { window: this.window, gen: this.gen })
  }

  /** An immediate or reflexive action. */
  react(unit: string, act: Partial<Act> & Pick<Act, 'kind'>): Promise<Ack> {
    return this.#table.command('react', { unit, window: this.window, act: { slot: 'immediate', ...act } })
  }

  /** Use a readied action: the first that matches, if none is named. */
  fire(readied: string = this.readied[0] ?? '', fields: { targets?: string[]; leaves?: boolean } = {}): Promise<Ack> {
    return this.#table.command('fire', { readied, window: this.window, ...fields })
  }

  /** Promise defence extra successes, against the `attack`th on the unit where there are several. */
  defend(unit: string, n: number, attack = 1): Promise<Ack> {
    return this.#table.command('defend', { window: this.window, unit, n, attack })
  }

  /** Where `kind` is "gain": how many of the extra successes gained go to each attack still to come. */
  splitGain(gain: readonly number[]): Promise<Ack> {
    return this.#table.command('split_gain', { window: this.window, gain })
  }

  /** Draw on the time bank. */
  moreTime(): Promise<Ack> {
    return this.#table.command('more_time', { window: this.window })
  }
}

/** The questions open to this seat now. `all`: also those that its standing order passes. */
export function standing(table: Table, all = false): Prompt[] {
  return stackOf(table.state).flatMap((pending) => {
    const window = table.state.windows[pending['window']]
    if (window?.['gen'] === undefined || window['covered']) return []
    const readied = ((pending['due'] ?? []) as string[]).filter((one) => isMine(table, one))
    const asked = isAsked(table, window)
    const prompt = new Prompt(table, window, readied, asked)
    const stands = readied.length > 0 || (asked && !passed(table, window) && (all || !prompt.orderPasses))
    return stands ? [prompt] : []
  })
}

/** Whether this seat is asked in the window (for the STs: "st" is among the asked). */
export function isAsked(table: Table, window: Thing): boolean {
  return Boolean(window['me']?.asked) || isAmong(table, window['asked'])
}

export function passed(table: Table, window: Thing): boolean {
  return Boolean(window['me']?.passed) || isAmong(table, window['passed'])
}

function isAmong(table: Table, seats: unknown): boolean {
  return Array.isArray(seats) && seats.includes(table.role === 'st' ? 'st' : table.seat)
}

/** Whether a readied action is still armed and this seat's to use. STs see all; theirs are the ownerless units'. */
function isMine(table: Table, id: string): boolean {
  const held = table.state.readied[id]
  if (held === undefined || (held['state'] ?? 'armed') !== 'armed') return false
  const owner = table.state.units[held['unit']]?.['owner'] ?? null
  return table.role === 'st' ? owner === null || owner === '' || owner === 'st' : owner === table.seat
}
