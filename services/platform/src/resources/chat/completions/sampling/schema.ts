// What chat completions and plain completions have in common: how tokens are chosen, how many, and how they come back.
import { z } from 'zod'
import { boundedRecord } from '../metadata/schema.ts'

const maxChoices = 128
const maxStops = 4
const maxStopLetters = 1024
const maxBiasedTokens = 1024
const maxUserLetters = 1024
const int64 = 2 ** 63

const noPadding = 'pieces of a chat are sent as they are, without padding: leave it out, or say false.'

const penalty = z.number().min(-2).max(2).nullish()

const Stop = z.string().min(1).max(maxStopLetters)

export const samplingFields = {
  temperature: z.number().min(0).max(2).nullish(), // INF-066
  top_p: z.number().min(0).max(1).nullish(), // INF-067
  frequency_penalty: penalty, // INF-045
  presence_penalty: penalty, // INF-046
  /** Token ids as text; 100 forces a token, -100 bans it. INF-225 */
  logit_bias: boundedRecord(
    z.string().regex(/^\d{1,9}$/, 'the keys of a logit bias are token ids, as text.'),
    z.number().min(-100).max(100),
    maxBiasedTokens,
  ).nullish(),
  /** Beyond the integers JSON readers are exact about, but within 64 bits. */
  seed: z.number().min(-int64).max(int64).refine(Number.isInteger, 'expected an integer.').nullish(),
  stop: z.union([Stop, z.array(Stop).min(1).max(maxStops)]).nullish(),
  n: z.int().min(1).max(maxChoices).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().optional(),
      include_obfuscation: z
        .boolean()
        .refine((wanted) => !wanted, noPadding)
        .optional(),
    })
    .nullish(),
  user: z.string().max(maxUserLetters).optional(),
}

export const Sampled = z.object(samplingFields)
export type Sampled = z.infer<typeof Sampled>
