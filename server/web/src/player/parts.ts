// What a player's page does not show at first, and every sentence that the game can say: fetched once the rest is there.

import { speakAlso } from '../lib/i18n.svelte'
import { later } from '../lib/later.svelte'

export const parts = later(async () => {
  const [pieces] = await Promise.all([import('./later'), speakAlso('later')])
  return pieces
})
