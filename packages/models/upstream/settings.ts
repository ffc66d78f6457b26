// What the configuration says of a model server that speaks the same interface.
import { z } from 'zod'
import type { Call } from '../call.ts'

const replicaUrl = z
  .string()
  .max(2_000)
  .refine(isBaseUrl)
  .meta({ expects: 'a URL like http://10.0.0.7:8000/v1, without user, password, ? and #' })

const replica = z
  .union([replicaUrl, z.strictObject({ url: replicaUrl, weight: z.number().min(0.01).max(100).default(1) })])
  .meta({ expects: 'a URL, or a url and a weight' })

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
/** Set by the runtime itself. */
const ownHeaders =
  /^(?:authorization|content-type|content-length|accept|accept-encoding|host|connection|transfer-encoding)$/i

const timeouts = z.strictObject({
  connectMs: milliseconds(1, 600_000).default(5_000),
  /** Until the head of the answer. A model that does not stream answers when all is said. */
  firstByteMs: milliseconds(1, 86_400_000).default(300_000),
  /** Between two pieces of an answer. */
  idleMs: milliseconds(1, 86_400_000).default(120_000),
  /** Of a call with all its tries, streamed or not. */
  totalMs: milliseconds(1, 86_400_000).default(1_800_000),
})

const health = z.strictObject({
  /** Asked by GET, below the replica's URL. Anything but a failure of the server counts as alive. */
  path: z
    .string()
    .regex(/^\/[\x21-\x22\x24-\x7e]{0,500}$/)
    .meta({ expects: 'a path like /models' })
    .default('/models'),
  /** 0: only replicas that failed are asked. */
  intervalMs: milliseconds(0, 3_600_000).default(10_000),
  timeoutMs: milliseconds(1, 600_000).default(5_000),
})

export const UpstreamSettings = z
  .strictObject({
    kind: z.literal('upstream'),
    replicas: z.array(replica).min(1).max(64).meta({ expects: 'a list of 1 to 64 URLs' }),
    /** The id that the server knows the model by. */
    model: z.string().min(1).max(500),
    apiKey: secret().optional(),
    /** The environment variable that holds the key. */
    apiKeyEnv: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,200}$/)
      .meta({ expects: 'the name of an environment variable that is set' })
      .optional(),
    organization: z
      .string()
      .regex(/^[\x21-\x7e]{1,500}$/)
      .meta({ expects: 'an id of visible letters' })
      .optional(),
    headers: z
      .record(
        z
          .string()
          .regex(headerName)
          .refine((name) => !ownHeaders.test(name)),
        z
          .string()
          .max(8_000)
          .regex(/^[\t\x20-\x7e]*$/)
          .meta({ secret: true }),
      )
      .meta({ expects: 'names and values of headers, but none that the connection itself needs' })
      .default({}),
    timeouts: timeouts.prefault({}),
    /** Tries after the first. */
    retries: wholeNumber(0, 10).default(2),
    /** For each replica. */
    maxConnections: wholeNumber(1, 10_000).default(128),
    /** Calls that wait for a connection; more are refused. */
    maxWaiting: wholeNumber(0, 100_000).default(1_000),
    /** A call that waited longer is refused. */
    maxWaitMs: milliseconds(1, 3_600_000).default(60_000),
    health: health.prefault({}),
    maxResponseBytes: wholeNumber(1_000, 1_000_000_000).default(128 * 1024 * 1024),
    /** Most servers know the older name; a few newer models only the newer. */
    maxTokensName: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
    /** What `developer` messages are sent as: many servers know `system` alone. */
    developerRole: z.enum(['system', 'developer']).default('system'),
    /**
     * It holds realtime sessions itself: they are passed through. Off: it only chats in them, and speech is written down
     * and spoken by other models.
     */
    realtime: z.boolean().default(false),
    /** Off for servers that refuse `stream_options`: usage of streams is estimated then. */
    streamUsage: z.boolean().default(true),
    /** Whether jobs that fine-tune this model are handed on to the server. */
    fineTuning: z.boolean().default(false),
  })
  .refine(({ fineTuning, replicas }) => !fineTuning || replicas.length === 1, {
    path: ['fineTuning'],
    message: 'a server that fine-tunes must be the only replica: the others would not have its models',
  })
  .refine(({ apiKey, apiKeyEnv }) => apiKey === undefined || apiKeyEnv === undefined, {
    path: ['apiKeyEnv'],
    message: 'give apiKey or apiKeyEnv, not both',
  })

export type UpstreamSettings = z.output<typeof UpstreamSettings>

/** Of a fine-tuned model of the same server, where the call is for one. */
export const settingsFor = ({ model }: Pick<Call, 'model'>, settings: UpstreamSettings): UpstreamSettings =>
  model === undefined ? settings : { ...settings, model }

function secret() {
  return z
    .string()
    .regex(/^[\x21-\x7e]{1,8000}$/)
    .meta({ expects: 'a key of visible letters', secret: true })
}

function wholeNumber(least: number, most: number) {
  return z
    .int()
    .min(least)
    .max(most)
    .meta({ expects: `a whole number from ${least} to ${most}` })
}

function milliseconds(least: number, most: number) {
  return z
    .int()
    .min(least)
    .max(most)
    .meta({ expects: `milliseconds, from ${least} to ${most}` })
}

function isBaseUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  const url = new URL(text)
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '' && !/[?#@]/.test(text)
}
