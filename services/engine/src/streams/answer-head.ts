// The head of an answer whose connection then carries a process' streams. Clients read it through a buffer, and throw away
// what stands behind it there: so it travels alone.
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

/** How long a client takes to read a head that has reached it. */
const readingMs = 5

/** Settles when nothing of what was written waits in this process any longer. */
export function sent(client: Duplex): Promise<void> {
  if (client.destroyed || client.writableEnded) return Promise.resolve()
  return new Promise((resolve) => client.write(Buffer.alloc(0), () => resolve()))
}

/** For output that is there already: what it says comes a moment after the head. */
export async function* afterHead(client: Duplex, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  await sent(client)
  await delay(readingMs)
  yield* source
}
