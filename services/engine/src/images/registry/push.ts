// An image from the store into a registry.
import { digestOf } from '../digest.ts'
import { isIndex, mediaTypeOf } from '../image-documents.ts'
import type { Descriptor, ImageBlobs, Manifest } from '../image-intake.ts'
import { type Reference, repositoryOf } from '../reference.ts'
import type { BlobSources } from './blob-sources.ts'
import { nonsense, unsupported } from './failure.ts'
import { together } from './parallel.ts'
import { meter, type Report, shortId, step } from './progress.ts'
import type { PushTarget } from './push-target.ts'
import type { RegistrySession } from './session.ts'
import type { NamedLocks, Slots } from './slots.ts'
import { hasBlob, uploadBlob } from './upload.ts'

interface PushWork {
  blobs: ImageBlobs
  sources: BlobSources
  uploads: Slots
  /** One upload of a blob to a repository at a time, whoever wants it. */
  locks: NamedLocks
  session: RegistrySession
  report: Report
  signal: AbortSignal
}

/** Layers and configuration before the manifest, manifests before their index: a registry never sees half an image. */
export async function pushImage(work: PushWork, reference: Reference, target: PushTarget): Promise<void> {
  const { report, blobs, sources } = work
  const { path } = reference
  const tag = reference.tag ?? 'latest'
  const images = await Promise.all(target.manifests.map((digest) => readImage(blobs, digest)))
  const layers = unique(images.flatMap((image) => image.layers))
  for (const { id } of layers) report(step(id, 'Preparing'))
  await together(layers, work.signal, (layer, signal) => pushLayer({ ...work, signal }, reference, layer))
  for (const { config } of images) await pushQuietly(work, path, config)
  if (target.isIndex) {
    for (const digest of target.manifests) await putManifest(work, path, digest, digest)
  }
  const { digest, size } = await putManifest(work, path, target.root.digest, tag)
  sources.add(
    repositoryOf(reference),
    layers.map(({ blob }) => blob.digest),
  )
  await blobs.nameDigest(repositoryOf(reference), digest, target.imageId)
  report({ status: `${tag}: digest: ${digest} size: ${size}` })
  report({ progressDetail: {}, aux: { Tag: tag, Digest: digest, Size: size } })
  if (target.leftIndex !== undefined) report({ progressDetail: {}, aux: withoutIndex(target.leftIndex, digest) })
}

/** Clients tell their users then that the other platforms stayed behind. */
const withoutIndex = (index: string, manifest: string): object => ({
  manifestPushedInsteadOfIndex: true,
  originalIndex: { digest: index },
  selectedManifest: { digest: manifest },
})

interface PushLayer {
  /** As people know the layer: by what is in it. */
  id: string
  blob: Descriptor
}

async function readImage(blobs: ImageBlobs, digest: string): Promise<{ config: Descriptor; layers: PushLayer[] }> {
  const manifest = await blobs.readManifest(digest)
  if (isIndex(manifest)) throw unsupported('an index inside an index is not supported')
  const diffIds = await diffIdsOf(blobs, manifest)
  const layers = manifest.layers.map((blob, at) => ({ id: shortId(diffIds[at] ?? blob.digest), blob }))
  return { config: manifest.config, layers }
}

/** What is no image (an attestation) has none. */
async function diffIdsOf(blobs: ImageBlobs, { config }: Manifest): Promise<readonly string[]> {
  if (!/\.(image\.config|container\.image)\.v1\+json$/.test(config.mediaType)) return []
  return (await blobs.readConfig(config.digest)).rootfs?.diff_ids ?? []
}

const unique = (layers: readonly PushLayer[]): PushLayer[] => [
  ...new Map(layers.map((layer) => [layer.blob.digest, layer])).values(),
]

async function pushLayer(work: PushWork, reference: Reference, { id, blob }: PushLayer): Promise<void> {
  const { report, session, signal, blobs, sources } = work
  const { path, registry } = reference
  const name = `${repositoryOf(reference)} ${blob.digest}`
  if (work.locks.isTaken(name) || work.uploads.areTaken) report(step(id, 'Waiting'))
  using _alone = await work.locks.take(name, signal)
  using _slot = await work.uploads.take(signal)
  if (await hasBlob({ session, path, blob, signal })) {
    report(step(id, 'Layer already exists'))
    return
  }
  const mountFrom = sources.find(registry, path, blob.digest)
  const onProgress = meter(report, id, 'Pushing', blob.size)
  const onRetry = (seconds: number): void =>
    report(step(id, `Retrying in ${seconds} second${seconds === 1 ? '' : 's'}`))
  const done = await uploadBlob({ session, blobs, path, blob, mountFrom, signal, onProgress, onRetry })
  report(step(id, done === 'mounted' ? `Mounted from ${mountFrom}` : 'Pushed'))
}

async function pushQuietly({ session, blobs, signal }: PushWork, path: string, blob: Descriptor): Promise<void> {
  if (await hasBlob({ session, path, blob, signal })) return
  await uploadBlob({ session, blobs, path, blob, signal, onProgress() {}, onRetry() {} })
}

const maxAnswerBytes = 64 * 1024

/** `as` is a tag, or the digest again. */
async function putManifest(
  work: PushWork,
  path: string,
  digest: string,
  as: string,
): Promise<{ digest: string; size: number }> {
  const bytes = await readWhole(work.blobs, digest)
  const mediaType = mediaTypeOf(await work.blobs.readManifest(digest))
  await work.session.sendSmall(
    {
      method: 'PUT',
      to: `/v2/${path}/manifests/${as}`,
      headers: { 'content-type': mediaType },
      body: () => bytes,
      signal: work.signal,
    },
    maxAnswerBytes,
  )
  return { digest, size: bytes.length }
}

async function readWhole(blobs: ImageBlobs, digest: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of (await blobs.openBlob(digest)) as AsyncIterable<Buffer>) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (digestOf(bytes) !== digest) throw nonsense(`the stored manifest ${digest} is damaged`)
  return bytes
}

export const repositoryLine = (reference: Reference): string =>
  `The push refers to repository [${repositoryOf(reference)}]`
