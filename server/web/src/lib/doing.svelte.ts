// Everything a button does goes through here: one command at a time for each button, and a refusal is never silent.

import { type Ack, type CommandOptions, type Commands, type Fields, Refused, type Table, TableProblem } from '@overseer-vtt/sdk'
import { language } from './i18n.svelte'

/** Something that was not done, until its reader has read it. `again`: the command, to ask the Storyteller leave for. */
export interface Trouble {
  readonly id: number
  readonly problem: TableProblem
  readonly leave: LeaveFor | null
  /** How much of the table was known when the button was pressed. */
  readonly seen: number
}
export type LeaveFor = { readonly kind: keyof Commands; readonly [field: string]: unknown }

/** What an ST could let through (ask_leave): acts and what belongs to them. */
const OF_PLAY: ReadonlySet<string> = new Set([
  'declare', 'react', 'ready', 'fire', 'announce', 'end_action', 'leave_fight', 'sustain', 'withdraw', 'roll_task', 'start_task',
]) // prettier-ignore
/** No rule of the game stood in the way, so there is no leave to ask for. */
const NO_RULE: ReadonlySet<string> = new Set([
  'unknown', 'forbidden', 'not_yours', 'bad_value', 'stale', 'changed', 'window_closed', 'window_changed', 'window_open', 'held',
  'not_asked', 'already_answered', 'rate', 'too_many', 'in_use', 'no_change', 'clock_due', 'not_due', 'store_away', 'overloaded',
]) // prettier-ignore

class Doing {
  /** The buttons whose command is on its way. */
  busy = $state.raw<ReadonlySet<string>>(new Set())
  troubles = $state.raw<readonly Trouble[]>([])
  /** The last thing that went well, said once: for those who listen. */
  #next = 1

  /** Sends a command. Its answer; null where it was not done. `button`: its name while it is on its way. */
  async send<Kind extends keyof Commands>(
    seat: Table,
    kind: Kind,
    fields: Fields<Commands[Kind]>,
    button: string = kind,
    options: CommandOptions = {},
  ): Promise<Ack | null> {
    if (this.busy.has(button)) return null
    this.busy = new Set([...this.busy, button])
    const seen = seat.n
    try {
      return await seat.command(kind, fields, options)
    } catch (problem) {
      if (!(problem instanceof TableProblem)) throw problem
      const waivable = problem instanceof Refused && OF_PLAY.has(kind) && !NO_RULE.has(problem.code)
      this.tell(problem, waivable && seat.role === 'player' ? { kind, ...(fields as object) } : null, seen)
      return null
    } finally {
      this.busy = new Set([...this.busy].filter((one) => one !== button))
    }
  }

  tell(problem: TableProblem, leave: LeaveFor | null = null, seen = Infinity): void {
    this.troubles = [...this.troubles.slice(-2), { id: this.#next++, problem, leave, seen }]
  }

  read(id: number): void {
    this.troubles = this.troubles.filter((one) => one.id !== id)
  }
}

export const doing = new Doing()
export const saidOf = (trouble: Trouble): string => trouble.problem.said(language())
