// Clients that attached before their container started. They are connected between the making of its process and its
// first instruction, so that they miss nothing.
export class StartQueue<Client> {
  readonly #waiting = new Map<string, Set<Client>>()

  add(containerId: string, client: Client): void {
    const waiting = this.#waiting.get(containerId) ?? new Set()
    this.#waiting.set(containerId, waiting.add(client))
  }

  /** Whether it waited. */
  remove(containerId: string, client: Client): boolean {
    const waiting = this.#waiting.get(containerId)
    const hasWaited = waiting?.delete(client) ?? false
    if (waiting?.size === 0) this.#waiting.delete(containerId)
    return hasWaited
  }

  /** Everybody who waits for it; nobody does any more. */
  take(containerId: string): Client[] {
    const waiting = [...(this.#waiting.get(containerId) ?? [])]
    this.#waiting.delete(containerId)
    return waiting
  }

  get size(): number {
    return this.#waiting.size
  }
}
