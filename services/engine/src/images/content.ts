// Blobs by digest and layers as folders. Everything is made under another name and renamed: what has its right name is
// whole, as long as the machine stays up. What may not be on the disk yet is known (`fresh`), and rows of the database
// say so until it is; they also decide what stays.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { invalidParameter, isNotFound, notFound } from '../errors.ts'
import { digestOf, digitsOf } from './digest.ts'
import type { FilesProgram } from './files-program.ts'

const Unpacked = z.object({
  diffId: z.string(),
  digest: z.string(),
  bytes: z.number(),
  size: z.number(),
  entries: z.number(),
})
const Hashed = z.object({ digest: z.string(), bytes: z.number() })
const Packed = z.object({ diffId: z.string(), digest: z.string(), bytes: z.number(), size: z.number() })

/** What the files program says of a layer it has unpacked. */
export type LayerReport = z.output<typeof Unpacked>

/** A layer that is unpacked and has no place yet. */
export interface NewLayer extends LayerReport {
  place(chainId: string): Promise<void>
  discard(): Promise<void>
}

/** What goes on while a layer is unpacked. */
export interface UnpackWatch {
  signal?: AbortSignal
  /** Bytes of the packed layer that are done. */
  onProgress?(bytes: number): void
}

/** How much one layer may hold. */
export interface LayerLimits {
  entries: number
  bytes: number
}

const imageLayerLimits: LayerLimits = { entries: 5_000_000, bytes: 2 ** 41 }
const partialLifetimeMs = 7 * 24 * 3_600_000
const maxFilesLeft = 100

export const limitArgs = ({ entries, bytes }: LayerLimits): string[] => [
  ...['--max-entries', String(entries)],
  ...['--max-bytes', String(bytes)],
]

export class Content {
  readonly folder: string
  readonly #program: FilesProgram
  readonly #limits: string[]
  /** Layers that are being unpacked. */
  readonly #busy = new Map<string, Promise<unknown>>()
  /** Blobs that may not be on the disk yet; a blob that goes and comes again gets another number. */
  readonly fresh = new Map<string, number>()
  #taken = 0
  #removing: Promise<void> = Promise.resolve()

  constructor(folder: string, program: FilesProgram, limits = imageLayerLimits) {
    this.folder = folder
    this.#program = program
    this.#limits = limitArgs(limits)
  }

  async prepare(): Promise<void> {
    for (const name of ['blobs/sha256', 'partial', 'layers', 'staging', 'containers']) {
      await mkdir(join(this.folder, name), { recursive: true, mode: 0o711 })
    }
  }

  blobPath(digest: string): string {
    return join(this.folder, 'blobs/sha256', digitsOf(digest))
  }

  partialPath(digest: string): string {
    return join(this.folder, 'partial', digitsOf(digest))
  }

  layerFolder(chainId: string): string {
    return join(this.folder, 'layers', digitsOf(chainId), 'diff')
  }

  async hasBlob(digest: string): Promise<boolean> {
    return exists(this.blobPath(digest))
  }

  async blobSize(digest: string): Promise<number> {
    return (await stat(this.blobPath(digest))).size
  }

  async openBlob(digest: string): Promise<Readable> {
    if (!(await this.hasBlob(digest))) throw notFound(`content ${digest} is not here`)
    return createReadStream(this.blobPath(digest), { highWaterMark: 1024 * 1024 })
  }

  /** For what is small: manifests and configurations. */
  async readBlob(digest: string, maxBytes = 8 * 1024 * 1024): Promise<Buffer> {
    if (!(await this.hasBlob(digest))) throw notFound(`content ${digest} is not here`)
    if ((await this.blobSize(digest)) > maxBytes) throw invalidParameter(`${digest} has more than ${maxBytes} bytes`)
    return readFile(this.blobPath(digest))
  }

  async keepBytes(bytes: Uint8Array, digest = digestOf(bytes)): Promise<string> {
    if (digestOf(bytes) !== digest) throw wrongDigest(digest, digestOf(bytes))
    if (await this.hasBlob(digest)) return digest
    const staging = await this.stage()
    const path = join(staging, 'bytes')
    await writeFile(path, bytes)
    await this.takeFile(path, digest)
    await rm(staging, { recursive: true, force: true })
    return digest
  }

  /** A file whose digest is known becomes a blob. */
  async takeFile(path: string, digest: string): Promise<void> {
    this.fresh.set(digest, ++this.#taken)
    await rename(path, this.blobPath(digest))
  }

  /** What was told to be fresh is on the disk, unless it was taken anew meanwhile. Returns what is. */
  settle(before: ReadonlyMap<string, number>): string[] {
    const settled = [...before].filter(([digest, taken]) => (this.fresh.get(digest) ?? taken) === taken)
    for (const [digest] of settled) this.fresh.delete(digest)
    return settled.map(([digest]) => digest)
  }

  async hash(path: string, signal?: AbortSignal): Promise<{ digest: string; bytes: number }> {
    return withFile(path, (inputFd) => this.#program.report({ args: ['hash'], inputFd, ...when(signal) }, Hashed))
  }

  stage(): Promise<string> {
    return mkdtemp(join(this.folder, 'staging/'))
  }

  /**
   * A saved image taken apart: a line of JSON for each of its files, which lie under numbers in `folder`. What may be
   * a layer is unpacked beside it, in NUMBER.layer.
   */
  load(folder: string, input: Readable, signal?: AbortSignal): Promise<string> {
    return this.#program.output({ args: ['load', '--into', folder, ...this.#limits], input, ...when(signal) })
  }

  /** From a stream, which is kept as a blob (`blob`: a path), or from a file. */
  async unpack(from: { input: Readable; blob: string } | { file: string }, watch: UnpackWatch = {}): Promise<NewLayer> {
    const made = await mkdtemp(join(this.folder, 'staging/layer-'))
    try {
      const diff = join(made, 'diff')
      await mkdir(diff, { mode: 0o755 })
      const args = ['unpack', '--into', diff, ...this.#limits]
      const report =
        'file' in from
          ? await withFile(from.file, (inputFd) => this.#program.report({ args, inputFd, ...watch }, Unpacked))
          : await this.#program.report({ args: [...args, '--blob', from.blob], input: from.input, ...watch }, Unpacked)
      return this.unpacked(made, report)
    } catch (error) {
      await rm(made, { recursive: true, force: true })
      throw error
    }
  }

  /** A layer that lies in `made`, under `diff`. */
  unpacked(made: string, report: LayerReport): NewLayer {
    return {
      ...report,
      place: (chainId) => this.#place(made, chainId),
      discard: () => rm(made, { recursive: true, force: true }),
    }
  }

  /** Once at a time for each layer. Undefined: it was there already. */
  async unpackOnce<T>(chainId: string, work: () => Promise<T>): Promise<T | undefined> {
    for (let running = this.#busy.get(chainId); running !== undefined; running = this.#busy.get(chainId)) {
      await running.catch(() => {})
    }
    const unpacking = this.hasLayer(chainId).then((isThere) => (isThere ? undefined : work()))
    this.#busy.set(chainId, unpacking)
    try {
      return await unpacking
    } finally {
      this.#busy.delete(chainId)
    }
  }

  hasLayer(chainId: string): Promise<boolean> {
    return exists(this.layerFolder(chainId))
  }

  /** `epoch`: nothing in it is told to be younger, in seconds. */
  async pack(
    folder: string,
    out: string,
    { signal, epoch }: { signal?: AbortSignal | undefined; epoch?: number | undefined } = {},
  ): Promise<z.output<typeof Packed>> {
    const youngest = epoch === undefined ? [] : ['--epoch', String(epoch)]
    return this.#program.report(
      { args: ['pack', '--from', folder, '--out', out, ...youngest], ...when(signal) },
      Packed,
    )
  }

  /** Of a folder that is gone: nothing. */
  async sizeOf(folder: string): Promise<number> {
    try {
      const { size } = await this.#program.report({ args: ['size', '--from', folder] }, z.object({ size: z.number() }))
      return size
    } catch (error) {
      if (isNotFound(error)) return 0
      throw error
    }
  }

  /** Away at once, in one step and under a name nobody looks at; `emptyTrash`, maybe another's, removes it. */
  async discard(path: string): Promise<void> {
    await rename(path, join(this.folder, `staging/trash-${randomUUID()}`)).catch(ignoreMissing)
  }

  /** As `discard`, and nobody waits for it: while much is on its way to the disk, removing takes as long as writing. */
  async discardSlowly(path: string): Promise<void> {
    const gone = join(this.folder, `staging/gone-${randomUUID()}`)
    await rename(path, gone)
    // What cannot be removed now is removed at the next start.
    this.#removing = this.#removing.then(() => runQuietly('rm', ['-rf', '--', gone])).catch(() => {})
  }

  /** What is left of what came in: mostly a few files, which another program would take longer to remove. */
  async unstage(staging: string): Promise<void> {
    const left = await readdir(staging, { withFileTypes: true })
    if (left.length > maxFilesLeft || left.some((entry) => entry.isDirectory())) return this.discard(staging)
    await rm(staging, { recursive: true, force: true })
  }

  discardLayer(chainId: string): Promise<void> {
    return this.discard(dirname(this.layerFolder(chainId)))
  }

  /** At the start nothing is on its way in. Downloads that broke off may go on, for a while. */
  async clearStaging(): Promise<void> {
    const made = await readdir(join(this.folder, 'staging'))
    if (made.length > 0)
      await runQuietly('rm', ['-rf', '--', ...made.map((name) => join(this.folder, 'staging', name))])
    for (const name of await readdir(join(this.folder, 'partial'))) {
      const path = join(this.folder, 'partial', name)
      if (Date.now() - (await stat(path)).mtimeMs > partialLifetimeMs) await rm(path, { force: true })
    }
  }

  /** Whatever nothing alive needs goes away. Nothing may be on its way in meanwhile. */
  async sweep(alive: { blobs: ReadonlySet<string>; layers: ReadonlySet<string> }): Promise<void> {
    for (const [folder, kept] of [
      ['blobs/sha256', alive.blobs],
      ['layers', alive.layers],
    ] as const) {
      const names = await readdir(join(this.folder, folder))
      const dead = names.filter((name) => name !== 'init' && !kept.has(`sha256:${name}`))
      for (const name of dead) {
        this.fresh.delete(`sha256:${name}`)
        await this.discard(join(this.folder, folder, name))
      }
    }
  }

  async emptyTrash(): Promise<void> {
    const names = await readdir(join(this.folder, 'staging'))
    const trash = names.filter((name) => name.startsWith('trash-')).map((name) => join(this.folder, 'staging', name))
    if (trash.length > 0) await runQuietly('rm', ['-rf', '--', ...trash])
  }

  /** Brings everything to the disk. */
  sync(): Promise<void> {
    return runQuietly('sync', ['-f', join(this.folder, 'layers')])
  }

  async #place(made: string, chainId: string): Promise<void> {
    const target = dirname(this.layerFolder(chainId))
    await rename(made, target).catch((error: unknown) => {
      if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error
    })
    await rm(made, { recursive: true, force: true })
  }
}

export const wrongDigest = (expected: string, got: string): Error =>
  invalidParameter(`digest mismatch: expected ${expected}, got ${got}`)

const when = (signal: AbortSignal | undefined): { signal?: AbortSignal } => (signal === undefined ? {} : { signal })

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

const ignoreMissing = (error: unknown): void => {
  if (!hasCode(error, 'ENOENT')) throw error
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function withFile<T>(path: string, work: (fd: number) => Promise<T>): Promise<T> {
  const file = await open(path, 'r')
  try {
    return await work(file.fd)
  } finally {
    await file.close()
  }
}

/** Of what a program says before it fails. */
const maxWords = 500

function runQuietly(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 10 * 60_000 })
    let words = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(0, maxWords)
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}: ${words.trim()}`)),
    )
  })
}
