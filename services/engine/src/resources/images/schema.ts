// Images as requests ask for them and answers show them, in today's version.
import { z } from 'zod'

const texts = z.array(z.string())
const labels = z.record(z.string(), z.string())

export const ManifestSummary = z.object({
  ID: z.string(),
  Descriptor: z.looseObject({ mediaType: z.string(), digest: z.string(), size: z.number() }),
  Available: z.boolean(),
  Size: z.object({ Content: z.number(), Total: z.number() }),
  Kind: z.enum(['image', 'attestation', 'unknown']),
  ImageData: z
    .object({
      Platform: z.object({ architecture: z.string(), os: z.string(), variant: z.string().optional() }),
      Containers: texts,
      Size: z.object({ Unpacked: z.number() }),
    })
    .optional(),
  AttestationData: z.object({ For: z.string() }).optional(),
})
export type ManifestSummary = z.output<typeof ManifestSummary>

export const ImageSummary = z.object({
  Id: z.string(),
  ParentId: z.string(),
  RepoTags: texts,
  RepoDigests: texts,
  Created: z.number(),
  Size: z.number(),
  SharedSize: z.number(),
  Labels: labels,
  Containers: z.number(),
  Manifests: z.array(ManifestSummary).optional(),
})
export type ImageSummary = z.output<typeof ImageSummary>

export const ImageInspect = z.object({
  Id: z.string(),
  RepoTags: texts,
  RepoDigests: texts,
  Parent: z.string(),
  Comment: z.string(),
  Created: z.string().optional(),
  DockerVersion: z.string(),
  Author: z.string(),
  Config: z.record(z.string(), z.unknown()),
  Architecture: z.string(),
  Variant: z.string().optional(),
  Os: z.string(),
  OsVersion: z.string().optional(),
  Size: z.number(),
  GraphDriver: z.object({ Name: z.string(), Data: labels }),
  RootFS: z.object({ Type: z.string(), Layers: texts }),
  Metadata: z.object({ LastTagTime: z.string() }),
})
export type ImageInspect = z.output<typeof ImageInspect>

export const HistoryItem = z.object({
  Id: z.string(),
  Created: z.number(),
  CreatedBy: z.string(),
  Tags: texts.nullable(),
  Size: z.number(),
  Comment: z.string(),
})
export type HistoryItem = z.output<typeof HistoryItem>

export const DeletedItem = z.union([z.object({ Untagged: z.string() }), z.object({ Deleted: z.string() })])
export type DeletedItem = z.output<typeof DeletedItem>

export const PruneAnswer = z.object({ ImagesDeleted: z.array(DeletedItem).nullable(), SpaceReclaimed: z.number() })
export type PruneAnswer = z.output<typeof PruneAnswer>

export const SearchResult = z.object({
  name: z.string(),
  description: z.string(),
  is_official: z.boolean(),
  /** Always false. ENG-377 */
  is_automated: z.literal(false),
  star_count: z.number(),
})
export type SearchResult = z.output<typeof SearchResult>

export const ImageName = z.object({ name: z.string() })
