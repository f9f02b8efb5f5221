// Both languages of the page. What the game says (log lines, refusals, its own words) comes from the SDK's texts; the words
// of the pages themselves stand in en.json and zh.json, flat, with {gaps}.

import { texts } from '@overseer-vtt/sdk'
import type en from './en.json'
import { table } from './table.svelte'

export type Language = 'en' | 'zh'
export type Key = keyof typeof en
type Gaps = Readonly<Record<string, string | number>>

// Each language is a piece of its own: a page fetches the one it shows.
const LOADERS: Readonly<Record<Language, () => Promise<{ default: Readonly<Record<Key, string>> }>>> = {
  en: () => import('./en.json'),
  zh: () => import('./zh.json'),
}
const KEPT = 'overseer.language'

let spoken = $state<Language>('en')
let words = $state.raw<Readonly<Record<string, string>>>({})

/** The language that the page is in. Read where something is shown, the page changes with it. */
export const language = (): Language => spoken

/** Before anything is shown: the language of the last visit, or the browser's. */
export async function begin(): Promise<void> {
  await speak((localStorage.getItem(KEPT) ?? texts.chosen(navigator.language)) as Language)
}

/** False: its words could not be fetched just now, and the page stays as it is. */
export async function speak(name: Language): Promise<boolean> {
  const wanted = texts.chosen(name) as Language
  let fetched: typeof words
  try {
    await texts.load(wanted)
    fetched = (await LOADERS[wanted]()).default
  } catch {
    return false
  }
  await table.speak(wanted)
  words = fetched
  spoken = wanted
  localStorage.setItem(KEPT, wanted)
  document.documentElement.lang = wanted === 'zh' ? 'zh-Hans' : 'en'
  return true
}

/** The page's own words: `t('retry_in', { n: 3 })`. */
export function t(key: Key, gaps: Gaps = {}): string {
  return words[key]!.replace(/\{(\w+)\}/g, (_, gap: string) => String(gaps[gap] ?? ''))
}

/** One of the game's words: `word('slots', 'swift')`. */
export const word = (group: string, key: string): string => texts.word(group, key, spoken)
