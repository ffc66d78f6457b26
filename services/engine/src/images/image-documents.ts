// Manifests, indexes and configurations as they come from outside: checked before anything is made of them.
import { z } from 'zod'
import { invalidParameter } from '../errors.ts'
import { isDigest } from './digest.ts'
import type { Manifest, ManifestIndex } from './image-intake.ts'
import type { ImageConfig } from './images.ts'

const digest = z.string().refine(isDigest, 'must be sha256: and 64 hexadecimal digits')
const texts = z.record(z.string(), z.string())

const DescriptorForm = z.object({
  mediaType: z.string().default('application/octet-stream'),
  digest,
  size: z.number().int().nonnegative(),
  urls: z.array(z.string()).optional(),
  annotations: texts.optional(),
  platform: z
    .object({
      os: z.string(),
      architecture: z.string(),
      variant: z.string().optional(),
      'os.version': z.string().optional(),
      'os.features': z.array(z.string()).optional(),
    })
    .optional(),
})

/** Archives of some builders leave it out, which Go writes as 0. */
const schemaVersion = z
  .union([z.literal(2), z.literal(0)])
  .transform(() => 2 as const)
  .default(2)

const ManifestForm = z.object({
  schemaVersion,
  mediaType: z.string().optional(),
  config: DescriptorForm,
  layers: z.array(DescriptorForm).max(500),
  annotations: texts.nullish().transform((value) => value ?? undefined),
})

const IndexForm = z.object({
  schemaVersion,
  mediaType: z.string().optional(),
  manifests: z.array(DescriptorForm).max(500),
  annotations: texts.nullish().transform((value) => value ?? undefined),
})

const ConfigForm = z.looseObject({
  architecture: z.string().default(''),
  os: z.string().default('linux'),
  config: z.looseObject({}).nullish(),
  rootfs: z.looseObject({ type: z.literal('layers').default('layers'), diff_ids: z.array(digest).nullish() }),
  history: z.array(z.looseObject({})).nullish(),
})

export const mediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
} as const

export const isIndex = (document: Manifest | ManifestIndex): document is ManifestIndex => 'manifests' in document

export function readManifestBytes(bytes: Uint8Array): Manifest | ManifestIndex {
  const json = parseJson(bytes, 'manifest')
  const isMany = typeof json === 'object' && json !== null && 'manifests' in json
  const read = isMany ? IndexForm.safeParse(json) : ManifestForm.safeParse(json)
  if (!read.success) throw invalidParameter(`invalid manifest: ${reason(read.error)}`)
  return read.data as Manifest | ManifestIndex
}

export function readConfigBytes(bytes: Uint8Array): ImageConfig {
  const read = ConfigForm.safeParse(parseJson(bytes, 'image configuration'))
  if (!read.success) throw invalidParameter(`invalid image configuration: ${reason(read.error)}`)
  const { config, history, rootfs, ...rest } = read.data
  return {
    ...rest,
    ...(config && { config }),
    ...(history && { history }),
    rootfs: { type: 'layers', diff_ids: rootfs.diff_ids ?? [] },
  } as ImageConfig
}

export const mediaTypeOf = (document: Manifest | ManifestIndex): string =>
  document.mediaType ?? (isIndex(document) ? mediaTypes.index : mediaTypes.manifest)

function parseJson(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    throw invalidParameter(`invalid ${what}: it is no JSON`)
  }
}

const reason = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
