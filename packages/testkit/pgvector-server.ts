// A PostgreSQL with pgvector on a port: PGlite, which is one session of PostgreSQL. Connections take turns at it, each
// until its statements are answered and its transaction is over.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { afterFile } from './after-tests.ts'

const sslRequest = 80_877_103
const protocol = 196_608
const sync = 'S'.charCodeAt(0)
const simpleQuery = 'Q'.charCodeAt(0)
const terminate = 'X'.charCodeAt(0)
const readyBytes = 6
const idle = 'I'.charCodeAt(0)

/** Its address. It goes with the test file. */
export async function startPgvector(): Promise<string> {
  const db = await PGlite.create({ extensions: { vector } })
  const turns = new Turns(db)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)))
    void serve(socket, turns).catch((error: Error) => socket.destroy(error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterFile(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await db.close()
  })
  return `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`
}

class Turns {
  readonly #db: PGlite
  #last: Promise<unknown> = Promise.resolve()

  constructor(db: PGlite) {
    this.#db = db
  }

  /** Resolves to the way to ask, and to the way to let the next one have its turn. */
  async take(): Promise<{ ask(messages: Uint8Array): Promise<Buffer>; end(): void }> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    const ask = async (messages: Uint8Array) => Buffer.from(await this.#db.execProtocolRaw(messages))
    return { ask, end: resolve }
  }
}

async function serve(socket: Socket, turns: Turns): Promise<void> {
  let turn: Awaited<ReturnType<Turns['take']>> | undefined
  try {
    for await (const messages of askedOn(socket)) {
      turn ??= await turns.take()
      const answer = await turn.ask(messages)
      socket.write(answer)
      if (answer.at(-1) !== idle || answer.length < readyBytes) continue
      turn.end()
      turn = undefined
    }
  } finally {
    if (turn !== undefined) await turn.ask(query('rollback'))
    turn?.end()
  }
}

/** What is to be answered in one go: up to a Sync or a simple query. */
async function* askedOn(socket: Socket): AsyncGenerator<Buffer> {
  let bytes = Buffer.alloc(0)
  let isStarted = false
  let asked = 0
  for await (const piece of socket) {
    bytes = Buffer.concat([bytes, piece as Buffer])
    for (;;) {
      const head = isStarted ? 1 : 0
      const length = bytes.length < asked + head + 4 ? Number.POSITIVE_INFINITY : head + bytes.readInt32BE(asked + head)
      if (bytes.length < asked + length) break
      const kind = bytes[asked]
      asked += length
      if (!isStarted) {
        const version = bytes.readInt32BE(4)
        if (version !== sslRequest && version !== protocol) throw new Error('what begins here is no PostgreSQL client')
        socket.write(version === sslRequest ? 'N' : welcome)
        isStarted = version === protocol
      } else if (kind === terminate) {
        socket.end()
        return
      } else if (kind !== sync && kind !== simpleQuery) continue
      else yield bytes.subarray(0, asked)
      bytes = bytes.subarray(asked)
      asked = 0
    }
  }
}

const message = (kind: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(kind)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const query = (text: string): Buffer => message('Q', Buffer.from(`${text}\0`))

/** The password is not asked for; ready. */
const welcome = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('S', Buffer.from('client_encoding\0UTF8\0')),
  message('Z', Buffer.from('I')),
])
