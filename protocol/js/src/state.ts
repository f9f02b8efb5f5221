// What a seat sees. The server tells it by path ("u/u7/hp"); people read it as things ("state.units.u7.hp").

export type Value = unknown
export type Op = readonly [path: string, value?: Value]

/** One thing of the table with what is known of it: core/view.py lists what each kind can have. */
export interface Thing {
  readonly id: string
  readonly [name: string]: any
}
export type Things = Readonly<Record<string, Thing>>
export type Facts = Readonly<Record<string, any>>

/** All that this seat may see. Never changed: each change makes a new one, which shares all that stayed the same. */
export interface State {
  /** Of the table: name, held, clock, scene, fight, order, turn, active, stack, ... */
  readonly table: Facts
  /** The house rules. */
  readonly house: Facts
  /** This seat's own: orders, guard, bank. */
  readonly mine: Facts
  readonly seats: Things
  readonly units: Things
  /** What has been declared and waits, by id; `stackOf` has it in its order. */
  readonly pending: Things
  readonly windows: Things
  readonly readied: Things
  readonly effects: Things
  readonly tasks: Things
  readonly requests: Things
  readonly objections: Things
  readonly rollsAsked: Things
  /** To a Storyteller, by seat: what is left of its time bank, and how long windows are for its sake (percent). */
  readonly paces: Things
}

const NOTHING: State = {
  table: {}, house: {}, mine: {}, seats: {}, units: {}, pending: {}, windows: {},
  readied: {}, effects: {}, tasks: {}, requests: {}, objections: {}, rollsAsked: {}, paces: {},
} // prettier-ignore

// The first word of a path. What only a newer server knows is kept for the sum in CHECK, and not shown.
const FACTS: Readonly<Record<string, keyof State>> = { t: 'table', h: 'house', m: 'mine' }
const THINGS: Readonly<Record<string, keyof State>> = {
  s: 'seats', u: 'units', k: 'pending', w: 'windows', r: 'readied', e: 'effects',
  x: 'tasks', q: 'requests', o: 'objections', a: 'rollsAsked', b: 'paces',
} // prettier-ignore

/** The units of the initiative order. */
export function orderOf(state: State): readonly Thing[] {
  return listed(state.table['order'], state.units)
}

/** What has been declared and waits, the last on top. */
export function stackOf(state: State): readonly Thing[] {
  return listed(state.table['stack'], state.pending)
}

/** The unit whose action it is. */
export function activeOf(state: State): Thing | null {
  return state.units[state.table['active']] ?? null
}

/** One of these things by its id or its name. */
export function find(things: Things, wanted: string): Thing | null {
  return (Object.hasOwn(things, wanted) ? things[wanted] : Object.values(things).find((one) => one['name'] === wanted)) ?? null
}

function listed(ids: unknown, things: Things): readonly Thing[] {
  return Array.isArray(ids) ? ids.flatMap((id: string) => things[id] ?? []) : []
}

/** The picture as it is told: every value by its path, and the state that is read from it. */
export class Picture {
  readonly values = new Map<string, Value>()
  state: State = NOTHING
  /** The further words of each thing that has some: "u/u7" -> {"hp", "name", ...}. */
  readonly #parts = new Map<string, Set<string>>()

  /** One change, whole: [path, value] sets, [path] deletes. */
  apply(ops: readonly Op[]): void {
    const touched = new Set<string>()
    for (const op of ops) {
      const [area, id = '', ...rest] = op[0].split('/')
      if (op.length > 1) this.values.set(op[0], op[1])
      else this.values.delete(op[0])
      touched.add(`${area}/${id}`)
      if (rest.length) this.#keep(`${area}/${id}`, rest.join('/'), op.length > 1)
    }
    const next: Record<string, Record<string, unknown>> = {}
    for (const one of touched) {
      const at = one.indexOf('/')
      const area = one.slice(0, at)
      const name = FACTS[area] ?? THINGS[area]
      if (name === undefined) continue
      const copy = (next[name] ??= { ...this.state[name] })
      const value = area in FACTS ? this.values.get(one) : this.#thing(one)
      if (value === undefined) delete copy[one.slice(at + 1)]
      else copy[one.slice(at + 1)] = value
    }
    this.state = { ...this.state, ...next }
  }

  /** All anew. Returns the paths that are different now; whatever is not stays the very same object. */
  replace(view: Readonly<Record<string, Value>>): Set<string> {
    const ops: Op[] = []
    for (const path of this.values.keys()) if (!Object.hasOwn(view, path)) ops.push([path])
    for (const [path, value] of Object.entries(view)) {
      if (!this.values.has(path) || !same(this.values.get(path), value)) ops.push([path, value])
    }
    this.apply(ops)
    return new Set(ops.map((op) => op[0]))
  }

  #keep(thing: string, part: string, there: boolean): void {
    const parts = this.#parts.get(thing) ?? new Set()
    if (there) parts.add(part)
    else parts.delete(part)
    if (parts.size) this.#parts.set(thing, parts)
    else this.#parts.delete(thing)
  }

  #thing(path: string): Thing | undefined {
    const whole = this.values.get(path)
    const parts = this.#parts.get(path)
    if (whole === undefined && parts === undefined) return undefined
    const thing: Record<string, unknown> = { ...(whole as object) }
    for (const part of parts ?? []) thing[part] = this.values.get(`${path}/${part}`)
    return { ...thing, id: path.slice(path.indexOf('/') + 1) }
  }
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same((a as Facts)[key], (b as Facts)[key]))
  )
}
