// From the shard to the client: bytes pass as they come, but for replies that somebody has to look at first.
import { Expected } from './expected.ts'
import { FrameScanner, pushType } from './resp/frame-scanner.ts'

/** A reply that is looked at is held whole; the list of many clients is the longest of these. */
const maxHeldBytes = 64 * 1024 * 1024

interface Options {
  write(bytes: Buffer): void
  /** Frames that answer no command: the session may have to tell them from replies. */
  isSubscriber(): boolean
  /** What answers nothing, and is told otherwise than the shard tells it; undefined for all else. */
  unasked(frame: Buffer): Buffer | undefined
}

export class ReplyPath {
  readonly expected = new Expected()
  readonly #options: Options
  #scanner = new FrameScanner()
  /** The frame under way is an ordinary one: the rest of it passes too. */
  #isPassing = false
  #held: Buffer[] = []
  #heldBytes = 0

  constructor(options: Options) {
    this.#options = options
  }

  /** For a new connection. Replies that never came are not awaited any more. */
  reset(): void {
    this.#scanner = new FrameScanner()
    this.#isPassing = false
    this.#held = []
    this.#heldBytes = 0
    this.expected.clear()
  }

  /** Throws ProtocolError. */
  take(chunk: Buffer): void {
    let at = 0
    let passed = 0
    while (at < chunk.length) {
      if (this.#passes()) {
        const end = this.#scanner.next(chunk, at)
        this.#isPassing = end < 0
        at = end < 0 ? chunk.length : end
        if (end >= 0 && this.#scanner.firstType !== pushType) this.expected.done()
      } else {
        if (at > passed) this.#options.write(chunk.subarray(passed, at))
        at = this.#hold(chunk, at)
        passed = at
      }
    }
    if (passed < chunk.length) this.#options.write(passed === 0 ? chunk : chunk.subarray(passed))
  }

  #passes(): boolean {
    if (this.#isPassing) return true
    return this.#held.length === 0 && this.expected.awaited === undefined && !this.#options.isSubscriber()
  }

  #hold(chunk: Buffer, from: number): number {
    const end = this.#scanner.next(chunk, from)
    if (this.expected.awaited?.isDropped === true && this.#scanner.firstType !== pushType) {
      if (end >= 0) this.expected.done()
      return end < 0 ? chunk.length : end
    }
    const piece = chunk.subarray(from, end < 0 ? chunk.length : end)
    this.#held.push(piece)
    this.#heldBytes += piece.length
    if (end >= 0) this.#judge(this.#takeHeld())
    else if (this.#heldBytes > maxHeldBytes) {
      // A message to a subscriber may be long; it can be no reply that is awaited.
      this.#options.write(this.#takeHeld())
      this.#isPassing = true
    }
    return end < 0 ? chunk.length : end
  }

  #takeHeld(): Buffer {
    const frame = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held)
    this.#held = []
    this.#heldBytes = 0
    return frame
  }

  #judge(frame: Buffer): void {
    const { awaited } = this.expected
    const unasked = answersNothing(frame) ? frame : this.#options.unasked(frame)
    if (unasked !== undefined) {
      if (unasked.length > 0) this.#options.write(unasked)
      return
    }
    const fate = awaited === undefined ? 'pass' : awaited.judge(frame)
    if (fate !== 'swallow') this.#options.write(fate === 'pass' ? frame : fate)
    this.expected.done()
  }
}

const message = /^[*>]\d+\r\n\$\d+\r\n(p|s)?message\r\n/
const confirmation = /^>\d+\r\n\$\d+\r\n(p|s)?(un)?subscribe\r\n/
const longestOpening = 40

/** What a subscriber hears, and what a client that keeps values is told. */
function answersNothing(frame: Buffer): boolean {
  const opening = frame.toString('latin1', 0, longestOpening)
  return message.test(opening) || (frame[0] === pushType && !confirmation.test(opening))
}
