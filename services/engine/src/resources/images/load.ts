// Saved images come in: archives as docker writes them (manifest.json; before 1.10, repositories), and OCI layouts
// (index.json).
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { invalidParameter } from '../../errors.ts'
import { chainIds, digestOf } from '../../images/digest.ts'
import { isIndex, mediaTypes, readConfigBytes, readManifestBytes } from '../../images/image-documents.ts'
import type { Descriptor } from '../../images/image-intake.ts'
import type { ProgressMessage } from '../../images/image-registry.ts'
import { layerType } from '../../images/layer-type.ts'
import { canonicalName, familiarName, isReference, parseReference } from '../../images/reference.ts'
import { amount } from '../../images/registry/progress.ts'
import type { ImageLibrary } from './image-library.ts'
import { LibraryIntake } from './intake.ts'
import { type ArchivedImage, readLegacyImages } from './legacy-archive.ts'
import { SavedArchive } from './saved-archive.ts'

const DockerManifest = z
  .array(
    z.object({
      Config: z.string(),
      RepoTags: z.array(z.string()).nullish(),
      Layers: z.array(z.string()).nullish(),
    }),
  )
  .max(1_000)

const Index = z.object({
  manifests: z
    .array(z.object({ digest: z.string(), annotations: z.record(z.string(), z.string()).nullish() }))
    .max(1_000),
})

export interface LoadedImage {
  imageId: string
  names: string[]
}

interface Load {
  library: ImageLibrary
  intake: LibraryIntake
  archive: SavedArchive
  signal: AbortSignal
  /** What is to be registered once everything is in: names by manifest or index. */
  targets: Map<string, Set<string>>
  /** The target that an image came with. */
  targetOf: Map<string, string>
}

type Progress = AsyncGenerator<ProgressMessage | { stream: string }>

/** Progress of layers, then what was loaded. Whatever fails, nothing of it stays. */
export async function* loadImages(
  library: ImageLibrary,
  input: Readable,
  { signal, onLoaded }: { signal: AbortSignal; onLoaded(image: LoadedImage): void },
): Progress {
  const leave = await library.enter()
  const staging = await library.content.stage()
  try {
    const archive = new SavedArchive(staging, await library.content.load(staging, input, signal))
    const intake = new LibraryIntake(library, leave)
    const load: Load = { library, intake, archive, signal, targets: new Map(), targetOf: new Map() }
    yield* loadAll(load)
    if (load.targets.size === 0) throw invalidParameter('invalid archive: there is no image in it')
    for (const [target, given] of load.targets) {
      const { imageId } = await intake.register(target, [...given])
      const image = { imageId, names: [...given] }
      onLoaded(image)
      if (image.names.length === 0) yield { stream: `Loaded image ID: ${image.imageId}\n` }
      for (const name of image.names) yield { stream: `Loaded image: ${familiarName(name)}\n` }
    }
  } finally {
    await library.content.unstage(staging)
    await library.sweepAfter(leave)
  }
}

async function* loadAll(load: Load): Progress {
  const { archive } = load
  const isLayout = archive.has('index.json') && archive.has('oci-layout')
  if (isLayout) yield* loadLayout(load)
  if (archive.has('manifest.json')) yield* keepImages(load, await readManifest(archive))
  else if (!isLayout && archive.has('repositories')) yield* keepImages(load, await readLegacy(load))
  else if (!isLayout) throw invalidParameter('invalid archive: it has neither a manifest.json nor an OCI layout')
}

async function* loadLayout(load: Load): Progress {
  const { manifests } = await load.archive.readJson('index.json', Index)
  for (const { digest, annotations } of manifests) {
    const name = annotations?.['io.containerd.image.name'] ?? annotations?.['org.opencontainers.image.ref.name']
    const isName = name !== undefined && isReference(name) && /[/:]/.test(name)
    yield* keepTarget(load, digest, digest)
    addTarget(load, digest, isName ? [canonicalName(parseReference(name))] : [])
  }
}

function addTarget({ targets }: Load, target: string, names: readonly string[]): void {
  targets.set(target, new Set([...(targets.get(target) ?? []), ...names]))
}

/** The blobs of a manifest, or of all manifests of an index that are in the archive. */
async function* keepTarget(load: Load, digest: string, top: string, depth = 0): Progress {
  const { archive, intake } = load
  const path = blobName(digest)
  const bytes = await archive.read(path)
  const document = readManifestBytes(bytes)
  await intake.keepBytes(digest, bytes)
  if (isIndex(document)) {
    if (depth > 4) throw invalidParameter('invalid archive: an index in an index in an index')
    for (const inside of document.manifests) {
      if (archive.has(blobName(inside.digest))) yield* keepTarget(load, inside.digest, top, depth + 1)
    }
    return
  }
  const isWhole = [document.config, ...document.layers].every((blob) => archive.has(blobName(blob.digest)))
  if (!isWhole) throw invalidParameter(`invalid archive: ${digest} is not whole in it`)
  const config = await archive.read(blobName(document.config.digest))
  await intake.keepBytes(document.config.digest, config)
  load.targetOf.set(document.config.digest, top)
  const isRunnable = !document.layers.some(({ mediaType }) => mediaType.includes('in-toto'))
  const paths = document.layers.map((layer) => blobName(layer.digest))
  yield* keepLayers(load, paths, isRunnable ? readConfigBytes(config).rootfs.diff_ids : undefined)
}

async function readManifest(archive: SavedArchive): Promise<ArchivedImage[]> {
  const images: ArchivedImage[] = []
  for (const { Config, RepoTags, Layers } of await archive.readJson('manifest.json', DockerManifest)) {
    const bytes = await archive.read(Config)
    const id = digestOf(bytes)
    const named = /(?:^|\/)([0-9a-f]{64})(?:\.json)?$/.exec(Config)?.[1]
    if (named !== undefined && id !== `sha256:${named}`) {
      throw invalidParameter(`digest mismatch: expected sha256:${named}, got ${id}`)
    }
    const names = (RepoTags ?? []).map((name) => canonicalName(parseReference(name)))
    images.push({ bytes, paths: Layers ?? [], names })
  }
  return images
}

/** Layers are known by what is in them; most were unpacked as they came. */
function readLegacy({ archive, library }: Load): Promise<ArchivedImage[]> {
  const known = new Map<string, string>()
  const unpackOnce = async (place: string): Promise<string> => {
    const unpacked = await library.content.unpack({ file: place })
    await unpacked.discard()
    return unpacked.diffId
  }
  return readLegacyImages(archive, async (path) => {
    const { layer, place } = archive.find(path)
    const diffId = layer?.report.diffId ?? known.get(place) ?? (await unpackOnce(place))
    known.set(place, diffId)
    return diffId
  })
}

async function* keepImages(load: Load, images: readonly ArchivedImage[]): Progress {
  for (const { bytes, paths, names } of images) {
    const id = digestOf(bytes)
    const known = load.targetOf.get(id)
    if (known !== undefined) {
      addTarget(load, known, names)
      continue
    }
    const { rootfs } = readConfigBytes(bytes)
    if (paths.length !== rootfs.diff_ids.length) {
      throw invalidParameter(
        `invalid manifest, layers length mismatch: expected ${rootfs.diff_ids.length}, got ${paths.length}`,
      )
    }
    await load.intake.keepBytes(id, bytes)
    const layers = yield* keepLayers(load, paths, rootfs.diff_ids)
    const config = { mediaType: mediaTypes.config, digest: id, size: bytes.length }
    const manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers }
    const target = await load.library.content.keepBytes(Buffer.from(JSON.stringify(manifest)))
    addTarget(load, target, names)
  }
}

/** Layer files become blobs and, where it is known what should be in them, folders. */
async function* keepLayers(
  { archive, library, intake, signal }: Load,
  paths: readonly string[],
  diffIds: readonly string[] | undefined,
): AsyncGenerator<ProgressMessage, Descriptor[]> {
  const { content } = library
  const chain = chainIds(diffIds ?? [])
  const descriptors: Descriptor[] = []
  for (const [at, path] of paths.entries()) {
    signal.throwIfAborted()
    const { place, size, digest } = archive.find(path)
    const id = (chain[at] ?? digest).slice('sha256:'.length, 'sha256:'.length + 12)
    const isTaken = await content.hasBlob(digest)
    const file = isTaken ? content.blobPath(digest) : place
    const mediaType = await layerType(file)
    if (!isTaken) await content.takeFile(place, digest)
    descriptors.push({ mediaType, digest, size })
    const diffId = diffIds?.[at]
    const chainId = chain[at]
    if (diffId === undefined || chainId === undefined || (await intake.hasLayer(chainId))) continue
    yield amount(id, 'Loading layer', 0, size)
    const unpacked = archive.takeLayer(path)
    if (unpacked === undefined) await intake.unpack(digest, { diffId, chainId })
    else await library.unpack({ diffId, chainId }, async () => content.unpacked(unpacked.folder, unpacked.report))
    yield amount(id, 'Loading layer', size, size)
  }
  return descriptors
}

const blobName = (digest: string): string => `blobs/sha256/${digest.slice('sha256:'.length)}`
