// What can be done without a mouse. Single letters do nothing while somebody types, and can be switched off.

import type { Key } from '../lib/i18n.svelte'

/** The letters, and what each does in words. */
export const KEYS: readonly (readonly [string, Key])[] = [
  ['P', 'c_key_hold'],
  ['Ctrl .', 'c_key_hold_always'],
  ['N', 'c_key_end'],
  ['E', 'c_key_longer'],
  ['X', 'c_key_close'],
  ['C', 'c_key_cancel'],
  ['J', 'c_key_next'],
  ['K', 'c_key_previous'],
  ['Alt ↑ ↓', 'c_key_reorder'],
  ['O', 'c_key_override'],
  ['A', 'c_key_add'],
  ['F', 'c_key_fight'],
  ['T', 'c_key_tell'],
  ['/', 'c_key_search'],
  ['1 – 7', 'c_key_parts'],
  ['Ctrl Z', 'c_key_undo'],
  ['I 0', 'c_key_answer'],
  ['?', 'c_key_help'],
]

/** Whether this event is of somebody who writes. */
export const isTyping = (event: KeyboardEvent): boolean =>
  Boolean((event.target as HTMLElement | null)?.closest?.('input:not([type=checkbox], [type=radio]), textarea, select'))
