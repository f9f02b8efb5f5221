// What a player's page does not show at first, and every sentence that the game can say: fetched once the rest is there.

import { texts } from '@overseer-vtt/sdk'
import { language } from '../lib/i18n.svelte'
import { later } from '../lib/later.svelte'

export const parts = later(async () => {
  const [pieces] = await Promise.all([import('./later'), texts.load(language())])
  return pieces
})
