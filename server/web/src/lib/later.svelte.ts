// What no first screen needs is fetched when the browser has nothing else to do: a page is there sooner on a slow line.

/** How long after a fetch that failed, ms. */
const AGAIN = 5_000

export class Later<Part> {
  #here = $state.raw<Part | null>(null)
  #begun = false
  readonly #load: () => Promise<Part>

  constructor(load: () => Promise<Part>) {
    this.#load = load
  }

  /** null: not here yet. From the first look on it is on its way. */
  get here(): Part | null {
    if (!this.#begun) whenIdle(() => void this.#fetch())
    this.#begun = true
    return this.#here
  }

  async #fetch(): Promise<void> {
    try {
      this.#here = await this.#load()
    } catch {
      setTimeout(() => void this.#fetch(), AGAIN) // the line is away
    }
  }
}

/** `later(() => import('./Part.svelte'))`, once, where a module begins; then `{#if part.here}`. */
export const later = <Part>(load: () => Promise<Part>) => new Later(load)

function whenIdle(then: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(then, { timeout: 1_000 })
  else setTimeout(then, 200) // Safari has none
}
