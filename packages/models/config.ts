// The section of the configuration that says what runs the models.
import { z } from 'zod'
import { LlamaSettings } from './builtin/llama/settings.ts'
import { UpstreamSettings } from './upstream/settings.ts'

const EmbeddingsSettings = z.strictObject({
  kind: z.literal('embeddings'),
  /** How many numbers an embedding has. */
  dimensions: z.int().min(512).max(3072).meta({ expects: 'a whole number from 512 to 3072' }),
  /** Whether a caller may ask for fewer. */
  shortens: z.boolean().default(true),
})

const ModerationSettings = z.strictObject({
  kind: z.literal('moderation'),
  /** The older one, `text`, judges texts alone and has fewer categories. */
  generation: z.enum(['omni', 'text']).meta({ expects: 'omni or text' }),
})

const TranscriptionSettings = z.strictObject({ kind: z.literal('transcription') })

const SpeechSettings = z.strictObject({ kind: z.literal('speech') })

const IllustratorSettings = z.strictObject({ kind: z.literal('illustrator') })

const kinds = [
  LlamaSettings,
  UpstreamSettings,
  EmbeddingsSettings,
  ModerationSettings,
  TranscriptionSettings,
  SpeechSettings,
  IllustratorSettings,
] as const

export const RuntimeSettings = z.discriminatedUnion('kind', kinds, {
  error: ({ code }) =>
    code === 'invalid_union' ? `expected one of: ${kinds.map(({ shape }) => shape.kind.value).join(', ')}` : undefined,
})
export type RuntimeSettings = z.output<typeof RuntimeSettings>

/** Answers with the chat model of this installation: the one that was named, else one of the models folder. */
export const chatRuntime = 'builtin-chat'

/** Answers with the small chat model that Atoll brings along. */
export const ownChatRuntime = 'builtin-atoll-chat'

/** Runtimes that exist without being configured. */
const builtinSettings: Record<string, RuntimeSettings> = {
  'builtin-embeddings': { kind: 'embeddings', dimensions: 1536, shortens: true },
  'builtin-embeddings-large': { kind: 'embeddings', dimensions: 3072, shortens: true },
  'builtin-embeddings-fixed': { kind: 'embeddings', dimensions: 1536, shortens: false },
  'builtin-moderation': { kind: 'moderation', generation: 'omni' },
  'builtin-moderation-text': { kind: 'moderation', generation: 'text' },
  'builtin-transcription': { kind: 'transcription' },
  'builtin-speech': { kind: 'speech' },
  'builtin-illustrator': { kind: 'illustrator' },
}

/** With the built-in ones; a configured runtime of the same name takes the built-in one's place. */
export const allRuntimes = (configured: Record<string, RuntimeSettings>): Record<string, RuntimeSettings> => ({
  ...builtinSettings,
  ...configured,
})
