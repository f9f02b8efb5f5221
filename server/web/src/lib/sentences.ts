// What is shown as one line in several places. Its words are the game's own, from the SDK's texts.

import { Named, type State, texts, type Thing } from '@overseer-vtt/sdk'
import { language, word } from './i18n.svelte'

export const nameOf = (state: State, unit: string | null | undefined): string =>
  (unit && (state.units[unit]?.['name'] as string | undefined)) || word('values', 'hidden')

/** What is done, as short as a card wants it: "melee attack · claws". */
export function deed(act: { readonly [name: string]: any }): string {
  const kind = act['kind'] ?? act['act'] ?? ''
  const technique = act['technique'] ? `${act['technique']} (${act['step']}/${act['steps']})` : ''
  const what = technique || act['ability']
  if (what) return what
  return act['text'] ? `“${act['text']}”` : word('acts', kind)
}

/** Whom it is aimed at: "→ Mira ×2, Suri"; "" where nobody. */
export function aims(state: State, act: { readonly [name: string]: any }): string {
  const attacks = (act['attacks'] ?? []) as { readonly target: string }[]
  const times = (unit: string) => attacks.filter((one) => one.target === unit).length
  const targets = [...new Set((act['targets'] ?? []) as string[])].map((unit) => nameOf(state, unit) + (times(unit) > 1 ? ` ×${times(unit)}` : ''))
  if (act['counters']) targets.unshift(deed(state.pending[act['counters']] ?? {}))
  return targets.length ? `→ ${targets.join(', ')}` : ''
}

/** A waiting action as the log would say it. */
export function sentence(state: State, pending: Thing): string {
  const named = (unit: string) => new Named(unit, nameOf(state, unit))
  const fields = {
    unit: pending['actor'] ? named(pending['actor']) : null,
    act: pending['kind'],
    slot: pending['slot'],
    ability: pending['technique'] || pending['ability'] || null,
    targets: ((pending['targets'] ?? []) as string[]).map(named),
    text: pending['text'] ?? null,
  }
  return texts.say({ kind: 'declared', at_s: 0, by: '', fields }, language())
}

/** HP as this seat may see them: numbers, words or nothing. */
export function health(unit: Thing): { said: string; share: number | null } | null {
  const hp: number | string | undefined = unit['hp']
  if (hp === undefined) return null
  if (typeof hp === 'string') {
    return { said: word('values', hp), share: { unhurt: 1, hurt: 0.7, badly_hurt: 0.3, out: 0 }[hp] ?? null }
  }
  const most: number | null = unit['hp_max'] ?? null
  return { said: most === null ? `${hp}` : `${hp}/${most}`, share: most ? Math.max(0, Math.min(1, hp / most)) : null }
}
