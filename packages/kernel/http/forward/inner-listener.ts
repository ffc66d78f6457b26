// A server without an address: connections to it are pairs of streams in this process, so that what needs no guard there
// has no door that one would have to be put before.
import type { Server } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import type { Host } from '../host.ts'

export interface InnerListener {
  connect(): Duplex
  /** What is in flight may finish in a moment; then its connections are cut. */
  close(): Promise<void>
}

const graceMs = 1000

/** `from` stands in the place of the caller's network address. */
export function innerListener(server: Server, host: Host, from: string): InnerListener {
  const open = new Set<Duplex>()
  return {
    connect() {
      const [near, far] = duplexPair()
      if (host.closing) near.destroy()
      open.add(near)
      near.once('close', () => {
        open.delete(near)
        far.destroy()
      })
      far.once('close', () => near.destroy())
      server.emit('connection', Object.assign(far, { remoteAddress: from, destroySoon: () => far.end() }))
      return near
    },
    async close() {
      host.closing = true
      for (const tell of host.onClosing) tell()
      const until = Date.now() + graceMs
      while (open.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
      for (const connection of open) connection.destroy()
    },
  }
}
