// What can be done now, as the server says it (the question `options`): every button of the page comes from here.

import { type State, type Table, TableProblem, type Thing } from '@overseer-vtt/sdk'

/** One act with its cost and its targets, or why it cannot be. protocol/from_server.py, ANSWER, has it in full. */
export interface Option {
  readonly kind: string
  readonly unit?: string
  readonly act?: string
  readonly slot?: string
  readonly pay?: string
  readonly ability?: string
  readonly attached?: readonly string[]
  readonly steps?: readonly { readonly attached?: readonly string[] }[]
  readonly window?: string
  readonly gen?: number
  readonly readied?: string
  readonly auto?: boolean
  readonly task?: string
  readonly pending?: string
  readonly ask?: string
  readonly n?: number
  readonly attack?: number
  readonly gain?: readonly number[]
  readonly units?: readonly string[]
  readonly command?: { readonly kind: string; readonly [field: string]: unknown }
  readonly costs?: readonly string[]
  readonly targets?: readonly string[]
  readonly flags?: readonly string[]
  readonly code?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly leave?: boolean
}

/** The server works them out anew for each question: not more often than this, ms. */
const PAUSE = 250

class Possible {
  options = $state.raw<readonly Option[]>([])
  /** Of which position of the table they are true; -1: not asked yet. */
  n = $state(-1)
  #asking = false
  #again = false

  /** Of all units of one's own, or of one. */
  #unit: string | null = null

  /** Asks now; while an answer is on its way, once more after it. */
  async look(seat: Table, unit: string | null = null): Promise<void> {
    this.#unit = unit
    this.#again = this.#asking
    if (this.#asking) return
    this.#asking = true
    try {
      do {
        this.#again = false
        const n = seat.n
        const answer = await seat.ask('options', { unit: this.#unit })
        this.options = (answer['options'] ?? []) as readonly Option[]
        this.n = n
        if (this.#again) await new Promise((later) => setTimeout(later, PAUSE))
      } while (this.#again)
    } catch (problem) {
      if (!(problem instanceof TableProblem)) throw problem // away: it is asked again when the table is there again
    } finally {
      this.#asking = false
    }
  }
}

export const possible = new Possible()

// ---------------------------------------------------------------------------------------- one button for one thing to do
/** The same act in all its ways: the slots it can be taken in (of `announce`: how many), and what can be attached to it. */
export interface Deed {
  readonly key: string
  readonly ways: readonly Option[]
  readonly attachments: readonly Option[]
}

export function deeds(options: readonly Option[]): Deed[] {
  const found = new Map<string, { key: string; ways: Option[]; attachments: Option[] }>()
  for (const one of options) {
    const key = [one.kind, one.unit, one.act, one.ability, one.readied].join('|')
    const deed = found.get(key) ?? { key, ways: [], attachments: [] }
    found.set(key, deed)
    if (one.attached || one.steps?.some((step) => step.attached)) deed.attachments.push(one)
    else deed.ways.push(one)
  }
  return [...found.values()].filter((deed) => deed.ways.length > 0)
}

/** What a person adds to an option. */
export interface Choice {
  targets?: readonly string[]
  /** Each attack of several: at whom, and with how many extra successes. */
  strikes?: readonly { readonly target: string; readonly extra: number; readonly weapon?: string }[]
  text?: string
  position?: string
  distance?: number | null
  leaves?: boolean
  modifier?: number
  attachments?: readonly Option[]
}

/** An option with what was chosen, as the act that goes out. */
export function actOf(state: State, option: Option, choice: Choice): Record<string, unknown> {
  const act: Record<string, unknown> = { kind: option.act, slot: option.slot }
  if (option.pay) act['pay'] = option.pay
  if (option.ability) act['ability'] = option.ability
  if (choice.targets?.length) act['targets'] = choice.targets
  if (choice.strikes) {
    act['targets'] = [...new Set(choice.strikes.map((one) => one.target))]
    act['split'] = choice.strikes
  }
  const attached = (choice.attachments ?? []).flatMap((one) => one.attached ?? [])
  if (attached.length) act['attached'] = attached
  const steps = (choice.attachments ?? []).map((one) => one.steps ?? []).filter((one) => one.length)
  if (steps.length) {
    const most = Math.max(...steps.map((one) => one.length))
    act['steps'] = Array.from({ length: most }, (_, k) => {
      const here = steps.flatMap((one) => one[k]?.attached ?? [])
      return here.length ? { attached: here } : {}
    })
  }
  if (choice.text?.trim()) act['text'] = choice.text.trim()
  if (choice.position?.trim()) act['position'] = choice.position.trim()
  if (choice.distance != null) act['distance'] = choice.distance
  if (choice.leaves) act['leaves'] = true
  if (choice.modifier) act['modifier'] = choice.modifier
  const pending = state.windows[option.window ?? '']?.['pending']
  if (abilityOf(state, option)?.['counters'] && pending) act['counters'] = pending
  return act
}

/** The command of an option, its kind apart. */
export function commandOf(state: State, option: Option, choice: Choice = {}): Record<string, unknown> {
  const { unit, window } = option
  const at = window ? { window } : {}
  switch (option.kind) {
    case 'declare':
      return { unit, act: actOf(state, option, choice) }
    case 'react':
      return { unit, ...at, act: actOf(state, option, choice) }
    case 'fire': {
      const aimed = choice.targets?.length ? { targets: choice.targets } : {}
      return { readied: option.readied, ...at, ...aimed, ...(choice.leaves ? { leaves: true } : {}) }
    }
    case 'end_action':
      return { unit, round: state.units[unit!]?.['round'] ?? 0 }
    case 'ask_take_back':
      return { text: choice.text?.trim() ?? '' }
    case 'ask_leave':
      return { command: option.command, text: choice.text?.trim() ?? '' }
    default: {
      const { kind: _, costs: _c, targets: _t, flags: _f, code: _o, params: _p, leave: _l, ...fields } = option
      return fields
    }
  }
}

export function abilityOf(state: State, option: Option): Record<string, any> | undefined {
  return option.ability ? state.units[option.unit!]?.['abilities']?.[option.ability] : undefined
}

/** Whether anything is to be said before an option can go out. */
export function asksMore(deed: Deed): boolean {
  const one = deed.ways[0]!
  if (deed.ways.length > 1 || deed.attachments.length) return true
  if (one.kind !== 'declare' && one.kind !== 'react') return false
  return Boolean(one.targets?.length) || one.act === 'move' || (one.act === 'use' && !one.ability)
}

/** Of a readied action what it does. */
export const readiedAct = (state: State, id: string): Thing | Record<string, any> => state.readied[id]?.['act'] ?? {}
