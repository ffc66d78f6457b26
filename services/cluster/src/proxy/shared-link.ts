// One connection to the shard for many clients: what they say in one turn of the loop is written at once, and replies
// are told apart by their order.
import type { Socket } from 'node:net'
import { FrameScanner, ProtocolError, pushType } from './resp/frame-scanner.ts'
import { integerOf, isError } from './resp/replies.ts'
import { encodeCommand } from './resp/request-scanner.ts'
import { ShardConnection } from './shard-connection.ts'

/** A client on the link. */
export interface Rider {
  /** Of its replies; so many of them end with these bytes. */
  deliver(bytes: Buffer, replies: number): void
  /** The link takes commands, again or for the first time. */
  mayGoOn(): void
  /** Replies that were awaited will not come. */
  lost(): void
  /** There is no shard. */
  ended(): void
  /** The shard does not want the link, or not now: whoever is alone is told why. */
  refused(): void
}

/** What a connection has to be told first, and how many replies that has. */
export interface Greeting {
  commands: Buffer
  replies: number
}

interface Options {
  greeting: Greeting
  connect(): Socket
  /** Nobody rides on it any more, or nobody can. */
  over(link: SharedLink): void
}

interface Run {
  rider: Rider
  count: number
}

/** So many that are done are forgotten together. */
const forgottenRuns = 1024

export class SharedLink {
  readonly #options: Options
  readonly #connection: ShardConnection
  readonly #riders = new Set<Rider>()
  #scanner = new FrameScanner()
  #greetingsLeft = 0
  /** Of the last answer to the greeting, which tells the link's number. */
  #greeting: Buffer[] = []
  #shardId: number | undefined
  /** In the midst of a frame that is for nobody. */
  #isSkipping = false
  #runs: Run[] = []
  #firstRun = 0
  #batch: Buffer[] = []
  #isOver = false

  constructor(options: Options) {
    this.#options = options
    this.#connection = new ShardConnection({
      connect: options.connect,
      opened: () => this.#greet(),
      take: (chunk) => this.#take(chunk),
      drained: () => this.#goOn(),
      lost: () => this.#lost(),
    })
    this.#connection.open()
  }

  get takesCommands(): boolean {
    return this.#connection.isOpen && this.#greetingsLeft === 0 && !this.#connection.isFull
  }

  /** Nothing that was sent is under way, also for those who have left. */
  get isIdle(): boolean {
    return this.#firstRun === this.#runs.length
  }

  /** The shard's name for this connection. */
  get shardId(): number | undefined {
    return this.#shardId
  }

  join(rider: Rider): void {
    this.#riders.add(rider)
  }

  leave(rider: Rider): void {
    this.#riders.delete(rider)
    if (this.#riders.size === 0 && this.isIdle) this.#end()
  }

  /** Whole commands, so many. */
  send(rider: Rider, commands: Buffer, count: number): void {
    const last = this.#runs.at(-1)
    if (last?.rider === rider && !this.isIdle) last.count += count
    else this.#runs.push({ rider, count })
    if (this.#batch.length === 0) setImmediate(() => this.#flush())
    this.#batch.push(commands)
  }

  /** Goes on with the shard that serves now. */
  move(): void {
    if (this.#isOver) return
    this.#forget()
    this.#connection.move()
  }

  close(): void {
    this.#isOver = true
    this.#connection.drop()
  }

  #greet(): void {
    const { commands, replies } = this.#options.greeting
    this.#greetingsLeft = replies + 1
    this.#greeting = []
    this.#connection.write(Buffer.concat([commands, clientId]))
  }

  #flush(): void {
    const [first] = this.#batch
    if (first === undefined) return
    const bytes = this.#batch.length === 1 ? first : Buffer.concat(this.#batch)
    this.#batch = []
    this.#connection.write(bytes)
  }

  #goOn(): void {
    for (const rider of [...this.#riders]) rider.mayGoOn()
  }

  #take(chunk: Buffer): void {
    try {
      this.#deliver(chunk, this.#greetingsLeft === 0 ? 0 : this.#takeGreetings(chunk))
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.#lost()
    }
    if (this.#riders.size === 0 && this.isIdle) this.#end()
  }

  #takeGreetings(chunk: Buffer): number {
    let at = 0
    while (at < chunk.length && this.#greetingsLeft > 0) {
      if (this.#scanner.isBetween && isError(chunk.subarray(at))) {
        this.#refused()
        return chunk.length
      }
      const end = this.#scanner.next(chunk, at)
      if (this.#greetingsLeft === 1) this.#greeting.push(chunk.subarray(at, end < 0 ? chunk.length : end))
      if (end < 0) return chunk.length
      at = end
      if (this.#scanner.firstType !== pushType) this.#greetingsLeft--
    }
    if (this.#greetingsLeft === 0) {
      this.#shardId = integerOf(Buffer.concat(this.#greeting))
      this.#goOn()
    }
    return at
  }

  #deliver(chunk: Buffer, from: number): void {
    let at = from
    while (at < chunk.length && !this.#isOver) {
      if (this.#isPush(chunk, at)) {
        at = this.#skipPush(chunk, at)
        continue
      }
      const run = this.#runs[this.#firstRun]
      if (run === undefined) throw new ProtocolError('A reply came that nobody awaits.')
      const begin = at
      let ended = 0
      while (at < chunk.length && ended < run.count && !this.#isPush(chunk, at)) {
        const end = this.#scanner.next(chunk, at)
        at = end < 0 ? chunk.length : end
        if (end >= 0) ended++
      }
      run.count -= ended
      if (run.count === 0) this.#ended()
      run.rider.deliver(begin === 0 && at === chunk.length ? chunk : chunk.subarray(begin, at), ended)
    }
  }

  /** Nobody on this link has asked for any, but others can make the shard send them here. */
  #isPush(chunk: Buffer, at: number): boolean {
    return this.#isSkipping || (chunk[at] === pushType && this.#scanner.isBetween)
  }

  #skipPush(chunk: Buffer, at: number): number {
    const end = this.#scanner.next(chunk, at)
    this.#isSkipping = end < 0
    return end < 0 ? chunk.length : end
  }

  #ended(): void {
    this.#firstRun++
    if (this.isIdle) {
      this.#runs.length = 0
      this.#firstRun = 0
    } else if (this.#firstRun >= forgottenRuns) {
      this.#runs.splice(0, this.#firstRun)
      this.#firstRun = 0
    }
  }

  #forget(): void {
    this.#runs = []
    this.#firstRun = 0
    this.#batch = []
    this.#greetingsLeft = 0
    this.#isSkipping = false
    this.#scanner = new FrameScanner()
  }

  #lost(): void {
    this.#forget()
    for (const rider of [...this.#riders]) rider.lost()
    if (this.#isOver) return
    if (this.#riders.size === 0) this.#end()
    else if (!this.#connection.retry()) this.#giveUp()
  }

  #giveUp(): void {
    this.#end()
    for (const rider of [...this.#riders]) rider.ended()
  }

  #refused(): void {
    this.#end()
    for (const rider of [...this.#riders]) rider.refused()
  }

  #end(): void {
    if (this.#isOver) return
    this.close()
    this.#options.over(this)
  }
}

const clientId = encodeCommand(['client', 'id'])
