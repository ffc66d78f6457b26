// An image from a registry into the store.
import { chainIds } from '../digest.ts'
import { isIndex } from '../image-documents.ts'
import type { Descriptor, ImageBlobs, ImageIntake, LayerPlace } from '../image-intake.ts'
import type { ImageConfig, Platform } from '../images.ts'
import { canonicalName, familiarName, type Reference, repositoryOf } from '../reference.ts'
import type { BlobSources } from './blob-sources.ts'
import { downloadBlob } from './download.ts'
import { nonsense, RegistryProblem } from './failure.ts'
import {
  diffIdsOf,
  type FetchedConfig,
  type FetchedManifest,
  fetchConfig,
  fetchManifest,
  imageManifest,
} from './manifests.ts'
import { together } from './parallel.ts'
import { chooseManifest, distance, platformText } from './platform-choice.ts'
import { amount, meter, type Report, shortId, step } from './progress.ts'
import type { RegistrySession } from './session.ts'
import type { NamedLocks, Slots } from './slots.ts'

export interface PullWork {
  blobs: ImageBlobs
  sources: BlobSources
  downloads: Slots
  unpacks: Slots
  /** One download of a blob at a time, whoever wants it. */
  locks: NamedLocks
  hostPlatform: Platform
  session: RegistrySession
  platform: Platform | undefined
  report: Report
  /** An image has come in under this name. */
  onTaken(reference: Reference, config: ImageConfig): void
  signal: AbortSignal
}

/** Everything that is known of an image before its layers are fetched. */
interface FoundImage {
  /** With the tag or the digest it was asked by. */
  reference: Reference
  root: FetchedManifest
  /** The one of the platform; the root itself when that is no index. */
  manifest: FetchedManifest
}

/** Throws for what the registry does not have, or not for this platform. */
export async function findImage(work: PullWork, reference: Reference): Promise<FoundImage> {
  const { session, signal } = work
  const root = await fetchManifest(session, reference.path, reference.digest ?? reference.tag ?? 'latest', signal)
  if (!isIndex(root.content)) {
    imageManifest(root)
    return { reference, root, manifest: root }
  }
  const wanted = work.platform ?? work.hostPlatform
  const chosen = chooseManifest(root.content.manifests, wanted)
  if (chosen === undefined) {
    throw new RegistryProblem(
      'NO_SUCH_PLATFORM',
      `no matching manifest for ${platformText(wanted)} in the manifest list entries`,
    )
  }
  const manifest = await fetchManifest(session, reference.path, chosen.digest, signal)
  imageManifest(manifest)
  return { reference, root, manifest }
}

/** True: the name stands for something new. */
export async function takeImage(work: PullWork, found: FoundImage): Promise<boolean> {
  const { report, session, signal } = work
  const { reference, root, manifest } = found
  const { path } = reference
  report({ status: `Pulling from ${path}`, id: reference.digest ?? reference.tag ?? 'latest' })
  const { config: configBlob, layers } = imageManifest(manifest)
  const fetched = await fetchConfig(session, path, configBlob, signal)
  warnOfPlatform(work, found, fetched)
  const diffIds = diffIdsOf(fetched.config, layers)
  const chain = chainIds(diffIds)
  await using intake = await work.blobs.intake()
  const places = layers.map((blob, at): Layer => {
    const [diffId, chainId] = [diffIds[at], chain[at]]
    if (diffId === undefined || chainId === undefined) throw nonsense('a layer has no digest of its content')
    return { blob, place: { diffId, chainId } }
  })
  const isKnown = await intake.hasBlob(configBlob.digest)
  await takeLayers(work, path, intake, { layers: places, isKnown })
  await intake.keepBytes(configBlob.digest, fetched.bytes)
  await intake.keepBytes(manifest.digest, manifest.bytes)
  if (root !== manifest) await intake.keepBytes(root.digest, root.bytes)
  signal.throwIfAborted()
  const { imageId, wasThere } = await intake.name(canonicalName(reference), root.digest)
  await work.blobs.nameDigest(repositoryOf(reference), root.digest, imageId)
  work.sources.add(
    repositoryOf(reference),
    layers.map(({ digest }) => digest),
  )
  work.onTaken(reference, fetched.config)
  report({ status: `Digest: ${root.digest}` })
  return !wasThere
}

export const statusLine = (name: string, isNew: boolean): string =>
  `Status: ${isNew ? 'Downloaded newer image' : 'Image is up to date'} for ${name}`

/** As the caller may have written it: `busybox:1`, `localhost:5000/a@sha256:…`. */
export const nameOf = (reference: Reference): string => familiarName(canonicalName(reference))

/** There is no choice with a single image: it is taken, and the caller told. */
function warnOfPlatform(
  { platform, hostPlatform, report }: PullWork,
  found: FoundImage,
  { config }: FetchedConfig,
): void {
  if (config.os !== hostPlatform.os) {
    throw new RegistryProblem(
      'NO_SUCH_PLATFORM',
      `image operating system "${config.os.slice(0, 50)}" cannot be used on this platform`,
    )
  }
  if (platform === undefined || distance(platform, config) !== undefined) return
  const name = nameOf(found.reference)
  report({
    status: `WARNING: image with reference ${name} was found but does not match the specified platform: wanted ${platformText(platform)}, actual: ${platformText(config)}`,
  })
}

interface Layer {
  blob: Descriptor
  place: LayerPlace
}

/** Of an image that is here whole nothing is told; of others, which layers are. */
async function takeLayers(
  work: PullWork,
  path: string,
  intake: ImageIntake,
  { layers, isKnown }: { layers: readonly Layer[]; isKnown: boolean },
): Promise<void> {
  const here = await Promise.all(layers.map((layer) => isThere(intake, layer)))
  if (isKnown && !here.includes(false)) return
  for (const [at, { blob }] of layers.entries()) {
    work.report(step(shortId(blob.digest), here[at] === true ? 'Already exists' : 'Pulling fs layer'))
  }
  const missing = layers.filter((_, at) => here[at] !== true)
  await together(missing, work.signal, (layer, signal) => takeLayer({ ...work, signal }, path, intake, layer))
}

const isThere = async (intake: ImageIntake, { blob, place }: Layer): Promise<boolean> =>
  (await intake.hasBlob(blob.digest)) && (await intake.hasLayer(place.chainId))

async function takeLayer(work: PullWork, path: string, intake: ImageIntake, layer: Layer): Promise<void> {
  const { report, signal, session, locks } = work
  const { blob, place } = layer
  const id = shortId(blob.digest)
  if (locks.isTaken(blob.digest)) report(step(id, 'Waiting'))
  using _alone = await locks.take(blob.digest, signal)
  const isHere = await intake.hasBlob(blob.digest) // another pull may have brought it meanwhile
  if (!isHere) {
    if (work.downloads.areTaken) report(step(id, 'Waiting'))
    using _slot = await work.downloads.take(signal)
    await downloadBlob({
      session,
      path,
      blob,
      file: await intake.partial(blob.digest),
      signal,
      onProgress: meter(report, id, 'Downloading', blob.size),
      onRetry: (seconds) => report(step(id, `Retrying in ${seconds} second${seconds === 1 ? '' : 's'}`)),
    })
    report(step(id, 'Verifying Checksum'))
  }
  report(step(id, 'Download complete'))
  using _place = await work.unpacks.take(signal)
  report(amount(id, 'Extracting', 0, blob.size))
  const onProgress = meter(report, id, 'Extracting', blob.size)
  if (isHere) await intake.unpack(blob.digest, place, onProgress)
  else await intake.keepPartial(blob.digest, place, onProgress)
  signal.throwIfAborted()
  report(amount(id, 'Extracting', blob.size, blob.size))
  report(step(id, 'Pull complete'))
}
