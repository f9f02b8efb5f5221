// The thread of connections between a session and its server: open, say hello, listen, and come back when it breaks.
// protocol/link.py again, with what a browser adds: it says when the line is back, and it sleeps with its phone.

import { decode, encode } from '@msgpack/msgpack'
import type { Clock } from './clock.ts'
import { comesBack } from './codes.ts'
import { HEARTBEAT_S, SUBPROTOCOL } from './generated/contract.ts'
import type { Command, Error as ServerError, FromServer } from './generated/messages.ts'
import type { Invitation } from './invitation.ts'
import { isDiff, isKnown, type Question, type Session } from './session.ts'

/** connecting: never been here; away: it comes back by itself; closed: for good. */
export type ConnectionState = 'connecting' | 'online' | 'away' | 'closed'

/** Why it ended for good: the close code and the server's words. */
export interface Ending {
  readonly code: number
  readonly words: string
}

/** Why a connection was lost, or there was none: a word of the texts "lost", and what else is known. */
export interface Lost {
  readonly what: 'unreachable' | 'no_table_server' | 'silent' | 'broken_off' | 'stopping'
  readonly why: string
}

/** As much of a WebSocket as is used: the browser's, Node's, or that of the package `ws`. */
export interface Socket {
  binaryType: string
  readonly protocol: string
  send(data: Uint8Array<ArrayBuffer>): void
  close(code?: number, reason?: string): void
  onopen: ((event: any) => void) | null
  onmessage: ((event: any) => void) | null
  onclose: ((event: any) => void) | null
  onerror: ((event: any) => void) | null
}
export type SocketClass = new (url: string, protocols: string[]) => Socket

/** A connection that lasted this long was a good one: the next failure starts from the shortest pause again. */
const STEADY_MS = 5_000
const OPEN_WITHIN_MS = 10_000
/** How long to wait where a server does not say how long, and at most. */
const HELD_MS = 1_000
const MOST_HELD_MS = 60_000
/** So long a connection may take to answer when a page wakes, before a new one is opened in its place. */
const HURRY_MS = 2_000

export interface LinkOptions {
  readonly WebSocket: SocketClass
  readonly backoff: readonly [shortest: number, longest: number]
  readonly random: () => number
  readonly deliver: (message: FromServer) => void
  readonly changed: () => void
  readonly ended: (why: Ending) => void
}

export class Link {
  state: ConnectionState = 'connecting'
  /** The server has said that it stops; it, or another one, has not been reached since. */
  stopped = false
  lastProblem: Lost | null = null
  /** When the next attempt is made, on the link's own clock (ms); null while there is none to wait for. */
  retryAt: number | null = null
  /** When the server was last heard, on the same clock. */
  heardAt: number
  #socket: Socket | null = null
  /** Whether this connection has been welcomed and has heard all that is older. */
  #open = false
  #wasOnline = false
  #began = 0
  #failures = 0
  #helloAt = 0
  #spokeAt = 0
  /** A sign of life is wanted sooner than usual. */
  #hurried = false
  #pinged: { id: number; at: number } | null = null
  #returnMs: number | null = null
  #told: ServerError | null = null
  #heartbeatMs = HEARTBEAT_S * 1000
  /** Not to be sent before `#heldUntil`. */
  readonly #held: (Command | Question)[] = []
  #heldUntil = 0
  #holding: ReturnType<typeof setTimeout> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #done = false

  constructor(
    readonly session: Session,
    readonly invitation: Invitation,
    readonly clock: Clock,
    readonly options: LinkOptions,
  ) {
    this.heardAt = clock.now()
  }

  start(): void {
    if (this.#done) return
    globalThis.addEventListener?.('online', this.#hurry)
    globalThis.document?.addEventListener('visibilitychange', this.#hurry)
    this.#connect()
  }

  /** Leave for good. */
  stop(): void {
    this.#done = true
    clearTimeout(this.#timer)
    clearTimeout(this.#holding)
    globalThis.removeEventListener?.('online', this.#hurry)
    globalThis.document?.removeEventListener('visibilitychange', this.#hurry)
    this.#hangUp(1000)
    this.#become('closed')
  }

  /** Cut the connection; it comes back by itself. */
  drop(): void {
    const socket = this.#socket
    if (socket !== null) this.#lost(socket, null, 'silent')
  }

  /** Send now if there is a connection that has heard all older messages; otherwise the next WELCOME sends it. */
  send(message: Command | Question): void {
    if (this.#held.length > 0) this.#held.push(message)
    else if (this.#open) this.#write(message)
  }

  /** The server has too much of us: this goes out again then, and nothing else before it, for order. */
  later(message: Command | Question, retryMs: unknown): void {
    const now = this.clock.now()
    this.#held.push(message)
    this.#heldUntil = Math.max(this.#heldUntil, now + (typeof retryMs === 'number' ? Math.min(retryMs, MOST_HELD_MS) : HELD_MS))
    clearTimeout(this.#holding)
    this.#holding = setTimeout(() => this.#sendHeld(), this.#heldUntil - now)
  }

  #sendHeld(): void {
    for (const message of this.#held.splice(0).sort(inOrder)) {
      if (this.#open && this.session.waitsFor(message)) this.#write(message)
    }
  }

  /** Try at once, if a pause is under way. */
  retry(): void {
    if (this.retryAt !== null) this.#connect()
  }

  // ----------------------------------------------------------------------------------------------------- one connection
  #connect(): void {
    clearTimeout(this.#timer)
    this.retryAt = null
    this.#returnMs = this.#told = this.#pinged = null
    this.#wasOnline = false
    this.#began = this.clock.now()
    this.#become(this.session.epoch === null ? 'connecting' : 'away')
    let socket: Socket
    try {
      socket = new this.options.WebSocket(this.invitation.url, [SUBPROTOCOL])
    } catch (problem) {
      // A page that came by https may not open ws:// to another machine.
      this.#pause(null, { what: 'unreachable', why: String(problem) })
      return
    }
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => this.#greet(socket)
    socket.onmessage = (event: { data: unknown }) => this.#hear(socket, event.data)
    socket.onclose = (event: { code: number; reason: string }) => {
      this.#lost(socket, event.code, this.#helloAt >= this.#began ? 'broken_off' : 'unreachable', event.reason)
    }
    socket.onerror = () => {} // its close follows
    this.#in(OPEN_WITHIN_MS, () => this.#lost(socket, null, 'silent'))
  }

  #greet(socket: Socket): void {
    if (socket !== this.#socket) return
    // Nothing has been said yet: the token goes to nobody but a table's server.
    if (socket.protocol !== SUBPROTOCOL) return this.#lost(socket, null, 'no_table_server')
    this.#helloAt = this.clock.now()
    this.#write(this.session.hello())
  }

  #hear(socket: Socket, data: unknown): void {
    if (socket !== this.#socket) return
    this.heardAt = this.clock.now()
    try {
      const message = decode(new Uint8Array(data as ArrayBuffer)) as FromServer
      if (isKnown(message)) this.#take(socket, message)
    } catch (problem) {
      // A gap, or something that is no message: the next connection puts it right.
      this.#lost(socket, null, 'broken_off', String(problem))
    }
    if (socket !== this.#socket || !this.#open) return
    // A hidden page's timers may hardly run: what is heard reminds it to say a word itself.
    if (this.heardAt - this.#spokeAt > this.#heartbeatMs) this.#ping()
    if (this.#hurried) this.#in(this.#heartbeatMs, this.#beat)
    this.#hurried = false
  }

  #take(socket: Socket, message: FromServer): void {
    const map = isDiff(message) ? null : message
    if (map?.t === 'welcome') {
      this.#heartbeatMs = map.heartbeat_s * 1000
      this.clock.learn(map.now, this.#helloAt)
    } else if (map?.t === 'pong' && this.#pinged?.id === map.id) {
      this.clock.learn(map.now, this.#pinged.at)
      this.#pinged = null
    } else if (map?.t === 'error') this.#told = map
    this.options.deliver(message)
    if (map?.t === 'goaway') {
      this.#returnMs = map.after_ms ?? 0
      this.stopped = true
      return this.#lost(socket, null, 'stopping')
    }
    if (map?.t === 'welcome') {
      // What is unanswered goes first, oldest first: the numbers of commands only rise.
      this.#held.length = 0
      for (const one of this.session.unanswered()) this.#write(one)
      this.#open = true
      this.#beat() // HELLO's answer took the store's time too; a PONG takes only the way's
    }
    if (map?.t === 'check') {
      const drift = this.session.drift(map)
      if (drift !== null) this.#write(drift)
    }
    if (this.#open && this.state !== 'online' && this.session.current) {
      this.stopped = false
      this.#wasOnline = true
      this.#become('online')
    }
  }

  /** A word now and then, so that both sides know of each other; when nothing came back since the last, it is dead. */
  readonly #beat = (): void => {
    if (this.#pinged !== null && this.heardAt < this.#pinged.at) return this.drop()
    this.#ping()
    this.#in(this.#heartbeatMs, this.#beat)
  }

  #ping(): void {
    const at = this.clock.now()
    this.#pinged = { id: Math.round(at), at }
    this.#write({ t: 'ping', id: this.#pinged.id })
  }

  #write(message: object): void {
    this.#spokeAt = this.clock.now()
    this.#socket?.send(encode(message, { ignoreUndefined: true }))
  }

  #lost(socket: Socket, code: number | null, what: Lost['what'], why = ''): void {
    if (socket !== this.#socket) return
    this.#hangUp()
    if (!this.#done) this.#pause(code, { what, why })
  }

  #hangUp(code?: number): void {
    const socket = this.#socket
    this.#socket = null
    this.#open = false
    if (socket === null) return
    socket.onopen = socket.onmessage = socket.onclose = null
    socket.close(code)
  }

  // ------------------------------------------------------------------------------------------------------- coming back
  #pause(code: number | null, lost: Lost): void {
    this.lastProblem = lost
    const plan = comesBack(code)
    if (plan === 'never') {
      this.stop()
      this.options.ended({ code: code!, words: this.#told?.text ?? lost.why })
      return
    }
    const sentAway = plan === 'at_once' || this.#returnMs !== null
    const good = this.clock.now() - this.#began >= STEADY_MS || (this.#wasOnline && sentAway)
    this.#failures = good ? 0 : this.#failures + 1
    const pause = this.#length(sentAway)
    this.retryAt = this.clock.now() + pause
    this.#in(pause, () => this.#connect())
    this.state = this.session.epoch === null ? 'connecting' : 'away'
    this.options.changed() // how long it waits is news even where the state is not
  }

  /** Spread at random so that a whole table does not knock at one instant. */
  #length(sentAway: boolean): number {
    const { backoff, random } = this.options
    if (sentAway && this.#failures <= 3) return random() * (this.#returnMs ?? 0)
    const doubled = backoff[0] * 2 ** Math.min(Math.max(this.#failures - 1, 0), 16)
    return (0.5 + random() / 2) * Math.min(backoff[1], doubled)
  }

  /** The network is back, or the page is looked at again: a phone closes sockets in its sleep without a word. */
  readonly #hurry = (): void => {
    if (globalThis.document?.visibilityState === 'hidden') return
    this.#failures = 0
    if (this.retryAt !== null) this.#connect()
    else if (this.#open && this.clock.now() - this.heardAt > 1_000) {
      this.#ping()
      this.#hurried = true
      this.#in(HURRY_MS, () => this.drop())
    }
  }

  #in(ms: number, then: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(then, ms)
  }

  #become(state: ConnectionState): void {
    if (this.state === state) return
    this.state = state
    this.options.changed()
  }
}

/** Commands by rising number, then questions. */
function inOrder(a: Command | Question, b: Command | Question): number {
  const place = (one: Command | Question) => (one.t === 'command' ? [0, one.seq] : [1, one.id]) as [number, number]
  return place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1]
}
