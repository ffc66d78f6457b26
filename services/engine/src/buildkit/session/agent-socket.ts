// The client's SSH agent at a socket of this machine.
import { type FileHandle, open } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import { Empty } from '../protocol/control.ts'
import { AgentRequest, BytesMessage, methods } from '../protocol/session.ts'
import { mayOffer, type Session } from './sessions.ts'

const maxConnections = 64

/** Returns what closes it; undefined: the client has no agent of that name. */
export async function listenForAgent(
  session: Session,
  id: string,
  socketPath: string,
  signal: AbortSignal,
): Promise<(() => Promise<void>) | undefined> {
  if (!mayOffer(session, methods.forwardAgent)) return undefined
  await session.client.unary(methods.checkAgent, AgentRequest, { id }, Empty, { signal })
  const connections = new Set<Socket>()
  const server = createServer((connection) => {
    connections.add(connection)
    connection.on('error', () => {}).once('close', () => connections.delete(connection))
    forward(session, id, connection, signal).catch(() => connection.destroy())
  })
  server.maxConnections = maxConnections
  // Paths of sockets may have 107 bytes: this one is named by its folder's descriptor.
  const folder: FileHandle = await open(dirname(socketPath))
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(`/proc/self/fd/${folder.fd}/${basename(socketPath)}`, resolve)
    })
  } finally {
    await folder.close()
  }
  return () => {
    for (const connection of connections) connection.destroy()
    return new Promise((resolve) => server.close(() => resolve()))
  }
}

async function forward(session: Session, id: string, connection: Socket, signal: AbortSignal): Promise<void> {
  const both = AbortSignal.any([signal, session.signal])
  const stream = session.client.open(methods.forwardAgent, { metadata: { 'buildkit.ssh.id': [id] }, signal: both })
  connection.once('close', () => stream.cancel())
  const sending = (async () => {
    for await (const data of connection) await stream.write(BytesMessage.encode({ data }))
    stream.end()
  })()
  sending.catch(() => stream.cancel())
  for await (const bytes of stream.read()) {
    const { data } = BytesMessage.decode(bytes)
    if (data.length > 0 && !connection.write(data)) {
      await new Promise((resolve) => connection.once('drain', resolve).once('close', resolve))
    }
  }
  connection.end()
}
