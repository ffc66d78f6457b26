// The part of the configuration that says which models callers can name and what runs them.
import { allRuntimes, chatRuntime, ownChatRuntime, type RuntimeSettings } from '@atoll/models/config'
import { z } from 'zod'
import type { Operation } from './inference.ts'

export const Limit = z.strictObject({
  requestsPerMinute: z.int().min(1).optional(),
  tokensPerMinute: z.int().min(1).optional(),
  imagesPerMinute: z.int().min(1).optional(),
})

/** US dollars. */
const dollars = z.number().min(0).max(1_000_000)
const price = dollars.meta({ expects: 'US dollars for a million tokens' })

const Prices = z.strictObject({
  inputPerMillion: price,
  cachedInputPerMillion: price,
  outputPerMillion: price,
  /** Of what is not counted in tokens. */
  perMillionCharacters: dollars.meta({ expects: 'US dollars for a million letters that are spoken' }).optional(),
  perAudioMinute: dollars.meta({ expects: 'US dollars for a minute of speech that is written down' }).optional(),
  perImage: dollars.meta({ expects: 'US dollars for a picture' }).optional(),
})

const operations = [
  'chat',
  'completions',
  'embeddings',
  'moderations',
  'audio_transcriptions',
  'audio_speeches',
  'images',
] as const satisfies Operation[]

const capabilities = ['images', 'audio', 'tools', 'structured_outputs', 'logprobs', 'reasoning'] as const
export type Capability = (typeof capabilities)[number]

const modelId = z.string().min(1).max(256)

export const ModelSettings = z.strictObject({
  id: modelId,
  ownedBy: z.string().default('atoll'),
  created: z.int().min(0).default(0),
  /** What runs it. Absent: its limits and prices are known, and it is not listed. */
  runtime: z.string().min(1).max(256).optional(),
  /** Absent: all that a runtime of its kind can do. */
  serves: z
    .array(z.enum(operations).meta({ expects: `one of: ${operations.join(', ')}` }))
    .min(1)
    .optional(),
  /** Tokens of prompt and answer together. Absent: as many as the runtime takes. */
  contextLength: z.int().min(1).max(100_000_000).optional(),
  /** What chats may hold and ask for beyond text. Absent: whatever the runtime can do. */
  capabilities: z.array(z.enum(capabilities).meta({ expects: `one of: ${capabilities.join(', ')}` })).optional(),
  /** Ids of models that hear and speak for it, since it takes text alone. Absent: it does so itself, or not at all. */
  voice: z.strictObject({ transcription: modelId, speech: modelId }).optional(),
  prices: Prices.optional(),
  limits: Limit.prefault({}),
})
export type ModelSettings = z.output<typeof ModelSettings>

type Kind = RuntimeSettings['kind']

const servedByKind: Record<Kind, readonly Operation[]> = {
  llama: ['chat', 'completions'],
  upstream: operations,
  embeddings: ['embeddings'],
  moderation: ['moderations'],
  transcription: ['audio_transcriptions'],
  speech: ['audio_speeches'],
  illustrator: ['images'],
}

/** What the model can be asked for. */
export function servedBy(model: ModelSettings, runtimes: Record<string, RuntimeSettings>): readonly Operation[] {
  if (model.runtime === undefined) return []
  if (model.serves !== undefined) return model.serves
  const runtime = allRuntimes(runtimes)[model.runtime]
  return runtime === undefined ? servedByKind.llama : servedByKind[runtime.kind]
}

/** Names of runtimes that models may use. */
export const runtimeNames = (runtimes: Record<string, RuntimeSettings>): string[] => [
  ...new Set([chatRuntime, ownChatRuntime, ...Object.keys(allRuntimes(runtimes))]),
]
