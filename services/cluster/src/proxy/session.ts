// One client of an endpoint. It begins with a connection to the shard of its own. When the shard has let it in there, its
// plain commands ride on a link that many share, up to the first of another kind.
import type { Socket } from 'node:net'
import { ClientOutput } from './client-output.ts'
import type { ClientDirectory, ListedClient } from './clients.ts'
import { Lane } from './lane.ts'
import { OwnConnection } from './own-connection.ts'
import { errorReply } from './resp/replies.ts'
import type { Greeting, SharedLink } from './shared-link.ts'
import { Tracer, type Trail } from './trail.ts'
import type { UploadBudget } from './upload.ts'

export interface SessionHost {
  readonly uploads: UploadBudget
  readonly directory: ClientDirectory
  readonly trail: Trail
  /** A new connection to the shard that serves the endpoint now. */
  connect(): Socket
  /** To the same shard, for all that have told their connection the same. */
  link(greeting: Greeting): SharedLink
  isGated(): boolean
  /** Makes the shard answer a command that waits. */
  unblock(clientId: number): void
  /** This session may be drained now. */
  settled(): void
  closed(session: Session): void
}

/** Once, and once more after it has told its connection something else. */
const maxRides = 2
/** So much of a client is read ahead, so that its end is noticed while its commands wait. */
const maxHeldBytes = 256 * 1024
/**
 * What comes for a client on a shared link lies here until it reads, so that nobody else waits for it. With this much of
 * it a client that reads nothing for so long is left; with more than the last, any.
 */
const stuffedBytes = 256 * 1024 * 1024
const stuffedMs = 5000
const maxBacklogBytes = 1024 * 1024 * 1024
/** Of what is no command the shard speaks, and if it should not, the endpoint. */
const refusalMs = 1000
/** As the server has it: a machine that has gone without a word is noticed some day. */
const keepAliveMs = 300_000

export class Session implements ListedClient {
  readonly id: number
  readonly address: string
  readonly localAddress: string
  readonly #since = performance.now()
  readonly #client: Socket
  readonly #host: SessionHost
  readonly #output: ClientOutput
  readonly #own: OwnConnection
  readonly #tracer: Tracer
  /** While it rides on a shared link. */
  #lane: Lane | undefined
  #rides = 0
  #isClosed = false
  /** The client sends nothing more. */
  #isEnding = false
  #stuffedTimer: NodeJS.Timeout | undefined

  constructor(id: number, client: Socket, host: SessionHost) {
    this.id = id
    this.address = addressOf(client.remoteAddress, client.remotePort)
    this.localAddress = addressOf(client.localAddress, client.localPort)
    this.#client = client
    this.#host = host
    this.#tracer = new Tracer(host.trail, this.address)
    this.#output = new ClientOutput(client, () => this.#drained())
    this.#own = new OwnConnection({
      ...{ uploads: host.uploads, directory: host.directory, self: this },
      ...{ trail: host.trail, tracer: this.#tracer },
      connect: () => host.connect(),
      isGated: () => host.isGated(),
      unblock: (clientId) => host.unblock(clientId),
      write: (bytes) => this.#toClient(bytes),
      changed: () => this.#changed(),
      lost: () => this.#finish(),
      refused: (words) => this.#refused(words),
    })
    this.#listenToClient()
    this.#own.open()
  }

  get ageSeconds(): number {
    return (performance.now() - this.#since) / 1000
  }

  get isSubscribed(): boolean {
    return this.#own.isSubscribed
  }

  get ownShardId(): number | undefined {
    return this.#lane === undefined ? this.#own.shardId : undefined
  }

  get sharedShardId(): number | undefined {
    return this.#lane?.shardId
  }

  /** Nothing it has sent to the shard is under way. */
  get isDrained(): boolean {
    return this.#isClosed || (this.#lane === undefined ? this.#own.isDrained : this.#lane.isIdle)
  }

  /** In the midst of a command that no other shard can be told again. */
  get isTied(): boolean {
    return !this.#isClosed && this.#lane === undefined && this.#own.isTied
  }

  /** While the gate is closed: brings what is under way to an end. May be called again. */
  settle(): void {
    if (!this.#isClosed && this.#lane === undefined) this.#own.settle()
  }

  /** Goes on with the shard that serves the endpoint now. */
  move(): void {
    if (this.#isClosed) return
    const goesOn = this.#lane === undefined ? this.#own.move() : this.#lane.isIdle
    if (!goesOn) this.#finish()
  }

  /** The gate is open. */
  release(): void {
    if (this.#isClosed) return
    if (this.#lane === undefined) this.#own.release()
    else this.#lane.pump()
    this.#changed()
  }

  close(): void {
    if (!this.#isClosed) this.#leave()
    this.#client.destroy()
  }

  #listenToClient(): void {
    const client = this.#client
    client.setNoDelay(true)
    client.setKeepAlive(true, keepAliveMs)
    client.on('data', (chunk: Buffer) => this.#take(chunk))
    client.on('end', () => {
      this.#isEnding = true
      this.#changed()
    })
    client.on('error', () => this.close())
    client.on('close', () => this.close())
  }

  #take(chunk: Buffer): void {
    if (this.#isClosed) return
    if (this.#lane === undefined && this.#mayRide(chunk)) this.#ride()
    if (this.#lane === undefined) this.#own.take(chunk)
    else this.#lane.take(chunk)
    this.#steer()
  }

  #mayRide(chunk: Buffer): boolean {
    return this.#rides < maxRides && !this.#host.isGated() && this.#own.mayShare(chunk)
  }

  #ride(): void {
    this.#rides++
    this.#own.drop()
    this.#lane = new Lane(this.#host.link(this.#own.greeting), {
      tracer: this.#tracer,
      write: (bytes) => this.#toClient(bytes),
      mayForward: () => !this.#host.isGated() && !this.#output.isFull,
      replied: () => this.#changed(),
      mayGoOn: () => {
        this.#lane?.pump()
        this.#steer()
      },
      close: () => this.#finish(),
      goAlone: () => {
        if (this.#lane !== undefined) this.#goAlone(this.#lane)
        this.#steer()
      },
    })
  }

  #goAlone(lane: Lane): void {
    const rest = lane.leave()
    this.#lane = undefined
    this.#own.open()
    this.#own.take(rest)
  }

  #changed(): void {
    if (!this.#isClosed && this.#host.isGated() && this.isDrained) this.#host.settled()
    this.#steer()
  }

  /** What comes next for it: a connection of its own, its end, or more to read. */
  #steer(): void {
    if (this.#isClosed) return
    const lane = this.#lane
    if (lane?.isStuck === true && lane.isIdle) this.#goAlone(lane)
    if (this.#isOver) this.#finish()
    else this.#readOrWait()
  }

  /** Asked after every reply: a socket that is told what it does already takes its time all the same. */
  #readOrWait(): void {
    const mayRead = this.#mayRead
    if (mayRead !== this.#client.isPaused()) return
    if (mayRead) this.#client.resume()
    else this.#client.pause()
  }

  get #isOver(): boolean {
    if (this.#lane !== undefined) return this.#isEnding && this.#lane.isDone
    return this.#own.isOver || (this.#isEnding && this.#own.isDone)
  }

  get #mayRead(): boolean {
    if (this.#lane !== undefined) return this.#lane.heldBytes < maxHeldBytes
    return this.#own.heldBytes < maxHeldBytes && !this.#own.isFull
  }

  #drained(): void {
    if (this.#isClosed) return
    this.#own.resume()
    this.#lane?.pump()
    this.#steer()
  }

  #toClient(bytes: Buffer): void {
    if (this.#isClosed || this.#output.write(bytes)) return
    if (this.#lane !== undefined) this.#watchBacklog()
    else if (!this.#host.isGated()) this.#own.pause()
  }

  #watchBacklog(): void {
    if (this.#output.waitingBytes > maxBacklogBytes) this.close()
    if (this.#output.waitingBytes < stuffedBytes || this.#stuffedTimer !== undefined || this.#isClosed) return
    this.#stuffedTimer = setInterval(() => {
      if (this.#output.silentMs > stuffedMs) this.close()
      if (this.#output.waitingBytes >= stuffedBytes) return
      clearInterval(this.#stuffedTimer)
      this.#stuffedTimer = undefined
    }, stuffedMs / 10).unref()
  }

  #refused(words: string): void {
    setTimeout(() => this.#finish(errorReply(`Protocol error: ${words}`)), refusalMs).unref()
  }

  /** What the client was answered still reaches it. */
  #finish(lastWords?: Buffer): void {
    if (this.#isClosed) return
    this.#leave()
    this.#client.resume() // what it still says is not looked at, but its end is
    this.#output.end(lastWords)
  }

  #leave(): void {
    this.#isClosed = true
    clearInterval(this.#stuffedTimer)
    this.#lane?.leave()
    this.#own.close()
    this.#host.closed(this)
  }
}

/** As the server writes addresses. */
const addressOf = (host = '', port = 0): string =>
  host.includes(':') && !host.startsWith('::ffff:') ? `[${host}]:${port}` : `${host.replace('::ffff:', '')}:${port}`
