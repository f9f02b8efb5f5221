// How a sentence is made from its template: protocol/texts/template.py again, whose first page explains the templates.
// A golden test holds the two together. The tables themselves are made from Python's (generated/en.ts, zh.ts).

import { FEW } from './generated/contract.ts'
import { type Line, Named } from './lines.ts'

type Words = Readonly<Record<string, string>>

/** All tables of one language. */
export interface Language {
  readonly name: string
  readonly refusals: Words
  readonly closes: Words
  readonly lines: Words
  readonly explanations: Words
  readonly words: Readonly<Record<string, Words>>
  readonly nouns: Readonly<Record<string, readonly string[]>>
  readonly between: string
  readonly yes: string
  readonly no: string
  readonly nothing: string
  readonly maximum: string
  readonly somebody: string
  readonly storyteller: string
  readonly for_seat: string
  readonly unknown_refusal: string
  readonly unknown_close: string
  readonly unknown_line: string
  readonly unknown_explanation: string
  readonly unnamed_seat: string
  readonly operator: string
  readonly and_more: string
  readonly always_named: readonly string[]
}

/** What of a language is told and not shown: a page sits down without it. */
export type Rest = Pick<Language, 'lines' | 'refusals' | 'explanations' | 'words'>

export type Fields = Readonly<Record<string, unknown>>
/** The name of a seat by its id, "" where none is known. */
export type SeatNames = (seat: string) => string

// Each language is two pieces of its own: a page fetches the one it shows, and first what it cannot begin without.
const LOADERS: Readonly<Record<string, [first: () => Promise<{ LANGUAGE: Language }>, rest: () => Promise<{ REST: Rest }>]>> = {
  en: [() => import('./generated/en.ts'), () => import('./generated/en.rest.ts')],
  zh: [() => import('./generated/zh.ts'), () => import('./generated/zh.rest.ts')],
}
const loaded = new Map<string, Language>()
const whole = new Set<string>()

/** The languages there are. */
export const LANGUAGES: readonly string[] = Object.keys(LOADERS)

/** The language that is meant: "zh-CN" is "zh"; English where there is none. */
export function chosen(name: string): string {
  const short = name.replace('_', '-').split('-')[0]!.toLowerCase()
  return LANGUAGES.includes(short) ? short : 'en'
}

/** Fetches a language's tables. What follows here speaks it from then on. */
export async function load(name: string): Promise<void> {
  const short = chosen(name)
  if (whole.has(short)) return
  const [{ REST }] = await Promise.all([LOADERS[short]![1](), loadFirst(short)])
  const first = loaded.get(short)!
  loaded.set(short, { ...first, ...REST, words: { ...first.words, ...REST.words } })
  whole.add(short)
}

/** Fetches only the words: no line of the log, no reason and no explanation can be told before `load`. */
export async function loadFirst(name: string): Promise<void> {
  const short = chosen(name)
  if (loaded.has(short)) return
  const { LANGUAGE } = await LOADERS[short]![0]()
  if (!loaded.has(short)) loaded.set(short, LANGUAGE)
}

/** The tables of a language; of another, as long as those are not here yet. */
export function language(name: string): Language {
  const found = loaded.get(chosen(name)) ?? [...loaded.values()][0]
  if (found === undefined) throw new Error(`no texts are loaded; await load("${chosen(name)}") first`)
  return found
}

// ------------------------------------------------------------------------------------------------------- what is said
/** One of the game's words: `word("slots", "full_round", "zh")`. */
export function word(group: string, key: string, name = 'en'): string {
  return wordOf(language(name), group, key)
}

/** A number with its noun: `counted("success", 2)`. */
export function counted(noun: string, n: number, name = 'en'): string {
  return fill(`{n:#${noun}}`, { n }, language(name))
}

/** A length of time in the largest unit that says it whole. */
export function time(seconds: number, name = 'en'): string {
  return fill('{n:time}', { n: seconds }, language(name))
}

/** How long something lasts, [number, unit of time]: "for 3 hours", "until the next sunrise". */
export function lasts(value: readonly unknown[], name = 'en'): string {
  return fill('{lasts:lasts}', { lasts: value }, language(name))
}

/** Why something was not done, as a sentence. */
export function refusal(code: string, params: Fields = {}, name = 'en'): string {
  const tables = language(name)
  const template = own(tables.refusals, code)
  return template === undefined ? fill(tables.unknown_refusal, { code }, tables) : fill(template, params, tables)
}

/** When an effect ends, and why then, from the answer to the question `explain`. */
export function explanation(why: string, facts: Fields, name = 'en'): string {
  const tables = language(name)
  const fields: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(facts)) {
    fields[key] = key === 'on' || key === 'source' ? new Named(...(value as [string, string])) : value
  }
  return fill(own(tables.explanations, why) ?? tables.unknown_explanation, fields, tables)
}

/** Why a connection ended, as a sentence; `said` are the server's own words. */
export function closed(code: number | null, name = 'en', said = ''): string {
  const tables = language(name)
  return fill(own(tables.closes, String(code ?? 0)) ?? tables.unknown_close, { code, said }, tables)
}

/** One line of the log as a sentence. */
export function say(line: Line, name = 'en', seats: SeatNames = () => ''): string {
  const tables = language(name)
  // A roll that counts no successes is told differently.
  const template = own(tables.lines, `${line.kind}:${String(line.fields['why'])}`) ?? own(tables.lines, line.kind)
  if (template === undefined) return fill(tables.unknown_line, { kind: line.kind }, tables)
  return fill(template, { ...line.fields, by: line.by }, tables, seats)
}

// --------------------------------------------------------------------------------------------------------- the template
const SEGMENT = /\[([^[\]]*)\]|([^[\]]+)/g
const FIELD = /\{(\w+)(?::(#?\w+)|([?!]))?\}/g
/** What Python's str.split() takes for a space. */
const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g

/** A template with its fields, the first letter a capital. */
export function fill(template: string, fields: Fields, tables: Language, seats: SeatNames = () => ''): string {
  let said = ''
  for (const [, optional, fixed] of template.matchAll(SEGMENT)) {
    let gaps = false
    const text = (optional || fixed || '').replace(FIELD, (_, name: string, how?: string, asks?: string) => {
      const value = own(fields, name)
      if (asks) {
        gaps ||= isTrue(value) !== (asks === '?')
        return ''
      }
      const shown = show(name, value, how ?? '', tables, seats)
      gaps ||= shown === ''
      return shown
    })
    if (!(optional && gaps)) said += text
  }
  const [first = '', ...rest] = said.replace(SPACES, ' ').replace(/^ | $/g, '')
  return first.toUpperCase() + rest.join('')
}

function show(name: string, value: unknown, how: string, tables: Language, seats: SeatNames): string {
  if (name === 'by' && how === '') how = 'seat'
  if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)) {
    return (value ?? null) === null && tables.always_named.includes(name) ? tables.somebody : ''
  }
  if (how === 'path') return pathOf(String(value), tables)
  if (how === 'seat') return seatOf(value, tables, seats)
  if (how === 'nth') return own(tables.words['nth']!, String(value)) ?? countedIn(value, 'nth', tables)
  if (how === 'lasts' && Array.isArray(value)) return countedIn(value[0], `for_${value[1]}`, tables)
  if (how.startsWith('#')) return countedIn(value, how.slice(1), tables)
  if (how === 'time') return timeOf(value, tables)
  if (how === 'few' && Array.isArray(value)) {
    const some = value.slice(0, FEW).map(String).join(tables.between)
    return value.length <= FEW ? some : format(tables.and_more, { some, n: value.length - FEW })
  }
  if (value instanceof Named) return value.name
  if (typeof value === 'boolean') return value ? tables.yes : tables.no
  if (typeof value === 'string') return how ? wordOf(tables, how, value) : value
  if (Array.isArray(value)) return value.map((one) => show('', one, how, tables, seats)).join(tables.between)
  if (typeof value === 'object') {
    return Object.entries(value).map(([key, one]) => `${wordOf(tables, how, key)} ${one}`).join(tables.between)
  }
  return String(value)
}

function wordOf(tables: Language, group: string, key: string): string {
  const known = own(own(tables.words, group) ?? {}, key) ?? (group === 'refusals' ? own(tables.refusals, key)?.split('[')[0] : undefined)
  if (known === undefined && key.includes(':')) {
    // A debt such as "free:attack", a reason such as "cannot_act:stunned".
    const at = key.indexOf(':')
    const of = wordOf(tables, group === 'refusals' ? 'conditions' : 'acts', key.slice(at + 1))
    return `${wordOf(tables, group, key.slice(0, at))} (${of})`
  }
  return known || key.replaceAll('_', ' ')
}

function seatOf(value: unknown, tables: Language, seats: SeatNames): string {
  if (Array.isArray(value) && value.length === 2) {
    return format(tables.for_seat, { st: seats(value[0]) || tables.storyteller, seat: seatOf(value[1], tables, seats) })
  }
  if (value === 'operator') return tables.operator
  return value === 'st' ? tables.storyteller : seats(String(value)) || tables.unnamed_seat
}

function pathOf(path: string, tables: Language): string {
  let [first = '', ...rest] = path.split('.')
  if (first === 'tracks' && rest.length) {
    first = rest.length === 2 && rest[1] === 'max' ? `${rest[0]}_max` : rest[0]!
    rest = []
  }
  if (rest.length) return rest[0]! // an Attribute, a Skill: as it is written on the sheet
  if (!first.endsWith('_max')) return wordOf(tables, 'values', first)
  return format(tables.maximum, { of: wordOf(tables, 'values', first.slice(0, -4)) })
}

const UNITS_OF_TIME = [['day', 86_400], ['hour', 3_600], ['minute', 60]] as const

function timeOf(seconds: unknown, tables: Language): string {
  const fits = UNITS_OF_TIME.find(([, length]) => Number.isInteger(seconds) && seconds !== 0 && (seconds as number) % length === 0)
  return fits ? countedIn((seconds as number) / fits[1], fits[0], tables) : countedIn(seconds, 'second', tables)
}

function countedIn(value: unknown, noun: string, tables: Language): string {
  const [one, many] = own(tables.nouns, noun) ?? ['{n}', '{n}']
  return format((value === 1 ? one : many)!, { n: value })
}

const format = (template: string, gaps: Fields) => template.replace(/\{(\w+)\}/g, (_, name: string) => String(gaps[name]))

/** A key from the wire must not find what every object has. */
const own = <T>(of: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(of, key) ? of[key] : undefined)

/** True as Python has it: an empty list or map is not. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (value !== null && typeof value === 'object') return Object.keys(value).length > 0
  return Boolean(value)
}
