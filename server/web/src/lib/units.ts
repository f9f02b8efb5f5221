// What a unit looks like on the pages: its letters, whose it is, and what it can still spend.

import type { State, Table, Thing } from '@overseer-vtt/sdk'

export type Side = 'you' | 'ally' | 'enemy'

/** One Han character, or the first letters of two words; of a single word its first two. "Wolf Rider 2" is "W2". */
export function letters(name: string): string {
  const words = name.trim().split(/[\s·_-]+/)
  const first = [...(words[0] ?? '')]
  if (/\p{Script=Han}/u.test(first[0] ?? '')) {
    const number = /\d+$/.exec(name)?.[0] ?? ''
    return first[0]! + number
  }
  const last = words.length > 1 ? [...words.at(-1)!] : []
  if (last.length && /\d/.test(last[0]!)) return (first[0] ?? '').toUpperCase() + last.slice(0, 2).join('')
  return last.length ? (first[0]! + last[0]!).toUpperCase() : (first[0] ?? '?').toUpperCase() + (first[1] ?? '')
}

/** `seat`: who looks. For a spectator and the Storyteller, whoever a player plays is an ally. */
export function sideOf(state: State, unit: Thing | undefined, seat: string): Side {
  if (unit === undefined) return 'enemy'
  if (unit['owner'] === seat) return 'you'
  const mine = Object.values(state.units).filter((one) => one['owner'] === seat)
  if (mine.length) return mine.some((one) => one['side'] === unit['side']) ? 'ally' : 'enemy'
  return state.seats[unit['owner']]?.['role'] === 'player' ? 'ally' : 'enemy'
}

/** Whose units are this seat's: the Storytellers have theirs together. */
export const meOf = (seat: Table): string => (seat.role === 'st' ? 'st' : seat.seat)

export const mineOf = (state: State, seat: string): Thing[] =>
  Object.values(state.units).filter((unit) => unit['owner'] === seat)

/** A kind of action, how many a unit has left of it and how many it has spent in this round. */
export interface Purse {
  readonly slot: string
  readonly left: number
  readonly spent: number
}

/** What counts in a turn; the other kinds of action can always be taken. */
const COUNTED = ['standard', 'simple', 'move', 'swift', 'free', 'immediate']
const THREE = ['standard', 'move', 'swift', 'immediate']

/** What a unit can still spend in this turn, read the same of everybody: all of it before its action, nothing after, save its
 * immediate action. Of one's own exactly; of another's by what everybody saw it spend. Empty outside a fight. */
export function pursesOf(state: State, unit: Thing): Purse[] {
  const { fight, order, active, turn } = state.table
  if (!fight) return []
  const slots: readonly string[] = state.table['slots'] ?? []
  const game = slots.includes('simple') ? COUNTED : THREE
  const spent: readonly string[] = unit['spent'] ?? []
  const left: Readonly<Record<string, number>> | undefined = unit['left']
  const debts: readonly string[] = unit['debts'] ?? []
  const places = (order ?? []) as readonly string[]
  const acts = unit.id === active || Object.values(left ?? {}).some(Boolean)
  // Who acts may be hidden: then what was spent says whether a unit has had its action.
  const past = places.includes(active) ? places.indexOf(unit.id) < places.indexOf(active) : spent.some((one) => one !== 'immediate')
  const over = !acts && (past || unit['round'] >= turn)
  return game.flatMap((slot) => {
    if (!slots.includes(slot)) return []
    const gone = spent.filter((one) => one === slot).length
    if (slot === 'immediate') {
      const rest: number | undefined = unit['immediates']
      return [{ slot, left: rest ?? (gone ? 0 : 1), spent: rest === undefined ? gone : Math.max(gone, rest ? 0 : 1) }]
    }
    if (acts || over) {
      const rest = over ? 0 : left ? (left[slot] ?? 0) : gone ? 0 : 1
      return [{ slot, left: rest, spent: rest + gone > 0 ? gone : 1 }]
    }
    const owed = debts.filter((one) => one === slot || one === `all_${slot}` || one === `one_${slot}`).length
    const whole = 1 + (unit['bonus']?.[slot] ?? 0)
    const rest = debts.includes(`all_${slot}`) ? 0 : Math.max(0, whole - owed)
    return [{ slot, left: rest, spent: whole - rest }]
  })
}

/** The effects on a unit, the conditions' own and all others. */
export const effectsOn = (state: State, unit: string): Thing[] =>
  Object.values(state.effects).filter((effect) => effect['on'] === unit)
