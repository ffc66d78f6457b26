// A client's folder as a tar. The client lists what it has, files are asked for a few at a time, and their bytes come in
// any order; the tar has them in the order of the list.
import type { GrpcStream } from '../../grpc/client.ts'
import { codes, GrpcFailure } from '../../grpc/status.ts'
import { Packet, packetTypes, type Stat } from '../protocol/session.ts'
import { isSame, type KnownEntries, type ListedEntries, signatureOf } from './kept-folders.ts'
import { hasContent, isLeftOut, padding, tarEnd, tarHead } from './tar-entry.ts'

const maxListBytes = 512 * 1024 * 1024
/** Of files that were asked for and have not gone on yet; a larger one is asked for alone. */
const windowBytes = 16 * 1024 * 1024
const maxFilesAsked = 512
const pieceBytes = 256 * 1024
/** What an entry of the list takes up, beside its names. */
const entryBytes = 200

interface Arriving {
  pieces: Buffer[]
  /** Bytes that were listed and have not come. */
  missing: number
  isWhole: boolean
}

export class IncomingFiles {
  readonly #stream: GrpcStream
  readonly #onBytes: (bytes: number) => void
  readonly #known: KnownEntries
  readonly #list: Stat[] = []
  readonly #signatures = new Map<string, string>()
  /** Places in the list of what is there already. */
  readonly #same = new Set<number>()
  #totalBytes = 0n
  readonly #arriving = new Map<number, Arriving>()
  #isListed = false
  #listBytes = 0
  /** Entries before this one were asked for, where they have content. */
  #asked = 0
  #askedBytes = 0
  /** Arrived, and not gone on yet. */
  #heldBytes = 0
  #failure: unknown
  readonly #reading: Promise<void>
  #wake: () => void = () => {}
  #wakeReader: () => void = () => {}

  /**
   * @param onBytes hears of what has come.
   * @param known what is there already: nothing of it is asked for again, and nothing at all before the list is whole.
   */
  constructor(stream: GrpcStream, onBytes: (bytes: number) => void, known: KnownEntries = new Map()) {
    this.#stream = stream
    this.#onBytes = onBytes
    this.#known = known
    this.#reading = this.#read().catch((error: unknown) => {
      this.#failure = error
      this.#wake()
    })
  }

  /** Everything that the client has. */
  async list(): Promise<ListedEntries> {
    while (!this.#isListed) await this.#change()
    return { entries: this.#signatures, bytes: this.#totalBytes }
  }

  async *tar(): AsyncGenerator<Buffer> {
    const batch = new Batch()
    try {
      for (let at = 0; ; at++) {
        const stat = await this.#entry(at)
        if (stat === undefined) break
        if (isLeftOut(stat) || this.#same.has(at)) continue
        for await (const piece of this.#entryBytes(at, stat)) {
          if (batch.add(piece)) yield batch.take()
        }
      }
      batch.add(tarEnd)
      yield batch.take()
      await this.#stream.write(Packet.encode({ type: packetTypes.finish }))
      await this.#reading
      if (this.#failure !== undefined) throw this.#failure
    } finally {
      this.#stream.cancel()
    }
  }

  async *#entryBytes(at: number, stat: Stat): AsyncGenerator<Buffer> {
    yield tarHead(checked(stat))
    if (!hasContent(stat)) return
    yield* this.#content(at, stat)
    yield padding(Number(stat.size))
  }

  async *#content(at: number, { size, path }: Stat): AsyncGenerator<Buffer> {
    const file = this.#arriving.get(at)
    if (file === undefined) return
    for (;;) {
      const piece = file.pieces.shift()
      if (piece !== undefined) {
        this.#heldBytes -= piece.length
        this.#wakeReader()
        yield piece
      } else if (file.isWhole) break
      else await this.#change()
    }
    this.#arriving.delete(at)
    this.#askedBytes -= Number(size)
    this.#askForMore()
    if (file.missing > 0) throw new GrpcFailure(codes.unknown, `${path} became shorter while it was sent`)
  }

  async #entry(at: number): Promise<Stat | undefined> {
    while (at >= this.#list.length && !this.#isListed) await this.#change()
    return this.#list[at]
  }

  #change(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    return new Promise((resolve, reject) => {
      this.#wake = () => (this.#failure === undefined ? resolve() : reject(this.#failure))
    })
  }

  async #read(): Promise<void> {
    for await (const bytes of this.#stream.read()) {
      const packet = Packet.decode(bytes)
      if (packet.type === packetTypes.stat) this.#listed(packet)
      else if (packet.type === packetTypes.data) await this.#arrived(packet)
      else if (packet.type === packetTypes.error) {
        throw new GrpcFailure(codes.unknown, Buffer.from(packet.data).toString('utf8').slice(0, 2_000))
      } else if (packet.type === packetTypes.finish) this.#stream.end()
      this.#wake()
    }
    if (!this.#isListed) throw new GrpcFailure(codes.unknown, 'the client stopped before it had listed its files')
  }

  #listed({ stat }: Packet): void {
    if (stat?.path === undefined || stat.path === '') this.#isListed = true
    else {
      this.#add(stat as Stat)
      this.#listBytes += stat.path.length + (stat.linkname?.length ?? 0) + entryBytes
      if (this.#listBytes > maxListBytes)
        throw new GrpcFailure(codes.resourceExhausted, 'the context has too many files')
    }
    this.#askForMore()
  }

  #add(stat: Stat): void {
    const signature = signatureOf(stat)
    if (this.#signatures.has(stat.path)) {
      throw new GrpcFailure(codes.invalidArgument, `${stat.path.slice(0, 200)} is listed twice`)
    }
    if (isSame(signature, this.#known.get(stat.path))) this.#same.add(this.#list.length)
    this.#signatures.set(stat.path, signature)
    this.#totalBytes += stat.size
    this.#list.push(stat)
  }

  async #arrived({ id, data }: Packet): Promise<void> {
    const file = this.#arriving.get(id)
    if (file === undefined || file.isWhole) return
    if (data.length === 0) {
      file.isWhole = true
      return
    }
    // A file that grows meanwhile is as long as it was when it was listed.
    const piece = Buffer.from(data.buffer, data.byteOffset, Math.min(data.length, file.missing))
    if (piece.length === 0) return
    file.missing -= piece.length
    file.pieces.push(piece)
    this.#heldBytes += piece.length
    this.#onBytes(piece.length)
    while (this.#heldBytes > 2 * windowBytes) {
      this.#wake()
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve
      })
    }
  }

  #askForMore(): void {
    if (this.#known.size > 0 && !this.#isListed) return
    for (let stat = this.#list[this.#asked]; stat !== undefined; stat = this.#list[this.#asked]) {
      const size = Number(stat.size ?? 0n)
      if (hasContent(stat) && size > 0 && !this.#same.has(this.#asked)) {
        const isFull = this.#arriving.size > 0 && this.#askedBytes + size > windowBytes
        if (isFull || this.#arriving.size >= maxFilesAsked) return
        this.#arriving.set(this.#asked, { pieces: [], missing: size, isWhole: false })
        this.#askedBytes += size
        void this.#stream.write(Packet.encode({ type: packetTypes.request, id: this.#asked }))
      }
      this.#asked++
    }
  }
}

/** Names stay inside; what they lead to is the unpacking program's to check. */
function checked(stat: Stat): Stat {
  if (stat.path.startsWith('/') || stat.path.includes('\0') || stat.path.split('/').includes('..')) {
    throw new GrpcFailure(codes.invalidArgument, `${stat.path.slice(0, 200)} is no path inside a folder`)
  }
  return stat
}

/** Small pieces together. */
class Batch {
  #pieces: Buffer[] = []
  #bytes = 0

  /** Whether it is large enough to go on. */
  add(piece: Buffer): boolean {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    return this.#bytes >= pieceBytes
  }

  take(): Buffer {
    const whole = Buffer.concat(this.#pieces, this.#bytes)
    this.#pieces = []
    this.#bytes = 0
    return whole
  }
}
