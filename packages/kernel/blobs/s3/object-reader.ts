// The bytes of an object as they come. A connection that breaks is taken up again where it broke.
import { finished, Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { ByteRange } from '../blobs.ts'
import { type Checksum, checksumLike } from './checksums.ts'
import { bucketFailure } from './failure.ts'
import { PartCheck, type PartDigests } from './part-digests.ts'

/** One answer of the store. */
export interface OpenedObject {
  body: Readable
  etag: string | undefined
  /** Bytes of this answer. */
  bytes: number
  /** Of the whole object, where it was kept with it and the answer is all of it. */
  checksum: string | undefined
  /** Of an object that was sent in parts, where they were kept. */
  parts: PartDigests | undefined
}

interface ReaderPlace {
  key: string
  /** From a byte of the object on; `etag`: of the same object as before. */
  open(range: ByteRange, etag: string | undefined): Promise<OpenedObject>
  attempts: number
}

const firstPauseMs = 100

export class ObjectReader extends Readable {
  readonly #place: ReaderPlace
  readonly #etag: string | undefined
  readonly #written: string | undefined
  readonly #sum: Checksum | undefined
  readonly #parts: PartCheck | undefined
  readonly #end: number
  #at: number
  #source: Readable | undefined
  #failures = 0
  #isWanted = false
  /** A connection that broke, perhaps of idleness, while nobody read: the next one is opened for who reads on. */
  #broken: Error | undefined

  /** `opened` is the answer for what begins at `start`. */
  constructor(place: ReaderPlace, opened: OpenedObject, start: number) {
    super()
    this.#place = place
    this.#etag = opened.etag
    this.#at = start
    this.#end = start + opened.bytes
    this.#written = opened.checksum
    this.#sum = opened.checksum === undefined ? undefined : checksumLike(opened.checksum)
    this.#parts = opened.parts && new PartCheck(opened.parts, start)
    this.#follow(opened.body)
  }

  override _read(): void {
    this.#isWanted = true
    this.#source?.resume()
    const broken = this.#broken
    this.#broken = undefined
    if (broken !== undefined) this.#goOn(broken).catch((problem) => this.destroy(problem))
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source?.destroy()
    done(error)
  }

  #follow(source: Readable): void {
    this.#source = source
    source.on('data', (chunk: Buffer) => {
      this.#at += chunk.length
      this.#failures = 0
      this.#sum?.update(chunk)
      if (this.#parts?.isRight(chunk) === false) {
        this.#refuse()
        return
      }
      if (this.push(chunk)) return
      this.#isWanted = false
      source.pause()
    })
    source.pause()
    finished(source, (error) => {
      this.#source = undefined
      if (this.destroyed) return
      if (this.#at === this.#end) {
        this.#finish()
        return
      }
      this.#broken = error ?? new Error('the answer was cut short')
      if (this.#isWanted) this._read()
    })
  }

  #finish(): void {
    if (this.#sum === undefined || this.#sum.digest() === this.#written) this.push(null)
    else this.#refuse()
  }

  #refuse(): void {
    this.destroy(new Error(`The blob ${this.#place.key} has other bytes than were written.`))
  }

  async #goOn(error: Error): Promise<void> {
    const beyond = this.#at > this.#end
    if (beyond || ++this.#failures >= this.#place.attempts) throw bucketFailure('read', error)
    await pause(firstPauseMs * 2 ** this.#failures)
    if (this.destroyed) return
    const { body } = await this.#place.open({ start: this.#at, end: this.#end - 1 }, this.#etag)
    if (this.destroyed) body.destroy()
    else {
      this.#follow(body)
      if (this.#isWanted) body.resume()
    }
  }
}
