// An object being written: whole in one request where it is small, else in parts that are sent while the next comes in.
import { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { BlobTooLarge, type WriteOptions } from '../blobs.ts'
import { giveBack } from '../give-back.ts'
import type { Bucket, Part, SentPart } from './bucket.ts'
import { type Checksums, Crc32, checksumsOf, sha256 } from './checksums.ts'
import { digestsSuffix, digestsText } from './part-digests.ts'
import type { PartMemory } from './part-memory.ts'

const partsAtOnce = 2
/** Of S3 itself. */
const mostParts = 10_000
const waitingBytes = 512 * 1024
/** A part that lands after its upload was given up stays for ever in some stores: those under way may end first. */
const settleMs = 5_000

type Done = (error?: Error | null) => void

interface IncomingPlace {
  bucket: Bucket
  name: string
  partBytes: number
  memory: PartMemory
}

export class IncomingObject extends Writable {
  readonly #place: IncomingPlace
  readonly #maxBytes: number
  readonly #ownsChunks: boolean
  readonly #sending = new Map<number, Promise<void>>()
  readonly #sent: SentPart[] = []
  /** Of the parts, in their order. */
  readonly #checksums: Checksums[] = []
  readonly #aborter = new AbortController()
  #gathered: Buffer[] = []
  #gatheredBytes = 0
  #sha256 = sha256()
  #crc32 = new Crc32()
  #held = 0
  #bytes = 0
  #parts = 0
  #uploadId: Promise<string> | undefined
  #isWhole = false
  #isWritten = false
  #hasDigests = false

  constructor(place: IncomingPlace, { maxBytes, ownsChunks = false }: Pick<WriteOptions, 'maxBytes' | 'ownsChunks'>) {
    super({ highWaterMark: waitingBytes })
    this.#place = place
    this.#maxBytes = Math.min(maxBytes, place.partBytes * mostParts)
    this.#ownsChunks = ownsChunks
  }

  get bytes(): number {
    return this.#bytes
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    this.#take([chunk], done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    const buffers = chunks.map(({ chunk }) => chunk)
    this.#take(buffers, done)
  }

  override _final(done: Done): void {
    this.#finish().then(() => done(), done)
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#place.memory.forget(this)
    this.#leave().then(
      () => done(error),
      () => done(error), // the sweep removes what could not be
    )
  }

  #take(chunks: Buffer[], done: Done): void {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (this.#bytes + bytes > this.#maxBytes) {
      done(new BlobTooLarge(this.#maxBytes))
      return
    }
    this.#place.memory.take(this, bytes, () => {
      this.#bytes += bytes
      this.#held += bytes
      this.#gather(chunks).then(() => done(), done)
    })
  }

  /** Parts of exactly one size: some stores take no others. */
  async #gather(chunks: Buffer[]): Promise<void> {
    for (const chunk of chunks) {
      let rest = chunk
      while (rest.length > 0 && !this.destroyed) {
        const piece = rest.subarray(0, this.#place.partBytes - this.#gatheredBytes)
        rest = rest.subarray(piece.length)
        this.#sha256.update(piece)
        this.#crc32.update(piece)
        this.#gathered.push(piece)
        this.#gatheredBytes += piece.length
        if (this.#gatheredBytes === this.#place.partBytes) await this.#sendPart()
      }
    }
  }

  async #sendPart(): Promise<void> {
    while (this.#sending.size >= partsAtOnce) await Promise.race(this.#sending.values())
    if (this.destroyed) return
    const { bucket, name } = this.#place
    this.#uploadId ??= bucket.beginParts(name, this.#place.partBytes)
    const uploadId = await this.#uploadId
    const part = this.#cutPart()
    const number = ++this.#parts
    this.#checksums.push({ sha256: part.sha256, crc32: part.crc32 })
    const sending = bucket.putPart(name, uploadId, number, part).then(
      (sent) => {
        this.#sent.push(sent)
      },
      (error: Error) => {
        this.destroy(error)
      },
    )
    this.#sending.set(
      number,
      sending.finally(() => {
        this.#sending.delete(number)
        this.#release(part.bytes.length)
      }),
    )
  }

  #cutPart(): Part {
    const bytes = Buffer.concat(this.#gathered, this.#gatheredBytes)
    if (this.#ownsChunks) this.#gathered.forEach(giveBack)
    this.#gathered = []
    this.#gatheredBytes = 0
    const part = { bytes, sha256: this.#sha256.digest(), crc32: this.#crc32.digest() }
    this.#sha256 = sha256()
    this.#crc32 = new Crc32()
    return part
  }

  async #finish(): Promise<void> {
    const { bucket, name } = this.#place
    if (this.#uploadId === undefined) {
      const part = this.#cutPart()
      this.#isWhole = true
      await bucket.put(name, part, this.#aborter.signal)
    } else {
      if (this.#gatheredBytes > 0) await this.#sendPart()
      await Promise.all(this.#sending.values())
      if (this.destroyed) return
      this.#sent.sort((a, b) => a.PartNumber - b.PartNumber)
      this.#hasDigests = true
      await bucket.put(name + digestsSuffix, wholePart(digestsText(this.#checksums)), this.#aborter.signal)
      if (this.destroyed) return
      await bucket.joinParts(name, await this.#uploadId, this.#sent, this.#bytes)
    }
    this.#isWritten = true
  }

  #release(bytes: number): void {
    this.#held -= bytes
    this.#place.memory.giveBack(this, bytes)
  }

  /** Nothing stays of what was not finished. */
  async #leave(): Promise<void> {
    this.#gathered = []
    try {
      if (this.#isWritten) return
      const { bucket, name } = this.#place
      this.#aborter.abort()
      if (this.#isWhole) await bucket.remove(name)
      if (this.#uploadId === undefined) return
      const uploadId = await this.#uploadId
      if (this.#hasDigests) await bucket.remove(name + digestsSuffix)
      await Promise.race([Promise.all(this.#sending.values()), pause(settleMs, undefined, { ref: false })])
      await bucket.dropParts(name, uploadId)
    } finally {
      this.#release(this.#held)
    }
  }
}

const wholePart = (bytes: Buffer): Part => ({ bytes, ...checksumsOf(bytes) })
