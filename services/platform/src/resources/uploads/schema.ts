import { z } from 'zod'
import { FileObject, maxFilenameLetters, UploadPurpose } from '../files/schema.ts'

const mebibyte = 1024 * 1024

export const maxUploadBytes = 8 * 1024 * mebibyte // INF-218
export const maxPartBytes = 64 * mebibyte // INF-219
export const uploadLifetimeSeconds = 3600 // INF-220
export const maxParts = 10_000

export const CreateUpload = z.strictObject({
  purpose: UploadPurpose,
  filename: z.string().min(1).max(maxFilenameLetters),
  bytes: z.int().min(1).max(maxUploadBytes),
  mime_type: z
    .string()
    .max(255)
    .regex(/^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/, 'expected a MIME type such as text/jsonl.')
    .optional(),
})
export type CreateUpload = z.infer<typeof CreateUpload>

export const CompleteUpload = z.strictObject({
  part_ids: z.array(z.string()).min(1).max(maxParts),
  md5: z
    .string()
    .regex(/^[0-9a-fA-F]{32}$/, 'expected 32 hexadecimal digits.')
    .optional(),
})
export type CompleteUpload = z.infer<typeof CompleteUpload>

export const UploadParams = z.strictObject({ upload_id: z.string() })

export const UploadStatus = z.enum(['pending', 'completed', 'cancelled', 'expired'])
export type UploadStatus = z.infer<typeof UploadStatus>

export const UploadObject = z.object({
  id: z.string(),
  object: z.literal('upload'),
  bytes: z.int(),
  created_at: z.int(),
  filename: z.string(),
  purpose: UploadPurpose,
  status: UploadStatus,
  expires_at: z.int(),
  /** Once completed, not before. INF-198 */
  file: FileObject.optional(),
})
export type UploadObject = z.infer<typeof UploadObject>

export const UploadPart = z.object({
  id: z.string(),
  object: z.literal('upload.part'),
  created_at: z.int(),
  upload_id: z.string(),
})
export type UploadPart = z.infer<typeof UploadPart>
