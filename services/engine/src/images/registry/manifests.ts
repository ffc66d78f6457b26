// Manifests and indexes as they come from a registry: fetched by tag or digest, checked, and read.
import { digestOf, isDigest } from '../digest.ts'
import { isIndex, readConfigBytes, readManifestBytes } from '../image-documents.ts'
import type { Descriptor, Manifest, ManifestIndex } from '../image-intake.ts'
import type { ImageConfig } from '../images.ts'
import { messageOf, nonsense, unsupported } from './failure.ts'
import type { RegistrySession } from './session.ts'

const mebibyte = 1024 ** 2
const maxManifestBytes = 4 * mebibyte
const maxConfigBytes = 8 * mebibyte
const maxBlobBytes = 2 ** 40

const manifestTypes = new Set([
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
])
const indexTypes = new Set([
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
])
const oldTypes = /^application\/(vnd\.docker\.distribution\.manifest\.v1\+(prettyjws|json)|json)$/
const configTypes = new Set([
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
  'application/octet-stream',
])
/** Tars, as they are or compressed, those of foreign layers too. */
const layerTypes =
  /^application\/vnd\.(oci\.image\.layer\.(nondistributable\.)?v1\.tar(\+gzip|\+zstd)?|docker\.image\.rootfs\.(foreign\.)?diff\.tar(\.gzip|\.zstd)?)$/

const acceptedTypes = [...manifestTypes, ...indexTypes].join(', ')

export interface FetchedManifest {
  digest: string
  mediaType: string
  bytes: Buffer
  content: Manifest | ManifestIndex
}

/** `which` is a tag or a digest; what came by a digest must have it. */
export async function fetchManifest(
  session: RegistrySession,
  path: string,
  which: string,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  const answer = await session.sendSmall(
    { method: 'GET', to: `/v2/${path}/manifests/${which}`, headers: { accept: acceptedTypes }, signal },
    maxManifestBytes,
  )
  const digest = digestOf(answer.bytes)
  if (isDigest(which) && digest !== which) {
    throw nonsense(`manifest verification failed for digest ${which}: what came is ${digest}`)
  }
  const told = (answer.headers['content-type'] ?? '').replace(/;.*$/s, '').trim()
  return { digest, bytes: answer.bytes, ...readManifest(answer.bytes, told, which) }
}

function readManifest(bytes: Buffer, told: string, which: string): Pick<FetchedManifest, 'mediaType' | 'content'> {
  const own = saidOf(bytes)
  // What the manifest says of itself counts: what a server says of a file may be anything.
  const mediaType = own.mediaType || told
  if (oldTypes.test(mediaType) || own.schemaVersion === 1) {
    throw unsupported(
      `${which} is a manifest of schema 1, which is not supported: its author should push it as an OCI image or with Docker's schema 2`,
    )
  }
  if (!manifestTypes.has(mediaType) && !indexTypes.has(mediaType)) {
    throw unsupported(`unsupported manifest media type "${mediaType.slice(0, 200)}"`)
  }
  const content = sense(() => readManifestBytes(bytes))
  if (isIndex(content) !== indexTypes.has(mediaType)) {
    throw nonsense(`the manifest of ${which} says it is "${mediaType}", and is not`)
  }
  return { mediaType, content }
}

function saidOf(bytes: Buffer): { mediaType: string; schemaVersion: unknown } {
  const written = sense(() => JSON.parse(bytes.toString('utf8')) as unknown)
  const said = (typeof written === 'object' && written !== null ? written : {}) as Record<string, unknown>
  return { mediaType: typeof said.mediaType === 'string' ? said.mediaType : '', schemaVersion: said.schemaVersion }
}

/** The manifest of an image that can be unpacked: not of a chart or of another thing that registries keep. */
export function imageManifest({ content }: FetchedManifest): Manifest {
  if (isIndex(content)) throw unsupported('an index inside an index is not supported')
  if (!configTypes.has(content.config.mediaType)) {
    throw unsupported(`this is no image: its configuration is "${content.config.mediaType.slice(0, 200)}"`)
  }
  const odd = content.layers.find(({ mediaType }) => !layerTypes.test(mediaType))
  if (odd !== undefined) throw unsupported(`unsupported layer media type "${odd.mediaType.slice(0, 200)}"`)
  if (content.layers.some(({ size }) => size > maxBlobBytes)) {
    throw nonsense(`a layer is said to have more than ${maxBlobBytes} bytes`)
  }
  return content
}

export interface FetchedConfig {
  bytes: Buffer
  config: ImageConfig
}

export async function fetchConfig(
  session: RegistrySession,
  path: string,
  { digest, size }: Descriptor,
  signal: AbortSignal,
): Promise<FetchedConfig> {
  if (size > maxConfigBytes) throw nonsense(`the image configuration is longer than ${maxConfigBytes} bytes`)
  const answer = await session.sendSmall({ method: 'GET', to: `/v2/${path}/blobs/${digest}`, signal }, maxConfigBytes)
  if (digestOf(answer.bytes) !== digest) {
    throw nonsense(`image config verification failed for digest ${digest}: what came is ${digestOf(answer.bytes)}`)
  }
  return { bytes: answer.bytes, config: sense(() => readConfigBytes(answer.bytes)) }
}

/** The digests of what is in the layers, one for each layer of the manifest. */
export function diffIdsOf(config: ImageConfig, layers: readonly Descriptor[]): string[] {
  const { diff_ids } = config.rootfs
  if (diff_ids.length === layers.length) return diff_ids
  throw nonsense(
    `layers from manifest don't match image configuration: ${layers.length} and ${diff_ids.length} of them`,
  )
}

/** What cannot be read is the registry's fault, not the caller's. */
function sense<T>(read: () => T): T {
  try {
    return read()
  } catch (problem) {
    throw nonsense(`the registry's answer makes no sense: ${messageOf(problem)}`)
  }
}
