// A file on its way: bytes are written where they belong, and what is noted as fetched is on the disk.
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { z } from 'zod'
import { readJson, writeJson } from './durable-json.ts'
import type { ModelPaths } from './paths.ts'
import { Pieces } from './pieces.ts'
import type { RemoteFile } from './remote-file.ts'

const Stretch = z.tuple([z.int().min(0), z.int().min(0)])

export const PartState = z.object({
  etag: z.string(),
  bytes: z.int().min(1),
  pieceBytes: z.int().min(1),
  done: z.array(Stretch).max(100_000),
})

type PartPaths = Pick<ModelPaths, 'part' | 'partState'>

/** Smaller pieces lose less when the process is killed, larger ones sync less often. */
const pieceBytesOf = (bytes: number): number => Math.min(4 * mebibyte, Math.max(mebibyte / 4, Math.ceil(bytes / 256)))
const mebibyte = 1024 * 1024

export class PartFile {
  readonly pieces: Pieces
  readonly #paths: PartPaths
  readonly #handle: FileHandle
  readonly #etag: string | undefined
  #saving: Promise<void> | undefined
  #unsaved = false

  private constructor(paths: PartPaths, handle: FileHandle, pieces: Pieces, etag: string | undefined) {
    this.#paths = paths
    this.#handle = handle
    this.pieces = pieces
    this.#etag = etag
  }

  /** Goes on where an earlier attempt at the same file ended. */
  static async open(paths: PartPaths, remote: RemoteFile): Promise<PartFile> {
    const { bytes = 0, etag } = remote
    const state = remote.ranges && etag !== undefined ? await readJson(paths.partState, PartState) : undefined
    const size = await stat(paths.part).then(
      (found) => found.size,
      () => undefined,
    )
    if (state && state.etag === etag && state.bytes === bytes && size === bytes) {
      const handle = await open(paths.part, 'r+')
      return new PartFile(paths, handle, new Pieces(bytes, state.pieceBytes, state.done), etag)
    }
    await discardPart(paths)
    const handle = await open(paths.part, 'w', 0o600)
    await handle.truncate(bytes)
    return new PartFile(paths, handle, new Pieces(bytes, pieceBytesOf(bytes)), remote.ranges ? etag : undefined)
  }

  /** `from` is where this stretch began, at the start of a piece; without it nothing is noted. */
  async write(chunk: Buffer, at: number, from?: number): Promise<void> {
    for (let written = 0; written < chunk.length; ) {
      written += (await this.#handle.write(chunk, written, chunk.length - written, at + written)).bytesWritten
    }
    if (from !== undefined && this.pieces.advance(from, at + chunk.length)) this.#saveSoon()
  }

  /** A file whose size nobody told ends here. */
  async end(bytes: number): Promise<void> {
    await this.#handle.truncate(bytes)
  }

  /** Everything written is on the disk. */
  async sync(): Promise<void> {
    await this.#handle.sync()
  }

  /** What is complete is noted first. A note that cannot be written costs bytes next time, and nothing more. */
  async close(): Promise<void> {
    await this.#saving?.catch(() => undefined)
    await this.#handle.close()
  }

  /** One at a time: what becomes complete meanwhile is saved together. */
  #saveSoon(): void {
    this.#unsaved = true
    if (this.#etag === undefined || this.#saving) return
    this.#saving = this.#save().finally(() => {
      this.#saving = undefined
    })
    this.#saving.catch(() => undefined)
  }

  async #save(): Promise<void> {
    while (this.#unsaved) {
      this.#unsaved = false
      const done = this.pieces.doneStretches()
      await this.#handle.datasync()
      const { bytes, pieceBytes } = this.pieces
      await writeJson(this.#paths.partState, { etag: this.#etag, bytes, pieceBytes, done })
    }
  }
}

/** The note goes first: without it the bytes count for nothing. */
export async function discardPart({ part, partState }: PartPaths): Promise<void> {
  await rm(partState, { force: true })
  await rm(part, { force: true })
}
