// Both languages of the page. What the game says (log lines, refusals, its own words) comes from the SDK's texts; the words
// of the pages themselves stand in en.json and zh.json, flat, with {gaps}; what only the console says, or what a player's page
// does not say at first, beside those.

import { texts } from '@overseer-vtt/sdk'
import type players from '../player/en.json'
import type consoles from '../st/en.json'
import type en from './en.json'
import { type Later, later } from './later.svelte'
import { table } from './table.svelte'

export type Language = 'en' | 'zh'
export type Key = keyof typeof en | keyof typeof players | keyof typeof consoles
type Gaps = Readonly<Record<string, string | number>>

// Each language is a piece of its own: a page fetches the one it shows.
type Loaders = Readonly<Record<Language, () => Promise<{ default: Readonly<Record<string, string>> }>>>
const LOADERS: Loaders = { en: () => import('./en.json'), zh: () => import('./zh.json') }
const LATER: Loaders = { en: () => import('../player/en.json'), zh: () => import('../player/zh.json') }
const CONSOLE: Loaders = { en: () => import('../st/en.json'), zh: () => import('../st/zh.json') }
const used = new Set([LOADERS])
/** How often a language was asked for: the last one counts. */
let asked = 0
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
  const mine = ++asked
  try {
    const fetched = await wordsOf(wanted)
    await table.speak(wanted)
    if (mine !== asked) return true
    words = fetched
  } catch {
    return false
  }
  spoken = wanted
  localStorage.setItem(KEPT, wanted)
  document.documentElement.lang = wanted === 'zh' ? 'zh-Hans' : 'en'
  return true
}

/** From now on also what is said later, by the console too. Throws where it cannot be fetched. */
export async function speakAlso(what: 'later' | 'console'): Promise<void> {
  used.add(LATER)
  if (what === 'console') used.add(CONSOLE)
  if (!(await speak(spoken))) throw new Error('these words could not be fetched')
}

async function wordsOf(name: Language): Promise<typeof words> {
  const [all] = await Promise.all([Promise.all([...used].map((loaders) => loaders[name]())), texts.loadFirst(name)])
  return Object.assign({}, ...all.map((one) => one.default))
}

let other = $state.raw<Later<unknown> | null>(null)

/** When there is nothing else to do: both languages whole, to go to the other one and back also while the line is away. */
export function fetchOther(): void {
  used.add(LATER)
  other ??= later(() => Promise.all((['en', 'zh'] as const).flatMap((name) => [wordsOf(name), texts.load(name)])))
}

/** Whether the other language is here, and all of this one. */
export const hasOther = (): boolean => other !== null && other.here !== null

/** The page's own words: `t('retry_in', { n: 3 })`. */
export function t(key: Key, gaps: Gaps = {}): string {
  return words[key]!.replace(/\{(\w+)\}/g, (_, gap: string) => String(gaps[gap] ?? ''))
}

/** One of the game's words: `word('slots', 'swift')`. */
export const word = (group: string, key: string): string => texts.word(group, key, spoken)
