// The values of a unit that the Storyteller's hand can set, as the commands name them.

import type { Thing } from '@overseer-vtt/sdk'
import { word } from '../lib/i18n.svelte'

export interface Place {
  readonly path: string
  readonly label: string
  readonly now: number | string | null
  readonly words: boolean
}

const NUMBERS = ['base', 'dodge', 'parry', 'speed', 'initiative', 'initiative_bonus', 'takes_away', 'absorbs']
const WORDS = ['position', 'side', 'name']
const MAPS = ['attributes', 'skills', 'extras', 'bonus']

/** All that there are: tracks first, then numbers, words, and what is named on its sheet. */
export function placesOf(unit: Thing): Place[] {
  const tracks = Object.keys(unit).flatMap((name) => (name.endsWith('_max') ? [name.slice(0, -4)] : []))
  const number = (path: string, label: string, now: unknown): Place => ({ path, label, now: (now as number | undefined) ?? null, words: false })
  return [
    ...tracks.flatMap((name) => [
      number(name, word('values', name), unit[name]),
      number(`tracks.${name}.max`, `${word('values', name)} ≤`, unit[`${name}_max`]),
    ]),
    ...NUMBERS.map((name) => number(name, word('values', name), unit[name] ?? (name === 'initiative' ? null : 0))),
    ...WORDS.map((name) => ({ path: name, label: word('values', name), now: String(unit[name] ?? ''), words: true })),
    ...MAPS.flatMap((map) => Object.entries((unit[map] ?? {}) as Record<string, number>).map(([name, n]) => number(`${map}.${name}`, word('values', name), n))),
  ]
}
