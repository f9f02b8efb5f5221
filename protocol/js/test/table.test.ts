// The SDK at a real server: sit down, act, be refused, lose the server and get it back.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { CLOSE, Closed, connect, NotLive, type Prompt, Refused, Table, type TableOptions, texts, type Told } from '@overseer-vtt/sdk'
import { Server } from './python.ts'

const server = new Server()
const open: Table[] = []
let forSt: string
let forAnn: string

beforeAll(async () => {
  await server.start()
  forSt = await server.invitation('table', 'new', 'Thursday night', '--practice-seed', '7')
  forAnn = await server.invitation('invite', 'Thursday night', '--seat', 'Ann', '--role', 'player')
}, 60_000)
afterAll(() => server.stop())
afterEach(() => open.splice(0).forEach((table) => table.close()))

async function sit(invitation: string, options: TableOptions = {}): Promise<Table> {
  const table = await connect(invitation, { WebSocket, backoff: [20, 200], ...options })
  open.push(table)
  return table
}

/** A socket that the test can look through, and hold back what is heard by it. */
function watched(): { WebSocket: typeof WebSocket; sent: Uint8Array[]; heard: Uint8Array[]; deaf: boolean } {
  const watch = { sent: [] as Uint8Array[], heard: [] as Uint8Array[], deaf: false } as ReturnType<typeof watched>
  watch.WebSocket = class extends WebSocket {
    override send(data: any) {
      watch.sent.push(data)
      super.send(data)
    }

    override emit(event: string | symbol, ...args: any[]): boolean {
      if (event === 'message') {
        watch.heard.push(args[0])
        if (watch.deaf) return false
      }
      return super.emit(event, ...args)
    }
  } as typeof WebSocket
  return watch
}

const SWORD = { name: 'sword', act: 'melee_attack', slots: ['standard'], pool: { fixed: 3 }, needs_target: true, damage: 1 } as const
const unitOf = (name: string, side: string, initiative: number) =>
  ({ name, side, initiative, on_stage: true, tracks: { hp: { value: 9, max: 9 } }, abilities: { sword: SWORD } }) as const

describe('a seat', () => {
  it('knows the table as soon as it is taken', async () => {
    const st = await sit(forSt)
    expect([st.name, st.role, st.status, st.state.table['name']]).toEqual(['Thursday night', 'st', 'online', 'Thursday night'])
    expect(Object.values(st.state.seats).map((seat) => seat['name'])).toContain('Ann')
    const now = Date.now()
    expect(Math.abs(st.clock() - now)).toBeLessThan(1_000)
  })

  it('acts, and sees what it has done before it is answered', async () => {
    const [st, ann] = await Promise.all([sit(forSt), sit(forAnn)])
    const told = new Promise<Told>((heard) => ann.on('log', heard))
    const before = st.n
    const { n } = await st.command('narrate', { text: 'Fog.' })
    expect(n).toBe(before + 1)
    expect(st.n).toBe(n)
    const line = await told
    expect([line.kind, line.text(), line.n]).toEqual(['narrated', 'Fog.', ann.n])
    await texts.load('zh')
    expect((await ann.log({ limit: 1 }))[0]!.text('zh')).toBe('Fog.')
  })

  it('is refused with a code and a sentence, and nothing is changed', async () => {
    const ann = await sit(forAnn, { language: 'zh' })
    const { state } = ann
    const problem = await ann.command('hold', {}).catch((refused) => refused)
    expect(problem).toBeInstanceOf(Refused)
    expect([problem.code, problem.retry]).toEqual(['forbidden', false])
    expect([problem.message, problem.said('zh')]).toEqual([problem.said('zh'), problem.said()])
    expect(problem.message).not.toBe('')
    expect(ann.state).toBe(state)
  })

  it("of a Storyteller looks through a player's eyes, and cannot act", async () => {
    const eyes = await sit(forSt, { seeAs: 'Ann' })
    const ann = await sit(forAnn)
    expect([eyes.readOnly, eyes.role, eyes.seat]).toEqual([true, 'player', ann.seat])
    expect(eyes.state).toEqual(ann.state)
    await expect(eyes.command('say', { text: 'I am Ann' })).rejects.toMatchObject({ code: 'read_only' })
  })

  it('invites, and goes on by a new invitation to itself when the server is back', async () => {
    const st = await sit(forSt)
    const { token } = await st.command('add_seat', { name: 'Dora', role: 'player' })
    const dora = await sit(st.invitation(token!))
    expect([dora.role, dora.seatNameOf(dora.seat)]).toEqual(['player', 'Dora'])
    const renewed = await st.command('renew_invitation', { seat: st.seat })
    await expect(sit(forSt)).rejects.toMatchObject({ code: CLOSE.BAD_TOKEN })
    forSt = st.invitation(renewed.token!)
    await server.kill('SIGTERM')
    await server.start()
    await st.until((it) => it.status === 'online')
    await st.command('narrate', { text: 'The lights go on again.' })
  })

  it('that is no longer valid is over for good', async () => {
    const table = connect(`${forAnn}x`, { WebSocket })
    await expect(table).rejects.toMatchObject({ name: 'Closed', code: 4001 })
    await expect(table).rejects.toBeInstanceOf(Closed)
  })

  it('shares what has not changed with the state before', async () => {
    const st = await sit(forSt)
    const { made } = await st.command('add_unit', { unit: unitOf('Aki', 'a', 3) })
    const other = (await st.command('add_unit', { unit: unitOf('Ben', 'b', 2) })).made![0]!
    const before = st.state
    await st.command('adjust', { unit: made![0]!, path: 'hp', by: -2 })
    expect([before.units[made![0]!]!['hp'], st.units[made![0]!]!['hp']]).toEqual([9, 7])
    expect(st.units[other]).toBe(before.units[other])
    expect(st.state.house).toBe(before.house)
    expect(st.unit('Aki')).toBe(st.units[made![0]!])
  })
})

describe('a broken line', () => {
  it('loses no command and does none twice', async () => {
    const watch = watched()
    const ann = await sit(forAnn, { WebSocket: watch.WebSocket })
    watch.deaf = true
    const answered = ann.command('say', { text: 'said once' })
    await until(() => watch.heard.length > 0 && watch.sent.length > 0 && includes(watch.heard, 'said once')) // done; the answer is not heard
    watch.deaf = false
    ann.drop()
    const { seq } = await answered
    expect(watch.sent.filter((frame) => includes([frame], 'said once')).length).toBe(2)
    expect(seq).toBe(1)
    const said = (await ann.log({ limit: 200 })).filter((line) => line.get('text') === 'said once')
    expect(said.length).toBe(1)
  })

  it('refuses at once what is said meanwhile, unless it may wait', async () => {
    const ann = await sit(forAnn)
    ann.drop()
    expect(ann.status).toBe('away')
    await expect(ann.command('say', { text: 'lost' })).rejects.toBeInstanceOf(NotLive)
    await ann.command('say', { text: 'waited' }, { queue: true })
    const said = (await ann.log({ limit: 5 })).map((line) => line.get('text'))
    expect(said).toContain('waited')
    expect(said).not.toContain('lost')
  })

  it('comes back where it was, when the server was killed and is there again', async () => {
    const ann = await sit(forAnn)
    const reasons: unknown[] = []
    const states: string[] = []
    ann.on('state', ({ update }) => reasons.push(update.reason))
    ann.on('status', (status) => states.at(-1) === status || states.push(status))
    const { n } = await ann.command('say', { text: 'before' })
    await server.kill()
    await ann.until((it) => it.status === 'away')
    expect(ann.retryIn === null || ann.retryIn <= 200).toBe(true)
    const waiting = ann.command('say', { text: 'while it was away' }, { queue: true })
    await server.start()
    expect((await waiting).n).toBe(n + 1)
    expect(states).toEqual(['away', 'online'])
    expect(reasons).toEqual([null, null]) // two changes, and no snapshot
  })
})

describe('a question', () => {
  it('comes once, counts down by the server, and is answered', async () => {
    const [st, ann] = await Promise.all([sit(forSt), sit(forAnn, { now: () => performance.now() + 123_456 })])
    await st.command('set_house', { key: 'reaction_window_ms', value: 20_000 })
    const mira = (await st.command('add_unit', { unit: unitOf('Mira', 'heroes', 5), owner: ann.seat })).made![0]!
    const goro = (await st.command('add_unit', { unit: unitOf('Goro', 'foes', 9) })).made![0]!
    await st.command('start_fight', { units: [mira, goro] })
    const prompts: Prompt[] = []
    const left: (number | null)[] = []
    ann.on('prompt', (prompt) => prompts.push(prompt) && left.push(prompt.left()))
    const heard: unknown[] = []
    ann.on('log', (line) => heard.push(line.get('text')))
    await ann.command('set_standing_order', { act: '*', order: 'ask' })
    await st.command('declare', { unit: goro, act: { kind: 'attack', slot: 'standard', ability: 'sword', targets: [mira] } })
    const prompt = await ann.until(() => prompts[0])
    expect([prompt.asked, prompt.open, prompt.act!['targets'], prompts.length]).toEqual([true, true, [mira], 1])
    const lag = ann.state.house['lag_ms']
    expect(left[0]).toBeGreaterThan(20_000 - lag - 2_000)
    expect(left[0]).toBeLessThanOrEqual(20_000 - lag + 50) // the clocks agree within half the way
    await st.command('narrate', { text: 'It stands.' })
    await ann.until(() => heard.includes('It stands.'))
    ann.drop()
    await ann.until((it) => it.status === 'online')
    expect(prompts.length).toBe(1) // it stands, and is not asked again
    await prompt.pass()
    expect(prompt.open).toBe(false)
    expect(ann.prompts()).toEqual([])
    await ann.until((it) => it.stack.length === 0)
    await st.command('end_fight', {})
  })
})

describe('what is shown here', () => {
  it('is asked for anew when it is not what the server means', async () => {
    const ann = await sit(forAnn)
    const reasons: unknown[] = []
    // A mistake of memory, which nothing but the sum can find.
    const wrong = { ...ann.saved!, view: { ...ann.saved!.view, 't/name': 'another' } }
    ann.close()
    const again = new Table(forAnn, { WebSocket, resume: wrong, backoff: [20, 200] })
    open.push(again)
    again.on('state', ({ update }) => update.reason && reasons.push(update.reason))
    await again.until((it) => it.known && it.status === 'online')
    expect(again.state.table['name']).toBe('another')
    const st = await sit(forSt)
    for (let k = 0; k < 64; k++) await st.command('narrate', { text: `${k}` })
    await again.until((it) => it.state.table['name'] === 'Thursday night')
    expect(reasons).toEqual(['drift'])
  })
})

const includes = (frames: Uint8Array[], text: string) => frames.some((frame) => Buffer.from(frame).includes(text))

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((then) => setImmediate(then))
}
