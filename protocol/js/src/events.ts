// Who wants to hear of what. A listener that fails is reported like any uncaught error and disturbs nobody else.

export type Listener<T> = (event: T) => void

export class Events<Names> {
  readonly #listeners = new Map<keyof Names, Set<Listener<any>>>()

  /** Calls the listener from now on, until the returned function is called. */
  on<Name extends keyof Names>(name: Name, listener: Listener<Names[Name]>): () => void {
    const all = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, all.add(listener))
    return () => void all.delete(listener)
  }

  tell<Name extends keyof Names>(name: Name, event: Names[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(event)
      } catch (problem) {
        queueMicrotask(() => {
          throw problem
        })
      }
    }
  }
}
