// What the Storyteller has before him: which unit, which part of the console, which window over it.

import type { State, Thing } from '@overseer-vtt/sdk'

export const PARTS = ['units', 'now', 'tell', 'log', 'scene', 'rules', 'seats'] as const
export type Part = (typeof PARTS)[number]
export type Over = 'add' | 'help' | 'undo' | null

class Desk {
  part = $state<Part>('now')
  unit = $state<string | null>(null)
  over = $state<Over>(null)
  /** The value that is about to be overridden. */
  path = $state('')
  search = $state('')
  /** Where a rewind would go back to; null: nothing is about to be undone. */
  undoTo = $state<number | null>(null)
  /** The take-back that a yes would do. */
  undoFor = $state<string | null>(null)

  choose(unit: string | null): void {
    this.unit = unit
    this.path = ''
    if (unit) this.part = 'units'
  }

  undo(to: number | null, request: string | null = null): void {
    this.undoTo = to
    this.undoFor = request
    this.over = 'undo'
  }
}

export const desk = new Desk()

/** All units as they are listed: the order of the fight, then who else is on stage, then who waits off stage. */
export function listed(state: State): readonly string[] {
  const known = lists.get(state)
  if (known) return known
  const made = list(state)
  lists.set(state, made)
  return made
}

/** The same as units: wherever some are chosen, they stand as they do in the list. */
export const inList = (state: State): Thing[] => listed(state).map((id) => state.units[id]!)

/** Several parts of the console ask for it at each change. */
const lists = new WeakMap<State, readonly string[]>()

function list(state: State): readonly string[] {
  const order: readonly string[] = state.table['fight'] ? (state.table['order'] ?? []) : []
  const rest = Object.values(state.units).filter((unit) => !order.includes(unit.id))
  const byNumber = rest.sort((a, b) => Number(!a['on_stage']) - Number(!b['on_stage']) || (a['number'] ?? 0) - (b['number'] ?? 0))
  return [...order.filter((id) => state.units[id]), ...byNumber.map((unit) => unit.id)]
}

/** The name of a seat, or that of the Storytellers together. */
export const seatName = (state: State, seat: string, storyteller: string): string => state.seats[seat]?.['name'] ?? (seat === 'st' ? storyteller : seat)
