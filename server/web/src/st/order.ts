// The order of the fight, changed by hand: a unit earlier, later, or to another's place.

import type { Ack, Table } from '@overseer-vtt/sdk'
import { doing } from '../lib/doing.svelte'

/** `to`: the place it has then, from 0. Null where nothing would change. */
export function place(seat: Table, order: readonly string[], unit: string, to: number): Promise<Ack | null> | null {
  const at = order.indexOf(unit)
  if (at < 0 || to < 0 || to >= order.length || to === at) return null
  const next = order.filter((one) => one !== unit)
  next.splice(to, 0, unit)
  return doing.send(seat, 'reorder', { order: next, was: [...order] })
}
