// What is read for a project, remembered until some node changes it: for what changes rarely and is asked for often.
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'

const maxProjects = 1_000

interface Remembered<Value> {
  reading: Promise<Value>
  /** Once it was read. */
  value?: Value
}

export abstract class RememberedByProject<Value> {
  readonly #db: Database
  readonly #events: Events
  readonly #changed: string
  /** Promises, not values: whoever asks after a change never shares an answer that was read before it. */
  readonly #known = new Map<string, Remembered<Value>>()
  readonly #stops: (() => void)[]

  /** `changed` is the topic on which nodes tell each other of changes. */
  constructor(db: Database, events: Events, changed: string) {
    this.#db = db
    this.#events = events
    this.#changed = changed
    const forget = (): void => this.#known.clear()
    this.#stops = [events.subscribe(changed, forget), events.onGap(forget)]
  }

  /** Reads it, whatever is remembered. */
  abstract readIn(queries: Queries, projectId: string): Promise<Value>

  of(projectId: string): Promise<Value> {
    const known = this.#known.get(projectId)
    if (known) return known.reading
    if (this.#known.size >= maxProjects) this.#known.clear()
    const fresh: Remembered<Value> = { reading: this.readIn(this.#db.queries, projectId) }
    this.#known.set(projectId, fresh)
    fresh.reading.then(
      (value) => {
        fresh.value = value
      },
      () => this.#known.delete(projectId),
    )
    return fresh.reading
  }

  /** Undefined where it must be read first. */
  known(projectId: string): Value | undefined {
    return this.#known.get(projectId)?.value
  }

  /** In force on this node when the transaction is acknowledged, and on others as soon as they hear of it. */
  async announceChange(tx: Tx): Promise<void> {
    this.#db.afterCommit(tx, () => this.#known.clear())
    await this.#events.publish(tx, this.#changed, {})
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }
}
