// The rules of images: what they are called, who sees them, what is told about them.
import type { Readable } from 'node:stream'
import { applyChanges } from '../../build/config-changes.ts'
import { invalidParameter, noSuchImage } from '../../errors.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import type { ProgressMessage } from '../../images/image-registry.ts'
import type { ImageUser, Platform } from '../../images/images.ts'
import { hostPlatform, parsePlatform } from '../../images/platform.ts'
import { canonicalName, checkNewName, familiarName, parseReference } from '../../images/reference.ts'
import type { CatalogImage } from './catalog.ts'
import { createdMs, listConditions, matchingNames, pruneConditions, readFlag } from './image-filters.ts'
import type { ImageLibrary } from './image-library.ts'
import { loadImages } from './load.ts'
import { importImage } from './new-image.ts'
import { type RemovalOptions, type RemovalParts, removeImage, removeUnused } from './removal.ts'
import { saveImages } from './save.ts'
import type { DeletedItem, HistoryItem, ImageInspect, ImageSummary, PruneAnswer } from './schema.ts'
import { history, inspect, manifestSummaries, sharedSize, summary } from './views.ts'

type Filters = Record<string, string[]>

export interface ListOptions {
  all: boolean
  filters: Filters
  'shared-size': boolean
  manifests: boolean
}

export interface ImportRequest {
  repo: string
  tag: string
  message: string
  changes: readonly string[]
  platform: string
  signal: AbortSignal
}

export class ImagesService {
  readonly #library: ImageLibrary
  readonly #events: EngineEvents
  #check: (imageId: string) => readonly (string | ImageUser)[] = () => []

  constructor(library: ImageLibrary, events: EngineEvents) {
    this.#library = library
    this.#events = events
  }

  /** Who says which containers use an image. */
  usedBy(check: (imageId: string) => readonly (string | ImageUser)[]): void {
    this.#check = check
  }

  list({ all, filters, manifests, 'shared-size': isShared }: ListOptions): ImageSummary[] {
    const { catalog, now } = this.#library
    const conditions = listConditions(catalog, filters, now())
    const hidden = catalog.hiddenImages()
    const patterns = filters.reference
    const rows = [...catalog.images.values()].flatMap((image): ImageSummary[] => {
      const names = catalog.namesOf(image.id)
      const isStep = names.length === 0 && catalog.childrenOf(image.id).length > 0
      if ((!all && isStep) || hidden.has(image.id)) return []
      if (!conditions.every((holds) => holds(image, names))) return []
      const shown = patterns === undefined ? names : matchingNames(names, patterns)
      if (patterns !== undefined && shown.length === 0) return []
      const row = summary(catalog, image, shown)
      if (isShared) row.SharedSize = sharedSize(catalog, image)
      if (manifests) row.Manifests = manifestSummaries(catalog, image, (id) => this.#userIds(id))
      return [row]
    })
    return rows.sort((one, other) => other.Created - one.Created)
  }

  inspect(name: string): ImageInspect {
    return inspect(this.#library, this.#find(name))
  }

  history(name: string): HistoryItem[] {
    return history(this.#library.catalog, this.#find(name))
  }

  async tag(name: string, repo: string, tag: string): Promise<void> {
    const { catalog, now } = this.#library
    if (repo === '') throw invalidParameter('repo is missing: the name the image is to have')
    const written = parseReference(repo)
    checkNewName(written)
    const reference = canonicalName(tag === '' ? written : parseReference(`${repo.replace(/:[^/:]*$/, '')}:${tag}`))
    const image = await catalog.exclusively(async () => {
      const source = this.#find(name)
      const target = catalog.nameOf(name)?.target ?? source.manifest
      await catalog.change({
        names: [{ name: reference, image_id: source.id, target }],
        images: [rowOf(source, now())],
      })
      return source
    })
    this.#tell('tag', image, familiarName(reference))
  }

  remove(name: string, options: RemovalOptions): Promise<DeletedItem[]> {
    return removeImage(this.#removal, name, options)
  }

  /** Images nobody uses; only those without a name unless `dangling` is false. */
  async prune(filters: Filters): Promise<PruneAnswer> {
    const { catalog, now } = this.#library
    const conditions = pruneConditions(filters, now())
    const isAll = readFlag(filters, 'dangling') === false
    const before = this.#bytes()
    const done: DeletedItem[] = []
    await catalog.exclusively(async () => {
      const hidden = catalog.hiddenImages()
      for (const image of [...catalog.images.values()].sort((one, other) => createdMs(other) - createdMs(one))) {
        const names = catalog.namesOf(image.id)
        const isCandidate = isAll || (names.length === 0 && catalog.childrenOf(image.id).length === 0)
        if (!isCandidate || hidden.has(image.id) || this.#users(image.id).length > 0) continue
        if (conditions.every((holds) => holds(image, names))) await removeUnused(this.#removal, image, done)
      }
    })
    await this.#library.sweep()
    const reclaimed = Math.max(before - this.#bytes(), 0)
    this.#events.emit('image', 'prune', '', { reclaimed: String(reclaimed) })
    return { ImagesDeleted: done.length === 0 ? null : done, SpaceReclaimed: reclaimed }
  }

  async *load(
    input: Readable,
    { quiet, silent, signal }: { quiet: boolean; silent: boolean; signal: AbortSignal },
  ): AsyncGenerator<ProgressMessage | { stream: string }> {
    const onLoaded = ({ imageId }: { imageId: string }) => this.#tellById('load', imageId)
    for await (const message of loadImages(this.#library, input, { signal, onLoaded })) {
      if (!silent && (!quiet || 'stream' in message)) yield message
    }
  }

  async save(names: readonly string[]): Promise<Readable> {
    if (names.length === 0) throw invalidParameter('names is missing: which images are to be saved')
    const { tar, imageIds } = await saveImages(this.#library, names)
    for (const id of imageIds) this.#tellById('save', id)
    return tar
  }

  async *importFrom(input: Readable, request: ImportRequest): AsyncGenerator<ProgressMessage> {
    const { repo, tag, changes, signal } = request
    const reference = repo === '' ? undefined : canonicalName(parseReference(tag === '' ? repo : `${repo}:${tag}`))
    const id = await importImage(this.#library, input, {
      ...(reference !== undefined && { reference }),
      message: request.message || 'Imported from -',
      platform: importPlatform(request.platform),
      config: applyChanges({}, changes),
      signal,
    })
    const image = this.#library.catalog.images.get(id)
    if (image !== undefined) this.#tell('import', image, reference === undefined ? id : familiarName(reference))
    yield { status: id }
  }

  /** For images that were made otherwise: built, committed. */
  created(imageId: string): void {
    this.#tellById('create', imageId)
  }

  tagged(imageId: string, name: string): void {
    const image = this.#library.catalog.images.get(imageId)
    if (image !== undefined) this.#tell('tag', image, name)
  }

  #find(name: string): CatalogImage {
    const image = this.#library.catalog.find(name)
    if (image === undefined) throw noSuchImage(name)
    return image
  }

  #users(imageId: string): ImageUser[] {
    return this.#check(imageId).map((user) =>
      typeof user === 'string' ? { containerId: user, isRunning: false } : user,
    )
  }

  #userIds(imageId: string): string[] {
    return this.#users(imageId).map(({ containerId }) => containerId)
  }

  get #removal(): RemovalParts {
    const users = (imageId: string) => this.#users(imageId)
    return { library: this.#library, users, tell: (action, image) => this.#tell(action, image, image.id) }
  }

  /** All of them with who uses them, and the bytes of all layers, each once: for `GET /system/df`. */
  usage(): { images: (ImageSummary & Record<string, unknown>)[]; layerBytes: number } {
    const rows = this.list({ all: true, filters: {}, manifests: false, 'shared-size': true })
    const images = rows.map((row) => ({ ...row, Containers: this.#userIds(row.Id).length }))
    return { images, layerBytes: this.#bytes() }
  }

  #bytes(): number {
    const { catalog } = this.#library
    const manifests = [...catalog.manifests.values()]
    const blobs = new Map(
      manifests
        .flatMap(({ document }) => ('layers' in document ? document.layers : []))
        .map((blob) => [blob.digest, blob.size]),
    )
    const packed = [...blobs.values()].reduce((sum, size) => sum + size, 0)
    return [...catalog.layers.values()].reduce((sum, { size }) => sum + size, packed)
  }

  #tellById(action: string, imageId: string): void {
    const image = this.#library.catalog.images.get(imageId)
    if (image !== undefined) this.#tell(action, image, imageId)
  }

  #tell(action: string, image: CatalogImage, name: string): void {
    this.#events.emit('image', action, image.id, { ...image.config.config?.Labels, name })
  }
}

function importPlatform(asked: string): Platform {
  const platform = asked === '' ? hostPlatform : parsePlatform(asked)
  if (platform.os !== hostPlatform.os) throw invalidParameter(`${platform.os}: operating system is not supported`)
  return platform
}

function rowOf({ chainIds, config, ...row }: CatalogImage, taggedAt: number) {
  return { ...row, config: JSON.stringify(config), tagged_at: taggedAt }
}
