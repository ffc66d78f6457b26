// Who listens to what in this process. Every adapter delivers through it.
import type { Log } from '../telemetry/log.ts'

type Listener = (payload: unknown) => void

/** Well below PostgreSQL's bound of 8,000 bytes for a notification. */
export const maxPayloadBytes = 4000

/** The payload as JSON text; refuses what would not travel between nodes, also where there is one node only. */
export function encodePayload(topic: string, payload: unknown): string {
  const text = JSON.stringify(payload) ?? 'null'
  const bytes = Buffer.byteLength(text)
  if (bytes > maxPayloadBytes) {
    throw new RangeError(
      `The payload of an event on ${topic} has ${bytes} bytes of JSON; at most ${maxPayloadBytes} are allowed. Store it and send its id.`,
    )
  }
  return text
}

export class Listeners {
  readonly #log: Log
  readonly #byTopic = new Map<string, Set<{ call: Listener }>>()
  readonly #onGap = new Set<{ call: () => void }>()

  constructor(log: Log) {
    this.#log = log
  }

  subscribe(topic: string, call: Listener): () => void {
    const entry = { call }
    const entries = this.#byTopic.get(topic) ?? new Set()
    this.#byTopic.set(topic, entries.add(entry))
    return () => {
      entries.delete(entry)
      if (entries.size === 0 && this.#byTopic.get(topic) === entries) this.#byTopic.delete(topic)
    }
  }

  onGap(call: () => void): () => void {
    const entry = { call }
    this.#onGap.add(entry)
    return () => void this.#onGap.delete(entry)
  }

  deliver(topic: string, payloadText: string): void {
    const entries = this.#byTopic.get(topic)
    if (entries === undefined) return
    for (const { call } of [...entries]) this.#guard(topic, () => call(JSON.parse(payloadText)))
  }

  announceGap(): void {
    for (const { call } of [...this.#onGap]) this.#guard('gap', call)
  }

  clear(): void {
    this.#byTopic.clear()
    this.#onGap.clear()
  }

  /** A listener that fails must not keep an event from the others. */
  #guard(topic: string, call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#log.error({ err: error, topic }, 'A listener failed.')
    }
  }
}
