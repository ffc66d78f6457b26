// Encrypts what goes to a place: AES-256-GCM, a nonce of its own for every file, its name bound to it.
import { createCipheriv, createDecipheriv, type DecipherGCM, randomBytes } from 'node:crypto'
import { Readable, Transform } from 'node:stream'
import type { Place } from './places/place.ts'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export function sealed(place: Place, key: Buffer): Place {
  return {
    ...place,
    write: (name, bytes, source) => place.write(name, bytes + nonceBytes + tagBytes, encrypt(name, key, source)),
    async read(name) {
      const source = await place.read(name)
      if (source === undefined) return undefined
      const opened = new Unsealing(name, key)
      source.on('error', (error) => opened.destroy(error))
      opened.on('close', () => source.destroy())
      return source.pipe(opened)
    },
  }
}

function encrypt(name: string, key: Buffer, source: Readable): Readable {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(name))
  return Readable.from(
    (async function* () {
      yield nonce
      for await (const chunk of source as AsyncIterable<Buffer>) yield cipher.update(chunk)
      yield cipher.final()
      yield cipher.getAuthTag()
    })(),
    { objectMode: false },
  )
}

/** Whoever reads must wait for the end before believing anything: only there the tag is checked. */
class Unsealing extends Transform {
  readonly #name: string
  readonly #key: Buffer
  #decipher: DecipherGCM | undefined
  #held = Buffer.alloc(0)

  constructor(name: string, key: Buffer) {
    super()
    this.#name = name
    this.#key = key
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, bytes?: Buffer) => void): void {
    let bytes = Buffer.concat([this.#held, chunk])
    if (this.#decipher === undefined && bytes.length >= nonceBytes) {
      const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      this.#decipher = decipher.setAAD(Buffer.from(this.#name))
      bytes = bytes.subarray(nonceBytes)
    }
    const ready = this.#decipher === undefined ? 0 : Math.max(bytes.length - tagBytes, 0)
    this.#held = bytes.subarray(ready)
    done(null, ready === 0 ? undefined : this.#decipher?.update(bytes.subarray(0, ready)))
  }

  override _flush(done: (error: Error | null, bytes?: Buffer) => void): void {
    try {
      if (this.#decipher === undefined || this.#held.length !== tagBytes) throw new Error('too short')
      this.#decipher.setAuthTag(this.#held)
      done(null, this.#decipher.final())
    } catch {
      done(new Error(`${this.#name} is damaged: it was not written with this passphrase, or was changed since`))
    }
  }
}
