// A unit as the form has it, and as the command takes it.

import type { State } from '@overseer-vtt/sdk'

export interface Attack {
  name: string
  dice: number
  damage: number
  ranged: boolean
}

export interface Written {
  name: string
  count: number
  side: string
  owner: string
  hp: number
  initiative: number | null
  bonus: number
  base: number
  dodge: number
  parry: number
  speed: number
  hidden: boolean
  together: boolean
  /** "DEX 3, PER 2": as people write it. */
  attributes: string
  skills: string
  position: string
  notes: string
  attacks: Attack[]
}

export const emptyUnit = (): Written => ({
  name: '', count: 1, side: '', owner: 'st', hp: 8, initiative: null, bonus: 0, base: 0, dodge: 0, parry: 0, speed: 10,
  hidden: false, together: false, attributes: '', skills: '', position: '', notes: '', attacks: [],
}) // prettier-ignore

/** "DEX 3, PER 2" and "敏捷 3；感知 2". What has no number is left out. */
export function numbersOf(said: string): Record<string, number> {
  const found = [...said.matchAll(/([^,;，；\d]+?)\s*(-?\d+)/g)]
  return Object.fromEntries(found.map(([, name, n]) => [name!.trim(), Number(n)]))
}

export function preparedOf(written: Written, state: State): Record<string, unknown> {
  const slots: readonly string[] = state.table['slots'] ?? []
  const usual = slots.includes('simple') ? 'simple' : 'standard'
  const attacks = written.attacks.filter((one) => one.name.trim())
  const abilities = attacks.map((one) => [
    one.name.trim(),
    { name: one.name.trim(), act: one.ranged ? 'ranged_attack' : 'melee_attack', slots: [usual], needs_target: true, pool: { fixed: one.dice }, damage: one.damage },
  ])
  return {
    unit: {
      name: written.name.trim(),
      side: written.side.trim(),
      hidden: written.hidden,
      initiative: written.initiative,
      initiative_bonus: written.bonus,
      tracks: { hp: { value: written.hp, max: written.hp } },
      base: written.base,
      dodge: written.dodge,
      parry: written.parry,
      speed: written.speed,
      attributes: numbersOf(written.attributes),
      skills: numbersOf(written.skills),
      position: written.position.trim(),
      notes: written.notes.trim(),
      abilities: Object.fromEntries(abilities),
    },
    ...(written.owner === 'st' ? {} : { owner: written.owner }),
    ...(written.count > 1 ? { count: written.count } : {}),
    ...(written.together ? { one_initiative: true } : {}),
  }
}
