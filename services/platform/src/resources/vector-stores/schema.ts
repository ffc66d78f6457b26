import { z } from 'zod'
import { Metadata } from '../chat/completions/metadata/schema.ts'
import { Attributes, SearchFilter } from './files/attributes/schema.ts'
import { ChunkingStrategy, FileId } from './files/schema.ts'
import { HybridSearch } from './ranking/schema.ts'

const maxNameLetters = 256
const maxDescriptionLetters = 4_096
const maxDays = 365
const maxResults = 50
const maxQueryLetters = 32_768
const maxQueries = 16
const maxCreationFiles = 500

/** What one store holds at most. */
export const maxStoreFiles = 10_000

export const ExpiresAfter = z.strictObject({
  anchor: z.literal('last_active_at'),
  days: z.int().min(1).max(maxDays),
})
export type ExpiresAfter = z.output<typeof ExpiresAfter>

// AST-106
export const CreateVectorStore = z
  .strictObject({
    name: z.string().max(maxNameLetters).nullish(),
    description: z.string().max(maxDescriptionLetters).nullish(),
    file_ids: z.array(FileId).max(maxCreationFiles).optional(),
    expires_after: ExpiresAfter.nullish(),
    chunking_strategy: ChunkingStrategy.optional(),
    metadata: Metadata.nullish(),
  })
  .superRefine(({ file_ids = [], chunking_strategy }, context) => {
    // `auto` is what files get that come later without a strategy of their own.
    if (chunking_strategy?.type !== 'static' || file_ids.length > 0) return
    const message = 'static chunk sizes need files: give file_ids, or give them with each file that is added later.'
    context.addIssue({ code: 'custom', path: ['chunking_strategy'], message })
  })
export type CreateVectorStore = z.output<typeof CreateVectorStore>

// AST-113
export const UpdateVectorStore = z.strictObject({
  name: z.string().max(maxNameLetters).nullish(),
  /** `null` ends the policy. */
  expires_after: ExpiresAfter.nullish(),
  metadata: Metadata.nullish(),
})
export type UpdateVectorStore = z.output<typeof UpdateVectorStore>

export const VectorStoreParams = z.strictObject({ vector_store_id: z.string() })

// AST-110
export const FileCounts = z.object({
  in_progress: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  total: z.int(),
})
export type FileCounts = z.output<typeof FileCounts>

// AST-107
export const VectorStoreObject = z.object({
  id: z.string(),
  object: z.literal('vector_store'),
  created_at: z.int(),
  /** Empty where none was given: typed clients know no null here. */
  name: z.string(),
  description: z.string().nullable(),
  usage_bytes: z.int(),
  /** As older programs know it. AST-108 */
  bytes: z.int(),
  file_counts: FileCounts,
  status: z.enum(['in_progress', 'completed', 'expired']),
  /** Typed clients know no null here. */
  expires_after: ExpiresAfter.optional(),
  expires_at: z.int().nullable(),
  last_active_at: z.int().nullable(),
  last_used_at: z.int().nullable(),
  metadata: Metadata,
  /** Which model its files are embedded by. Where that has changed, the store is found by words alone until upgraded. */
  embedding: z.object({ model: z.string(), edition: z.string().nullable(), is_current: z.boolean() }),
})
export type VectorStoreObject = z.output<typeof VectorStoreObject>

export const VectorStoreDeleted = z.object({
  id: z.string(),
  object: z.literal('vector_store.deleted'),
  deleted: z.literal(true),
})

const Query = z.string().min(1).max(maxQueryLetters)

export const SearchVectorStore = z.strictObject({
  query: z.union([Query, z.array(Query).min(1).max(maxQueries)]),
  max_num_results: z.int().min(1).max(maxResults).default(10),
  ranking_options: z
    .strictObject({
      ranker: z.enum(['auto', 'none', 'default-2024-08-21', 'default-2024-11-15', 'default_2024_08_21']).optional(),
      score_threshold: z.number().min(0).max(1).optional(),
      hybrid_search: HybridSearch.optional(),
    })
    .optional(),
  filters: SearchFilter.optional(),
  rewrite_query: z
    .boolean()
    .refine((isAsked) => !isAsked, 'a query is searched as it is asked: give false, or leave it out.')
    .optional(),
})
export type SearchVectorStore = z.output<typeof SearchVectorStore>

export const SearchResultsPage = z.object({
  object: z.literal('vector_store.search_results.page'),
  search_query: z.array(z.string()),
  data: z.array(
    z.object({
      file_id: z.string(),
      filename: z.string(),
      score: z.number(),
      attributes: Attributes,
      content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
    }),
  ),
  has_more: z.boolean(),
  next_page: z.string().nullable(),
})
export type SearchResultsPage = z.output<typeof SearchResultsPage>
