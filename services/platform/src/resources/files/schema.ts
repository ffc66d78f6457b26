import { z } from 'zod'

const mebibyte = 1024 * 1024

export const maxFileBytes = 512 * mebibyte // INF-209
export const maxBatchFileBytes = 200 * mebibyte // INF-214
export const maxFilenameLetters = 255

/** What a caller may upload. INF-186 */
export const UploadPurpose = z.enum(['assistants', 'vision', 'batch', 'fine-tune'])
export type UploadPurpose = z.infer<typeof UploadPurpose>

/** What a stored file may be for: the rest are made by the service itself. INF-188 */
export const FilePurpose = z.enum([
  'assistants',
  'assistants_output',
  'batch',
  'batch_output',
  'fine-tune',
  'fine-tune-results',
  'vision',
])
export type FilePurpose = z.infer<typeof FilePurpose>

export const CreateFileFields = z.strictObject({ purpose: UploadPurpose })

export const FileParams = z.strictObject({ file_id: z.string() })

// INF-187; `status` is deprecated, but typed clients insist on it.
export const FileObject = z.object({
  id: z.string(),
  object: z.literal('file'),
  bytes: z.int(),
  created_at: z.int(),
  filename: z.string(),
  purpose: FilePurpose,
  status: z.literal('processed'),
})
export type FileObject = z.infer<typeof FileObject>

export const FileDeleted = z.object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) })
