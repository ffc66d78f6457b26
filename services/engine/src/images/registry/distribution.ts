// What a registry says of an image: its descriptor, and the platforms it is there for.
import { isIndex } from '../image-documents.ts'
import type { Distribution } from '../image-registry.ts'
import type { Reference } from '../reference.ts'
import { type FetchedManifest, fetchConfig, fetchManifest } from './manifests.ts'
import type { RegistrySession } from './session.ts'

type OfferedPlatform = Distribution['Platforms'][number]

export async function describeImage(
  session: RegistrySession,
  { path, tag, digest }: Reference,
  signal: AbortSignal,
): Promise<Distribution> {
  const root = await fetchManifest(session, path, digest ?? tag ?? 'latest', signal)
  return {
    Descriptor: { mediaType: root.mediaType, digest: root.digest, size: root.bytes.length },
    Platforms: await platformsOf(session, path, root, signal),
  }
}

async function platformsOf(
  session: RegistrySession,
  path: string,
  { content }: FetchedManifest,
  signal: AbortSignal,
): Promise<OfferedPlatform[]> {
  if (isIndex(content)) return content.manifests.flatMap(({ platform }) => (platform ? [offered(platform)] : []))
  if (!/\.(image\.config|container\.image)\.v1\+json$/.test(content.config.mediaType)) return []
  const { config } = await fetchConfig(session, path, content.config, signal)
  return [offered(config)]
}

const offered = (of: OfferedPlatform): OfferedPlatform => ({
  architecture: of.architecture,
  os: of.os,
  ...(of['os.version'] !== undefined && { 'os.version': of['os.version'] }),
  ...(of['os.features'] !== undefined && { 'os.features': of['os.features'] }),
  ...(of.variant !== undefined && of.variant !== '' && { variant: of.variant }),
})
