// Images come in piece by piece: blobs first, then layers, and at last the rows that make an image of them.
import { rm } from 'node:fs/promises'
import { invalidParameter, notFound } from '../../errors.ts'
import { wrongDigest } from '../../images/content.ts'
import { chainIds } from '../../images/digest.ts'
import { isIndex, mediaTypeOf, readConfigBytes, readManifestBytes } from '../../images/image-documents.ts'
import type {
  ImageBlobs,
  ImageIntake,
  LayerPlace,
  Manifest,
  ManifestIndex,
  NamedImage,
  UnpackProgress,
} from '../../images/image-intake.ts'
import type { ImageConfig } from '../../images/images.ts'
import { hostPlatform, isPlatform } from '../../images/platform.ts'
import { canonicalName, parseReference } from '../../images/reference.ts'
import type { ImageLibrary } from './image-library.ts'
import type { ImageRow, ManifestRow } from './store.ts'

/** What a manifest or an index brings with it, as far as it is here. */
interface Found {
  manifests: ManifestRow[]
  images: { manifest: string; document: Manifest; config: ImageConfig; text: string }[]
}

const maxIndexDepth = 4

export class LibraryIntake implements ImageIntake {
  readonly #library: ImageLibrary
  readonly #leave: () => Promise<void>

  constructor(library: ImageLibrary, leave: () => Promise<void>) {
    this.#library = library
    this.#leave = leave
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave()
  }

  hasBlob(digest: string): Promise<boolean> {
    return this.#library.content.hasBlob(digest)
  }

  async partial(digest: string): Promise<string> {
    return this.#library.content.partialPath(digest)
  }

  async keepBytes(digest: string, bytes: Uint8Array): Promise<void> {
    await this.#library.content.keepBytes(bytes, digest)
  }

  async keepPartial(digest: string, layer?: LayerPlace, onProgress?: UnpackProgress): Promise<void> {
    const { content } = this.#library
    const file = content.partialPath(digest)
    try {
      const unpacked = layer === undefined ? undefined : await this.#unpackFile(file, layer, digest, onProgress)
      const got = unpacked ?? (await content.hash(file))
      if (got.digest !== digest) throw wrongDigest(digest, got.digest)
    } catch (error) {
      await rm(file, { force: true })
      throw error
    }
    await content.takeFile(file, digest)
  }

  async unpack(digest: string, layer: LayerPlace, onProgress?: UnpackProgress): Promise<void> {
    await this.#unpackFile(this.#library.content.blobPath(digest), layer, digest, onProgress)
  }

  hasLayer(chainId: string): Promise<boolean> {
    return this.#library.content.hasLayer(chainId)
  }

  async name(reference: string, target: string): Promise<NamedImage> {
    return this.register(target, [canonicalName(parseReference(reference))])
  }

  /** As `name`, for any number of names, already canonical. */
  async register(target: string, names: readonly string[], parent = ''): Promise<NamedImage> {
    const found = await this.#find(target)
    const first = found.images.find(({ config }) => isPlatform(hostPlatform, config)) ?? found.images[0]
    if (first === undefined) throw notFound(`no image of ${target} is here`)
    const imageId = first.document.config.digest
    if (isPlatform(hostPlatform, first.config)) await this.#unpackImage(first)
    const { catalog, now } = this.#library
    const chains = found.images.flatMap(({ config }) => chainIds(config.rootfs.diff_ids))
    const wasThere = await catalog.exclusively(async () => {
      const same = names.every((name) => {
        const row = catalog.names.get(name)
        return row?.target === target && row.image_id === imageId
      })
      const images = found.images.map((image): ImageRow => {
        const known = catalog.images.get(image.document.config.digest)
        const taggedAt = names.length > 0 && image === first && !same ? now() : (known?.tagged_at ?? 0)
        return {
          id: image.document.config.digest,
          manifest: known?.manifest ?? image.manifest,
          config: image.text,
          parent: known?.parent || (image === first ? parent : ''),
          stored_at: known?.stored_at ?? now(),
          tagged_at: taggedAt,
        }
      })
      const layers = await this.#library.freshRows(chains)
      const rows = names.map((name) => ({ name, image_id: imageId, target }))
      const unsynced = this.#library.unsyncedRows()
      await catalog.change({ manifests: found.manifests, images, layers, names: rows, unsynced })
      return same && names.length > 0
    })
    this.#library.settled(chains)
    return { imageId, wasThere }
  }

  async #unpackFile(file: string, place: LayerPlace, digest: string, onProgress?: UnpackProgress) {
    return this.#library.unpack(place, async () => {
      const layer = await this.#library.content.unpack({ file }, onProgress === undefined ? {} : { onProgress })
      if (layer.digest === digest) return layer
      await layer.discard()
      throw wrongDigest(digest, layer.digest)
    })
  }

  async #unpackImage({ document, config }: Found['images'][number]): Promise<void> {
    const chain = chainIds(config.rootfs.diff_ids)
    for (const [at, chainId] of chain.entries()) {
      const blob = document.layers[at]?.digest
      const diffId = config.rootfs.diff_ids[at]
      if (blob === undefined || diffId === undefined) throw invalidParameter('the image has too few layers')
      if (!(await this.hasLayer(chainId))) await this.unpack(blob, { chainId, diffId })
    }
  }

  /** Reads what is here of a manifest or an index. Platforms whose layers are missing are left out. */
  async #find(target: string, depth = 0): Promise<Found> {
    const { content } = this.#library
    const bytes = await content.readBlob(target)
    const document = readManifestBytes(bytes)
    const row: ManifestRow = { digest: target, size: bytes.length, document: JSON.stringify(document) }
    if (!isIndex(document)) return this.#readImage(target, document, row)
    const found: Found = { manifests: [row], images: [] }
    if (depth > maxIndexDepth) throw invalidParameter('an index in an index in an index: too deep')
    for (const { digest } of document.manifests) {
      if (!(await content.hasBlob(digest))) continue
      const inside = await this.#find(digest, depth + 1)
      found.manifests.push(...inside.manifests)
      found.images.push(...inside.images)
    }
    return found
  }

  async #readImage(manifest: string, document: Manifest, row: ManifestRow): Promise<Found> {
    const { content } = this.#library
    const blobs = [document.config, ...document.layers]
    const here = await Promise.all(blobs.map(({ digest }) => content.hasBlob(digest)))
    // Of an attestation only the manifest counts: there is nothing to run.
    if (here.includes(false) || isNoImage(document)) return { manifests: [row], images: [] }
    const text = (await content.readBlob(document.config.digest)).toString('utf8')
    const config = readConfigBytes(Buffer.from(text))
    if (config.rootfs.diff_ids.length !== document.layers.length) {
      throw invalidParameter(
        `the image has ${document.layers.length} layers, its configuration speaks of ${config.rootfs.diff_ids.length}`,
      )
    }
    return { manifests: [row], images: [{ manifest, document, config, text: JSON.stringify(config) }] }
  }
}

const isNoImage = ({ layers }: Manifest): boolean =>
  layers.length > 0 && layers.every(({ mediaType }) => mediaType === 'application/vnd.in-toto+json')

export function createImageBlobs(library: ImageLibrary): ImageBlobs {
  const { content, catalog } = library
  const readManifest = async (digest: string): Promise<Manifest | ManifestIndex> =>
    catalog.manifests.get(digest)?.document ?? readManifestBytes(await content.readBlob(digest))
  return {
    intake: async () => new LibraryIntake(library, await library.enter()),
    openBlob: (digest) => content.openBlob(digest),
    readManifest,
    readConfig: async (digest) => readConfigBytes(await content.readBlob(digest)),
    hasBlob: (digest) => content.hasBlob(digest),
    blobSize: (digest) => content.blobSize(digest),
    async target(reference) {
      const digest = catalog.nameOf(reference)?.target ?? catalog.find(reference)?.manifest
      const known = digest === undefined ? undefined : catalog.manifests.get(digest)
      if (known === undefined) return undefined
      return { mediaType: mediaTypeOf(known.document), digest: known.digest, size: known.size }
    },
    tags: (repository) => catalog.tagsOf(repository),
    async nameDigest(repository, digest, imageId) {
      await catalog.exclusively(() =>
        catalog.change({ names: [{ name: `${repository}@${digest}`, image_id: imageId, target: digest }] }),
      )
    },
  }
}
