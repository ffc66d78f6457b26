// Identifiers, secrets and list positions come through this port, so that tests can be exact about them.
import { randomFillSync } from 'node:crypto'
import type { Clock } from '../clock/clock.ts'

export interface Ids {
  /**
   * A new identifier: the prefix, the list position in 9 letters, 15 random letters and digits.
   * Lists are ordered by position, then id; a cursor carries its own position, so it works even after its object is deleted.
   */
  next(prefix: string): string
  /** A secret of `length` letters and digits: 5.95 random bits each. */
  secret(length: number): string
  /** 32 hexadecimal digits, for request ids. */
  hex(): string
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const codes = Buffer.from(alphabet, 'latin1')
const unbiasedBelow = 256 - (256 % alphabet.length)
const positionLetters = 9
const randomLetters = 15

/** Random bytes drawn in blocks: one system call serves many identifiers. */
class RandomPool {
  #bytes = Buffer.alloc(4096)
  #at = this.#bytes.length

  byte(): number {
    this.#refill(1)
    return this.#bytes[this.#at++] as number
  }

  hex(count: number): string {
    this.#refill(count)
    this.#at += count
    return this.#bytes.toString('hex', this.#at - count, this.#at)
  }

  #refill(count: number): void {
    if (this.#at + count <= this.#bytes.length) return
    randomFillSync(this.#bytes)
    this.#at = 0
  }
}

export function createIds(clock: Clock): Ids {
  const pool = new RandomPool()
  const tail = Buffer.alloc(positionLetters + randomLetters)
  let lastPosition = 0
  const fill = (text: Buffer, from: number): void => {
    for (let at = from; at < text.length; ) {
      const value = pool.byte()
      if (value < unbiasedBelow) text[at++] = codes[value % alphabet.length] as number
    }
  }
  const letters = (length: number): string => {
    const text = Buffer.alloc(length)
    fill(text, 0)
    return text.toString('latin1')
  }
  return {
    next(prefix) {
      lastPosition = Math.max(lastPosition + 1, clock.now() * 1000)
      writePosition(lastPosition, tail)
      fill(tail, positionLetters)
      return prefix + tail.toString('latin1')
    },
    secret: letters,
    hex: () => pool.hex(16),
  }
}

/** Microseconds since the epoch, growing with every id of this process. Undefined when `id` is none of ours. */
export function positionOf(id: string): number | undefined {
  const tail = id.slice(-(positionLetters + randomLetters))
  if (tail.length < positionLetters + randomLetters) return undefined
  let position = 0
  for (const letter of tail.slice(0, positionLetters)) {
    const digit = alphabet.indexOf(letter)
    if (digit < 0) return undefined
    position = position * alphabet.length + digit
  }
  return Number.isSafeInteger(position) ? position : undefined
}

function writePosition(position: number, text: Buffer): void {
  let rest = position
  for (let at = positionLetters - 1; at >= 0; at--) {
    text[at] = codes[rest % alphabet.length] as number
    rest = Math.floor(rest / alphabet.length)
  }
}
