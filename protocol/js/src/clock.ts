// The server's time, as well as it can be known here. The clock of this machine is never asked: people set it.

export class Clock {
  #offset: number | null = null
  #trip = 0

  /** `now`: milliseconds that only rise, from any beginning. */
  constructor(readonly now: () => number = () => performance.now()) {}

  /** The server's time, ms since the Unix epoch. 0 + what has passed here, until it has been heard of once. */
  server(): number {
    return this.now() + (this.#offset ?? 0)
  }

  /**
   * One question and its answer: right within half the time they took. A quicker pair replaces a slower one; any pair
   * does that the way alone cannot explain (a clock was set, a machine slept).
   */
  learn(server: number, asked: number): void {
    const heard = this.now()
    const trip = heard - asked
    const offset = server + trip / 2 - heard
    const known = this.#offset
    if (known === null || trip <= this.#trip || Math.abs(offset - known) > (trip + this.#trip) / 2 + 1) {
      this.#offset = offset
      this.#trip = trip
    }
  }
}
