// The place a build works in: a folder of its own, and the library's layers, which stay while it is open.
import { createHash } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { invalidParameter, noSuchImage } from '../../errors.ts'
import type {
  BuildStore,
  BuildWorkspace,
  BuiltLayer,
  CopyFrom,
  CopyOrder,
  CopyRequest,
  LayerMade,
  ListedPath,
  StoredBase,
} from '../../images/build-store.ts'
import { chainIds } from '../../images/digest.ts'
import type { FilesProgram } from '../../images/files-program.ts'
import { mediaTypes } from '../../images/image-documents.ts'
import type { ImageConfig, Platform } from '../../images/images.ts'
import { readInLayers } from '../../runtime/oci/layered-files.ts'
import type { ImageLibrary } from './image-library.ts'
import { LibraryIntake } from './intake.ts'
import { LayerDigests } from './layer-digests.ts'
import { removeMountPoint } from './mount-points.ts'
import { keepImage } from './new-image.ts'
import type { BuildCacheRow } from './store.ts'

const Copied = z.object({ entries: z.number(), bytes: z.number(), made: z.number() })
const Digested = z.object({ digest: z.string() })
const Unpacked = z.object({ size: z.number(), entries: z.number() })

/** The kernel takes no more into one overlay by names as short as ours are. */
const maxLayers = 125
const maxContextEntries = 2_000_000
const maxContextBytes = 2 ** 37

/** Moves with the folder. */
const digestsOf = (folder: string): string => `${folder}.digests`

export class LibraryBuilds implements BuildStore {
  readonly #library: ImageLibrary
  readonly #program: FilesProgram
  readonly #digests = new LayerDigests()

  constructor(library: ImageLibrary, program: FilesProgram) {
    this.#library = library
    this.#program = program
  }

  async open(signal: AbortSignal): Promise<BuildWorkspace> {
    const leave = await this.#library.enter()
    const folder = await this.#library.content.stage()
    return new LibraryWorkspace(this.#library, this.#program, { folder, leave, signal, digests: this.#digests })
  }
}

interface Open {
  folder: string
  leave(): Promise<void>
  signal: AbortSignal
  digests: LayerDigests
}

class LibraryWorkspace implements BuildWorkspace {
  readonly #library: ImageLibrary
  readonly #program: FilesProgram
  readonly #open: Open
  readonly #steps = new Set<string>()
  /** Steps that changed no file. */
  readonly #notes = new Map<string, BuildCacheRow>()
  /** Keys of layers that were taken from the cache. */
  readonly #used = new Set<string>()
  /** Folders that came as archives: beside them is kept what is in their files. */
  readonly #unpacked = new Set<string>()
  #hasWritten = false
  #made = 0

  constructor(library: ImageLibrary, program: FilesProgram, open: Open) {
    this.#library = library
    this.#program = program
    this.#open = open
  }

  async folder(name: string): Promise<string> {
    const path = join(this.#open.folder, `${this.#made++}-${name}`)
    await mkdir(path, { mode: 0o755 })
    return path
  }

  unpack(tar: Readable, into: string): Promise<{ bytes: number; entries: number }> {
    this.#unpacked.add(into)
    const limits = ['--max-entries', String(maxContextEntries), '--max-bytes', String(maxContextBytes)]
    const args = ['unpack', '--plain', '--into', into, '--digests', digestsOf(into), ...limits]
    return this.#program
      .report({ args, input: tar, signal: this.#open.signal }, Unpacked)
      .then(({ size, entries }) => ({ bytes: size, entries }))
  }

  async base(reference: string, platform?: Platform): Promise<StoredBase | undefined> {
    const { catalog } = this.#library
    const image = catalog.find(reference, platform)
    if (image === undefined) return undefined
    await this.#library.unpackAll(image, this.#open.signal)
    const blobs = catalog.layersOf(image)
    const layers = image.chainIds.flatMap((chainId, at): BuiltLayer[] => {
      const blob = blobs[at]
      const diffId = image.config.rootfs.diff_ids[at]
      if (blob === undefined || diffId === undefined) return []
      return [{ chainId, diffId, digest: blob.digest, bytes: blob.size, mediaType: blob.mediaType }]
    })
    return { imageId: image.id, config: image.config, layers }
  }

  async imagesWith(diffIds: readonly string[]): Promise<{ imageId: string; config: ImageConfig }[]> {
    const text = diffIds.join()
    const images = [...this.#library.catalog.images.values()]
    return images
      .filter(({ config }) => config.rootfs.diff_ids.join() === text)
      .map(({ id, config }) => ({ imageId: id, config }))
  }

  async cached(key: string): Promise<BuiltLayer | undefined> {
    const { catalog, now } = this.#library
    const row = catalog.built.get(key)
    if (row === undefined || !catalog.layers.has(row.chain_id)) return undefined
    catalog.built.set(key, { ...row, used_at: now(), uses: row.uses + 1 })
    this.#used.add(key)
    const { chain_id, diff_id, digest, bytes } = row
    return { chainId: chain_id, diffId: diff_id, digest, bytes, mediaType: mediaTypes.layer }
  }

  isNoted(key: string): boolean {
    return this.#library.catalog.built.has(key)
  }

  note({ key, parentKey, description }: LayerMade, chainId: string): void {
    const moment = this.#library.now()
    const before = this.#library.catalog.built.get(key)
    this.#notes.set(key, {
      ...{ key, parent: parentKey, chain_id: chainId, diff_id: '', digest: '', bytes: 0, size: 0, description },
      ...{ created_at: before?.created_at ?? moment, used_at: moment, uses: (before?.uses ?? 0) + 1 },
    })
  }

  async list(from: CopyFrom): Promise<ListedPath[]> {
    const listed = await this.#program.output({
      args: ['list', ...this.#sourceArgs(from)],
      input: Readable.from([]),
      signal: this.#open.signal,
    })
    return listed
      .split('\0')
      .filter(Boolean)
      .map((line) => ({ path: line.slice(1), isFolder: line.startsWith('d') }))
  }

  async digest(request: CopyRequest): Promise<string> {
    const { from, orders } = request
    const known = 'folder' in from && this.#unpacked.has(from.folder) ? ['--digests', digestsOf(from.folder)] : []
    const args = ['digest', ...known, ...this.#requestArgs(request)]
    return this.#open.digests.of(
      request,
      async () => (await this.#program.report({ args, ...this.#orders(orders) }, Digested)).digest,
    )
  }

  async copy(
    onto: readonly BuiltLayer[],
    requests: readonly CopyRequest[],
    made: LayerMade,
  ): Promise<BuiltLayer | undefined> {
    const place = await this.#place(onto)
    let changes = 0
    for (const request of requests) changes += await this.#copyInto(place.root, request)
    return changes === 0 ? undefined : this.#keep(onto, place.upper, made)
  }

  async copyOut(request: CopyRequest): Promise<string> {
    const place = await this.#place([])
    await this.#copyInto(place.root, request)
    return place.upper
  }

  async tar(layers: readonly BuiltLayer[]): Promise<Readable> {
    const { root } = await this.#place(layers)
    const args = ['read', ...root, '--plain', '--path', '/', '--name', '.']
    return this.#program.stream({ args, signal: this.#open.signal })
  }

  read(layers: readonly BuiltLayer[], path: string, maxBytes: number): Promise<string | undefined> {
    return readInLayers(this.#folders(layers), path, maxBytes)
  }

  stepImage(layers: readonly BuiltLayer[], config: ImageConfig): string {
    const text = JSON.stringify(config)
    const id = `sha256:${createHash('sha256')
      .update(this.#open.folder)
      .update(String(this.#made++))
      .update(text)
      .digest('hex')}`
    const row = { id, manifest: '', parent: '', stored_at: 0, tagged_at: 0 }
    this.#library.catalog.steps.set(id, { ...row, config, chainIds: layers.map(({ chainId }) => chainId) })
    this.#steps.add(id)
    return id
  }

  async commit(
    onto: readonly BuiltLayer[],
    containerId: string,
    mountedOn: readonly string[],
    made: LayerMade,
  ): Promise<BuiltLayer> {
    const upper = join(this.#library.content.folder, 'containers', containerId, 'upper')
    for (const path of mountedOn) await removeMountPoint(upper, this.#folders(onto), path)
    return this.#keep(onto, upper, made)
  }

  image(config: ImageConfig, layers: readonly BuiltLayer[]): Promise<string> {
    this.#hasWritten = true
    const blobs = layers.map(({ mediaType, digest, bytes }) => ({ mediaType, digest, size: bytes }))
    return keepImage(this.#library, this.#open.leave, { config, layers: blobs, names: [], parent: '' })
  }

  async name(imageId: string, names: readonly string[]): Promise<void> {
    const image = this.#library.catalog.images.get(imageId)
    if (image === undefined) throw noSuchImage(imageId)
    if (names.length > 0) await new LibraryIntake(this.#library, this.#open.leave).register(image.manifest, names)
  }

  async close(): Promise<void> {
    for (const id of this.#steps) this.#library.catalog.steps.delete(id)
    await this.#library.content.discardSlowly(this.#open.folder)
    await this.#keepNotes()
    await (this.#hasWritten ? this.#library.sweepAfter(this.#open.leave) : this.#open.leave())
  }

  /** How often something was used may be lost with the engine. */
  async #keepNotes(): Promise<void> {
    const { catalog } = this.#library
    if (this.#notes.size + this.#used.size === 0) return
    await catalog.exclusively(() => {
      const used = [...this.#used].flatMap((key) => catalog.built.get(key) ?? [])
      return catalog.change({ built: [...used, ...this.#notes.values()] })
    })
  }

  /** A root to copy into, over what is there already. */
  async #place(onto: readonly BuiltLayer[]): Promise<{ upper: string; root: string[] }> {
    const place = await this.folder('copy')
    const [upper, work, empty] = [join(place, 'upper'), join(place, 'work'), join(place, 'empty')]
    for (const folder of [upper, work, empty]) await mkdir(folder, { mode: 0o755 })
    const below = onto.length === 0 ? [empty] : this.#folders(onto)
    return { upper, root: [...below.flatMap((folder) => ['--lower', folder]), '--upper', upper, '--work', work] }
  }

  /** How much was written. */
  async #copyInto(root: readonly string[], request: CopyRequest): Promise<number> {
    const args = ['copy', ...root, ...this.#requestArgs(request)]
    const { entries, made } = await this.#program.report({ args, ...this.#orders(request.orders) }, Copied)
    return entries + made
  }

  /** From the top down. */
  #folders(layers: readonly BuiltLayer[]): string[] {
    return layers.map(({ chainId }) => this.#library.content.layerFolder(chainId)).reverse()
  }

  #sourceArgs(from: CopyFrom): string[] {
    if ('folder' in from) return ['--source', from.folder]
    return this.#folders(from.layers).flatMap((folder) => ['--source-lower', folder])
  }

  #requestArgs({ from, owner, mode, keepsOwner = false, unpacks = false }: CopyRequest): string[] {
    return [
      ...this.#sourceArgs(from),
      ...(owner === undefined ? [] : ['--owner', String(owner.uid), String(owner.gid)]),
      ...(mode === undefined ? [] : ['--mode', mode]),
      ...(keepsOwner ? ['--keep-owner'] : []),
      ...(unpacks ? ['--unpack'] : []),
    ]
  }

  #orders(orders: readonly CopyOrder[]): { input: Readable; signal: AbortSignal } {
    const lines = orders.map((order) => {
      if (order.kind === 'exclude') return `x${order.path}\0`
      return order.kind === 'folder' ? `d${order.destination}\0` : `c${order.path}\0${order.destination}\0`
    })
    return { input: Readable.from(lines.length === 0 ? [] : [Buffer.from(lines.join(''))]), signal: this.#open.signal }
  }

  /** The folder itself becomes the layer: what is in it is read once, to be packed and hashed. */
  async #keep(onto: readonly BuiltLayer[], upper: string, made: LayerMade): Promise<BuiltLayer> {
    if (onto.length >= maxLayers) throw invalidParameter(`max depth exceeded: an image has at most ${maxLayers} layers`)
    const { content, catalog, now } = this.#library
    this.#hasWritten = true
    const place = await this.folder('layer')
    const blob = join(place, 'blob')
    const packed = await content.pack(upper, blob, { signal: this.#open.signal, epoch: made.epoch })
    await content.takeFile(blob, packed.digest)
    const chainId = chainIds([...onto.map(({ diffId }) => diffId), packed.diffId]).at(-1) ?? packed.diffId
    await this.#library.unpack({ chainId, diffId: packed.diffId }, async () => {
      // Times in the folder are not those in the layer.
      if (made.epoch !== undefined) return content.unpack({ file: content.blobPath(packed.digest) })
      await rename(upper, join(place, 'diff'))
      return content.unpacked(place, { ...packed, entries: 0 })
    })
    const moment = now()
    await catalog.exclusively(async () => {
      const row = {
        ...{ key: made.key, parent: made.parentKey, chain_id: chainId, diff_id: packed.diffId },
        ...{ digest: packed.digest, bytes: packed.bytes, size: packed.size, description: made.description },
        ...{ created_at: moment, used_at: moment, uses: 1 },
      }
      const layers = await this.#library.freshRows([chainId])
      await catalog.change({ layers, unsynced: this.#library.unsyncedRows(), built: [row] })
    })
    this.#library.settled([chainId])
    const { diffId, digest, bytes } = packed
    return { chainId, diffId, digest, bytes, mediaType: mediaTypes.layer }
  }
}
