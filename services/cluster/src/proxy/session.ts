// One client of an endpoint. It begins with a connection to the shard of its own. When the shard has let it in there, its
// plain commands ride on a link that many share, up to the first of another kind.
import type { Socket } from 'node:net'
import { CommandPath } from './command-path.ts'
import { ConnectionState } from './connection-state.ts'
import { Lane } from './lane.ts'
import { ReplyPath } from './reply-path.ts'
import { ProtocolError } from './resp/frame-scanner.ts'
import { errorReply, invalidateAll, isError } from './resp/replies.ts'
import { encodeCommand } from './resp/request-scanner.ts'
import { ShardConnection } from './shard-connection.ts'
import type { Greeting, SharedLink } from './shared-link.ts'

export interface SessionHost {
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
/** A client that lets so much lie reads slowly: it shares no link any more. */
const heavyBytes = 1024 * 1024
/** With more than this nobody else on the link is read for; a client that does not read then is left. */
const stuffedBytes = 64 * 1024 * 1024
const stuffedMs = 5000
const leastReadBytes = 1024 * 1024

export class Session {
  readonly #client: Socket
  readonly #host: SessionHost
  readonly #state = new ConnectionState()
  readonly #replies: ReplyPath
  readonly #commands: CommandPath
  readonly #shard: ShardConnection
  /** While it rides on a shared link. */
  #lane: Lane | undefined
  #rides = 0
  /** The shard has answered it, and not asked for a password. A link may be older than the password. */
  #isAdmitted = false
  #isKnocking = false
  #isClosed = false
  #isEnding = false
  /** What was published before the gate closed has been heard. */
  #hasHeardAll = false

  constructor(client: Socket, host: SessionHost) {
    this.#client = client
    this.#host = host
    this.#replies = new ReplyPath({
      write: (bytes) => this.#toClient(bytes),
      isSubscriber: () => this.#state.protocol === 2 && this.#state.isSubscribed,
      replied: () => this.#replied(),
    })
    this.#commands = new CommandPath({
      state: this.#state,
      expected: this.#replies.expected,
      send: (bytes) => this.#toShard(bytes),
      mayForward: () => this.#mayForward(),
      blocked: () => this.#client.pause(),
    })
    this.#shard = new ShardConnection({
      connect: () => host.connect(),
      opened: () => this.#opened(),
      take: (chunk) => this.#guarded(() => this.#replies.take(chunk)),
      drained: () => this.#resume(),
      lost: () => this.#lost(),
    })
    this.#listenToClient()
    this.#shard.open()
  }

  /** Nothing it has sent to the shard is under way. */
  get isDrained(): boolean {
    if (this.#lane !== undefined) return this.#isClosed || this.#lane.isIdle
    if (this.#isClosed || !this.#shard.isOpen || this.#state.isMonitoring) return true
    if (this.#state.isSubscribed && !this.#hasHeardAll) return false
    return !this.#commands.isStreaming && this.#replies.expected.isEmpty
  }

  /** While the gate is closed: brings what is under way to an end. May be called again. */
  settle(): void {
    if (!this.#shard.isOpen || this.#isClosed) return
    const waiting = this.#commands.giveUp()
    if (waiting !== undefined) this.#host.unblock(waiting)
    if (this.#state.isSubscribed && !this.#state.isMonitoring && !this.#hasHeardAll && this.#replies.expected.isEmpty) {
      this.#replies.expected.add({
        kind: 'awaited',
        judge: () => {
          this.#hasHeardAll = true
          return 'swallow'
        },
      })
      this.#toShard(ping)
    }
  }

  /** Goes on with the shard that serves the endpoint now. */
  move(): void {
    if (this.#isClosed) return
    if (this.#isUnderWay) this.close()
    else if (this.#lane === undefined) {
      this.#replies.reset()
      this.#shard.move()
    }
  }

  /** The gate is open. */
  release(): void {
    this.#hasHeardAll = false
    if (this.#isClosed) return
    if (this.#lane !== undefined) this.#goOn()
    else if (this.#shard.isOpen) {
      this.#guarded(() => {
        this.#commands.askAgain()
        this.#commands.pump()
      })
      this.#resume()
    }
  }

  close(lastWords?: Buffer): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#lane?.leave()
    this.#replies.reset()
    this.#shard.drop()
    if (lastWords === undefined) this.#client.destroy()
    else this.#client.end(lastWords, () => this.#client.destroy())
    this.#host.closed(this)
  }

  #mayForward(): boolean {
    if (this.#host.isGated()) return false
    return this.#lane === undefined ? this.#shard.isOpen && !this.#commands.isBlocked : !this.#client.writableNeedDrain
  }

  #listenToClient(): void {
    const client = this.#client
    client.setNoDelay(true)
    client.on('data', (chunk: Buffer) => this.#take(chunk))
    client.on('drain', () => {
      this.#shard.resume()
      if (this.#lane === undefined) return
      this.#lane.release()
      this.#goOn()
    })
    client.on('end', () => {
      this.#isEnding = true
      if (this.#commands.isBlocked || this.isDrained) this.close()
    })
    client.on('error', () => this.close())
    client.on('close', () => this.close())
  }

  #take(chunk: Buffer): void {
    if (this.#lane === undefined && this.#mayRide(chunk)) this.#ride()
    if (this.#lane !== undefined) {
      this.#lane.take(chunk)
      this.#afterRiding(this.#lane)
      return
    }
    this.#guarded(() => this.#commands.take(chunk))
    // What has begun comes to its end, also behind a closed gate.
    if (!this.#mayForward() && !this.#commands.isStreaming) this.#client.pause()
  }

  #mayRide(chunk: Buffer): boolean {
    if (this.#rides >= maxRides || !this.#shard.isOpen || this.#host.isGated()) return false
    if (!this.#isAdmitted && !this.#state.isIdentified) return false
    return this.#replies.expected.isEmpty && this.#commands.mayShare(chunk)
  }

  #ride(): void {
    this.#rides++
    this.#replies.reset()
    this.#shard.drop()
    this.#lane = new Lane(this.#host.link(this.#state.restoring()), {
      write: (bytes) => this.#toClient(bytes),
      mayForward: () => this.#mayForward(),
      replied: () => this.#replied(),
      mayGoOn: () => this.#goOn(),
      close: () => this.close(),
    })
  }

  #goOn(): void {
    if (this.#lane === undefined || this.#isClosed) return
    this.#lane.pump()
    this.#afterRiding(this.#lane)
  }

  #afterRiding(lane: Lane): void {
    if (lane.isStuck && lane.isIdle) this.#goAlone(lane)
    else if (lane.takesCommands && this.#mayForward()) this.#client.resume()
    else this.#client.pause()
  }

  #goAlone(lane: Lane): void {
    const rest = lane.leave()
    this.#lane = undefined
    this.#client.pause()
    this.#shard.open()
    this.#commands.take(rest)
  }

  #opened(): void {
    const { commands, replies, mustSucceed } = this.#state.restoring()
    for (let index = 0; index < replies; index++) {
      const isNeeded = index < mustSucceed
      const judge = (reply: Buffer) => {
        if (isNeeded && isError(reply)) this.close()
        return 'swallow' as const
      }
      this.#replies.expected.add({ kind: 'awaited', judge })
    }
    if (commands.length > 0) this.#shard.write(commands)
    this.#isKnocking = false
    if (replies === 0 && !this.#isAdmitted) this.#knock()
    if (this.#state.isTracking) this.#toClient(invalidateAll)
    this.#guarded(() => {
      this.#commands.renewed()
      this.#commands.pump()
    })
    this.#resume()
  }

  #knock(): void {
    this.#isKnocking = true
    const judge = (reply: Buffer) => {
      this.#isKnocking = false
      this.#isAdmitted = !isError(reply)
      return 'swallow' as const
    }
    this.#replies.expected.add({ kind: 'awaited', judge })
    this.#shard.write(ping)
  }

  /** The shard has half a command, or owes a reply that no other shard can give. */
  get #isUnderWay(): boolean {
    if (this.#lane !== undefined) return !this.#lane.isIdle
    if (this.#state.isMonitoring) return false
    const ownReplies = this.#commands.repliesOfBlocked + (this.#isKnocking ? 1 : 0)
    return this.#commands.isStreaming || this.#replies.expected.length > ownReplies
  }

  /** The shard is gone. Whoever waits for a reply cannot know what became of the command. */
  #lost(): void {
    const isUnderWay = this.#isUnderWay
    this.#replies.reset()
    if (isUnderWay || this.#isEnding || !this.#shard.retry()) this.close()
  }

  #replied(): void {
    if (this.#isEnding && this.isDrained) this.close()
    if (this.#isClosed) return
    if (this.#host.isGated()) this.#host.settled()
    else if (this.#lane?.isStuck === true) this.#afterRiding(this.#lane)
    else if (this.#client.isPaused()) setImmediate(() => this.release())
  }

  #resume(): void {
    const mayRead = this.#mayForward() || (this.#shard.isOpen && this.#commands.isStreaming)
    if (mayRead && !this.#shard.isFull) this.#client.resume()
  }

  #toClient(bytes: Buffer): void {
    if (this.#isClosed || this.#client.write(bytes)) return
    if (this.#lane === undefined) this.#shard.pause()
    else this.#slowDown(this.#lane)
  }

  #slowDown(lane: Lane): void {
    const waiting = this.#client.writableLength
    if (waiting > heavyBytes) lane.stick()
    if (waiting <= stuffedBytes) return
    lane.hold()
    setTimeout(() => {
      if (this.#lane === lane && this.#client.writableLength > waiting - leastReadBytes) this.close()
    }, stuffedMs).unref()
  }

  #toShard(bytes: Buffer): void {
    if (!this.#shard.write(bytes)) this.#client.pause()
  }

  /** A client, or a shard, that does not speak the protocol is left. */
  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.close(errorReply(`Protocol error: ${error.message}`))
    }
  }
}

const ping = encodeCommand(['ping'])
