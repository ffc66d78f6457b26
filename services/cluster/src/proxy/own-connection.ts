// The connection to the shard that one client has for itself, and all that the client has told it.
import type { Socket } from 'node:net'
import type { ClientDirectory, ListedClient } from './clients.ts'
import { CommandPath } from './command-path.ts'
import { ConnectionState } from './connection-state.ts'
import { ReplyPath } from './reply-path.ts'
import { ProtocolError } from './resp/frame-scanner.ts'
import { integerOf, invalidateAll, isError } from './resp/replies.ts'
import { encodeCommand } from './resp/request-scanner.ts'
import { ShardConnection } from './shard-connection.ts'
import type { Greeting } from './shared-link.ts'
import type { Tracer, Trail } from './trail.ts'
import type { UploadBudget } from './upload.ts'

interface Options {
  uploads: UploadBudget
  directory: ClientDirectory
  self: ListedClient
  trail: Trail
  tracer: Tracer
  connect(): Socket
  isGated(): boolean
  /** Makes the shard answer a command that waits. */
  unblock(clientId: number): void
  /** To the client. */
  write(bytes: Buffer): void
  /** Replies have come, or more can be sent. */
  changed(): void
  /** The shard is gone, and so is what the client waits for; or it does not let the client in again. */
  lost(): void
  /** The client has said what no server reads. */
  refused(words: string): void
}

export class OwnConnection {
  readonly #options: Options
  readonly #state = new ConnectionState()
  readonly #replies: ReplyPath
  readonly #commands: CommandPath
  readonly #shard: ShardConnection
  /** The shard has answered it, and not asked for a password. A link may be older than the password. */
  #isAdmitted = false
  #isKnocking = false
  /** What was published before the gate closed has been heard. */
  #hasHeardAll = false

  constructor(options: Options) {
    this.#options = options
    this.#replies = new ReplyPath({
      write: options.write,
      isSubscriber: () => this.#state.isMonitoring || (this.#state.protocol === 2 && this.#state.isSubscribed),
      unasked: (frame) => (this.#state.isMonitoring && isMonitorLine(frame) ? this.#watched(frame) : undefined),
    })
    const { expected } = this.#replies
    this.#shard = new ShardConnection({
      connect: options.connect,
      opened: () => this.#opened(),
      take: (chunk) => this.#take(chunk),
      drained: () => options.changed(),
      lost: () => this.#lost(),
    })
    this.#commands = new CommandPath({
      ...{ state: this.#state, expected, uploads: options.uploads, refused: options.refused },
      ...{ directory: options.directory, self: options.self, trail: options.trail },
      send: (bytes) => {
        options.tracer.sent(bytes)
        this.#shard.write(bytes)
      },
      mayForward: () => !options.isGated() && this.#shard.isOpen && !this.#commands.special.isBlocked,
    })
  }

  /** Nothing it has sent to the shard is under way. */
  get isDrained(): boolean {
    if (!this.#shard.isOpen || this.#state.isMonitoring) return true
    if (this.#state.isSubscribed && !this.#hasHeardAll) return false
    return !this.#commands.isTied && this.#replies.expected.isEmpty
  }

  /** In the midst of a command that no other shard can be told again. */
  get isTied(): boolean {
    return this.#commands.isTied
  }

  /** All that came was answered, and nothing of it is left. What waits for others is as good as answered. */
  get isDone(): boolean {
    if (this.#commands.special.isBlocked) return true
    const ownReplies = this.#isKnocking ? 1 : 0
    return this.#commands.isSpent && this.#replies.expected.length <= ownReplies
  }

  /** The client has said goodbye, and was answered. */
  get isOver(): boolean {
    return this.#commands.isOver && this.#replies.expected.isEmpty
  }

  get isSubscribed(): boolean {
    return this.#state.isSubscribed
  }

  /** The shard's name for it. */
  get shardId(): number | undefined {
    return this.#shard.isOpen ? this.#commands.special.clientId : undefined
  }

  get heldBytes(): number {
    return this.#commands.heldBytes
  }

  get isFull(): boolean {
    return this.#shard.isFull
  }

  /** What another connection has to be told to be like this one. */
  get greeting(): Greeting {
    return this.#state.restoring()
  }

  open(): void {
    this.#shard.open()
  }

  /** Nothing is awaited from it any more. */
  drop(): void {
    this.#replies.reset()
    this.#shard.drop()
  }

  close(): void {
    this.drop()
    this.#commands.close()
  }

  take(chunk: Buffer): void {
    this.#commands.take(chunk)
  }

  /** A connection that was told the same could carry what follows, too. */
  mayShare(chunk: Buffer): boolean {
    if (!this.#shard.isOpen || (!this.#isAdmitted && !this.#state.isIdentified)) return false
    return this.#replies.expected.isEmpty && this.#commands.mayShare(chunk)
  }

  /** While the gate is closed: brings what is under way to an end. May be called again. */
  settle(): void {
    if (!this.#shard.isOpen) return
    this.#shard.resume()
    const waiting = this.#commands.special.giveUp()
    if (waiting !== undefined) this.#options.unblock(waiting)
    const { expected } = this.#replies
    if (!this.#state.isSubscribed || this.#state.isMonitoring || this.#hasHeardAll || !expected.isEmpty) return
    expected.addOwn({
      kind: 'awaited',
      judge: () => {
        this.#hasHeardAll = true
        return 'swallow'
      },
    })
    this.#shard.write(ping)
  }

  /** Goes on with the shard that serves the endpoint now. False when it cannot. */
  move(): boolean {
    if (this.#isUnderWay || this.#commands.isOver || this.#state.isRedirected) return false
    this.#replies.reset()
    this.#shard.move()
    return true
  }

  /** The gate is open. */
  release(): void {
    this.#hasHeardAll = false
    if (!this.#shard.isOpen) return
    this.#commands.special.askAgain()
    this.#commands.pump()
  }

  pause(): void {
    this.#shard.pause()
  }

  resume(): void {
    this.#shard.resume()
  }

  #opened(): void {
    this.#isKnocking = true
    const { commands, replies, mustSucceed } = this.#state.restoring([clientId])
    for (let index = 0; index < replies; index++) {
      const judge = (reply: Buffer) => {
        if (index < mustSucceed && isError(reply)) this.#options.lost()
        else if (index === mustSucceed) this.#knocked(reply)
        return 'swallow' as const
      }
      this.#replies.expected.addOwn({ kind: 'awaited', judge })
    }
    this.#shard.write(commands)
    if (this.#state.isTracking) this.#options.write(invalidateAll)
    this.#commands.renewed()
    this.#commands.pump()
    this.#options.changed()
  }

  #knocked(reply: Buffer): void {
    this.#isKnocking = false
    this.#isAdmitted = !isError(reply)
    this.#commands.special.clientId = this.#isAdmitted ? integerOf(reply) : undefined
  }

  #take(chunk: Buffer): void {
    try {
      this.#replies.take(chunk)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.#options.lost()
      return
    }
    if (this.#replies.expected.isEmpty) this.#options.tracer.answered()
    if (this.#commands.heldBytes > 0) this.#commands.pump()
    this.#options.changed()
  }

  #watched(line: Buffer): Buffer {
    return this.#commands.special.watched(line) ?? nothing
  }

  /** The shard owes a reply, or has half a command, that no other shard can give or be given. */
  get #isUnderWay(): boolean {
    if (this.#state.isMonitoring) return false
    const ownReplies = this.#commands.special.repliesOfBlocked + (this.#isKnocking ? 1 : 0)
    return this.#commands.isTied || this.#replies.expected.length > ownReplies
  }

  /** Whoever waits for a reply cannot know what became of the command. */
  #lost(): void {
    const isUnderWay = this.#isUnderWay || this.#commands.isOver || this.#state.isRedirected
    this.#replies.reset()
    if (isUnderWay || !this.#shard.retry()) this.#options.lost()
  }
}

const ping = encodeCommand(['ping'])
const nothing = Buffer.alloc(0)
const isMonitorLine = (frame: Buffer): boolean => /^\+\d+\.\d+ \[/.test(frame.toString('latin1', 0, 40))
const clientId = encodeCommand(['client', 'id'])
