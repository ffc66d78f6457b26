import { z } from 'zod'

const mebibyte = 1024 * 1024

export const maxFileBytes = 512 * mebibyte // INF-209
export const maxBatchFileBytes = 200 * mebibyte // INF-214
export const maxFilenameLetters = 255

/** What a caller may upload. INF-186; `user_data` is what later clients call files for messages. */
export const UploadPurpose = z.enum(['assistants', 'vision', 'batch', 'fine-tune', 'user_data'])
export type UploadPurpose = z.infer<typeof UploadPurpose>

/** What a stored file may be for: the rest are made by the service itself. INF-188 */
export const FilePurpose = z.enum([
  'assistants',
  'assistants_output',
  'batch',
  'batch_output',
  'fine-tune',
  'fine-tune-results',
  'user_data',
  'vision',
])
export type FilePurpose = z.infer<typeof FilePurpose>

const hour = 3600
const shortestLife = hour
const longestLife = 30 * 24 * hour

/** In a form a number is text. */
const LifeSeconds = z
  .string()
  .regex(/^\d{1,9}$/)
  .meta({ expects: `a whole number from ${shortestLife} to ${longestLife}` })
  .transform(Number)
  .pipe(z.int().min(shortestLife).max(longestLife))

/** As later clients send it in a form: `expires_after[anchor]`, `expires_after[seconds]`. */
export const CreateFileFields = z
  .strictObject({
    purpose: UploadPurpose,
    'expires_after[anchor]': z.literal('created_at').optional(),
    'expires_after[seconds]': LifeSeconds.optional(),
  })
  .superRefine((fields, context) => {
    const [anchor, seconds] = [fields['expires_after[anchor]'], fields['expires_after[seconds]']]
    if ((anchor === undefined) === (seconds === undefined)) return
    const missing = anchor === undefined ? 'anchor' : 'seconds'
    const message = `'expires_after' needs an anchor and seconds; there is no '${missing}'.`
    context.addIssue({ code: 'custom', path: ['expires_after'], message })
  })

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
  /** Of one that is to go by itself. */
  expires_at: z.int().optional(),
})
export type FileObject = z.infer<typeof FileObject>

export const FileDeleted = z.object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) })
