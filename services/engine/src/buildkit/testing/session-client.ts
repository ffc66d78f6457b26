// A client that offers files to builds, as BuildKit's clients do: over a connection on which the engine asks.
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Call, type Method, serveGrpc } from '../../grpc/serve.ts'
import { codes, GrpcFailure } from '../../grpc/status.ts'
import {
  BytesMessage,
  methods,
  Packet,
  packetTypes,
  SecretRequest,
  SecretResponse,
  type Stat,
} from '../protocol/session.ts'

export type OfferedEntry = Partial<Stat> & { path: string; content?: string }

export interface Offer {
  /** By the names that the engine asks for: `context`, `dockerfile`. */
  folders?: Record<string, readonly OfferedEntry[]>
  secrets?: Record<string, string>
  /** The same for builds of the same folders. */
  sharedKey?: string
  /** Takes what the engine sends: archives, as they come. */
  onArchive?(bytes: Buffer): void
}

export interface OfferedSession {
  id: string
  /** What was asked for: folders with paths, and files. */
  asked: string[]
  files: string[]
  close(): void
}

/** Asks for a connection to change hands; what is answered instead is thrown. */
export function upgrade(
  socketPath: string,
  path: string,
  headers: Record<string, string | string[]> = {},
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ socketPath, path, method: 'POST' },
      headers: { connection: 'Upgrade', upgrade: 'h2c', ...headers },
    })
    sent.once('upgrade', (_: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    sent.once('response', async (response) => {
      const pieces: Buffer[] = []
      for await (const piece of response) pieces.push(piece)
      reject(new Error(`${response.statusCode} ${Buffer.concat(pieces)}`))
    })
    sent.once('error', reject)
    sent.end()
  })
}

export async function offerSession(socketPath: string, offer: Offer, path = '/session'): Promise<OfferedSession> {
  const id = randomUUID()
  const asked: string[] = []
  const files: string[] = []
  const served = new Map<string, Method>([
    [methods.diffCopy, (call) => sendListed(call, offer, { asked, files })],
    ...(offer.secrets ? [[methods.secret, (call: Call) => tellSecret(call, offer.secrets ?? {})] as const] : []),
    ...(offer.onArchive ? [[methods.sendFiles, (call: Call) => takeArchive(call, offer)] as const] : []),
  ])
  const headers = {
    'x-docker-expose-session-uuid': id,
    ...(offer.sharedKey && { 'x-docker-expose-session-sharedkey': offer.sharedKey }),
    'x-docker-expose-session-grpc-method': [...served.keys()],
  }
  const connection = await upgrade(socketPath, path, headers)
  const describe = (error: unknown) => new GrpcFailure(codes.internal, String(error))
  serveGrpc(connection, served, { maxMessageBytes: 2 ** 24, describe })
  return { id, asked, files, close: () => connection.destroy() }
}

async function* sendListed(
  { metadata, requests }: Call,
  { folders = {} }: Offer,
  { asked, files }: Pick<OfferedSession, 'asked' | 'files'>,
) {
  const name = String(metadata['dir-name'])
  const paths = String(metadata.followpaths ?? '')
    .split(', ')
    .filter(Boolean)
  asked.push([name, ...paths].join(' '))
  const isWanted = (path: string) => paths.some((each) => path === each || path.startsWith(`${each}/`))
  const entries = (folders[name] ?? []).filter(({ path }) => paths.length === 0 || isWanted(path))
  for (const { content = '', ...stat } of entries) {
    const full = { mode: 0o644, modTime: 1n, size: BigInt(Buffer.byteLength(content)), ...stat }
    yield Packet.encode({ type: packetTypes.stat, stat: full })
  }
  yield Packet.encode({ type: packetTypes.stat })
  for await (const bytes of requests) {
    const { type, id } = Packet.decode(bytes)
    if (type === packetTypes.finish) break
    files.push(entries[id]?.path ?? '')
    yield Packet.encode({ type: packetTypes.data, id, data: Buffer.from(entries[id]?.content ?? '') })
    yield Packet.encode({ type: packetTypes.data, id })
  }
  yield Packet.encode({ type: packetTypes.finish })
}

async function* tellSecret({ requests }: Call, secrets: Record<string, string>) {
  for await (const bytes of requests) {
    const secret = secrets[SecretRequest.decode(bytes).id]
    if (secret === undefined) throw new GrpcFailure(codes.notFound, 'no such secret')
    yield SecretResponse.encode({ data: Buffer.from(secret) })
  }
}

async function* takeArchive({ requests }: Call, { onArchive }: Offer): AsyncGenerator<Uint8Array> {
  for await (const bytes of requests) onArchive?.(Buffer.from(BytesMessage.decode(bytes).data))
  yield* []
}
