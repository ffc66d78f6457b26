import { z } from 'zod'
import { Attributes } from './attributes/schema.ts'

const minChunkTokens = 100
const maxChunkTokens = 4096

/** What `auto` stands for. */
export const autoChunking = { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 }

// AST-117
const StaticSizes = z
  .strictObject({
    max_chunk_size_tokens: z.int().min(minChunkTokens).max(maxChunkTokens),
    chunk_overlap_tokens: z.int().min(0),
  })
  .superRefine(({ max_chunk_size_tokens, chunk_overlap_tokens }, context) => {
    if (chunk_overlap_tokens <= max_chunk_size_tokens / 2) return
    const message = 'it must not exceed half of max_chunk_size_tokens.'
    context.addIssue({ code: 'custom', path: ['chunk_overlap_tokens'], message })
  })

export const ChunkingStrategy = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto') }),
  z.strictObject({ type: z.literal('static'), static: StaticSizes }),
])
export type ChunkingStrategy = z.output<typeof ChunkingStrategy>

export const FileId = z.string().min(1).max(256)

// AST-115
export const CreateVectorStoreFile = z.strictObject({
  file_id: FileId,
  attributes: Attributes.nullish(),
  chunking_strategy: ChunkingStrategy.optional(),
})
export type CreateVectorStoreFile = z.output<typeof CreateVectorStoreFile>

/** In the place of those it has. */
export const UpdateVectorStoreFile = z.strictObject({ attributes: Attributes.nullable() })
export type UpdateVectorStoreFile = z.output<typeof UpdateVectorStoreFile>

export const VectorStoreFileParams = z.strictObject({ vector_store_id: z.string(), file_id: z.string() })

// AST-118
export const fileStatuses = ['in_progress', 'completed', 'failed', 'cancelled'] as const
export const FileStatus = z.enum(fileStatuses)
export type FileStatus = z.output<typeof FileStatus>

export const FileProblem = z.object({
  code: z.enum(['server_error', 'unsupported_file', 'invalid_file']),
  message: z.string(),
})
export type FileProblem = z.output<typeof FileProblem>

// AST-116
export const VectorStoreFileObject = z.object({
  /** Of the file itself. */
  id: z.string(),
  object: z.literal('vector_store.file'),
  created_at: z.int(),
  usage_bytes: z.int(),
  vector_store_id: z.string(),
  status: FileStatus,
  last_error: FileProblem.nullable(),
  attributes: Attributes,
  chunking_strategy: z.object({
    type: z.literal('static'),
    static: z.object({ max_chunk_size_tokens: z.int(), chunk_overlap_tokens: z.int() }),
  }),
})
export type VectorStoreFileObject = z.output<typeof VectorStoreFileObject>

export const FileContentPage = z.object({
  object: z.literal('vector_store.file_content.page'),
  data: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  has_more: z.boolean(),
  next_page: z.null(),
})
export type FileContentPage = z.output<typeof FileContentPage>

export const VectorStoreFileDeleted = z.object({
  id: z.string(),
  object: z.literal('vector_store.file.deleted'),
  deleted: z.literal(true),
})
