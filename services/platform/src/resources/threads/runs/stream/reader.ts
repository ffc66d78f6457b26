// One reader of one run's stream. What it has been told it is not told again, whoever tells: the worker in this
// process, or the database.
import type { RunObject } from '../schema.ts'
import { withoutSearchContent } from '../steps/present.ts'
import type { RunStepObject } from '../steps/schema.ts'
import { endsStream, type RunEvent, streamDone, streamError } from './events.ts'

/** A client that takes nothing while so much happens has left without saying so. */
const maxWaitingEvents = 200_000

export interface ReaderOptions {
  /** Steps show what searches have found. */
  includeSearchContent?: boolean
  /** Aborted when the reader has left. */
  signal?: AbortSignal | undefined
}

export class RunReader {
  readonly #options: ReaderOptions
  readonly #onClose: (reader: RunReader) => void
  readonly #told = new Set<string>()
  /** What came before the stream was opened. */
  #early: (() => void)[] | undefined = []
  #waiting: RunEvent[] = []
  #closed = false
  #wake: (() => void) | undefined
  #onOpen: (() => void) | undefined

  constructor(options: ReaderOptions, onClose: (reader: RunReader) => void) {
    this.#options = options
    this.#onClose = onClose
    options.signal?.addEventListener('abort', () => this.close(), { once: true })
  }

  /** These come first, whatever has happened already. */
  open(first: readonly RunEvent[]): void {
    const early = this.#early ?? []
    this.#early = undefined
    for (const event of first) this.live(event)
    for (const tell of early) tell()
    this.#onOpen?.()
  }

  get isOpen(): boolean {
    return this.#early === undefined
  }

  whenOpen(look: () => void): void {
    this.#onOpen = look
  }

  /** As it happens. */
  live(event: RunEvent): void {
    if (this.#early !== undefined) this.#early.push(() => this.live(event))
    else if (this.#closed) return
    else if (isDelta(event)) {
      this.#told.add(keyOf(event))
      this.#add(event)
    } else this.#tell(event)
  }

  /** The whole stream so far, read while this reader was open: what is missing of it follows. */
  catchUp(events: readonly RunEvent[]): void {
    // Several deltas of one object are one piece here: all of them are missing, or none.
    const known = new Set(this.#told)
    for (const event of events) {
      if (this.#closed) return
      if (!isDelta(event)) this.#tell(event)
      else if (!known.has(keyOf(event))) {
        this.#told.add(keyOf(event))
        this.#add(event)
      }
    }
  }

  /** These happened before the stream began. */
  skip(events: readonly RunEvent[]): void {
    for (const event of events) this.#told.add(keyOf(event))
  }

  fail(message: string): void {
    if (this.#closed) return
    this.#add(streamError(message))
    this.#end()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#onClose(this)
    this.#wake?.()
  }

  async *events(): AsyncGenerator<RunEvent> {
    try {
      for (;;) {
        const events = this.#waiting
        this.#waiting = []
        yield* events
        if (this.#waiting.length > 0) continue
        if (this.#closed) return
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#wake = resolve
        await promise
      }
    } finally {
      this.close()
    }
  }

  #tell(event: RunEvent): void {
    const key = keyOf(event)
    if (this.#told.has(key)) return
    this.#told.add(key)
    this.#add(this.#shown(event))
    if (isRunState(event) && endsStream((event.data as RunObject).status)) this.#end()
  }

  #end(): void {
    this.#add(streamDone)
    this.close()
  }

  #shown(event: RunEvent): RunEvent {
    if (this.#options.includeSearchContent === true || !event.event.startsWith('thread.run.step.')) return event
    return { ...event, data: withoutSearchContent(event.data as RunStepObject) }
  }

  #add(event: RunEvent): void {
    if (this.#waiting.length >= maxWaitingEvents) {
      this.#waiting = []
      this.close()
      return
    }
    this.#waiting.push(event)
    this.#wake?.()
  }
}

const isDelta = ({ event }: RunEvent): boolean => event.endsWith('.delta')

const isRunState = ({ event }: RunEvent): boolean => /^thread\.run\.[a-z_]+$/.test(event)

const keyOf = ({ event, data }: RunEvent): string =>
  `${event} ${typeof data === 'object' && 'id' in data ? data.id : ''}`
