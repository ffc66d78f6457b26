// One client of an endpoint and its connection to the shard that serves it now.
import type { Socket } from 'node:net'
import { CommandPath } from './command-path.ts'
import { ConnectionState } from './connection-state.ts'
import { ReplyPath } from './reply-path.ts'
import { ProtocolError } from './resp/frame-scanner.ts'
import { errorReply, invalidateAll, isError } from './resp/replies.ts'
import { encodeCommand } from './resp/request-scanner.ts'

export interface SessionHost {
  /** A new connection to the shard that serves the endpoint now. */
  connect(): Socket
  isGated(): boolean
  /** Makes the shard answer a command that waits. */
  unblock(clientId: number): void
  /** This session may be drained now. */
  settled(): void
  closed(session: Session): void
}

const retryMs = 50
/** So long a shard may be away before its clients are told, by the end of their connection. */
const patienceMs = 5000

export class Session {
  readonly #client: Socket
  readonly #host: SessionHost
  readonly #state = new ConnectionState()
  readonly #replies: ReplyPath
  readonly #commands: CommandPath
  #shard: Socket | undefined
  #isConnected = false
  #isClosed = false
  #isEnding = false
  /** What was published before the gate closed has been heard. */
  #hasHeardAll = false
  #triedSince = 0

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
    this.#listenToClient()
    this.#connect()
  }

  /** Nothing it has sent to the shard is under way. */
  get isDrained(): boolean {
    if (this.#isClosed || !this.#isConnected || this.#state.isMonitoring) return true
    if (this.#state.isSubscribed && !this.#hasHeardAll) return false
    return !this.#commands.isStreaming && this.#replies.expected.isEmpty
  }

  /** While the gate is closed: brings what is under way to an end. May be called again. */
  settle(): void {
    if (!this.#isConnected || this.#isClosed) return
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
    if (this.#isUnderWay) {
      this.close()
      return
    }
    this.#dropShard()
    this.#connect()
  }

  /** The gate is open. */
  release(): void {
    this.#hasHeardAll = false
    if (!this.#isConnected || this.#isClosed) return
    this.#guarded(() => {
      this.#commands.askAgain()
      this.#commands.pump()
    })
    this.#resume()
  }

  close(lastWords?: Buffer): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#dropShard()
    if (lastWords === undefined) this.#client.destroy()
    else this.#client.end(lastWords, () => this.#client.destroy())
    this.#host.closed(this)
  }

  #mayForward(): boolean {
    return this.#isConnected && !this.#host.isGated() && !this.#commands.isBlocked
  }

  #listenToClient(): void {
    const client = this.#client
    client.setNoDelay(true)
    client.on('data', (chunk: Buffer) => {
      this.#guarded(() => this.#commands.take(chunk))
      // What has begun comes to its end, also behind a closed gate.
      if (!this.#mayForward() && !this.#commands.isStreaming) client.pause()
    })
    client.on('drain', () => this.#shard?.resume())
    client.on('end', () => {
      this.#isEnding = true
      if (this.#commands.isBlocked || this.isDrained) this.close()
    })
    client.on('error', () => this.close())
    client.on('close', () => this.close())
  }

  #connect(): void {
    const shard = this.#host.connect()
    this.#shard = shard
    shard.setNoDelay(true)
    shard.on('connect', () => this.#connected(shard))
    shard.on('data', (chunk: Buffer) => this.#guarded(() => this.#replies.take(chunk)))
    shard.on('drain', () => this.#resume())
    shard.on('error', () => undefined) // 'close' follows
    shard.on('close', () => {
      if (this.#shard === shard) this.#lost()
    })
  }

  #connected(shard: Socket): void {
    this.#isConnected = true
    this.#triedSince = 0
    const { commands, replies, mustSucceed } = this.#state.restoring()
    for (let index = 0; index < replies; index++) {
      const isNeeded = index < mustSucceed
      const judge = (reply: Buffer) => {
        if (isNeeded && isError(reply)) this.close()
        return 'swallow' as const
      }
      this.#replies.expected.add({ kind: 'awaited', judge })
    }
    if (commands.length > 0) shard.write(commands)
    if (this.#state.isTracking) this.#toClient(invalidateAll)
    this.#guarded(() => {
      this.#commands.renewed()
      this.#commands.pump()
    })
    this.#resume()
  }

  /** The shard has half a command, or owes a reply that no other shard can give. */
  get #isUnderWay(): boolean {
    if (this.#state.isMonitoring) return false
    return this.#commands.isStreaming || this.#replies.expected.length > this.#commands.repliesOfBlocked
  }

  /** The shard is gone. Whoever waits for a reply cannot know what became of the command. */
  #lost(): void {
    const isUnderWay = this.#isUnderWay
    const now = performance.now()
    if (this.#triedSince === 0) this.#triedSince = now
    this.#dropShard()
    if (isUnderWay || this.#isEnding || now - this.#triedSince > patienceMs) {
      this.close()
      return
    }
    setTimeout(() => {
      if (!this.#isClosed && this.#shard === undefined) this.#connect()
    }, retryMs)
  }

  #dropShard(): void {
    const shard = this.#shard
    this.#shard = undefined
    this.#isConnected = false
    this.#replies.reset()
    shard?.destroy()
  }

  #replied(): void {
    if (this.#isEnding && this.isDrained) this.close()
    if (this.#host.isGated()) this.#host.settled()
    else if (this.#client.isPaused()) setImmediate(() => this.release())
  }

  #resume(): void {
    const mayRead = this.#mayForward() || (this.#isConnected && this.#commands.isStreaming)
    if (mayRead && this.#shard?.writableNeedDrain !== true) this.#client.resume()
  }

  #toClient(bytes: Buffer): void {
    if (!this.#isClosed && !this.#client.write(bytes)) this.#shard?.pause()
  }

  #toShard(bytes: Buffer): void {
    if (this.#shard?.write(bytes) === false) this.#client.pause()
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
