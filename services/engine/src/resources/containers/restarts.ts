// Restarts that were asked for and are under way: between its two runs a container is not over.
export class Restarts {
  readonly #running = new Map<string, Promise<void>>()

  async track(id: string, restart: Promise<void>): Promise<void> {
    this.#running.set(id, restart)
    await restart.finally(() => {
      if (this.#running.get(id) === restart) this.#running.delete(id)
    })
  }

  /** Settles when it is over, one way or the other. */
  of(id: string): Promise<void> | undefined {
    return this.#running.get(id)
  }
}
