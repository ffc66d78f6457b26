// Counts and digests bytes that pass by.
import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'

export class Measured extends Transform {
  readonly #hash = createHash('sha256')
  bytes = 0

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, bytes: Buffer) => void): void {
    this.bytes += chunk.length
    this.#hash.update(chunk)
    done(null, chunk)
  }

  /** In hexadecimal; once, when all has passed. */
  sha256(): string {
    return this.#hash.digest('hex')
  }
}

/** Lets bytes pass only to their end if they are the ones expected. */
export class Checked extends Measured {
  readonly #expected: { bytes: number; sha256: string; name: string }

  constructor(expected: { bytes: number; sha256: string; name: string }) {
    super()
    this.#expected = expected
  }

  override _flush(done: (error?: Error | null) => void): void {
    const { bytes, sha256, name } = this.#expected
    const isRight = this.bytes === bytes && this.sha256() === sha256
    done(isRight ? null : new Error(`${name} is damaged: it has other bytes than were backed up`))
  }
}
