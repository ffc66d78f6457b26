// Messages over a connection between nodes: each is JSON behind its length. Both sides have limits: on what one message
// may be, and on what may wait for a peer that does not read.
import type { Duplex } from 'node:stream'

export interface ChannelListener {
  /** One that throws ends the connection. */
  message(message: unknown): void
  closed(): void
}

export interface Channel {
  send(message: object): void
  /** What was sent still arrives. */
  end(): void
  destroy(): void
}

const lengthBytes = 4
const maxWaitingBytes = 128 * 1024 * 1024

export function openChannel(socket: Duplex, maxMessageBytes: () => number, listener: ChannelListener): Channel {
  let waiting: Buffer[] = []
  let size = 0
  const take = (chunk: Buffer): void => {
    waiting.push(chunk)
    size += chunk.length
    while (size >= lengthBytes) {
      if (waiting[0] !== undefined && waiting[0].length < lengthBytes) waiting = [Buffer.concat(waiting)]
      const length = waiting[0]?.readUInt32BE(0) ?? 0
      if (length > maxMessageBytes()) throw new Error(`a message of ${length} bytes is too large`)
      if (size < lengthBytes + length) return
      const all = waiting.length === 1 && waiting[0] !== undefined ? waiting[0] : Buffer.concat(waiting)
      const rest = all.subarray(lengthBytes + length)
      waiting = rest.length > 0 ? [rest] : []
      size = rest.length
      listener.message(JSON.parse(all.toString('utf8', lengthBytes, lengthBytes + length)))
    }
  }
  socket.on('data', (chunk: Buffer) => {
    try {
      take(chunk)
    } catch {
      socket.destroy()
    }
  })
  socket.on('error', () => {})
  socket.once('end', () => socket.end())
  socket.once('close', () => listener.closed())
  let isGathering = false
  /** What is said in one moment is one write: with many nodes writes are most of what messages cost. */
  const gather = (): void => {
    if (isGathering) return
    isGathering = true
    socket.cork()
    process.nextTick(() => {
      isGathering = false
      socket.uncork()
    })
  }
  return {
    send(message) {
      if (socket.destroyed || socket.writableEnded) return
      const text = Buffer.from(JSON.stringify(message))
      const length = Buffer.alloc(lengthBytes)
      length.writeUInt32BE(text.length)
      gather()
      socket.write(Buffer.concat([length, text]))
      if (socket.writableLength > maxWaitingBytes) socket.destroy()
    },
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  }
}
