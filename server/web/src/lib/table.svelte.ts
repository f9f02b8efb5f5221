// The one place where the SDK's state becomes the page's. Components read `table`; the SDK is asked to act through
// `table.seat`.
//
// The SDK makes a new state at each change, at most tens a second; the page takes the newest once for each picture that
// the screen shows, so that nothing is drawn twice and a burst costs one drawing.

import { type Closed, type ConnectionState, type Prompt, type State, Table, type Told } from '@overseer-vtt/sdk'
import { Eyes } from './eyes'
import { keepInvitation } from './invitation'

/** Lines of the log that are kept for showing; older ones are there by `table.seat.log({ before })`. */
const LINES = 500

class Shown {
  /** The seat, to act with. Null: no invitation, or none that can be read. */
  seat = $state.raw<Table | null>(null)
  /** All that can be seen; null until it is known for the first time. */
  state = $state.raw<State | null>(null)
  status = $state.raw<ConnectionState>('connecting')
  /** The questions open to this seat. */
  prompts = $state.raw<readonly Prompt[]>([])
  /** The log since the page was opened, oldest first. */
  log = $state.raw<readonly Told[]>([])
  /** Player seats that have somebody connected. */
  here = $state.raw<readonly string[]>([])
  /** Why it is over for good. */
  closed = $state.raw<Closed | null>(null)
  /** Why not even an attempt can be made. */
  problem = $state.raw<Error | null>(null)

  #language = 'en'
  #invitation: string | null = null
  readonly #lines = new WeakMap<Table, Told[]>()
  #due = 0

  /** The seat of the invitation itself. Another than `seat` while a Storyteller looks through a player's eyes. */
  own = $state.raw<Table | null>(null)

  /** Takes the seat of an invitation, and leaves the one before. */
  sit(invitation: string | null): void {
    if (this.seat !== this.own) this.seat?.close()
    this.own?.close()
    this.own = this.closed = this.problem = null
    this.#invitation = invitation
    try {
      this.own = invitation === null ? null : this.#follow(new Table(invitation, { language: this.#language, texts: 'first' }))
    } catch (problem) {
      this.problem = problem as Error
    }
    this.#show(this.own)
  }

  /** This seat was invited anew. Its line goes on as it is; whatever is opened from now on comes by the new invitation. */
  goOnBy(invitation: string): void {
    this.#invitation = invitation
    keepInvitation(invitation)
  }

  /** For a Storyteller: shows what this seat sees, and does for it what is pressed; null: his own seat again. */
  lookThrough(name: string | null): void {
    const own = this.own
    if (own === null || this.#invitation === null) return
    if (this.seat !== own) this.seat?.close()
    this.#show(name === null ? own : this.#follow(new Eyes(this.#invitation, own, name, this.#language)))
  }

  async speak(language: string): Promise<void> {
    this.#language = language
    await Promise.all([this.own?.setLanguage(language), this.seat?.setLanguage(language)])
  }

  #show(seat: Table | null): void {
    this.seat = seat
    this.state = this.closed = null
    this.prompts = this.log = []
    if (seat) this.#look()
  }

  #follow(seat: Table): Table {
    const lines: Told[] = []
    this.#lines.set(seat, lines)
    for (const event of ['state', 'status', 'presence', 'closed'] as const) seat.on(event, () => this.#soon())
    seat.on('log', (line) => {
      lines.push(line)
      if (lines.length > 2 * LINES) lines.splice(0, LINES)
    })
    return seat
  }

  #soon(): void {
    if (this.#due === 0) this.#due = requestAnimationFrame(() => this.#look())
  }

  #look(): void {
    this.#due = 0
    const seat = this.seat
    if (seat === null) return
    if (seat.closedBy && seat !== this.own) return this.lookThrough(null) // a seat that is gone has no eyes
    const lines = this.#lines.get(seat) ?? []
    this.state = seat.known ? seat.state : null
    this.status = seat.status
    this.prompts = seat.prompts()
    this.here = seat.here
    this.closed = seat.closedBy
    if (lines.at(-1) !== this.log.at(-1)) this.log = lines.slice(-LINES)
  }
}

export const table = new Shown()
