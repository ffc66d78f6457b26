// Who reads streams of work in this process: of runs, of responses. Workers here tell as it happens; of what another
// node works on, a wake-up makes the readers look into the database.
import type { Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import type { Log } from '@atoll/kernel/telemetry/log'
import { z } from 'zod'

const Change = z.object({ id: z.string(), status: z.string() })

/** Something has changed, here or on another node. */
type ChangeListener = (id: string, status: string) => void

export interface StreamReader<Event> {
  /** It knows where it begins: what comes earlier waits. */
  readonly isOpen: boolean
  whenOpen(look: () => void): void
  /** As it happens. */
  live(event: Event): void
  /** What the database knows, read while this reader was open: what is missing of it follows. */
  catchUp(events: readonly Event[]): void
  fail(message: string): void
}

interface Parts<Event, Options, Reader> {
  events: Events
  log: Log
  topic: string
  /** As the database tells it; undefined when there is no such work any more. Each reader picks what it has not. */
  load(id: string, readers: readonly Reader[]): Promise<readonly Event[] | undefined>
  newReader(options: Options, onClose: (reader: Reader) => void): Reader
  words: { gone: string; shutDown: string; lost: string }
}

export class StreamHub<Event, Options, Reader extends StreamReader<Event>> {
  readonly #parts: Parts<Event, Options, Reader>
  readonly #readers = new Map<string, Set<Reader>>()
  /** What this process works on. */
  readonly #working = new Set<string>()
  readonly #listeners = new Set<ChangeListener>()
  readonly #unsubscribe: (() => void)[]

  constructor(parts: Parts<Event, Options, Reader>) {
    this.#parts = parts
    this.#unsubscribe = [
      parts.events.subscribe(parts.topic, (payload) => this.#changed(payload)),
      parts.events.onGap(() => this.#lookAtAll()),
    ]
  }

  /** Tells every node, once `tx` has committed. */
  announce(tx: Tx, id: string, status: string): Promise<void> {
    return this.#parts.events.publish(tx, this.#parts.topic, { id, status })
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.add(listener)
  }

  /** Before the work can begin, so that nothing is missed. */
  read(id: string, options: Options): Reader {
    const readers = this.#readers.get(id) ?? new Set()
    this.#readers.set(id, readers)
    const reader = this.#parts.newReader(options, (closed) => {
      readers.delete(closed)
      if (readers.size === 0 && this.#readers.get(id) === readers) this.#readers.delete(id)
    })
    readers.add(reader)
    return reader
  }

  tell(id: string, event: Event): void {
    const readers = this.#readers.get(id)
    if (readers === undefined) return
    for (const reader of [...readers]) reader.live(event)
  }

  beginWork(id: string): void {
    this.#working.add(id)
  }

  endWork(id: string): void {
    this.#working.delete(id)
    void this.#look(id)
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    for (const reader of [...this.#readers.values()].flatMap((readers) => [...readers])) {
      reader.fail(this.#parts.words.shutDown)
    }
  }

  #changed(payload: unknown): void {
    const change = Change.safeParse(payload)
    if (!change.success) return
    const { id, status } = change.data
    for (const listener of this.#listeners) listener(id, status)
    // Its own worker tells better, but of what others have done it knows nothing.
    if (!this.#working.has(id) || status === 'cancelling') void this.#look(id)
  }

  #lookAtAll(): void {
    for (const id of this.#readers.keys()) void this.#look(id)
  }

  async #look(id: string): Promise<void> {
    const all = [...(this.#readers.get(id) ?? [])]
    const readers = all.filter(({ isOpen }) => isOpen)
    // What is read now may be older than what opens them.
    for (const reader of all) if (!reader.isOpen) reader.whenOpen(() => void this.#look(id))
    if (readers.length === 0) return
    const { load, log, words } = this.#parts
    try {
      const events = await load(id, readers)
      for (const reader of readers) {
        if (events === undefined) reader.fail(words.gone)
        else reader.catchUp(events)
      }
    } catch (error) {
      log.error({ err: error, id }, 'Could not follow a stream.')
      for (const reader of readers) reader.fail(words.lost)
    }
  }
}
