// A client on a shared link: its plain commands go there, up to the first that needs a connection of its own.
import { ProtocolError } from './resp/frame-scanner.ts'
import { isPlain } from './resp/plain-commands.ts'
import { RequestScanner } from './resp/request-scanner.ts'
import type { Rider, SharedLink } from './shared-link.ts'
import type { Tracer } from './trail.ts'

interface Options {
  tracer: Tracer
  write(bytes: Buffer): void
  mayForward(): boolean
  /** The last reply that was awaited has come. */
  replied(): void
  /** The link takes commands again. */
  mayGoOn(): void
  /** The client has to be left. */
  close(): void
  /** It has to have a connection of its own. */
  goAlone(): void
}

const star = 42
/** What is longer goes its own way. */
const maxCommandBytes = 16 * 1024
/** Commands of one client under way at once: few, and fewer until its replies were small. Others wait behind them. */
const firstUnderWay = 2
const maxUnderWay = 64
/** A client that asks for more than this at a time has a connection for itself. */
const heavyReplyBytes = 64 * 1024
const smallReplyBytes = 4 * 1024
const nothing = Buffer.alloc(0)

export class Lane implements Rider {
  readonly #link: SharedLink
  readonly #options: Options
  readonly #scanner = new RequestScanner()
  #input: Buffer = nothing
  #underWay = 0
  #mostUnderWay = firstUnderWay
  /** Since nothing was under way. */
  #replies = 0
  #replyBytes = 0
  /** What is there of the next command was looked at: more has to come. */
  #isIncomplete = false
  #isStuck = false
  #isLeft = false

  constructor(link: SharedLink, options: Options) {
    this.#link = link
    this.#options = options
    link.join(this)
  }

  /** What comes next needs a connection of its own. */
  get isStuck(): boolean {
    return this.#isStuck
  }

  get isIdle(): boolean {
    return this.#underWay === 0
  }

  /** All that came was answered, and nothing of it can be sent unless something follows. */
  get isDone(): boolean {
    return this.isIdle && !this.#isStuck && (this.#input.length === 0 || this.#isIncomplete)
  }

  /** The shard's name for the link. */
  get shardId(): number | undefined {
    return this.#link.shardId
  }

  get heldBytes(): number {
    return this.#input.length
  }

  take(chunk: Buffer): void {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk])
    this.pump()
  }

  /** Sends what may be sent. */
  pump(): void {
    const room = this.#mostUnderWay - this.#underWay
    if (this.#input.length === 0 || this.#isStuck || room <= 0) return
    if (!this.#link.takesCommands || !this.#options.mayForward()) return
    const input = this.#input
    let [at, count] = [0, 0]
    this.#isIncomplete = false
    while (at < input.length && count < room) {
      const end = this.#end(input, at)
      if (end < 0) break
      at = end
      count++
    }
    this.#input = at === input.length ? nothing : input.subarray(at)
    if (count === 0) return
    this.#underWay += count
    const commands = at === input.length ? input : input.subarray(0, at)
    this.#options.tracer.sent(commands)
    this.#link.send(this, commands, count)
  }

  /** Returns what was not sent. */
  leave(): Buffer {
    this.#isLeft = true
    this.#link.leave(this)
    return this.#input
  }

  deliver(bytes: Buffer, replies: number): void {
    if (this.#isLeft) return
    this.#underWay -= replies
    this.#replies += replies
    this.#replyBytes += bytes.length
    if (this.#replyBytes > heavyReplyBytes && this.#replyBytes > this.#replies * smallReplyBytes) this.#isStuck = true
    this.#options.write(bytes)
    if (this.#underWay === 0 && replies > 0) this.#allReplied()
  }

  #allReplied(): void {
    if (this.#replies >= this.#mostUnderWay) this.#mostUnderWay = Math.min(maxUnderWay, 2 * this.#mostUnderWay)
    this.#replies = 0
    this.#replyBytes = 0
    this.#options.tracer.answered()
    this.pump()
    this.#options.replied()
  }

  mayGoOn(): void {
    this.#options.mayGoOn()
  }

  lost(): void {
    if (this.#underWay > 0) this.#options.close()
  }

  ended(): void {
    this.#options.close()
  }

  refused(): void {
    this.#options.goAlone()
  }

  /** Of the plain command that begins there; -1 where none does, or it is not complete. */
  #end(input: Buffer, at: number): number {
    try {
      const end = input[at] === star ? this.#scanner.next(input, at) : at
      const { nameAt, nameLength, needed } = this.#scanner
      const isOurs = end < 0 ? needed <= maxCommandBytes : end > at && isPlain(input, nameAt, nameLength)
      this.#isIncomplete = isOurs && end < 0
      if (isOurs) return end
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
    }
    this.#isStuck = true
    return -1
  }
}
