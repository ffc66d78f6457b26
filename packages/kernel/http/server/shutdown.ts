// Ends a server: no new connections, what is in flight may finish, then everything is cut.
import type { Server } from 'node:http'
import type { Host } from '../host.ts'

export function closeServer(server: Server, host: Host, graceMs: number): Promise<void> {
  if (host.closing) return host.closed
  host.closing = true
  for (const tell of host.onClosing) tell()
  host.closed = new Promise((resolve) => {
    const cut = () => {
      server.closeAllConnections()
      for (const connection of host.detached) connection.destroy()
    }
    const timer = setTimeout(cut, graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    // A connection falls idle just after its response is complete.
    host.settled = () => setImmediate(() => server.closeIdleConnections())
    host.settled()
  })
  return host.closed
}
