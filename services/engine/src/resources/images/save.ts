// Images go out as one archive that docker and OCI tools read: blobs by digest, index.json, manifest.json, repositories.
import { Readable } from 'node:stream'
import { noSuchImage } from '../../errors.ts'
import { isIndex, mediaTypeOf } from '../../images/image-documents.ts'
import type { Descriptor } from '../../images/image-intake.ts'
import {
  familiarName,
  familiarRepository,
  isReference,
  parseReference,
  repositoryOf,
  splitCanonical,
} from '../../images/reference.ts'
import { type TarEntry, writeTar } from '../../images/tar-writer.ts'
import type { CatalogImage, ImageCatalog } from './catalog.ts'
import type { ImageLibrary } from './image-library.ts'

interface SavedImage {
  image: CatalogImage
  /** Manifest or index. */
  target: string
  /** Canonical; only tags. */
  names: Set<string>
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const blobName = (digest: string): string => `blobs/sha256/${digest.slice('sha256:'.length)}`

/** Throws before anything is sent when a name is not known. */
export async function saveImages(
  library: ImageLibrary,
  references: readonly string[],
): Promise<{ tar: Readable; imageIds: string[] }> {
  const images = new Map<string, SavedImage>()
  for (const reference of references) {
    for (const { image, target, names } of chosen(library.catalog, reference)) {
      const known = images.get(target)
      if (known === undefined) images.set(target, { image, target, names })
      else for (const name of names) known.names.add(name)
    }
  }
  const saved = [...images.values()]
  // Nothing of it may be swept away while it goes out.
  const leave = await library.enter()
  try {
    const entries = [...(await blobEntries(library, saved)), ...documents(library.catalog, saved)]
    const tar = Readable.from(writeTar(entries), { objectMode: false, highWaterMark: 1024 * 1024 })
    tar.once('close', () => void leave())
    return { tar, imageIds: saved.map(({ image }) => image.id) }
  } catch (error) {
    await leave()
    throw error
  }
}

/** A repository without a tag means all of its tags. */
function chosen(catalog: ImageCatalog, reference: string): SavedImage[] {
  const parsed = isReference(reference) ? parseReference(reference) : undefined
  const isRepository = parsed !== undefined && parsed.tag === undefined && parsed.digest === undefined
  const repository = parsed === undefined ? '' : repositoryOf(parsed)
  const tagged = isRepository ? catalog.tagsOf(repository).map((tag) => `${repository}:${tag}`) : []
  const names = tagged.length > 0 ? tagged : [catalog.nameOf(reference)?.name ?? '']
  const found = names.flatMap((name): SavedImage[] => {
    const row = catalog.names.get(name)
    const image = row === undefined ? undefined : catalog.images.get(row.image_id)
    if (row === undefined || image === undefined) return []
    return [{ image, target: row.target, names: new Set(name.includes('@') ? [] : [name]) }]
  })
  if (found.length > 0) return found
  const image = catalog.find(reference)
  if (image === undefined) throw noSuchImage(reference)
  return [{ image, target: image.manifest, names: new Set() }]
}

async function blobEntries({ catalog, content }: ImageLibrary, saved: readonly SavedImage[]): Promise<TarEntry[]> {
  const digests = new Set<string>()
  for (const { digest, document } of saved.flatMap(({ target }) => catalog.manifestsUnder(target))) {
    digests.add(digest)
    if (isIndex(document)) continue
    for (const blob of [document.config, ...document.layers]) digests.add(blob.digest)
  }
  // The configuration is as old as the image.
  const made = new Map(saved.map(({ image }) => [image.id, secondsOf(image.config.created)]))
  const entries: TarEntry[] = [
    { name: 'blobs', isFolder: true },
    { name: 'blobs/sha256', isFolder: true },
  ]
  for (const digest of [...digests].sort()) {
    // Platforms of an index that were never here stay away.
    if (!(await content.hasBlob(digest))) continue
    entries.push({
      name: blobName(digest),
      seconds: made.get(digest) ?? 0,
      size: await content.blobSize(digest),
      open: () => content.openBlob(digest),
    })
  }
  return entries
}

const secondsOf = (moment = ''): number => Math.max(0, Math.floor((Date.parse(moment) || 0) / 1000))

function documents(catalog: ImageCatalog, saved: readonly SavedImage[]): TarEntry[] {
  const manifests = saved.flatMap(({ target, names }): object[] => {
    const known = catalog.manifests.get(target)
    if (known === undefined) return []
    const descriptor = { mediaType: mediaTypeOf(known.document), digest: target, size: known.size }
    if (names.size === 0) return [descriptor]
    return [...names].map((name) => ({
      ...descriptor,
      annotations: {
        'io.containerd.image.name': name,
        'org.opencontainers.image.ref.name': splitCanonical(name).rest.slice(1),
      },
    }))
  })
  return [
    {
      name: 'index.json',
      bytes: json({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests }),
    },
    { name: 'manifest.json', bytes: json(saved.map((image) => dockerManifest(catalog, image))) },
    { name: 'oci-layout', bytes: json({ imageLayoutVersion: '1.0.0' }) },
    { name: 'repositories', bytes: json(repositories(saved)) },
  ]
}

function dockerManifest(catalog: ImageCatalog, { image, names }: SavedImage): object {
  const layers: readonly Descriptor[] = catalog.layersOf(image)
  const sources = image.config.rootfs.diff_ids.map((diffId, at) => [diffId, layers[at]])
  return {
    Config: blobName(image.id),
    RepoTags: names.size === 0 ? null : [...names].map(familiarName),
    Layers: layers.map(({ digest }) => blobName(digest)),
    LayerSources: Object.fromEntries(sources),
    // ENG-400
    ImageMetadata: { LastTagTime: new Date(image.tagged_at).toISOString() },
  }
}

function repositories(saved: readonly SavedImage[]): Record<string, Record<string, string>> {
  const all: Record<string, Record<string, string>> = {}
  for (const { image, names } of saved) {
    const top = image.chainIds.at(-1)?.slice('sha256:'.length) ?? ''
    for (const name of names) {
      const { repository, rest } = splitCanonical(name)
      const familiar = familiarRepository(repository)
      all[familiar] = { ...all[familiar], [rest.slice(1)]: top }
    }
  }
  return all
}
