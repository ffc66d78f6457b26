// What of an image is pushed: one platform that was asked for, or all there is.
import { notFound } from '../../errors.ts'
import { isIndex } from '../image-documents.ts'
import type { Descriptor, ImageBlobs, ManifestIndex } from '../image-intake.ts'
import type { Platform } from '../images.ts'
import { canonicalName, familiarName, type Reference } from '../reference.ts'
import { chooseManifest, distance, platformText } from './platform-choice.ts'

export interface PushTarget {
  /** What the tag will stand for. */
  root: { digest: string }
  isIndex: boolean
  /** Manifests whose layers go along: of an index its parts, otherwise the root itself. */
  manifests: string[]
  imageId: string
  /** The index this image was a part of, when it goes without it. */
  leftIndex?: string
}

/** Throws 404 when the name or the platform is not here. */
export async function choosePushTarget(
  blobs: ImageBlobs,
  reference: Reference,
  platform: Platform | undefined,
  hostPlatform: Platform,
): Promise<PushTarget> {
  const name = familiarName(canonicalName(reference))
  const target = await blobs.target(canonicalName(reference))
  if (target === undefined) throw notFound(`An image does not exist locally with the tag: ${name}`)
  const content = await blobs.readManifest(target.digest)
  if (!isIndex(content)) {
    const config = await blobs.readConfig(content.config.digest)
    if (platform !== undefined && distance(platform, config) === undefined) throw noPlatform(name, platform)
    return single(target.digest, content.config.digest)
  }
  const present = await presentParts(blobs, content)
  if (platform !== undefined) {
    const chosen = chooseManifest(present, platform)
    if (chosen === undefined) throw noPlatform(name, platform)
    return partOf(blobs, chosen) // ENG-362
  }
  const images = present.filter(({ platform: of }) => of !== undefined && of.os !== 'unknown')
  const [only] = images
  if (only === undefined) throw notFound(`no image of ${name} is here: pull it for a platform first`)
  if (present.length === content.manifests.length) {
    const shown = chooseManifest(images, hostPlatform) ?? only
    const { imageId } = await partOf(blobs, shown)
    return { root: target, isIndex: true, manifests: present.map(({ digest }) => digest), imageId }
  }
  if (images.length === 1) return { ...(await partOf(blobs, only)), leftIndex: target.digest }
  throw notFound(
    `${name} has images for ${content.manifests.length} platforms, and only ${images.length} of them are here: pull the others too, or push one with --platform`,
  )
}

const noPlatform = (name: string, platform: Platform): Error =>
  notFound(
    `image with reference ${name} was found but does not provide the specified platform (${platformText(platform)})`,
  )

const single = (digest: string, imageId: string): PushTarget => ({
  root: { digest },
  isIndex: false,
  manifests: [digest],
  imageId,
})

async function partOf(blobs: ImageBlobs, { digest }: Descriptor): Promise<PushTarget> {
  const manifest = await blobs.readManifest(digest)
  return single(digest, isIndex(manifest) ? digest : manifest.config.digest)
}

/** Those whose manifest, configuration and layers are all here. */
async function presentParts(blobs: ImageBlobs, index: ManifestIndex): Promise<Descriptor[]> {
  const present: Descriptor[] = []
  for (const part of index.manifests) {
    if (await isWhole(blobs, part.digest)) present.push(part)
  }
  return present
}

async function isWhole(blobs: ImageBlobs, digest: string): Promise<boolean> {
  if (!(await blobs.hasBlob(digest))) return false
  const manifest = await blobs.readManifest(digest)
  if (isIndex(manifest)) return false
  for (const { digest: needed } of [manifest.config, ...manifest.layers]) {
    if (!(await blobs.hasBlob(needed))) return false
  }
  return true
}
