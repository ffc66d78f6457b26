// Mappings as they are shown, and what a dry run says.
import { z } from 'zod'

export const ShownMapping = z.object({
  id: z.string(),
  isPreset: z.boolean(),
  match: z.object({
    path: z.string().optional(),
    source: z.string().optional(),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  }),
  action: z.enum(['wake', 'agent']),
  transform: z.object({ module: z.string(), export: z.string(), sha256: z.string() }).nullable(),
  /** Its scheme; the secrets are nobody's business. */
  signature: z.string().nullable(),
  allowUnsafeExternalContent: z.boolean(),
  isPaused: z.boolean(),
})
export type ShownMapping = z.infer<typeof ShownMapping>

const Texts = z.record(z.string().max(200), z.string().max(10_000))

export const TestRequest = z.strictObject({
  payload: z.record(z.string(), z.unknown()),
  headers: Texts.default({}),
  query: Texts.default({}),
  /** Absent: the mapping's own, or its id. */
  path: z.string().max(200).optional(),
})
export type TestRequest = z.output<typeof TestRequest>

export const TestResult = z.object({
  outcome: z.enum(['action', 'skipped', 'refused', 'failed']),
  /** What the sender would get. */
  status: z.int(),
  /** Which mapping such a request would really go to. */
  found: z.string().nullable(),
  action: z.looseObject({}).optional(),
  /** Where the mapping or its transform says so. */
  answer: z.looseObject({}).optional(),
  /** What the model would read. */
  preview: z.string().optional(),
  error: z.string().optional(),
})
export type TestResult = z.input<typeof TestResult>
