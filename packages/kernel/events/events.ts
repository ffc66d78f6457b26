// The events port: wake-ups between parts and nodes. Tables are the truth; an event only says "look again".
import type { Tx } from '../db/database.ts'

export interface Events {
  /** Tells every node, this one too, once `tx` has committed. The payload is JSON of at most 4,000 bytes. */
  publish(tx: Tx, topic: string, payload: unknown): Promise<void>
  /** Calls `listener` for each event of the topic, wherever it was published. Returns the way to stop. */
  subscribe(topic: string, listener: (payload: unknown) => void): () => void
  /** Calls `listener` when events may have been missed (a lost connection came back): look at everything again. */
  onGap(listener: () => void): () => void
  close(): Promise<void>
}
