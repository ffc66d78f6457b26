// Before HTTP/2 takes a connection over.
import type { Duplex } from 'node:stream'

/**
 * Calls back once everything that was written has left. HTTP/2 works on the connection's handle itself, and Node ends
 * the whole process when a write ends there that was not HTTP/2's own: over TLS, the head of the answer is such a write.
 */
export function whenWritten(connection: Duplex, proceed: () => void): void {
  // HTTP/1 lets its clients fall silent and listen on; in HTTP/2 who has stopped speaking is gone.
  connection.allowHalfOpen = false
  const go = () => {
    if (!connection.destroyed) proceed()
  }
  if (connection.writableLength === 0) go()
  // Its turn comes after all that was written before.
  else connection.write('', go)
}
