// What images there are: in memory for readers, in the database before anything is told. Changes come one after another.
import type { Database } from '@atoll/kernel/db/database'
import { chainIds } from '../../images/digest.ts'
import { isIndex } from '../../images/image-documents.ts'
import type { Descriptor, Manifest, ManifestIndex } from '../../images/image-intake.ts'
import type { ImageConfig, Platform } from '../../images/images.ts'
import { hostPlatform, isPlatform } from '../../images/platform.ts'
import { canonicalName, isReference, parseReference, repositoryOf, splitCanonical } from '../../images/reference.ts'
import {
  type BuildCacheRow,
  deleteRows,
  type GoneRows,
  type ImageNameRow,
  type ImageRow,
  type ImageRows,
  type LayerRow,
  putRows,
  selectRows,
} from './store.ts'

export interface CatalogImage extends Omit<ImageRow, 'config'> {
  config: ImageConfig
  chainIds: string[]
}

export interface KnownManifest {
  digest: string
  size: number
  document: Manifest | ManifestIndex
}

/** An index may hold indexes; deeper than this is nobody's intention. */
const maxIndexDepth = 4

export class ImageCatalog {
  readonly images = new Map<string, CatalogImage>()
  readonly names = new Map<string, ImageNameRow>()
  readonly manifests = new Map<string, KnownManifest>()
  readonly layers = new Map<string, LayerRow>()
  /** Layers of containers, from the bottom up. */
  readonly rootfs = new Map<string, { imageId: string; chainIds: string[] }>()
  /** Blobs that may not be on the disk yet, with the boot they were written in. */
  readonly unsynced = new Map<string, string>()
  /** Layers that builds have made, by what they depend on. */
  readonly built = new Map<string, BuildCacheRow>()
  /** What containers of a running build stand on: images for nobody else, gone with the engine. */
  readonly steps = new Map<string, CatalogImage>()
  readonly #db: Database
  #last: Promise<unknown> = Promise.resolve()

  constructor(db: Database) {
    this.#db = db
  }

  async load(): Promise<void> {
    this.#put(await selectRows(this.#db.queries))
  }

  /** `work` sees no other change until it is done. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work)
    this.#last = next.catch(() => {})
    return next
  }

  /** Only from `exclusively`. */
  async change(put: Partial<ImageRows>, gone: GoneRows = {}): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await deleteRows(tx, gone)
      await putRows(tx, put)
    })
    this.#drop(gone)
    this.#put(put)
  }

  /** These are on the disk. Only from `exclusively`. */
  async markDurable(chainIds: readonly string[], blobs: readonly string[]): Promise<void> {
    const layers = chainIds.flatMap((chainId) => {
      const row = this.layers.get(chainId)
      return row === undefined ? [] : [{ ...row, boot_id: '' }]
    })
    const unsynced = blobs.filter((digest) => this.unsynced.has(digest))
    if (layers.length + unsynced.length > 0) await this.change({ layers }, { unsynced })
  }

  /** The name as it is kept, for what a caller wrote; undefined when nothing has that name. */
  nameOf(reference: string): ImageNameRow | undefined {
    if (!isReference(reference)) return undefined
    const parsed = parseReference(reference)
    const byDigest = parsed.digest === undefined ? undefined : `${repositoryOf(parsed)}@${parsed.digest}`
    return this.names.get(byDigest ?? canonicalName(parsed))
  }

  /** By id, the beginning of an id, name or digest. */
  find(reference: string, platform?: Platform): CatalogImage | undefined {
    const named = this.nameOf(reference)
    if (named !== undefined) return this.ofTarget(named.target, named.image_id, platform)
    const image = this.#byId(reference)
    return image !== undefined && (platform === undefined || isPlatform(platform, image.config)) ? image : undefined
  }

  /** The image of a platform that a manifest or an index leads to. */
  ofTarget(target: string, imageId: string, platform?: Platform): CatalogImage | undefined {
    if (platform === undefined) return this.images.get(imageId)
    return this.imagesUnder(target).find(({ config }) => isPlatform(platform, config))
  }

  /** Images that are here of all platforms of a manifest or index. */
  imagesUnder(target: string): CatalogImage[] {
    return this.manifestsUnder(target).flatMap(({ document }) => {
      const image = isIndex(document) ? undefined : this.images.get(document.config.digest)
      return image === undefined ? [] : [image]
    })
  }

  /** A manifest, or an index with all that it lists and that is here. */
  manifestsUnder(target: string, depth = 0): KnownManifest[] {
    const known = this.manifests.get(target)
    if (known === undefined || depth > maxIndexDepth) return []
    if (!isIndex(known.document)) return [known]
    return [known, ...known.document.manifests.flatMap(({ digest }) => this.manifestsUnder(digest, depth + 1))]
  }

  namesOf(imageId: string): string[] {
    return [...this.names.values()].filter(({ image_id }) => image_id === imageId).map(({ name }) => name)
  }

  tagsOf(repository: string): string[] {
    return [...this.names.keys()]
      .map(splitCanonical)
      .filter((name) => name.repository === repository && name.rest.startsWith(':'))
      .map(({ rest }) => rest.slice(1))
  }

  /** Another platform of a named image: it has no name of its own and is no image of its own in lists. */
  hiddenImages(): Set<string> {
    const named = new Set([...this.names.values()].map(({ image_id }) => image_id))
    const under = [...this.names.values()].flatMap(({ target }) => this.imagesUnder(target))
    return new Set(under.map(({ id }) => id).filter((id) => !named.has(id)))
  }

  childrenOf(imageId: string): CatalogImage[] {
    return [...this.images.values()].filter(({ parent }) => parent === imageId)
  }

  /** Bytes of all layers, unpacked; of packed ones where that is all there is. */
  sizeOf(image: CatalogImage): number {
    const packed = this.layersOf(image)
    return image.chainIds.reduce((sum, id, at) => sum + (this.layers.get(id)?.size ?? packed[at]?.size ?? 0), 0)
  }

  layersOf(image: CatalogImage): Descriptor[] {
    const document = this.manifests.get(image.manifest)?.document
    return document === undefined || isIndex(document) ? [] : document.layers
  }

  /** What has to stay on the disk. */
  alive(): { blobs: Set<string>; layers: Set<string>; manifests: Set<string> } {
    const roots = [...this.names.values()].map(({ target }) => target)
    for (const { manifest } of this.images.values()) roots.push(manifest)
    const manifests = new Map(roots.flatMap((root) => this.manifestsUnder(root)).map((known) => [known.digest, known]))
    const blobs = new Set(manifests.keys())
    for (const { document } of manifests.values()) {
      if (isIndex(document)) continue
      for (const { digest } of [document.config, ...document.layers]) blobs.add(digest)
    }
    const chains = [...this.images.values(), ...this.rootfs.values()].flatMap((user) => user.chainIds)
    for (const { digest, chain_id } of this.built.values()) {
      if (digest === '') continue
      blobs.add(digest)
      chains.push(chain_id)
    }
    return { blobs, layers: new Set(chains), manifests: new Set(manifests.keys()) }
  }

  #byId(text: string): CatalogImage | undefined {
    const digits = text.startsWith('sha256:') ? text.slice('sha256:'.length) : text
    if (!/^[0-9a-f]{1,64}$/.test(digits)) return undefined
    const whole = this.images.get(`sha256:${digits}`)
    if (whole !== undefined) return whole
    const manifest = this.manifests.get(`sha256:${digits}`)
    if (manifest !== undefined) return this.#ofManifest(manifest)
    const starting = [...this.images.values()].filter(({ id }) => id.startsWith(`sha256:${digits}`))
    return starting.length === 1 ? starting[0] : undefined
  }

  #ofManifest({ digest }: KnownManifest): CatalogImage | undefined {
    const here = this.imagesUnder(digest)
    return here.find(({ config }) => isPlatform(hostPlatform, config)) ?? here[0]
  }

  #put(rows: Partial<ImageRows>): void {
    for (const row of rows.images ?? []) {
      const config = JSON.parse(row.config) as ImageConfig
      this.images.set(row.id, { ...row, config, chainIds: chainIds(config.rootfs.diff_ids) })
    }
    for (const { digest, size, document } of rows.manifests ?? []) {
      this.manifests.set(digest, { digest, size, document: JSON.parse(document) as Manifest | ManifestIndex })
    }
    for (const row of rows.layers ?? []) this.layers.set(row.chain_id, row)
    for (const row of rows.names ?? []) this.names.set(row.name, row)
    for (const { container_id, image_id, chain_ids } of rows.rootfs ?? []) {
      this.rootfs.set(container_id, { imageId: image_id, chainIds: JSON.parse(chain_ids) as string[] })
    }
    for (const { digest, boot_id } of rows.unsynced ?? []) this.unsynced.set(digest, boot_id)
    for (const row of rows.built ?? []) this.built.set(row.key, row)
  }

  #drop(gone: GoneRows): void {
    for (const key of gone.images ?? []) this.images.delete(key)
    for (const key of gone.manifests ?? []) this.manifests.delete(key)
    for (const key of gone.layers ?? []) this.layers.delete(key)
    for (const key of gone.names ?? []) this.names.delete(key)
    for (const key of gone.rootfs ?? []) this.rootfs.delete(key)
    for (const key of gone.unsynced ?? []) this.unsynced.delete(key)
    for (const key of gone.built ?? []) this.built.delete(key)
  }
}
