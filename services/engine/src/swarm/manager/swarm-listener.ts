// Where other nodes reach this manager: TLS with the swarm's authority. Whoever has no certificate can ask who the
// authority is, and join with a token; everything else needs one.
import type { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import type { Log } from '@atoll/kernel/telemetry/log'
import { systemError } from '../../errors.ts'
import { readPlace } from '../addresses.ts'
import { type NodeName, readNodeName, renewalTime } from '../identity/node-certificate.ts'
import { type Channel, openChannel } from '../session/channel.ts'
import { maxStrangerBytes, maxWorkerBytes, Opening } from '../session/messages.ts'
import { Refused } from '../session/refused.ts'
import { Retries } from '../store/retries.ts'
import type { Admission } from './admission.ts'

type SessionOpening = Extract<Opening, { ask: 'session' }>

/** A session that goes on. */
export interface Session {
  message(message: unknown): void
  closed(): void
}

export interface SwarmListenerParts {
  address: string
  admission: Admission
  log: Log
  now(): number
  /** Throws `Refused` where the node may not. */
  begin(name: NodeName, opening: SessionOpening, channel: Channel, certificate: X509Certificate | undefined): Session
  /** Of a node that shows a manager's certificate. */
  relay?(name: NodeName, channel: Channel): Session
}

const openingMs = 10_000
const maxConnections = 10_000
const lookAtCertificateMs = 5_000

export class SwarmListener {
  readonly #parts: SwarmListenerParts
  readonly #sockets = new Set<TLSSocket>()
  readonly #work: Retries
  #server: Server | undefined
  #renewal: NodeJS.Timeout | undefined
  #renewAt = 0

  constructor(parts: SwarmListenerParts) {
    this.#parts = parts
    this.#work = new Retries(parts.log)
  }

  async start(): Promise<void> {
    const { address, log } = this.#parts
    const { host, port } = readPlace(address) ?? { host: '0.0.0.0', port: 0 }
    const server = createServer({
      ...(await this.#context()),
      ...{ requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.3', handshakeTimeout: openingMs },
    })
    server.maxConnections = maxConnections
    server.on('secureConnection', (socket) => this.#take(socket))
    server.on('tlsClientError', (error) => log.debug({ error: error.message }, 'a connection to the swarm failed'))
    try {
      await once(server.listen({ host, port }), 'listening')
    } catch (error) {
      throw systemError(`The swarm cannot listen on ${address}: ${(error as Error).message}`)
    }
    this.#server = server
    this.#renewal = setInterval(() => {
      if (this.#parts.now() >= this.#renewAt) this.refresh()
    }, lookAtCertificateMs).unref()
  }

  /** The authority is another, or the certificate gets old. */
  refresh(): void {
    void this.#work.run('the certificate that this manager shows', async () => {
      const context = await this.#context()
      this.#server?.setSecureContext({ ...context, minVersion: 'TLSv1.3' })
    })
  }

  async stop(): Promise<void> {
    clearInterval(this.#renewal)
    void this.#work.stop()
    const server = this.#server
    if (server === undefined) return
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }

  async #context() {
    const { admission } = this.#parts
    const { key, certificate } = await admission.ownCredentials()
    this.#renewAt = renewalTime(certificate, Math.random())
    return { key, cert: certificate, ca: admission.authority }
  }

  #take(socket: TLSSocket): void {
    this.#sockets.add(socket)
    socket.setTimeout(openingMs, () => socket.destroy())
    const name = socket.authorized ? readNodeName(socket.getPeerCertificate().subject) : undefined
    let session: Session | undefined
    const channel = openChannel(socket, () => (name === undefined ? maxStrangerBytes : maxWorkerBytes), {
      message: (message) => {
        try {
          if (session !== undefined) return session.message(message)
          session = this.#open(socket, name, Opening.parse(message), channel)
        } catch (error) {
          refuse(channel, error)
        }
      },
      closed: () => {
        this.#sockets.delete(socket)
        session?.closed()
      },
    })
  }

  #open(socket: TLSSocket, name: NodeName | undefined, opening: Opening, channel: Channel): Session {
    const { begin, relay } = this.#parts
    if (opening.ask === 'session') {
      const session = begin(certified(name), opening, channel, socket.getPeerX509Certificate())
      // From here on heartbeats tell who is there.
      socket.setTimeout(0)
      return session
    }
    if (opening.ask === 'relay' && relay !== undefined) {
      const session = relay(certified(name), channel)
      socket.setTimeout(0)
      return session
    }
    this.#answer(name, opening, (socket.remoteAddress ?? '').replace(/^::ffff:/, '')).then(
      (answer) => {
        channel.send(answer)
        channel.end()
      },
      (error: unknown) => refuse(channel, error),
    )
    return { message: () => channel.destroy(), closed: () => {} }
  }

  async #answer(name: NodeName | undefined, opening: Opening, address: string): Promise<object> {
    const { admission } = this.#parts
    if (opening.ask === 'authority') return { authority: admission.authority }
    if (opening.ask === 'join') return admission.join(opening, address)
    if (opening.ask === 'certify') return admission.again(certified(name), opening)
    if (opening.ask === 'member') return admission.member(certified(name), opening.advertise)
    throw new Refused('The message makes no sense here', false)
  }
}

function certified(name: NodeName | undefined): NodeName {
  if (name === undefined) throw new Refused('A certificate of this swarm is needed for a session')
  return name
}

/** Only what was meant for the other side is told. */
function refuse(channel: Channel, error: unknown): void {
  const { message, isFinal, leader } =
    error instanceof Refused ? error : new Refused('The message makes no sense here', false)
  channel.send({ refused: message, isFinal, leader })
  channel.end()
}
