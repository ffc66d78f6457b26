// The shared links of an endpoint: one for all clients that have told their connection the same.
import type { Socket } from 'node:net'
import { type Greeting, SharedLink } from './shared-link.ts'

export class SharedLinks {
  readonly #connect: () => Socket
  readonly #byGreeting = new Map<string, SharedLink>()

  constructor(connect: () => Socket) {
    this.#connect = connect
  }

  get areIdle(): boolean {
    for (const link of this.#byGreeting.values()) if (!link.isIdle) return false
    return true
  }

  to(greeting: Greeting): SharedLink {
    const key = greeting.commands.toString('latin1')
    const known = this.#byGreeting.get(key)
    if (known !== undefined) return known
    const over = (ended: SharedLink): void => {
      if (this.#byGreeting.get(key) === ended) this.#byGreeting.delete(key)
    }
    const link = new SharedLink({ greeting, connect: this.#connect, over })
    this.#byGreeting.set(key, link)
    return link
  }

  /** To the shard that serves now. */
  move(): void {
    for (const link of this.#byGreeting.values()) link.move()
  }

  close(): void {
    for (const link of this.#byGreeting.values()) link.close()
    this.#byGreeting.clear()
  }
}
