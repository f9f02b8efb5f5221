// What the log can say: protocol/lines.py, read back from a DIFF.

import { LASTING, LINES, NOT_A_VALUE } from './generated/contract.ts'

/** A seat, "st", "" (the clock), or [st seat, seat] when an ST acted for a seat. */
export type By = string | readonly [string, string]

/** A unit as the log names it: its id, and the name it had then. */
export class Named {
  constructor(
    readonly id: string,
    readonly name: string,
  ) {}

  toString(): string {
    return this.name
  }
}

/** One thing that happened. A field is null where it was left out or may not be known. */
export interface Line {
  readonly kind: string
  /** Whole seconds since the table was made. */
  readonly at_s: number
  readonly by: By
  readonly fields: Readonly<Record<string, unknown>>
}

/** The kind of a line that only a newer server knows. Its fields are named "0", "1", ... */
export const UNKNOWN = 'unknown'

const KINDS = LINES.map((row) => row.split(' '))
const lasting = new Set(LASTING)
const notValues = new Set(NOT_A_VALUE)

/** Whether a rewind leaves this kind of line standing. */
export const isLasting = (kind: string) => lasting.has(kind)

/** A line with its fields by name; null when it is no line at all. */
export function unpack(packed: readonly unknown[]): Line | null {
  const [index, at_s, by, ...args] = packed
  if (packed.length < 3 || !isCount(index) || !Number.isInteger(at_s)) return null
  const known = KINDS[index]
  const line = { at_s: at_s as number, by: readBy(by) }
  if (known === undefined) return { kind: UNKNOWN, ...line, fields: { ...args } }
  const [kind, ...marked] = known
  const fields: Record<string, unknown> = {}
  marked.forEach((mark, k) => (fields[mark.replace(/[!*]$/, '')] = read(mark, args[k] ?? null)))
  return { kind: kind!, ...line, fields }
}

/** Every readable line of a DIFF. `value_set` without fields: what was set stands in the same DIFF's ops. */
export function* linesOf(log: readonly (readonly unknown[])[], ops: readonly (readonly unknown[])[], known: ReadonlyMap<string, unknown>): Generator<Line> {
  let told = false
  for (const packed of log) {
    const line = unpack(packed)
    if (line === null) continue // a line nobody can read is no reason to lose the state that came with it
    if (line.kind !== 'value_set' || line.fields['path'] !== null) yield line
    else if (!told) {
      yield* valuesSet(line, ops, known)
      told = true
    }
  }
}

function* valuesSet(line: Line, ops: readonly (readonly unknown[])[], known: ReadonlyMap<string, unknown>): Generator<Line> {
  for (const [path, value = null] of ops as readonly [string, unknown?][]) {
    const [area, id, ...rest] = path.split('/')
    const name = rest.join('/')
    if (area !== 'u' || name === '' || notValues.has(name)) continue
    const unit = new Named(id!, String(known.get(`u/${id}/name`) || ''))
    yield { ...line, fields: { unit, path: name, value, was: known.get(path) ?? null, reason: null } }
  }
}

function read(mark: string, value: unknown): unknown {
  if (mark.endsWith('!')) return named(value)
  if (mark.endsWith('*')) return Array.isArray(value) ? value.map(named) : []
  return value
}

const isPair = (value: unknown): value is [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'string')
const named = (value: unknown) => (isPair(value) ? new Named(...value) : null)
const readBy = (value: unknown): By => (isPair(value) || typeof value === 'string' ? value : '')
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0
