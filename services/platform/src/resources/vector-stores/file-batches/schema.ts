import { z } from 'zod'
import { Attributes } from '../files/attributes/schema.ts'
import { ChunkingStrategy, CreateVectorStoreFile, FileId } from '../files/schema.ts'
import { FileCounts } from '../schema.ts'

const maxBatchFiles = 2_000

// AST-123
export const CreateFileBatch = z
  .strictObject({
    file_ids: z.array(FileId).min(1).max(maxBatchFiles).optional(),
    /** In place of `file_ids`, where each has attributes and a strategy of its own. */
    files: z.array(CreateVectorStoreFile).min(1).max(maxBatchFiles).optional(),
    /** Of each of `file_ids`. Those of `files` have their own: there it is passed over, as is the strategy. */
    attributes: Attributes.nullish(),
    chunking_strategy: ChunkingStrategy.optional(),
  })
  .superRefine(({ file_ids, files }, context) => {
    if ((file_ids === undefined) !== (files === undefined)) return
    const [name, message] =
      files === undefined
        ? ['file_ids', "give the ids of files, or 'files' with options of their own."]
        : ['files', "it cannot stand beside 'file_ids': give all files in one of the two."]
    context.addIssue({ code: 'custom', path: [name], message })
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
