import type { Dice } from './Pool.svelte'

export const emptyPool = (): Dice => ({ attributes: [], skills: [], fixed: null, modifier: 0, again: 10, target_number: null })

/** As a command has it: what was left open is left out. */
export function poolOf(dice: Dice): Record<string, unknown> {
  const { fixed, target_number, modifier, again, attributes, skills } = dice
  return {
    ...(attributes.length ? { attributes } : {}),
    ...(skills.length ? { skills } : {}),
    ...(fixed === null ? {} : { fixed }),
    ...(modifier ? { modifier } : {}),
    ...(again === 10 ? {} : { again }),
    ...(target_number === null ? {} : { target_number }),
  }
}

export const isEmpty = (dice: Dice): boolean => dice.fixed === null && !dice.attributes.length && !dice.skills.length
