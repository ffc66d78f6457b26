// Entries of a ZIP archive, unpacked as they are read and no further than the limits: an archive of a few megabytes
// can unpack to terabytes.
import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import type { DocumentLimits } from '../limits.ts'
import { problems } from '../problems.ts'
import type { SpooledFile } from './spooled-file.ts'
import { readZipDirectory, type ZipEntry } from './zip-directory.ts'

const headerMark = 0x04034b50
const headerSize = 30
const stored = 0
const deflated = 8
/** Small entries may be as repetitive as they like. */
const ratioMattersFrom = 16 * 1024 ** 2

type ZipLimits = Pick<DocumentLimits, 'zipEntries' | 'unpackedBytes' | 'unpackedRatio'>

export class Zip {
  readonly #file: SpooledFile
  readonly #entries: Map<string, ZipEntry>
  readonly #limits: ZipLimits
  #unpacked = 0

  private constructor(file: SpooledFile, entries: Map<string, ZipEntry>, limits: ZipLimits) {
    this.#file = file
    this.#entries = entries
    this.#limits = limits
  }

  static async open(file: SpooledFile, limits: ZipLimits): Promise<Zip> {
    return new Zip(file, await readZipDirectory(file, limits.zipEntries), limits)
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** The text of an entry; nothing when there is no such entry. */
  async *text(name: string): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8')
    for await (const piece of this.#bytes(name)) yield decoder.decode(piece, { stream: true })
    yield decoder.decode()
  }

  async *#bytes(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name)
    if (entry === undefined) return
    if (entry.isEncrypted) throw problems.encrypted('document')
    if (entry.method !== stored && entry.method !== deflated) throw problems.damaged('document')
    const packed = this.#file.stream(await this.#dataStart(entry), entry.packedBytes)
    // What it says of itself is checked first, what comes out of it as well.
    this.#refuseBomb(entry.unpackedBytes, entry.packedBytes)
    let unpacked = 0
    for await (const { piece, packedBytes } of entry.method === stored ? asStored(packed) : inflate(packed)) {
      unpacked += piece.length
      this.#unpacked += piece.length
      this.#refuseBomb(unpacked, packedBytes)
      yield piece
    }
  }

  #refuseBomb(unpacked: number, packedBytes: number): void {
    const { unpackedBytes, unpackedRatio } = this.#limits
    const isBomb = (bytes: number, from: number): boolean => bytes > ratioMattersFrom && bytes > from * unpackedRatio
    // Many small parts, or one that is asked for again and again, are as large as one.
    if (isBomb(unpacked, packedBytes) || isBomb(this.#unpacked, this.#file.size) || this.#unpacked > unpackedBytes)
      throw problems.unpacksTooLarge('document')
  }

  async #dataStart({ headerAt }: ZipEntry): Promise<number> {
    const header = await this.#file.read(headerAt, headerSize)
    if (header.length < headerSize || header.readUInt32LE(0) !== headerMark) throw problems.damaged('document')
    return headerAt + headerSize + header.readUInt16LE(26) + header.readUInt16LE(28)
  }
}

interface Unpacked {
  piece: Uint8Array
  /** Needed so far. */
  packedBytes: number
}

async function* asStored(packed: AsyncIterable<Buffer>): AsyncGenerator<Unpacked> {
  for await (const piece of packed) yield { piece, packedBytes: Number.POSITIVE_INFINITY }
}

async function* inflate(packed: AsyncIterable<Buffer>): AsyncGenerator<Unpacked> {
  const inflater = createInflateRaw()
  const source = Readable.from(packed)
  source.once('error', (error) => inflater.destroy(error))
  source.pipe(inflater)
  try {
    for await (const piece of inflater) yield { piece: piece as Uint8Array, packedBytes: inflater.bytesWritten }
  } catch (error) {
    throw problems.damaged('document', error)
  } finally {
    source.destroy()
    inflater.destroy()
  }
}
