// The section of the configuration that describes a model in a GGUF file.
import { z } from 'zod'

const maxContextTokens = 1_000_000
const maxSlots = 64

const whole = (least: number, most: number) =>
  z
    .int()
    .min(least)
    .max(most)
    .meta({ expects: `a whole number from ${least} to ${most}` })

export const LlamaSettings = z.strictObject({
  kind: z.literal('llama'),
  /** The GGUF file. */
  file: z.string().min(1).meta({ expects: 'the path of a GGUF file', path: true }),
  /** Of the file; another one is not loaded. Absent: whatever the file holds. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ expects: 'the SHA-256 of the file, in 64 lower-case hexadecimal digits' })
    .optional(),
  /** Tokens of one conversation, prompt and answer together. Absent: what the model was made for, up to 8,192; for embeddings, as fits. */
  contextLength: whole(16, maxContextTokens).optional(),
  /** Answers written at the same time. Absent: as many as `cacheMegabytes` holds, up to 8. */
  slots: whole(1, maxSlots).optional(),
  /** What the conversations' caches may take together; of an embedding model, what its longest input may take. */
  cacheMegabytes: whole(1, 1_000_000).default(1_024),
  /** Of each number by which a conversation's tokens are found again. With 8, conversations take three quarters of the memory. */
  keyBits: z.literal([8, 16]).meta({ expects: '8 or 16' }).default(16),
  /** Absent: all cores but one. */
  threads: whole(1, 512).optional(),
  /** Requests beyond this wait no more but are told to come back. */
  maxWaiting: whole(0, 100_000).default(256),
  /** Unloaded after so long without use. */
  idleSeconds: whole(1, 86_400 * 365).default(600),
  /**
   * For small models: a choice that the message names is taken, a value that began like the message goes on like it, and
   * a call that was answered is not made again. Larger ones know better: a label may stand in a text that it does not
   * fit, and a state may be asked for until it changes.
   */
  assist: z.boolean().meta({ expects: 'true or false' }).default(false),
})
export type LlamaSettings = z.output<typeof LlamaSettings>
