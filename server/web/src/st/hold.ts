// All clocks stand still, and go on: the Storyteller's, from wherever he is.

import { doing } from '../lib/doing.svelte'
import { table } from '../lib/table.svelte'

export function hold(): void {
  if (table.own?.role === 'st') void doing.send(table.own, table.state?.table['held'] ? 'release' : 'hold', {})
}

/** The one key that does it while he writes and over every window too: Ctrl and full stop (with a Mac's Cmd as well). */
export function holdKey(event: KeyboardEvent): boolean {
  const pressed = (event.ctrlKey || event.metaKey) && (event.key === '.' || event.key === '。')
  if (!pressed) return false
  event.preventDefault()
  if (!event.repeat) hold()
  return true
}
