import { z } from 'zod'
import { Attributes } from '../files/attributes/schema.ts'
import { ChunkingStrategy } from '../files/schema.ts'
import { FileCounts, FileIds } from '../schema.ts'

// AST-123
export const CreateFileBatch = z.strictObject({
  file_ids: FileIds.min(1),
  /** Of each of them. */
  attributes: Attributes.nullish(),
  chunking_strategy: ChunkingStrategy.optional(),
})
export type CreateFileBatch = z.output<typeof CreateFileBatch>

export const FileBatchParams = z.strictObject({ vector_store_id: z.string(), batch_id: z.string() })

// AST-128 AST-130
export const FileBatchObject = z.object({
  id: z.string(),
  object: z.literal('vector_store.files_batch'), // AST-129
  created_at: z.int(),
  vector_store_id: z.string(),
  status: z.enum(['in_progress', 'completed', 'failed', 'cancelling', 'cancelled']),
  file_counts: FileCounts,
})
export type FileBatchObject = z.output<typeof FileBatchObject>
