// The SDK against a server that says what a test tells it to say: what a real one says seldom, or never.

import { decode, encode } from '@msgpack/msgpack'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import WebSocket, { WebSocketServer } from 'ws'
import { connect, Table, type TableOptions } from '@overseer-vtt/sdk'
import { crc } from '../src/checks.ts'

const SNAPSHOT = {
  't/name': 'Night train', 't/created': 1_000_000_000, 't/active': 'u1', 't/order': ['u1', 'u2'], 't/stack': ['k1'],
  's/p1': { name: 'Mia', role: 'player' }, 'h/lag_ms': 250, 'k/k1': { kind: 'attack', window: 'w1' }, 'k/k1/due': ['r1'],
  'u/u1/name': 'Aki', 'u/u1/owner': 'p1', 'u/u1/hp': 10, 'u/u2/name': 'Ghoul', 'w/w1': { gen: 1, kind: 'before', pending: 'k1', deadline: 9_000 },
} // prettier-ignore

/** One connection, seen from the server. */
class Peer {
  readonly #heard: any[] = []
  #wake: (() => void) | null = null
  closed = false

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.#heard.push(decode(data)) && this.#wake?.())
    socket.on('close', () => (this.closed = true))
  }

  /** Whether nothing was heard that has not been asked for. */
  get silent(): boolean {
    return this.#heard.length === 0
  }

  async hear(): Promise<any> {
    while (this.#heard.length === 0) await new Promise<void>((then) => (this.#wake = then))
    return this.#heard.shift()
  }

  /** The next message that is no PING. */
  async command(): Promise<any> {
    for (;;) {
      const message = await this.hear()
      if (message.t !== 'ping') return message
    }
  }

  say(message: unknown): void {
    this.socket.send(encode(message))
  }

  async welcome(n = 0, more: object = {}): Promise<any> {
    const hello = await this.hear()
    this.say({
      t: 'welcome', version: 1, table: 'T', name: 'Night train', epoch: 'e1', n, seat: 'p1', seat_name: 'Mia', role: 'player',
      limits: {}, heartbeat_s: 20, now: 5_000, ...more,
    }) // prettier-ignore
    return hello
  }

  snapshot(n = 0, view: object = SNAPSHOT): void {
    this.say({ t: 'snapshot', epoch: 'e1', n, reason: 'first', view })
  }
}

let server: WebSocketServer
let table: Table
const peers: Peer[] = []
let arrived: (() => void) | null = null

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, handleProtocols: () => 'overseer.v1.msgpack' })
  server.on('connection', (socket) => peers.push(new Peer(socket)) && arrived?.())
  await new Promise((then) => server.once('listening', then))
})
afterEach(async () => {
  table?.close()
  peers.length = 0
  for (const socket of server.clients) socket.terminate()
  await new Promise((then) => server.close(then))
})

async function peer(): Promise<Peer> {
  while (peers.length === 0) await new Promise<void>((then) => (arrived = then))
  return peers.shift()!
}

async function seated(options: TableOptions = {}, greeting: object = {}): Promise<Peer> {
  table = new Table(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#t.p1.secret`, { WebSocket, backoff: [1, 8], ...options })
  const first = await peer()
  await first.welcome(0, greeting)
  first.snapshot()
  await table.until((it) => it.status === 'online')
  return first
}

describe('who was too fast for the server', () => {
  it('sends it again when it may, as it was, and nothing else before it', async () => {
    const one = await seated()
    const done = Promise.all([table.command('say', { text: 'first' }), table.command('say', { text: 'second' })])
    const sent = [await one.command(), await one.command()]
    one.say({ t: 'refused', seq: 2, code: 'rate', params: { retry_ms: 20 }, retry: true })
    one.say({ t: 'refused', seq: 1, code: 'rate', params: { retry_ms: 60 }, retry: true })
    await new Promise((then) => table.on('state', then) && one.say([1, 1, [], []])) // both are heard
    const asked = performance.now()
    const question = table.ask('log', {})
    const again = [await one.command(), await one.command(), await one.command()]
    expect(performance.now() - asked).toBeGreaterThan(40)
    expect(again.slice(0, 2)).toEqual(sent)
    one.say({ t: 'ack', seq: 1, n: 1, made: [] })
    one.say({ t: 'ack', seq: 2, n: 1, made: [] })
    expect((await done).map(({ seq }) => seq)).toEqual([1, 2])
    one.say({ t: 'answer', id: again[2].id, code: 'rate', params: { retry_ms: 1 } })
    expect(await one.command()).toEqual(again[2])
    one.say({ t: 'answer', id: again[2].id, entries: [], more: false })
    expect((await question).entries).toEqual([])
  })

  it('sends nothing again that nobody waits for any more', async () => {
    const one = await seated()
    const done = table.command('say', { text: 'late' }, { timeout: 30 })
    one.say({ t: 'refused', seq: (await one.command()).seq, code: 'rate', params: { retry_ms: 50 }, retry: true })
    await expect(done).rejects.toMatchObject({ name: 'Unanswered' })
    void table.command('say', { text: 'next' }).catch(() => {})
    expect((await one.command()).text).toBe('next')
  })
})

describe('a connection', () => {
  it('says who it is, and where it was when it comes back', async () => {
    const one = await seated({ client: 'my-bot' })
    one.say([1, 1, [['u/u1/hp', 7]], []])
    await table.until((it) => it.units['u1']!['hp'] === 7)
    one.socket.terminate()
    const hello = await (await peer()).welcome(1)
    expect(hello).toEqual({ t: 'hello', versions: [1], minor: hello.minor, token: 't.p1.secret', client: 'my-bot', resume: { epoch: 'e1', n: 1 } })
  })

  it('that was sent away comes back at once, as often as it takes', async () => {
    let one = await seated({ backoff: [60_000, 60_000] })
    for (let k = 0; k < 5; k++) {
      one.say({ t: 'goaway', reason: 'the server stops', after_ms: 0 })
      await table.until((it) => it.serverStopped)
      one = await peer()
      await one.welcome()
      await table.until((it) => it.status === 'online')
      expect(table.serverStopped).toBe(false)
    }
  })

  it('waits longer each time, with chance in it, and at once when it is asked to', async () => {
    const pauses: number[] = []
    await seated({ backoff: [250, 8_000], random: () => 0.5 })
    table.on('status', () => table.retryIn !== null && pauses.push(table.retryIn))
    const closed = new Promise((then) => server.close(then))
    for (const socket of server.clients) socket.terminate()
    await closed
    for (let known = 0; known < 5; known++) {
      await vi.waitUntil(() => pauses.length > known, { interval: 1 })
      table.retry()
    }
    const due = [187.5, 375, 750, 1_500, 3_000]
    due.forEach((ms, k) => expect(pauses[k]).toBeCloseTo(ms, -1))
  })

  it('that cannot be had is said in time, and why', async () => {
    const nowhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}/#t.p1.secret`
    await new Promise((then) => server.close(then))
    const seat = connect(nowhere, { WebSocket, backoff: [1, 8], timeout: 50 })
    await expect(seat).rejects.toMatchObject({ name: 'Unanswered', message: expect.stringContaining('cannot reach the server: no answer') })
  })

  it('gives the token to nobody but a server of tables', async () => {
    // As in a browser, which opens the connection where the other side names no protocol at all.
    const Plain = class extends WebSocket {
      constructor(url: string) {
        super(url)
      }
    }
    table = new Table(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#t.p1.secret`, { WebSocket: Plain, backoff: [1, 8] })
    const one = await peer()
    await new Promise((then) => one.socket.once('close', then))
    expect(one.silent).toBe(true)
    expect(table.lastProblem).toBe('no table server answers at this address')
  })

  it('never bridges a gap', async () => {
    const one = await seated()
    one.say([1, 2, [['u/u1/hp', 1]], []])
    const hello = await (await peer()).welcome()
    expect(hello.resume).toEqual({ epoch: 'e1', n: 0 })
    expect(table.units['u1']!['hp']).toBe(10)
  })

  it('is not moved by what only a newer server says, nor by bytes that say nothing', async () => {
    const one = await seated()
    one.say({ t: 'something new' })
    one.say([9, 'new too'])
    one.say([1, 1, [['u/u1/hp', 2], ['z/new', 1]], [[999, 1, 'st'], ['no line']]])
    await table.until((it) => it.units['u1']!['hp'] === 2)
    one.socket.send(Buffer.from([0xc1]))
    await (await peer()).welcome(1)
    await table.until((it) => it.status === 'online')
  })

  it('that is silent is asked, and then given up', async () => {
    table = new Table(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#t.p1.secret`, { WebSocket, backoff: [1, 8] })
    const one = await peer()
    await one.welcome(0, { heartbeat_s: 0.03 })
    one.snapshot()
    const ping = await one.hear()
    expect(ping.t).toBe('ping')
    one.say({ t: 'pong', id: ping.id, now: 10_000_000 })
    await table.until((it) => it.clock() >= 10_000_000)
    expect((await one.hear()).t).toBe('ping')
    const hello = await (await peer()).hear() // that one was not answered
    expect(hello.resume).toEqual({ epoch: 'e1', n: 0 })
  })

  it('never sends what is longer than the server reads', async () => {
    const one = await seated({}, { limits: { frame_bytes: 1000 } })
    const text = 'x'.repeat(1000)
    await expect(table.command('say', { text })).rejects.toMatchObject({ code: 'too_long' })
    await expect(table.ask('read_units', { text, file: 'units.yaml' })).rejects.toMatchObject({ code: 'too_long' })
    void table.command('say', { text: 'short' }).catch(() => {})
    expect(await one.command()).toMatchObject({ seq: 1, text: 'short' })
  })

  it('has no more commands open than a server remembers', async () => {
    const one = await seated()
    const done = Array.from({ length: 13 }, (_, k) => table.command('say', { text: `${k}` }))
    void table.ask('log', {}).catch(() => {}) // said after all of them, and heard before the last
    for (let k = 1; k <= 12; k++) expect((await one.command()).seq).toBe(k)
    expect((await one.command()).t).toBe('ask')
    one.say({ t: 'ack', seq: 1, n: 0 })
    expect((await one.command()).seq).toBe(13)
    for (let k = 2; k <= 13; k++) one.say({ t: 'ack', seq: k, n: 0 })
    await Promise.all(done)
  })

  it('says it when what it sums up is not what the server does', async () => {
    const one = await seated()
    const right = crc(new Map(Object.entries(SNAPSHOT)))
    one.say({ t: 'check', n: 0, crc: right })
    one.say({ t: 'check', n: 5, crc: 1 }) // of elsewhere
    one.say([1, 1, [], []])
    await table.until((it) => it.n === 1)
    void table.ask('log', {}).catch(() => {})
    expect((await one.command()).t).toBe('ask')
    one.say({ t: 'check', n: 1, crc: right ^ 1 })
    expect(await one.command()).toEqual({ t: 'drift', n: 1, crc: right })
  })
})

describe('a phone', () => {
  /** As much of a page as the SDK looks at. */
  function page(visibilityState: 'visible' | 'hidden') {
    const [window, document] = [new EventTarget(), Object.assign(new EventTarget(), { visibilityState })]
    vi.stubGlobal('addEventListener', window.addEventListener.bind(window))
    vi.stubGlobal('removeEventListener', window.removeEventListener.bind(window))
    vi.stubGlobal('document', document)
    return { window, document }
  }
  afterEach(() => void vi.unstubAllGlobals())

  it.each(['online', 'visible'])('comes back at once when it is %s again, whatever pause it was in', async (how) => {
    const { window, document } = page('hidden')
    const one = await seated({ backoff: [60_000, 60_000] })
    one.socket.terminate()
    await table.until((it) => it.retryIn !== null)
    document.dispatchEvent(new Event('visibilitychange')) // still hidden: it may sleep on
    expect(table.retryIn).toBeGreaterThan(0)
    document.visibilityState = 'visible'
    if (how === 'online') window.dispatchEvent(new Event('online'))
    else document.dispatchEvent(new Event('visibilitychange'))
    await (await peer()).welcome()
    await table.until((it) => it.status === 'online')
  })

  it('asks a line that its sleep may have cut, and takes another when there is no answer', async () => {
    let asleep = 0
    const { document } = page('visible')
    const one = await seated({ now: () => performance.now() + asleep })
    await one.hear() // the PING of every beginning
    asleep = 5_000
    document.dispatchEvent(new Event('visibilitychange'))
    expect((await one.hear()).t).toBe('ping')
    const hello = await (await peer()).welcome() // two seconds later
    expect(hello.resume).toEqual({ epoch: 'e1', n: 0 })
    await table.until((it) => it.status === 'online')
  })

  it('leaves nothing behind when it is closed', async () => {
    const { window } = page('visible')
    await seated()
    table.close()
    window.dispatchEvent(new Event('online'))
    expect([table.status, table.retryIn]).toEqual(['closed', null])
    await expect(table.command('say', { text: 'hm' })).rejects.toMatchObject({ name: 'Closed', code: null })
  })
})

describe('what is seen', () => {
  it('is read as things, whole and in parts', async () => {
    const one = await seated()
    expect(table.state.pending['k1']).toEqual({ id: 'k1', kind: 'attack', window: 'w1', due: ['r1'] })
    expect([table.active!.id, table.order.map((unit) => unit['name']), table.stack[0]!.id]).toEqual(['u1', ['Aki', 'Ghoul'], 'k1'])
    const ghoul = table.units['u2']
    one.say([1, 1, [['k/k1/due'], ['k/k1', { kind: 'move' }], ['u/u1/hp'], ['h/lag_ms', 0]], []])
    await table.until((it) => it.n === 1)
    expect(table.state.pending['k1']).toEqual({ id: 'k1', kind: 'move' })
    expect('hp' in table.units['u1']!).toBe(false)
    expect(table.units['u2']).toBe(ghoul)
    one.say([1, 2, [['k/k1'], ['t/stack', []], ['u/u2/name']], []])
    await table.until((it) => it.n === 2)
    expect([Object.keys(table.state.pending), Object.keys(table.units), table.stack]).toEqual([[], ['u1'], []])
  })

  it('is told line by line, values by what was there before', async () => {
    const one = await seated()
    const lines: string[] = []
    table.on('log', (line) => lines.push(line.text()))
    one.say([1, 1, [['u/u1/hp', 7], ['u/u1/spent', ['move']]], [[0, 5, 'st']]])
    await table.until((it) => it.n === 1)
    expect(lines).toEqual(['Aki: HP 10 → 7'])
  })

  it('counts down by the server, less the time that the way may take', async () => {
    let now = 0
    await seated({ now: () => now })
    expect(table.clock()).toBe(5_000)
    expect(table.left(9_000)).toBe(3_750)
    now = 1_000
    expect(table.left(9_000)).toBe(2_750)
    now = 60_000
    expect([table.left(9_000), table.left(null)]).toEqual([0, null])
  })
})
