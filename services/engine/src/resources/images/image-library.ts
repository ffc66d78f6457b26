// The catalogue and the content together: what comes in is registered in one step, and what no row needs is swept away
// as soon as nothing is on its way in.
import { readFile } from 'node:fs/promises'
import type { Database } from '@atoll/kernel/db/database'
import type { Log } from '@atoll/kernel/telemetry/log'
import { notFound } from '../../errors.ts'
import { type Content, type NewLayer, wrongDigest } from '../../images/content.ts'
import { makeInitLayer } from '../../images/init-layer.ts'
import { type CatalogImage, ImageCatalog } from './catalog.ts'
import { dropDoubtful } from './doubtful.ts'
import type { LayerRow, UnsyncedRow } from './store.ts'

const usualSyncDelayMs = 1_000

interface LibraryParts {
  content: Content
  db: Database
  log: Log
  now(): number
  /** How long what comes in may wait until it is brought to the disk. */
  syncDelayMs?: number | undefined
}

export class ImageLibrary {
  readonly catalog: ImageCatalog
  readonly content: Content
  readonly now: () => number
  readonly #log: Log
  readonly #syncDelayMs: number
  /** Sizes of layers that are unpacked and have no row yet. */
  readonly #fresh = new Map<string, number>()
  #bootId = ''
  #intakes = 0
  #isSweepWanted = false
  #syncTimer: NodeJS.Timeout | undefined

  constructor({ content, db, log, now, syncDelayMs = usualSyncDelayMs }: LibraryParts) {
    this.catalog = new ImageCatalog(db)
    this.content = content
    this.now = now
    this.#log = log
    this.#syncDelayMs = syncDelayMs
  }

  /** Finds everything again after a restart, and removes what an end at a bad moment left. */
  async open(): Promise<void> {
    this.#bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
    await this.content.prepare()
    await makeInitLayer(this.content.folder)
    await this.catalog.load()
    await this.content.clearStaging()
    await dropDoubtful({ catalog: this.catalog, content: this.content, log: this.#log }, this.#bootId)
    await this.#sweepNow()
    this.#makeDurableSoon()
  }

  /** Until it is left nothing is swept away. Returns what leaves it. */
  async enter(): Promise<() => Promise<void>> {
    await this.catalog.exclusively(async () => {
      this.#intakes += 1
    })
    let isIn = true
    return async () => {
      if (!isIn) return
      isIn = false
      this.#intakes -= 1
      if (this.#isSweepWanted) await this.sweep()
    }
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.enter()
    try {
      return await work()
    } finally {
      await leave()
    }
  }

  /** Leaves, and removes what was left without a row. */
  async sweepAfter(leave: () => Promise<void>): Promise<void> {
    this.#isSweepWanted = true
    await leave()
  }

  async sweep(): Promise<void> {
    this.#isSweepWanted = true
    if (this.#intakes === 0) await this.#sweepNow()
  }

  /** Unpacks a layer into its place unless it is there; the digest of what is in it must be the one expected. */
  async unpack(
    { chainId, diffId }: { chainId: string; diffId: string },
    open: () => Promise<NewLayer>,
  ): Promise<NewLayer | undefined> {
    return this.content.unpackOnce(chainId, async () => {
      const layer = await open()
      try {
        if (layer.diffId !== diffId) throw wrongDigest(diffId, layer.diffId)
        await layer.place(chainId)
      } catch (error) {
        await layer.discard()
        throw error
      }
      this.#fresh.set(chainId, layer.size)
      return layer
    })
  }

  /** Rows for layers that are unpacked and have none. Only while an intake is open. */
  async freshRows(chainIds: readonly string[]): Promise<LayerRow[]> {
    const rows: LayerRow[] = []
    for (const chainId of chainIds) {
      if (this.catalog.layers.has(chainId) || !(await this.content.hasLayer(chainId))) continue
      const size = this.#fresh.get(chainId) ?? (await this.content.sizeOf(this.content.layerFolder(chainId)))
      rows.push({ chain_id: chainId, size, boot_id: this.#bootId })
    }
    return rows
  }

  /** All layers of an image as folders, whatever it takes. */
  async unpackAll(image: CatalogImage, signal?: AbortSignal): Promise<void> {
    const missing = image.chainIds.filter((chainId) => !this.catalog.layers.has(chainId))
    if (missing.length === 0) return
    const blobs = this.catalog.layersOf(image)
    await this.during(async () => {
      for (const [at, chainId] of image.chainIds.entries()) {
        const blob = blobs[at]
        const diffId = image.config.rootfs.diff_ids[at]
        if (blob === undefined || diffId === undefined) throw notFound(`a layer of ${image.id} is not here`)
        const file = this.content.blobPath(blob.digest)
        await this.unpack({ chainId, diffId }, () =>
          this.content.unpack({ file }, signal === undefined ? {} : { signal }),
        )
      }
      await this.catalog.exclusively(async () => this.catalog.change({ layers: await this.freshRows(image.chainIds) }))
    })
    this.settled(image.chainIds)
  }

  /** Rows for blobs that are not on the disk yet. */
  unsyncedRows(): UnsyncedRow[] {
    return [...this.content.fresh.keys()].map((digest) => ({ digest, boot_id: this.#bootId }))
  }

  /** Their rows are written: the disk may take its time. */
  settled(chainIds: readonly string[]): void {
    for (const chainId of chainIds) this.#fresh.delete(chainId)
    this.#makeDurableSoon()
  }

  /** Not at once: much of what comes in comes in company, and what goes soon need not be written at all. */
  #makeDurableSoon(): void {
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined
      this.#makeDurable().catch((error: unknown) => this.#log.warn({ error }, 'Images could not be made durable yet'))
    }, this.#syncDelayMs).unref()
  }

  async #makeDurable(): Promise<void> {
    const { catalog, content } = this
    const layers = [...catalog.layers.values()].filter(({ boot_id }) => boot_id !== '').map(({ chain_id }) => chain_id)
    // A restart forgets what is fresh, its rows do not.
    const blobs = new Map([...catalog.unsynced.keys()].map((digest) => [digest, content.fresh.get(digest) ?? 0]))
    if (layers.length + blobs.size === 0) return
    await content.sync()
    await catalog.exclusively(() => catalog.markDurable(layers, content.settle(blobs)))
  }

  async #sweepNow(): Promise<void> {
    await this.catalog.exclusively(async () => {
      if (this.#intakes > 0) return
      this.#isSweepWanted = false
      const { blobs, layers, manifests } = this.catalog.alive()
      const goneManifests = [...this.catalog.manifests.keys()].filter((digest) => !manifests.has(digest))
      const goneLayers = [...this.catalog.layers.keys()].filter((chainId) => !layers.has(chainId))
      const unsynced = [...this.catalog.unsynced.keys()].filter((digest) => !blobs.has(digest))
      if (goneManifests.length + goneLayers.length + unsynced.length > 0) {
        await this.catalog.change({}, { manifests: goneManifests, layers: goneLayers, unsynced })
      }
      const unpacked = new Set([...layers].filter((chainId) => this.catalog.layers.has(chainId)))
      await this.content.sweep({ blobs, layers: unpacked })
      this.#fresh.clear()
    })
    await this.content.emptyTrash()
  }
}
