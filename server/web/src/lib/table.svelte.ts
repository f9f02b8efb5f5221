// The one place where the SDK's state becomes the page's. Components read `table`; the SDK is asked to act through
// `table.seat`.
//
// The SDK makes a new state at each change, at most tens a second; the page takes the newest once for each picture that
// the screen shows, so that nothing is drawn twice and a burst costs one drawing.

import { type Closed, type ConnectionState, type Prompt, type State, Table, type Told } from '@overseer-vtt/sdk'

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
  #lines: Told[] = []
  #due = 0

  /** Takes the seat of an invitation, and leaves the one before. */
  sit(invitation: string | null): void {
    this.seat?.close()
    this.seat = this.state = this.closed = this.problem = null
    this.prompts = this.log = []
    this.#lines = []
    if (invitation === null) return
    try {
      const seat = new Table(invitation, { language: this.#language })
      for (const event of ['state', 'status', 'presence', 'closed'] as const) seat.on(event, () => this.#soon())
      seat.on('log', (line) => {
        this.#lines.push(line)
        if (this.#lines.length > 2 * LINES) this.#lines = this.#lines.slice(-LINES)
      })
      this.seat = seat
    } catch (problem) {
      this.problem = problem as Error
    }
  }

  async speak(language: string): Promise<void> {
    this.#language = language
    await this.seat?.setLanguage(language)
  }

  #soon(): void {
    if (this.#due === 0) this.#due = requestAnimationFrame(() => this.#show())
  }

  #show(): void {
    this.#due = 0
    const seat = this.seat
    if (seat === null) return
    this.state = seat.known ? seat.state : null
    this.status = seat.status
    this.prompts = seat.prompts()
    this.here = seat.here
    this.closed = seat.closedBy
    if (this.#lines.at(-1) !== this.log.at(-1)) this.log = this.#lines.slice(-LINES)
  }
}

export const table = new Shown()
