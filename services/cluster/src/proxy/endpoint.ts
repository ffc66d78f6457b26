// The stable address of a database: clients stay connected while the shard behind it changes.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { type Credentials, RedisConnection, type ShardAddress } from '../redis/redis-connection.ts'
import type { ClientDirectory } from './clients.ts'
import { awaitNearOffset, awaitSameOffset, promote } from './handover.ts'
import { Session, type SessionHost } from './session.ts'
import type { Greeting, SharedLink } from './shared-link.ts'
import { SharedLinks } from './shared-links.ts'
import { Trail } from './trail.ts'
import { UploadBudget } from './upload.ts'

interface Options {
  target: ShardAddress
  credentials?: Credentials
  maxClients: number
  /** Clients have to speak TLS. */
  tls?: { cert: string; key: string }
}

export interface HandoverReport {
  /** How long commands waited. */
  gateMs: number
  drainMs: number
  sessions: number
}

/** Blocked commands and subscribers are asked again in this interval until they are at rest. */
const settleMs = 2
/** Of commands that are under way, to be told to another shard. As much again lies with the shard. */
const uploadBytes = 512 * 1024 * 1024
/** A command that is too long for that is waited for before anybody else waits, and given up after this. */
export const uploadPatienceMs = 30_000
const uploadPollMs = 50
const tooMany = Buffer.from('-ERR max number of clients reached\r\n')

export class Endpoint implements SessionHost {
  readonly uploads = new UploadBudget(uploadBytes)
  readonly directory: ClientDirectory
  readonly trail = new Trail()
  readonly #options: Options
  readonly #server: Server
  readonly #sessions = new Set<Session>()
  readonly #links = new SharedLinks(() => this.connect())
  #target: ShardAddress
  #port = 0
  #lastId = 0
  #isGated = false
  #wakeDrain: (() => void) | undefined
  /** To the shard that serves now, for what concerns its other connections. */
  #admin: Promise<RedisConnection> | undefined

  constructor(options: Options) {
    this.#options = options
    this.#target = options.target
    const sessions = this.#sessions
    const endpoint = this
    this.directory = {
      get port() {
        return endpoint.#port
      },
      maxClients: options.maxClients,
      all: () => [...sessions],
    }
    const accept = (client: Socket): void => this.#accept(client)
    const { tls } = options
    this.#server =
      tls === undefined
        ? createServer({ allowHalfOpen: true, noDelay: true }, accept)
        : createTlsServer({ ...tls, allowHalfOpen: true, noDelay: true }, accept)
  }

  get target(): ShardAddress {
    return this.#target
  }

  get clients(): number {
    return this.#sessions.size
  }

  /** The shard owes somebody a reply. */
  get isUnderWay(): boolean {
    return !this.#links.areIdle || [...this.#sessions].some((session) => !session.isDrained)
  }

  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => {
        const address = this.#server.address()
        this.#port = typeof address === 'object' && address !== null ? address.port : port
        resolve(this.#port)
      })
    })
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.close()
    this.#links.close()
    await this.#dropAdmin()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  /**
   * Commands wait; those under way come to an end; the replica has everything and becomes master; commands go there.
   * Fails, and goes on with the old master, when that takes longer than `deadlineMs`. Nothing is lost either way.
   * `replication`: where the old master can follow the new one, so that there are never two.
   */
  async handOver(
    replica: ShardAddress,
    deadlineMs: number,
    replication?: { host: string; port: number },
  ): Promise<HandoverReport> {
    if (this.#isGated) throw new Error('A handover is under way already.')
    const { credentials } = this.#options
    await using old = await RedisConnection.open(this.#target, credentials, deadlineMs)
    await using next = await RedisConnection.open(replica, credentials, deadlineMs)
    await this.#awaitUploads()
    await awaitNearOffset(old, next, performance.now() + deadlineMs)
    const gated = performance.now()
    this.#isGated = true
    try {
      await this.#drain(gated + deadlineMs)
      const drainMs = performance.now() - gated
      await awaitSameOffset(old, next, gated + deadlineMs)
      await promote(next)
      if (replication !== undefined) {
        // The new one is master by now, whatever the old one answers.
        await old.call('replicaof', replication.host, String(replication.port)).catch(() => undefined)
      }
      await this.#switchTo(replica)
      this.#open()
      return { gateMs: performance.now() - gated, drainMs, sessions: this.#sessions.size }
    } catch (error) {
      this.#open()
      throw error
    }
  }

  /** After the shard was lost: no handover, since there is nobody to hand over. */
  async redirect(target: ShardAddress): Promise<void> {
    await this.#switchTo(target)
    this.#open()
  }

  connect(): Socket {
    return connect(this.#target)
  }

  link(greeting: Greeting): SharedLink {
    return this.#links.to(greeting)
  }

  isGated(): boolean {
    return this.#isGated
  }

  unblock(clientId: number): void {
    const { credentials } = this.#options
    this.#admin ??= RedisConnection.open(this.#target, credentials)
    this.#admin
      .then((admin) => admin.call('client', 'unblock', String(clientId), 'error'))
      .catch(() => this.#dropAdmin())
  }

  settled(): void {
    this.#wakeDrain?.()
  }

  closed(session: Session): void {
    this.#sessions.delete(session)
    this.#wakeDrain?.()
  }

  #accept(client: Socket): void {
    if (this.#sessions.size < this.#options.maxClients) this.#sessions.add(new Session(++this.#lastId, client, this))
    else client.on('error', () => undefined).end(tooMany, () => client.destroy())
  }

  async #awaitUploads(): Promise<void> {
    const until = performance.now() + uploadPatienceMs
    while ([...this.#sessions].some(({ isTied }) => isTied) && performance.now() < until) await delay(uploadPollMs)
  }

  async #drain(until: number): Promise<void> {
    for (;;) {
      const busy = [...this.#sessions].filter((session) => !session.isDrained)
      // A link also carries to their end the commands of clients that have left.
      if (busy.length === 0 && this.#links.areIdle) return
      if (performance.now() > until) throw new Error(`${busy.length} clients have commands that do not end.`)
      // Its command was not carried out, and never will be: the client knows that when its connection ends.
      for (const session of busy) if (session.isTied) session.close()
      for (const session of busy) session.settle()
      await Promise.race([delay(settleMs), new Promise<void>((resolve) => (this.#wakeDrain = resolve))])
      this.#wakeDrain = undefined
    }
  }

  async #switchTo(target: ShardAddress): Promise<void> {
    this.#target = target
    await this.#dropAdmin()
    for (const session of this.#sessions) session.move()
    this.#links.move()
  }

  #open(): void {
    this.#isGated = false
    for (const session of this.#sessions) session.release()
  }

  async #dropAdmin(): Promise<void> {
    const admin = this.#admin
    this.#admin = undefined
    await admin?.then(
      (connection) => connection.close(),
      () => undefined,
    )
  }
}
