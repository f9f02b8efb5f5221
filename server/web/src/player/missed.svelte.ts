// While nobody looked: a phone that slept, a page in the background, a line that broke. What happened since is told once.
//
// The place where one left is kept in the tab's own storage, so that it is known also when the browser threw the page away.

import { type Table, TableProblem, type Told } from '@overseer-vtt/sdk'

const KEPT = 'overseer.left'
/** As many lines as one question brings; who missed more reads the log. */
const MOST = 100

interface Place {
  readonly seat: string
  readonly epoch: string
  readonly n: number
  /** The table's time, ms. */
  readonly at: number
}

class Missed {
  lines = $state.raw<readonly Told[]>([])
  /** How long one was away, ms. */
  away = $state(0)
  #asking = false

  /** One looks away now; what was missed earlier and not read yet stays missed. */
  leave(seat: Table | null): void {
    if (!seat?.known || sessionStorage.getItem(KEPT) !== null) return
    const { epoch, n } = seat.saved ?? {}
    if (epoch === undefined) return
    sessionStorage.setItem(KEPT, JSON.stringify({ seat: seat.seat, epoch, n, at: seat.clock() }))
  }

  /** One looks again. Only the server knows what was missed: what this page knows may have slept as long as it has. */
  async back(seat: Table): Promise<void> {
    const left = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as Place | null
    if (left === null || this.#asking) return
    if (left.seat !== seat.seat) {
      sessionStorage.removeItem(KEPT)
      return
    }
    this.#asking = true
    try {
      const lines = await seat.log({ limit: MOST })
      // Of another epoch the positions say nothing: then the time does.
      const same = left.epoch === seat.saved?.epoch
      this.lines = lines.filter((line) => (same ? line.n > left.n : line.at >= left.at))
      this.away = Math.max(0, seat.clock() - left.at)
      sessionStorage.removeItem(KEPT)
    } catch (problem) {
      if (!(problem instanceof TableProblem)) throw problem // away again: it is asked when one is back
    } finally {
      this.#asking = false
    }
  }

  read(): void {
    this.lines = []
  }
}

export const missed = new Missed()
