import type { State, Thing } from '@overseer-vtt/sdk'
import { describe, expect, it } from 'vitest'
import { pursesOf } from './units'

const SLOTS = ['free', 'swift', 'move', 'standard', 'full_round', 'immediate']
const at = (active: string | null, turn = 2) =>
  ({ table: { fight: true, order: ['ghoul', 'mira', 'brute'], active, turn, slots: SLOTS } }) as unknown as State
const left = (state: State, unit: Record<string, unknown>) =>
  Object.fromEntries(pursesOf(state, unit as unknown as Thing).map((one) => [one.slot, one.left]))

/** What its owner sees of a unit; what all see has neither `left` nor `immediates`, `round` and `debts`. */
const mine = { id: 'mira', spent: [], left: {}, immediates: 1, round: 1, debts: [] }
const theirs = { id: 'mira', spent: [] }
const whole = { standard: 1, move: 1, swift: 1, immediate: 1 }
const nothing = { standard: 0, move: 0, swift: 0, immediate: 1 }

describe('what a unit has left reads the same of one\'s own and of others', () => {
  it('before its action: all of it, whatever it spent the turn before', () => {
    expect(left(at('ghoul'), { ...mine, spent: ['standard'] })).toEqual(whole)
    expect(left(at('ghoul'), { ...theirs, spent: ['standard'] })).toEqual(whole)
  })

  it('in its action: what it has not spent', () => {
    const spent = { spent: ['standard'] }
    expect(left(at('mira'), { ...mine, ...spent, round: 2, left: { move: 1, swift: 1 } })).toEqual({ ...whole, standard: 0 })
    expect(left(at('mira'), { ...theirs, ...spent })).toEqual({ ...whole, standard: 0 })
  })

  it('after its action: its immediate action alone', () => {
    expect(left(at('brute'), { ...mine, round: 2 })).toEqual(nothing)
    expect(left(at('brute'), theirs)).toEqual(nothing)
    expect(left(at('brute'), { ...theirs, spent: ['immediate'] })).toEqual({ ...nothing, immediate: 0 })
  })

  it('while somebody hidden acts: what was seen', () => {
    expect(left(at(null), theirs)).toEqual(whole)
    expect(left(at(null), { ...theirs, spent: ['standard'] })).toEqual(nothing)
  })

  it('of one\'s own also what is owed already', () => {
    expect(left(at('ghoul'), { ...mine, immediates: 0, debts: ['all_swift'] })).toEqual({ ...whole, swift: 0, immediate: 0 })
    expect(left(at('ghoul'), { ...mine, debts: ['standard'], bonus: { swift: 1 } })).toEqual({ ...whole, standard: 0, swift: 2 })
  })
})
