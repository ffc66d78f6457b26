// Clients that offer something while they build. The engine calls them over connections that they opened.
import type { Duplex } from 'node:stream'
import { conflict, unavailable } from '../../errors.ts'
import { GrpcClient } from '../../grpc/client.ts'
import { codes, GrpcFailure } from '../../grpc/status.ts'
import { AwaitedMap } from '../awaited-map.ts'

export interface SessionOffer {
  id: string
  /** Paths of methods that the client serves. */
  methods: ReadonlySet<string>
  /** The same for builds of the same folder; empty: they are strangers to one another. */
  sharedKey: string
}

/** Clients that name no method at all (dockerode) have to be asked to find out. */
export const mayOffer = ({ methods }: Session, method: string): boolean => methods.size === 0 || methods.has(method)

export interface Session extends SessionOffer {
  client: GrpcClient
  /** Aborted when the client has left. */
  signal: AbortSignal
}

const maxSessions = 1_000
const maxMessageBytes = 16 * 1024 * 1024
/** A client that asked for a build opens its session at once. */
const patienceMs = 30_000

export class Sessions {
  readonly #sessions = new AwaitedMap<Session>()

  /** Whether there is room, before the connection changes hands. */
  check({ id }: SessionOffer): void {
    if (this.#sessions.get(id) !== undefined) throw conflict(`a session ${id} is open already`)
    if (this.#sessions.size >= maxSessions) throw unavailable(`${maxSessions} sessions are open already`)
  }

  add(offer: SessionOffer, connection: Duplex): void {
    const client = new GrpcClient(connection, maxMessageBytes)
    const left = new AbortController()
    const session = { ...offer, client, signal: left.signal }
    this.#sessions.set(offer.id, session)
    void client.closed.then(() => {
      this.#sessions.delete(offer.id, session)
      left.abort(new GrpcFailure(codes.cancelled, 'context canceled: the client has left'))
    })
  }

  async wait(id: string, signal: AbortSignal): Promise<Session> {
    if (id === '')
      throw new GrpcFailure(codes.failedPrecondition, 'this build has no session: its client offers nothing')
    const session = await this.#sessions.wait(id, patienceMs, signal)
    if (session === undefined) throw new GrpcFailure(codes.notFound, `no active session for ${id}`)
    return session
  }
}
